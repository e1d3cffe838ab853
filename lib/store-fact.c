#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store-fact.h"
#include "store-part.h"
#include "store-seal.h"
#include "xalloc.h"

static const char part[] = "run";

enum { SHARD = 1000 };

#define NUMBER(field) \
	{ \
#field, offsetof(struct store_fact_body, field) \
	}
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
    NUMBER(time),
    NUMBER(start),
    NUMBER(exit),
    NUMBER(signal),
    NUMBER(asked),
    NUMBER(memory),
    NUMBER(cpu),
};
#undef NUMBER

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int64_t *
number_at(const struct store_fact_body *body, size_t i)
{
	return (int64_t *)((char *)(uintptr_t)body + numbers[i].offset);
}

struct store_fact_body
store_fact_body(void)
{
	struct store_fact_body body = {0};
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		*number_at(&body, i) = -1;
	return body;
}

void
store_fact_body_free(struct store_fact_body *body)
{
	free(body->slurm);
	free(body->node);
	free(body->gpus);
	free(body->log);
	free(body->err);
	free(body->reason);
	free(body->cause);
	*body = store_fact_body();
}

void
store_fact_name(const struct store_fact *fact, char out[STORE_FACT_NAME])
{
	snprintf(out, STORE_FACT_NAME,
	    "%06" PRIu64 ".%" PRIu32 ".%" PRIu32 ".%s", fact->task,
	    fact->attempt, fact->restart, fact->kind);
}

static int
is_kind(const char *kind)
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char digits[] = "0123456789";

	if (kind[0] == 'S' || kind[0] == 'Q')
		return kind[1] == '\0';
	if (kind[1] == '\0')
		return 0;
	if (kind[0] == 'E')
		return kind[1 + strspn(kind + 1, digits)] == '\0';
	return kind[0] == 'X' && kind[1 + strspn(kind + 1, upper)] == '\0';
}

/* Read a name back: whether it is one that store_fact_name writes. */
static int
parse_name(const char *name, struct store_fact *fact)
{
	char again[STORE_FACT_NAME];

	if (sscanf(name, "%" SCNu64 ".%" SCNu32 ".%" SCNu32 ".%23s",
		&fact->task, &fact->attempt, &fact->restart, fact->kind) != 4)
		return 0;
	if (!is_kind(fact->kind))
		return 0;
	store_fact_name(fact, again);
	return strcmp(again, name) == 0;
}

/* The directory of a task's facts; errno is ENOENT when there is none yet. */
static int
open_shard(
    const struct store_job *job, uint64_t task, int make, struct error *e)
{
	char name[32];
	int run, dir;

	run = store_part_open(job, part, make, e);
	if (run == -1)
		return -1;
	snprintf(name, sizeof name, "%03" PRIu64, task / SHARD);
	dir = fs_open_subdir(run, name, make, e);
	fs_close(run);
	return dir;
}

int
store_fact_publish(const struct store_job *job, const struct store_fact *fact,
    const struct store_fact_body *body, struct error *e)
{
	char name[STORE_FACT_NAME];
	json_t *record = seal_new();
	int dir, rc;
	size_t i;

	seal_set_string(record, "slurm", body->slurm);
	seal_set_string(record, "node", body->node);
	seal_set_string(record, "gpus", body->gpus);
	seal_set_string(record, "log", body->log);
	seal_set_string(record, "err", body->err);
	seal_set_string(record, "reason", body->reason);
	seal_set_string(record, "cause", body->cause);
	for (i = 0; i < NUMBERS; i++)
		if (*number_at(body, i) != -1)
			seal_set_int(
			    record, numbers[i].key, *number_at(body, i));
	store_fact_name(fact, name);
	dir = open_shard(job, fact->task, 1, e);
	rc = seal_publish(dir, name, record, 0, e);
	fs_close(dir);
	return rc;
}

int
store_fact_read(const struct store_job *job, const struct store_fact *fact,
    struct store_fact_body *out, struct error *e)
{
	char name[STORE_FACT_NAME];
	json_t *record;
	size_t i;
	int dir;

	*out = store_fact_body();
	dir = open_shard(job, fact->task, 0, e);
	if (dir == -1)
		return -1;
	store_fact_name(fact, name);
	record = seal_load(dir, name, SEAL_SMALL, e);
	fs_close(dir);
	if (record == NULL)
		return -1;
	out->slurm = seal_copy(record, "slurm");
	out->node = seal_copy(record, "node");
	out->gpus = seal_copy(record, "gpus");
	out->log = seal_copy(record, "log");
	out->err = seal_copy(record, "err");
	out->reason = seal_copy(record, "reason");
	out->cause = seal_copy(record, "cause");
	for (i = 0; i < NUMBERS; i++)
		*number_at(out, i) = seal_int(record, numbers[i].key, -1);
	json_decref(record);
	return 0;
}

static int
compare_facts(const void *a, const void *b)
{
	const struct store_fact *f = a, *g = b;

	if (f->task != g->task)
		return f->task < g->task ? -1 : 1;
	if (f->attempt != g->attempt)
		return f->attempt < g->attempt ? -1 : 1;
	if (f->restart != g->restart)
		return f->restart < g->restart ? -1 : 1;
	return strcmp(f->kind, g->kind);
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
		out->strange++;
		return 0;
	}
	if (dir == -1)
		return -1;
	rc = fs_list(dir, &names, e);
	fs_close(dir);
	for (i = 0; i < names.count; i++) {
		if (!parse_name(names.name[i], &fact)) {
			out->strange++;
			continue;
		}
		out->fact = xgrow(out->fact, out->count, sizeof *out->fact);
		out->fact[out->count++] = fact;
	}
	fs_names_free(&names);
	return rc;
}

int
store_facts_list(
    const struct store_job *job, struct store_facts *out, struct error *e)
{
	struct fs_names shards;
	int run, rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	run = store_part_list(job, part, &shards, e);
	if (run == -1)
		return -1;
	for (i = 0; rc == 0 && i < shards.count; i++)
		rc = list_shard(run, shards.name[i], out, e);
	store_part_close(run, &shards);
	if (rc == -1)
		store_facts_free(out);
	else if (out->count > 0)
		qsort(out->fact, out->count, sizeof *out->fact, compare_facts);
	return rc;
}

void
store_facts_free(struct store_facts *facts)
{
	free(facts->fact);
	memset(facts, 0, sizeof *facts);
}
