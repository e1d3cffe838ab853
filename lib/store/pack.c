#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/pack.h"
#include "store/record.h"

enum { PACK_NAME = 64 };

const char store_packs[] = "pack";

/* ---- names ---- */

static void
pack_name(uint64_t generation, uint64_t noise, char out[PACK_NAME])
{
	snprintf(out, PACK_NAME, "p.%" PRIu64 ".%016" PRIx64 ".jsonl",
	    generation, noise);
}

/* Return the generation in the name of a pack, or 0. */
static uint64_t
name_generation(const char *name)
{
	uint64_t generation, noise;
	char again[PACK_NAME];

	if (sscanf(name, "p.%" SCNu64 ".%" SCNx64, &generation, &noise) != 2)
		return 0;
	pack_name(generation, noise, again);
	return strcmp(name, again) == 0 ? generation : 0;
}

static void
next_name(const struct fs_names *names, char out[PACK_NAME])
{
	uint64_t top = 0, generation, noise = 0;
	size_t i;

	for (i = 0; i < names->count; i++) {
		generation = name_generation(names->name[i]);
		if (generation > top)
			top = generation;
	}
	if (getrandom(&noise, sizeof noise, 0) != (ssize_t)sizeof noise)
		noise = (uint64_t)getpid();
	pack_name(top + 1, noise, out);
}

int
store_pack_list(
    const struct store_job *job, struct fs_names *out, struct error *e)
{
	struct error why;
	int dir = store_directory_list(job, store_packs, out, &why);
	size_t i, kept = 0;

	if (dir == -1)
		return why.code == ERROR_ABSENT ? 0 : error_copy(e, &why);
	fs_close(dir);
	for (i = 0; i < out->count; i++)
		if (name_generation(out->name[i]) != 0)
			out->name[kept++] = out->name[i];
		else
			free(out->name[i]);
	out->count = kept;
	fs_names_sort(out);
	return 0;
}

/* ---- reading ---- */

void
store_pack_free(struct store_pack *pack)
{
	free(pack->name);
	free(pack->text);
	free(pack->line);
	free(pack->bad);
	memset(pack, 0, sizeof *pack);
}

/* Set *out to the fact of an undamaged line.  Returns 0, or -1: unknown. */
static int
line_fact(const char *line, size_t length, struct store_fact *out)
{
	char name[STORE_FACT_NAME];
	int64_t version;
	const char *at;
	size_t n;

	at = store_record_name(line, length, &n, &version);
	if (at == NULL || n >= sizeof name || version > STORE_VERSION)
		return -1;
	memcpy(name, at, n);
	name[n] = '\0';
	return store_fact_parse(name, out) ? 0 : -1;
}

size_t
store_pack_line_length(const char *text, size_t at, size_t length)
{
	const char *nl = memchr(text + at, '\n', length - at);

	return nl != NULL ? (size_t)(nl + 1 - (text + at)) : length - at;
}

/* Add the line of pack->text at a place to the pack, or count it as damaged. */
static void
take_line(struct store_pack *pack, size_t at, size_t length, size_t number)
{
	struct store_pack_line line = {{0}, at, length, number};

	if (!store_record_holds(pack->text + at, length)) {
		pack->bad = xgrow(pack->bad, pack->damaged, sizeof *pack->bad);
		pack->bad[pack->damaged++] = number;
	} else if (line_fact(pack->text + at, length, &line.fact) == -1) {
		pack->unknown++;
	} else {
		pack->line = xgrow(pack->line, pack->count, sizeof *pack->line);
		pack->line[pack->count++] = line;
	}
}

static int
compare_lines(const void *a, const void *b)
{
	const struct store_pack_line *l = a, *m = b;

	return store_fact_compare(&l->fact, &m->fact);
}

/* Compare lines as compare_lines, equal ones by their place in the pack. */
static int
compare_places(const void *a, const void *b)
{
	const struct store_pack_line *l = a, *m = b;
	int order = compare_lines(l, m);

	return order != 0 ? order : (l->at > m->at) - (l->at < m->at);
}

