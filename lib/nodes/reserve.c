#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hostlist.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "nodes/private.h"
#include "nodes/reserve.h"
#include "slurm/sbatch.h"

/* ---- times ---- */

/* Return the seconds in a unit of "now+2hours", or 0 for other units. */
static int64_t
unit_seconds(const char *unit)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
	    {"second", 1},
	    {"minute", 60},
	    {"hour", 3600},
	    {"day", 86400},
	    {"week", 604800},
	};
	size_t i, length = strlen(unit);

	if (length == 0)
		return 1;
	if (length > 1 && unit[length - 1] == 's')
		length--;
	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (length == strlen(units[i].name) &&
		    ascii_ncasecmp(unit, units[i].name, length) == 0)
			return units[i].seconds;
	return 0;
}

static int
refuse_time(const char *text, struct error *e)
{
	return error_set(e,
	    "--from: %s: give a time as 16:00, 2026-11-22T10:00, tomorrow or "
	    "now+2hours",
	    text);
}

/* Return the start in Slurm's syntax, to free, or NULL with the reason in e. */
static char *
start_text(const char *text, int64_t now, struct error *e)
{
	char *digits, clock[32];
	int64_t n, unit;
	size_t length;
	time_t when;
	struct tm tm;
	int rc;

	if (text == NULL || strcmp(text, "now") == 0)
		return xstrdup("now");
	if (strncmp(text, "now+", 4) != 0) {
		if (*text != '\0' &&
		    text[strspn(text,
			"0123456789abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ:-/.")] == '\0')
			return xstrdup(text);
		refuse_time(text, e);
		return NULL;
	}
	length = strspn(text + 4, "0123456789");
	digits = xstrndup(text + 4, length);
	unit = unit_seconds(text + 4 + length);
	rc =
	    unit == 0 ? -1 : num_int("", digits, 0, INT32_MAX / unit, &n, NULL);
	free(digits);
	if (rc == -1) {
		refuse_time(text, e);
		return NULL;
	}
	when = (time_t)(now + n * unit);
	localtime_r(&when, &tm);
	strftime(clock, sizeof clock, "%Y-%m-%dT%H:%M:%S", &tm);
	return xstrdup(clock);
}

int
nodes_reserves_gpus(const char *version)
{
	int year = 0, month = 0;

	return sscanf(version, "%d.%d", &year, &month) == 2 &&
	    year * 100 + month >= 2311;
}

/* ---- nodes and GPUs ---- */

/* Check the number of GPUs of each node.  Sets *whole if no node has more. */
static int
check_gpus(const struct queue_cluster *c, const char *nodes, int64_t gpus,
    int *whole, struct error *e)
{
	struct strlist names = {0};
	int rc = 0;
	size_t i;
	int64_t has;

	*whole = 1;
	hostlist_expand(nodes, &names, NULL);
	for (i = 0; rc == 0 && i < names.count; i++) {
		has = (int64_t)nodes_gpus(nodes_find(c, names.word[i]));
		*whole &= has == gpus;
		if (has < gpus)
			rc = error_set(e,
			    "%s: has %" PRId64 " GPUs, not %" PRId64,
			    names.word[i], has, gpus);
	}
	strlist_free(&names);
	if (rc == 0 && !*whole && !nodes_reserves_gpus(c->version))
		return error_set(e,
		    "%s:%" PRId64 ": this Slurm (%s) reserves whole nodes, "
		    "GPUs alone from 23.11 on: --reserve %s",
		    nodes, gpus, c->version, nodes);
	return rc;
}

/* Split "n1:2" into nodes and GPUs, 0 for all.  Returns -1 for a partition. */
static int
read_what(const char *what, const struct queue_cluster *c, char **nodes,
    int64_t *gpus, struct error *e)
{
	size_t length = strcspn(what, ":");
	char *chosen;
	int whole, rc = 0;

	*gpus = 0;
	*nodes = xstrndup(what, length);
	if (queue_partition(c, *nodes) != NULL && nodes_find(c, *nodes) == NULL)
		rc = error_set(e,
		    "--reserve: %s: is a partition: name nodes of it", *nodes);
	if (rc == 0 && what[length] == ':')
		rc = num_int(
		    "--reserve: GPUs", what + length + 1, 1, 1024, gpus, e);
	if (c->hides_nodes) /* Slurm knows them */
		return rc;
	if (rc == 0) {
		chosen = nodes_choose(c, nodes, 1, e);
		rc = chosen == NULL ? -1 : 0;
		free(chosen);
	}
	if (rc == 0 && *gpus > 0) {
		rc = check_gpus(c, *nodes, *gpus, &whole, e);
		*gpus = whole ? 0 : *gpus;
	}
	return rc;
}

