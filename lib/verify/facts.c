#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/facts.h"
#include "verify/facts.h"

/* Where there is no directory, and need be none. */
enum { NO_SHARD = -2 };

/* A directory of facts and its names; NO_SHARD where it is gone, or -1. */
static int
list_shard(const struct verify_job *s, const char *part, const char *shard,
    struct fs_names *names, struct error *e)
{
	int dir, tries = 0, again;

	do {
		dir = verify_job_open(s, part, e);
		if (dir != -1 && fs_list(dir, names, e) == 0)
			return dir;
		fs_close(dir);
		again = verify_job_again(s, "run", shard, &tries, e);
	} while (again == 1);
	return again == 0 ? NO_SHARD : -1;
}

static int
check_fact(struct verify_job *s, const char *part, int dir, const char *name,
    struct error *e)
{
	struct store_fact own;
	char said[STORE_FACT_NAME], *what;
	int rc = verify_job_record(s, FINDING_FACT, part, dir, name, e);

	if (rc != 0 || !store_fact_is_misplaced(s->job, dir, name, &own))
		return rc;
	store_fact_name(&own, said);
	what = *own.kind ? xasprintf("holds another fact, %s", said)
			 : xstrdup("holds no fact of this job");
	verify_job_note(s, FINDING_MISPLACED, part, name, what);
	free(what);
	return 0;
}

static int
check_shard(struct verify_job *s, const char *shard, struct error *e)
{
	char *part = xasprintf("run/%s", shard);
	struct fs_names names = {0};
	struct store_fact fact;
	int dir = list_shard(s, part, shard, &names, e), rc = dir;
	size_t i;

	if (dir == -1 && (errno == ENOTDIR || errno == ELOOP)) {
		verify_job_note(
		    s, FINDING_FILE, "run", shard, "not a directory of facts");
		rc = 0;
	}
	for (i = 0; rc != -1 && i < names.count; i++)
		if (!store_fact_parse(names.name[i], &fact))
			verify_job_note(s, FINDING_NOTE, part, names.name[i],
			    "not a fact that is known here");
		else if (fact.task >= s->job->tasks)
			verify_job_note(s, FINDING_FILE, part, names.name[i],
			    "the job has no such task");
		else
			rc = check_fact(s, part, dir, names.name[i], e);
	fs_names_free(&names);
	if (dir != NO_SHARD)
		fs_close(dir);
	free(part);
	return rc == -1 ? -1 : 0;
}

int
verify_facts(struct verify_job *s, struct error *e)
{
	struct fs_names shards;
	int rc, run = verify_job_list(s, "run", &shards, &rc, e);
	size_t i;

	for (i = 0; rc == 0 && i < shards.count; i++)
		rc = check_shard(s, shards.name[i], e);
	store_directory_close(run, &shards);
	return rc;
}

static void
note_pack(struct verify_job *s, const struct store_pack *pack)
{
	struct strlist why = {0};
	size_t i;

	store_pack_reasons(s->job, pack, &why);
	for (i = 0; i < why.count; i++)
		verify_job_note(s,
		    i < pack->damaged + (pack->cut != 0) ? FINDING_PACK
							 : FINDING_NOTE,
		    "pack", pack->name, why.word[i]);
	strlist_free(&why);
}

/* Lines that are whole, but not of this job: whoever reads passes them over. */
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
		else if (errno == ENOMSG)
			verify_job_note(
			    s, FINDING_STAYS, "pack", pack->name, why.text);
		free(what);
	}
}

static int
check_pack(struct verify_job *s, const char *name, struct error *e)
{
	struct store_pack pack;
	int tries = 0, again;

	while (store_pack_load(s->job, name, &pack, e) == -1) {
		if (store_directory_is_damage(errno)) {
			s->is_broken = 1;
			verify_job_note(s, FINDING_FILE, "pack", name, e->text);
			return 0;
		}
		again = verify_job_again(s, "pack", name, &tries, e);
		if (again != 1)
			return again;
	}
	note_pack(s, &pack);
	note_foreign(s, &pack);
	store_pack_free(&pack);
	return 0;
}

int
verify_packs(struct verify_job *s, struct error *e)
{
	struct fs_names names;
	int rc = store_pack_list(s->job, &names, e);
	size_t i;

	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_pack(s, names.name[i], e);
	fs_names_free(&names);
	return rc;
}
