#include <string.h>

#include "job-options.h"
#include "xalloc.h"

/* -x is sbatch's list of nodes; a condition is meant for --except. */
static int
check_given(const struct sbatch *given, size_t from, struct error *e)
{
	const struct sbatch_given *g;
	const char *why;

	for (g = given->given + from; g < given->given + given->count; g++) {
		why = sbatch_refusal(g->name);
		if (why != NULL)
			return error_set(e, "--%s: %s", g->name, why);
		if (strcmp(g->name, "exclude") == 0 &&
		    strpbrk(g->value, "=<>") != NULL)
			return error_set(e,
			    "-x %s: -x is sbatch's list of nodes to avoid; "
			    "to leave out points write --except %s",
			    g->value, g->value);
	}
	return 0;
}

void
job_options_add(const struct sbatch *given, size_t from, struct words *out)
{
	const struct sbatch_given *g;

	for (g = given->given + from; g < given->given + given->count; g++)
		words_take(out,
		    xasprintf(
			"--%s%s%s", g->name, *g->value ? "=" : "", g->value));
}

int
job_options_take(struct sbatch *given, char *const words[], struct words *out,
    struct error *e)
{
	size_t before = given->count;
	int n = sbatch_take(given, words, e);

	if (n <= 0)
		return n;
	if (check_given(given, before, e) == -1)
		return -1;
	job_options_add(given, before, out);
	return n;
}
