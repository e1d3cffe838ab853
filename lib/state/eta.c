#include <sys/stat.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/read-files.h"
#include "state/eta.h"
#include "state/resolve.h"
#include "store/load.h"
#include "store/policy.h"
#include "sys/fs.h"

enum {
	SAMPLES = 9, /* samples of a task's log that are kept */
	ROWS = 3,    /* rows of the log that must be timed */
	TEXT = 40    /* most bytes of a sample with its blank */
};

/* ---- timing in the row ---- */

/*
 * The timing of a task, in the row as text: "12.1 11.9*3 f21.5/1/4 p0.25".
 *
 * The samples come first, in seconds per epoch, the newest last; "*3" is the
 * number of epochs if that is not 1.  "f" begins the first look at the log of
 * this run, which includes the start-up; a "?" says that its pace may be far
 * off.  "p" is the part of a second to add to epoch_time.
 */
struct timing {
	size_t count;
	struct sample {
		double pace, epochs;
	} sample[SAMPLES + 1];
	double first;    /* seconds from the start to the first look */
	double epochs;   /* epochs done at the first look, or 0 */
	double guess;    /* most seconds per epoch by that look */
	int vague;       /* whether guess may be much too high */
	double fraction; /* part of a second to add to epoch_time */
};

/* Read a number after the character begin ('\0': none); 0 without a number. */
static double
take_number(const char **text, char begin)
{
	char *end;
	double value;

	if (begin != '\0' && **text != begin)
		return 0;
	*text += begin != '\0';
	value = strtod(*text, &end);
	*text = end;
	return isfinite(value) && value >= 0 ? value : 0;
}

static void
take_sample(struct timing *t, const char **text)
{
	const char *begin = *text;
	struct sample *sample = &t->sample[t->count];
	double pace = strtod(begin, NULL);

	sample->pace = take_number(text, '\0');
	sample->epochs = **text == '*' ? take_number(text, '*') : 1;
	if (*text != begin && isfinite(pace) && pace >= 0 && sample->epochs > 0)
		t->count += t->count < SAMPLES;
	if (*text == begin) /* not a number */
		*text += strlen(begin);
}

static struct timing
timing_of(const struct store_row *row)
{
	struct timing t = {0};
	const char *text = row->pace != NULL ? row->pace : "";

	for (text += strspn(text, " "); *text != '\0';
	     text += strspn(text, " ")) {
		if (*text == 'f') {
			t.first = take_number(&text, 'f');
			t.epochs = take_number(&text, '/');
			t.guess = take_number(&text, '/');
			t.vague = *text == '?';
			text += t.vague;
		} else if (*text == 'p') {
			t.fraction = take_number(&text, 'p');
		} else {
			take_sample(&t, &text);
		}
	}
	return t;
}

static void
keep_timing(struct store_row *row, const struct timing *t)
{
	char text[(SAMPLES + 3) * TEXT], one[3][NUM_TEXT];
	size_t i = t->count > SAMPLES ? 1 : 0, used = 0;

	for (*text = '\0'; i < t->count; i++) {
		used += (size_t)snprintf(text + used, sizeof text - used,
		    "%s%s", used > 0 ? " " : "",
		    num_short(t->sample[i].pace, 4, one[0]));
		if (t->sample[i].epochs != 1)
			used += (size_t)snprintf(text + used,
			    sizeof text - used, "*%s",
			    num_short(t->sample[i].epochs, 4, one[0]));
	}
	if (t->epochs > 0)
		used += (size_t)snprintf(text + used, sizeof text - used,
		    "%sf%s/%s/%s%s", used > 0 ? " " : "",
		    num_short(t->first, 6, one[0]),
		    num_short(t->epochs, 6, one[1]),
		    num_short(t->guess, 4, one[2]), t->vague ? "?" : "");
	if (t->fraction > 0)
		snprintf(text + used, sizeof text - used, "%sp%s",
		    used > 0 ? " " : "", num_short(t->fraction, 3, one[0]));
	free(row->pace);
	row->pace = *text != '\0' ? xstrdup(text) : NULL;
}

static int
by_pace(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->pace;
	double y = ((const struct sample *)b)->pace;

	return x < y ? -1 : x > y;
}

/* Return the median pace; each sample counts as often as it has epochs. */
static double
median(struct sample *sample, size_t count)
{
	double all = 0, sum = 0;
	size_t i;

	if (count == 0)
		return NAN;
	qsort(sample, count, sizeof *sample, by_pace);
	for (i = 0; i < count; i++)
		all += sample[i].epochs;
	for (i = 0; i + 1 < count; i++) {
		sum += sample[i].epochs;
		if (sum == all / 2)
			return (sample[i].pace + sample[i + 1].pace) / 2;
		if (sum > all / 2)
			break;
	}
	return sample[i].pace;
}

