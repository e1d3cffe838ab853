#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fs.h"
#include "job-code.h"
#include "job-points.h"
#include "job-ready.h"
#include "job-verify-own.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-fold.h"
#include "store-gc.h"
#include "store-owner.h"
#include "store-part.h"
#include "store-points.h"
#include "store-wish.h"
#include "xalloc.h"

/* So many files of a copy are named. */
enum { MOST_FILES = 1000 };

/* How often to read what is listed, but does not seem to be there. */
enum { TRIES = 3 };

/* Where there is no directory, and need be none. */
enum { NO_SHARD = -2 };

/* ---- findings ---- */

void
job_findings_free(struct job_findings *f)
{
	size_t i;

	for (i = 0; i < f->count; i++) {
		free(f->item[i].job);
		free(f->item[i].path);
		free(f->item[i].what);
	}
	free(f->item);
	memset(f, 0, sizeof *f);
}

/* The text behind a prefix that ends in a slash or stands before ":". */
static const char *
behind(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* Take ":LINE" and ": " away from before a reason. */
static const char *
take_line(const char *text, size_t *line)
{
	char *end;
	size_t n;

	if (text[0] == ':' && text[1] >= '0' && text[1] <= '9') {
		n = strtoul(text + 1, &end, 10);
		if (*end == ':') {
			*line = n;
			text = end;
		}
	}
	return text[0] == ':' && text[1] == ' ' ? text + 2 : text;
}

struct job_finding *
job_finding_add(struct job_findings *f, enum job_finding_kind kind,
    const char *job, const char *path, const char *what)
{
	char *whole = fs_join(f->store->path, path);
	const char *rest = behind(what, whole), *slash = strrchr(path, '/');
	struct job_finding *item;

	if (rest == NULL && slash != NULL)
		rest = behind(what, slash + 1);
	f->item = xgrow(f->item, f->count, sizeof *f->item);
	item = &f->item[f->count++];
	*item = (struct job_finding){.kind = kind};
	item->job = job != NULL ? xstrdup(job) : NULL;
	item->path = xstrdup(path);
	item->what =
	    xstrdup(rest != NULL ? take_line(rest, &item->line) : what);
	f->damage += kind != FINDING_NOTE;
	free(whole);
	return item;
}

int
job_verify_is_for_good(int reason)
{
	return store_part_is_damage(reason);
}

/* ---- the parts of a job ---- */

/* One job while it is verified. */
struct subject {
	struct job_findings *found;
	const struct store_job *job;
	int is_broken; /* something that all readers of it stumble over */
};

static char *
path_in(const struct subject *s, const char *part, const char *name)
{
	return xasprintf("jobs/%s/%s%s%s", s->job->name, part,
	    *part && *name ? "/" : "", name);
}

static void
add(struct subject *s, enum job_finding_kind kind, const char *part,
    const char *name, const char *what)
{
	char *path = path_in(s, part, name);

	job_finding_add(s->found, kind, s->job->name, path, what);
	free(path);
}

/* Open a directory of the job: "sub", or "run/000". */
static int
open_part(const struct subject *s, const char *part, struct error *e)
{
	const char *slash = strchr(part, '/');
	char *first = slash != NULL ? xstrndup(part, (size_t)(slash - part))
				    : xstrdup(part);
	int dir = store_part_open(s->job, first, 0, e), inner;

	free(first);
	if (dir == -1 || slash == NULL)
		return dir;
	inner = fs_open_subdir(dir, slash + 1, 0, e);
	fs_close(dir);
	return inner;
}

/* Whether a fresh listing has the name: 1, 0, or -1. */
static int
is_there(const struct subject *s, const char *part, const char *name,
    struct error *e)
{
	struct fs_names names = {0};
	int dir = open_part(s, part, e), found = 0;
	size_t i;

	if (dir == -1 || fs_list(dir, &names, e) == -1)
		found = errno == ENOENT ? 0 : -1;
	for (i = 0; i < names.count; i++)
		found |= strcmp(names.name[i], name) == 0;
	fs_names_free(&names);
	fs_close(dir);
	return found;
}

/*
 * What does not seem to be there any more, for the reason in errno, was packed
 * or removed meanwhile; but a server says so too when it is in trouble.
 * Returns 1 when it has to be read again, as it is there, 0 when it is gone, or
 * -1, also for another reason; *tries counts.
 */
static int
ask_again(const struct subject *s, const char *part, const char *name,
    int *tries, struct error *e)
{
	int saved = errno, there;

	if (saved != ENOENT && saved != ESTALE)
		return -1;
	there = is_there(s, part, name, e);
	if (there == 1 && ++*tries == TRIES) {
		errno = saved;
		return error_set(e, "%s/%s/%s: is listed, but: %s",
		    s->job->path, part, name, strerror(saved));
	}
	return there;
}

/* Read a record in its directory, or in one that is opened anew (dir -1). */
static int
read_record(const struct subject *s, const char *part, int dir,
    const char *name, struct error *e)
{
	int own = dir == -1 ? open_part(s, part, e) : dir, rc = -1;

	if (own != -1)
		rc = store_part_check(own, name, e);
	if (dir == -1)
		fs_close(own);
	return rc;
}

/* Note why a record cannot be read, if that is for good: 1, or -1. */
static int
note_record(struct subject *s, enum job_finding_kind kind, const char *part,
    const char *name, const struct error *why, struct error *e)
{
	if (errno == ENOTSUP)
		kind = FINDING_NOTE;
	else if (!job_verify_is_for_good(errno))
		return error_set(e, "%s", why->text);
	add(s, kind, part, name, why->text);
	return 1;
}

/*
 * Read a record: 0 when it is whole, 1 when it is gone, damaged or of a newer
 * version, which is noted, or -1.
 */
static int
check_record(struct subject *s, enum job_finding_kind kind, const char *part,
    int dir, const char *name, struct error *e)
{
	struct error why;
	int tries = 0, again;

	while (read_record(s, part, tries == 0 ? dir : -1, name, &why) == -1) {
		if (errno != ENOENT && errno != ESTALE)
			return note_record(s, kind, part, name, &why, e);
		again = ask_again(s, part, name, &tries, e);
		if (again != 1)
			return again == -1 ? -1 : 1;
	}
	return 0;
}

/* A directory of facts and its names; NO_SHARD where it is gone, or -1. */
static int
list_shard(const struct subject *s, const char *part, const char *shard,
    struct fs_names *names, struct error *e)
{
	int dir, tries = 0, again;

	do {
		dir = open_part(s, part, e);
		if (dir != -1 && fs_list(dir, names, e) == 0)
			return dir;
		fs_close(dir);
		again = ask_again(s, "run", shard, &tries, e);
	} while (again == 1);
	return again == 0 ? NO_SHARD : -1;
}

/*
 * Without "sub" nothing tells what was queued; "run" and "fold" are made by
 * whoever needs them.
 */
static enum job_finding_kind
kind_of_part(const char *part, int is_there)
{
	if (strcmp(part, "sub") == 0)
		return FINDING_STAYS;
	if (!is_there &&
	    (strcmp(part, "run") == 0 || strcmp(part, "fold") == 0))
		return FINDING_NOTE;
	return FINDING_PART;
}

static int
check_parts(struct subject *s, struct error *e)
{
	int dir, is_there;
	struct error why;
	size_t i;

	for (i = 0; store_parts[i] != NULL; i++) {
		dir = store_part_open(s->job, store_parts[i], 0, &why);
		if (dir != -1) {
			fs_close(dir);
			continue;
		}
		is_there = errno != ENOENT;
		if (is_there && !job_verify_is_for_good(errno))
			return error_set(e, "%s", why.text);
		s->is_broken |= is_there;
		add(s, kind_of_part(store_parts[i], is_there), store_parts[i],
		    "", is_there ? "not a directory" : "not there");
	}
	return 0;
}

/* List a part; -1 with ENOENT or ENOTDIR when check_parts has told of it. */
static int
list_part(struct subject *s, const char *part, struct fs_names *names, int *rc,
    struct error *e)
{
	int dir = store_part_list(s->job, part, names, e);

	*rc = dir != -1 || errno == ENOENT || job_verify_is_for_good(errno)
	    ? 0
	    : -1;
	return dir;
}

/* A fact whose name is one: damaged, or whole and another's. */
static int
check_fact(struct subject *s, const char *part, int dir, const char *name,
    struct error *e)
{
	struct store_fact own;
	char said[STORE_FACT_NAME], *what;
	int rc = check_record(s, FINDING_FACT, part, dir, name, e);

	if (rc != 0 || !store_fact_is_misplaced(s->job, dir, name, &own))
		return rc;
	store_fact_name(&own, said);
	what = *own.kind ? xasprintf("holds another fact, %s", said)
			 : xstrdup("holds no fact of this job");
	add(s, FINDING_MISPLACED, part, name, what);
	free(what);
	return 0;
}

static int
check_shard(struct subject *s, const char *shard, struct error *e)
{
	char *part = xasprintf("run/%s", shard);
	struct fs_names names = {0};
	struct store_fact fact;
	int dir = list_shard(s, part, shard, &names, e), rc = dir;
	size_t i;

	if (dir == -1 && (errno == ENOTDIR || errno == ELOOP)) {
		add(s, FINDING_FILE, "run", shard, "not a directory of facts");
		rc = 0;
	}
	for (i = 0; rc != -1 && i < names.count; i++)
		if (!store_fact_parse(names.name[i], &fact))
			add(s, FINDING_NOTE, part, names.name[i],
			    "not a fact that is known here");
		else if (fact.task >= s->job->tasks)
			add(s, FINDING_FILE, part, names.name[i],
			    "the job has no such task");
		else
			rc = check_fact(s, part, dir, names.name[i], e);
	fs_names_free(&names);
	if (dir != NO_SHARD)
		fs_close(dir);
	free(part);
	return rc == -1 ? -1 : 0;
}

static int
check_facts(struct subject *s, struct error *e)
{
	struct fs_names shards;
	int rc, run = list_part(s, "run", &shards, &rc, e);
	size_t i;

	for (i = 0; rc == 0 && i < shards.count; i++)
		rc = check_shard(s, shards.name[i], e);
	store_part_close(run, &shards);
	return rc;
}

static void
note_pack(struct subject *s, const struct store_pack *pack)
{
	struct words why = {0};
	size_t i;

	store_pack_reasons(s->job, pack, &why);
	for (i = 0; i < why.count; i++)
		add(s,
		    i < pack->damaged + (pack->cut != 0) ? FINDING_PACK
							 : FINDING_NOTE,
		    "pack", pack->name, why.word[i]);
	words_free(&why);
}

static int
check_pack(struct subject *s, const char *name, struct error *e)
{
	struct store_pack pack;
	int tries = 0, again;

	while (store_pack_load(s->job, name, &pack, e) == -1) {
		if (job_verify_is_for_good(errno)) {
			s->is_broken = 1;
			add(s, FINDING_FILE, "pack", name, e->text);
			return 0;
		}
		again = ask_again(s, "pack", name, &tries, e);
		if (again != 1)
			return again;
	}
	note_pack(s, &pack);
	store_pack_free(&pack);
	return 0;
}

static int
check_packs(struct subject *s, struct error *e)
{
	struct fs_names names;
	int rc = store_pack_list(s->job, &names, e);
	size_t i;

	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_pack(s, names.name[i], e);
	fs_names_free(&names);
	return rc;
}

/* ---- chunks and wishes ---- */

static int
is_listed(const struct fs_names *names, const char *name, size_t length,
    const char *end)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strncmp(names->name[i], name, length) == 0 &&
		    strcmp(names->name[i] + length, end) == 0)
			return 1;
	return 0;
}

