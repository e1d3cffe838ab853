#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/metrics.h"

#include "../event.h"

static const char keras[] = "epoch,loss,val_loss\r\n"
			    "0,2.0,2.5\r\n"
			    "1,1.0,1.5\r\n"
			    "2,0.5,1.25\r\n"
			    "3,0.25,1.75\r\n";

static const char lightning[] = "epoch,lr,step,train_loss,val_loss\n"
				",0.1,0,,\n"
				"0,,49,2.0,\n"
				"0,,99,1.5,\n"
				"0,,99,,1.75\n"
				",0.05,100,,\n"
				"1,,149,1.0,\n"
				"1,,199,,1.25\n";

static const char restarted[] = "epoch,val_loss\n"
				"0,9\n1,5\n2,4\n3,3\n"
				"epoch,val_loss\n"
				"2,3.5\n3,2.5\n4,2.75\n";

static const char diverged[] = "epoch,val_loss\n"
			       "0,2\n1,nan\n2,1\n3,\n4,NA\n"
			       "5,inf\n6,NaN\n7,-inf\n";

static const char vectors[] = "epoch;classes;score_acc\n"
			      "0;\"[0.1, 0.2]\";0.5\n"
			      "1;\"[0.3,\n 0.4]\";0.75\n";

static const char unnumbered[] = "mse\n4\n2\n\n3\n";

/* One line about a series: its points by segment, and its facts. */
static char *
describe(const struct metrics_series *s, enum metrics_goal goal, char *out)
{
	char x[NUM_TEXT], y[NUM_TEXT];
	struct metrics_facts f;
	size_t i, next = 0, used = 0;

	*out = '\0';
	for (i = 0; i < s->count; i++) {
		if (next < s->starts && s->start[next] == i && next++ > 0)
			used += (size_t)sprintf(out + used, "/ ");
		used += (size_t)sprintf(out + used, "%s:%s ",
		    num_exact(s->x[i], x), num_exact(s->y[i], y));
	}
	metrics_series_facts(s, goal, &f);
	sprintf(out + used, "best %d nan %d since %d", (int)f.best,
	    (int)f.first_nan, (int)f.nan_since);
	return out;
}

