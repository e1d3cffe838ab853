#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/record.h"
#include "store/table-row.h"

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
		if (ascii_casecmp(name, state_names[i]) == 0)
			return i;
		if (n > 0 && ascii_ncasecmp(name, state_names[i], n) == 0)
			found = found == -1 ? i : -2;
	}
	return found < 0 ? -1 : found;
}

int
store_state_is_final(enum store_state state)
{
	return state == STORE_FINISHED || store_state_is_failure(state);
}

int
store_state_is_failure(enum store_state state)
{
	return state == STORE_ERROR || state == STORE_STOPPED;
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
    AT(struct store_row, said),
    AT(struct store_row, node),
    AT(struct store_row, gpus),
    AT(struct store_row, account),
    AT(struct store_row, qos),
    AT(struct store_row, log),
    AT(struct store_row, err),
    AT(struct store_row, reason),
    AT(struct store_row, metrics_path),
    AT(struct store_row, metrics_marks),
    AT(struct store_row, pace),
    AT(struct store_row, usage),
};

static const struct member row_numbers[] = {
    AT(struct store_row, array),
    AT(struct store_row, index),
    AT(struct store_row, start),
    AT(struct store_row, end),
    AT(struct store_row, exit),
    AT(struct store_row, signal),
    AT(struct store_row, asked),
    AT(struct store_row, heard),
    AT(struct store_row, memory),
    AT(struct store_row, cpu),
    AT(struct store_row, gone),
    AT(struct store_row, metrics_inode),
    AT(struct store_row, metrics_check),
    AT(struct store_row, epoch_time),
    AT(struct store_row, limit),
    AT(struct store_row, completed),
};

static const struct member log_counts[] = {
    AT(struct metrics_summary, offset),
    AT(struct metrics_summary, epochs),
    AT(struct metrics_summary, restarts),
    AT(struct metrics_summary, damaged),
    AT(struct metrics_summary, values),
    AT(struct metrics_summary, nans),
    AT(struct metrics_summary, skip),
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
    AT(struct metrics_summary, format),
    AT(struct metrics_summary, continues),
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
    AT(struct metrics_summary, carried_first),
    AT(struct metrics_summary, carried_best),
    AT(struct metrics_summary, carried_epoch),
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

/* Of a log of which nothing was taken nothing is written either. */
static int
has_log(const struct metrics_summary *log)
{
	return log->offset > 0 || log->continues != 0;
}

static int
same_log(const struct metrics_summary *a, const struct metrics_summary *b)
{
	size_t i;
	int same = 1;

	if (!has_log(a) || !has_log(b))
		return has_log(a) == has_log(b);
	for (i = 0; i < COUNT(log_counts); i++)
		same &= *PLACE(uint64_t, a, log_counts[i]) ==
		    *PLACE(uint64_t, b, log_counts[i]);
	for (i = 0; i < COUNT(log_ints); i++)
		same &=
		    *PLACE(int, a, log_ints[i]) == *PLACE(int, b, log_ints[i]);
	for (i = 0; i < COUNT(log_reals); i++)
		same &= *PLACE(double, a, log_reals[i]) ==
		    *PLACE(double, b, log_reals[i]);
	return same && strcmp(a->x_name, b->x_name) == 0 &&
	    strcmp(a->metric, b->metric) == 0;
}

char *
store_row_slurm(const struct store_row *row)
{
	if (row->array == -1)
		return NULL;
	if (row->index == -1)
		return xasprintf("%" PRId64, row->array);
	return xasprintf("%" PRId64 "_%" PRId64, row->array, row->index);
}

int
store_row_status(const struct store_row *row)
{
	return (row->exit > 0 ? (int)row->exit << 8 : 0) |
	    (row->signal > 0 ? (int)row->signal : 0);
}

int
store_row_same(const struct store_row *a, const struct store_row *b)
{
	int same = a->state == b->state && a->attempt == b->attempt &&
	    a->restart == b->restart && a->facts == b->facts;
	size_t i;

	for (i = 0; i < COUNT(row_texts) && same; i++)
		same = text_same(*PLACE(char *, a, row_texts[i]),
		    *PLACE(char *, b, row_texts[i]));
	for (i = 0; i < COUNT(row_numbers) && same; i++)
		same = *PLACE(int64_t, a, row_numbers[i]) ==
		    *PLACE(int64_t, b, row_numbers[i]);
	return same && same_log(&a->metrics, &b->metrics);
}

/* ---- rows as JSON ---- */

static json_t *
log_record(const struct metrics_summary *log)
{
	json_t *record = json_object();
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		if (*PLACE(uint64_t, log, log_counts[i]) != 0)
			store_record_set_int(record, log_counts[i].key,
			    (int64_t)*PLACE(uint64_t, log, log_counts[i]));
	for (i = 0; i < COUNT(log_ints); i++)
		if (*PLACE(int, log, log_ints[i]) != 0)
			store_record_set_int(record, log_ints[i].key,
			    *PLACE(int, log, log_ints[i]));
	for (i = 0; i < COUNT(log_reals); i++)
		if (*PLACE(double, log, log_reals[i]) != 0)
			store_record_set_real(record, log_reals[i].key,
			    *PLACE(double, log, log_reals[i]));
	store_record_set_string(record, "x_name", log->x_name);
	store_record_set_string(record, "metric", log->metric);
	return record;
}

static void
take_name(const json_t *record, const char *key, char out[METRICS_NAME])
{
	const char *text = store_record_string(record, key);

	snprintf(out, METRICS_NAME, "%s", text != NULL ? text : "");
}

static void
take_log(const json_t *record, struct metrics_summary *log)
{
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++)
		*PLACE(uint64_t, log, log_counts[i]) =
		    (uint64_t)store_record_int(record, log_counts[i].key, 0);
	for (i = 0; i < COUNT(log_ints); i++)
		*PLACE(int, log, log_ints[i]) =
		    (int)store_record_int(record, log_ints[i].key, 0);
	for (i = 0; i < COUNT(log_reals); i++)
		*PLACE(double, log, log_reals[i]) =
		    store_record_real(record, log_reals[i].key);
	take_name(record, "x_name", log->x_name);
	take_name(record, "metric", log->metric);
}

