#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/fact.h"
#include "store/fields.h"
#include "store/load.h"
#include "store/record.h"

static const char part[] = "run";

/* How many tasks have their facts in one directory. */
enum { SHARD = 1000 };

#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_fact_body, member, 0)
#define NUMBER(member) \
	STORE_FIELD(STORE_NUMBER, struct store_fact_body, member, -1)
static const struct store_field fields[] = {
    TEXT(slurm),
    TEXT(node),
    TEXT(gpus),
    TEXT(account),
    TEXT(qos),
    TEXT(log),
    TEXT(err),
    TEXT(reason),
    TEXT(cause),
    TEXT(usage),
    TEXT(packages),
    TEXT(gpu_models),
    TEXT(driver),
    TEXT(value),
    TEXT(point),
    TEXT(sampler),
    TEXT(seen),
    NUMBER(time),
    NUMBER(start),
    NUMBER(exit),
    NUMBER(signal),
    NUMBER(asked),
    NUMBER(heard),
    NUMBER(memory),
    NUMBER(cpu),
    NUMBER(restarts),
    NUMBER(offset),
    NUMBER(parent),
    {0},
};
#undef TEXT
#undef NUMBER

uint64_t
store_fact_gpus(const char *gpus)
{
	uint64_t count = gpus != NULL && *gpus != '\0';
	const char *at;
	int64_t more;

	if (count == 0)
		return 0;
	for (at = gpus; *at != '\0' && *at != '+'; at++)
		count += *at == ',';
	if (*at == '+' &&
	    num_int("gpus", at + 1, 0, UINT32_MAX, &more, NULL) == 0)
		count += (uint64_t)more;
	return count;
}

struct store_fact_body
store_fact_body(void)
{
	struct store_fact_body body = {0};

	store_fields_clear(fields, &body);
	return body;
}

void
store_fact_body_free(struct store_fact_body *body)
{
	store_fields_free(fields, body);
}

void
store_fact_name(const struct store_fact *fact, char out[STORE_FACT_NAME])
{
	snprintf(out, STORE_FACT_NAME,
	    "%06" PRIu64 ".%" PRIu32 ".%" PRIu32 ".%s", fact->task,
	    fact->attempt, fact->restart, fact->kind);
}

/* Write the kind of a rung: "R9=0.751". */
static void
rung_kind(struct store_rung rung, char out[STORE_KIND])
{
	char value[NUM_TEXT] = "nan";

	if (isfinite(rung.value))
		num_exact(rung.value, value);
	snprintf(out, STORE_KIND, "R%" PRId64 "=%s", rung.epoch, value);
}

/* Read the kind of a rung, in the form in which it is written. */
static int
read_rung(const char *kind, struct store_rung *out)
{
	const char *value = strchr(kind, '=');
	char again[STORE_KIND], *epoch;
	int rc;

	if (kind[0] != 'R' || value == NULL)
		return 0;
	epoch = xstrndup(kind + 1, (size_t)(value - kind - 1));
	rc = num_int("epoch", epoch, 1, INT64_MAX, &out->epoch, NULL);
	free(epoch);
	out->value = NAN;
	if (rc == -1 || !num_parse(value + 1, &out->value))
		return 0;
	rung_kind(*out, again);
	return strcmp(again, kind) == 0;
}

void
store_fact_set_rung(struct store_fact *fact, struct store_rung rung)
{
	rung_kind(rung, fact->kind);
}

int
store_fact_rung(const struct store_fact *fact, struct store_rung *out)
{
	struct store_rung rung;

	/* Names that were read are known to be well formed. */
	if (fact->kind[0] != 'R' ||
	    (out != NULL && !read_rung(fact->kind, &rung)))
		return 0;
	if (out != NULL)
		*out = rung;
	return 1;
}

int
store_fact_is_of_search(const struct store_fact *fact)
{
	return fact->kind[0] == 'R' || fact->kind[0] == 'P';
}

static int
is_kind(const char *kind)
{
	struct store_rung rung;

	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char digits[] = "0123456789";

	if (kind[0] == 'S' || kind[0] == 'Q' || kind[0] == 'P')
		return kind[1] == '\0';
	if (kind[1] == '\0')
		return 0;
	if (kind[0] == 'R')
		return read_rung(kind, &rung);
	if (kind[0] == 'E')
		return kind[1 + strspn(kind + 1, digits)] == '\0';
	return kind[0] == 'X' && kind[1 + strspn(kind + 1, upper)] == '\0';
}

