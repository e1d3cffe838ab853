#include "base/xalloc.h"
#include "reconcile/private.h"
#include "slurm/sbatch-output.h"
#include "state/apply-fact.h"

/*
 * Whether Slurm says that a run has begun, which may be over by now.  What was
 * cancelled while it waited has times, but no nodes.
 */
static int
has_begun(const struct view *v)
{
	const struct queue_record *r = v->record;

	if (r != NULL)
		return (uint32_t)r->restarts == v->row->restart &&
		    *r->nodes != '\0' && r->start > 0 && !r->returning &&
		    r->state != QUEUE_PENDING;
	return v->past != NULL && v->past->start > 0 && !v->past->shared;
}

/* Where it writes to, to free, or NULL when nobody knows. */
static char *
path_of(const struct scene *s, const struct view *v, const char *name)
{
	int64_t submit;
	struct sbatch_output o = {.array = v->row->array,
	    .index = v->row->index,
	    .job = -1,
	    .name = queue_adopted_name(v->chunk->token, &submit),
	    .user = s->job->user};

	if (name == NULL)
		return NULL;
	if (v->record != NULL) {
		o.job = v->record->job;
		o.node = v->record->nodes;
	}
	return sbatch_output(name, &o);
}

static struct store_fact_body
body_of(const struct scene *s, const struct view *v)
{
	struct store_fact_body body = store_fact_body();

	body.slurm = store_row_slurm(v->row);
	if (v->record != NULL)
		body.node = xstrdup(v->record->nodes);
	body.time = v->record != NULL ? v->record->start : v->past->start;
	body.log = path_of(s, v, v->chunk->log);
	body.err = path_of(s, v, v->chunk->err);
	return body;
}

void
pass_adopt(struct scene *s, struct view *v)
{
	struct store_fact fact = {
	    v->row->task, v->row->attempt, v->row->restart, "S", 0};
	struct store_fact_body body;
	struct error why;

	if (v->chunk == NULL || !v->chunk->adopted ||
	    (v->row->facts & STORE_HAS_S) != 0 || !has_begun(v))
		return;
	body = body_of(s, v);
	if (store_fact_publish(s->job, &fact, &body, &why) == -1)
		words_push(&s->fold->damaged, why.text);
	else
		job_fact_take(v->row, &fact, &body);
	store_fact_body_free(&body);
}
