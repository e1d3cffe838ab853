#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "config/config.h"
#include "job/sbatch-options.h"
#include "submit/options.h"
#include "submit/policy-options.h"
#include "submit/submit.h"
#include "sys/fs.h"

static int
take_rule(struct job_plan *plan, const char *word, const struct strlist *rules,
    struct job_defaults *defaults, struct error *e)
{
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	char *name = xstrndup(word + 2, length);
	int rc = 0;

	if (!strlist_have(rules, name)) {
		job_defaults_drop(defaults, name);
		rc = job_policy_options_set(&plan->job->policy, name, value, e);
		if (rc == 0)
			rc = error_set(e, "\"%s\": no such policy", name);
	}
	free(name);
	return rc == -1 ? -1 : 0;
}

static int
read_space(struct job_plan *plan, struct space *space, const char *path,
    struct error *e)
{
	size_t length;
	char *text;
	int rc;

	if (job_plan_read(plan, path, SPACE_SPEC, &text, &length, e) == -1)
		return -1;
	rc = space_spec(space, text, length, e);
	free(text);
	return rc == -1 ? error_prefix(e, path) : 0;
}

/*
 * Read the file into the space and the plan.  rules are the names of those that
 * the command line has, which hold; options for sbatch are added to its words.
 */
static int
job_spec_take(struct job_plan *plan, struct space *space, const char *path,
    const struct strlist *rules, struct job_defaults *defaults,
    struct strlist *sbatch, struct error *e)
{
	struct store_job *job = plan->job;
	const char *const *word;

	if (read_space(plan, space, path, e) == -1)
		return -1;
	if (job->name == NULL && space_spec_name(space) != NULL)
		job->name = xstrdup(space_spec_name(space));
	if (job->description == NULL && space_spec_description(space) != NULL)
		job->description = xstrdup(space_spec_description(space));
	word = space_spec_sbatch(space);
	for (; word != NULL && *word != NULL; word++) {
		char *one[] = {(char *)(uintptr_t)*word, NULL};

		if (job_sbatch_options_take(&plan->given, one, sbatch, e) == -1)
			return error_prefix(e, path);
	}
	word = space_spec_policy(space);
	for (; word != NULL && *word != NULL; word++)
		if (take_rule(plan, *word, rules, defaults, e) == -1)
			return error_prefix(e, path);
	return 0;
}

/* From the request to a plan. */

static int
take_points(struct submit_options *r, struct error *e)
{
	char *text = NULL;
	size_t length = 0;
	int rc;

	if (r->spec != NULL &&
	    job_spec_take(r->plan, r->space, r->spec, &r->rules, &r->defaults,
		&r->sbatch, e) == -1)
		return -1;
	if (!r->has_space && r->spec == NULL && r->from == NULL) {
		r->plan->job->tasks = 1;
		r->plan->optional = xcalloc(1, 1);
		return 0;
	}
	if (r->from != NULL &&
	    job_plan_read(r->plan, r->from, 1 << 30, &text, &length, e) == -1)
		return -1;
	rc = job_plan_points(r->plan, r->space, r->from, text, length, e);
	free(text);
	if (rc == 0 && r->spec != NULL)
		r->plan->job->points_kept = 1;
	return rc;
}

/* The command: behind --, a script, or in the spec. */
static int
take_command(struct submit_options *r, struct error *e)
{
	struct strlist *command_words = &r->plan->job->command;
	const char *const *word = space_spec_command(r->space);
	size_t i;

	for (i = 0; i < r->rest_count; i++)
		strlist_push(command_words, r->rest[i]);
	if (r->rest_count == 0)
		for (; word != NULL && *word != NULL; word++)
			strlist_push(command_words, *word);
	if (command_words->count == 0)
		return error_set(e,
		    "no command: write it behind --, as in -- python train.py");
	if (!r->is_script)
		return 0;
	return job_plan_script(r->plan, r->rest[0], e);
}

/* What files say to sbatch, as far as nothing else does. */
static void
take_sbatch_defaults(struct submit_options *r)
{
	const struct cli_default *d;

	d = config_sbatch(&r->plan->defaults);
	job_plan_defaults(r->plan);
	for (; d->name != NULL; d++)
		if (sbatch_value(&r->plan->defaults, d->name) != NULL)
			job_defaults_add(
			    &r->defaults, d->name, d->value, d->from);
}

int
submit_options_plan(struct submit_options *r, int argc, char **argv,
    char **environment, struct error *e)
{
	sbatch_environment(&r->plan->environment, environment);
	if (take_points(r, e) == -1 || take_command(r, e) == -1)
		return -1;
	take_sbatch_defaults(r);
	return job_submit_complete(r->plan, &r->sbatch, argc, argv, e);
}
