#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/account.h"

enum { SUBMIT = 1795232857 };

/* As sacct of 22.05 writes it, from a slurmdbd with MariaDB. */
static const char output[] =
    "1_0|COMPLETED|0:0|1795232857|1795232857|1795232859|mix\n"
    "1_1|FAILED|3:0|1795232857|1795232857|1795232858|mix\n"
    "1_2|FAILED|0:11|1795232857|1795232857|1795232857|mix\n"
    "1_3|CANCELLED by 0|0:0|1795232857|1795232858|1795232860|mix\n"
    "1_4|TIMEOUT|0:0|1795232857|1795232858|1795232861|mix\n"
    "1_5|RUNNING|0:0|1795232857|1795232858|Unknown|mix\n"
    "7_[0-3,7-9%2]|PENDING|0:0|1795232863|Unknown|Unknown|wait\n"
    "8_0|REQUEUED|0:0|1795232872|1795232872|1795232874|re\n"
    "8_1|REQUEUED|0:0|1795232872|1795232872|1795232874|re\n"
    "8_2|RUNNING|0:0|1795232872|1795232872|Unknown|re\n"
    "8_0|PENDING|0:0|1795232874|Unknown|Unknown|re\n"
    "9_0|NODE_FAIL|0:0|1795232872|1795232872|1795232876|nodefail\n"
    "13_0|CANCELLED by 0|0:0|1795232928|1795232929|1795232931|half\n"
    "13_1|COMPLETED|0:0|1795232928|1795232929|1795232931|half\n"
    "13_[1-5%2]|CANCELLED by 0|0:0|1795232928|None|1795232931|half\n"
    "16_[0-396:3]|CANCELLED by 0|0:0|1795232935|None|1795232938|sparse\n"
    "17_2|FAILED|0:53|1795232940|1795232940|1795232940|badpath\n"
    "20|COMPLETED|0:0|1795232942|1795232942|1795232942|allocation\n";

static const struct queue_account_array asked[] = {{17, "badpath", SUBMIT},
    {1, "mix", SUBMIT}, {7, "wait", SUBMIT}, {8, "re", SUBMIT},
    {9, "nodefail", SUBMIT}, {13, "half", SUBMIT}, {16, "sparse", SUBMIT},
    {20, "allocation", SUBMIT}};

enum { ASKED = sizeof asked / sizeof *asked };

static struct queue_account *
read_output(void)
{
	return queue_account_read(output, asked, ASKED);
}

/* The record of a task of such an array. */
static const struct queue_account_record *
find(const struct queue_account *account, uint32_t array, uint32_t index)
{
	const struct queue_account_array of = {
	    .array = array, .since = SUBMIT, .alone = index == UINT32_MAX};

	return queue_account_find(account, &of, index);
}

static void
each_task_has_its_record(void **state)
{
	static const struct {
		uint32_t array, index;
		const char *name;
		int alive, status;
		uint32_t restarts;
		int64_t start, end;
		int shared;
	} cases[] = {
	    {1, 0, "COMPLETED", 0, 0, 0, SUBMIT, SUBMIT + 2, 0},
	    {1, 1, "FAILED", 0, 3 << 8, 0, SUBMIT, SUBMIT + 1, 0},
	    {1, 2, "FAILED", 0, 11, 0, SUBMIT, SUBMIT, 0},
	    {1, 3, "CANCELLED", 0, 0, 0, SUBMIT + 1, SUBMIT + 3, 0},
	    {1, 4, "TIMEOUT", 0, 0, 0, SUBMIT + 1, SUBMIT + 4, 0},
	    {1, 5, "RUNNING", 1, 0, 0, SUBMIT + 1, 0, 0},
	    {8, 0, "PENDING", 1, 0, 1, 0, 0, 0},
	    /* Whatever is not known to be final counts as alive. */
	    {8, 1, "", 1, 0, 0, SUBMIT + 15, SUBMIT + 17, 0},
	    {9, 0, "NODE_FAIL", 0, 0, 0, SUBMIT + 15, SUBMIT + 19, 0},
	    /* Its own record comes before that of the rest. */
	    {13, 1, "COMPLETED", 0, 0, 0, SUBMIT + 72, SUBMIT + 74, 0},
	    {13, 2, "CANCELLED", 0, 0, 0, 0, SUBMIT + 74, 1},
	    {13, 5, "CANCELLED", 0, 0, 0, 0, SUBMIT + 74, 1},
	    {16, 396, "CANCELLED", 0, 0, 0, 0, SUBMIT + 81, 1},
	    {17, 2, "FAILED", 0, 53, 0, SUBMIT + 83, SUBMIT + 83, 0},
	};
	struct queue_account *account = read_output();
	const struct queue_account_record *r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		r = find(account, cases[i].array, cases[i].index);
		if (r == NULL)
			fail_msg("case %zu: no record", i);
		assert_string_equal(r->state_name, cases[i].name);
		assert_int_equal(r->alive, cases[i].alive);
		assert_int_equal(r->exit_status, cases[i].status);
		assert_int_equal(r->restarts, cases[i].restarts);
		assert_int_equal(r->start, cases[i].start);
		assert_int_equal(r->end, cases[i].end);
		assert_int_equal(r->shared, cases[i].shared);
	}
	assert_null(account->trouble);
	assert_true(account->expected);
	queue_account_free(account);
}

