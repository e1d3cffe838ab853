#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "import/slurm-jobs.h"
#include "job/chunk.h"
#include "slurm/account.h"
#include "slurm/queue.h"
#include "slurm/show.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "view/select.h"

/* Times of Slurm's and of the store's clock that are of one moment. */
enum { DAY = 86400 };

/* One job of Slurm's, while it is looked at. */
struct import_slurm_found {
	uint32_t id;
	struct idset indices; /* none: it is no array */
	int64_t submit;       /* the first of its tasks' */
	char *name;
	int queued;  /* it is in the queue */
	char *token; /* stfm's, which it carries there; or NULL */
	int again;   /* it has been put back into the queue */
	int later;   /* Slurm did not answer: it may do so later */
};

static void
found_free(struct import_slurm_found *f)
{
	idset_free(&f->indices);
	free(f->name);
	free(f->token);
}

/* ---- what Slurm knows ---- */

static void
take_record(struct import_slurm_found *f, const struct queue_record *r)
{
	struct idset indices = {0};

	if (r->indices != NULL && idset_parse(&indices, r->indices, NULL) == 0)
		idset_add_all(&f->indices, &indices);
	idset_free(&indices);
	if (f->name == NULL) {
		f->name = xstrdup(r->name);
		f->token = queue_token_of(r, "stfm-");
		f->queued = 1;
	}
	if (f->submit == 0 || r->submit < f->submit) {
		f->submit = r->submit;
		f->again = r->restarts > 0;
	}
}

/* Of an array, tasks that ended some time ago are in the accounting alone. */
static int
complete(struct import_slurm_found *f, struct error *e)
{
	struct queue_account_job past;
	struct error why;
	int rc;

	if (f->indices.count == 0)
		return 0;
	rc = queue_account_job(f->id, &past, &why);
	if (rc == 0 && past.submit == f->submit)
		idset_add_all(&f->indices, &past.indices);
	else if (rc == -1 && errno == ENOENT)
		rc = 0;
	queue_account_job_free(&past);
	if (rc == -1) {
		f->later = 1;
		return error_set(e,
		    "%" PRIu32 ": tasks of it that ended some time ago are in "
		    "the accounting alone, which cannot be read: %s; try again",
		    f->id, why.text);
	}
	return 0;
}

/* It is not among the user's own jobs: whose, and what it is. */
static int
refuse_show(const struct import_slurm_found *f, const struct queue_show *q,
    struct error *e)
{
	if (q->uid != getuid())
		return error_set(e,
		    "%" PRIu32 ": is a job of %s's, who alone can import it",
		    f->id, q->user);
	return error_set(e,
	    "%" PRIu32 ": is one task of an array, which is imported as a "
	    "whole: %" PRIu32,
	    f->id, q->array);
}

/* What Slurm has forgotten its accounting may know. */
static int
look_back(struct import_slurm_found *f, struct error *e)
{
	struct queue_account_job past;
	struct error why;
	int rc = queue_account_job(f->id, &past, &why);

	if (rc == 0) {
		idset_add_all(&f->indices, &past.indices);
		f->submit = past.submit;
		f->again = 1; /* it may have been */
		f->name = xstrdup(past.name);
	} else if (errno == ENOENT) {
		error_set(e,
		    "%" PRIu32 ": Slurm has no such job of yours: it forgets "
		    "one some minutes after its end, and no accounting here "
		    "knows it",
		    f->id);
	} else {
		f->later = 1;
		error_set(e,
		    "%" PRIu32 ": not in Slurm's queue; its accounting, which "
		    "may know it, cannot be read: %s; try again",
		    f->id, why.text);
	}
	queue_account_job_free(&past);
	return rc;
}

/* Find a job; *show is what else Slurm tells of it, or NULL. */
static int
look(const struct queue *q, struct import_slurm_found *f,
    struct queue_show **show, struct error *e)
{
	const struct queue_record *r;
	size_t i;

