/*
 * The records of the store, through the functions that everybody reads them
 * with: job.json (j), facts (f), their names (n), chunks (i), claims (c),
 * wishes (w), folds (F), points.tsv (p) and its index (x), tries and refusals
 * (t), marks (m), what hooks were told (T), FORMAT (O), the list of the copied
 * code (C), and the words that select tasks (s).
 * A record comes with a good seal, as one of a program with a defect would; a
 * capital R before it leaves it as it is.
 *
 * What is read is published again and read as the same; what is damaged is
 * refused, and the rest stays usable.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fs.h"
#include "fuzz.h"
#include "job-points.h"
#include "job-select.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "snapshot.h"
#include "store-fold.h"
#include "store-mark.h"
#include "store-points.h"
#include "store-told.h"
#include "store-wish.h"
#include "xalloc.h"

enum { TASKS = 8 };

static char place[64];
static struct store *store;
static struct store_job *job;

/* ---- a store to read from ---- */

static int
no_sync(int fd)
{
	(void)fd;
	return 0;
}

static void
clean_up(void)
{
	int root = fs_open_dir("/", NULL);

	store_job_free(job);
	store_close(store);
	fs_remove_tree(root, place + 1, NULL);
	fs_close(root);
}

static struct store_job *
new_job(const char *name)
{
	struct store_job *new = xcalloc(1, sizeof *new);

	new->name = xstrdup(name);
	new->id = xstrdup("0000000000000");
	new->args = xstrdup("long");
	new->directory = xstrdup("/");
	new->tasks = TASKS;
	new->array_size = 1000;
	new->points_kept = 1;
	new->dir = -1;
	words_push(&new->command, "true");
	words_push(&new->names, "lr");
	words_push(&new->names, "bs");
	return new;
}

static void
set_up(void)
{
	struct store_job_files files = {
	    .batch = "#!/bin/sh\n", .points = "", .points_length = 0};
	const char *memory =
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	fs_ops.fsync = no_sync;
	snprintf(place, sizeof place, "%s/stfm-fuzz.XXXXXX", memory);
	must(mkdtemp(place) != NULL);
	store = store_open(place, STORE_MAKE, NULL);
	must(store != NULL);
	job = new_job("fuzz");
	must(store_job_create(store, job, &files, NULL) == 0);
	atexit(clean_up);
}

/* Put bytes below the job's directory, under a name that may be there. */
static void
put(const char *directory, const char *name, const char *bytes, size_t length)
{
	int dir = *directory == '\0'
	    ? dup(job->dir)
	    : fs_open_subdir(job->dir, directory, 1, NULL),
	    fd;

	must(dir != -1);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	must(fd != -1);
	must(write(fd, bytes, length) == (ssize_t)length);
	close(fd);
	close(dir);
}

static void
take_away(const char *directory)
{
	must(fs_remove_tree(job->dir, directory, NULL) == 0);
}

/* One line with a seal in place of its last brace; to free. */
static char *
sealed(const char *line, size_t length)
{
	if (length > 0 && line[length - 1] == '}')
		length--;
	return xasprintf("%.*s,\"c\":\"%08x\"}\n", (int)length, line,
	    fs_crc32c(line, length));
}

/* The rest of the input as a record; to free. */
static char *
record(struct fuzz *f, size_t *length)
{
	char *text;

	if (f->left > 0 && *f->at == 'R') {
		*length = f->left - 1;
		text = xmalloc(f->left);
		memcpy(text, f->at + 1, *length);
		return text;
	}
	text = sealed(f->at, strnlen(f->at, f->left));
	*length = strlen(text);
	return text;
}

static void
put_record(struct fuzz *f, const char *directory, const char *name)
{
	size_t length;
	char *text = record(f, &length);

	put(directory, name, text, length);
	free(text);
}

/* ---- job.json ---- */

static void
same_job(const struct store_job *a, const struct store_job *b)
{
	size_t i;

	must(fuzz_same(a->description, b->description));
	must(fuzz_same(a->script, b->script));
	must(fuzz_same(a->directory, b->directory));
	must(fuzz_same(a->metrics, b->metrics));
	must(fuzz_same(a->fingerprint, b->fingerprint));
	must(a->tasks == b->tasks && a->parallel == b->parallel);
	must(a->array_size == b->array_size);
	must(a->command.count == b->command.count);
	for (i = 0; i < a->command.count; i++)
		must(fuzz_same(a->command.word[i], b->command.word[i]));
}

