/* Read the jobs of all users, and reservations, with libslurm. */
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/library.h"
#include "slurm/release.h"

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_allocation, member)
static const struct queue_member use_members[] = {OF(COPY, job), OF(NUMBER, id),
    OF(COPY, name), OF(COPY, user), OF(COPY, partition), OF(NUMBER, mine),
    OF(NUMBER, running), OF(NUMBER, ending), OF(NUMBER, start), OF(NUMBER, end),
    OF(COPY, nodes), OF(NUMBER, node_count), OF(NUMBER, cpus),
    OF(NUMBER, gpus)};
#undef OF

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_reservation, member)
static const struct queue_member reservation_members[] = {OF(COPY, name),
    OF(COPY, users), OF(COPY, accounts), OF(COPY, flags), OF(COPY, nodes),
    OF(NUMBER, start), OF(NUMBER, end), OF(NUMBER, node_count),
    OF(NUMBER, cpus), OF(NUMBER, gpus)};
#undef OF

enum {
	USE_MEMBERS = sizeof use_members / sizeof *use_members,
	RESERVATION_MEMBERS =
	    sizeof reservation_members / sizeof *reservation_members
};

/* ---- in the child ---- */

/* Return the name of a user, cached: many jobs in a row have the same user. */
static const char *
user_name(uint32_t uid)
{
	static char name[64];
	static uint32_t of = UINT32_MAX;
	const struct passwd *user;

	if (of == uid)
		return name;
	user = getpwuid(uid);
	if (user != NULL)
		snprintf(name, sizeof name, "%s", user->pw_name);
	else
		snprintf(name, sizeof name, "%" PRIu32, uid);
	of = uid;
	return name;
}

/* Return whether a job has nodes or is expected to get some. */
static int
is_listed(const job_info_t *job, enum queue_whose whose)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	if (job->job_state & JOB_COMPLETING)
		return whose == QUEUE_THERE;
	return base == JOB_RUNNING || base == JOB_SUSPENDED ||
	    (base == JOB_PENDING && job->start_time > 0);
}

static void
put_job(FILE *out, const job_info_t *job)
{
	int running = (job->job_state & JOB_STATE_BASE) != JOB_PENDING;
	const char *user = job->user_name, *nodes = job->sched_nodes;
	struct queue_wanted wanted = {
	    .allocated = job->tres_alloc_str,
	    .per_job = job->tres_per_job,
	    .per_node = job->tres_per_node,
	    .per_task = job->tres_per_task,
	    .nodes = job->num_nodes,
	    .tasks = job->num_tasks,
	};
	struct queue_allocation use = {
	    .id = job->job_id,
	    .name = job->name,
	    .partition = job->partition,
	    .mine = job->user_id == getuid(),
	    .running = running,
	    .ending = (job->job_state & JOB_COMPLETING) != 0,
	    .start = job->start_time,
	    .end = queue_use_end(job->start_time, job->time_limit),
	    .node_count = job->num_nodes,
	    .cpus = job->num_cpus,
	    .gpus = queue_wanted_gpus(&wanted),
	};

	if (user == NULL || *user == '\0')
		user = user_name(job->user_id);
	if (running)
		nodes = job->nodes;
	use.user = (char *)(uintptr_t)user;
	use.nodes = (char *)(uintptr_t)nodes;
	if (job->array_task_id != NO_VAL)
		use.job = xasprintf("%" PRIu32 "_%" PRIu32, job->array_job_id,
		    job->array_task_id);
	else
		use.job = xasprintf("%" PRIu32, job->job_id);
	queue_put_members(out, use_members, USE_MEMBERS, &use);
	free(use.job);
}

/* The flags of a reservation that matter to users. */
static const struct {
	uint64_t flag;
	const char *name;
} flags[] = {
    {RESERVE_FLAG_MAINT, "MAINT"},
    {QUEUE_RESERVE_HOURLY, "HOURLY"},
    {RESERVE_FLAG_DAILY, "DAILY"},
    {RESERVE_FLAG_WEEKDAY, "WEEKDAY"},
    {RESERVE_FLAG_WEEKEND, "WEEKEND"},
    {RESERVE_FLAG_WEEKLY, "WEEKLY"},
};

static char *
flag_names(uint64_t set)
{
	char *text;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);
	const char *between = "";

	for (i = 0; i < sizeof flags / sizeof *flags; i++)
		if (set & flags[i].flag) {
			fprintf(out, "%s%s", between, flags[i].name);
			between = ",";
		}
	xmemclose(out);
	return text;
}

static void
put_reservation(FILE *out, const reserve_info_t *r)
{
	struct queue_wanted wanted = {.allocated = r->tres_str};
	struct queue_reservation own = {
	    .name = r->name,
	    .users = r->users,
	    .accounts = r->accounts,
	    .flags = flag_names(r->flags),
	    .nodes = r->node_list,
	    .start = r->start_time,
	    .end = r->end_time,
	    .node_count = r->node_cnt == NO_VAL ? 0 : r->node_cnt,
	    .cpus = r->core_cnt == NO_VAL ? 0 : r->core_cnt,
	    .gpus = queue_wanted_gpus(&wanted),
	};

	queue_put_members(out, reservation_members, RESERVATION_MEMBERS, &own);
	free(own.flags);
}

static int
put_uses(FILE *out, void *arg)
{
	const enum queue_whose *whose = arg;
	job_info_msg_t *jobs = NULL;
	reserve_info_msg_t *reserved = NULL;
	uint32_t i, count = 0;

	if ((*whose == QUEUE_MINE
		    ? slurm_load_job_user(
			  &jobs, getuid(), SHOW_LOCAL | SHOW_ALL)
		    : slurm_load_jobs(0, &jobs, SHOW_LOCAL | SHOW_ALL)) != 0 ||
	    (*whose == QUEUE_ANYBODYS &&
		slurm_load_reservations(0, &reserved) != 0))
		return queue_failed(out);
	queue_put_number(out, 0);
	for (i = 0; i < jobs->record_count; i++)
		count += (uint32_t)is_listed(&jobs->job_array[i], *whose);
	queue_put_number(out, count);
	for (i = 0; i < jobs->record_count; i++)
		if (is_listed(&jobs->job_array[i], *whose))
			put_job(out, &jobs->job_array[i]);
	count = reserved != NULL ? reserved->record_count : 0;
	queue_put_number(out, count);
	for (i = 0; i < count; i++)
		put_reservation(out, &reserved->reservation_array[i]);
	return 0;
}

/* ---- in the parent ---- */

int
queue_library_uses(enum queue_whose whose, int64_t ms,
    struct queue_allocations *out, struct error *e)
{
	struct proc_result result;
	struct queue_input in;
	int64_t count;
	int rc;

	rc = queue_guard(put_uses, &whose, ms, &result, &in, e);
	if (rc == 0) {
		for (count = queue_get_number(&in); count > 0 && !in.broken;
		     count--)
			queue_get_members(&in, use_members, USE_MEMBERS,
			    queue_allocations_add(out));
		for (count = queue_get_number(&in); count > 0 && !in.broken;
		     count--)
			queue_get_members(&in, reservation_members,
			    RESERVATION_MEMBERS, queue_reservations_add(out));
		rc = queue_check_whole(&in, e);
	}
	proc_result_free(&result);
	return rc;
}