/* The part of a name in sub/ before what it is, and that: "claim", "try". */
static size_t
chunk_length(const char *name, const char **is)
{
	static const char *const ends[] = {
	    ".intent", ".claim", ".try.", ".no."};
	const char *at;
	size_t i;

	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		at = strstr(name, ends[i]);
		if (at != NULL) {
			*is = at;
			return (size_t)(at - name);
		}
	}
	return 0;
}

/* Whether there is a finding about a file already. */
static int
is_noted(const struct subject *s, const char *part, const char *name)
{
	char *path = path_in(s, part, name);
	size_t i;
	int is = 0;

	for (i = s->found->count; i > 0 && !is; i--)
		is = strcmp(s->found->item[i - 1].path, path) == 0;
	free(path);
	return is;
}

static int
check_chunk_file(struct subject *s, int dir, const struct fs_names *names,
    const char *name, struct error *e)
{
	const char *is = "";
	size_t length = chunk_length(name, &is);
	int claim = strcmp(is, ".claim") == 0;
	char *intent;

	if (length == 0) {
		add(s, FINDING_NOTE, "sub", name, "not known here");
		return 0;
	}
	if (!is_listed(names, name, length, ".intent")) {
		intent = xasprintf("%.*s.intent", (int)length, name);
		if (!is_noted(s, "sub", intent))
			add(s, FINDING_INTENT, "sub", intent, "not there");
		free(intent);
	}
	return check_record(s,
		   claim              ? FINDING_CLAIM
		       : is[1] == 'i' ? FINDING_INTENT
				      : FINDING_FILE,
		   "sub", dir, name, e) == -1
	    ? -1
	    : 0;
}

