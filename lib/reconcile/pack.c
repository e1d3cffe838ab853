#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/empty-logs.h"
#include "reconcile/pack.h"
#include "reconcile/private.h"
#include "state/apply-fact.h"
#include "state/resolve.h"
#include "store/load.h"
#include "store/request.h"
#include "store/table-row.h"
#include "store/table.h"

/* The fewest facts to pack before a job is over, and the most in a pass. */
enum { LEAST = 1000, MOST = 5000 };

/* The fewest stop requests to pack before a job is over. */
enum { LEAST_STOPS = 250 };

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

/*
 * Return whether the row of a task that is over has taken in this fact of the
 * search, of any run.  Keeps the row, which may be long, in *kept until another
 * one is needed: a task has many such facts, one after the other.
 */
static int
is_known(const struct store_table *table, const struct store_brief *row,
    const struct store_fact *f, uint64_t *kept)
{
	if (!store_state_is_final(row->state))
		return 0;
	if (*kept != f->task && *kept != UINT64_MAX)
		store_table_forget(table, *kept);
	*kept = f->task;
	return reconcile_knows_search(store_table_row(table, f->task), f);
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
	uint64_t kept = UINT64_MAX;
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
				     : !is_known(table, &row, f, &kept))
			continue;
		chosen = xgrow(chosen, *count, sizeof *chosen);
		chosen[(*count)++] = *f;
	}
	if (kept != UINT64_MAX)
		store_table_forget(table, kept);
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

/* ---- stop requests of a search ---- */

int
reconcile_is_open(const void *arg, uint64_t task, uint32_t attempt)
{
	const struct store_table *table = arg;
	struct store_brief b;

	if (task >= table->count)
		return 1;
	b = store_table_brief(table, task);
	return attempt > b.attempt ||
	    (attempt == b.attempt && !store_state_is_final(b.state));
}

int64_t
reconcile_pack_stops(const struct job_pass *s, struct error *e)
{
	const struct store_request *r = s->requests.request;
	const struct store_request *end = r + s->requests.count;
	uint64_t files = 0, packed = 0, least = LEAST_STOPS;

	for (; r < end; r++)
		if (r->is_packed)
			packed += idset_size(&r->tasks);
		else
			files += r->is_unread;
	if (store_table_is_over(s->table))
		least = 2;
	if (least < packed / 8)
		least = packed / 8; /* so that there are few packs */
	return files < least
	    ? 0
	    : store_requests_pack(s->job, reconcile_is_open, s->table,
		  s->pass->now - JOB_GRACE, least, e);
}

/* ---- empty logs ---- */

/* The empty logs of a job that can be removed. */
struct removing {
	struct job_pass *pass;
	int dir;             /* the open directory log/ */
	struct strlist logs; /* their names */
	struct job_empty_logs tasks;
};

/*
 * Return whether all facts that have files are old, and there are some.  Then
 * this pass packs the last facts.
 */
static int
packs_last(const struct job_pass *s)
{
	const struct store_fact *f = s->facts.fact;
	const struct store_fact *end = f + s->facts.count;
	int64_t old = s->pass->now - JOB_GRACE;
	char name[STORE_FACT_NAME];
	int dir, young = 0, some = 0;
	struct stat st;

	for (; f < end && !young; f++) {
		if (!f->in_file)
			continue;
		some = 1;
		dir = store_fact_open(s->job, f->task, 0, NULL);
		store_fact_name(f, name);
		young = dir == -1 ||
		    fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
		    st.st_mtime > old;
		fs_close(dir);
	}
	return some && !young;
}

/* Return whether a log is empty, and was not written to for a while. */
static int
is_empty(const struct removing *r, const char *name)
{
	struct stat st;

	/* On NFS, the first call makes the second ask the server. */
	return fs_stat_fresh(r->dir, name, &st) == 0 && S_ISREG(st.st_mode) &&
	    fs_ops.fstatat(r->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode) && st.st_size == 0 &&
	    st.st_mtime <= r->pass->pass->now - JOB_GRACE;
}

