/*
 * The records of the store, through the functions that everybody reads them
 * with: job.json (j), extensions and their points (e), changes (G), facts (f),
 * their names (n), packs (k) and what goes into them (K), chunks (i), claims
 * (c), stop requests (w), requests (o), folds (F), points.tsv (p) and its index
 * (x), tries and refusals (t), the names of marks (m) and one (M), what hooks
 * were told (T), its generations (g), and since when they are used (h), records
 * of use (u), FORMAT (O), the list of the copied code (C), the record of
 * settled jobs (L), and the words that select tasks (s). A record comes with a
 * good checksum, as one of a program with a defect would; a capital R before it
 * leaves it as it is.
 *
 * What is read is published again and read as the same; what is damaged is
 * refused, and the rest stays usable.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "fuzz.h"
#include "job/points.h"
#include "job/usage.h"
#include "snapshot/snapshot.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/notified.h"
#include "store/once.h"
#include "store/points.h"
#include "store/request.h"
#include "store/settled.h"
#include "store/table.h"
#include "store/usage.h"
#include "sys/fs.h"
#include "view/select.h"

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
	new->search.pruner = xstrdup("asha");
	new->search.version = STORE_SEARCH_RULES;
	new->dir = -1;
	strlist_push(&new->command, "true");
	strlist_push(&new->names, "lr");
	strlist_push(&new->names, "bs");
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

/* One line with a checksum in place of its last brace; to free. */
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

/* The same of its next line alone; of an empty one there is no file. */
static void
put_line(struct fuzz *f, const char *directory, const char *name)
{
	char *line = fuzz_line(f);
	struct fuzz one;

	if (line != NULL && *line != '\0') {
		one = (struct fuzz){line, strlen(line)};
		put_record(&one, directory, name);
	}
	free(line);
}

static int
can_be_name(const char *name)
{
	return *name != '\0' && *name != '.' && strlen(name) < 255 &&
	    strchr(name, '/') == NULL;
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
	must(fuzz_same(a->search.pruner, b->search.pruner));
	must(fuzz_same(a->search.sampler, b->search.sampler));
	must(a->search.epochs == b->search.epochs);
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
	else
		fuzz_took('j');
	if (read != NULL && whole)
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
	must(a->cpu == b->cpu && a->restarts == b->restarts);
	must(a->offset == b->offset && fuzz_same(a->value, b->value));
	must(fuzz_same(a->point, b->point) && fuzz_same(a->seen, b->seen));
	must(fuzz_same(a->sampler, b->sampler));
}

/* A row takes a point as it is, and a later fact replaces no earlier one. */
static void
row_point(const struct store_fact_body *body)
{
	static const struct store_fact one = {3, 0, 0, "P"},
				       end = {3, 1, 0, "E0"};
	char *text = NULL;

	job_point_take(&text, &end, body);
	must(text == NULL);
	job_point_take(&text, &one, body);
	must(fuzz_same(job_point_text(text), body->point));
	must(text == NULL || job_point_is_known(text, &one));
	free(text);
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
		row_point(&body);
		store_fact_body_free(&again);
		fuzz_took('f');
	} else {
		must(strstr(e.text, "000003.0.0.E0") != NULL);
	}
	store_fact_body_free(&body);
}

/* The facts of runs, and then those of a search. */
static const struct store_fact *
fact_at(const struct store_facts *all, size_t i)
{
	return i < all->count ? &all->fact[i] : &all->search[i - all->count];
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
	for (i = 0; i < facts.count + facts.search_count; i++) {
		store_fact_name(fact_at(&facts, i), name);
		for (k = 0; line[k] && strcmp(line[k], name) != 0; k++)
			continue;
		must(line[k] != NULL);
		fuzz_took('n');
	}
	store_facts_free(&facts);
	fuzz_lines_free(line);
}

/* ---- packs ---- */

/* Lines of input, each with its checksum, as a file; or the bytes as they are.
 */
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

/*
 * What was listed before is listed again, and says the same; returns how many
 * can be read.  A pack that is mended may give more: an end line with a name.
 */
