#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "slurm/queue.h"

#define TOKEN "stfm-6h0bn8s7j0yzr-c00000.0"
#define JOB "/home/u/store/jobs/digits/"

/*
 * What a record of Slurm's says of TOKEN: whether it carries it, whether it was
 * queued with it, and which token of the job it has.
 */
static const struct {
	const char *comment, *command;
	int has, queued;
	const char *token;
} records[] = {
    /* The path of the script alone, and with arguments, as before 23.02. */
    {"", JOB "sub/.t." TOKEN, 1, 1, TOKEN},
    {"", JOB "sub/.t." TOKEN " c00000.0", 1, 1, TOKEN},
    {"site=1", JOB "sub/.t." TOKEN, 1, 1, TOKEN},
    /* The comment, with that of the user or the site around it. */
    {TOKEN, JOB "batch.sh c00000.0", 1, 1, TOKEN},
    {"{\"project\": 7} " TOKEN, JOB "batch.sh", 1, 1, TOKEN},
    {"site=[" TOKEN "]", JOB "batch.sh", 1, 1, TOKEN},
    /* A job that only mentions it. */
    {"evaluate " TOKEN, "/home/u/evaluate.sh", 1, 0, NULL},
    {"", "/home/u/evaluate.sh " TOKEN, 1, 0, NULL},
    {TOKEN, "", 1, 0, NULL},
    /* Another token, of which it is a part. */
    {TOKEN "1", JOB "batch.sh", 0, 0, TOKEN "1"},
    {"x" TOKEN, JOB "batch.sh", 0, 0, NULL},
    {"", JOB "sub/.t." TOKEN "a", 0, 0, TOKEN "a"},
    /* No token. */
    {"stfm-6h0bn8s7j0yzr", JOB "batch.sh", 0, 0, NULL},
    {"", "/tmp/stfm-6h0bn8s7j0yzr-cache/batch.sh", 0, 0, NULL},
    {"", "", 0, 0, NULL},
};

static void
only_what_runs_our_script_was_queued_by_us(void **state)
{
	struct queue_record r = {.name = ""};
	char *token;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof records / sizeof *records; i++) {
		r.comment = records[i].comment;
		r.command = records[i].command;
		token = queue_token_of(&r, "stfm-");
		if (queue_has_token(&r, TOKEN) != records[i].has ||
		    queue_is_queued_for(&r, TOKEN) != records[i].queued ||
		    (token == NULL) != (records[i].token == NULL) ||
		    (token != NULL && strcmp(token, records[i].token) != 0))
			fail_msg("record %zu: %s", i, token ? token : "none");
		free(token);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_what_runs_our_script_was_queued_by_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
