/*
 * What a verification finds in a store: each finding is about one file, and
 * its kind says what can be done about it.
 */
#ifndef STFM_VERIFY_FINDING_H
#define STFM_VERIFY_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* What a finding is about, and so what can be done. */
enum verify_finding_kind {
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
	FINDING_EXTENSION, /* what --sync did cannot be read, nor so the job */
	FINDING_OPEN,      /* somebody else can change what tasks run */
	FINDING_JOB,       /* a directory that is no job, or no more */
	FINDING_LOST       /* the table knows a fact that is not there */
};

struct verify_finding {
	enum verify_finding_kind kind;
	char *job;   /* its name, or NULL */
	char *path;  /* below the store's */
	size_t line; /* or 0 */
	char *what;
	uint64_t task; /* FINDING_LOST only */
	int fact;      /* STORE_HAS_S and the others, FINDING_LOST only */
};

struct verify_findings {
	const struct store *store;
	struct verify_finding *item;
	size_t count;
	size_t damage; /* those that are more than notes */
	size_t unread; /* files that are their owner's alone; each is noted */
};

void verify_findings_free(struct verify_findings *);

/*
 * Note something about the file at a path below the store's.  what may begin
 * with the whole path and a line, as reasons do.
 */
struct verify_finding *verify_finding_add(struct verify_findings *,
    enum verify_finding_kind, const char *job, const char *path,
    const char *what);

#endif
