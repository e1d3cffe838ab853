#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "num.h"
#include "store-row.h"
#include "store-seal.h"
#include "xalloc.h"

/* ---- states ---- */

static const char *const state_names[STORE_STATES] = {
    "SUBMITTED", "RUNNING", "FINISHED", "ERROR", "STOPPED"};

const char *
store_state_name(enum store_state state)
{
	return state_names[state];
}

int
store_state_find(const char *name)
{
	size_t n = strlen(name);
	int i, found = -1;

	for (i = 0; i < STORE_STATES; i++) {
		if (strcasecmp(name, state_names[i]) == 0)
			return i;
		if (n > 0 && strncasecmp(name, state_names[i], n) == 0)
			found = found == -1 ? i : -2;
	}
	return found < 0 ? -1 : found;
}

int
store_state_is_final(enum store_state state)
{
	return state == STORE_FINISHED || state == STORE_ERROR ||
	    state == STORE_STOPPED;
}

/* ---- the members of a row ---- */

#define AT(type, field) \
	{ \
#field, offsetof(type, field) \
	}
struct member {
	const char *key;
	size_t offset;
};

static const struct member row_texts[] = {
    AT(struct store_row, cause),
    AT(struct store_row, slurm),
    AT(struct store_row, node),
    AT(struct store_row, gpus),
    AT(struct store_row, log),
    AT(struct store_row, err),
    AT(struct store_row, reason),
    AT(struct store_row, metrics_path),
};

static const struct member row_numbers[] = {
    AT(struct store_row, array),
    AT(struct store_row, index),
    AT(struct store_row, start),
    AT(struct store_row, end),
    AT(struct store_row, exit),
    AT(struct store_row, signal),
    AT(struct store_row, asked),
    AT(struct store_row, memory),
    AT(struct store_row, cpu),
    AT(struct store_row, gone),
    AT(struct store_row, metrics_inode),
    AT(struct store_row, metrics_check),
};

static const struct member log_counts[] = {
    AT(struct metrics_summary, offset),
    AT(struct metrics_summary, epochs),
    AT(struct metrics_summary, restarts),
    AT(struct metrics_summary, damaged),
    AT(struct metrics_summary, values),
    AT(struct metrics_summary, nans),
};

static const struct member log_ints[] = {
    AT(struct metrics_summary, delimiter),
    AT(struct metrics_summary, columns),
    AT(struct metrics_summary, x_column),
    AT(struct metrics_summary, column),
    AT(struct metrics_summary, goal),
    AT(struct metrics_summary, has_best),
    AT(struct metrics_summary, last_kind),
    AT(struct metrics_summary, had_best),
};

static const struct member log_reals[] = {
    AT(struct metrics_summary, first),
    AT(struct metrics_summary, epoch),
    AT(struct metrics_summary, best),
    AT(struct metrics_summary, best_epoch),
    AT(struct metrics_summary, last),
    AT(struct metrics_summary, last_epoch),
    AT(struct metrics_summary, first_nan),
    AT(struct metrics_summary, nan_since),
    AT(struct metrics_summary, earlier_best),
    AT(struct metrics_summary, earlier_epoch),
};
#undef AT

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define PLACE(type, base, member) \
	((type *)(void *)((char *)(uintptr_t)(base) + (member).offset))

void
store_row_clear(struct store_row *row, uint64_t task)
{
	size_t i;

	memset(row, 0, sizeof *row);
	row->task = task;
	for (i = 0; i < COUNT(row_numbers); i++)
		*PLACE(int64_t, row, row_numbers[i]) = -1;
}

void
store_row_free(struct store_row *row)
{
	size_t i;

	for (i = 0; i < COUNT(row_texts); i++)
		free(*PLACE(char *, row, row_texts[i]));
}

/* ---- rows as JSON ---- */

/* Numbers as text keep every bit, where JSON's would be read as they please. */
static void
set_real(json_t *record, const char *key, double value)
{
	char text[NUM_TEXT];

	seal_set_string(record, key, num_exact(value, text));
}

static double
take_real(const json_t *record, const char *key)
{
	const char *text = seal_string(record, key);
	double value = 0;

	if (text != NULL)
		num_parse(text, &value);
	return value;
}

static json_t *
log_record(const struct metrics_summary *log)
{
	json_t *record = json_object();
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		if (*PLACE(uint64_t, log, log_counts[i]) != 0)
			seal_set_int(record, log_counts[i].key,
			    (int64_t)*PLACE(uint64_t, log, log_counts[i]));
	for (i = 0; i < COUNT(log_ints); i++)
		if (*PLACE(int, log, log_ints[i]) != 0)
			seal_set_int(record, log_ints[i].key,
			    *PLACE(int, log, log_ints[i]));
	for (i = 0; i < COUNT(log_reals); i++)
		if (*PLACE(double, log, log_reals[i]) != 0)
			set_real(record, log_reals[i].key,
			    *PLACE(double, log, log_reals[i]));
	seal_set_string(record, "x_name", log->x_name);
	seal_set_string(record, "metric", log->metric);
	return record;
}

static void
take_name(const json_t *record, const char *key, char out[METRICS_NAME])
{
	const char *text = seal_string(record, key);

	snprintf(out, METRICS_NAME, "%s", text != NULL ? text : "");
}

