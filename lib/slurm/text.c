/* Slurm asked through its commands. */
#include <sys/random.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/text.h"

/* The longest word that is handed to scancel; the kernel takes 128 KiB. */
enum { LONGEST = 65536 };

/* The columns of squeue that are asked for. */
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

/* ---- fields ---- */

void
queue_fields_begin(struct queue_fields *f)
{
	uint64_t random = 0;

	/* Without the mark's secret a name could only spoil its own record. */
	if (getrandom(&random, sizeof random, 0) == -1)
		random = (uint64_t)proc_clock();
	snprintf(f->mark, sizeof f->mark, "\037%" PRIx64 "\036", random);
	f->at = NULL;
}

char *
queue_fields_format(
    const struct queue_fields *f, const char *const names[], size_t count)
{
	char *text = NULL;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	/* Without a width a field is not cut. */
	for (i = 0; i < count; i++)
		fprintf(out, "%s%s:%s", i > 0 ? "," : "", names[i], f->mark);
	xmemclose(out);
	return text;
}

int
queue_fields_next(struct queue_fields *f, char *field[], size_t count)
{
	size_t i;

	if (*f->at == '\0')
		return 0;
	for (i = 0; i < count; i++) {
		field[i] = f->at;
		f->at = strstr(f->at, f->mark);
		if (f->at == NULL)
			return -1;
		*f->at = '\0';
		f->at += strlen(f->mark);
		if (strcmp(field[i], "(null)") == 0)
			*field[i] = '\0';
	}
	if (*f->at != '\n')
		return -1;
	f->at++;
	return 1;
}

int64_t
queue_text_number(const char *text)
{
	int64_t number = 0;

	if (num_int("number", text, INT64_MIN, INT64_MAX, &number, NULL) == -1)
		return 0;
	return number;
}

/* A part of a time, of which nobody has more than a billion. */
static int64_t
time_part(const char *text)
{
	char *digits = xstrndup(text, strspn(text, "0123456789"));
	int64_t n = *digits == '\0' ? 0 : 1000000000;

	num_int("time", digits, 0, 1000000000, &n, NULL);
	free(digits);
	return n;
}

int64_t
queue_text_minutes(const char *text)
{
	const char *days = strchr(text, '-');
	int64_t part[3] = {0}, minutes = 0;
	int n = 0;

	if (strchr(text, ':') == NULL)
		return -1;
	if (days != NULL) {
		minutes = time_part(text) * 24 * 60;
		text = days + 1;
	}
	for (; n < 3; n++) {
		part[n] = time_part(text);
		text += strcspn(text, ":");
		if (*text++ == '\0')
			break;
	}
	/* "10:00" is minutes and seconds. */
	return minutes + (n == 1 ? part[0] : part[0] * 60 + part[1]);
}

/* ---- running ---- */

static int
run(const char *const words[], int64_t deadline, struct proc_result *result,
    struct error *e)
{
	char **env = queue_environ();
	int64_t left = deadline - proc_clock();
	int rc, number;

	rc = proc_run((char *const *)(uintptr_t)words, env, left > 1 ? left : 1,
	    result, e);
	number = errno;
	free(env);
	errno = number;
	if (rc == 0 || number != ENOENT)
		return rc;
	return queue_refuse(ENOENT, e,
	    "no Slurm here: there is no program %s in PATH", words[0]);
}

int
queue_text_run(const char *const words[], int64_t deadline,
    struct proc_result *result, struct error *e)
{
	int64_t began = proc_clock();

	memset(result, 0, sizeof *result);
	if (queue_check_configuration(e) == -1 ||
	    run(words, deadline, result, e) == -1)
		return -1;
	if (result->timed_out)
		return queue_refuse_silence(deadline - began, e);
	if (!proc_ok(result))
		return queue_refuse_end(words[0], result, e);
	return 0;
}