/* Return scontrol's words to make a reservation; strlist_free it. */
static struct strlist
reserve_words(const char *user, const char *nodes, int64_t gpus,
    const char *start, int64_t minutes)
{
	struct strlist w = {0};

	strlist_push(&w, "scontrol");
	strlist_push(&w, "create");
	strlist_push(&w, "reservation");
	strlist_take(&w, xasprintf("StartTime=%s", start));
	strlist_take(&w, xasprintf("Duration=%" PRId64, minutes));
	strlist_take(&w, xasprintf("Users=%s", user));
	strlist_take(&w, xasprintf("Nodes=%s", nodes));
	if (gpus > 0)
		strlist_take(
		    &w, xasprintf("TRESPerNode=gres/gpu=%" PRId64, gpus));
	return w;
}

int
nodes_reserve_words(const struct nodes_request *w,
    const struct queue_cluster *c, int64_t now, struct strlist *out,
    struct error *e)
{
	const struct passwd *me = getpwuid(getuid());
	char *nodes = NULL, *start;
	int64_t gpus, minutes;
	int rc = -1;

	if (me == NULL)
		return error_set(e, "this user has no name");
	if (w->span == NULL)
		return error_set(e, "--reserve: --for says how long it is for");
	if (sbatch_time(w->span, &minutes, e) == -1)
		return error_prefix(e, "--for");
	if (minutes <= 0)
		return error_set(
		    e, "--for: %s: it has to end some time", w->span);
	start = start_text(w->from, now, e);
	if (start != NULL)
		rc = read_what(w->what, c, &nodes, &gpus, e);
	if (rc == 0)
		*out = reserve_words(me->pw_name, nodes, gpus, start, minutes);
	free(nodes);
	free(start);
	return rc;
}

/* ---- reservations and jobs of other users ---- */

/*
 * Return the nodes that are in both lists, as a host list; to free.  NULL if
 * there are none.
 */
static char *
common_nodes(const struct strlist *wanted, const char *list)
{
	struct strlist names = {0}, both = {0};
	char *text = NULL;
	size_t i;

	if (*list != '\0')
		hostlist_expand(list, &names, NULL);
	for (i = 0; i < names.count; i++)
		if (strlist_have(wanted, names.word[i]))
			strlist_push(&both, names.word[i]);
	if (both.count > 0)
		text = hostlist_fold(&both);
	strlist_free(&names);
	strlist_free(&both);
	return text;
}

void
nodes_reserve_others(const struct nodes_request *w,
    const struct queue_allocations *all, int64_t now, struct strlist *out)
{
	char *list = xstrndup(w->what, strcspn(w->what, ":")), *nodes, *until;
	char from[TABLE_TIME], to[TABLE_TIME];
	const struct queue_reservation *r = all->reservation;
	const struct queue_allocation *u = all->use;
	struct strlist wanted = {0};

	hostlist_expand(list, &wanted, NULL);
	for (; r < all->reservation + all->reservations; r++) {
		nodes = r->end > now ? common_nodes(&wanted, r->nodes) : NULL;
		if (nodes != NULL)
			strlist_take(out,
			    xasprintf("%s: reserved as %s for %s, from %s to "
				      "%s",
				nodes, r->name,
				*r->users != '\0' ? r->users : r->accounts,
				nodes_time(r->start, from),
				nodes_time(r->end, to)));
		free(nodes);
	}
	for (; u < all->use + all->uses; u++) {
		nodes = u->running ? common_nodes(&wanted, u->nodes) : NULL;
		if (nodes == NULL)
			continue;
		until = u->end == 0
		    ? xstrdup("without a time limit")
		    : xasprintf("until %s", nodes_time(u->end, to));
		strlist_take(out,
		    xasprintf("%s: job %s of %s runs there %s", nodes, u->job,
			u->user, until));
		free(until);
		free(nodes);
	}
	strlist_free(&wanted);
	free(list);
}

char *
nodes_time(int64_t seconds, char out[TABLE_TIME])
{
	time_t when = (time_t)seconds;
	struct tm tm;

	if (seconds == 0) {
		snprintf(out, TABLE_TIME, "?");
		return out;
	}
	localtime_r(&when, &tm);
	strftime(out, TABLE_TIME, "%Y-%m-%d %H:%M", &tm);
	return out;
}

int
nodes_release_words(const char *name, const struct queue_allocations *u,
    struct strlist *out, struct error *e)
{
	const char **names = xcalloc(u->reservations + 1, sizeof *names);
	const struct queue_reservation *found = NULL;
	char hint[TEXT_HINT];
	int rc = 0;
	size_t i;

	for (i = 0; i < u->reservations; i++) {
		names[i] = u->reservation[i].name;
		if (strcmp(names[i], name) == 0)
			found = &u->reservation[i];
	}
	text_hint(name, names, u->reservations,
	    "stfm-nodes --calendar -o tsv lists them", hint);
	if (found == NULL)
		rc = error_set(e, "%s: no such reservation: %s", name, hint);
	else if (!found->mine)
		rc = error_set(e, "%s: is not yours, it is for %s", name,
		    *found->users != '\0' ? found->users : found->accounts);
	else {
		*out = (struct strlist){0};
		strlist_push(out, "scontrol");
		strlist_push(out, "delete");
		strlist_take(out, xasprintf("ReservationName=%s", name));
	}
	free(names);
	return rc;
}
