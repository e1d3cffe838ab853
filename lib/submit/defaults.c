#include <string.h>

#include "base/xalloc.h"
#include "slurm/sbatch.h"
#include "submit/defaults.h"

void
job_defaults_drop(struct job_defaults *d, const char *name)
{
	struct strlist *words = d->option;
	size_t length = strlen(name), i;

	for (i = words->count; i-- > 0;)
		if (strncmp(words->word[i] + 2, name, length) == 0 &&
		    strchr("=", words->word[i][2 + length]) != NULL) {
			strlist_drop(words, i);
			strlist_drop(&d->from, i);
		}
}

void
job_defaults_add(struct job_defaults *d, const char *name, const char *value,
    const char *from)
{
	strlist_take(d->option, sbatch_word(name, value != NULL ? value : ""));
	strlist_push(&d->from, from);
}

void
job_defaults_blame(const struct job_defaults *d, struct error *e)
{
	const struct strlist *words = d->option;
	struct error why = *e;
	const char *value;
	size_t i;

	for (i = 0; i < words->count; i++) {
		value = strchr(words->word[i], '=');
		if (value == NULL || strstr(why.text, value + 1) == NULL)
			continue;
		error_set(e, "%s; %s is a default (%s)", why.text,
		    words->word[i], d->from.word[i]);
		return;
	}
}
