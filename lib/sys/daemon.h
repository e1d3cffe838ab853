/*
 * Programs that run on after the command that started them, and the processes
 * of this machine as /proc shows them.
 */
#ifndef STFM_SYS_DAEMON_H
#define STFM_SYS_DAEMON_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct daemon {
	char *const *argv; /* argv[0] is a path */
	char *const *env;
	const char *directory; /* it works there */
	const char *log;       /* its output is appended to this file */
	int leash;             /* it is killed when this process ends */
	int kept;              /* it has a keeper */
};

/*
 * Start a program in a session of its own, with default signals and no file of
 * ours but its log.  One that is not kept is our child as long as we live.  A
 * program that cannot be executed ends with status 127 and says why in its log.
 * Returns its process id, or -1.
 *
 * A keeper is a process between us and the program.  What the program and its
 * children leave behind becomes its child and is reaped: not every container
 * has a first process that does so, and a process that nobody reaps looks alive
 * to Slurm.  It ends when all of them have.
 */
pid_t daemon_start(const struct daemon *, struct error *e);

/* Whether the process is there and has not ended (a zombie has). */
int process_is_alive(pid_t pid);

/* The process that is its parent now, or -1 when it is gone. */
pid_t process_parent(pid_t pid);

/* Whether it is the keeper of a program that was started in a directory. */
int process_is_keeper(pid_t pid, const char *directory);

/* A process, as long as the visit lasts. */
struct process {
	pid_t pid;
	const char *args; /* each ends with a NUL */
	size_t args_length;
	const char *env; /* the same; empty where we may not see it */
	size_t env_length;
};

/* Show every process but this one to visit, in no order. */
int process_each(
    void (*visit)(const struct process *, void *), void *arg, struct error *e);

/* The last component of the program's name. */
const char *process_name(const struct process *);

/* Whether one of its arguments is exactly this text. */
int process_has_argument(const struct process *, const char *text);

/* Whether its environment began with this entry: "NAME=value" or "NAME=". */
int process_has_variable(const struct process *, const char *entry);

#endif
