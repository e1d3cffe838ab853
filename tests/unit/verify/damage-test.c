/*
 * Every bit of every kind of file turned, and every file cut at every byte; of
 * the one that is large, some hundreds of each.  And every record in the place
 * of every other one.  The sanitizers are slow: with them, only every seventh
 * bit is turned, and files are cut at every seventh byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../place.h"
#include "base/xalloc.h"
#include "job/code.h"
#include "job/points.h"
#include "job/preflight.h"
#include "store/chunk.h"
#include "store/facts.h"
#include "store/notified.h"
#include "store/once.h"
#include "store/points.h"
#include "store/request.h"
#include "store/table.h"
#include "store/usage.h"
#include "sys/fs-tree.h"
#include "verify/verify.h"

/* Why Slurm takes no more tasks. */
static const struct error full = {.code = ERROR_SILENT, .text = "MaxJobCount"};

/* All that is read is also verified as a whole, but not for each bit. */
enum { VERIFY_EVERY = 13 };

/* Tasks whose table is so large that the next one holds only what changed. */
enum { MANY = 600 };

static struct place place;
static struct store *store;
static struct store_job *job, *large;
static char *program; /* the name of the one in libexec/ */
static struct store_fact fact = {.task = 1, .kind = "E3"};

/* ---- a store with one file of each kind ---- */

static struct store_job *
new_job(const char *name, uint64_t tasks)
{
	struct store_job *new = place_record(name, tasks);

	new->points_kept = 1;
	strlist_push(&new->command, "train");
	strlist_push(&new->names, "lr");
	strlist_push(&new->names, "x");
	return new;
}

/* A directory with a program to copy; to free. */
static char *
make_code(void)
{
	char *path = fs_join(place.path, "src");
	int dir;

	assert_int_equal(mkdir(path, 0700), 0);
	dir = fs_open_dir(path, NULL);
	assert_int_equal(
	    fs_write_new(dir, "train.py", 0600, "print(1)\n", 9, NULL), 0);
	fs_close(dir);
	return path;
}

static void
make_job(void)
{
	static const char points[] = "lr\tx\n0.1\ta\n0.2\tb\\t\n";
	struct store_job_files files = {.batch = "#!/bin/sh\nexec train\n",
	    .script = "#!/bin/sh\ntrain \"$@\"\n",
	    .points = points,
	    .points_length = sizeof points - 1,
	    .more = job_code_copy};
	struct snapshot *code;

	job = new_job("conv2d", 2);
	job->script = xstrdup("/tmp/train.sh");
	job->fingerprint = job_points_fingerprint(points, sizeof points - 1);
	free(job->directory);
	job->directory = make_code();
	strlist_push(&job->command, "train.py");
	assert_int_equal(job_code_plan(job, NULL, "/", &code, NULL), 0);
	code->diff = xstrdup("+print(1)\n");
	code->diff_length = strlen(code->diff);
	files.arg = code;
	assert_int_equal(store_job_create(store, job, &files, NULL), 0);
	snapshot_free(code);
}

/* A program, as compute nodes start one. */
static void
make_program(void)
{
	char *from = fs_join(place.path, "stfm-run"), *to;
	int dir = fs_open_dir(place.path, NULL);

	assert_int_equal(
	    fs_write_new(dir, "stfm-run", 0700, "#!/bin/sh\n", 10, NULL), 0);
	to = store_install(store, from, NULL);
	assert_non_null(to);
	program = xstrdup(strrchr(to, '/') + 1);
	fs_close(dir);
	free(from);
	free(to);
}

static void
publish(uint64_t task, const char *kind)
{
	struct store_fact f = {.task = task};
	struct store_fact_body body = store_fact_body();

	snprintf(f.kind, sizeof f.kind, "%s", kind);
	body.node = xstrdup("n1");
	body.slurm = xstrdup("4102_1");
	body.time = 1000;
	if (strcmp(kind, "P") == 0)
		body.point = xstrdup("0.1\t64");
	assert_int_equal(store_fact_publish(job, &f, &body, NULL), 0);
	store_fact_body_free(&body);
}

