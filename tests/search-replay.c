/*
 * Replays events of a search through lib/search, to compare it with others.
 *
 *	search-replay PRUNER[,eta=E,first=E,goal=min|max,epochs=N,study=NAME]
 *
 * reads a head and lines "trial step value ..." with tabs between, and prints
 * them with "go" or "stop" as the fourth column: the decision of Optuna's
 * rules, once, when the value arrives.  search/pruner.h says how those of stfm
 * differ; search-replay with "stfm" before PRUNER and a comma applies these.
 * Without epochs it is the largest step.
 *
 *	search-replay density DIM... <POINTS
 *
 * reads a line for each point, a value for each DIM, "real:0:1", "whole:1:5",
 * "log:1e-4:1", "logwhole:16:512" or "choice:3"; an empty line; and then points
 * for each of which it prints the logarithm of the density.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "search/parzen.h"
#include "search/pruner.h"

enum { RUNGS = 64, COLUMNS = 64 };

static void
fail(const char *what)
{
	fprintf(stderr, "search-replay: %s\n", what);
	exit(2);
}

static double
number(const char *text)
{
	double value = 0;

	if (text == NULL || !num_parse(text, &value))
		fail("not a number");
	return value;
}

/* ---- events ---- */

struct event {
	uint64_t trial;
	int64_t step;
	char *value; /* as it was written */
};

struct replay {
	struct search_pruner pruner;
	int ours;
	int64_t epochs;
	const char *study;
	struct event *event;
	size_t count;
	/* The values at each rung of each bracket, and the next rung. */
	struct search_value *at[RUNGS][RUNGS];
	size_t values[RUNGS][RUNGS];
	size_t *rung;
	uint64_t trials;
};

static void
read_events(struct replay *r)
{
	char *line = NULL, *rest;
	struct event *e;
	size_t size = 0;

	if (getline(&line, &size, stdin) == -1)
		fail("the head is missing");
	while (getline(&line, &size, stdin) > 0) {
		r->event = xgrow(r->event, r->count, sizeof *r->event);
		e = &r->event[r->count++];
		rest = line;
		rest[strcspn(rest, "\n")] = '\0';
		e->trial = (uint64_t)number(strsep(&rest, "\t"));
		e->step = (int64_t)number(strsep(&rest, "\t"));
		if (rest == NULL)
			fail("a value is missing");
		e->value = xstrdup(strsep(&rest, "\t"));
		if (e->step > r->epochs)
			r->epochs = e->step;
		if (e->trial >= r->trials)
			r->trials = e->trial + 1;
	}
	free(line);
}

/* Decide about one event.  Returns whether the trial is stopped. */
static int
decide(struct replay *r, const struct event *e)
{
	/* Optuna has rungs at the last epoch and beyond, too. */
	int64_t end = r->ours ? r->epochs : INT64_MAX / 2, at;
	struct search_value own = {e->trial, number(e->value)};
	size_t b, i, *count;
	struct search_standing s;
	struct search_value **all;

	/* For Optuna, an infinity is a value like others. */
	if (isinf(own.value) && !r->ours)
		own.value = copysign(DBL_MAX, own.value);
	b = search_bracket_of(&r->pruner, r->epochs, r->study, e->trial);
	for (;; r->rung[e->trial]++) {
		i = r->rung[e->trial];
		at = search_rung(&r->pruner, end, b, i);
		if (i >= RUNGS || at == 0 || e->step < at)
			return 0;
		if (isnan(own.value) && !r->ours)
			return 1;
		all = &r->at[b][i];
		count = &r->values[b][i];
		*all = xgrow(*all, *count, sizeof **all);
		(*all)[(*count)++] = own;
		search_judge(&r->pruner, *all, *count, &own, &s);
		if (r->ours ? s.stop : s.better >= s.kept) {
			r->rung[e->trial]++;
			return 1;
		}
	}
}

