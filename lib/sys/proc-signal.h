/*
 * Who of a tree of processes is to get a signal: the topmost that catch it.
 * Below those nobody does, as what they start may have their handlers.
 */
#ifndef STFM_SYS_PROC_SIGNAL_H
#define STFM_SYS_PROC_SIGNAL_H

#include <sys/types.h>

#include <stddef.h>

/* How a process takes a signal; what tells most of its wish comes last. */
enum proc_take {
	PROC_DEAF,
	/*
	 * Catches it as it does all others: a shell that only cleans up when it
	 * ends (trap ... EXIT), or a program in Go.
	 */
	PROC_CATCHES_ALL,
	/* As srun does, which waits for it, and a shell for a moment. */
	PROC_BLOCKS,
	PROC_CATCHES,
};

/* One that is not ours is deaf. */
struct proc_catch {
	pid_t pid, parent;
	enum proc_take take;
};

/* From the text of /proc/PID/status; -1 when that is none. */
int proc_catch_read(const char *text, int signal, struct proc_catch *out);

/*
 * Sort them, those that are to get it first, and return how many these are.
 * top and what is below it is the tree; of that the topmost get it that take it
 * in the best way anybody there does, and nobody where all are deaf.
 */
size_t proc_catch_choose(struct proc_catch *, size_t count, pid_t top);

/* Send it to them, or to the top where nobody of its tree catches it. */
void proc_signal_tree(pid_t top, int signal);

#endif
