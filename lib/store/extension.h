/*
 * Extensions of a job: what stfm-submit --sync has added to it and dropped
 * from it, in the order in which that was done.  Each is a directory ext/1,
 * ext/2 and so on, which is built aside and gets its name when it is whole;
 * a number is never used again.
 *
 * A task stays what it is: an extension adds tasks behind the last one, and
 * those that it drops keep their numbers.
 */
#ifndef STFM_STORE_EXTENSION_H
#define STFM_STORE_EXTENSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

struct store_job;

struct store_extension {
	uint64_t first;       /* of its tasks, which end at ... */
	uint64_t tasks;       /* ... this number of all tasks from then on */
	struct idset dropped; /* all tasks that are not wanted since then */
	struct strlist space; /* as typed: the points that are wanted */
	char *fingerprint;    /* of those points, as they were typed */
	char *added;          /* of its own points.tsv; NULL without one */
	struct strlist argv;  /* of stfm-submit, but for secrets */
	int64_t created;      /* seconds since 1970 */
};

struct store_extensions {
	struct store_extension *item; /* the first is ext/1 */
	size_t count;
};

/*
 * Open the directory of the extension with this number, from 0, in the open
 * one of its job.
 */
int store_extension_open(int job, size_t number, struct error *e);

/*
 * Read all extensions of a job that was submitted with so many tasks, in its
 * open directory; path names it in the reason.  Returns 0, or -1: errno is
 * EBADMSG where one is damaged or missing, and out has those before it.
 */
int store_extensions_load(int job, const char *path, uint64_t tasks,
    struct store_extensions *out, struct error *e);
void store_extensions_free(struct store_extensions *);

/*
 * The first task of the extension with this number as its record has it,
 * whatever those before it are.  Returns 0, or -1 as store_extensions_load.
 */
int store_extension_first(
    int job, size_t number, uint64_t *first, struct error *e);

/* Publish the record of one in its open directory: 0, 1 it has one, or -1. */
int store_extension_publish(
    int dir, const struct store_extension *, struct error *e);

/* How many tasks the job was submitted with. */
uint64_t store_job_first_tasks(const struct store_job *);

/* The tasks that are not wanted any more, or NULL where there are none. */
const struct idset *store_job_dropped(const struct store_job *);

/* The fingerprint of the points that are wanted; it belongs to the job. */
const char *store_job_wanted(const struct store_job *);

/*
 * Publish one more extension of the job as it was loaded.  points is the text
 * of points.tsv for its tasks, if it has any.  Returns 0; 1 when somebody else
 * has extended the job since; or -1.
 */
int store_extend(const struct store_job *, const struct store_extension *,
    const char *points, size_t length, struct error *e);

#endif
