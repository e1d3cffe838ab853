/*
 * Extensions of a job: the changes that stfm-submit --sync made to its tasks,
 * in order.  Each is a directory ext/1, ext/2 and so on.  It is built under
 * another name and renamed when complete; a number is never used twice.
 *
 * An extension never changes a task: it adds tasks after the last one, and
 * tasks that it drops keep their numbers.
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
	uint64_t first;       /* the number of its first task */
	uint64_t tasks;       /* tasks of the job from then on */
	struct idset dropped; /* tasks that are not wanted since then */
	struct strlist space; /* the points that are wanted, as typed */
	char *fingerprint;    /* of the wanted points, as typed */
	char *added; /* fingerprint of its points.tsv; NULL without one */
	struct strlist argv; /* command line of stfm-submit, without secrets */
	int64_t created;     /* seconds since 1970 */
};

struct store_extensions {
	struct store_extension *item; /* the first is ext/1 */
	size_t count;
};

/*
 * Open the directory of extension number, counted from 0, in the open directory
 * of its job.  Returns a descriptor, or -1.
 */
int store_extension_open(int job, size_t number, struct error *e);

/*
 * Read all extensions of a job that was submitted with so many tasks; job is
 * its open directory, path names it in the reason.  *out is to be freed with
 * store_extensions_free.  Returns 0, or -1: the code is ERROR_DAMAGED if an
 * extension is damaged or missing, and out has the extensions before it.
 */
int store_extensions_load(int job, const char *path, uint64_t tasks,
    struct store_extensions *out, struct error *e);
void store_extensions_free(struct store_extensions *);

/*
 * Read the first task of extension number from its record, without regard to
 * earlier extensions.  Returns 0, or -1; the code is ERROR_ABSENT if there is
 * no such extension.
 */
int store_extension_first(
    int job, size_t number, uint64_t *first, struct error *e);

/*
 * Publish the record of an extension in its open directory dir.  Returns 0, 1
 * if it has one already, or -1.
 */
int store_extension_publish(
    int dir, const struct store_extension *, struct error *e);

/* Return how many tasks the job was submitted with. */
uint64_t store_job_first_tasks(const struct store_job *);

/* Return the tasks that were dropped, or NULL; they belong to the job. */
const struct idset *store_job_dropped(const struct store_job *);

/* Return the fingerprint of the wanted points; it belongs to the job. */
const char *store_job_wanted(const struct store_job *);

/*
 * Publish the next extension of the job as it was loaded.  points is the text
 * of points.tsv for its new tasks, if it has any.  Returns 0, 1 if another
 * program extended the job since it was loaded, or -1.
 */
int store_extend(const struct store_job *, const struct store_extension *,
    const char *points, size_t length, struct error *e);

#endif
