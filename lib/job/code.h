/*
 * The code of a job, from its submission: what is copied, what the record
 * says of it, and what has become of the copy.
 */
#ifndef STFM_JOB_CODE_H
#define STFM_JOB_CODE_H

#include "base/error.h"
#include "snapshot/snapshot.h"
#include "store/job.h"

/*
 * Plan the snapshot of a job whose command and directory are known, and put
 * what is known of it into the record.  patterns are those of --snapshot, or
 * NULL; store is the store's path.  Free *out with snapshot_free.
 */
int job_code_plan(struct store_job *, const char *patterns, const char *store,
    struct snapshot **out, struct error *e);

/*
 * Copy the snapshot into the directory of the new job and complete its record:
 * for store_job_files.more, arg is the snapshot.
 */
int job_code_copy(void *snapshot, struct store_job *, int dir, struct error *e);

/*
 * In which files the code of a stored job and a snapshot that was planned
 * differ: paths below the root, at most `most`.  The list is empty before; to
 * be freed.  Returns 1 when they differ, 0 when they are the same or the job
 * has no copy, or -1.
 */
int job_code_differs(const struct store_job *, struct snapshot *, size_t most,
    struct strlist *differing, struct error *e);

/*
 * Read what the tracked files had more than the commit (to free).  Returns 0,
 * or -1; errno is ENOENT when nothing was kept, EBADMSG when it is damaged.
 */
int job_code_diff(
    const struct store_job *, char **text, size_t *length, struct error *e);

/*
 * What has become of the copy, as snapshot_compare_copy tells it.  out is empty
 * before; to be freed.  Returns 0, or -1.
 */
int job_code_changes(const struct store_job *, enum snapshot_depth, size_t most,
    struct snapshot_changes *out, struct error *e);

/*
 * Which programs and settings are others now where they were copied from, or
 * gone: paths, at most `most`; none where that cannot be seen.  out is empty
 * before; to be freed.
 */
void job_code_edited(
    const struct store_job *, size_t most, struct strlist *out);

/*
 * Whether all that was copied is there, and no file has become a link: what a
 * task can see before it trains, without reading the files.  Returns 0, or -1.
 */
int job_code_stands(const struct store_job *, struct error *e);

/* Whether a file of the copy, by its path, is one that a training may write. */
int job_code_is_data(const struct store_job *, const char *path);

#endif
