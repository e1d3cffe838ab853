#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory-private.h"
#include "store/load.h"
#include "store/pack.h"
#include "store/policy.h"
#include "store/request-private.h"

static const char part[] = "ctl";

/* Which requests a caller wants. */
struct wanted {
	int which;
	store_request_needed *is_needed; /* of a search; NULL: see which */
	const void *arg;
};

/* Return whether a request of a search is to be read. */
static int
is_wanted(const struct wanted *wanted, uint64_t task, uint32_t attempt)
{
	return wanted->is_needed != NULL
	    ? wanted->is_needed(wanted->arg, task, attempt)
	    : !(wanted->which & STORE_NAMES);
}

/* ---- packs ---- */

/* As many bytes are read for the first line of a pack, or twice as many, ... */
enum { FIRST_LINE = 32 << 10 };

/* How often to list requests while files that were listed are gone. */
enum { TRIES = 20 };

/* An open pack. */
struct pack {
	const struct store_job *job;
	const char *name;
	int fd;
	char *text; /* its first line, and what was read behind it */
	size_t length, line;
	uint64_t size;  /* of the file */
	uint64_t lines; /* so many follow, by its name */
	int verifies;   /* name any damage, also if nothing is lost by it */
};

/* Put the place of a line in front of the reason in e.  Returns -1. */
static int
at_line(const struct pack *p, size_t number, struct error *e)
{
	char *place = xasprintf("%s/%s/%s:%zu", store_job_path(p->job),
	    store_packs, p->name, number);

	error_prefix(e, place);
	free(place);
	return -1;
}

/* Put the path of a pack in front of the reason in e.  Returns -1. */
static int
at_pack(const struct pack *p, struct error *e)
{
	char *path =
	    xasprintf("%s/%s/%s", store_job_path(p->job), store_packs, p->name);

	error_prefix(e, path);
	free(path);
	return -1;
}

/*
 * Read a record in a line of a pack.  name is what it has to be the record of.
 * Returns it, to json_decref, or NULL with ERROR_DAMAGED or ERROR_FOREIGN.
 */
static json_t *
read_line(const struct pack *p, const char *line, size_t length,
    const char *name, size_t number, struct error *e)
{
	struct error why;
	json_t *record;

	if (!store_record_holds(line, length)) {
		error_code(
		    &why, ERROR_DAMAGED, "damaged (its checksum does not fit)");
		record = NULL;
	} else {
		record = store_record_read(line, length, name, &why);
		if (record != NULL &&
		    store_directory_own(p->job, name, record, &why) == 0)
			return record;
	}
	json_decref(record);
	error_copy(e, &why);
	at_line(p, number, e);
	return NULL;
}

static void
close_pack(struct pack *p)
{
	fs_close(p->fd);
	free(p->text);
}

/* Open a pack and read at least its first line. */
static int
open_pack(int dir, const char *name, const struct store_job *job,
    struct pack *out, struct error *e)
{
	uint64_t noise;
	size_t limit = FIRST_LINE / 2;
	const char *end = NULL;
	int rc = 0;

	*out = (struct pack){.job = job, .name = name};
	sscanf(name, "s.%" SCNu64 ".%" SCNx64, &out->lines, &noise);
	out->fd = fs_open_file(dir, name, &out->size, e);
	if (out->fd == -1)
		return -1;
	do {
		free(out->text);
		out->text = NULL;
		limit *= 2;
		rc = fs_read_at(out->fd, 0, limit, &out->text, &out->length, e);
		if (rc == 0)
			end = memchr(out->text, '\n', out->length);
	} while (rc == 0 && end == NULL && out->length == limit);
	if (rc == 0)
		out->line =
		    end != NULL ? (size_t)(end + 1 - out->text) : out->length;
	else
		close_pack(out);
	return rc == 0 ? 0 : at_pack(out, e);
}

/* ---- the first line ---- */

static const char digits[] = "0123456789abcdef";

/*
 * Return the tasks of an attempt as an object.  Each digit of its text stands
 * for four tasks, the first of them for the lowest bit: the numbers of
 * thousands of tasks would take longer to read than the whole pass.
 */
