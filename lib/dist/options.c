/* The options of a distributed training, as text. */
#include <inttypes.h>
#include <stddef.h>
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

/* The options after the framework, and the frameworks that accept them. */
static const struct option {
	const char *name;
	unsigned int of;
	/* The member set to `to` by an option without a value, or 0. */
	size_t flag;
	int to;
} options[] = {
    {"ps", 1 << DIST_TENSORFLOW | 1 << DIST_MXNET, 0, 0},
    {"chief", 1 << DIST_TENSORFLOW, offsetof(struct dist_options, chief), 1},
    {"no-chief", 1 << DIST_TENSORFLOW, offsetof(struct dist_options, chief), 0},
    {"evaluator", 1 << DIST_TENSORFLOW,
	offsetof(struct dist_options, evaluator), 1},
    {"mpi", 1 << DIST_HOROVOD, offsetof(struct dist_options, mpi), 1},
    {"gloo", 1 << DIST_HOROVOD, offsetof(struct dist_options, gloo), 1},
    {"gpus", ~0U, 0, 0},
    {"port", ~0U, 0, 0},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Set an option; value is the text after its "=", or NULL. */
static int
set(struct dist_options *w, const char *name, const char *value,
    struct error *e)
{
	const char *text = value != NULL ? value : "";
	const struct option *o = options;

	while (o < options + OPTIONS && strcmp(name, o->name) != 0)
		o++;
	if (o == options + OPTIONS)
		return error_set(e,
		    "%s: none of ps=N, chief, no-chief, evaluator, mpi, gloo, "
		    "gpus=WAY and port=N",
		    name);
	if ((o->of & 1U << w->framework) == 0)
		return error_set(e, "%s: %s has no such thing", name,
		    frameworks[w->framework]);
	if (o->flag != 0) {
		if (value != NULL)
			return error_set(e, "%s: takes no value", name);
		*(int *)(void *)((char *)w + o->flag) = o->to;
		return 0;
	}
	if (strcmp(name, "port") == 0)
		return num_int("port", text, 1024, 65535, &w->port, e);
	if (strcmp(name, "gpus") == 0) {
		if (strcmp(text, "divide") != 0 && strcmp(text, "all") != 0)
			return error_set(e, "gpus: choose divide or all");
		w->gpus = *text == 'd' ? DIST_DIVIDE : DIST_ALL;
		return 0;
	}
	if (strcmp(text, "first") != 0)
		return num_int("ps", text, 0, INT32_MAX, &w->ps, e);
	if (w->framework != DIST_TENSORFLOW)
		return error_set(e, "ps=first: %s has no such thing",
		    frameworks[w->framework]);
	w->ps_first = 1;
	return 0;
}

int
dist_options_parse(const char *text, struct dist_options *w, struct error *e)
{
	char *list = xstrdup(text), *rest = list, *word, *value;
	char hint[TEXT_HINT];
	int i, rc = 0;

	*w = (struct dist_options){.ps = -1, .chief = -1};
	word = strsep(&rest, ",");
	i = text_among(word, frameworks, FRAMEWORKS);
	if (i == -1)
		rc = error_set(e, "%s: no such framework (%s)",
		    *word ? word : "''",
		    text_hint(word, frameworks, FRAMEWORKS,
			"tensorflow, torch, horovod, mxnet or jax", hint));
	else
		w->framework = (enum dist_framework)i;
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		value = strchr(word, '=');
		if (value != NULL)
			*value++ = '\0';
		rc = set(w, word, value, e);
	}
	free(list);
	if (rc == -1)
		return -1;
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

char *
dist_options_text(const struct dist_options *w)
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
