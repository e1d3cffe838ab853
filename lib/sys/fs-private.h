/* What the files of fs share. */
#ifndef STFM_SYS_FS_PRIVATE_H
#define STFM_SYS_FS_PRIVATE_H

#include "sys/fs.h"

/* Put errno's reason, with the whole path, into e; return -1. */
int fs_failed(struct error *e, const char *verb, int dir, const char *name);

/* Write all bytes: 0, or -1 with errno. */
int fs_write_all(int fd, const char *bytes, size_t length);

#endif