static double
timed_pace(const struct timing *t)
{
	struct sample sample[SAMPLES + 1];

	memcpy(sample, t->sample, sizeof sample);
	return median(sample, t->count);
}

/* Return how many epochs lie between two rows of the log. */
static double
stride(const struct metrics_summary *m)
{
	double step;

	if (m->epochs < 2 || m->restarts > 0)
		return 1;
	step = (m->epoch - m->first) / (double)(m->epochs - 1);
	return step > 0 ? step : 1;
}

/* Return whether enough epochs were timed to predict the rest. */
static int
is_timed(const struct store_row *row, const struct timing *t)
{
	double epochs = 0;
	size_t i;

	for (i = 0; i < t->count; i++)
		epochs += t->sample[i].epochs;
	return epochs >= ROWS * stride(&row->metrics) * (1 - 1e-6);
}

/* Return whether all epochs of the log were trained since the row's start. */
static int
is_whole(const struct store_row *row)
{
	return row->restart == 0 && row->metrics.restarts == 0 &&
	    (row->metrics.continues & METRICS_CARRIES_FIRST) == 0;
}

/* Return the seconds that a run took up to its last epoch, or nan. */
static double
seconds_of(const struct store_row *row)
{
	int64_t end = row->epoch_time;

	if (end == -1 && row->state == STORE_FINISHED)
		end = row->end;
	if (row->restart > 0 || row->metrics.restarts > 0 || row->start == -1 ||
	    end <= row->start)
		return NAN;
	return (double)(end - row->start);
}

double
job_eta_pace(const struct store_row *row)
{
	const struct metrics_summary *m = &row->metrics;
	double epochs = (double)m->epochs * stride(m);
	struct timing t = timing_of(row);

	if (!store_state_is_final(row->state) || t.count > 0)
		return timed_pace(&t);
	return epochs > 0 ? seconds_of(row) / epochs : NAN;
}

/*
 * Return the seconds per epoch of a run that is over, without its start-up.
 * The creation time of the log tells when the start-up ended, before or after
 * the first epoch.  Returns nan if the log was created at the end, or is a
 * copy.
 */
static double
pace_since_born(const struct store_row *row)
{
	double step = stride(&row->metrics), seconds = seconds_of(row);
	double epochs = (double)row->metrics.epochs * step, since;

	if (row->metrics.epochs < 2 || isnan(seconds))
		return NAN;
	seconds += timing_of(row).fraction;
	since = (double)row->start + seconds - fs_born(row->metrics_path);
	if (since > 0.1 * seconds && since < seconds)
		return since / (epochs - 0.5 * step);
	return NAN;
}

void
job_eta_end(struct store_row *row)
{
	double pace = pace_since_born(row);
	struct timing t = {.count = 1,
	    .sample[0] = {pace, 1},
	    .fraction = timing_of(row).fraction};

	if (isnan(pace))
		t.count = 0;
	keep_timing(row, &t);
	row->limit = -1;
}

/* ---- timing of other tasks of the job ---- */

/* Learn the duration of a task that is over, with its start-up. */
static int
learn_end(struct job_eta_others *o, const struct store_row *row,
    const struct job_progress *p)
{
	const struct metrics_summary *m = &row->metrics;
	double epochs = (double)m->epochs * stride(m);
	double seconds = seconds_of(row);

	if (isnan(seconds) && !isnan(job_eta_pace(row)))
		seconds = job_eta_pace(row) * epochs;
	if (isnan(seconds) || epochs <= 0)
		return 0;
	/* If this task stopped early, other tasks may stop early, too. */
	if (row->state == STORE_FINISHED && is_whole(row) && p->epochs > epochs)
		epochs = p->epochs;
	o->seconds[o->over] = seconds;
	o->epochs[o->over++] = epochs;
	return 1;
}

/* Learn what the pruner saves, by tasks that have started and did not fail. */
static void
learn_saved(struct job_eta_others *o, const struct store_row *row,
    const struct job_progress *p)
{
	int is_pruned = state_is_pruned(row);

	if (row->start == -1 || !(p->epochs > 0) ||
	    !(is_pruned || row->state == STORE_RUNNING ||
		row->state == STORE_FINISHED))
		return;
	o->tasks++;
	if (is_pruned)
		o->saved += 1 - fmin(p->done / p->epochs, 1);
}

