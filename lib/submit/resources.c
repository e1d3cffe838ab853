#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/resource.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "submit/resources.h"

/* The options that ask for GPUs; a job may use only one of them. */
static const char *const gpu_options[] = {
    "gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "gres"};
enum { GPU_OPTIONS = sizeof gpu_options / sizeof *gpu_options };

/*
 * Return a value of --gres with gpus GPUs and the other resources of before; to
 * free.
 */
static char *
gres_with(const char *before, const char *gpus)
{
	char *list = xstrdup(before ? before : ""), *save, *item, *text;
	struct strlist items = {0};

	item = strtok_r(list, ",", &save);
	for (; item != NULL; item = strtok_r(NULL, ",", &save))
		if (strcmp(item, "none") != 0 && strcmp(item, "gpu") != 0 &&
		    !text_begins(item, "gpu:") && !text_begins(item, "gpu=") &&
		    !text_begins(item, "gres/gpu"))
			strlist_push(&items, item);
	if (strcmp(gpus, "0") != 0)
		strlist_take(&items, xasprintf("gpu:%s", gpus));
	else if (items.count == 0)
		strlist_push(&items, "none");
	text = strlist_join(&items, ",");
	strlist_free(&items);
	free(list);
	return text;
}

/*
 * Return "--gres=gpu:2", with the GPU option that the job uses; to free, or
 * NULL.
 */
static char *
gpu_word(const struct job_plan *plan, const char *value, struct error *e)
{
	const char *option = NULL;
	struct sbatch_gpus asked;
	char *gres, *word;
	size_t i;

	if (sbatch_gpus("gpus", value, &asked, 1, e) == -1)
		return NULL;
	for (i = 0; i < GPU_OPTIONS; i++) {
		if (job_plan_option(plan, gpu_options[i]) == NULL)
			continue;
		if (option != NULL) {
			error_set(e,
			    "@gpus: the job says --%s and --%s: leave one out",
			    option, gpu_options[i]);
			return NULL;
		}
		option = gpu_options[i];
	}
	if (option != NULL && strcmp(option, "gres") != 0)
		return xasprintf("--%s=%s", option, value);
	gres = gres_with(job_plan_option(plan, "gres"), value);
	word = xasprintf("--gres=%s", gres);
	free(gres);
	return word;
}

/*
 * Refuse an amount of memory without a unit that no training fits into: who
 * writes 8 means 8G, and Slurm gives 8 MiB.  option is "--mem", say.
 */
static int
check_unit(const char *option, const char *value, struct error *e)
{
	enum { LEAST = 64 };
	int64_t n;

	if (num_int("", value, 1, LEAST - 1, &n, NULL) == -1)
		return 0;
	return error_set(e,
	    "Slurm reads this as %s MiB: write %s=%sG, or %s=%sM if you mean "
	    "it",
	    value, option, value, option, value);
}

/* Check the memory that all tasks ask for. */
static int
check_memory(const struct job_plan *plan, struct error *e)
{
	static const char *const names[] = {
	    "mem", "mem-per-cpu", "mem-per-gpu"};
	const char *value;
	char *option;
	int rc = 0;
	size_t i;

	for (i = 0; i < 3 && rc == 0; i++) {
		value = job_plan_option(plan, names[i]);
		option = xasprintf("--%s", names[i]);
		if (value != NULL && check_unit(option, value, e) == -1)
			rc = error_prefix(e, option);
		free(option);
	}
	return rc;
}

/* Refuse a value that sbatch would refuse for all tasks of a group. */
static int
check_value(const char *option, const char *value, struct error *e)
{
	int64_t n;

	if (*value == '\0')
		return error_set(e, "empty");
	if (strcmp(option, "mem") == 0)
		return sbatch_memory(value, &n, e) == -1
		    ? -1
		    : check_unit("@mem", value, e);
	if (strcmp(option, "time") == 0)
		return sbatch_time(value, &n, e);
	if (strcmp(option, "cpus-per-task") == 0)
		return num_int("@cpus", value, 1, INT32_MAX, &n, e);
	return 0;
}

/* Check that no script or variable sets the same resource by another option. */
static int
check_elsewhere(
    const struct job_plan *plan, const char *option, struct error *e)
{
	const struct sbatch *const places[] = {
	    &plan->script.options, &plan->environment};
	size_t i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < places[i]->count; k++) {
			const char *name = places[i]->given[k].name;

			if (strcmp(name, option) != 0 &&
			    sbatch_is_like(name, option))
				return error_set(e, "%s says --%s already",
				    i == 0 ? plan->job->script
					   : "the environment",
				    name);
		}
	return 0;
}

/* Return the option for "@mem=4G", to free, or NULL. */
static char *
option_word(const struct job_plan *plan, const char *word, struct error *e)
{
	const char *value = strchr(word, '=') + 1, *option;
	char *name = xstrndup(word, (size_t)(value - 1 - word)), *out = NULL;

	option = resource_option(name, e);
	free(name);
	if (option == NULL)
		return NULL;
	if (strcmp(option, "gpus") == 0)
		out = gpu_word(plan, value, e);
	else if (check_value(option, value, e) == 0)
		out = xasprintf("--%s=%s", option, value);
	if (out != NULL) {
		name = xstrndup(out + 2, strcspn(out + 2, "="));
		if (check_elsewhere(plan, name, e) == -1) {
			free(out);
			out = NULL;
		}
		free(name);
	}
	return out;
}

int
job_resource_complete(struct job_plan *plan, struct error *e)
{
	struct store_groups *groups = &plan->job->groups;
	struct store_group *g;
	char *word;
	size_t i, k;

	if (check_memory(plan, e) == -1)
		return -1;
	for (i = 0; i < groups->count; i++) {
		g = &groups->group[i];
		for (k = 0; k < g->asked.count; k++) {
			word = option_word(plan, g->asked.word[k], e);
			if (word == NULL)
				return error_prefix(e, g->asked.word[k]);
			strlist_take(&g->options, word);
		}
	}
	return 0;
}

/* ---- the GPUs of a stored job ---- */

/* Return the value of the last "--NAME=VALUE" in options, or NULL. */
static const char *
last_value(const struct strlist *options, const char *name)
{
	size_t length = strlen(name), i = options->count;
	const char *word;

	while (i-- > 0) {
		word = options->word[i];
		if (text_begins(word, "--") && text_begins(word + 2, name) &&
		    word[2 + length] == '=')
			return word + 2 + length + 1;
	}
	return NULL;
}

/* Return 1 for GPUs, 0 for none, -1 if no option is about GPUs. */
static int
asks_gpus(const struct strlist *options)
{
	struct sbatch_gpus gpus[8];
	const char *value;
	int asks = -1;
	size_t i;

	for (i = 0; i < GPU_OPTIONS && asks != 1; i++) {
		value = last_value(options, gpu_options[i]);
		if (value != NULL)
			asks = sbatch_gpus(
				   gpu_options[i], value, gpus, 8, NULL) != 0;
	}
	return asks;
}

/* #SBATCH lines of a script may ask for GPUs too. */
int
job_resource_has_no_gpu(const struct store_job *job)
{
	int none = job->script == NULL && asks_gpus(&job->options) == 0;
	size_t i;

	for (i = 0; none && i < job->groups.count; i++)
		none = asks_gpus(&job->groups.group[i].options) != 1;
	return none;
}
