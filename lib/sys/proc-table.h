/*
 * The processes of this machine, as /proc shows them.
 */
#ifndef STFM_SYS_PROC_TABLE_H
#define STFM_SYS_PROC_TABLE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* List them, those of this user alone where own is true; *out is to free. */
int proc_all(int own, pid_t **out, size_t *count, struct error *e);

/*
 * What /proc/PID/NAME holds, of as many bytes; to free.  NULL when the process
 * is gone, or that is not ours to read.  length may be NULL.
 */
char *proc_file(pid_t, const char *name, size_t *length);

struct proc_stat {
	pid_t pid, parent;
	double ticks;  /* clock ticks of it, and of children that it had */
	double pages;  /* of memory */
	int64_t start; /* ticks since the machine did */
	char state;    /* 'S' */
};

/* Returns 0, or -1 when there is no such process. */
int proc_stat(pid_t, struct proc_stat *out);

/* The same from its text; -1 when that is none. */
int proc_stat_read(const char *text, struct proc_stat *out);

#endif