static int
replay(char *text)
{
	struct replay r = {.study = "s"};
	char *word, *rest = text, *pruner = NULL, *more;
	struct error e;
	size_t i;

	while ((word = strsep(&rest, ",")) != NULL) {
		if (strcmp(word, "stfm") == 0)
			r.ours = 1;
		else if (strncmp(word, "goal=", 5) == 0)
			r.pruner.higher = strcmp(word + 5, "max") == 0;
		else if (strncmp(word, "epochs=", 7) == 0)
			r.epochs = (int64_t)number(word + 7);
		else if (strncmp(word, "study=", 6) == 0)
			r.study = word + 6;
		else {
			more = xasprintf("%s%s%s", pruner ? pruner : "",
			    pruner ? "," : "", word);
			free(pruner);
			pruner = more;
		}
	}
	if (search_pruner_parse(pruner ? pruner : "", &r.pruner, &e) == -1)
		fail(e.text);
	if (!r.ours && r.pruner.kind != SEARCH_ASHA &&
	    r.pruner.kind != SEARCH_HYPERBAND)
		fail("Optuna's rules are those of asha and hyperband: write "
		     "stfm, before another pruner");
	if (r.pruner.first == 0)
		r.pruner.first = 1;
	read_events(&r);
	r.rung = xcalloc(r.trials + 1, sizeof *r.rung);
	puts("trial\tstep\tvalue\tdecision");
	for (i = 0; i < r.count; i++)
		printf("%llu\t%lld\t%s\t%s\n",
		    (unsigned long long)r.event[i].trial,
		    (long long)r.event[i].step, r.event[i].value,
		    decide(&r, &r.event[i]) ? "stop" : "go");
	for (i = 0; i < r.count; i++)
		free(r.event[i].value);
	for (i = 0; i < (size_t)RUNGS * RUNGS; i++)
		free(r.at[i / RUNGS][i % RUNGS]);
	free(r.event);
	free(r.rung);
	free(pruner);
	return 0;
}

/* ---- densities ---- */

static struct search_dim
dim_of(char *text)
{
	struct search_dim d = {.kind = SEARCH_REAL};
	char *kind = strsep(&text, ":");

	if (strcmp(kind, "choice") == 0) {
		d.kind = SEARCH_CHOICE;
		d.choices = (size_t)number(text);
		return d;
	}
	d.log = strncmp(kind, "log", 3) == 0;
	if (strstr(kind, "whole") != NULL)
		d.kind = SEARCH_WHOLE;
	d.low = number(strsep(&text, ":"));
	d.high = number(text);
	return d;
}

static int
densities(int dims, char **words)
{
	struct search_dim dim[COLUMNS];
	struct search_parzen *z = NULL;
	double *points = NULL, own[COLUMNS];
	char *line = NULL, *rest, *word, out[NUM_TEXT];
	size_t size = 0, count = 0;
	int i;

	if (dims < 1 || dims > COLUMNS)
		fail("density: name 1 to 64 dimensions");
	for (i = 0; i < dims; i++)
		dim[i] = dim_of(words[i]);
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '\0' && z == NULL) {
			z = search_parzen_new(dim, (size_t)dims, points, count);
			continue;
		}
		rest = line;
		for (i = 0; i < dims; i++) {
			word = strsep(&rest, "\t ");
			own[i] = number(word);
		}
		if (z != NULL) {
			puts(num_exact(search_parzen_log(z, own), out));
			continue;
		}
		points = realloc(
		    points, (count + 1) * (size_t)dims * sizeof *points);
		if (points == NULL)
			fail("out of memory");
		memcpy(points + count++ * (size_t)dims, own,
		    (size_t)dims * sizeof *points);
	}
	search_parzen_free(z);
	free(points);
	free(line);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "density") == 0)
		return densities(argc - 2, argv + 2);
	if (argc != 2)
		fail("usage: search-replay PRUNER[,...] | density DIM...");
	return replay(argv[1]);
}