static void
make_facts(void)
{
	struct store_facts all;
	char *name;

	publish(0, "S");
	publish(0, "E0");
	assert_int_equal(store_facts_list(job, NULL, &all, NULL), 0);
	assert_int_equal(store_pack_facts(job, all.fact, all.count, INT64_MAX,
			     1, &name, NULL),
	    2);
	free(name);
	store_facts_free(&all);
	publish(1, "S");
	publish(1, "E3");
	publish(1, "R9=0.75");
	publish(1, "P");
}

static void
make_records(void)
{
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c00000.0"};
	struct store_request wish = {.kind = STORE_REQUEST_STOP, .attempt = 0};
	uint32_t array = 4102;

	idset_add(&chunk.tasks, 0, 1);
	idset_add(&wish.tasks, 1, 1);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	assert_int_equal(store_claim(job, chunk.name, &array, NULL), 0);
	assert_int_equal(store_request_add(job, &wish, 1, NULL), 0);
	idset_free(&chunk.tasks);
	idset_free(&wish.tasks);
}

/* A chunk that was refused, a decision, and what a hook has been told. */
static void
make_more_records(void)
{
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00001.1",
	    .token = (char *)(uintptr_t) "stfm-x-c00001.1",
	    .attempt = 1};
	struct store_notified told = {0};

	idset_add(&chunk.tasks, 1, 1);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	assert_int_equal(store_try(job, chunk.name, 1, NULL), 0);
	assert_int_equal(store_refusal(job, chunk.name, 1, &full, 9, NULL), 0);
	assert_int_equal(
	    store_once_set(job, "go", "epoch 1 of task 0", NULL), 0);
	notified_add(&told.of[NOTIFIED_ERROR], 0, 0, 1);
	assert_int_equal(
	    store_notified_publish(job, "0123abcd", &told, NULL), 0);
	store_notified_free(&told);
	idset_free(&chunk.tasks);
}

static void
make_fold(void)
{
	struct store_table *table = store_table_new(2);
	struct store_row *row = store_table_edit(table, 1);

	row->state = STORE_ERROR;
	row->cause = xstrdup("exit 3");
	row->facts = STORE_HAS_S | STORE_HAS_E;
	row->exit = 3;
	row->node = xstrdup("n1");
	assert_int_equal(store_table_publish(job, table, NULL), 0);
	store_table_free(table);
}

/* What a run uses, as its task writes it. */
static void
make_usage(void)
{
	static const char text[] =
	    "# stfm usage 1 from=cgroup cpus=2 tool=nvidia-smi gpus=1\n"
	    "seconds,gpu,gpu_memory,gpu_idle,cpu,memory\n"
	    "30,97.5,1024,0,1.5,300\n60,,,,1.75,310\n";

	assert_int_equal(
	    store_usage_write(job, &fact, text, sizeof text - 1, NULL), 0);
}

/* The points of the large job, as it was submitted; to free. */
static char *
many_points(size_t *length)
{
	char *text;
	FILE *out = xmemopen(&text, length);
	int i;

	fputs("lr\tx\n", out);
	for (i = 0; i < MANY; i++)
		fprintf(out, "0.1\t%d\n", i);
	xmemclose(out);
	return text;
}

static void
edit(struct store_table *table, uint64_t task, int size)
{
	struct store_row *row = store_table_edit(table, task);

	free(row->cause);
	row->cause = xasprintf("%0*d", size, 1);
}

/* A table that holds only what is not as in the one before. */
static void
make_large(void)
{
	struct store_job_files files = {.batch = "#!/bin/sh\n"};
	struct store_table *table = store_table_new(MANY);
	char *points = many_points(&files.points_length);
	uint64_t i;

	large = new_job("large", MANY);
	large->search.pruner = xstrdup("asha");
	large->search.version = STORE_SEARCH_RULES;
	large->fingerprint =
	    job_points_fingerprint(points, files.points_length);
	files.points = points;
	assert_int_equal(store_job_create(store, large, &files, NULL), 0);
	free(points);
	for (i = 0; i < MANY; i++)
		edit(table, i, 500);
	assert_int_equal(store_table_publish(large, table, NULL), 0);
	store_table_free(table);
	table = store_table_load(large, NULL);
	edit(table, 7, 20);
	assert_int_equal(store_table_publish(large, table, NULL), 0);
	store_table_free(table);
}

