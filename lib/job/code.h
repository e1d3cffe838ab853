/*
 * The code of a job, from its submission on: planning and making the copy, and
 * comparing it with the original.
 */
#ifndef STFM_JOB_CODE_H
#define STFM_JOB_CODE_H

#include "base/error.h"
#include "snapshot/snapshot.h"

struct store_job;

/*
 * Plan the snapshot of a job whose command and directory are known, and
 * describe it in the record.  patterns are those of --snapshot, or NULL; store
 * is the path of the store.  *out is to be freed with snapshot_free.  Returns
 * 0, or -1.
 */
int job_code_plan(struct store_job *, const char *patterns, const char *store,
    struct snapshot **out, struct error *e);

/*
 * Copy the snapshot into the directory of the new job and complete its record.
 * It fits store_job_files.more; arg is the snapshot.  Returns 0, or -1.
 */
int job_code_copy(void *snapshot, struct store_job *, int dir, struct error *e);

/*
 * Compare the copy of the code in use with a planned snapshot.  Adds to the
 * empty list differing up to most paths below the root that the snapshot lacks
 * or has with another content, and to added those that only the snapshot has;
 * both are to be freed, and may be one list.  Returns 1 if there are any in
 * differing, 0 if there are none or the job has no copy, or -1.
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
 * Find out how the copy has changed, with snapshot_compare_copy, in the empty
 * struct out, which is to be freed.  Returns 0, or -1.
 */
int job_code_changes(const struct store_job *, enum snapshot_depth, size_t most,
    struct snapshot_changes *out, struct error *e);

/*
 * List programs and settings that have changed since they were copied, or are
 * gone: up to most original paths, in the empty list out, which is to be freed.
 * The list stays empty if they cannot be read.
 */
void job_code_edited(
    const struct store_job *, size_t most, struct strlist *out);

/*
 * List the files in which the copies in use of two jobs differ: up to most
 * paths, in the empty list out, which is to be freed.  The list stays empty if
 * a job has no copy.  Returns 0, or -1.
 */
int job_code_between(const struct store_job *, const struct store_job *,
    size_t most, struct strlist *out, struct error *e);

/*
 * Check that all copied files exist and none has become a link.  A task does
 * this before it trains; it does not read the files.  Returns 0, or -1.
 */
int job_code_stands(const struct store_job *, struct error *e);

/* Return whether trainings may write a file of the copy, given its path. */
int job_code_is_data(const struct store_job *, const char *path);

/*
 * Make a newer copy of a job's code.  Tasks that are queued later run it; tasks
 * that are queued already keep their copy.
 *
 * Compare the code as it is now with the job's newest copy, add up to most
 * paths that differ to the empty list differing, which is to be freed, and,
 * unless only_look is set, publish a newer copy if there are any.  store is the
 * path of the store.  Returns 1 if the code differs, 0 if it does not, or -1;
 * the code is ERROR_LATER if another program changed the job meanwhile.
 */
int job_code_renew(const struct store_job *, const char *store, int only_look,
    size_t most, struct strlist *differing, struct error *e);

#endif
