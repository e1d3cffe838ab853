#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "usage/usage.h"

static const char first[] = "# stfm usage 1";

/* ---- spans ---- */

struct usage_span
usage_span(double end)
{
	struct usage_span s = {.end = end,
	    .gpu = NAN,
	    .gpu_memory = NAN,
	    .idle = NAN,
	    .cpu = NAN,
	    .memory = NAN};
	size_t i;

	for (i = 0; i < USAGE_GPUS; i++)
		s.each[i] = NAN;
	return s;
}

static double
begin_of(const struct usage *u, size_t i)
{
	return i > 0 ? u->span[i - 1].end : 0;
}

/* Return the mean of a over time_a and b over time_b, ignoring nan. */
static double
mean(double a, double time_a, double b, double time_b)
{
	if (isnan(a) || isnan(b) || time_a + time_b <= 0)
		return isnan(a) ? b : a;
	return (a * time_a + b * time_b) / (time_a + time_b);
}

/* Extend a, which starts at begin, by the span b, which follows a. */
static void
join(struct usage_span *a, double begin, const struct usage_span *b)
{
	double first_time = a->end - begin, time = b->end - a->end;
	size_t i;

	a->gpu = mean(a->gpu, first_time, b->gpu, time);
	a->idle = mean(a->idle, first_time, b->idle, time);
	a->cpu = mean(a->cpu, first_time, b->cpu, time);
	a->gpu_memory = fmax(a->gpu_memory, b->gpu_memory);
	a->memory = fmax(a->memory, b->memory);
	for (i = 0; i < USAGE_GPUS; i++)
		a->each[i] = mean(a->each[i], first_time, b->each[i], time);
	a->end = b->end;
}

void
usage_add(struct usage *u, const struct usage_span *s)
{
	struct usage_span *last = u->count > 0 ? &u->span[u->count - 1] : NULL;
	double begin;

	if (last != NULL && !(s->end > last->end))
		return;
	begin = last != NULL ? begin_of(u, u->count - 1) : 0;
	/*
	 * Join the two if together they are no longer than the average span,
	 * plus a quarter, because samples are not taken at exact seconds.
	 */
	if (u->count > 1 &&
	    s->end - begin <= begin / (double)(u->count - 1) * 1.25) {
		join(last, begin, s);
		return;
	}
	usage_thin(u, USAGE_MOST - 1);
	u->span[u->count++] = *s;
}

void
usage_thin(struct usage *u, size_t most)
{
	size_t i, kept;

	while (u->count > most && u->count > 1) {
		for (i = 0, kept = 0; i < u->count; i += 2, kept++) {
			u->span[kept] = u->span[i];
			if (i + 1 < u->count)
				join(&u->span[kept], begin_of(u, kept),
				    &u->span[i + 1]);
		}
		u->count = kept;
	}
}

/* ---- writing a record ---- */

