#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "control/chunk.h"
#include "import/slurm-jobs.h"
#include "slurm/account.h"
#include "slurm/queue.h"
#include "slurm/show.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "view/select.h"

/* Maximum difference between Slurm's clock and the store's, in seconds. */
enum { DAY = 86400 };

/* One job of Slurm. */
struct import_slurm_job {
	struct store_chunk chunk; /* array is the job's id */
	char *command;            /* batch script with arguments, or NULL */
	int64_t submit;           /* when its first task was submitted */
	char *name;
	int queued;   /* the job is in the queue */
	char *token;  /* token of stfm in the job, or NULL */
	int requeued; /* the job was requeued, or may have been */
};

static void
job_free(struct import_slurm_job *f)
{
	store_chunk_free(&f->chunk);
	free(f->command);
	free(f->name);
	free(f->token);
}

/* ---- finding a job in Slurm ---- */

static void
take_record(struct import_slurm_job *f, const struct queue_record *r)
{
	struct idset indices = {0};

	if (r->indices != NULL && idset_parse(&indices, r->indices, NULL) == 0)
		idset_add_all(&f->chunk.indices, &indices);
	idset_free(&indices);
	if (f->name == NULL) {
		f->name = xstrdup(r->name);
		f->token = queue_token_of(r, "stfm-");
		f->queued = 1;
	}
	if (f->submit == 0 || r->submit < f->submit) {
		f->submit = r->submit;
		f->requeued = r->restarts > 0;
	}
}

/* Add the tasks of an array that only the accounting still has. */
static int
complete(struct import_slurm_job *f, struct error *e)
{
	struct queue_account_job past;
	struct error why;
	int rc;

	if (f->chunk.indices.count == 0)
		return 0;
	rc = queue_account_job(f->chunk.array, &past, &why);
	if (rc == 0 && past.submit == f->submit)
		idset_add_all(&f->chunk.indices, &past.indices);
	else if (rc == -1 && why.code == ERROR_ABSENT)
		rc = 0;
	queue_account_job_free(&past);
	if (rc == -1)
		return error_code(e, ERROR_SILENT,
		    "%" PRIu32 ": tasks of it that ended some time ago are in "
		    "the accounting alone, which cannot be read: %s; try again",
		    f->chunk.array, why.text);
	return 0;
}

/* Look for a job that Slurm has forgotten in its accounting. */
static int
look_back(struct import_slurm_job *f, struct error *e)
{
	struct queue_account_job past;
	struct error why;
	int rc = queue_account_job(f->chunk.array, &past, &why);

	if (rc == 0) {
		idset_add_all(&f->chunk.indices, &past.indices);
		f->submit = past.submit;
		f->requeued = 1;
		f->name = xstrdup(past.name);
	} else if (why.code == ERROR_ABSENT) {
		error_set(e,
		    "%" PRIu32 ": Slurm has no such job of yours: it forgets "
		    "one some minutes after its end, and no accounting here "
		    "knows it",
		    f->chunk.array);
	} else {
		error_code(e, ERROR_SILENT,
		    "%" PRIu32 ": not in Slurm's queue; its accounting, which "
		    "may know it, cannot be read: %s; try again",
		    f->chunk.array, why.text);
	}
	queue_account_job_free(&past);
	return rc;
}

/* Find a job.  Sets *show to more data about it, or NULL. */
static int
look(const struct queue *q, struct import_slurm_job *f,
    struct queue_show **show, struct error *e)
{
	const struct queue_record *r;
	const struct queue_show *s;
	struct error why;
	size_t i;

