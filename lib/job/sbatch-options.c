#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "job/sbatch-options.h"

/*
 * Refuse options that stfm cannot pass on, and -x with a condition: -x is
 * sbatch's list of nodes; a condition is meant for --except.
 */
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
job_sbatch_options_add(
    const struct sbatch *given, size_t from, struct strlist *out)
{
	const struct sbatch_given *g;

	for (g = given->given + from; g < given->given + given->count; g++)
		strlist_take(out, sbatch_word(g->name, g->value));
}

/* Return whether the last option in so many words has an empty value. */
static int
ends_empty(char *const words[], int count)
{
	const char *equals = strchr(words[0], '=');

	if (count == 2)
		return *words[1] == '\0';
	return strncmp(words[0], "--", 2) == 0 && equals != NULL &&
	    equals[1] == '\0';
}

int
job_sbatch_options_take(struct sbatch *given, char *const words[],
    struct strlist *out, struct error *e)
{
	const struct sbatch_given *last;
	size_t before = given->count;
	int n = sbatch_take(given, words, e);

	if (n <= 0)
		return n;
	if (check_given(given, before, e) == -1)
		return -1;
	if (!ends_empty(words, n)) {
		job_sbatch_options_add(given, before, out);
		return n;
	}
	last = &given->given[given->count - 1];
	if (sbatch_check_empty(last->name, e) == -1)
		return -1;
	given->count--;
	job_sbatch_options_add(given, before, out);
	given->count++;
	strlist_take(out, xasprintf("--%s=", last->name));
	return n;
}

int
job_sbatch_options_replaced(
    const char *option, const struct strlist *newer, size_t from)
{
	char *name = xstrndup(option + 2, strcspn(option + 2, "=")), *other;
	int is_like = 0;
	size_t i;

	/* sbatch does not know itself that --mem-per-cpu replaces --mem. */
	for (i = from; i < newer->count && !is_like; i++) {
		other = xstrndup(
		    newer->word[i] + 2, strcspn(newer->word[i] + 2, "="));
		is_like = sbatch_is_like(other, name);
		free(other);
	}
	free(name);
	return is_like;
}

int
job_sbatch_options_mistyped(
    const struct cli_option *ours, const char *word, struct error *e)
{
	const char *names[64], *near;
	const struct cli_option *o;
	size_t count = 0, length;
	char *name, hint[TEXT_HINT];

	if (strncmp(word, "--", 2) != 0)
		return 0;
	length = strcspn(word + 2, "=");
	name = xstrndup(word + 2, length);
	for (o = ours; o->name != NULL; o++)
		names[count++] = o->name;
	names[count++] = "help";
	names[count++] = "version";
	near =
	    sbatch_name(name) == NULL ? text_nearest(name, names, count) : NULL;
	if (near == NULL && sbatch_name(name) == NULL)
		near = sbatch_nearest(name);
	free(name);
	if (near == NULL)
		return 0;
	return error_set(e, "%s: no such option (%s)", word,
	    text_hint_of("--", near, "", "", hint));
}
