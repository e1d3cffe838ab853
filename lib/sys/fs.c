#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sys/fs-private.h"

#ifndef STATX_BTIME /* musl before 1.2.4 */
#include <linux/stat.h>
#include <sys/syscall.h>

static int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *out)
{
	return (int)syscall(SYS_statx, dir, path, flags, mask, out);
}
#endif

static int
real_openat(int dir, const char *name, int flags, mode_t mode)
{
	return openat(dir, name, flags, mode);
}

struct fs_ops fs_ops = {
    real_openat,
    read,
    write,
    fsync,
    close,
    linkat,
    unlinkat,
    renameat,
    mkdirat,
    fstatat,
    fstat,
    readdir,
    symlinkat,
    readlinkat,
    fchmodat,
};

char *
fs_path(int dir, const char *name)
{
	char link[64], path[PATH_MAX];
	int saved = errno;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
	n = dir == AT_FDCWD ? -1 : readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	errno = saved;
	return xasprintf("%s%s%s", path, n > 0 ? "/" : "", name);
}

int
fs_failed(struct error *e, const char *verb, int dir, const char *name)
{
	char *path = fs_path(dir, name);

	error_errno(e, "%s: cannot %s", path, verb);
	free(path);
	return -1;
}

static int
not_regular(struct error *e, int dir, const char *name)
{
	char *path = fs_path(dir, name);

	error_set(e, "%s: not a regular file", path);
	if (e != NULL)
		e->number = EINVAL;
	free(path);
	errno = EINVAL;
	return -1;
}

void
fs_names_free(struct fs_names *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	memset(names, 0, sizeof *names);
}

int
fs_names_have(const struct fs_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->name[i], name) == 0)
			return 1;
	return 0;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
fs_names_sort(struct fs_names *names)
{
	if (names->count > 0)
		qsort(names->name, names->count, sizeof *names->name,
		    compare_names);
}

int
fs_open_dir(const char *path, struct error *e)
{
	int fd;

	fd = fs_ops.openat(
	    AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd == -1)
		return fs_failed(e, "open", AT_FDCWD, path);
	return fd;
}

int
fs_make_subdir(int dir, const char *name, struct error *e)
{
	if (fs_ops.mkdirat(dir, name, FS_PROGRAM) == -1 && errno != EEXIST)
		return fs_failed(e, "make directory", dir, name);
	return 0;
}

mode_t
fs_withheld(const char *path)
{
	mode_t rights = 0;
	struct stat st;

	if (fs_ops.fstatat(AT_FDCWD, path, &st, 0) == -1 ||
	    !S_ISREG(st.st_mode))
		return 0;
	if (!(st.st_mode & S_IRGRP))
		rights |= S_IRWXG;
	if (!(st.st_mode & S_IROTH))
		rights |= S_IRWXO;
	return rights;
}

int
fs_withhold(int dir, mode_t rights, struct error *e)
{
	struct stat st;
	mode_t mode;

	if (rights == 0)
		return 0;
	if (fs_ops.fstat(dir, &st) == -1)
		return fs_failed(e, "look at", dir, ".");
	mode = st.st_mode & 07777 & ~rights;
	if (mode != (st.st_mode & 07777) &&
	    fs_ops.fchmodat(dir, ".", mode, 0) == -1)
		return fs_failed(e, "close to others", dir, ".");
	return 0;
}

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/*
 * Open a directory that another machine may have created.  An NFS client that
 * did not find a name assumes for half a minute that it does not exist, until
 * the directory that contains the name is opened.
 */
static int
open_fresh(int dir, const char *name)
{
	int fd = fs_ops.openat(dir, name, DIRECTORY, 0), parent;

	if (fd != -1 || errno != ENOENT)
		return fd;
	parent = fs_ops.openat(dir, ".", DIRECTORY, 0);
	if (parent == -1) {
		if (errno == EACCES) /* may be searched, but not read */
			errno = ENOENT;
		return -1;
	}
	fs_close(parent);
	return fs_ops.openat(dir, name, DIRECTORY, 0);
}

