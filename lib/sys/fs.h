/*
 * Files on a shared file system, with the operations that the store needs:
 * files are published whole under names that are never reused, listed
 * completely, read with a limit.
 *
 * Every system call goes through one table, so that a test can make the n-th
 * call fail.  Directories are open descriptors; names are single components
 * unless a function says path.  Symbolic links are not followed below an opened
 * directory.  Reasons name the path.
 */
#ifndef STFM_SYS_FS_H
#define STFM_SYS_FS_H

#include <errno.h>
#include <sys/stat.h>

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct fs_ops {
	int (*openat)(int, const char *, int, mode_t);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*write)(int, const void *, size_t);
	int (*fsync)(int);
	int (*close)(int);
	int (*linkat)(int, const char *, int, const char *, int);
	int (*unlinkat)(int, const char *, int);
	int (*renameat)(int, const char *, int, const char *);
	int (*mkdirat)(int, const char *, mode_t);
	int (*fstatat)(int, const char *, struct stat *, int);
	int (*fstat)(int, struct stat *);
	struct dirent *(*readdir)(DIR *);
	int (*symlinkat)(const char *, int, const char *);
	ssize_t (*readlinkat)(int, const char *, char *, size_t);
	int (*fchmodat)(int, const char *, mode_t, int);
};

/* The system calls in use; tests replace some of them. */
extern struct fs_ops fs_ops;

/*
 * Modes of created files, before the umask; others can never write.  FS_PROGRAM
 * is for programs and directories.
 */
enum { FS_FILE = 0644, FS_PROGRAM = 0755 };

/* The names in a directory, in no order. */
struct fs_names {
	char **name;
	size_t count;
};

/* Free the names; the struct is then empty. */
void fs_names_free(struct fs_names *);

/* Return whether this name is among the names. */
int fs_names_have(const struct fs_names *, const char *name);

/* Sort the names as strcmp does. */
void fs_names_sort(struct fs_names *);

/*
 * Open a directory by path (following links: the user chose the path) for the
 * functions below.  Returns a descriptor to close with fs_close, or -1.
 */
int fs_open_dir(const char *path, struct error *e);

/*
 * Open the directory name in dir; if make is true, create it if necessary.
 * Returns a descriptor, or -1; errno is ENOENT if it does not exist.
 */
int fs_open_subdir(int dir, const char *name, int make, struct error *e);

/*
 * Open the directory of the file at path below top; if make is true, create
 * missing directories.  Sets *name to the last component, inside path.  Returns
 * a descriptor, or -1.
 */
int fs_open_parent(
    int top, const char *path, int make, const char **name, struct error *e);

/*
 * Create the directory name in dir unless it exists.  It is durable after the
 * next fs_publish in dir, or fs_rename of dir.  Returns 0 or -1.
 */
int fs_make_subdir(int dir, const char *name, struct error *e);

/* Close a descriptor from the functions above. */
void fs_close(int dir);

/* Create a directory and its parents (mode less umask).  Returns 0 or -1. */
int fs_make_dirs_mode(const char *path, mode_t mode, struct error *e);

/* Create a directory and its parents (0777 less umask).  Returns 0 or -1. */
static inline int
fs_make_dirs(const char *path, struct error *e)
{
	return fs_make_dirs_mode(path, 0777, e);
}

/* Do what fs_place does, with this mode instead of FS_FILE. */
int fs_place_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/*
 * Publish a file like fs_publish, but do not make its name durable: the caller
 * must call fs_sync, or fs_publish for another name in the same directory.
 */
static inline int
fs_place(int dir, const char *name, const void *bytes, size_t length,
    struct error *e)
{
	return fs_place_mode(dir, name, FS_FILE, bytes, length, e);
}

/* Do what fs_publish does, with this mode instead of FS_FILE. */
int fs_publish_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/*
 * Publish a file: it appears under its name complete and durable, or not at
 * all.  Returns 0 if this call created it, 1 if the name existed already
 * (nothing changes), or -1.  After -1 the whole file may exist if only making
 * it durable failed; publishing it again repairs that.
 */
