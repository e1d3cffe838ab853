/*
 * Signals for a tree of processes: the topmost that catch a signal get it.
 * Processes below them do not, as their parents may handle it for them.
 */
#ifndef STFM_SYS_PROC_SIGNAL_H
#define STFM_SYS_PROC_SIGNAL_H

#include <sys/types.h>

#include <stddef.h>

/* How a process handles a signal; the clearest intention is last. */
enum proc_take {
	PROC_DEAF,
	/*
	 * Catches it like all other signals: a shell that only cleans up at its
	 * end (trap ... EXIT), or a program in Go.
	 */
	PROC_CATCHES_ALL,
	/* Blocks it: srun, which waits for it, and a shell for a moment. */
	PROC_BLOCKS,
	PROC_CATCHES,
};

/* A process; one of another user is PROC_DEAF. */
struct proc_catch {
	pid_t pid, parent;
	enum proc_take take;
};

/* Parse the text of /proc/PID/status: 0, or -1 if it is not such a text. */
int proc_catch_read(const char *text, int signal, struct proc_catch *out);

/*
 * Sort processes, those that get the signal first, and return how many these
 * are.  The tree is top and what is below.  Of all that handle the signal in
 * the best way found in the tree, the topmost get it; none if all are deaf.
 */
size_t proc_catch_choose(struct proc_catch *, size_t count, pid_t top);

/* Send signal to the processes that proc_catch_choose selects, else to top. */
void proc_signal_tree(pid_t top, int signal);

#endif