int
store_fact_parse(const char *name, struct store_fact *fact)
{
	char again[STORE_FACT_NAME];

	if (sscanf(name, "%" SCNu64 ".%" SCNu32 ".%" SCNu32 ".%47s",
		&fact->task, &fact->attempt, &fact->restart, fact->kind) != 4)
		return 0;
	if (!is_kind(fact->kind))
		return 0;
	fact->in_file = 0;
	store_fact_name(fact, again);
	return strcmp(again, name) == 0;
}

uint64_t
store_fact_shard(uint64_t task)
{
	return task / SHARD;
}

static void
shard_name(uint64_t task, char out[32])
{
	snprintf(out, 32, "%03" PRIu64, store_fact_shard(task));
}

int
store_fact_is_shard(const char *name, uint64_t task)
{
	char its[32];

	shard_name(task, its);
	return strcmp(name, its) == 0;
}

int
store_fact_open(
    const struct store_job *job, uint64_t task, int make, struct error *e)
{
	char name[32];
	int run, dir;

	run = store_directory_open(job, part, make, e);
	if (run == -1)
		return -1;
	shard_name(task, name);
	dir = fs_open_subdir(run, name, make, e);
	fs_close(run);
	return dir;
}

void
store_fact_remove_empty(const struct store_job *job, uint64_t task)
{
	int run = store_directory_open(job, part, 0, NULL);
	char name[32];

	shard_name(task, name);
	if (run != -1)
		fs_ops.unlinkat(run, name, AT_REMOVEDIR);
	fs_close(run);
}

/*
 * Return the name of a fact in its content, to free: the id of its job, because
 * another job may have had the same name before, and the fact's file name.
 */
static char *
own_name(const struct store_job *job, const struct store_fact *fact)
{
	char name[STORE_FACT_NAME];

	store_fact_name(fact, name);
	return fs_join(store_job_id(job), name);
}

static json_t *
record_of(const struct store_job *job, const struct store_fact *fact,
    const struct store_fact_body *body)
{
	json_t *record = store_record_new();
	char *own = own_name(job, fact);

	store_record_set_string(record, "fact", own);
	free(own);
	store_fields_write(fields, body, record);
	return record;
}

/*
 * A program that packs facts may remove the directory while it is empty, just
 * before this one writes to it: make it again.  A fact that then exists may be
 * from an earlier round, in which only the sync failed.
 */
int
store_fact_publish(const struct store_job *job, const struct store_fact *fact,
    const struct store_fact_body *body, struct error *e)
{
	char name[STORE_FACT_NAME];
	int dir, rc, ours = 0, tries = 0;

	store_fact_name(fact, name);
	do {
		dir = store_fact_open(job, fact->task, 1, e);
		rc = store_record_place(
		    dir, name, record_of(job, fact, body), e);
		ours |= rc == 0;
		if (rc != -1 && fs_sync(dir, e) == -1)
			rc = -1;
		fs_close(dir);
	} while (
	    rc == -1 && (errno == ENOENT || errno == ESTALE) && ++tries < 10);
	return rc == 1 && ours ? 0 : rc;
}

/*
 * Return the fact that a record names; its kind is empty if the record names
 * none, or a fact of another job.
 */
static struct store_fact
said_fact(const struct store_job *job, const json_t *record)
{
	const char *said = store_record_string(record, "fact");
	struct store_fact fact = {0};
	size_t id = strlen(store_job_id(job));

	if (said == NULL || strncmp(said, store_job_id(job), id) != 0 ||
	    said[id] != '/' || !store_fact_parse(said + id + 1, &fact))
		fact.kind[0] = '\0';
	return fact;
}

/* Check that a record names this fact; otherwise it proves nothing. */
static int
check_name(const struct store_job *job, const struct store_fact *fact,
    const json_t *record, const char *what, struct error *e)
{
	struct store_fact said = said_fact(job, record);
	char name[STORE_FACT_NAME];

	if (said.kind[0] != '\0' && store_fact_compare(fact, &said) == 0)
		return 0;
	store_fact_name(&said, name);
	if (said.kind[0] != '\0')
		return error_code(e, ERROR_FOREIGN,
		    "%s: damaged (it is the fact %s)", what, name);
	return error_code(e, ERROR_FOREIGN, "%s: damaged (%s)", what,
	    store_record_string(record, "fact") == NULL
		? "it does not say which fact it is"
		: "it is a fact of another job");
}

