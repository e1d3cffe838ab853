#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strlist.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "store/job.h"
#include "sys/fs.h"

/* A job that runs in a copy of its code. */
static struct store_job *
make_job(const char *runtime, const char *image)
{
	struct store_job *job = xcalloc(1, sizeof *job);

	job->dir = -1;
	job->path = xstrdup("/store/jobs/try");
	job->directory = xstrdup("/home/me/code");
	job->code.root = xstrdup("/home/me");
	job->code.work = xstrdup("code");
	job->code.fingerprint = xstrdup("0");
	job->container = xstrdup(image);
	job->container_runtime = xcopy(runtime);
	return job;
}

static void
expect(struct strlist *words, const char *text)
{
	char *joined = strlist_join(words, " ");

	assert_string_equal(joined, text);
	free(joined);
	strlist_free(words);
}

static void
the_command_runs_in_the_image_with_all_it_needs(void **state)
{
	struct store_job *job = make_job("apptainer", "/i/x.sif");
	struct strlist words = {0};

	(void)state;
	strlist_push(&words, "python");
	job_container_wrap(job, CONTAINER_CPU, &words);
	expect(&words,
	    "apptainer exec --bind /home/me:/home/me "
	    "--bind /store/jobs/try:/store/jobs/try "
	    "--pwd /store/jobs/try/code/code /i/x.sif python");
	strlist_push(&job->container_bind, "/data");
	strlist_push(&job->container_bind, "/a:/b:ro");
	strlist_push(&words, "python");
	job_container_wrap(job, CONTAINER_NVIDIA, &words);
	expect(&words,
	    "apptainer exec --nv --bind /home/me:/home/me "
	    "--bind /store/jobs/try:/store/jobs/try --bind /data:/data "
	    "--bind /a:/b:ro --pwd /store/jobs/try/code/code /i/x.sif python");
	store_job_free(job);

	/* The whole of the code lies in the store: one bind is enough. */
	job = make_job("singularity", "docker://a/b");
	free(job->code.root);
	job->code.root = xstrdup("/");
	free(job->directory);
	job->directory = xstrdup("/store/jobs/try/x");
	job_container_wrap(job, CONTAINER_AMD, &words);
	expect(&words,
	    "singularity exec --rocm --bind /store/jobs/try/x:/store/jobs/try/x"
	    " --bind /store/jobs/try:/store/jobs/try "
	    "--pwd /store/jobs/try/code/code docker://a/b");
	store_job_free(job);
}

static void
a_job_without_one_is_as_it_was(void **state)
{
	struct store_job *job = make_job("apptainer", "none");
	struct strlist words = {0};

	(void)state;
	assert_int_equal(job_container_complete(job, NULL), 0);
	assert_null(job->container);
	strlist_push(&words, "python");
	job_container_wrap(job, CONTAINER_NVIDIA, &words);
	job_container_step(job, &words);
	job_container_options(job, NULL, &words);
	expect(&words, "python");
	store_job_free(job);
}

static void
pyxis_is_told_by_options_of_srun(void **state)
{
	static const char options[] =
	    "--container-image=nvcr.io#a/b:1 "
	    "--container-mounts=/home/me:/home/me,"
	    "/store/jobs/try:/store/jobs/try "
	    "--container-workdir=/store/jobs/try/code/code";
	struct store_job *job = make_job("pyxis", "nvcr.io#a/b:1");
	char *whole = xasprintf(
	    "srun --export=ALL --nodes=1 --ntasks=1 %s python", options);
	struct strlist words = {0}, files = {0};

	(void)state;
	unsetenv("SLURM_CPUS_PER_TASK");
	strlist_push(&words, "python");
	job_container_wrap(job, CONTAINER_NVIDIA, &words);
	job_container_step(job, &words);
	expect(&words, whole);
	job_container_options(job, NULL, &words);
	expect(&words, options);
	strlist_push(&files, "/l/1.log");
	strlist_push(&files, "/store/jobs/try/log/1.log");
	strlist_push(&files, "/store/libexec/stfm-run");
	strlist_push(&files, "/dev/null");
	job_container_options(job, &files, &words);
	assert_non_null(strstr(words.word[1],
	    ":/store/jobs/try,/l:/l,/store/libexec:/store/libexec"));
	assert_null(strstr(words.word[1], "try/log"));
	strlist_free(&words);
	strlist_free(&files);
	setenv("SLURM_CPUS_PER_TASK", "3", 1);
	job_container_step(job, &words);
	assert_true(strlist_have(&words, "--cpus-per-task=3"));
	strlist_free(&words);
	free(whole);
	store_job_free(job);
}

static void
slurm_begins_where_the_bundle_says(void **state)
{
	struct store_job *job = make_job("slurm", "/bundle");
	struct strlist words = {0};

	(void)state;
	unsetenv("SLURM_CPUS_PER_TASK");
	strlist_push(&words, "python");
	job_container_wrap(job, CONTAINER_CPU, &words);
	job_container_step(job, &words);
	expect(&words,
	    "srun --export=ALL --nodes=1 --ntasks=1 "
	    "--container=/bundle /bin/sh -c cd \"$1\" && shift && "
	    "exec \"$@\" sh /store/jobs/try/code/code python");
	store_job_free(job);
}

/* ---- what is refused ---- */

static void
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Where the tests are: on the file system of the images. */
static char store[64];

