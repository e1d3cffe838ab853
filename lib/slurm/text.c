/* Read the queue and cancel jobs with Slurm's commands. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/text.h"

/* Longest word passed to scancel; the kernel limits a word to 128 KiB. */
enum { LONGEST = 65536 };

/* The columns to ask squeue for. */
static const char *const columns[] = {"ArrayJobID", "JobID", "ArrayTaskID",
    "State", "Reason", "exit_code", "restartcnt", "SubmitTime", "StartTime",
    "EndTime", "TimeUsed", "TimeLimit", "UserID", "Name", "Comment", "Command",
    "Partition", "NodeList", "Dependency"};
enum {
	ARRAY,
	JOB,
	TASK,
	STATE,
	REASON,
	EXIT,
	RESTARTS,
	SUBMIT,
	START,
	END,
	USED,
	LIMIT,
	USER,
	NAME,
	COMMENT,
	COMMAND,
	PARTITION,
	NODES,
	DEPENDENCY,
	COLUMNS
};

/*
 * Convert squeue's name of a state.  For some flags squeue prints the flag
 * instead of the base state.
 */
static uint32_t
read_state(const char *word)
{
	static const struct {
		const char *word;
		uint32_t state;
	} flags[] = {
	    {"COMPLETING", QUEUE_OTHER | QUEUE_IS_COMPLETING},
	    {"STAGE_OUT", QUEUE_COMPLETED | QUEUE_IS_STAGING},
	    {"CONFIGURING", QUEUE_RUNNING | QUEUE_IS_CONFIGURING},
	    {"EXPEDITING", QUEUE_PENDING},
	    {"RESIZING", QUEUE_RUNNING},
	    {"REQUEUED", QUEUE_PENDING | QUEUE_IS_REQUEUED},
	    {"REQUEUE_FED", QUEUE_PENDING},
	    {"REQUEUE_HOLD", QUEUE_PENDING},
	    {"SPECIAL_EXIT", QUEUE_PENDING},
	    {"STOPPED", QUEUE_RUNNING | QUEUE_IS_STOPPED},
	    {"REVOKED", QUEUE_CANCELLED | QUEUE_IS_REVOKED},
	    {"RESV_DEL_HOLD", QUEUE_PENDING},
	    {"SIGNALING", QUEUE_RUNNING},
	};
	size_t i;

	for (i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(word, flags[i].word) == 0)
			return flags[i].state;
	return queue_state_find(word);
}

/* Read an exit status: a wait status (older releases), or code and signal. */
static int
read_exit(const char *text)
{
	char *end;
	long code = strtol(text, &end, 10);

	if (*end != ':')
		return (int)code;
	return (int)((code & 0xff) << 8 | (strtol(end + 1, NULL, 10) & 0x7f));
}

static void
take_record(char *field[], struct queue_record *r)
{
	uint32_t state = read_state(field[STATE]);
	int64_t minutes = queue_text_minutes(field[LIMIT]);
	int64_t start = queue_text_number(field[START]);
	int64_t end = queue_text_number(field[END]);

	/*
	 * This task is being requeued while its processes end.  As for a
	 * pending task, start and end are the times that Slurm expects.
	 */
	if (strcmp(field[STATE], "COMPLETING") == 0 &&
	    strcmp(field[RESTARTS], "0") != 0 &&
	    strcmp(field[USED], "0:00") == 0 && (end == 0 || end >= start + 60))
		state = QUEUE_PENDING | QUEUE_IS_COMPLETING;
	*r = (struct queue_record){
	    .array = (uint32_t)queue_text_number(field[ARRAY]),
	    .job = (uint32_t)queue_text_number(field[JOB]),
	    .reason = field[REASON],
	    .refused = strcmp(field[REASON], "BadConstraints") == 0,
	    .exit_status = read_exit(field[EXIT]),
	    .restarts = (uint32_t)queue_text_number(field[RESTARTS]),
	    .throttle = -1,
	    .submit = queue_text_number(field[SUBMIT]),
	    .start = start,
	    .end = end,
	    .time_limit = minutes < 0 ? UINT32_MAX : (uint32_t)minutes,
	    .uid = (uint32_t)queue_text_number(field[USER]),
	    .name = field[NAME],
	    .comment = field[COMMENT],
	    .command = field[COMMAND],
	    .partition = field[PARTITION],
	    .nodes = field[NODES],
	    .dependency = field[DEPENDENCY],
	};
	queue_set_state(r, state);
}

