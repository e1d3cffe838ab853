#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "job-fault.h"
#include "xalloc.h"

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
    {"stfm-run: max-fail 1: the rest of p is stopped\n", NULL},
    {"no line end", "no line end"},
};

static void
the_line_that_tells_is_found(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof logs / sizeof *logs; i++) {
		char *copy = xstrdup(logs[i].log);
		const char *line = job_fault_pick(copy);

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
		key = job_fault_key(keys[i].line);
		assert_string_equal(key, keys[i].key);
		free(key);
	}
}

static void
different_ends_do_not(void **state)
{
	char *a = job_fault_key("ValueError: x"),
	     *b = job_fault_key("TypeError: x");

	(void)state;
	assert_string_not_equal(a, b);
	free(a);
	free(b);
}

static void
causes_have_words(void **state)
{
	(void)state;
	assert_non_null(strstr(job_fault_words("TIMEOUT"), "time limit"));
	assert_non_null(job_fault_words("launch failure (exit 3)"));
	assert_null(job_fault_words("exit 1"));
	assert_null(job_fault_words(NULL));
	assert_true(job_fault_is_told("OUT_OF_MEMORY"));
	assert_false(job_fault_is_told("SIGSEGV"));
	assert_false(job_fault_is_told("exit 1"));
	assert_false(job_fault_is_told(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_line_that_tells_is_found),
	    cmocka_unit_test(equal_ends_meet),
	    cmocka_unit_test(different_ends_do_not),
	    cmocka_unit_test(causes_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