static size_t
check_facts(struct store_facts *before)
{
	struct store_fact_body a, b;
	const struct store_fact *f;
	struct store_facts after;
	size_t i, whole = 0;
	int rc;

	must(store_facts_list(job, NULL, &after, NULL) == 0);
	must(before->count <= after.count);
	must(before->search_count <= after.search_count);
	for (i = 0; i < before->count + before->search_count; i++) {
		f = fact_at(before, i);
		rc = store_facts_read(job, before, f, &a, NULL);
		must(rc == store_facts_read(job, &after, f, &b, NULL));
		same_body(&a, &b);
		store_fact_body_free(&a);
		store_fact_body_free(&b);
		whole += rc == 0;
	}
	store_facts_free(&after);
	return whole;
}

/* A line is found alone, too, where they are in the order of tasks. */
static void
one_of_pack(const char *name, const struct store_pack *whole)
{
	struct store_pack part;
	size_t i;

	for (i = 0; i < whole->count; i++)
		if (whole->damaged > 0 || whole->cut || whole->unknown > 0 ||
		    whole->line[i].number != i + 1)
			return;
	for (i = 0; i < whole->count; i++) {
		must(store_pack_load_task(job, name, whole->line[i].fact.task,
			 &part, NULL) == 0);
		must(store_pack_find(&part, &whole->line[i].fact) != NULL);
		store_pack_free(&part);
	}
}

/* What a pack holds is the same once it was mended, or merged with another. */
static void
pack(struct fuzz *f)
{
	static const char first[] = "p.1.0000000000000000.jsonl";
	struct strlist from = {0}, reasons = {0};
	struct store_facts before;
	struct store_pack whole;
	char *name = NULL;

	take_away("run");
	take_away("pack");
	put("run", "x", "", 0);
	put("pack", "p.2.0000000000000000.jsonl",
	    "{\"v\":1,\"facts\":0,\"c\":\"b30b776b\"}\n", 33);
	put_lines(f, "pack", first);
	must(store_facts_list(job, NULL, &before, NULL) == 0);
	must(store_pack_load(job, first, &whole, NULL) == 0);
	store_pack_reasons(job, &whole, &reasons);
	must((reasons.count > 0) >= (whole.damaged > 0 || whole.cut));
	one_of_pack(first, &whole);
	must(store_pack_salvage(job, first, NULL) >= (int64_t)whole.count);
	check_facts(&before);
	must(store_pack_merge(job, 1, &from, &name, NULL) == 0);
	if (check_facts(&before) > 0)
		fuzz_took('k');
	store_pack_free(&whole);
	store_facts_free(&before);
	strlist_free(&reasons);
	strlist_free(&from);
	free(name);
	take_away("pack");
}

static int
by_run(const void *a, const void *b)
{
	return store_fact_compare(a, b);
}

/* A fact is the same once it was packed; one that is not whole stays. */
static void
packing(struct fuzz *f)
{
	struct store_facts before, again;
	struct store_fact all[3] = {{0}};
	size_t count, i;
	char *name;
	int64_t packed;

	take_away("run");
	take_away("pack");
	put("run", "x", "", 0);
	put_line(f, "run/000", "000003.0.0.S");
	put_line(f, "run/000", "000003.0.0.E0");
	put_line(f, "run/000", "000003.0.0.P");
	must(store_facts_list(job, NULL, &before, NULL) == 0);
	must(store_facts_list(job, NULL, &again, NULL) == 0);
	count = before.count + before.search_count;
	must(count <= 3);
	for (i = 0; i < count; i++)
		all[i] = *fact_at(&before, i);
	qsort(all, count, sizeof *all, by_run);
	packed = store_pack_facts(job, all, count, INT64_MAX, 1, &name, NULL);
	must(packed >= 0 && (size_t)packed <= count);
	must((packed > 0) == (name != NULL));
	if (check_facts(&again) > 0 && packed > 0)
		fuzz_took('K');
	store_facts_free(&again);
	store_facts_free(&before);
	free(name);
	take_away("pack");
}

/* ---- chunks, stop requests ---- */

static void
chunk(struct fuzz *f)
{
	struct store_chunks chunks, again;
	struct store_chunk copy;
	struct error why;
	char *name;

	take_away("sub");
	put_record(f, "sub", "c000.0.intent");
	if (store_chunks_list(job, &chunks, &why) == -1) {
		must(why.code == ERROR_NEWER);
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
		must(idset_size(&again.chunk[1].tasks) ==
		    idset_size(&copy.tasks));
		store_chunks_free(&again);
		free(name);
		fuzz_took('i');
	}
	store_chunks_free(&chunks);
}

