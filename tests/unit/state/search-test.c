#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../place.h"
#include "base/idset.h"
#include "base/xalloc.h"
#include "metrics/metrics.h"
#include "state/search.h"
#include "store/facts.h"

static struct store_fact
fact(const char *name)
{
	struct store_fact f;

	assert_true(store_fact_parse(name, &f));
	return f;
}

static void
the_name_of_a_rung_has_its_value(void **state)
{
	static const char *const good[] = {"000003.0.0.R9=0.751",
	    "000003.1.2.R1=-1.2345678901234568e-300", "000003.0.0.R27=nan",
	    "000003.0.0.R2147483647=-42"},
				 *const bad[] = {"000003.0.0.R9",
				     "000003.0.0.R=1", "000003.0.0.R0=1",
				     "000003.0.0.R-3=1", "000003.0.0.R09=1",
				     "000003.0.0.R9=0.50", "000003.0.0.R9=inf",
				     "000003.0.0.R9=", "000003.0.0.R9=1x",
				     "000003.0.0.R9=0x1", "000003.0.0.R9=1=2"};
	struct store_rung rung = {.epoch = 0};
	char name[STORE_FACT_NAME];
	struct store_fact f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		f = fact(good[i]);
		assert_true(store_fact_rung(&f, &rung));
		store_fact_set_rung(&f, rung);
		store_fact_name(&f, name);
		assert_string_equal(name, good[i]);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		if (store_fact_parse(bad[i], &f))
			fail_msg("%s is taken", bad[i]);
	f = fact("000003.0.0.E9");
	assert_false(store_fact_rung(&f, &rung));
	store_fact_set_rung(&f, (struct store_rung){4, -INFINITY});
	assert_string_equal(f.kind, "R4=nan");
}

/* Facts of one task in any order give the same text. */
static void
the_first_run_counts_in_any_order(void **state)
{
	static const char *const names[] = {"000003.1.0.R9=0.9",
	    "000003.0.1.R9=0.7", "000003.0.1.R9=0.5", "000003.0.0.R3=0.3",
	    "000003.2.0.R3=nan", "000003.0.2.R27=1"};
	enum { COUNT = sizeof names / sizeof *names };
	size_t start, step, i;
	struct store_fact f;
	char *text;

	(void)state;
	for (start = 0; start < COUNT; start++)
		for (step = 1; step < COUNT; step += 4) {
			text = NULL;
			for (i = 0; i < COUNT; i++) {
				f = fact(names[(start + i * step) % COUNT]);
				job_rungs_add(&text, &f);
				assert_true(job_rungs_know(text, &f));
			}
			assert_string_equal(
			    text, "3=0.3@0.0 9=0.5@0.1 27=1@0.2");
			free(text);
		}
	f = fact("000003.0.0.R9=0.9");
	assert_false(job_rungs_know("9=0.5@0.1", &f));
	assert_false(job_rungs_know(NULL, &f));
	assert_true(job_rungs_has("3=1@0.0 9=0.5@0.1", 9));
	assert_false(job_rungs_has("3=1@0.0 9=0.5@0.1", 27));
}

static void
a_damaged_text_is_no_rung(void **state)
{
	static const char *const texts[] = {"", "x", "3", "3=1", "3=1@",
	    "3=1@0", "0=1@0.0", "=@0.0", "3=1@-1.x"};
	struct job_rungs all;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		job_rungs_read(texts[i], &all);
		assert_int_equal(all.count, 0);
		job_rungs_free(&all);
	}
	job_rungs_read("x=1@0.0 3=1@0.0", &all);
	assert_int_equal(all.count, 1);
	job_rungs_free(&all);
}

