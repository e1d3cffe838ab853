#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hostlist.h"
#include "base/xalloc.h"
#include "reconcile/reconcile.h"
#include "slurm/queue.h"
#include "store/directory.h"
#include "view/attach.h"
#include "view/view.h"

/* time limit in ms for the nodes to say which one runs a rank */
enum { OUTPUT_MS = 90000 };

/* ---- the task ---- */

/* Set e to the reason why stfm cannot attach to a task.  Returns -1. */
static int
refuse_task(const struct job_view *view, uint64_t task, struct error *e)
{
	const struct store_row *row = job_view_row(view, task);
	const char *cause = row->cause != NULL ? row->cause : "";
	/* Slurm's pending reasons have parentheses already. */
	int plain = *cause != '\0' && *cause != '(';

	if (!store_state_is_final(row->state))
		return error_set(e,
		    "%s/%" PRIu64 " has not started%s%s%s%s: there is nothing "
		    "to attach to yet",
		    store_job_name(view->job), task, *cause ? " " : "",
		    plain ? "(" : "", cause, plain ? ")" : "");
	return error_set(e,
	    "%s/%" PRIu64 " does not run any more: %s%s%s; stfm-log %s/%" PRIu64
	    " prints what it wrote",
	    store_job_name(view->job), task, store_state_name(row->state),
	    *cause ? ", " : "", cause, store_job_name(view->job), task);
}

static int
choose(struct job_attach *a, const struct job_view *view,
    const struct idset *tasks, struct error *e)
{
	const char *name = store_job_name(view->job);
	struct idset runs = {0};
	uint64_t count, i;
	char *list;

	for (i = 0; i < view->table->count; i++)
		if (idset_has(tasks, i) &&
		    store_table_state(view->table, i) == STORE_RUNNING)
			idset_add(&runs, i, i);
	count = idset_size(&runs);
	if (count == 1) {
		a->task = idset_at(&runs, 0);
	} else if (count > 1) {
		list = idset_text(&runs);
		error_set(e,
		    "%s: %" PRIu64
		    " tasks are running, name one of them: %s/%s",
		    name, count, name, list);
		free(list);
	} else if (idset_size(tasks) == 1) {
		refuse_task(view, idset_at(tasks, 0), e);
	} else {
		error_set(e, "%s: none of %" PRIu64 " tasks runs", name,
		    idset_size(tasks));
	}
	idset_free(&runs);
	return count == 1 ? 0 : -1;
}

/* Return the token of the chunk whose array runs the task, to free; or NULL. */
static char *
token_of(
    const struct store_job *job, const struct store_row *row, struct error *e)
{
	struct store_chunks chunks;
	const struct store_chunk *c;
	char *token = NULL;
	size_t i;

	if (store_chunks_list(job, &chunks, e) == -1)
		return NULL;
	for (i = 0; i < chunks.count && token == NULL; i++) {
		c = &chunks.chunk[i];
		if (c->array != 0 && (int64_t)c->array == row->array &&
		    idset_has(&c->tasks, row->task) &&
		    store_chunk_index(c, row->task) == row->index)
			token = xstrdup(c->token);
	}
	if (token == NULL && store_directory_whole(&chunks.damaged, e) == 0)
		error_set(e, "%s/%" PRIu64 ": no record of its Slurm array",
		    store_job_name(job), row->task);
	store_chunks_free(&chunks);
	return token;
}

/*
 * Return the record of an array task in which a step can start now: the task
 * belongs to this user, carries the token, and runs.  The record belongs to the
 * queue.  Returns NULL with the task's actual state as the reason in e.
 */
static const struct queue_record *
find_step(const struct queue *q, uint32_t array, uint32_t index,
    const char *token, struct error *e)
{
	const struct queue_record *r = queue_find(q, array, index);

	if (r == NULL)
		error_set(e, "Slurm has nothing of it");
	else if (r->uid != getuid() || !queue_has_token(r, token))
		error_set(e,
		    "what Slurm has as %" PRIu32 "_%" PRIu32 " is another job",
		    array, index);
	else if (r->completing || !r->alive)
		error_set(e, "Slurm has it as %s: it is ending", r->state_name);
	else if (r->state == QUEUE_SUSPENDED)
		error_set(
		    e, "it is suspended: scontrol resume %" PRIu32, array);
	else if (r->state != QUEUE_RUNNING)
		error_set(e, "Slurm has it as %s", r->state_name);
	else
		return r;
	return NULL;
}

