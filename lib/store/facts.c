#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/load.h"

/* How often to list a changing directory again, and reasons from one pack. */
enum { TRIES = 50, REASONS = 3 };

/* The most seconds from the time of a fact until it is made. */
enum { SOON = 60 };

static void
add(struct store_facts *facts, const struct store_fact *fact)
{
	facts->fact = xgrow(facts->fact, facts->count, sizeof *facts->fact);
	facts->fact[facts->count++] = *fact;
}

/* ---- files ---- */

static int
is_gone(const struct error *why)
{
	return why->code == ERROR_ABSENT || why->number == ESTALE;
}

/*
 * Return 0 if a listed name is gone, because it was packed; 1 if the server was
 * in trouble and the listing must be repeated; or -1.
 */
static int
is_packed(void)
{
	if (errno == ENOENT)
		return 0;
	return errno == ESTALE ? 1 : -1;
}

static int
list_shard(int run, const char *name, struct store_facts *out, struct error *e)
{
	struct store_fact fact;
	struct fs_names names;
	int dir, rc;
	size_t i;

	dir = fs_open_subdir(run, name, 0, e);
	if (dir == -1 && (errno == ENOTDIR || errno == ELOOP)) {
		strlist_take(&out->strange, fs_path(run, name));
		return 0;
	}
	if (dir == -1)
		return is_packed();
	rc = fs_list(dir, &names, e);
	if (rc == -1)
		rc = is_packed();
	for (i = 0; i < names.count; i++)
		if (store_fact_parse(names.name[i], &fact)) {
			fact.in_file = 1;
			add(out, &fact);
		} else {
			strlist_take(
			    &out->strange, fs_path(dir, names.name[i]));
		}
	fs_names_free(&names);
	fs_close(dir);
	return rc;
}

/*
 * List the files of all tasks, or of the directory with the facts of one task,
 * until the listing is complete.
 */
static int
list_files(const struct store_job *job, const uint64_t *task,
    struct store_facts *out, struct error *e)
{
	struct fs_names shards;
	int run, tries, rc = 1;
	size_t i;

	for (tries = 0; rc == 1 && tries < TRIES; tries++) {
		out->count = 0;
		strlist_free(&out->strange);
		run = store_directory_list(job, "run", &shards, e);
		if (run == -1)
			return -1;
		rc = 0;
		for (i = 0; rc == 0 && i < shards.count; i++)
			if (task == NULL ||
			    store_fact_is_shard(shards.name[i], *task))
				rc = list_shard(run, shards.name[i], out, e);
		store_directory_close(run, &shards);
	}
	return rc == 0 ? 0 : -1;
}

/* ---- packs ---- */

static int
is_read(const struct store_facts *facts, const char *name)
{
	size_t i;

	for (i = 0; i < facts->packs_read; i++)
		if (strcmp(facts->pack[i].name, name) == 0)
			return 1;
	return 0;
}

/* Add the first reasons why a pack is damaged; a few are enough. */
static void
add_reasons(const struct store_job *job, const struct store_pack *pack,
    struct strlist *out)
{
	struct strlist all = {0};
	size_t i;

	store_pack_reasons(job, pack, &all);
	for (i = 0; i < all.count && i < REASONS; i++)
		strlist_push(out, all.word[i]);
	if (i < all.count)
		strlist_take(out,
		    xasprintf("%s/pack/%s: %zu more: stfm-check tells all",
			store_job_path(job), pack->name, all.count - i));
	strlist_free(&all);
}

/*
 * Read the packs of one listing that are neither in taken nor read yet.
 * Returns 0, 1 if a pack was gone by then, or -1.
 */
static int
read_packs(const struct store_job *job, const struct fs_names *names,
    const struct strlist *taken, struct store_facts *out, struct error *e)
{
	struct store_pack pack;
	struct error why;
	const char *name;
	int gone = 0, rc;
	size_t i;

	for (i = 0; i < names->count; i++) {
		name = names->name[i];
		if ((taken != NULL && strlist_have(taken, name)) ||
		    is_read(out, name))
			continue;
		rc = out->one
		    ? store_pack_load_task(job, name, out->task, &pack, &why)
		    : store_pack_load(job, name, &pack, &why);
		if (rc == -1 && !is_gone(&why))
			return error_copy(e, &why);
		if (rc == -1) {
			gone = 1;
			continue;
		}
		if (pack.damaged > 0 || pack.cut)
			out->sound = 0;
		add_reasons(job, &pack, &out->damaged);
		out->pack =
		    xgrow(out->pack, out->packs_read, sizeof *out->pack);
		out->pack[out->packs_read++] = pack;
	}
	return gone;
}