static void
claim(struct fuzz *f)
{
	static const char intent[] =
	    "{\"v\":1,\"token\":\"t\",\"tasks\":\"0-7\"";
	struct store_chunks chunks;
	struct error why;
	char *text = sealed(intent, strlen(intent));

	take_away("sub");
	put("sub", "c000.0.intent", text, strlen(text));
	free(text);
	put_record(f, "sub", "c000.0.claim");
	if (store_chunks_list(job, &chunks, &why) == -1) {
		must(why.code == ERROR_NEWER);
		return;
	}
	must(chunks.count + chunks.damaged.count == 1);
	/* A claim that cannot be read is not the same as none. */
	must(chunks.count == 0 || chunks.chunk[0].claim != STORE_OPEN);
	if (chunks.count == 1)
		fuzz_took('c');
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
	struct error why;
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
	if (store_chunks_list(job, &chunks, &why) == -1) {
		must(why.code == ERROR_NEWER);
		return;
	}
	/* Their names are those of other chunks at most, without an intent. */
	must(chunks.count + chunks.damaged.count >= 1);
	for (i = 0; i < chunks.count; i++) {
		must(!chunks.chunk[i].refused || chunks.chunk[i].tries > 0);
		if (chunks.chunk[i].tries > 0)
			fuzz_took('t');
	}
	store_chunks_free(&chunks);
}

/* ---- requests ---- */

static int
same_ranges(const struct idset *a, const struct idset *b)
{
	char *left = idset_text(a), *right = idset_text(b);
	int same = strcmp(left, right) == 0;

	free(left);
	free(right);
	return same;
}

/* An order that is given again is the last one, and counts. */
static void
order_again(const struct store_request *one)
{
	struct store_requests all;
	const struct store_request *last;

	if (one->kind == STORE_REQUEST_NONE)
		return;
	if (store_request_add(job, one, 1, NULL) == -1) {
		must(store_requests_list(job, STORE_HOLDS, &all, NULL) == 0);
		must(all.request[all.count - 1].number == INT64_MAX);
		store_requests_free(&all);
		return;
	}
	must(store_requests_list(job, STORE_HOLDS, &all, NULL) == 0);
	last = &all.request[all.count - 1];
	must(last->kind == one->kind && last->number > one->number);
	if (one->kind == STORE_REQUEST_PARALLEL) {
		must(last->parallel == one->parallel);
		must(store_request_parallel(&all) == last);
	} else {
		must(same_ranges(&last->tasks, &one->tasks));
		must(last->attempt == one->attempt);
		must(store_request_for(
			 &all, one->tasks.run[0].first, one->attempt) == last);
	}
	store_requests_free(&all);
	fuzz_took('o');
}

/* A line for the end of its name, then one for an order, and so on. */
static void
requests(struct fuzz *f)
{
	struct store_requests all;
	struct error why;
	char *name, *file;
	size_t i, files = 0;

	take_away("ctl");
	put("ctl", "mark.told.000001", "", 0);
	for (i = 0; i < 3 && (name = fuzz_line(f)) != NULL; i++) {
		file = xasprintf("order.%s", name);
		if (can_be_name(file))
			put_line(f, "ctl", file);
		free(file);
		free(name);
		files++;
	}
	if (store_requests_list(job, STORE_HOLDS, &all, &why) == -1) {
		must(why.code == ERROR_NEWER);
		return;
	}
	must(all.count + all.damaged.count <= files);
	for (i = 0; i < all.count; i++) {
		must(i == 0 ||
		    all.request[i - 1].number <= all.request[i].number);
		order_again(&all.request[i]);
	}
	store_requests_free(&all);
}

/* ---- extensions ---- */

/* The job that is extended, and its points; its extensions are there. */
static void
put_extended(void)
{
	static const char record[] =
	    "{\"v\":1,\"id\":\"0\",\"name\":\"fuzz\",\"args\":\"long\","
	    "\"directory\":\"/\",\"tasks\":2,\"names\":[\"lr\",\"bs\"],"
	    "\"space\":[\"lr=1,2\",\"bs=64\"]";
	char *text = sealed(record, strlen(record));

	put("", "job.json", text, strlen(text));
	free(text);
}