/* Sort the lines by name; of lines with one name the first counts. */
static void
sort_lines(struct store_pack *pack)
{
	size_t i, kept = 0;

	if (pack->count == 0)
		return;
	qsort(pack->line, pack->count, sizeof *pack->line, compare_places);
	for (i = 1; i < pack->count; i++)
		if (compare_lines(&pack->line[kept], &pack->line[i]) != 0)
			pack->line[++kept] = pack->line[i];
	pack->count = kept + 1;
}

/*
 * Read all lines of the pack.  It is cut short unless its last line has the
 * number of the facts before it.
 */
static void
take_lines(struct store_pack *pack, size_t length)
{
	size_t at = 0, number = 1, n;
	json_t *end;
	int64_t facts;

	for (pack->cut = 1; at < length; at += n, number++) {
		n = store_pack_line_length(pack->text, at, length);
		if (at + n == length) {
			end = store_record_read(
			    pack->text + at, n, store_packs, NULL);
			facts = store_record_int(end, "facts", -1);
			json_decref(end);
			if (facts == (int64_t)number - 1) {
				pack->cut = 0;
				break;
			}
		}
		take_line(pack, at, n, number);
	}
	sort_lines(pack);
}

int
store_pack_load(const struct store_job *job, const char *name,
    struct store_pack *out, struct error *e)
{
	int dir = store_directory_open(job, store_packs, 0, e), rc;
	size_t length;

	memset(out, 0, sizeof *out);
	if (dir == -1)
		return -1;
	rc = fs_read(dir, name, FS_ALL_TASKS, &out->text, &length, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	out->name = xstrdup(name);
	take_lines(out, length);
	return 0;
}

/* ---- reading the facts of one task ---- */

/* A part of a pack within which all lines of the task begin. */
struct part_of_pack {
	int fd;
	uint64_t from, to, size;
	uint64_t task;
};

enum { WINDOW = 16 << 10, ENOUGH = 64 << 10 };

/*
 * Read the first line after the middle.  Returns 0, 1 if it is of the task or
 * cannot be read, which ends the halving, or -1.
 */
static int
halve(struct part_of_pack *p, struct error *e)
{
	uint64_t middle = p->from + (p->to - p->from) / 2;
	struct store_fact fact;
	const char *line, *end;
	char *text;
	size_t length;
	int rc = 1;

	if (fs_read_at(p->fd, middle, WINDOW, &text, &length, e) == -1)
		return -1;
	line = memchr(text, '\n', length);
	line = line != NULL ? line + 1 : text + length;
	end = memchr(line, '\n', length - (size_t)(line - text));
	if (end != NULL && store_record_holds(line, (size_t)(end + 1 - line)) &&
	    line_fact(line, (size_t)(end + 1 - line), &fact) == 0 &&
	    fact.task != p->task) {
		if (fact.task < p->task)
			p->from = middle + (uint64_t)(line - text);
		else
			p->to = middle + (uint64_t)(line - text);
		rc = 0;
	}
	free(text);
	return rc;
}

static void
keep_lines_of(struct store_pack *pack, uint64_t task)
{
	size_t i, kept = 0;

	for (i = 0; i < pack->count; i++)
		if (pack->line[i].fact.task == task)
			pack->line[kept++] = pack->line[i];
	pack->count = kept;
}

/*
 * Read the lines of the task from the part that is left after halving.  Returns
 * 0, 1 if the whole pack has to be read, or -1.
 */
static int
load_task(struct part_of_pack *p, struct store_pack *out, struct error *e)
{
	size_t length, at, n;
	int rc = 0;

	while (rc == 0 && p->to - p->from > ENOUGH)
		rc = halve(p, e);
	if (rc != 0)
		return rc;
	if (fs_read_at(p->fd, p->from, (size_t)(p->to - p->from), &out->text,
		&length, e) == -1)
		return -1;
	for (at = 0; at < length; at += n) {
		n = store_pack_line_length(out->text, at, length);
		if (p->from + at + n < p->size) /* not the end line */
			take_line(out, at, n, 0);
	}
	sort_lines(out);
	keep_lines_of(out, p->task);
	return out->damaged > 0;
}

int
store_pack_load_task(const struct store_job *job, const char *name,
    uint64_t task, struct store_pack *out, struct error *e)
{
	int dir = store_directory_open(job, store_packs, 0, e), rc = -1;
	struct part_of_pack p = {.fd = -1, .task = task};

	memset(out, 0, sizeof *out);
	if (dir == -1)
		return -1;
	p.fd = fs_open_file(dir, name, &p.size, e);
	p.to = p.size;
	if (p.fd != -1)
		rc = load_task(&p, out, e);
	fs_close(p.fd);
	fs_close(dir);
	if (rc == 0) {
		out->name = xstrdup(name);
		return 0;
	}
	store_pack_free(out);
	if (rc == -1 || store_pack_load(job, name, out, e) == -1)
		return -1;
	keep_lines_of(out, task);
	return 0;
}

const struct store_pack_line *
store_pack_find(const struct store_pack *pack, const struct store_fact *fact)
{
	struct store_pack_line key = {*fact, 0, 0, 0};

	if (pack->count == 0)
		return NULL;
	return bsearch(
	    &key, pack->line, pack->count, sizeof *pack->line, compare_lines);
}

void
store_pack_reasons(const struct store_job *job, const struct store_pack *pack,
    struct strlist *out)
{
	size_t i;

