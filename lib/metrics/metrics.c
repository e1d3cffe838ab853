#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "metrics/private.h"
#include "sys/csv.h"

enum { LOOK_AHEAD = 64 };

static int
has_any(const char *name, const char *const *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (ascii_casestr(name, words[i]) != NULL)
			return 1;
	return 0;
}

/* mape and f1_loss are errors, whatever else is in the name. */
static int
is_error(const char *name)
{
	static const char *const errors[] = {
	    "loss", "err", "mape", "mse", "mae"};

	return has_any(name, errors, sizeof errors / sizeof *errors);
}

static int
is_score(const char *name)
{
	static const char *const scores[] = {"acc", "auc", "f1", "iou", "bleu",
	    "map", "r2", "precision", "recall"};

	return has_any(name, scores, sizeof scores / sizeof *scores);
}

enum metrics_goal
metrics_goal(const char *name)
{
	return !is_error(name) && is_score(name) ? METRICS_MAX : METRICS_MIN;
}

int
metrics_goal_known(const char *name)
{
	static const char *const losses[] = {"ppl", "perplexity", "nll"};

	return is_error(name) || is_score(name) ||
	    has_any(name, losses, sizeof losses / sizeof *losses);
}

int
metrics_better(enum metrics_goal goal, double a, double b)
{
	if (!isfinite(a))
		return 0;
	if (!isfinite(b))
		return 1;
	return goal == METRICS_MIN ? a < b : a > b;
}

/*
 * The delimiter of which the first line has most outside quotation marks.  The
 * line ends at its line end in any case: what has not been written yet must not
 * change the answer.
 */
static char
guess_delimiter(const char *bytes, size_t length)
{
	static const char candidates[] = ",\t;";
	size_t count[3] = {0}, i, best = 0;
	const char *at;
	int quoted = 0, met = 0;

	for (i = 0; i < length; i++) {
		if ((bytes[i] == '\n' || bytes[i] == '\r') && met)
			break;
		met = met || !isspace((unsigned char)bytes[i]);
		if (bytes[i] == '"')
			quoted = !quoted;
		at = bytes[i] && !quoted ? strchr(candidates, bytes[i]) : NULL;
		if (at != NULL)
			count[at - candidates]++;
	}
	for (i = 1; i < 3; i++)
		if (count[i] > count[best])
			best = i;
	return candidates[best];
}

/* Keep the names; numpy writes "# " before the first. */
static void
header_names(struct metrics_header *h, char *const *field, size_t count)
{
	size_t i;

	h->count = count;
	h->name = xcalloc(count, sizeof *h->name);
	h->kind = xcalloc(count, sizeof *h->kind);
	for (i = 0; i < count; i++)
		h->name[i] = xstrdup(i == 0 && field[0][0] == '#'
			? field[0] + 1 + strspn(field[0] + 1, " ")
			: field[i]);
}

static int
is_blank(const char *text)
{
	static const char *const words[] = {
	    "", "na", "n/a", "none", "null", "-"};
	size_t i;

	for (i = 0; i < sizeof words / sizeof *words; i++)
		if (ascii_casecmp(text, words[i]) == 0)
			return 1;
	return 0;
}

/* Note what the columns hold.  Returns whether there was any number. */
static int
look_at(struct metrics_header *h, char *const *field, size_t count)
{
	size_t i;
	double value;
	int any = 0;

	for (i = 0; i < count && i < h->count; i++)
		if (num_parse(field[i], &value))
			any = h->kind[i] = 1;
		else if (h->kind[i] == 0 && !is_blank(field[i]))
			h->kind[i] = -1;
	return any;
}

struct heading {
	struct metrics_header *h;
	size_t rows;
};

static int
heading_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct heading *g = arg;

	(void)end;
	if (g->h->name == NULL)
		header_names(g->h, field, count);
	else
		look_at(g->h, field, count);
	return g->rows++ == LOOK_AHEAD;
}

static int
check_names(const struct metrics_header *h, struct error *e)
{
	size_t i, numbers = 0;
	double value;

	if (h->count == 0)
		return error_set(e, "empty: no header line");
	for (i = 0; i < h->count; i++)
		numbers += *h->name[i] == '\0' || num_parse(h->name[i], &value);
	if (numbers == h->count)
		return error_set(e,
		    "no header line: the first line has no names of columns");
	return 0;
}

int
metrics_header_read(
    struct metrics_header *h, const char *bytes, size_t length, struct error *e)
{
	struct heading g = {.rows = 0};
	struct rows *r;
	int status;

