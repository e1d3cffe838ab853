/* Repair of the files that a job's tasks start from. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/preflight.h"
#include "store/directory.h"
#include "store/store.h"
#include "submit/plan.h"
#include "verify/private.h"

/*
 * Return the batch script of the job, to free, or NULL.  Tries each program in
 * libexec/ until the script's checksum is right.  The #SBATCH lines come from
 * the user's own script, if there is one.
 */
static char *
remake_batch(const struct repair *r)
{
	struct sbatch_script script = {0};
	struct fs_names names = {0};
	char *path = xasprintf("%s/jobs/%s", r->store->path, r->job->name);
	char *text = NULL, *own = NULL, *runner, *sum;
	int dir = fs_open_subdir(r->store->dir, "libexec", 0, NULL), same = 0;
	size_t length, i;

	if (dir != -1)
		fs_list(dir, &names, NULL);
	if (r->job->script != NULL &&
	    fs_read(r->job->dir, "script", 4 << 20, &own, &length, NULL) == 0)
		sbatch_script(own, length, &script, NULL);
	for (i = 0; i < names.count && !same; i++) {
		free(text);
		runner =
		    xasprintf("%s/libexec/%s", r->store->path, names.name[i]);
		text = job_plan_batch_text(r->job, &script, path, runner);
		sum = store_job_sum(text, strlen(text));
		same = r->job->batch != NULL && strcmp(sum, r->job->batch) == 0;
		free(sum);
		free(runner);
	}
	if (!same) {
		free(text);
		text = NULL;
	}
	sbatch_script_free(&script);
	store_directory_close(dir, &names);
	free(own);
	free(path);
	return text;
}

int
repair_batch(struct repair *r, const struct verify_finding *f, struct error *e)
{
	struct store_job staged = {.dir = -1};
	char *text = remake_batch(r);
	int rc;

	if (text == NULL) {
		r->left++;
		repair_report(r,
		    "%s: it cannot be made again: submit the job under another "
		    "name (-J)",
		    f->path);
		return repair_file(r, f, ": it is not what was submitted", e);
	}
	rc = repair_stage_job(r, &staged, e);
	if (rc == 0)
		rc = fs_publish_mode(
		    staged.dir, "batch.sh", FS_PROGRAM, text, strlen(text), e);
	if (rc != -1)
		rc = repair_replace(r, f->path, e);
	if (rc == 0)
		repair_report(r, "%s: made again from the job", f->path);
	fs_close(staged.dir);
	free(text);
	return rc == -1 ? -1 : 0;
}

int
repair_program(
    struct repair *r, const struct verify_finding *f, struct error *e)
{
	char *text, *name, *ours = NULL, *copied = NULL;

	if (job_preflight_batch(r->job, &text, e) == -1)
		return -1;
	name = job_preflight_program(text);
	free(text);
	if (r->program != NULL)
		ours = store_program("", r->program, NULL);
	if (name != NULL && ours != NULL && strcmp(ours + 1, name) == 0)
		copied = store_install(r->store, r->program, e);
	if (copied != NULL) {
		repair_report(r, "%s: copied again", name);
	} else {
		r->left++;
		repair_report(r,
		    "%s: it starts %s, which is not there, and this release "
		    "has another: put it back, or submit the job under "
		    "another name (-J)",
		    f->path, name != NULL ? name : "a program");
	}
	free(copied);
	free(ours);
	free(name);
	return 0;
}

int
repair_writable(
    struct repair *r, const struct verify_finding *f, struct error *e)
{
	const char *name;
	int dir = fs_open_parent(r->store->dir, f->path, 0, &name, e), rc = -1;
	struct stat st;

	if (dir != -1 && fs_stat(dir, name, &st, e) == 0 && S_ISREG(st.st_mode))
		rc = fs_ops.fchmodat(dir, name, st.st_mode & 0555, 0);
	fs_close(dir);
	if (rc == -1)
		return error_errno(e, "%s: cannot change its mode", f->path);
	repair_report(r, "%s: read-only again", f->path);
	return 0;
}
