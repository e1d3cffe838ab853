#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "view/failure-line.h"

/* The end of a log, and the line that tells. */
static const struct {
	const char *log, *line;
} logs[] = {
    {"", NULL},
    {"\n \n\r\n", NULL},
    {"Epoch 1\nEpoch 2\n", "Epoch 2"},
    {"Epoch 1:  10%\rEpoch 1: 100%\r\n", "Epoch 1: 100%"},
    {"Traceback (most recent call last):\n  File \"t.py\", line 3\n"
     "RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB\n"
     "slurmstepd: error: Detected 1 oom-kill event\n",
	"RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB"},
    {"torch.OutOfMemoryError: CUDA out of memory.\n"
     "wandb: You can sync this run\nwandb: Find logs at: ./wandb\n",
	"torch.OutOfMemoryError: CUDA out of memory."},
    {"KeyboardInterrupt\n", "KeyboardInterrupt"},
    {"[rank3]: ValueError: bad\n[rank3]: see above\n",
	"[rank3]: ValueError: bad"},
    {"KeyError: 'a'\n\nDuring handling of the above exception:\n"
     "TypeError: 'b'\n",
	"TypeError: 'b'"},
    {"UserWarning: lr is high\nall well\n", "all well"},
    {"./t.sh: line 3: python3: command not found\nbye\n",
	"./t.sh: line 3: python3: command not found"},
    {"t.sh: line 1: 77 Killed   python t.py\n-----\n",
	"t.sh: line 1: 77 Killed   python t.py"},
    {"ValueError: one\nerror: two\n", "ValueError: one"},
    {"slurmstepd: error: *** JOB 7 CANCELLED\n",
	"slurmstepd: error: *** JOB 7 CANCELLED"},
    {"last\n42 100%\n", "last"},
    {"ValueError: of the run before\n"
     "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T12:53:01 DUE "
     "TO JOB REQUEUE ***\nEpoch 1\n",
	"Epoch 1"},
    {"slurmstepd: error: *** JOB 7 ON n1 CANCELLED DUE TO JOB REQUEUE ***\n",
	NULL},
    {"stfm-run: g/0 was trained already; Slurm started it once more\n", NULL},
    {"epoch 1\nstfm-run: not requeued: requeued once\n", "epoch 1"},
    {"42\n[stfm-run] rank 3 ended\n", "42"},
    {"stfm-run: max-fail 1: the rest of p is stopped\n", NULL},
    {"stfm-run: runs/0 was there before: now 0.before-6h06pp5x901s4\n", NULL},
    {"epoch 3 loss 1.4946\n"
     "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\n"
     "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 12:53:01 ***\n",
	"slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch."},
    {"t.sh: line 1: 77 Killed   python t.py\n"
     "srun: error: n1: task 0: Out Of Memory\n",
	"srun: error: n1: task 0: Out Of Memory"},
    {"epoch 3\nsrun: error: n1: task 0: Exited with exit code 1\n", "epoch 3"},
    {"epoch 3\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT "
     "2026-11-20T12:53:01 DUE TO TIME LIMIT ***\n",
	"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT "
	"2026-11-20T12:53:01 DUE TO TIME LIMIT ***"},
    {"slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED DUE TO TIME LIMIT ***\n"
     "put back: epoch 4\n",
	"put back: epoch 4"},
    {"epoch 3\nslurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 1:00 ***\n",
	"epoch 3"},
    {"no line end", "no line end"},
};

#define ENDED(at, why) \
	"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T12:" at \
	    why " ***"
#define LIMIT(at) ENDED(at, " DUE TO TIME LIMIT")

/* 2026-11-20T12:53:00 in UTC. */
enum { BEGAN = 1795179180 };

/*
 * The end of a log that goes on after an earlier run; the cause and the start
 * of the last run, what it died of, and the line that tells.
 */
