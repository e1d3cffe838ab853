/*
 * Lets bench/search.py ask the pruner and the sampler of the library.
 *
 *	search-serve GOAL EPOCHS STUDY PRUNER SAMPLER SEED name=values...
 *		[name:condition...]
 *
 * GOAL is min or max; a guess may follow SAMPLER after a blank, as in "random
 * lr=1e-3,width=128"; the last words are those of stfm-ask and its --when.  The
 * program reads commands, one a line, and answers some of them with a line:
 *
 *	rungs TASK		prints the epochs at which the task is compared
 *	value TASK EPOCH VALUE	the task has this value at this rung
 *	judge TASK...		prints those of the tasks that are to be stopped
 *	ask TASK		prints the point of a task, with tabs between
 *				the values and "-" for none; the task now runs
 *	end TASK EPOCH VALUE	the task has ended after this epoch, with this
 *				value
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/ask-trial.h"
#include "search/sampler.h"
#include "space/space.h"
#include "state/search.h"

struct serve {
	struct job_search search;
	struct job_board *board;
	struct space *space;
	enum search_sampler sampler;
	const char *guess; /* or NULL */
	uint64_t seed;
	struct ask_trial *task;
	char ***text; /* the point of each task, or NULL */
	char *stops;  /* whether each task is being stopped */
	uint64_t tasks;
};

static void
fail(const char *what)
{
	fprintf(stderr, "search-serve: %s\n", what);
	exit(2);
}

/* Return the next word of a line as a number. */
static double
number(char **rest)
{
	char *word = strsep(rest, " ");
	double value = 0;

	if (word == NULL || !num_parse(word, &value))
		fail("a number is missing");
	return value;
}

/* Return the task that the next word of a line names. */
static struct ask_trial *
task_of(struct serve *s, char **rest)
{
	uint64_t task = (uint64_t)number(rest);

	while (s->tasks <= task) {
		s->task = xgrow(s->task, s->tasks, sizeof *s->task);
		s->text = xgrow(s->text, s->tasks, sizeof *s->text);
		s->stops = xgrow(s->stops, s->tasks, 1);
		s->text[s->tasks] = NULL;
		s->stops[s->tasks] = 0;
		s->task[s->tasks++] = (struct ask_trial){.value = NAN};
	}
	return &s->task[task];
}

/* ---- the pruner ---- */

static void
print_rungs(const struct serve *s, uint64_t task)
{
	const struct job_search *j = &s->search;
	size_t bracket = job_search_bracket(j, task), i;
	int64_t epoch;

	for (i = 0;; i++) {
		epoch = search_rung(&j->pruner, j->epochs, bracket, i);
		if (epoch == 0)
			break;
		printf("%s%" PRId64, i > 0 ? " " : "", epoch);
	}
	putchar('\n');
}

static void
take_value(struct serve *s, struct ask_trial *t, char **rest)
{
	struct store_fact fact = {.task = (uint64_t)(t - s->task)};
	struct store_rung rung;
	char *one = NULL;

	rung.epoch = (int64_t)number(rest);
	rung.value = number(rest);
	store_fact_set_rung(&fact, rung);
	if (job_rungs_know(t->rungs, &fact))
		return;
	job_rungs_add(&t->rungs, &fact);
	job_rungs_add(&one, &fact);
	job_board_add(s->board, fact.task, one, !s->stops[fact.task]);
	free(one);
}

static void
judge(struct serve *s, char **rest)
{
	struct stop_pruned why;
	const char *blank = "";
	struct ask_trial *t;
	uint64_t task;

	while (*rest != NULL) {
		t = task_of(s, rest);
		task = (uint64_t)(t - s->task);
		if (!job_board_judge(s->board, task, t->rungs, &why))
			continue;
		s->stops[task] = 1;
		printf("%s%" PRIu64, blank, task);
		blank = " ";
	}
	putchar('\n');
}

/* ---- the sampler ---- */

