#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/num.h"
#include "sandbox/daemon.h"
#include "sys/fs.h"
#include "sys/proc-table.h"

enum { CANNOT_START = 127 };

/* The process name of a keeper; Linux allows 15 bytes. */
static const char keeper[] = "stfm-keeper";

/* Close all inherited descriptors above standard error, except one. */
static void
close_others(int except)
{
	struct dirent *entry;
	DIR *d = opendir("/proc/self/fd");
	int64_t fd;

	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL)
		if (num_int("", entry->d_name, STDERR_FILENO + 1, INT_MAX, &fd,
			NULL) == 0 &&
		    fd != dirfd(d) && fd != except)
			close((int)fd);
	closedir(d);
}

/* In a child: end when the parent ends, if d->leash is set. */
static void
put_on_leash(const struct daemon *d, pid_t parent)
{
	if (!d->leash)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(CANNOT_START);
}

/* In the child: detach from the terminal, signals and files of the parent. */
static void
detach(const struct daemon *d, int log, int ready, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY), i;
	sigset_t none;

	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	umask(022);
	put_on_leash(d, parent);
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	close_others(ready);
}

static void
become(const struct daemon *d)
{
	if (chdir(d->directory) == 0)
		execve(d->argv[0], d->argv, d->env);
	dprintf(STDERR_FILENO, "%s: cannot start: %s\n", d->argv[0],
	    strerror(errno));
	_exit(CANNOT_START);
}

/*
 * In the child, as the keeper: start the program, write its process id to the
 * pipe ready, and reap all its descendants.
 */
static void
keep(const struct daemon *d, int ready)
{
	pid_t self = getpid(), pid;

	prctl(PR_SET_NAME, keeper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		put_on_leash(d, self);
		become(d);
	}
	if (chdir(d->directory) == -1 ||
	    write(ready, &pid, sizeof pid) != sizeof pid)
		_exit(CANNOT_START);
	close_others(-1);
	while (waitpid(-1, NULL, 0) != -1 || errno == EINTR)
		continue;
	_exit(0);
}

pid_t
daemon_start(const struct daemon *d, struct error *e)
{
	pid_t parent = getpid(), pid = -1;
	int log, ready[2];
	ssize_t n;

	log = open(d->log,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (log == -1)
		return error_errno(e, "%s: cannot write", d->log);
	if (pipe2(ready, O_CLOEXEC) == 0) {
		fflush(NULL);
		pid = fork();
		if (pid == 0) {
			detach(d, log, ready[1], parent);
			if (d->kept)
				keep(d, ready[1]);
			become(d);
		}
		close(ready[1]);
		/* The keeper writes the id of its child. */
		if (pid != -1 && d->kept) {
			do
				n = read(ready[0], &pid, sizeof pid);
			while (n == -1 && errno == EINTR);
			pid = n == sizeof pid ? pid : -1;
		}
		close(ready[0]);
	}
	if (pid == -1)
		error_errno(e, "%s: cannot start", d->argv[0]);
	close(log);
	return pid;
}

int
process_is_alive(pid_t pid)
{
	struct proc_stat p;

	return proc_stat(pid, &p) == 0 && strchr("ZXx", p.state) == NULL;
}

pid_t
process_parent(pid_t pid)
{
	struct proc_stat p;

	return proc_stat(pid, &p) == 0 ? p.parent : -1;
}

int
process_is_keeper(pid_t pid, const char *directory)
{
	char path[64], cwd[PATH_MAX], *name;
	ssize_t n;
	int is;

	name = proc_file(pid, "comm", NULL);
	if (name == NULL)
		return 0;
	is = strncmp(name, keeper, strlen(keeper)) == 0;
	free(name);
	if (!is)
		return 0;
	snprintf(path, sizeof path, "/proc/%ld/cwd", (long)pid);
	n = readlink(path, cwd, sizeof cwd - 1);
	cwd[n > 0 ? n : 0] = '\0';
	return strcmp(cwd, directory) == 0;
}

int
process_each(
    void (*visit)(const struct process *, void *), void *arg, struct error *e)
{
	struct process p;
	char *args, *env;
	size_t count, i;
	pid_t *all;

	if (proc_all(0, &all, &count, e) == -1)
		return -1;
	for (i = 0; i < count; i++) {
		if (all[i] == getpid())
			continue;
		p = (struct process){.pid = all[i], .env = ""};
		args = proc_file(p.pid, "cmdline", &p.args_length);
		if (args != NULL && p.args_length > 0) {
			env = proc_file(p.pid, "environ", &p.env_length);
			p.args = args;
			if (env != NULL)
				p.env = env;
			visit(&p, arg);
			free(env);
		}
		free(args);
	}
	free(all);
	return 0;
}

const char *
process_name(const struct process *p)
{
	return fs_base(p->args);
}

int
process_has_argument(const struct process *p, const char *text)
{
	const char *s = p->args, *end = p->args + p->args_length;

	for (; s < end; s += strlen(s) + 1)
		if (strcmp(s, text) == 0)
			return 1;
	return 0;
}

int
process_has_variable(const struct process *p, const char *entry)
{
	const char *s = p->env, *end = p->env + p->env_length;
	size_t n = strlen(entry);
	int by_name = n > 0 && entry[n - 1] == '=';

	for (; s < end; s += strlen(s) + 1)
		if (by_name ? strncmp(s, entry, n) == 0 : strcmp(s, entry) == 0)
			return 1;
	return 0;
}