static const struct {
	const char *cause;
	int64_t start;
	const char *log, *died_of, *line;
} appended[] = {
    /* Slurm ends nobody at the time limit who then exits by himself. */
    {"exit 1", -1, "epoch 3\n" LIMIT("52:00") "\n", "exit 1", NULL},
    {"exit 1", BEGAN, "epoch 3\n" LIMIT("54:00") "\n", "exit 1", NULL},
    {"exit 1", BEGAN, "ValueError: old\n" LIMIT("52:00") "\nepoch 1\n",
	"exit 1", "epoch 1"},
    {"exit 1", -1, "ValueError: old\n" LIMIT("52:00") "\nKeyError: 1\n",
	"exit 1", "KeyError: 1"},
    {"exit 127", -1, LIMIT("52:00") "\nDONE\n", "exit 127", "DONE"},
    /* Slurm's own word counts. */
    {"OUT_OF_MEMORY", BEGAN,
	LIMIT("52:00") "\nslurmstepd: error: Detected 1 oom_kill event\n",
	"OUT_OF_MEMORY", "slurmstepd: error: Detected 1 oom_kill event"},
    {"OUT_OF_MEMORY", -1, LIMIT("52:00") "\n", "OUT_OF_MEMORY", NULL},
    {"NODE_FAIL", BEGAN, LIMIT("52:00") "\n", "NODE_FAIL", NULL},
    {"TIMEOUT", BEGAN, "epoch 1\n" LIMIT("54:00") "\n", "TIMEOUT",
	LIMIT("54:00")},
    /* A signal may be the time limit's: that of this run. */
    {"SIGTERM", BEGAN, LIMIT("52:59") "\n", "SIGTERM", NULL},
    {"SIGKILL", BEGAN, LIMIT("52:59") "\nepoch 1\n", "SIGKILL", "epoch 1"},
    {"SIGTERM", BEGAN, "epoch 1\n" LIMIT("54:00") "\n", "TIMEOUT",
	LIMIT("54:00")},
    {"exit 143", BEGAN,
	LIMIT("54:00") "\nasked to end: saving\nRuntimeError: worker is gone\n",
	"TIMEOUT", LIMIT("54:00")},
    {"LOST", BEGAN, LIMIT("52:00") "\nepoch 1\n" LIMIT("54:00") "\n", "TIMEOUT",
	LIMIT("54:00")},
    {"LOST", BEGAN, LIMIT("52:00") "\n", "LOST", NULL},
    {"SIGKILL", -1, LIMIT("52:00") "\nepoch 1\n", "SIGKILL", "epoch 1"},
    {"SIGKILL", -1, "epoch 1\n" LIMIT("52:00") "\n", "TIMEOUT", LIMIT("52:00")},
    /* Whatever ended an earlier run is not of this one. */
    {"exit 1", BEGAN,
	"ValueError: old\n" ENDED("52:00", " DUE TO PREEMPTION") "\nepoch 1\n",
	"exit 1", "epoch 1"},
    {"SIGTERM", BEGAN, "ValueError: old\n" ENDED("52:00", "") "\n", "SIGTERM",
	NULL},
    {"SIGTERM", BEGAN, "ValueError: new\n" ENDED("54:00", "") "\n", "SIGTERM",
	"ValueError: new"},
    {"SIGTERM", BEGAN, "ValueError: new\n" ENDED("today", "") "\n", "SIGTERM",
	"ValueError: new"},
};

