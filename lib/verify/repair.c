/* The repair of a job: which finding is mended how, and in which order. */
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "reconcile/reconcile.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/store.h"
#include "store/table.h"
#include "verify/private.h"

/* ---- small repairs ---- */

/* Move a whole directory, to keep its content together. */
static int
repair_job_directory(
    struct repair *r, const struct verify_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s", f->job);
	int rc = repair_move(r, path, e);

	if (rc == 0)
		repair_report(r,
		    "%s: moved aside with all that is in it, to %s/%s; its "
		    "tasks that have not started will not train, and the name "
		    "is free",
		    path, r->quarantine, path);
	free(path);
	return rc;
}

/*
 * Move all generations of the table, because the error comes from older ones.
 */
static int
repair_table(struct repair *r, const struct verify_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s/fold", f->job);
	struct error why;
	int rc = repair_move(r, path, &why);

	if (rc == 0)
		repair_report(
		    r, "%s: moved aside: the table is made again", path);
	else if (why.code == ERROR_ABSENT)
		rc = 0; /* an earlier finding about the table moved it */
	else
		error_copy(e, &why);
	free(path);
	return rc;
}

static int
repair_part(struct repair *r, const struct verify_finding *f, struct error *e)
{
	struct error why;
	int moved = repair_move(r, f->path, &why);

	if (moved == -1 && why.code != ERROR_ABSENT)
		return error_copy(e, &why);
	if (fs_make_subdir(store_job_dir(r->job), fs_base(f->path), e) == -1)
		return -1;
	repair_report(r, "%s: %smade again, and empty", f->path,
	    moved == 0 ? "moved aside, " : "");
	return 0;
}

static int
repair_format(struct repair *r, const struct verify_finding *f, struct error *e)
{
	struct store staged = *r->store;
	int rc = -1;

	staged.dir = repair_stage(r, "", e);
	if (staged.dir != -1)
		rc = store_format(&staged, e);
	fs_close(staged.dir);
	if (rc == 0)
		rc = repair_replace(r, f->path, e);
	if (rc == -1)
		return -1;
	repair_report(r, "%s: made again", f->path);
	return 0;
}

/* ---- the steps ---- */

/*
 * The steps of a job's repair.  The table cannot be loaded without the job's
 * parts.  The table may have lost facts: they are remade before the table is.
 * The facts give the array of a claim.
 */
enum step { PARTS, RECORDS, LOST_FACTS, CLAIMS, TABLES, STEPS };

/*
 * How to repair a finding: call repair; or move the file and report what this
 * means (moved); or leave the file and report why (left).
 */
static const struct {
	enum step step;
	repair_one *repair;
	const char *moved, *left;
} repairs[] = {
    [FINDING_STAYS] = {RECORDS, .left = "nothing can be done about it here"},
    [FINDING_FILE] = {RECORDS, .moved = ""},
    [FINDING_FACT] = {RECORDS, repair_fact},
    [FINDING_MISPLACED] = {RECORDS,
	.moved = ": it is not the fact of this name"},
    [FINDING_PACK] = {RECORDS, repair_pack},
    [FINDING_INTENT] = {RECORDS, repair_intent},
    [FINDING_CLAIM] = {CLAIMS, repair_claim},
    [FINDING_STOP] = {RECORDS,
	.moved =
	    ": it was a request to stop tasks, but which ones is lost: stop "
	    "them again with stfm-stop"},
    [FINDING_GENERATION] = {TABLES, .moved = ": the table is made again"},
    [FINDING_TABLE] = {TABLES, repair_table},
    [FINDING_PART] = {PARTS, repair_part},
    [FINDING_BATCH] = {RECORDS, repair_batch},
    [FINDING_PROGRAM] = {RECORDS, repair_program},
    [FINDING_WRITABLE] = {RECORDS, repair_writable},
    [FINDING_FORMAT] = {RECORDS, repair_format},
    [FINDING_EXTENSION] = {RECORDS,
	.left = "nothing can be done about it here"},
    [FINDING_CHANGE] = {RECORDS, .left = "nothing can be done about it here"},
    [FINDING_OPEN] = {RECORDS,
	.left =
	    "not changed: check what other users wrote there before you remove "
	    "their access"},
    [FINDING_JOB] = {RECORDS, repair_job_directory},
    [FINDING_LOST] = {LOST_FACTS, repair_lost},
};

