/*
 * The store is the directory in which all jobs live, on a file system that
 * the compute nodes see too.  stfm-store(5) describes its files.
 *
 * Nothing in it is ever read, changed and written back: every record is a file
 * that is published once, whole, under a name that is never used again.  So no
 * update can be lost and no lock is needed.
 */
#ifndef STFM_STORE_STORE_H
#define STFM_STORE_STORE_H

#include <stdint.h>

#include "base/error.h"
#include "sys/fs.h"

struct store {
	char *path; /* absolute */
	int dir;
};

/*
 * The path of the store to use: option when it is not NULL, else $STFM_DIR,
 * else the nearest .stfm upward from here, else
 * ${XDG_DATA_HOME:-~/.local/share}/stfm.  To free.
 */
char *store_path(const char *option);

/* What a store is opened for. */
enum {
	STORE_READ, /* nothing will be changed */
	STORE_MAKE, /* it is made when it is not there */
	STORE_WRITE,
	STORE_VERIFY /* only looked at, whatever it is */
};

/*
 * Refuse the path of a store in which Slurm would find no log: with a backslash
 * in it, Slurm expands no %A and every task fails to launch.  0, or -1.
 */
int store_check_path(const char *path, struct error *e);

/*
 * Open the store (of store_path).  Returns NULL when it is not there (errno
 * ENOENT), is not a store, or may only be read or written by a newer stfm
 * (ENOTSUP).
 */
struct store *store_open(const char *option, int purpose, struct error *e);
void store_close(struct store *);

/*
 * Whether the user may change the store: it is theirs, and nobody else can put
 * anything into it or in its place.  Returns 0, or -1.
 */
int store_check_owner(const struct store *, struct error *e);

/*
 * Whether the user may change the store, and can: it may lie on a file system
 * that is read-only.
 */
int store_check_write(const struct store *, struct error *e);

/* Write FORMAT, which must not be there. */
int store_format(const struct store *, struct error *e);

/* The names of all jobs, in no order.  Free with fs_names_free. */
int store_jobs(const struct store *, struct fs_names *out, struct error *e);

/* Whether it can be the name of a job, with the reason when not. */
int store_check_name(const char *name, struct error *e);

/*
 * Where a program is, or would be, in the store at this path: named by its
 * checksum.  To free; NULL when the program cannot be read.
 */
char *store_program(const char *path, const char *program, struct error *e);

/*
 * Whether a file in libexec/ is the program of its name: 1, 0, or -1 when it
 * cannot be read.
 */
int store_is_program(int dir, const char *name, struct error *e);

/*
 * Copy a program to that place, unless it is there, and see that it is: the
 * place, to free, or NULL.
 */
char *store_install(const struct store *, const char *program, struct error *e);

/*
 * Take the job with this name and id out of the store: its directory moves to
 * the trash, with all that is open in it.  A job of this name that has another
 * id stays.  id NULL takes one whose record is not there or damaged
 * (store_is_broken), and no other.  No new file or directory is needed.
 * Returns its path below the store by now, to free, or NULL; errno is ENOENT
 * when somebody else has taken it.
 */
int store_is_broken(const struct store *, const char *name);
char *store_take(
    const struct store *, const char *name, const char *id, struct error *e);

/* Undo that: -1 also when the name has another job by now. */
int store_put_back(
    const struct store *, const char *trash, const char *name, struct error *e);

/* Remove what was taken.  Only what lies in the job's directory is touched;
 * links are removed as links. */
int store_drop(const struct store *, const char *trash, struct error *e);

/* Take it and remove it, when nobody can be at work on it. */
int store_remove(
    const struct store *, const char *name, const char *id, struct error *e);

#endif
