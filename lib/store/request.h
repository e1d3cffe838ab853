/*
 * Requests of users and policies about tasks of a queued job: to stop, hold or
 * release them, or to throttle the job.
 *
 * A request is a record in ctl/, written once, before Slurm is asked.  Any
 * request to stop a task applies.  The others are numbered: if several are
 * about the same tasks or the same throttle, the highest number applies.
 */
#ifndef STFM_STORE_REQUEST_H
#define STFM_STORE_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"

struct store_job;

enum store_request_kind {
	STORE_REQUEST_NONE,
	STORE_REQUEST_STOP,
	STORE_REQUEST_HOLD,
	STORE_REQUEST_RELEASE,
	STORE_REQUEST_PARALLEL
};

struct store_request {
	enum store_request_kind kind;
	uint64_t number;    /* from 1; set when it is published; 0: to stop */
	struct idset tasks; /* to stop, hold or release */
	uint32_t attempt;   /* the attempt of these tasks */
	int64_t parallel;   /* the throttle in tasks; 0: no limit */
	int64_t time;       /* by the clock of the host that made it */
	int64_t made;       /* by the file system's clock, once listed; or -1 */
	const char *why;    /* policy behind a stop, "max-fail 3"; or NULL */
	/*
	 * A search stops one task with each request.  There are many of them,
	 * so that the name of the record has the task and the attempt.  What
	 * it says may be unread: then only kind, tasks, attempt and these three
	 * are set.  Requests in a pack that are unread are one request about
	 * several tasks.
	 */
	int by_search, is_unread, is_packed;
};

struct store_requests {
	struct store_request *request; /* stops, then the others by number */
	size_t count;
	/* How many, at the start, are of a search about one task, by task. */
	size_t singles;
	struct strlist damaged; /* a reason for each damaged record */
	size_t damaged_stops;   /* how many of them are stop requests of tasks
				   that are not known */
	size_t damaged_known;   /* how many are of tasks that are known */
};

/*
 * Publish requests; their numbers and times are ignored.  Returns 0, or -1:
 * then the first of them may be published.
 */
int store_request_add(const struct store_job *, const struct store_request *,
    size_t count, struct error *e);

/*
 * Publish requests for tasks in different attempts, which attempt(arg, task)
 * returns.  why is as in struct store_request.  Returns 0, or -1: then no task
 * is stopped, but some may be held or released, and the reason names them.
 */
int store_request_add_all(const struct store_job *, enum store_request_kind,
    const struct idset *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e);

/* Which requests to list; the others are not read. */
enum {
	STORE_STOPS = 1,
	STORE_HOLDS = 2, /* to hold, release or throttle */
	STORE_NAMES = 4  /* leave those of a search unread; with the function
			    is_needed below, only those that are packed */
};

/*
 * List STORE_STOPS, STORE_HOLDS or both; *out is to be freed with
 * store_requests_free.  Damaged requests are named in out->damaged.  Returns 0,
 * or -1 if one cannot be read now.
 */
int store_requests_list(const struct store_job *, int which,
    struct store_requests *out, struct error *e);

/*
 * Return whether the caller needs what a stop request of a search says about
 * this attempt of the task.
 */
typedef int store_request_needed(
    const void *arg, uint64_t task, uint32_t attempt);

/*
 * List requests as store_requests_list, but leave those of a search unread for
 * which is_needed returns false.  A pack is read whole for the sake of one.
 */
int store_requests_needed(const struct store_job *, int which,
    store_request_needed *is_needed, const void *arg,
    struct store_requests *out, struct error *e);

/*
 * List requests as store_requests_list, for a decision that depends on each of
 * them.  Returns 0, or -1 if one is damaged (ERROR_DAMAGED) or cannot be read
 * now.
 */
int store_requests_whole(const struct store_job *, int which,
    struct store_requests *out, struct error *e);
void store_requests_free(struct store_requests *);

/*
 * Pack the stop requests of a search that is_needed does not need and that were
 * written at the time old at the latest, if there are least of them.  Returns
 * how many it packed, or -1; no request is lost in any case.
 */
int64_t store_requests_pack(const struct store_job *job,
    store_request_needed *is_needed, const void *arg, int64_t old, size_t least,
    struct error *e);

/* Return whether a file in pack/ has the name of a pack of requests. */
static inline int
store_request_is_pack(const char *name)
{
	size_t length = strlen(name);

	return length > 8 && name[0] == 's' && name[1] == '.' &&
	    name[2] >= '0' && name[2] <= '9' &&
	    strcmp(name + length - 6, ".jsonl") == 0;
}

/*
 * Read all of such a pack, and add a reason for each damage to damaged, which
 * may be NULL.  With mends, publish another pack with its undamaged lines.
 * Returns the number of these lines, or -1: with ERROR_NEWER if one is of a
 * newer version, and ERROR_ABSENT, or the number ESTALE, if the pack is gone.
 */
int64_t store_request_pack_check(const struct store_job *, const char *name,
    struct strlist *damaged, int mends, struct error *e);

/* Return the highest number of a request; 0 if there are only stops. */
static inline uint64_t
store_requests_last(const struct store_requests *all)
{
	return all->count > 0 ? all->request[all->count - 1].number : 0;
}

/* Return whether the caller looks for a stop request like this one. */
typedef int store_request_meant(const struct store_request *);

/*
 * Return the first stop request for this attempt of the task for which is_meant
 * (NULL: any) returns true, or NULL.  It belongs to the list.
 */
const struct store_request *store_stop_for(const struct store_requests *,
    uint64_t task, uint32_t attempt, store_request_meant *is_meant);

/* Return whether there is a stop request for this attempt of the task. */
static inline int
store_stop_is_asked(
    const struct store_requests *all, uint64_t task, uint32_t attempt)
{
	return store_stop_for(all, task, attempt, NULL) != NULL;
}

/*
 * Return the hold or release request that applies to an attempt of a task, or
 * NULL.  It belongs to the list.
 */
const struct store_request *store_request_for(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* Return whether the user holds this attempt of a task. */
int store_is_held(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/* Return the throttle request that applies, or NULL; the list owns it. */
const struct store_request *store_request_parallel(
    const struct store_requests *);

/* Return the throttle: a request's, else the job's; 0 is no limit. */
int64_t store_request_limit(
    const struct store_job *, const struct store_requests *);

#endif