static void
write_log(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
what_an_earlier_run_died_of_is_not_this_one_s(void **state)
{
	char path[] = "/tmp/job-fault-test.XXXXXX", *copy;
	const char *line;
	size_t i;

	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	assert_int_not_equal(close(mkstemp(path)), -1);
	for (i = 0; i < sizeof appended / sizeof *appended; i++) {
		struct job_failure_line f = {
		    appended[i].cause, appended[i].start, -1};

		copy = xstrdup(appended[i].log);
		line = job_failure_line_pick(&f, copy);
		if (appended[i].line == NULL
			? line != NULL
			: line == NULL || strcmp(line, appended[i].line) != 0)
			fail_msg("log %zu: %s", i, line ? line : "nothing");
		free(copy);
		write_log(path, appended[i].log);
		if (job_failure_line_why(&f, path) !=
		    job_failure_line_words(appended[i].died_of))
			fail_msg(
			    "log %zu: %s", i, job_failure_line_why(&f, path));
	}
	assert_int_equal(unlink(path), 0);
}

/*
 * The node writes in UTC, and who looks is elsewhere; for how long the run was,
 * and the line that tells.
 */
static const struct {
	const char *zone, *cause;
	int64_t lasted;
	const char *log, *line;
} elsewhere[] = {
    {"CET-1", "SIGTERM", 70, "ValueError: new\n" ENDED("54:00", "") "\n",
	"ValueError: new"},
    {"CET-1", "SIGTERM", 70, "epoch 1\n" LIMIT("54:00") "\n", LIMIT("54:00")},
    {"NPT-5:45", "SIGTERM", 70, "epoch 1\n" LIMIT("54:00") "\n",
	LIMIT("54:00")},
    {"EST5", "exit 143", 400, LIMIT("52:00") "\nRuntimeError: worker is gone\n",
	"RuntimeError: worker is gone"},
    {"EST5", "SIGTERM", 70, "epoch 1\n" LIMIT("54:00") "\n", LIMIT("54:00")},
    {"UTC", "SIGTERM", 70, "ValueError: old\n" LIMIT("52:00") "\n", NULL},
    {"UTC", "SIGTERM", 7700, "ValueError: old\n" LIMIT("52:00") "\n", NULL},
    {"UTC", "exit 143", 70, LIMIT("54:00") "\nRuntimeError: gone\n",
	LIMIT("54:00")},
};

static void
what_a_node_wrote_may_be_in_another_time_zone(void **state)
{
	struct job_failure_line f = {NULL, BEGAN, -1};
	const char *line;
	char *copy;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		assert_int_equal(setenv("TZ", elsewhere[i].zone, 1), 0);
		f.cause = elsewhere[i].cause;
		f.end = BEGAN + elsewhere[i].lasted;
		copy = xstrdup(elsewhere[i].log);
		line = job_failure_line_pick(&f, copy);
		if (elsewhere[i].line == NULL
			? line != NULL
			: line == NULL || strcmp(line, elsewhere[i].line) != 0)
			fail_msg("log %zu: %s", i, line ? line : "nothing");
		free(copy);
	}
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
}

static void
the_line_that_tells_is_found(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof logs / sizeof *logs; i++) {
		char *copy = xstrdup(logs[i].log);
		const struct job_failure_line unknown = {NULL, -1, -1};
		const char *line = job_failure_line_pick(&unknown, copy);

		if (logs[i].line == NULL)
			assert_null(line);
		else if (line == NULL || strcmp(line, logs[i].line) != 0)
			fail_msg("log %zu: %s", i, line ? line : "nothing");
		free(copy);
	}
}