static int
is_needed(const void *arg, uint64_t task, uint32_t attempt)
{
	(void)arg;
	(void)task;
	(void)attempt;
	return 0;
}

/* Two requests of the search of the large job, in a pack. */
static void
make_request_pack(void)
{
	struct store_request wish[] = {
	    {.kind = STORE_REQUEST_STOP, .by_search = 1, .why = "worse"},
	    {.kind = STORE_REQUEST_STOP, .by_search = 1, .why = "late"}};

	idset_add(&wish[0].tasks, 3, 3);
	idset_add(&wish[1].tasks, 17, 17);
	assert_int_equal(store_request_add(large, wish, 2, NULL), 0);
	assert_int_equal(
	    store_requests_pack(large, is_needed, NULL, INT64_MAX, 2, NULL), 2);
	idset_free(&wish[0].tasks);
	idset_free(&wish[1].tasks);
}

static int
set_up(void **state)
{
	(void)state;
	store = place_make(&place);
	make_job();
	make_facts();
	make_records();
	make_more_records();
	make_usage();
	make_fold();
	make_program();
	make_large();
	make_request_pack();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	free(program);
	store_job_free(large);
	store_job_free(job);
	place_remove(&place);
	return 0;
}

/* ---- who reads the file, and whether they see that it is damaged ---- */

static int
format_is_refused(void)
{
	struct store *again = store_open(place.path, STORE_READ, NULL);

	store_close(again);
	return again == NULL;
}

static int
job_is_refused(void)
{
	struct store_job *again = store_job_load(store, job->name, NULL);

	store_job_free(again);
	return again == NULL;
}

static int
points_are_refused(void)
{
	struct job_points *points = job_points_open(job, NULL);

	job_points_free(points);
	return points == NULL;
}

/* A line by the index is the right one, or is not given. */
static int
index_does_not_mislead(void)
{
	static const char *const lines[] = {"0.1\ta", "0.2\tb\\t"};
	char *line;
	uint64_t task;
	int misled = 0;

	for (task = 0; task < 2; task++) {
		if (store_points_line(job->dir, task, &line) == -1)
			continue;
		misled |= strcmp(line, lines[task]) != 0;
		free(line);
	}
	return !misled;
}

static int
chunk_is_named(void)
{
	struct store_chunks chunks;
	int named;

	if (store_chunks_list(job, &chunks, NULL) == -1)
		return 1;
	named = chunks.damaged.count == 1 && chunks.count == 1;
	store_chunks_free(&chunks);
	return named;
}

static int
wish_is_named(void)
{
	struct store_requests stops;
	int named;

	if (store_requests_list(job, STORE_STOPS, &stops, NULL) == -1)
		return 1;
	named = stops.damaged.count == 1 && stops.count == 0;
	store_requests_free(&stops);
	return named;
}

static int
packed_wish_is_named(void)
{
	struct store_requests stops;
	int named;

	if (store_requests_list(large, STORE_STOPS, &stops, NULL) == -1)
		return 1;
	/* Without its first line, all requests are known by the others. */
	named = stops.damaged.count > 0 ||
	    (stops.count == 2 && store_stop_is_asked(&stops, 3, 0) &&
		store_stop_is_asked(&stops, 17, 0));
	store_requests_free(&stops);
	return named;
}

static int
fact_is_refused(void)
{
	struct store_fact_body body;
	int rc = store_fact_read(job, &fact, &body, NULL);

	store_fact_body_free(&body);
	return rc == -1;
}

static int
use_is_refused(void)
{
	struct error why;
	size_t length;
	char *text = store_usage_read(job, &fact, &length, &why);

	free(text);
	return text == NULL && why.code == ERROR_DAMAGED;
}

static int
pack_is_named(void)
{
	struct store_facts facts;
	int named;

	assert_int_equal(store_facts_list(job, NULL, &facts, NULL), 0);
	named = !facts.sound && facts.damaged.count > 0;
	store_facts_free(&facts);
	return named;
}

static int
fold_is_passed_over(void)
{
	struct store_table *table = store_table_load(job, NULL);
	int passed = table != NULL && table->damaged.count == 1 &&
	    store_table_state(table, 1) == STORE_SUBMITTED;

	store_table_free(table);
	return passed;
}