/* What the checksums do not tell: whether chunks make sense. */
static int
check_chunks(struct subject *s, struct error *e)
{
	struct store_chunks chunks;
	size_t i;

	if (store_chunks_list(s->job, &chunks, e) == -1)
		return errno == ENOTSUP ? 0 : -1; /* that is noted already */
	for (i = 0; i < chunks.count; i++) {
		const struct ranges *r = &chunks.chunk[i].tasks;

		if (r->count == 0 || r->run[r->count - 1].last >= s->job->tasks)
			add(s, FINDING_STAYS, "sub", chunks.chunk[i].name,
			    "the job does not have its tasks");
	}
	store_chunks_free(&chunks);
	return 0;
}

static int
check_submissions(struct subject *s, struct error *e)
{
	struct fs_names names;
	int rc, sub = list_part(s, "sub", &names, &rc, e);
	size_t i;

	if (sub == -1)
		return rc;
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_chunk_file(s, sub, &names, names.name[i], e);
	store_part_close(sub, &names);
	return rc == 0 ? check_chunks(s, e) : -1;
}

static int
check_wishes(struct subject *s, struct error *e)
{
	struct fs_names names;
	int rc, ctl = list_part(s, "ctl", &names, &rc, e);
	size_t i;

	if (ctl == -1)
		return rc;
	for (i = 0; rc != -1 && i < names.count; i++)
		rc = check_record(s,
		    strncmp(names.name[i], "stop.", 5) == 0 ? FINDING_WISH
							    : FINDING_FILE,
		    "ctl", ctl, names.name[i], e);
	store_part_close(ctl, &names);
	return rc == -1 ? -1 : 0;
}