/* Lines and what is left of them. */
static const struct {
	const char *line, *key;
} keys[] = {
    {"", ""},
    {"CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.15 GiB total)",
	"CUDA out of memory. Tried to allocate # (GPU #; # total)"},
    {"allocate 512.00 MiB", "allocate #"},
    {"allocate 12 bytes", "allocate #"},
    {"took 12ms and 1e-3 s", "took # and #"},
    {"at 0x7f00DEADbeef in f", "at # in f"},
    {"2026-11-20 12:53:01,123 ERROR x", "# # ERROR x"},
    {"2026-11-20T12:53:01 x", "# x"},
    {"FileNotFoundError: No such file: '/data/3/a b.csv'",
	"FileNotFoundError: No such file: '/ b.csv'"},
    {"open data/train/17.npy: failed", "open /: failed"},
    {"./t.sh: line 3: no", "/: line #: no"},
    {"gpu17: bad", "gpu#: bad"},
    {"[rank3]: RuntimeError: x", "[rank#]: RuntimeError: x"},
    {"Conv2d(3, 64)", "Conv#d(#, #)"},
    {"run 3f2a9c1e-77aa-4b2e-9d10-aa00bb11cc22 lost", "run # lost"},
    {"GPU-5f2a9c1e77aa lost", "GPU-# lost"},
    {"deadbeef is a word", "deadbeef is a word"},
    {"loss is -1.5e+3, +2", "loss is #, #"},
    {"1,024 of 4", "# of #"},
    {"ends in -", "ends in -"},
    {"a 3", "a #"},
    {"\xe6\x97\xa5\xe6\x9c\xac 3", "\xe6\x97\xa5\xe6\x9c\xac #"},
};

static void
equal_ends_meet(void **state)
{
	size_t i;
	char *key;

	(void)state;
	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		key = job_failure_line_key(keys[i].line);
		assert_string_equal(key, keys[i].key);
		free(key);
	}
}

static void
different_ends_do_not(void **state)
{
	char *a = job_failure_line_key("ValueError: x"),
	     *b = job_failure_line_key("TypeError: x");

	(void)state;
	assert_string_not_equal(a, b);
	free(a);
	free(b);
}

static void
causes_have_words(void **state)
{
	(void)state;
	assert_non_null(
	    strstr(job_failure_line_words("TIMEOUT"), "time limit"));
	assert_non_null(strstr(
	    job_failure_line_words("launch failure"), "directory of its log"));
	assert_string_equal(job_failure_line_words("launch failure (SIGKILL)"),
	    "a signal ended it before the training began");
	assert_string_equal(job_failure_line_words("launch failure (exit 3)"),
	    "its batch script ended before the training began; its log says "
	    "why");
	assert_non_null(strstr(
	    job_failure_line_words("launch failure (exit 75)"), "its log"));
	assert_non_null(
	    strstr(job_failure_line_words("launch failure (exit 75)"), "disk"));
	assert_non_null(
	    strstr(job_failure_line_words("end not recorded"), "disk"));
	assert_true(job_failure_line_is_cause("end not recorded"));
	assert_null(job_failure_line_words("exit 1"));
	assert_null(job_failure_line_words(NULL));
	assert_true(job_failure_line_is_cause("OUT_OF_MEMORY"));
	assert_false(job_failure_line_is_cause("SIGSEGV"));
	assert_false(job_failure_line_is_cause("exit 1"));
	assert_false(job_failure_line_is_cause(NULL));
}

/* A cause, the log, and the line that tells more than the cause; or NULL. */
static const struct {
	const char *cause, *log, *line;
} deaths[] = {
    {"SIGKILL", "loading\n", NULL},
    {"exit 137", "loading\nt.sh: line 1: 77 Killed   python t.py 7\n", NULL},
    {"SIGSEGV", "epoch 3 loss 1.4946\n", NULL},
    {"SIGSEGV", "Fatal Python error: Segmentation fault\n", NULL},
    {"SIGABRT", "terminate called\nwhat(): bad shape\n", "what(): bad shape"},
    {"SIGTERM", "RuntimeError: worker is gone\n",
	"RuntimeError: worker is gone"},
    {"SIGKILL", "loading\nslurmstepd: error: Detected 1 oom_kill event\n",
	"slurmstepd: error: Detected 1 oom_kill event"},
    {"exit 1", "t.sh: line 1: 77 Killed   python t.py\n",
	"t.sh: line 1: 77 Killed   python t.py"},
    {"SIGTERM",
	"epoch 3\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 12:53:01 DUE "
	"TO TIME LIMIT ***\n",
	"the time limit was reached (more --time, or stfm-submit --requeue)"},
    {"exit 3", "giving up\n", "giving up"},
    {NULL, "epoch 3\n", "epoch 3"},
};

