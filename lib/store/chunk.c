#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/queue.h"
#include "store/chunk.h"
#include "store/directory-private.h"
#include "store/fields.h"
#include "store/load.h"
#include "sys/fs-tree.h"

static const char part[] = "sub";

/* The number of tries to keep: older tries have no meaning any more. */
enum { TRIES_KEPT = 8 };

/* The fields of every intent; adopted_fields are only in adopted chunks. */
static const struct store_field fields[] = {
    STORE_FIELD(STORE_TEXT, struct store_chunk, token, 0),
    STORE_ALWAYS(STORE_SET, struct store_chunk, tasks, 1),
    STORE_ALWAYS(STORE_UINT32, struct store_chunk, attempt, 0),
    STORE_ALWAYS(STORE_NUMBER, struct store_chunk, throttle, 0),
    STORE_FIELD(STORE_NUMBER, struct store_chunk, pack, 1),
    STORE_FIELD(STORE_INT, struct store_chunk, resume, 0),
    STORE_FIELD(STORE_LIST, struct store_chunk, options, 0),
    STORE_FIELD(STORE_TEXT, struct store_chunk, why, 0),
    STORE_FIELD(STORE_NUMBER, struct store_chunk, code, 0),
    STORE_FIELD(STORE_INT, struct store_chunk, adopted, 0),
    {0},
};
static const struct store_field adopted_fields[] = {
    STORE_ALWAYS(STORE_SET, struct store_chunk, indices, 0),
    STORE_FIELD(STORE_TEXT, struct store_chunk, log, 0),
    STORE_FIELD(STORE_TEXT, struct store_chunk, err, 0),
    {0},
};

void
store_chunk_free(struct store_chunk *chunk)
{
	store_fields_free(fields, chunk);
	store_fields_free(adopted_fields, chunk);
	free(chunk->name);
	free(chunk->refusal);
	memset(chunk, 0, sizeof *chunk);
}

void
store_chunks_free(struct store_chunks *chunks)
{
	size_t i;

	for (i = 0; i < chunks->count; i++)
		store_chunk_free(&chunks->chunk[i]);
	free(chunks->chunk);
	strlist_free(&chunks->damaged);
	memset(chunks, 0, sizeof *chunks);
}

/* ---- tasks and indices ---- */

static uint64_t
pack_of(const struct store_chunk *c)
{
	return c->pack > 1 ? (uint64_t)c->pack : 1;
}

uint64_t
store_chunk_size(const struct store_chunk *c)
{
	uint64_t pack = pack_of(c);

	return (idset_size(&c->tasks) + pack - 1) / pack;
}

int64_t
store_chunk_at(const struct store_chunk *c, uint64_t place)
{
	if (!c->adopted)
		return (int64_t)place;
	return place < idset_size(&c->indices)
	    ? (int64_t)idset_at(&c->indices, place)
	    : -1;
}

uint64_t
store_chunk_place(const struct store_chunk *c, uint64_t index)
{
	uint64_t size = store_chunk_size(c);

	if (c->adopted && idset_has(&c->indices, index))
		return idset_position(&c->indices, index);
	return !c->adopted && index < size ? index : size;
}

int64_t
store_chunk_index(const struct store_chunk *c, uint64_t task)
{
	return store_chunk_at(c, idset_position(&c->tasks, task) / pack_of(c));
}

uint64_t
store_chunk_packed(const struct store_chunk *c, uint64_t place, uint64_t *first)
{
	uint64_t size = idset_size(&c->tasks), pack = pack_of(c);

	*first = place < size ? place * pack : size;
	if (*first >= size)
		return 0;
	return size - *first < pack ? size - *first : pack;
}

/* ---- publishing ---- */

/* Publish a record about a chunk; takes record and name over. */
static int
put(const struct store_job *job, char *name, json_t *record, struct error *e)
{
	int rc = store_directory_add(job, part, name, record, e);

	free(name);
	return rc;
}

