#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "chart/scale.h"

/* Remove zeros after a decimal point, and "+0" from an exponent. */
static char *
tidy(char *s)
{
	char *exponent = strchr(s, 'e'), *end, *digits;
	char tail[CHART_NUMBER] = "";

	if (exponent != NULL) {
		digits = exponent + 1 + (exponent[1] == '+');
		if (exponent[1] == '-')
			digits++;
		while (*digits == '0' && digits[1] != '\0')
			digits++;
		snprintf(tail, sizeof tail, "e%s%s",
		    exponent[1] == '-' ? "-" : "", digits);
		*exponent = '\0';
	}
	if (strchr(s, '.') != NULL) {
		end = s + strlen(s);
		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	strncat(s, tail, CHART_NUMBER - 1 - strlen(s));
	return s;
}

char *
chart_number(double value, int digits, char out[CHART_NUMBER])
{
	double size = fabs(value);
	int decimals;

	if (!isfinite(value))
		return num_short(value, digits, out);
	if (size != 0 && (size < 1e-4 || size >= 1e6)) {
		snprintf(out, CHART_NUMBER, "%.*e", digits - 1, value);
		return tidy(out);
	}
	decimals = size > 0 ? digits - 1 - (int)floor(log10(size)) : 0;
	snprintf(out, CHART_NUMBER, "%.*f", decimals > 0 ? decimals : 0,
	    size > 0 ? value : 0);
	return tidy(out);
}

int
scale_decimals(const double *value, size_t count, int digits, double limit)
{
	double least = INFINITY, most = 0, size;
	size_t i;

	for (i = 0; i < count; i++) {
		size = fabs(value[i]);
		if (size > 0)
			least = fmin(least, size);
		most = fmax(most, size);
	}
	if (!isfinite(least) || least < 1e-4 || most >= limit)
		return -1;
	return (int)fmin(fmax(digits - 1 - floor(log10(least)), 0), 6);
}

char *
scale_fixed(double value, int decimals, int digits, char out[CHART_NUMBER])
{
	if (decimals < 0 || !isfinite(value) || fabs(value) >= 1e6)
		return chart_number(value, digits, out);
	snprintf(out, CHART_NUMBER, "%.*f", decimals, value);
	return out;
}

double
scale_at(const struct scale *s, double value)
{
	return ((s->log ? log(value) : value / 2) - s->from) / s->span;
}

/* Prepare scale_at, once the ends are final. */
static void
settle(struct scale *s)
{
	/* Halve both: the difference of two huge numbers would be infinite. */
	s->from = s->log ? log(s->low) : s->low / 2;
	s->span = (s->log ? log(s->high) : s->high / 2) - s->from;
}

static void
add_tick(struct scale *s, double value)
{
	/* A rounding error must not lose the tick at an end. */
	double at = scale_at(s, value);

	if (at > -1e-9 && at < 1 + 1e-9 && s->ticks < SCALE_TICKS)
		s->tick[s->ticks++] = value;
}

/* Move the ends to multiples of step if that leaves little empty. */
static void
snap(struct scale *s, const struct scale_spec *w, double step)
{
	double span = s->high - s->low;
	double low = floor(s->low / step) * step;
	double high = ceil(s->high / step) * step;

	if (!w->fixed_low && s->low - low < w->snap * span)
		s->low = fmin(s->low, low);
	if (!w->fixed_high && high - s->high < w->snap * span)
		s->high = fmax(s->high, high);
}

static double
multiples(const struct scale *s, double step)
{
	return floor(s->high / step + 1e-9) - ceil(s->low / step - 1e-9) + 1;
}

/*
 * Choose the smallest nice step that gives at most w->most ticks, and move the
 * ends to fit it.
 */
static double
choose_step(struct scale *s, const struct scale_spec *w)
{
	static const double nice[] = {1, 2, 2.5, 5, 10, 20};
	double raw = (s->high / 2 - s->low / 2) / (double)w->most * 2, step;
	int n = (int)floor(log10(fmax(raw, DBL_MIN))), fraction;
	struct scale moved;
	size_t i;

	if (w->whole && n < 0)
		n = 0;
	for (i = 0;; i++) {
		fraction = nice[i] == 2.5;
		if (w->whole && fraction && n == 0)
			continue;
		step = nice[i] * pow(10, n);
		moved = *s;
		if (!w->log)
			snap(&moved, w, step);
		if (i == 5 || multiples(&moved, step) <= (double)w->most)
			break;
	}
	*s = moved;
	n += i > 3;
	s->decimals = fraction - n > 0 ? fraction - n : 0;
	return step;
}

static void
add_multiples(struct scale *s, double step)
{
	double first = ceil(s->low / step - 1e-9), count = multiples(s, step);
	double i;

	settle(s);
	for (i = 0; i < count && i < SCALE_TICKS; i++)
		add_tick(s, (first + i) * step + 0.0);
}

/* Choose a step like choose_step, among the steps of a clock. */
static double
choose_span(struct scale *s, const struct scale_spec *w)
{
	static const double nice[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
	    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
	const size_t count = sizeof nice / sizeof *nice;
	struct scale moved;
	double step;
	size_t i;

	for (i = 0;; i++) {
		step = i < count
		    ? nice[i]
		    : nice[count - 1] * pow(2, (double)(i - count + 1));
		moved = *s;
		snap(&moved, w, step);
		if (multiples(&moved, step) <= (double)w->most)
			break;
	}
	*s = moved;
	return step;
}

static void
fit_linear(struct scale *s, const struct scale_spec *w)
{
	double step = choose_step(s, w), most;

	add_multiples(s, step);
	/*
	 * Use significant digits if there are too many decimals, or if no
	 * decimals leave large numbers looking equal.
	 */
	most = fmax(fabs(s->low), fabs(s->high));
	if (most >= 1e6 && s->decimals == 0)
		s->decimals = -1 - (int)fmax(1, ceil(log10(most / step)));
	if (s->decimals > 6)
		s->decimals = -4;
}

/* Return the next value of 1, 2 or 5 times a power of ten, up or down. */
static double
log_neighbour(double value, int up)
{
	static const double nice[] = {1, 2, 5, 10};
	double unit = pow(10, floor(log10(value) + 1e-12));
	int i;

	for (i = 0; i < 4; i++) {
		if (up && nice[i] * unit >= value * (1 - 1e-9))
			return nice[i] * unit;
		if (!up && nice[3 - i] * unit <= value * (1 + 1e-9))
			return nice[3 - i] * unit;
	}
	return value;
}

/* Make ticks at every stride-th decade; with fine also at its 2 and 5. */
static void
decade_ticks(struct scale *s, int stride, int fine)
{
	int n, first = (int)floor(log10(s->low));
	int last = (int)ceil(log10(s->high));

	s->ticks = 0;
	for (n = first; n <= last; n++) {
		if (n % stride != 0)
			continue;
		add_tick(s, pow(10, n));
		if (fine) {
			add_tick(s, 2 * pow(10, n));
			add_tick(s, 5 * pow(10, n));
		}
	}
}

static void
fit_log(struct scale *s, const struct scale_spec *w)
{
	double span = log10(s->high) - log10(s->low), snapped;

	snapped = log_neighbour(s->low, 0);
	if (!w->fixed_low && log10(s->low) - log10(snapped) < w->snap * span)
		s->low = snapped;
	snapped = log_neighbour(s->high, 1);
	if (!w->fixed_high && log10(snapped) - log10(s->high) < w->snap * span)
		s->high = snapped;
	settle(s);
	s->decimals = -3;
	span = log10(s->high) - log10(s->low);
	if (span < 10)
		decade_ticks(s, 1, 1);
	if (span >= 10 || s->ticks > w->most + 1)
		decade_ticks(s, 1 + (int)(span / (double)w->most), 0);
	if (s->ticks >= 2)
		return;
	/* Below a decade, the steps of a linear scale are more useful. */
	s->ticks = 0;
	fit_linear(s, w);
}

void
scale_fit(struct scale *s, const struct scale_spec *w)
{
	/* Stay far enough from the largest number that no step exceeds it. */
	const double huge = DBL_MAX / 100;
	double room;

	*s = (struct scale){.log = w->log, .time = w->time && !w->log};
	s->low = fmin(fmax(w->low, -huge), huge);
	s->high = fmin(fmax(w->high, -huge), huge);
	if (s->log)
		s->low = fmax(s->low, DBL_MIN * 100);
	s->high = fmax(s->high, s->low);
	/* Make room around a range of one value. */
	if (!(s->low < s->high) && s->log) {
		s->low = fmax(s->low / 2, DBL_MIN);
		s->high *= 2;
	} else if (!(s->low < s->high)) {
		room = w->whole ? 1 : fabs(s->low) / 10;
		if (room == 0)
			room = 1;
		s->high += room;
		if (!w->whole || s->low >= 1)
			s->low -= room;
	}
	if (s->log)
		fit_log(s, w);
	else if (w->time)
		add_multiples(s, choose_span(s, w));
	else
		fit_linear(s, w);
}

char *
scale_text(const struct scale *s, double tick, char out[CHART_NUMBER])
{
	if (s->time && fabs(tick) < 1e15)
		return num_span((int64_t)tick, out);
	if (s->decimals < 0 || fabs(tick) >= 1e15)
		return chart_number(
		    tick, s->decimals < 0 ? -s->decimals : 4, out);
	snprintf(out, CHART_NUMBER, "%.*f", s->decimals, tick);
	return tidy(out);
}