int
store_row_is_new(const struct store_row *row)
{
	return row->state == STORE_SUBMITTED && row->cause == NULL &&
	    row->array == -1 && row->facts == 0 && row->attempt == 0 &&
	    row->restart == 0;
}

char *
store_row_text(const struct store_row *row, size_t *length)
{
	json_t *record = store_record_new();
	size_t i;

	/* store_row_brief reads as far as the facts, in this order. */
	store_record_set_int(record, "task", (int64_t)row->task);
	store_record_set_string(record, "state", state_names[row->state]);
	store_record_set_int(record, "attempt", row->attempt);
	store_record_set_int(record, "restart", row->restart);
	store_record_set_int(record, "facts", row->facts);
	for (i = 0; i < COUNT(row_texts); i++)
		store_record_set_string(record, row_texts[i].key,
		    *PLACE(char *, row, row_texts[i]));
	for (i = 0; i < COUNT(row_numbers); i++)
		if (*PLACE(int64_t, row, row_numbers[i]) != -1)
			store_record_set_int(record, row_numbers[i].key,
			    *PLACE(int64_t, row, row_numbers[i]));
	if (has_log(&row->metrics))
		json_object_set_new(
		    record, "metrics", log_record(&row->metrics));
	return store_record_text(record, 0, length);
}

static void
take_record(const json_t *record, struct store_row *row)
{
	const char *state = store_record_string(record, "state"), *text;
	int found = store_state_find(state != NULL ? state : "");
	size_t i;

	row->state = found == -1 ? STORE_SUBMITTED : (enum store_state)found;
	row->attempt = (uint32_t)store_record_int(record, "attempt", 0);
	row->restart = (uint32_t)store_record_int(record, "restart", 0);
	row->facts = (int)store_record_int(record, "facts", 0);
	for (i = 0; i < COUNT(row_texts); i++) {
		text = store_record_string(record, row_texts[i].key);
		if (text != NULL)
			*PLACE(char *, row, row_texts[i]) = xstrdup(text);
	}
	for (i = 0; i < COUNT(row_numbers); i++)
		*PLACE(int64_t, row, row_numbers[i]) =
		    store_record_int(record, row_numbers[i].key, -1);
	if (json_object_get(record, "metrics") != NULL)
		take_log(json_object_get(record, "metrics"), &row->metrics);
}

