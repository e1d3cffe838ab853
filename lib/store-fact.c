#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "store-fact.h"
#include "store-seal.h"
#include "xalloc.h"

enum { SMALL_RECORD = 1 << 20, SHARD = 1000 };

/* ---- reading and publishing one small record ---- */

/*
 * Publish a record in an open directory; takes both over.  A directory that
 * could not be opened (-1) is passed on as -1.
 */
static int
publish(int dir, const char *name, json_t *record, struct error *e)
{
	size_t length;
	char *text = seal_text(record, 0, &length);
	int rc = dir == -1 ? -1 : fs_publish(dir, name, text, length, e);

	free(text);
	fs_close(dir);
	return rc;
}

static json_t *
read_record(int dir, const char *name, struct error *e)
{
	json_t *record;
	size_t length;
	char *text;
	int saved;

	if (fs_read(dir, name, SMALL_RECORD, &text, &length, e) == -1)
		return NULL;
	record = seal_read(text, length, name, e);
	saved = errno;
	free(text);
	errno = saved;
	return record;
}

static char *
copy(const json_t *record, const char *key)
{
	const char *text = seal_string(record, key);

	return text != NULL ? xstrdup(text) : NULL;
}

/* ---- facts ---- */

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

	if (kind[0] == 'S')
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

	run = fs_open_subdir(job->dir, "run", make, e);
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
	size_t i;

	seal_set_string(record, "slurm", body->slurm);
	seal_set_string(record, "node", body->node);
	seal_set_string(record, "gpus", body->gpus);
	seal_set_string(record, "log", body->log);
	seal_set_string(record, "err", body->err);
	seal_set_string(record, "reason", body->reason);
	for (i = 0; i < NUMBERS; i++)
		if (*number_at(body, i) != -1)
			seal_set_int(
			    record, numbers[i].key, *number_at(body, i));
	store_fact_name(fact, name);
	return publish(open_shard(job, fact->task, 1, e), name, record, e);
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
	record = read_record(dir, name, e);
	fs_close(dir);
	if (record == NULL)
		return -1;
	out->slurm = copy(record, "slurm");
	out->node = copy(record, "node");
	out->gpus = copy(record, "gpus");
	out->log = copy(record, "log");
	out->err = copy(record, "err");
	out->reason = copy(record, "reason");
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
	int run, rc;
	size_t i;

	memset(out, 0, sizeof *out);
	run = fs_open_subdir(job->dir, "run", 0, e);
	if (run == -1)
		return -1;
	rc = fs_list(run, &shards, e);
	for (i = 0; rc == 0 && i < shards.count; i++)
		rc = list_shard(run, shards.name[i], out, e);
	fs_names_free(&shards);
	fs_close(run);
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

/* ---- chunks ---- */

static const char intent_end[] = ".intent";

void
store_chunk_free(struct store_chunk *chunk)
{
	free(chunk->name);
	free(chunk->token);
	ranges_free(&chunk->tasks);
	memset(chunk, 0, sizeof *chunk);
}

void
store_chunks_free(struct store_chunks *chunks)
{
	size_t i;

	for (i = 0; i < chunks->count; i++)
		store_chunk_free(&chunks->chunk[i]);
	free(chunks->chunk);
	words_free(&chunks->damaged);
	memset(chunks, 0, sizeof *chunks);
}

int
store_intent(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	char *tasks = ranges_text(&chunk->tasks), *name, host[256] = "";
	json_t *record = seal_new();
	int dir, rc;

	gethostname(host, sizeof host - 1);
	seal_set_string(record, "token", chunk->token);
	seal_set_string(record, "tasks", tasks);
	seal_set_int(record, "attempt", chunk->attempt);
	seal_set_int(record, "throttle", chunk->throttle);
	seal_set_string(record, "host", host);
	seal_set_int(record, "pid", getpid());
	seal_set_int(record, "time", time(NULL));
	free(tasks);
	dir = fs_open_subdir(job->dir, "sub", 0, e);
	name = xasprintf("%s%s", chunk->name, intent_end);
	rc = publish(dir, name, record, e);
	free(name);
	return rc;
}