int
store_fact_is_misplaced(const struct store_job *job, int dir, const char *name,
    struct store_fact *own)
{
	json_t *record = store_record_load(dir, name, STORE_RECORD_LIMIT, NULL);
	struct store_fact fact;
	int is = 0;

	if (record != NULL && store_fact_parse(name, &fact)) {
		*own = said_fact(job, record);
		is =
		    own->kind[0] == '\0' || store_fact_compare(&fact, own) != 0;
	}
	json_decref(record);
	return is;
}

/* Where records of this version have the name of the fact. */
enum { FRONT = sizeof "{\"v\":1,\"fact\":\"" - 1 };

/* Return whether text has the right checksum with own at this place. */
static int
holds_with(const char *text, size_t length, size_t at, const char *own)
{
	char *mended = xcalloc(length, 1);
	int holds;

	memcpy(mended, text, length);
	memcpy(mended + at, own, strlen(own));
	holds = store_record_holds(mended, length);
	free(mended);
	return holds;
}

/*
 * Return whether a damaged record is legible as another fact, or a fact of
 * another job; not if only damage may have changed its name.
 */
static int
says_another(const struct store_job *job, const struct store_fact *fact,
    const char *text, size_t length)
{
	char *own = own_name(job, fact);
	size_t at = FRONT, n = strlen(own), i;
	int legible = 1, same = 1;

	if (length < at + n)
		n = length > at ? length - at : 0;
	for (i = 0; i < n; i++) {
		same &= text[at + i] == own[i];
		legible &= text[at + i] > ' ' && text[at + i] <= '~';
	}
	if (legible && !same && n == strlen(own))
		same = holds_with(text, length, at, own);
	free(own);
	return legible && !same;
}

int
store_fact_take(const struct store_job *job, const struct store_fact *fact,
    const char *text, size_t length, const char *what,
    struct store_fact_body *out, struct error *e)
{
	struct error why;
	json_t *record = store_record_read(text, length, what, &why);
	int rc;

	*out = store_fact_body();
	if (record == NULL && why.code == ERROR_DAMAGED &&
	    says_another(job, fact, text, length))
		return error_code(e, ERROR_FOREIGN,
		    "%s: damaged (its checksum does not fit, and it is another "
		    "fact)",
		    what);
	if (record == NULL)
		return error_copy(e, &why);
	rc = check_name(job, fact, record, what, e);
	if (rc == 0)
		store_fields_take(fields, record, out, NULL);
	json_decref(record);
	return rc;
}

int
store_fact_read(const struct store_job *job, const struct store_fact *fact,
    struct store_fact_body *out, struct error *e)
{
	char name[STORE_FACT_NAME], *path, *text;
	size_t length;
	int dir, rc;

	*out = store_fact_body();
	dir = store_fact_open(job, fact->task, 0, e);
	if (dir == -1)
		return -1;
	store_fact_name(fact, name);
	rc = fs_read(dir, name, STORE_RECORD_LIMIT, &text, &length, e);
	path = fs_path(dir, name);
	if (rc == 0) {
		rc = store_fact_take(job, fact, text, length, path, out, e);
		free(text);
	}
	free(path);
	fs_close(dir);
	return rc;
}

int64_t
store_fact_made(const struct store_job *job, const struct store_fact *fact)
{
	int dir = store_fact_open(job, fact->task, 0, NULL);
	char name[STORE_FACT_NAME];
	int64_t made;

	if (dir == -1)
		return -1;
	store_fact_name(fact, name);
	if (fs_changed(dir, name, &made, NULL) == -1)
		made = -1;
	fs_close(dir);
	return made;
}

int
store_run_compare(struct store_run a, struct store_run b)
{
	if (a.attempt != b.attempt)
		return a.attempt < b.attempt ? -1 : 1;
	return a.restart < b.restart ? -1 : a.restart > b.restart;
}

int
store_fact_compare(const struct store_fact *f, const struct store_fact *g)
{
	int order;

	if (f->task != g->task)
		return f->task < g->task ? -1 : 1;
	order = store_run_compare(STORE_RUN(f), STORE_RUN(g));
	return order != 0 ? order : strcmp(f->kind, g->kind);
}