/* Put a line as the record of ext/1, with "?" for what its points give. */
static void
put_extension(char *line, const char *points, size_t length)
{
	char *mark = strstr(line, "\"?\""), *sum, *text;
	struct fuzz f;

	sum = job_points_fingerprint(points, length);
	if (mark != NULL)
		*mark = '\0';
	text = mark != NULL ? xasprintf("%s\"%s\"%s", line, sum, mark + 3)
			    : xstrdup(line);
	f = (struct fuzz){text, strlen(text)};
	put_record(&f, "ext/1", "ext.json");
	free(text);
	free(sum);
}

/* One more of them is what the next reader has last. */
static void
extend_again(const struct store_job *read)
{
	const struct store_extensions *all = &read->extensions;
	struct store_extension next;
	const struct store_extension *is;
	struct store_job *again;

	if (all->count == 0)
		return;
	next = all->item[all->count - 1];
	next.first = next.tasks = read->tasks;
	must(store_extend(read, &next, NULL, 0, NULL) == 0);
	must(store_extend(read, &next, NULL, 0, NULL) == 1);
	again = store_job_load(store, "fuzz", NULL);
	must(again != NULL && again->tasks == read->tasks);
	must(again->extensions.count == all->count + 1);
	is = &again->extensions.item[all->count];
	must(same_ranges(&is->dropped, &next.dropped));
	must(strlist_same(&is->space, &next.space));
	must(strlist_same(&is->argv, &next.argv));
	must(fuzz_same(is->fingerprint, next.fingerprint));
	store_job_free(again);
}

/* Read alone, a point is what it is where all are read. */
static void
extended_points(const struct store_job *read)
{
	struct job_points *all = job_points_open(read, NULL),
			  *few = job_points_open_few(read, NULL);
	const char *const *value;
	uint64_t task;
	char *first;

	for (task = 0; all != NULL && task < TASKS; task++) {
		value = job_points_get(all, task, NULL);
		if (value == NULL)
			continue;
		must(task < read->tasks);
		first = value[0] != NULL ? xstrdup(value[0]) : NULL;
		value = few != NULL ? job_points_get(few, task, NULL) : NULL;
		must(value != NULL && fuzz_same(value[0], first));
		free(first);
		if (task >= store_job_first_tasks(read))
			fuzz_took('e');
	}
	job_points_free(all);
	job_points_free(few);
}

/* Two lines for two extensions, then the points of the first. */
static void
extension(struct fuzz *f)
{
	char *line = fuzz_line(f), *second = fuzz_line(f), *index;
	struct fuzz next = {second, second != NULL ? strlen(second) : 0};
	struct store_job *read;
	const struct idset *dropped;
	struct error e;
	size_t length;

	put_extended();
	take_away("ext");
	put("ext", "x", "", 0);
	if (line != NULL)
		put_extension(line, f->at, f->left);
	if (next.left > 0)
		put_record(&next, "ext/2", "ext.json");
	put("ext/1", "points.tsv", f->at, f->left);
	index = store_points_index(f->at, f->left, &length);
	put("ext/1", "points.idx", index, length);
	read = store_job_load(store, "fuzz", &e);
	if (read == NULL) {
		must(strstr(e.text, "ext/") != NULL);
	} else {
		dropped = store_job_dropped(read);
		must(dropped == NULL ||
		    dropped->run[dropped->count - 1].last < read->tasks);
		must(store_job_first_tasks(read) == 2);
		extended_points(read);
		extend_again(read);
	}
	store_job_free(read);
	take_away("ext");
	free(index);
	free(line);
	free(second);
}

/* ---- marks, hooks, use ---- */

static void
marks(struct fuzz *f)
{
	char **line = fuzz_lines(f, 6), *file;
	struct strlist all = {0};
	size_t i;

	take_away("ctl");
	put("ctl", "stop.x", "", 0);
	for (i = 0; line[i] != NULL; i++) {
		file = xasprintf("mark.%s", line[i]);
		if (can_be_name(file))
			put("ctl", file, "", 0);
		free(file);
	}
	must(store_once_list(job, "", &all, NULL) == 0);
	for (i = 0; i < all.count; i++)
		must(store_once_is_set(job, all.word[i], NULL) == 1);
	if (all.count > 0)
		fuzz_took('m');
	must(store_once_is_set(job, "/", NULL) == 0);
	strlist_free(&all);
	fuzz_lines_free(line);
}