static json_t *
object_of(const struct store_request *r)
{
	json_t *object = json_object();
	uint64_t first = idset_at(&r->tasks, 0), task;
	struct idset_walk walk = {0};
	char *text = NULL;
	size_t length, bit = 0;
	unsigned bits = 0;
	FILE *out = xmemopen(&text, &length);

	while (idset_next(&r->tasks, &walk, &task)) {
		for (; task - first >= bit + 4; bit += 4, bits = 0)
			fputc(digits[bits], out);
		bits |= 1U << (task - first - bit);
	}
	fputc(digits[bits], out);
	xmemclose(out);
	store_record_set_int(object, "attempt", r->attempt);
	store_record_set_int(object, "first", (int64_t)first);
	store_record_set_string(object, "tasks", text);
	free(text);
	return object;
}

/* Add the tasks of such an object to an empty set.  Returns 0, or -1. */
static int
take_bits(const char *text, int64_t first, struct idset *out)
{
	const char *digit;
	uint64_t task = (uint64_t)first, from = task, bit;

	for (; *text != '\0'; text++, task += 4) {
		digit = strchr(digits, *text);
		if (digit == NULL || task > INT64_MAX - 4)
			return -1;
		for (bit = 0; bit < 4; bit++) {
			if ((digit - digits) >> bit & 1)
				continue;
			if (from < task + bit)
				idset_add(out, from, task + bit - 1);
			from = task + bit + 1;
		}
	}
	if (from < task)
		idset_add(out, from, task - 1);
	return out->count > 0 ? 0 : -1;
}

/* Add such an object to out.  Returns 0, or -1 if it is none. */
static int
take_object(const json_t *object, struct store_requests *out)
{
	struct store_request r = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .is_unread = 1,
	    .is_packed = 1,
	    .made = -1};
	const char *text = store_record_string(object, "tasks");
	int64_t attempt = store_record_int(object, "attempt", -1);
	int64_t first = store_record_int(object, "first", -1);

	if (text == NULL || attempt < 0 || attempt > UINT32_MAX || first < 0)
		return -1;
	r.attempt = (uint32_t)attempt;
	if (take_bits(text, first, &r.tasks) == -1) {
		idset_free(&r.tasks);
		return -1;
	}
	store_requests_push(out, r);
	return 0;
}

/* Put what the first line of a pack says into the empty list out. */
static int
take_first(struct pack *p, struct store_requests *out, struct error *e)
{
	json_t *record = read_line(p, p->text, p->line, p->name, 1, e);
	const json_t *object;
	size_t i;
	int rc = 0;

	if (record == NULL)
		return -1;
	json_array_foreach(json_object_get(record, "stops"), i, object)
		rc |= take_object(object, out);
	json_decref(record);
	if (rc == 0 && out->count > 0)
		return 0;
	store_requests_free(out);
	error_code(e, ERROR_DAMAGED, "damaged (it does not name its tasks)");
	return at_line(p, 1, e);
}

/* ---- the lines ---- */

/* Add the request in a line to out. */
static int
take_line(const struct pack *p, const char *line, size_t length, size_t number,
    struct store_requests *out, struct error *e)
{
	const struct store_request like = {.kind = STORE_REQUEST_STOP,
	    .by_search = 1,
	    .is_packed = 1,
	    .made = -1};
	size_t n = 0;
	int64_t version;
	const char *at = store_record_name(line, length, &n, &version);
	char *name = xstrndup(at != NULL ? at : "", at != NULL ? n : 0);
	json_t *record = read_line(p, line, length, name, number, e);
	uint32_t attempt;
	uint64_t task;
	int rc = -1;

	if (record == NULL)
		rc = -1;
	else if (!store_request_name(name, &task, &attempt))
		error_code(e, ERROR_DAMAGED, "damaged (no stop request)");
	else
		rc = store_request_take(record, like, out, e);
	if (record != NULL && rc == -1)
		at_line(p, number, e);
	json_decref(record);
	free(name);
	return rc;
}

/* Read the rest of a pack. */
static int
read_rest(struct pack *p, struct error *e)
{
	char *rest;
	size_t length;

	if (p->size <= p->length)
		return 0;
	if (fs_read_at(p->fd, p->length, (size_t)(p->size - p->length), &rest,
		&length, e) == -1)
		return at_pack(p, e);
	p->text = xrealloc(p->text, p->length + length + 1);
	memcpy(p->text + p->length, rest, length);
	p->length += length;
	free(rest);
	return 0;
}

