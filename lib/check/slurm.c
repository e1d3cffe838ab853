/* Lines about Slurm and its features. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "check/private.h"
#include "sandbox/cluster-shape.h"
#include "slurm/queue.h"

/* The oldest and the newest Slurm release that stfm was tested with. */
enum { OLDEST = 2011, NEWEST = 2605 };

/* Maximum partitions to name. */
enum { NAMED = 6 };

void
check_judge_silence(struct check_lines *lines, const struct error *why)
{
	const char *remedy = "Ask your administrators; sinfo should work first";

	if (why->code == ERROR_NO_SLURM)
		remedy = "Load your site's module for Slurm, or put its "
			 "commands into PATH; to try stfm on a machine of your "
			 "own: eval \"$(stfm-sandbox env)\" after "
			 "stfm-sandbox start";
	else if (why->code == ERROR_SILENT)
		remedy = "Try again in a minute; if it stays so, ask your "
			 "administrators (scontrol ping)";
	check_add(lines, CHECK_FAIL, "slurm", remedy, "%s", why->text);
}

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

/*
 * Return a text such as "gpu (a100:4), main (2)" about the partitions that are
 * up and, if gpus is set, have GPUs; to free.  Sets *count to their number.
 */
static char *
names(const struct queue_cluster *c, int gpus, size_t *count)
{
	const struct queue_partition *p;
	char *text = NULL;
	size_t length, i, n = 0;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < c->partitions; i++) {
		p = &c->partition[i];
		if (!p->up || (gpus && p->gpus == 0) || ++n > NAMED)
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

static void
judge_wanted(struct check_lines *lines, const struct queue_cluster *c,
    const struct check_wanted *wanted)
{
	const char *list = wanted->partition; /* "gpu,main" means either */
	char *name = list != NULL ? xstrndup(list, strcspn(list, ",")) : NULL;
	const struct queue_partition *p = queue_partition(c, name);
	char span[NUM_TEXT];

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
	else if (wanted->gpu && p->gpus == 0 && !c->hides_nodes)
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
    const struct check_wanted *wanted)
{
	size_t count;
	char *text = names(c, 0, &count);

	if (c->hides_partitions)
		check_add(lines, CHECK_WARN, "partitions",
		    "Ask your administrators for their names, to choose one "
		    "with -p",
		    "this site hides them from you (PrivateData)");
	else if (count == 0)
		check_add(lines, CHECK_FAIL, "partitions",
		    "Ask your administrators", "none of %zu is up",
		    c->partitions);
	else
		check_add(lines, CHECK_OK, "partitions", NULL, "%zu: %s", count,
		    text);
	free(text);
	if (count > 0)
		judge_wanted(lines, c, wanted);
}

static void
judge_gres(struct check_lines *lines, const struct queue_cluster *c,
    const struct check_wanted *wanted)
{
	enum check_word bad = wanted->gpu ? CHECK_FAIL : CHECK_WARN;
	size_t count;
	char *text = names(c, 1, &count);

	if (!text_lists(c->gres_types, "gpu"))
		check_add(lines, bad, "gres",
		    "Ask your administrators for GresTypes=gpu and a "
		    "gres.conf; to train without GPUs: stfm-submit --gres=none",
		    "Slurm does not manage GPUs here (GresTypes is %s)",
		    *c->gres_types != '\0' ? c->gres_types : "empty");
	else if (c->hides_partitions || c->hides_nodes)
		check_add(lines, CHECK_WARN, "gres",
		    "Ask your administrators which partition has GPUs; "
		    "stfm-check --gpu -p PARTITION tries one",
		    "Slurm manages GPUs, but this site hides from you which "
		    "nodes have them (PrivateData)");
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

static void
judge_accounting(struct check_lines *lines, const struct queue_cluster *c,
    const char *silence)
{
	int minutes = c->min_age % 60 == 0 && c->min_age > 60;
	char *span, *remedy;

	if (c->accounting && silence == NULL) {
		check_add(lines, CHECK_OK, "accounting", NULL,
		    "there is a database: nothing is forgotten");
		return;
	}
	if (c->accounting) {
		check_add(lines, CHECK_WARN, "accounting",
		    "Try sacct; until it answers, stfm cannot learn the end of "
		    "tasks that Slurm has forgotten",
		    "there is a database, but it does not answer: %s", silence);
		return;
	}
	span =
	    xasprintf("%" PRIu32 " %s", minutes ? c->min_age / 60 : c->min_age,
		minutes ? "minutes" : "seconds");
	remedy = xasprintf(
	    "Run stfm-watch or stfm-status at least every %s, or the end of "
	    "tasks that died with their node may stay unknown (LOST)",
	    span);
	check_add(lines, CHECK_WARN, "accounting", remedy,
	    "there is no database: Slurm forgets a task %s after its end",
	    span);
	free(remedy);
	free(span);
}

void
check_judge_cluster(struct check_lines *lines, const struct queue_cluster *c,
    const char *client, const char *silence, const struct check_wanted *wanted)
{
	check_add(lines, CHECK_OK, "slurm", NULL, "cluster %s answers",
	    c->name != NULL && *c->name != '\0' ? c->name : "without a name");
	judge_versions(lines, c->version != NULL ? c->version : "", client);
	judge_partitions(lines, c, wanted);
	judge_gres(lines, c, wanted);
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
	judge_accounting(lines, c, silence);
}
