#include <sys/socket.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "runner/rank.h"
#include "runner/supervise.h"
#include "sys/proc.h"

extern char **environ;

/* Milliseconds between two looks at the other ranks. */
enum { LOOK_MS = 300 };

/* How long the first rank waits at its end for ranks that are starting. */
enum { LATE_MS = 20000 };

/* The arguments of job_rank, in this order. */
enum { DIST, LOG, FAILURE, COMMAND };

/* ---- ranks that end with the first rank ---- */

/*
 * The first rank listens, and each rank that serves it connects.  When the
 * first rank has ended, it sends them one byte, its exit status.
 */
struct rank_group {
	const struct dist_options *options;
	const struct dist_rank_env *dist;
	int listener; /* socket of the first rank, or -1 */
	int *peer;
	size_t peers;
	int first;  /* in the others: connection to it, or -1 */
	int status; /* exit status after the first's end, or -1 */
};

/* Return a socket that listens on all addresses of a family, or -1. */
static int
listen_at(int family, int port)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6,
	    .sin6_addr = IN6ADDR_ANY_INIT,
	    .sin6_port = htons((uint16_t)port)};
	struct sockaddr_in four = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_ANY),
	    .sin_port = htons((uint16_t)port)};
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int yes = 1, no = 0, rc;

	if (fd == -1)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
		rc = bind(fd, (struct sockaddr *)&six, sizeof six);
	} else {
		rc = bind(fd, (struct sockaddr *)&four, sizeof four);
	}
	if (rc == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
take_peers(struct rank_group *b)
{
	int fd;

	while ((fd = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC)) != -1) {
		b->peer = xgrow(b->peer, b->peers, sizeof *b->peer);
		b->peer[b->peers++] = fd;
	}
}

static int
meet(void *arg)
{
	take_peers(arg);
	return 1;
}

/* Send the status to all serving ranks, also to those that are starting. */
static void
tell_peers(struct rank_group *b, int status)
{
	int64_t until = proc_clock() + LATE_MS;
	struct pollfd wait = {.fd = b->listener, .events = POLLIN};
	size_t rank, count = 0, i;
	char byte = (char)status;

	for (rank = 0; rank < b->dist->step.tasks; rank++)
		count += (size_t)dist_serves(b->options, &b->dist->step, rank);
	take_peers(b);
	while (b->peers < count && proc_clock() < until) {
		poll(&wait, 1, LOOK_MS);
		take_peers(b);
	}
	close(b->listener);
	for (i = 0; i < b->peers; i++) {
		send(b->peer[i], &byte, 1, MSG_NOSIGNAL);
		close(b->peer[i]);
	}
	free(b->peer);
}

/* Return the numeric address of the first rank, to free, or NULL. */
static char *
first_address(const struct rank_group *b)
{
	const struct dist_step *s = &b->dist->step;
	char *name = s->addresses.word[s->node[0]];
	struct proc_result result;
	unsigned char in[sizeof(struct in6_addr)];
	char *text = NULL;

	if (inet_pton(AF_INET, name, in) == 1 ||
	    inet_pton(AF_INET6, name, in) == 1)
		return xstrdup(name);
	if (dist_look_up(&name, 1, &result) == -1)
		return NULL;
	if (proc_ok(&result))
		text = xstrndup(result.out, strcspn(result.out, " \t\n"));
	proc_result_free(&result);
	return text;
}