/* Publish it under a name of its own and read it again. */
static void
create_again(struct store_job *read)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_job *again;
	int jobs = fs_open_subdir(store->dir, "jobs", 0, NULL);

	free(read->name);
	read->name = xstrdup("again");
	fs_close(read->dir);
	read->dir = -1;
	free(read->path);
	read->path = NULL;
	/* The id is part of the name of a file. */
	free(read->id);
	read->id = xstrdup("1");
	must(store_job_create(store, read, &files, NULL) == 0);
	again = store_job_load(store, "again", NULL);
	must(again != NULL);
	same_job(read, again);
	store_job_free(again);
	must(fs_remove_tree(jobs, "again", NULL) == 0);
	fs_close(jobs);
}

static void
job_record(struct fuzz *f)
{
	int whole = fuzz_byte(f) == '2';
	struct store_job *read;
	struct error e;

	put_record(f, "", "job.json");
	e.text[0] = '\0';
	read = store_job_load(store, "fuzz", &e);
	if (read == NULL)
		must(strstr(e.text, "job.json") != NULL);
	else if (whole)
		create_again(read);
	store_job_free(read);
}

/* ---- facts ---- */

static void
same_body(const struct store_fact_body *a, const struct store_fact_body *b)
{
	must(fuzz_same(a->slurm, b->slurm) && fuzz_same(a->node, b->node));
	must(fuzz_same(a->account, b->account) && fuzz_same(a->qos, b->qos));
	must(fuzz_same(a->gpus, b->gpus) && fuzz_same(a->log, b->log));
	must(fuzz_same(a->err, b->err) && fuzz_same(a->reason, b->reason));
	must(a->time == b->time && a->start == b->start);
	must(a->exit == b->exit && a->signal == b->signal);
	must(a->asked == b->asked && a->memory == b->memory);
	must(a->cpu == b->cpu);
}

static void
fact(struct fuzz *f)
{
	static const struct store_fact one = {3, 0, 0, "E0"},
				       two = {4, 0, 0, "E0"};
	struct store_fact_body body, again;
	struct error e;

	take_away("run");
	put("run", "x", "", 0);
	put_record(f, "run/000", "000003.0.0.E0");
	if (store_fact_read(job, &one, &body, &e) == 0) {
		must(store_fact_publish(job, &two, &body, NULL) == 0);
		must(store_fact_read(job, &two, &again, NULL) == 0);
		same_body(&body, &again);
		store_fact_body_free(&again);
	} else {
		must(strstr(e.text, "000003.0.0.E0") != NULL);
	}
	store_fact_body_free(&body);
}

static int
can_be_name(const char *name)
{
	return *name != '\0' && *name != '.' && strlen(name) < 255 &&
	    strchr(name, '/') == NULL;
}

/* Each line is the name of a file. */
static void
fact_names(struct fuzz *f)
{
	char **line = fuzz_lines(f, 6), name[STORE_FACT_NAME];
	struct store_facts facts;
	size_t i, k;

	take_away("run");
	put("run", "x", "", 0);
	for (i = 0; line[i] != NULL; i++)
		if (can_be_name(line[i]))
			put("run/000", line[i], "", 0);
	must(store_facts_list(job, NULL, &facts, NULL) == 0);
	for (i = 0; i < facts.count; i++) {
		store_fact_name(&facts.fact[i], name);
		for (k = 0; line[k] && strcmp(line[k], name) != 0; k++)
			continue;
		must(line[k] != NULL);
	}
	store_facts_free(&facts);
	fuzz_lines_free(line);
}

/* ---- packs ---- */

/* Lines of input, each sealed, as a file; or the bytes as they are. */
static void
put_lines(struct fuzz *f, const char *directory, const char *name)
{
	char **line, *text = NULL, *one;
	size_t length, i;
	FILE *out;

	if (f->left > 0 && *f->at == 'R') {
		put(directory, name, f->at + 1, f->left - 1);
		return;
	}
	line = fuzz_lines(f, TASKS + 4);
	out = open_memstream(&text, &length);
	for (i = 0; line[i] != NULL; i++) {
		one = sealed(line[i], strlen(line[i]));
		fputs(one, out);
		free(one);
	}
	fclose(out);
	put(directory, name, text, length);
	free(text);
	fuzz_lines_free(line);
}

