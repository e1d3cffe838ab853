#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/account.h"
#include "slurm/private.h"

/*
 * SLACK: how many seconds the clocks of two machines may differ.  NEAR: the
 * limit for a line that may belong to either of two arrays.
 */
enum { SLACK = 86400, NEAR = 3600 };

/* The columns to ask sacct for; JobName is last as it may hold anything. */
static const char format[] =
    "--format=JobID,State,ExitCode,Submit,Start,End,JobName";
enum { ID, STATE, EXIT, SUBMIT, START, END, NAME, COLUMNS };

/* A run of one task, or of several that were pending and ended together. */
struct queue_account_entry {
	uint32_t array;
	uint32_t index;
	size_t of; /* index of the array in queue_account.asked */
	int alone; /* the job is not an array */
	struct idset rest;
	struct queue_account_record record;
};

static void
entries_free(struct queue_account_entries *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		idset_free(&list->entry[i].rest);
	free(list->entry);
}

/* ---- reading sacct's output ---- */

/* Split a line at its bars.  Returns 0, or -1 if there are too few. */
static int
cut(char *line, char *column[COLUMNS])
{
	int i;

	for (i = 0; i < COLUMNS - 1; i++) {
		column[i] = line;
		line = strchr(line, '|');
		if (line == NULL)
			return -1;
		*line++ = '\0';
	}
	column[NAME] = line;
	return 0;
}

/* Read "13_2", "13_[2-5%2]" or "13".  Returns 0, or -1 for any other text. */
static int
read_id(char *text, struct queue_account_entry *out)
{
	char *tasks = strchr(text, '_');
	int64_t number;

	if (tasks != NULL)
		*tasks++ = '\0';
	if (num_int("id", text, 0, UINT32_MAX, &number, NULL) == -1)
		return -1;
	out->array = (uint32_t)number;
	out->alone = tasks == NULL;
	if (out->alone)
		return 0;
	if (*tasks == '[') {
		tasks[strcspn(tasks, "%]")] = '\0';
		out->record.shared = 1;
		return idset_parse(&out->rest, tasks + 1, NULL);
	}
	if (num_int("task", tasks, 0, UINT32_MAX, &number, NULL) == -1)
		return -1;
	out->index = (uint32_t)number;
	return 0;
}

/* Read a time; returns 0 for "Unknown" and "None". */
static int64_t
read_time(const char *text)
{
	int64_t time = 0;

	num_int("time", text, 0, INT64_MAX, &time, NULL);
	return time;
}

/* Read "3:0", an exit code and a signal.  Returns 0, or -1 for other text. */
static int
read_exit(char *text, int *out)
{
	char *number = strchr(text, ':');
	int64_t code, signal;

	if (number == NULL)
		return -1;
	*number++ = '\0';
	if (num_int("code", text, 0, 255, &code, NULL) == -1 ||
	    num_int("signal", number, 0, 127, &signal, NULL) == -1)
		return -1;
	*out = (int)(code << 8 | signal);
	return 0;
}

/* Read a state.  "CANCELLED by 1000" is CANCELLED. */
static void
read_state(char *text, struct queue_account_record *out)
{
	enum queue_state base;

	text[strcspn(text, " ")] = '\0';
	base = queue_state_find(text);
	out->state = base;
	out->state_name = base < QUEUE_OTHER ? queue_state_name(base) : "";
	out->alive = base < QUEUE_COMPLETED || base == QUEUE_OTHER;
}

/* Return whether a line describes a run; lines in these two states do not. */
static int
is_run(const char *state)
{
	return strncmp(state, "RESIZING", 8) != 0 &&
	    strncmp(state, "REVOKED", 7) != 0;
}

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_arrays(const void *pa, const void *pb)
{
	const struct queue_account_array *a = pa, *b = pb;
	int order = compare(a->array, b->array);

	if (order == 0)
		order = compare(a->since, b->since);
	if (order == 0)
		order = compare(a->exact, b->exact);
	return order != 0 ? order : compare(a->alone, b->alone);
}

/*
 * Return the index of the first array with this id.  Slurm may have assigned
 * the id twice, so several entries may have it.
 */
