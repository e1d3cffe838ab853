#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sys/fs-private.h"
#include "sys/fs-tree.h"

int
fs_write_new(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e)
{
	int fd, rc;

	fd = fs_ops.openat(dir, name,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd == -1)
		return fs_failed(e, "write", dir, name);
	rc = fs_write_all(fd, bytes, length);
	if (rc == -1)
		fs_failed(e, "write", dir, name);
	if (fs_ops.close(fd) == -1 && rc == 0)
		rc = fs_failed(e, "write", dir, name);
	return rc;
}

int
fs_make_private(int dir, const char *name, struct error *e)
{
	if (fs_ops.mkdirat(dir, name, 0700) == -1)
		return fs_failed(e, "make directory", dir, name);
	return 0;
}

int
fs_link(int dir, const char *name, const char *target, struct error *e)
{
	if (fs_ops.symlinkat(target, dir, name) == -1)
		return fs_failed(e, "make the link", dir, name);
	return 0;
}

char *
fs_read_link(int dir, const char *name, struct error *e)
{
	char target[PATH_MAX];
	ssize_t n;

	n = fs_ops.readlinkat(dir, name, target, sizeof target);
	if (n == (ssize_t)sizeof target) {
		errno = ENAMETOOLONG;
		n = -1;
	}
	if (n == -1) {
		fs_failed(e, "read the link", dir, name);
		return NULL;
	}
	return xstrndup(target, (size_t)n);
}

int
fs_sync_tree(int dir, const char *name, struct error *e)
{
	struct fs_names names = {0};
	struct stat st;
	size_t i;
	int fd, rc;

	if (fs_stat(dir, name, &st, e) == -1)
		return -1;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0;
	if (S_ISREG(st.st_mode)) {
		fd = fs_ops.openat(dir, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
		rc = fd == -1 ? -1 : fs_ops.fsync(fd);
		if (rc == -1)
			fs_failed(e, "sync", dir, name);
		fs_close(fd);
		return rc;
	}
	fd = fs_open_subdir(dir, name, 0, e);
	rc = fd == -1 ? -1 : fs_list_kind(fd, FS_ALL, SIZE_MAX, &names, e);
	for (i = 0; i < names.count && rc == 0; i++)
		rc = fs_sync_tree(fd, names.name[i], e);
	fs_names_free(&names);
	if (rc == 0 && fs_ops.fsync(fd) == -1 && errno != EINVAL)
		rc = fs_failed(e, "sync directory of", fd, ".");
	fs_close(fd);
	return rc;
}