/* Rungs are kept apart from the other facts, and packed with them. */
static void
rungs_are_listed_apart_and_packed(void **state)
{
	struct store_job *job = place_job(*state, 3);
	struct store_fact_body body;
	struct store_facts facts;
	struct store_fact all[3];
	struct error e;
	char *name;

	place_fact(job, "000001.0.0.S");
	place_fact(job, "000001.0.0.R3=0.5");
	place_fact(job, "000002.0.0.R3=nan");
	assert_int_equal(store_facts_list(job, NULL, &facts, &e), 0);
	assert_int_equal(facts.count, 1);
	assert_int_equal(facts.search_count, 2);
	assert_int_equal(facts.strange.count, 0);
	all[0] = facts.search[0];
	all[1] = facts.fact[0];
	all[2] = facts.search[1];
	store_facts_free(&facts);
	assert_int_equal(
	    store_pack_facts(job, all, 3, INT64_MAX, 1, &name, &e), 3);
	free(name);
	assert_int_equal(store_facts_of(job, 1, &facts, &e), 0);
	assert_int_equal(facts.count, 1);
	assert_int_equal(facts.search_count, 1);
	assert_string_equal(facts.search[0].kind, "R3=0.5");
	assert_int_equal(
	    store_facts_read(job, &facts, &facts.search[0], &body, &e), 0);
	assert_int_equal(body.time, 1000);
	store_fact_body_free(&body);
	store_facts_free(&facts);
	store_job_free(job);
}

/* ---- the reader ---- */

static void
the_values_at_rungs_are_found_in_a_log(void **state)
{
	static const struct {
		const char *log, *known, *want;
		int ended, is_later;
	} t[] = {
	    {"epoch,acc\n1,.1\n2,.2\n3,.3\n4,.4\n", NULL, "2=0.2 ", 0},
	    {"epoch,acc\n1,.1\n2,.2\n", NULL, "", 0},
	    {"epoch,acc\n1,.1\n2,.2\n", NULL, "2=0.2 ", 1},
	    /* Epochs that count from 0. */
	    {"epoch,acc\n0,.1\n1,.2\n2,.3\n", NULL, "2=0.2 ", 0},
	    /* The rung is skipped: the next epoch counts. */
	    {"epoch,acc\n1,.1\n3,.3\n5,.5\n7,.7\n9,.9\n", NULL, "2=0.3 6=0.7 ",
		0},
	    {"epoch,acc\n1,.1\n20,.3\n21,1\n", NULL, "2=0.3 6=0.3 18=0.3 ", 0},
	    {"epoch,acc,x\n1,.1,1\n2,,1\n3,,1\n4,.4,1\n5,,1\n", NULL, "2=0.4 ",
		0},
	    /* Repeated epochs: the last value before the next epoch. */
	    {"epoch,acc\n1,.1\n2,.2\n2,.25\n3,.3\n", NULL, "2=0.25 ", 0},
	    /* It went back: the first time counts. */
	    {"epoch,acc\n1,.1\n2,.2\n3,.3\n1,.4\n2,.5\n3,.6\n", NULL, "2=0.2 ",
		0},
	    /* A first run has its first value after the rung. */
	    {"epoch,acc\n5,.5\n6,.6\n7,.7\n", NULL, "2=0.5 6=0.6 ", 0},
	    /* What was before the log of a later run is unknown. */
	    {"epoch,acc\n5,.5\n6,.6\n7,.7\n", NULL, "6=0.6 ", 0, 1},
	    {"epoch,acc\n1,.1\n2,nan\n3,inf\n", NULL, "2=nan ", 0},
	    /* Steps, as epochs are counted, and far beyond the last epoch. */
	    {"step,acc\n1,.1\n2,.2\n3,.3\n", NULL, "2=0.2 ", 0},
	    {"step,acc\n100,.1\n200,.2\n300,.3\n", NULL, "", 0},
	    {"epoch,acc\n1,.1\n2,.2\n3,.3\n", "2=0.9@0.0", "", 0},
	    {"epoch,loss\n1,.1\n2,.2\n3,.3\n", NULL, "", 0},
	    {"acc\n.1\n.2\n.3\n", NULL, "2=0.2 ", 0},
	    /* Silent, cut within a line, and without a line that is whole. */
	    {"", NULL, "", 1},
	    {"epoch,acc\n", NULL, "", 1},
	    {"epoch,acc\n1,.1\n2,.2\n3,.", NULL, "", 0},
	    {"epoch,acc\n1,.1\n2,.2\n3\n", NULL, "2=0.2 ", 0},
	    {"epoch,acc\n1,.1\n2,x\n3,.3\n4,.4\n", NULL, "2=0.3 ", 0},
	    /* nan at the rung, and a value after it. */
	    {"epoch,acc\n1,nan\n2,nan\n3,nan\n4,.4\n", NULL, "2=nan ", 0},
	    /* Epochs that jump back behind a rung, and one of a fraction. */
	    {"epoch,acc\n1,.1\n3,.3\n2,.2\n4,.4\n", NULL, "2=0.3 ", 0},
	};
	const struct job_search search = {
	    .pruner = {SEARCH_ASHA, 3, 2, 1}, .epochs = 20, .study = "x"};
	struct job_search_reader r;
	struct metrics_request request = {.metric = "acc",
	    .goal = METRICS_MAX,
	    .epoch = job_search_epoch,
	    .arg = &r};
	struct metrics_summary m;
	char text[256];
	size_t i, k, used;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		memset(&m, 0, sizeof m);
		r = (struct job_search_reader){.search = &search,
		    .is_later = t[i].is_later,
		    .known = t[i].known};
		assert_int_equal(metrics_summary_read(&m, &request, t[i].log,
				     strlen(t[i].log), t[i].ended, NULL),
		    0);
		if (t[i].ended)
			job_search_epoch(&r, &m);
		for (*text = '\0', used = k = 0; k < r.count; k++)
			used += (size_t)snprintf(text + used,
			    sizeof text - used, "%d=%.15g ",
			    (int)r.rung[k].epoch, r.rung[k].value);
		if (strcmp(text, t[i].want) != 0)
			fail_msg("%s: %s, not %s", t[i].log, text, t[i].want);
		job_search_reader_free(&r);
	}
}

