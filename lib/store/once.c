#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/once.h"

static const char part[] = "ctl";
static const char before[] = "mark.";

int
store_once_set(const struct store_job *job, const char *name, const char *why,
    struct error *e)
{
	char *file = xasprintf("%s%s", before, name);
	json_t *record = store_record_new();
	int rc;

	store_record_set_int(record, "time", time(NULL));
	store_record_set_string(record, "why", why);
	rc = store_directory_add(job, part, file, record, e);
	free(file);
	return rc;
}

/* Return the file name of a lock, to free. */
static char *
lock_name(const char *name)
{
	return xasprintf("%slock.%s", before, name);
}

int
store_once_lock(const struct store_job *job, const char *name, uint64_t task,
    struct error *e)
{
	char *file = lock_name(name);
	json_t *record = store_record_new();
	int dir = store_directory_open(job, part, 0, e), rc;
	int64_t holder = -1;

	store_record_set_int(record, "task", (int64_t)task);
	rc = store_directory_place(job, dir, file, record, e);
	if (rc == 1) {
		record = store_directory_load(job, dir, file, NULL);
		holder = store_record_int(record, "task", -1);
		json_decref(record);
		rc = holder != (int64_t)task;
	}
	fs_close(dir);
	free(file);
	return rc;
}

void
store_once_unlock(const struct store_job *job, const char *name)
{
	char *file = lock_name(name);
	int dir = store_directory_open(job, part, 0, NULL);

	if (dir != -1)
		fs_ops.unlinkat(dir, file, 0);
	fs_close(dir);
	free(file);
}

int
store_once_list(const struct store_job *job, const char *begin,
    struct strlist *out, struct error *e)
{
	size_t n = sizeof before - 1, length = strlen(begin), i;
	struct fs_names names;
	int dir = store_directory_list(job, part, &names, e);

	if (dir == -1)
		return -1;
	for (i = 0; i < names.count; i++)
		if (strncmp(names.name[i], before, n) == 0 &&
		    strncmp(names.name[i] + n, begin, length) == 0)
			strlist_push(out, names.name[i] + n + length);
	store_directory_close(dir, &names);
	return 0;
}

int
store_once_is_set(
    const struct store_job *job, const char *name, struct error *e)
{
	struct strlist all = {0};
	int found;

	if (store_once_list(job, "", &all, e) == -1)
		return -1;
	found = strlist_have(&all, name);
	strlist_free(&all);
	return found;
}

int
store_once_nodes(const struct store_job *job, struct strlist *avoided,
    struct strlist *kept, struct error *e)
{
	if (store_once_list(job, "avoid.", avoided, e) == -1)
		return -1;
	return store_once_list(job, "keep.", kept, e);
}