	for (i = 0; i < queue_count(q); i++) {
		r = queue_record(q, i);
		if (r->array == f->id && r->uid == getuid())
			take_record(f, r);
	}
	*show = queue_show_load(f->id, e);
	if (*show == NULL && errno != ENOENT) {
		f->later = errno == EAGAIN;
		return -1;
	}
	if (f->name == NULL && *show != NULL)
		return refuse_show(f, *show, e);
	if (*show != NULL && (*show)->het != 0 && (*show)->het != f->id)
		return error_set(e,
		    "%" PRIu32 ": is one part of a heterogeneous job, which is "
		    "imported by its first: %" PRIu32,
		    f->id, (*show)->het);
	if (f->name == NULL)
		return look_back(f, e);
	return complete(f, e);
}

/* ---- whose it is ---- */

static int
refuse_own(const struct import_slurm_found *f, const struct store_job *job,
    struct error *e)
{
	if (job == NULL)
		return error_set(e,
		    "%" PRIu32 ": was queued by stfm, for a job of another "
		    "store",
		    f->id);
	return error_set(e,
	    "%" PRIu32 ": was queued by stfm, for the job %s: see stfm-status "
	    "%s",
	    f->id, job->name, job->name);
}

/* Whether it is an array of a job. */
static int
is_queued_for(const struct import_slurm_found *f, const struct store_job *job)
{
	char *prefix = job_token_prefix(job);
	int is = f->token != NULL && text_begins(f->token, prefix);

	free(prefix);
	return is;
}

/*
 * Whether a job that was imported is the one that was found: as queue_has_token
 * has it.  One that was imported with a later time was so since we looked.
 */
static int
is_same(const struct import_slurm_found *f, const struct store_chunk *c)
{
	int64_t submit;
	const char *name = queue_adopted_name(c->token, &submit);

	if (submit == f->submit)
		return 1;
	return name != NULL && strcmp(name, f->name) == 0 &&
	    (f->again || submit > f->submit);
}

/* Whether it is in the queue, or was, for this chunk. */
static int
is_of(const struct import_slurm_found *f, const struct store_chunk *c)
{
	int64_t apart = c->time - f->submit;

	if (c->array != f->id)
		return 0;
	if (c->adopted)
		return is_same(f, c);
	return !f->queued && apart < DAY && apart > -DAY;
}

static int
refuse_known(const struct import_slurm_found *f, const struct store_chunk *c,
    const struct store_job *job, struct error *e)
{
	int64_t submit;

	queue_adopted_name(c->token, &submit);
	return error_set(e,
	    "%" PRIu32 ": was imported before, as the job %s%s: see "
	    "stfm-status %s; stfm-stop --remove %s, when it is over, lets it "
	    "be imported anew",
	    f->id, job->name,
	    submit == f->submit ? "" : ", which had its id and its name then",
	    job->name, job->name);
}

/* Refuse what a job of the store has. */
static int
check_job(const struct import_slurm_found *f, const struct store_job *job,
    struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	int rc = 0;
	size_t i;

	if (is_queued_for(f, job))
		return refuse_own(f, job, e);
	if (store_chunks_list(job, &chunks, e) == -1)
		return error_prefix(e, job->name);
	for (i = 0; rc == 0 && i < chunks.count; i++) {
		c = &chunks.chunk[i];
		if (is_of(f, c))
			rc = c->adopted ? refuse_known(f, c, job, e)
					: refuse_own(f, job, e);
	}
	/* It may be in one that is damaged, unless the queue tells. */
	if (rc == 0 && (!f->queued || store_job_is_adopted(job)) &&
	    store_directory_whole(&chunks.damaged, e) == -1)
		rc = error_prefix(e, job->name);
	store_chunks_free(&chunks);
	return rc;
}

/* All jobs; one that cannot be read may be what was imported before. */
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
check_free(const struct store *store, const struct import_slurm_found *f,
    struct error *e)
{
	struct selection all = {0};
	int rc = 0;
	size_t i;

