/*
 * The findings of a verification: each finding is about one file, and its kind
 * says what can be done about it.
 */
#ifndef STFM_VERIFY_FINDING_H
#define STFM_VERIFY_FINDING_H

#include <stddef.h>
#include <stdint.h>

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

void verify_findings_free(struct verify_findings *);

/*
 * Add a finding about the file at path, relative to the store.  what may start
 * with the whole path and a line, as reasons do.  Returns it.
 */
struct verify_finding *verify_finding_add(struct verify_findings *,
    enum verify_finding_kind, const char *job, const char *path,
    const char *what);

/* Return whether there is a finding about the file at path. */
int verify_finding_has(const struct verify_findings *, const char *path);

#endif
