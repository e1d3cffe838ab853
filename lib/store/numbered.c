#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "store/load.h"
#include "store/numbered.h"
#include "sys/fs-tree.h"

int
store_numbered_open(int job, const char *part, size_t number, struct error *e)
{
	char *name = xasprintf("%zu", number);
	int parent = fs_open_subdir(job, part, 0, e), dir = -1;

	if (parent != -1)
		dir = fs_open_subdir(parent, name, 0, e);
	fs_close(parent);
	free(name);
	return dir;
}

int
store_numbered_count(int job, const char *part, size_t *count, struct error *e)
{
	int dir = fs_open_subdir(job, part, 0, e), rc;
	struct fs_names names;
	int64_t number;
	size_t i;

	*count = 0;
	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	for (i = 0; i < names.count; i++)
		if (num_int(part, names.name[i], 1, INT32_MAX, &number, NULL) ==
			0 &&
		    (size_t)number > *count)
			*count = (size_t)number;
	fs_names_free(&names);
	fs_close(dir);
	return rc;
}

int
store_numbered_add(const struct store_job *job, const char *part, size_t number,
    store_numbered_fill *fill, void *arg, struct error *e)
{
	char *scratch = xasprintf(".new.%016" PRIx64, fs_noise());
	char *name = xasprintf("%zu", number);
	int parent = fs_open_subdir(store_job_dir(job), part, 1, e), dir = -1,
	    rc = -1;

	/* Make all files in a directory that is not visible yet. */
	if (parent != -1 && fs_make_subdir(parent, scratch, e) == 0)
		dir = fs_open_subdir(parent, scratch, 0, e);
	if (dir != -1)
		rc = fill(arg, dir, e);
	if (rc == 1) /* in a directory that only this program knows */
		rc = error_code(e, ERROR_LATER,
		    "%s/%s/%s: has a record already: try again",
		    store_job_path(job), part, scratch);
	if (rc == 0)
		rc = fs_sync(store_job_dir(job), e); /* part may be new */
	if (rc == 0) {
		rc = fs_rename(parent, scratch, parent, name, e);
		if (rc == -1 && (errno == EEXIST || errno == ENOTEMPTY))
			rc = 1; /* another program took the number */
	}
	if (rc != 0 && parent != -1)
		fs_remove_tree(parent, scratch, NULL);
	fs_close(dir);
	fs_close(parent);
	free(name);
	free(scratch);
	return rc;
}
