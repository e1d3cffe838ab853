/* What the files of fs share with each other. */
#ifndef STFM_SYS_FS_PRIVATE_H
#define STFM_SYS_FS_PRIVATE_H

#include "sys/fs.h"

/* Give errno's reason, which shows the whole path: returns -1. */
int fs_failed(struct error *e, const char *verb, int dir, const char *name);

/* Write all of it: 0, or -1 with errno. */
int fs_write_all(int fd, const char *bytes, size_t length);

#endif