	memset(h, 0, sizeof *h);
	g.h = h;
	h->delimiter = guess_delimiter(bytes, length);
	r = rows_new(h->delimiter);
	status = rows_feed(r, bytes, length, heading_row, &g, e);
	if (status == 0 && g.rows == 0)
		status = rows_finish(r, heading_row, &g, e);
	rows_free(r);
	if (status < 0 || check_names(h, e) < 0) {
		metrics_header_free(h);
		return -1;
	}
	return 0;
}

void
metrics_header_free(struct metrics_header *h)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		free(h->name[i]);
	free(h->name);
	free(h->kind);
	memset(h, 0, sizeof *h);
}

int
metrics_column(const struct metrics_header *h, const char *name)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (strcmp(h->name[i], name) == 0)
			return (int)i;
	for (i = 0; i < h->count; i++)
		if (ascii_casecmp(h->name[i], name) == 0)
			return (int)i;
	return METRICS_NONE;
}

static int
is_x_name(const char *name, const char *word)
{
	size_t length = strlen(word);

	return ascii_ncasecmp(name, word, length) == 0 &&
	    (name[length] == '\0' || strcmp(word, "iter") == 0);
}

int
metrics_guess_x(const struct metrics_header *h)
{
	static const char *const words[] = {
	    "epoch", "epochs", "step", "global_step", "steps", "iter"};
	size_t w, i;

	if (h->along)
		return 0;
	for (w = 0; w < sizeof words / sizeof *words; w++)
		for (i = 0; i < h->count; i++)
			if (is_x_name(h->name[i], words[w]) && h->kind[i] >= 0)
				return (int)i;
	return METRICS_NONE;
}

enum { OBJECTIVE_RANKS = 5 };

static int
is_objective_name(const char *name, int rank)
{
	const char *val = ascii_casestr(name, "val");

	/* Keras logs this beside the same by epoch. */
	if (ascii_casestr(name, "loss_vs_iterations") != NULL)
		return 0;
	switch (rank) {
	case 0:
		return ascii_casecmp(name, "val_loss") == 0;
	case 1:
		return val != NULL && ascii_casestr(val, "loss") != NULL;
	case 2: /* Loss/val */
		return val != NULL && ascii_casestr(name, "loss") != NULL;
	case 3:
		return ascii_casecmp(name, "loss") == 0;
	default:
		return ascii_casestr(name, "loss") != NULL;
	}
}

int
metrics_guess_objective(const struct metrics_header *h)
{
	int rank, x = metrics_guess_x(h);
	size_t i;

	for (rank = 0; rank < OBJECTIVE_RANKS; rank++)
		for (i = 0; i < h->count; i++)
			if (is_objective_name(h->name[i], rank) &&
			    h->kind[i] >= 0)
				return (int)i;
	for (i = 0; i < h->count; i++)
		if (h->kind[i] > 0 && (int)i != x && *h->name[i] != '\0')
			return (int)i;
	return METRICS_NONE;
}

/* What a name measures, and on what. */
struct measure {
	const char *base;
	size_t length;
	int validation;
};

static int
is_mark(char byte)
{
	return byte != '\0' && strchr("_-/. ", byte) != NULL;
}

/* Take a word off one end of a name: "val_loss", "Loss/val". */
static int
take_word(struct measure *m, const char *word)
{
	size_t length = strlen(word);

	if (m->length < length + 2)
		return 0;
	if (ascii_ncasecmp(m->base, word, length) == 0 &&
	    is_mark(m->base[length]))
		m->base += length + 1;
	else if (ascii_ncasecmp(m->base + m->length - length, word, length) !=
		0 ||
	    !is_mark(m->base[m->length - length - 1]))
		return 0;
	m->length -= length + 1;
	return 1;
}

static struct measure
split_name(const char *name)
{
	static const struct {
		const char *word;
		int validation;
	} kinds[] = {{"validation", 1}, {"valid", 1}, {"val", 1}, {"eval", 1},
	    {"training", 0}, {"train", 0}};
	struct measure m = {name, strlen(name), 0};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (take_word(&m, kinds[i].word)) {
			m.validation = kinds[i].validation;
			break;
		}
	/* Lightning adds this to what it also logs for each step. */
	if (m.length > 6 &&
	    ascii_ncasecmp(m.base + m.length - 6, "_epoch", 6) == 0)
		m.length -= 6;
	return m;
}

int
metrics_is_validation(const char *name)
{
	return split_name(name).validation;
}

int
metrics_partner(const struct metrics_header *h, int column)
{
	struct measure mine = split_name(h->name[column]), other;
	size_t i;

	for (i = 0; i < h->count; i++) {
		other = split_name(h->name[i]);
		if (other.validation != mine.validation &&
		    other.length == mine.length &&
		    ascii_ncasecmp(mine.base, other.base, mine.length) == 0)
			return (int)i;
	}
	return METRICS_NONE;
}