/* Return a socket that is connecting to the first rank, or -1. */
static int
connect_first(const struct rank_group *b)
{
	char *address = first_address(b);
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr *place = (struct sockaddr *)&four;
	socklen_t length = sizeof four;
	int fd;

	if (address == NULL)
		return -1;
	six.sin6_port = four.sin_port =
	    htons((uint16_t)dist_port(&b->dist->step, b->dist->step.tasks));
	if (inet_pton(AF_INET, address, &four.sin_addr) != 1) {
		inet_pton(AF_INET6, address, &six.sin6_addr);
		place = (struct sockaddr *)&six;
		length = sizeof six;
	}
	free(address);
	fd = socket(
	    place->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd != -1 && connect(fd, place, length) == -1 &&
	    errno != EINPROGRESS) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Connect to the first rank, repeatedly until it listens, and check whether it
 * has ended.  Returns -1 then, else 1.
 */
static int
hear_first(void *arg)
{
	struct rank_group *b = arg;
	struct pollfd wait = {.events = POLLIN};
	unsigned char byte;
	ssize_t n;

	if (b->first == -1)
		b->first = connect_first(b);
	wait.fd = b->first;
	if (b->first == -1 || poll(&wait, 1, 0) < 1)
		return 1;
	n = recv(b->first, &byte, 1, MSG_DONTWAIT);
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 1;
	/* ECONNRESET: it was killed.  Other errors: it did not listen yet. */
	if (n != -1 || errno == ECONNRESET) {
		b->status = n == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
		return -1;
	}
	close(b->first);
	b->first = -1;
	return 1;
}

/* ---- running a rank ---- */

static int
is_bound(const struct rank_group *b)
{
	size_t rank = (size_t)b->dist->step.rank;

	return dist_has_servers(b->options) &&
	    (rank == 0 || dist_serves(b->options, &b->dist->step, rank));
}

/* Run the command to its end.  Returns its exit status, or -1. */
static int
stay(struct rank_group *b, char *const command[], struct job_supervised *end,
    struct error *e)
{
	int bound = is_bound(b), is_first = b->dist->step.rank == 0;
	int port = dist_port(&b->dist->step, b->dist->step.tasks);
	struct job_supervise how = {.command = command,
	    .environment = environ,
	    .every = LOOK_MS,
	    .direct = 1}; /* Slurm signals the task's whole process group */

	if (bound) {
		how.tick = is_first ? meet : hear_first;
		how.arg = b;
	}
	if (bound && is_first) {
		b->listener = listen_at(AF_INET6, port);
		if (b->listener == -1) /* there may be no IPv6 */
			b->listener = listen_at(AF_INET, port);
		if (b->listener == -1)
			return error_errno(e, "port %d", port);
	}
	if (job_supervise(&how, end, e) == -1)
		return -1;
	if (bound && is_first)
		tell_peers(b, (int)end->exit);
	else if (b->first != -1)
		close(b->first);
	return b->status >= 0 ? b->status : (int)end->exit;
}

/* Put the variables into our own environment, which child processes inherit. */
static void
put_variables(const struct strlist *variables)
{
	size_t i, n;
	char *name;

	for (i = 0; i < variables->count; i++) {
		n = strcspn(variables->word[i], "=");
		name = xstrndup(variables->word[i], n);
		setenv(name, variables->word[i] + n + 1, 1);
		free(name);
	}
}

int
job_rank_run(const struct dist_options *w, const struct dist_rank_env *d,
    char *const command[], struct error *e)
{
	struct rank_group rank_group = {w, d, -1, NULL, 0, -1, -1};
	struct job_supervised end;

	put_variables(&d->variables);
	if (is_bound(&rank_group))
		return stay(&rank_group, command, &end, e);
	execvp(command[0], command);
	return error_errno(e, "%s: cannot start", command[0]);
}

/* ---- the ranks of a task ---- */

/*
 * Return whether the job asks for a binding of GPUs.  For resources of a task,
 * Slurm 26.05 itself asks for a binding, as --gpu-bind=per_task does.
 */
static int
binds_gpus(const char *resources)
{
	const char *bind = getenv("SLURM_TRES_BIND");

	if (bind == NULL)
		return getenv("SLURM_GPU_BIND") != NULL;
	return resources == NULL || !text_begins(bind, "gres/gpu:per_task:");
}

/*
 * Make srun, which reads these variables, show all GPUs of a node to each rank.
 * With --gpus-per-task, Slurm shows each rank only its own GPUs, but a program
 * that takes the GPU of its local number needs all of them.  An explicit
 * binding stays.
 */
static void
show_all_gpus(const char *dist)
{
	const char *resources = getenv("SLURM_TRES_PER_TASK");
	struct strlist others = {0};
	struct dist_options w;
	char *list, *rest, *word;

	if (dist_options_parse(dist, &w, NULL) == -1 || !dist_chooses_gpu(&w) ||
	    w.gpus == DIST_DIVIDE || binds_gpus(resources))
		return;
	unsetenv("SLURM_TRES_BIND");
	unsetenv("SLURM_GPUS_PER_TASK");
	if (resources == NULL)
		return;
	list = rest = xstrdup(resources); /* "cpu=2,gres/gpu=1" */
	while ((word = strsep(&rest, ",")) != NULL)
		if (strstr(word, "gres/gpu") == NULL &&
		    strstr(word, "gres:gpu") == NULL)
			strlist_push(&others, word);
	free(list);
	list = strlist_join(&others, ",");
	if (*list != '\0')
		setenv("SLURM_TRES_PER_TASK", list, 1);
	else
		unsetenv("SLURM_TRES_PER_TASK");
	free(list);
	strlist_free(&others);
}

void
job_rank_wrap(const char *dist, const struct strlist *options, const char *log,
    const char *failure, const char *program, struct strlist *command)
{
	const char *cpus = getenv("SLURM_CPUS_PER_TASK");
	struct strlist all = {0};

	show_all_gpus(dist);
	strlist_push(&all, "srun");
	strlist_push(&all, "--export=ALL");
	strlist_push(&all, "--kill-on-bad-exit=1");
	if (cpus != NULL) /* since 22.05 srun ignores this variable */
		strlist_take(&all, xasprintf("--cpus-per-task=%s", cpus));
	strlist_copy(&all, options);
	strlist_push(&all, program);
	strlist_push(&all, "rank");
	strlist_push(&all, dist);
	strlist_push(&all, log);
	strlist_push(&all, failure);
	strlist_put_before(command, &all);
}

void
job_rank_failure(const char *path, struct job_supervised *end)
{
	FILE *f = fopen(path, "re");
	int64_t code, signal;

	if (f == NULL)
		return;
	if (fscanf(f, "%" SCNd64 " %" SCNd64, &code, &signal) == 2 &&
	    end->exit != 0 && end->asked == 0) {
		end->exit = code;
		end->signal = signal;
	}
	fclose(f);
	unlink(path);
}

/*
 * Redirect the rank's output, except errors, to a log next to that of the task:
 * "4102_3.rank1.log" next to "4102_3.log".
 */
static int
redirect(const char *log, int64_t rank, struct error *e)
{
	int n = (int)strlen(log) - (text_ends(log, ".log") ? 4 : 0);
	char *path = strcmp(log, "/dev/null") == 0
	    ? xstrdup(log)
	    : xasprintf("%.*s.rank%" PRId64 "%s", n, log, rank, log + n);
	int fd, rc = 0;

	fd = open(
	    path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd == -1 || dup2(fd, STDOUT_FILENO) == -1)
		rc = error_errno(e, "%s", path);
	if (fd != -1)
		close(fd);
	free(path);
	return rc;
}

/* Run the command as a rank of a task. */
static int
train(const struct dist_options *w, const struct dist_rank_env *d,
    char *const words[], struct error *e)
{
	struct rank_group rank_group = {w, d, -1, NULL, 0, -1, -1};
	struct job_supervised end;
	int status, fd;

	if (d->step.rank > 0) {
		setenv("STFM_METRICS", "/dev/null", 1);
		if (redirect(words[LOG], d->step.rank, e) == -1)
			return -1;
	}
	put_variables(&d->variables);
	status = stay(&rank_group, words + COMMAND, &end, e);
	if (status <= 0 || end.asked != 0)
		return status;
	/* The first rank that fails says how; the others end because of it. */
	fd =
	    open(words[FAILURE], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd != -1) {
		dprintf(fd, "%" PRId64 " %" PRId64 "\n", end.exit, end.signal);
		close(fd);
	}
	return status;
}

int
job_rank(char *const words[], struct error *e)
{
	struct dist_rank_env d = {.step = {.rank = -1}};
	struct dist_options options;
	int status = -1;

	if (dist_options_parse(words[DIST], &options, e) == 0 &&
	    dist_rank_env(&options, &d, e) == 0) {
		if (d.step.rank == -1)
			error_set(e, "rank: this is no task of a step");
		else
			status = train(&options, &d, words, e);
	}
	dist_rank_env_free(&d);
	return status;
}