static inline int
fs_publish(int dir, const char *name, const void *bytes, size_t length,
    struct error *e)
{
	return fs_publish_mode(dir, name, FS_FILE, bytes, length, e);
}

/*
 * Kinds of names: without a dot at the start, with one, or both; never "." and
 * "..".
 */
enum fs_kind { FS_VISIBLE, FS_HIDDEN, FS_ALL };

/*
 * List the names of a kind in a directory, at most `most`.  Returns 0 or -1.
 * The list is current even on NFS, where looking up a known name may be up to
 * 30 s late.
 */
int fs_list_kind(
    int dir, enum fs_kind, size_t most, struct fs_names *out, struct error *e);

/* List the visible names in a directory. */
static inline int
fs_list(int dir, struct fs_names *out, struct error *e)
{
	return fs_list_kind(dir, FS_VISIBLE, SIZE_MAX, out, e);
}

/* Set the time of an open directory or file to now, by the server's clock. */
static inline void
fs_touch(int fd)
{
	futimens(fd, NULL);
}

/*
 * The size limit of files with a line for each task of a job: a million tasks
 * may have more than a gigabyte.
 */
#define FS_ALL_TASKS ((size_t)1 << 36)

/*
 * Read a regular file of at most limit bytes.  Sets *out, to free (a NUL
 * follows the last byte), and *length, which may be NULL.  Returns 0, or -1;
 * errno is ENOENT if the file does not exist.
 */
