/*
 * Copies of file trees, made one file after another in a place that nobody sees
 * yet, and made durable together before it is shown.  Links are not followed.
 */
#ifndef STFM_SYS_FS_TREE_H
#define STFM_SYS_FS_TREE_H

#include "sys/fs.h"

/*
 * List at most `most` names in a directory, also those that begin with a dot,
 * in no order: 0 or -1.  Free out with fs_names_free.
 */
int fs_list_all(int dir, size_t most, struct fs_names *out, struct error *e);

/* Get the state of a name; a link is not followed.  Returns 0 or -1. */
int fs_look(int dir, const char *name, struct stat *st, struct error *e);

/* Write a new file, which is not durable yet.  Returns 0 or -1. */
int fs_write_new(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/* Create a directory for its owner only; it is not durable yet: 0 or -1. */
int fs_make_private(int dir, const char *name, struct error *e);

/* Create a symbolic link: 0 or -1.  Read one: its target, to free, or NULL. */
int fs_link(int dir, const char *name, const char *target, struct error *e);
char *fs_read_link(int dir, const char *name, struct error *e);

/* Make all regular files and directories of a tree durable: 0 or -1. */
int fs_sync_tree(int dir, const char *name, struct error *e);

#endif