/* The array of a chunk's claim, 0 while there is none, or -1. */
static int64_t
read_claim(int sub, const char *chunk, struct error *e)
{
	char *name = xasprintf("%s.claim", chunk);
	json_t *record = read_record(sub, name, e);
	int64_t array = record == NULL && errno == ENOENT ? 0 : -1;

	if (record != NULL)
		array = seal_int(record, "array", -1);
	json_decref(record);
	free(name);
	return array;
}

static int
read_intent(
    int sub, const char *chunk, struct store_chunk *out, struct error *e)
{
	char *name = xasprintf("%s%s", chunk, intent_end);
	json_t *record = read_record(sub, name, e);
	struct stat st;
	int rc = -1;

	memset(out, 0, sizeof *out);
	if (record != NULL &&
	    fs_ops.fstatat(sub, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		const char *tasks = seal_string(record, "tasks");

		out->name = xstrdup(chunk);
		out->token = copy(record, "token");
		out->attempt = (uint32_t)seal_int(record, "attempt", 0);
		out->throttle = seal_int(record, "throttle", 0);
		out->time = st.st_mtime;
		rc = ranges_parse(&out->tasks, tasks ? tasks : "", e);
		if (rc == 0 && out->token == NULL)
			rc = error_set(e, "%s: no token", name);
	}
	json_decref(record);
	free(name);
	if (rc == -1)
		store_chunk_free(out);
	return rc;
}

/* Whether a listing has the claim of a chunk. */
static int
is_claimed(const struct fs_names *names, const char *chunk)
{
	size_t n = strlen(chunk), i;

	for (i = 0; i < names->count; i++)
		if (strncmp(names->name[i], chunk, n) == 0 &&
		    strcmp(names->name[i] + n, ".claim") == 0)
			return 1;
	return 0;
}

static int
take_chunk(int sub, const struct fs_names *names, const char *chunk,
    struct store_chunk *out, struct error *e)
{
	int64_t array = 0;

	if (read_intent(sub, chunk, out, e) == -1)
		return -1;
	if (is_claimed(names, chunk))
		array = read_claim(sub, chunk, e);
	if (array == -1) {
		store_chunk_free(out);
		return -1;
	}
	out->array = (uint32_t)array;
	return 0;
}

static int
compare_chunks(const void *a, const void *b)
{
	const struct store_chunk *c = a, *d = b;

	return strcmp(c->name, d->name);
}

/* Add one chunk, or why it cannot be read. */
static void
add_chunk(int sub, const struct fs_names *names, const char *chunk,
    struct store_chunks *out)
{
	struct error why;

	out->chunk = xgrow(out->chunk, out->count, sizeof *out->chunk);
	if (take_chunk(sub, names, chunk, &out->chunk[out->count], &why) == 0)
		out->count++;
	else
		words_push(&out->damaged, why.text);
}

int
store_chunks_list(
    const struct store_job *job, struct store_chunks *out, struct error *e)
{
	struct fs_names names;
	char *dot;
	int sub, rc;
	size_t i;

	memset(out, 0, sizeof *out);
	sub = fs_open_subdir(job->dir, "sub", 0, e);
	if (sub == -1)
		return -1;
	rc = fs_list(sub, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		dot = strrchr(names.name[i], '.');
		if (dot == NULL || strcmp(dot, intent_end) != 0)
			continue;
		*dot = '\0';
		add_chunk(sub, &names, names.name[i], out);
		*dot = '.';
	}
	fs_names_free(&names);
	fs_close(sub);
	if (out->count > 0)
		qsort(
		    out->chunk, out->count, sizeof *out->chunk, compare_chunks);
	return rc;
}

int
store_chunk_read(const struct store_job *job, const char *name,
    struct store_chunk *out, struct error *e)
{
	struct fs_names names;
	int sub, rc;

	memset(out, 0, sizeof *out);
	sub = fs_open_subdir(job->dir, "sub", 0, e);
	if (sub == -1)
		return -1;
	rc = fs_list(sub, &names, e);
	if (rc == 0)
		rc = take_chunk(sub, &names, name, out, e);
	fs_names_free(&names);
	fs_close(sub);
	return rc;
}

/*
 * Whoever has the claim may still be writing it, on a file system without
 * hard links: wait a little for it to become whole.
 */
static int64_t
read_holder(int sub, const char *chunk, struct error *e)
{
	struct timespec nap = {0, 200000000};
	int64_t holder = -1;
	int tries;

	for (tries = 0; tries < 10 && holder <= 0; tries++) {
		if (tries > 0)
			nanosleep(&nap, NULL);
		holder = read_claim(sub, chunk, e);
	}
	return holder;
}

int
store_claim(const struct store_job *job, const char *chunk, uint32_t *array,
    struct error *e)
{
	char *name = xasprintf("%s.claim", chunk);
	json_t *record = seal_new();
	int64_t holder = -1;
	int sub, rc;

	seal_set_int(record, "array", *array);
	sub = fs_open_subdir(job->dir, "sub", 0, e);
	rc = publish(sub, name, record, e);
	free(name);
	if (rc != 1)
		return rc;
	sub = fs_open_subdir(job->dir, "sub", 0, e);
	if (sub != -1)
		holder = read_holder(sub, chunk, e);
	fs_close(sub);
	if (holder <= 0)
		return -1;
	*array = (uint32_t)holder;
	return 0;
}

/* ---- wishes ---- */

int
store_wish(
    const struct store_job *job, const struct store_wish *wish, struct error *e)
{
	char *tasks = ranges_text(&wish->tasks), name[32];
	json_t *record = seal_new();
	uint64_t noise = 0;
	int dir;

	if (getrandom(&noise, sizeof noise, 0) != (ssize_t)sizeof noise)
		noise = (uint64_t)getpid() << 32 | (uint64_t)time(NULL);
	snprintf(name, sizeof name, "stop.%016" PRIx64, noise);
	seal_set_string(record, "tasks", tasks);
	seal_set_int(record, "attempt", wish->attempt);
	seal_set_int(record, "time", time(NULL));
	free(tasks);
	dir = fs_open_subdir(job->dir, "ctl", 0, e);
	return publish(dir, name, record, e);
}

static int
read_wish(int ctl, const char *name, struct store_wish *out, struct error *e)
{
	json_t *record = read_record(ctl, name, e);
	const char *tasks;
	int rc;

	if (record == NULL)
		return -1;
	memset(out, 0, sizeof *out);
	tasks = seal_string(record, "tasks");
	out->attempt = (uint32_t)seal_int(record, "attempt", 0);
	out->time = seal_int(record, "time", 0);
	rc = ranges_parse(&out->tasks, tasks ? tasks : "", e);
	json_decref(record);
	return rc;
}

int
store_wishes_list(
    const struct store_job *job, struct store_wishes *out, struct error *e)
{
	struct fs_names names;
	struct error why;
	int ctl, rc;
	size_t i;

	memset(out, 0, sizeof *out);
	ctl = fs_open_subdir(job->dir, "ctl", 0, e);
	if (ctl == -1)
		return -1;
	rc = fs_list(ctl, &names, e);
	for (i = 0; rc == 0 && i < names.count; i++) {
		if (strncmp(names.name[i], "stop.", 5) != 0)
			continue;
		out->wish = xgrow(out->wish, out->count, sizeof *out->wish);
		if (read_wish(
			ctl, names.name[i], &out->wish[out->count], &why) == 0)
			out->count++;
		else
			words_push(&out->damaged, why.text);
	}
	fs_names_free(&names);
	fs_close(ctl);
	return rc;
}

void
store_wishes_free(struct store_wishes *wishes)
{
	size_t i;

	for (i = 0; i < wishes->count; i++)
		ranges_free(&wishes->wish[i].tasks);
	free(wishes->wish);
	words_free(&wishes->damaged);
	memset(wishes, 0, sizeof *wishes);
}

int
store_wished(const struct store_wishes *wishes, uint64_t task, uint32_t attempt)
{
	size_t i;

	for (i = 0; i < wishes->count; i++)
		if (wishes->wish[i].attempt == attempt &&
		    ranges_has(&wishes->wish[i].tasks, task))
			return 1;
	return 0;
}
