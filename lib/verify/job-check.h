/*
 * The check of one job: list its directories, read its records, and note what
 * is wrong with them.  Tasks continue meanwhile, and servers have problems, so
 * anything that seems to be missing is looked for again.
 */
#ifndef STFM_VERIFY_JOB_CHECK_H
#define STFM_VERIFY_JOB_CHECK_H

#include "store/job.h"
#include "sys/fs.h"
#include "verify/finding.h"

struct verify_job {
	struct verify_findings *found;
	const struct store_job *job;
	int is_broken; /* damage that stops every reader */
};

/*
 * Return the path, relative to the store, of name in a part of the job: "sub"
 * or "run/000".  Either may be "".  To free.
 */
char *verify_job_path(
    const struct verify_job *, const char *part, const char *name);

/* Note something about the file at verify_job_path. */
void verify_job_note(struct verify_job *, enum verify_finding_kind,
    const char *part, const char *name, const char *what);

/* Note that a file stays unread because only its owner can read it. */
void verify_job_note_unread(
    struct verify_job *, const char *name, const struct error *why);

/*
 * Note why a file of the job, outside its parts, cannot be read, by the reason
 * in errno.  Returns 0, or -1 if it may become readable later.
 */
int verify_job_note_file(struct verify_job *, enum verify_finding_kind,
    const char *name, const struct error *why, struct error *e);

/* Open a part, "sub" or "run/000".  Returns its descriptor, or -1. */
int verify_job_open(
    const struct verify_job *, const char *part, struct error *e);

/*
 * Open a part and list it, as store_directory_list.  Returns its descriptor, or
 * -1: with *rc 0 if the reason is noted already, else with *rc -1.
 */
int verify_job_list(struct verify_job *, const char *part,
    struct fs_names *names, int *rc, struct error *e);

/*
 * Check a file that seems to be missing, for the reason in errno.  It was
 * packed or removed meanwhile, or its server has problems and only says so.
 * Returns 1 if it exists and must be read again, 0 if it is gone, or -1, also
 * for another reason.  *tries counts the calls, from 0.
 */
int verify_job_again(const struct verify_job *, const char *part,
    const char *name, int *tries, struct error *e);

/*
 * Read a record in a part that is open as dir.  Returns 0 if it is intact, 1 if
 * it is gone, damaged or of a newer version, which is noted, or -1.
 */
int verify_job_record(struct verify_job *, enum verify_finding_kind,
    const char *part, int dir, const char *name, struct error *e);

#endif