/* ---- what was submitted ---- */

/* Without the program no task starts. */
static void
check_program(struct subject *s, const char *batch)
{
	char *name = job_ready_program(batch), *path, *what;

	if (name == NULL)
		return;
	path = xasprintf("%s/%s", s->found->store->path, name);
	what = xasprintf("starts %s, which is not there", name);
	if (!fs_exists(path))
		add(s, FINDING_PROGRAM, "", "batch.sh", what);
	free(what);
	free(path);
	free(name);
}

/*
 * Note why a file of the job cannot be read, for the reason in errno.  Returns
 * 0, or -1.
 */
static int
note_file(struct subject *s, enum job_finding_kind kind, const char *name,
    const struct error *why, struct error *e)
{
	if (errno == EACCES) /* it is its owner's alone */
		add(s, FINDING_NOTE, "", name, why->text);
	else if (errno == ENOENT)
		add(s, kind == FINDING_FILE ? FINDING_STAYS : kind, "", name,
		    "not there");
	else if (job_verify_is_for_good(errno))
		add(s, kind, "", name, why->text);
	else
		return error_set(e, "%s", why->text);
	return 0;
}

static int
check_batch(struct subject *s, struct error *e)
{
	struct error why;
	char *text;

	if (job_ready_batch(s->job, &text, &why) == -1)
		return note_file(s, FINDING_BATCH, "batch.sh", &why, e);
	check_program(s, text);
	free(text);
	return 0;
}

