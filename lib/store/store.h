/*
 * The store is the directory of all jobs, on a file system that the compute
 * nodes share.  stfm-store(5) describes its files.
 *
 * No record is ever changed: each is a file that is published once, whole,
 * under a name that is never used again.  So no update can be lost, and records
 * need no locks.  Only the names of locks are used again: see create-lock.h and
 * store_once_lock.
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
 * Return the path of the store: option unless it is NULL, else $STFM_DIR, else
 * the nearest .stfm in this directory or its parents, else
 * ${XDG_DATA_HOME:-~/.local/share}/stfm.  To free.
 */
char *store_path(const char *option);

/* The purpose of opening a store. */
enum {
	STORE_READ, /* the store will not be changed */
	STORE_MAKE, /* create it if it does not exist */
	STORE_WRITE,
	STORE_VERIFY /* look at it, whatever it contains */
};

/*
 * Refuse a path that contains a backslash: Slurm then does not expand %A in the
 * path of a log, and every task fails to launch.  Returns 0, or -1.
 */
int store_check_path(const char *path, struct error *e);

/*
 * Open the store at store_path(option); to free with store_close.  Returns NULL
 * if it does not exist or is not a store (ERROR_ABSENT), or only a newer stfm
 * may read or write it (ERROR_NEWER).
 */
struct store *store_open(const char *option, int purpose, struct error *e);
void store_close(struct store *);

/*
 * Check that the user may change the store: it belongs to the user, and no
 * other user can put anything into it or replace it.  Returns 0, or -1.
 */
int store_check_owner(const struct store *, struct error *e);

/*
 * Check that the user may change the store and can do so: its file system may
 * be read-only.  Returns 0, or -1.
 */
int store_check_write(const struct store *, struct error *e);

/* Write the file FORMAT, which must not exist.  Returns 0, or -1. */
int store_format(const struct store *, struct error *e);

/*
 * List the names of all jobs, in no order; *out is to be freed with
 * fs_names_free.  Returns 0, or -1.
 */
int store_jobs(const struct store *, struct fs_names *out, struct error *e);

/* Check that name can be the name of a job.  Returns 0, or -1. */
int store_check_name(const char *name, struct error *e);

/*
 * Return the place of a program in the store at this path, whether or not it is
 * there; its name has the checksum of the program.  To free; NULL if the
 * program cannot be read.
 */
char *store_program(const char *path, const char *program, struct error *e);

/*
 * Return whether a file in the open directory libexec/ is the program that its
 * name says: 1, 0, or -1 if it cannot be read.
 */
int store_is_program(int dir, const char *name, struct error *e);

/*
 * Copy a program to its place in the store unless it is there, and check the
 * copy.  Returns the place, to free, or NULL.
 */
char *store_install(const struct store *, const char *program, struct error *e);

/* Return whether the record of a job is missing or damaged. */
int store_is_broken(const struct store *, const char *name);

/*
 * Move the directory of a job to the trash, without creating a file or
 * directory; files in it that are open stay open.  A job of this name with
 * another id is left alone.  id NULL takes only a job that store_is_broken.
 * Returns its new path relative to the store, to free, or NULL with
 * ERROR_ABSENT if another program took it.
 */
char *store_take(
    const struct store *, const char *name, const char *id, struct error *e);

/* Move a job back from the trash.  Returns 0, or -1, also if name is taken. */
int store_put_back(
    const struct store *, const char *trash, const char *name, struct error *e);

/*
 * Remove a job from the trash.  Only files in its directory are removed, links
 * as links.  Returns 0, or -1.
 */
int store_drop(const struct store *, const char *trash, struct error *e);

/* Take a job and remove it; no program may be using it.  Returns 0, or -1. */
int store_remove(
    const struct store *, const char *name, const char *id, struct error *e);

#endif
