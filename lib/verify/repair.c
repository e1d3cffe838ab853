#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "reconcile/reconcile.h"
#include "store/directory.h"
#include "sys/fs.h"
#include "verify/repair-chunks.h"
#include "verify/repair-extension.h"
#include "verify/repair-facts.h"
#include "verify/repair-start.h"
#include "verify/repair.h"

/* All that was found, while it is mended. */
struct repair {
	struct repair_log mend;
	const struct verify_findings *found;
};

/* A whole directory: what is in it stays together. */
static int
mend_job(struct repair_log *m, const struct verify_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s", f->job);
	int rc = quarantine_move(&m->lost, path, e);

	if (rc == 0)
		repair_say(m,
		    "%s: moved aside with all that is in it, to %s/%s; its "
		    "tasks that have not started will not train, and the name "
		    "is free",
		    path, m->lost.path, path);
	free(path);
	return rc;
}

/* All generations, because the older ones are the mistake's source. */
static int
mend_table(
    struct repair_log *m, const struct verify_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s/fold", f->job);
	int rc = quarantine_move(&m->lost, path, e);

	if (rc == 0)
		repair_say(m, "%s: moved aside: the table is made again", path);
	else if (errno == ENOENT)
		rc = 0; /* another row of it was wrong as well */
	free(path);
	return rc;
}

/* Where a part should be, which is empty then. */
static int
mend_part(struct repair_log *m, const struct store_job *job,
    const struct verify_finding *f, struct error *e)
{
	int moved = quarantine_move(&m->lost, f->path, e);

	if ((moved == -1 && errno != ENOENT) ||
	    fs_make_subdir(job->dir, fs_base(f->path), e) == -1)
		return -1;
	repair_say(m, "%s: %smade again, and empty", f->path,
	    moved == 0 ? "moved aside, " : "");
	return 0;
}

static int
mend_format(
    struct repair_log *m, const struct verify_finding *f, struct error *e)
{
	struct store staged = *m->lost.store;
	int rc = -1;

	staged.dir = quarantine_stage(&m->lost, "", e);
	if (staged.dir != -1)
		rc = store_format(&staged, e);
	fs_close(staged.dir);
	if (rc == 0)
		rc = quarantine_take_place(&m->lost, f->path, e);
	if (rc == -1)
		return -1;
	repair_say(m, "%s: made again", f->path);
	return 0;
}

static int
mend(struct repair_log *m, const struct store_job *job,
    const struct store_table *fold, const struct verify_finding *f,
    struct error *e)
{
	switch (f->kind) {
	case FINDING_FACT:
		return repair_fact(m, job, fold, f, e);
	case FINDING_MISPLACED:
		return repair_misplaced(m, f, e);
	case FINDING_LOST:
		return repair_lost(m, job, fold, f, e);
	case FINDING_PACK:
		return repair_pack(m, job, f, e);
	case FINDING_INTENT:
		return repair_intent(m, job, fold, f, e);
	case FINDING_CLAIM:
		return repair_claim(m, job, f, e);
	case FINDING_WISH:
		return repair_file(m, f,
		    ": somebody wished tasks to stop, and which is lost; say "
		    "it again with stfm-stop",
		    e);
	case FINDING_FOLD:
		return repair_file(m, f, ": the table is made again", e);
	case FINDING_TABLE:
		return mend_table(m, f, e);
	case FINDING_PART:
		return mend_part(m, job, f, e);
	case FINDING_BATCH:
		return repair_batch(m, job, f, e);
	case FINDING_PROGRAM:
		return repair_program(m, job, f, e);
	case FINDING_BARED:
		return repair_bared(m, f, e);
	case FINDING_FORMAT:
		return mend_format(m, f, e);
	case FINDING_JOB:
		return mend_job(m, f, e);
	case FINDING_OPEN:
		m->left++;
		repair_say(m,
		    "%s: left as it is: see what others may have put there "
		    "before you close it to them",
		    f->path);
		return 0;
	case FINDING_FILE:
		return repair_file(m, f, "", e);
	default:
		m->left++;
		repair_say(m, "%s: nothing can be done about it here", f->path);
		return 0;
	}
}

/* ---- in order ---- */

/*
 * The table as it is may know facts that are gone: they are made again before
 * it is replaced.
 */
enum { PARTS, RECORDS, PLACES, LOST_FACTS, CLAIMS, TABLES, STAGES };

static int
stage_of(enum verify_finding_kind kind)
{
	switch (kind) {
	case FINDING_PART: /* without them the table cannot be loaded */
		return PARTS;
	case FINDING_LOST:
		return LOST_FACTS;
	case FINDING_CLAIM: /* what tasks said tells the array */
		return CLAIMS;
	case FINDING_FOLD:
	case FINDING_TABLE:
		return TABLES;
	default:
		return RECORDS;
	}
}