/* The columns before those of each GPU. */
static const struct column {
	const char *name;
	size_t offset;
	int decimals;
} columns[] = {
    {"seconds", offsetof(struct usage_span, end), 0},
    {"gpu", offsetof(struct usage_span, gpu), 1},
    {"gpu_memory", offsetof(struct usage_span, gpu_memory), 0},
    {"gpu_idle", offsetof(struct usage_span, idle), 2},
    {"cpu", offsetof(struct usage_span, cpu), 2},
    {"memory", offsetof(struct usage_span, memory), 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double *
cell(struct usage_span *s, size_t column)
{
	if (column >= COLUMNS)
		return &s->each[column - COLUMNS];
	return (double *)(void *)((char *)s + columns[column].offset);
}

/* Write a value without trailing zeros; a positive one never as zero. */
static void
put_value(FILE *f, double value, int decimals)
{
	double least = pow(10, -decimals);
	char text[NUM_TEXT];

	if (value > 0 && value < least)
		value = least;
	value = round(value / least) * least;
	if (isfinite(value))
		fputs(num_short(value, 15, text), f);
}

static void
put_member(FILE *f, const char *name, double value)
{
	if (value > 0) {
		fprintf(f, " %s=", name);
		put_value(f, value, 2);
	}
}

char *
usage_text(const struct usage *u, size_t *length)
{
	size_t i, k, gpus = u->gpus > 1 ? u->gpus : 0;
	struct usage_span s;
	char *text;
	FILE *f = xmemopen(&text, length);

	fputs(first, f);
	if (*u->from != '\0')
		fprintf(f, " from=%s", u->from);
	put_member(f, "cpus", u->cpus);
	put_member(f, "memory_limit", u->memory_limit);
	if (*u->tool != '\0')
		fprintf(f, " tool=%s", u->tool);
	put_member(f, "gpus", (double)u->gpus);
	put_member(f, "gpu_total", u->gpu_total);
	putc('\n', f);
	for (i = 0; i < COLUMNS; i++)
		fprintf(f, "%s%s", i > 0 ? "," : "", columns[i].name);
	for (i = 0; i < gpus; i++)
		fprintf(f, ",gpu%d", u->name[i]);
	putc('\n', f);
	for (i = 0; i < u->count; i++) {
		s = u->span[i];
		for (k = 0; k < COLUMNS + gpus; k++) {
			fputs(k > 0 ? "," : "", f);
			put_value(f, *cell(&s, k),
			    k < COLUMNS ? columns[k].decimals : 1);
		}
		putc('\n', f);
	}
	xmemclose(f);
	return text;
}

/* ---- reading a record ---- */

/* Measured values are smaller, and exact when read from 15 digits. */
static const double largest = 1e12;

static double
amount(const char *text, size_t length)
{
	double value = num_amount(text, length);

	return value <= largest ? value : NAN;
}

/* Return the value after "name=" in a line, its length in *out, or NULL. */
static const char *
member(const char *line, size_t length, const char *name, size_t *out)
{
	size_t size = strlen(name), n;
	const char *at = line, *end = line + length;

	for (; at < end; at += n + 1) {
		for (n = 0; at + n < end && at[n] != ' '; n++)
			;
		if (n > size && at[size] == '=' &&
		    strncmp(at, name, size) == 0) {
			*out = n - size - 1;
			return at + size + 1;
		}
	}
	return NULL;
}

static double
member_number(const char *line, size_t length, const char *name)
{
	size_t size;
	const char *text = member(line, length, name, &size);

	return text != NULL ? amount(text, size) : NAN;
}

static double
known(double value)
{
	return isnan(value) ? 0 : value;
}

static void
read_word(
    const char *line, size_t length, const char *name, char out[USAGE_WORD])
{
	size_t size;
	const char *text = member(line, length, name, &size);

	snprintf(out, USAGE_WORD, "%.*s", text != NULL ? (int)size : 0,
	    text != NULL ? text : "");
}

static void
read_first(struct usage *u, const char *line, size_t length)
{
	double gpus = known(member_number(line, length, "gpus"));

	read_word(line, length, "from", u->from);
	read_word(line, length, "tool", u->tool);
	u->cpus = known(member_number(line, length, "cpus"));
	u->memory_limit = known(member_number(line, length, "memory_limit"));
	u->gpu_total = known(member_number(line, length, "gpu_total"));
	u->gpus = gpus <= USAGE_GPUS ? (size_t)gpus : USAGE_GPUS;
}

/* Return the next cell of *line and advance *line past it, or return NULL. */
static const char *
next(const char **line, const char *end, size_t *length)
{
	const char *cell_at = *line, *comma;

	if (cell_at > end)
		return NULL;
	comma = memchr(cell_at, ',', (size_t)(end - cell_at));
	if (comma == NULL)
		comma = end;
	*length = (size_t)(comma - cell_at);
	*line = comma + 1;
	return cell_at;
}

/* Read the numbers of the GPUs from the header, after the fixed columns. */
static void
read_header(struct usage *u, const char *line, const char *end)
{
	const char *text;
	size_t length, k;
	double value;

	for (k = 0; (text = next(&line, end, &length)) != NULL; k++) {
		if (k < COLUMNS || k - COLUMNS >= u->gpus || length < 3)
			continue;
		value = amount(text + 3, length - 3);
		u->name[k - COLUMNS] = value < 1e6 ? (int)value : 0;
	}
}

static void
read_span(struct usage *u, const char *line, const char *end)
{
	struct usage_span s = usage_span(NAN);
	size_t length, k, count = COLUMNS + u->gpus;
	const char *text;

	for (k = 0; k < count && (text = next(&line, end, &length)) != NULL;
	     k++)
		*cell(&s, k) = amount(text, length);
	if (k < COLUMNS || isnan(s.end))
		return;
	if (u->gpus == 1)
		s.each[0] = s.gpu;
	if (u->count < USAGE_MOST && s.end > begin_of(u, u->count))
		u->span[u->count++] = s;
}

const char *
usage_csv(const char *text)
{
	const char *end = strchr(text, '\n');

	return *text == '#' && end != NULL ? end + 1 : text;
}

int
usage_read(struct usage *u, const char *text, size_t length, struct error *e)
{
	const char *at = text, *all = text + length, *end;
	size_t number_of_line = 0;

	memset(u, 0, sizeof *u);
	if (length < sizeof first - 1 ||
	    memcmp(text, first, sizeof first - 1) != 0)
		return error_set(e, "no record of use");
	/* A last line without a newline was not written completely; skip it. */
	for (; (end = memchr(at, '\n', (size_t)(all - at))) != NULL;
	     at = end + 1)
		switch (number_of_line++) {
		case 0:
			read_first(u, at, (size_t)(end - at));
			break;
		case 1:
			read_header(u, at, end);
			break;
		default:
			read_span(u, at, end);
		}
	return 0;
}

/* ---- sums ---- */

/* The integral of a value over time, and the time in which it is known. */
struct total {
	double sum, time;
};

static void
count(struct total *t, double value, double time)
{
	if (isnan(value))
		return;
	t->sum += value * time;
	t->time += time;
}

static double
mean_of(const struct total *t)
{
	return t->time > 0 ? t->sum / t->time : NAN;
}

static double
or_nan(double value)
{
	return value > 0 ? value : NAN;
}

void
usage_sum(const struct usage *u, struct usage_sum *out)
{
	struct total gpu = {0, 0}, cpu = {0, 0}, idle = {0, 0};
	const struct usage_span *s;
	double time;
	size_t i, k;

	usage_sum_read(out, "");
	for (i = 0; i < u->count; i++) {
		s = &u->span[i];
		time = s->end - begin_of(u, i);
		count(&gpu, s->gpu, time);
		count(&cpu, s->cpu, time);
		count(&idle, s->idle, time);
		out->gpu_memory = fmax(out->gpu_memory, s->gpu_memory);
		out->memory = fmax(out->memory, s->memory);
		out->time = s->end;
	}
	out->gpus = or_nan((double)u->gpus);
	out->gpu = mean_of(&gpu);
	out->cpu = mean_of(&cpu);
	out->idle = idle.time > 0 ? idle.sum : NAN;
	out->gpu_total = or_nan(u->gpu_total);
	out->cpus = or_nan(u->cpus);
	out->memory_limit = or_nan(u->memory_limit);
	/* Find the GPU that has been idle longest at the end. */
	for (i = 0; i < u->gpus && u->count > 0; i++) {
		for (k = u->count; k > 0 && u->span[k - 1].each[i] == 0;)
			k--;
		time = u->span[u->count - 1].end - begin_of(u, k);
		if (!(time > (isnan(out->still) ? 0 : out->still)))
			continue;
		out->still = time;
		out->which = u->name[i];
	}
}

static const struct {
	const char *name;
	size_t offset;
	int decimals;
} sums[] = {
    {"time", offsetof(struct usage_sum, time), 0},
    {"gpus", offsetof(struct usage_sum, gpus), 0},
    {"gpu", offsetof(struct usage_sum, gpu), 1},
    {"gpu_memory", offsetof(struct usage_sum, gpu_memory), 0},
    {"gpu_total", offsetof(struct usage_sum, gpu_total), 0},
    {"idle", offsetof(struct usage_sum, idle), 0},
    {"still", offsetof(struct usage_sum, still), 0},
    {"which", offsetof(struct usage_sum, which), 0},
    {"cpu", offsetof(struct usage_sum, cpu), 2},
    {"cpus", offsetof(struct usage_sum, cpus), 2},
    {"memory", offsetof(struct usage_sum, memory), 0},
    {"memory_limit", offsetof(struct usage_sum, memory_limit), 0},
};
enum { SUMS = sizeof sums / sizeof *sums };

static double *
sum_at(const struct usage_sum *s, size_t i)
{
	return (double *)(void *)((char *)(uintptr_t)s + sums[i].offset);
}

char *
usage_sum_text(const struct usage_sum *s)
{
	size_t length, i, gap = 0;
	char *text;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < SUMS; i++) {
		if (isnan(*sum_at(s, i)))
			continue;
		fprintf(f, "%s%s=", gap ? " " : "", sums[i].name);
		put_value(f, *sum_at(s, i), sums[i].decimals);
		gap = 1;
	}
	xmemclose(f);
	return text;
}

void
usage_sum_read(struct usage_sum *out, const char *line)
{
	size_t i;

	for (i = 0; i < SUMS; i++)
		*sum_at(out, i) =
		    member_number(line, strlen(line), sums[i].name);
}
