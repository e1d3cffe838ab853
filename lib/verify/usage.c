#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "store/usage.h"
#include "usage/usage.h"
#include "verify/usage.h"

static const char part[] = "usage", end[] = ".new";

/* What a writer that was killed has left over is written over, or removed. */
static int
is_half(const char *name)
{
	size_t length = strlen(name);

	return length >= sizeof end &&
	    strcmp(name + length - (sizeof end - 1), end) == 0;
}

/*
 * Whether it is a record: 1, 0 for this reason, or -1.  What is gone is none
 * that is wrong.
 */
static int
is_record(const struct store_job *job, const char *name, struct error *why,
    struct error *e)
{
	struct store_fact run;
	struct error damage;
	struct usage *u;
	size_t length;
	char *text;
	int whole;

	error_set(why, "no record of use");
	if (is_half(name))
		return 1;
	if (!store_usage_parse(name, &run))
		return 0;
	text = store_usage_look(job, &run, &length, &damage, e);
	if (text == NULL && errno == ENOENT)
		return 1;
	if (text == NULL) {
		whole = store_directory_is_damage(errno) ? 0 : -1;
		if (damage.text[0] != '\0')
			*why = damage;
		return whole;
	}
	u = xcalloc(1, sizeof *u);
	whole = usage_read(u, text, length, NULL) == 0;
	free(u);
	free(text);
	return whole;
}

int
verify_usage(struct verify_job *s, struct error *e)
{
	struct fs_names names;
	int rc, dir = verify_job_list(s, part, &names, &rc, e), is = 1;
	struct error why;
	size_t i;

	if (dir == -1)
		return rc;
	for (i = 0; is != -1 && i < names.count; i++) {
		is = is_record(s->job, names.name[i], &why, e);
		if (is == 0)
			verify_job_note(
			    s, FINDING_FILE, part, names.name[i], why.text);
	}
	store_directory_close(dir, &names);
	return is == -1 ? -1 : 0;
}
