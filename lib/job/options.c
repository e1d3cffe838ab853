#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/options.h"
#include "store/job.h"

static char *
number(int64_t n)
{
	return n > 0 ? xasprintf("%" PRId64, n) : NULL;
}

static char *
list(const struct strlist *words)
{
	return words->count > 0 ? strlist_join(words, ",") : NULL;
}

static char *
retry(const struct store_retry *r)
{
	const char *unit = text_same(r->option, "time") ? "" : "M";

	if (r->factor == NULL)
		return NULL;
	return r->bound > 0 ? xasprintf("%s,max=%" PRId64 "%s,n=%" PRId64,
				  r->factor, r->bound, unit, r->times)
			    : xasprintf("%s,n=%" PRId64, r->factor, r->times);
}

/* Return the sampler; NULL if all points of a space are trained. */
static char *
sampler(const struct store_job *job)
{
	return xcopy(job->search.sampler != NULL ? job->search.sampler
		: job->seed != -1                ? "random"
						 : NULL);
}

/*
 * Return the job that --from-results named, or how many results it had; NULL
 * without results.
 */
static char *
results(const struct store_job *job)
{
	static const char option[] = "--from-results";
	const size_t length = sizeof option - 1;
	const char *word;
	size_t i;

	if (job->search.results.count == 0)
		return NULL;
	for (i = 0; i < job->argv.count; i++) {
		word = job->argv.word[i];
		if (strncmp(word, option, length) != 0)
			continue;
		if (word[length] == '=')
			return xstrdup(word + length + 1);
		if (word[length] == '\0' && i + 1 < job->argv.count)
			return xstrdup(job->argv.word[i + 1]);
	}
	return xasprintf("%zu results", job->search.results.count);
}

void
job_options(
    const struct store_job *job, struct strlist *names, struct strlist *values)
{
	const struct store_policy *p = &job->policy;
	const struct store_search *s = &job->search;
	const struct {
		const char *name;
		char *value;
	} all[] = {
	    {"--args", xcopy(job->args)},
	    {"--dist", xcopy(job->dist)},
	    {"--container", xcopy(job->container)},
	    {"--container-runtime", xcopy(job->container_runtime)},
	    {"--container-bind", list(&job->container_bind)},
	    {"--parallel", number(job->parallel)},
	    {"--pack", job->pack > 1 ? number(job->pack) : NULL},
	    {"--metric", xcopy(job->metric)},
	    {"--goal", xcopy(job->goal)},
	    {"--metrics", xcopy(job->metrics)},
	    {"--metrics-regex", list(&job->metrics_regex)},
	    {"--epochs", xcopy(job->epochs)},
	    {"--pruner", xcopy(s->pruner)},
	    {"--guess", xcopy(s->guess)},
	    {"--from-results", results(job)},
	    {"--until", xcopy(s->until)},
	    {"--gpu-hours", xcopy(s->gpu_hours)},
	    {"--sampler", sampler(job)},
	    {"--requeue", number(p->requeue)},
	    {"--signal-before", number(p->signal_before)},
	    {"--signal", xcopy(p->signal)},
	    {"--max-fail", number(p->max_fail)},
	    {"--canary", p->canary != 0 ? xstrdup("yes") : NULL},
	    {"--avoid-bad-nodes", number(p->avoid)},
	    {"--after", list(&job->after)},
	    {"--then", xcopy(job->then)},
	    {"--usage", p->usage < 0 ? xstrdup("no") : number(p->usage)},
	    {"--retry-oom", retry(&p->memory)},
	    {"--retry-time", retry(&p->time)},
	};
	size_t i;

	for (i = 0; i < sizeof all / sizeof *all; i++) {
		strlist_push(names, all[i].name);
		strlist_take(
		    values, all[i].value != NULL ? all[i].value : xstrdup(""));
	}
}
