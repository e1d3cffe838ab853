#include <sys/resource.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/job.h"
#include "view/select.h"

enum { INPUT_LIMIT = 16 << 20 };

/*
 * Add tasks of a job to a selection; tasks NULL means all.  The selection takes
 * over job.
 */
static void
add(struct selection *s, struct store_job *job, const struct idset *tasks)
{
	struct selected *item = selection_add(s, job);
	size_t i;

	if (tasks == NULL) {
		item->whole = 1;
		if (store_job_tasks(item->job) > 0)
			idset_add(
			    &item->tasks, 0, store_job_tasks(item->job) - 1);
		return;
	}
	for (i = 0; i < tasks->count; i++)
		idset_add(
		    &item->tasks, tasks->run[i].first, tasks->run[i].last);
}

static int
compare_age(const void *a, const void *b)
{
	const struct selected *s = a, *t = b;

	if (store_job_created(s->job) != store_job_created(t->job))
		return store_job_created(s->job) < store_job_created(t->job)
		    ? -1
		    : 1;
	return strcmp(store_job_id(s->job), store_job_id(t->job));
}

/*
 * Every job keeps its directory open, and there can be more than 1,024 jobs.
 */
static void
allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Load a job and add it.  Adds the reason why it is unreadable to damaged. */
static void
add_name(const struct store *store, const char *name,
    const struct store_settled_list *settled, int for_pass,
    struct selection *out, struct strlist *damaged)
{
	struct store_stamp stamp = {0};
	struct store_job *job;
	struct error why;

	if (settled != NULL)
		stamp = store_settled_look(settled, name, for_pass);
	job = store_job_load(store, name, &why);
	if (job != NULL) {
		job->stamp = stamp;
		add(out, job, NULL);
	} else if (why.code != ERROR_ABSENT && damaged != NULL) {
		strlist_push(damaged, why.text);
	}
}

static void
sort_by_age(struct selection *s)
{
	if (s->count > 0)
		qsort(s->item, s->count, sizeof *s->item, compare_age);
}

int
job_select_all(const struct store *store, struct selection *out,
    struct strlist *damaged, struct error *e)
{
	struct fs_names names;
	size_t i;

	memset(out, 0, sizeof *out);
	if (store_jobs(store, &names, e) == -1)
		return -1;
	allow_many_files();
	for (i = 0; i < names.count; i++)
		add_name(store, names.name[i], NULL, 0, out, damaged);
	fs_names_free(&names);
	sort_by_age(out);
	return 0;
}

/* ---- for a list ---- */

static int
compare_lines(const void *a, const void *b)
{
	const struct store_settled *const *s = a, *const *t = b;

	if ((*s)->created != (*t)->created)
		return (*s)->created < (*t)->created ? 1 : -1;
	return strcmp((*t)->id, (*s)->id);
}

/* Return how many of the first count jobs are newer than a line. */
static size_t
count_newer(
    const struct selection *s, size_t count, const struct store_settled *line)
{
	size_t i, newer = 0;
	const struct store_job *job;
	int64_t created;

	for (i = 0; i < count; i++) {
		job = s->item[i].job;
		created = store_job_created(job);
		newer += created > line->created ||
		    (created == line->created &&
			strcmp(store_job_id(job), line->id) > 0);
	}
	return newer;
}

/*
 * Add the jobs of lines, which are sorted here: all that count, or if newest is
 * not 0, only as long as there are fewer newer jobs.
 */
static void
add_lines(const struct store *store, struct store_settled_list *settled,
    struct store_settled **line, size_t count, size_t newest,
    struct selection *out, struct strlist *damaged)
{
	size_t loaded = out->count, i;

	if (newest > 0 && count > 0)
		qsort(
		    line, count, sizeof(struct store_settled *), compare_lines);
	for (i = 0; i < count; i++) {
		if (newest > 0 &&
		    out->count - loaded + count_newer(out, loaded, line[i]) >=
			newest) {
			settled->skipped = count - i;
			break;
		}
		if (store_settled_holds(settled, line[i]))
			add(out, store_settled_job(store, line[i]), NULL);
		else
			add_name(
			    store, line[i]->name, settled, 0, out, damaged);
	}
}

int
job_select_list(const struct store *store, size_t newest,
    struct store_settled_list *settled, struct selection *out,
    struct strlist *damaged, struct error *e)
{
	struct store_settled **line, *found;
	size_t i, count = 0;
	struct fs_names names;