static void
who_was_killed_did_not_know_it(void **state)
{
	char *line, path[] = "/tmp/job-fault-test.XXXXXX";
	struct job_failure_line f = {NULL, -1, -1};
	size_t i;

	(void)state;
	assert_int_not_equal(close(mkstemp(path)), -1);
	for (i = 0; i < sizeof deaths / sizeof *deaths; i++) {
		write_log(path, deaths[i].log);
		f.cause = deaths[i].cause;
		line = job_failure_line_line(&f, path);
		assert_ptr_equal(job_failure_line_why(&f, path),
		    job_failure_line_words(
			strstr(deaths[i].log, "TIME LIMIT") != NULL
			    ? "TIMEOUT"
			    : deaths[i].cause));
		if (deaths[i].line == NULL
			? line != NULL
			: line == NULL || strcmp(line, deaths[i].line) != 0)
			fail_msg("death %zu: %s", i, line ? line : "nothing");
		free(line);
	}
	assert_int_equal(unlink(path), 0);
	assert_null(job_failure_line_line(&f, path));
}

static const struct {
	const char *line, *cause;
} named[] = {
    {"RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
	"GPU_OUT_OF_MEMORY"},
    {"torch.OutOfMemoryError: CUDA out of memory.", "GPU_OUT_OF_MEMORY"},
    {"RuntimeError: CUDA error: out of memory", "GPU_OUT_OF_MEMORY"},
    {"torch.cuda.OutOfMemoryError: HIP out of memory.", "GPU_OUT_OF_MEMORY"},
    {"cupy.cuda.driver.CUDADriverError: CUDA_ERROR_OUT_OF_MEMORY",
	"GPU_OUT_OF_MEMORY"},
    {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
     "while trying to allocate 8589934592 bytes.",
	"GPU_OUT_OF_MEMORY"},
    {"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
     "`cublasCreate(handle)`",
	"GPU_OUT_OF_MEMORY"},
    {"tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when "
     "allocating tensor with shape[64,64] on /job:localhost/device:GPU:0",
	"GPU_OUT_OF_MEMORY"},
    {"tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when "
     "allocating tensor with shape[64,64] on /job:localhost/device:CPU:0",
	"OUT_OF_MEMORY"},
    {"MemoryError", "OUT_OF_MEMORY"},
    {"MemoryError: tile 3", "OUT_OF_MEMORY"},
    {"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB",
	"OUT_OF_MEMORY"},
    {"  what():  std::bad_alloc", "OUT_OF_MEMORY"},
    {"OSError: [Errno 12] Cannot allocate memory", "OUT_OF_MEMORY"},
    {"slurmstepd: error: Detected 1 oom_kill event", "OUT_OF_MEMORY"},
    {"OSError: [Errno 28] No space left on device: 'x.pt'", "DISK_FULL"},
    {"cp: error writing 'a': Disk quota exceeded", "DISK_FULL"},
    {"ValueError: bad shape", NULL},
    {"giving up", NULL},
};

static int
same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void
a_line_names_a_cause(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof named / sizeof *named; i++)
		if (!same(
			job_failure_line_named(named[i].line), named[i].cause))
			fail_msg("%s", named[i].line);
	assert_null(job_failure_line_named(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_line_that_tells_is_found),
	    cmocka_unit_test(what_an_earlier_run_died_of_is_not_this_one_s),
	    cmocka_unit_test(what_a_node_wrote_may_be_in_another_time_zone),
	    cmocka_unit_test(equal_ends_meet),
	    cmocka_unit_test(different_ends_do_not),
	    cmocka_unit_test(who_was_killed_did_not_know_it),
	    cmocka_unit_test(a_line_names_a_cause),
	    cmocka_unit_test(causes_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