int fs_read(int dir, const char *name, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * Return the permissions that the file at path does not grant to group and
 * others, so that a directory with its content must not grant them either.
 * Returns 0 if path is not a file.
 */
mode_t fs_withheld(const char *path);

/* Remove permissions from a directory.  Returns 0 or -1. */
int fs_withhold(int dir, mode_t rights, struct error *e);

/* Read a file like fs_read, by a path from the user; "-" is standard input. */
int fs_read_path(const char *path, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * Compute the checksum and size of a regular file of at most limit bytes,
 * without loading the file.  Returns 0, or -1; errno is ENOENT if there is no
 * file.
 */
int fs_sum(int dir, const char *name, size_t limit, uint32_t *crc,
    size_t *length, struct error *e);

/* Compute a checksum like fs_sum, by a path from the user. */
int fs_sum_path(const char *path, size_t limit, uint32_t *crc, size_t *length,
    struct error *e);

/*
 * Read at most limit bytes of the file at path, starting at offset.  Sets *out,
 * to free, *length, and *st to the file's state, also if it is no regular file,
 * which is an error.  Returns 0, or -1; errno is ENOENT if the file does not
 * exist.
 */
int fs_read_from(const char *path, uint64_t offset, size_t limit, char **out,
    size_t *length, struct stat *st, struct error *e);

/* Return the time of the last write to a file, in seconds since 1970. */
static inline double
fs_written(const struct stat *st)
{
	return (double)st->st_mtim.tv_sec + (double)st->st_mtim.tv_nsec / 1e9;
}

/* Return a file's creation time, in seconds since 1970, or nan if unknown. */
double fs_born(const char *path);

/*
 * Open a regular file for reading parts of it, and set *size to its size.
 * Returns a descriptor to close with fs_close, or -1; errno is ENOENT if there
 * is no such file.
 */
int fs_open_file(int dir, const char *name, uint64_t *size, struct error *e);

/*
 * Read at most limit bytes from offset.  Sets *out, to free (a NUL follows the
 * last byte), and *length.  Returns 0 or -1.
 */
int fs_read_at(int fd, uint64_t offset, size_t limit, char **out,
    size_t *length, struct error *e);

/*
 * Rename a directory or file within or between directories, and make the new
 * name durable.  Returns 0, or -1; errno is EEXIST or ENOTEMPTY if the new name
 * is a directory.
 */
int fs_rename(
    int from, const char *old, int to, const char *new, struct error *e);

/* Give a file a second name; arguments and result are those of fs_rename. */
int fs_hard_link(
    int from, const char *old, int to, const char *new, struct error *e);

/* Remove a file; a missing file is not an error.  Returns 0 or -1. */
int fs_unlink(int dir, const char *name, struct error *e);

/*
 * Remove name and everything below it.  Links are removed, not followed;
 * read-only directories are removed, too.  A missing name is not an error.
 * Returns 0 or -1.
 */
int fs_remove_tree(int dir, const char *name, struct error *e);

/*
 * Get the current time of the file system (its server's clock), in seconds.  No
 * other clock can be used to compute the age of a file.  Works even if no new
 * file can be created.  Returns 0 or -1.
 */
int fs_now(int dir, int64_t *out, struct error *e);

/* Return whether an errno means that there is no room for a new file. */
static inline int
fs_is_full(int number)
{
	return number == ENOSPC || number == EDQUOT;
}

/* Make the names in an open directory durable.  Returns 0 or -1. */
int fs_sync(int dir, struct error *e);

/*
 * Return the path of name in an open directory, for messages; to free.  If the
 * system does not know the path of the directory, it is name alone.
 */
char *fs_path(int dir, const char *name);

/* Get the state of a name without following a link.  Returns 0 or -1. */
int fs_stat(int dir, const char *name, struct stat *st, struct error *e);

/*
 * Get inode, mode and time of change (st_ctim) of the file at a path below an
 * open directory; st has nothing else.  Does not follow a link at its end.  The
 * server is asked: on NFS, fs_stat may be 30 s late.  Returns 0, or -1 with
 * errno set.
 */
int fs_stat_fresh(int dir, const char *path, struct stat *st);

/* Get a file's last change by the file system's clock.  Returns 0 or -1. */
int fs_changed(int dir, const char *name, int64_t *out, struct error *e);

/* Set the time of a file's last change.  Returns 0 or -1. */
int fs_set_changed(int dir, const char *name, int64_t when, struct error *e);

/* Return whether a file (or anything else) exists at path. */
int fs_exists(const char *path);

/* Return whether an errno means that the file does not exist. */
static inline int
fs_says_absent(int reason)
{
	return reason == ENOENT || reason == ENOTDIR;
}

/* Return whether certainly nothing exists at path; 0 if that is unknown. */
static inline int
fs_is_gone(const char *path)
{
	return !fs_exists(path) && fs_says_absent(errno);
}

/* Return the last component of path, inside path. */
const char *fs_base(const char *path);

/* Return path relative to directory if it is inside, else path. */
const char *fs_from(const char *directory, const char *path);

/* Join two parts of a path with a slash; to free. */
char *fs_join(const char *a, const char *b);

/*
 * Return the absolute path, without "."  and with links resolved as far as the
 * path exists; to free.
 */
char *fs_absolute(const char *path);

/*
 * Return the path of the nearest file (or directory) called name, in the
 * current directory or a parent; to free.  name may contain slashes.  NULL if
 * there is none.
 */
char *fs_nearest(const char *name);

/*
 * Return a directory of the user by the XDG specification: the variable's
 * value, else below_home in the home directory; to free.  NULL if neither is
 * set.
 */
char *fs_xdg(const char *variable, const char *below_home);

/* Return random bits, for names that are never reused. */
uint64_t fs_noise(void);

/* Return the CRC-32C of bytes with CRC-32C crc, followed by these bytes. */
uint32_t fs_crc32c_more(uint32_t crc, const void *bytes, size_t length);

/* Return the CRC-32C of bytes (RFC 3720, polynomial 0x1edc6f41; iSCSI). */
static inline uint32_t
fs_crc32c(const void *bytes, size_t length)
{
	return fs_crc32c_more(0, bytes, length);
}

/* Return the CRC-32C of bytes, computed without special instructions. */
uint32_t fs_crc32c_portable(const void *bytes, size_t length);

#endif