static size_t
first_of(const struct queue_account *account, uint32_t array)
{
	size_t low = 0, high = account->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (account->asked[middle].array < array)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
is_line_of(const struct queue_account_array *asked,
    const struct queue_account_entry *entry, const char *name)
{
	int64_t submit = entry->record.submit;

	if (entry->alone != asked->alone)
		return 0;
	if (asked->exact && submit <= asked->since)
		return submit == asked->since;
	return strcmp(asked->name, name) == 0 && submit >= asked->since - SLACK;
}

/*
 * Return the index of the requested array that a line belongs to, or the number
 * of arrays if there is none.  Slurm may have assigned an id twice: a line then
 * belongs to the younger array, unless the line fits the older array exactly or
 * is too early.
 */
static size_t
owner_of(const struct queue_account *account,
    const struct queue_account_entry *entry, const char *name)
{
	const struct queue_account_array *asked = account->asked, *old;
	size_t count = account->count, found = count, i;
	int64_t submit = entry->record.submit;

	for (i = first_of(account, entry->array);
	     i < count && asked[i].array == entry->array; i++) {
		if (!is_line_of(&asked[i], entry, name))
			continue;
		old = found == count ? NULL : &asked[found];
		if (old == NULL ||
		    ((!old->exact || old->since != submit) &&
			compare_arrays(old, &asked[i]) != 0 &&
			asked[i].since <= submit + NEAR))
			found = i;
	}
	return found;
}

/* Read a line of sacct.  Returns 0, or -1 if it is about no requested task. */
static int
read_line(const struct queue_account *account, char *line,
    struct queue_account_entry *out)
{
	struct queue_account_record *r = &out->record;
	char *column[COLUMNS];

	if (cut(line, column) == -1 || !is_run(column[STATE]) ||
	    read_id(column[ID], out) == -1 ||
	    read_exit(column[EXIT], &r->exit_status) == -1)
		return -1;
	read_state(column[STATE], r);
	r->submit = read_time(column[SUBMIT]);
	r->start = read_time(column[START]);
	r->end = read_time(column[END]);
	/* sacct gives a task that ended while pending its end as its start. */
	if (r->state == QUEUE_PENDING ||
	    ((r->state == QUEUE_CANCELLED || r->state == QUEUE_DEADLINE) &&
		r->end <= r->start))
		r->start = 0;
	out->of = owner_of(account, out, column[NAME]);
	return out->of < account->count ? 0 : -1;
}

/* Add a line to the account, unless it is about pending tasks. */
static void
take_line(struct queue_account *account, char *line)
{
	struct queue_account_entry entry = {0};
	struct queue_account_entries *list;

	if (read_line(account, line, &entry) == -1 ||
	    (entry.record.shared && entry.record.alive)) {
		idset_free(&entry.rest);
		return;
	}
	list = entry.record.shared ? &account->shared : &account->own;
	list->entry = xgrow(list->entry, list->count, sizeof *list->entry);
	list->entry[list->count++] = entry;
}

static int
compare_tasks(const void *pa, const void *pb)
{
	const struct queue_account_entry *a = pa, *b = pb;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return compare(a->index, b->index);
}

static int
compare_runs(const void *pa, const void *pb)
{
	const struct queue_account_entry *a = pa, *b = pb;
	int order = compare_tasks(a, b);

	if (order != 0)
		return order;
	return compare(a->record.submit, b->record.submit);
}

/* Keep only the last run of each task and count its earlier runs. */
static void
keep_last(struct queue_account_entries *own)
{
	struct queue_account_entry *e = own->entry;
	size_t kept = 0, i;

	if (own->count == 0)
		return;
	qsort(e, own->count, sizeof *e, compare_runs);
	for (i = 1; i < own->count; i++) {
		if (compare_tasks(&e[kept], &e[i]) == 0)
			e[i].record.restarts = e[kept].record.restarts + 1;
		else
			kept++;
		e[kept] = e[i];
	}
	own->count = kept + 1;
}

/*
 * Copy and sort the list.  The names are not copied: the caller must keep them
 * until the output has been read.
 */
static struct queue_account *
account_of(const struct queue_account_array *list, size_t count)
{
	struct queue_account *account = xcalloc(1, sizeof *account);

	account->asked = xcalloc(count + 1, sizeof *account->asked);
	account->count = count;
	if (count == 0)
		return account;
	memcpy(account->asked, list, count * sizeof *list);
	qsort(account->asked, count, sizeof *list, compare_arrays);
	return account;
}

static void
read_output(struct queue_account *account, const char *text)
{
	char *copy = xstrdup(text), *line, *rest;

	for (line = strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		take_line(account, line);
	keep_last(&account->own);
	free(copy);
}

struct queue_account *
queue_account_read(
    const char *text, const struct queue_account_array *list, size_t count)
{
	struct queue_account *account = account_of(list, count);

	account->expected = 1;
	read_output(account, text);
	return account;
}

/* ---- running sacct ---- */

/* Return the ids, each once: "13,16,17"; to free. */
static char *
join_ids(const struct queue_account *account)
{
	const struct queue_account_array *asked = account->asked;
	char *text = NULL;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < account->count; i++)
		if (i == 0 || asked[i].array != asked[i - 1].array)
			fprintf(out, "%s%" PRIu32, i > 0 ? "," : "",
			    asked[i].array);
	xmemclose(out);
	return text;
}

/*
 * Run sacct for one row per task (-X); flags may add a row per run (D).
 * Without -u an operator would get the jobs of other users, too.
 */
static int
run_sacct(const char *flags, const char *ids, int64_t ms,
    struct proc_result *result, struct error *e)
{
	char *user = xasprintf("%ju", (uintmax_t)getuid());
	const char *argv[] = {
	    "sacct", flags, "-u", user, "-j", ids, format, NULL};
	char **env = queue_environ();
	int rc;

	rc = proc_run((char *const *)(uintptr_t)argv, env, ms, result, e);
	free(env);
	free(user);
	return rc;
}

/*
 * Return why sacct failed, to free: the last line of its error output has the
 * cause.  Sets *expected to 0 if there is no accounting.
 */
static char *
trouble_of(const struct proc_result *result, int *expected)
{
	static const char *const prefixes[] = {"sacct: ", "error: ", "fatal: "};
	const char *at = result->complaint, *end = at + strlen(at);
	char *why;
	size_t i;

	*expected = 1;
	if (result->timed_out)
		return xstrdup("sacct did not end in time");
	while (end > at && end[-1] == '\n')
		end--;
	for (at = end; at > result->complaint && at[-1] != '\n'; at--)
		continue;
	for (i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (text_begins(at, prefixes[i]))
			at += strlen(prefixes[i]);
	if (at >= end)
		return xstrdup("sacct failed and gave no reason");
	why = xstrndup(at, (size_t)(end - at));
	*expected = strstr(why, "is disabled") == NULL;
	return why;
}

struct queue_account *
queue_account_load(const struct queue_account_array *list, size_t count)
{
	struct queue_account *account = account_of(list, count);
	struct proc_result result;
	struct error why;
	char *ids = NULL;
	int64_t ms;

	account->expected = 1;
	if (count == 0)
		return account;
	ids = join_ids(account);
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, &why) ==
		-1 ||
	    queue_check_configuration(&why) == -1 ||
	    run_sacct("-nPXD", ids, ms, &result, &why) == -1) {
		account->expected =
		    why.code != ERROR_ABSENT && why.code != ERROR_NO_SLURM;
		account->trouble = xstrdup(why.text);
	} else {
		if (proc_ok(&result))
			read_output(account, result.out);
		else
			account->trouble =
			    trouble_of(&result, &account->expected);
		proc_result_free(&result);
	}
	free(ids);
	return account;
}