static int
check_script(struct subject *s, struct error *e)
{
	struct error why;

	if (job_ready_script(s->job, &why) == -1)
		return note_file(s, FINDING_FILE, "script", &why, e);
	return 0;
}

static int
check_diff(struct subject *s, struct error *e)
{
	struct error why;
	size_t length;
	char *text;

	if (s->job->code.diff == NULL)
		return 0;
	if (job_code_diff(s->job, &text, &length, &why) == -1)
		return note_file(s, FINDING_FILE, "diff", &why, e);
	free(text);
	return 0;
}

/* All values of all points, as points.tsv has them. */
static char *
points_text(const struct store_job *job, struct job_points *p, size_t *length,
    struct error *e)
{
	const char *const *values;
	char *text;
	FILE *out = xmemopen(&text, length);
	uint64_t task;

	job_points_header(out, &job->names);
	for (task = 0; task < job->tasks; task++) {
		values = job_points_get(p, task, e);
		if (values == NULL)
			break;
		job_points_row(out, values, job->names.count);
	}
	xmemclose(out);
	if (task == job->tasks)
		return text;
	free(text);
	return NULL;
}

/* The index follows from the points, which are as they should be. */
static int
check_index(
    struct subject *s, const char *points, size_t length, struct error *e)
{
	char *there, *index;
	size_t there_length, index_length;

	if (!s->job->points_kept)
		return 0;
	if (fs_read(s->job->dir, "points.idx", 1 << 30, &there, &there_length,
		e) == -1) {
		if (job_verify_is_for_good(errno))
			add(s, FINDING_FILE, "", "points.idx", e->text);
		else if (errno != ENOENT)
			return -1;
		return 0;
	}
	index = store_points_index(points, length, &index_length);
	if (there_length != index_length ||
	    memcmp(there, index, index_length) != 0)
		add(s, FINDING_FILE, "", "points.idx",
		    "damaged: not the index of the points");
	free(index);
	free(there);
	return 0;
}

static int
check_points(struct subject *s, struct error *e)
{
	struct job_points *p;
	struct error why = {""};
	char *text = NULL, *mark;
	size_t length;
	int rc = 0;

	p = job_points_open(s->job, &why);
	if (p != NULL)
		text = points_text(s->job, p, &length, &why);
	if (text == NULL && !job_verify_is_for_good(errno) && errno != ENOENT) {
		rc = error_set(e, "%s", why.text);
	} else if (text == NULL) {
		add(s, FINDING_STAYS, "",
		    s->job->points_kept ? "points.tsv" : "job.json", why.text);
	} else if (s->job->fingerprint != NULL) {
		mark = job_points_fingerprint(text, length);
		if (strcmp(mark, s->job->fingerprint) != 0)
			add(s, FINDING_STAYS, "",
			    s->job->points_kept ? "points.tsv" : "job.json",
			    "its points are not those of its fingerprint");
		else
			rc = check_index(s, text, length, e);
		free(mark);
	}
	free(text);
	job_points_free(p);
	return rc;
}

/* Files of the copy, which a training may have written if they are data. */
static void
note_code(struct subject *s, const struct words *paths, const char *data,
    const char *what)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (job_code_is_data(s->job, paths->word[i]))
			add(s, FINDING_NOTE, "code", paths->word[i], data);
		else
			add(s, FINDING_STAYS, "code", paths->word[i], what);
}

/* The copy of the code is read-only, but its owner can change that. */
static int
check_code(struct subject *s, struct error *e)
{
	struct snapshot_changes c = {0};
	struct error why;
	int rc = job_code_changes(s->job, SNAPSHOT_ALL, MOST_FILES, &c, &why);
	int unread = 0;
	size_t i;

	if (rc == -1 && errno == EACCES) /* it is its owner's alone */
		add(s, FINDING_NOTE, "", "code.tsv", why.text);
	else if (rc == -1 && (errno == ENOENT || job_verify_is_for_good(errno)))
		add(s, FINDING_STAYS, "", "code.tsv", why.text);
	else if (rc == -1)
		unread = error_set(e, "%s", why.text);
	note_code(s, &c.changed, "written to since the submission",
	    "not what was submitted");
	note_code(s, &c.gone, "gone since the submission", "not there");
	for (i = 0; i < c.opened.count; i++)
		add(s, FINDING_BARED, "code", c.opened.word[i],
		    "can be written to, which it could not be");
	for (i = 0; i < c.added.count; i++)
		add(s, FINDING_NOTE, "code", c.added.word[i],
		    "made since the submission");
	snapshot_changes_free(&c);
	return unread;
}