/* Add who wrote the record, for people. */
static void
sign(json_t *record)
{
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	store_record_set_string(record, "host", host);
	store_record_set_int(record, "pid", getpid());
	store_record_set_int(record, "time", time(NULL));
}

static json_t *
intent_of(const struct store_chunk *chunk)
{
	struct store_chunk written = *chunk;
	json_t *record = store_record_new();

	written.pack = (int64_t)pack_of(chunk);
	store_fields_write(fields, &written, record);
	if (chunk->adopted)
		store_fields_write(adopted_fields, chunk, record);
	sign(record);
	return record;
}

int
store_intent(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	return put(
	    job, xasprintf("%s.intent", chunk->name), intent_of(chunk), e);
}

int
store_intent_place(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	int dir = store_directory_open(job, part, 0, e);
	char *name = xasprintf("%s.intent", chunk->name);
	int rc = store_directory_place(job, dir, name, intent_of(chunk), e);

	fs_close(dir);
	free(name);
	return rc;
}

/* ---- reading ---- */

/* A name in sub/: "CHUNK.intent", "CHUNK.claim", "CHUNK.try.1". */
struct entry {
	const char *name;
	size_t chunk; /* length of the chunk's name in it */
	enum kind { OTHER, INTENT, TRY, REFUSAL, CLAIM } kind;
	uint32_t number;
};

/* Parse a file name; its kind is OTHER if it is not about a chunk. */
static struct entry
entry_of(const char *name)
{
	static const struct {
		const char *end;
		enum kind kind;
		int numbered;
	} kinds[] = {{".intent", INTENT, 0}, {".claim", CLAIM, 0},
	    {".try", TRY, 1}, {".no", REFUSAL, 1}};
	const char *dot = strrchr(name, '.');
	size_t all = strlen(name), length, n, i;
	int64_t number = 0;

	if (dot != NULL &&
	    num_int("try", dot + 1, 1, UINT32_MAX, &number, NULL) == -1)
		number = 0;
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].numbered && number == 0)
			continue;
		length = kinds[i].numbered ? (size_t)(dot - name) : all;
		n = strlen(kinds[i].end);
		if (length > n &&
		    memcmp(name + length - n, kinds[i].end, n) == 0)
			return (struct entry){name, length - n, kinds[i].kind,
			    kinds[i].numbered ? (uint32_t)number : 0};
	}
	return (struct entry){.name = name};
}

/* Order entries by chunk, then intent, tries, refusals, claim. */
static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t n = x->chunk < y->chunk ? x->chunk : y->chunk;
	int order = memcmp(x->name, y->name, n);

	if (order != 0)
		return order;
	if (x->chunk != y->chunk)
		return x->chunk < y->chunk ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Return the sorted entries of a listing, of chunk or (NULL) all; to free. */
static struct entry *
entries(const struct fs_names *names, const char *chunk, size_t *count)
{
	struct entry *list = xcalloc(names->count + 1, sizeof *list), one;
	size_t i;

	*count = 0;
	for (i = 0; i < names->count; i++) {
		one = entry_of(names->name[i]);
		if (one.kind == OTHER ||
		    (chunk != NULL &&
			(strlen(chunk) != one.chunk ||
			    strncmp(chunk, one.name, one.chunk) != 0)))
			continue;
		list[(*count)++] = one;
	}
	qsort(list, *count, sizeof *list, compare_entries);
	return list;
}

static int
read_intent(const struct store_job *job, int sub, const char *name,
    struct store_chunk *out, struct error *e)
{
	json_t *record = store_directory_load(job, sub, name, e);
	struct error why;
	int rc;

	if (record == NULL)
		return -1;
	rc = store_fields_take(fields, record, out, &why);
	if (rc == 0)
		rc = store_fields_take(adopted_fields, record, out, &why);
	json_decref(record);
	if (out->token == NULL)
		return error_code(e, ERROR_DAMAGED, "%s: no token", name);
	if (rc == -1)
		return error_code(e, ERROR_DAMAGED, "%s", why.text);
	return fs_changed(sub, name, &out->time, e);
}

