/* The processes of this machine, read from /proc. */
#ifndef STFM_SYS_PROC_TABLE_H
#define STFM_SYS_PROC_TABLE_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * List all processes, or only this user's if own is true.  Sets *out, to free,
 * and *count.  Returns 0 or -1.
 */
int proc_all(int own, pid_t **out, size_t *count, struct error *e);

/*
 * Return the content of /proc/PID/NAME, to free, and set *length, which may be
 * NULL, to its size.  NULL: the process is gone, or the file is not readable.
 */
char *proc_file(pid_t, const char *name, size_t *length);

struct proc_stat {
	pid_t pid, parent;
	double ticks;  /* clock ticks used, including ended children */
	double pages;  /* pages of memory */
	int64_t start; /* ticks from the start of the machine */
	char state;    /* one letter, such as 'S' */
};

/* Get the state of a process.  Returns 0, or -1 if there is no such process. */
int proc_stat(pid_t, struct proc_stat *out);

/* Parse the text of /proc/PID/stat.  Returns 0, or -1 for other text. */
int proc_stat_read(const char *text, struct proc_stat *out);

#endif