/* A row as JSON may have it in general. */
static int
parse_json(const char *line, size_t length, const char *what,
    struct store_row *out, struct error *e)
{
	json_t *record = store_record_read(line, length, what, e);
	int64_t task = store_record_int(record, "task", -1);

	if (record == NULL)
		return -1;
	if (task >= 0) {
		out->task = (uint64_t)task;
		take_record(record, out);
	}
	json_decref(record);
	return task >= 0 ? 0 : error_set(e, "%s: it is of no task", what);
}

/*
 * ---- rows as this program writes them ----
 *
 * Ten times as fast as JSON in general: known members in a known order, texts
 * without escapes.  Whatever is not so is left to parse_json.
 */

/* What is left of a line. */
struct rest {
	const char *at, *end;
};

static int
eat(struct rest *r, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(r->end - r->at) < length ||
	    memcmp(r->at, literal, length) != 0)
		return 0;
	r->at += length;
	return 1;
}

/* Whether the next member has this key; r is then at its value. */
static int
eat_key(struct rest *r, const char *key)
{
	size_t length = strlen(key);

	if ((size_t)(r->end - r->at) < length + 3 || r->at[0] != '"' ||
	    memcmp(r->at + 1, key, length) != 0 || r->at[length + 1] != '"' ||
	    r->at[length + 2] != ':')
		return 0;
	r->at += length + 3;
	return 1;
}

static int
take_number(struct rest *r, uint64_t most, uint64_t *out)
{
	const char *from = r->at;

	for (*out = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9';
	     r->at++) {
		*out = *out * 10 + (uint64_t)(*r->at - '0');
		if (*out > most)
			return 0;
	}
	return r->at > from;
}

/* Up to 18 digits: more never overflow, as they are left to JSON. */
static int
take_int(struct rest *r, int64_t *out)
{
	int negative = eat(r, "-");
	uint64_t value;

	if (!take_number(r, INT64_MAX / 10, &value))
		return 0;
	*out = negative ? -(int64_t)value : (int64_t)value;
	return 1;
}

/* A text without escapes: where it is, and its length. */
static int
take_text(struct rest *r, const char **text, size_t *length)
{
	const char *quote;

	if (!eat(r, "\""))
		return 0;
	quote = memchr(r->at, '"', (size_t)(r->end - r->at));
	if (quote == NULL ||
	    memchr(r->at, '\\', (size_t)(quote - r->at)) != NULL)
		return 0;
	*text = r->at;
	*length = (size_t)(quote - r->at);
	r->at = quote + 1;
	return 1;
}

static int
take_real_text(struct rest *r, double *out)
{
	char copy[NUM_TEXT];
	const char *text;
	size_t length;

	if (!take_text(r, &text, &length) || length >= sizeof copy)
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return num_parse(copy, out);
}

static int
take_name_text(struct rest *r, char out[METRICS_NAME])
{
	const char *text;
	size_t length;

	if (!take_text(r, &text, &length) || length >= METRICS_NAME)
		return 0;
	memcpy(out, text, length);
	out[length] = '\0';
	return 1;
}

static int
take_state(struct rest *r, enum store_state *out)
{
	int i;

	for (i = 0; i < STORE_STATES; i++)
		if (eat(r, state_names[i])) {
			*out = (enum store_state)i;
			return 1;
		}
	return 0;
}

/* What every row begins with. */
static int
take_brief(struct rest *r, struct store_brief *out)
{
	uint64_t attempt, restart, facts;

	if (!eat(r, "{\"v\":1,\"task\":") ||
	    !take_number(r, INT64_MAX / 10, &out->task) ||
	    !eat(r, ",\"state\":\"") || !take_state(r, &out->state) ||
	    !eat(r, "\",\"attempt\":") ||
	    !take_number(r, UINT32_MAX, &attempt) || !eat(r, ",\"restart\":") ||
	    !take_number(r, UINT32_MAX, &restart) || !eat(r, ",\"facts\":") ||
	    !take_number(r, INT32_MAX, &facts) || !eat(r, ","))
		return 0;
	out->attempt = (uint32_t)attempt;
	out->restart = (uint32_t)restart;
	out->facts = (int)facts;
	return 1;
}