/* Read a claim, but not its time. */
static int
read_claim(const struct store_job *job, int sub, const char *name,
    struct store_chunk *out, struct error *e)
{
	json_t *record = store_directory_load(job, sub, name, e);

	if (record == NULL)
		return -1;
	out->array = (uint32_t)store_record_int(record, "array", 0);
	if (out->array != 0)
		out->claim = STORE_ARRAY;
	else if (store_record_int(record, "cut", 0) != 0)
		out->claim = STORE_CUT;
	else
		out->claim = STORE_WITHDRAWN;
	json_decref(record);
	return 0;
}

/*
 * Read a refusal.  A damaged one counts, without its reason.  A record of
 * another call proves nothing about this call, which may have worked.
 */
static void
read_refusal(const struct store_job *job, int sub, const char *name,
    struct store_chunk *out)
{
	struct error why;
	json_t *record = store_directory_load(job, sub, name, &why);
	int old;

	out->refused = record != NULL || why.code != ERROR_FOREIGN;
	if (record == NULL)
		return;
	out->refusal = store_record_copy(record, "why");
	/* Records without "array" are from before it was there. */
	old = out->refusal != NULL && text_begins(out->refusal, QUEUE_REFUSES);
	out->bad_array = store_record_int(record, "array", old) != 0;
	out->alive = (uint64_t)store_record_int(record, "beside", 0);
	json_decref(record);
}

/* Read the tries and the claim of a chunk from its entries after the intent. */
static int
take_state(const struct store_job *job, int sub, const struct entry *entry,
    size_t count, struct store_chunk *out, struct error *e)
{
	const struct entry *last = &entry[count - 1];
	size_t i;

	if (last->kind == CLAIM)
		return read_claim(job, sub, last->name, out, e) == -1
		    ? -1
		    : fs_changed(sub, last->name, &out->claimed, e);
	last = NULL;
	for (i = 0; i < count; i++)
		if (entry[i].kind == TRY)
			last = &entry[i];
	if (last == NULL)
		return 0;
	out->tries = last->number;
	if (fs_changed(sub, last->name, &out->tried, e) == -1)
		return -1;
	for (i = 0; i < count; i++)
		if (entry[i].kind == REFUSAL && entry[i].number == out->tries)
			read_refusal(job, sub, entry[i].name, out);
	return 0;
}

/* Read a chunk from all its entries; without an intent there is no chunk. */
static int
take_chunk(const struct store_job *job, int sub, const struct entry *entry,
    size_t count, struct store_chunk *out, struct error *e)
{
	memset(out, 0, sizeof *out);
	if (count == 0 || entry->kind != INTENT)
		return error_code(e, ERROR_ABSENT, "no such chunk");
	out->name = xstrndup(entry->name, entry->chunk);
	if (read_intent(job, sub, entry->name, out, e) == 0 &&
	    take_state(job, sub, entry, count, out, e) == 0)
		return 0;
	store_chunk_free(out);
	return -1;
}

/* Return whether a claim has lost its intent, which was published before it. */
static int
is_lost(int sub, const struct entry *claim, struct error *why)
{
	char *intent = xasprintf("%.*s.intent", (int)claim->chunk, claim->name);
	char *path = fs_path(sub, intent);
	int64_t changed;
	int is = claim->kind == CLAIM &&
	    fs_changed(sub, intent, &changed, NULL) == -1 && errno == ENOENT;

	if (is)
		error_set(why, "%s: not there, but its claim is", path);
	free(path);
	free(intent);
	return is;
}

/* Add one chunk, or the reason why it is damaged. */
static int
add_chunk(const struct store_job *job, int sub, const struct entry *entry,
    size_t count, struct store_chunks *out, struct error *e)
{
	struct store_chunk chunk;
	struct error why;

	if (entry->kind != INTENT) {
		if (is_lost(sub, &entry[count - 1], &why))
			strlist_push(&out->damaged, why.text);
		return 0;
	}
	if (take_chunk(job, sub, entry, count, &chunk, &why) == 0) {
		out->chunk = xgrow(out->chunk, out->count, sizeof *out->chunk);
		out->chunk[out->count++] = chunk;
	} else if (store_directory_is_damage(&why))
		strlist_push(&out->damaged, why.text);
	else
		return error_copy(e, &why);
	return 0;
}

