#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/resource.h"
#include "base/xalloc.h"
#include "submit/resources.h"

/* The ways to ask for GPUs, of which one holds. */
static const char *const gpu_options[] = {
    "gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "gres"};
enum { GPU_OPTIONS = sizeof gpu_options / sizeof *gpu_options };

static int
is_gpu(const char *item)
{
	return strcmp(item, "none") == 0 || strncmp(item, "gpu:", 4) == 0 ||
	    strncmp(item, "gpu=", 4) == 0 || strcmp(item, "gpu") == 0 ||
	    strncmp(item, "gres/gpu", 8) == 0;
}

/* The value of --gres with so many GPUs and what else is in the one before. */
static char *
gres_with(const char *before, const char *gpus)
{
	char *list = xstrdup(before ? before : ""), *save, *item, *out = NULL;
	char *longer;

	item = strtok_r(list, ",", &save);
	for (; item != NULL; item = strtok_r(NULL, ",", &save)) {
		if (is_gpu(item))
			continue;
		longer = out ? xasprintf("%s,%s", out, item) : xstrdup(item);
		free(out);
		out = longer;
	}
	free(list);
	if (strcmp(gpus, "0") == 0)
		return out != NULL ? out : xstrdup("none");
	longer = xasprintf("%s%sgpu:%s", out ? out : "", out ? "," : "", gpus);
	free(out);
	return longer;
}

/* How the job asks for GPUs: the points do it in the same way. */
static int
gpu_option(const struct job_plan *plan, const char **option, struct error *e)
{
	size_t i;

	*option = NULL;
	for (i = 0; i < GPU_OPTIONS; i++) {
		const char *text = job_plan_option(plan, gpu_options[i]);

		if (text == NULL)
			continue;
		if (*option != NULL)
			return error_set(e,
			    "@gpus: the job says --%s and --%s: leave one out",
			    *option, gpu_options[i]);
		*option = gpu_options[i];
	}
	if (*option == NULL)
		*option = "gres";
	return 0;
}

/* "--gres=gpu:2", to free, or NULL. */
static char *
gpu_word(const struct job_plan *plan, const char *value, struct error *e)
{
	struct sbatch_gpus asked;
	const char *option;
	char *gres, *word;

	if (sbatch_gpus("gpus", value, &asked, 1, e) == -1 ||
	    gpu_option(plan, &option, e) == -1)
		return NULL;
	if (strcmp(option, "gres") != 0)
		return xasprintf("--%s=%s", option, value);
	gres = gres_with(job_plan_option(plan, option), value);
	word = xasprintf("--gres=%s", gres);
	free(gres);
	return word;
}

/* Refuse what sbatch would, of all tasks of a group at once. */
static int
check_value(const char *option, const char *value, struct error *e)
{
	int64_t n;

	if (*value == '\0')
		return error_set(e, "empty");
	if (strcmp(option, "mem") == 0)
		return sbatch_memory(value, &n, e);
	if (strcmp(option, "time") == 0)
		return sbatch_time(value, &n, e);
	if (strcmp(option, "cpus-per-task") == 0)
		return num_int("@cpus", value, 1, INT32_MAX, &n, e);
	return 0;
}

/* sbatch refuses two ways to say one thing when one of them is not ours. */
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

/* The option for "@mem=4G", to free, or NULL. */
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

static int
complete_group(
    const struct job_plan *plan, struct store_group *g, struct error *e)
{
	char *word;
	size_t i;

	for (i = 0; i < g->asked.count; i++) {
		word = option_word(plan, g->asked.word[i], e);
		if (word == NULL)
			return error_prefix(e, g->asked.word[i]);
		strlist_take(&g->options, word);
	}
	return 0;
}

int
job_resource_complete(struct job_plan *plan, struct error *e)
{
	struct store_groups *groups = &plan->job->groups;
	size_t i;

	for (i = 0; i < groups->count; i++)
		if (complete_group(plan, &groups->group[i], e) == -1)
			return -1;
	return 0;
}

/* ---- what a stored job asks for ---- */

/* The last value of an option among words "--NAME=VALUE", or NULL. */
static const char *
last_value(const struct strlist *options, const char *name)
{
	size_t length = strlen(name), i = options->count;
	const char *word;

	while (i-- > 0) {
		word = options->word[i];
		if (strncmp(word, "--", 2) == 0 &&
		    strncmp(word + 2, name, length) == 0 &&
		    word[2 + length] == '=')
			return word + 2 + length + 1;
	}
	return NULL;
}

/* 1 for GPUs, 0 for none, -1 when nothing is said of them. */
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

/* Lines of the user's own script may say more. */
int
job_resource_has_no_gpu(const struct store_job *job)
{
	int none = job->script == NULL && asks_gpus(&job->options) == 0;
	size_t i;

	for (i = 0; none && i < job->groups.count; i++)
		none = asks_gpus(&job->groups.group[i].options) != 1;
	return none;
}
