/*
 * Files as the store needs them on a shared file system: published whole under
 * names that are never used again, listed in full, read with a limit.
 *
 * Every system call goes through one table, so that a test can make the n-th
 * one fail.  Directories are open descriptors; names are single components
 * unless a function says path.  No symbolic link is followed below a directory
 * that was opened.  Reasons name the path.
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

/* The calls in use: the system's own until a test replaces some. */
extern struct fs_ops fs_ops;

/*
 * Modes of what is made, less the umask: never for others to write.  The second
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
 * Open the directory name inside dir, making it first when make is true.
 * Returns a descriptor, or -1; errno is ENOENT when it is not there.
 */
int fs_open_subdir(int dir, const char *name, int make, struct error *e);

/*
 * Open the directory that a path below another is in; make says whether those
 * on the way are made.  *name is its last part, which is in path.
 */
int fs_open_parent(
    int top, const char *path, int make, const char **name, struct error *e);

/*
 * Make the directory name inside dir unless it is there.  It is durable after
 * the next fs_publish in dir, or fs_rename of dir.
 */
int fs_make_subdir(int dir, const char *name, struct error *e);

/* Close what fs_open_dir or fs_open_subdir returned. */
void fs_close(int dir);

/* Make a directory and those above it (mode 0777 less the umask). */
int fs_make_dirs(const char *path, struct error *e);

/* fs_make_dirs with another mode than 0777. */
int fs_make_dirs_mode(const char *path, mode_t mode, struct error *e);

/*
 * Publish a file: it appears under its name complete and durable, or not at
 * all.  Returns 0 when this call made it, 1 when the name was there already
 * (nothing is changed), or -1.  After -1 it may be there all the same, whole,
 * when all that failed is to make it durable: publishing again does that.
 */
int fs_publish(int dir, const char *name, const void *bytes, size_t length,
    struct error *e);

/*
 * fs_publish that leaves it to the caller to call fs_sync, or fs_publish of
 * another name in the same directory.
 */
int fs_place(int dir, const char *name, const void *bytes, size_t length,
    struct error *e);

