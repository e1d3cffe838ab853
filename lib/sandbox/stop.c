#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/daemon.h"
#include "sandbox/private.h"

/* Limits in milliseconds; slurmctld saves its state for up to 2 seconds. */
enum { CANCEL_LIMIT = 8000, END_LIMIT = 10000, GRACE = 2000 };

/* Processes may start others while they end, so try several times. */
enum { TRIES = 4 };

static void
end_parts(struct sandbox *s, size_t from, size_t to, int64_t limit)
{
	struct pids p = {0};
	size_t i;

	for (i = from; i < to && i < s->count; i++)
		if (s->part[i].pid != 0)
			pids_add(&p, s->part[i].pid);
	pids_end(&p, limit);
	pids_clear(&p);
}

static int
is_keeper(const struct sandbox *s, pid_t pid)
{
	size_t i;

	for (i = 0; i < s->keepers.count; i++)
		if (s->keepers.pid[i] == pid)
			return 1;
	return 0;
}

static void
find_orphan(const struct process *p, void *arg)
{
	struct sandbox *s = arg;
	pid_t above = process_parent(p->pid);

	while (above > 1 && !is_keeper(s, above))
		above = process_parent(above);
	if (above > 1)
		pids_add(&s->jobs, p->pid);
}

int
sandbox_end(struct sandbox *s, int gently, struct error *e)
{
	int64_t limit = gently ? END_LIMIT : 0;
	int alive, tries;

	for (tries = 0; tries < TRIES; tries++) {
		alive = sandbox_scan(s, e);
		if (alive == -1)
			return -1;
		if (alive + s->jobs.count + s->steps.count + s->keepers.count ==
		    0)
			return 0;
		end_parts(s, SLURMCTLD, s->count, limit);
		pids_end(&s->jobs, GRACE);
		pids_end(&s->steps, 0);
		end_parts(s, MUNGED, SLURMCTLD, limit);
		if (s->keepers.count == 0)
			continue;
		/*
		 * After the end of the daemons, all remaining children of the
		 * keepers belong to jobs, whatever their arguments; a keeper
		 * without children ends by itself.
		 */
		pids_clear(&s->jobs);
		if (process_each(find_orphan, s, e) == -1)
			return -1;
		pids_end(&s->jobs, GRACE);
		pids_wait(&s->keepers, GRACE);
	}
	return error_set(e,
	    "%s: some of its processes do not end (see: "
	    "pgrep -f %s)",
	    s->directory, s->directory);
}

/* Return whether Slurm has no jobs, or -1 if unknown. */
static int
queue_is_empty(struct sandbox *s)
{
	char *argv[] = {s->program[SQUEUE], "-h", "-a", "-o", "%i", NULL};
	struct proc_result r;
	int empty;

	if (sandbox_query(s, argv, &r) == -1)
		return -1;
	empty = r.length == 0;
	proc_result_free(&r);
	return empty;
}

/* Cancel all jobs, so that no job runs after the next start. */
static void
cancel_jobs(struct sandbox *s)
{
	static char *const states[] = {"PENDING", "SUSPENDED", "RUNNING"};
	int64_t deadline = proc_clock() + CANCEL_LIMIT;
	struct proc_result r;
	size_t i;

	if (queue_is_empty(s) != 0)
		return;
	for (i = 0; i < sizeof states / sizeof *states; i++) {
		char *argv[] = {
		    s->program[SCANCEL], "-Q", "-t", states[i], NULL};

		if (sandbox_query(s, argv, &r) == 0)
			proc_result_free(&r);
	}
	while (queue_is_empty(s) == 0 && proc_clock() < deadline)
		sandbox_nap();
}

int
sandbox_stop(struct sandbox *s, int remove, struct error *e)
{
	int alive, was_running, rc = -1;

	if (access(s->directory, F_OK) == -1)
		return errno == ENOENT
		    ? 1
		    : error_errno(e, "%s: cannot look at it", s->directory);
	if (sandbox_lock(s, e) == -1)
		return -1;
	alive = sandbox_scan(s, e);
	if (alive == -1)
		goto unlock;
	was_running = alive > 0 || s->jobs.count + s->steps.count > 0;
	if (alive > 0 && !remove && s->part[MUNGED].pid != 0 &&
	    s->part[SLURMCTLD].pid != 0 && sandbox_find_programs(s, NULL) == 0)
		cancel_jobs(s);
	if (sandbox_end(s, !remove, e) == 0 &&
	    (!remove || sandbox_delete(s, e) == 0))
		rc = !was_running;
unlock:
	sandbox_unlock(s);
	return rc;
}