static void
nothing_is_found_before_the_epochs_are_known(void **state)
{
	const struct job_search search = {.pruner = {SEARCH_ASHA, 3, 2, 1}};
	struct job_search_reader r = {.search = &search};
	struct metrics_request request = {.metric = "acc",
	    .goal = METRICS_MAX,
	    .epoch = job_search_epoch,
	    .arg = &r};
	static const char log[] = "epoch,acc\n1,.1\n2,.2\n3,.3\n";
	struct metrics_summary m = {0};

	(void)state;
	assert_int_equal(
	    metrics_summary_read(&m, &request, log, sizeof log - 1, 1, NULL),
	    0);
	assert_int_equal(r.count, 0);
	assert_int_equal(job_search_epochs_of(&m), 3);
}

/* ---- the board ---- */

enum { TASKS = 40, ROUNDS = 1000 };

/* The tasks that a board stops, "F.F...": one letter each. */
static void
verdicts(const struct job_search *s, char *const *rungs, const int *order,
    char out[TASKS + 1])
{
	struct job_board *b = job_board_new(s);
	struct stop_pruned why;
	int i;

	for (i = 0; i < TASKS; i++)
		job_board_add(b, (uint64_t)order[i], rungs[order[i]], 1);
	for (i = 0; i < TASKS; i++)
		out[i] =
		    job_board_judge(b, (uint64_t)i, rungs[i], &why) ? 'F' : '.';
	out[TASKS] = '\0';
	job_board_free(b);
}

enum { FACTS = 4 * TASKS };

/* Two runs of each task, of which the second one has other values. */
static size_t
make_facts(struct store_fact out[FACTS])
{
	struct store_fact f = {.task = 0};
	size_t n = 0;

	for (f.task = 0; f.task < TASKS; f.task++)
		for (f.attempt = 0; f.attempt < 2; f.attempt++) {
			store_fact_set_rung(&f,
			    (struct store_rung){3,
				(double)((f.task * 7 + f.attempt) % 10) / 10});
			out[n++] = f;
			if (f.task % 4 == 3)
				continue;
			store_fact_set_rung(&f,
			    (struct store_rung){9,
				(double)((f.task * 11 + f.attempt) % 8) / 10});
			out[n++] = f;
		}
	return n;
}

