/* stfm-sandbox - run a private Slurm on this machine */
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "sandbox/cluster-shape.h"
#include "sandbox/sandbox.h"
#include "sys/fs.h"
#include "sys/proc.h"
#include "term/cli.h"
#include "term/progress.h"

/* The exit statuses of a shell for a command that it cannot run. */
enum { NOT_STARTED = 126, NOT_FOUND = 127 };

struct request {
	struct sandbox_plan plan;
	const char **lines;
	const char *directory;
	int remove, quiet;
	char given[16];  /* letters of the given options */
	char **operands; /* list of operands that ends with NULL */
};

static const struct cli_option options[] = {
    {'N', "nodes", "N", "start N nodes (default: 2)",
	CLI_NUMBER(struct request, plan.nodes, 1, CLUSTER_NODES)},
    {'g', "gpus-per-node", "N", "pretend N GPUs on each node (default: 2)",
	CLI_NUMBER(struct request, plan.gpus, 0, CLUSTER_GPUS)},
    {'c', "cpus-per-node", "N", "give each node N CPUs (default: 4)",
	CLI_NUMBER(struct request, plan.cpus, 1, CLUSTER_CPUS)},
    {'o', "option", "KEY=VALUE", "add a line to slurm.conf; can be repeated"},
    {'d', "directory", "DIR", "use this directory (default: ~/.stfm-sandbox)",
	CLI_TEXT(struct request, directory)},
    {0, "remove", NULL, "with stop: delete the directory too",
	CLI_FLAG(struct request, remove)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct request, quiet)},
    {0},
};

static const struct cli cli = {
    .name = "stfm-sandbox",
    .about = "run a private Slurm on this machine",
    .synopsis = "start [-Q] [-N n] [-g n] [-c n] [-o KEY=VALUE] [-d DIR]\n"
		"stop [-Q] [--remove] [-d DIR]\n"
		"status | env [-d DIR]\n"
		"run [options of start] COMMAND [ARGUMENT ...]",
    .examples =
	"  stfm-sandbox run srun -N 2 hostname   start it, run srun, stop it\n"
	"  stfm-sandbox start -N 4 -g 8          4 nodes with 8 GPUs each\n"
	"  eval \"$(stfm-sandbox env)\"            use it in this shell\n",
    .options = options,
    .stop_at_operand = 1,
};

/*
 * Signals to block while a sandbox starts or runs a command: an interrupted
 * start leaves nothing behind, and the command gets the signals sent to us.
 */