static void
tasks_without_a_record_of_their_own_have_none(void **state)
{
	static const struct {
		uint32_t array, index;
	} cases[] = {{1, 6}, {2, 0}, {17, 0}, /* not recorded (yet) */
	    {7, 0}, {7, 2},                   /* waiting */
	    {13, 6}, {16, 1},                 /* not among the rest */
	    {20, 0}};                         /* no array */
	struct queue_account *account = read_output();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		if (find(account, cases[i].array, cases[i].index) != NULL)
			fail_msg("case %zu: a record", i);
	queue_account_free(account);
}

/* The state that a single line gives to 5_3 of "mine", or NULL. */
static const char *
state_of(const char *text)
{
	static const struct queue_account_array mine = {5, "mine", SUBMIT};
	struct queue_account *account = queue_account_read(text, &mine, 1);
	const struct queue_account_record *r = find(account, 5, 3);
	const char *name = r != NULL ? r->state_name : NULL;

	queue_account_free(account);
	return name;
}

static void
what_is_not_ours_is_passed_over(void **state)
{
	static const struct {
		const char *line, *state;
	} cases[] = {
	    {"5_3|FAILED|1:0|1795232857|1|1|mine", "FAILED"},
	    {"5_3|FAILED|1:0|1795232857|1|1|mine\n\n", "FAILED"},
	    /* Clocks may differ by a day. */
	    {"5_3|FAILED|1:0|1795146457|1|1|mine", "FAILED"},
	    {"5_3|FAILED|1:0|1795146456|1|1|mine", NULL},
	    {"5_3|FAILED|1:0|Unknown|1|1|mine", NULL},
	    {"5_3|FAILED|1:0|2026-11-21T03:47:37|1|1|mine", NULL},
	    {"5_3|FAILED|1:0|1795232857|1|1|other", NULL},
	    {"5_3|FAILED|1:0|1795232857|1|1|mine|", NULL},
	    {"5_3|FAILED|1:0|1795232857|1|1|", NULL},
	    {"6_3|FAILED|1:0|1795232857|1|1|mine", NULL},
	    {"5_[3]|PENDING|0:0|1795232857|Unknown|Unknown|mine", NULL},
	    {"5_[3]|CANCELLED|0:0|1795232857|None|1|mine", "CANCELLED"},
	    {"5_[0x3FF]|CANCELLED|0:0|1795232857|None|1|mine", NULL},
	    {"5_[1-2,3-5,...]|CANCELLED|0:0|1795232857|None|1|mine", NULL},
	    {"5_3|RESIZING|0:0|1795232857|1|1|mine", NULL},
	    {"5_3|REVOKED|0:0|1795232857|1|1|mine", NULL},
	    {"5_3|STATE_OF_2031|0:0|1795232857|1|1|mine", ""},
	    {"5_3|OUT_OF_MEMORY|0:125|1795232857|1|1|mine", "OUT_OF_MEMORY"},
	    {"5_3|FAILED|300:0|1795232857|1|1|mine", NULL},
	    {"5_3|FAILED|1|1795232857|1|1|mine", NULL},
	    {"5_3|FAILED|1:0|1795232857|1|1", NULL},
	    {"5_3.batch|FAILED|1:0|1795232857|1|1|mine", NULL},
	    {"5_|FAILED|1:0|1795232857|1|1|mine", NULL},
	    {"5_4294967296|FAILED|1:0|1795232857|1|1|mine", NULL},
	    {"5|FAILED|1:0|1795232857|1|1|mine", NULL},
	    {"Slurm accounting storage is disabled", NULL},
	    {"||||||", NULL},
	    {"", NULL},
	};
	const char *got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = state_of(cases[i].line);
		if (cases[i].state == NULL
			? got != NULL
			: got == NULL || strcmp(got, cases[i].state) != 0)
			fail_msg("%s: %s, not %s", cases[i].line,
			    got ? got : "NULL",
			    cases[i].state ? cases[i].state : "NULL");
	}
}