int
job_eta_learn(struct job_eta_others *o, const struct store_row *row,
    const struct job_progress *p)
{
	struct timing t = timing_of(row);
	double pace;

	if (o->count == JOB_ETA_OTHERS)
		return 0;
	learn_saved(o, row, p);
	if (store_state_is_final(row->state)) {
		o->count += learn_end(o, row, p);
		return 1;
	}
	if (!is_timed(row, &t))
		return 1;
	pace = timed_pace(&t);
	o->count++;
	o->pace[o->paces++] = pace;
	if (t.epochs > 0 && row->restart == 0)
		o->startup[o->startups++] = fmax(t.first - t.epochs * pace, 0);
	return 1;
}

static double
middle(const double *value, size_t count)
{
	struct sample *sample = xcalloc(count + 1, sizeof *sample);
	double result;
	size_t i;

	for (i = 0; i < count; i++)
		sample[i] = (struct sample){value[i], 1};
	result = median(sample, count);
	free(sample);
	return result;
}

/*
 * Return the seconds per epoch by the line through the tasks that are over, or
 * nan if its standard error is more than a quarter of it.  Times are whole
 * seconds.
 */
static double
slope(const struct job_eta_others *o, double epochs, double seconds)
{
	const double rounding = 1 / 6.0; /* variance of a difference of times */
	double xx = 0, xy = 0, yy = 0, rest, result;
	size_t i;

	for (i = 0; i < o->over; i++) {
		xx += (o->epochs[i] - epochs) * (o->epochs[i] - epochs);
		xy += (o->epochs[i] - epochs) * (o->seconds[i] - seconds);
		yy += (o->seconds[i] - seconds) * (o->seconds[i] - seconds);
	}
	if (xx <= 0)
		return NAN;
	result = xy / xx;
	rest = fmax(yy - result * xy, 0) / fmax((double)o->over - 2, 1);
	return result / 4 >= sqrt((rest + rounding) / xx) ? result : NAN;
}

/* Set the expectation that the tasks which are over give. */
static void
fit(struct job_eta_usual *usual, const struct job_eta_others *o)
{
	double epochs = 0, seconds = 0;
	size_t i;

	for (i = 0; i < o->over; i++) {
		epochs += o->epochs[i] / (double)o->over;
		seconds += o->seconds[i] / (double)o->over;
	}
	usual->each = slope(o, epochs, seconds);
	if (isnan(usual->each))
		usual->each = usual->pace;
	usual->is_sound = !isnan(usual->each);
	/* No start-up takes less than 0 s: longer tasks are slower here. */
	if (o->over > 0 && !(usual->each <= seconds / epochs))
		usual->each = seconds / epochs;
	usual->fixed = seconds - usual->each * epochs;
	if (o->over == 0)
		usual->each = usual->fixed = NAN;
}

struct job_eta_usual
job_eta_usual(const struct job_eta_others *o)
{
	struct job_eta_usual usual = {
	    .pace = middle(o->pace, o->paces),
	    .startup = middle(o->startup, o->startups),
	    .saved = o->tasks > 0 ? o->saved / (double)o->tasks : 0,
	};

	fit(&usual, o);
	return usual;
}

/* ---- a growing log ---- */

/* Return the epochs trained between two looks at the log, or 0 if unknown. */
static double
epochs_since(
    const struct metrics_summary *before, const struct metrics_summary *now)
{
	if (now->epochs <= before->epochs || now->restarts != before->restarts)
		return 0;
	if (before->epochs > 0)
		return now->epoch - before->epoch;
	/* The first row of a log of steps covers unknown epochs. */
	if (now->epochs == 1 && ascii_ncasecmp(now->x_name, "epoch", 5) != 0 &&
	    *now->x_name != '\0')
		return 0;
	return (double)now->epochs * stride(now);
}

/*
 * Note the first look at the log of a run; the time until then includes the
 * start-up.  The creation time of the log tells when the start-up ended, before
 * or after the first epoch.  A log with one epoch may have been created with
 * that epoch's first row, some time before its last row.
 */
static void
note_first(struct timing *t, const struct store_row *row, double seconds,
    double epochs)
{
	double born = fs_born(row->metrics_path) - (double)row->start;
	double since = seconds - born, guess = seconds / epochs;

	t->vague = 0;
	if (born > 0 && (since > 0.1 * seconds || (since > 1 && epochs > 1)))
		guess =
		    fmin(guess, since / (epochs > 1 ? epochs - 0.5 : epochs));
	else if (born > 0 && since > 1)
		t->vague = 1;
	t->first = seconds;
	t->epochs = epochs;
	t->guess = guess;
}

