/*
 * Copies of file trees, created file by file in a place that no reader sees
 * yet, and made durable together before they are published.  Links are not
 * followed.
 */
#ifndef STFM_SYS_FS_TREE_H
#define STFM_SYS_FS_TREE_H

#include "sys/fs.h"

/* Write a new file, not durable yet.  Returns 0 or -1. */
int fs_write_new(int dir, const char *name, mode_t mode, const void *bytes,
    size_t length, struct error *e);

/* Create a directory for its owner only, not durable yet.  Returns 0 or -1. */
int fs_make_private(int dir, const char *name, struct error *e);

/*
 * Create a symbolic link; returns 0 or -1.  fs_read_link returns the target of
 * a link, to free, or NULL.
 */
int fs_link(int dir, const char *name, const char *target, struct error *e);
char *fs_read_link(int dir, const char *name, struct error *e);

/* Make all files and directories of a tree durable.  Returns 0 or -1. */
int fs_sync_tree(int dir, const char *name, struct error *e);

#endif