	for (i = 0; i < queue_count(q); i++) {
		r = queue_record(q, i);
		if (r->array == f->chunk.array && r->uid == getuid())
			take_record(f, r);
	}
	s = *show = queue_show_load(f->chunk.array, &why);
	if (s == NULL && why.code != ERROR_ABSENT && why.code != ERROR_NO_SLURM)
		return error_copy(e, &why);
	if (f->name == NULL && s != NULL && s->uid != getuid())
		return error_set(e,
		    "%" PRIu32 ": is a job of %s's, who alone can import it",
		    f->chunk.array, s->user);
	if (f->name == NULL && s != NULL)
		return error_set(e,
		    "%" PRIu32 ": is one task of an array, which is imported "
		    "as a whole: %" PRIu32,
		    f->chunk.array, s->array);
	if (s != NULL && s->het != 0 && s->het != f->chunk.array)
		return error_set(e,
		    "%" PRIu32 ": is one part of a heterogeneous job, which is "
		    "imported by its first: %" PRIu32,
		    f->chunk.array, s->het);
	return f->name == NULL ? look_back(f, e) : complete(f, e);
}

/* ---- refusing jobs that the store has ---- */

/*
 * Refuse a job of Slurm that stfm queued.  job is NULL if it belongs to another
 * store.
 */
static int
refuse_own(const struct import_slurm_job *f, const struct store_job *job,
    struct error *e)
{
	if (job == NULL)
		return error_set(e,
		    "%" PRIu32 ": was queued by stfm, for a job of another "
		    "store",
		    f->chunk.array);
	return error_set(e,
	    "%" PRIu32 ": was queued by stfm, for the job %s: see stfm-status "
	    "%s",
	    f->chunk.array, job->name, job->name);
}

/*
 * Return whether a job of Slurm was queued or imported for a chunk.  An
 * imported one is recognised as queue_has_token does.  A chunk with a later
 * time was imported since we looked.
 */
static int
is_of(const struct import_slurm_job *f, const struct store_chunk *c)
{
	int64_t apart = c->time - f->submit, submit;
	const char *name;

	if (c->array != f->chunk.array)
		return 0;
	if (!c->adopted)
		return !f->queued && apart < DAY && apart > -DAY;
	name = queue_adopted_name(c->token, &submit);
	return submit == f->submit ||
	    (name != NULL && strcmp(name, f->name) == 0 &&
		(f->requeued || submit > f->submit));
}

static int
refuse_imported(const struct import_slurm_job *f, const struct store_chunk *c,
    const struct store_job *job, struct error *e)
{
	int64_t submit;

	queue_adopted_name(c->token, &submit);
	return error_set(e,
	    "%" PRIu32
	    ": is already imported as the job %s%s: see stfm-status %s; to "
	    "import it again, first run stfm-stop --remove %s",
	    f->chunk.array, job->name,
	    submit == f->submit ? "" : ", which had its id and its name then",
	    job->name, job->name);
}

/* Refuse a job of Slurm that belongs to a job of the store. */
static int
check_job(const struct import_slurm_job *f, const struct store_job *job,
    struct error *e)
{
	char *prefix = job_token_prefix(job);
	int rc = 0, own = f->token != NULL && text_begins(f->token, prefix);
	struct store_chunks chunks;
	const struct store_chunk *c;
	size_t i;

	free(prefix);
	if (own)
		return refuse_own(f, job, e);
	if (store_chunks_list(job, &chunks, e) == -1)
		return error_prefix(e, job->name);
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (is_of(f, c))
			rc = c->adopted ? refuse_imported(f, c, job, e)
					: refuse_own(f, job, e);
	}
	/*
	 * The job may be in a damaged chunk, unless the queue shows that it is
	 * not.
	 */
	if (rc == 0 && (!f->queued || store_job_is_adopted(job)) &&
	    store_directory_whole(&chunks.damaged, e) == -1)
		rc = error_prefix(e, job->name);
	store_chunks_free(&chunks);
	return rc;
}

/*
 * List all jobs.  Fails if one is damaged: it may have imported the same job of
 * Slurm.
 */
