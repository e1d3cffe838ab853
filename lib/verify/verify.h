/*
 * Verification of a store: read every file, and compare it with its checksum
 * and with the other records.  Each finding is about one file.  A repair moves
 * damaged files to the quarantine, and remakes them if other records have their
 * content.
 */
#ifndef STFM_VERIFY_VERIFY_H
#define STFM_VERIFY_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct error;

/* The kind of a finding, which decides how to repair it. */
enum verify_finding_kind {
	FINDING_NOTE,  /* no damage: a leftover or an unknown file */
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
	FINDING_PART,       /* a part of a job is missing or not a directory */
	FINDING_BATCH,      /* batch.sh was changed, or is missing */
	FINDING_PROGRAM,    /* the program that batch.sh starts is missing */
	FINDING_WRITABLE,   /* a file of the code became writable */
	FINDING_FORMAT,
	FINDING_EXTENSION, /* a --sync record, and so the job, is unreadable */
	FINDING_CHANGE,    /* a change record, and so the job, is unreadable */
	FINDING_OPEN,      /* other users can change what tasks run */
	FINDING_JOB,       /* a directory in jobs/ without a readable job */
	FINDING_LOST       /* a fact in the table is missing */
};

struct verify_finding {
	enum verify_finding_kind kind;
	char *job;   /* the job's name, or NULL */
	char *path;  /* relative to the store */
	size_t line; /* line number, or 0 */
	char *what;
	uint64_t task; /* FINDING_LOST only */
	int fact;      /* STORE_HAS_S or another flag, FINDING_LOST only */
};

struct verify_findings {
	const struct store *store;
	struct verify_finding *item;
	size_t count;
	size_t damage; /* findings that are more than notes */
	size_t unread; /* files that only their owner can read, noted */
};

/*
 * Verify the store itself and the jobs with these names, or all jobs if count
 * is 0. The store may be open for STORE_VERIFY, which does not check FORMAT.
 * Returns 0, whatever is found, or -1 if something cannot be read; out then has
 * the findings so far.
 */
int verify_store(const struct store *, char *const *names, size_t count,
    struct verify_findings *out, struct error *e);
void verify_findings_free(struct verify_findings *);

/*
 * Move damaged files to STORE/lost/TIME.RANDOM/, with the same paths as in the
 * store, remake what follows from other records, and remake the tables of these
 * jobs.  Each line added to report says what was done and what it means; the
 * last line says where the files are.  Nothing is deleted.  program is this
 * release's stfm-run, or NULL if it may be missing.  Returns how many findings
 * are left, or -1.
 */
int64_t repair_store(struct verify_findings *, const char *program,
    struct strlist *report, struct error *e);

/*
 * Add a sentence to out for each stray array (control/stray.h) of the jobs with
 * these names or, if count is 0, of all jobs, including removed ones.  Adds
 * nothing if Slurm does not answer.
 */
void verify_strays(const struct store *, char *const *names, size_t count,
    struct strlist *out);

#endif
