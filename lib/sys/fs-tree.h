/*
 * Copies of files below a directory: made in a place that nobody sees yet, one
 * after the other, and made durable together before it is shown.  No link is
 * followed.
 */
#ifndef STFM_SYS_FS_TREE_H
#define STFM_SYS_FS_TREE_H

#include "sys/fs.h"

/*
 * At most `most` names in a directory, also those that begin with a dot, in no
 * order.  Free with fs_names_free.
 */
int fs_list_all(int dir, size_t most, struct fs_names *out, struct error *e);

/* What is under a name; a link is not followed. */
int fs_look(int dir, const char *name, struct stat *st, struct error *e);

/* Write a new file, which is not durable yet. */
int fs_write_new(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/* Make a directory for its owner alone; it is not durable yet. */
int fs_make_private(int dir, const char *name, struct error *e);

/* Make a symbolic link, and read one (to free, or NULL). */
int fs_link(int dir, const char *name, const char *target, struct error *e);
char *fs_read_link(int dir, const char *name, struct error *e);

/* Make all regular files and directories of a tree durable. */
int fs_sync_tree(int dir, const char *name, struct error *e);

#endif
