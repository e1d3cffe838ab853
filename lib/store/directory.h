/*
 * The directories of a job, next to its record.  They hold the small
 * checksummed records that are written while the job lives.
 */
#ifndef STFM_STORE_DIRECTORY_H
#define STFM_STORE_DIRECTORY_H

#include "base/error.h"
#include "base/strlist.h"
#include "store/load.h"
#include "sys/fs.h"

struct store_job;

/* The directories that every job is created with, ending with NULL. */
extern const char *const store_parts[];

/*
 * Open a directory such as "sub", creating it if make is set.  Result and
 * errors are those of fs_open_subdir.
 */
static inline int
store_directory_open(
    const struct store_job *job, const char *part, int make, struct error *e)
{
	return fs_open_subdir(store_job_dir(job), part, make, e);
}

/*
 * Open a directory and list it completely.  Returns its descriptor, to give to
 * store_directory_close with names, or -1 with names empty.
 */
int store_directory_list(const struct store_job *, const char *part,
    struct fs_names *names, struct error *e);

/*
 * Check that a record is undamaged and has this name and job.  Returns 0, or -1
 * with the codes of store_directory_load.
 */
int store_directory_check(
    const struct store_job *, int dir, const char *name, struct error *e);

/* Close dir and free names. */
void store_directory_close(int dir, struct fs_names *names);

/*
 * Return whether reading a record failed because of damage: a wrong checksum,
 * another record, or a link, directory or other thing in place of a file.
 */
int store_directory_is_damage(const struct error *why);

/*
 * Check that a list has no damaged records, for a decision that depends on each
 * record.  damaged holds the reasons.  Returns 0, or -1 with ERROR_DAMAGED
 * and what to do about it in e.
 */
int store_directory_whole(const struct strlist *damaged, struct error *e);

#endif
