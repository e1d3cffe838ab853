/*
 * Files on a shared file system, as the store needs them: published whole under
 * names that are never reused, listed completely, read with a limit.
 *
 * Every system call goes through one table, so that a test can make the n-th
 * call fail.  Directories are open descriptors; names are single components
 * unless a function says path.  Symbolic links are not followed below a
 * directory that was opened.  Reasons name the path.
 */
#ifndef STFM_SYS_FS_H
#define STFM_SYS_FS_H

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
 * Modes of created files, less the umask; others can never write.  FS_PROGRAM
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

/*
 * Open a directory by path (following links: the user chose it) for the
 * functions below.  Returns a descriptor to close with fs_close, or -1.
 */
int fs_open_dir(const char *path, struct error *e);

/*
 * Open the directory name in dir; create it first if make is true.  Returns a
 * descriptor, or -1; errno is ENOENT if it does not exist.
 */
int fs_open_subdir(int dir, const char *name, int make, struct error *e);

/*
 * Open the directory of the file at path below top; make says whether to create
 * missing ones.  *name is the last component, inside path.  Returns a
 * descriptor, or -1.
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

/* Create a directory and its parents (mode 0777 less the umask): 0 or -1. */
int fs_make_dirs(const char *path, struct error *e);

/* Create a directory and its parents, mode less the umask: 0 or -1. */
int fs_make_dirs_mode(const char *path, mode_t mode, struct error *e);

/*
 * Publish a file: it appears under its name complete and durable, or not at
 * all.  Returns 0 if this call made it, 1 if the name existed already (nothing
 * changes), or -1.  After -1 the whole file may exist if only making it durable
 * failed; publishing it again repairs that.
 */
int fs_publish(int dir, const char *name, const void *bytes, size_t length,
    struct error *e);

/*
 * Publish a file as fs_publish, but leave it to the caller to call fs_sync, or
 * fs_publish of another name in the same directory.
 */
int fs_place(int dir, const char *name, const void *bytes, size_t length,
    struct error *e);

/* As fs_place and fs_publish, with this mode instead of FS_FILE. */
int fs_place_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);
int fs_publish_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/*
 * List the names in a directory without those that begin with a dot: 0 or -1.
 * Fresh even on NFS, where looking up a known name is not (up to 30 s late).
 */
int fs_list(int dir, struct fs_names *out, struct error *e);

/* List the names that begin with a dot, except "." and ".."; as fs_list. */
int fs_list_hidden(int dir, struct fs_names *out, struct error *e);

/* List all names except "." and "..", at most `most` of them; as fs_list. */
int fs_list_all(int dir, size_t most, struct fs_names *out, struct error *e);

/* Set the time of an open directory or file to now, by the server's clock. */
void fs_touch(int fd);

/*
 * Read a regular file of at most limit bytes into *out (to free; a NUL follows
 * the last byte) and its size into *length, which may be NULL.  Returns 0, or
 * -1; errno is ENOENT if the file does not exist.
 */