static const struct {
	const char *bytes;
	const char *objective, *x, *partner;
	const char *series; /* of the objective */
	const char *summary;
} table[] = {
    {keras, "val_loss", "epoch", "loss",
	"0:2.5 1:1.5 2:1.25 3:1.75 best 2 nan -1 since -1",
	"epochs 4 0..3 best 1.25 at 2 last 1.75 nans 0"},
    {lightning, "val_loss", "epoch", "train_loss",
	"0:1.75 1:1.25 best 1 nan -1 since -1",
	"epochs 2 0..1 best 1.25 at 1 last 1.25 nans 0"},
    {restarted, "val_loss", "epoch", "",
	"0:9 1:5 2:4 3:3 / 2:3.5 3:2.5 4:2.75 best 5 nan -1 since -1",
	"epochs 7 0..4 best 2.5 at 3 last 2.75 nans 0 restarts 1"},
    {diverged, "val_loss", "epoch", "",
	"0:2 1:nan 2:1 5:inf 6:nan 7:-inf best 2 nan 1 since 3",
	"epochs 8 0..7 best 1 at 2 last -inf nans 4 first 1 since 5"},
    {vectors, "score_acc", "epoch", "", "0:0.5 1:0.75 best 1 nan -1 since -1",
	"epochs 2 0..1 best 0.75 at 1 last 0.75 nans 0"},
    {unnumbered, "mse", "", "", "1:4 2:2 3:3 best 1 nan -1 since -1",
	"epochs 3 1..3 best 2 at 2 last 3 nans 0"},
    {"epoch\tloss\n0\t1\n1\t0.5", "loss", "epoch", "",
	"0:1 1:0.5 best 1 nan -1 since -1",
	"epochs 1 0..0 best 1 at 0 last 1 nans 0"},
    {"epoch,loss\n0,1\n1,0.57,0.5\n2,0.25,,\n3,0.1\n", "loss", "epoch", "",
	"0:1 2:0.25 3:0.1 best 2 nan -1 since -1",
	"epochs 3 0..3 best 0.1 at 3 last 0.1 nans 0 damaged 1"},
    {"epoch,loss\n", "loss", "epoch", "", "best -1 nan -1 since -1",
	"epochs 0"},
    {"epoch,loss\n0,NA\n1,\n", "loss", "epoch", "", "best -1 nan -1 since -1",
	"epochs 2 0..1 best - last nan nans 0"},
    {"Epoch,VAL_LOSS\n1,2\n", "VAL_LOSS", "Epoch", "",
	"1:2 best 0 nan -1 since -1",
	"epochs 1 1..1 best 2 at 1 last 2 nans 0"},
    {"# step,validation_loss,loss\n100,2,1\n", "validation_loss", "step",
	"loss", "100:2 best 0 nan -1 since -1",
	"epochs 1 100..100 best 2 at 100 last 2 nans 0"},
    {"epoch,train_loss,train_acc,val_acc\n1,2,0.5,0.25\n2,1,0.75,0.5\n",
	"val_acc", "epoch", "train_acc", "1:0.25 2:0.5 best 1 nan -1 since -1",
	"epochs 2 1..2 best 0.5 at 2 last 0.5 nans 0"},
    {"epoch,loss,acc\n1,2,0.5\n", "loss", "epoch", "",
	"1:2 best 0 nan -1 since -1",
	"epochs 1 1..1 best 2 at 1 last 2 nans 0"},
    {"note,iteration,watts\na,1,20\nb,2,30\n", "watts", "iteration", "",
	"1:20 2:30 best 0 nan -1 since -1",
	"epochs 2 1..2 best 20 at 1 last 30 nans 0"},
    {"epoch,loss\nfirst,3\nsecond,2\n", "loss", "", "",
	"1:3 2:2 best 1 nan -1 since -1",
	"epochs 2 1..2 best 2 at 2 last 2 nans 0"},
};

enum { ROWS = sizeof table / sizeof *table };

static const char *
name_of(const struct metrics_header *h, int column)
{
	return column == METRICS_NONE ? "" : h->name[column];
}

static void
columns_are_guessed_as_promised(void **state)
{
	struct metrics_header h;
	int objective;
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		assert_int_equal(metrics_header_read(&h, table[i].bytes,
				     strlen(table[i].bytes), NULL),
		    0);
		objective = metrics_guess_objective(&h);
		assert_string_equal(name_of(&h, objective), table[i].objective);
		assert_string_equal(
		    name_of(&h, metrics_guess_x(&h)), table[i].x);
		assert_string_equal(name_of(&h, metrics_partner(&h, objective)),
		    table[i].partner);
		metrics_header_free(&h);
	}
}

static void
read_series(const char *bytes, size_t piece, char *out)
{
	struct metrics_header h;
	struct metrics_log *log;
	size_t left = strlen(bytes), n;
	int column;

	assert_int_equal(metrics_header_read(&h, bytes, left, NULL), 0);
	column = metrics_guess_objective(&h);
	log = metrics_log_new(&h, metrics_guess_x(&h), &column, 1, 0);
	for (; left > 0; bytes += n, left -= n) {
		n = left < piece ? left : piece;
		assert_int_equal(metrics_log_feed(log, bytes, n, NULL), 0);
	}
	assert_int_equal(metrics_log_finish(log, 1, NULL), 0);
	describe(
	    metrics_log_series(log, 0), metrics_goal(name_of(&h, column)), out);
	metrics_log_free(log);
	metrics_header_free(&h);
}

static void
series_are_the_same_whole_and_byte_by_byte(void **state)
{
	char text[1024];
	size_t i;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		read_series(table[i].bytes, SIZE_MAX, text);
		assert_string_equal(text, table[i].series);
		read_series(table[i].bytes, 1, text);
		assert_string_equal(text, table[i].series);
	}
}

