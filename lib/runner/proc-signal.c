#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "runner/proc-signal.h"
#include "sys/proc-table.h"

static int
has(unsigned long long set, int signal)
{
	return (set >> (signal - 1) & 1) != 0;
}

static enum proc_take
take(unsigned long long caught, unsigned long long blocked, int signal)
{
	/*
	 * No program asks for each of these: a process that catches all of them
	 * catches every signal.
	 */
	static const int deadly[] = {
	    SIGTRAP, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU};
	size_t i, all = 1;

	for (i = 0; i < sizeof deadly / sizeof *deadly; i++)
		all &= has(caught, deadly[i]) != 0;
	if (has(caught, signal) && !all)
		return PROC_CATCHES;
	if (has(blocked, signal))
		return PROC_BLOCKS;
	return has(caught, signal) ? PROC_CATCHES_ALL : PROC_DEAF;
}

int
proc_catch_read(const char *text, int signal, struct proc_catch *out)
{
	/*
	 * The kernel escapes newlines in program names, so no name looks like
	 * one of these lines.
	 */
	const char *pid = strstr(text, "\nPid:");
	const char *parent = strstr(text, "\nPPid:");
	const char *owner = strstr(text, "\nUid:");
	const char *wait = strstr(text, "\nSigBlk:");
	const char *set = strstr(text, "\nSigCgt:");
	unsigned long long caught, blocked;
	unsigned long uid;
	long p, above;

	if (pid == NULL || sscanf(pid, " Pid: %ld", &p) != 1 ||
	    parent == NULL || sscanf(parent, " PPid: %ld", &above) != 1 ||
	    owner == NULL || sscanf(owner, " Uid: %lu", &uid) != 1 ||
	    wait == NULL || sscanf(wait, " SigBlk: %llx", &blocked) != 1 ||
	    set == NULL || sscanf(set, " SigCgt: %llx", &caught) != 1)
		return -1;
	*out = (struct proc_catch){.pid = (pid_t)p, .parent = (pid_t)above};
	if (uid == getuid())
		out->take = take(caught, blocked, signal);
	return 0;
}

static int
by_pid(const void *a, const void *b)
{
	const struct proc_catch *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/*
 * Return whether one is in the tree and no process above it handles the signal
 * in the same way.
 */
static int
is_topmost(
    const struct proc_catch *p, size_t count, struct proc_catch one, pid_t top)
{
	const enum proc_take way = one.take;
	const struct proc_catch *above;
	size_t depth;

	/* Processes that end and begin during the listing may form a cycle. */
	for (depth = 0; one.pid != top && depth < count; depth++) {
		one.pid = one.parent;
		above = bsearch(&one, p, count, sizeof *p, by_pid);
		if (above == NULL || above->take == way)
			return 0;
		one = *above;
	}
	return one.pid == top;
}

size_t
proc_catch_choose(struct proc_catch *p, size_t count, pid_t top)
{
	struct proc_catch *sorted = xcalloc(count + 1, sizeof *p);
	size_t chosen = 0, others, i;
	enum proc_take way;

	if (count > 0) {
		qsort(p, count, sizeof *p, by_pid);
		memcpy(sorted, p, count * sizeof *p);
	}
	for (way = PROC_CATCHES; chosen == 0 && way > PROC_DEAF; way--)
		for (i = 0, others = count; i < count; i++)
			if (sorted[i].take == way &&
			    is_topmost(sorted, count, sorted[i], top))
				p[chosen++] = sorted[i];
			else
				p[--others] = sorted[i];
	free(sorted);
	return chosen;
}

void
proc_signal_tree(pid_t top, int signal)
{
	struct proc_catch *p;
	size_t count, known = 0, i;
	pid_t *all;
	char *text;

	if (proc_all(0, &all, &count, NULL) == -1)
		count = 0;
	p = xcalloc(count + 1, sizeof *p);
	for (i = 0; i < count; i++) {
		text = proc_file(all[i], "status", NULL);
		known += text != NULL &&
		    proc_catch_read(text, signal, &p[known]) == 0;
		free(text);
	}
	count = proc_catch_choose(p, known, top);
	for (i = 0; i < count; i++)
		kill(p[i].pid, signal);
	if (count == 0)
		kill(top, signal);
	free(all);
	free(p);
}