/* Find the task's array job in Slurm's queue, checked by the chunk's token. */
static int
find(struct job_attach *a, const struct job_view *view,
    const struct queue *queue, struct error *e)
{
	const struct store_row *row = job_view_row(view, a->task);
	char *token = token_of(a->job, row, e), *name;
	const struct queue_record *r;

	if (token == NULL)
		return -1;
	a->array = (uint32_t)row->array;
	a->index = (uint32_t)row->index;
	r = find_step(queue, a->array, a->index, token, e);
	free(token);
	if (r == NULL) {
		name =
		    xasprintf("%s/%" PRIu64, store_job_name(a->job), a->task);
		error_prefix(e, name);
		free(name);
		return -1;
	}
	if (store_job_is_adopted(a->job))
		return error_set(e,
		    "%s/%" PRIu64 ": stfm did not start it, and does not know "
		    "its environment: srun --jobid=%" PRIu32
		    " --overlap --pty bash",
		    store_job_name(a->job), a->task, r->job);
	a->id = r->job;
	if (hostlist_expand(r->nodes, &a->nodes, e) == -1)
		return -1;
	a->node =
	    xstrdup(row->node != NULL && strlist_have(&a->nodes, row->node)
		    ? row->node
		    : a->nodes.word[0]);
	return 0;
}

/* Make a reconcile pass, then find the task in the new table and the queue. */
static int
look(struct job_attach *a, struct reconcile *pass, struct error *e)
{
	struct store_table *table;
	struct job_view *view;
	const char *trouble;
	int rc;

	if (reconcile_job(pass, a->job, NULL, NULL, &table, e) == -1)
		return -1;
	strlist_copy(&a->damaged, &table->damaged);
	store_table_free(table);
	trouble = pass->trouble;
	if (trouble != NULL)
		return error_code(e, ERROR_SILENT, "%s", trouble);
	view = job_view_new(a->job, NULL, time(NULL), e);
	if (view == NULL)
		return -1;
	rc = choose(a, view, &a->selection.item[0].tasks, e);
	if (rc == 0)
		rc = find(a, view, pass->queue, e);
	job_view_free(view);
	return rc;
}

int
job_attach(struct job_attach *a, const struct store *store, char *const words[],
    size_t count, struct error *e)
{
	struct reconcile *pass;
	int rc;

	memset(a, 0, sizeof *a);
	if (job_select(store, words, count, &a->selection, e) == -1)
		return -1;
	if (a->selection.count == 0)
		return error_set(e, "no task matches");
	a->job = a->selection.item[0].job;
	pass = reconcile_new(store, &a->selection, e);
	if (pass == NULL)
		return -1;
	rc = look(a, pass, e);
	reconcile_free(pass);
	return rc;
}

void
job_attach_free(struct job_attach *a)
{
	selection_free(&a->selection);
	strlist_free(&a->nodes);
	strlist_free(&a->damaged);
	free(a->node);
}

/* ---- the node ---- */

int
job_attach_node(struct job_attach *a, const char *node, struct error *e)
{
	char *all;

	if (strlist_have(&a->nodes, node)) {
		free(a->node);
		a->node = xstrdup(node);
		return 0;
	}
	all = strlist_join(&a->nodes, ", ");
	error_set(e, "--node=%s: %s/%" PRIu64 " runs on %s", node,
	    store_job_name(a->job), a->task, all);
	free(all);
	return -1;
}

/* Append the stfm-run command that runs on a node to out. */
static void
put_inside(const struct job_attach *a, const char *program, const char *verb,
    const char *rank, struct strlist *out)
{
	strlist_push(out, program);
	strlist_push(out, verb);
	strlist_push(out, store_job_path(a->job));
	strlist_push(out, store_job_id(a->job));
	strlist_take(out, xasprintf("%" PRIu32, a->array));
	strlist_take(out, xasprintf("%" PRIu32, a->index));
	strlist_take(out, xasprintf("%" PRIu64, a->task));
	strlist_push(out, rank != NULL ? rank : "-");
}

int
job_attach_rank(struct job_attach *a, const char *program, const char *rank,
    struct error *e)
{
	char *all = strlist_join(&a->nodes, ","), *out;
	struct queue_step step = {
	    .job = a->id, .nodes = all, .count = a->nodes.count};
	struct strlist words = {0};
	int rc;

	put_inside(a, program, "where", rank, &words);
	queue_step_words(&step, &words);
	out = queue_step_output(&words, OUTPUT_MS, e);
	free(all);
	strlist_free(&words);
	if (out == NULL)
		return -1;
	out[strcspn(out, "\n")] = '\0';
	rc = *out != '\0'
	    ? job_attach_node(a, out, e)
	    : error_set(e,
		  "--rank=%s: no rank of %s/%" PRIu64 " has this number", rank,
		  store_job_name(a->job), a->task);
	free(out);
	return rc;
}

void
job_attach_words(const struct job_attach *a, const char *program,
    const char *rank, char *const command[], int terminal, struct strlist *out)
{
	struct queue_step step = {
	    .job = a->id, .nodes = a->node, .count = 1, .terminal = terminal};

	put_inside(a, program, "attach", rank, out);
	for (; *command != NULL; command++)
		strlist_push(out, *command);
	queue_step_words(&step, out);
}