/* Both with another mode than FS_FILE. */
int fs_place_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);
int fs_publish_mode(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/*
 * Read all names in a directory, without those that begin with a dot.  Fresh
 * also on NFS, where looking up a known name is not (up to 30 s late).
 */
int fs_list(int dir, struct fs_names *out, struct error *e);

/* The names that begin with a dot, but for "." and "..". */
int fs_list_hidden(int dir, struct fs_names *out, struct error *e);

/* Set the time of an open directory or file to now, by the server's clock. */
void fs_touch(int fd);

/*
 * Read a regular file of at most limit bytes into *out (to free; a NUL follows
 * the last byte) and its size into *length, which may be NULL.
 * Returns 0, or -1; errno is ENOENT when the file is not there.
 */
int fs_read(int dir, const char *name, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * The rights of the group and of others that a file with this path does not
 * give, those of a directory in which it could lie; 0 for what is no file.
 * fs_withhold takes such rights from a directory: 0, or -1.
 */
mode_t fs_withheld(const char *path);
int fs_withhold(int dir, mode_t rights, struct error *e);

/* fs_read of a path given by the user: "-" is standard input. */
int fs_read_path(const char *path, size_t limit, char **out, size_t *length,
    struct error *e);

/*
 * The checksum of a regular file of at most limit bytes, and its size, without
 * holding it in memory.  Returns 0, or -1; errno is ENOENT when it is not
 * there.
 */
int fs_sum(int dir, const char *name, size_t limit, uint32_t *crc,
    size_t *length, struct error *e);

/* The same of a file at a path given by the user. */
int fs_sum_path(const char *path, size_t limit, uint32_t *crc, size_t *length,
    struct error *e);

/*
 * Read at most limit bytes of the file at path from offset on into *out (to
 * free) and their number into *length; *st is the file's state.
 * Returns 0, or -1; errno is ENOENT when the file is not there.
 */
int fs_read_from(const char *path, uint64_t offset, size_t limit, char **out,
    size_t *length, struct stat *st, struct error *e);

/* Return when a file was last written to, in seconds since 1970. */
double fs_written(const struct stat *);

/* Return when a file was made, in seconds since 1970, or nan: not known. */
double fs_born(const char *path);

/*
 * Open a regular file to read parts of it; *size is its size.  Returns a
 * descriptor to close with fs_close, or -1; errno is ENOENT when the file is
 * not there.
 */
int fs_open_file(int dir, const char *name, uint64_t *size, struct error *e);

/*
 * Read at most limit bytes from offset on into *out (to free; a NUL follows the
 * last byte) and their number into *length.  Returns 0, or -1.
 */
int fs_read_at(int fd, uint64_t offset, size_t limit, char **out,
    size_t *length, struct error *e);

/*
 * Rename a directory or file within or between directories and make that
 * durable.  Returns 0, or -1; errno is EEXIST or ENOTEMPTY when the new name
 * is taken by a directory.
 */
int fs_rename(
    int from, const char *old, int to, const char *new, struct error *e);

/* Give a file a second name, as fs_rename gives another. */
int fs_hard_link(
    int from, const char *old, int to, const char *new, struct error *e);

/* Remove a file; one that is not there (any more) is no error. */
int fs_unlink(int dir, const char *name, struct error *e);

/*
 * Remove name and all below it, links as links, read-only directories too.
 * What is not there is no error.
 */
int fs_remove_tree(int dir, const char *name, struct error *e);

/*
 * The time of the file system itself (its server's clock), in seconds: the
 * only clock against which the age of a file means anything.  It is known also
 * where no new file can be made.
 */
int fs_now(int dir, int64_t *out, struct error *e);

/* Whether an errno says that there is no room for a new file. */
int fs_is_full(int number);

/* Make durable what names an open directory holds. */
int fs_sync(int dir, struct error *e);

/*
 * The path of name in an open directory as far as the system can tell it, for
 * people to read; to free.
 */
char *fs_path(int dir, const char *name);

/*
 * When a file was last changed, by the clock of the file system.  Returns 0,
 * or -1.
 */
int fs_changed(int dir, const char *name, int64_t *out, struct error *e);

/* Say that a file was changed at another time. */
int fs_set_changed(int dir, const char *name, int64_t when, struct error *e);

/* Whether there is a file (or anything) at a path. */
int fs_exists(const char *path);

/* Whether a call failed with this errno because there is no such file. */
int fs_says_absent(int reason);

/*
 * Whether it is certain that nothing is at a path: what cannot be looked at may
 * be there.
 */
int fs_is_gone(const char *path);

/* The last part of a path, which is in it. */
const char *fs_base(const char *path);

/* A path as short as it can be said in a directory: what is in path. */
const char *fs_from(const char *directory, const char *path);

/* Join two parts of a path with a slash; to free. */
char *fs_join(const char *a, const char *b);

/*
 * path from the root, without "." and with links resolved as far as it exists;
 * to free.
 */
char *fs_absolute(const char *path);

/*
 * The nearest file (or directory) of this name, which may have slashes, upward
 * from here; to free.  NULL when there is none.
 */
char *fs_nearest(const char *name);

/*
 * A directory of the user's as the XDG specification has it: the value of the
 * variable, else this one below the home directory; to free.  NULL when there
 * is neither.
 */
char *fs_xdg(const char *variable, const char *below_home);

/* Random bits, for names that are never used again. */
uint64_t fs_noise(void);

/* CRC-32C of some bytes (RFC 3720, polynomial 0x1edc6f41), as in iSCSI. */
uint32_t fs_crc32c(const void *bytes, size_t length);

/* That of some bytes and those behind them, from that of the first. */
uint32_t fs_crc32c_more(uint32_t crc, const void *bytes, size_t length);

/* The same without any help by the processor. */
uint32_t fs_crc32c_portable(const void *bytes, size_t length);

#endif