void
job_eta_note(
    struct store_row *row, const struct metrics_summary *before, double time)
{
	double epochs = epochs_since(before, &row->metrics), seconds;
	struct timing t = timing_of(row);
	int goes_on = before->epochs > 0 && row->epoch_time > row->start;

	if (row->metrics.epochs == before->epochs)
		return;
	seconds = time -
	    (goes_on ? (double)row->epoch_time + t.fraction
		     : (double)row->start);
	if (epochs > 0 && row->start != -1 && seconds > 0) {
		if (goes_on)
			t.sample[t.count++] =
			    (struct sample){seconds / epochs, epochs};
		else
			note_first(&t, row, seconds, epochs);
	}
	row->epoch_time = (int64_t)floor(time);
	t.fraction = time - floor(time);
	keep_timing(row, &t);
}

/* ---- seconds left ---- */

/* A task at the time of this look. */
struct look {
	const struct store_row *row;
	const struct job_progress *p;
	const struct job_eta_usual *usual;
	struct timing timing;
	double rest;    /* epochs left */
	double elapsed; /* seconds since its start */
	double silent;  /* seconds since its last epoch, or its start */
};

/* Return the seconds left at a pace; an overdue epoch counts as the next. */
static double
left_at(const struct look *l, double pace)
{
	return fmax(l->rest * pace - l->silent, fmax(l->rest - 1, 0) * pace);
}

/* Return the seconds for a whole task of so many epochs, or nan. */
static double
whole(const struct job_eta_usual *usual, double epochs)
{
	if (!isnan(usual->each))
		return usual->fixed + usual->each * epochs;
	return (isnan(usual->startup) ? 0 : usual->startup) +
	    epochs * usual->pace;
}

/*
 * Return the seconds left by the duration of other tasks, or nan; at most what
 * the task's own epochs took so far suggests.
 */
static double
left_of_whole(const struct look *l)
{
	double left = whole(l->usual, l->p->epochs) - l->elapsed, most;

	if (l->p->done <= 0)
		return left > 0 ? left : NAN;
	most = l->rest * l->elapsed / l->p->done;
	return left > 0 ? fmin(left, most) : most;
}

/* Return the seconds left of a task whose own pace is not known yet. */
static double
left_by_others(const struct look *l)
{
	const struct job_eta_usual *usual = l->usual;
	double pace = isnan(usual->pace) ? usual->each : usual->pace;
	double startup = isnan(usual->startup) ? 0 : usual->startup;

	if (!isnan(usual->each) && is_whole(l->row))
		return left_of_whole(l);
	if (isnan(pace))
		return NAN;
	if (l->p->done > 0)
		return left_at(l, pace);
	return fmax(
	    startup + l->rest * pace - l->elapsed, fmax(l->rest - 1, 0) * pace);
}

static double
seconds_left(const struct look *l)
{
	const struct timing *t = &l->timing;
	double left;

	if (store_state_is_final(l->row->state))
		return 0;
	if (l->p->epochs <= 0)
		return NAN;
	if (l->row->state != STORE_RUNNING && l->p->done <= 0)
		return whole(l->usual, l->p->epochs * (1 - l->usual->saved));
	if (l->row->state != STORE_RUNNING)
		return t->count > 0 ? l->rest * timed_pace(t)
				    : whole(l->usual, l->rest);
	if (is_timed(l->row, t))
		return left_at(l, timed_pace(t));
	left = left_by_others(l);
	if (isnan(left) && t->count > 0)
		left = left_at(l, timed_pace(t));
	if (isnan(left) && t->epochs > 0 && !t->vague)
		left = left_at(l, t->guess);
	return left;
}

/* Return the seconds per epoch, or nan; *vague says that it may be less. */
static double
pace_of(const struct look *l, int *vague)
{
	double pace = job_eta_pace(l->row);

	*vague = 0;
	if (store_state_is_final(l->row->state))
		return pace;
	if (isnan(pace))
		pace = l->usual->pace;
	*vague = isnan(pace) && l->timing.epochs > 0 && l->timing.vague;
	if (isnan(pace) && l->timing.epochs > 0)
		pace = l->timing.guess;
	return isnan(pace) ? l->usual->each : pace;
}