	memset(out, 0, sizeof *out);
	store_settled_load(store, settled);
	if (store_jobs(store, &names, e) == -1)
		return -1;
	allow_many_files();
	line = xcalloc(names.count + 1, sizeof(struct store_settled *));
	for (i = 0; i < names.count; i++) {
		found = store_settled_find(settled, names.name[i]);
		if (found != NULL)
			line[count++] = found;
		else
			add_name(
			    store, names.name[i], settled, 0, out, damaged);
	}
	/* The lines tell which jobs are new only if the same jobs are there. */
	add_lines(store, settled, line, count, settled->is_same ? newest : 0,
	    out, damaged);
	free(line);
	fs_names_free(&names);
	sort_by_age(out);
	return 0;
}

int
job_select_awake(const struct store *store, const struct job_resting *resting,
    struct store_settled_list *settled, struct selection *out,
    struct strlist *damaged, struct error *e)
{
	struct store_settled *found;
	struct fs_names names;
	size_t i;

	memset(out, 0, sizeof *out);
	store_settled_load(store, settled);
	if (store_jobs(store, &names, e) == -1)
		return -1;
	allow_many_files();
	for (i = 0; i < names.count; i++) {
		found = store_settled_find(settled, names.name[i]);
		if (found == NULL ||
		    !store_settled_rests(settled, found, resting->hooks) ||
		    resting->is_queued(resting->arg, found->id))
			add_name(
			    store, names.name[i], settled, 1, out, damaged);
	}
	fs_names_free(&names);
	sort_by_age(out);
	return 0;
}

/* ---- by text ---- */

static int
list_has(const struct strlist *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (ascii_casestr(list->word[i], text) != NULL)
			return 1;
	return 0;
}

static int
job_has(const struct store_job *job, const char *text)
{
	return ascii_casestr(job->name, text) != NULL ||
	    (job->description != NULL &&
		ascii_casestr(job->description, text) != NULL) ||
	    list_has(&job->tags, text) || list_has(&job->command, text) ||
	    list_has(&job->names, text);
}

void
job_select_find(struct selection *s, const char *text)
{
	size_t i, kept = 0;

	for (i = 0; i < s->count; i++) {
		if (job_has(s->item[i].job, text)) {
			s->item[kept++] = s->item[i];
			continue;
		}
		store_job_free(s->item[i].job);
		idset_free(&s->item[i].tasks);
	}
	s->count = kept;
}

/* ---- by name ---- */

static int
no_such_job(const struct store *store, const char *name, struct error *e)
{
	struct fs_names names;
	char hint[TEXT_HINT];
	const char *near;

	if (store_jobs(store, &names, NULL) == -1)
		return error_set(e, "%s: no such job", name);
	near = text_nearest(name, (const char *const *)names.name, names.count);
	if (near != NULL && strcmp(near, name) == 0)
		error_set(e,
		    "%s: its record is gone: stfm-check %s lists its files",
		    name, name);
	else if (names.count == 0)
		error_set(e, "%s: no such job (there are none in %s)", name,
		    store->path);
	else
		error_set(e, "%s: no such job (%s)", name,
		    text_hint(name, (const char *const *)names.name,
			names.count, "stfm-status lists them", hint));
	fs_names_free(&names);
	return -1;
}

/*
 * Handle a word that may name a damaged job: if damaged is NULL, return -1;
 * else add the reason to damaged and return 0.
 */
static int
miss(struct strlist *damaged, const struct error *e)
{
	if (damaged == NULL)
		return -1;
	strlist_push(damaged, e->text);
	return 0;
}

static int
select_name(const struct store *store, const char *word, struct selection *out,
    struct strlist *unread, struct error *e)
{
	size_t length = strcspn(word, "/");
	char *name = xstrndup(word, length);
	struct idset tasks = {0};
	struct store_job *job;
	struct error why;
	uint64_t last;
	int rc = -1;

	job = store_job_load(store, name, &why);
	if (job == NULL && why.code == ERROR_ABSENT) {
		no_such_job(store, name, e);
	} else if (job == NULL) {
		error_copy(e, &why);
		rc = miss(unread, &why);
	} else if (word[length] == '\0') {
		add(out, job, NULL);
		rc = 0;
	} else if (idset_parse(&tasks, word + length + 1, e) == -1) {
		error_prefix(e, word);
		store_job_free(job);
	} else if ((last = tasks.run[tasks.count - 1].last) >=
	    store_job_tasks(job)) {
		error_set(e,
		    "%s/%" PRIu64 ": no such task (it has %s%" PRIu64 ")",
		    store_job_name(job), last,
		    store_job_tasks(job) > 1 ? "0-" : "only ",
		    store_job_tasks(job) - 1);
		store_job_free(job);
	} else {
		add(out, job, &tasks);
		rc = 0;
	}
	idset_free(&tasks);
	free(name);
	return rc;
}

/* ---- by age ---- */

