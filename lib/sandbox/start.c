#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "sandbox/daemon.h"
#include "sandbox/private.h"
#include "sys/fs.h"
#include "sys/ports.h"

/* Limits in milliseconds. */
enum {
	START_LIMIT = 120000,
	START_LIMIT_NODE = 100,
	VERSION_LIMIT = 5000,
	NAME_LIMIT = 1000
};

enum { LOG_LIMIT = 64 << 20 };

/* How often to try other ports if another process takes the chosen ones. */
enum { TRIES = 3 };

struct starting {
	struct sandbox *s;
	const struct sandbox_plan *plan;
	int64_t deadline;
	struct pids mine; /* processes that this call started */
	int port_taken;   /* the daemon that failed found its port in use */
};

static char *
output_path(const struct sandbox *s, size_t part)
{
	return xasprintf("%s/log/%s.%s", s->directory, s->part[part].name,
	    part == MUNGED ? "log" : "err");
}

/*
 * Put the daemon's own error message into e: the line of its log that explains
 * the failure best.  Sets st->port_taken.  Returns -1.
 */
static int
blame(struct starting *st, size_t part, const char *verb, struct error *e)
{
	const char *best = "ended without a word";
	char *text = NULL, *line, *rest = NULL;
	struct sandbox *s = st->s;
	int most = 0, weight;

	free(s->log);
	s->log = output_path(s, part);
	fs_read_path(s->log, LOG_LIMIT, &text, NULL, NULL);
	st->port_taken =
	    text != NULL && strstr(text, "Address already in use") != NULL;
	for (line = text != NULL ? strtok_r(text, "\n", &rest) : NULL;
	     line != NULL; line = strtok_r(NULL, "\n", &rest)) {
		weight = strstr(line, "fatal:") != NULL ? 2
		    : strstr(line, "rror:") != NULL     ? 1
							: 0;
		if (weight >= most) {
			most = weight;
			best = line;
		}
	}
	error_set(e, "%s: %s: %s", s->part[part].name, verb, best);
	free(text);
	return -1;
}

static int
has_ended(const struct sandbox *s, size_t part)
{
	pid_t pid = s->part[part].pid;
	int status;

	return waitpid(pid, &status, WNOHANG) == pid || !process_is_alive(pid);
}

/* Check whether to keep waiting for a part.  Returns 0 or -1. */
static int
may_wait(struct starting *st, size_t part, struct error *e)
{
	if (has_ended(st->s, part))
		return blame(st, part, "does not start", e);
	if (st->plan->interrupted != NULL && st->plan->interrupted()) {
		st->port_taken = 0;
		return error_set(e, "interrupted");
	}
	if (proc_clock() > st->deadline)
		return blame(st, part, "not ready in time", e);
	return 0;
}

static int
wait_until(struct starting *st, size_t part, int (*ready)(struct sandbox *),
    struct error *e)
{
	while (!ready(st->s)) {
		if (may_wait(st, part, e) == -1)
			return -1;
		sandbox_nap();
	}
	return 0;
}

static int
munged_answers(struct sandbox *s)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd, rc;

	snprintf(name.sun_path, sizeof name.sun_path, "%s", s->socket);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return 0;
	rc = connect(fd, (struct sockaddr *)&name, sizeof name);
	close(fd);
	return rc == 0;
}

/*
 * Return whether slurmctld listens.  A connection without data would cause an
 * error in slurmctld's log.
 */
static int
slurmctld_listens(struct sandbox *s)
{
	return ports_is_open(s->plan.port);
}

/*
 * Start a daemon in the foreground, so that it is a child of this process while
 * stfm waits for it and notices an early end at once.
 */
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
	    .kept = part >= SLURMD,
	};
	pid_t pid = daemon_start(&d, e);

	free(log);
	if (pid == -1)
		return -1;
	s->part[part].pid = pid;
	pids_add(&st->mine, pid);
	return 0;
}

/*
 * Start munged.  It accepts a directory that other users cannot enter only with
 * --force.
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
	rc = start_part(st, MUNGED, argv, e);
	free(key);
	free(pid);
	free(seed);
	if (rc == -1)
		return -1;
	return wait_until(st, MUNGED, munged_answers, e);
}

static int
wait_for_nodes(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	const char *state;
	size_t i, slowest;

	for (;; sandbox_nap()) {
		slowest = sandbox_ask_states(s) == -1 ? SLURMCTLD : s->count;
		for (i = SLURMD; i < s->count && slowest == s->count; i++) {
			/* Any other state will do: recovered jobs use nodes. */
			state = s->part[i].state;
			if (*state == '\0' || strchr(state, '*') != NULL ||
			    strncmp(state, "unk", 3) == 0 ||
			    strncmp(state, "down", 4) == 0 ||
			    strncmp(state, "inval", 5) == 0)
				slowest = i;
		}
		if (slowest == s->count)
			return 0;
		for (i = SLURMD; i < s->count; i++)
			if (has_ended(s, i))
				return blame(st, i, "does not start", e);
		if (may_wait(st, SLURMCTLD, NULL) == -1)
			return may_wait(st, slowest, e);
	}
}

static int
start_parts(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	char *slurmctld[] = {s->program[SLURMCTLD], "-D", "-f", s->conf, NULL};
	char *slurmd[] = {
	    s->program[SLURMD], "-D", "-N", NULL, "-f", s->conf, NULL};
	size_t i;

	if (s->part[MUNGED].pid == 0 && start_munged(st, e) == -1)
		return -1;
	/* Slurm's clients that come too early sleep for a whole second. */
	if (s->part[SLURMCTLD].pid == 0 &&
	    (start_part(st, SLURMCTLD, slurmctld, e) == -1 ||
		wait_until(st, SLURMCTLD, slurmctld_listens, e) == -1))
		return -1;
	for (i = SLURMD; i < s->count; i++) {
		slurmd[3] = s->part[i].name;
		if (s->part[i].pid == 0 && start_part(st, i, slurmd, e) == -1)
			return -1;
	}
	return wait_for_nodes(st, e);
}