static int
script_is_refused(void)
{
	return job_preflight_script(job, NULL) == -1;
}

static int
program_is_refused(void)
{
	int dir = fs_open_subdir(store->dir, "libexec", 0, NULL);
	int is = store_is_program(dir, program, NULL);

	fs_close(dir);
	return is != 1;
}

static int
diff_is_refused(void)
{
	size_t length;
	char *text;

	if (job_code_diff(job, &text, &length, NULL) == -1)
		return 1;
	free(text);
	return 0;
}

static int
list_is_refused(void)
{
	struct snapshot_changes c = {0};
	int rc = job_code_changes(job, SNAPSHOT_TYPES, 1, &c, NULL);

	snapshot_changes_free(&c);
	return rc == -1;
}

static int
code_is_named(void)
{
	struct snapshot_changes c = {0};
	int rc = job_code_changes(job, SNAPSHOT_ALL, 1, &c, NULL);
	int named = rc == 0 && c.changed.count == 1;

	snapshot_changes_free(&c);
	return named;
}

static int
told_is_refused(void)
{
	struct store_notified told = {0};
	int rc = store_notified_load(job, "0123abcd", &told, NULL);

	store_notified_free(&told);
	return rc == -1;
}

/* The generation before it is whole: its row of the task is the longer one. */
static int
change_is_passed_over(void)
{
	struct store_table *table = store_table_load(large, NULL);
	const char *cause =
	    table != NULL ? store_table_row(table, 7)->cause : NULL;
	int passed =
	    cause != NULL && table->damaged.count == 1 && strlen(cause) == 500;

	store_table_free(table);
	return passed;
}

/* Neither what changed since nor itself is good for anything. */
static int
base_is_refused(void)
{
	struct store_table *table = store_table_load(large, NULL);
	int passed = table != NULL && table->damaged.count > 0 &&
	    store_table_row(table, 7)->cause == NULL;

	store_table_free(table);
	return passed;
}

/* Files that are there for what their names say are only verified. */
static const struct kind {
	const char *directory; /* below the job's, or with .. */
	const char *begins;    /* the name */
	int (*is_seen)(void);
	size_t bits, cuts; /* of how many one is tried; 0 is each */
} kinds[] = {
    {"../..", "FORMAT", format_is_refused},
    {"../../libexec", "stfm-run-", program_is_refused},
    {"", "job.json", job_is_refused},
    {"", "points.tsv", points_are_refused},
    {"", "points.idx", index_does_not_mislead},
    {"", "batch.sh", NULL},
    {"", "script", script_is_refused},
    {"", "diff", diff_is_refused},
    {"", "code.tsv", list_is_refused},
    {"code", "train.py", code_is_named},
    {"sub", "c00000.0.intent", chunk_is_named},
    {"sub", "c00000.0.claim", chunk_is_named},
    {"sub", "c00001.1.try.1", NULL},
    {"sub", "c00001.1.no.1", NULL},
    {"ctl", "stop.", wish_is_named},
    {"ctl", "mark.go", NULL},
    {"ctl", "told.0123abcd.1", told_is_refused},
    {"run/000", "000001.0.0.E3", fact_is_refused},
    {"usage", "000001.0.0.csv", use_is_refused},
    {"pack", "p.", pack_is_named},
    {"../large/pack", "s.", packed_wish_is_named},
    {"fold", "state.", fold_is_passed_over},
    {"../large/fold", "state.2", change_is_passed_over},
    {"../large/fold", "state.1", base_is_refused, 4999, 997},
};

/* ---- damage ---- */

/* The path of the only file of a kind, to free. */
static char *
path_of(const struct kind *k)
{
	char *directory = fs_join(job->path, k->directory), *path = NULL;
	int dir = fs_open_dir(directory, NULL);
	struct fs_names names;
	size_t i;

	assert_int_equal(fs_list(dir, &names, NULL), 0);
	for (i = 0; i < names.count; i++)
		if (strncmp(names.name[i], k->begins, strlen(k->begins)) == 0) {
			assert_null(path);
			path = fs_join(directory, names.name[i]);
		}
	assert_non_null(path);
	fs_names_free(&names);
	fs_close(dir);
	free(directory);
	return path;
}