/* Select the second newest job for "@2" or "@2/0-4". */
static int
select_age(const struct store *store, const char *word, struct selection *out,
    struct strlist *unread, struct error *e)
{
	size_t length = strcspn(word, "/");
	char *number = xstrndup(word + 1, length - 1), *named;
	struct strlist damaged = {0};
	struct selection all;
	int64_t age;
	int rc;

	rc = num_int(word, number, 1, INT32_MAX, &age, e);
	free(number);
	if (rc == -1 || job_select_all(store, &all, &damaged, e) == -1)
		return -1;
	if (damaged.count > 0) {
		error_set(e, "%s: which job that is cannot be told: %s", word,
		    damaged.word[0]);
		rc = miss(unread, e);
	} else if ((uint64_t)age > all.count) {
		rc = error_set(
		    e, "%s: no such job (there are %zu)", word, all.count);
	} else {
		named = xasprintf("%s%s",
		    store_job_name(all.item[all.count - (size_t)age].job),
		    word + length);
		rc = select_name(store, named, out, unread, e);
		free(named);
	}
	strlist_free(&damaged);
	selection_free(&all);
	return rc;
}

/* ---- by tag ---- */

static const char by_tag[] = "tag:";

int
job_select_is_tag(const char *word)
{
	return strncmp(word, by_tag, sizeof by_tag - 1) == 0;
}

static int
no_such_tag(const struct selection *all, const char *tag, struct error *e)
{
	const struct strlist *tags;
	struct strlist known = {0};
	char hint[TEXT_HINT];
	size_t i, k;

	for (i = 0; i < all->count; i++) {
		tags = &all->item[i].job->tags;
		for (k = 0; k < tags->count; k++)
			if (!strlist_have(&known, tags->word[k]))
				strlist_push(&known, tags->word[k]);
	}
	error_set(e, "%s%s: no job has this tag (%s)", by_tag, tag,
	    text_hint(tag, (const char *const *)known.word, known.count,
		known.count > 0 ? "stfm-status lists the tags"
				: "stfm-set --tag adds one",
		hint));
	strlist_free(&known);
	return -1;
}

/* Select all jobs with the tag of "tag:paper", oldest first. */
static int
select_tag(const struct store *store, const char *word, struct selection *out,
    struct strlist *unread, struct error *e)
{
	const char *tag = word + sizeof by_tag - 1;
	struct strlist damaged = {0};
	struct selection all;
	size_t i, found = 0;
	int rc = 0;

	if (job_select_all(store, &all, &damaged, e) == -1)
		return -1;
	if (damaged.count > 0) {
		error_set(e, "%s: which jobs these are cannot be told: %s",
		    word, damaged.word[0]);
		rc = miss(unread, e);
	}
	for (i = 0; rc == 0 && i < all.count; i++) {
		if (!strlist_have(&all.item[i].job->tags, tag))
			continue;
		add(out, all.item[i].job, NULL);
		all.item[i].job = NULL;
		found++;
	}
	if (rc == 0 && found == 0 && damaged.count == 0)
		rc = no_such_tag(&all, tag, e);
	strlist_free(&damaged);
	selection_free(&all);
	return rc;
}

/* ---- by Slurm id ---- */

int
job_select_is_slurm_id(const char *word)
{
	size_t digits = strspn(word, "0123456789");

	return digits > 0 && (word[digits] == '\0' || word[digits] == '_');
}

static int
refuse_index(
    const struct store_chunk *chunk, const char *indices, struct error *e)
{
	uint64_t size = store_chunk_size(chunk);
	char *own = chunk->adopted ? idset_text(&chunk->indices)
	    : size > 1             ? xasprintf("0-%" PRIu64, size - 1)
				   : xstrdup("only 0");

	error_set(e, "%" PRIu32 "_%s: no such task (%s%s)", chunk->array,
	    indices, *own != '\0' ? "it has " : "it is no array", own);
	free(own);
	return -1;
}

/* Add to out the tasks of chunk at these indices of its array. */
static int
chunk_tasks(const struct store_chunk *chunk, const char *indices,
    struct idset *out, struct error *e)
{
	uint64_t size = store_chunk_size(chunk), k, n, count, first, task;
	struct idset wanted = {0};
	int64_t index;

	if (indices == NULL) {
		idset_add_all(out, &chunk->tasks);
		return 0;
	}
	if (idset_parse(&wanted, indices, e) == -1)
		return -1;
	for (k = 0; k < size; k++) {
		index = store_chunk_at(chunk, k);
		if (index < 0 || !idset_has(&wanted, (uint64_t)index))
			continue;
		count = store_chunk_packed(chunk, k, &first);
		for (n = 0; n < count; n++) {
			task = idset_at(&chunk->tasks, first + n);
			idset_add(out, task, task);
		}
	}
	idset_free(&wanted);
	return out->count > 0 ? 0 : refuse_index(chunk, indices, e);
}

