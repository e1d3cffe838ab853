#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sys/fs-private.h"
#include "sys/fs-tree.h"

static int
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Read names until there are enough; errno is 0 when all went well. */
static void
take_names(DIR *d, size_t most, struct fs_names *out)
{
	struct dirent *entry;

	errno = 0;
	while (out->count < most && (entry = fs_ops.readdir(d)) != NULL) {
		if (is_dots(entry->d_name))
			continue;
		out->name = xgrow(out->name, out->count, sizeof *out->name);
		out->name[out->count++] = xstrdup(entry->d_name);
		errno = 0;
	}
	if (out->count == most)
		errno = 0;
}

int
fs_list_all(int dir, size_t most, struct fs_names *out, struct error *e)
{
	int fd, saved;
	DIR *d;

	memset(out, 0, sizeof *out);
	fd = fs_ops.openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	d = fd == -1 ? NULL : fdopendir(fd);
	if (d == NULL) {
		fs_close(fd);
		return fs_failed(e, "list", dir, ".");
	}
	take_names(d, most, out);
	saved = errno;
	closedir(d);
	if (saved == 0)
		return 0;
	fs_names_free(out);
	errno = saved;
	return fs_failed(e, "list", dir, ".");
}

int
fs_look(int dir, const char *name, struct stat *st, struct error *e)
{
	if (fs_ops.fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == -1)
		return fs_failed(e, "read", dir, name);
	return 0;
}

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

static int
sync_file(int dir, const char *name, struct error *e)
{
	int fd, rc;

	fd = fs_ops.openat(
	    dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	rc = fd == -1 ? -1 : fs_ops.fsync(fd);
	if (rc == -1)
		fs_failed(e, "sync", dir, name);
	fs_close(fd);
	return rc;
}

static int
sync_below(int dir, struct error *e)
{
	struct fs_names names;
	size_t i;
	int rc;

	rc = fs_list_all(dir, SIZE_MAX, &names, e);
	for (i = 0; i < names.count && rc == 0; i++)
		rc = fs_sync_tree(dir, names.name[i], e);
	fs_names_free(&names);
	if (rc == 0 && fs_ops.fsync(dir) == -1 && errno != EINVAL)
		rc = fs_failed(e, "sync directory of", dir, ".");
	return rc;
}

int
fs_sync_tree(int dir, const char *name, struct error *e)
{
	struct stat st;
	int fd, rc;

	if (fs_look(dir, name, &st, e) == -1)
		return -1;
	if (S_ISREG(st.st_mode))
		return sync_file(dir, name, e);
	if (!S_ISDIR(st.st_mode))
		return 0;
	fd = fs_open_subdir(dir, name, 0, e);
	rc = fd == -1 ? -1 : sync_below(fd, e);
	fs_close(fd);
	return rc;
}
