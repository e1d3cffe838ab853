/* Reading the records in a job's directories. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/load.h"
#include "store/request.h"
#include "store/table.h"
#include "store/usage.h"
#include "usage/usage.h"
#include "verify/private.h"

/* How often to try to read a file that is listed but seems to be missing. */
enum { TRIES = 3 };

/* An open directory of the job: "sub" or "run/000". */
struct part {
	const char *name;
	int dir;
	struct fs_names names;
};

static int
open_part(const struct verify_job *s, const char *part, struct error *e)
{
	const char *slash = strchr(part, '/');
	char *first = xstrndup(part, strcspn(part, "/"));
	int dir = store_directory_open(s->job, first, 0, e), inner;

	free(first);
	if (dir == -1 || slash == NULL)
		return dir;
	inner = fs_open_subdir(dir, slash + 1, 0, e);
	fs_close(dir);
	return inner;
}

/*
 * Check a file that could not be read because of why.  A missing file was
 * packed or removed meanwhile, or its file server has problems.  Returns 1 if
 * the file exists and must be read again, 0 if it is gone, or -1, also for
 * another reason. *tries counts the calls, from 0.
 */
static int
try_again(const struct verify_job *s, const char *part, const char *name,
    const struct error *why, int *tries, struct error *e)
{
	struct fs_names names = {0};
	struct error unlisted;
	int dir, found;

	if (why->code != ERROR_ABSENT && why->number != ESTALE)
		return error_copy(e, why);
	dir = open_part(s, part, &unlisted);
	if (dir == -1 || fs_list(dir, &names, &unlisted) == -1)
		found = unlisted.code == ERROR_ABSENT
		    ? 0
		    : error_copy(e, &unlisted);
	else
		found = fs_names_have(&names, name);
	store_directory_close(dir, &names);
	if (found == 1 && ++*tries == TRIES)
		return error_code(e, ERROR_LATER,
		    "%s/%s/%s: is listed, but: %s", store_job_path(s->job),
		    part, name, strerror(why->number));
	return found;
}

/*
 * Read a record.  Returns 0 if it is intact; 1 if it is gone, or if it is
 * damaged or of a newer version, which is noted; or -1.
 */
static int
check_record(struct verify_job *s, const struct part *part,
    enum verify_finding_kind kind, const char *name, struct error *e)
{
	struct error why;
	int tries = 0, again = 1, dir, rc;

	while (again == 1) {
		dir = tries == 0 ? part->dir : open_part(s, part->name, &why);
		rc = dir == -1 ? -1
			       : store_directory_check(s->job, dir, name, &why);
		if (dir != part->dir)
			fs_close(dir);
		if (rc == 0)
			return 0;
		if (why.code == ERROR_NEWER ||
		    store_directory_is_damage(&why)) {
			verify_job_note(s,
			    why.code == ERROR_NEWER ? FINDING_NOTE : kind,
			    part->name, name, why.text);
			return 1;
		}
		again = try_again(s, part->name, name, &why, &tries, e);
	}
	return again == -1 ? -1 : 1;
}

/* ---- sub/ and ctl/: chunks and requests ---- */

static int
check_chunk_record(struct verify_job *s, const struct part *part,
    const char *name, struct error *e)
{
	static const struct {
		const char *mark;
		enum verify_finding_kind kind;
	} records[] = {
	    {".intent", FINDING_INTENT},
	    {".claim", FINDING_CLAIM},
	    {".try.", FINDING_FILE},
	    {".no.", FINDING_FILE},
	};
	const char *mark = NULL;
	char *intent, *path;
	size_t i;

	for (i = 0; i < sizeof records / sizeof *records; i++)
		if ((mark = strstr(name, records[i].mark)) != NULL)
			break;
	if (mark == NULL || mark == name) {
		verify_job_note(
		    s, FINDING_NOTE, part->name, name, "not known here");
		return 0;
	}
	intent = xasprintf("%.*s.intent", (int)(mark - name), name);
	path = verify_job_path(s, part->name, intent);
	if (!fs_names_have(&part->names, intent) &&
	    !verify_finding_has(s->found, path))
		verify_job_note(
		    s, FINDING_INTENT, part->name, intent, "not there");
	free(path);
	free(intent);
	return check_record(s, part,
	    strcmp(mark, records[i].mark) == 0 ? records[i].kind : FINDING_FILE,
	    name, e);
}