/* Give a record a list of tasks, owned by jobs, and free tasks. */
static void
take_list(struct queue_jobs *jobs, struct queue_record *r, struct idset *tasks)
{
	if (tasks->count > 0) {
		jobs->list = xgrow(jobs->list, jobs->lists, sizeof *jobs->list);
		jobs->list[jobs->lists] = idset_text(tasks);
		r->indices = jobs->list[jobs->lists++];
	}
	idset_free(tasks);
}

/*
 * Read one line for each pending task.  Without separate lines squeue would
 * combine requeued tasks with tasks that never ran, and the number of restarts
 * and the reason would be right for only some of the tasks.  Lines with the
 * same job id become one record again.
 */
int
queue_text_jobs(
    struct queue_fields *f, struct queue_jobs *jobs, struct error *e)
{
	struct idset tasks = {0}, some = {0};
	struct queue_record r, *last = NULL;
	char *field[COLUMNS];
	int rc;

	while ((rc = queue_fields_next(f, field, COLUMNS, e)) == 1) {
		take_record(field, &r);
		if (last == NULL || last->job != r.job) {
			take_list(jobs, last, &tasks);
			jobs->record = xgrow(
			    jobs->record, jobs->count, sizeof *jobs->record);
			last = &jobs->record[jobs->count++];
			*last = r;
		}
		/* "7" or "2-9,11%2"; a list that was cut does not parse. */
		field[TASK][strcspn(field[TASK], "%")] = '\0';
		if (idset_parse(&some, field[TASK], NULL) == 0)
			idset_add_all(&tasks, &some);
		idset_free(&some);
	}
	take_list(jobs, last, &tasks);
	return rc;
}

/* ---- lists that squeue cuts short ---- */

/*
 * Return whether a record may lack its last task; if so, set *tasks, to free,
 * and *next to that task.  Slurm writes the tasks 1,3,5,7,9,11 as 1-11:2, and
 * squeue then prints no line for the last task.
 */
static int
may_lack_one(const struct queue_record *r, struct idset *tasks, uint64_t *next)
{
	uint64_t step;
	size_t i = 0;

	memset(tasks, 0, sizeof *tasks);
	if (r->indices == NULL || idset_parse(tasks, r->indices, NULL) == -1)
		return 0;
	if (tasks->count >= 5) {
		step = tasks->run[1].first - tasks->run[0].first;
		*next = tasks->run[0].first;
		for (; i < tasks->count && tasks->run[i].first == *next &&
		     tasks->run[i].last == *next;
		     i++)
			*next += step;
		if (i == tasks->count)
			return 1;
	}
	idset_free(tasks);
	return 0;
}

/* Return whether there is a record for exactly this task. */
static int
is_apart(const struct queue_jobs *jobs, uint32_t array, uint64_t task)
{
	char text[24];
	size_t i;

	snprintf(text, sizeof text, "%" PRIu64, task);
	for (i = 0; i < jobs->count; i++)
		if (jobs->record[i].array == array &&
		    jobs->record[i].indices != NULL &&
		    strcmp(jobs->record[i].indices, text) == 0)
			return 1;
	return 0;
}

/* Return whether a line of lists, such as "13 1-11:2%3", contains the task. */
static int
lists_task(const char *lists, uint32_t array, uint64_t task)
{
	struct idset tasks = {0};
	const char *at = lists;
	char *text, *end;
	int found = 0;

	while (!found && *at != '\0') {
		if (strtoul(at, &end, 10) == array && *end == ' ') {
			text = xstrndup(end + 1, strcspn(end + 1, "%\n"));
			found = idset_parse(&tasks, text, NULL) == 0 &&
			    idset_has(&tasks, task);
			idset_free(&tasks);
			free(text);
		}
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return found;
}

/* Add the missing tasks, from lists, which squeue does not cut. */
void
queue_text_complete(struct queue_jobs *jobs, const char *lists)
{
	struct queue_record *r;
	struct idset tasks;
	uint64_t next;
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		r = &jobs->record[i];
		if (!may_lack_one(r, &tasks, &next))
			continue;
		if (!is_apart(jobs, r->array, next) &&
		    lists_task(lists, r->array, next)) {
			idset_add(&tasks, next, next);
			take_list(jobs, r, &tasks);
		}
		idset_free(&tasks);
	}
}

/* Read "13 2-9%2".  Returns the throttle, or -1 if it is unknown. */
static int64_t
read_throttle(const char *line, uint32_t *array)
{
	const char *end = line + strcspn(line, "\n"), *list, *most;
	char *after;

	*array = (uint32_t)strtoul(line, &after, 10);
	if (after == line || *after != ' ')
		return -1;
	list = after + 1;
	most = memchr(list, '%', (size_t)(end - list));
	if (most != NULL)
		return (int64_t)strtoul(most + 1, NULL, 10);
	return *list >= '0' && *list <= '9' &&
		list + strspn(list, "0123456789") < end
	    ? 0
	    : -1;
}