	for (i = 0; i < pack->damaged; i++)
		strlist_take(out,
		    xasprintf("%s/%s/%s:%zu: damaged (its checksum does not "
			      "fit)",
			store_job_path(job), store_packs, pack->name,
			pack->bad[i]));
	if (pack->cut)
		strlist_take(out,
		    xasprintf("%s/%s/%s: damaged (its end line does not fit)",
			store_job_path(job), store_packs, pack->name));
	if (pack->unknown > 0)
		strlist_take(out,
		    xasprintf("%s/%s/%s: %zu facts of a newer stfm",
			store_job_path(job), store_packs, pack->name,
			pack->unknown));
}

/* ---- publishing ---- */

/*
 * Return 0 if a fresh listing has the name and the file has this text, 1 if it
 * is gone because another program merged it, or -1.
 */
static int
read_back(
    int dir, const char *name, const char *text, size_t length, struct error *e)
{
	struct fs_names names;
	size_t got = 0;
	char *bytes;
	int same;

	if (fs_list(dir, &names, e) == -1)
		return -1;
	same = fs_names_have(&names, name);
	fs_names_free(&names);
	if (!same)
		return 1;
	if (fs_read(dir, name, FS_ALL_TASKS, &bytes, &got, e) == -1)
		return errno == ENOENT || errno == ESTALE ? 1 : -1;
	same = got == length && memcmp(bytes, text, length) == 0;
	free(bytes);
	return same ? 0
		    : error_set(e, "%s/%s: comes back as something else",
			  store_packs, name);
}

static void
put_end(FILE *lines, size_t count)
{
	json_t *record = store_record_new();
	size_t length;
	char *end;

	store_record_set_int(record, "facts", (int64_t)count);
	end = store_record_text(record, 0, &length);
	fwrite(end, 1, length, lines);
	free(end);
}

/* The job's directory is synced: a killed program may have made pack/. */
int
store_pack_publish(const struct store_job *job, const char *name,
    const char *text, size_t length, struct error *e)
{
	int dir = store_directory_open(job, store_packs, 1, e), rc = -1;

	if (dir != -1 && fs_sync(store_job_dir(job), e) == 0)
		rc = fs_publish(dir, name, text, length, e);
	if (rc == 0)
		rc = read_back(dir, name, text, length, e);
	fs_close(dir);
	return rc;
}

/*
 * Publish a pack of facts.  Result and errors are those of store_pack_publish;
 * *out is set to the name, to free, after 0.
 */
static int
publish(const struct store_job *job, const char *text, size_t length,
    char **out, struct error *e)
{
	char name[PACK_NAME];
	struct fs_names names;
	int rc;

	if (store_pack_list(job, &names, e) == -1)
		return -1;
	next_name(&names, name);
	fs_names_free(&names);
	rc = store_pack_publish(job, name, text, length, e);
	if (rc == 0)
		*out = xstrdup(name);
	return rc;
}

/* ---- packing facts ---- */

/* The state of packing facts. */
struct packing {
	const struct store_job *job;
	int64_t old;
	const struct store_fact **fact; /* facts in the pack */
	size_t count;
	FILE *lines;
};

/* Return the open directory of a fact: dir or, closing dir, another one. */
static int
shard_of(const struct packing *p, const struct store_fact *fact,
    const struct store_fact *before, int dir)
{
	if (before != NULL &&
	    store_fact_shard(before->task) == store_fact_shard(fact->task))
		return dir;
	fs_close(dir);
	return store_fact_open(p->job, fact->task, 0, NULL);
}

/* Add a fact unless it is young, damaged, misplaced, unknown or gone. */
static void
add(struct packing *p, int dir, const struct store_fact *fact)
{
	char name[STORE_FACT_NAME], *text, *line;
	size_t length, n;
	struct stat st;
	struct store_fact own;
	int64_t version;

	store_fact_name(fact, name);
	if (fs_ops.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    st.st_mtime > p->old ||
	    store_fact_is_misplaced(p->job, dir, name, &own) ||
	    fs_read(dir, name, STORE_RECORD_LIMIT, &text, &length, NULL) == -1)
		return;
	line = store_record_with_name(text, length, name, &n);
	free(text);
	if (line == NULL)
		return;
	if (store_record_name(line, n, &length, &version) != NULL &&
	    version > 0 && version <= STORE_VERSION) {
		fwrite(line, 1, n, p->lines);
		p->fact = xgrow(p->fact, p->count, sizeof *p->fact);
		p->fact[p->count++] = fact;
	}
	free(line);
}

/* Remove the files of packed facts, and directories that are empty then. */
static int
remove_files(const struct packing *p, struct error *e)
{
	char name[STORE_FACT_NAME];
	int dir = -1, rc = 0;
	size_t i;

	for (i = 0; i < p->count && rc == 0; i++) {
		dir =
		    shard_of(p, p->fact[i], i > 0 ? p->fact[i - 1] : NULL, dir);
		store_fact_name(p->fact[i], name);
		rc = dir == -1 ? 0 : fs_unlink(dir, name, e);
		if (i + 1 == p->count ||
		    store_fact_shard(p->fact[i]->task) !=
			store_fact_shard(p->fact[i + 1]->task))
			store_fact_remove_empty(p->job, p->fact[i]->task);
	}
	fs_close(dir);
	return rc;
}

int64_t
store_pack_facts(const struct store_job *job, const struct store_fact *fact,
    size_t count, int64_t old, size_t least, char **name, struct error *e)
{
	struct packing p = {.job = job, .old = old};
	char *text = NULL;
	size_t length, i;
	int dir = -1, rc = 0;

	*name = NULL;
	p.lines = xmemopen(&text, &length);
	for (i = 0; i < count; i++) {
		dir = shard_of(&p, &fact[i], i > 0 ? &fact[i - 1] : NULL, dir);
		if (dir != -1)
			add(&p, dir, &fact[i]);
	}
	fs_close(dir);
	put_end(p.lines, p.count);
	xmemclose(p.lines);
	if (p.count >= (least > 0 ? least : 1))
		rc = publish(job, text, length, name, e);
	if (*name != NULL)
		rc = remove_files(&p, e);
	count = *name != NULL ? p.count : 0;
	free(p.fact);
	free(text);
	return rc == -1 ? -1 : (int64_t)count;
}

/* ---- merging packs ---- */

struct merging {
	const struct store_job *job;
	struct store_pack *pack;
	size_t count;
};

/* Keep only the names of packs that are small enough to be merged. */
static void
drop_full(const struct store_job *job, struct fs_names *names)
{
	int dir = store_directory_open(job, store_packs, 0, NULL);
	size_t i, kept = 0;
	struct stat st;

	for (i = 0; i < names->count; i++)
		if (dir != -1 &&
		    fs_ops.fstatat(
			dir, names->name[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_size < STORE_PACK_FULL)
			names->name[kept++] = names->name[i];
		else
			free(names->name[i]);
	names->count = kept;
	fs_close(dir);
}

/*
 * Read the packs that may be merged.  Of two lines with one name only one would
 * be kept, perhaps the wrong one.  So packs with a line that is damaged, newer
 * or of another job stay as they are.  Returns 0, or -1 if one cannot be read.
 */
static int
load_sound(struct merging *m, const struct fs_names *names, struct error *e)
{
	const struct store_pack_line *line;
	struct store_fact_body body;
	struct store_pack pack;
	size_t i, k;
	int sound;

	for (i = 0; i < names->count; i++) {
		if (store_pack_load(m->job, names->name[i], &pack, e) == -1)
			return -1;
		sound = pack.damaged == 0 && pack.unknown == 0 && !pack.cut;
		for (k = 0; sound && k < pack.count; k++) {
			line = &pack.line[k];
			sound = store_fact_take(m->job, &line->fact,
				    pack.text + line->at, line->length,
				    pack.name, &body, NULL) == 0;
			if (sound)
				store_fact_body_free(&body);
		}
		if (!sound) {
			store_pack_free(&pack);
			continue;
		}
		m->pack = xgrow(m->pack, m->count, sizeof *m->pack);
		m->pack[m->count++] = pack;
	}
	return 0;
}

/* Write each fact of the packs once.  Returns how many. */
static size_t
unite(struct merging *m, FILE *out)
{
	size_t *next = xcalloc(m->count, sizeof *next), i, least, written = 0;
	const struct store_pack_line *line, *best, *last = NULL;

	for (;; last = best) {
		for (best = NULL, least = i = 0; i < m->count; i++) {
			if (next[i] == m->pack[i].count)
				continue;
			line = &m->pack[i].line[next[i]];
			if (best == NULL || compare_lines(line, best) < 0) {
				best = line;
				least = i;
			}
		}
		if (best == NULL)
			break;
		next[least]++;
		if (last != NULL && compare_lines(last, best) == 0)
			continue;
		fwrite(m->pack[least].text + best->at, 1, best->length, out);
		written++;
	}
	free(next);
	return written;
}

static int
remove_merged(const struct merging *m, struct strlist *from, struct error *e)
{
	int dir = store_directory_open(m->job, store_packs, 0, e), rc = dir;
	size_t i;

	for (i = 0; i < m->count && rc != -1; i++) {
		strlist_push(from, m->pack[i].name);
		rc = fs_unlink(dir, m->pack[i].name, e);
	}
	fs_close(dir);
	return rc == -1 ? -1 : 0;
}

static int
merge(struct merging *m, struct strlist *from, char **name, struct error *e)
{
	char *text = NULL;
	size_t length;
	FILE *lines = xmemopen(&text, &length);
	int rc;

	put_end(lines, unite(m, lines));
	xmemclose(lines);
	rc = publish(m->job, text, length, name, e);
	if (rc == 0)
		rc = remove_merged(m, from, e);
	free(text);
	return rc == -1 ? -1 : 0;
}

int
store_pack_merge(const struct store_job *job, size_t most, struct strlist *from,
    char **name, struct error *e)
{
	struct merging m = {.job = job};
	struct fs_names names;
	struct error why;
	int rc = 0;

	*name = NULL;
	if (store_pack_list(job, &names, e) == -1)
		return -1;
	if (names.count > most)
		drop_full(job, &names);
	if (names.count > most) {
		rc = load_sound(&m, &names, &why);
		if (rc == -1)
			error_copy(e, &why);
		if (rc == -1 &&
		    (why.code == ERROR_ABSENT || why.number == ESTALE))
			rc = 0; /* another program is merging them */
		else if (rc == 0 && m.count > most)
			rc = merge(&m, from, name, e);
	}
	fs_names_free(&names);
	while (m.count > 0)
		store_pack_free(&m.pack[--m.count]);
	free(m.pack);
	return rc;
}

int64_t
store_pack_salvage(
    const struct store_job *job, const char *name, struct error *e)
{
	int dir = store_directory_open(job, store_packs, 0, e), rc = -1;
	char *text, *lines, *new = NULL;
	size_t length, size, count = 0, at, n, ignored;
	int64_t version;
	FILE *out;

	if (dir == -1)
		return -1;
	rc = fs_read(dir, name, FS_ALL_TASKS, &text, &size, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	out = xmemopen(&lines, &length);
	for (at = 0; at < size; at += n) {
		n = store_pack_line_length(text, at, size);
		/* The end line has no name. */
		if (!store_record_holds(text + at, n) ||
		    store_record_name(text + at, n, &ignored, &version) == NULL)
			continue;
		fwrite(text + at, 1, n, out);
		count++;
	}
	put_end(out, count);
	xmemclose(out);
	if (count > 0)
		rc = publish(job, lines, length, &new, e);
	free(new);
	free(lines);
	free(text);
	return rc == -1 ? -1 : (int64_t)count;
}