/* Check what checksums cannot show: whether the job has the chunks' tasks. */
static int
check_chunks(struct verify_job *s, struct error *e)
{
	struct store_chunks chunks;
	struct error why;
	size_t i;

	if (store_chunks_list(s->job, &chunks, &why) == -1)
		/* The newer version is noted already. */
		return why.code == ERROR_NEWER ? 0 : error_copy(e, &why);
	for (i = 0; i < chunks.count; i++) {
		const struct idset *r = &chunks.chunk[i].tasks;

		if (r->count == 0 ||
		    r->run[r->count - 1].last >= store_job_tasks(s->job))
			verify_job_note(s, FINDING_STAYS, "sub",
			    chunks.chunk[i].name,
			    "the job does not have its tasks");
	}
	store_chunks_free(&chunks);
	return 0;
}

static int
check_request(struct verify_job *s, const struct part *part, const char *name,
    struct error *e)
{
	return check_record(s, part,
	    text_begins(name, "stop.") ? FINDING_STOP : FINDING_FILE, name, e);
}

/* ---- run/ and pack/: facts ---- */

static int
check_fact(struct verify_job *s, const struct part *part, const char *name,
    struct error *e)
{
	struct store_fact fact, own;
	char own_name[STORE_FACT_NAME], *what;
	int rc;

	if (!store_fact_parse(name, &fact)) {
		verify_job_note(s, FINDING_NOTE, part->name, name,
		    "not a fact that is known here");
		return 0;
	}
	if (fact.task >= store_job_tasks(s->job)) {
		verify_job_note(s, FINDING_FILE, part->name, name,
		    "the job has no such task");
		return 0;
	}
	rc = check_record(s, part, FINDING_FACT, name, e);
	if (rc != 0 || !store_fact_is_misplaced(s->job, part->dir, name, &own))
		return rc;
	store_fact_name(&own, own_name);
	what = *own.kind ? xasprintf("holds another fact, %s", own_name)
			 : xstrdup("holds no fact of this job");
	verify_job_note(s, FINDING_MISPLACED, part->name, name, what);
	free(what);
	return 0;
}

static int
check_facts(struct verify_job *s, const struct part *run, const char *shard,
    struct error *e)
{
	char *path = xasprintf("%s/%s", run->name, shard);
	struct part part = {.name = path};
	int tries = 0, rc = 1;
	struct error why;
	size_t i;

	while (rc == 1) {
		part.dir = open_part(s, path, &why);
		if (part.dir != -1 && fs_list(part.dir, &part.names, &why) == 0)
			break;
		fs_close(part.dir);
		part.dir = -1;
		rc = try_again(s, run->name, shard, &why, &tries, e);
	}
	if (rc == -1 && (why.number == ENOTDIR || why.number == ELOOP)) {
		verify_job_note(s, FINDING_FILE, run->name, shard,
		    "not a directory of facts");
		rc = 0;
	}
	for (i = 0; rc != -1 && i < part.names.count; i++)
		rc = check_fact(s, &part, part.names.name[i], e);
	store_directory_close(part.dir, &part.names);
	free(path);
	return rc;
}

/* Note intact lines that are not of this job; readers skip them. */
static void
note_foreign(struct verify_job *s, const struct store_pack *pack)
{
	const struct store_pack_line *line = pack->line;
	struct store_fact_body body;
	struct error why;
	char *what;
	size_t i;

	for (i = 0; i < pack->count; i++, line++) {
		what = xasprintf("line %zu", line->number);
		if (store_fact_take(s->job, &line->fact, pack->text + line->at,
			line->length, what, &body, &why) == 0)
			store_fact_body_free(&body);
		else if (why.code == ERROR_FOREIGN)
			verify_job_note(
			    s, FINDING_STAYS, "pack", pack->name, why.text);
		free(what);
	}
}

static int
check_pack(struct verify_job *s, const struct part *part, const char *name,
    struct error *e)
{
	struct store_pack pack;
	struct strlist reasons = {0};
	int tries = 0, again;
	struct error why;
	size_t i;

	while (store_pack_load(s->job, name, &pack, &why) == -1) {
		if (store_directory_is_damage(&why)) {
			s->is_broken = 1;
			verify_job_note(
			    s, FINDING_FILE, part->name, name, why.text);
			return 0;
		}
		again = try_again(s, part->name, name, &why, &tries, e);
		if (again != 1)
			return again;
	}
	/* The reasons for damaged lines come before those for unknown lines. */
	store_pack_reasons(s->job, &pack, &reasons);
	for (i = 0; i < reasons.count; i++)
		verify_job_note(s,
		    i < pack.damaged + (pack.cut != 0) ? FINDING_PACK
						       : FINDING_NOTE,
		    part->name, name, reasons.word[i]);
	strlist_free(&reasons);
	note_foreign(s, &pack);
	store_pack_free(&pack);
	return 0;
}

