#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/preflight.h"
#include "submit/plan.h"
#include "sys/fs-tree.h"
#include "verify/repair-start.h"

/* The batch script of a job if this program was its own, to free, or NULL. */
static char *
batch_with(const struct repair_log *m, const struct store_job *job,
    const struct sbatch_script *script, const char *program)
{
	char *path = xasprintf("%s/jobs/%s", m->lost.store->path, job->name);
	char *runner = xasprintf("%s/libexec/%s", m->lost.store->path, program);
	char *text = job_plan_batch_text(job, script, path, runner), *sum;
	int same;

	sum = store_job_sum(text, strlen(text));
	same = job->batch != NULL && strcmp(sum, job->batch) == 0;
	free(sum);
	free(path);
	free(runner);
	if (same)
		return text;
	free(text);
	return NULL;
}

/* The lines for Slurm come from the user's own script, if there is one. */
static char *
batch_of(const struct repair_log *m, const struct store_job *job)
{
	struct sbatch_script script = {0};
	struct fs_names names = {0};
	char *text = NULL, *own = NULL;
	int dir = fs_open_subdir(m->lost.store->dir, "libexec", 0, NULL);
	size_t length, i;

	if (dir != -1)
		fs_list(dir, &names, NULL);
	if (job->script != NULL &&
	    fs_read(job->dir, "script", 4 << 20, &own, &length, NULL) == 0)
		sbatch_script(own, length, &script, NULL);
	for (i = 0; i < names.count && text == NULL; i++)
		text = batch_with(m, job, &script, names.name[i]);
	sbatch_script_free(&script);
	fs_names_free(&names);
	fs_close(dir);
	free(own);
	return text;
}

int
repair_batch(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f, struct error *e)
{
	struct store_job staged = {.dir = -1};
	char *text = batch_of(m, job);
	int rc;

	if (text == NULL) {
		m->left++;
		repair_say(m,
		    "%s: it cannot be made again: submit the job under another "
		    "name (-J)",
		    f->path);
		return repair_file(m, f, ": it is not what was submitted", e);
	}
	rc = quarantine_stage_job(&m->lost, job, &staged, e);
	if (rc == 0)
		rc = fs_publish_mode(
		    staged.dir, "batch.sh", FS_PROGRAM, text, strlen(text), e);
	if (rc != -1)
		rc = quarantine_take_place(&m->lost, f->path, e);
	if (rc == 0)
		repair_say(m, "%s: made again from the job", f->path);
	fs_close(staged.dir);
	free(text);
	return rc == -1 ? -1 : 0;
}

int
repair_program(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f, struct error *e)
{
	char *text, *name, *ours = NULL, *placed = NULL;

	if (job_preflight_batch(job, &text, e) == -1)
		return -1;
	name = job_preflight_program(text);
	free(text);
	if (m->program != NULL)
		ours = store_program("", m->program, NULL);
	if (name != NULL && ours != NULL && strcmp(ours + 1, name) == 0)
		placed = store_install(m->lost.store, m->program, e);
	if (placed != NULL) {
		repair_say(m, "%s: copied again", name);
	} else {
		m->left++;
		repair_say(m,
		    "%s: it starts %s, which is not there, and this release "
		    "has another: put it back, or submit the job under "
		    "another name (-J)",
		    f->path, name != NULL ? name : "a program");
	}
	free(placed);
	free(ours);
	free(name);
	return 0;
}

int
repair_bared(
    struct repair_log *m, const struct verify_finding *f, struct error *e)
{
	const char *name;
	int dir = fs_open_parent(m->lost.store->dir, f->path, 0, &name, e),
	    rc = -1;
	struct stat st;

	if (dir != -1 && fs_look(dir, name, &st, e) == 0 && S_ISREG(st.st_mode))
		rc = fs_ops.fchmodat(dir, name, st.st_mode & 0555, 0);
	fs_close(dir);
	if (rc == -1)
		return error_errno(e, "%s: cannot change its mode", f->path);
	repair_say(m, "%s: read-only again", f->path);
	return 0;
}
