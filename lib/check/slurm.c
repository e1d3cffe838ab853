/* What Slurm offers, in lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "check/private.h"
#include "slurm/cluster-shape.h"

/* The releases that stfm was tried with. */
enum { OLDEST = 2011, NEWEST = 2605 };

/* More partitions than these are not named. */
enum { NAMED = 6 };

void
check_judge_silence(struct check_lines *lines, const struct error *why)
{
	if (why->code == ERROR_ABSENT)
		check_add(lines, CHECK_FAIL, "slurm",
		    "Load your site's module for Slurm, or put its commands "
		    "into PATH; to try stfm on a machine of your own: "
		    "eval \"$(stfm-sandbox env)\" after stfm-sandbox start",
		    "%s", why->text);
	else
		check_add(lines, CHECK_FAIL, "slurm",
		    why->code == ERROR_LATER
			? "Try again in a minute; if it stays so, ask your "
			  "administrators (scontrol ping)"
			: "Ask your administrators; sinfo should work first",
		    "%s", why->text);
}

/* ---- versions ---- */

static void
judge_versions(
    struct check_lines *lines, const char *server, const char *client)
{
	int theirs = cluster_version(server);
	int ours = cluster_version(client);

	if (theirs != -1 && ours > theirs)
		check_add(lines, CHECK_WARN, "versions",
		    "Load the module for the Slurm of this cluster: newer "
		    "commands than slurmctld are not supported by Slurm",
		    "the commands are %s, slurmctld is %s", client, server);
	else if (theirs != -1 && (theirs < OLDEST || theirs > NEWEST))
		check_add(lines, CHECK_WARN, "versions",
		    "Should something about Slurm look wrong, set "
		    "STFM_SLURM=text, and tell us",
		    "Slurm %s; stfm was tried with 20.11 to 26.05", server);
	else
		check_add(lines, CHECK_OK, "versions", NULL,
		    "the commands are %s, slurmctld is %s",
		    *client != '\0' ? client : "of an unknown version", server);
}

/* ---- partitions and GPUs ---- */

static int
offers_gpus(const struct queue_partition *p)
{
	return p->up && p->gpus > 0;
}

/* "gpu (a100:4), main (2)", of those that a test holds for. */
static char *
names(const struct queue_cluster *c, int gpus, size_t *count)
{
	const struct queue_partition *p;
	char *text = NULL;
	size_t length, i, n = 0;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < c->partitions; i++) {
		p = &c->partition[i];
		if (gpus ? !offers_gpus(p) : !p->up)
			continue;
		if (++n > NAMED)
			continue;
		fprintf(out, "%s%s", n == 1 ? "" : ", ", p->name);
		if (gpus && *p->gpu_types != '\0')
			fprintf(out, " (%s)", p->gpu_types);
		else if (gpus)
			fprintf(out, " (%" PRIu32 ")", p->gpus);
		else if (p->is_default)
			fputs(" (default)", out);
	}
	if (n > NAMED)
		fprintf(out, " and %zu more", n - NAMED);
	xmemclose(out);
	*count = n;
	return text;
}

/* The first of "gpu,main": Slurm takes either. */
static char *
first(const char *partitions)
{
	if (partitions == NULL)
		return NULL;
	return xstrndup(partitions, strcspn(partitions, ","));
}

static void
judge_wished(struct check_lines *lines, const struct queue_cluster *c,
    const struct check_wish *wish)
{
	char *name = first(wish->partition), span[NUM_TEXT];
	const struct queue_partition *p = queue_partition(c, name);

	if (p == NULL && name != NULL)
		check_add(lines, CHECK_FAIL, "partition",
		    "-p takes one that sinfo shows", "there is no %s", name);
	else if (p == NULL)
		check_add(lines, CHECK_WARN, "partition",
		    "Name one with -p, here and to stfm-submit",
		    "there is no default partition");
	else if (!p->up)
		check_add(lines, CHECK_FAIL, "partition",
		    "Name another with -p, or ask your administrators",
		    "%s is down, or starts no jobs", p->name);
	else if (wish->gpu && p->gpus == 0)
		check_add(lines, CHECK_FAIL, "partition",
		    "Name one with -p that has GPUs", "%s has no GPUs",
		    p->name);
	else
		check_add(lines, CHECK_OK, "partition", NULL,
		    "%s: %" PRIu32 " nodes, %s%s", p->name, p->nodes,
		    p->minutes == -1 ? "no time limit" : "at most ",
		    p->minutes == -1 ? "" : num_span(p->minutes * 60, span));
	free(name);
}