static void
take_log(const json_t *record, struct metrics_summary *log)
{
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		*PLACE(uint64_t, log, log_counts[i]) =
		    (uint64_t)seal_int(record, log_counts[i].key, 0);
	for (i = 0; i < COUNT(log_ints); i++)
		*PLACE(int, log, log_ints[i]) =
		    (int)seal_int(record, log_ints[i].key, 0);
	for (i = 0; i < COUNT(log_reals); i++)
		*PLACE(double, log, log_reals[i]) =
		    take_real(record, log_reals[i].key);
	take_name(record, "x_name", log->x_name);
	take_name(record, "metric", log->metric);
}

/* Whether there is nothing to say about a task. */
static int
is_pristine(const struct store_row *row)
{
	return row->state == STORE_SUBMITTED && row->cause == NULL &&
	    row->array == -1 && row->facts == 0 && row->attempt == 0 &&
	    row->restart == 0;
}

char *
store_row_text(const struct store_row *row, size_t *length)
{
	json_t *record;
	size_t i;

	if (is_pristine(row))
		return NULL;
	record = seal_new();
	/* store_row_brief reads as far as the facts, in this order. */
	seal_set_int(record, "task", (int64_t)row->task);
	seal_set_string(record, "state", state_names[row->state]);
	seal_set_int(record, "attempt", row->attempt);
	seal_set_int(record, "restart", row->restart);
	seal_set_int(record, "facts", row->facts);
	for (i = 0; i < COUNT(row_texts); i++)
		seal_set_string(record, row_texts[i].key,
		    *PLACE(char *, row, row_texts[i]));
	for (i = 0; i < COUNT(row_numbers); i++)
		if (*PLACE(int64_t, row, row_numbers[i]) != -1)
			seal_set_int(record, row_numbers[i].key,
			    *PLACE(int64_t, row, row_numbers[i]));
	if (row->metrics.offset > 0)
		json_object_set_new(
		    record, "metrics", log_record(&row->metrics));
	return seal_text(record, 0, length);
}

static void
take_row(const json_t *record, struct store_row *row)
{
	const char *state = seal_string(record, "state"), *text;
	int found = store_state_find(state != NULL ? state : "");
	size_t i;

	row->state = found == -1 ? STORE_SUBMITTED : (enum store_state)found;
	row->attempt = (uint32_t)seal_int(record, "attempt", 0);
	row->restart = (uint32_t)seal_int(record, "restart", 0);
	row->facts = (int)seal_int(record, "facts", 0);
	for (i = 0; i < COUNT(row_texts); i++) {
		text = seal_string(record, row_texts[i].key);
		if (text != NULL)
			*PLACE(char *, row, row_texts[i]) = xstrdup(text);
	}
	for (i = 0; i < COUNT(row_numbers); i++)
		*PLACE(int64_t, row, row_numbers[i]) =
		    seal_int(record, row_numbers[i].key, -1);
	if (json_object_get(record, "metrics") != NULL)
		take_log(json_object_get(record, "metrics"), &row->metrics);
}

int
store_row_parse(const char *line, size_t length, const char *what,
    struct store_row *out, struct error *e)
{
	json_t *record = seal_read(line, length, what, e);
	int64_t task;

	store_row_clear(out, 0);
	if (record == NULL)
		return -1;
	task = seal_int(record, "task", -1);
	if (task >= 0) {
		out->task = (uint64_t)task;
		take_row(record, out);
	}
	json_decref(record);
	return task >= 0 ? 0 : error_set(e, "%s: it is of no task", what);
}

/* ---- the beginning of a row ---- */

static int
skip(const char **at, const char *end, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(end - *at) < length || memcmp(*at, literal, length) != 0)
		return 0;
	*at += length;
	return 1;
}

static int
take_number(const char **at, const char *end, uint64_t most, uint64_t *out)
{
	const char *from = *at;

	for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*out = *out * 10 + (uint64_t)(**at - '0');
		if (*out > most)
			return 0;
	}
	return *at > from;
}

static int
take_state(const char **at, const char *end, enum store_state *out)
{
	int i;

	for (i = 0; i < STORE_STATES; i++)
		if (skip(at, end, state_names[i])) {
			*out = (enum store_state)i;
			return 1;
		}
	return 0;
}

int
store_row_brief(const char *line, size_t length, struct store_brief *out)
{
	const char *at = line, *end = line + length;
	uint64_t attempt, restart, facts;

	if (!skip(&at, end, "{\"v\":1,\"task\":") ||
	    !take_number(&at, end, INT64_MAX / 10, &out->task) ||
	    !skip(&at, end, ",\"state\":\"") ||
	    !take_state(&at, end, &out->state) ||
	    !skip(&at, end, "\",\"attempt\":") ||
	    !take_number(&at, end, UINT32_MAX, &attempt) ||
	    !skip(&at, end, ",\"restart\":") ||
	    !take_number(&at, end, UINT32_MAX, &restart) ||
	    !skip(&at, end, ",\"facts\":") ||
	    !take_number(&at, end, INT32_MAX, &facts) || !skip(&at, end, ","))
		return 0;
	out->attempt = (uint32_t)attempt;
	out->restart = (uint32_t)restart;
	out->facts = (int)facts;
	return 1;
}