static void
shuffle(struct store_fact *facts, size_t count)
{
	struct store_fact other;
	size_t i, k;

	for (i = count - 1; i > 0; i--) {
		k = (size_t)random() % (i + 1);
		other = facts[i];
		facts[i] = facts[k];
		facts[k] = other;
	}
}

/* The verdicts after facts came in this order, and tasks in that of theirs. */
static void
verdicts_of(const struct job_search *s, const struct store_fact *facts,
    size_t count, char out[TASKS + 1])
{
	char *rungs[TASKS] = {NULL};
	int order[TASKS], n = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (rungs[facts[i].task] == NULL)
			order[n++] = (int)facts[i].task;
		job_rungs_add(&rungs[facts[i].task], &facts[i]);
	}
	assert_int_equal(n, TASKS);
	verdicts(s, rungs, order, out);
	for (i = 0; i < TASKS; i++)
		free(rungs[i]);
}

static void
verdicts_do_not_depend_on_the_order_of_the_facts(void **state)
{
	static const enum search_pruner_kind kinds[] = {
	    SEARCH_ASHA, SEARCH_HYPERBAND, SEARCH_MEDIAN};
	char first[TASKS + 1], again[TASKS + 1];
	struct job_search s = {.epochs = 50, .study = "study"};
	struct store_fact facts[FACTS];
	size_t count = make_facts(facts), kind;
	int round;

	(void)state;
	srandom(1);
	for (kind = 0; kind < 3; kind++) {
		s.pruner = (struct search_pruner){kinds[kind], 3, 3, 1};
		verdicts_of(&s, facts, count, first);
		assert_non_null(strchr(first, 'F'));
		assert_non_null(strchr(first, '.'));
		for (round = 0; round < ROUNDS; round++) {
			shuffle(facts, count);
			verdicts_of(&s, facts, count, again);
			assert_string_equal(again, first);
		}
	}
}

static void
the_verdict_says_how_a_task_stands(void **state)
{
	static const char *const rungs[] = {"2=0.5@0.0 6=0.6@0.0",
	    "2=0.4@0.0 6=0.7@0.0", "2=0.9@0.0 6=0.1@0.0", "2=0.3@0.0",
	    "2=0.2@0.0 6=nan@0.0", NULL, "5=0.1@0.0"};
	static const char *const want[] = {
	    "pruned at epoch 6: 0.6 is 2nd of 4, only the best continues (0.7 "
	    "or better)",
	    NULL, NULL, /* it has the best value of all */
	    "pruned at epoch 2: 0.3 is 4th of 5, only the best continues (0.9 "
	    "or better)",
	    "pruned at epoch 6: nan or inf is worse than any number", NULL,
	    NULL /* at no rung */};
	const struct job_search s = {
	    .pruner = {SEARCH_ASHA, 3, 2, 1}, .epochs = 20, .study = "x"};
	struct job_board *b = job_board_new(&s);
	struct stop_pruned why;
	size_t i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof rungs / sizeof *rungs; i++)
		job_board_add(b, i, rungs[i], 1);
	assert_int_equal(b->best, 2);
	for (i = 0; i < sizeof rungs / sizeof *rungs; i++) {
		if (!job_board_judge(b, i, rungs[i], &why)) {
			assert_null(want[i]);
			continue;
		}
		text = stop_pruned_text(&why);
		assert_string_equal(text, want[i]);
		free(text);
	}
	job_board_free(b);
}