	if (!text_is_utf8(f->name))
		return error_set(
		    e, "%" PRIu32 ": its name is not UTF-8", f->id);
	if (store != NULL && list_jobs(store, &all, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < all.count; i++)
		rc = check_job(f, all.item[i].job, e);
	selection_free(&all);
	if (rc == 0 && f->token != NULL)
		rc = refuse_own(f, NULL, e);
	return rc;
}

/* ---- taking it ---- */

static void
add_task(struct import_slurm *a, char *name)
{
	struct import_stfmanager *m = &a->tasks;

	m->task = xgrow(m->task, m->count, sizeof *m->task);
	m->task[m->count++] = (struct import_stfmanager_task){
	    .name = name, .start = -1, .end = -1};
}

/* The names of its tasks: one array alone need not be named. */
static void
add_tasks(struct import_slurm *a, const struct import_slurm_found *f, int alone)
{
	struct idset_walk walk = {0};
	uint64_t index;

	if (f->indices.count == 0)
		add_task(a, xasprintf("%" PRIu32, f->id));
	while (idset_next(&f->indices, &walk, &index))
		add_task(a,
		    alone ? xasprintf("%" PRIu64, index)
			  : xasprintf("%" PRIu32 "_%" PRIu64, f->id, index));
}

static void
add_chunk(struct import_slurm *a, struct import_slurm_found *f,
    const struct queue_show *show, int alone)
{
	struct store_chunk c = {.array = f->id, .adopted = 1};
	uint64_t first = a->tasks.count;

	add_tasks(a, f, alone);
	idset_add(&c.tasks, first, a->tasks.count - 1);
	c.token = queue_adopt(getuid(), f->id, f->submit, f->name);
	c.indices = f->indices;
	f->indices = (struct idset){0};
	if (a->name == NULL)
		a->name = xstrdup(f->name);
	a->command = xgrow(a->command, a->count, sizeof *a->command);
	a->command[a->count] = NULL;
	if (show != NULL) {
		c.log = xcopy(show->out);
		c.err = xcopy(show->err);
		a->command[a->count] = xcopy(show->command);
		if (a->directory == NULL)
			a->directory = xcopy(show->directory);
	}
	a->chunk = xgrow(a->chunk, a->count, sizeof *a->chunk);
	a->found = xgrow(a->found, a->count, sizeof *a->found);
	a->found[a->count] = *f;
	a->chunk[a->count++] = c;
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
		if (a->chunk[i].array == *id)
			return error_set(e, "%s: given twice", word);
	return 0;
}

static int
add(struct import_slurm *a, const struct store *store, const struct queue *q,
    const char *word, int alone, struct error *e)
{
	struct queue_show *show = NULL;
	struct import_slurm_found f = {0};
	int rc = parse_id(a, word, &f.id, e);

	if (rc == 0)
		rc = look(q, &f, &show, e);
	if (rc == 0)
		rc = check_free(store, &f, e);
	if (rc == 0)
		add_chunk(a, &f, show, alone);
	queue_show_free(show);
	found_free(&f);
	errno = f.later ? EAGAIN : EINVAL;
	return rc;
}

/* "Slurm jobs 12-14,17" */
static char *
name_all(const struct import_slurm *a)
{
	struct idset ids = {0};
	char *list, *text;
	size_t i;

	for (i = 0; i < a->count; i++)
		idset_add(&ids, a->chunk[i].array, a->chunk[i].array);
	list = idset_text(&ids);
	text = xasprintf("Slurm job%s %s", a->count > 1 ? "s" : "", list);
	idset_free(&ids);
	free(list);
	return text;
}

int
import_slurm_find(const struct store *store, char *const ids[], size_t count,
    struct import_slurm *out, struct error *e)
{
	struct queue *q;
	int rc = 0, number;
	size_t i;

	memset(out, 0, sizeof *out);
	if (queue_load(&q, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < count; i++)
		rc = add(out, store, q, ids[i], count == 1, e);
	number = errno;
	queue_free(q);
	if (rc == -1)
		import_slurm_free(out);
	else
		out->what = name_all(out);
	errno = number;
	return rc;
}

void
import_slurm_free(struct import_slurm *a)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		store_chunk_free(&a->chunk[i]);
		found_free(&a->found[i]);
		free(a->command[i]);
	}
	import_stfmanager_free(&a->tasks);
	free(a->chunk);
	free(a->found);
	free(a->command);
	free(a->name);
	free(a->directory);
	free(a->what);
	memset(a, 0, sizeof *a);
}

