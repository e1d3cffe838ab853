#include <sys/file.h>
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "sandbox/daemon.h"
#include "sandbox/private.h"
#include "sys/fs.h"

/*
 * The longest path below the directory is the socket of a job step,
 * /spool/n2000/n2000_1234567.4294967291, in the 107 bytes of a Unix socket.
 */
enum { DIRECTORY_LIMIT = 70 };

/* Limits in milliseconds. */
enum { QUERY_LIMIT = 3000, LOCK_LIMIT = 30000 };

static const struct {
	const char *name, *package;
} programs[SANDBOX_PROGRAMS] = {
    {"munged", "munge"},
    {"slurmctld", "slurmctld"},
    {"slurmd", "slurmd"},
    {"sinfo", "slurm-client"},
    {"squeue", "slurm-client"},
    {"scancel", "slurm-client"},
};

/* Return the path of name in the sandbox; to free. */
static char *
path_of(const struct sandbox *s, const char *name)
{
	return fs_join(s->directory, name);
}

/*
 * Return the path of a directory that may not exist yet, with symbolic links
 * resolved; to free.
 */
static char *
resolve(const char *directory)
{
	char *path = fs_absolute(directory), *slash, *parent, *out;

	slash = strrchr(path, '/');
	while (slash > path && slash[1] == '\0') {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	if (slash == path || access(path, F_OK) == 0)
		return path;
	*slash = '\0';
	parent = fs_absolute(path);
	out = fs_join(parent, slash + 1);
	free(parent);
	free(path);
	return out;
}

/* Check that this directory, which may not exist yet, can be a sandbox. */
static int
check_directory(const char *path, struct error *e)
{
	const unsigned char *s;
	struct stat st;

	/* slurm.conf cannot quote any other character. */
	for (s = (const unsigned char *)path; *s != '\0'; s++)
		if (*s < 0x80 && !isalnum(*s) && strchr("/._+@-", *s) == NULL)
			return error_set(e,
			    "%s: Slurm takes letters, digits and ._+@- in the "
			    "path of a sandbox: choose another with -d",
			    path);
	if (strlen(path) > DIRECTORY_LIMIT)
		return error_set(e,
		    "%s: this path has %zu bytes, Slurm's sockets leave %d: "
		    "choose a shorter one with -d",
		    path, strlen(path), DIRECTORY_LIMIT);
	if (stat(path, &st) == -1)
		return errno == ENOENT ? 0 : error_errno(e, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, "%s: not a directory", path);
	if (st.st_uid != geteuid())
		return error_set(e, "%s: belongs to another user", path);
	return 0;
}

/*
 * Check the content of the directory.  Without a record, a directory with other
 * names in it is not a sandbox.
 */
static int
check_content(const struct sandbox *s, struct error *e)
{
	struct fs_names names;
	int dir, rc;
	size_t i;

	dir = fs_open_dir(s->directory, e);
	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	for (i = 0; rc == 0 && i < names.count; i++)
		if (!sandbox_makes(names.name[i]))
			rc = error_set(e,
			    "%s: is no sandbox, %s is in it: choose a new "
			    "directory with -d",
			    s->directory, names.name[i]);
	fs_names_free(&names);
	return rc;
}

void
sandbox_set_parts(struct sandbox *s)
{
	struct sandbox_part *p;
	size_t i;

	free(s->part);
	s->count = (size_t)s->plan.nodes + SLURMD;
	s->part = xcalloc(s->count, sizeof *s->part);
	for (i = 0; i < s->count; i++) {
		p = &s->part[i];
		if (i < SLURMD)
			snprintf(
			    p->name, sizeof p->name, "%s", programs[i].name);
		else
			snprintf(p->name, sizeof p->name, "n%zu", i - 1);
		if (i > MUNGED)
			p->port = s->plan.port + (int)i - SLURMCTLD;
	}
}

/* Take one line of the record, such as "nodes 2". */
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
	for (i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (strcmp(line, fields[i].name) != 0)
			continue;
		if (num_int(line, value, fields[i].least, fields[i].most, &n,
			NULL) == -1)
			return -1;
		*fields[i].to = (int)n;
	}
	return 0;
}

/*
 * Read the plan of the last start.  If the record is missing or damaged (by a
 * full disk), there are no parts, but stfm can still find the processes.
 */