int
store_chunks_some(const struct store_job *job,
    int (*wanted)(const char *chunk, const void *arg), const void *arg,
    struct store_chunks *out, struct error *e)
{
	struct entry *entry, *first;
	struct fs_names names;
	size_t count, i, n;
	int sub, rc = 0;
	char *chunk;

	memset(out, 0, sizeof *out);
	sub = store_directory_list(job, part, &names, e);
	if (sub == -1)
		return -1;
	entry = entries(&names, NULL, &count);
	for (i = 0; rc == 0 && i < count; i += n) {
		first = &entry[i];
		for (n = 1; i + n < count; n++)
			if (first[n].chunk != first->chunk ||
			    memcmp(first[n].name, first->name, first->chunk) !=
				0)
				break;
		chunk = xstrndup(first->name, first->chunk);
		if (wanted == NULL || wanted(chunk, arg))
			rc = add_chunk(job, sub, first, n, out, e);
		free(chunk);
	}
	free(entry);
	store_directory_close(sub, &names);
	if (rc == -1)
		store_chunks_free(out);
	return rc;
}

int
store_chunks_whole(
    const struct store_job *job, struct store_chunks *out, struct error *e)
{
	if (store_chunks_list(job, out, e) == -1)
		return -1;
	if (store_directory_whole(&out->damaged, e) == 0)
		return 0;
	store_chunks_free(out);
	return -1;
}

int
store_intent_read(const struct store_job *job, const char *name,
    struct store_chunk *out, struct error *e)
{
	int sub = store_directory_open(job, part, 0, e), rc = -1;
	char *file = xasprintf("%s.intent", name);

	memset(out, 0, sizeof *out);
	out->name = xstrdup(name);
	if (sub != -1)
		rc = read_intent(job, sub, file, out, e);
	if (rc == -1)
		store_chunk_free(out);
	fs_close(sub);
	free(file);
	return rc;
}

int
store_claim_read(const struct store_job *job, const char *name,
    struct store_chunk *out, struct error *e)
{
	int sub = store_directory_open(job, part, 0, e), rc = -1;
	char *file = xasprintf("%s.claim", name);

	memset(out, 0, sizeof *out);
	if (sub != -1)
		rc = read_claim(job, sub, file, out, e);
	if (rc == 0)
		rc = fs_changed(sub, file, &out->time, e);
	fs_close(sub);
	free(file);
	return rc;
}

int
store_chunk_read(const struct store_job *job, const char *name,
    struct store_chunk *out, struct error *e)
{
	struct entry *entry;
	struct fs_names names;
	size_t count;
	int sub, rc;

	memset(out, 0, sizeof *out);
	sub = store_directory_list(job, part, &names, e);
	if (sub == -1)
		return -1;
	entry = entries(&names, name, &count);
	rc = take_chunk(job, sub, entry, count, out, e);
	if (rc == -1)
		error_prefix(e, name);
	free(entry);
	store_directory_close(sub, &names);
	return rc;
}

/* ---- tries ---- */

/*
 * Remove old tries.  Returns 1 if there is a later try than n, 0, or -1: since
 * old tries are removed, a program with an old listing may have used a number
 * again.
 */
static int
check_newest(
    const struct store_job *job, const char *chunk, uint32_t n, struct error *e)
{
	static const char *const kinds[] = {"try", "no"};
	struct entry *entry;
	struct fs_names names;
	size_t count, i;
	int sub, rc = 0;
	char *old;

	sub = store_directory_list(job, part, &names, e);
	if (sub == -1)
		return -1;
	entry = entries(&names, chunk, &count);
	for (i = 0; i < count; i++)
		if (entry[i].kind == TRY && entry[i].number > n)
			rc = 1;
	for (i = 0; rc == 0 && i < 2; i++) {
		old = xasprintf(
		    "%s.%s.%" PRIu32, chunk, kinds[i], n - TRIES_KEPT);
		fs_unlink(sub, old, NULL);
		free(old);
	}
	free(entry);
	store_directory_close(sub, &names);
	return rc;
}

