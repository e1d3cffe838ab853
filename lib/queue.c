#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue-own.h"
#include "queue-slurm.h"
#include "xalloc.h"

/* Flags that mean: whatever the base state says, there is more to come. */
enum { UNDONE = JOB_COMPLETING | JOB_REQUEUE | JOB_REVOKED | JOB_STAGE_OUT };

/* In the order in which they are asked: a task's own record comes first. */
enum manner { OWN, SPAN, WHOLE };

/* Tasks of an array that a record speaks for. */
struct entry {
	uint32_t array;
	enum manner manner;
	uint64_t first, last;
	const struct queue_record *record;
};

struct queue {
	struct proc_result raw; /* the texts are in there */
	struct queue_record *record;
	size_t count;
	struct entry *entry; /* sorted */
	size_t entries;
};

static int
is_final(uint32_t state)
{
	uint32_t base = state & JOB_STATE_BASE;

	return base >= JOB_COMPLETE && base < JOB_END && (state & UNDONE) == 0;
}

static const char *
state_name(uint32_t state)
{
	uint32_t base = state & JOB_STATE_BASE;

	if (state & JOB_COMPLETING)
		return "COMPLETING";
	if (state & JOB_STAGE_OUT)
		return "STAGE_OUT";
	if (state & JOB_REVOKED)
		return "REVOKED";
	if (base == JOB_RUNNING && (state & JOB_CONFIGURING))
		return "CONFIGURING";
	if (base == JOB_RUNNING && (state & JOB_STOPPED))
		return "STOPPED";
	return queue_state_name(base);
}

/* Elsewhere Slurm leaves reasons behind that no longer hold. */
static int
has_reason(uint32_t state)
{
	uint32_t base = state & JOB_STATE_BASE;

	return base == JOB_PENDING ||
	    (is_final(state) && base != JOB_COMPLETE && base != JOB_CANCELLED);
}

/*
 * A task's own number, else the list of the rest without its throttle: "%3".
 * A list that was cut ends in "..." and cannot be told from a shorter one.
 */
static void
put_indices(FILE *out, const job_info_t *job)
{
	const char *list = job->array_task_str;
	char text[16], *tasks;

	if (job->array_task_id != NO_VAL) {
		snprintf(text, sizeof text, "%lu",
		    (unsigned long)job->array_task_id);
		queue_put_text(out, text);
	} else if (list == NULL || strstr(list, "...") != NULL) {
		queue_put_text(out, NULL);
	} else {
		tasks = xstrndup(list, strcspn(list, "%"));
		queue_put_text(out, tasks);
		free(tasks);
	}
}

static void
put_record(FILE *out, const job_info_t *job)
{
	uint32_t reason = job->state_reason;

	queue_put_number(
	    out, job->array_job_id != 0 ? job->array_job_id : job->job_id);
	queue_put_number(out, job->job_id);
	put_indices(out, job);
	queue_put_number(out, job->job_state);
	queue_put_number(out, reason);
	queue_put_text(out, job->state_desc);
	queue_put_number(out, job->exit_code);
	queue_put_number(out, job->restart_cnt);
	queue_put_number(out, job->submit_time);
	queue_put_number(out, job->start_time);
	queue_put_number(out, job->end_time);
	queue_put_number(out, job->time_limit);
	queue_put_number(out, job->user_id);
	queue_put_text(out, job->name);
	queue_put_text(out, job->comment);
	queue_put_text(out, job->partition);
	queue_put_text(out, job->nodes);
	queue_put_text(out, job->std_out);
}

static int
put_jobs(FILE *out, void *arg)
{
	job_info_msg_t *jobs = NULL;
	uint32_t i;

	(void)arg;
	/* SHOW_ALL: jobs in hidden partitions are jobs too. */
	if (slurm_load_job_user(&jobs, getuid(), SHOW_LOCAL | SHOW_ALL) != 0)
		return queue_failed(out);
	queue_put_number(out, 0);
	queue_put_number(out, jobs->record_count);
	for (i = 0; i < jobs->record_count; i++)
		put_record(out, &jobs->job_array[i]);
	return 0;
}