static int
read_record(struct sandbox *s, struct error *e)
{
	char *path = path_of(s, "sandbox"), *text, *line, *rest;
	int rc;

	rc = fs_read_path(path, 65536, &text, NULL, e);
	free(path);
	free(s->part);
	s->part = NULL;
	s->count = 0;
	if (rc == -1)
		return errno == ENOENT ? 0 : -1;
	s->plan.nodes = s->plan.cpus = s->plan.port = 0;
	for (line = strtok_r(text, "\n", &rest); rc == 0 && line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		rc = take_number(&s->plan, line);
	if (rc == 0 && s->plan.nodes > 0 && s->plan.cpus > 0 &&
	    s->plan.port > 0)
		sandbox_set_parts(s);
	free(text);
	return 0;
}

struct sandbox *
sandbox_new(const char *directory, struct error *e)
{
	struct sandbox *s = xcalloc(1, sizeof *s);

	s->lock = -1;
	s->directory = resolve(directory);
	s->conf = path_of(s, "slurm.conf");
	s->socket = path_of(s, "munge/munge.socket");
	s->entries[0] = xasprintf("SLURM_CONF=%s", s->conf);
	s->entries[1] = xasprintf("STFM_SANDBOX=%s", s->directory);
	s->plan.directory = s->directory;
	if (check_directory(s->directory, e) == -1 || read_record(s, e) == -1 ||
	    (s->part == NULL && check_content(s, e) == -1)) {
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
	sandbox_unlock(s);
	for (i = 0; i < SANDBOX_PROGRAMS; i++)
		free(s->program[i]);
	for (i = 0; i < 2; i++)
		free(s->entries[i]);
	free(s->directory);
	free(s->conf);
	free(s->socket);
	free(s->log);
	free(s->env);
	free(s->part);
	pids_clear(&s->steps);
	pids_clear(&s->jobs);
	pids_clear(&s->keepers);
	free(s);
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
	s->env = xcalloc(n + 3, sizeof *s->env);
	for (i = n = 0; environ[i] != NULL; i++)
		if (!sandbox_is_slurm_variable(environ[i]) &&
		    strncmp(environ[i], "STFM_SANDBOX=", 13) != 0)
			s->env[n++] = environ[i];
	s->env[n++] = s->entries[0];
	s->env[n] = s->entries[1];
	return s->env;
}

/* Add a word to a list unless it equals the last word. */
static void
add_word(char *list, size_t size, const char *between, const char *word)
{
	size_t used = strlen(list), n = strlen(word);

	if (used >= n && strcmp(list + used - n, word) == 0)
		return;
	snprintf(
	    list + used, size - used, "%s%s", used > 0 ? between : "", word);
}

int
sandbox_find_programs(struct sandbox *s, struct error *e)
{
	const char *own = getenv("STFM_SANDBOX_PATH"), *path = getenv("PATH");
	char missing[256] = "", packages[256] = "", *list;
	size_t i;

	/* The daemons are in sbin, which is usually not in the user's PATH. */
	list = own != NULL && *own != '\0'
	    ? xstrdup(own)
	    : xasprintf("%s:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin",
		  path != NULL ? path : "");
	for (i = 0; i < SANDBOX_PROGRAMS; i++) {
		if (s->program[i] == NULL)
			s->program[i] = proc_find(programs[i].name, list);
		if (s->program[i] != NULL)
			continue;
		add_word(missing, sizeof missing, ", ", programs[i].name);
		add_word(packages, sizeof packages, " ", programs[i].package);
	}
	free(list);
	if (*missing == '\0')
		return 0;
	return error_set(e,
	    "%s: not found; install what is missing, on Debian: "
	    "apt install %s",
	    missing, packages);
}

int
sandbox_query(struct sandbox *s, char *const argv[], struct proc_result *result)
{
	char *const *env = sandbox_environment(s);

	if (proc_run(argv, env, QUERY_LIMIT, result, NULL) == -1)
		return -1;
	if (proc_ok(result))
		return 0;
	proc_result_free(result);
	return -1;
}

int
sandbox_ask_states(struct sandbox *s)
{
	char *argv[] = {
	    s->program[SINFO], "-h", "-a", "-N", "-o", "%N %T", NULL};
	struct sandbox_part *node;
	char *line, *rest, *state;
	struct proc_result r;

	if (sandbox_query(s, argv, &r) == -1)
		return -1;
	for (line = strtok_r(r.out, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		state = strchr(line, ' ');
		if (state == NULL)
			continue;
		*state++ = '\0';
		for (node = s->part + SLURMD; node < s->part + s->count; node++)
			if (strcmp(node->name, line) == 0)
				snprintf(node->state, sizeof node->state, "%s",
				    state);
	}
	proc_result_free(&r);
	return 0;
}

/*
 * Try to lock the file.  Another process may have deleted it with its directory
 * and created it again.  Returns 0 with a descriptor in *lock, 1 if another
 * process has the lock, or -1.
 */
static int
try_lock(const char *path, int *lock, struct error *e)
{
	struct stat there, ours;
	int fd;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd == -1)
		return error_errno(e, "%s: cannot lock", path);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && stat(path, &there) == 0 &&
	    fstat(fd, &ours) == 0 && there.st_ino == ours.st_ino) {
		*lock = fd;
		return 0;
	}
	close(fd);
	return 1;
}

int
sandbox_lock(struct sandbox *s, struct error *e)
{
	int64_t deadline = proc_clock() + LOCK_LIMIT;
	char *path = path_of(s, "lock");
	int rc;

	s->lock = -1;
	while (
	    (rc = try_lock(path, &s->lock, e)) == 1 && proc_clock() < deadline)
		sandbox_nap();
	if (rc == 1)
		error_set(e, "%s: is being started or stopped by another",
		    s->directory);
	free(path);
	return rc == 0 ? read_record(s, e) : -1;
}

void
sandbox_unlock(struct sandbox *s)
{
	if (s->lock != -1)
		close(s->lock);
	s->lock = -1;
}

/*
 * Record a process of a daemon.  The lowest id is the daemon's; other processes
 * are its helpers.
 */
static void
found_part(struct sandbox *s, size_t i, pid_t pid)
{
	pid_t *first;

	if (i >= s->count) {
		pids_add(&s->steps, pid);
		return;
	}
	first = &s->part[i].pid;
	if (*first != 0)
		pids_add(&s->steps, pid < *first ? *first : pid);
	if (*first == 0 || pid < *first)
		*first = pid;
}

static void
sort_process(const struct process *p, void *arg)
{
	struct sandbox *s = arg;
	const char *name = process_name(p);
	size_t i;

	if (strcmp(name, "munged") == 0) {
		if (process_has_argument(p, s->socket))
			found_part(s, MUNGED, p->pid);
		return;
	}
	if (process_is_keeper(p->pid, s->directory)) {
		pids_add(&s->keepers, p->pid);
		return;
	}
	if (!process_has_argument(p, s->conf) &&
	    !process_has_variable(p, s->entries[0]))
		return;
	if (strcmp(name, "slurmctld") == 0) {
		found_part(s, SLURMCTLD, p->pid);
	} else if (strcmp(name, "slurmd") == 0) {
		for (i = SLURMD;
		     i < s->count && !process_has_argument(p, s->part[i].name);)
			i++;
		found_part(s, i, p->pid);
	} else if (strstr(name, "slurmstepd") != NULL ||
	    strstr(name, "slurmscriptd") != NULL) {
		pids_add(&s->steps, p->pid);
	} else if (process_has_variable(p, "SLURMD_NODENAME=")) {
		pids_add(&s->jobs, p->pid);
	}
}

int
sandbox_scan(struct sandbox *s, struct error *e)
{
	size_t i;
	int alive = 0;

	for (i = 0; i < s->count; i++)
		s->part[i].pid = 0;
	pids_clear(&s->steps);
	pids_clear(&s->jobs);
	pids_clear(&s->keepers);
	if (process_each(sort_process, s, e) == -1)
		return -1;
	for (i = 0; i < s->count; i++)
		alive += s->part[i].pid != 0;
	return alive;
}

int
sandbox_look(struct sandbox *s, const struct sandbox_part **part, size_t *count,
    struct error *e)
{
	int alive = sandbox_scan(s, e);

	if (alive == -1)
		return -1;
	if (s->count > 0 && s->part[MUNGED].pid != 0 &&
	    s->part[SLURMCTLD].pid != 0 && sandbox_find_programs(s, NULL) == 0)
		sandbox_ask_states(s);
	*part = s->part;
	*count = s->count;
	return s->count > 0 && (size_t)alive == s->count;
}
