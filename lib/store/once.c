#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/once.h"

static const char part[] = "ctl";
static const char before[] = "mark.";

int
store_mark(const struct store_job *job, const char *name, const char *why,
    struct error *e)
{
	char *file = xasprintf("%s%s", before, name);
	json_t *record = seal_new();
	int dir, rc;

	seal_set_int(record, "time", time(NULL));
	seal_set_string(record, "why", why);
	dir = store_part_open(job, part, 0, e);
	rc = store_part_publish(job, dir, file, record, e);
	fs_close(dir);
	free(file);
	return rc;
}

int
store_marks(const struct store_job *job, const char *begin, struct words *out,
    struct error *e)
{
	size_t n = sizeof before - 1, length = strlen(begin), i;
	struct fs_names names;
	int dir = store_part_list(job, part, &names, e);

	if (dir == -1)
		return -1;
	for (i = 0; i < names.count; i++)
		if (strncmp(names.name[i], before, n) == 0 &&
		    strncmp(names.name[i] + n, begin, length) == 0)
			words_push(out, names.name[i] + n + length);
	store_part_close(dir, &names);
	return 0;
}

int
store_marked(const struct store_job *job, const char *name, struct error *e)
{
	struct words all = {0};
	int found = 0;
	size_t i;

	if (store_marks(job, "", &all, e) == -1)
		return -1;
	for (i = 0; i < all.count; i++)
		found |= strcmp(all.word[i], name) == 0;
	words_free(&all);
	return found;
}
