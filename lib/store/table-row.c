#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/fields.h"
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

/* ---- the fields of a row ---- */

/*
 * Strings before numbers, and of these the rungs first: take_fields and
 * store_row_rungs rely on this order.
 */
#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_row, member, 0)
#define NUMBER(member) STORE_FIELD(STORE_NUMBER, struct store_row, member, -1)
static const struct store_field fields[] = {
    TEXT(rungs),
    TEXT(cause),
    TEXT(slurm),
    TEXT(said),
    TEXT(node),
    TEXT(gpus),
    TEXT(account),
    TEXT(qos),
    TEXT(log),
    TEXT(err),
    TEXT(reason),
    TEXT(metrics_path),
    TEXT(metrics_marks),
    TEXT(pace),
    TEXT(usage),
    TEXT(point),
    TEXT(sampler),
    NUMBER(array),
    NUMBER(index),
    NUMBER(start),
    NUMBER(end),
    NUMBER(exit),
    NUMBER(signal),
    NUMBER(asked),
    NUMBER(heard),
    NUMBER(memory),
    NUMBER(cpu),
    NUMBER(gone),
    NUMBER(metrics_inode),
    NUMBER(metrics_check),
    NUMBER(epoch_time),
    NUMBER(limit),
    NUMBER(completed),
    NUMBER(code),
    {0},
};
#undef TEXT
#undef NUMBER

#define LOG(kind, member) STORE_FIELD(kind, struct metrics_summary, member, 0)
#define COUNT(member) LOG(STORE_NUMBER, member)
#define INT(member) LOG(STORE_INT, member)
#define REAL(member) LOG(STORE_REAL, member)
#define NAME(member) \
	STORE_ALWAYS(STORE_NAME, struct metrics_summary, member, METRICS_NAME)
static const struct store_field log_fields[] = {
    COUNT(offset),
    COUNT(epochs),
    COUNT(restarts),
    COUNT(damaged),
    COUNT(values),
    COUNT(nans),
    COUNT(skip),
    INT(delimiter),
    INT(columns),
    INT(x_column),
    INT(column),
    INT(goal),
    INT(has_best),
    INT(last_kind),
    INT(had_best),
    INT(format),
    INT(continues),
    INT(headed),
    REAL(first),
    REAL(begins),
    REAL(epoch),
    REAL(best),
    REAL(best_epoch),
    REAL(last),
    REAL(last_epoch),
    REAL(first_nan),
    REAL(nan_since),
    REAL(earlier_best),
    REAL(earlier_epoch),
    REAL(carried_first),
    REAL(carried_best),
    REAL(carried_epoch),
    REAL(heading),
    NAME(x_name),
    NAME(metric),
    {0},
};
#undef LOG
#undef COUNT
#undef INT
#undef REAL
#undef NAME

void
store_row_clear(struct store_row *row, uint64_t task)
{
	memset(row, 0, sizeof *row);
	row->task = task;
	store_fields_clear(fields, row);
}

void
store_row_free(struct store_row *row)
{
	store_fields_free(fields, row);
}

/* Return whether anything of a log was read; only then it is written. */
static int
has_log(const struct metrics_summary *log)
{
	return log->offset > 0 || log->continues != 0;
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
store_row_same(const struct store_row *a, const struct store_row *b)
{
	const struct metrics_summary *log = &a->metrics, *other = &b->metrics;

	if (a->state != b->state || a->attempt != b->attempt ||
	    a->restart != b->restart || a->facts != b->facts ||
	    !store_fields_same(fields, a, b))
		return 0;
	if (!has_log(log) || !has_log(other))
		return has_log(log) == has_log(other);
	return store_fields_same(log_fields, log, other);
}

/* ---- rows as JSON ---- */

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

	/* store_row_brief reads up to the facts, in this order. */
	store_record_set_int(record, "task", (int64_t)row->task);
	store_record_set_string(record, "state", state_names[row->state]);
	store_record_set_int(record, "attempt", row->attempt);
	store_record_set_int(record, "restart", row->restart);
	store_record_set_int(record, "facts", row->facts);
	store_fields_write(fields, row, record);
	if (has_log(&row->metrics))
		json_object_set_new(record, "metrics",
		    store_fields_write(
			log_fields, &row->metrics, json_object()));
	return store_record_text(record, 0, length);
}

