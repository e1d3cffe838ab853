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

static int
is_mark(char byte)
{
	return byte != '\0' && strchr("_-/. ", byte) != NULL;
}

/* Return whether one of these words is anywhere in a name, in any case. */
static int
has_word(const char *name, const char *const *word)
{
	for (; *word != NULL; word++)
		if (ascii_casestr(name, *word) != NULL)
			return 1;
	return 0;
}

/* Return whether one of these words is a part of a name: wer, but not power. */
static int
has_part(const char *name, const char *const *word)
{
	const char *at;
	size_t length;

	for (; *word != NULL; word++)
		for (at = name, length = strlen(*word);
		     (at = ascii_casestr(at, *word)) != NULL; at++)
			if ((at == name || is_mark(at[-1])) &&
			    (at[length] == '\0' || is_mark(at[length])))
				return 1;
	return 0;
}

/* Return whether a name has a word for errors: f1_loss is not a score. */
static int
is_error(const char *name)
{
	static const char *const words[] = {"loss", "err", "mape", "mse", "mae",
	    "perplexity", "cross_entropy", "crossentropy", NULL};
	static const char *const parts[] = {
	    "ppl", "nll", "wer", "cer", "fid", "brier", "bpc", "bpb", NULL};

	return has_word(name, words) || has_part(name, parts);
}

static int
is_score(const char *name)
{
	static const char *const words[] = {"acc", "auc", "auroc", "auprc",
	    "f1", "iou", "bleu", "rouge", "map", "r2", "precision", "recall",
	    "reward", "kappa", "ndcg", "psnr", "pearson", "spearman", "jaccard",
	    NULL};
	static const char *const parts[] = {"roc", "dice", "ssim", "return",
	    "returns", "score", "mcc", "mrr", "top1", "top5", "meteor", NULL};

	return has_word(name, words) || has_part(name, parts);
}

enum metrics_goal
metrics_goal(const char *name)
{
	return !is_error(name) && is_score(name) ? METRICS_MAX : METRICS_MIN;
}

int
metrics_goal_known(const char *name)
{
	/* A loss times -1 is better when larger, a likelihood when smaller. */
	static const char *const doubtful[] = {"neg", "negative", NULL};

	return (is_error(name) || is_score(name)) && !has_part(name, doubtful);
}

int
metrics_goal_check(
    const char *metric, const char *goal, const char *to_do, struct error *e)
{
	if (goal != NULL || metrics_goal_known(metric))
		return 0;
	return error_set(e,
	    "the name %s does not tell whether smaller or larger values are "
	    "better: %s",
	    metric, to_do);
}

int
metrics_goal_read(const char *text, struct error *e)
{
	if (strcmp(text, "min") == 0)
		return METRICS_MIN;
	if (strcmp(text, "max") == 0)
		return METRICS_MAX;
	error_set(e, "--goal: %s: choose min or max", text);
	return error_names(e, "--goal");
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
 * Return the delimiter that is most frequent in the first line outside
 * quotation marks.  A quoted line end ends the line as well: the answer must
 * not change when more is written.
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

/* Take the names of the columns; numpy writes "# " before the first name. */
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

/* Record which columns have numbers.  Returns whether any field is a number. */
static int
look_at(struct metrics_header *h, char *const *field, size_t count)
{
	static const char *const blank[] = {
	    "", "na", "n/a", "none", "null", "-"};
	size_t i, k, blanks = sizeof blank / sizeof *blank;
	double value;
	int any = 0;

	for (i = 0; i < count && i < h->count; i++) {
		if (num_parse(field[i], &value)) {
			any = h->kind[i] = 1;
			continue;
		}
		for (k = 0; k < blanks; k++)
			if (ascii_casecmp(field[i], blank[k]) == 0)
				break;
		if (k == blanks && h->kind[i] == 0)
			h->kind[i] = -1;
	}
	return any;
}

struct heading {
	struct metrics_header *h;
	size_t rows;
};

static int
heading_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	enum { LOOK_AHEAD = 64 };
	struct heading *g = arg;

	(void)end;
	if (g->rows == 0)
		header_names(g->h, field, count);
	else
		look_at(g->h, field, count);
	return g->rows++ == LOOK_AHEAD;
}

