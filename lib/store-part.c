#include <errno.h>
#include <string.h>

#include "store-part.h"
#include "store-seal.h"

const char *const store_parts[] = {
    "sub", "run", "ctl", "fold", "metrics", "log", "checkpoint", "ext", NULL};

int
store_part_open(
    const struct store_job *job, const char *part, int make, struct error *e)
{
	return fs_open_subdir(job->dir, part, make, e);
}

int
store_part_list(const struct store_job *job, const char *part,
    struct fs_names *names, struct error *e)
{
	int dir = store_part_open(job, part, 0, e);

	memset(names, 0, sizeof *names);
	if (dir == -1 || fs_list(dir, names, e) == 0)
		return dir;
	fs_close(dir);
	return -1;
}

int
store_part_check(int dir, const char *name, struct error *e)
{
	json_t *record = seal_load(dir, name, SEAL_SMALL, e);

	if (record == NULL)
		return -1;
	json_decref(record);
	return 0;
}

void
store_part_close(int dir, struct fs_names *names)
{
	fs_names_free(names);
	fs_close(dir);
}

int
store_part_is_damage(int reason)
{
	return reason == EBADMSG || reason == ENOTDIR || reason == ELOOP ||
	    reason == EISDIR || reason == EINVAL || reason == EFBIG;
}