static int
list_jobs(const struct store *store, struct selection *all, struct error *e)
{
	struct strlist damaged = {0};
	int rc = job_select_all(store, all, &damaged, e);

	if (rc == 0 && damaged.count > 0) {
		selection_free(all);
		rc = error_set(e,
		    "what was imported before cannot be told: %s: "
		    "stfm-check --store says more",
		    damaged.word[0]);
	}
	strlist_free(&damaged);
	return rc;
}

static int
check_free(const struct store *store, const struct import_slurm_job *f,
    struct error *e)
{
	struct selection all = {0};
	int rc = 0;
	size_t i;

	if (!text_is_utf8(f->name))
		return error_set(
		    e, "%" PRIu32 ": its name is not UTF-8", f->chunk.array);
	if (store != NULL && list_jobs(store, &all, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < all.count; i++)
		rc = check_job(f, all.item[i].job, e);
	selection_free(&all);
	if (rc == 0 && f->token != NULL)
		rc = refuse_own(f, NULL, e);
	return rc;
}

/* ---- making the tasks ---- */

static void
add_task(struct import_stfmanager *m, char *name)
{
	m->task = xgrow(m->task, m->count, sizeof *m->task);
	m->task[m->count++] = (struct import_stfmanager_task){
	    .name = name, .start = -1, .end = -1};
}

/* Add a job of Slurm, which is moved.  alone: it is the only imported one. */
static void
add_job(struct import_slurm *a, struct import_slurm_job *f,
    const struct queue_show *show, int alone)
{
	struct store_chunk *c = &f->chunk;
	uint64_t first = a->tasks.count, index;
	struct idset_walk walk = {0};

	if (c->indices.count == 0)
		add_task(&a->tasks, xasprintf("%" PRIu32, c->array));
	while (idset_next(&c->indices, &walk, &index))
		add_task(&a->tasks,
		    alone ? xasprintf("%" PRIu64, index)
			  : xasprintf("%" PRIu32 "_%" PRIu64, c->array, index));
	idset_add(&c->tasks, first, a->tasks.count - 1);
	c->adopted = 1;
	c->token = queue_adopt(getuid(), c->array, f->submit, f->name);
	if (a->name == NULL)
		a->name = xstrdup(f->name);
	if (show != NULL) {
		c->log = xcopy(show->out);
		c->err = xcopy(show->err);
		f->command = xcopy(show->command);
		if (a->directory == NULL)
			a->directory = xcopy(show->directory);
	}
	a->job = xgrow(a->job, a->count, sizeof *a->job);
	a->job[a->count++] = *f;
	memset(f, 0, sizeof *f);
}

static int
parse_id(const struct import_slurm *a, const char *word, uint32_t *id,
    struct error *e)
{
	size_t digits = strspn(word, "0123456789"), i;
	int64_t number;

	if (*word == '\0')
		return error_set(e,
		    "--slurm: an empty word: expected is the id of a Slurm "
		    "job, such as 4102");
	if (digits > 0 && word[digits] == '_')
		return error_set(e, "%s: an array is imported as a whole: %.*s",
		    word, (int)digits, word);
	if (num_int("id", word, 1, UINT32_MAX - 1, &number, NULL) == -1)
		return error_set(
		    e, "%s: not the id of a Slurm job, such as 4102", word);
	*id = (uint32_t)number;
	for (i = 0; i < a->count; i++)
		if (a->job[i].chunk.array == *id)
			return error_set(e, "%s: given twice", word);
	return 0;
}

static int
add(struct import_slurm *a, const struct store *store, const struct queue *q,
    const char *word, int alone, struct error *e)
{
	struct queue_show *show = NULL;
	struct import_slurm_job f = {0};
	int rc = parse_id(a, word, &f.chunk.array, e);

	if (rc == 0)
		rc = look(q, &f, &show, e);
	if (rc == 0)
		rc = check_free(store, &f, e);
	if (rc == 0)
		add_job(a, &f, show, alone);
	queue_show_free(show);
	job_free(&f);
	return rc;
}

/* Return whether a command fits into a line of a table. */
static int
is_plain(const char *text)
{
	if (text == NULL || *text == '\0' || !text_is_utf8(text))
		return 0;
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == '\177')
			return 0;
	return 1;
}