/*
 * Add the requests of all lines to out; damaged ones are named there.  Returns
 * 0, or -1 if a line is of a newer version.
 */
static int
take_lines(const struct pack *p, struct store_requests *out, struct error *e)
{
	size_t at, length, number = 2;
	struct error why;

	for (at = p->line; at < p->length; at += length, number++) {
		length = store_pack_line_length(p->text, at, p->length);
		if (take_line(p, p->text + at, length, number, out, &why) == 0)
			continue;
		if (why.code == ERROR_NEWER)
			return error_copy(e, &why);
		strlist_push(&out->damaged, why.text);
	}
	if (p->lines != number - 2) {
		error_code(&why, ERROR_DAMAGED,
		    "damaged (%" PRIu64 " lines should follow)", p->lines);
		at_line(p, 1, &why);
		strlist_push(&out->damaged, why.text);
	}
	return 0;
}

/* Return whether one of these requests, of a pack, is wanted. */
static int
is_any_wanted(const struct wanted *wanted, const struct store_requests *all)
{
	const struct store_request *r;
	struct idset_walk walk;
	uint64_t task;
	size_t i;

	if (wanted->which & STORE_NAMES)
		return 0;
	for (i = 0; i < all->count; i++) {
		r = &all->request[i];
		walk = (struct idset_walk){0};
		while (idset_next(&r->tasks, &walk, &task))
			if (is_wanted(wanted, task, r->attempt))
				return 1;
	}
	return 0;
}

/*
 * Reduce a request of the first line to the tasks whose lines were not read.
 * The others are in the list from the index read on.
 */
static void
drop_read(
    struct store_request *first, const struct store_requests *all, size_t read)
{
	struct idset known = {0}, rest = {0};
	struct idset_walk walk = {0};
	uint64_t task;

	for (; read < all->count; read++)
		if (all->request[read].attempt == first->attempt)
			idset_add_all(&known, &all->request[read].tasks);
	while (idset_next(&first->tasks, &walk, &task))
		if (!idset_has(&known, task))
			idset_add(&rest, task, task);
	idset_free(&known);
	idset_free(&first->tasks);
	first->tasks = rest;
}

/* Move requests with tasks to the end of another list. */
static void
move_all(struct store_requests *from, struct store_requests *out)
{
	struct store_request *r = from->request;

	for (; r < from->request + from->count; r++) {
		if (r->tasks.count == 0)
			continue;
		store_requests_push(out, *r);
		r->tasks = (struct idset){0};
	}
	store_requests_free(from);
}

/* Add the requests of an open pack to out. */
static int
take_pack(struct pack *p, const struct wanted *wanted,
    struct store_requests *out, struct error *e)
{
	struct store_requests first = {NULL};
	size_t had = out->count, damaged = out->damaged.count, i;
	struct error why;
	int rc = 0, first_rc;

	first_rc = take_first(p, &first, &why);
	if (first_rc == -1 || is_any_wanted(wanted, &first)) {
		rc = read_rest(p, e);
		if (rc == 0)
			rc = take_lines(p, out, e);
		for (i = 0; i < first.count; i++)
			drop_read(&first.request[i], out, had);
	}
	if (first_rc == 0)
		out->damaged_known += out->damaged.count - damaged;
	/* If all other lines are there, its first line is not missed. */
	if (first_rc == -1 && (p->verifies || out->damaged.count > damaged))
		strlist_push(&out->damaged, why.text);
	move_all(&first, out);
	return rc;
}

static int
read_pack(int dir, const char *name, const struct store_job *job,
    const struct wanted *wanted, struct store_requests *out, struct error *e)
{
	struct pack p;
	int rc = open_pack(dir, name, job, &p, e);

	if (rc == -1)
		return -1;
	rc = take_pack(&p, wanted, out, e);
	close_pack(&p);
	return rc;
}

/*
 * Return whether a file that was listed is gone, because of why: its request is
 * in a pack, or a repaired pack is in another one.
 */
static int
is_gone(const struct error *why)
{
	return why->code == ERROR_ABSENT || why->number == ESTALE;
}

/*
 * Add the requests of all packs to out.  Those of a pack are read if one of
 * them is wanted; else they are one request for each attempt.  Returns 0, 1 if
 * a file is gone, or -1 if one cannot be read now.
 */