/* What a pack holds is the same once it was merged with another. */
static void
pack(struct fuzz *f)
{
	struct store_facts before, after;
	struct words from = {0};
	char *name = NULL;
	size_t i;

	take_away("run");
	take_away("pack");
	put("run", "x", "", 0);
	put("pack", "p.2.0000000000000000.jsonl",
	    "{\"v\":1,\"facts\":0,\"c\":\"b30b776b\"}\n", 33);
	put_lines(f, "pack", "p.1.0000000000000000.jsonl");
	must(store_facts_list(job, NULL, &before, NULL) == 0);
	must(store_pack_merge(job, 1, &from, &name, NULL) == 0);
	must(store_facts_list(job, NULL, &after, NULL) == 0);
	must(before.count == after.count);
	for (i = 0; i < before.count; i++) {
		struct store_fact_body a, b;
		int rc =
		    store_facts_read(job, &before, &before.fact[i], &a, NULL);

		must(rc ==
		    store_facts_read(job, &after, &before.fact[i], &b, NULL));
		same_body(&a, &b);
		store_fact_body_free(&a);
		store_fact_body_free(&b);
	}
	store_facts_free(&before);
	store_facts_free(&after);
	words_free(&from);
	free(name);
	take_away("pack");
}

/* ---- chunks, wishes ---- */

static void
chunk(struct fuzz *f)
{
	struct store_chunks chunks, again;
	struct store_chunk copy;
	char *name;

	take_away("sub");
	put_record(f, "sub", "c000.0.intent");
	if (store_chunks_list(job, &chunks, NULL) == -1) {
		must(errno == ENOTSUP);
		return;
	}
	must(chunks.count + chunks.damaged.count == 1);
	if (chunks.count == 1) {
		copy = chunks.chunk[0];
		name = xstrdup("c001.0");
		copy.name = name;
		must(store_intent(job, &copy, NULL) == 0);
		must(store_chunks_list(job, &again, NULL) == 0);
		must(again.count == 2);
		must(fuzz_same(again.chunk[1].token, copy.token));
		must(again.chunk[1].attempt == copy.attempt);
		must(ranges_size(&again.chunk[1].tasks) ==
		    ranges_size(&copy.tasks));
		store_chunks_free(&again);
		free(name);
	}
	store_chunks_free(&chunks);
}

static void
claim(struct fuzz *f)
{
	static const char intent[] =
	    "{\"v\":1,\"token\":\"t\",\"tasks\":\"0-7\"";
	struct store_chunks chunks;
	char *text = sealed(intent, strlen(intent));

	take_away("sub");
	put("sub", "c000.0.intent", text, strlen(text));
	free(text);
	put_record(f, "sub", "c000.0.claim");
	if (store_chunks_list(job, &chunks, NULL) == -1) {
		must(errno == ENOTSUP);
		return;
	}
	must(chunks.count + chunks.damaged.count == 1);
	/* A claim that cannot be read is not the same as none. */
	must(chunks.count == 0 || chunks.chunk[0].claim != STORE_OPEN);
	store_chunks_free(&chunks);
}

/* A line for each name in sub/, then a record for all of them. */
static void
tries(struct fuzz *f)
{
	static const char intent[] =
	    "{\"v\":1,\"token\":\"t\",\"tasks\":\"0-7\"";
	char *text = sealed(intent, strlen(intent)), *name[3], *file;
	struct store_chunks chunks;
	size_t length, i;

	take_away("sub");
	put("sub", "c000.0.intent", text, strlen(text));
	free(text);
	for (i = 0; i < 3; i++)
		name[i] = fuzz_line(f);
	text = record(f, &length);
	for (i = 0; i < 3; i++) {
		file = xasprintf("c000.0.%s", name[i] != NULL ? name[i] : "");
		if (can_be_name(file) && strcmp(file, "c000.0.intent") != 0)
			put("sub", file, text, length);
		free(file);
		free(name[i]);
	}
	free(text);
	if (store_chunks_list(job, &chunks, NULL) == -1) {
		must(errno == ENOTSUP);
		return;
	}
	/* Their names are those of other chunks at most, without an intent. */
	must(chunks.count + chunks.damaged.count >= 1);
	for (i = 0; i < chunks.count; i++)
		must(!chunks.chunk[i].refused || chunks.chunk[i].tries > 0);
	store_chunks_free(&chunks);
}