/*
 * Read the packs until a listing has nothing new: a listing made during a merge
 * can miss both the new pack and the old ones.  listed is set to the names of
 * the last listing.
 */
static int
list_packs(const struct store_job *job, const struct strlist *taken,
    struct strlist *listed, struct store_facts *out, struct error *e)
{
	struct fs_names names;
	size_t before, i;
	int tries, rc;

	for (tries = 0; tries < TRIES; tries++) {
		before = out->packs_read;
		if (store_pack_list(job, &names, e) == -1)
			return -1;
		rc = read_packs(job, &names, taken, out, e);
		strlist_free(listed);
		for (i = 0; i < names.count; i++)
			strlist_push(listed, names.name[i]);
		fs_names_free(&names);
		if (rc == -1)
			return -1;
		if (rc == 0 && tries > 0 && out->packs_read == before)
			return 0;
	}
	return error_code(e, ERROR_LATER,
	    "%s/pack: changes faster than it can be read", store_job_path(job));
}

static int
compare(const void *a, const void *b)
{
	return store_fact_compare(a, b);
}

/* Move the facts of the search to a list of their own. */
static void
part_search(struct store_facts *facts)
{
	size_t i, kept = 0;

	for (i = 0; i < facts->count; i++) {
		if (!store_fact_is_of_search(&facts->fact[i])) {
			facts->fact[kept++] = facts->fact[i];
			continue;
		}
		facts->search = xgrow(
		    facts->search, facts->search_count, sizeof *facts->search);
		facts->search[facts->search_count++] = facts->fact[i];
	}
	facts->count = kept;
}

/*
 * Add the facts of the packs, drop facts of tasks that were not asked for, sort
 * them, and keep each fact once.
 */
static void
merge(struct store_facts *facts)
{
	struct store_fact *f;
	size_t i, k, kept = 0;

	for (i = 0; i < facts->packs_read; i++)
		for (k = 0; k < facts->pack[i].count; k++)
			add(facts, &facts->pack[i].line[k].fact);
	f = facts->fact;
	for (i = 0; i < facts->count; i++)
		if (!facts->one || f[i].task == facts->task)
			f[kept++] = f[i];
	facts->count = kept;
	if (kept == 0)
		return;
	qsort(f, kept, sizeof *f, compare);
	for (i = 1, kept = 0; i < facts->count; i++)
		if (compare(&f[kept], &f[i]) != 0)
			f[++kept] = f[i];
		else
			f[kept].in_file |= f[i].in_file;
	facts->count = kept + 1;
	part_search(facts);
}

static int
list(const struct store_job *job, const struct strlist *taken,
    const uint64_t *task, struct store_facts *out, struct error *e)
{
	memset(out, 0, sizeof *out);
	out->sound = 1;
	out->one = task != NULL;
	out->task = task != NULL ? *task : 0;
	if (list_files(job, task, out, e) == -1 ||
	    list_packs(job, taken, &out->packs, out, e) == -1) {
		store_facts_free(out);
		return -1;
	}
	merge(out);
	return 0;
}

int
store_facts_list(const struct store_job *job, const struct strlist *taken,
    struct store_facts *out, struct error *e)
{
	return list(job, taken, NULL, out, e);
}

void
store_facts_free(struct store_facts *facts)
{
	while (facts->packs_read > 0)
		store_pack_free(&facts->pack[--facts->packs_read]);
	free(facts->pack);
	free(facts->fact);
	free(facts->search);
	strlist_free(&facts->strange);
	strlist_free(&facts->packs);
	strlist_free(&facts->damaged);
	memset(facts, 0, sizeof *facts);
}

/*
 * Read a fact from the packs that were read.  Returns 0, -1, or 1 if none has
 * it.  A line of another job is the reason only if no other line has the name.
 */
static int
read_packed(const struct store_job *job, const struct store_facts *facts,
    const struct store_fact *fact, struct store_fact_body *out,
    struct error *why)
{
	const struct store_pack_line *line;
	const struct store_pack *pack;
	struct error reason;
	int rc = 1, one;
	char *what;
	size_t i;