static void
overwrite(int fd, const char *bytes, size_t length)
{
	assert_int_equal(pwrite(fd, bytes, length, 0), (ssize_t)length);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
}

/* Open a file to damage it, also one that is read-only, and stays so. */
static int
open_to_damage(const char *path)
{
	struct stat st;
	int fd;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(chmod(path, st.st_mode | S_IWUSR), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(chmod(path, st.st_mode & 07777), 0);
	assert_int_not_equal(fd, -1);
	return fd;
}

static int
is_verified_as_damaged(void)
{
	struct verify_findings found;
	size_t damage;

	assert_int_equal(verify_store(store, NULL, 0, &found, NULL), 0);
	damage = found.damage;
	verify_findings_free(&found);
	return damage > 0;
}

static void
need_seen(const struct kind *k, size_t n, const char *how, size_t at)
{
	if (k->is_seen != NULL && !k->is_seen())
		fail_msg("%s: silent: %s %zu", k->begins, how, at);
	if ((k->is_seen == NULL || n % VERIFY_EVERY == 0) &&
	    !is_verified_as_damaged())
		fail_msg("%s: not verified: %s %zu", k->begins, how, at);
}

/* How many ways of damaging it were tried. */
static size_t
damage(const struct kind *k)
{
	char *path = path_of(k), *bytes;
	int fd = open_to_damage(path);
	size_t length, i, tried = 0, step = getenv("SANITIZE") ? 7 : 1;

	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, &length, NULL), 0);
	assert_false(is_verified_as_damaged());
	for (i = 0; i < 8 * length; i += step * (k->bits ? k->bits : 1)) {
		bytes[i / 8] ^= 1 << (i % 8);
		overwrite(fd, bytes, length);
		need_seen(k, tried++, "bit", i);
		bytes[i / 8] ^= 1 << (i % 8);
	}
	for (i = 0; i < length; i += step * (k->cuts ? k->cuts : 1)) {
		overwrite(fd, bytes, i);
		need_seen(k, tried++, "cut at", i);
	}
	overwrite(fd, bytes, length);
	assert_false(is_verified_as_damaged());
	close(fd);
	free(bytes);
	free(path);
	return tried;
}

static void
no_damage_is_silent(void **state)
{
	size_t i, n, all = 0;

	(void)state;
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		n = damage(&kinds[i]);
		print_message("%s: %zu of %zu seen\n", kinds[i].begins, n, n);
		all += n;
	}
	print_message("%zu in all\n", all);
}

/* ---- records in the place of others ---- */

static struct store_chunk
chunk_named(const char *name, const char *token)
{
	struct store_chunk chunk = {
	    .name = (char *)(uintptr_t)name, .token = (char *)(uintptr_t)token};

	idset_add(&chunk.tasks, 0, 3);
	return chunk;
}

static void
make_chunks(const struct store_job *of)
{
	static const char *const names[] = {
	    "c00000.0", "c00001.0", "c00002.0", "c00003.0", "c00004.0"};
	struct store_chunk chunk;
	uint32_t array = 4102;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		chunk = chunk_named(names[i], "stfm-x");
		assert_int_equal(store_intent(of, &chunk, NULL), 0);
		idset_free(&chunk.tasks);
	}
	assert_int_equal(store_claim(of, names[0], &array, NULL), 0);
	array++;
	assert_int_equal(store_claim(of, names[1], &array, NULL), 0);
	assert_int_equal(store_chunk_close(of, names[2], STORE_CUT, NULL), 0);
	assert_int_equal(
	    store_chunk_close(of, names[3], STORE_WITHDRAWN, NULL), 0);
	assert_int_equal(store_try(of, names[4], 1, NULL), 0);
	assert_int_equal(store_refusal(of, names[4], 1, &full, 9, NULL), 0);
	assert_int_equal(store_try(of, names[4], 2, NULL), 0);
	assert_int_equal(store_refusal(of, names[4], 2, &full, 9, NULL), 0);
}

