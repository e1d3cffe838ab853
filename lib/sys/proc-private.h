/* What the files of proc share. */
#ifndef STFM_SYS_PROC_PRIVATE_H
#define STFM_SYS_PROC_PRIVATE_H

#include "sys/proc.h"

/*
 * Start a program with these descriptors as its standard streams; in -1 is
 * /dev/null.  Signals that we block or ignore have no effect on it.  If apart
 * is true, it has a process group of its own.  Returns 0 or an errno.
 */
int proc_spawn(pid_t *pid, char *const argv[], char *const env[], int in,
    int out, int err, int apart);

#endif