static void
the_first_epoch_of_a_log_that_continues_replaces_none(void **state)
{
	static const char first[] = "epoch,loss\n1,5\n2,1\n";
	static const struct {
		const char *more;
		size_t count, starts;
		double best;
	} rows[] = {{"2,4\n3,3\n", 4, 2, 1}, {"3,4\n", 3, 1, 1},
	    {"1,4\n2,3\n", 4, 2, 1}, {"2,0\n2,6\n", 3, 2, 1}};
	const struct metrics_series *s;
	struct metrics_facts facts;
	struct metrics_header h;
	struct metrics_log *log;
	const int column = 1;
	size_t i;

	(void)state;
	assert_int_equal(
	    metrics_header_read(&h, first, strlen(first), NULL), 0);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		log = metrics_log_new(&h, 0, &column, 1, 0);
		metrics_log_feed(log, first, strlen(first), NULL);
		metrics_log_continue(log);
		metrics_log_feed(log, rows[i].more, strlen(rows[i].more), NULL);
		s = metrics_log_series(log, 0);
		metrics_series_facts(s, METRICS_MIN, &facts);
		assert_int_equal(s->count, rows[i].count);
		assert_int_equal(s->starts, rows[i].starts);
		assert_true(s->y[facts.best] == rows[i].best);
		metrics_log_free(log);
	}
	metrics_header_free(&h);
}

static void
values_beside_a_point_are_those_of_its_segment(void **state)
{
	static const char log_text[] = "epoch,a,b\n1,5,\n2,6,7\n"
				       "1,5,8\n1,5,9\n2,,10\n1,,11\n3,4,nan\n";
	/* For each point of a, the value of b, -1 for nan, or 0. */
	static const double expected[] = {0, 7, 9, -1};
	const struct metrics_series *a;
	const int column[] = {1, 2};
	struct metrics_header h;
	struct metrics_log *log;
	double value;
	size_t i;

	(void)state;
	assert_int_equal(
	    metrics_header_read(&h, log_text, strlen(log_text), NULL), 0);
	log = metrics_log_new(&h, metrics_guess_x(&h), column, 2, 0);
	assert_int_equal(
	    metrics_log_feed(log, log_text, strlen(log_text), NULL), 0);
	a = metrics_log_series(log, 0);
	assert_int_equal(a->count, sizeof expected / sizeof *expected);
	for (i = 0; i < a->count; i++) {
		value = 0;
		assert_int_equal(
		    metrics_log_beside(log, 0, i, 1, &value), expected[i] != 0);
		assert_true((isnan(value) ? -1 : value) == expected[i]);
	}
	metrics_log_free(log);
	metrics_header_free(&h);
}

static char *
write_summary(const struct metrics_summary *s, char *out)
{
	char a[NUM_TEXT], b[NUM_TEXT];
	size_t used =
	    (size_t)sprintf(out, "epochs %llu", (unsigned long long)s->epochs);

	if (s->epochs == 0)
		return out;
	used += (size_t)sprintf(out + used, " %s..%s best %s",
	    num_exact(s->first, a), num_exact(s->epoch, b),
	    s->has_best ? "" : "-");
	if (s->has_best)
		used += (size_t)sprintf(out + used, "%s at %s",
		    num_exact(s->best, a), num_exact(s->best_epoch, b));
	used += (size_t)sprintf(out + used, " last %s nans %llu",
	    num_exact(metrics_summary_last(s), a), (unsigned long long)s->nans);
	if (s->nans > 0)
		used += (size_t)sprintf(
		    out + used, " first %s", num_exact(s->first_nan, a));
	if (s->last_kind > METRICS_NUMBER)
		used += (size_t)sprintf(
		    out + used, " since %s", num_exact(s->nan_since, a));
	if (s->restarts > 0)
		used += (size_t)sprintf(
		    out + used, " restarts %d", (int)s->restarts);
	if (s->damaged > 0)
		sprintf(out + used, " damaged %d", (int)s->damaged);
	return out;
}

