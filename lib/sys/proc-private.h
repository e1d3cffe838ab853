/* Declarations shared by the proc files. */
#ifndef STFM_SYS_PROC_PRIVATE_H
#define STFM_SYS_PROC_PRIVATE_H

#include "sys/proc.h"

/*
 * Start a program with these descriptors as its standard streams; if in is -1,
 * its standard input is /dev/null.  Signals that this process blocks or ignores
 * have their default effect on the program.  If apart is true, the program gets
 * its own process group.  Returns 0 or an errno.
 */
int proc_spawn(pid_t *pid, char *const argv[], char *const env[], int in,
    int out, int err, int apart);

#endif