static int
read_packs(const struct store_job *job, const struct wanted *wanted,
    struct store_requests *out, struct error *e)
{
	struct fs_names names;
	struct error why;
	int dir = store_directory_list(job, store_packs, &names, &why), rc = 0;
	size_t i;

	if (dir == -1)
		return why.code == ERROR_ABSENT ? 0 : error_copy(e, &why);
	for (i = 0; i < names.count && rc == 0; i++) {
		if (!store_request_is_pack(names.name[i]) ||
		    read_pack(dir, names.name[i], job, wanted, out, &why) == 0)
			continue;
		if (store_directory_is_damage(&why))
			strlist_push(&out->damaged, why.text);
		else
			rc = is_gone(&why) ? 1 : error_copy(e, &why);
	}
	store_directory_close(dir, &names);
	return rc;
}

/* ---- files ---- */

/*
 * Add the request of a search that a name is about, without reading it, if it
 * is not needed.  Returns whether it was added.
 */
static int
take_name(
    const char *name, const struct wanted *wanted, struct store_requests *out)
{
	struct store_request r = {.kind = STORE_REQUEST_STOP,
	    .made = -1,
	    .by_search = 1,
	    .is_unread = 1};
	uint64_t task;

	if (!store_request_name(name, &task, &r.attempt) ||
	    is_wanted(wanted, task, r.attempt))
		return 0;
	idset_add(&r.tasks, task, task);
	store_requests_push(out, r);
	return 1;
}

/*
 * Read all files of a listing that begin with prefix.  Returns 0, 1 if one is
 * gone, or -1.
 */
static int
read_files(const struct store_job *job, int ctl, const struct fs_names *names,
    const char *prefix, const struct wanted *wanted, struct store_requests *out,
    struct error *e)
{
	const char *name;
	struct error why;
	size_t i;

	for (i = 0; i < names->count; i++) {
		name = names->name[i];
		if (!text_begins(name, prefix) ||
		    take_name(name, wanted, out) ||
		    store_request_read(job, ctl, name, out, &why) == 0)
			continue;
		if (is_gone(&why))
			return 1;
		if (!store_directory_is_damage(&why))
			return error_copy(e, &why);
		strlist_push(&out->damaged, why.text);
	}
	return 0;
}

/*
 * Read requests once.  The packs come after the files of stop requests: what is
 * not in ctl/ any more is in one of them.  Returns 0, 1 if a file is gone, or
 * -1.  Unless 0, out has those read so far.
 */
static int
read_once(const struct store_job *job, const struct wanted *wanted,
    struct store_requests *out, struct error *e)
{
	struct fs_names names;
	int rc = 0, ctl = store_directory_list(job, part, &names, e);
	size_t stops;

	memset(out, 0, sizeof *out);
	if (ctl == -1)
		return -1;
	if (wanted->which & STORE_STOPS)
		rc = read_files(job, ctl, &names, STORE_STOP, wanted, out, e);
	if (rc == 0 && wanted->which & STORE_STOPS &&
	    store_search_is_given(store_job_search(job)))
		rc = read_packs(job, wanted, out, e);
	stops = out->count;
	out->damaged_stops = out->damaged.count - out->damaged_known;
	if (rc == 0 && wanted->which & STORE_HOLDS)
		rc = read_files(job, ctl, &names, STORE_ORDER, wanted, out, e);
	store_requests_sort(out, stops);
	store_directory_close(ctl, &names);
	return rc;
}

/* Read requests.  On failure out has those read so far.  Returns 0, or -1. */
static int
read_all(const struct store_job *job, const struct wanted *wanted,
    struct store_requests *out, struct error *e)
{
	int tries, rc;

	for (tries = 0; tries < TRIES; tries++) {
		rc = read_once(job, wanted, out, e);
		if (rc != 1)
			return rc;
		store_requests_free(out);
	}
	return error_code(e, ERROR_LATER,
	    "%s/%s: changes faster than it can be read", store_job_path(job),
	    part);
}

int
store_requests_needed(const struct store_job *job, int which,
    store_request_needed *is_needed, const void *arg,
    struct store_requests *out, struct error *e)
{
	const struct wanted wanted = {which, is_needed, arg};
	int rc = read_all(job, &wanted, out, e);

