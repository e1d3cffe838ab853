#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/empty-logs.h"
#include "reconcile/private.h"
#include "slurm/queue.h"
#include "store/job.h"
#include "store/table-row.h"
#include "store/table.h"

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
note(struct removing *r, const struct store_chunk *c, uint64_t task)
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
		note(r, c, idset_at(&c->tasks, first));
	else if (text_begins(rest, "task") &&
	    take_number(&(const char *){rest + 4}, '.', &task) == 0)
		note(r, c, task);
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