/* ---- one job ---- */

/* Add one row of the job to out.  Pending tasks share a row. */
static void
take_row(uint32_t id, char *line, struct queue_account_job *out)
{
	struct queue_account_entry entry = {0};
	char *column[COLUMNS];
	int64_t submit;

	if (cut(line, column) == -1 || !is_run(column[STATE]) ||
	    read_id(column[ID], &entry) == -1 || entry.array != id) {
		idset_free(&entry.rest);
		return;
	}
	idset_add_all(&out->indices, &entry.rest);
	if (!entry.alone && !entry.record.shared)
		idset_add(&out->indices, entry.index, entry.index);
	submit = read_time(column[SUBMIT]);
	if (out->name == NULL)
		out->name = xstrdup(column[NAME]);
	if (out->submit == 0 || submit < out->submit)
		out->submit = submit;
	idset_free(&entry.rest);
}

int
queue_account_job(uint32_t id, struct queue_account_job *out, struct error *e)
{
	struct proc_result result = {0};
	char text[16], *line, *rest;
	int64_t ms;
	int rc = 0, expected;
	char *why;

	memset(out, 0, sizeof *out);
	snprintf(text, sizeof text, "%" PRIu32, id);
	if (queue_deadline("STFM_SLURM_TIMEOUT", QUEUE_READING, &ms, e) == -1 ||
	    run_sacct("-nPX", text, ms, &result, e) == -1)
		return -1;
	if (!proc_ok(&result)) {
		why = trouble_of(&result, &expected);
		rc = error_code(
		    e, expected ? ERROR_SILENT : ERROR_ABSENT, "%s", why);
		free(why);
	} else {
		for (line = strtok_r(result.out, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest))
			take_row(id, line, out);
	}
	proc_result_free(&result);
	if (rc == 0 && out->name == NULL)
		return error_code(e, ERROR_ABSENT,
		    "%" PRIu32 ": not known to Slurm's accounting", id);
	return rc;
}

void
queue_account_job_free(struct queue_account_job *job)
{
	idset_free(&job->indices);
	free(job->name);
	memset(job, 0, sizeof *job);
}

void
queue_account_free(struct queue_account *account)
{
	if (account == NULL)
		return;
	entries_free(&account->own);
	entries_free(&account->shared);
	free(account->asked);
	free(account->trouble);
	free(account);
}

/* Return the index of an array in the request, or the number of arrays. */
static size_t
find_asked(
    const struct queue_account *account, const struct queue_account_array *of)
{
	size_t i;

	for (i = first_of(account, of->array);
	     i < account->count && account->asked[i].array == of->array; i++)
		if (compare_arrays(&account->asked[i], of) == 0)
			return i;
	return account->count;
}

const struct queue_account_record *
queue_account_find(const struct queue_account *account,
    const struct queue_account_array *of, uint32_t index)
{
	struct queue_account_entry key = {
	    .of = find_asked(account, of), .index = index};
	const struct queue_account_entry *found = NULL;
	size_t i;

	if (of->alone)
		key.index = 0;
	if (account->own.count > 0)
		found = bsearch(&key, account->own.entry, account->own.count,
		    sizeof key, compare_tasks);
	for (i = 0; i < account->shared.count && found == NULL; i++)
		if (account->shared.entry[i].of == key.of &&
		    idset_has(&account->shared.entry[i].rest, index))
			found = &account->shared.entry[i];
	return found != NULL ? &found->record : NULL;
}
