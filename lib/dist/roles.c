/* The roles of ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "dist/private.h"

const char *const dist_role_names[DIST_ROLES] = {
    "chief", "worker", "ps", "evaluator"};

/* Return the number of parameter servers; MXNet needs one by default. */
static size_t
ps_count(const struct dist_options *w)
{
	if (w->framework != DIST_TENSORFLOW && w->framework != DIST_MXNET)
		return 0;
	return w->ps >= 0 ? (size_t)w->ps : w->framework == DIST_MXNET;
}

/*
 * Return the number of chiefs.  In TensorFlow a chief coordinates the parameter
 * servers; without them the first worker does the work of a chief.
 */
static size_t
chief_count(const struct dist_options *w)
{
	if (w->framework == DIST_MXNET)
		return 1;
	if (w->framework != DIST_TENSORFLOW)
		return 0;
	return w->chief >= 0 ? (size_t)w->chief : ps_count(w) > 0;
}

size_t
dist_role_count(const struct dist_options *w, const struct dist_step *s,
    enum dist_role role)
{
	size_t others = chief_count(w) + ps_count(w) + (size_t)w->evaluator;

	switch (role) {
	case DIST_CHIEF:
		return chief_count(w);
	case DIST_PS:
		return ps_count(w);
	case DIST_EVALUATOR:
		return (size_t)w->evaluator;
	default:
		return s->tasks > others ? s->tasks - others : 0;
	}
}

enum dist_role
dist_role(const struct dist_options *w, const struct dist_step *s, size_t rank,
    size_t *index)
{
	/*
	 * The first task writes the log that stfm reads: a chief or a worker.
	 * TensorFlow's SlurmClusterResolver sorts the roles by name.
	 */
	static const enum dist_role orders[2][3] = {
	    {DIST_CHIEF, DIST_WORKER, DIST_PS},
	    {DIST_CHIEF, DIST_PS, DIST_WORKER}};
	size_t count, i;

	for (i = 0; i < 3; i++) {
		count = dist_role_count(w, s, orders[w->ps_first][i]);
		if (rank < count)
			break;
		rank -= count;
	}
	*index = rank;
	return i < 3 ? orders[w->ps_first][i] : DIST_EVALUATOR;
}

int
dist_check(
    const struct dist_options *w, const struct dist_step *s, struct error *e)
{
	/* A chief also trains, unless it coordinates parameter servers. */
	int with_worker = ps_count(w) > 0 || chief_count(w) == 0;
	size_t needed = chief_count(w) + ps_count(w) + (size_t)w->evaluator +
	    (size_t)with_worker;
	struct strlist parts = {0};
	size_t length, i;
	char *text;
	FILE *out;

	if (s->tasks >= needed)
		return 0;
	if (chief_count(w) > 0)
		strlist_push(&parts,
		    w->framework == DIST_MXNET ? "a scheduler" : "a chief");
	if (ps_count(w) > 0)
		strlist_take(&parts, xasprintf("%zu ps", ps_count(w)));
	if (w->evaluator)
		strlist_push(&parts, "an evaluator");
	if (with_worker)
		strlist_push(&parts, "a worker");
	out = xmemopen(&text, &length);
	for (i = 0; i < parts.count; i++)
		fprintf(out, "%s%s",
		    i == 0                     ? ""
			: i == parts.count - 1 ? " and "
					       : ", ",
		    parts.word[i]);
	xmemclose(out);
	strlist_free(&parts);
	error_set(e,
	    "%zu task%s: too few for %s: give it %zu or more (-n, "
	    "--ntasks-per-node)",
	    s->tasks, s->tasks == 1 ? "" : "s", text, needed);
	free(text);
	return -1;
}

int
dist_needs_all(const struct dist_options *w)
{
	return w->framework == DIST_TENSORFLOW;
}

int
dist_listens(const struct dist_options *w, size_t rank)
{
	if (w->framework == DIST_HOROVOD)
		return 0; /* another program serves its rendezvous */
	return rank == 0 || w->framework == DIST_TENSORFLOW;
}

int
dist_has_servers(const struct dist_options *w)
{
	return w->framework == DIST_TENSORFLOW && ps_count(w) > 0;
}

int
dist_serves(
    const struct dist_options *w, const struct dist_step *s, size_t rank)
{
	size_t index;
	enum dist_role role = dist_role(w, s, rank, &index);

	if (!dist_has_servers(w))
		return 0;
	return role == DIST_PS || (role == DIST_WORKER && chief_count(w) > 0);
}
