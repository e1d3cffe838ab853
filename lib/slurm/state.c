#include "slurm/private.h"

/* Flags that mean: whatever the base state says, there is more to come. */
enum {
	UNDONE = QUEUE_IS_COMPLETING | QUEUE_IS_REQUEUED | QUEUE_IS_REVOKED |
	    QUEUE_IS_STAGING
};

static int
is_final(uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	return base >= QUEUE_COMPLETED && base < QUEUE_OTHER &&
	    (state & UNDONE) == 0;
}

static const char *
state_name(uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	if (state & QUEUE_IS_COMPLETING)
		return "COMPLETING";
	if (state & QUEUE_IS_STAGING)
		return "STAGE_OUT";
	if (state & QUEUE_IS_REVOKED)
		return "REVOKED";
	if (base == QUEUE_RUNNING && (state & QUEUE_IS_CONFIGURING))
		return "CONFIGURING";
	if (base == QUEUE_RUNNING && (state & QUEUE_IS_STOPPED))
		return "STOPPED";
	return queue_state_name(base);
}

/* Elsewhere Slurm leaves reasons behind that no longer hold. */
static int
has_reason(uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	return base == QUEUE_PENDING ||
	    (is_final(state) && base != QUEUE_COMPLETED &&
		base != QUEUE_CANCELLED);
}

void
queue_set_state(struct queue_record *r, uint32_t state)
{
	uint32_t base = state & QUEUE_BASE;

	r->state = base < QUEUE_OTHER ? (enum queue_state)base : QUEUE_OTHER;
	r->alive = !is_final(state);
	r->completing = (state & QUEUE_IS_COMPLETING) != 0;
	r->returning = r->completing &&
	    (base == QUEUE_PENDING || (state & QUEUE_IS_REQUEUED) != 0);
	r->state_name = state_name(state);
	r->refused = r->refused && !r->alive && r->state == QUEUE_FAILED;
	if (!has_reason(state))
		r->reason = "";
}
