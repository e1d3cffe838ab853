#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fs-tree.h"
#include "job-fact.h"
#include "job-pass.h"
#include "job-plan.h"
#include "job-queue.h"
#include "job-ready.h"
#include "job-repair.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-fold.h"
#include "store-part.h"
#include "xalloc.h"

/* A repair while it goes on. */
struct repair {
	struct job_findings *found;
	const struct store *store;
	const char *program; /* stfm-run of this release, or NULL */
	struct words *said;
	int moved;
	char *lost;        /* "lost/20261121T153000.RANDOM" */
	struct words jobs; /* whose tables are to be made again */
	size_t left;       /* findings about which nothing was done */
};

static void say(struct repair *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
say(struct repair *r, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) == -1)
		text = xstrdup(fmt);
	va_end(args);
	words_take(r->said, text);
}

/* ---- moving aside ---- */

static char *
lost_name(void)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	return xasprintf("lost/%s.%08x", stamp, (unsigned)fs_noise());
}

/*
 * Open the directory that a path below another is in, making those above it;
 * *name is its last part, in path.
 */
static int
open_parent(
    int top, const char *path, int make, const char **name, struct error *e)
{
	int dir = fs_open_subdir(top, ".", 0, e), next;
	const char *slash;
	char *part;

	for (; dir != -1 && (slash = strchr(path, '/')) != NULL;
	     path = slash + 1) {
		part = xstrndup(path, (size_t)(slash - path));
		next = fs_open_subdir(dir, part, make, e);
		fs_close(dir);
		free(part);
		dir = next;
	}
	*name = path;
	return dir;
}

