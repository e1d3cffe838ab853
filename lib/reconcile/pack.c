#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "reconcile/pack.h"
#include "reconcile/private.h"
#include "state/apply-fact.h"
#include "state/resolve.h"
#include "store/table-row.h"
#include "store/table.h"

/* The fewest facts to pack before a job is over, and the most in a pass. */
enum { LEAST = 1000, MOST = 5000 };

/* Return whether the pack was read in this pass, and understood entirely. */
static int
is_understood(const struct store_facts *facts, const char *name)
{
	const struct store_pack *p;
	size_t i;

	for (i = 0; i < facts->packs_read; i++) {
		p = &facts->pack[i];
		if (strcmp(p->name, name) == 0)
			return p->damaged == 0 && p->unknown == 0 && !p->cut;
	}
	return 0;
}

int
reconcile_pack_take(struct store_table *table, const struct store_facts *facts)
{
	struct strlist taken = {0};
	int changed = 0;
	size_t i;

	for (i = 0; i < facts->packs.count; i++) {
		const char *name = facts->packs.word[i];

		if (strlist_have(&table->packs, name)) {
			strlist_push(&taken, name);
		} else if (is_understood(facts, name)) {
			strlist_push(&taken, name);
			changed = 1;
		}
	}
	changed |= taken.count != table->packs.count;
	strlist_free(&table->packs);
	table->packs = taken;
	return changed;
}

/* Return whether the task is over and its row has taken in this fact. */
static int
is_taken(const struct store_table *table, const struct store_brief *row,
    const struct store_fact *f)
{
	int order = store_run_compare(STORE_RUN(f), STORE_RUN(row)), past = 0;

	if (!store_state_is_final(row->state))
		return 0;
	if (order > 0 && f->attempt == row->attempt) {
		past = job_fact_is_past(store_table_row(table, f->task), f);
		store_table_forget(table, f->task);
	}
	return order < 0 || past ||
	    (order == 0 && (row->facts & job_fact_flag(f)) != 0);
}

/* Return whether the row has taken in this fact of the search, of any run. */
static int
is_known(const struct store_table *table, const struct store_fact *f)
{
	int known = reconcile_knows_search(store_table_row(table, f->task), f);

	store_table_forget(table, f->task);
	return known;
}

static int
compare(const void *a, const void *b)
{
	return store_fact_compare(a, b);
}

/* Return the facts that may be packed, at most MOST, in order; to free. */
static struct store_fact *
choose(const struct store_table *table, const struct store_facts *facts,
    size_t *count)
{
	struct store_fact *chosen = NULL;
	struct store_brief row = {0};
	const struct store_fact *f;
	size_t i;

	*count = 0;
	for (i = 0; i < facts->count + facts->search_count && *count < MOST;
	     i++) {
		f = i < facts->count ? &facts->fact[i]
				     : &facts->search[i - facts->count];
		if (!f->in_file || f->task >= table->count)
			continue;
		row = store_table_brief(table, f->task);
		if (i < facts->count ? !is_taken(table, &row, f)
				     : !store_state_is_final(row.state) ||
			    !is_known(table, f))
			continue;
		chosen = xgrow(chosen, *count, sizeof *chosen);
		chosen[(*count)++] = *f;
	}
	if (*count > 0)
		qsort(chosen, *count, sizeof *chosen, compare);
	return chosen;
}

static int
has_all(const struct strlist *words, const struct strlist *these)
{
	size_t i;

	for (i = 0; i < these->count; i++)
		if (!strlist_have(words, these->word[i]))
			return 0;
	return 1;
}

/* Note that pack name has facts of the table, and replaces the packs gone. */
static int
note(struct store_table *table, char *name, const struct strlist *gone)
{
	struct strlist left = {0};
	size_t i;

	for (i = 0; i < table->packs.count; i++)
		if (!strlist_have(gone, table->packs.word[i]))
			strlist_push(&left, table->packs.word[i]);
	strlist_take(&left, name);
	strlist_free(&table->packs);
	table->packs = left;
	return 1;
}

static int
merge(const struct store_job *job, struct store_table *table, struct error *e)
{
	struct strlist from = {0};
	char *name;
	int rc = store_pack_merge(job, STORE_PACKS, &from, &name, e),
	    changed = 0;

	if (name != NULL && has_all(&table->packs, &from))
		changed = note(table, name, &from);
	else
		free(name);
	strlist_free(&from);
	return rc == -1 ? -1 : changed;
}

int
reconcile_pack(const struct store_job *job, struct store_table *table,
    const struct store_facts *facts, int64_t now, struct error *e)
{
	const struct strlist none = {0};
	int over = store_table_is_over(table);
	struct store_fact *chosen;
	char *name = NULL;
	int64_t packed = 0;
	int changed = 0, merged = 0;
	size_t count;

	chosen = choose(table, facts, &count);
	if (count >= (over ? 1 : LEAST))
		packed = store_pack_facts(job, chosen, count, now - JOB_GRACE,
		    over ? 1 : LEAST, &name, e);
	free(chosen);
	if (name != NULL)
		changed = note(table, name, &none);
	if (packed != -1 && facts->packs.count + (name != NULL) > STORE_PACKS)
		merged = merge(job, table, e);
	if (packed == -1 || merged == -1)
		return -1;
	return changed | merged;
}