static void
feed_from_offset(struct metrics_summary *s, const char *bytes, size_t length)
{
	assert_in_range(s->offset, 0, length);
	assert_int_equal(
	    metrics_summary_feed(s, NULL, METRICS_GOAL_BY_NAME,
		bytes + s->offset, length - (size_t)s->offset, 0, NULL),
	    0);
}

static void
a_summary_can_be_taken_up_at_every_byte(void **state)
{
	char text[1024];
	size_t i, cut, length;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		length = strlen(table[i].bytes);
		for (cut = 0; cut <= length; cut++) {
			struct metrics_summary s = {0};

			feed_from_offset(&s, table[i].bytes, cut);
			feed_from_offset(&s, table[i].bytes, length);
			assert_string_equal(
			    write_summary(&s, text), table[i].summary);
		}
	}
}

static void
a_log_that_grows_byte_by_byte_is_never_misread(void **state)
{
	char text[1024];
	size_t i, length, now;

	(void)state;
	for (i = 0; i < ROWS; i++) {
		struct metrics_summary s = {0};

		length = strlen(table[i].bytes);
		for (now = 1; now <= length; now++)
			feed_from_offset(&s, table[i].bytes, now);
		assert_string_equal(write_summary(&s, text), table[i].summary);
	}
}

static void
the_named_metric_and_goal_win(void **state)
{
	struct metrics_summary s = {0};

	(void)state;
	assert_int_equal(metrics_summary_feed(&s, "loss", METRICS_MAX, keras,
			     strlen(keras), 0, NULL),
	    0);
	assert_string_equal(s.metric, "loss");
	assert_string_equal(s.x_name, "epoch");
	assert_true(s.best == 2.0 && s.best_epoch == 0);
}

static void
a_log_without_the_metric_still_has_its_epochs(void **state)
{
	struct metrics_summary s = {0};

	(void)state;
	assert_int_equal(metrics_summary_feed(&s, "f1", METRICS_GOAL_BY_NAME,
			     keras, strlen(keras), 0, NULL),
	    0);
	assert_int_equal(s.column, METRICS_NONE);
	assert_int_equal(s.epochs, 4);
	assert_true(s.epoch == 3);
	assert_int_equal(s.has_best, 0);
	assert_int_equal(s.offset, strlen(keras));
}

/* A killed attempt leaves half a line; the next one appends to the log. */
static void
a_torn_line_is_passed_over_once_nobody_writes(void **state)
{
	static const char first[] = "epoch,loss\n0,3\n1,0.00";
	static const char whole[] = "epoch,loss\n0,3\n1,0.001,2\n2,1\n";
	struct metrics_summary s = {0};

	(void)state;
	metrics_summary_feed(
	    &s, NULL, METRICS_GOAL_BY_NAME, first, sizeof first - 1, 0, NULL);
	assert_int_equal(s.offset, 15);
	metrics_summary_feed(&s, NULL, METRICS_GOAL_BY_NAME, first + s.offset,
	    sizeof first - 1 - (size_t)s.offset, 1, NULL);
	assert_int_equal(s.offset, sizeof first - 1);
	assert_int_equal(s.damaged, 1);
	assert_true(s.has_best && s.best == 3);
	feed_from_offset(&s, whole, sizeof whole - 1);
	assert_true(s.best == 1 && s.epochs == 3);
}

