/*
 * Verification of a store: read every file, and compare it with its checksum
 * and with the others.  Each finding is about one file.  A repair moves what
 * was found to the quarantine, and remakes it if other records tell what it
 * was.
 */
#ifndef STFM_VERIFY_VERIFY_H
#define STFM_VERIFY_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "store/store.h"

/* What a finding is about, and therefore what can be done. */
enum verify_finding_kind {
	FINDING_NOTE,  /* no damage: a leftover, or unknown to us */
	FINDING_STAYS, /* damage that moving the file would not repair */
	FINDING_FILE,  /* a file that nothing depends on */
	FINDING_FACT,
	FINDING_MISPLACED, /* a fact under another fact's name */
	FINDING_PACK,
	FINDING_INTENT,
	FINDING_CLAIM,
	FINDING_STOP,       /* a stop request */
	FINDING_GENERATION, /* a file of the table */
	FINDING_TABLE,      /* an intact table contradicts the facts */
	FINDING_PART,       /* a job's directory is missing or no directory */
	FINDING_BATCH,      /* batch.sh was changed, or is missing */
	FINDING_PROGRAM,    /* the program that batch.sh starts is missing */
	FINDING_WRITABLE,   /* a file of the code became writable */
	FINDING_FORMAT,
	FINDING_EXTENSION, /* a --sync record, and so the job, is unreadable */
	FINDING_OPEN,      /* other users can change what tasks run */
	FINDING_JOB,       /* a directory that is no job, or no longer */
	FINDING_LOST       /* a fact in the table is missing */
};

struct verify_finding {
	enum verify_finding_kind kind;
	char *job;   /* the job's name, or NULL */
	char *path;  /* relative to the store */
	size_t line; /* or 0 */
	char *what;
	uint64_t task; /* FINDING_LOST only */
	int fact;      /* STORE_HAS_S and the others, FINDING_LOST only */
};

struct verify_findings {
	const struct store *store;
	struct verify_finding *item;
	size_t count;
	size_t damage; /* findings that are more than notes */
	size_t unread; /* files only their owner can read; each is noted */
};

/*
 * Verify the store itself and the jobs with these names, or all if there are
 * none.  The store may be open for STORE_VERIFY, which does not check FORMAT.
 * Returns 0, whatever is found, or -1 if something cannot be read; out then has
 * the findings so far.
 */
int verify_store(const struct store *, char *const *names, size_t count,
    struct verify_findings *out, struct error *e);
void verify_findings_free(struct verify_findings *);

/*
 * Move damaged files to STORE/lost/TIME.RANDOM/, under the paths that they had,
 * remake what follows from other records, and the tables of these jobs.  Each
 * line added to report tells what was done and what it means; the last one
 * tells where the files are.  Nothing is deleted.  program is this release's
 * stfm-run, or NULL if it may be missing.  Returns how many findings are left,
 * or -1.
 */
int64_t repair_store(struct verify_findings *, const char *program,
    struct strlist *report, struct error *e);

/*
 * Add a sentence to out for each stray array (control/stray.h) of the jobs with
 * these names or, if count is 0, of all jobs and removed ones.  Without an
 * answer of Slurm, nothing is added.
 */
void verify_strays(const struct store *, char *const *names, size_t count,
    struct strlist *out);

#endif