/* ---- the table ---- */

static int
check_fold(struct subject *s, const char *name, struct error *e)
{
	int tries = 0, again, rc;
	struct error why;

	while ((rc = store_fold_check(s->job, name, &why)) == -1) {
		if (job_verify_is_for_good(errno)) {
			add(s, FINDING_FOLD, "fold", name, why.text);
			return 0;
		}
		if (errno != ENOENT && errno != ESTALE)
			return error_set(e, "%s", why.text);
		again = ask_again(s, "fold", name, &tries, e);
		if (again != 1)
			return again;
	}
	if (rc == 1)
		add(s, FINDING_NOTE, "fold", name, "not known here");
	return 0;
}

static int
check_folds(struct subject *s, struct error *e)
{
	struct fs_names names;
	int rc, dir = list_part(s, "fold", &names, &rc, e);
	size_t i;

	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_fold(s, names.name[i], e);
	store_part_close(dir, &names);
	return rc;
}

/* ---- who can change it ---- */

/* What is at a path below the store's, in an open directory. */
static void
check_owner_of(struct job_findings *found, const char *job, int dir,
    const char *name, const char *path)
{
	char *whole = fs_join(found->store->path, path);
	struct error why;
	struct stat st;

	if (fs_ops.fstat(found->store->dir, &st) == 0 &&
	    store_owner_check(dir, name, st.st_uid, whole, &why) == -1)
		job_finding_add(found, FINDING_OPEN, job, path, why.text);
	free(whole);
}

/* All that its tasks run follows from, and all that says what is to run. */
static int
check_owner(struct subject *s, struct error *e)
{
	const char *const *name = store_owner_names;
	struct fs_names names;
	int rc, sub;
	char *path;
	size_t i;

	for (; *name != NULL; name++) {
		path = strcmp(*name, ".") == 0
		    ? xasprintf("jobs/%s", s->job->name)
		    : path_in(s, "", *name);
		check_owner_of(
		    s->found, s->job->name, s->job->dir, *name, path);
		free(path);
	}
	sub = list_part(s, "sub", &names, &rc, e);
	for (i = 0; i < names.count; i++) {
		path = path_in(s, "sub", names.name[i]);
		check_owner_of(
		    s->found, s->job->name, sub, names.name[i], path);
		free(path);
	}
	store_part_close(sub, &names);
	return rc;
}

static int
verify_job(
    struct job_findings *found, const struct store_job *job, struct error *e)
{
	struct subject s = {.found = found, .job = job};

	if (check_owner(&s, e) == -1 || check_code(&s, e) == -1 ||
	    check_points(&s, e) == -1 || check_parts(&s, e) == -1 ||
	    check_batch(&s, e) == -1 || check_script(&s, e) == -1 ||
	    check_diff(&s, e) == -1 || check_submissions(&s, e) == -1 ||
	    check_wishes(&s, e) == -1 || check_facts(&s, e) == -1 ||
	    check_packs(&s, e) == -1 || check_folds(&s, e) == -1)
		return -1;
	return s.is_broken ? 0 : job_verify_table(found, job, e);
}

/* ---- the store ---- */

static int
is_job_moved(const struct store *store, const char *name)
{
	char *path = xasprintf("%s/jobs/%s", store->path, name);
	int there = fs_exists(path);

	free(path);
	return !there;
}