static void
a_hole_in_the_file_waits_to_be_filled(void **state)
{
	static const char hole[] = "epoch,loss\n0,3\n\0\0\0\0\n2,1\n";
	struct metrics_summary s = {0};
	struct error e;

	(void)state;
	assert_int_equal(metrics_summary_feed(&s, NULL, METRICS_GOAL_BY_NAME,
			     hole, sizeof hole - 1, 0, &e),
	    -1);
	assert_string_equal(e.text, "a NUL byte at byte 15");
	assert_int_equal(s.offset, 15);
	assert_int_equal(s.epochs, 1);
	assert_int_equal(
	    metrics_summary_feed(&s, NULL, METRICS_GOAL_BY_NAME,
		hole + s.offset, sizeof hole - 1 - (size_t)s.offset, 1, &e),
	    0);
	assert_int_equal(s.offset, sizeof hole - 1);
	assert_int_equal(s.damaged, 1);
	assert_true(s.best == 1 && s.epoch == 2);
}

static void
goals_follow_from_names(void **state)
{
	static const char *const max[] = {"acc", "val_accuracy", "AUC",
	    "f1_score", "mean_IoU", "bleu", "mAP", "r2", "precision", "Recall",
	    "val_auroc", "auprc", "roc", "dice", "val/dice", "psnr", "ssim",
	    "reward", "ep_reward_mean", "episode_return", "test score", "kappa",
	    "mcc", "ndcg@10", "mrr", "top1", "val-top5", "spearmanr", "pearson",
	    "rougeL", "meteor"};
	static const char *const min[] = {"loss", "val_loss", "mse", "mape",
	    "f1_loss", "perplexity", "ppl", "val.nll", "top1_error", "val_wer",
	    "cer", "fid", "fid_score", "brier_score", "bpc", "bpb",
	    "cross_entropy", "dice_loss", "reward_err"};
	static const char *const unknown[] = {"foo", "lr", "power", "soccer",
	    "indices", "pessimism", "val_dicey", "returned", "underscore",
	    "process", "desktop1", "neg_log_likelihood", "neg_mse", ""};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof max / sizeof *max; i++)
		assert_int_equal(metrics_goal(max[i]), METRICS_MAX);
	for (i = 0; i < sizeof min / sizeof *min; i++) {
		assert_int_equal(metrics_goal(min[i]), METRICS_MIN);
		assert_true(metrics_goal_known(min[i]));
	}
	for (i = 0; i < sizeof max / sizeof *max; i++)
		assert_true(metrics_goal_known(max[i]));
	for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		assert_int_equal(metrics_goal(unknown[i]), METRICS_MIN);
		assert_false(metrics_goal_known(unknown[i]));
	}
}

static void
partners_are_found_both_ways(void **state)
{
	static const char *const pairs[][2] = {{"loss", "val_loss"},
	    {"train_loss", "val_loss"}, {"train/acc", "val/acc"},
	    {"train_loss_epoch", "val_loss"}, {"Accuracy", "valid_accuracy"},
	    {"training_loss", "validation_loss"}, {"Loss/train", "Loss/val"},
	    {"train/epoch_loss", "validation/epoch_loss"}};
	char line[128];
	struct metrics_header h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		sprintf(line, "epoch,lossy,%s,%s\n", pairs[i][0], pairs[i][1]);
		assert_int_equal(
		    metrics_header_read(&h, line, strlen(line), NULL), 0);
		assert_int_equal(metrics_partner(&h, 2), 3);
		assert_int_equal(metrics_partner(&h, 3), 2);
		assert_int_equal(metrics_partner(&h, 1), METRICS_NONE);
		assert_false(metrics_is_validation(pairs[i][0]));
		assert_true(metrics_is_validation(pairs[i][1]));
		metrics_header_free(&h);
	}
}

static void
what_is_no_log_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *reason;
	} bad[] = {
	    {"", 0, "empty: no header line"},
	    {"\n\n", 2, "empty: no header line"},
	    {"0,1.5\n1,1.25\n", 13,
		"no header line: the first line has no names of columns"},
	    {"\x7f"
	     "ELF\0\1",
		6, "not a text file (it has a NUL byte)"},
	};
	struct metrics_header h;
	struct metrics_summary s = {0};
	struct error e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(
		    metrics_header_read(&h, bad[i].bytes, bad[i].length, &e),
		    -1);
		assert_string_equal(e.text, bad[i].reason);
	}
	assert_int_equal(metrics_summary_feed(&s, NULL, METRICS_GOAL_BY_NAME,
			     "0,1.5\n1,1.25\n", 13, 0, &e),
	    -1);
	assert_int_equal(s.offset, 0);
}