/* Values with ties, nan and few values, in both directions. */
static void
a_quick_look_agrees_with_the_whole_comparison(void **state)
{
	struct job_search s = {
	    .pruner = {SEARCH_ASHA, 3, 2, 1}, .epochs = 20, .study = "x"};
	char text[ROUNDS][64];
	struct job_board *b;
	struct job_board_rung *at;
	struct stop_pruned why;
	size_t i, count, stops = 0;
	int round;

	(void)state;
	srandom(1);
	for (round = 0; round < ROUNDS; round++) {
		s.pruner.higher = round % 2;
		count = (size_t)random() % 40 + 1;
		b = job_board_new(&s);
		for (i = 0; i < count; i++) {
			if (random() % 9 == 0)
				snprintf(text[i], 64, "2=nan@0.0");
			else
				snprintf(
				    text[i], 64, "2=%ld@0.0", random() % 9 - 4);
			job_board_add(b, i, text[i], 0);
		}
		at = &b->rung[0];
		assert_int_equal(at->count, count);
		for (i = 0; i < count; i++) {
			assert_int_equal(job_board_judge(b, i, text[i], &why),
			    search_judge(&s.pruner, at->value, count,
				&at->value[i], NULL));
			stops += (size_t)job_board_judge(b, i, text[i], &why);
		}
		job_board_free(b);
	}
	assert_true(stops > 1000);
}

/* What a task of a population does: the rung, its place and the best there. */
static char *
exploit(const char *const *rungs, size_t tasks, uint64_t task,
    struct store_run since)
{
	const struct job_search s = {
	    .pruner = {SEARCH_PBT, 4, 2, 1}, .epochs = 20, .study = "x"};
	struct job_board *b = job_board_new(&s);
	struct idset best = {0};
	struct stop_pruned why;
	char *place, *from, *text = NULL;
	size_t i;

	for (i = 0; i < tasks; i++)
		job_board_add(b, i, rungs[i], 1);
	if (job_board_exploits(b, task, rungs[task], since, &best, &why)) {
		place = stop_place_text(&why);
		from = idset_text(&best);
		text = xasprintf(
		    "epoch %d: %s, best %s", (int)why.epoch, place, from);
		free(place);
		free(from);
	}
	idset_free(&best);
	job_board_free(b);
	return text;
}

static void
a_population_compares_at_the_highest_rung_with_enough_values(void **state)
{
	static const struct {
		const char *rungs;
		struct store_run since;
		const char *want;
	} all[] = {
	    {"2=9@0.0 4=19@0.0 6=29@0.0", {0, 0}, NULL},
	    /* The others are not at 6, 8 and 10 yet. */
	    {"2=1@0.0 4=2@0.0 6=3@0.0 8=4@0.0 10=5@0.0", {0, 0},
		"epoch 4: 2 is 4th of 4, best 0"},
	    {"2=1@0.0 4=2@0.0 6=3@0.0", {0, 0},
		"epoch 4: 2 is 4th of 4, best 0"},
	    /* What it has of runs with another point does not count. */
	    {"2=1@0.0 4=2@0.0 6=3@0.1", {0, 1}, NULL},
	    {"2=1@0.0 4=2@0.1 6=3@0.1", {0, 1},
		"epoch 4: 2 is 4th of 4, best 0"},
	    {"2=1@0.0 4=2@0.1 6=3@1.0", {1, 0}, NULL},
	    /* It was not the worst at the rung before. */
	    {"2=5@0.0 4=2@0.0", {0, 0}, "epoch 4: 2 is 4th of 4, best 0"},
	    {"2=1@0.0", {0, 0}, "epoch 2: 1 is 4th of 4, best 0"},
	    {NULL, {0, 0}, NULL},
	};
	const char *rungs[4] = {"2=9@0.0 4=19@0.0 6=29@0.0", NULL,
	    "2=3@0.0 4=6@0.0", "2=4@0.0 4=8@0.0"};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof *all; i++) {
		rungs[1] = all[i].rungs;
		text = exploit(rungs, 4, 1, all[i].since);
		assert_string_equal(text != NULL ? text : "none",
		    all[i].want != NULL ? all[i].want : "none");
		free(text);
		/* With too few values, nothing is compared. */
		assert_null(exploit(rungs, 3, 1, all[i].since));
	}
}

