/*
 * The parts of a job: the directories beside its record that hold the small
 * sealed records which are written while it lives.
 */
#ifndef STFM_STORE_DIRECTORY_H
#define STFM_STORE_DIRECTORY_H

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"
#include "store/job.h"
#include "sys/fs.h"

/* The parts that every job is made with, up to NULL. */
extern const char *const store_parts[];

/* Open a part, "sub", as fs_open_subdir does. */
int store_directory_open(
    const struct store_job *, const char *part, int make, struct error *e);

/*
 * Open a part and list it in full.  Returns its descriptor, or -1; names is
 * then empty.  To give back with store_directory_close.
 */
int store_directory_list(const struct store_job *, const char *part,
    struct fs_names *names, struct error *e);

/*
 * Read a record and throw it away: 0 when it is whole, and the one of this
 * name and job; else as store_directory_load.
 */
int store_directory_check(
    const struct store_job *, int dir, const char *name, struct error *e);

void store_directory_close(int dir, struct fs_names *names);

/* Tasks by the attempt that they are in. */
struct store_attempt {
	uint32_t number;
	struct idset tasks;
};

struct store_attempts {
	struct store_attempt *attempt;
	size_t count;
};

/* Tell tasks apart as attempt(arg, task) says; to
 * store_directory_attempts_free. */
struct store_attempts store_directory_attempts(const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg);
void store_directory_attempts_free(struct store_attempts *);

/*
 * Whether what fails with this errno is damaged: its checksum does not fit, it
 * is another record, or a link, a directory or another thing is where a file
 * should be.
 */
int store_directory_is_damage(int reason);

/*
 * For a decision that hangs on each record of a list: 0, or -1 where some are
 * damaged, for these reasons.  e then says what to do; errno is EBADMSG.
 */
int store_directory_whole(const struct strlist *damaged, struct error *e);

#endif