int
metrics_header_read(
    struct metrics_header *h, const char *bytes, size_t length, struct error *e)
{
	struct heading g = {.h = h};
	struct rows *r;
	int status;

	memset(h, 0, sizeof *h);
	h->delimiter = guess_delimiter(bytes, length);
	r = rows_new(h->delimiter);
	status = rows_feed(r, bytes, length, heading_row, &g, e);
	if (status == 0 && g.rows == 0)
		status = rows_finish(r, heading_row, &g, e);
	rows_free(r);
	if (status >= 0 && check_names(h, e) == 0)
		return 0;
	metrics_header_free(h);
	return -1;
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

int
metrics_guess_x(const struct metrics_header *h)
{
	static const char *const words[] = {
	    "epoch", "epochs", "step", "global_step", "steps", "iter"};
	size_t w, i, length;

	if (h->along)
		return 0;
	for (w = 0; w < sizeof words / sizeof *words; w++)
		for (i = 0; i < h->count; i++) {
			length = strlen(words[w]);
			if (ascii_ncasecmp(h->name[i], words[w], length) == 0 &&
			    (h->name[i][length] == '\0' ||
				strcmp(words[w], "iter") == 0) &&
			    h->kind[i] >= 0)
				return (int)i;
		}
	return METRICS_NONE;
}

enum { TRAINING = 3, RANKS = 5 };

/*
 * Rank a name as objective: 0 is best, from TRAINING on it is not of
 * validation, RANKS is unsuitable.
 */
static int
objective_rank(const char *name)
{
	const char *val = ascii_casestr(name, "val");

	/* Keras logs loss_vs_iterations in addition to the loss. */
	if (ascii_casestr(name, "loss") == NULL ||
	    ascii_casestr(name, "loss_vs_iterations") != NULL)
		return RANKS;
	if (ascii_casecmp(name, "val_loss") == 0)
		return 0;
	if (val != NULL) /* the second form: Loss/val */
		return ascii_casestr(val, "loss") != NULL ? 1 : 2;
	return ascii_casecmp(name, "loss") == 0 ? TRAINING : 4;
}

/* The parts of a metric's name: its base, and whether it is of validation. */
struct measure {
	const char *base;
	size_t length;
	int validation;
};

/*
 * Remove a word from one end of a name: "val_loss", "Loss/val".  Returns
 * whether the word was there.
 */
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
	/* Lightning appends this if the metric is also logged per step. */
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
metrics_guess_objective(const struct metrics_header *h)
{
	int rank, best = RANKS, column = METRICS_NONE, x = metrics_guess_x(h);
	size_t i;

	for (i = 0; i < h->count; i++) {
		rank = objective_rank(h->name[i]);
		if (rank < best && h->kind[i] >= 0) {
			best = rank;
			column = (int)i;
		}
	}
	/* val_acc tells more than the loss on the training data. */
	for (i = 0; i < h->count && best >= TRAINING; i++)
		if (h->kind[i] >= 0 && (int)i != x &&
		    metrics_is_validation(h->name[i]))
			return (int)i;
	for (i = 0; i < h->count && column == METRICS_NONE; i++)
		if (h->kind[i] > 0 && (int)i != x && *h->name[i] != '\0')
			column = (int)i;
	return column;
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

/* Read the number in a field.  Returns whether the field is a number. */
static int
cell(char *const *field, size_t count, int column, double *out)
{
	return column >= 0 && (size_t)column < count &&
	    num_parse(field[column], out);
}

/*
 * Return whether a row has more fields than the header, not counting empty
 * fields at its end.
 */
static int
is_damaged(char *const *field, size_t count, size_t columns)
{
	while (count > columns && *field[count - 1] == '\0')
		count--;
	return count > columns;
}

/* The position of the rows on the x axis. */
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
	size_t i;

	if (x == METRICS_NONE) {
		for (i = 0; i < count && !num_parse(field[i], &value);)
			i++;
		if (i == count)
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

/* ---- reduced series ---- */

/*
 * The groups of a series: 2^shift points; most may grow.  The last group begins
 * with point last, before which the log has before points.
 */
struct reduction {
	size_t most, last;
	uint64_t before;
	unsigned shift;
};

/* Return whether sums of values of this size are finite. */
static int
is_usual(double y)
{
	return fabs(y) < 1e290;
}

/*
 * Return the end of the group that begins with point i: before stop, where a
 * segment begins, and before *at, the number of points in the log, reaches
 * limit.  All its values are usual, or else the same.
 */
static size_t
group_end(const struct metrics_series *s, size_t i, size_t stop, uint64_t limit,
    uint64_t *at)
{
	double y = s->y[i];
	size_t end = i;

	if (is_usual(y))
		for (; end < stop && *at < limit && is_usual(s->y[end]); end++)
			*at += s->weight[end];
	else
		for (; end < stop && *at < limit &&
		     (s->y[end] == y || (isnan(s->y[end]) && isnan(y)));
		     end++)
			*at += s->weight[end];
	return end;
}

/* Move point i to index kept, where it stands for all before end. */
static void
keep_point(struct metrics_series *s, size_t kept, size_t i, size_t end)
{
	double y = s->y[i], excess = s->excess[i];
	uint64_t weight = s->weight[i];

	s->x[kept] = s->x[i];
	for (i++; i < end; i++) {
		excess += s->excess[i] + (double)s->weight[i] * (s->y[i] - y);
		weight += s->weight[i];
	}
	s->y[kept] = y;
	s->excess[kept] = excess;
	s->weight[kept] = weight;
}

/*
 * Reduce the points from i up to end, one group, to its first, last, least and
 * greatest point.  They are moved to index kept.  Returns the index after them.
 */
static size_t
drop_group(struct metrics_series *s, size_t kept, size_t i, size_t end)
{
	size_t low = i, high = i, last = end - 1, k, next;
	double y, least = s->y[i], most = least;

	for (k = i + 1; k < end; k++) {
		y = s->y[k];
		if (y < least) {
			least = y;
			low = k;
		}
		if (y > most) {
			most = y;
			high = k;
		}
	}
	for (; i < end; i = next) {
		next = i < last ? last : end;
		if (low > i && low < next)
			next = low;
		if (high > i && high < next)
			next = high;
		keep_point(s, kept++, i, next);
	}
	return kept;
}

/*
 * Reduce groups of 2^shift neighbours in the log, from the last group on.
 * Returns the number of points in the log.
 */
static uint64_t
drop_points(struct metrics_series *s, struct reduction *r)
{
	size_t i, end, kept = r->last, next = s->starts, stop;
	uint64_t at = r->before, limit;

	while (next > 0 && s->start[next - 1] >= kept)
		next--;
	for (i = kept; i < s->count; i = end) {
		r->last = kept;
		r->before = at;
		if (next < s->starts && s->start[next] == i)
			s->start[next++] = kept;
		stop = next < s->starts ? s->start[next] : s->count;
		limit = ((at >> r->shift) + 1) << r->shift;
		end = group_end(s, i, stop, limit, &at);
		kept = drop_group(s, kept, i, end);
	}
	s->count = kept;
	return at;
}

/*
 * Reduce a series to less than its most points, by larger groups if necessary.
 * If that would lose too much, double most instead.
 */
static void
reduce(struct metrics_series *s, struct reduction *r)
{
	uint64_t points = drop_points(s, r);

	/* Stop before the groups would be too large for a chart. */
	while (s->count > r->most / 2 && points >> r->shift > r->most / 16) {
		r->shift++;
		r->last = 0;
		r->before = 0;
		points = drop_points(s, r);
	}
	/* Most groups have few points, as of nan and numbers by turns. */
	if (s->count > r->most / 2)
		r->most *= 2;
}

/* ---- series ---- */

struct metrics_log {
	struct rows *rows;
	size_t columns;
	int x;
	int header_read;
	int continued; /* the next row begins another log */
	char last;     /* the last byte fed */
	struct place place;
	size_t segment; /* number of the current segment, from 1 */
	size_t wanted;
	struct metrics_series *series;
	size_t *in_segment; /* for each series, the segment of its last point */
	struct reduction *reduction; /* for each series, or NULL */
};

struct metrics_log *
metrics_log_new(const struct metrics_header *h, int x, const int *column,
    size_t count, size_t most)
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
	if (most > 0)
		log->reduction = xcalloc(count, sizeof *log->reduction);
	for (i = 0; i < count; i++) {
		log->series[i].column = column[i];
		if (most > 0)
			log->reduction[i].most = most;
	}
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
		free(log->series[i].segment);
		free(log->series[i].weight);
		free(log->series[i].excess);
	}
	free(log->series);
	free(log->in_segment);
	free(log->reduction);
	rows_free(log->rows);
	free(log);
}

/*
 * Move count numbers of eight bytes to memory of their size.  realloc would
 * leave a hole behind them, too small for the numbers of the next log.
 */
static void *
moved(void *numbers, size_t count)
{
	void *fit = xcalloc(count + 1, sizeof(double));

	if (count > 0)
		memcpy(fit, numbers, count * sizeof(double));
	free(numbers);
	return fit;
}

static void
shrink(struct metrics_log *log)
{
	struct metrics_series *s;
	size_t i;

	for (i = 0; i < log->wanted && log->reduction != NULL; i++) {
		s = &log->series[i];
		if (s->count > log->reduction[i].most / 2)
			reduce(s, &log->reduction[i]);
		s->x = moved(s->x, s->count);
		s->y = moved(s->y, s->count);
		s->weight = moved(s->weight, s->count);
		s->excess = moved(s->excess, s->count);
	}
}

/* Make room for one more point. */
static void
grow(struct metrics_log *log, size_t i)
{
	struct metrics_series *s = &log->series[i];

	s->x = xgrow(s->x, s->count, sizeof *s->x);
	s->y = xgrow(s->y, s->count, sizeof *s->y);
	if (log->reduction == NULL)
		return;
	s->weight = xgrow(s->weight, s->count, sizeof *s->weight);
	s->excess = xgrow(s->excess, s->count, sizeof *s->excess);
}

static void
add_point(struct metrics_log *log, size_t i, double y)
{
	struct metrics_series *s = &log->series[i];
	double x = log->place.epoch;

	if (log->in_segment[i] != log->segment) {
		s->start = xgrow(s->start, s->starts, sizeof *s->start);
		s->segment = xgrow(s->segment, s->starts, sizeof *s->segment);
		s->segment[s->starts] = log->segment;
		s->start[s->starts++] = s->count;
		log->in_segment[i] = log->segment;
	} else if (s->x[s->count - 1] == x) {
		s->y[s->count - 1] = y;
		return;
	}
	/* Skip the call for most points: there may be millions. */
	if ((s->count & (s->count - 1)) == 0)
		grow(log, i);
	if (log->reduction != NULL) {
		s->weight[s->count] = 1;
		s->excess[s->count] = 0;
	}
	s->x[s->count] = x;
	s->y[s->count++] = y;
	if (log->reduction != NULL && s->count >= log->reduction[i].most)
		reduce(s, &log->reduction[i]);
}

static void
add_row(struct metrics_log *log, char *const *field, size_t count)
{
	enum step step = advance(&log->place, log->x, field, count);
	double y;
	size_t i;

	if (step == NOWHERE)
		return;
	if (step == BACK || log->segment == 0 ||
	    (step == SAME && log->continued))
		log->segment++;
	log->continued = 0;
	for (i = 0; i < log->wanted; i++)
		if (cell(field, count, log->series[i].column, &y))
			add_point(log, i, y);
}

static int
log_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct metrics_log *log = arg;