static int
check_request_pack(struct verify_job *s, const struct part *part,
    const char *name, struct error *e)
{
	struct strlist damaged = {0};
	int tries = 0, again = 1;
	struct error why;
	size_t i;

	if (!store_request_is_pack(name))
		return 0;
	while (again == 1 &&
	    store_request_pack_check(s->job, name, &damaged, 0, &why) == -1) {
		if (why.code == ERROR_NEWER ||
		    store_directory_is_damage(&why)) {
			verify_job_note(s,
			    why.code == ERROR_NEWER ? FINDING_NOTE
						    : FINDING_FILE,
			    part->name, name, why.text);
			return 0;
		}
		again = try_again(s, part->name, name, &why, &tries, e);
	}
	for (i = 0; i < damaged.count && again == 1; i++)
		verify_job_note(
		    s, FINDING_PACK, part->name, name, damaged.word[i]);
	strlist_free(&damaged);
	return again == -1 ? -1 : 0;
}

/* ---- fold/ and usage/: tables and machine usage ---- */

static int
check_generation(struct verify_job *s, const struct part *part,
    const char *name, struct error *e)
{
	int tries = 0, again, rc;
	struct error why;

	while ((rc = store_table_check(s->job, name, &why)) == -1) {
		if (store_directory_is_damage(&why)) {
			verify_job_note(
			    s, FINDING_GENERATION, part->name, name, why.text);
			return 0;
		}
		again = try_again(s, part->name, name, &why, &tries, e);
		if (again != 1)
			return again;
	}
	if (rc == 1)
		verify_job_note(
		    s, FINDING_NOTE, part->name, name, "not known here");
	return 0;
}

static int
check_usage(struct verify_job *s, const struct part *part, const char *name,
    struct error *e)
{
	struct error why, damage;
	const char *what = "no record of use";
	struct store_fact run;
	struct usage *u;
	char *text = NULL;
	size_t length;
	int is_record = 0;

	/* A killed writer's leftover is overwritten or removed later. */
	if (text_ends(name, ".new"))
		return 0;
	if (store_usage_parse(name, &run)) {
		text = store_usage_look(s->job, &run, &length, &damage, &why);
		if (text == NULL && why.code == ERROR_ABSENT)
			return 0;
		if (text == NULL && !store_directory_is_damage(&why))
			return error_copy(e, &why);
		if (text == NULL && damage.text[0] != '\0')
			what = damage.text;
	}
	if (text != NULL) {
		u = xcalloc(1, sizeof *u);
		is_record = usage_read(u, text, length, NULL) == 0;
		free(u);
		free(text);
	}
	if (!is_record)
		verify_job_note(s, FINDING_FILE, part->name, name, what);
	return 0;
}

/* ---- all directories ---- */

int
verify_records(struct verify_job *s, struct error *e)
{
	static const struct {
		const char *name;
		int (*check)(struct verify_job *, const struct part *,
		    const char *name, struct error *);
		int (*check_all)(struct verify_job *, struct error *);
	} parts[] = {
	    {"sub", check_chunk_record, check_chunks},
	    {"ctl", check_request, NULL},
	    {"run", check_facts, NULL},
	    {"pack", check_pack, NULL},
	    {"pack", check_request_pack, NULL},
	    {"fold", check_generation, NULL},
	    {"usage", check_usage, NULL},
	};
	struct part part;
	int rc = 0;
	size_t i, k;

	for (i = 0; rc != -1 && i < sizeof parts / sizeof *parts; i++) {
		part = (struct part){.name = parts[i].name, .dir = -1};
		if (parts[i].check == check_pack) /* in the order of packs */
			rc = store_pack_list(s->job, &part.names, e);
		else
			part.dir =
			    verify_job_list(s, part.name, &part.names, &rc, e);
		for (k = 0; rc != -1 && k < part.names.count; k++)
			rc = parts[i].check(s, &part, part.names.name[k], e);
		if (rc != -1 && part.dir != -1 && parts[i].check_all != NULL)
			rc = parts[i].check_all(s, e);
		store_directory_close(part.dir, &part.names);
	}
	return rc == -1 ? -1 : 0;
}