int
fs_open_subdir(int dir, const char *name, int make, struct error *e)
{
	int fd = open_fresh(dir, name);

	if (fd == -1 && errno == ENOENT && make) {
		if (fs_make_subdir(dir, name, e) == -1)
			return -1;
		if (fs_ops.fsync(dir) == -1 && errno != EINVAL)
			return fs_failed(e, "sync directory of", dir, name);
		fd = fs_ops.openat(dir, name, DIRECTORY, 0);
	}
	if (fd == -1)
		return fs_failed(e, "open", dir, name);
	return fd;
}

int
fs_open_parent(
    int top, const char *path, int make, const char **name, struct error *e)
{
	int dir = fs_open_subdir(top, ".", 0, e), next;
	const char *slash;
	char *part;

	for (; dir != -1 && (slash = strchr(path, '/')) != NULL;
	     path = slash + 1) {
		part = xstrndup(path, (size_t)(slash - path));
		next = fs_open_subdir(dir, part, make, e);
		fs_close(dir);
		free(part);
		dir = next;
	}
	*name = path;
	return dir;
}

void
fs_close(int dir)
{
	int saved = errno;

	if (dir >= 0)
		fs_ops.close(dir);
	errno = saved;
}

/*
 * Create a directory unless it exists.  In an automounter, mkdir fails with
 * other errors than EEXIST, too: so look at what exists.
 */
static int
make_dir(const char *path, mode_t mode, struct error *e)
{
	struct stat st;
	int saved;

	if (fs_ops.mkdirat(AT_FDCWD, path, mode) == 0)
		return 0;
	saved = errno;
	if (fs_ops.fstatat(AT_FDCWD, path, &st, 0) == 0) {
		if (S_ISDIR(st.st_mode))
			return 0;
		saved = ENOTDIR;
	} else if (saved == EEXIST) {
		saved = errno;
	}
	errno = saved;
	return fs_failed(e, "make directory", AT_FDCWD, path);
}

int
fs_make_dirs_mode(const char *path, mode_t mode, struct error *e)
{
	char *copy = xstrdup(path), *slash = copy;
	int rc = *path == '\0' ? make_dir(path, mode, e) : 0;

	while (rc == 0 && slash != NULL && *slash != '\0') {
		slash = strchr(slash + 1, '/');
		if (slash != NULL)
			*slash = '\0';
		rc = make_dir(copy, mode, e);
		if (slash != NULL)
			*slash = '/';
	}
	free(copy);
	return rc;
}

int
fs_write_all(int fd, const char *bytes, size_t length)
{
	ssize_t n;

	while (length > 0) {
		n = fs_ops.write(fd, bytes, length);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0) {
			errno = ENOSPC;
			return -1;
		}
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

uint64_t
fs_noise(void)
{
	uint64_t noise = 0;

	if (getrandom(&noise, sizeof noise, 0) != (ssize_t)sizeof noise)
		noise = (uint64_t)getpid() << 32 ^ (uint64_t)time(NULL);
	return noise;
}

static void
scratch_name(char *out, size_t size)
{
	snprintf(out, size, ".t.%ld.%016" PRIx64, (long)getpid(), fs_noise());
}

/* Try twice to remove a scratch file; a remaining one does no harm. */
static void
remove_scratch(int dir, const char *scratch)
{
	int saved = errno;

	if (fs_ops.unlinkat(dir, scratch, 0) == -1 && errno != ENOENT)
		fs_ops.unlinkat(dir, scratch, 0);
	errno = saved;
}

/* The result of link_scratch if the file system has no hard links. */
enum { NO_LINKS = 2 };

/*
 * Give the complete scratch file its name.  If link fails, only its reply may
 * have been lost: a link count of two proves that it succeeded.
 */
static int
link_scratch(int dir, const char *scratch, const char *name, struct error *e)
{
	struct stat st;
	int saved;

	if (fs_ops.linkat(dir, scratch, dir, name, 0) == 0)
		return 0;
	saved = errno;
	if (fs_ops.fstatat(dir, scratch, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_nlink == 2)
		return 0;
	errno = saved;
	if (errno == EEXIST)
		return 1;
	if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
		return NO_LINKS;
	return fs_failed(e, "publish", dir, name);
}

static int
fill_scratch(int dir, const char *scratch, const char *name, mode_t mode,
    const void *bytes, size_t length, struct error *e)
{
	int fd, rc = 0;

	fd = fs_ops.openat(dir, scratch,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd == -1)
		return fs_failed(e, "write", dir, name);
	if (fs_write_all(fd, bytes, length) == -1 || fs_ops.fsync(fd) == -1)
		rc = fs_failed(e, "write", dir, name);
	if (fs_ops.close(fd) == -1 && rc == 0)
		rc = fs_failed(e, "write", dir, name);
	return rc;
}

int
fs_place_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e)
{
	char scratch[64];
	struct stat st;
	int rc;

	scratch_name(scratch, sizeof scratch);
	rc = fill_scratch(dir, scratch, name, mode, bytes, length, e);
	if (rc == 0)
		rc = link_scratch(dir, scratch, name, e);
	remove_scratch(dir, scratch);
	if (rc != NO_LINKS)
		return rc;
	/*
	 * Without hard links, still only one writer gets the name, but readers
	 * see the file while it is being written, and take an incomplete file
	 * for damaged.
	 */
	if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	rc = fill_scratch(dir, name, name, mode, bytes, length, e);
	if (rc == -1 && errno == EEXIST)
		return 1;
	if (rc == -1)
		remove_scratch(dir, name);
	return rc;
}

int
fs_publish_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e)
{
	int rc = fs_place_mode(dir, name, mode, bytes, length, e);

	/* Sync even if the name existed: its writer may have been killed. */
	return rc == -1 || fs_sync(dir, e) == -1 ? -1 : rc;
}