static void
the_last_run_counts_whatever_the_order(void **state)
{
	static const struct queue_account_array mine = {5, "mine", SUBMIT};
	static const char text[] =
	    "5_3|TIMEOUT|0:0|1795232900|1795232950|1795232960|mine\n"
	    "5_3|PREEMPTED|0:0|1795232857|1795232858|1795232870|mine\n"
	    "5_2|FAILED|1:0|1795232857|1795232858|1795232860|mine\n"
	    /* Another user's job of long ago is no run of ours. */
	    "5_3|COMPLETED|0:0|1500000000|1500000000|1500000001|mine\n"
	    "5_3|NODE_FAIL|0:0|1795232880|1795232885|1795232890|mine\n";
	struct queue_account *account = queue_account_read(text, &mine, 1);
	const struct queue_account_record *r;

	(void)state;
	r = find(account, 5, 3);
	assert_non_null(r);
	assert_string_equal(r->state_name, "TIMEOUT");
	assert_int_equal(r->state, QUEUE_TIMEOUT);
	assert_int_equal(r->restarts, 2);
	assert_int_equal(r->submit, 1795232900);
	r = find(account, 5, 2);
	assert_non_null(r);
	assert_int_equal(r->restarts, 0);
	queue_account_free(account);
}

static void
who_is_cancelled_while_it_waits_never_begins(void **state)
{
	static const struct queue_account_array mine = {5, "mine", SUBMIT};
	static const struct {
		const char *line;
		int64_t start;
	} cases[] = {
	    {"5_3|CANCELLED by 0|0:0|1795232857|1795232860|1795232860|mine", 0},
	    {"5_3|CANCELLED|0:0|1795232857|1795232861|1795232860|mine", 0},
	    {"5_3|CANCELLED|0:0|1795232857|1795232859|1795232860|mine",
		SUBMIT + 2},
	    {"5_3|DEADLINE|0:0|1795232857|1795232860|1795232860|mine", 0},
	    {"5_3|DEADLINE|0:0|1795232857|1795232859|1795232860|mine",
		SUBMIT + 2},
	    {"5_3|FAILED|1:0|1795232857|1795232860|1795232860|mine",
		SUBMIT + 3},
	    {"5_3|RUNNING|0:0|1795232857|1795232860|Unknown|mine", SUBMIT + 3},
	    {"5_3|PENDING|0:0|1795232857|1795232860|Unknown|mine", 0},
	};
	struct queue_account *account;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		account = queue_account_read(cases[i].line, &mine, 1);
		if (find(account, 5, 3)->start != cases[i].start)
			fail_msg("%s", cases[i].line);
		queue_account_free(account);
	}
}

/* Slurm was made anew, and gave the ids of jobs away again. */
static void
an_id_that_was_given_twice_is_of_two_arrays(void **state)
{
	enum { LATER = SUBMIT + 500000, DAY = 86400 };
	static const struct queue_account_array list[] = {{5, "other", LATER},
	    {6, "before", SUBMIT}, {5, "mine", SUBMIT}, {7, "same", LATER},
	    {7, "same", SUBMIT}, {8, "theirs", LATER, 1, 0},
	    {8, "theirs", SUBMIT, 1, 0}, {9, "alone", SUBMIT, 1, 1},
	    {9, "array", SUBMIT}};
	static const struct {
		size_t of;
		uint32_t index;
		const char *state;
		uint32_t restarts;
	} cases[] = {{0, 3, "FAILED", 0}, {2, 3, "TIMEOUT", 0},
	    {0, 4, "CANCELLED", 0}, {2, 4, NULL, 0}, {3, 3, "NODE_FAIL", 0},
	    {4, 3, "COMPLETED", 1}, {5, 3, "FAILED", 0}, {6, 3, "COMPLETED", 1},
	    {7, UINT32_MAX, "COMPLETED", 0}, {8, 0, "FAILED", 0}};
	char text[1024];
	struct queue_account *account;
	const struct queue_account_record *r;
	const char *name;
	size_t i;

	(void)state;
	snprintf(text, sizeof text,
	    "5_3|TIMEOUT|0:0|%d|2|3|mine\n"
	    "5_3|FAILED|1:0|%d|2|3|other\n"
	    "5_[4]|CANCELLED|0:0|%d|None|3|other\n"
	    /* Put back once, and then the other one. */
	    "7_3|PREEMPTED|0:0|%d|2|3|same\n"
	    "7_3|COMPLETED|0:0|%d|2|3|same\n"
	    "7_3|NODE_FAIL|0:0|%d|2|3|same\n"
	    "8_3|PREEMPTED|0:0|%d|2|3|theirs\n"
	    "8_3|COMPLETED|0:0|%d|2|3|theirs\n"
	    "8_3|FAILED|1:0|%d|2|3|theirs\n"
	    "9|COMPLETED|0:0|%d|2|3|alone\n"
	    "9_0|FAILED|1:0|%d|2|3|array\n",
	    SUBMIT, LATER, LATER, SUBMIT, SUBMIT + DAY, LATER - 60, SUBMIT,
	    SUBMIT + DAY, LATER, SUBMIT, SUBMIT);
	account = queue_account_read(text, list, sizeof list / sizeof *list);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		r = queue_account_find(
		    account, &list[cases[i].of], cases[i].index);
		name = r != NULL ? r->state_name : "none";
		if (strcmp(name, cases[i].state ? cases[i].state : "none") != 0)
			fail_msg("case %zu: %s", i, name);
		if (r != NULL)
			assert_int_equal(r->restarts, cases[i].restarts);
	}
	queue_account_free(account);
}

