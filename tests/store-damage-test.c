/* Every bit of every kind of file turned, and every file cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job-points.h"
#include "job-verify.h"
#include "store-chunk.h"
#include "store-facts.h"
#include "store-fold.h"
#include "store-points.h"
#include "store-wish.h"
#include "xalloc.h"

/* All that is read is also verified as a whole, but not for each bit. */
enum { VERIFY_EVERY = 13 };

static char place[] = "/tmp/stfm-damage.XXXXXX";
static struct store *store;
static struct store_job *job;
static struct store_fact fact = {.task = 1, .kind = "E3"};

/* ---- a store with one file of each kind ---- */

static void
make_job(void)
{
	static const char points[] = "lr\tx\n0.1\ta\n0.2\tb\\t\n";
	struct store_job_files files = {.batch = "#!/bin/sh\nexec train\n",
	    .points = points,
	    .points_length = sizeof points - 1};

	job = xcalloc(1, sizeof *job);
	job->name = xstrdup("conv2d");
	job->id = store_job_new_id();
	job->args = xstrdup("long");
	job->directory = xstrdup("/tmp");
	job->fingerprint = job_points_fingerprint(points, sizeof points - 1);
	job->points_kept = 1;
	job->tasks = 2;
	job->array_size = 1000;
	job->dir = -1;
	words_push(&job->command, "train");
	words_push(&job->names, "lr");
	words_push(&job->names, "x");
	assert_int_equal(store_job_create(store, job, &files, NULL), 0);
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
}

static void
make_records(void)
{
	struct store_chunk chunk = {.name = (char *)(uintptr_t) "c00000.0",
	    .token = (char *)(uintptr_t) "stfm-x-c00000.0"};
	struct store_wish wish = {.attempt = 0};
	uint32_t array = 4102;

	ranges_add(&chunk.tasks, 0, 1);
	ranges_add(&wish.tasks, 1, 1);
	assert_int_equal(store_intent(job, &chunk, NULL), 0);
	assert_int_equal(store_claim(job, chunk.name, &array, NULL), 0);
	assert_int_equal(store_wish(job, &wish, NULL), 0);
	ranges_free(&chunk.tasks);
	ranges_free(&wish.tasks);
}

static void
make_fold(void)
{
	struct store_fold *fold = store_fold_new(2);
	struct store_row *row = store_fold_edit(fold, 1);

	row->state = STORE_ERROR;
	row->cause = xstrdup("exit 3");
	row->facts = STORE_HAS_S | STORE_HAS_E;
	row->exit = 3;
	row->node = xstrdup("n1");
	assert_int_equal(store_fold_publish(job, fold, NULL), 0);
	store_fold_free(fold);
}

static int
set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(place));
	store = store_open(place, STORE_MAKE, NULL);
	assert_non_null(store);
	make_job();
	make_facts();
	make_records();
	make_fold();
	return 0;
}

static int
tear_down(void **state)
{
	int root = fs_open_dir("/", NULL);

	(void)state;
	store_job_free(job);
	store_close(store);
	assert_int_equal(fs_remove_tree(root, place + 1, NULL), 0);
	fs_close(root);
	return 0;
}

/* ---- who reads the file, and whether they see that it is damaged ---- */

static int
format_is_refused(void)
{
	struct store *again = store_open(place, STORE_READ, NULL);

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
		if (store_points_line(job, task, &line) == -1)
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
	named = chunks.damaged.count == 1 && chunks.count == 0;
	store_chunks_free(&chunks);
	return named;
}

static int
wish_is_named(void)
{
	struct store_wishes wishes;
	int named;

	if (store_wishes_list(job, &wishes, NULL) == -1)
		return 1;
	named = wishes.damaged.count == 1 && wishes.count == 0;
	store_wishes_free(&wishes);
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
	struct store_fold *fold = store_fold_load(job, NULL);
	int passed = fold != NULL && fold->damaged.count == 1 &&
	    store_fold_state(fold, 1) == STORE_SUBMITTED;

	store_fold_free(fold);
	return passed;
}

static const struct kind {
	const char *directory; /* below the job's, or with .. */
	const char *begins;    /* the name */
	int (*is_seen)(void);
} kinds[] = {
    {"../..", "FORMAT", format_is_refused},
    {"", "job.json", job_is_refused},
    {"", "points.tsv", points_are_refused},
    {"", "points.idx", index_does_not_mislead},
    {"", "batch.sh", NULL},
    {"sub", "c00000.0.intent", chunk_is_named},
    {"sub", "c00000.0.claim", chunk_is_named},
    {"ctl", "stop.", wish_is_named},
    {"run/000", "000001.0.0.E3", fact_is_refused},
    {"pack", "p.", pack_is_named},
    {"fold", "state.", fold_is_passed_over},
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

static int
is_verified_as_damaged(void)
{
	struct job_findings found;
	size_t damage;

	assert_int_equal(job_verify(store, NULL, 0, &found, NULL), 0);
	damage = found.damage;
	job_findings_free(&found);
	return damage > 0;
}

static void
need_seen(const struct kind *k, size_t n, const char *how)
{
	if (k->is_seen != NULL && !k->is_seen())
		fail_msg("%s: silent: %s %zu", k->begins, how, n);
	if ((k->is_seen == NULL || n % VERIFY_EVERY == 0) &&
	    !is_verified_as_damaged())
		fail_msg("%s: not verified: %s %zu", k->begins, how, n);
}

/* How many ways of damaging it were tried. */
static size_t
damage(const struct kind *k)
{
	char *path = path_of(k), *bytes;
	int fd = open(path, O_RDWR);
	size_t length, i;

	assert_int_not_equal(fd, -1);
	assert_int_equal(fs_read_path(path, 1 << 20, &bytes, &length, NULL), 0);
	assert_false(is_verified_as_damaged());
	for (i = 0; i < 8 * length; i++) {
		bytes[i / 8] ^= 1 << (i % 8);
		overwrite(fd, bytes, length);
		need_seen(k, i, "bit");
		bytes[i / 8] ^= 1 << (i % 8);
	}
	for (i = 0; i < length; i++) {
		overwrite(fd, bytes, i);
		need_seen(k, i, "cut at");
	}
	overwrite(fd, bytes, length);
	assert_false(is_verified_as_damaged());
	close(fd);
	free(bytes);
	free(path);
	return 9 * length;
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		no_damage_is_silent, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