/* The number in a field, or 0 when there is none. */
static int
cell(char *const *field, size_t count, int column, double *out)
{
	return column >= 0 && (size_t)column < count &&
	    num_parse(field[column], out);
}

static int
any_number(char *const *field, size_t count)
{
	size_t i;
	double value;

	for (i = 0; i < count; i++)
		if (num_parse(field[i], &value))
			return 1;
	return 0;
}

/* More fields than the header has, beyond empty ones at the end. */
static int
is_damaged(char *const *field, size_t count, size_t columns)
{
	while (count > columns && *field[count - 1] == '\0')
		count--;
	return count > columns;
}

/* Where the rows stand along the x column. */
struct place {
	uint64_t epochs;
	double epoch;
};

enum step { NOWHERE, SAME, ONWARD, BACK };

static enum step
advance(struct place *p, int x, char *const *field, size_t count)
{
	double value;
	enum step step;

	if (x == METRICS_NONE) {
		if (!any_number(field, count))
			return NOWHERE;
		value = (double)p->epochs + 1;
	} else if (!cell(field, count, x, &value) || !isfinite(value)) {
		return p->epochs > 0 ? SAME : NOWHERE;
	}
	step = p->epochs == 0 || value > p->epoch ? ONWARD
	    : value < p->epoch                    ? BACK
						  : SAME;
	p->epochs += step != SAME;
	p->epoch = value;
	return step;
}

struct metrics_log {
	struct rows *rows;
	size_t columns;
	int x;
	int header_read;
	char last; /* the last byte fed */
	struct place place;
	size_t segment; /* number of the current one, from 1 */
	size_t wanted;
	struct metrics_series *series;
	size_t *in_segment; /* for each series, where its last point is */
};

struct metrics_log *
metrics_log_new(
    const struct metrics_header *h, int x, const int *column, size_t count)
{
	struct metrics_log *log = xcalloc(1, sizeof *log);
	size_t i;

	log->rows = rows_new(h->delimiter);
	log->columns = h->count;
	log->x = x;
	log->last = '\n';
	log->wanted = count;
	log->series = xcalloc(count, sizeof *log->series);
	log->in_segment = xcalloc(count, sizeof *log->in_segment);
	for (i = 0; i < count; i++)
		log->series[i].column = column[i];
	return log;
}

void
metrics_log_free(struct metrics_log *log)
{
	size_t i;

	if (log == NULL)
		return;
	for (i = 0; i < log->wanted; i++) {
		free(log->series[i].x);
		free(log->series[i].y);
		free(log->series[i].start);
	}
	free(log->series);
	free(log->in_segment);
	rows_free(log->rows);
	free(log);
}

static void
add_point(struct metrics_log *log, size_t i, double y)
{
	struct metrics_series *s = &log->series[i];
	double x = log->place.epoch;

	if (log->in_segment[i] != log->segment) {
		s->start = xgrow(s->start, s->starts, sizeof *s->start);
		s->start[s->starts++] = s->count;
		log->in_segment[i] = log->segment;
	} else if (s->x[s->count - 1] == x) {
		s->y[s->count - 1] = y;
		return;
	}
	if ((s->count & (s->count - 1)) == 0) { /* for a million of them */
		s->x = xgrow(s->x, s->count, sizeof *s->x);
		s->y = xgrow(s->y, s->count, sizeof *s->y);
	}
	s->x[s->count] = x;
	s->y[s->count++] = y;
}

static int
log_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct metrics_log *log = arg;
	enum step step;
	double y;
	size_t i;

	(void)end;
	if (!log->header_read) {
		log->header_read = 1;
		return 0;
	}
	if (is_damaged(field, count, log->columns))
		return 0;
	step = advance(&log->place, log->x, field, count);
	if (step == NOWHERE)
		return 0;
	if (step == BACK || log->segment == 0)
		log->segment++;
	for (i = 0; i < log->wanted; i++)
		if (cell(field, count, log->series[i].column, &y))
			add_point(log, i, y);
	return 0;
}

int
metrics_log_feed(
    struct metrics_log *log, const char *bytes, size_t length, struct error *e)
{
	if (length > 0)
		log->last = bytes[length - 1];
	return rows_feed(log->rows, bytes, length, log_row, log, e);
}

int
metrics_log_finish(struct metrics_log *log, struct error *e)
{
	return rows_finish(log->rows, log_row, log, e);
}