/* A directory in jobs/ whose record was not loaded, for this reason. */
static int
note_no_job(struct job_findings *found, const char *name, const char *path,
    int reason, const struct error *why, struct error *e)
{
	char *record = fs_join(path, "job.json");
	int rc = 0;

	if (store_check_name(name, NULL) == -1)
		job_finding_add(
		    found, FINDING_FILE, NULL, path, "not the name of a job");
	else if (reason == ENOENT && is_job_moved(found->store, name))
		rc = error_set(e, "%s", why->text);
	else if (reason == ENOENT)
		job_finding_add(
		    found, FINDING_JOB, name, path, "no job: no job.json");
	else if (reason == ENOTSUP)
		job_finding_add(found, FINDING_NOTE, name, record, why->text);
	else if (job_verify_is_for_good(reason))
		job_finding_add(found, FINDING_JOB, name, record, why->text);
	else
		rc = error_set(e, "%s", why->text);
	free(record);
	return rc;
}

static int
verify_name(struct job_findings *found, const char *name, struct error *e)
{
	char *path = xasprintf("jobs/%s", name);
	struct store_job *job;
	struct error why;
	int rc = 0;

	job = store_job_load(found->store, name, &why);
	if (job == NULL) {
		rc = note_no_job(found, name, path, errno, &why, e);
	} else {
		rc = verify_job(found, job, e);
	}
	store_job_free(job);
	free(path);
	return rc;
}

static int
verify_format(struct job_findings *found, struct error *e)
{
	struct store *again;
	struct error why;

	again = store_open(found->store->path, STORE_READ, &why);
	if (again == NULL && errno != ENOENT && !job_verify_is_for_good(errno))
		return error_set(e, "%s", why.text);
	if (again == NULL)
		job_finding_add(
		    found, FINDING_FORMAT, NULL, "FORMAT", why.text);
	store_close(again);
	return 0;
}

/* A file in libexec/: what batch scripts run must not be taken for damage. */
static int
verify_program(struct job_findings *found, int dir, const char *name,
    const char *path, struct error *e)
{
	switch (store_is_program(dir, name, e)) {
	case -1:
		if (!job_verify_is_for_good(errno))
			return -1;
		break;
	case 1:
		return 0;
	}
	job_finding_add(found, FINDING_FILE, NULL, path,
	    "damaged: not the program of this name");
	return 0;
}

static int
verify_programs(struct job_findings *found, struct error *e)
{
	int dir = fs_open_subdir(found->store->dir, "libexec", 0, e), rc = 0;
	struct fs_names names = {0};
	char *path;
	size_t i;

	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = fs_list(dir, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		path = xasprintf("libexec/%s", names.name[i]);
		check_owner_of(found, NULL, dir, names.name[i], path);
		rc = verify_program(found, dir, names.name[i], path, e);
		free(path);
	}
	fs_names_free(&names);
	fs_close(dir);
	return rc;
}

/* The directories that everything else is in. */
static void
verify_owner(struct job_findings *found)
{
	static const char *const names[] = {".", "jobs", "libexec"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		check_owner_of(
		    found, NULL, found->store->dir, names[i], names[i]);
}

static int
note_leftovers(struct job_findings *found, struct error *e)
{
	struct words list = {0};
	int rc = store_gc_list(found->store, &list, e);
	const char *rest;
	size_t i;

	for (i = 0; i < list.count; i++) {
		rest = behind(list.word[i], found->store->path);
		job_finding_add(found, FINDING_NOTE, NULL,
		    rest != NULL ? rest + 1 : list.word[i],
		    "left over; stfm-watch removes it when it is old");
	}
	words_free(&list);
	return rc;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
verify_all(struct job_findings *found, struct error *e)
{
	struct fs_names names;
	int rc = store_jobs(found->store, &names, e);
	size_t i;

	if (names.count > 0)
		qsort(
		    names.name, names.count, sizeof *names.name, compare_names);
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = verify_name(found, names.name[i], e);
	fs_names_free(&names);
	return rc;
}

int
job_verify(const struct store *store, char *const *names, size_t count,
    struct job_findings *out, struct error *e)
{
	int rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	out->store = store;
	verify_owner(out);
	if (verify_format(out, e) == -1 || verify_programs(out, e) == -1)
		return -1;
	for (i = 0; rc == 0 && i < count; i++)
		rc = verify_name(out, names[i], e);
	if (count == 0)
		rc = verify_all(out, e);
	if (rc == 0 && count == 0)
		rc = note_leftovers(out, e);
	return rc;
}
