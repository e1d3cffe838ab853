/* What a node saw of the store, and what became of the task there. */
#include <sys/wait.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "check/private.h"
#include "state/pending-reason.h"

enum { CLOCKS_DIFFER = 5 };

static const char shared[] =
    "Name a directory that all nodes share, such as one in your home or "
    "scratch: export STFM_DIR=...";

char *
check_cluster_fact(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (*text != '\0') {
		if (strncmp(text, name, length) == 0 && text[length] == '=') {
			text += length + 1;
			return xstrndup(text, strcspn(text, "\n"));
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return NULL;
}

/* ---- the place ---- */

static void
judge_store(
    struct check_lines *lines, const struct check_report *r, const char *node)
{
	char *unlisted = check_cluster_fact(r->text, "unlisted");

	if (unlisted != NULL)
		check_add(lines, CHECK_WARN, "node-store",
		    "Ask your administrators how long that file system keeps "
		    "lists of files (acdirmax of NFS)",
		    "%s reads a file of ours, and does not list it", node);
	else
		check_add(lines, CHECK_OK, "node-store", NULL,
		    "%s reads what we write, and we what it writes", node);
	free(unlisted);
}

static void
judge_directory(
    struct check_lines *lines, const struct check_report *r, const char *node)
{
	char *there = check_cluster_fact(r->text, "directory");

	if (there == NULL || r->directory == NULL) {
		free(there);
		return;
	}
	if (strcmp(there, r->directory) == 0)
		check_add(lines, CHECK_OK, "node-directory", NULL,
		    "%s starts in %s", node, there);
	else
		check_add(lines, CHECK_WARN, "node-directory",
		    "Submit from a directory that all nodes share, or write "
		    "whole paths in the command",
		    "%s starts in %s, it has no %s", node, there, r->directory);
	free(there);
}

static void
judge_clock(
    struct check_lines *lines, const struct check_report *r, const char *node)
{
	char *text = check_cluster_fact(r->text, "time");
	int64_t time, ahead;

	if (text == NULL ||
	    num_int("time", text, 0, INT64_MAX / 2, &time, NULL) == -1) {
		free(text);
		return;
	}
	free(text);
	ahead = time - r->read + r->ahead;
	if (ahead > CLOCKS_DIFFER || ahead < -CLOCKS_DIFFER)
		check_add(lines, CHECK_WARN, "node-clock",
		    "Ask your administrators to set the clocks; states stay "
		    "right, times may look odd",
		    "that of %s is %" PRId64 " seconds %s ours", node,
		    ahead < 0 ? -ahead : ahead,
		    ahead < 0 ? "behind" : "ahead of");
	else
		check_add(lines, CHECK_OK, "node-clock", NULL,
		    "that of %s is as ours", node);
}

void
check_judge_place(struct check_lines *lines, const struct check_report *r)
{
	char *node = check_cluster_fact(r->text, "node");

	if (node == NULL)
		node = xstrdup("the node");
	judge_store(lines, r, node);
	judge_directory(lines, r, node);
	judge_clock(lines, r, node);
	free(node);
}

/* ---- the task ---- */

void
check_judge_waiting(struct check_lines *lines, const struct check_task *t)
{
	static const struct job_waiting nobody = {0};
	struct job_pending_reason reason;
	char *remedy, *start = NULL, span[NUM_TEXT];

	job_pending_reason(&nobody, t->cause, &reason);
	remedy = xasprintf(
	    "%s; or let it wait longer with --wait SECONDS, or try another "
	    "partition with -p",
	    reason.to_do != NULL ? reason.to_do : "Look at squeue --me");
	if (t->expected > 0)
		start = xasprintf("; Slurm expects to start it in %s",
		    num_span(t->expected, span));
	check_add(lines, CHECK_WARN, "task", remedy,
	    "Slurm took a small one (%" PRIu32 "), which did not start "
	    "within %" PRId64 " seconds, because %s%s",
	    t->array, t->waited, reason.why, start != NULL ? start : "");
	free(start);
	free(remedy);
	job_pending_reason_free(&reason);
}

void
check_judge_end(struct check_lines *lines, const struct check_task *t,
    const char *store, const char *state)
{
	const char *node = t->node != NULL && *t->node ? t->node : "the node";
	int code = WIFEXITED(t->exit_status) ? WEXITSTATUS(t->exit_status) : -1;

	if (code == PROBE_NO_DIRECTORY)
		check_add(lines, CHECK_FAIL, "node-store", shared,
		    "%s has no %s", node, store);
	else if (code == PROBE_OTHER_DIRECTORY)
		check_add(lines, CHECK_FAIL, "node-store", shared,
		    "%s has another directory as %s", node, store);
	else if (code == PROBE_NO_WRITING)
		check_add(lines, CHECK_FAIL, "node-store",
		    "See there whether your quota is used up, or whether it is "
		    "mounted read-only: srun touch",
		    "%s cannot write to %s", node, store);
	else if (code == 0)
		check_add(lines, CHECK_FAIL, "node-store", shared,
		    "what %s has written to %s is not seen here", node, store);
	else
		check_add(lines, CHECK_FAIL, "task",
		    "Ask your administrators to look into the log of slurmd "
		    "there, or try another partition with -p",
		    "Slurm took a small one (%" PRIu32
		    "), and it ended as %s on %s before it could say anything",
		    t->array, state, node);
}
