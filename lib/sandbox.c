#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "cluster.h"
#include "daemon.h"
#include "fs.h"
#include "num.h"
#include "ports.h"
#include "proc.h"
#include "sandbox.h"
#include "xalloc.h"

/*
 * The longest path below the directory is the socket of a job step,
 * /spool/n512/n512_1234567.4294967291, in the 107 bytes of a Unix socket.
 */
enum { DIRECTORY_LIMIT = 72 };

/* Milliseconds. */
enum {
	NAP = 5,
	START_LIMIT = 20000,
	START_LIMIT_NODE = 100,
	QUERY_LIMIT = 3000,
	CANCEL_LIMIT = 8000,
	END_LIMIT = 10000,
	GRACE = 2000,
};

enum { MUNGED, SLURMCTLD, SLURMD, SINFO, SQUEUE, SCANCEL, PROGRAMS };

static const struct {
	const char *name, *package;
} programs[PROGRAMS] = {
    {"munged", "munge"},
    {"slurmctld", "slurmctld"},
    {"slurmd", "slurmd"},
    {"sinfo", "slurm-client"},
    {"squeue", "slurm-client"},
    {"scancel", "slurm-client"},
};

/* What sandbox_start makes in the directory. */
static const char *const made[] = {"munge", "run", "spool", "gpu", "log",
    "state", "slurm.conf", "gres.conf", "cgroup.conf", "sandbox", "lock"};

enum { MADE = sizeof made / sizeof *made };

struct pids {
	pid_t *pid;
	size_t count;
};

struct sandbox {
	char *directory, *conf, *socket, *log;
	char *program[PROGRAMS];
	char **env;
	char *conf_entry; /* SLURM_CONF=... */
	struct cluster plan;
	struct sandbox_part *part; /* munged, slurmctld, n1, n2, ... */
	size_t count;
	struct pids steps, jobs; /* slurmstepd and the like; users' processes */
	int lock;
};

static char *
below(const struct sandbox *s, const char *name)
{
	return fs_join(s->directory, name);
}