static void
a_long_foreign_name_is_kept_short_and_utf8(void **state)
{
	char line[256] = "epoch,";
	struct metrics_summary s = {0};
	size_t i;

	(void)state;
	for (i = 6; i + 2 < 206; i += 2)
		memcpy(line + i, "\xc3\xa4", 3);
	memcpy(line + 6, "\xff_loss", 6);
	strcat(line, "\n0,1\n");
	assert_int_equal(metrics_summary_feed(&s, NULL, METRICS_GOAL_BY_NAME,
			     line, strlen(line), 0, NULL),
	    0);
	assert_true(strlen(s.metric) <= METRICS_NAME - 1);
	assert_true(strncmp(s.metric, "?_loss\xc3\xa4", 8) == 0);
}

static void
a_log_continues_another(void **state)
{
	struct metrics_summary before = {0}, log = {0};
	static const char first[] = "epoch,val_loss\n0,9\n1,0.1\n2,8\n",
			  second[] = "epoch,val_loss\n3,7\n4,4\n",
			  other[] = "epoch,accuracy\n3,0.7\n";

	(void)state;
	metrics_summary_feed(&before, NULL, METRICS_GOAL_BY_NAME, first,
	    sizeof first - 1, 0, NULL);
	metrics_summary_continue(&log, &before);
	assert_true(log.has_best && log.best == 0.1 && log.offset == 0);
	metrics_summary_feed(&log, NULL, METRICS_GOAL_BY_NAME, second,
	    sizeof second - 1, 0, NULL);
	assert_true(log.best == 0.1 && log.best_epoch == 1 && log.last == 4);
	assert_true(log.first == 0 && log.epoch == 4);
	assert_true(log.begins == 3 && before.begins == 0);
	metrics_summary_reset(&log);
	assert_true(log.best == 0.1 && log.offset == 0 && log.epochs == 0);
	/* A value of something else is no best of this. */
	metrics_summary_feed(
	    &log, NULL, METRICS_GOAL_BY_NAME, other, sizeof other - 1, 0, NULL);
	assert_true(log.best == 0.7 && log.best_epoch == 3);
}

/* The epochs that were reported, as text: "0=2.5 1=nan ". */
struct reported {
	char text[256];
	size_t used;
};

static void
report(void *arg, const struct metrics_summary *s)
{
	struct reported *r = arg;
	char x[NUM_TEXT], y[NUM_TEXT];

	if (s->epochs == 1)
		r->used = 0;
	r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used,
	    "%s=%s ", num_exact(s->epoch, x),
	    num_exact(metrics_summary_last(s), y));
}

/* Return what a log reports that grows by so many bytes at a time. */
static void
reports_of(const char *log, size_t step, struct reported *out)
{
	const struct metrics_request request = {.metric = "val_loss",
	    .goal = METRICS_GOAL_BY_NAME,
	    .epoch = report,
	    .arg = out};
	struct metrics_summary s = {0};
	size_t length = strlen(log), at;

	*out = (struct reported){.used = 0};
	for (at = step; at < length + step; at += step) {
		if (at > length)
			at = length;
		if (metrics_summary_read(&s, &request, log + s.offset,
			at - s.offset, 0, NULL) == 1)
			metrics_summary_read(&s, &request, log, at, 0, NULL);
	}
}