/* Return whether a task is FINISHED in this chunk, and Slurm has ended it. */
static int
is_settled(struct job_pass *s, const struct store_chunk *c, uint64_t task)
{
	const struct queue_record *q;
	struct store_brief b;

	if (task >= s->table->count)
		return 0;
	b = store_table_brief(s->table, task);
	q = reconcile_record(s, c, task);
	return b.state == STORE_FINISHED && b.attempt == c->attempt &&
	    (b.facts & STORE_DUE) == 0 &&
	    (q == NULL || (!q->alive && !q->completing));
}

/* Take the number before a mark off the front of *text.  Returns 0 or -1. */
static int
take_number(const char **text, char mark, uint64_t *out)
{
	size_t length = strspn(*text, "0123456789");
	char digits[24];
	int64_t n;

	if (length == 0 || length >= sizeof digits || (*text)[length] != mark)
		return -1;
	memcpy(digits, *text, length);
	digits[length] = '\0';
	if (num_int(digits, digits, 0, UINT32_MAX, &n, NULL) == -1)
		return -1;
	*out = (uint64_t)n;
	*text += length + 1;
	return 0;
}

static void
note_empty(struct removing *r, const struct store_chunk *c, uint64_t task)
{
	struct job_empty_logs *t = &r->tasks;
	size_t i;

	for (i = 0; i < t->count && t->of[i].attempt != c->attempt; i++)
		continue;
	if (i == t->count) {
		t->of = xgrow(t->of, t->count, sizeof *t->of);
		t->of[t->count++] =
		    (struct job_empty_logs_of){.attempt = c->attempt};
	}
	idset_add(&t->of[i].tasks, task, task);
}

/*
 * Note a log if it can be removed: "4102_3.log", which all tasks of index 3
 * share, or next to it "4102_3.task17.log" or "4102_3.rank1.log".
 */
static void
look_at(struct removing *r, const char *name)
{
	const struct store_chunk *c = r->pass->chunks.chunk;
	const struct store_chunk *end = c + r->pass->chunks.count;
	uint64_t array, index, first, count, task, i;
	const char *rest = name;

	if (take_number(&rest, '_', &array) == -1 ||
	    take_number(&rest, '.', &index) == -1 || !text_ends(name, ".log"))
		return;
	while (c < end &&
	    (c->claim != STORE_ARRAY || c->adopted || c->array != array))
		c++;
	if (c == end)
		return;
	count = store_chunk_packed(c, store_chunk_place(c, index), &first);
	for (i = 0; i < count; i++)
		if (!is_settled(r->pass, c, idset_at(&c->tasks, first + i)))
			return;
	if (count == 0 || !is_empty(r, name))
		return;
	strlist_push(&r->logs, name);
	if (strcmp(rest, "log") == 0 && count == 1)
		note_empty(r, c, idset_at(&c->tasks, first));
	else if (text_begins(rest, "task") &&
	    take_number(&(const char *){rest + 4}, '.', &task) == 0)
		note_empty(r, c, task);
}

/* Record that the logs are empty, then remove those that still are. */
static int
remove_logs(const struct removing *r, struct error *e)
{
	const struct job_empty_logs *t = &r->tasks;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < t->count; i++)
		rc = job_empty_logs_note(
		    r->pass->job, t->of[i].attempt, &t->of[i].tasks, e);
	for (i = 0; rc == 0 && i < r->logs.count; i++)
		if (is_empty(r, r->logs.word[i]))
			rc = fs_unlink(r->dir, r->logs.word[i], e);
	return rc;
}

int
reconcile_remove_empty_logs(struct job_pass *s, struct error *e)
{
	struct removing r = {.pass = s};
	struct fs_names names;
	size_t i;
	int rc;

	if (s->pass->queue == NULL || s->unread ||
	    !store_table_is_over(s->table) || s->chunks.damaged.count > 0 ||
	    !packs_last(s))
		return 0;
	r.dir = fs_open_subdir(store_job_dir(s->job), "log", 0, NULL);
	if (r.dir == -1)
		return 0;
	rc = fs_list(r.dir, &names, e);
	if (rc == 0) {
		for (i = 0; i < names.count; i++)
			look_at(&r, names.name[i]);
		fs_names_free(&names);
		rc = remove_logs(&r, e);
	}
	strlist_free(&r.logs);
	job_empty_logs_free(&r.tasks);
	fs_close(r.dir);
	return rc;
}