/* The directory's path without links, as far as it is there. */
static char *
resolve(const char *directory)
{
	char *path = fs_absolute(directory), *slash, *parent, *out;

	slash = strrchr(path, '/');
	while (slash > path && slash[1] == '\0') {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	if (access(path, F_OK) == 0 || slash == NULL || slash == path)
		return path;
	*slash = '\0';
	parent = fs_absolute(path);
	out = fs_join(parent, slash + 1);
	free(parent);
	free(path);
	return out;
}

/* slurm.conf has no way to quote these. */
static int
check_path(const char *path, struct error *e)
{
	const unsigned char *s;

	for (s = (const unsigned char *)path; *s != '\0'; s++)
		if (*s < 0x80 && !isalnum(*s) && strchr("/._+@-", *s) == NULL)
			return error_set(e,
			    "%s: a sandbox's path can have letters, digits "
			    "and . _ + @ - only: choose another with -d",
			    path);
	if (strlen(path) > DIRECTORY_LIMIT)
		return error_set(e,
		    "%s: %zu characters are too many for Slurm's sockets "
		    "(%d at most): choose another directory with -d",
		    path, strlen(path), DIRECTORY_LIMIT);
	return 0;
}

/* A directory with other things in it is nobody's sandbox. */
static int
check_content(const struct sandbox *s, struct error *e)
{
	struct fs_names names;
	char *record = below(s, "sandbox");
	int dir, rc = 0, known = access(record, F_OK) == 0;
	size_t i, k;

	free(record);
	if (known)
		return 0;
	dir = fs_open_dir(s->directory, e);
	if (dir == -1)
		return -1;
	rc = fs_list(dir, &names, e);
	fs_close(dir);
	for (i = 0; rc == 0 && i < names.count; i++) {
		for (k = 0; k < MADE; k++)
			if (strcmp(names.name[i], made[k]) == 0)
				break;
		if (k == MADE)
			rc = error_set(e,
			    "%s: has other files in it (%s): choose a new "
			    "directory with -d",
			    s->directory, names.name[i]);
	}
	if (rc == 0 || names.count > 0)
		fs_names_free(&names);
	return rc;
}

static int
check_directory(const struct sandbox *s, struct error *e)
{
	struct stat st;

	if (stat(s->directory, &st) == -1) {
		if (errno == ENOENT)
			return 0;
		return error_errno(e, "%s", s->directory);
	}
	if (!S_ISDIR(st.st_mode))
		return error_set(e, "%s: not a directory", s->directory);
	if (st.st_uid != geteuid())
		return error_set(
		    e, "%s: belongs to another user", s->directory);
	return check_content(s, e);
}

static void
set_parts(struct sandbox *s)
{
	size_t i;

	free(s->part);
	s->count = (size_t)s->plan.nodes + 2;
	s->part = xcalloc(s->count, sizeof *s->part);
	strcpy(s->part[0].name, "munged");
	strcpy(s->part[1].name, "slurmctld");
	s->part[1].port = s->plan.port;
	for (i = 2; i < s->count; i++) {
		snprintf(
		    s->part[i].name, sizeof s->part[i].name, "n%zu", i - 1);
		s->part[i].port = s->plan.port + (int)i - 1;
	}
}

/* Take one line of the record, "nodes 2". */
static int
take_number(struct cluster *c, char *line)
{
	const struct {
		const char *name;
		int *to, least, most;
	} fields[] = {
	    {"nodes", &c->nodes, 1, CLUSTER_NODES},
	    {"gpus", &c->gpus, 0, CLUSTER_GPUS},
	    {"cpus", &c->cpus, 1, CLUSTER_CPUS},
	    {"port", &c->port, 1, 65535},
	    {"slurm", &c->version, 0, 100000},
	};
	char *value = strchr(line, ' ');
	int64_t n;
	size_t i;

	if (value == NULL)
		return -1;
	*value++ = '\0';
	for (i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strcmp(line, fields[i].name) == 0) {
			if (num_int(line, value, fields[i].least,
				fields[i].most, &n, NULL) == -1)
				return -1;
			*fields[i].to = (int)n;
		}
	return 0;
}

/* What was started here last; without a record, parts stay empty. */
static int
read_record(struct sandbox *s, struct error *e)
{
	char *path = below(s, "sandbox"), *text, *line, *rest;
	int rc = 0;

	if (fs_read_path(path, 65536, &text, NULL, e) == -1) {
		rc = errno == ENOENT ? 0 : -1;
		free(path);
		return rc;
	}
	for (line = strtok_r(text, "\n", &rest); rc == 0 && line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		rc = take_number(&s->plan, line);
	if (rc == 0 && s->plan.nodes > 0)
		set_parts(s);
	else
		rc = error_set(e, "%s: damaged", path);
	free(text);
	free(path);
	return rc;
}

struct sandbox *
sandbox_new(const char *directory, struct error *e)
{
	struct sandbox *s = xcalloc(1, sizeof *s);

	s->lock = -1;
	s->directory = resolve(directory);
	s->conf = below(s, "slurm.conf");
	s->conf_entry = xasprintf("SLURM_CONF=%s", s->conf);
	s->socket = below(s, "munge/munge.socket");
	s->plan.directory = s->directory;
	if (check_path(s->directory, e) == -1 || check_directory(s, e) == -1 ||
	    read_record(s, e) == -1) {
		sandbox_free(s);
		return NULL;
	}
	return s;
}

void
sandbox_free(struct sandbox *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < PROGRAMS; i++)
		free(s->program[i]);
	if (s->lock != -1)
		close(s->lock);
	free(s->directory);
	free(s->conf);
	free(s->conf_entry);
	free(s->socket);
	free(s->log);
	free(s->env);
	free(s->part);
	free(s->steps.pid);
	free(s->jobs.pid);
	free(s);
}

const char *
sandbox_directory(const struct sandbox *s)
{
	return s->directory;
}

const char *
sandbox_log(const struct sandbox *s)
{
	return s->log;
}

int
sandbox_gpus(const struct sandbox *s)
{
	return s->plan.gpus;
}

int
sandbox_cpus(const struct sandbox *s)
{
	return s->plan.cpus;
}

int
sandbox_version(const struct sandbox *s)
{
	return s->plan.version;
}

int
sandbox_is_slurm_variable(const char *entry)
{
	static const char *const begins[] = {"SLURM", "SBATCH_", "SALLOC_",
	    "SRUN_", "SQUEUE_", "SINFO_", "SCANCEL_", "SCONTROL_", "SACCT_",
	    "SPRIO_", "SSTAT_"};
	size_t i;

	for (i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(entry, begins[i], strlen(begins[i])) == 0)
			return 1;
	return 0;
}

char *const *
sandbox_environment(struct sandbox *s)
{
	size_t i, n = 0;

	if (s->env != NULL)
		return s->env;
	while (environ[n] != NULL)
		n++;
	s->env = xcalloc(n + 2, sizeof *s->env);
	for (i = n = 0; environ[i] != NULL; i++)
		if (!sandbox_is_slurm_variable(environ[i]))
			s->env[n++] = environ[i];
	s->env[n] = s->conf_entry;
	return s->env;
}

/* Programs. */

/* Where a program is in a list of directories; to free. */
static char *
look_up(const char *name, const char *list)
{
	const char *end;
	char *path;

	for (;; list = end + 1) {
		end = strchrnul(list, ':');
		path = xasprintf("%.*s/%s", (int)(end - list), list, name);
		if (end > list && access(path, X_OK) == 0)
			return path;
		free(path);
		if (*end == '\0')
			return NULL;
	}
}

static char *
find_program(const char *name)
{
	const char *list = getenv("STFM_SANDBOX_PATH");
	char *path;

	if (list != NULL && *list != '\0')
		return look_up(name, list);
	list = getenv("PATH");
	path = list != NULL ? look_up(name, list) : NULL;
	if (path == NULL)
		path = look_up(
		    name, "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin");
	return path;
}

/* Add a word to a list of words unless it is the one added last. */
static void
add_word(char *list, size_t size, const char *word)
{
	size_t used = strlen(list), n = strlen(word);

	if (used >= n && strcmp(list + used - n, word) == 0)
		return;
	snprintf(list + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

/* Find all programs, or name every one that is missing and its package. */
static int
find_programs(struct sandbox *s, struct error *e)
{
	char missing[256] = "", packages[256] = "";
	size_t i;

	for (i = 0; i < PROGRAMS; i++) {
		if (s->program[i] == NULL)
			s->program[i] = find_program(programs[i].name);
		if (s->program[i] != NULL)
			continue;
		add_word(missing, sizeof missing, programs[i].name);
		add_word(packages, sizeof packages, programs[i].package);
	}
	if (*missing == '\0')
		return 0;
	return error_set(e,
	    "not found: %s; install the packages that bring them: "
	    "apt install %s",
	    missing, packages);
}

/* Run one of Slurm's commands here; 0 when it could be run and succeeded. */
static int
query(struct sandbox *s, char *const argv[], struct proc_result *result)
{
	if (proc_run(argv, sandbox_environment(s), QUERY_LIMIT, result, NULL) ==
	    -1)
		return -1;
	if (proc_ok(result))
		return 0;
	proc_result_free(result);
	return -1;
}

static int
find_version(struct sandbox *s, struct error *e)
{
	char *argv[] = {s->program[SLURMCTLD], "-V", NULL};
	struct proc_result r;

	if (proc_run(argv, sandbox_environment(s), QUERY_LIMIT, &r, e) == -1)
		return -1;
	s->plan.version = cluster_version(r.out);
	proc_result_free(&r);
	if (s->plan.version == -1)
		return error_set(
		    e, "%s -V: tells no version", s->program[SLURMCTLD]);
	return 0;
}

/* Processes. */

static void
add_pid(struct pids *p, pid_t pid)
{
	p->pid = xgrow(p->pid, p->count, sizeof *p->pid);
	p->pid[p->count++] = pid;
}

/* A daemon starts its helpers as copies of itself: the first is the daemon. */
static void
found_part(struct sandbox *s, size_t i, pid_t pid)
{
	if (s->part[i].pid == 0) {
		s->part[i].pid = pid;
	} else if (pid < s->part[i].pid) {
		add_pid(&s->steps, s->part[i].pid);
		s->part[i].pid = pid;
	} else {
		add_pid(&s->steps, pid);
	}
}

static void
found_slurmd(struct sandbox *s, const struct process *p)
{
	size_t i;

	for (i = 2; i < s->count; i++)
		if (process_has_argument(p, s->part[i].name)) {
			found_part(s, i, p->pid);
			return;
		}
	add_pid(&s->steps, p->pid);
}

static void
sort_process(const struct process *p, void *arg)
{
	struct sandbox *s = arg;
	const char *name = process_name(p);

	if (strcmp(name, "munged") == 0) {
		if (process_has_argument(p, s->socket))
			found_part(s, 0, p->pid);
		return;
	}
	if (!process_has_argument(p, s->conf) &&
	    !process_has_variable(p, s->conf_entry))
		return;
	if (strcmp(name, "slurmctld") == 0)
		found_part(s, 1, p->pid);
	else if (strcmp(name, "slurmd") == 0)
		found_slurmd(s, p);
	else if (strstr(name, "slurmstepd") != NULL ||
	    strstr(name, "slurmscriptd") != NULL)
		add_pid(&s->steps, p->pid);
	else if (process_has_variable(p, "SLURMD_NODENAME="))
		add_pid(&s->jobs, p->pid);
}

/* Find all processes of the sandbox.  Returns how many daemons run, or -1. */
static int
scan(struct sandbox *s, struct error *e)
{
	size_t i;
	int alive = 0;

	if (s->part == NULL) {
		s->plan.nodes = 1;
		set_parts(s);
	}
	for (i = 0; i < s->count; i++)
		s->part[i].pid = 0;
	s->steps.count = s->jobs.count = 0;
	if (process_each(sort_process, s, e) == -1)
		return -1;
	for (i = 0; i < s->count; i++)
		alive += s->part[i].pid != 0;
	return alive;
}

static void
nap(void)
{
	struct timespec ts = {0, NAP * 1000000L};

	nanosleep(&ts, NULL);
}

/* Setting up. */

static int
take_lock(struct sandbox *s, struct error *e)
{
	int64_t deadline = proc_clock() + START_LIMIT;
	char *path = below(s, "lock");
	struct stat there, ours;

	for (;;) {
		s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (s->lock == -1)
			break;
		if (flock(s->lock, LOCK_EX | LOCK_NB) == 0 &&
		    stat(path, &there) == 0 && fstat(s->lock, &ours) == 0 &&
		    there.st_ino == ours.st_ino)
			break;
		close(s->lock);
		s->lock = -1;
		if (proc_clock() > deadline) {
			errno = ETIMEDOUT;
			break;
		}
		nap();
	}
	if (s->lock == -1)
		error_errno(e, "%s: cannot lock", path);
	free(path);
	return s->lock == -1 ? -1 : read_record(s, e);
}

static void
drop_lock(struct sandbox *s)
{
	if (s->lock != -1)
		close(s->lock);
	s->lock = -1;
}

static int
find_user(struct sandbox *s, struct error *e)
{
	struct passwd *pw = getpwuid(geteuid());

	if (pw == NULL)
		return error_set(e,
		    "user id %ld: has no name here, Slurm needs one",
		    (long)geteuid());
	s->plan.user = pw->pw_name;
	return 0;
}

/* Remove what an earlier start made, but for Slurm's record of jobs. */
static int
clear_directory(int dir, struct error *e)
{
	size_t i;
	int state;

	for (i = 0; i < MADE; i++)
		if (strcmp(made[i], "state") != 0 &&
		    strcmp(made[i], "lock") != 0 &&
		    fs_remove_tree(dir, made[i], e) == -1)
			return -1;
	state = fs_open_subdir(dir, "state", 1, e);
	if (state == -1)
		return -1;
	/* Nodes that were drained or down start afresh. */
	if (fs_unlink(state, "node_state", e) == -1 ||
	    fs_unlink(state, "node_state.old", e) == -1) {
		fs_close(state);
		return -1;
	}
	fs_close(state);
	return 0;
}

static int
make_directories(struct sandbox *s, int dir, struct error *e)
{
	static const char *const names[] = {
	    "munge", "run", "spool", "gpu", "log"};
	mode_t mode = geteuid() == 0 ? 0711 : 0700;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (mkdirat(dir, names[i], 0700) == -1 ||
		    fchmodat(dir, names[i], mode, 0) == -1)
			return error_errno(e, "%s/%s: cannot make directory",
			    s->directory, names[i]);
	for (i = 1; i <= (size_t)s->plan.nodes; i++) {
		char name[32];

		snprintf(name, sizeof name, "spool/n%zu", i);
		if (mkdirat(dir, name, 0755) == -1)
			return error_errno(e, "%s/%s: cannot make directory",
			    s->directory, name);
	}
	return 0;
}

/* Pretended GPUs: Slurm wants a device, and looks at nothing else of it. */
static int
make_gpus(struct sandbox *s, int dir, struct error *e)
{
	char name[32];
	int i;

	for (i = 0; i < s->plan.gpus; i++) {
		snprintf(name, sizeof name, "gpu/nvidia%d", i);
		if (symlinkat("/dev/null", dir, name) == -1)
			return error_errno(
			    e, "%s/%s: cannot make link", s->directory, name);
	}
	return 0;
}

static int
put_file(
    int dir, const char *name, const char *text, size_t length, struct error *e)
{
	int fd, rc = 0;

	fd = openat(dir, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1 || fchmod(fd, 0644) == -1 ||
	    write(fd, text, length) != (ssize_t)length)
		rc = error_errno(e, "%s: cannot write", name);
	if (fd != -1 && close(fd) == -1 && rc == 0)
		rc = error_errno(e, "%s: cannot write", name);
	return rc;
}

static int
put_config(struct sandbox *s, int dir, const char *name,
    void (*write_it)(const struct cluster *, FILE *), struct error *e)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	int rc = 0;

	if (f == NULL)
		return error_errno(e, "%s", name);
	write_it(&s->plan, f);
	fclose(f);
	if (length > 0)
		rc = put_file(dir, name, text, length, e);
	free(text);
	return rc;
}

static void
write_record(const struct cluster *c, FILE *out)
{
	fprintf(out, "nodes %d\ngpus %d\ncpus %d\nport %d\nslurm %d\n",
	    c->nodes, c->gpus, c->cpus, c->port, c->version);
}

static int
put_key(int dir, struct error *e)
{
	char key[128];

	if (getrandom(key, sizeof key, 0) != sizeof key)
		return error_errno(e, "no random bytes");
	if (put_file(dir, "munge/munge.key", key, sizeof key, e) == -1)
		return -1;
	if (fchmodat(dir, "munge/munge.key", 0600, 0) == -1)
		return error_errno(e, "munge.key");
	return 0;
}

/* Make the directory what a fresh start needs. */
static int
set_up(struct sandbox *s, struct error *e)
{
	int dir = fs_open_dir(s->directory, e), rc;

	if (dir == -1)
		return -1;
	rc = clear_directory(dir, e);
	if (rc == 0)
		rc = make_directories(s, dir, e);
	if (rc == 0)
		rc = make_gpus(s, dir, e);
	if (rc == 0)
		rc = put_key(dir, e);
	if (rc == 0)
		rc = put_config(s, dir, "slurm.conf", cluster_slurm_conf, e);
	if (rc == 0)
		rc = put_config(s, dir, "gres.conf", cluster_gres_conf, e);
	if (rc == 0)
		rc = put_config(s, dir, "cgroup.conf", cluster_cgroup_conf, e);
	if (rc == 0)
		rc = put_config(s, dir, "sandbox", write_record, e);
	fs_close(dir);
	return rc;
}

/* Starting. */

struct starting {
	struct sandbox *s;
	const struct sandbox_plan *plan;
	int64_t deadline;
};

/* The line of a log that says best why its daemon gave up; to free. */
static char *
reason(const char *path)
{
	char *text, *line, *rest, *best = NULL, *last = NULL, *out;

	if (fs_read_path(path, 16 << 20, &text, NULL, NULL) == -1)
		return xstrdup("no log");
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		last = line;
		if (strstr(line, "fatal:") != NULL ||
		    strstr(line, "Error:") != NULL ||
		    (strstr(line, "error:") != NULL &&
			(best == NULL || strstr(best, "fatal:") == NULL)))
			best = line;
	}
	if (best == NULL)
		best = last != NULL ? last : "ended without a word";
	out = xstrdup(best);
	free(text);
	return out;
}

static char *
output_path(const struct sandbox *s, size_t part)
{
	return xasprintf("%s/log/%s.%s", s->directory, s->part[part].name,
	    part == MUNGED ? "log" : "err");
}

/* Blame a daemon, in its own words. */
static int
blame(struct sandbox *s, size_t part, const char *verb, struct error *e)
{
	char *why;

	free(s->log);
	s->log = output_path(s, part);
	why = reason(s->log);
	error_set(e, "%s: %s: %s", s->part[part].name, verb, why);
	errno = strstr(why, "Address already in use") != NULL ? EADDRINUSE : 0;
	free(why);
	return -1;
}

/* Whether a daemon that we started has ended. */
static int
has_ended(struct sandbox *s, size_t part)
{
	pid_t pid = s->part[part].pid;
	int status;

	return pid == 0 || waitpid(pid, &status, WNOHANG) == pid ||
	    !process_is_alive(pid);
}

/*
 * Wait for something that a daemon does; returns 0, or -1 when the daemon
 * ended, time is up or the user has had enough.
 */
static int
wait_for(struct starting *st, size_t part, int (*done)(struct sandbox *),
    struct error *e)
{
	for (;;) {
		if (done(st->s))
			return 0;
		if (has_ended(st->s, part))
			return blame(st->s, part, "does not start", e);
		if (st->plan->interrupted != NULL && st->plan->interrupted())
			return error_set(e, "interrupted");
		if (proc_clock() > st->deadline)
			return blame(st->s, part, "not ready in time", e);
		nap();
	}
}

static int
munged_answers(struct sandbox *s)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd, rc;

	strncpy(name.sun_path, s->socket, sizeof name.sun_path - 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return 0;
	rc = connect(fd, (struct sockaddr *)&name, sizeof name);
	close(fd);
	return rc == 0;
}

static int
slurmctld_listens(struct sandbox *s)
{
	return ports_is_open(s->plan.port);
}

static int
start_part(
    struct starting *st, size_t part, char *const argv[], struct error *e)
{
	struct sandbox *s = st->s;
	char *log = output_path(s, part);
	struct daemon d = {
	    .argv = argv,
	    .env = sandbox_environment(s),
	    .directory = s->directory,
	    .log = log,
	    .leash = st->plan->leash,
	};
	pid_t pid = daemon_start(&d, e);

	free(log);
	if (pid == -1)
		return -1;
	s->part[part].pid = pid;
	return 0;
}

/*
 * --force: homes are often closed to others, and munged would rather serve
 * everybody.
 */
static int
start_munged(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	char *key = xasprintf("--key-file=%s/munge/munge.key", s->directory);
	char *pid = xasprintf("--pid-file=%s/run/munged.pid", s->directory);
	char *seed = xasprintf("--seed-file=%s/munge/seed", s->directory);
	char *argv[] = {s->program[MUNGED], "--foreground", "--force",
	    "--socket", s->socket, key, pid, seed, NULL};
	int rc;

	unlink(s->socket);
	rc = start_part(st, 0, argv, e);
	if (rc == 0)
		rc = wait_for(st, 0, munged_answers, e);
	free(key);
	free(pid);
	free(seed);
	return rc;
}

static int
start_slurmctld(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	char *argv[] = {s->program[SLURMCTLD], "-D", "-f", s->conf, NULL};

	if (start_part(st, 1, argv, e) == -1)
		return -1;
	return wait_for(st, 1, slurmctld_listens, e);
}

static int
start_slurmd(struct starting *st, size_t part, struct error *e)
{
	struct sandbox *s = st->s;
	char *argv[] = {s->program[SLURMD], "-D", "-N", s->part[part].name,
	    "-f", s->conf, NULL};

	return start_part(st, part, argv, e);
}

static struct sandbox_part *
find_node(struct sandbox *s, const char *name)
{
	size_t i;

	for (i = 2; i < s->count; i++)
		if (strcmp(s->part[i].name, name) == 0)
			return &s->part[i];
	return NULL;
}

/* Ask slurmctld for the states of the nodes. */
static int
ask_states(struct sandbox *s)
{
	char *argv[] = {
	    s->program[SINFO], "-h", "-a", "-N", "-o", "%N %T", NULL};
	char *line, *rest, *state;
	struct sandbox_part *node;
	struct proc_result r;

	if (query(s, argv, &r) == -1)
		return -1;
	for (line = strtok_r(r.out, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		state = strchr(line, ' ');
		if (state == NULL)
			continue;
		*state++ = '\0';
		node = find_node(s, line);
		if (node != NULL)
			snprintf(node->state, sizeof node->state, "%s", state);
	}
	proc_result_free(&r);
	return 0;
}

/* Recovered jobs may occupy a node at once: idle is not the only good state. */
static int
is_ready(const char *state)
{
	return *state != '\0' && strchr(state, '*') == NULL &&
	    strncmp(state, "unk", 3) != 0 && strncmp(state, "down", 4) != 0 &&
	    strncmp(state, "inval", 5) != 0;
}

/* The first part from n1 on that is not ready, or count. */
static size_t
first_unready(struct sandbox *s)
{
	size_t i;

	for (i = 2; i < s->count; i++)
		if (!is_ready(s->part[i].state))
			break;
	return i;
}

static int
wait_for_nodes(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	size_t i;

	for (;;) {
		for (i = 1; i < s->count; i++)
			if (has_ended(s, i))
				return blame(s, i, "does not start", e);
		if (ask_states(s) == 0 && first_unready(s) == s->count)
			return 0;
		if (st->plan->interrupted != NULL && st->plan->interrupted())
			return error_set(e, "interrupted");
		if (proc_clock() > st->deadline) {
			i = first_unready(s);
			return blame(
			    s, i < s->count ? i : 1, "not ready in time", e);
		}
		nap();
	}
}

static int
start_parts(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	size_t i;

	if (s->part[0].pid == 0 && start_munged(st, e) == -1)
		return -1;
	if (s->part[1].pid == 0 && start_slurmctld(st, e) == -1)
		return -1;
	for (i = 2; i < s->count; i++)
		if (s->part[i].pid == 0 && start_slurmd(st, i, e) == -1)
			return -1;
	return wait_for_nodes(st, e);
}

/* Ending. */

static void
signal_all(const struct pids *p, int signal)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		kill(p->pid[i], signal);
}

static int
none_alive(const struct pids *p)
{
	size_t i;
	int status;

	for (i = 0; i < p->count; i++) {
		waitpid(p->pid[i], &status, WNOHANG);
		if (process_is_alive(p->pid[i]))
			return 0;
	}
	return 1;
}

/* Ask processes to end; after a time, or at once when it is 0, kill them. */
static void
end_all(const struct pids *p, int64_t limit)
{
	int64_t deadline = proc_clock() + limit;

	if (limit > 0)
		signal_all(p, SIGTERM);
	while (limit > 0 && !none_alive(p) && proc_clock() < deadline)
		nap();
	signal_all(p, SIGKILL);
	deadline = proc_clock() + GRACE;
	while (!none_alive(p) && proc_clock() < deadline)
		nap();
}

static void
end_parts(struct sandbox *s, size_t from, size_t to, int64_t limit)
{
	struct pids p = {0};
	size_t i;

	for (i = from; i < to; i++)
		if (s->part[i].pid != 0)
			add_pid(&p, s->part[i].pid);
	end_all(&p, limit);
	free(p.pid);
}

/*
 * End the daemons, then what they have left behind.  Jobs get SIGTERM before
 * SIGKILL; daemons only where the directory is to live on.
 */
static int
end_everything(struct sandbox *s, int gently, struct error *e)
{
	int tries;

	for (tries = 0; tries < 3; tries++) {
		end_parts(s, 1, s->count, gently ? END_LIMIT : 0);
		end_all(&s->jobs, GRACE);
		end_all(&s->steps, 0);
		end_parts(s, 0, 1, gently ? END_LIMIT : 0);
		if (scan(s, e) == -1)
			return -1;
		if (s->jobs.count + s->steps.count == 0 &&
		    s->part[0].pid == 0 && s->part[1].pid == 0)
			return 0;
	}
	return error_set(
	    e, "%s: some of its processes do not end", s->directory);
}

static int
queue_is_empty(struct sandbox *s)
{
	char *argv[] = {s->program[SQUEUE], "-h", "-a", "-o", "%i", NULL};
	struct proc_result r;
	int empty;

	if (query(s, argv, &r) == -1)
		return -1;
	empty = r.length == 0;
	proc_result_free(&r);
	return empty;
}

/* Cancel all jobs, so that none of them comes back at the next start. */
static void
cancel_jobs(struct sandbox *s)
{
	static char *const states[] = {"PENDING", "SUSPENDED", "RUNNING"};
	int64_t deadline = proc_clock() + CANCEL_LIMIT;
	struct proc_result r;
	size_t i;

	if (s->part[0].pid == 0 || s->part[1].pid == 0 ||
	    queue_is_empty(s) != 0)
		return;
	for (i = 0; i < 3; i++) {
		char *argv[] = {
		    s->program[SCANCEL], "-Q", "-t", states[i], NULL};

		if (query(s, argv, &r) == 0)
			proc_result_free(&r);
	}
	while (queue_is_empty(s) == 0 && proc_clock() < deadline)
		nap();
}

/* Delete what sandbox_start made; the directory too when it is then empty. */
static int
remove_all(struct sandbox *s, struct error *e)
{
	int dir = fs_open_dir(s->directory, e), rc = 0;
	size_t i;

	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	for (i = 0; rc == 0 && i < MADE; i++)
		rc = fs_remove_tree(dir, made[i], e);
	fs_close(dir);
	if (rc == 0 && rmdir(s->directory) == -1 && errno != ENOTEMPTY &&
	    errno != ENOENT && errno != EBUSY)
		rc = error_errno(e, "%s: cannot remove", s->directory);
	return rc;
}

int
sandbox_stop(struct sandbox *s, int remove, struct error *e)
{
	int alive, rc = -1;

	if (access(s->directory, F_OK) == -1)
		return 1;
	if (take_lock(s, e) == -1)
		return -1;
	alive = scan(s, e);
	if (alive > 0 && !remove && find_programs(s, NULL) == 0)
		cancel_jobs(s);
	if (alive >= 0 && s->jobs.count + s->steps.count > 0)
		alive++;
	if (alive >= 0 && scan(s, e) >= 0 && end_everything(s, !remove, e) == 0)
		rc = alive > 0 ? 0 : 1;
	if (rc != -1 && remove && remove_all(s, e) == -1)
		rc = -1;
	drop_lock(s);
	return rc;
}

/* One start with ports of its own choice; EADDRINUSE in errno asks again. */
static int
start_afresh(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	struct ports ports;
	int rc, saved;

	if (ports_reserve(&ports, (size_t)s->plan.nodes + 1, e) == -1)
		return -1;
	s->plan.port = ports.first;
	set_parts(s);
	rc = set_up(s, e);
	if (rc == 0)
		rc = start_parts(st, e);
	saved = errno;
	ports_release(&ports);
	if (rc == -1 && scan(s, NULL) >= 0)
		end_everything(s, 0, NULL);
	errno = saved;
	return rc;
}

static int
start_new(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	int rc, tries = 0;

	s->plan.nodes = st->plan->nodes;
	s->plan.gpus = st->plan->gpus;
	s->plan.cpus = st->plan->cpus;
	s->plan.lines = st->plan->lines;
	s->plan.line_count = st->plan->line_count;
	if (find_user(s, e) == -1 || find_version(s, e) == -1 ||
	    end_everything(s, 0, e) == -1)
		return -1;
	do {
		errno = 0;
		rc = start_afresh(st, e);
	} while (rc == -1 && errno == EADDRINUSE && ++tries < 3);
	return rc;
}

static int
start_locked(
    struct sandbox *s, const struct sandbox_plan *plan, struct error *e)
{
	struct starting st = {s, plan, 0};
	int alive = scan(s, e);

	if (alive == -1)
		return -1;
	st.deadline = proc_clock() + START_LIMIT +
	    (int64_t)START_LIMIT_NODE * plan->nodes;
	if (alive == 0)
		return start_new(&st, e);
	if ((size_t)alive == s->count)
		return 1;
	return start_parts(&st, e);
}

int
sandbox_start(
    struct sandbox *s, const struct sandbox_plan *plan, struct error *e)
{
	int rc;

	if (find_programs(s, e) == -1 || fs_make_dirs(s->directory, e) == -1)
		return -1;
	if (take_lock(s, e) == -1)
		return -1;
	rc = start_locked(s, plan, e);
	drop_lock(s);
	return rc;
}

int
sandbox_look(struct sandbox *s, const struct sandbox_part **part, size_t *count,
    struct error *e)
{
	int alive;

	*part = NULL;
	*count = 0;
	if (s->part == NULL)
		return 0;
	alive = scan(s, e);
	if (alive == -1)
		return -1;
	if (s->part[0].pid != 0 && s->part[1].pid != 0 &&
	    find_programs(s, NULL) == 0)
		ask_states(s);
	*part = s->part;
	*count = s->count;
	return (size_t)alive == s->count;
}
