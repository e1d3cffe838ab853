/* Declarations shared by the fs files. */
#ifndef STFM_SYS_FS_PRIVATE_H
#define STFM_SYS_FS_PRIVATE_H

#include "sys/fs.h"

/* Put the reason from errno, with the whole path, into e; return -1. */
int fs_failed(struct error *e, const char *verb, int dir, const char *name);

/* Write all bytes.  Returns 0, or -1 with errno set. */
int fs_write_all(int fd, const char *bytes, size_t length);

#endif
