/*
 * The processes of this machine, as in /proc.
 */
#ifndef STFM_SYS_PROC_TABLE_H
#define STFM_SYS_PROC_TABLE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* List all processes or, if own, this user's: 0 or -1.  *out is to free. */
int proc_all(int own, pid_t **out, size_t *count, struct error *e);

/*
 * Return the content of /proc/PID/NAME, to free, and its size in *length, which
 * may be NULL.  NULL: the process is gone, or we may not read it.
 */
char *proc_file(pid_t, const char *name, size_t *length);

struct proc_stat {
	pid_t pid, parent;
	double ticks;  /* clock ticks used, with those of ended children */
	double pages;  /* pages of memory */
	int64_t start; /* in ticks since the machine started */
	char state;    /* 'S' */
};

/* Get the state of a process.  Returns 0, or -1 if there is no such process. */
int proc_stat(pid_t, struct proc_stat *out);

/* Parse the text of /proc/PID/stat: 0, or -1 if it is not such a text. */
int proc_stat_read(const char *text, struct proc_stat *out);

#endif