static void
marks(struct fuzz *f)
{
	char **line = fuzz_lines(f, 6), *file;
	struct words all = {0};
	size_t i;

	take_away("ctl");
	put("ctl", "stop.x", "", 0);
	for (i = 0; line[i] != NULL; i++) {
		file = xasprintf("mark.%s", line[i]);
		if (can_be_name(file))
			put("ctl", file, "", 0);
		free(file);
	}
	must(store_marks(job, "", &all, NULL) == 0);
	for (i = 0; i < all.count; i++)
		must(store_marked(job, all.word[i], NULL) == 1);
	must(store_marked(job, "/", NULL) == 0);
	words_free(&all);
	fuzz_lines_free(line);
}

/* What was told is told again as the next generation. */
static void
told(struct fuzz *f)
{
	struct store_told one, again;
	int i;

	take_away("ctl");
	put_record(f, "ctl", "told.0123abcd.1");
	if (store_told_load(job, "0123abcd", &one, NULL) == -1)
		return;
	if (store_told_publish(job, "0123abcd", &one, NULL) == 0) {
		must(store_told_load(job, "0123abcd", &again, NULL) == 0);
		must(again.generation == 2);
		for (i = 0; i < TOLD_EVENTS; i++)
			must(fuzz_same(one.of[i].metric, again.of[i].metric));
		store_told_free(&again);
	}
	store_told_free(&one);
}

static void
format(struct fuzz *f)
{
	static const int purpose[] = {STORE_READ, STORE_WRITE, STORE_VERIFY};
	struct store *opened;
	struct error e;
	size_t length, i;
	char *text = record(f, &length);
	int fd = openat(store->dir, "FORMAT", O_WRONLY | O_TRUNC);

	must(fd != -1 && write(fd, text, length) == (ssize_t)length);
	close(fd);
	free(text);
	for (i = 0; i < 3; i++) {
		e.text[0] = '\0';
		opened = store_open(place, purpose[i], &e);
		must(opened != NULL || strstr(e.text, "FORMAT") != NULL ||
		    errno == ENOTSUP);
		store_close(opened);
	}
	unlinkat(store->dir, "FORMAT", 0);
	must(store_format(store, NULL) == 0);
}

static void
wish(struct fuzz *f)
{
	struct store_wishes wishes, again;

	take_away("ctl");
	put_record(f, "ctl", "stop.0000000000000000");
	if (store_wishes_list(job, &wishes, NULL) == -1) {
		must(errno == ENOTSUP);
		return;
	}
	must(wishes.count + wishes.damaged.count == 1);
	if (wishes.count == 1) {
		store_wished(&wishes, 3, 0);
		must(store_wish(job, &wishes.wish[0], NULL) == 0);
		must(store_wishes_list(job, &again, NULL) == 0);
		must(again.count == 2);
		store_wishes_free(&again);
	}
	store_wishes_free(&wishes);
}

/* ---- the fold ---- */

static void
same_row(const struct store_row *a, const struct store_row *b)
{
	must(a->task == b->task && a->state == b->state);
	must(a->attempt == b->attempt && a->restart == b->restart);
	must(fuzz_same(a->cause, b->cause) && fuzz_same(a->node, b->node));
	must(fuzz_same(a->log, b->log) && fuzz_same(a->slurm, b->slurm));
	must(a->array == b->array && a->index == b->index);
	must(a->metrics.offset == b->metrics.offset);
	must(a->metrics.offset == 0 ||
	    (a->metrics.column == b->metrics.column &&
		a->metrics.best == b->metrics.best));
}

/* What a row begins with, and what it is written as, say the same. */
static void
check_row(const struct store_fold *fold, uint64_t task)
{
	struct store_brief brief = store_fold_brief(fold, task);
	enum store_state state = store_fold_state(fold, task);
	const struct store_row *row = store_fold_row(fold, task);
	struct store_row again;
	size_t length;
	char *text;

	if (fold->damaged.count > 0)
		return;
	must(row->task == task && row->state == state);
	must(brief.task == task && brief.state == state);
	must(brief.attempt == row->attempt && brief.restart == row->restart);
	must(brief.facts == row->facts);
	text = store_row_text(row, &length);
	if (text == NULL)
		return;
	must(store_row_parse(text, length, "row", &again, NULL) == 0);
	same_row(row, &again);
	store_row_free(&again);
	free(text);
}

