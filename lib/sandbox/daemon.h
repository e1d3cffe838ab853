/*
 * Daemons: programs that outlive the command that starts them.  Also the
 * processes of this machine, read from /proc.
 */
#ifndef STFM_SANDBOX_DAEMON_H
#define STFM_SANDBOX_DAEMON_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct daemon {
	char *const *argv; /* argv[0] is a path */
	char *const *env;
	const char *directory; /* its working directory */
	const char *log;       /* its output is appended to this file */
	int leash;             /* kill the daemon when this process ends */
	int kept;              /* start the daemon below a keeper */
};

/*
 * Start a program in a new session, with default signals and no open files of
 * this process except the log.  Without a keeper, the daemon is a child of this
 * process.  A program that cannot be executed exits with status 127 and writes
 * the reason to its log.  Returns the process id of the program, or -1.
 *
 * A keeper is a process between this process and the program.  It adopts and
 * reaps the processes that the program and its children leave behind: not every
 * container has an init process that does, and Slurm takes unreaped processes
 * for alive.  The keeper ends when all of them have ended.
 */
pid_t daemon_start(const struct daemon *, struct error *e);

/* Return whether a process exists and has not ended (a zombie has ended). */
int process_is_alive(pid_t pid);

/* Return the current parent of a process, or -1 if the process is gone. */
pid_t process_parent(pid_t pid);

/* Return whether pid is the keeper of a program started in directory. */
int process_is_keeper(pid_t pid, const char *directory);

/* A process, valid during the visit. */
struct process {
	pid_t pid;
	const char *args; /* arguments, each followed by a NUL */
	size_t args_length;
	/* Environment in the same form; empty if it is not readable. */
	const char *env;
	size_t env_length;
};

/* Call visit for every other process, in no order.  Returns 0 or -1. */
int process_each(
    void (*visit)(const struct process *, void *), void *arg, struct error *e);

/* Return the last component of the program's name. */
const char *process_name(const struct process *);

/* Return whether one of the arguments of a process is exactly text. */
int process_has_argument(const struct process *, const char *text);

/*
 * Return whether the initial environment of a process has this entry:
 * "NAME=value", or "NAME=" for any value.
 */
int process_has_variable(const struct process *, const char *entry);

#endif
