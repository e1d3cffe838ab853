#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "dist/rank-env.h"
#include "slurm/task.h"
#include "sys/ports.h"

/* Milliseconds that looking up all names may take. */
enum { LOOK_UP_MS = 10000 };

static const char *
environment(void *arg, const char *name)
{
	(void)arg;
	return getenv(name);
}

/* ---- addresses ---- */

int
dist_look_up(char *const names[], size_t count, struct proc_result *result)
{
	struct strlist words = {0};
	size_t i;
	int rc;

	strlist_push(&words, "getent");
	strlist_push(&words, "ahosts");
	for (i = 0; i < count; i++)
		strlist_push(&words, names[i]);
	rc = proc_run(words.word, NULL, LOOK_UP_MS, result, NULL);
	strlist_free(&words);
	return rc;
}

/* Return whether all names resolve on this host, or 1 if that is unknown. */
static int
resolve(char *const names[], size_t count)
{
	struct proc_result result;
	int yes = 1;

	if (dist_look_up(names, count, &result) == 0) {
		yes = result.timed_out || proc_ok(&result);
		proc_result_free(&result);
	}
	return yes;
}

/*
 * Return the address of a node of a cloud, to free, or NULL.  They are in the
 * environment as "name:address:host,...", an IPv6 address in brackets.
 */
static char *
alias_of(const char *list, const char *name)
{
	size_t n = strlen(name), length;

	for (; list != NULL && *list != '\0';
	     list += strcspn(list, ","), list += *list == ',') {
		if (strncmp(list, name, n) != 0 || list[n] != ':')
			continue;
		list += n + 1;
		length = strcspn(list, ":,");
		if (*list == '[') {
			list++;
			length = strcspn(list, "]");
		}
		return xstrndup(list, length);
	}
	return NULL;
}

static void
set_address(struct dist_step *s, size_t node, const char *address)
{
	free(s->addresses.word[node]);
	s->addresses.word[node] = xstrdup(address);
}

/* Ask Slurm for the addresses of nodes whose names do not resolve. */
static void
ask_slurm(struct dist_rank_env *d, const struct strlist *nodes)
{
	struct strlist known = {0};
	const char *address;
	struct error e;
	size_t i;

	if (queue_task_addresses(nodes, &known, &e) == -1)
		strlist_take(&d->notes,
		    xasprintf("%s: this name does not resolve here, and Slurm "
			      "does not say its address: %s",
			nodes->word[0], e.text));
	for (i = 0; i < d->step.nodes.count; i++) {
		address = strlist_value(&known, d->step.nodes.word[i]);
		if (address != NULL)
			set_address(&d->step, i, address);
	}
	strlist_free(&known);
}

/*
 * Find the addresses of the nodes that matter.  If the first name does not
 * resolve, do not try others: the cluster is made that way, and each name would
 * take its time.
 */
static void
find_addresses(const struct dist_options *w, struct dist_rank_env *d)
{
	const char *aliases = getenv("SLURM_NODE_ALIASES");
	size_t first = dist_needs_all(w) ? 0 : d->step.node[0], i;
	size_t end = dist_needs_all(w) ? d->step.nodes.count : first + 1;
	int64_t until = proc_clock() + LOOK_UP_MS;
	char *const *names = d->step.nodes.word;
	struct strlist unknown = {0};
	int some = resolve(names + first, 1);
	char *alias;

	if (some && (end - first == 1 || resolve(names + first, end - first)))
		return;
	for (i = first; i < end; i++) {
		alias = alias_of(aliases, names[i]);
		if (alias != NULL)
			set_address(&d->step, i, alias);
		else if (!some ||
		    (proc_clock() < until && !resolve(names + i, 1)))
			strlist_push(&unknown, names[i]);
		free(alias);
	}
	if (unknown.count > 0)
		ask_slurm(d, &unknown);
	strlist_free(&unknown);
}

/* ---- the variables of a rank ---- */

int
dist_rank_env(
    const struct dist_options *w, struct dist_rank_env *d, struct error *e)
{
	struct dist_step *s = &d->step;
	size_t rank, seen;
	int port;

	memset(d, 0, sizeof *d);
	if (dist_step(w, environment, NULL, s, e) == -1)
		return -1;
	find_addresses(w, d);
	rank = s->rank >= 0 ? (size_t)s->rank : 0;
	port = dist_port(s, rank);
	if (s->rank >= 0 && dist_listens(w, rank) && !ports_is_free(port))
		return error_set(e,
		    "port %d on %s: another program has it: choose others with "
		    "--port",
		    port, s->nodes.word[s->node[rank]]);
	dist_variables(w, s, environment, NULL, &d->variables);
	/* A program that takes the GPU of its local number would fail. */
	if (dist_lacks_gpu(w, s, environment, NULL, &seen))
		strlist_take(&d->notes,
		    xasprintf("rank %" PRId64
			      " is number %zu on its node and sees %zu GPU%s: "
			      "have the program take GPU local_rank %% "
			      "device_count, or ask for GPUs with "
			      "--gpus-per-node instead of --gpus-per-task",
			s->rank, s->local[s->rank], seen,
			seen == 1 ? "" : "s"));
	return 0;
}

void
dist_rank_env_free(struct dist_rank_env *d)
{
	dist_step_free(&d->step);
	strlist_free(&d->variables);
	strlist_free(&d->notes);
}
