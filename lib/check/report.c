/* Lines about the report of the probe, and about a task without a report. */
#include <sys/wait.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "check/private.h"
#include "state/pending-reason.h"

static const char shared[] =
    "Name a directory that all nodes share, such as one in your home or "
    "scratch: export STFM_DIR=...";

/* How to choose the Python of the check. */
static const char choose_python[] =
    "Activate the environment of your trainings first, or name their Python: "
    "stfm-check -- venv/bin/python";

/* ---- the node ---- */

void
check_judge_place(struct check_lines *lines, const struct check_report *r)
{
	const char *node = check_fact(r, "node", NULL);
	const char *directory = check_fact(r, "directory", NULL);
	const char *text = check_fact(r, "time", NULL);
	int64_t time;

	if (node == NULL)
		node = "the node";
	if (check_fact(r, "unlisted", NULL) != NULL)
		check_add(lines, CHECK_WARN, "node-store",
		    "Ask your administrators how long that file system keeps "
		    "lists of files (acdirmax of NFS)",
		    "%s reads a file of ours, and does not list it", node);
	else
		check_add(lines, CHECK_OK, "node-store", NULL,
		    "%s and this machine read each other's files", node);

	if (directory != NULL && r->directory != NULL &&
	    strcmp(directory, r->directory) == 0)
		check_add(lines, CHECK_OK, "node-directory", NULL,
		    "%s starts in %s", node, directory);
	else if (directory != NULL && r->directory != NULL)
		check_add(lines, CHECK_WARN, "node-directory",
		    "Submit from a directory that all nodes share, or write "
		    "whole paths in the command",
		    "%s starts in %s, it has no %s", node, directory,
		    r->directory);

	if (text != NULL &&
	    num_int("time", text, 0, INT64_MAX / 2, &time, NULL) == 0 &&
	    !check_add_clock(
		lines, "node-clock", node, time - r->read + r->ahead))
		check_add(lines, CHECK_OK, "node-clock", NULL,
		    "that of %s is as ours", node);
}

/* ---- containers and Python ---- */

void
check_judge_container(struct check_lines *lines, const struct check_report *r)
{
	static const char *const runtimes[] = {
	    "apptainer", "singularity", "pyxis"};
	const char *found = NULL;
	size_t i;

	if (r->runtime != NULL)
		found = check_fact(r, "container", r->runtime);
	for (i = 0; i < 3 && r->runtime == NULL && found == NULL; i++)
		found = check_fact(r, "container", runtimes[i]);
	if (found != NULL)
		check_add(lines, CHECK_OK, "container", NULL, "%s", found);
	else if (r->runtime != NULL)
		check_add(lines, CHECK_FAIL, "container",
		    "Load its module before stfm-submit, which hands PATH on, "
		    "or name another with --container-runtime",
		    "no %s %s", r->runtime, r->here ? "here" : "on that node");
}

/* Add a line about Python.  Returns whether Python works. */
static int
judge_python(struct check_lines *lines, const struct check_report *r)
{
	const char *version = check_fact(r, "python", NULL);
	const char *path = check_fact(r, "python", "path");
	const char *other = check_fact(r, "python", "other");
	const char *command = check_fact(r, "python", "command");
	const char *error = check_fact(r, "python", "error");
	const char *status = check_fact(r, "python", "status");
	char *remedy;

	if (version != NULL && other == NULL) {
		check_add(lines, CHECK_OK, "python", NULL, "%s, %s%s", version,
		    path != NULL ? path : "",
		    r->here ? ", on this machine" : "");
	} else if (version != NULL) {
		remedy = xasprintf(
		    "Name that one: stfm-check -- %s/bin/python, and so to "
		    "stfm-submit; a startup file of the shell, or srun, may "
		    "change PATH",
		    other);
		check_add(lines, CHECK_WARN, "python", remedy,
		    "%s, %s, but the active environment is %s", version,
		    path != NULL ? path : "", other);
		free(remedy);
	} else if (check_fact(r, "python", "missing") != NULL) {
		check_add(lines, CHECK_WARN, "python", choose_python,
		    "there is neither python3 nor python; that is fine for "
		    "trainings in other languages");
	} else {
		check_add(lines, CHECK_FAIL, "python",
		    error != NULL && strstr(error, "probe.py") != NULL
			? "Bind the directory of the store into the "
			  "container, under the same path (apptainer -B)"
			: choose_python,
		    "%s ended with %s%s%s", command ? command : "it",
		    status ? status : "an error", error && *error ? ": " : "",
		    error ? error : "");
	}
	return version != NULL;
}

void
check_judge_python(struct check_lines *lines, const struct check_report *r)
{
	static const char *const names[] = {
	    "tensorflow", "torch", "jax", "keras"};
	const char *version, *error, *backend;
	const struct check_sign *sign;
	int found = 0;
	size_t i;

	if (!judge_python(lines, r))
		return;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		version = check_fact(r, names[i], NULL);
		error = check_fact(r, names[i], "error");
		/* Backend of keras. */
		backend = check_fact(r, names[i], "backend");
		sign = check_sign(error);
		if (version != NULL)
			check_add(lines, CHECK_OK, names[i], NULL, "%s%s%s",
			    version, backend != NULL ? " on " : "",
			    backend != NULL ? backend : "");
		else if (error != NULL)
			check_add(lines, CHECK_FAIL, names[i],
			    sign != NULL
				? sign->remedy
				: "Reinstall it in a separate environment, "
				  "with the versions that it requires",
			    "cannot be imported: %s", error);
		found |= version != NULL || error != NULL;
	}
	if (!found)
		check_add(lines, CHECK_WARN, "framework", choose_python,
		    "this Python has none of tensorflow, torch, jax, keras");
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