/* What was told is told again as the next generation. */
static void
told(struct fuzz *f)
{
	struct store_notified one, again;
	int i;

	take_away("ctl");
	put_record(f, "ctl", "told.0123abcd.1");
	if (store_notified_load(job, "0123abcd", &one, NULL) == -1)
		return;
	if (store_notified_publish(job, "0123abcd", &one, NULL) == 0) {
		must(store_notified_load(job, "0123abcd", &again, NULL) == 0);
		must(again.generation == 2);
		for (i = 0; i < NOTIFIED_EVENTS; i++)
			must(fuzz_same(one.of[i].metric, again.of[i].metric));
		store_notified_free(&again);
		fuzz_took('T');
	}
	store_notified_free(&one);
}

/* Each line is the generation in the name of what a hook was told. */
static void
generations(struct fuzz *f)
{
	static const char good[] = "{\"v\":1,\"trail\":[\"1.a\"]";
	char **line = fuzz_lines(f, 4), *file,
	     *text = sealed(good, strlen(good));
	struct store_notified one, again;
	size_t i;

	take_away("ctl");
	put("ctl", "mark.then", "", 0);
	for (i = 0; line[i] != NULL; i++) {
		file = xasprintf("told.then.%s", line[i]);
		if (can_be_name(file))
			put("ctl", file, text, strlen(text));
		free(file);
	}
	must(store_notified_load(job, "then", &one, NULL) == 0);
	if (one.generation > 0)
		fuzz_took('g');
	if (one.generation < INT64_MAX - 1)
		must(store_notified_publish(job, "then", &one, NULL) == 0);
	must(store_notified_load(job, "then", &again, NULL) == 0);
	must(again.generation == one.generation);
	store_notified_free(&again);
	store_notified_free(&one);
	free(text);
	fuzz_lines_free(line);
}

/* Since when a hook is used stays what it is, or is refused. */
static void
hook(struct fuzz *f)
{
	static const char key[] = "0123abcd";
	int64_t since, again;
	struct error e;

	put_record(f, "../../hooks", "0123abcd.finished");
	if (store_notified_since(store, key, NOTIFIED_FINISHED, &since, &e) ==
	    -1) {
		must(e.code == ERROR_DAMAGED || e.code == ERROR_NEWER ||
		    e.number == EFBIG);
		must(strstr(e.text, "hooks/0123abcd.finished") != NULL);
		return;
	}
	must(store_notified_since(
		 store, key, NOTIFIED_FINISHED, &again, NULL) == 0);
	must(since == again);
	must(
	    store_notified_since(store, key, NOTIFIED_BEST, &again, NULL) == 0);
	must(again > 0);
	fuzz_took('h');
}

/* A line for the name of a mark, one for a record; then why one is made. */
static void
mark(struct fuzz *f)
{
	char *name = fuzz_line(f), *file, *why;
	int ctl, there;

	take_away("ctl");
	put("ctl", "stop.x", "", 0);
	file = xasprintf("mark.%s", name != NULL ? name : "");
	if (name != NULL && can_be_name(file)) {
		put_line(f, "ctl", file);
		why = fuzz_text(f);
		ctl = fs_open_subdir(job->dir, "ctl", 0, NULL);
		there = faccessat(ctl, file, F_OK, 0) == 0;
		must(store_once_set(job, name, why, NULL) == there);
		must(store_once_set(job, name, NULL, NULL) == 1);
		must(store_once_is_set(job, name, NULL) == 1);
		if (store_directory_check(job, ctl, file, NULL) == 0)
			fuzz_took('M');
		else
			must(there);
		fs_close(ctl);
		free(why);
	}
	free(file);
	free(name);
}

/* What is told of the use of a task that ended without a word. */
static void
use(struct fuzz *f)
{
	struct store_row row;
	struct usage_sum sum;
	struct store_fact run;
	char *name = fuzz_line(f), *record, *again;
	size_t length, more;
	int there;

	take_away("usage");
	there =
	    name != NULL && can_be_name(name) && store_usage_parse(name, &run);
	if (there)
		put("usage", name, f->at, f->left);
	else
		run = (struct store_fact){.task = 3};
	store_row_clear(&row, run.task);
	row.attempt = run.attempt;
	row.restart = run.restart;
	must(job_usage_settle(job, &row, NULL) == 0 || there);
	job_usage_sum(&row, &sum);
	must(row.usage == NULL || sum.time >= 0);
	record = store_usage_read(job, &run, &length, NULL);
	if (record != NULL) {
		must(store_usage_write(job, &run, record, length, NULL) == 0);
		again = store_usage_read(job, &run, &more, NULL);
		must(again != NULL && more == length);
		must(memcmp(record, again, length) == 0);
		free(again);
	}
	if (row.usage != NULL)
		fuzz_took('u');
	must(store_usage_remove(job, &run, NULL) == 0);
	store_row_free(&row);
	free(record);
	free(name);
}