	(void)end;
	if (!log->header_read)
		log->header_read = 1;
	else if (!is_damaged(field, count, log->columns))
		add_row(log, field, count);
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

void
metrics_log_add(struct metrics_log *log, char *const *field)
{
	add_row(log, field, log->columns);
}

void
metrics_log_continue(struct metrics_log *log)
{
	log->continued = 1;
}

int
metrics_log_finish(struct metrics_log *log, int is_complete, struct error *e)
{
	int status = log->last != '\n' && log->last != '\r';

	if (is_complete)
		status = rows_finish(log->rows, log_row, log, e);
	shrink(log);
	return status;
}

const struct metrics_series *
metrics_log_series(const struct metrics_log *log, size_t i)
{
	return &log->series[i];
}

int
metrics_log_beside(
    const struct metrics_log *log, size_t i, size_t at, size_t k, double *out)
{
	const struct metrics_series *s = &log->series[i], *o = &log->series[k];
	size_t segment = 0, n, from, end;

	for (n = 0; n < s->starts && s->start[n] <= at; n++)
		segment = s->segment[n];
	for (n = 0; n < o->starts && o->segment[n] != segment;)
		n++;
	if (n == o->starts)
		return 0;
	end = n + 1 < o->starts ? o->start[n + 1] : o->count;
	for (from = o->start[n]; from < end; from++)
		if (o->x[from] == s->x[at]) {
			*out = o->y[from];
			return 1;
		}
	return 0;
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

/* ---- summaries ---- */

/* The arguments of one call of metrics_summary_feed. */
struct summing {
	struct metrics_summary *s;
	const struct metrics_request *request;
	uint64_t base; /* offset of the first byte passed to the rows */
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

/* Record a value of the current epoch, replacing an earlier value. */
static void
take_value(struct metrics_summary *s, double value)
{
	int was_nan = s->last_kind > METRICS_NUMBER;

	s->values++;
	s->last_kind = isnan(value) ? METRICS_NAN
	    : isfinite(value)       ? METRICS_NUMBER
	    : value > 0             ? METRICS_INF
				    : METRICS_MINUS_INF;
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
metrics_take_row(struct metrics_summary *s,
    const struct metrics_request *request, char *const *field, size_t count)
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
	if (step != SAME && request->epoch != NULL &&
	    metrics_summary_has_value(s))
		request->epoch(request->arg, s);
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
		if (s->epochs == 0 || p.epoch < s->begins)
			s->begins = p.epoch;
	}
	s->epochs = p.epochs;
	s->epoch = p.epoch;
	if (cell(field, count, s->column, &value))
		take_value(s, value);
}

/* Take a row; the first after the header decides which columns to follow. */
static int
summary_row(void *arg, char *const *field, size_t count, uint64_t end)
{
	struct summing *g = arg;
	struct metrics_summary *s = g->s;
	struct metrics_header *h = &g->header;

	if (s->columns == 0) {
		if (h->name == NULL) {
			header_names(h, field, count);
			return check_names(h, g->e);
		}
		if (!look_at(h, field, count))
			return 0;
		s->delimiter = h->delimiter;
		s->columns = (int)h->count;
		s->x_column = metrics_guess_x(h);
		s->column = g->request->metric != NULL
		    ? metrics_column(h, g->request->metric)
		    : metrics_guess_objective(h);
		if (s->x_column != METRICS_NONE)
			metrics_copy_name(s->x_name, h->name[s->x_column]);
		metrics_name_objective(
		    s, s->column != METRICS_NONE ? h->name[s->column] : "");
		s->goal = g->request->goal == METRICS_GOAL_BY_NAME
		    ? (int)metrics_goal(s->metric)
		    : g->request->goal;
	}
	metrics_take_row(s, g->request, field, count);
	s->offset = g->base + end;
	return 0;
}

/* Read rows up to a NUL byte: the bytes after it may not be written yet. */
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

int
metrics_feed(struct metrics_summary *s, const struct metrics_request *request,
    const char *bytes, size_t length, int ended, struct error *e)
{
	struct summing g = {.s = s, .request = request};
	const char *end, *rest;
	size_t left, line;
	uint64_t from = s->offset;
	int status;

	for (;;) {
		rest = bytes + (s->offset - from);
		status =
		    read_rows(&g, rest, (size_t)(bytes + length - rest), e);
		rest = bytes + (s->offset - from);
		left = (size_t)(bytes + length - rest);
		if (!ended || s->columns == 0 || left == 0)
			return status;
		/* Skip a line that is damaged, or will never be complete. */
		end = memchr(rest, '\n', left);
		line = end != NULL ? (size_t)(end - rest) + 1 : left;
		s->offset += line;
		while (line > 0 && isspace((unsigned char)rest[line - 1]))
			line--;
		s->damaged += line > 0;
	}
}

int
metrics_summary_feed(struct metrics_summary *s, const char *metric, int goal,
    const char *bytes, size_t length, int ended, struct error *e)
{
	const struct metrics_request request = {.metric = metric, .goal = goal};

	return metrics_feed(s, &request, bytes, length, ended, e);
}

/* Repeated epochs count once: more rows than epochs means fractions. */
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
