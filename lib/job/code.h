/*
 * The code of a job: plan and make the copy of it at submission, and compare
 * copies and originals later.
 *
 * A job has one copy from its submission, and one more after each
 * stfm-restart --new-code.  The copy in use is that of job->code: the newest
 * one, unless the caller has loaded the job with an older one.
 */
#ifndef STFM_JOB_CODE_H
#define STFM_JOB_CODE_H

#include "base/error.h"
#include "snapshot/snapshot.h"

struct store_job;

/*
 * Plan the snapshot of a job whose command and directory are known, and
 * describe it in the record.  patterns are those of --snapshot, or NULL; store
 * is the path of the store.  Free *out with snapshot_free.  Returns 0, or -1.
 */
int job_code_plan(struct store_job *, const char *patterns, const char *store,
    struct snapshot **out, struct error *e);

/*
 * Copy a planned struct snapshot into dir, the directory of the new job, and
 * complete the job's record.  Pass it as the member more of store_job_files
 * (store/job.h).  Returns 0, or -1.
 */
int job_code_copy(void *snapshot, struct store_job *, int dir, struct error *e);

/*
 * Compare the copy of the code in use with a planned snapshot.  Adds paths to
 * two lists, which the caller frees and which may be the same list:
 * - differing: files of the copy that the snapshot lacks or has with another
 *   content; the comparison stops when there are `most` of them;
 * - added: files that only the snapshot has.
 *
 * Returns 1 if there are differing files, 0 if there are none or the job has no
 * copy, or -1.
 */
int job_code_differs(const struct store_job *, struct snapshot *, size_t most,
    struct strlist *differing, struct strlist *added, struct error *e);

/*
 * Read the uncommitted changes of tracked files at submission; *text is to be
 * freed.  Returns 0, or -1 with ERROR_ABSENT if none were recorded, or
 * ERROR_DAMAGED if they are damaged.
 */
int job_code_diff(
    const struct store_job *, char **text, size_t *length, struct error *e);

/*
 * Find out how the copy in use has changed since it was made.  depth says
 * whether to read the files, too; at most `most` changes are found.  out must
 * be empty; free it with snapshot_changes_free.  Returns 0, or -1.
 */
int job_code_changes(const struct store_job *, enum snapshot_depth depth,
    size_t most, struct snapshot_changes *out, struct error *e);

/*
 * List original files that were edited or removed after they were copied:
 * programs and settings, not data.  Adds at most `most` paths to out, which the
 * caller frees.  Adds nothing if the originals cannot be read or the job has no
 * copy.
 */
void job_code_edited(
    const struct store_job *, size_t most, struct strlist *out);

/*
 * List the files in which the copies in use of two jobs differ.  Adds at most
 * `most` paths to the empty list out, which the caller frees; none if a job has
 * no copy.  Returns 0, or -1.
 */
int job_code_between(const struct store_job *, const struct store_job *,
    size_t most, struct strlist *out, struct error *e);

/*
 * Check that the copy in use still has all its files and that each has its
 * type: a file must not have become a link.  Does not read the files, so a task
 * can call this before it trains.  Returns 0, or -1.
 */
int job_code_is_complete(const struct store_job *, struct error *e);

/* Return whether path is a file of the copy that trainings may write. */
int job_code_is_data(const struct store_job *, const char *path);

/*
 * Make a newer copy of a job's code if the code has changed since its newest
 * copy.  Tasks that are queued later run the new copy; tasks that are queued
 * already keep theirs.
 *
 * Adds at most `most` paths that differ to the empty list differing, which the
 * caller frees.  With only_look, no copy is made.  store is the path of the
 * store.  Returns 1 if the code differs, 0 if it does not, or -1; the code is
 * ERROR_LATER if another program changed the job meanwhile.
 */
int job_code_renew(const struct store_job *, const char *store, int only_look,
    size_t most, struct strlist *differing, struct error *e);

#endif