static int
repair_finding(
    struct repair *r, const struct verify_finding *f, struct error *e)
{
	if (repairs[f->kind].repair != NULL)
		return repairs[f->kind].repair(r, f, e);
	if (repairs[f->kind].moved != NULL)
		return repair_file(r, f, repairs[f->kind].moved, e);
	r->left++;
	repair_report(r, "%s: %s", f->path, repairs[f->kind].left);
	return 0;
}

/* Repair the findings of a step about a job, or about the store (NULL). */
static int
repair_step(struct repair *r, const struct verify_findings *found,
    const char *name, enum step step, struct error *e)
{
	const struct verify_finding *f, *end = found->item + found->count;
	int rc = 0;

	for (f = found->item; rc == 0 && f < end; f++)
		if (f->kind != FINDING_NOTE && text_same(f->job, name) &&
		    repairs[f->kind].step == step)
			rc = repair_finding(r, f, e);
	/* By now no misplaced fact has another fact's name. */
	for (f = found->item; rc == 0 && step == RECORDS && f < end; f++)
		if (f->kind == FINDING_MISPLACED && text_same(f->job, name))
			rc = repair_place(r, f, e);
	return rc;
}

/* Repair a job that cannot be loaded because of why. */
static int
repair_no_job(struct repair *r, const struct verify_findings *found,
    const char *name, const struct error *why, struct error *e)
{
	const struct verify_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < found->count; i++) {
		f = &found->item[i];
		if (f->kind == FINDING_NOTE || !text_same(f->job, name))
			continue;
		if (f->kind == FINDING_JOB || f->kind == FINDING_STAYS)
			rc = repair_finding(r, f, e);
		else if (f->kind == FINDING_EXTENSION)
			rc = repair_extensions(r, name, e);
		else if (f->kind == FINDING_CHANGE)
			rc = repair_changes(r, name, e);
		else /* the job could be read when it was verified */
			rc = error_copy(e, why);
	}
	return rc;
}

/* Repair all findings about a job. */
static int
repair_whole_job(struct repair *r, const struct verify_findings *found,
    const char *name, struct error *e)
{
	struct error why;
	struct store_job *job = store_job_load(r->store, name, &why);
	struct store_table *table = NULL;
	int step, rc;

	if (job == NULL)
		return repair_no_job(r, found, name, &why, e);
	r->job = job;
	rc = repair_step(r, found, name, PARTS, e);
	if (rc == 0) {
		r->table = table = store_table_load(job, e);
		rc = table == NULL ? -1 : 0;
	}
	for (step = PARTS + 1; rc == 0 && step < STEPS; step++)
		rc = repair_step(r, found, name, step, e);
	store_table_free(table);
	store_job_free(job);
	r->job = NULL;
	r->table = NULL;
	return rc;
}

/* Make the table of a job again, without Slurm. */
static int
remake_table(struct repair *r, const char *name, struct error *e)
{
	struct store_job *job = store_job_load(r->store, name, NULL);
	struct reconcile *pass;
	struct error why;
	int rc = 0;

	if (job == NULL)
		return 0; /* the job was moved to the quarantine */
	pass = reconcile_alone(r->store, &why);
	if (pass == NULL ||
	    reconcile_job(pass, job, NULL, NULL, NULL, &why) != 0)
		rc = error_copy(e, &why);
	if (rc == -1 &&
	    (why.code == ERROR_ABSENT || store_directory_is_damage(&why))) {
		repair_report(
		    r, "jobs/%s: its table is as it was: %s", name, why.text);
		r->left++;
		rc = 0;
	}
	reconcile_free(pass);
	store_job_free(job);
	return rc;
}

int64_t
repair_store(struct verify_findings *found, const char *program,
    struct strlist *report, struct error *e)
{
	struct repair r = {
	    .store = found->store, .program = program, .report = report};
	const struct verify_finding *f;
	struct strlist jobs = {0};
	int rc;
	size_t i;

	repair_begin(&r);
	for (i = 0; i < found->count; i++) {
		f = &found->item[i];
		if (f->kind != FINDING_NOTE && f->job != NULL &&
		    !strlist_have(&jobs, f->job))
			strlist_push(&jobs, f->job);
	}
	rc = repair_step(&r, found, NULL, RECORDS, e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = repair_whole_job(&r, found, jobs.word[i], e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = remake_table(&r, jobs.word[i], e);
	if (r.moved)
		repair_report(&r, "what was moved aside is in %s/%s",
		    found->store->path, r.quarantine);
	repair_end(&r);
	strlist_free(&jobs);
	return rc == -1 ? -1 : (int64_t)r.left;
}
