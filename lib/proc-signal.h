/*
 * Who of a tree of processes is to get a signal: the topmost that catch it.
 * Below those nobody does, as what they start may have their handlers.
 */
#ifndef STFM_PROC_SIGNAL_H
#define STFM_PROC_SIGNAL_H

#include <sys/types.h>

#include <stddef.h>

/*
 * A process, and whether it is ours and catches the signal, or blocks it: as
 * srun does, which waits for it and passes it on, and a shell for a moment.
 */
struct proc_catch {
	pid_t pid, parent;
	int catches, blocks;
};

/* From the text of /proc/PID/status; -1 when that is none. */
int proc_catch_read(const char *text, int signal, struct proc_catch *out);

/*
 * Sort them, those that are to get it first, and return how many these are.
 * top and what is below it is the tree; where nobody of it catches it, those
 * count that block it, and there are none when nobody does that either.
 */
size_t proc_catch_choose(struct proc_catch *, size_t count, pid_t top);

/* Send it to them, or to the top where nobody of its tree catches it. */
void proc_signal_tree(pid_t top, int signal);

#endif