static int
is_about(const struct verify_finding *f, const char *job)
{
	return text_same(f->job, job);
}

/* What one kind of finding needs when all others of its stage are done. */
static int
put_all_in_place(struct repair *r, const char *name,
    const struct store_job *job, struct error *e)
{
	const struct verify_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind == FINDING_MISPLACED && is_about(f, name))
			rc = repair_place(&r->mend, job, f, e);
	}
	return rc;
}

static int
mend_stage(struct repair *r, const char *name, const struct store_job *job,
    const struct store_table *fold, int stage, struct error *e)
{
	const struct verify_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind != FINDING_NOTE && is_about(f, name) &&
		    stage_of(f->kind) == stage)
			rc = mend(&r->mend, job, fold, f, e);
	}
	if (rc == 0 && stage == PLACES)
		rc = put_all_in_place(r, name, job, e);
	return rc;
}

/* A job that is not to be loaded, for this reason. */
static int
mend_no_job(struct repair *r, const char *name, const struct error *why,
    struct error *e)
{
	const struct verify_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind == FINDING_NOTE || !is_about(f, name))
			continue;
		if (f->kind == FINDING_JOB || f->kind == FINDING_STAYS)
			rc = mend(&r->mend, NULL, NULL, f, e);
		else if (f->kind == FINDING_EXTENSION)
			rc = repair_extensions(&r->mend, name, e);
		else /* it could be read before */
			rc = error_set(e, "%s", why->text);
	}
	return rc;
}

/* All findings about a job, or about the store itself (NULL). */
static int
mend_all(struct repair *r, const char *name, struct error *e)
{
	struct error why;
	struct store_job *job = name != NULL
	    ? store_job_load(r->mend.lost.store, name, &why)
	    : NULL;
	struct store_table *fold = NULL;
	int stage, rc = 0;

	if (name != NULL && job == NULL)
		rc = mend_no_job(r, name, &why, e);
	if (rc == 0 && job != NULL)
		rc = mend_stage(r, name, job, NULL, PARTS, e);
	if (rc == 0 && job != NULL) {
		fold = store_table_load(job, e);
		rc = fold == NULL ? -1 : 0;
	}
	if (name == NULL || job != NULL)
		for (stage = PARTS + 1; rc == 0 && stage < STAGES; stage++)
			rc = mend_stage(r, name, job, fold, stage, e);
	store_table_free(fold);
	store_job_free(job);
	return rc;
}

/* Make the table of a job again, without Slurm. */
static int
fold_again(struct repair *r, const char *name, struct error *e)
{
	struct store_job *job = store_job_load(r->mend.lost.store, name, NULL);
	struct reconcile *pass;
	int rc = 0;

	if (job == NULL)
		return 0; /* it was moved */
	pass = reconcile_alone(r->mend.lost.store, e);
	if (pass == NULL || reconcile_job(pass, job, NULL, NULL, NULL, e) != 0)
		rc = -1;
	if (rc == -1 && (errno == ENOENT || store_directory_is_damage(errno))) {
		repair_say(&r->mend, "jobs/%s: its table is as it was: %s",
		    name, e->text);
		r->mend.left++;
		rc = 0;
	}
	reconcile_free(pass);
	store_job_free(job);
	return rc;
}

/* The names of the jobs that something is wrong with. */
static void
list_jobs(const struct verify_findings *found, struct strlist *out)
{
	const struct verify_finding *f;
	size_t i;

	for (i = 0; i < found->count; i++) {
		f = &found->item[i];
		if (f->kind != FINDING_NOTE && f->job != NULL &&
		    !strlist_have(out, f->job))
			strlist_push(out, f->job);
	}
}

int64_t
repair_job(struct verify_findings *found, const char *program,
    struct strlist *said, struct error *e)
{
	struct repair r = {
	    .found = found, .mend = {.program = program, .said = said}};
	struct strlist jobs = {0};
	int rc;
	size_t i;

	quarantine_begin(&r.mend.lost, found->store);
	list_jobs(found, &jobs);
	rc = mend_all(&r, NULL, e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = mend_all(&r, jobs.word[i], e);
	for (i = 0; rc == 0 && i < jobs.count; i++)
		rc = fold_again(&r, jobs.word[i], e);
	if (r.mend.lost.moved)
		repair_say(&r.mend, "what was moved aside is in %s/%s",
		    found->store->path, r.mend.lost.path);
	quarantine_end(&r.mend.lost);
	strlist_free(&jobs);
	return rc == -1 ? -1 : (int64_t)r.mend.left;
}