void
job_eta(const struct store_job *job, const struct store_row *row,
    const struct job_progress *p, const struct job_eta_usual *usual,
    int64_t now, struct job_eta *out)
{
	int64_t last =
	    row->epoch_time > row->start ? row->epoch_time : row->start;
	struct look l = {
	    .row = row, .p = p, .usual = usual, .timing = timing_of(row)};
	double several, pace, least = JOB_ETA_FLOOR, each, times;
	double limit = (double)row->limit;
	int vague;

	l.rest = fmax(p->epochs - p->done, 0);
	if (row->start > 0)
		l.elapsed = fmax((double)(now - row->start), 0);
	if (last > 0)
		l.silent = fmax((double)(now - last), 0);

	*out = (struct job_eta){.room = NAN, .patience = NAN};
	pace = pace_of(&l, &vague);
	out->pace = vague ? NAN : pace;
	out->left = seconds_left(&l);
	if (row->state != STORE_RUNNING || row->start == -1)
		return;
	if (!isnan(pace)) {
		several =
		    JOB_ETA_EPOCHS * pace * fmax(stride(&row->metrics), 1);
		/* A short time limit would hide a stall: report it sooner. */
		if (limit > 0)
			least = fmin(least, fmax(JOB_ETA_LEAST, limit / 10));
		out->patience = fmax(least, several);
		out->silent = row->epoch_time > row->start &&
		    l.p->done < l.p->epochs &&
		    l.silent > fmax(several, JOB_ETA_SILENT);
	}
	if (out->silent)
		out->left = NAN;
	if (row->limit <= 0)
		return;
	out->room = fmax((double)(row->start + row->limit - now), 0);
	if (out->left > out->room && is_timed(row, &l.timing)) {
		out->late = 1;
		each = limit - (double)store_job_policy(job)->signal_before;
		times = each > 0 ? ceil((out->left - out->room) / each) : 1;
		out->requeues = (int)fmin(fmax(times, 1), 1e6);
	}
}

/* ---- signs of life ---- */

/* Return when any of the files was last written, or 0. */
static int64_t
tensorboard_time(const char *directory)
{
	struct record_files files;
	struct stat st;
	int64_t time = 0;
	size_t i;

	if (record_files_list(&files, directory, NULL) == 0)
		for (i = 0; i < files.count; i++)
			if (stat(files.file[i].path, &st) == 0 &&
			    st.st_mtime > time)
				time = st.st_mtime;
	record_files_free(&files);
	return time;
}

/* Return the later of time and the last change of a file. */
static int64_t
later(int64_t time, const char *path)
{
	struct stat st;

	int64_t changed;

	if (path == NULL || stat(path, &st) == -1)
		return time;
	changed = S_ISDIR(st.st_mode) ? tensorboard_time(path) : st.st_mtime;
	return changed > time ? changed : time;
}

int
job_eta_is_stalled(const struct store_row *row, const struct job_eta *eta,
    const char *log, int64_t now, int64_t *since)
{
	int64_t last =
	    row->epoch_time > row->start ? row->epoch_time : row->start;

	if (isnan(eta->patience) || row->cause != NULL ||
	    (double)(now - last) <= eta->patience)
		return 0;
	last = later(later(last, row->metrics_path), log);
	*since = last;
	return (double)(now - last) > eta->patience;
}

int
job_eta_had_stalled(const struct store_row *row)
{
	const struct metrics_summary *m = &row->metrics;
	double pace = job_eta_pace(row);

	if (m->epochs == 0 || row->end == -1 || row->epoch_time <= row->start ||
	    isnan(pace))
		return 0;
	return (double)(row->end - row->epoch_time) >
	    fmax(JOB_ETA_LEAST, JOB_ETA_EPOCHS * pace * fmax(stride(m), 1));
}

/* Return how many tasks of each seconds can be done before until. */
static double
done_until(double until, const double *left, size_t slots, double each)
{
	double count = 0;
	size_t i;

	for (i = 0; i < slots; i++)
		if (until > left[i])
			count += floor((until - left[i]) / each + 1e-9);
	return count;
}

double
job_eta_all(const double *left, size_t slots, double each, double waiting)
{
	double low = 0, high = 0, until;
	size_t i;
	int step;

	for (i = 0; i < slots; i++) {
		if (isnan(left[i]))
			return NAN;
		low = fmax(low, left[i]);
	}
	if (waiting <= 0)
		return low;
	if (slots == 0 || isnan(each))
		return NAN;
	if (each <= 0)
		return low;
	high = low + each * ceil(waiting / (double)slots);
	for (step = 0; step < 50; step++) {
		until = (low + high) / 2;
		if (done_until(until, left, slots, each) >= waiting)
			high = until;
		else
			low = until;
	}
	return high;
}