static const int caught[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

static void
caught_signals(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(set, caught[i]);
}

static void
catch_signals(void)
{
	sigset_t set;

	caught_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Return the pending signal that asks us to end, or 0. */
static int
interrupted(void)
{
	sigset_t set;
	size_t i;

	sigpending(&set);
	for (i = 0; caught[i] != SIGUSR1; i++)
		if (sigismember(&set, caught[i]))
			return caught[i];
	return 0;
}

/* Add a line of slurm.conf. */
static int
add_line(struct request *r, const char *line, struct error *e)
{
	if (cluster_check_line(line, e) == -1)
		return -1;
	r->lines = xgrow(r->lines, r->plan.line_count, sizeof *r->lines);
	r->lines[r->plan.line_count++] = line;
	r->plan.lines = r->lines;
	return 0;
}

/*
 * Take the options before the next operand.  Returns 0, or -1 with the exit
 * status in *status.
 */
static int
take_options(struct request *r, int argc, char **argv, int *status)
{
	struct error e;
	int letter, rc;
	size_t n;

	while ((letter = cli_next(&cli, argc, argv)) >= 0) {
		n = strlen(r->given);
		if (letter == 0)
			letter = 'R'; /* --remove has no letter */
		if (n + 1 < sizeof r->given && !strchr(r->given, letter))
			r->given[n] = (char)letter;
		rc = cli_set(r, &e);
		if (rc == 0)
			rc = add_line(r, optarg, &e);
		if (rc == -1) {
			*status = cli_fail(&e, CLI_WRONG);
			return -1;
		}
	}
	if (letter == CLI_END)
		return 0;
	*status = letter == CLI_SHOWN ? cli_finish(CLI_YES) : CLI_WRONG;
	return -1;
}

/* Return the chosen sandbox, or NULL with a message. */
static struct sandbox *
choose(const struct request *r)
{
	const char *directory = r->directory, *home = getenv("HOME");
	struct sandbox *s;
	struct error e;
	char *path;

	if (directory == NULL)
		directory = getenv("STFM_SANDBOX");
	if (directory != NULL && *directory != '\0') {
		path = xstrdup(directory);
	} else if (home != NULL && *home == '/') {
		path = fs_join(home, ".stfm-sandbox");
	} else {
		cli_warn("HOME is not set: choose a directory with -d");
		return NULL;
	}
	s = sandbox_new(path, &e);
	if (s == NULL)
		cli_fail(&e, 0);
	free(path);
	return s;
}

/*
 * Print why a start failed, with the last lines of the log of the failed
 * program. Returns the exit status.
 */
static int
start_failed(struct sandbox *s, const struct error *e)
{
	const char *path = s->log;
	char *text, *line, *rest;
	size_t length;
	int lines = 0;

	cli_fail(e, 0);
	if (interrupted())
		return 128 + interrupted();
	if (path == NULL ||
	    fs_read_path(path, 64 << 20, &text, &length, NULL) == -1)
		return CLI_WRONG;
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	line = text + length;
	while (line > text && (line[-1] != '\n' || ++lines < 8))
		line--;
	fputs("the end of ", stderr);
	text_plain(stderr, path);
	fputs(":\n", stderr);
	for (line = strtok_r(line, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		fputs("  ", stderr);
		text_plain(stderr, line);
		putc('\n', stderr);
	}
	free(text);
	return CLI_WRONG;
}

/* Write " -d DIR" if the user gave a directory. */
static void
say_directory(const struct request *r, const struct sandbox *s)
{
	char *word = NULL;
	size_t length;
	FILE *f;

	if (r->directory == NULL)
		return;
	f = xmemopen(&word, &length);
	text_shell(f, s->directory);
	xmemclose(f);
	fputs(" -d ", stderr);
	text_plain(stderr, word);
	free(word);
}

static void
say_started(const struct request *r, struct sandbox *s, int rc, int64_t since)
{
	int gpus = s->plan.gpus, cpus = s->plan.cpus;
	const struct sandbox_part *part;
	size_t count;
	char *what;

	if (r->quiet)
		return;
	if (sandbox_look(s, &part, &count, NULL) == -1 || count < 3)
		what = xstrdup("nothing");
	else
		what = xasprintf("%zu node%s with %d CPU%s and %d GPU%s each",
		    count - 2, count == 3 ? "" : "s", cpus,
		    cpus == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
	if (rc == 1)
		cli_warn("is running already: %s", what);
	else
		cli_warn("ready in %.2f s: %s",
		    (double)(proc_clock() - since) / 1000, what);
	free(what);
	fputs("  it lives in:              ", stderr);
	text_plain(stderr, s->directory);
	fputs(
	    "\n  to use it in this shell:  eval \"$(stfm-sandbox env", stderr);
	say_directory(r, s);
	fputs(")\"\n  to end it:                stfm-sandbox stop", stderr);
	say_directory(r, s);
	putc('\n', stderr);
}

static int
do_start(struct request *r, struct sandbox *s)
{
	int64_t since = proc_clock();
	struct error e;
	int rc;

	catch_signals();
	progress_begin("starting Slurm");
	rc = sandbox_start(s, &r->plan, &e);
	progress_end();
	if (rc == -1)
		return start_failed(s, &e);
	say_started(r, s, rc, since);
	return CLI_YES;
}

static int
do_stop(struct request *r, struct sandbox *s)
{
	struct error e;
	int rc;

	rc = sandbox_stop(s, r->remove, &e);
	if (rc == -1)
		return cli_fail(&e, CLI_WRONG);
	if (!r->quiet)
		cli_warn("%s: %s", s->directory,
		    rc == 0 ? "stopped" : "was not running");
	return CLI_YES;
}

static int
do_status(struct request *r, struct sandbox *s)
{
	const struct cluster *c = &s->plan;
	const struct sandbox_part *part, *p;
	char pid[24], port[24];
	size_t count, i;
	struct error e;
	int all, any = 0;

	(void)r;
	all = sandbox_look(s, &part, &count, &e);
	if (all == -1)
		return cli_fail(&e, CLI_WRONG);
	for (i = 0; i < count; i++)
		any |= part[i].pid != 0;
	if (!any) {
		cli_print("%s: not running", s->directory);
		return CLI_NO;
	}
	cli_print("%s: %s, Slurm %d.%02d, %d CPUs and %d GPUs a node",
	    s->directory, all ? "running" : "running in part", c->version / 100,
	    c->version % 100, c->cpus, c->gpus);
	printf("%-10s %7s %6s  %s\n", "DAEMON", "PID", "PORT", "STATE");
	for (p = part; p < part + count; p++) {
		snprintf(pid, sizeof pid, "%ld", (long)p->pid);
		snprintf(port, sizeof port, "%d", p->port);
		printf("%-10s %7s %6s  ", p->name, p->pid != 0 ? pid : "-",
		    p->port != 0 ? port : "-");
		text_plain(stdout,
		    p->pid == 0                           ? "not running"
			: *p->state                       ? p->state
			: p->port == 0 || *p->name == 's' ? "running"
							  : "unknown");
		putchar('\n');
	}
	return all ? CLI_YES : CLI_NO;
}

static void
print_export(const char *name, const char *value)
{
	printf("export %s=", name);
	text_shell(stdout, value);
	putchar('\n');
}

static int
do_env(struct request *r, struct sandbox *s)
{
	const struct sandbox_part *part;
	struct error e;
	size_t count;
	char **entry, *conf;
	int all;

	(void)r;
	all = sandbox_look(s, &part, &count, &e);
	if (all == -1)
		return cli_fail(&e, CLI_WRONG);
	if (!all) {
		cli_warn("%s: not running (start it with: stfm-sandbox start)",
		    s->directory);
		return CLI_NO;
	}
	for (entry = environ; *entry != NULL; entry++)
		if (sandbox_is_slurm_variable(*entry))
			printf(
			    "unset %.*s\n", (int)strcspn(*entry, "="), *entry);
	conf = fs_join(s->directory, "slurm.conf");
	print_export("SLURM_CONF", conf);
	print_export("STFM_SANDBOX", s->directory);
	free(conf);
	return CLI_YES;
}

/* Start the command with no signal blocked.  Returns 0, or an exit status. */
static int
start_command(
    struct sandbox *s, const char *path, char *const *argv, pid_t *pid)
{
	posix_spawnattr_t attr;
	sigset_t set;
	int rc;

	posix_spawnattr_init(&attr);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	fflush(NULL);
	rc = posix_spawn(pid, path, NULL, &attr, argv, sandbox_environment(s));
	posix_spawnattr_destroy(&attr);
	if (rc == 0)
		return 0;
	cli_warn("%s: cannot start: %s", argv[0], strerror(rc));
	return rc == ENOENT ? NOT_FOUND : NOT_STARTED;
}

/*
 * Wait for the command and pass signals on.  Signals from the terminal come
 * from the kernel, which has sent them to the command too.
 */
static int
follow_command(pid_t pid)
{
	siginfo_t info;
	sigset_t set;
	int status;

	caught_signals(&set);
	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (sigwaitinfo(&set, &info) == -1 ||
		    info.si_signo == SIGCHLD || info.si_code == SI_KERNEL)
			continue;
		kill(pid, info.si_signo);
	}
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* Create a directory for one run; the caller frees the path. */
static char *
make_temporary(struct error *e)
{
	const char *base = getenv("TMPDIR");
	char *path;

	if (base == NULL || *base != '/' || strlen(base) > 40)
		base = "/tmp";
	path = xasprintf("%s/stfm-sandbox.XXXXXX", base);
	if (mkdtemp(path) != NULL)
		return path;
	error_errno(e, "%s: cannot make directory", path);
	free(path);
	return NULL;
}

static int
do_run(struct request *r, struct sandbox *s)
{
	const char *name = *r->operands, *list = getenv("PATH");
	char *path;
	struct error e;
	pid_t pid;
	int rc, status;

	path = strchr(name, '/') != NULL
	    ? xstrdup(name)
	    : proc_find(name, list ? list : "/usr/bin:/bin");
	if (path == NULL) {
		cli_warn("%s: command not found", name);
		return NOT_FOUND;
	}
	catch_signals();
	r->plan.leash = 1;
	rc = sandbox_start(s, &r->plan, &e);
	if (rc == -1) {
		status = start_failed(s, &e);
	} else {
		status = start_command(s, path, r->operands, &pid);
		if (status == 0)
			status = follow_command(pid);
	}
	free(path);
	if (rc != 1 && sandbox_stop(s, r->remove, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	return status;
}

/* The verbs of the command line, and the options of each. */
static const struct verb {
	const char *name, *options;
	int (*act)(struct request *, struct sandbox *);
} verbs[] = {
    {"start", "NgcodQ", do_start},
    {"stop", "RdQ", do_stop},
    {"status", "d", do_status},
    {"env", "d", do_env},
    {"run", "NgcodRQ", do_run},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static const struct verb *
find_verb(const char *name)
{
	const char *names[VERBS];
	char hint[TEXT_HINT];
	size_t i;

	for (i = 0; i < VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
		names[i] = verbs[i].name;
	}
	cli_warn("%s: not one of start, stop, status, env and run (%s)", name,
	    text_hint(name, names, VERBS, "try --help", hint));
	return NULL;
}

/*
 * Check that options and operands fit the verb.  Returns 0, or -1 with a
 * message.
 */
static int
check_request(const struct request *r, const struct verb *verb)
{
	size_t bad = strspn(r->given, verb->options);

	if (r->given[bad] != '\0') {
		cli_warn("%s: not an option of %s",
		    r->given[bad] == 'R' ? "--remove"
					 : (char[]){'-', r->given[bad], 0},
		    verb->name);
		return -1;
	}
	if (verb->act == do_run && *r->operands == NULL) {
		cli_warn("run: a command is needed (stfm-sandbox run sinfo)");
		return -1;
	}
	if (verb->act != do_run && *r->operands != NULL) {
		cli_warn("%s: %s takes no operand", *r->operands, verb->name);
		return -1;
	}
	return 0;
}

static int
act(struct request *r, const struct verb *verb)
{
	char *temporary = NULL;
	struct sandbox *s;
	struct error e;
	int status = CLI_WRONG;

	if (verb->act == do_run && r->directory == NULL) {
		temporary = make_temporary(&e);
		if (temporary == NULL)
			return cli_fail(&e, CLI_WRONG);
		r->directory = temporary;
		r->remove = 1;
	}
	s = choose(r);
	if (s != NULL)
		status = verb->act(r, s);
	sandbox_free(s);
	if (temporary != NULL)
		rmdir(temporary);
	free(temporary);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {
	    .plan = {
		.nodes = 2, .gpus = 2, .cpus = 4, .interrupted = interrupted}};
	const struct verb *verb;
	int status;

	cli_start(&cli);
	if (take_options(&r, argc, argv, &status) == -1)
		return status;
	if (optind == argc)
		return cli_usage(&cli);
	verb = find_verb(argv[optind++]);
	if (verb == NULL)
		return CLI_WRONG;
	if (take_options(&r, argc, argv, &status) == -1)
		return status;
	r.operands = argv + optind;
	if (check_request(&r, verb) == -1)
		return CLI_WRONG;
	status = act(&r, verb);
	free(r.lines);
	return cli_finish(status);
}