/*
 * Add a job's tasks in an array to tasks.  Returns 1, 0 if the array is not in
 * this job, or -1.  Adds the reasons why chunks are unreadable to damaged.
 */
static int
take_array(struct store_job *job, uint32_t array, const char *indices,
    struct idset *tasks, struct strlist *damaged, struct error *e)
{
	struct store_chunks chunks;
	struct error why;
	int found = 0;
	size_t i;

	if (store_chunks_list(job, &chunks, e) == -1)
		return -1;
	for (i = 0; i < chunks.count && found == 0; i++)
		if (chunks.chunk[i].array == array)
			found = chunk_tasks(
				    &chunks.chunk[i], indices, tasks, e) == 0
			    ? 1
			    : -1;
	if (store_directory_whole(&chunks.damaged, &why) == -1)
		strlist_push(damaged, why.text);
	store_chunks_free(&chunks);
	return found;
}

static int
select_slurm(const struct store *store, const char *word, struct selection *out,
    struct strlist *unread, struct error *e)
{
	const char *underscore = strchr(word, '_');
	struct idset tasks = {0};
	struct strlist damaged = {0};
	struct selection all;
	char *digits;
	int64_t array;
	int found = 0, rc;
	size_t i;

	digits = xstrndup(word, strspn(word, "0123456789"));
	rc = num_int(word, digits, 1, UINT32_MAX, &array, e);
	free(digits);
	if (rc == -1 || job_select_all(store, &all, &damaged, e) == -1)
		return -1;
	for (i = all.count; i > 0 && found == 0; i--) {
		found = take_array(all.item[i - 1].job, (uint32_t)array,
		    underscore ? underscore + 1 : NULL, &tasks, &damaged, e);
		if (found == 1) {
			add(out, all.item[i - 1].job, &tasks);
			all.item[i - 1].job = NULL;
		}
	}
	idset_free(&tasks);
	selection_free(&all);
	rc = found == 1 ? 0 : -1;
	if (found == 0 && damaged.count > 0) {
		error_set(e, "%s: which task that is cannot be told: %s", word,
		    damaged.word[0]);
		rc = miss(unread, e);
	} else if (found == 0) {
		error_set(e, "%s: no job here has this Slurm id", word);
	}
	strlist_free(&damaged);
	return rc;
}

/* ---- words ---- */

static int select_word(const struct store *, const char *word,
    struct selection *out, struct strlist *unread, struct error *e);

/* Select the words on standard input, separated by blanks or newlines. */
static int
select_input(const struct store *store, struct selection *out,
    struct strlist *unread, struct error *e)
{
	char *text, *line, *save;
	int rc = 0;

	if (fs_read_path("-", INPUT_LIMIT, &text, NULL, e) == -1)
		return -1;
	for (line = strtok_r(text, " \t\r\n", &save); line != NULL && rc == 0;
	     line = strtok_r(NULL, " \t\r\n", &save))
		rc = strcmp(line, "-") == 0
		    ? error_set(e, "standard input: '-' again")
		    : select_word(store, line, out, unread, e);
	free(text);
	return rc;
}

static int
select_word(const struct store *store, const char *word, struct selection *out,
    struct strlist *unread, struct error *e)
{
	if (strcmp(word, "-") == 0)
		return select_input(store, out, unread, e);
	if (word[0] == '@')
		return select_age(store, word, out, unread, e);
	if (job_select_is_tag(word))
		return select_tag(store, word, out, unread, e);
	if (job_select_is_slurm_id(word))
		return select_slurm(store, word, out, unread, e);
	return select_name(store, word, out, unread, e);
}

/*
 * Select words as job_select does; if unread is not NULL, words that name
 * damaged jobs add reasons to unread.
 */
static int
select_words(const struct store *store, char *const words[], size_t count,
    struct selection *out, struct strlist *unread, struct error *e)
{
	size_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < count; i++)
		if (select_word(store, words[i], out, unread, e) == -1) {
			selection_free(out);
			return -1;
		}
	return 0;
}

int
job_select(const struct store *store, char *const words[], size_t count,
    struct selection *out, struct error *e)
{
	return select_words(store, words, count, out, NULL, e);
}

int
job_select_readable(const struct store *store, char *const words[],
    size_t count, struct selection *out, struct strlist *damaged,
    struct error *e)
{
	size_t before = damaged->count, more;

	if (select_words(store, words, count, out, damaged, e) == -1)
		return -1;
	if (out->count > 0 || damaged->count == before)
		return 0;
	more = damaged->count - before - 1;
	error_set(e, "%s", damaged->word[before]);
	return more == 0 ? -1
			 : error_set(e, "%s (and %zu more cannot be read)",
			       damaged->word[before], more);
}
