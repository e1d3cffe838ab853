#include <sys/stat.h>

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

#include "daemon.h"
#include "fs.h"
#include "num.h"

enum { TEXT_LIMIT = 4 << 20 };

/* The number that is the name of an entry in /proc, or -1. */
static int
number(const char *name)
{
	int64_t n;

	if (num_int("/proc", name, 0, INT_MAX, &n, NULL) == -1)
		return -1;
	return (int)n;
}

static void
close_others(void)
{
	struct dirent *entry;
	int fd, own;
	DIR *d = opendir("/proc/self/fd");

	if (d == NULL)
		return;
	own = dirfd(d);
	while ((entry = readdir(d)) != NULL) {
		fd = number(entry->d_name);
		if (fd > STDERR_FILENO && fd != own)
			close(fd);
	}
	closedir(d);
}

static void
default_signals(void)
{
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: become the program. */
static void
become(const struct daemon *d, int log, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	default_signals();
	setsid();
	umask(022);
	if (d->leash) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	close_others();
	if (chdir(d->directory) == 0)
		execve(d->argv[0], d->argv, d->env);
	dprintf(STDERR_FILENO, "%s: cannot start: %s\n", d->argv[0],
	    strerror(errno));
	_exit(127);
}

pid_t
daemon_start(const struct daemon *d, struct error *e)
{
	pid_t pid, parent = getpid();
	int log;

	log = open(d->log,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (log == -1)
		return error_errno(e, "%s: cannot write", d->log);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(d, log, parent);
	if (pid == -1)
		error_errno(e, "fork");
	close(log);
	return pid;
}

/* A file of a process, or NULL when it is gone or not ours to read. */
static char *
read_proc(pid_t pid, const char *name, size_t *length)
{
	char path[64], *text;

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	if (fs_read_path(path, TEXT_LIMIT, &text, length, NULL) == -1)
		return NULL;
	return text;
}

int
process_is_alive(pid_t pid)
{
	char *text, *end;
	size_t length;
	int alive;

	text = read_proc(pid, "stat", &length);
	if (text == NULL)
		return 0;
	/* The state follows the name, which may hold any character. */
	end = strrchr(text, ')');
	alive = end != NULL && strlen(end) > 2 && strchr("ZXx", end[2]) == NULL;
	free(text);
	return alive;
}

static void
show(pid_t pid, void (*visit)(const struct process *, void *), void *arg)
{
	struct process p = {.pid = pid, .env = ""};
	char *args, *env;

	args = read_proc(pid, "cmdline", &p.args_length);
	if (args == NULL || p.args_length == 0) {
		free(args);
		return;
	}
	env = read_proc(pid, "environ", &p.env_length);
	p.args = args;
	if (env != NULL)
		p.env = env;
	else
		p.env_length = 0;
	visit(&p, arg);
	free(args);
	free(env);
}

int
process_each(
    void (*visit)(const struct process *, void *), void *arg, struct error *e)
{
	struct fs_names names;
	size_t i;
	pid_t pid;
	int proc;

	proc = fs_open_dir("/proc", e);
	if (proc == -1)
		return -1;
	if (fs_list(proc, &names, e) == -1) {
		fs_close(proc);
		return -1;
	}
	fs_close(proc);
	for (i = 0; i < names.count; i++) {
		pid = number(names.name[i]);
		if (pid > 0 && pid != getpid())
			show(pid, visit, arg);
	}
	fs_names_free(&names);
	return 0;
}

const char *
process_name(const struct process *p)
{
	const char *slash = strrchr(p->args, '/');

	return slash != NULL ? slash + 1 : p->args;
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