static void
fold(struct fuzz *f)
{
	struct store_fold *one, *again;
	uint64_t i;

	take_away("fold");
	put_lines(f, "fold", "state.1.jsonl");
	one = store_fold_load(job, NULL);
	must(one != NULL && one->count == TASKS);
	if (one->damaged.count == 0) {
		must(store_fold_publish(job, one, NULL) == 0);
		again = store_fold_load(job, NULL);
		must(again != NULL && again->damaged.count == 0);
		for (i = 0; i < TASKS; i++) {
			check_row(one, i);
			check_row(again, i);
			same_row(
			    store_fold_row(one, i), store_fold_row(again, i));
		}
		store_fold_free(again);
	}
	store_fold_free(one);
}

/* ---- points, words ---- */

static void
points(struct fuzz *f)
{
	struct job_points *p;
	const char *const *value;
	uint64_t task;

	put("", "points.tsv", f->at, f->left);
	p = job_points_open(job, NULL);
	for (task = 0; p != NULL && task < TASKS + 1; task++) {
		value = job_points_get(p, task, NULL);
		if (value != NULL)
			must(strlen(value[0] ? value[0] : "") <= f->left &&
			    strlen(value[1] ? value[1] : "") <= f->left);
	}
	job_points_free(p);
}

/* Whatever the index says, a line of the points is all it can give. */
static void
points_index(struct fuzz *f)
{
	static const char points[] = "lr\tbs\n1e-3\t64\n\\N\t32\n";
	uint64_t task;
	char *line;

	put("", "points.tsv", points, sizeof points - 1);
	put("", "points.idx", f->at, f->left);
	for (task = 0; task < TASKS + 1; task++)
		if (store_points_line(job->dir, task, &line) == 0) {
			must(strstr(points, line) != NULL);
			free(line);
		}
}

/* A list of copied code, and what it finds in a copy and in another list. */
static void
code(struct fuzz *f)
{
	static const char other[] = "crc32c\tbytes\tmode\tpath\ttarget\n"
				    "e8b2a3c1\t9\t444\ttrain.py\t\n";
	struct snapshot_changes c = {0};
	enum snapshot_depth depth = fuzz_byte(f) % 3;
	char *list = fuzz_text(f);
	struct words differing = {0};
	int dir;

	put("code", "train.py", "print(1)\n", 9);
	put("code", "a", "", 0);
	dir = fs_open_subdir(job->dir, "code", 0, NULL);
	must(dir != -1);
	/* What leads out of the copy is there, but not the same for all. */
	if (strstr(list, "..") == NULL) {
		snapshot_compare_copy(dir, list, depth, 3, &c, NULL);
		snapshot_is_data(list, "a/b");
	}
	snapshot_compare(list, other, 3, &differing);
	must(differing.count <= 3);
	snapshot_compare(other, list, 6, &differing);
	words_free(&differing);
	snapshot_changes_free(&c);
	close(dir);
	free(list);
}

static void
words(struct fuzz *f)
{
	char **word = fuzz_lines(f, 4);
	struct selection selection = {0};
	size_t count = 0, i, k;
	uint64_t task;

	/* "-" would be read from standard input. */
	while (word[count] != NULL && strcmp(word[count], "-") != 0)
		count++;
	if (job_select(store, word, count, &selection, NULL) == 0)
		for (i = 0; i < selection.count; i++)
			for (k = 0; k < selection.item[i].tasks.count; k++) {
				task = selection.item[i].tasks.run[k].last;
				must(task < selection.item[i].job->tasks);
			}
	selection_free(&selection);
	fuzz_lines_free(word);
}

/* The record that the others need. */
static void
restore(void)
{
	static const char good[] =
	    "{\"v\":1,\"id\":\"0\",\"name\":\"fuzz\",\"args\":\"long\","
	    "\"directory\":\"/\",\"tasks\":8";
	char *text = sealed(good, strlen(good));

	put("", "job.json", text, strlen(text));
	free(text);
	take_away("sub");
	put("sub", "x", "", 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static void (*const target[256])(struct fuzz *) = {['j'] = job_record,
	    ['f'] = fact,
	    ['n'] = fact_names,
	    ['k'] = pack,
	    ['i'] = chunk,
	    ['c'] = claim,
	    ['w'] = wish,
	    ['F'] = fold,
	    ['t'] = tries,
	    ['m'] = marks,
	    ['T'] = told,
	    ['O'] = format,
	    ['x'] = points_index,
	    ['C'] = code,
	    ['p'] = points,
	    ['s'] = words};
	struct fuzz f = fuzz_input(bytes, length);
	unsigned char kind = fuzz_byte(&f);

	if (store == NULL)
		set_up();
	if (kind == 's')
		restore();
	if (target[kind] != NULL)
		target[kind](&f);
	return 0;
}