/* ---- points ---- */

/* Whether a command can stand in a table. */
static int
is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == '\177')
			return 0;
	return 1;
}

/* Whether the commands tell the jobs from each other. */
static int
commands_differ(const struct import_slurm *a)
{
	int differ = 0;
	size_t i;

	for (i = 0; i < a->count; i++) {
		if (a->command[i] == NULL || *a->command[i] == '\0' ||
		    !text_is_utf8(a->command[i]) || !is_plain(a->command[i]))
			return 0;
		differ |= strcmp(a->command[i], a->command[0]) != 0;
	}
	return differ;
}

/* All that is known of them, a line of JSON each. */
static char *
points_of(const struct import_slurm *a, size_t *length)
{
	int differ = commands_differ(a);
	char *text;
	FILE *f = xmemopen(&text, length);
	size_t i, chunk = 0;

	for (i = 0; i < a->tasks.count; i++) {
		while (!idset_has(&a->chunk[chunk].tasks, i))
			chunk++;
		fputs("{\"task_id\":", f);
		text_json(f, a->tasks.task[i].name);
		if (differ) {
			fputs(",\"command\":", f);
			text_json(f, a->command[chunk]);
		}
		fputs("}\n", f);
	}
	xmemclose(f);
	return text;
}

int
import_slurm_points(struct import_slurm *a, struct job_plan *plan,
    const char *file, const char *text, size_t length, struct error *e)
{
	char *known = text == NULL ? points_of(a, &length) : NULL;
	int rc = import_stfmanager_points(&a->tasks, plan,
	    known != NULL ? "tasks" : file, known != NULL ? known : text,
	    length, e);

	free(known);
	return rc;
}

/* ---- into the store ---- */

/* What is stored, and the store. */
struct work {
	struct import_slurm *adopt;
	const struct store *store;
};

/* Somebody else may have imported some of it since they were found. */
static int
admit(void *arg, struct error *e)
{
	const struct work *w = arg;
	struct selection all = {0};
	int rc = list_jobs(w->store, &all, e);
	size_t i, k;

	for (i = 0; rc == 0 && i < all.count; i++)
		for (k = 0; rc == 0 && k < w->adopt->count; k++)
			if (store_job_is_adopted(all.item[i].job))
				rc = check_job(
				    &w->adopt->found[k], all.item[i].job, e);
	selection_free(&all);
	if (rc == -1)
		errno = EEXIST; /* no later try will do */
	return rc;
}

/* What is queued is claimed from the first. */
static int
furnish(void *arg, struct store_job *job, int dir, struct error *e)
{
	struct import_slurm *a = ((struct work *)arg)->adopt;
	struct store_chunk *c;
	char *token;
	uint32_t array;
	int rc = 0;
	size_t i;

	job->dir = dir;
	for (i = 0; rc == 0 && i < a->count; i++) {
		c = &a->chunk[i];
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

/* The words of the command, for people: blanks in them are not told. */
static void
take_command(const struct import_slurm *a, struct strlist *out)
{
	char *text = xstrdup(a->command[0] != NULL ? a->command[0] : "");
	char *word, *rest;

	if (text_is_utf8(text))
		for (word = strtok_r(text, " ", &rest); word != NULL;
		     word = strtok_r(NULL, " ", &rest))
			strlist_push(out, word);
	free(text);
}

int
import_slurm_store(struct import_slurm *a, struct job_plan *plan,
    const struct store *store, struct error *e)
{
	struct store_job *job = plan->job;
	struct work w = {a, store};
	struct store_job_files files = {.batch = import_stfmanager_script,
	    .points = plan->points,
	    .points_length = plan->points_length,
	    .more = furnish,
	    .admit = admit,
	    .arg = &w};
	int rc;

	job->points_kept = 1;
	job->array_size = a->tasks.count;
	job->imported = xstrdup(a->what);
	take_command(a, &job->command);
	rc = store_job_create(store, job, &files, e);
	if (rc == 1)
		rc = error_set(e,
		    "%s: there is a job of this name: choose another with -J",
		    job->name);
	return rc;
}