/* Open a stream over a directory, at its beginning. */
static DIR *
open_stream(int dir, const char *name)
{
	int fd = fs_ops.openat(dir, name, DIRECTORY, 0);
	DIR *d = fd == -1 ? NULL : fdopendir(fd);

	if (d == NULL)
		fs_close(fd);
	return d;
}

static void
close_stream(DIR *d)
{
	int saved = errno;

	closedir(d);
	errno = saved;
}

/* Return the next name; NULL at the end (errno is 0) or on failure. */
static const char *
next_name(DIR *d)
{
	struct dirent *entry;

	do {
		errno = 0;
		entry = fs_ops.readdir(d);
	} while (entry != NULL &&
	    (strcmp(entry->d_name, ".") == 0 ||
		strcmp(entry->d_name, "..") == 0));
	return entry == NULL ? NULL : entry->d_name;
}

/* Read names of a kind; on failure out has the names read so far. */
static int
list_once(int dir, enum fs_kind kind, size_t most, struct fs_names *out)
{
	DIR *d = open_stream(dir, ".");
	const char *name;

	if (d == NULL)
		return -1;
	errno = 0;
	while (out->count < most && (name = next_name(d)) != NULL) {
		if (kind != FS_ALL && (name[0] == '.') != (kind == FS_HIDDEN))
			continue;
		out->name = xgrow(out->name, out->count, sizeof *out->name);
		out->name[out->count++] = xstrdup(name);
		errno = 0;
	}
	close_stream(d);
	return errno == 0 ? 0 : -1;
}

int
fs_list_kind(int dir, enum fs_kind kind, size_t most, struct fs_names *out,
    struct error *e)
{
	int tries, saved;

	memset(out, 0, sizeof *out);
	for (tries = 0; tries < 3; tries++) {
		if (list_once(dir, kind, most, out) == 0)
			return 0;
		saved = errno;
		fs_names_free(out);
		errno = saved;
		if (errno != ESTALE)
			break;
	}
	return fs_failed(e, "list", dir, ".");
}

/* Read a whole file, of about `expected` bytes and at most limit. */
static int
read_all(int fd, size_t expected, size_t limit, char **out, size_t *length)
{
	size_t size = expected < limit ? expected + 1 : 4096, used = 0;
	char *text = xmalloc(size + 1);
	ssize_t n;
	int saved;

	for (;;) {
		n = fs_ops.read(fd, text + used, size - used);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
		if (used > limit) {
			errno = EFBIG;
			n = -1;
			break;
		}
		if (used == size)
			text = xrealloc(text, (size *= 2) + 1);
	}
	if (n == -1) {
		saved = errno;
		free(text);
		errno = saved;
		return -1;
	}
	text[used] = '\0';
	*out = text;
	if (length != NULL)
		*length = used;
	return 0;
}