/* A port of this machine on which nobody ever answers; *fd is to be closed. */
static int
silent_port(int *fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof address;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_not_equal(*fd, -1);
	assert_int_equal(bind(*fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(
	    getsockname(*fd, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin_port);
}

/* Ask the real sacct on a cluster that is nothing but a slurm.conf. */
static struct queue_account *
ask(const char *type, int port)
{
	static const struct queue_account_array mine = {5, "mine", SUBMIT};
	char name[] = "/tmp/stfm-account.XXXXXX";
	struct queue_account *account;
	int fd = mkstemp(name);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fprintf(f,
	    "ClusterName=none\nSlurmctldHost=localhost\n"
	    "AccountingStorageType=accounting_storage/%s\n"
	    "AccountingStorageHost=127.0.0.1\nAccountingStoragePort=%d\n",
	    type, port);
	assert_int_equal(fclose(f), 0);
	setenv("SLURM_CONF", name, 1);
	account = queue_account_load(&mine, 1);
	unlink(name);
	assert_null(find(account, 5, 3));
	return account;
}

static void
no_accounting_is_no_error(void **state)
{
	struct queue_account *account = ask("none", 6819);

	(void)state;
	assert_string_equal(
	    account->trouble, "Slurm accounting storage is disabled");
	assert_false(account->expected);
	queue_account_free(account);
}

static void
accounting_that_is_down_is_expected_to_answer_later(void **state)
{
	struct queue_account *account;
	int fd, port = silent_port(&fd);

	(void)state;
	account = ask("slurmdbd", port);
	assert_string_equal(account->trouble,
	    "Problem talking to the database: Connection refused");
	assert_true(account->expected);
	queue_account_free(account);

	assert_int_equal(listen(fd, 8), 0);
	setenv("STFM_SLURM_TIMEOUT", "1", 1);
	account = ask("slurmdbd", port);
	assert_string_equal(account->trouble, "sacct did not end in time");
	assert_true(account->expected);
	queue_account_free(account);
	unsetenv("STFM_SLURM_TIMEOUT");
	close(fd);
}

static void
without_sacct_or_slurm_there_is_no_accounting(void **state)
{
	struct queue_account *account;
	char *path = xstrdup(getenv("PATH"));

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	account = ask("none", 6819);
	assert_string_equal(
	    account->trouble, "sacct: cannot start: No such file or directory");
	assert_false(account->expected);
	queue_account_free(account);
	setenv("PATH", path, 1);
	free(path);
	setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1);
	account = queue_account_load(asked, ASKED);
	assert_string_equal(account->trouble,
	    "no Slurm here: SLURM_CONF=/nonexistent/slurm.conf: No such file "
	    "or directory");
	assert_false(account->expected);
	queue_account_free(account);
}

static void
nothing_is_asked_for_no_arrays(void **state)
{
	struct queue_account *account = queue_account_load(NULL, 0);

	(void)state;
	assert_null(account->trouble);
	assert_int_equal(account->count, 0);
	assert_true(account->expected);
	assert_null(find(account, 0, 0));
	queue_account_free(account);
	queue_account_free(NULL);
}

/* What the lines tell of a job that others have queued, or NULL. */
static const char *
adopted_state(const char *text, int alone)
{
	const struct queue_account_array theirs = {.array = 5,
	    .name = "theirs",
	    .since = SUBMIT,
	    .exact = 1,
	    .alone = alone};
	struct queue_account *account = queue_account_read(text, &theirs, 1);
	const struct queue_account_record *r =
	    queue_account_find(account, &theirs, alone ? UINT32_MAX : 3);
	const char *name = r != NULL ? r->state_name : NULL;

	queue_account_free(account);
	return name;
}

static void
a_job_of_others_is_known_by_the_second_of_its_submission(void **state)
{
	static const struct {
		const char *line;
		int alone;
		const char *state;
	} cases[] = {
	    {"5_3|FAILED|1:0|1795232857|1|1|theirs", 0, "FAILED"},
	    {"5_3|FAILED|1:0|1795232857|1|1|renamed", 0, "FAILED"},
	    {"5_3|FAILED|1:0|1795232856|1|1|theirs", 0, NULL},
	    /* Put back into the queue since then, or another job. */
	    {"5_3|FAILED|1:0|1795232858|1|1|theirs", 0, "FAILED"},
	    {"5_3|FAILED|1:0|1795232858|1|1|other", 0, NULL},
	    {"5|COMPLETED|0:0|1795232857|1|1|theirs", 1, "COMPLETED"},
	    {"5|COMPLETED|0:0|1795232857|1|1|theirs", 0, NULL},
	    {"5_0|COMPLETED|0:0|1795232857|1|1|theirs", 1, NULL},
	};
	const char *got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		got = adopted_state(cases[i].line, cases[i].alone);
		if (cases[i].state == NULL
			? got != NULL
			: got == NULL || strcmp(got, cases[i].state) != 0)
			fail_msg("case %zu: %s", i, got ? got : "NULL");
	}
}

static void
a_token_of_others_is_that_of_one_job(void **state)
{
	static const struct {
		struct queue_record r;
		int is;
	} cases[] = {
	    {{.array = 12,
		 .uid = 7,
		 .submit = 100,
		 .name = "a:b",
		 .comment = "",
		 .command = ""},
		1},
	    {{.array = 12,
		 .uid = 7,
		 .submit = 100,
		 .name = "renamed",
		 .comment = "",
		 .command = ""},
		1},
	    {{.array = 12,
		 .uid = 8,
		 .submit = 100,
		 .name = "a:b",
		 .comment = "",
		 .command = ""},
		0},
	    {{.array = 12,
		 .uid = 7,
		 .submit = 101,
		 .name = "a:b",
		 .comment = "",
		 .command = ""},
		0},
	    {{.array = 12,
		 .uid = 7,
		 .submit = 99,
		 .name = "a:b",
		 .restarts = 1,
		 .comment = "",
		 .command = ""},
		0},
	    {{.array = 12,
		 .uid = 7,
		 .submit = 101,
		 .name = "a:b",
		 .restarts = 1,
		 .comment = "",
		 .command = ""},
		1},
	    {{.array = 12,
		 .uid = 7,
		 .submit = 101,
		 .name = "x",
		 .restarts = 1,
		 .comment = "",
		 .command = ""},
		0},
	    /* Another one of the same second. */
	    {{.array = 13,
		 .uid = 7,
		 .submit = 100,
		 .name = "a:b",
		 .comment = "",
		 .command = ""},
		0},
	};
	char *token = queue_adopt(7, 12, 100, "a:b");
	int64_t submit;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++)
		if (queue_has_token(&cases[i].r, token) != cases[i].is)
			fail_msg("case %zu", i);
	assert_string_equal(queue_adopted_name(token, &submit), "a:b");
	assert_int_equal(submit, 100);
	assert_null(queue_adopted_name("stfm-id-c00000.0", &submit));
	assert_null(queue_adopted_name("adopted:7", &submit));
	free(token);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_task_has_its_record),
	    cmocka_unit_test(tasks_without_a_record_of_their_own_have_none),
	    cmocka_unit_test(what_is_not_ours_is_passed_over),
	    cmocka_unit_test(the_last_run_counts_whatever_the_order),
	    cmocka_unit_test(who_is_cancelled_while_it_waits_never_begins),
	    cmocka_unit_test(an_id_that_was_given_twice_is_of_two_arrays),
	    cmocka_unit_test(no_accounting_is_no_error),
	    cmocka_unit_test(
		accounting_that_is_down_is_expected_to_answer_later),
	    cmocka_unit_test(without_sacct_or_slurm_there_is_no_accounting),
	    cmocka_unit_test(nothing_is_asked_for_no_arrays),
	    cmocka_unit_test(
		a_job_of_others_is_known_by_the_second_of_its_submission),
	    cmocka_unit_test(a_token_of_others_is_that_of_one_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