static void
take_record(const json_t *record, struct store_row *row)
{
	const char *state = store_record_string(record, "state");
	const json_t *log = json_object_get(record, "metrics");
	int found = store_state_find(state != NULL ? state : "");

	row->state = found == -1 ? STORE_SUBMITTED : (enum store_state)found;
	row->attempt = (uint32_t)store_record_int(record, "attempt", 0);
	row->restart = (uint32_t)store_record_int(record, "restart", 0);
	row->facts = (int)store_record_int(record, "facts", 0);
	store_fields_take(fields, record, row, NULL);
	if (log != NULL)
		store_fields_take(log_fields, log, &row->metrics, NULL);
}

/* Read a row from JSON in any form. */
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
 * ---- rows as this version writes them ----
 *
 * Ten times as fast as JSON in general: known members in a known order, strings
 * without escapes but tabs.  Rows in any other form are left to parse_json.
 */

/* The rest of a line. */
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

/* If the next member has this key, move r to its value and return 1; else 0. */
static int
eat_key(struct rest *r, const char *key)
{
	size_t length;

	/* Most keys end here. */
	if (r->end - r->at < 3 || r->at[0] != '"' || r->at[1] != *key)
		return 0;
	length = strlen(key);
	if ((size_t)(r->end - r->at) < length + 3 ||
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

/* Read a number of up to 18 digits; longer ones are left to JSON. */
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

/*
 * Return a string in which the only escapes are tabs, which points have, to
 * free; or NULL.
 */
static char *
take_copy(struct rest *r)
{
	const char *quote, *from;
	char *copy, *to;

	if (!eat(r, "\""))
		return NULL;
	quote = memchr(r->at, '"', (size_t)(r->end - r->at));
	if (quote == NULL)
		return NULL;
	copy = to = xmalloc((size_t)(quote - r->at) + 1);
	for (from = r->at; from < quote; from++) {
		if (*from != '\\') {
			*to++ = *from;
		} else if (*++from == 't') {
			*to++ = '\t';
		} else {
			free(copy);
			return NULL;
		}
	}
	*to = '\0';
	r->at = quote + 1;
	return copy;
}

/* Read a string without escapes; *text points into the line. */
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

/* Read the beginning of a row. */
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

/* Read the value of a field; names and reals are strings. */
static int
take_field(struct rest *r, const struct store_field *f, void *of)
{
	char copy[METRICS_NAME];
	const char *text;
	size_t length;
	int64_t value;

	switch (f->kind) {
	case STORE_NUMBER:
		return take_int(r, of);
	case STORE_INT:
		if (!take_int(r, &value))
			return 0;
		*(int *)of = (int)value;
		return 1;
	case STORE_TEXT:
		*(char **)of = take_copy(r);
		return *(char **)of != NULL;
	case STORE_NAME:
	case STORE_REAL:
		if (!take_text(r, &text, &length) || length >= sizeof copy)
			return 0;
		memcpy(copy, text, length);
		copy[length] = '\0';
		if (f->kind == STORE_REAL)
			return num_parse(copy, of);
		memcpy(of, copy, length + 1);
		return 1;
	default:
		return 0;
	}
}

/* Read fields in their order; some may be missing. */
static int
take_fields(struct rest *r, const struct store_field *f, void *of)
{
	for (; f->key != NULL; f++)
		if (eat_key(r, f->key) &&
		    (!take_field(r, f, store_field_of(f, of)) ||
			(!eat(r, ",") && f[1].key != NULL)))
			return 0;
	return 1;
}

/* Return whether the whole line has the usual form; ignores the checksum. */
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
	return take_fields(r, fields, row) &&
	    (!eat_key(r, "metrics") ||
		(eat(r, "{") && take_fields(r, log_fields, &row->metrics) &&
		    eat(r, "},"))) &&
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

const char *
store_row_rungs(const char *rest, size_t length)
{
	static const char key[] = "\"rungs\":\"";
	const size_t n = sizeof key - 1;

	return length > n && memcmp(rest, key, n) == 0 ? rest + n : NULL;
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