static int
read_open(int fd, int dir, const char *name, size_t limit, char **out,
    size_t *length, struct error *e)
{
	struct stat st;
	int rc;

	if (fd == -1)
		return fs_failed(e, "open", dir, name);
	rc = fs_ops.fstat(fd, &st);
	if (rc == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		rc = -1;
	} else if (rc == 0 && dir != AT_FDCWD && !S_ISREG(st.st_mode)) {
		fs_close(fd); /* opening a pipe would block the read */
		return not_regular(e, dir, name);
	}
	if (rc == 0)
		rc = read_all(fd, (size_t)st.st_size, limit, out, length);
	if (rc == -1)
		fs_failed(e, "read", dir, name);
	fs_close(fd);
	return rc;
}

int
fs_read(int dir, const char *name, size_t limit, char **out, size_t *length,
    struct error *e)
{
	return read_open(fs_ops.openat(dir, name,
			     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0),
	    dir, name, limit, out, length, e);
}

int
fs_read_path(
    const char *path, size_t limit, char **out, size_t *length, struct error *e)
{
	if (strcmp(path, "-") == 0) {
		if (read_all(STDIN_FILENO, 4095, limit, out, length) == -1)
			return error_errno(e, "standard input");
		return 0;
	}
	return read_open(fs_ops.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0),
	    AT_FDCWD, path, limit, out, length, e);
}

/* Compute the checksum of an open file and close it. */
static int
sum_open(int fd, int dir, const char *name, size_t limit, uint32_t *crc,
    size_t *length, struct error *e)
{
	char piece[65536];
	ssize_t n;

	*crc = 0;
	*length = 0;
	while ((n = fs_ops.read(fd, piece, sizeof piece)) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		if (n > 0) {
			*crc = fs_crc32c_more(*crc, piece, (size_t)n);
			*length += (size_t)n;
			if (*length <= limit)
				continue;
			errno = EFBIG;
		}
		fs_failed(e, "read", dir, name);
		n = -1;
		break;
	}
	fs_close(fd);
	return (int)n;
}

int
fs_sum(int dir, const char *name, size_t limit, uint32_t *crc, size_t *length,
    struct error *e)
{
	uint64_t size;
	int fd = fs_open_file(dir, name, &size, e);

	if (fd == -1)
		return -1;
	return sum_open(fd, dir, name, limit, crc, length, e);
}

int
fs_sum_path(const char *path, size_t limit, uint32_t *crc, size_t *length,
    struct error *e)
{
	int fd = fs_ops.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd == -1)
		return fs_failed(e, "open", AT_FDCWD, path);
	return sum_open(fd, AT_FDCWD, path, limit, crc, length, e);
}

/* Read like read_all, but stop at the limit. */
static int
read_some(int fd, size_t limit, char **out, size_t *length)
{
	char *bytes = xmalloc(limit + 1);
	size_t used = 0;
	ssize_t n = 1;

	while (used < limit && n != 0) {
		n = fs_ops.read(fd, bytes + used, limit - used);
		if (n == -1 && errno != EINTR) {
			free(bytes);
			return -1;
		}
		used += n > 0 ? (size_t)n : 0;
	}
	*out = xrealloc(bytes, used + 1);
	(*out)[used] = '\0';
	*length = used;
	return 0;
}

double
fs_born(const char *path)
{
	struct statx st;

	if (path == NULL ||
	    statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BTIME, &st) == -1 ||
	    (st.stx_mask & STATX_BTIME) == 0)
		return NAN;
	return (double)st.stx_btime.tv_sec + st.stx_btime.tv_nsec / 1e9;
}

int
fs_stat_fresh(int dir, const char *path, struct stat *st)
{
	struct statx got;

	if (statx(dir, path, AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC,
		STATX_INO | STATX_CTIME | STATX_TYPE | STATX_MODE, &got) == -1)
		return -1;
	if ((got.stx_mask & STATX_CTIME) == 0) {
		errno = ENOSYS;
		return -1;
	}
	st->st_ino = got.stx_ino;
	st->st_mode = got.stx_mode;
	st->st_ctim.tv_sec = got.stx_ctime.tv_sec;
	st->st_ctim.tv_nsec = got.stx_ctime.tv_nsec;
	return 0;
}

