#include <sys/stat.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "job-eta.h"
#include "job-events.h"
#include "num.h"
#include "xalloc.h"

enum {
	SAMPLES = 9,  /* times of an epoch that are kept of a task */
	TASKS = 1000, /* paces that tell the usual one */
	TEXT = 16     /* bytes of a sample with its blank, at most */
};

/* ---- samples: "12.1 11.9", the newest last ---- */

static size_t
take_samples(const char *text, double out[SAMPLES])
{
	size_t count = 0;
	char *end;

	if (text == NULL)
		return 0;
	for (; count < SAMPLES; text = end) {
		out[count] = strtod(text, &end);
		if (end == text)
			break;
		if (isfinite(out[count]) && out[count] >= 0)
			count++;
	}
	return count;
}

static void
add_sample(struct store_row *row, double seconds)
{
	double sample[SAMPLES + 1];
	size_t count = take_samples(row->pace, sample), i, used = 0;
	char text[(SAMPLES + 1) * TEXT], one[NUM_TEXT];

	sample[count++] = seconds;
	for (i = count > SAMPLES ? 1 : 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
		    "%s%s", used > 0 ? " " : "", num_short(sample[i], 4, one));
	free(row->pace);
	row->pace = xstrdup(text);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *value, size_t count)
{
	if (count == 0)
		return NAN;
	qsort(value, count, sizeof *value, by_size);
	return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* How far apart the rows of the log are: 1 where there is one an epoch. */
static double
stride(const struct metrics_summary *m)
{
	double step;

	if (m->epochs < 2 || m->restarts > 0)
		return 1;
	step = (m->epoch - m->first) / (double)(m->epochs - 1);
	return step > 0 ? step : 1;
}

double
job_eta_pace(const struct store_row *row)
{
	const struct metrics_summary *m = &row->metrics;
	double sample[SAMPLES] = {0}, epochs;
	int64_t end;

	if (!store_state_is_final(row->state) || row->pace != NULL)
		return median(sample, take_samples(row->pace, sample));
	epochs = (double)m->epochs * stride(m);
	end = row->epoch_time;
	if (end == -1 && row->state == STORE_FINISHED)
		end = row->end;
	if (row->restart > 0 || m->restarts > 0 || epochs <= 0 ||
	    row->start == -1 || end <= row->start)
		return NAN;
	return (double)(end - row->start) / epochs;
}

void
job_eta_end(struct store_row *row)
{
	free(row->pace);
	row->pace = NULL;
	row->limit = -1;
}

double
job_eta_usual(const struct store_fold *fold)
{
	double *pace = xcalloc(TASKS, sizeof *pace), result;
	size_t count = 0;
	uint64_t i;
	int held;

	for (i = 0; i < fold->count && count < TASKS; i++) {
		if (store_fold_state(fold, i) == STORE_SUBMITTED)
			continue;
		held = store_fold_holds(fold, i);
		pace[count] = job_eta_pace(store_fold_row(fold, i));
		count += !isnan(pace[count]);
		if (!held) /* the caller may have it in hand */
			store_fold_forget(fold, i);
	}
	result = median(pace, count);
	free(pace);
	return result;
}

/* ---- a log that goes on ---- */

/* Epochs trained between two looks at the log, or 0 when nobody can tell. */
static double
epochs_since(
    const struct metrics_summary *before, const struct metrics_summary *now)
{
	if (now->epochs <= before->epochs || now->restarts != before->restarts)
		return 0;
	if (before->epochs > 0)
		return now->epoch - before->epoch;
	/* The first row of a log of steps stands for nobody knows how many. */
	if (now->epochs == 1 && strncasecmp(now->x_name, "epoch", 5) != 0 &&
	    *now->x_name != '\0')
		return 0;
	return (double)now->epochs * stride(now);
}

void
job_eta_note(
    struct store_row *row, const struct metrics_summary *before, int64_t time)
{
	double epochs = epochs_since(before, &row->metrics);
	int64_t since = row->start;

	if (row->metrics.epochs == before->epochs)
		return;
	if (row->epoch_time > since && before->epochs > 0)
		since = row->epoch_time;
	if (epochs > 0 && row->start != -1 && time > since)
		add_sample(row, (double)(time - since) / epochs);
	row->epoch_time = time;
}

/* ---- what follows ---- */

/* Seconds left at this pace; an epoch that takes longer is still the next. */
static double
seconds_left(const struct store_row *row, const struct job_progress *p,
    double pace, int64_t now)
{
	double epochs = fmax(p->epochs - p->done, 0), begun, left;

	if (store_state_is_final(row->state))
		return 0;
	if (p->epochs <= 0 || isnan(pace))
		return NAN;
	if (row->state != STORE_RUNNING)
		return epochs * pace;
	begun = (double)(row->epoch_time > row->start ? row->epoch_time
						      : row->start);
	left = epochs * pace;
	if (begun > 0)
		left -= fmax((double)now - begun, 0);
	return fmax(left, fmax(epochs - 1, 0) * pace);
}

/* How often the task has to go back into the queue, at least once. */
static int
requeues(const struct store_job *job, const struct store_row *row,
    const struct job_eta *eta)
{
	double each = (double)(row->limit - job->policy.signal_before);
	double times = each > 0 ? ceil((eta->left - eta->room) / each) : 1;

	return times < 1 ? 1 : times > 1e6 ? 1000000 : (int)times;
}

void
job_eta(const struct store_job *job, const struct store_row *row,
    const struct job_progress *p, double usual, int64_t now,
    struct job_eta *out)
{
	*out = (struct job_eta){.room = NAN, .patience = NAN};
	out->pace = job_eta_pace(row);
	if (isnan(out->pace))
		out->pace = usual;
	out->left = seconds_left(row, p, out->pace, now);
	if (row->state != STORE_RUNNING || row->start == -1)
		return;
	if (!isnan(out->pace))
		out->patience = fmax(JOB_ETA_FLOOR,
		    JOB_ETA_EPOCHS * out->pace *
			fmax(stride(&row->metrics), 1));
	if (row->limit <= 0)
		return;
	out->room = fmax((double)(row->start + row->limit - now), 0);
	if (out->left > out->room) {
		out->late = 1;
		out->requeues = requeues(job, row, out);
	}
}

const char *
job_eta_mark(const struct job_eta *eta)
{
	if (eta->stalled)
		return "STALLED";
	if (eta->late)
		return "LATE";
	return eta->idle ? "IDLE" : NULL;
}

/* ---- signs of life ---- */

/* The later of a time and that of the last change of a file. */
static int64_t
later(int64_t time, const char *path)
{
	struct stat st;

	int64_t changed;

	if (path == NULL || stat(path, &st) == -1)
		return time;
	changed = S_ISDIR(st.st_mode) ? job_events_time(path) : st.st_mtime;
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

double
job_eta_all(double running, double longest, double waiting, uint64_t slots)
{
	if (slots == 0)
		return waiting > 0 ? NAN : 0;
	return fmax(longest, (running + waiting) / (double)slots);
}
