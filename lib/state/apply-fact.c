#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "job/usage.h"
#include "state/apply-fact.h"

static void
replace(char **old, char **new)
{
	if (*new == NULL)
		return;
	free(*old);
	*old = *new;
	*new = NULL;
}

static void
take_body(struct store_row *row, const struct store_fact *f,
    struct store_fact_body *b)
{
	replace(&row->node, &b->node);
	replace(&row->gpus, &b->gpus);
	replace(&row->account, &b->account);
	replace(&row->qos, &b->qos);
	replace(&row->log, &b->log);
	replace(&row->err, &b->err);
	replace(&row->reason, &b->reason);
	job_usage_take(row, b->usage);
	if (f->kind[0] == 'E')
		replace(&row->said, &b->cause);
	if (f->kind[0] == 'S') {
		row->start = b->time;
	} else {
		row->end = b->time;
		row->start = b->start != -1 ? b->start : row->start;
		row->memory = b->memory;
		row->cpu = b->cpu;
	}
	if (f->kind[0] == 'E' || f->kind[0] == 'Q') {
		row->exit = b->exit != -1 ? b->exit : row->exit;
		row->signal = b->signal;
		row->asked = b->asked;
		row->heard = b->heard;
	} else if (f->kind[0] == 'X' && (row->facts & STORE_HAS_E) == 0) {
		row->exit = b->exit;
		row->signal = b->signal;
	}
}

int
job_fact_flag(const struct store_fact *f)
{
	switch (f->kind[0]) {
	case 'S':
		return STORE_HAS_S;
	case 'E':
		return STORE_HAS_E;
	case 'Q':
		return STORE_HAS_Q;
	default:
		return STORE_HAS_X;
	}
}

int64_t
job_fact_code(const struct store_fact *f)
{
	int64_t code;

	if (f->kind[0] != 'E' ||
	    num_int("exit", f->kind + 1, 0, INT32_MAX, &code, NULL) == -1)
		return -1;
	return code;
}

uint32_t
job_fact_array(const struct store_fact_body *body)
{
	const char *id = body->slurm != NULL ? body->slurm : "";
	char *digits = xstrndup(id, strcspn(id, "_"));
	int64_t array = 0;

	num_int("array", digits, 0, UINT32_MAX, &array, NULL);
	free(digits);
	return (uint32_t)array;
}

void
job_fact_take(struct store_row *row, const struct store_fact *f,
    struct store_fact_body *b)
{
	if (f->kind[0] == 'E')
		row->exit = job_fact_code(f);
	take_body(row, f, b);
	if (f->kind[0] == 'X') {
		free(row->slurm);
		row->slurm = xstrdup(f->kind + 1);
	}
	row->facts |= job_fact_flag(f);
	if (strcmp(f->kind, "XLOST") == 0)
		row->facts |= STORE_END_DUE;
}

static int
is_undisturbed(int64_t code, int64_t signal, int64_t asked, int64_t heard)
{
	return code == 0 && signal <= 0 && asked <= 0 && heard <= 0;
}

int
job_fact_is_success(const struct store_fact *f, const struct store_fact_body *b)
{
	return job_fact_code(f) == 0 && b->cause == NULL &&
	    is_undisturbed(0, b->signal, b->asked, b->heard);
}

int
job_fact_is_done(const struct store_row *row)
{
	return (row->facts & (STORE_HAS_E | STORE_HAS_Q | STORE_FACT_DUE)) ==
	    STORE_HAS_E &&
	    row->said == NULL &&
	    is_undisturbed(row->exit, row->signal, row->asked, row->heard);
}