	for (i = 0; i < facts->packs_read; i++) {
		pack = &facts->pack[i];
		line = store_pack_find(pack, fact);
		if (line == NULL)
			continue;
		what = xasprintf("%s/pack/%s:%zu", store_job_path(job),
		    pack->name, line->number);
		one = store_fact_take(job, fact, pack->text + line->at,
		    line->length, what, out, &reason);
		if (one == -1 && (rc == 1 || why->code == ERROR_FOREIGN))
			rc = error_copy(why, &reason);
		free(what);
		if (one == 0)
			return 0;
	}
	return rc;
}

/* Read a fact from a pack, else from its file. */
static int
read_anywhere(const struct store_job *job, const struct store_facts *facts,
    const struct store_fact *fact, struct store_fact_body *out,
    struct error *why)
{
	int rc = read_packed(job, facts, fact, out, why);
	struct error reason;

	if (rc == 1)
		return store_fact_read(job, fact, out, why);
	if (rc == 0 || why->code != ERROR_FOREIGN)
		return rc;
	rc = store_fact_read(job, fact, out, &reason);
	if (rc == -1 && !is_gone(&reason))
		error_copy(why, &reason);
	return rc;
}

int
store_facts_read(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *fact, struct store_fact_body *out, struct error *e)
{
	struct strlist listed = {0};
	struct error why;
	int tries, rc, foreign;
	size_t before;

	*out = store_fact_body();
	for (tries = 0; tries < TRIES; tries++) {
		if (read_anywhere(job, facts, fact, out, &why) == 0)
			return 0;
		foreign = why.code == ERROR_FOREIGN;
		if (!is_gone(&why) && !foreign)
			break;
		before = facts->packs_read;
		rc = list_packs(job, NULL, &listed, facts, e);
		strlist_free(&listed);
		if (rc == -1)
			return -1;
		if (foreign && facts->packs_read == before)
			break;
	}
	return error_copy(e, &why);
}

int
store_facts_is_foreign(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *fact)
{
	struct store_fact_body body;
	struct error why;

	if (store_facts_read(job, facts, fact, &body, &why) == -1)
		return why.code == ERROR_FOREIGN;
	store_fact_body_free(&body);
	return 0;
}

/* Return the time that a fact has, -1 if it is unknown. */
static int64_t
time_in(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *f)
{
	struct store_fact_body body;
	int64_t time;

	if (store_facts_read(job, facts, f, &body, NULL) == -1)
		return -1;
	time = body.time;
	store_fact_body_free(&body);
	return time;
}

/*
 * Return by how many seconds the clock of the file system is ahead of the clock
 * of the node of a run; 0 if that is unknown.  The starts and ends of the run
 * tell it, of which a watcher records none.  A fact is made some time after the
 * time that it has, so the least of them counts.
 */
static int64_t
clock_ahead(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *of)
{
	int64_t least = INT64_MAX, made, time;
	const struct store_fact *f;
	size_t i;

	for (i = 0; i < facts->count; i++) {
		f = &facts->fact[i];
		if (f->task != of->task || f->kind[0] == 'X' ||
		    store_run_compare(STORE_RUN(f), STORE_RUN(of)) != 0)
			continue;
		made = store_fact_made(job, f);
		time = made != -1 ? time_in(job, facts, f) : -1;
		if (time != -1 && made - time < least)
			least = made - time;
	}
	return least != INT64_MAX ? least : 0;
}

int64_t
store_facts_time(const struct store_job *job, struct store_facts *facts,
    const struct store_fact *f)
{
	int64_t made = store_fact_made(job, f), time = time_in(job, facts, f);

	if (made == -1 || time == -1)
		return made != -1 ? made : time;
	time += clock_ahead(job, facts, f);
	/* Else it is by another clock, as that of a watcher. */
	return time <= made && time >= made - SOON ? time : made;
}

/* Drop what only has the name of a fact.  Returns how many are left. */
static size_t
drop_foreign(const struct store_job *job, struct store_facts *facts,
    struct store_fact *f, size_t count)
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++)
		if (!store_facts_is_foreign(job, facts, &f[i]))
			f[kept++] = f[i];
	return kept;
}

int
store_facts_of(const struct store_job *job, uint64_t task,
    struct store_facts *out, struct error *e)
{
	if (list(job, NULL, &task, out, e) == -1)
		return -1;
	out->count = drop_foreign(job, out, out->fact, out->count);
	out->search_count =
	    drop_foreign(job, out, out->search, out->search_count);
	return 0;
}