static const char *
get_word(struct queue_input *in)
{
	const char *text = queue_get_text(in);

	return text != NULL ? text : "";
}

static void
set_state(struct queue_record *r, uint32_t state, uint32_t reason,
    const char *description)
{
	uint32_t base = state & JOB_STATE_BASE;

	r->state = base < QUEUE_OTHER ? (enum queue_state)base : QUEUE_OTHER;
	r->alive = !is_final(state);
	r->completing = (state & JOB_COMPLETING) != 0;
	r->returning = r->completing &&
	    (base == JOB_PENDING || (state & JOB_REQUEUE) != 0);
	r->state_name = state_name(state);
	r->refused = is_final(state) && base == JOB_FAILED &&
	    reason == FAIL_BAD_CONSTRAINTS;
	r->reason = "";
	if (has_reason(state))
		r->reason = *description != '\0' ? description
						 : queue_reason_name(reason);
}

static void
get_record(struct queue_input *in, struct queue_record *r)
{
	uint32_t state, reason;

	r->array = (uint32_t)queue_get_number(in);
	r->job = (uint32_t)queue_get_number(in);
	r->indices = queue_get_text(in);
	state = (uint32_t)queue_get_number(in);
	reason = (uint32_t)queue_get_number(in);
	set_state(r, state, reason, get_word(in));
	r->exit_status = (int)queue_get_number(in);
	r->restarts = (uint32_t)queue_get_number(in);
	r->submit = queue_get_number(in);
	r->start = queue_get_number(in);
	r->end = queue_get_number(in);
	r->time_limit = (uint32_t)queue_get_number(in);
	r->uid = (uint32_t)queue_get_number(in);
	r->name = get_word(in);
	r->comment = get_word(in);
	r->partition = get_word(in);
	r->nodes = get_word(in);
	r->std_out = get_word(in);
}

static void
add_entry(struct queue *q, const struct queue_record *r, enum manner manner,
    uint64_t first, uint64_t last)
{
	q->entry = xgrow(q->entry, q->entries, sizeof *q->entry);
	q->entry[q->entries++] =
	    (struct entry){r->array, manner, first, last, r};
}

/* All tasks that a record names; those it does not tell are all of them. */
static void
add_entries(struct queue *q, const struct queue_record *r)
{
	struct ranges tasks = {0};
	size_t i;

	if (r->indices == NULL ||
	    ranges_parse(&tasks, r->indices, NULL) == -1) {
		add_entry(q, r, WHOLE, 0, UINT64_MAX);
		return;
	}
	for (i = 0; i < tasks.count; i++)
		add_entry(q, r,
		    r->indices[strspn(r->indices, "0123456789")] == '\0' ? OWN
									 : SPAN,
		    tasks.run[i].first, tasks.run[i].last);
	ranges_free(&tasks);
}

static int
compare(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->manner != b->manner)
		return a->manner < b->manner ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int
read_jobs(struct queue *q, struct queue_input *in)
{
	int64_t count = queue_get_number(in), i;

	if (count < 0 || count > in->end - in->at)
		in->broken = 1;
	if (!in->broken)
		q->record = xcalloc((size_t)count + 1, sizeof *q->record);
	for (i = 0; i < count && !in->broken; i++)
		get_record(in, &q->record[q->count++]);
	if (in->broken)
		return -1;
	for (i = 0; i < count; i++)
		add_entries(q, &q->record[i]);
	if (q->entries > 0)
		qsort(q->entry, q->entries, sizeof *q->entry, compare);
	return 0;
}

struct queue *
queue_read(struct queue_input *in, struct error *e)
{
	struct queue *q = xcalloc(1, sizeof *q);

	if (read_jobs(q, in) == 0)
		return q;
	queue_free(q);
	queue_refuse(EIO, e, "Slurm's answer is incomplete");
	return NULL;
}