static void
ask(struct serve *s, struct ask_trial *t)
{
	size_t width = space_width(s->space), i;
	uint64_t task = (uint64_t)(t - s->task), k;
	struct search *search;
	struct error e;
	char **text;

	search = search_new(
	    s->space, s->sampler, s->seed, s->search.pruner.higher, &e);
	if (search == NULL ||
	    (s->guess != NULL &&
		search_guess(search, s->guess, s->search.pruner.eta, &e) == -1))
		fail(e.text);
	ask_trials_compare(s->task, s->tasks, &s->search);
	for (k = 0; k < s->tasks; k++)
		if (s->task[k].is_told)
			search_tell(search, (const char *const *)s->text[k],
			    s->task[k].reached, s->task[k].told,
			    s->task[k].is_open);
	text = s->text[task] = xcalloc(width + 1, sizeof *text);
	if (search_ask(search, task, text) == -1)
		fail("no points are left");
	t->line = text[0]; /* it has a point */
	for (i = 0; i < width; i++)
		printf("%s%s", text[i] != NULL ? text[i] : "-",
		    i + 1 < width ? "\t" : "\n");
	search_free(search);
}

/* ---- the commands ---- */

static void
obey(struct serve *s, char *line)
{
	char *rest = line, *command = strsep(&rest, " ");
	struct ask_trial *t;

	if (strcmp(command, "judge") == 0) {
		judge(s, &rest);
		return;
	}
	t = task_of(s, &rest);
	if (strcmp(command, "rungs") == 0)
		print_rungs(s, (uint64_t)(t - s->task));
	else if (strcmp(command, "value") == 0)
		take_value(s, t, &rest);
	else if (strcmp(command, "ask") == 0)
		ask(s, t);
	else if (strcmp(command, "end") == 0) {
		t->state = (int64_t)number(&rest) == s->search.epochs
		    ? ASK_FINISHED
		    : ASK_STOPPED;
		t->value = number(&rest);
	} else
		fail("no such command");
}

static void
declare(struct serve *s, char **words, int count)
{
	struct error e;
	int i, rc;

	s->space = space_new();
	for (i = 0; i < count; i++) {
		rc = words[i][strcspn(words[i], ":=")] == ':'
		    ? space_when(s->space, words[i], &e)
		    : space_add(s->space, words[i], &e);
		if (rc == -1)
			fail(e.text);
	}
	if (space_is_drawn(s->space))
		space_samples(s->space, 1);
	if (space_finish(s->space, &e) == -1)
		fail(e.text);
}

static void
release(struct serve *s)
{
	size_t width = space_width(s->space), i;
	uint64_t k;

	for (k = 0; k < s->tasks; k++) {
		for (i = 0; s->text[k] != NULL && i < width; i++)
			free(s->text[k][i]);
		free(s->text[k]);
		free(s->task[k].rungs);
	}
	free(s->text);
	free(s->stops);
	free(s->task);
	job_board_free(s->board);
	space_free(s->space);
}

int
main(int argc, char **argv)
{
	struct serve s = {.search = {.pruner = {.kind = SEARCH_NONE}}};
	char *line = NULL;
	size_t size = 0;
	int64_t seed = 0;
	struct error e;
	char *sampler;

	if (argc < 8)
		fail("usage: search-serve GOAL EPOCHS STUDY PRUNER SAMPLER "
		     "SEED WORD...");
	s.search.pruner.higher = strcmp(argv[1], "max") == 0;
	s.search.study = argv[3];
	s.search.pruner.eta = 3;
	s.guess = argv[5];
	sampler = strsep((char **)(uintptr_t)&s.guess, " ");
	if (num_int("EPOCHS", argv[2], 1, INT32_MAX, &s.search.epochs, &e) ||
	    search_pruner_parse(argv[4], &s.search.pruner, &e) ||
	    search_sampler_find(sampler, &s.sampler, &e) ||
	    num_int("SEED", argv[6], 0, INT64_MAX, &seed, &e))
		fail(e.text);
	s.seed = (uint64_t)seed;
	search_pruner_complete(&s.search.pruner, s.search.epochs);
	declare(&s, argv + 7, argc - 7);
	s.board = job_board_new(&s.search);
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		obey(&s, line);
		fflush(stdout);
	}
	free(line);
	release(&s);
	return 0;
}