int
fs_read_from(const char *path, uint64_t offset, size_t limit, char **out,
    size_t *length, struct stat *st, struct error *e)
{
	uint64_t left;
	int fd, rc;

	fd =
	    fs_ops.openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	if (fd == -1)
		return fs_failed(e, "open", AT_FDCWD, path);
	rc = fs_ops.fstat(fd, st);
	if (rc == 0 && !S_ISREG(st->st_mode)) {
		fs_close(fd);
		return error_set(e, "%s: not a regular file", path);
	}
	left = rc == 0 && (uint64_t)st->st_size > offset
	    ? (uint64_t)st->st_size - offset
	    : 0;
	if (rc == 0 && lseek(fd, (off_t)offset, SEEK_SET) == -1)
		rc = -1;
	if (rc == 0)
		rc = read_some(
		    fd, left < limit ? (size_t)left : limit, out, length);
	if (rc == -1)
		fs_failed(e, "read", AT_FDCWD, path);
	fs_close(fd);
	return rc;
}

int
fs_open_file(int dir, const char *name, uint64_t *size, struct error *e)
{
	int fd = fs_ops.openat(
	    dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	struct stat st;
	int rc;

	if (fd == -1)
		return fs_failed(e, "open", dir, name);
	rc = fs_ops.fstat(fd, &st);
	if (rc == 0 && !S_ISREG(st.st_mode)) {
		fs_close(fd);
		return not_regular(e, dir, name);
	}
	if (rc == 0) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	fs_failed(e, "read", dir, name);
	fs_close(fd);
	return -1;
}

int
fs_read_at(int fd, uint64_t offset, size_t limit, char **out, size_t *length,
    struct error *e)
{
	if (lseek(fd, (off_t)offset, SEEK_SET) == -1 ||
	    read_some(fd, limit, out, length) == -1)
		return error_errno(e, "cannot be read");
	return 0;
}

int
fs_rename(int from, const char *old, int to, const char *new, struct error *e)
{
	if (fs_ops.renameat(from, old, to, new) == -1)
		return fs_failed(e, "rename", from, old);
	if (fs_ops.fsync(to) == -1 && errno != EINVAL)
		return fs_failed(e, "sync directory of", to, new);
	if (from != to && fs_ops.fsync(from) == -1 && errno != EINVAL)
		return fs_failed(e, "sync directory of", from, old);
	return 0;
}

int
fs_sync(int dir, struct error *e)
{
	if (fs_ops.fsync(dir) == -1 && errno != EINVAL)
		return fs_failed(e, "sync directory", dir, ".");
	return 0;
}

int
fs_hard_link(
    int from, const char *old, int to, const char *new, struct error *e)
{
	if (fs_ops.linkat(from, old, to, new, 0) == -1)
		return fs_failed(e, "link", from, old);
	if (fs_ops.fsync(to) == -1 && errno != EINVAL)
		return fs_failed(e, "sync directory of", to, new);
	return 0;
}

int
fs_unlink(int dir, const char *name, struct error *e)
{
	int tries = 0, rc;

	/* ESTALE: another client removed the file or its directory. */
	do
		rc = fs_ops.unlinkat(dir, name, 0);
	while (rc == -1 && errno == ESTALE && ++tries < 3);
	if (rc == -1 && errno != ENOENT && errno != ESTALE)
		return fs_failed(e, "remove", dir, name);
	return 0;
}

/* Open a directory to remove its content, even if its mode forbids that. */
static DIR *
open_doomed(int dir, const char *name)
{
	DIR *d = open_stream(dir, name);
	struct stat st;

	if (d == NULL && errno == EACCES &&
	    fs_ops.fchmodat(dir, name, 0700, 0) == 0)
		return open_stream(dir, name);
	if (d != NULL && fs_ops.fstat(dirfd(d), &st) == 0 &&
	    (st.st_mode & 0700) != 0700)
		fs_ops.fchmodat(dir, name, 0700, 0);
	return d;
}

int
fs_remove_tree(int dir, const char *name, struct error *e)
{
	const char *below;
	int tries, rc = 0;
	DIR *d;

	/* Try again if another process is still writing there. */
	for (tries = 0; tries < 3; tries++) {
		d = open_doomed(dir, name);
		if (d == NULL && errno == ENOENT)
			return 0;
		if (d == NULL && (errno == ENOTDIR || errno == ELOOP))
			return fs_unlink(dir, name, e);
		if (d == NULL)
			return fs_failed(e, "open", dir, name);
		while (rc == 0 && (below = next_name(d)) != NULL)
			rc = fs_remove_tree(dirfd(d), below, e);
		if (rc == 0 && errno != 0)
			rc = fs_failed(e, "list", dir, name);
		close_stream(d);
		if (rc == -1)
			return -1;
		if (fs_ops.unlinkat(dir, name, AT_REMOVEDIR) == 0 ||
		    errno == ENOENT)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			break;
	}
	return fs_failed(e, "remove", dir, name);
}

int
fs_now(int dir, int64_t *out, struct error *e)
{
	const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
	char scratch[64];
	struct stat st;
	int fd, rc;

	scratch_name(scratch, sizeof scratch);
	fd = fs_ops.openat(dir, scratch,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Without room for a new file, set the time of the directory itself. */
	if (fd == -1 && fs_is_full(errno) && utimensat(dir, ".", now, 0) == 0 &&
	    fs_ops.fstat(dir, &st) == 0) {
		*out = st.st_mtime;
		return 0;
	}
	if (fd == -1) {
		fs_failed(e, "write", dir, scratch);
		/* The reply of the server may have been lost. */
		remove_scratch(dir, scratch);
		return -1;
	}
	rc = fs_ops.fstat(fd, &st);
	if (rc == -1)
		fs_failed(e, "read", dir, scratch);
	else
		*out = st.st_mtime;
	fs_close(fd);
	remove_scratch(dir, scratch);
	return rc;
}

int
fs_stat(int dir, const char *name, struct stat *st, struct error *e)
{
	if (fs_ops.fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == -1)
		return fs_failed(e, "read", dir, name);
	return 0;
}

int
fs_changed(int dir, const char *name, int64_t *out, struct error *e)
{
	struct stat st;

	if (fs_stat(dir, name, &st, e) == -1)
		return -1;
	*out = st.st_mtime;
	return 0;
}

int
fs_set_changed(int dir, const char *name, int64_t when, struct error *e)
{
	const struct timespec times[2] = {{when, 0}, {when, 0}};

	if (utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) == -1)
		return fs_failed(e, "change", dir, name);
	return 0;
}

int
fs_exists(const char *path)
{
	struct stat st;

	return fs_ops.fstatat(AT_FDCWD, path, &st, 0) == 0;
}

const char *
fs_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

const char *
fs_from(const char *directory, const char *path)
{
	size_t length = strlen(directory);

	if (length > 1 && strncmp(path, directory, length) == 0 &&
	    path[length] == '/')
		return path + length + 1;
	return path;
}

char *
fs_join(const char *a, const char *b)
{
	size_t length = strlen(a);
	int slash = length > 0 && a[length - 1] == '/';

	return xasprintf("%s%s%s", a, slash ? "" : "/", b);
}

char *
fs_absolute(const char *path)
{
	char *real, *before, *above, *word, *out;
	size_t end = strlen(path), begin;

	real = realpath(*path == '\0' ? "." : path, NULL);
	if (real != NULL)
		return real;
	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/';)
		begin--;
	before = begin == 0 ? xstrdup(".") : xstrndup(path, begin);
	/* There is no parent. */
	if (path[begin] == '\0' || strcmp(before, path) == 0) {
		free(before);
		return xstrdup(path);
	}
	above = fs_absolute(before);
	word = xstrndup(path + begin, strcspn(path + begin, "/"));
	out = strcmp(word, ".") == 0 ? xstrdup(above) : fs_join(above, word);
	free(before);
	free(above);
	free(word);
	return out;
}

char *
fs_nearest(const char *name)
{
	char *here = fs_absolute("."), *path, *slash;

	for (;;) {
		path = fs_join(strcmp(here, "/") == 0 ? "" : here, name);
		if (access(path, F_OK) == 0)
			break;
		free(path);
		path = NULL;
		slash = strrchr(here, '/');
		if (slash == NULL || here[1] == '\0')
			break;
		slash[slash == here] = '\0';
	}
	free(here);
	return path;
}

char *
fs_xdg(const char *variable, const char *below_home)
{
	const char *value = getenv(variable), *home = getenv("HOME");

	if (value != NULL && *value != '\0')
		return xstrdup(value);
	return home != NULL && *home != '\0' ? fs_join(home, below_home) : NULL;
}