/* What the list of jobs takes from the record of settled ones. */
static void
settled(struct fuzz *f)
{
	static const char name[] = "settled.1.tsv";
	int fold = fs_open_subdir(store->dir, "fold", 1, NULL), raw;
	struct store_settled_list list;
	struct store_job *one;
	struct store_table *few;
	size_t length, i;
	char *text;

	raw = f->left > 0 && *f->at == 'R';
	length = f->left - (size_t)raw;
	text = xmalloc(length + 32);
	memcpy(text, f->at + raw, length);
	if (!raw)
		length += (size_t)sprintf(
		    text + length, "# crc32c %08x\n", fs_crc32c(text, length));
	must(fold != -1 && fs_unlink(fold, name, NULL) == 0);
	must(fs_publish(fold, name, text, length, NULL) == 0);
	store_settled_load(store, &list);
	must(store_settled_check(fold, name, NULL) == 0 || list.count == 0);
	for (i = 0; i < list.count; i++) {
		must(store_settled_find(&list, list.line[i].name) ==
		    &list.line[i]);
		one = store_settled_job(store, &list.line[i]);
		few = store_settled_table(one);
		must(few->count == one->tasks);
		must(!store_settled_holds(&list, &list.line[i]));
		store_table_free(few);
		store_job_free(one);
	}
	if (list.count > 0)
		fuzz_took('L');
	store_settled_free(&list);
	fs_close(fold);
	free(text);
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
		    e.code == ERROR_NEWER);
		if (opened != NULL)
			fuzz_took('O');
		store_close(opened);
	}
	unlinkat(store->dir, "FORMAT", 0);
	must(store_format(store, NULL) == 0);
}

static void
stop(struct fuzz *f)
{
	struct store_requests stops, again;
	struct error why;

	take_away("ctl");
	put_record(f, "ctl", "stop.0000000000000000");
	if (store_requests_list(job, STORE_STOPS, &stops, &why) == -1) {
		must(why.code == ERROR_NEWER);
		return;
	}
	must((stops.count == 0) == (stops.damaged.count == 1));
	if (stops.count > 0) {
		store_stop_is_asked(&stops, 3, 0);
		must(store_request_add(job, &stops.request[0], 1, NULL) == 0);
		must(store_requests_list(job, STORE_STOPS, &again, NULL) == 0);
		must(again.count == stops.count + 1);
		store_requests_free(&again);
		fuzz_took('w');
	}
	store_requests_free(&stops);
}

/*
 * A pack of stop requests: what can be read of it is in the one that replaces
 * it, and the names alone stop no fewer tasks than its first line says.
 */
static void
stop_pack(struct fuzz *f)
{
	static const char name[] = "s.2.0000000000000000.jsonl";
	struct store_requests all, brief, again;
	struct strlist damaged = {0};
	int dir;

	take_away("pack");
	take_away("ctl");
	put("ctl", "x", "", 0);
	put_lines(f, "pack", name);
	must(store_requests_list(job, STORE_STOPS, &all, NULL) == 0);
	must(store_requests_list(
		 job, STORE_STOPS | STORE_NAMES, &brief, NULL) == 0);
	must(all.damaged.count >= brief.damaged.count);
	if (store_request_pack_check(job, name, &damaged, 1, NULL) > 0 &&
	    damaged.count == 0)
		fuzz_took('W');
	dir = fs_open_subdir(job->dir, "pack", 0, NULL);
	must(unlinkat(dir, name, 0) == 0);
	close(dir);
	must(store_requests_list(job, STORE_STOPS, &again, NULL) == 0);
	must(again.damaged.count == 0 && again.count >= all.count);
	store_requests_free(&again);
	store_requests_free(&brief);
	store_requests_free(&all);
	strlist_free(&damaged);
	take_away("pack");
}

/* ---- the task table ---- */