const struct metrics_series *
metrics_log_series(const struct metrics_log *log, size_t i)
{
	return &log->series[i];
}

int
metrics_log_waits(const struct metrics_log *log)
{
	return log->last != '\n' && log->last != '\r';
}

void
metrics_series_facts(const struct metrics_series *s, enum metrics_goal goal,
    struct metrics_facts *out)
{
	size_t i;

	out->best = out->first_nan = out->nan_since = METRICS_NO_POINT;
	for (i = 0; i < s->count; i++) {
		if (isfinite(s->y[i])) {
			out->nan_since = METRICS_NO_POINT;
			if (out->best == METRICS_NO_POINT ||
			    metrics_better(goal, s->y[i], s->y[out->best]))
				out->best = (ptrdiff_t)i;
			continue;
		}
		if (out->first_nan == METRICS_NO_POINT)
			out->first_nan = (ptrdiff_t)i;
		if (out->nan_since == METRICS_NO_POINT)
			out->nan_since = (ptrdiff_t)i;
	}
}

/* A call of metrics_summary_feed. */
struct summing {
	struct metrics_summary *s;
	const char *metric;
	int goal;
	uint64_t base; /* offset of the first byte fed */
	struct metrics_header header;
	struct error *e;
};

void
metrics_copy_name(char out[METRICS_NAME], const char *name)
{
	size_t used = 0, left = strlen(name), n;
	uint32_t c;

	for (; left > 0; name += n, left -= n) {
		n = text_utf8(name, left, &c);
		if (used + (n ? n : 1) >= METRICS_NAME)
			break;
		if (n == 0) {
			out[used++] = '?';
			n = 1;
			continue;
		}
		memcpy(out + used, name, n);
		used += n;
	}
	out[used] = '\0';
}

void
metrics_summary_reset(struct metrics_summary *s)
{
	struct metrics_summary old = *s;

	memset(s, 0, sizeof *s);
	s->continues = old.continues;
	s->carried_first = old.carried_first;
	s->carried_best = s->best = old.carried_best;
	s->carried_epoch = s->best_epoch = old.carried_epoch;
	s->has_best = (s->continues & METRICS_CARRIES_BEST) != 0;
	if (s->has_best)
		memcpy(s->metric, old.metric, sizeof s->metric);
}

void
metrics_summary_continue(
    struct metrics_summary *s, const struct metrics_summary *before)
{
	memset(s, 0, sizeof *s);
	s->continues = METRICS_CONTINUES;
	if (before->epochs > 0) {
		s->continues |= METRICS_CARRIES_FIRST;
		s->carried_first = before->first;
	}
	if (before->has_best) {
		s->continues |= METRICS_CARRIES_BEST;
		s->carried_best = before->best;
		s->carried_epoch = before->best_epoch;
		memcpy(s->metric, before->metric, sizeof s->metric);
	}
	metrics_summary_reset(s);
}

void
metrics_name_objective(struct metrics_summary *s, const char *name)
{
	char copy[METRICS_NAME];

	metrics_copy_name(copy, name);
	if (s->continues != 0 && strcmp(s->metric, copy) != 0) {
		s->continues &= ~METRICS_CARRIES_BEST;
		s->carried_best = s->carried_epoch = 0;
		s->best = s->best_epoch = 0;
		s->has_best = 0;
	}
	memcpy(s->metric, copy, sizeof copy);
}

/* Decide which columns to follow, now that there is a row. */
static void
settle(struct summing *g)
{
	struct metrics_summary *s = g->s;
	const struct metrics_header *h = &g->header;

	s->delimiter = h->delimiter;
	s->columns = (int)h->count;
	s->x_column = metrics_guess_x(h);
	s->column = g->metric ? metrics_column(h, g->metric)
			      : metrics_guess_objective(h);
	if (s->x_column != METRICS_NONE)
		metrics_copy_name(s->x_name, h->name[s->x_column]);
	metrics_name_objective(
	    s, s->column != METRICS_NONE ? h->name[s->column] : "");
	s->goal = g->goal == METRICS_GOAL_BY_NAME ? (int)metrics_goal(s->metric)
						  : g->goal;
}

static enum metrics_kind
kind_of(double value)
{
	if (isnan(value))
		return METRICS_NAN;
	if (isfinite(value))
		return METRICS_NUMBER;
	return value > 0 ? METRICS_INF : METRICS_MINUS_INF;
}