static void
make_decisions(const struct store_job *of)
{
	struct store_request hold = {.kind = STORE_REQUEST_HOLD},
			     parallel = {
				 .kind = STORE_REQUEST_PARALLEL, .parallel = 2};
	struct store_notified told = {0};

	place_wish(of, 1, 0, NULL);
	place_wish(of, 2, 0, "max-fail 3");
	idset_add(&hold.tasks, 0, 1);
	assert_int_equal(store_request_add(of, &hold, 1, NULL), 0);
	assert_int_equal(store_request_add(of, &parallel, 1, NULL), 0);
	idset_free(&hold.tasks);
	assert_int_equal(store_once_set(of, "canary", NULL, NULL), 0);
	assert_int_equal(store_once_set(of, "told.000002", NULL, NULL), 0);
	assert_int_equal(
	    store_notified_publish(of, "0123abcd", &told, NULL), 0);
	store_notified_free(&told);
	assert_int_equal(store_notified_publish(of, "then", &told, NULL), 0);
	store_notified_free(&told);
}

static struct store_job *
make_of_each(const char *name)
{
	static const char points[] = "lr\tx\n1\t1\n2\t2\n3\t3\n4\t4\n";
	struct store_job_files files = {.batch = "#!/bin/sh\n",
	    .points = points,
	    .points_length = sizeof points - 1};
	struct store_job *of = new_job(name, 4);

	of->fingerprint = job_points_fingerprint(points, sizeof points - 1);
	assert_int_equal(store_job_create(store, of, &files, NULL), 0);
	make_chunks(of);
	make_decisions(of);
	return of;
}

static int
set_up_two(void **state)
{
	static struct store_job *two[2];

	store = place_make(&place);
	two[0] = make_of_each("one");
	two[1] = make_of_each("other");
	assert_false(is_verified_as_damaged());
	*state = two;
	return 0;
}

static int
tear_down_two(void **state)
{
	struct store_job **two = *state;

	store_job_free(two[0]);
	store_job_free(two[1]);
	place_remove(&place);
	return 0;
}

/* A record of a job: its path, and where its name begins in that. */
struct sealed {
	char *path, *bytes;
	const char *name;
	size_t length;
};

struct sealed_all {
	struct sealed *item;
	size_t count;
};

static void
add_records(
    struct sealed_all *out, const struct store_job *of, const char *part)
{
	char *directory = fs_join(of->path, part);
	int dir = fs_open_dir(directory, NULL);
	struct fs_names names;
	struct sealed r;
	size_t i;

	assert_int_equal(fs_list(dir, &names, NULL), 0);
	for (i = 0; i < names.count; i++) {
		r.path = fs_join(directory, names.name[i]);
		r.name = fs_base(r.path);
		assert_int_equal(
		    fs_read_path(r.path, 1 << 20, &r.bytes, &r.length, NULL),
		    0);
		out->item = xgrow(out->item, out->count, sizeof r);
		out->item[out->count++] = r;
	}
	fs_names_free(&names);
	fs_close(dir);
	free(directory);
}

static struct sealed_all
records_of(const struct store_job *of)
{
	struct sealed_all all = {0};

	add_records(&all, of, "sub");
	add_records(&all, of, "ctl");
	return all;
}

static void
records_free(struct sealed_all *all)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		free(all->item[i].path);
		free(all->item[i].bytes);
	}
	free(all->item);
}

static void
put_record(const char *path, const struct sealed *from)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_int_not_equal(fd, -1);
	overwrite(fd, from->bytes, from->length);
	close(fd);
}

/* Whether this is all that is found. */
static int
is_found(const char *path, const char *what)
{
	struct verify_findings found;
	char *whole = xasprintf("%s: %s", path, what);
	size_t i, damaged = 0;
	int is = 0;

	assert_int_equal(verify_store(store, NULL, 0, &found, NULL), 0);
	for (i = 0; i < found.count; i++) {
		damaged += found.item[i].kind != FINDING_NOTE;
		is |= strcmp(found.item[i].what, whole) == 0 ||
		    strcmp(found.item[i].what, what) == 0;
	}
	free(whole);
	verify_findings_free(&found);
	return is && damaged == 1;
}

