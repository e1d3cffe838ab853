#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/sbatch-options.h"
#include "submit/policy-options.h"
#include "submit/spec.h"
#include "sys/fs.h"

static int
take_rule(struct job_plan *plan, const char *word, const struct words *rules,
    struct job_defaults *defaults, struct error *e)
{
	size_t length = strcspn(word + 2, "=");
	const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
	char *name = xstrndup(word + 2, length);
	int rc = 0;

	if (!words_have(rules, name)) {
		job_defaults_drop(defaults, name);
		rc = job_rules_set(&plan->job->policy, name, value, e);
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

int
job_spec_take(struct job_plan *plan, struct space *space, const char *path,
    const struct words *rules, struct job_defaults *defaults,
    struct words *sbatch, struct error *e)
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

		if (job_options_take(&plan->given, one, sbatch, e) == -1)
			return error_prefix(e, path);
	}
	word = space_spec_policy(space);
	for (; word != NULL && *word != NULL; word++)
		if (take_rule(plan, *word, rules, defaults, e) == -1)
			return error_prefix(e, path);
	return 0;
}