static void
what_cannot_work_is_refused(void **state)
{
	static const struct {
		const char *runtime, *image, *bind, *why;
	} table[] = {
	    {"apptainer", "there.sif", NULL, NULL},
	    {"apptainer", "docker://a/b", NULL, NULL},
	    {"pyxis", "a/b", NULL, NULL},
	    {"apptainer", "a/b", NULL, "no such image; one in a registry"},
	    {"apptainer", "gone.sif", NULL, "no such image"},
	    {"pyxis", "./gone.sqsh", NULL, "no such image"},
	    {"apptainer", "there.sif", "there.sif", NULL},
	    {"apptainer", "there.sif", "gone:/x", "it is not there"},
	    {"apptainer", "there.sif", "odd,name", "a ',' cannot be in it"},
	    {"apptainer", "", NULL, "--container: empty"},
	    {"slurm", "there.sif", NULL, "no bundle"},
	    {"slurm", "none-of-it", NULL, "no mount in its config.json has"},
	    {"slurm", "bundle", NULL, NULL},
	    {"slurm", "broken", NULL, "broken/config.json: line 1"},
	    {"slurm", "bundle", "there.sif", "the mounts of their config"},
	};
	struct store_job *job;
	struct error e;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		job = make_job(table[i].runtime, table[i].image);
		if (table[i].bind != NULL)
			strlist_push(&job->container_bind, table[i].bind);
		e.text[0] = '\0';
		rc = job_container_complete(job, &e);
		if (rc == 0)
			rc = job_container_check(job, store, &e);
		if (rc != (table[i].why != NULL ? -1 : 0) ||
		    (rc == -1 && strstr(e.text, table[i].why) == NULL))
			fail_msg("%s: %s", table[i].image, e.text);
		store_job_free(job);
	}
	assert_int_equal(job_container_runtime("docker", &e), -1);
	assert_non_null(strstr(e.text, "apptainer, singularity, pyxis"));
	assert_int_equal(job_container_runtime("slurm", &e), 0);
}

static void
slurm_s_own_have_no_ranks(void **state)
{
	struct store_job *job = make_job("slurm", "bundle");
	struct error e;

	(void)state;
	job->dist = xstrdup("torch");
	assert_int_equal(job_container_complete(job, &e), -1);
	assert_non_null(strstr(e.text, "cannot have ranks"));
	store_job_free(job);
}

static void
a_path_that_cannot_be_bound_is_refused(void **state)
{
	struct store_job *job = make_job("apptainer", "there.sif");
	struct error e;

	(void)state;
	free(job->directory);
	job->directory = xstrdup("/home/me/a:b");
	assert_int_equal(job_container_complete(job, &e), 0);
	assert_int_equal(job_container_check(job, store, &e), -1);
	assert_non_null(strstr(e.text, "/home/me/a:b"));
	store_job_free(job);
}

static void
an_image_that_is_another_by_now_is_noticed(void **state)
{
	struct store_job *job = make_job("apptainer", "there.sif");
	struct error e;
	char *note;

	(void)state;
	assert_int_equal(job_container_complete(job, &e), 0);
	assert_int_equal(job_container_stands(job, &note, &e), 0);
	assert_null(note);
	put("there.sif", "another");
	assert_int_equal(job_container_stands(job, &note, &e), 0);
	assert_non_null(strstr(note, "not the image any more"));
	free(note);
	assert_int_equal(rename("there.sif", "away"), 0);
	assert_int_equal(job_container_stands(job, &note, &e), -1);
	assert_non_null(strstr(e.text, "the image of the container"));
	assert_int_equal(rename("away", "there.sif"), 0);
	store_job_free(job);
}

static int
begin(void **state)
{
	char *text;

	(void)state;
	strcpy(store, "/tmp/stfm-container.XXXXXX");
	if (mkdtemp(store) == NULL || chdir(store) == -1)
		return -1;
	put("there.sif", "image");
	put("odd,name", "");
	mkdir("bundle", 0755);
	text = xasprintf("{\"mounts\":[{\"destination\":\"/proc\"},"
			 "{\"destination\":\"%s\"},{\"source\":1},3,"
			 "{\"destination\":\"/home\"}]}",
	    store);
	put("bundle/config.json", text);
	free(text);
	mkdir("none-of-it", 0755);
	text = xasprintf("{\"mounts\":[{\"destination\":\"%s2\"}]}", store);
	put("none-of-it/config.json", text);
	free(text);
	mkdir("broken", 0755);
	put("broken/config.json", "{");
	return 0;
}

static int
end(void **state)
{
	int root = fs_open_dir("/", NULL), rc;

	(void)state;
	rc = chdir("/");
	if (rc == 0)
		rc = fs_remove_tree(root, store + 1, NULL);
	fs_close(root);
	return rc;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_command_runs_in_the_image_with_all_it_needs),
	    cmocka_unit_test(a_job_without_one_is_as_it_was),
	    cmocka_unit_test(pyxis_is_told_by_options_of_srun),
	    cmocka_unit_test(slurm_begins_where_the_bundle_says),
	    cmocka_unit_test(what_cannot_work_is_refused),
	    cmocka_unit_test(slurm_s_own_have_no_ranks),
	    cmocka_unit_test(a_path_that_cannot_be_bound_is_refused),
	    cmocka_unit_test(an_image_that_is_another_by_now_is_noticed),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