	if (rc == -1)
		store_requests_free(out);
	return rc;
}

int
store_requests_list(const struct store_job *job, int which,
    struct store_requests *out, struct error *e)
{
	return store_requests_needed(job, which, NULL, NULL, out, e);
}

int
store_requests_whole(const struct store_job *job, int which,
    struct store_requests *out, struct error *e)
{
	const struct wanted wanted = {.which = which};
	int rc = read_all(job, &wanted, out, e);

	/* Damage does not pass by itself: it is named before a read error. */
	if (store_directory_whole(&out->damaged, e) == 0 && rc == 0)
		return 0;
	store_requests_free(out);
	return -1;
}

/* ---- packing ---- */

/* The requests of a pack that is being made. */
struct packing {
	const struct store_job *job;
	struct store_request *of; /* one for each attempt */
	size_t attempts;
	uint64_t count;
	FILE *lines;
	char *text;
	size_t length;
};

static void
begin(struct packing *p, const struct store_job *job)
{
	*p = (struct packing){.job = job};
	p->lines = xmemopen(&p->text, &p->length);
}

static void
free_packing(struct packing *p)
{
	size_t i;

	for (i = 0; i < p->attempts; i++)
		idset_free(&p->of[i].tasks);
	free(p->of);
	free(p->text);
}

/* Add a task of the job to those of the pack.  Returns whether it is one. */
static int
add_task(struct packing *p, uint64_t task, uint32_t attempt)
{
	size_t i;

	if (task >= store_job_tasks(p->job))
		return 0;
	for (i = 0; i < p->attempts && p->of[i].attempt != attempt; i++)
		continue;
	if (i == p->attempts) {
		p->of = xgrow(p->of, p->attempts, sizeof *p->of);
		p->of[p->attempts++] = (struct store_request){
		    .kind = STORE_REQUEST_STOP, .attempt = attempt};
	}
	idset_add(&p->of[i].tasks, task, task);
	return 1;
}

static void
add_line(struct packing *p, const char *line, size_t length)
{
	fwrite(line, 1, length, p->lines);
	p->count++;
}

/* Publish the pack.  Returns 0, or -1. */
static int
end(struct packing *p, struct error *e)
{
	char *name = xasprintf(
	    "s.%" PRIu64 ".%016" PRIx64 ".jsonl", p->count, fs_noise());
	json_t *record = store_record_new(), *stops = json_array();
	size_t first, size, i;
	char *text;
	int rc;

	xmemclose(p->lines);
	for (i = 0; i < p->attempts; i++)
		json_array_append_new(stops, object_of(&p->of[i]));
	json_object_set_new(record, "stops", stops);
	store_directory_sign(record, p->job, name);
	text = store_record_text(record, 0, &first);
	size = first + p->length;
	text = xrealloc(text, size + 1);
	memcpy(text + first, p->text, p->length);
	rc = store_pack_publish(p->job, name, text, size, e);
	if (rc == 1)
		rc = error_code(e, ERROR_LATER, "%s/%s/%s: is gone again",
		    store_job_path(p->job), store_packs, name);
	free(text);
	free(name);
	return rc;
}

/* Return whether a text is the record of this name, and undamaged. */
static int
is_record(const struct store_job *job, const char *name, const char *text,
    size_t length)
{
	json_t *record = store_record_read(text, length, name, NULL);
	int is =
	    record != NULL && store_directory_own(job, name, record, NULL) == 0;

	json_decref(record);
	return is;
}

/* Add a request to the pack if its file is undamaged.  Returns whether. */
static int
add_file(struct packing *p, int ctl, const char *name)
{
	char *text, *line = NULL;
	size_t length, size;
	uint32_t attempt;
	uint64_t task;
	int added;

	if (fs_read(ctl, name, STORE_RECORD_LIMIT, &text, &size, NULL) == -1)
		return 0;
	if (is_record(p->job, name, text, size))
		line = store_record_with_name(text, size, name, &length);
	free(text);
	added = line != NULL && store_request_name(name, &task, &attempt) &&
	    add_task(p, task, attempt);
	if (added)
		add_line(p, line, length);
	free(line);
	return added;
}