static void
each_complete_epoch_is_reported_once(void **state)
{
	static const struct {
		const char *log, *want;
	} t[] = {
	    /* The last epoch may still change. */
	    {keras, "0=2.5 1=1.5 2=1.25 "},
	    {lightning, "0=1.75 "},
	    {restarted, "0=9 1=5 2=4 3=3 2=3.5 3=2.5 "},
	    {diverged, "0=2 1=nan 2=1 5=inf 6=nan "},
	    {"epoch,val_loss\n5,\n6,2\n7,\n8,\n", "6=2 "},
	    {"epoch,loss\n1,2\n2,3\n", ""},
	    {"val_loss\n4\n2\n3\n", "1=4 2=2 "},
	    {"{\"epoch\": 1, \"val_loss\": 3}\n{\"epoch\": 2}\n"
	     "{\"epoch\": 2, \"val_loss\": 4}\n{\"epoch\": 3}\n",
		"1=3 2=4 "},
	    /* The steps turn out not to be the epochs: read again. */
	    {"{\"step\": 10, \"val_loss\": 9}\n"
	     "{\"step\": 20, \"val_loss\": 8}\n"
	     "{\"epoch\": 1, \"step\": 30, \"val_loss\": 7}\n"
	     "{\"epoch\": 2, \"step\": 40, \"val_loss\": 6}\n",
		"1=7 "},
	};
	struct reported r;
	size_t i, step;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		for (step = 1; step <= strlen(t[i].log); step++) {
			reports_of(t[i].log, step, &r);
			assert_string_equal(r.text, t[i].want);
		}
}

/* Each of these has the metric in an event of steps and in one of epochs. */
static void
the_step_of_a_metric_is_chosen_once(void **state)
{
	static const struct {
		const char *tags[3][4], *metric, *x;
	} cases[] = {
	    {{{"epoch_loss", "lr"}, {"epoch_loss"},
		 {"epoch_acc", "epoch_loss"}},
		"epoch_loss", "step"},
	    {{{"lr"}, {"epoch_loss"}, {"epoch_loss", "acc"}}, "epoch_loss",
		"epoch"},
	    {{{"epoch_acc"}, {"loss"}, {"epoch_time", "loss"}}, "loss", "step"},
	};
	struct metrics_request request = {.goal = METRICS_GOAL_BY_NAME};
	size_t i, k, length, tries;

	(void)state;
	for (i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		struct metrics_summary s = {0};
		char *bytes = NULL;
		FILE *f = xmemopen(&bytes, &length);

		request.metric = i % 2 == 0 ? NULL : cases[i / 2].metric;
		for (k = 0; k < 3; k++)
			event_write(f, (char)k, cases[i / 2].tags[k], 1);
		xmemclose(f);
		for (tries = 0; tries < 9; tries++)
			if (metrics_summary_read(
				&s, &request, bytes, length, 1, NULL) == 0)
				break;
		assert_true(tries < 9);
		assert_string_equal(s.metric, cases[i / 2].metric);
		assert_string_equal(s.x_name, cases[i / 2].x);
		free(bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(columns_are_guessed_as_promised),
	    cmocka_unit_test(series_are_the_same_whole_and_byte_by_byte),
	    cmocka_unit_test(
		the_first_epoch_of_a_log_that_continues_replaces_none),
	    cmocka_unit_test(values_beside_a_point_are_those_of_its_segment),
	    cmocka_unit_test(a_summary_can_be_taken_up_at_every_byte),
	    cmocka_unit_test(a_log_that_grows_byte_by_byte_is_never_misread),
	    cmocka_unit_test(the_named_metric_and_goal_win),
	    cmocka_unit_test(a_log_without_the_metric_still_has_its_epochs),
	    cmocka_unit_test(a_torn_line_is_passed_over_once_nobody_writes),
	    cmocka_unit_test(a_hole_in_the_file_waits_to_be_filled),
	    cmocka_unit_test(goals_follow_from_names),
	    cmocka_unit_test(partners_are_found_both_ways),
	    cmocka_unit_test(what_is_no_log_is_refused),
	    cmocka_unit_test(a_long_foreign_name_is_kept_short_and_utf8),
	    cmocka_unit_test(a_log_continues_another),
	    cmocka_unit_test(each_complete_epoch_is_reported_once),
	    cmocka_unit_test(the_step_of_a_metric_is_chosen_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