/* Start all parts on new ports. */
static int
start_afresh(struct starting *st, struct error *e)
{
	struct sandbox *s = st->s;
	struct ports ports;
	int rc;

	if (ports_reserve(&ports, (size_t)s->plan.nodes + 1, e) == -1)
		return -1;
	s->plan.port = ports.first;
	sandbox_set_parts(s);
	rc = sandbox_set_up(s, e);
	if (rc == 0)
		rc = start_parts(st, e);
	ports_release(&ports);
	return rc;
}

static int
find_version(struct sandbox *s, struct error *e)
{
	char *argv[] = {s->program[SLURMCTLD], "-V", NULL};
	char *const *env = sandbox_environment(s);
	struct proc_result r;

	if (proc_run(argv, env, VERSION_LIMIT, &r, e) == -1)
		return -1;
	s->plan.version = cluster_version(r.out);
	if (s->plan.version == -1)
		error_set(e, "%s -V: tells no version: %s%s",
		    s->program[SLURMCTLD], r.out, r.complaint);
	proc_result_free(&r);
	return s->plan.version == -1 ? -1 : 0;
}

/* Return 0 if this machine's name resolves to 127.0.0.1; for proc_guard. */
static int
check_own_name(FILE *out, void *arg)
{
	const struct addrinfo hints = {
	    .ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	const struct sockaddr_in *in;
	struct addrinfo *list;
	char name[256];

	(void)out;
	(void)arg;
	if (gethostname(name, sizeof name) == -1 ||
	    getaddrinfo(name, NULL, &hints, &list) != 0)
		return 1;
	in = (const struct sockaddr_in *)(const void *)list->ai_addr;
	return in->sin_addr.s_addr != htonl(INADDR_LOOPBACK);
}

/*
 * Return whether Slurm can listen on 127.0.0.1 only, where no other machine
 * sees it.  Slurm listens on all addresses or on the address of this machine's
 * name, but with Debian's 127.0.1.1 srun never gets its steps.  Without a
 * network the lookup of the name may take long.
 */
static int
can_hide(void)
{
	struct proc_result r;
	int yes;

	if (proc_guard(check_own_name, NULL, NAME_LIMIT, &r, NULL) == -1)
		return 0;
	yes = proc_ok(&r);
	proc_result_free(&r);
	return yes;
}

static int
start_new(struct starting *st, struct error *e)
{
	const struct sandbox_plan *plan = st->plan;
	struct passwd *pw = getpwuid(geteuid());
	struct sandbox *s = st->s;
	int tries;

	s->plan.nodes = plan->nodes;
	s->plan.gpus = plan->gpus;
	s->plan.cpus = plan->cpus;
	s->plan.lines = plan->lines;
	s->plan.line_count = plan->line_count;
	s->plan.hidden = can_hide();
	if (pw == NULL)
		return error_set(e,
		    "user id %ld has no name on this machine, and Slurm needs "
		    "one",
		    (long)geteuid());
	s->plan.user = pw->pw_name;
	if (find_version(s, e) == -1 || sandbox_end(s, 0, e) == -1)
		return -1;
	for (tries = 1;; tries++) {
		st->port_taken = 0;
		if (start_afresh(st, e) == 0)
			return 0;
		pids_end(&st->mine, 0);
		pids_clear(&st->mine);
		sandbox_end(s, 0, NULL);
		if (!st->port_taken || tries == TRIES)
			return -1;
	}
}

static int
start_locked(
    struct sandbox *s, const struct sandbox_plan *plan, struct error *e)
{
	struct starting st = {.s = s, .plan = plan};
	int alive = sandbox_scan(s, e), rc;

	if (alive == -1)
		return -1;
	if (alive > 0 && (size_t)alive == s->count)
		return 1;
	st.deadline = proc_clock() + START_LIMIT +
	    (int64_t)START_LIMIT_NODE * plan->nodes;
	if (alive == 0) {
		rc = start_new(&st, e);
	} else {
		rc = start_parts(&st, e);
		if (rc == -1)
			pids_end(&st.mine, 0);
	}
	pids_clear(&st.mine);
	return rc;
}

/* Create the directory for this user, and its parents with usual modes. */
static int
make_home(const struct sandbox *s, struct error *e)
{
	char *parent, *slash;
	int rc = 0;

	if (access(s->directory, F_OK) == 0)
		return 0;
	parent = xstrdup(s->directory);
	slash = strrchr(parent, '/');
	*slash = '\0';
	if (slash > parent)
		rc = fs_make_dirs(parent, e);
	free(parent);
	if (rc == -1)
		return -1;
	if ((mkdir(s->directory, 0700) == -1 && errno != EEXIST) ||
	    chmod(s->directory, geteuid() == 0 ? 0711 : 0700) == -1)
		return error_errno(
		    e, "%s: cannot make directory", s->directory);
	return 0;
}

int
sandbox_start(
    struct sandbox *s, const struct sandbox_plan *plan, struct error *e)
{
	int rc;

	if (sandbox_find_programs(s, e) == -1 || make_home(s, e) == -1 ||
	    sandbox_lock(s, e) == -1)
		return -1;
	rc = start_locked(s, plan, e);
	sandbox_unlock(s);
	return rc;
}
