/*
 * Signals for a tree of processes: the topmost processes that catch a signal
 * get it.  Processes below them do not, because their parents may handle it for
 * them.
 */
#ifndef STFM_RUNNER_PROC_SIGNAL_H
#define STFM_RUNNER_PROC_SIGNAL_H

#include <sys/types.h>

#include <stddef.h>

/* How a process handles a signal; the clearest intention comes last. */
enum proc_take {
	PROC_DEAF,
	/*
	 * Catches all signals: a shell that only cleans up at its end (trap ...
	 * EXIT), or a program in Go.
	 */
	PROC_CATCHES_ALL,
	/*
	 * Blocks the signal: srun, which waits for it, and a shell for a
	 * moment.
	 */
	PROC_BLOCKS,
	PROC_CATCHES,
};

/* A process; processes of other users are PROC_DEAF. */
struct proc_catch {
	pid_t pid, parent;
	enum proc_take take;
};

/* Parse the text of /proc/PID/status.  Returns 0, or -1 for other text. */
int proc_catch_read(const char *text, int signal, struct proc_catch *out);

/*
 * Sort processes so that those that get the signal come first, and return their
 * number.  The tree is top and its descendants.  Of all processes that handle
 * the signal in the best way found in the tree, the topmost get it; none if all
 * are deaf.
 */
size_t proc_catch_choose(struct proc_catch *, size_t count, pid_t top);

/* Send signal to the processes that proc_catch_choose selects, else to top. */
void proc_signal_tree(pid_t top, int signal);

#endif