/* Keep the names of files in ctl/ that may be packed. */
static void
keep_packable(
    struct fs_names *names, int ctl, const struct wanted *wanted, int64_t old)
{
	size_t i, kept = 0;
	uint32_t attempt;
	uint64_t task;
	int64_t made;
	char *name;

	for (i = 0; i < names->count; i++) {
		name = names->name[i];
		if (store_request_name(name, &task, &attempt) &&
		    !is_wanted(wanted, task, attempt) &&
		    fs_changed(ctl, name, &made, NULL) == 0 && made <= old)
			names->name[kept++] = name;
		else
			free(name);
	}
	names->count = kept;
}

/* Pack requests and remove their files.  Returns how many, or -1. */
static int64_t
pack(const struct store_job *job, int ctl, const struct fs_names *names,
    struct error *e)
{
	struct strlist packed = {0};
	struct packing p;
	int rc = 0;
	size_t i;

	begin(&p, job);
	for (i = 0; i < names->count; i++)
		if (add_file(&p, ctl, names->name[i]))
			strlist_push(&packed, names->name[i]);
	if (p.count > 0)
		rc = end(&p, e);
	else
		xmemclose(p.lines);
	for (i = 0; i < packed.count && rc == 0; i++)
		rc = fs_unlink(ctl, packed.word[i], e);
	free_packing(&p);
	strlist_free(&packed);
	return rc == 0 ? (int64_t)p.count : -1;
}

int64_t
store_requests_pack(const struct store_job *job,
    store_request_needed *is_needed, const void *arg, int64_t old, size_t least,
    struct error *e)
{
	const struct wanted wanted = {STORE_STOPS, is_needed, arg};
	struct fs_names names;
	int ctl = store_directory_list(job, part, &names, e);
	int64_t count = 0;

	if (ctl == -1)
		return -1;
	keep_packable(&names, ctl, &wanted, old);
	fs_names_sort(&names);
	if (names.count >= least)
		count = pack(job, ctl, &names, e);
	store_directory_close(ctl, &names);
	return count;
}

/* ---- damage ---- */

/*
 * Add the undamaged lines of a pack to another one, and what its first line
 * alone says of the others: it is among the requests all.
 */
static void
salvage(const struct pack *from, const struct store_requests *all,
    struct packing *to)
{
	struct store_requests one = {NULL};
	const struct store_request *r;
	struct idset_walk walk;
	size_t at, length;
	struct error why;
	uint64_t task;

	for (at = from->line; at < from->length; at += length) {
		length = store_pack_line_length(from->text, at, from->length);
		if (take_line(from, from->text + at, length, 0, &one, &why) ==
		    -1)
			continue;
		r = one.request;
		if (add_task(to, idset_at(&r->tasks, 0), r->attempt))
			add_line(to, from->text + at, length);
		store_requests_shorten(&one, 0);
	}
	for (r = all->request; r < all->request + all->count; r++) {
		walk = (struct idset_walk){0};
		while (r->is_unread && idset_next(&r->tasks, &walk, &task))
			add_task(to, task, r->attempt);
	}
	store_requests_free(&one);
}

/* Publish what is left of a pack. */
static int
mend(const struct pack *p, const struct store_requests *all, struct error *e)
{
	struct packing to;
	int rc = 0;

	begin(&to, p->job);
	salvage(p, all, &to);
	if (to.attempts > 0)
		rc = end(&to, e);
	else
		xmemclose(to.lines);
	free_packing(&to);
	return rc;
}

int64_t
store_request_pack_check(const struct store_job *job, const char *name,
    struct strlist *damaged, int mends, struct error *e)
{
	const struct wanted every = {.which = STORE_STOPS};
	int dir = store_directory_open(job, store_packs, 0, e), rc = -1;
	struct store_requests all = {NULL};
	int64_t lines = 0;
	struct pack p;
	size_t i;

	if (dir != -1 && open_pack(dir, name, job, &p, e) == 0) {
		p.verifies = 1;
		rc = take_pack(&p, &every, &all, e);
		if (rc == 0 && mends)
			rc = mend(&p, &all, e);
		close_pack(&p);
	}
	fs_close(dir);
	for (i = 0; i < all.count; i++)
		lines += !all.request[i].is_unread;
	if (rc == 0 && damaged != NULL)
		strlist_copy(damaged, &all.damaged);
	store_requests_free(&all);
	return rc == -1 ? -1 : lines;
}
