/*
 * Verification of a store: every file is read and held against its checksum
 * and against the others.  Nothing is changed.
 */
#ifndef STFM_JOB_VERIFY_H
#define STFM_JOB_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "store.h"
#include "words.h"

/* What a finding is about, and so what can be done. */
enum job_finding_kind {
	FINDING_NOTE,  /* no damage: something left over, or not known here */
	FINDING_STAYS, /* damage that moving a file aside would not better */
	FINDING_FILE,  /* a file that nothing follows from */
	FINDING_FACT,
	FINDING_MISPLACED, /* a fact under the name of another */
	FINDING_PACK,
	FINDING_INTENT,
	FINDING_CLAIM,
	FINDING_WISH,
	FINDING_FOLD,
	FINDING_TABLE, /* a fold that is whole says something else than facts */
	FINDING_PART,  /* a directory of a job is not there, or none */
	FINDING_BATCH, /* batch.sh is not what was submitted, or gone */
	FINDING_PROGRAM, /* what batch.sh starts is not there */
	FINDING_BARED,   /* a file of the code that can be written to now */
	FINDING_FORMAT,
	FINDING_OPEN, /* somebody else can change what tasks run */
	FINDING_JOB,  /* a directory that is no job, or no more */
	FINDING_LOST  /* the table knows a fact that is not there */
};

struct job_finding {
	enum job_finding_kind kind;
	char *job;   /* its name, or NULL */
	char *path;  /* below the store's */
	size_t line; /* or 0 */
	char *what;
	uint64_t task; /* FINDING_LOST only */
	int fact;      /* STORE_HAS_S and the others, FINDING_LOST only */
};

struct job_findings {
	const struct store *store;
	struct job_finding *item;
	size_t count;
	size_t damage; /* those that are more than notes */
};

void job_findings_free(struct job_findings *);

/*
 * Verify the store itself and the jobs with these names, or all when there are
 * none.  The store may have been opened for STORE_VERIFY, without a look at
 * FORMAT.  Returns 0 whatever is found, or -1 when something cannot be read;
 * what was found so far is then there.
 */
int job_verify(const struct store *, char *const *names, size_t count,
    struct job_findings *out, struct error *e);

/*
 * Move what is damaged to STORE/lost/TIME.RANDOM/, under the path that it had,
 * make again what follows from something else, and the tables of these jobs.
 * Each line of said tells what was done and what it means, the last one where
 * things are now.  Nothing is deleted.  Returns how many findings are left, or
 * -1.  program is stfm-run of this release, or NULL: it may be the one that is
 * missing.
 */
int64_t job_repair(struct job_findings *, const char *program,
    struct words *said, struct error *e);

#endif
