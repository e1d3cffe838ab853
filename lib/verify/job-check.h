/*
 * One job while it is verified: how its directories are listed, how its records
 * are read, and where it is noted what is wrong with them.  Tasks go on
 * meanwhile, and servers have their troubles: what does not seem to be there
 * is looked for again before it is gone.
 */
#ifndef STFM_VERIFY_JOB_CHECK_H
#define STFM_VERIFY_JOB_CHECK_H

#include "store/job.h"
#include "sys/fs.h"
#include "verify/finding.h"

struct verify_job {
	struct verify_findings *found;
	const struct store_job *job;
	int is_broken; /* something that all readers of it stumble over */
};

/*
 * The path below the store's of a name in a part of the job, "sub" or
 * "run/000"; either may be "".  To free.
 */
char *verify_job_path(
    const struct verify_job *, const char *part, const char *name);

/* Note something about what is at verify_job_path. */
void verify_job_note(struct verify_job *, enum verify_finding_kind,
    const char *part, const char *name, const char *what);

/* Note that a file of the job is its owner's alone, so that it stays unread. */
void verify_job_note_unread(
    struct verify_job *, const char *name, const struct error *why);

/*
 * Note why a file of the job, which is not in one of its parts, cannot be read,
 * for the reason in errno.  Returns 0, or -1 when it may be read tomorrow.
 */
int verify_job_note_file(struct verify_job *, enum verify_finding_kind,
    const char *name, const struct error *why, struct error *e);

/* Open a part: "sub", or "run/000".  Returns its descriptor, or -1. */
int verify_job_open(
    const struct verify_job *, const char *part, struct error *e);

/*
 * Open a part and list it, as store_directory_list.  -1 with *rc 0 is for what
 * is noted of the parts of the job already; else *rc is -1.
 */
int verify_job_list(struct verify_job *, const char *part,
    struct fs_names *names, int *rc, struct error *e);

/*
 * What does not seem to be there any more, for the reason in errno, was packed
 * or removed meanwhile; but a server says so too when it is in trouble.
 * Returns 1 when it has to be read again, as it is there, 0 when it is gone, or
 * -1, also for another reason; *tries counts, from 0.
 */
int verify_job_again(const struct verify_job *, const char *part,
    const char *name, int *tries, struct error *e);

/*
 * Read a record in a part that is open as dir: 0 when it is whole, 1 when it is
 * gone, damaged or of a newer version, which is noted, or -1.
 */
int verify_job_record(struct verify_job *, enum verify_finding_kind,
    const char *part, int dir, const char *name, struct error *e);

#endif
