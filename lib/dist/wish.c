/* What is asked for, as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "dist/private.h"

static const char *const frameworks[] = {
    "tensorflow", "torch", "horovod", "mxnet", "jax"};
enum { FRAMEWORKS = sizeof frameworks / sizeof *frameworks };

static int
set_flag(
    int *flag, int to, const char *option, const char *value, struct error *e)
{
	if (value != NULL)
		return error_set(e, "%s: takes no value", option);
	*flag = to;
	return 0;
}

static int
set_gpus(struct dist_wish *w, const char *value, struct error *e)
{
	if (value != NULL && strcmp(value, "divide") == 0)
		w->gpus = DIST_DIVIDE;
	else if (value != NULL && strcmp(value, "all") == 0)
		w->gpus = DIST_ALL;
	else
		return error_set(e, "gpus: choose divide or all");
	return 0;
}

/* Which frameworks know an option; the others refuse it. */
static int
check_option(const struct dist_wish *w, const char *option, struct error *e)
{
	static const struct {
		const char *option;
		unsigned int of;
	} table[] = {
	    {"ps", 1 << DIST_TENSORFLOW | 1 << DIST_MXNET},
	    {"chief", 1 << DIST_TENSORFLOW},
	    {"no-chief", 1 << DIST_TENSORFLOW},
	    {"evaluator", 1 << DIST_TENSORFLOW},
	    {"mpi", 1 << DIST_HOROVOD},
	    {"gloo", 1 << DIST_HOROVOD},
	    {"gpus", ~0U},
	    {"port", ~0U},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(option, table[i].option) == 0)
			break;
	if (i == sizeof table / sizeof *table)
		return error_set(e,
		    "%s: none of ps=N, chief, no-chief, evaluator, mpi, gloo, "
		    "gpus=WAY and port=N",
		    option);
	if ((table[i].of & 1U << w->framework) == 0)
		return error_set(e, "%s: %s has no such thing", option,
		    frameworks[w->framework]);
	return 0;
}

/* "2", or "first": their place, beside a number or with one of them. */
static int
set_ps(struct dist_wish *w, const char *value, struct error *e)
{
	if (value == NULL || strcmp(value, "first") != 0)
		return num_int(
		    "ps", value ? value : "", 0, INT32_MAX, &w->ps, e);
	if (w->framework != DIST_TENSORFLOW)
		return error_set(e, "ps=first: %s has no such thing",
		    frameworks[w->framework]);
	w->ps_first = 1;
	return 0;
}

/*
 * Set one part of it behind the name: option is "ps", "gpus", "mpi" ..., value
 * what stands behind the "=", or NULL.
 */
static int
set(struct dist_wish *w, const char *option, const char *value, struct error *e)
{
	if (check_option(w, option, e) == -1)
		return -1;
	if (strcmp(option, "ps") == 0)
		return set_ps(w, value, e);
	if (strcmp(option, "port") == 0)
		return num_int(
		    "port", value ? value : "", 1024, 65535, &w->port, e);
	if (strcmp(option, "gpus") == 0)
		return set_gpus(w, value, e);
	if (strcmp(option, "chief") == 0)
		return set_flag(&w->chief, 1, option, value, e);
	if (strcmp(option, "no-chief") == 0)
		return set_flag(&w->chief, 0, option, value, e);
	if (strcmp(option, "evaluator") == 0)
		return set_flag(&w->evaluator, 1, option, value, e);
	if (strcmp(option, "gloo") == 0)
		return set_flag(&w->gloo, 1, option, value, e);
	return set_flag(&w->mpi, 1, option, value, e);
}

/* What its parts say together. */
static int
check_wish(struct dist_wish *w, struct error *e)
{
	if (w->ps_first && w->ps < 0)
		w->ps = 1;
	if (w->ps_first && w->chief == 0)
		return error_set(e,
		    "ps=first: needs a chief: the log and the end of the "
		    "first task are those of the training; leave no-chief out");
	if (w->framework != DIST_HOROVOD || w->mpi + w->gloo == 1)
		return 0;
	return error_set(e,
	    "horovod: choose mpi, as in horovod,mpi (with srun --mpi=pmix), or "
	    "gloo, where your program starts the rendezvous server of Gloo "
	    "itself: stfm starts none");
}

static int
set_framework(struct dist_wish *w, const char *name, struct error *e)
{
	char hint[TEXT_HINT];
	int i = text_among(name, frameworks, FRAMEWORKS);

	if (i != -1) {
		w->framework = (enum dist_framework)i;
		return 0;
	}
	return error_set(e, "%s: no such framework (%s)", *name ? name : "''",
	    text_hint(name, frameworks, FRAMEWORKS,
		"tensorflow, torch, horovod, mxnet or jax", hint));
}

int
dist_wish(const char *text, struct dist_wish *w, struct error *e)
{
	char *list = xstrdup(text), *rest = list, *word, *value;
	int rc;

	*w = (struct dist_wish){.ps = -1, .chief = -1};
	rc = set_framework(w, strsep(&rest, ","), e);
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		value = strchr(word, '=');
		if (value != NULL)
			*value++ = '\0';
		rc = set(w, word, value, e);
	}
	free(list);
	return rc == 0 ? check_wish(w, e) : -1;
}

char *
dist_wish_text(const struct dist_wish *w)
{
	char *text = NULL;
	size_t length;
	FILE *out = xmemopen(&text, &length);

	fputs(frameworks[w->framework], out);
	if (w->ps >= 0)
		fprintf(out, ",ps=%" PRId64, w->ps);
	if (w->ps_first)
		fputs(",ps=first", out);
	if (w->chief >= 0)
		fputs(w->chief ? ",chief" : ",no-chief", out);
	if (w->evaluator)
		fputs(",evaluator", out);
	if (w->mpi)
		fputs(",mpi", out);
	if (w->gloo)
		fputs(",gloo", out);
	if (w->gpus != DIST_AS_USUAL)
		fprintf(
		    out, ",gpus=%s", w->gpus == DIST_DIVIDE ? "divide" : "all");
	if (w->port != 0)
		fprintf(out, ",port=%" PRId64, w->port);
	xmemclose(out);
	return text;
}