/* Name all jobs, and give tasks their commands if the commands differ. */
static void
describe(struct import_slurm *a)
{
	struct idset ids = {0};
	int differ = 0, plain = 1;
	char *list;
	size_t i, job = 0;

	for (i = 0; i < a->count; i++) {
		idset_add(&ids, a->job[i].chunk.array, a->job[i].chunk.array);
		plain &= is_plain(a->job[i].command);
		differ |=
		    plain && strcmp(a->job[i].command, a->job[0].command) != 0;
	}
	list = idset_text(&ids);
	a->what = xasprintf("Slurm job%s %s", a->count > 1 ? "s" : "", list);
	free(list);
	idset_free(&ids);
	for (i = 0; plain && differ && i < a->tasks.count; i++) {
		while (!idset_has(&a->job[job].chunk.tasks, i))
			job++;
		a->tasks.task[i].command = a->job[job].command;
	}
}

int
import_slurm_find(const struct store *store, char *const ids[], size_t count,
    struct import_slurm *out, struct error *e)
{
	struct queue *q;
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	if (queue_load(&q, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < count; i++)
		rc = add(out, store, q, ids[i], count == 1, e);
	queue_free(q);
	if (rc == -1)
		import_slurm_free(out);
	else
		describe(out);
	return rc;
}

void
import_slurm_free(struct import_slurm *a)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		job_free(&a->job[i]);
	import_stfmanager_free(&a->tasks);
	free(a->job);
	free(a->name);
	free(a->directory);
	free(a->what);
	memset(a, 0, sizeof *a);
}

/* ---- storing ---- */

/* The jobs of Slurm being stored. */
struct work {
	struct import_slurm *jobs;
	const struct store *store;
};

/*
 * Check that no other process has imported any of them since they were found.
 */
static int
admit(void *arg, struct error *e)
{
	const struct work *w = arg;
	struct selection all = {0};
	int rc = list_jobs(w->store, &all, e);
	size_t i, k;

	for (i = 0; rc == 0 && i < all.count; i++)
		for (k = 0; rc == 0 && k < w->jobs->count; k++)
			if (store_job_is_adopted(all.item[i].job))
				rc = check_job(
				    &w->jobs->job[k], all.item[i].job, e);
	selection_free(&all);
	return rc;
}

/* Write the chunks, each claimed by its array from the start. */
static int
furnish(void *arg, struct store_job *job, int dir, struct error *e)
{
	struct import_slurm *a = ((struct work *)arg)->jobs;
	struct store_chunk *c;
	char *token;
	uint32_t array;
	int rc = 0;
	size_t i;

	job->dir = dir;
	for (i = 0; rc == 0 && i < a->count; i++) {
		c = &a->job[i].chunk;
		token = c->token;
		array = c->array;
		job_chunk_name(job, c, xasprintf("c%05zu.0", i));
		free(c->token);
		c->token = token;
		if (store_intent(job, c, e) == -1 ||
		    store_claim(job, c->name, &array, e) == -1)
			rc = -1;
	}
	job->dir = -1;
	return rc;
}

int
import_slurm_store(struct import_slurm *a, struct job_plan *plan,
    const struct store *store, struct error *e)
{
	struct work w = {a, store};
	struct store_job_files files = {
	    .more = furnish, .admit = admit, .arg = &w};
	char *text =
	    xstrdup(a->job[0].command != NULL ? a->job[0].command : "");
	char *word, *rest;

	/* Only for people: Slurm does not say which blanks belong to a word. */
	if (text_is_utf8(text))
		for (word = strtok_r(text, " ", &rest); word != NULL;
		     word = strtok_r(NULL, " ", &rest))
			strlist_push(&plan->job->command, word);
	free(text);
	return import_stfmanager_create(
	    plan, store, a->tasks.count, a->what, &files, e);
}