static int
take_row_texts(struct rest *r, struct store_row *row)
{
	const char *text;
	size_t i, length;

	for (i = 0; i < COUNT(row_texts); i++) {
		if (!eat_key(r, row_texts[i].key))
			continue;
		if (!take_text(r, &text, &length) || !eat(r, ","))
			return 0;
		*PLACE(char *, row, row_texts[i]) = xstrndup(text, length);
	}
	return 1;
}

static int
take_row_numbers(struct rest *r, struct store_row *row)
{
	size_t i;

	for (i = 0; i < COUNT(row_numbers); i++)
		if (eat_key(r, row_numbers[i].key) &&
		    (!take_int(r, PLACE(int64_t, row, row_numbers[i])) ||
			!eat(r, ",")))
			return 0;
	return 1;
}

static int
take_log_numbers(struct rest *r, struct metrics_summary *log)
{
	int64_t value;
	size_t i;

	for (i = 0; i < COUNT(log_counts); i++) {
		if (!eat_key(r, log_counts[i].key))
			continue;
		if (!take_int(r, &value) || !eat(r, ","))
			return 0;
		*PLACE(uint64_t, log, log_counts[i]) = (uint64_t)value;
	}
	for (i = 0; i < COUNT(log_ints); i++) {
		if (!eat_key(r, log_ints[i].key))
			continue;
		if (!take_int(r, &value) || !eat(r, ","))
			return 0;
		*PLACE(int, log, log_ints[i]) = (int)value;
	}
	return 1;
}

static int
take_log_text(struct rest *r, struct metrics_summary *log)
{
	size_t i;

	if (!eat(r, "{") || !take_log_numbers(r, log))
		return 0;
	for (i = 0; i < COUNT(log_reals); i++)
		if (eat_key(r, log_reals[i].key) &&
		    (!take_real_text(r, PLACE(double, log, log_reals[i])) ||
			!eat(r, ",")))
			return 0;
	return eat_key(r, "x_name") && take_name_text(r, log->x_name) &&
	    eat(r, ",") && eat_key(r, "metric") &&
	    take_name_text(r, log->metric) && eat(r, "},");
}

/* Whether all of the line was as expected; the seal is known to hold. */
static int
take_line(struct rest *r, struct store_row *row)
{
	struct store_brief brief;

	if (!take_brief(r, &brief))
		return 0;
	row->task = brief.task;
	row->state = brief.state;
	row->attempt = brief.attempt;
	row->restart = brief.restart;
	row->facts = brief.facts;
	return take_row_texts(r, row) && take_row_numbers(r, row) &&
	    (!eat_key(r, "metrics") || take_log_text(r, &row->metrics)) &&
	    eat_key(r, "c") && r->end - r->at == sizeof "\"01234567\"}";
}

int
store_row_parse(const char *line, size_t length, const char *what,
    struct store_row *out, struct error *e)
{
	struct rest r = {line, line + length};

	store_row_clear(out, 0);
	if (take_line(&r, out) && store_record_holds(line, length))
		return 0;
	store_row_free(out);
	store_row_clear(out, 0);
	return parse_json(line, length, what, out, e);
}

int
store_row_brief(const char *line, size_t length, struct store_brief *out)
{
	struct rest r = {line, line + length};

	if (!take_brief(&r, out))
		return 0;
	out->length = (size_t)(r.at - line);
	return 1;
}

static int
takes_int(struct rest *r, const char *key, int64_t wanted)
{
	int64_t value;

	return eat_key(r, key) && take_int(r, &value) && value == wanted &&
	    eat(r, ",");
}

int
store_row_waits(const char *rest, size_t length, const char *cause,
    int64_t array, int64_t index)
{
	struct rest r = {rest, rest + length};

	if (cause != NULL &&
	    (!eat_key(&r, "cause") || !eat(&r, "\"") || !eat(&r, cause) ||
		!eat(&r, "\",")))
		return 0;
	return takes_int(&r, "array", array) &&
	    (index == -1 || takes_int(&r, "index", index)) && eat_key(&r, "c");
}