/* A value of the current epoch, perhaps in place of an earlier one. */
static void
take_value(struct metrics_summary *s, double value)
{
	int was_nan = s->last_kind > METRICS_NUMBER;

	s->values++;
	s->last_kind = kind_of(value);
	s->last = s->last_kind == METRICS_NUMBER ? value : 0;
	s->last_epoch = s->epoch;
	s->has_best = s->had_best;
	s->best = s->earlier_best;
	s->best_epoch = s->earlier_epoch;
	if (s->last_kind != METRICS_NUMBER) {
		if (s->nans++ == 0)
			s->first_nan = s->epoch;
		if (!was_nan)
			s->nan_since = s->epoch;
	} else if (!s->had_best ||
	    metrics_better((enum metrics_goal)s->goal, value, s->best)) {
		s->has_best = 1;
		s->best = value;
		s->best_epoch = s->epoch;
	}
}

void
metrics_take_row(struct metrics_summary *s, char *const *field, size_t count)
{
	struct place p = {s->epochs, s->epoch};
	enum step step;
	double value;

	if (is_damaged(field, count, (size_t)s->columns)) {
		s->damaged++;
		return;
	}
	step = advance(&p, s->x_column, field, count);
	if (step == NOWHERE)
		return;
	if (step != SAME) {
		s->had_best = s->has_best;
		s->earlier_best = s->best;
		s->earlier_epoch = s->best_epoch;
		s->restarts += step == BACK;
		if (s->epochs == 0)
			s->first = (s->continues & METRICS_CARRIES_FIRST) != 0
			    ? s->carried_first
			    : p.epoch;
		if (p.epoch < s->first)
			s->first = p.epoch;
	}
	s->epochs = p.epochs;
	s->epoch = p.epoch;
	if (cell(field, count, s->column, &value))
		take_value(s, value);
}

static int
summary_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct summing *g = arg;

	if (g->s->columns == 0) {
		if (g->header.name == NULL) {
			header_names(&g->header, field, count);
			return check_names(&g->header, g->e);
		}
		if (!look_at(&g->header, field, count))
			return 0;
		settle(g);
	}
	metrics_take_row(g->s, field, count);
	g->s->offset = g->base + end;
	return 0;
}

/* Read up to a NUL byte: what comes after it may not be there yet. */
static int
read_rows(struct summing *g, const char *bytes, size_t length, struct error *e)
{
	const char *hole = memchr(bytes, '\0', length);
	struct rows *r;
	int status;

	g->header.delimiter = g->s->columns == 0
	    ? guess_delimiter(bytes, length)
	    : (char)g->s->delimiter;
	g->base = g->s->offset;
	g->e = e;
	r = rows_new(g->header.delimiter);
	status = rows_feed(r, bytes, hole ? (size_t)(hole - bytes) : length,
	    summary_row, g, e);
	rows_free(r);
	metrics_header_free(&g->header);
	if (status == 0 && hole != NULL)
		status = error_set(e, "a NUL byte at byte %llu",
		    (unsigned long long)(g->base + (uint64_t)(hole - bytes)));
	return status;
}

/* Pass over one line that cannot be read, or will never be whole. */
static void
pass_over(struct metrics_summary *s, const char *rest, size_t length)
{
	const char *end = memchr(rest, '\n', length);
	size_t line = end ? (size_t)(end - rest) + 1 : length;

	s->offset += line;
	while (line > 0 && isspace((unsigned char)rest[line - 1]))
		line--;
	s->damaged += line > 0;
}

int
metrics_summary_feed(struct metrics_summary *s, const char *metric, int goal,
    const char *bytes, size_t length, int ended, struct error *e)
{
	struct summing g = {.s = s, .metric = metric, .goal = goal};
	size_t taken = 0;
	uint64_t from = s->offset;
	int status;

	for (;;) {
		status = read_rows(&g, bytes + taken, length - taken, e);
		taken = (size_t)(s->offset - from);
		if (!ended || s->columns == 0 || taken == length)
			return status;
		pass_over(s, bytes + taken, length - taken);
		taken = (size_t)(s->offset - from);
	}
}

double
metrics_epochs_done(double first, double epoch, int fractions)
{
	return first <= 0 && !fractions ? epoch + 1 : epoch;
}

/* Rows with the same epoch are one: where there are more, they lie within. */
int
metrics_summary_has_fractions(const struct metrics_summary *m)
{
	if (m->epoch != floor(m->epoch) || m->first != floor(m->first))
		return 1;
	return m->restarts == 0 && m->epoch - m->first < (double)m->epochs - 1;
}

double
metrics_summary_last(const struct metrics_summary *s)
{
	switch (s->last_kind) {
	case METRICS_NUMBER:
		return s->last;
	case METRICS_INF:
		return INFINITY;
	case METRICS_MINUS_INF:
		return -INFINITY;
	default:
		return NAN;
	}
}
