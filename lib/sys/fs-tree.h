/*
 * Copies of file trees, made one file after another in a place that nobody sees
 * yet, and made durable together before it is shown.  Links are not followed.
 */
#ifndef STFM_SYS_FS_TREE_H
#define STFM_SYS_FS_TREE_H

#include "sys/fs.h"

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