int
queue_text_lines(const char *const words[], int64_t deadline, const char *begin,
    void (*take)(void *arg, const char *line), void *arg, struct error *e)
{
	struct proc_result result;
	char *line, *rest = NULL;
	int rc = queue_text_run(words, deadline, &result, e), number = errno;

	for (line = rc == 0 ? strtok_r(result.out, "\n", &rest) : NULL;
	     line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (text_begins(line, begin))
			take(arg, line);
	proc_result_free(&result);
	errno = number;
	return rc;
}

/* ---- jobs ---- */

/*
 * What squeue calls a state: a flag where there is one, and then the base
 * state is not told.
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
	uint32_t base;
	size_t i;

	for (i = 0; i < sizeof flags / sizeof *flags; i++)
		if (strcmp(word, flags[i].word) == 0)
			return flags[i].state;
	for (base = 0; base < QUEUE_OTHER; base++)
		if (strcmp(word, queue_state_name(base)) == 0)
			break;
	return base;
}

/* A wait status, as older releases have it, or "3:0", code and signal. */
static int
read_exit(const char *text)
{
	char *end;
	long code = strtol(text, &end, 10);

	if (*end != ':')
		return (int)code;
	return (int)((code & 0xff) << 8 | (strtol(end + 1, NULL, 10) & 0x7f));
}

/*
 * A task on its way back into the queue, while its processes end: as for one
 * that waits, start and end are what Slurm expects.  Otherwise it has ended.
 */
static int
returns(char *const field[])
{
	int64_t start = queue_text_number(field[START]);
	int64_t end = queue_text_number(field[END]);

	return strcmp(field[STATE], "COMPLETING") == 0 &&
	    strcmp(field[RESTARTS], "0") != 0 &&
	    strcmp(field[USED], "0:00") == 0 && (end == 0 || end >= start + 60);
}

static void
take_record(char *field[], struct queue_record *r)
{
	uint32_t state = read_state(field[STATE]);
	int64_t minutes = queue_text_minutes(field[LIMIT]);

	if (returns(field))
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
	    .start = queue_text_number(field[START]),
	    .end = queue_text_number(field[END]),
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

static void
keep_list(
    struct queue_jobs *jobs, struct queue_record *r, const struct ranges *tasks)
{
	jobs->list = xgrow(jobs->list, jobs->lists, sizeof *jobs->list);
	jobs->list[jobs->lists] = ranges_text(tasks);
	r->indices = jobs->list[jobs->lists++];
}

/* Close the list of tasks of the last record; NULL where it is not told. */
static void
end_list(struct queue_jobs *jobs, struct ranges *tasks)
{
	if (tasks->count > 0)
		keep_list(jobs, &jobs->record[jobs->count - 1], tasks);
	ranges_free(tasks);
}

/* Add "7", or "2-9,11%2"; a list that was cut is no list. */
static void
add_tasks(struct ranges *tasks, char *text)
{
	struct ranges some = {0};

	text[strcspn(text, "%")] = '\0';
	if (ranges_parse(&some, text, NULL) == -1)
		return;
	ranges_add_all(tasks, &some);
	ranges_free(&some);
}

/*
 * squeue is to have a line for each waiting task: otherwise it puts those that
 * came back into the queue together with those that never left, and then the
 * number of restarts and the reason are those of either.  Lines with the same
 * id of Slurm's are one record again.
 */
int
queue_text_jobs(
    struct queue_fields *f, struct queue_jobs *jobs, struct error *e)
{
	struct ranges tasks = {0};
	struct queue_record r, *last;
	char *field[COLUMNS];
	int rc;

	while ((rc = queue_fields_next(f, field, COLUMNS)) == 1) {
		take_record(field, &r);
		last = jobs->count > 0 ? &jobs->record[jobs->count - 1] : NULL;
		if (last == NULL || last->job != r.job) {
			end_list(jobs, &tasks);
			jobs->record = xgrow(
			    jobs->record, jobs->count, sizeof *jobs->record);
			jobs->record[jobs->count++] = r;
		}
		add_tasks(&tasks, field[TASK]);
	}
	end_list(jobs, &tasks);
	if (rc == -1)
		return queue_refuse(EIO, e, "squeue's answer is incomplete");
	return 0;
}

/* ---- lists that squeue cuts short ---- */

/*
 * Slurm writes the tasks 1,3,5,7,9,11 as 1-11:2, and a line for each is then
 * missing for the last: squeue loses it.  Returns the step of a list that may
 * be meant, or 0.
 */
static uint64_t
step_of(const struct ranges *tasks)
{
	uint64_t step;
	size_t i;

	if (tasks->count < 5)
		return 0;
	step = tasks->run[1].first - tasks->run[0].first;
	for (i = 0; i < tasks->count; i++)
		if (tasks->run[i].first != tasks->run[i].last ||
		    tasks->run[i].first != tasks->run[0].first + i * step)
			return 0;
	return step;
}

static int
may_lack_one(const struct queue_record *r, struct ranges *tasks, uint64_t *next)
{
	uint64_t step;

	memset(tasks, 0, sizeof *tasks);
	if (r->indices == NULL || ranges_parse(tasks, r->indices, NULL) == -1)
		return 0;
	step = step_of(tasks);
	if (step > 0)
		*next = tasks->run[tasks->count - 1].last + step;
	else
		ranges_free(tasks);
	return step > 0;
}

/* Whether there is another record for exactly this task. */
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

/* Whether a line "13 1-11:2%3" of the lists is about the array and task. */
static int
lists_task(const char *lists, uint32_t array, uint64_t task)
{
	struct ranges tasks = {0};
	const char *at = lists;
	char *text, *end;
	int found = 0;

	while (!found && *at != '\0') {
		if (strtoul(at, &end, 10) == array && *end == ' ') {
			text = xstrndup(end + 1, strcspn(end + 1, "%\n"));
			found = ranges_parse(&tasks, text, NULL) == 0 &&
			    ranges_has(&tasks, task);
			ranges_free(&tasks);
			free(text);
		}
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return found;
}

/* Complete the lists of the records from those that squeue has not cut. */
void
queue_text_complete(struct queue_jobs *jobs, const char *lists)
{
	struct queue_record *r;
	struct ranges tasks;
	uint64_t next;
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		r = &jobs->record[i];
		if (!may_lack_one(r, &tasks, &next))
			continue;
		if (!is_apart(jobs, r->array, next) &&
		    lists_task(lists, r->array, next)) {
			ranges_add(&tasks, next, next);
			keep_list(jobs, r, &tasks);
		}
		ranges_free(&tasks);
	}
}

/* Read "13 2-9%2": how many at once, or -1 where that is not told. */
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

/* Whether a list tells something: where tasks of an array wait. */
static int
any_waits(const struct queue_jobs *jobs)
{
	const struct queue_record *r;

	for (r = jobs->record; r < jobs->record + jobs->count; r++)
		if (r->state == QUEUE_PENDING && r->indices != NULL)
			return 1;
	return 0;
}

static int
complete(int64_t deadline, struct queue_jobs *jobs, struct error *e)
{
	static const char *const words[] = {"squeue", "--me", "--local",
	    "--all", "--noheader", "--states=PENDING", "--format", "%F %K",
	    NULL};
	struct proc_result result;
	int rc, number;

	if (!any_waits(jobs))
		return 0;
	rc = queue_text_run(words, deadline, &result, e);
	if (rc == 0) {
		queue_text_complete(jobs, result.out);
		queue_text_throttles(jobs, result.out);
	}
	number = errno;
	proc_result_free(&result);
	errno = number;
	return rc;
}

/* Read what squeue lists with one more option. */
static int
list(const char *option, int64_t deadline, struct queue_jobs *out,
    struct error *e)
{
	struct queue_fields f = {.at = NULL};
	char *format;
	int rc;

	queue_fields_begin(&f);
	format = queue_fields_format(&f, columns, COLUMNS);
	rc = queue_text_run(
	    (const char *const[]){"squeue", "--me", "--local", "--all",
		"--noheader", option, "--states=all", "--Format", format, NULL},
	    deadline, &out->raw, e);
	free(format);
	if (rc == -1)
		return -1;
	f.at = out->raw.out;
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
	int rc, number;

	rc = list(option, deadline, out, e);
	number = errno;
	free(option);
	errno = number;
	return rc;
}

/* ---- cancelling ---- */

/* The words for scancel: a long list is cut.  To free, and each of them. */
static char **
cancel_words(const char *name)
{
	size_t head = strcspn(name, "["), length, count = 0;
	const char *at = name + head + (name[head] == '[');
	char **words = xgrow(NULL, 0, sizeof *words);

	words[count++] = xstrdup("scancel");
	if (name[head] == '\0') {
		words = xgrow(words, count, sizeof *words);
		words[count++] = xstrdup(name);
	}
	while (name[head] != '\0' && *at != '\0') {
		length = strcspn(at, "]");
		if (length > LONGEST)
			for (length = LONGEST; at[length] != ','; length--)
				continue;
		words = xgrow(words, count, sizeof *words);
		words[count++] =
		    xasprintf("%.*s[%.*s]", (int)head, name, (int)length, at);
		at += length + 1;
	}
	words = xgrow(words, count, sizeof *words);
	words[count] = NULL;
	return words;
}

/* It may not say that it failed by its status alone. */
static void
hear(struct queue_target *t, const struct proc_result *result)
{
	char *why = queue_complaint(result->complaint);

	if (proc_ok(result) && *why == '\0') {
		t->of->outcome = QUEUE_STOPPED;
	} else if (result->timed_out || queue_is_unreached(why)) {
		t->of->outcome = QUEUE_UNTOLD;
		error_set(&t->of->why, "cannot reach slurmctld (%s)",
		    result->timed_out ? "no answer in time" : why);
	} else {
		t->of->outcome = QUEUE_KEPT;
		error_set(&t->of->why, "%s: Slurm refuses: %s", t->name, why);
	}
	free(why);
}

static void
cancel_one(int64_t deadline, struct queue_target *t)
{
	char **words = cancel_words(t->name);
	struct proc_result result = {0};
	size_t i;

	if (run((const char *const *)words, deadline, &result, &t->of->why) ==
	    -1)
		t->of->outcome = QUEUE_UNTOLD;
	else
		hear(t, &result);
	proc_result_free(&result);
	for (i = 0; words[i] != NULL; i++)
		free(words[i]);
	free(words);
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
