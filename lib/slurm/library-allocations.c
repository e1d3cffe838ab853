/* What libslurm tells of the jobs of all users, and of reservations. */
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/library.h"
#include "slurm/release.h"

/* ---- in the child ---- */

/* The name of a user, of whom there are many jobs in a row. */
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

static char *
job_name(const job_info_t *job)
{
	if (job->array_task_id != NO_VAL)
		return xasprintf("%" PRIu32 "_%" PRIu32, job->array_job_id,
		    job->array_task_id);
	return xasprintf("%" PRIu32, job->job_id);
}

static int64_t
gpus_of(const job_info_t *job)
{
	struct queue_wanted wanted = {
	    .allocated = job->tres_alloc_str,
	    .per_job = job->tres_per_job,
	    .per_node = job->tres_per_node,
	    .per_task = job->tres_per_task,
	    .nodes = job->num_nodes,
	    .tasks = job->num_tasks,
	};

	return queue_wanted_gpus(&wanted);
}

/* Whether it has nodes or is expected to have some. */
static int
is_told(const job_info_t *job, enum queue_whose whose)
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
	char *name = job_name(job);

	queue_put_text(out, name);
	queue_put_number(out, job->job_id);
	queue_put_text(out, job->name);
	queue_put_text(out,
	    job->user_name != NULL && *job->user_name != '\0'
		? job->user_name
		: user_name(job->user_id));
	queue_put_text(out, job->partition);
	queue_put_number(out, job->user_id == getuid());
	queue_put_number(out, running);
	queue_put_number(out, (job->job_state & JOB_COMPLETING) != 0);
	queue_put_number(out, job->start_time);
	queue_put_number(out, queue_use_end(job->start_time, job->time_limit));
	queue_put_text(out, running ? job->nodes : job->sched_nodes);
	queue_put_number(out, job->num_nodes);
	queue_put_number(out, job->num_cpus);
	queue_put_number(out, gpus_of(job));
	free(name);
}

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
	char *names = flag_names(r->flags);

	queue_put_text(out, r->name);
	queue_put_text(out, r->users);
	queue_put_text(out, r->accounts);
	queue_put_text(out, names);
	queue_put_text(out, r->node_list);
	queue_put_number(out, r->start_time);
	queue_put_number(out, r->end_time);
	queue_put_number(out, r->node_cnt == NO_VAL ? 0 : r->node_cnt);
	queue_put_number(out, r->core_cnt == NO_VAL ? 0 : r->core_cnt);
	queue_put_number(out, queue_wanted_gpus(&wanted));
	free(names);
}

static int
put_uses(FILE *out, void *arg)
{
	const enum queue_whose *whose = arg;
	job_info_msg_t *jobs = NULL;
	reserve_info_msg_t *reserved = NULL;
	uint32_t i, told = 0;

	if ((*whose == QUEUE_MINE
		    ? slurm_load_job_user(
			  &jobs, getuid(), SHOW_LOCAL | SHOW_ALL)
		    : slurm_load_jobs(0, &jobs, SHOW_LOCAL | SHOW_ALL)) != 0 ||
	    (*whose == QUEUE_ANYBODYS &&
		slurm_load_reservations(0, &reserved) != 0))
		return queue_failed(out);
	queue_put_number(out, 0);
	for (i = 0; i < jobs->record_count; i++)
		told += (uint32_t)is_told(&jobs->job_array[i], *whose);
	queue_put_number(out, told);
	for (i = 0; i < jobs->record_count; i++)
		if (is_told(&jobs->job_array[i], *whose))
			put_job(out, &jobs->job_array[i]);
	told = reserved != NULL ? reserved->record_count : 0;
	queue_put_number(out, told);
	for (i = 0; i < told; i++)
		put_reservation(out, &reserved->reservation_array[i]);
	return 0;
}

/* ---- in the parent ---- */

static void
get_use(struct queue_input *in, struct queue_use *u)
{
	u->job = queue_get_copy(in);
	u->id = queue_get_number(in);
	u->name = queue_get_copy(in);
	u->user = queue_get_copy(in);
	u->partition = queue_get_copy(in);
	u->mine = queue_get_number(in) != 0;
	u->running = queue_get_number(in) != 0;
	u->ending = queue_get_number(in) != 0;
	u->start = queue_get_number(in);
	u->end = queue_get_number(in);
	u->nodes = queue_get_copy(in);
	u->node_count = queue_get_number(in);
	u->cpus = queue_get_number(in);
	u->gpus = queue_get_number(in);
}

static void
get_reservation(struct queue_input *in, struct queue_reservation *r)
{
	r->name = queue_get_copy(in);
	r->users = queue_get_copy(in);
	r->accounts = queue_get_copy(in);
	r->flags = queue_get_copy(in);
	r->nodes = queue_get_copy(in);
	r->start = queue_get_number(in);
	r->end = queue_get_number(in);
	r->node_count = queue_get_number(in);
	r->cpus = queue_get_number(in);
	r->gpus = queue_get_number(in);
}

int
queue_library_uses(
    enum queue_whose whose, int64_t ms, struct queue_uses *out, struct error *e)
{
	struct proc_result result;
	struct queue_input in;
	int64_t count;
	int rc;

	rc = queue_guard(put_uses, &whose, ms, &result, &in, e);
	if (rc == 0) {
		for (count = queue_get_number(&in); count > 0 && !in.broken;
		     count--)
			get_use(&in, queue_uses_add(out));
		for (count = queue_get_number(&in); count > 0 && !in.broken;
		     count--)
			get_reservation(&in, queue_uses_reserve(out));
		rc = queue_check_whole(&in, e);
	}
	proc_result_free(&result);
	return rc;
}