int
store_try(
    const struct store_job *job, const char *chunk, uint32_t n, struct error *e)
{
	json_t *record = store_record_new();
	int rc;

	sign(record);
	rc = put(job, xasprintf("%s.try.%" PRIu32, chunk, n), record, e);
	if (rc != 0 || n <= TRIES_KEPT)
		return rc;
	return check_newest(job, chunk, n, e);
}

int
store_refusal(const struct store_job *job, const char *chunk, uint32_t n,
    const struct error *why, uint64_t alive, struct error *e)
{
	json_t *record = store_record_new();

	store_record_set_string(record, "why", why->text);
	store_record_set_int(record, "array", why->code == ERROR_REFUSED);
	store_record_set_int(record, "beside", (int64_t)alive);
	store_record_set_int(record, "time", time(NULL));
	return put(job, xasprintf("%s.no.%" PRIu32, chunk, n), record, e);
}

/* ---- claims ---- */

/*
 * Read the claim of another array.  On a file system without hard links its
 * writer may not have finished: wait a little until it is complete.
 */
static int
read_holder(const struct store_job *job, int sub, const char *name,
    uint32_t *array, struct error *e)
{
	struct timespec nap = {0, 200000000};
	struct store_chunk chunk = {0};
	int rc = -1, tries;

	for (tries = 0; tries < 10 && rc == -1; tries++) {
		if (tries > 0)
			nanosleep(&nap, NULL);
		rc = read_claim(job, sub, name, &chunk, e);
	}
	*array = chunk.array;
	return rc;
}

int
store_claim(const struct store_job *job, const char *chunk, uint32_t *array,
    struct error *e)
{
	char *name = xasprintf("%s.claim", chunk);
	json_t *record = store_record_new();
	int sub, rc;

	store_record_set_int(record, "array", *array);
	sub = store_directory_open(job, part, 0, e);
	rc = store_directory_publish(job, sub, name, record, e);
	if (rc == 1)
		rc = read_holder(job, sub, name, array, e);
	fs_close(sub);
	free(name);
	return rc;
}

int
store_chunk_close(const struct store_job *job, const char *chunk,
    enum store_claim how, struct error *e)
{
	json_t *record = store_record_new();

	store_record_set_int(record, "array", 0);
	store_record_set_int(record, how == STORE_CUT ? "cut" : "withdrawn", 1);
	sign(record);
	return put(job, xasprintf("%s.claim", chunk), record, e);
}

int
store_chunk_gave_up(
    const struct store_chunks *all, const struct store_chunk *c, uint64_t task)
{
	size_t length = strlen(c->name);
	const struct store_chunk *piece;

	if (c->claim != STORE_CUT)
		return c->claim == STORE_WITHDRAWN;
	/* In the order of names, the halves follow. */
	for (piece = c + 1; piece < all->chunk + all->count &&
	     strncmp(piece->name, c->name, length) == 0;
	     piece++)
		if (piece->claim == STORE_WITHDRAWN &&
		    idset_has(&piece->tasks, task))
			return 1;
	return 0;
}

/* ---- the name of the batch script ---- */

char *
store_chunk_link(const struct store_job *job, const struct store_chunk *chunk,
    struct error *e)
{
	int sub = fs_open_subdir(store_job_dir(job), "sub", 0, e), rc;
	char *name;

	if (sub == -1)
		return NULL;
	name = xasprintf(".t.%s", chunk->token);
	rc = fs_link(sub, name, "../batch.sh", e);
	if (rc == -1 && errno == EEXIST) /* left by a killed call */
		rc = 0;
	if (rc == -1) /* it may exist after a failure, too */
		fs_unlink(sub, name, NULL);
	fs_close(sub);
	free(name);
	return rc == 0
	    ? xasprintf("%s/sub/.t.%s", store_job_path(job), chunk->token)
	    : NULL;
}