/* ---- many rungs ---- */

enum { MANY = 5000, FEW_TASKS = 6, HUNDRED = SEARCH_MEDIAN_RUNGS };

/* Return a log with many epochs, to free. */
static char *
long_log(int task)
{
	size_t length;
	char *text;
	FILE *out = xmemopen(&text, &length);
	int i;

	fputs("epoch,acc\n", out);
	for (i = 1; i <= MANY; i++)
		fprintf(out, "%d,%.15g\n", i, (double)(i + task) / MANY / 3);
	xmemclose(out);
	return text;
}

/* Read a log twice: the values that the first time found are known later. */
static char *
rungs_of(const struct job_search *search, const char *log, uint64_t task)
{
	struct job_search_reader r = {.search = search, .task = task};
	struct metrics_request request = {.metric = "acc",
	    .goal = METRICS_MAX,
	    .epoch = job_search_epoch,
	    .arg = &r};
	struct store_fact f = {.task = task};
	struct metrics_summary m = {0};
	char *text = NULL;
	size_t i;

	assert_int_equal(
	    metrics_summary_read(&m, &request, log, strlen(log), 1, NULL), 0);
	assert_int_equal(r.count, HUNDRED);
	for (i = 0; i < r.count; i++) {
		store_fact_set_rung(&f, r.rung[i]);
		assert_false(job_rungs_know(text, &f));
		job_rungs_add(&text, &f);
		assert_true(job_rungs_know(text, &f));
	}
	job_search_reader_free(&r);
	memset(&m, 0, sizeof m);
	r = (struct job_search_reader){
	    .search = search, .task = task, .known = text};
	assert_int_equal(
	    metrics_summary_read(&m, &request, log, strlen(log), 1, NULL), 0);
	assert_int_equal(r.count, 0);
	job_search_reader_free(&r);
	return text;
}

static void
thousands_of_epochs_have_a_hundred_rungs(void **state)
{
	const struct job_search search = {
	    .pruner = {SEARCH_MEDIAN, 3, 1, 1}, .epochs = MANY, .study = "x"};
	struct job_board *b;
	char *rungs[FEW_TASKS], *log;
	struct stop_pruned at;
	struct job_rungs all;
	int i;

	(void)state;
	b = job_board_new(&search);
	assert_int_equal(b->rungs, HUNDRED);
	for (i = 0; i < FEW_TASKS; i++) {
		log = long_log(i);
		rungs[i] = rungs_of(&search, log, (uint64_t)i);
		free(log);
		job_rungs_read(rungs[i], &all);
		assert_int_equal(all.count, HUNDRED);
		job_rungs_free(&all);
		job_board_add(b, (uint64_t)i, rungs[i], 1);
	}
	for (i = 0; i < FEW_TASKS; i++) {
		assert_int_equal(
		    job_board_judge(b, (uint64_t)i, rungs[i], &at), i < 3);
		if (i < 3)
			assert_int_equal(at.rank, FEW_TASKS - i);
		free(rungs[i]);
	}
	job_board_free(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_name_of_a_rung_has_its_value),
	    cmocka_unit_test(the_first_run_counts_in_any_order),
	    cmocka_unit_test(a_damaged_text_is_no_rung),
	    cmocka_unit_test_setup_teardown(rungs_are_listed_apart_and_packed,
		place_set_up, place_tear_down),
	    cmocka_unit_test(the_values_at_rungs_are_found_in_a_log),
	    cmocka_unit_test(nothing_is_found_before_the_epochs_are_known),
	    cmocka_unit_test(verdicts_do_not_depend_on_the_order_of_the_facts),
	    cmocka_unit_test(the_verdict_says_how_a_task_stands),
	    cmocka_unit_test(a_quick_look_agrees_with_the_whole_comparison),
	    cmocka_unit_test(
		a_population_compares_at_the_highest_rung_with_enough_values),
	    cmocka_unit_test(thousands_of_epochs_have_a_hundred_rungs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