int
queue_load(struct queue **out, struct error *e)
{
	struct proc_result raw;
	struct queue_input in;
	int64_t ms;
	int number;

	*out = NULL;
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1)
		return -1;
	if (queue_guard(put_jobs, NULL, ms, &raw, &in, e) == 0)
		*out = queue_read(&in, e);
	if (*out != NULL) {
		(*out)->raw = raw;
		return 0;
	}
	number = errno;
	proc_result_free(&raw);
	errno = number;
	return -1;
}

void
queue_free(struct queue *q)
{
	int number = errno;

	if (q == NULL)
		return;
	proc_result_free(&q->raw);
	free(q->record);
	free(q->entry);
	free(q);
	errno = number;
}

size_t
queue_count(const struct queue *q)
{
	return q->count;
}

const struct queue_record *
queue_record(const struct queue *q, size_t i)
{
	return &q->record[i];
}

/* How many entries stand before what begins behind the index. */
static size_t
find_behind(const struct queue *q, const struct entry *wanted)
{
	size_t low = 0, high = q->entries, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare(&q->entry[middle], wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
is_like(const struct entry *e, const struct entry *wanted)
{
	return e->array == wanted->array && e->manner == wanted->manner;
}

const struct queue_record *
queue_find_until(
    const struct queue *q, uint32_t array, uint32_t index, uint64_t *until)
{
	struct entry wanted = {array, OWN, index, index, NULL};
	const struct entry *e;
	int manner;
	size_t at;

	*until = UINT64_MAX;
	for (manner = OWN; manner <= WHOLE; manner++) {
		wanted.manner = (enum manner)manner;
		at = find_behind(q, &wanted);
		e = at > 0 ? &q->entry[at - 1] : NULL;
		if (e != NULL && is_like(e, &wanted) && e->last >= index) {
			if (e->last < *until)
				*until = e->last;
			return e->record;
		}
		e = at < q->entries ? &q->entry[at] : NULL;
		if (e != NULL && is_like(e, &wanted) && e->first - 1 < *until)
			*until = e->first - 1;
	}
	return NULL;
}

const struct queue_record *
queue_find(const struct queue *q, uint32_t array, uint32_t index)
{
	uint64_t until;

	return queue_find_until(q, array, index, &until);
}

const struct queue_record *
queue_find_any(const struct queue *q, uint32_t array)
{
	size_t low = 0, high = q->entries, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (q->entry[middle].array < array)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == q->entries || q->entry[low].array != array)
		return NULL;
	return q->entry[low].record;
}

int
queue_has_token(const struct queue_record *r, const char *token)
{
	size_t length = strlen(token);

	return length > 0 && strncmp(r->comment, token, length) == 0 &&
	    (r->comment[length] == '\0' ||
		isspace((unsigned char)r->comment[length]));
}

int
queue_find_token(const struct queue *q, const char *token, uint32_t *array)
{
	const struct queue_record *r;
	int found = 0;
	size_t i;

	for (i = 0; i < q->count; i++) {
		r = &q->record[i];
		if (r->refused || !queue_has_token(r, token))
			continue;
		if (!found || r->array < *array)
			*array = r->array;
		found = 1;
	}
	return found;
}

static int
compare_ids(const void *pa, const void *pb)
{
	const uint32_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

uint32_t *
queue_find_tokens(const struct queue *q, const char *token, size_t *count)
{
	const struct queue_record *r;
	uint32_t *ids = NULL;
	size_t i, n = 0;

	for (i = 0; i < q->count; i++) {
		r = &q->record[i];
		if (r->refused || !queue_has_token(r, token))
			continue;
		ids = xgrow(ids, n, sizeof *ids);
		ids[n++] = r->array;
	}
	if (n > 0)
		qsort(ids, n, sizeof *ids, compare_ids);
	*count = 0;
	for (i = 0; i < n; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ids[(*count)++] = ids[i];
	return ids;
}
