#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store-chunk.h"
#include "store-part.h"
#include "store-seal.h"
#include "xalloc.h"

static const char part[] = "sub";
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
	dir = store_part_open(job, part, 0, e);
	name = xasprintf("%s%s", chunk->name, intent_end);
	rc = seal_publish(dir, name, record, 0, e);
	fs_close(dir);
	free(name);
	return rc;
}

/* The array of a chunk's claim, 0 while there is none, or -1. */
static int64_t
read_claim(int sub, const char *chunk, struct error *e)
{
	char *name = xasprintf("%s.claim", chunk);
	json_t *record = seal_load(sub, name, SEAL_SMALL, e);
	int64_t array = record == NULL && errno == ENOENT ? 0 : -1;
	int saved = errno;

	if (record != NULL)
		array = seal_int(record, "array", -1);
	if (record != NULL && array == -1) {
		error_set(e, "%s: no array", name);
		saved = EBADMSG;
	}
	json_decref(record);
	free(name);
	errno = saved;
	return array;
}

/* What an intent says: 0, or -1 with errno EBADMSG. */
static int
take_intent(const json_t *record, const char *name, struct store_chunk *out,
    struct error *e)
{
	const char *tasks = seal_string(record, "tasks");

	out->token = seal_copy(record, "token");
	out->attempt = (uint32_t)seal_int(record, "attempt", 0);
	out->throttle = seal_int(record, "throttle", 0);
	if (ranges_parse(&out->tasks, tasks ? tasks : "", e) == 0 &&
	    out->token != NULL)
		return 0;
	if (out->token == NULL)
		error_set(e, "%s: no token", name);
	errno = EBADMSG;
	return -1;
}

static int
read_intent(
    int sub, const char *chunk, struct store_chunk *out, struct error *e)
{
	char *name = xasprintf("%s%s", chunk, intent_end);
	json_t *record = seal_load(sub, name, SEAL_SMALL, e);
	int rc = -1, saved;

	memset(out, 0, sizeof *out);
	if (record != NULL) {
		out->name = xstrdup(chunk);
		rc = take_intent(record, name, out, e);
	}
	if (rc == 0)
		rc = fs_changed(sub, name, &out->time, e);
	saved = errno;
	json_decref(record);
	free(name);
	if (rc == -1)
		store_chunk_free(out);
	errno = saved;
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
	int saved;

	if (read_intent(sub, chunk, out, e) == -1)
		return -1;
	if (is_claimed(names, chunk))
		array = read_claim(sub, chunk, e);
	if (array == -1) {
		saved = errno;
		store_chunk_free(out);
		errno = saved;
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

/* Add one chunk, or how it is damaged. */
static int
add_chunk(int sub, const struct fs_names *names, const char *chunk,
    struct store_chunks *out, struct error *e)
{
	struct error why;

	out->chunk = xgrow(out->chunk, out->count, sizeof *out->chunk);
	if (take_chunk(sub, names, chunk, &out->chunk[out->count], &why) == 0)
		out->count++;
	else if (errno == EBADMSG)
		words_push(&out->damaged, why.text);
	else
		return error_set(e, "%s", why.text);
	return 0;
}

int
store_chunks_list(
    const struct store_job *job, struct store_chunks *out, struct error *e)
{
	struct fs_names names;
	char *dot;
	int sub, rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	sub = store_part_list(job, part, &names, e);
	if (sub == -1)
		return -1;
	for (i = 0; rc == 0 && i < names.count; i++) {
		dot = strrchr(names.name[i], '.');
		if (dot == NULL || strcmp(dot, intent_end) != 0)
			continue;
		*dot = '\0';
		rc = add_chunk(sub, &names, names.name[i], out, e);
		*dot = '.';
	}
	store_part_close(sub, &names);
	if (rc == -1)
		store_chunks_free(out);
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
	sub = store_part_list(job, part, &names, e);
	if (sub == -1)
		return -1;
	rc = take_chunk(sub, &names, name, out, e);
	store_part_close(sub, &names);
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
	sub = store_part_open(job, part, 0, e);
	rc = seal_publish(sub, name, record, 0, e);
	free(name);
	if (rc == 1)
		holder = read_holder(sub, chunk, e);
	fs_close(sub);
	if (rc != 1)
		return rc;
	if (holder <= 0)
		return -1;
	*array = (uint32_t)holder;
	return 0;
}