int fs_read(int dir, const char *name, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * Return the permissions of group and others that a directory must not give
 * because the file at path does not give them; 0 if path is no file.
 * fs_withhold takes such rights from a directory: 0 or -1.
 */
mode_t fs_withheld(const char *path);
int fs_withhold(int dir, mode_t rights, struct error *e);

/* Read a file as fs_read, by a path from the user; "-" is standard input. */
int fs_read_path(const char *path, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * Compute the checksum and size of a regular file of at most limit bytes,
 * without loading it.  Returns 0, or -1; errno is ENOENT if there is no file.
 */
int fs_sum(int dir, const char *name, size_t limit, uint32_t *crc,
    size_t *length, struct error *e);

/* Compute a checksum as fs_sum, by a path from the user. */
int fs_sum_path(const char *path, size_t limit, uint32_t *crc, size_t *length,
    struct error *e);

/*
 * Read at most limit bytes of the file at path from offset into *out (to free),
 * and their number into *length; *st is the file's state.  Returns 0, or -1;
 * errno is ENOENT if the file does not exist.
 */
int fs_read_from(const char *path, uint64_t offset, size_t limit, char **out,
    size_t *length, struct stat *st, struct error *e);

/* Return when a file was last written to, in seconds since 1970. */
double fs_written(const struct stat *);

/* Return when a file was created, in seconds since 1970, or nan if unknown. */
double fs_born(const char *path);

/*
 * Open a regular file to read parts of it; *size is its size.  Returns a
 * descriptor to close with fs_close, or -1; errno is ENOENT if there is none.
 */
int fs_open_file(int dir, const char *name, uint64_t *size, struct error *e);

/*
 * Read at most limit bytes from offset into *out (to free; a NUL follows the
 * last byte), and their number into *length.  Returns 0 or -1.
 */
int fs_read_at(int fd, uint64_t offset, size_t limit, char **out,
    size_t *length, struct error *e);

/*
 * Rename a directory or file within or between directories, and make that
 * durable.  Returns 0, or -1; EEXIST or ENOTEMPTY if the new name is a
 * directory.
 */
int fs_rename(
    int from, const char *old, int to, const char *new, struct error *e);

/* Give a file a second name; arguments and result are those of fs_rename. */
int fs_hard_link(
    int from, const char *old, int to, const char *new, struct error *e);

/* Remove a file: 0 or -1.  A missing file is no error. */
int fs_unlink(int dir, const char *name, struct error *e);

/*
 * Remove name and everything below it, links as links, read-only directories
 * too.  Returns 0 or -1; a missing name is no error.
 */
int fs_remove_tree(int dir, const char *name, struct error *e);

/*
 * Get the time of the file system (its server's clock), in seconds: the only
 * clock with which the age of a file can be computed.  Works even if no new
 * file can be made.  Returns 0 or -1.
 */
int fs_now(int dir, int64_t *out, struct error *e);

/* Return whether an errno says that there is no room for a new file. */
int fs_is_full(int number);

/* Make the names in an open directory durable: 0 or -1. */
int fs_sync(int dir, struct error *e);

/*
 * Return the path of name in an open directory, if the system knows it, for
 * people; to free.
 */
char *fs_path(int dir, const char *name);

/* Get the state of a name; a link is not followed.  Returns 0 or -1. */
int fs_look(int dir, const char *name, struct stat *st, struct error *e);

/* Get when a file was last changed, by the file system's clock: 0 or -1. */
int fs_changed(int dir, const char *name, int64_t *out, struct error *e);

/* Set the time of a file's last change: 0 or -1. */
int fs_set_changed(int dir, const char *name, int64_t when, struct error *e);

/* Return whether a file (or anything else) exists at path. */
int fs_exists(const char *path);

/* Return whether this errno says that the file does not exist. */
int fs_says_absent(int reason);

/* Return whether certainly nothing exists at path; 0 if unknown. */
int fs_is_gone(const char *path);

/* Return the last component of path, inside path. */
const char *fs_base(const char *path);

/* Return path relative to directory if it lies there, else path. */
const char *fs_from(const char *directory, const char *path);

/* Join two parts of a path with a slash; to free. */
char *fs_join(const char *a, const char *b);

/*
 * Return the absolute path, without "." and with links resolved as far as it
 * exists; to free.
 */
char *fs_absolute(const char *path);

/*
 * Return the path of the nearest file (or directory) called name, which may
 * contain slashes, here or upward; to free.  NULL if there is none.
 */
char *fs_nearest(const char *name);

/*
 * Return a directory of the user by the XDG specification: the variable's
 * value, else below_home in the home directory; to free.  NULL if there is
 * neither.
 */
char *fs_xdg(const char *variable, const char *below_home);

/* Return random bits, for names that are never reused. */
uint64_t fs_noise(void);

/* Return the CRC-32C of bytes (RFC 3720, polynomial 0x1edc6f41; iSCSI). */
uint32_t fs_crc32c(const void *bytes, size_t length);

/* Return the CRC-32C of earlier bytes, with CRC-32C crc, and these bytes. */
uint32_t fs_crc32c_more(uint32_t crc, const void *bytes, size_t length);

/* Return the CRC-32C of bytes, computed without special instructions. */
uint32_t fs_crc32c_portable(const void *bytes, size_t length);

#endif