static void
same_row(const struct store_row *a, const struct store_row *b)
{
	must(a->task == b->task && a->state == b->state);
	must(a->attempt == b->attempt && a->restart == b->restart);
	must(fuzz_same(a->cause, b->cause) && fuzz_same(a->node, b->node));
	must(fuzz_same(a->log, b->log) && fuzz_same(a->slurm, b->slurm));
	must(a->array == b->array && a->index == b->index);
	must(a->metrics.offset == b->metrics.offset);
	must(fuzz_same(a->point, b->point) && fuzz_same(a->rungs, b->rungs));
	must(a->metrics.offset == 0 ||
	    (a->metrics.column == b->metrics.column &&
		a->metrics.best == b->metrics.best));
}

/* What a row begins with, and what it is written as, say the same. */
static void
check_row(const struct store_table *table, uint64_t task)
{
	struct store_brief brief = store_table_brief(table, task);
	enum store_state state = store_table_state(table, task);
	const struct store_row *row = store_table_row(table, task);
	struct store_row again;
	size_t length;
	char *text;

	if (table->damaged.count > 0)
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
table(struct fuzz *f)
{
	struct store_table *one, *again;
	uint64_t i;

	take_away("fold");
	put_lines(f, "fold", "state.1.jsonl");
	one = store_table_load(job, NULL);
	must(one != NULL && one->count == TASKS);
	if (one->damaged.count == 0) {
		must(store_table_publish(job, one, NULL) == 0);
		again = store_table_load(job, NULL);
		must(again != NULL && again->damaged.count == 0);
		for (i = 0; i < TASKS; i++) {
			check_row(one, i);
			check_row(again, i);
			same_row(
			    store_table_row(one, i), store_table_row(again, i));
		}
		store_table_free(again);
		if (one->generation > 1)
			fuzz_took('F');
	}
	store_table_free(one);
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
		if (value != NULL)
			fuzz_took('p');
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
			fuzz_took('x');
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
	struct strlist differing = {0};
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
	snapshot_compare(list, other, 3, &differing, &differing);
	must(differing.count <= 3);
	if (differing.count > 1)
		fuzz_took('C');
	snapshot_compare(other, list, 6, &differing, &differing);
	strlist_free(&differing);
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
				fuzz_took('s');
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

/* One more change with these settings is read as the same. */
static void
change_again(const struct store_job *read)
{
	const struct store_changes *all = &read->changes;
	struct store_change next = {.reads = 1, .labelled = 1};
	struct store_job *again;

	store_reading_of(read, &next.reading);
	store_labels_of(read, &next.labels);
	must(store_change_add(read, &next, NULL, NULL, NULL) == 0);
	must(store_change_add(read, &next, NULL, NULL, NULL) == 1);
	again = store_job_load(store, "fuzz", NULL);
	must(again != NULL && again->changes.count == all->count + 1);
	must(again->reading == (int64_t)all->count + 1);
	must(store_labels_same(again, &next.labels));
	must(store_reading_same(
	    &again->changes.item[all->count].reading, &next.reading));
	must(again->code.number == read->code.number);
	store_job_free(again);
	store_reading_free(&next.reading);
	store_labels_free(&next.labels);
}

/* A line for each of two changes. */
static void
change(struct fuzz *f)
{
	struct store_job *read;
	struct error e;

	restore();
	take_away("change");
	put("change", "x", "", 0);
	put_line(f, "change/1", "change.json");
	put_line(f, "change/2", "change.json");
	read = store_job_load(store, "fuzz", &e);
	if (read == NULL) {
		must(strstr(e.text, "change/") != NULL);
	} else {
		must(read->reading <= (int64_t)read->changes.count);
		must(read->code.number <= (int64_t)read->changes.count);
		if (read->changes.count > 0)
			fuzz_took('G');
		change_again(read);
	}
	store_job_free(read);
	take_away("change");
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
	    ['w'] = stop,
	    ['W'] = stop_pack,
	    ['F'] = table,
	    ['t'] = tries,
	    ['o'] = requests,
	    ['e'] = extension,
	    ['G'] = change,
	    ['K'] = packing,
	    ['m'] = marks,
	    ['M'] = mark,
	    ['T'] = told,
	    ['g'] = generations,
	    ['h'] = hook,
	    ['u'] = use,
	    ['O'] = format,
	    ['x'] = points_index,
	    ['C'] = code,
	    ['L'] = settled,
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