/* How many of these are believed by who lists what they are among. */
static size_t
count_believed(struct store_job *of)
{
	struct store_chunks chunks;
	struct store_requests requests;
	struct store_notified told;
	size_t believed = 0;

	assert_int_equal(store_chunks_list(of, &chunks, NULL), 0);
	assert_int_equal(
	    store_requests_list(of, STORE_STOPS | STORE_HOLDS, &requests, NULL),
	    0);
	believed += chunks.count + requests.count;
	if (chunks.count > 0)
		believed += (size_t)chunks.chunk[chunks.count - 1].refused;
	store_chunks_free(&chunks);
	store_requests_free(&requests);
	if (store_notified_load(of, "0123abcd", &told, NULL) == 0) {
		believed++;
		store_notified_free(&told);
	}
	if (store_notified_load(of, "then", &told, NULL) == 0) {
		believed++;
		store_notified_free(&told);
	}
	return believed;
}

/* What counts by its name alone, or no more. */
static int
is_only_verified(const char *name)
{
	return strncmp(name, "mark.", 5) == 0 || strstr(name, ".try.") ||
	    strstr(name, ".no.1");
}

static void
need_found(struct store_job *of, const struct sealed *at, size_t sound,
    const struct sealed *is, const char *what)
{
	size_t believed = count_believed(of);

	if (!is_found(at->path, what))
		fail_msg("%s in place of %s: not found", is->name, at->name);
	if (is_only_verified(at->name) ? believed != sound : believed >= sound)
		fail_msg("%s in place of %s: believed", is->name, at->name);
}

static void
no_record_is_taken_for_another(void **state)
{
	struct store_job *of = *(struct store_job **)*state;
	struct sealed_all all = records_of(of);
	size_t i, k, tried = 0, sound = count_believed(of);
	char *what;

	for (i = 0; i < all.count; i++) {
		for (k = 0; k < all.count; k++) {
			if (i == k)
				continue;
			put_record(all.item[i].path, &all.item[k]);
			what = xasprintf(
			    "damaged (it is the record %s)", all.item[k].name);
			need_found(of, &all.item[i], sound, &all.item[k], what);
			free(what);
			tried++;
		}
		put_record(all.item[i].path, &all.item[i]);
	}
	assert_false(is_verified_as_damaged());
	print_message(
	    "%zu of %zu records: %zu named\n", all.count, all.count, tried);
	records_free(&all);
}

static void
no_record_of_another_job_is_taken(void **state)
{
	static const char other[] = "damaged (it is a record of another job)";
	struct store_job **two = *state;
	struct sealed_all own = records_of(two[0]), all = records_of(two[1]);
	size_t i, tried = 0, sound = count_believed(two[0]);

	assert_int_equal(own.count, all.count);
	for (i = 0; i < all.count; i++) {
		put_record(own.item[i].path, &all.item[i]);
		need_found(two[0], &own.item[i], sound, &all.item[i], other);
		put_record(own.item[i].path, &own.item[i]);
		tried++;
	}
	assert_false(is_verified_as_damaged());
	print_message("%zu of another job: %zu named\n", all.count, tried);
	records_free(&own);
	records_free(&all);
}

/* The table of another job would have its tasks end that never ran. */
static void
no_table_of_another_job_is_taken(void **state)
{
	static const char other[] = "damaged (it is of another job)";
	struct store_job **two = *state;
	struct store_table *table = store_table_new(two[1]->tasks);
	char *from = fs_join(two[1]->path, "fold/state.1.jsonl");
	char *to = fs_join(two[0]->path, "fold/state.1.jsonl");
	char *command = xasprintf("cp %s %s", from, to);

	store_table_edit(table, 0)->state = STORE_FINISHED;
	assert_int_equal(store_table_publish(two[1], table, NULL), 0);
	store_table_free(table);
	assert_int_equal(system(command), 0);
	table = store_table_load(two[0], NULL);
	assert_int_equal(table->damaged.count, 1);
	assert_non_null(strstr(table->damaged.word[0], other));
	assert_int_equal(store_table_state(table, 0), STORE_SUBMITTED);
	store_table_free(table);
	assert_true(is_found(to, other));
	free(command);
	free(to);
	free(from);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		no_damage_is_silent, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(
		no_record_is_taken_for_another, set_up_two, tear_down_two),
	    cmocka_unit_test_setup_teardown(
		no_record_of_another_job_is_taken, set_up_two, tear_down_two),
	    cmocka_unit_test_setup_teardown(
		no_table_of_another_job_is_taken, set_up_two, tear_down_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