void
queue_text_throttles(struct queue_jobs *jobs, const char *lists)
{
	int64_t most;
	uint32_t array;
	size_t i;

	while (*lists != '\0') {
		most = read_throttle(lists, &array);
		for (i = 0; most != -1 && i < jobs->count; i++)
			if (jobs->record[i].array == array)
				jobs->record[i].throttle = most;
		lists += strcspn(lists, "\n");
		lists += *lists == '\n';
	}
}

/* Ask squeue for the lists of pending arrays, if there are any. */
static int
complete(int64_t deadline, struct queue_jobs *jobs, struct error *e)
{
	static const char *const words[] = {"squeue", "--me", "--local",
	    "--all", "--noheader", "--states=PENDING", "--format", "%F %K",
	    NULL};
	struct proc_result result;
	size_t i;
	int rc;

	for (i = 0; i < jobs->count; i++)
		if (jobs->record[i].state == QUEUE_PENDING &&
		    jobs->record[i].indices != NULL)
			break;
	if (i == jobs->count)
		return 0;
	rc = queue_text_run(words, deadline, &result, e);
	if (rc == 0) {
		queue_text_complete(jobs, result.out);
		queue_text_throttles(jobs, result.out);
	}
	proc_result_free(&result);
	return rc;
}

/* Read the jobs that squeue lists with an additional option. */
static int
list(const char *option, int64_t deadline, struct queue_jobs *out,
    struct error *e)
{
	struct queue_fields f;

	if (queue_text_ask(
		(const char *const[]){"squeue", "--me", "--local", "--all",
		    "--noheader", option, "--states=all", NULL},
		columns, COLUMNS, deadline, &f, &out->raw, e) == -1)
		return -1;
	return queue_text_jobs(&f, out, e);
}

static int
load_jobs(int64_t ms, struct queue_jobs *out, struct error *e)
{
	int64_t deadline = proc_clock() + ms;

	if (list("--array", deadline, out, e) == -1)
		return -1;
	return complete(deadline, out, e);
}

int
queue_text_array(
    uint32_t array, int64_t deadline, struct queue_jobs *out, struct error *e)
{
	char *option = xasprintf("--jobs=%" PRIu32, array);
	int rc;

	rc = list(option, deadline, out, e);
	free(option);
	return rc;
}

/* ---- cancelling ---- */

/* Return the arguments of scancel; a long list is split into several. */
static struct strlist
cancel_words(const char *name)
{
	size_t head = strcspn(name, "["), length;
	const char *at = name + head + (name[head] == '[');
	struct strlist words = {0};

	strlist_push(&words, "scancel");
	if (name[head] == '\0')
		strlist_push(&words, name);
	while (name[head] != '\0' && *at != '\0') {
		length = strcspn(at, "]");
		if (length > LONGEST)
			for (length = LONGEST; at[length] != ','; length--)
				continue;
		strlist_take(&words,
		    xasprintf("%.*s[%.*s]", (int)head, name, (int)length, at));
		at += length + 1;
	}
	return words;
}

/* Cancel one target.  scancel may exit with status 0 although it failed. */
static void
cancel_one(int64_t deadline, struct queue_target *t)
{
	struct strlist words = cancel_words(t->name);
	struct proc_result result = {0};
	char *why;
	int rc = queue_text_start(
	    (const char *const *)words.word, deadline, &result, &t->of->why);

	strlist_free(&words);
	t->of->outcome = QUEUE_CANCEL_UNSENT;
	if (rc == -1)
		goto done;
	why = queue_complaint(result.complaint);
	if (proc_ok(&result) && *why == '\0') {
		t->of->outcome = QUEUE_CANCEL_DONE;
	} else if (result.timed_out || queue_is_unreached(why)) {
		error_set(&t->of->why, "cannot reach slurmctld (%s)",
		    result.timed_out ? "no answer in time" : why);
	} else {
		t->of->outcome = QUEUE_CANCEL_REFUSED;
		error_set(&t->of->why, "%s: Slurm refuses: %s", t->name, why);
	}
	free(why);
done:
	proc_result_free(&result);
}

static void
cancel(int64_t ms, struct queue_target *target, size_t count)
{
	int64_t deadline = proc_clock() + ms;
	size_t i;

	for (i = 0; i < count; i++)
		if (target[i].name != NULL)
			cancel_one(deadline, &target[i]);
}

const struct queue_way queue_text = {
    load_jobs, queue_text_cluster, queue_text_uses, cancel};