/* Move or link a path of the store into lost/, where it keeps its path. */
static int
set_aside(struct repair *r, const char *path,
    int (*how)(int, const char *, int, const char *, struct error *),
    struct error *e)
{
	char *where = xasprintf("%s/%s", r->lost, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = open_parent(r->store->dir, path, 0, &old, e);
	if (from != -1)
		to = open_parent(r->store->dir, where, 1, &new, e);
	if (to != -1)
		rc = how(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(where);
	r->moved |= rc == 0;
	return rc;
}

static int
move_aside(struct repair *r, const char *path, struct error *e)
{
	return set_aside(r, path, fs_rename, e);
}

/* ---- making again ---- */

/*
 * What is made again takes the place of what is damaged at once: should we be
 * ended between the two, nobody would know any more that there was something.
 * So it is made in a directory beside lost/, at the same path.
 */
static char *
stage_path(const struct repair *r, const char *path)
{
	return xasprintf("%s.new/%s", r->lost, path);
}

/* A job like this one whose records go to the stage; to close its dir. */
static int
stage_job(struct repair *r, const struct store_job *job,
    struct store_job *staged, struct error *e)
{
	char *below = xasprintf("jobs/%s/", job->name);
	char *path = stage_path(r, below);
	const char *rest;
	int sub;

	*staged = *job;
	staged->dir = open_parent(r->store->dir, path, 1, &rest, e);
	free(path);
	free(below);
	if (staged->dir == -1)
		return -1;
	sub = fs_open_subdir(staged->dir, "sub", 1, e);
	if (sub == -1) {
		fs_close(staged->dir);
		staged->dir = -1;
	}
	fs_close(sub);
	return staged->dir == -1 ? -1 : 0;
}

/* Keep what is at a path; what is no file cannot be linked, and is moved. */
static int
keep(struct repair *r, const char *path, struct error *e)
{
	if (set_aside(r, path, fs_hard_link, e) == 0 || errno == ENOENT)
		return 0;
	return errno == EPERM ? move_aside(r, path, e) : -1;
}

/* Put what was made at a path of the stage into that place of the store. */
static int
take_place(struct repair *r, const char *path, struct error *e)
{
	char *made = stage_path(r, path);
	const char *old, *new;
	int from, to = -1, rc = -1;

	from = open_parent(r->store->dir, made, 0, &old, e);
	if (from != -1)
		to = open_parent(r->store->dir, path, 0, &new, e);
	if (to != -1 && keep(r, path, e) == 0)
		rc = fs_rename(from, old, to, new, e);
	fs_close(from);
	fs_close(to);
	free(made);
	return rc;
}

static void
clear_stage(struct repair *r)
{
	int lost = fs_open_subdir(r->store->dir, "lost", 0, NULL);
	char *name = xasprintf("%s.new", strchr(r->lost, '/') + 1);

	if (lost != -1)
		fs_remove_tree(lost, name, NULL);
	fs_close(lost);
	free(name);
}

static void
note_job(struct repair *r, const char *job)
{
	size_t i;

	for (i = 0; job != NULL && i < r->jobs.count; i++)
		if (strcmp(r->jobs.word[i], job) == 0)
			return;
	if (job != NULL)
		words_push(&r->jobs, job);
}

/* ---- facts that the table still knows ---- */

static char *
copy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

/* What the table knows of a fact. */
static struct store_fact_body
body_of(const struct store_row *row, int flag)
{
	struct store_fact_body body = store_fact_body();

	body.node = copy(row->node);
	body.gpus = copy(row->gpus);
	body.log = copy(row->log);
	body.err = copy(row->err);
	body.time = flag == STORE_HAS_S ? row->start : row->end;
	if (row->array != -1)
		body.slurm =
		    xasprintf("%" PRId64 "_%" PRId64, row->array, row->index);
	if (flag == STORE_HAS_S)
		return body;
	body.reason = copy(row->reason);
	body.start = row->start;
	body.exit = row->exit;
	body.signal = row->signal;
	body.asked = row->asked;
	body.memory = row->memory;
	body.cpu = row->cpu;
	return body;
}

/* The name of the fact that a flag of a row stands for. */
static struct store_fact
fact_of(const struct store_row *row, int flag)
{
	struct store_fact fact = {row->task, row->attempt, row->restart, "", 0};

	if (flag == STORE_HAS_S || flag == STORE_HAS_Q)
		fact.kind[0] = flag == STORE_HAS_S ? 'S' : 'Q';
	else if (flag == STORE_HAS_E)
		snprintf(fact.kind, sizeof fact.kind, "E%" PRId64, row->exit);
	else if (flag == STORE_HAS_X)
		snprintf(fact.kind, sizeof fact.kind, "X%s",
		    row->slurm != NULL ? row->slurm : "LOST");
	return fact;
}

/* OTHERWISE: that run ended, but not with this code or state. */
enum knowledge { UNKNOWN, KNOWN, OTHERWISE };

/* Whether the table knows a fact. */
static enum knowledge
knowledge(const struct store_fold *fold, const struct store_fact *fact)
{
	struct store_brief brief;
	struct store_fact same;

	if (fact->task >= fold->count)
		return UNKNOWN;
	brief = store_fold_brief(fold, fact->task);
	if (brief.attempt != fact->attempt || brief.restart != fact->restart ||
	    (brief.facts & job_fact_flag(fact)) == 0)
		return UNKNOWN;
	same = fact_of(store_fold_row(fold, fact->task), job_fact_flag(fact));
	store_fold_forget(fold, fact->task);
	return store_fact_compare(fact, &same) == 0 ? KNOWN : OTHERWISE;
}

/*
 * Publish a fact as the table has it; one that the table does not know gets no
 * content.  1 when there is one.
 */
static int
publish_again(const struct store_job *job, const struct store_fold *fold,
    const struct store_fact *fact, struct error *e)
{
	struct store_fact_body body = store_fact_body();
	int rc;

	if (knowledge(fold, fact) == KNOWN)
		body = body_of(
		    store_fold_row(fold, fact->task), job_fact_flag(fact));
	rc = store_fact_publish(job, fact, &body, e);
	store_fact_body_free(&body);
	return rc;
}

/* ---- one finding ---- */

/* The last part of a path. */
static const char *
last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int
mend_file(struct repair *r, const struct job_finding *f, const char *meaning,
    struct error *e)
{
	if (move_aside(r, f->path, e) == -1)
		return errno == ENOENT ? 0 : -1;
	say(r, "%s: moved aside%s", f->path, meaning);
	return 0;
}

/* Make a fact again in the place of the one that is damaged. */
static int
replace_fact(struct repair *r, const struct store_job *job,
    const struct store_fold *fold, const struct store_fact *fact,
    const char *path, struct error *e)
{
	struct store_job staged;
	int rc;

	if (stage_job(r, job, &staged, e) == -1)
		return -1;
	rc = publish_again(&staged, fold, fact, e);
	if (rc != -1)
		rc = take_place(r, path, e);
	fs_close(staged.dir);
	return rc;
}

static int
mend_fact(struct repair *r, const struct store_job *job,
    const struct store_fold *fold, const struct job_finding *f, struct error *e)
{
	enum knowledge known;
	struct store_fact fact;

	if (!store_fact_parse(last_of(f->path), &fact))
		return -1;
	known = knowledge(fold, &fact);
	if (known == OTHERWISE)
		return mend_file(r, f, ": the run ended otherwise", e);
	if (replace_fact(r, job, fold, &fact, f->path, e) == -1)
		return -1;
	if (known == KNOWN)
		say(r, "%s: moved aside, and made again from the table",
		    f->path);
	else
		say(r,
		    "%s: moved aside; %s/%" PRIu64 " keeps what its name says "
		    "(%s), but when and where that was is lost",
		    f->path, job->name, fact.task, fact.kind);
	return 0;
}

/* It is only moved at first: another one may lie where it belongs. */
static int
mend_misplaced(struct repair *r, const struct job_finding *f, struct error *e)
{
	if (move_aside(r, f->path, e) == -1)
		return errno == ENOENT ? 0 : -1;
	say(r, "%s: moved aside: it is not the fact of this name", f->path);
	return 0;
}

/* Publish the fact that was moved from a path under the name it has itself. */
static int
put_in_place(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	char *where = xasprintf("%s/%s", r->lost, f->path), *text = NULL;
	char to_name[STORE_FACT_NAME];
	const char *name;
	struct store_fact own = {0};
	int from = open_parent(r->store->dir, where, 0, &name, e), to, rc = 0;
	size_t length;

	if (from != -1 && store_fact_is_misplaced(job, from, name, &own) &&
	    *own.kind && own.task < job->tasks) {
		store_fact_name(&own, to_name);
		to = store_fact_open(job, own.task, 1, e);
		rc = to == -1 ? -1
			      : fs_read(from, name, 1 << 20, &text, &length, e);
		if (rc == 0)
			rc = fs_publish(to, to_name, text, length, e);
		fs_close(to);
		if (rc == 0)
			say(r, "%s/%" PRIu64 ": %s is in its place again",
			    job->name, own.task, to_name);
		free(text);
	}
	fs_close(from);
	free(where);
	return rc == -1 ? -1 : 0;
}

static int
mend_lost(struct repair *r, const struct store_job *job,
    const struct store_fold *fold, const struct job_finding *f, struct error *e)
{
	struct store_fact fact =
	    fact_of(store_fold_row(fold, f->task), f->fact);
	char name[STORE_FACT_NAME];
	int rc = publish_again(job, fold, &fact, e);

	if (rc != 0)
		return rc == -1 ? -1 : 0;
	store_fact_name(&fact, name);
	say(r, "%s/%" PRIu64 ": %s made again from the table", job->name,
	    f->task, name);
	return 0;
}

/* Its good lines go into another pack before it is moved. */
static int
mend_pack(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	int64_t saved = store_pack_salvage(job, last_of(f->path), e);

	if (saved == -1 && errno == ENOENT)
		return 0; /* done with an earlier line of it */
	if (saved == -1 || move_aside(r, f->path, e) == -1)
		return -1;
	say(r, "%s: moved aside; %" PRId64 " facts of it are in a new pack",
	    f->path, saved);
	return 0;
}

/* Whether an array has the claim of another chunk: this one was cut then. */
static int
is_taken(const struct store_job *job, uint32_t array)
{
	struct store_chunks chunks;
	int taken = 0;
	size_t i;

	if (store_chunks_list(job, &chunks, NULL) == -1)
		return 1;
	for (i = 0; i < chunks.count; i++)
		taken |= chunks.chunk[i].array == array;
	store_chunks_free(&chunks);
	return taken;
}

/* The array that trained a task of the chunk, by what the tasks said, or 0. */
static uint32_t
array_of(const struct store_job *job, const struct store_chunk *chunk)
{
	struct store_fact_body body;
	struct store_facts facts;
	const struct store_fact *f;
	uint32_t array = 0;
	size_t i;

	if (store_facts_list(job, NULL, &facts, NULL) == -1)
		return 0;
	for (i = 0; i < facts.count && array == 0; i++) {
		f = &facts.fact[i];
		if (f->kind[0] != 'S' || f->attempt != chunk->attempt ||
		    !ranges_has(&chunk->tasks, f->task) ||
		    store_facts_read(job, &facts, f, &body, NULL) == -1)
			continue;
		if (body.slurm != NULL)
			array = (uint32_t)strtoul(body.slurm, NULL, 10);
		store_fact_body_free(&body);
	}
	store_facts_free(&facts);
	return array != 0 && !is_taken(job, array) ? array : 0;
}

/* An intent in the stage is as old as its job: it tells when that was. */
static int
date_intent(const struct store_job *staged, const char *name, struct error *e)
{
	int sub = fs_open_subdir(staged->dir, "sub", 0, e), rc = -1;

	if (sub != -1)
		rc = fs_set_changed(sub, name, staged->created, e);
	fs_close(sub);
	return rc;
}

/* The chunks of a first submission follow from the job. */
static int
mend_intent(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	const char *name = last_of(f->path);
	size_t length = strlen(name) - strlen(".intent"), i;
	struct store_job staged = {.dir = -1};
	struct store_chunks plan;
	int rc = 0;

	job_chunks(job, &plan);
	for (i = 0; i < plan.count; i++)
		if (strlen(plan.chunk[i].name) == length &&
		    strncmp(plan.chunk[i].name, name, length) == 0)
			break;
	if (i == plan.count) {
		r->left++;
		say(r,
		    "%s: left as it is: nothing else tells which tasks "
		    "were to be trained again in it",
		    f->path);
	} else {
		rc = stage_job(r, job, &staged, e);
		if (rc == 0)
			rc = store_intent(&staged, &plan.chunk[i], e);
		if (rc == 0)
			rc = date_intent(&staged, name, e);
		if (rc == 0)
			rc = take_place(r, f->path, e);
		if (rc == 0)
			say(r, "%s: made again from the job", f->path);
	}
	store_chunks_free(&plan);
	fs_close(staged.dir);
	return rc == -1 ? -1 : 0;
}

/*
 * Without its claim a chunk might be queued once more, so a claim is only
 * moved when it can be made again.
 */
static int
mend_claim(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	const char *name = last_of(f->path), *end = strstr(name, ".claim");
	char *chunk_name = xstrndup(name, (size_t)(end - name));
	struct store_job staged = {.dir = -1};
	struct store_chunk chunk;
	uint32_t array = 0;
	int rc = 0;

	if (store_intent_read(job, chunk_name, &chunk, e) == 0) {
		array = array_of(job, &chunk);
		store_chunk_free(&chunk);
	}
	if (array == 0) {
		r->left++;
		say(r,
		    "%s: left as it is: without it the tasks of its chunk "
		    "might be trained twice, and no task tells which array it "
		    "was; stfm-stop the job and submit it again",
		    f->path);
	} else {
		rc = stage_job(r, job, &staged, e);
		if (rc == 0)
			rc = store_claim(&staged, chunk_name, &array, e);
		if (rc == 0)
			rc = take_place(r, f->path, e);
		if (rc == 0)
			say(r,
			    "%s: made again for array %" PRIu32
			    ", in which its tasks say that they ran",
			    f->path, array);
	}
	fs_close(staged.dir);
	free(chunk_name);
	return rc;
}

/* A whole directory: what is in it stays together. */
static int
mend_job(struct repair *r, const struct job_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s", f->job);
	int rc = move_aside(r, path, e);

	if (rc == 0)
		say(r,
		    "%s: moved aside with all that is in it, to %s/%s; its "
		    "tasks that have not started will not train, and the name "
		    "is free",
		    path, r->lost, path);
	free(path);
	return rc;
}

/* All generations, because the older ones are the mistake's source. */
static int
mend_table(struct repair *r, const struct job_finding *f, struct error *e)
{
	char *path = xasprintf("jobs/%s/fold", f->job);
	int rc = move_aside(r, path, e);

	if (rc == 0)
		say(r, "%s: moved aside: the table is made again", path);
	else if (errno == ENOENT)
		rc = 0; /* another row of it was wrong as well */
	free(path);
	return rc;
}

/* Where a part should be, which is empty then. */
static int
mend_part(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	int moved = move_aside(r, f->path, e);

	if ((moved == -1 && errno != ENOENT) ||
	    fs_make_subdir(job->dir, last_of(f->path), e) == -1)
		return -1;
	say(r, "%s: %smade again, and empty", f->path,
	    moved == 0 ? "moved aside, " : "");
	return 0;
}

static int
mend_format(struct repair *r, const struct job_finding *f, struct error *e)
{
	struct store staged = *r->store;
	char *path = stage_path(r, "");
	const char *rest;
	int rc = -1;

	staged.dir = open_parent(r->store->dir, path, 1, &rest, e);
	free(path);
	if (staged.dir != -1)
		rc = store_format(&staged, e);
	fs_close(staged.dir);
	if (rc == 0)
		rc = take_place(r, f->path, e);
	if (rc == -1)
		return -1;
	say(r, "%s: made again", f->path);
	return 0;
}

/* The batch script of a job if this program was its own, to free, or NULL. */
static char *
batch_with(const struct repair *r, const struct store_job *job,
    const struct sbatch_script *script, const char *program)
{
	char *path = xasprintf("%s/jobs/%s", r->store->path, job->name);
	char *runner = xasprintf("%s/libexec/%s", r->store->path, program);
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
batch_of(const struct repair *r, const struct store_job *job)
{
	struct sbatch_script script = {0};
	struct fs_names names = {0};
	char *text = NULL, *own = NULL;
	int dir = fs_open_subdir(r->store->dir, "libexec", 0, NULL);
	size_t length, i;

	if (dir != -1)
		fs_list(dir, &names, NULL);
	if (job->script != NULL &&
	    fs_read(job->dir, "script", 4 << 20, &own, &length, NULL) == 0)
		sbatch_script(own, length, &script, NULL);
	for (i = 0; i < names.count && text == NULL; i++)
		text = batch_with(r, job, &script, names.name[i]);
	sbatch_script_free(&script);
	fs_names_free(&names);
	fs_close(dir);
	free(own);
	return text;
}

static int
mend_batch(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	struct store_job staged = {.dir = -1};
	char *text = batch_of(r, job);
	int rc;

	if (text == NULL) {
		r->left++;
		say(r,
		    "%s: it cannot be made again: submit the job under another "
		    "name (-J)",
		    f->path);
		return mend_file(r, f, ": it is not what was submitted", e);
	}
	rc = stage_job(r, job, &staged, e);
	if (rc == 0)
		rc = fs_publish_mode(
		    staged.dir, "batch.sh", FS_PROGRAM, text, strlen(text), e);
	if (rc != -1)
		rc = take_place(r, f->path, e);
	if (rc == 0)
		say(r, "%s: made again from the job", f->path);
	fs_close(staged.dir);
	free(text);
	return rc == -1 ? -1 : 0;
}

/* It is copied again when ours is the very same. */
static int
mend_program(struct repair *r, const struct store_job *job,
    const struct job_finding *f, struct error *e)
{
	char *text, *name, *ours = NULL, *placed = NULL;

	if (job_ready_batch(job, &text, e) == -1)
		return -1;
	name = job_ready_program(text);
	free(text);
	if (r->program != NULL)
		ours = store_program("", r->program, NULL);
	if (name != NULL && ours != NULL && strcmp(ours + 1, name) == 0)
		placed = store_install(r->store, r->program, e);
	if (placed != NULL) {
		say(r, "%s: copied again", name);
	} else {
		r->left++;
		say(r,
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

/* Nobody may write to it again. */
static int
mend_bared(struct repair *r, const struct job_finding *f, struct error *e)
{
	const char *name;
	int dir = open_parent(r->store->dir, f->path, 0, &name, e), rc = -1;
	struct stat st;

	if (dir != -1 && fs_look(dir, name, &st, e) == 0 && S_ISREG(st.st_mode))
		rc = fs_ops.fchmodat(dir, name, st.st_mode & 0555, 0);
	fs_close(dir);
	if (rc == -1)
		return error_errno(e, "%s: cannot change its mode", f->path);
	say(r, "%s: read-only again", f->path);
	return 0;
}

static int
mend(struct repair *r, const struct store_job *job,
    const struct store_fold *fold, const struct job_finding *f, struct error *e)
{
	switch (f->kind) {
	case FINDING_FACT:
		return mend_fact(r, job, fold, f, e);
	case FINDING_MISPLACED:
		return mend_misplaced(r, f, e);
	case FINDING_LOST:
		return mend_lost(r, job, fold, f, e);
	case FINDING_PACK:
		return mend_pack(r, job, f, e);
	case FINDING_INTENT:
		return mend_intent(r, job, f, e);
	case FINDING_CLAIM:
		return mend_claim(r, job, f, e);
	case FINDING_WISH:
		return mend_file(r, f,
		    ": somebody wished tasks to stop, and which is lost; say "
		    "it again with stfm-stop",
		    e);
	case FINDING_FOLD:
		return mend_file(r, f, ": the table is made again", e);
	case FINDING_TABLE:
		return mend_table(r, f, e);
	case FINDING_PART:
		return mend_part(r, job, f, e);
	case FINDING_BATCH:
		return mend_batch(r, job, f, e);
	case FINDING_PROGRAM:
		return mend_program(r, job, f, e);
	case FINDING_BARED:
		return mend_bared(r, f, e);
	case FINDING_FORMAT:
		return mend_format(r, f, e);
	case FINDING_JOB:
		return mend_job(r, f, e);
	case FINDING_OPEN:
		r->left++;
		say(r,
		    "%s: left as it is: see what others may have put there "
		    "before you close it to them",
		    f->path);
		return 0;
	case FINDING_FILE:
		return mend_file(r, f, "", e);
	default:
		r->left++;
		say(r, "%s: nothing can be done about it here", f->path);
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
stage_of(enum job_finding_kind kind)
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
is_about(const struct job_finding *f, const char *job)
{
	if (job == NULL || f->job == NULL)
		return job == f->job;
	return strcmp(f->job, job) == 0;
}

/* What one kind of finding needs when all others of its stage are done. */
static int
put_all_in_place(struct repair *r, const char *name,
    const struct store_job *job, struct error *e)
{
	const struct job_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind == FINDING_MISPLACED && is_about(f, name))
			rc = put_in_place(r, job, f, e);
	}
	return rc;
}

static int
mend_stage(struct repair *r, const char *name, const struct store_job *job,
    const struct store_fold *fold, int stage, struct error *e)
{
	const struct job_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind != FINDING_NOTE && is_about(f, name) &&
		    stage_of(f->kind) == stage)
			rc = mend(r, job, fold, f, e);
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
	const struct job_finding *f;
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < r->found->count; i++) {
		f = &r->found->item[i];
		if (f->kind == FINDING_NOTE || !is_about(f, name))
			continue;
		if (f->kind == FINDING_JOB)
			rc = mend(r, NULL, NULL, f, e);
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
	struct store_job *job =
	    name != NULL ? store_job_load(r->store, name, &why) : NULL;
	struct store_fold *fold = NULL;
	int stage, rc = 0;

	if (name != NULL && job == NULL)
		rc = mend_no_job(r, name, &why, e);
	if (rc == 0 && job != NULL)
		rc = mend_stage(r, name, job, NULL, PARTS, e);
	if (rc == 0 && job != NULL) {
		fold = store_fold_load(job, e);
		rc = fold == NULL ? -1 : 0;
	}
	if (name == NULL || job != NULL)
		for (stage = PARTS + 1; rc == 0 && stage < STAGES; stage++)
			rc = mend_stage(r, name, job, fold, stage, e);
	store_fold_free(fold);
	store_job_free(job);
	return rc;
}

/* Make the table of a job again, without Slurm. */
static int
fold_again(struct repair *r, const char *name, struct error *e)
{
	struct store_job *job = store_job_load(r->store, name, NULL);
	struct job_pass *pass;
	int rc = 0;

	if (job == NULL)
		return 0; /* it was moved */
	pass = job_pass_alone(r->store, e);
	if (pass == NULL || job_pass_job(pass, job, NULL, NULL, NULL, e) != 0)
		rc = -1;
	if (rc == -1 && (errno == ENOENT || store_part_is_damage(errno))) {
		say(r, "jobs/%s: its table is as it was: %s", name, e->text);
		r->left++;
		rc = 0;
	}
	job_pass_free(pass);
	store_job_free(job);
	return rc;
}

int64_t
job_repair(struct job_findings *found, const char *program, struct words *said,
    struct error *e)
{
	struct repair r = {.found = found,
	    .store = found->store,
	    .program = program,
	    .said = said};
	int rc;
	size_t i;

	r.lost = lost_name();
	for (i = 0; i < found->count; i++)
		if (found->item[i].kind != FINDING_NOTE)
			note_job(&r, found->item[i].job);
	rc = mend_all(&r, NULL, e);
	for (i = 0; rc == 0 && i < r.jobs.count; i++)
		rc = mend_all(&r, r.jobs.word[i], e);
	for (i = 0; rc == 0 && i < r.jobs.count; i++)
		rc = fold_again(&r, r.jobs.word[i], e);
	clear_stage(&r);
	if (r.moved)
		say(&r, "what was moved aside is in %s/%s", r.store->path,
		    r.lost);
	words_free(&r.jobs);
	free(r.lost);
	return rc == -1 ? -1 : (int64_t)r.left;
}
