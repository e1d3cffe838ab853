/*
 * Calls of fs_ops of which one fails, or ends the process: the at-th of those
 * that are put in place of the real ones.
 */
#ifndef STFM_TESTS_FS_FAULTS_H
#define STFM_TESTS_FS_FAULTS_H

#include <errno.h>
#include <unistd.h>

#include "sys/fs.h"

static struct fs_ops real;
static struct {
	int at, calls, error;
	int status;   /* with which the process ends there, or 0 */
	size_t piece; /* that is read or written at most, or 0 */
} fault;

static inline int
fails(void)
{
	if (++fault.calls != fault.at)
		return 0;
	if (fault.status != 0)
		_exit(fault.status);
	errno = fault.error;
	return 1;
}

/* A disk that takes and gives little at a time. */
static inline size_t
fault_size(size_t size)
{
	return fault.piece > 0 && size > fault.piece ? fault.piece : size;
}

static inline int
bad_openat(int dir, const char *name, int flags, mode_t mode)
{
	return fails() ? -1 : real.openat(dir, name, flags, mode);
}

static inline ssize_t
bad_read(int fd, void *to, size_t size)
{
	return fails() ? -1 : real.read(fd, to, fault_size(size));
}

static inline ssize_t
bad_write(int fd, const void *from, size_t size)
{
	return fails() ? -1 : real.write(fd, from, fault_size(size));
}

static inline int
bad_fsync(int fd)
{
	return fails() ? -1 : real.fsync(fd);
}

/* Linux closes the descriptor whatever close(2) reports. */
static inline int
bad_close(int fd)
{
	int rc = real.close(fd);

	return fails() ? -1 : rc;
}

static inline int
bad_linkat(int a, const char *old, int b, const char *new, int flags)
{
	return fails() ? -1 : real.linkat(a, old, b, new, flags);
}

static inline int
bad_unlinkat(int dir, const char *name, int flags)
{
	return fails() ? -1 : real.unlinkat(dir, name, flags);
}

static inline int
bad_renameat(int a, const char *old, int b, const char *new)
{
	return fails() ? -1 : real.renameat(a, old, b, new);
}

static inline int
bad_mkdirat(int dir, const char *name, mode_t mode)
{
	return fails() ? -1 : real.mkdirat(dir, name, mode);
}

static inline int
bad_fstatat(int dir, const char *name, struct stat *st, int flags)
{
	return fails() ? -1 : real.fstatat(dir, name, st, flags);
}

static inline int
bad_fstat(int fd, struct stat *st)
{
	return fails() ? -1 : real.fstat(fd, st);
}

static inline struct dirent *
bad_readdir(DIR *d)
{
	return fails() ? NULL : real.readdir(d);
}

static inline int
bad_symlinkat(const char *target, int dir, const char *name)
{
	return fails() ? -1 : real.symlinkat(target, dir, name);
}

static inline ssize_t
bad_readlinkat(int dir, const char *name, char *to, size_t size)
{
	return fails() ? -1 : real.readlinkat(dir, name, to, size);
}

static inline int
bad_fchmodat(int dir, const char *name, mode_t mode, int flags)
{
	return fails() ? -1 : real.fchmodat(dir, name, mode, flags);
}

#endif