static void
judge_partitions(struct check_lines *lines, const struct queue_cluster *c,
    const struct check_wish *wish)
{
	size_t count;
	char *text = names(c, 0, &count);

	if (count == 0)
		check_add(lines, CHECK_FAIL, "partitions",
		    "Ask your administrators", "none is up of %zu",
		    c->partitions);
	else
		check_add(lines, CHECK_OK, "partitions", NULL, "%zu: %s", count,
		    text);
	free(text);
	if (count > 0)
		judge_wished(lines, c, wish);
}

static int
has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (*list != '\0') {
		if (strcspn(list, ",") == length &&
		    strncmp(list, word, length) == 0)
			return 1;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return 0;
}

static void
judge_gres(struct check_lines *lines, const struct queue_cluster *c,
    const struct check_wish *wish)
{
	enum check_word bad = wish->gpu ? CHECK_FAIL : CHECK_WARN;
	size_t count;
	char *text = names(c, 1, &count);

	if (!has_word(c->gres_types, "gpu"))
		check_add(lines, bad, "gres",
		    "Ask your administrators for GresTypes=gpu and a "
		    "gres.conf; to train without GPUs: stfm-submit --gres=none",
		    "Slurm does not manage GPUs here (GresTypes is %s)",
		    *c->gres_types != '\0' ? c->gres_types : "empty");
	else if (count == 0)
		check_add(lines, bad, "gres",
		    "Ask your administrators whether nodes with GPUs are down "
		    "or lack their Gres=; to train without: stfm-submit "
		    "--gres=none",
		    "no partition that is up has GPUs");
	else
		check_add(lines, CHECK_OK, "gres", NULL,
		    "GPUs on one node, at most: %s", text);
	free(text);
}

/* ---- limits ---- */

/* "5 minutes", "90 seconds". */
static void
span_text(uint32_t seconds, char out[NUM_TEXT])
{
	int whole = seconds % 60 == 0 && seconds > 60;

	snprintf(out, NUM_TEXT, "%" PRIu32 " %s",
	    whole ? seconds / 60 : seconds, whole ? "minutes" : "seconds");
}

static void
judge_limits(struct check_lines *lines, const struct queue_cluster *c)
{
	if (c->max_array == 0)
		check_add(lines, CHECK_FAIL, "arrays",
		    "Ask your administrators for MaxArraySize=1001 or more",
		    "Slurm takes no job arrays, which stfm needs (MaxArraySize "
		    "is 0)");
	else
		check_add(lines, CHECK_OK, "arrays", NULL,
		    "at most %" PRIu32 " tasks each (MaxArraySize %" PRIu32
		    "), larger jobs become several; %" PRIu32
		    " tasks in the queue (MaxJobCount)",
		    c->max_array, c->max_array, c->max_jobs);
}

/* silence is why there is no answer, where there is a database, or NULL. */
static void
judge_accounting(struct check_lines *lines, const struct queue_cluster *c,
    const char *silence)
{
	char span[NUM_TEXT];
	char *remedy;

	if (c->accounting && silence == NULL) {
		check_add(lines, CHECK_OK, "accounting", NULL,
		    "there is a database: nothing is forgotten");
		return;
	}
	if (c->accounting) {
		check_add(lines, CHECK_WARN, "accounting",
		    "Try sacct; how a task ended that Slurm itself has "
		    "forgotten is told when it answers",
		    "there is a database, but it does not answer: %s", silence);
		return;
	}
	span_text(c->min_age, span);
	remedy = xasprintf(
	    "Have stfm-watch run, or look with stfm-status, at least every "
	    "%s: what became of tasks that died with their node may else stay "
	    "unknown (LOST)",
	    span);
	check_add(lines, CHECK_WARN, "accounting", remedy,
	    "there is no database: Slurm forgets a task %s after its end",
	    span);
	free(remedy);
}

void
check_judge_cluster(struct check_lines *lines, const struct queue_cluster *c,
    const char *client, const char *silence, const struct check_wish *wish)
{
	check_add(lines, CHECK_OK, "slurm", NULL, "cluster %s answers",
	    c->name != NULL && *c->name != '\0' ? c->name : "without a name");
	judge_versions(lines, c->version != NULL ? c->version : "", client);
	judge_partitions(lines, c, wish);
	judge_gres(lines, c, wish);
	judge_limits(lines, c);
	judge_accounting(lines, c, silence);
}
