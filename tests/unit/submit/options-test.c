#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "config/keys.h"
#include "job/argv.h"
#include "store/job.h"
#include "submit/options.h"

static const struct cli command = {
    "stfm-submit", "", "", "", submit_options_options, 0};

static const struct cli_option *
option_of(const char *name)
{
	const struct cli_option *o = submit_options_options;

	while (o->name != NULL && strcmp(o->name, name) != 0)
		o++;
	return o->name != NULL ? o : NULL;
}

static void
keys_of_files_are_options_with_such_a_value(void **state)
{
	const struct config_key *k;
	const char *argument;

	(void)state;
	for (k = config_keys; k < config_keys + config_keys_count; k++) {
		if (strcmp(k->section, "submit") != 0)
			continue;
		if (option_of(k->name) == NULL)
			fail_msg("%s: no such option", k->name);
		argument = option_of(k->name)->argument;
		if (k->kind == CONFIG_FLAG)
			assert_null(argument);
		else
			assert_int_equal(
			    *argument == '[', k->kind == CONFIG_MAYBE);
	}
}

/* Take "--name=value", and check what is checked later. */
static void
take(const char *name, const char *value)
{
	char *word = xasprintf("--%s=%s", name, value);
	char *argv[] = {"stfm-submit", word, NULL};
	static const char *const names[] = {
	    "batch_size", "learning_rate", "epochs", "early_stopping"};
	struct submit_options r;
	struct error e = {0};
	size_t i;

	submit_options_begin(&r, stdout);
	optind = 0;
	cli_start(&command);
	for (i = 0; i < 4; i++) /* --args=positional needs them */
		strlist_push(&r.plan->job->names, names[i]);
	assert_int_equal(cli_next(&command, 2, argv), 0);
	if (submit_options_take(&r, &e) == -1 ||
	    (strcmp(name, "args") == 0 &&
		job_argv_check(r.plan->job, (char[4]){0}, &e) == -1))
		fail_msg("%s: %s", word, e.text);
	submit_options_free(&r);
	free(word);
}

static void
options_take_the_choices_and_defaults_of_files(void **state)
{
	const struct config_key *k;
	char *list, *save, *word;

	(void)state;
	for (k = config_keys; k < config_keys + config_keys_count; k++) {
		if (strcmp(k->section, "submit") != 0)
			continue;
		if (k->built_in != NULL)
			take(k->name, k->built_in);
		list = xstrdup(k->choices != NULL ? k->choices : "");
		for (word = strtok_r(list, " ", &save); word != NULL;
		     word = strtok_r(NULL, " ", &save))
			take(k->name, word);
		free(list);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_of_files_are_options_with_such_a_value),
	    cmocka_unit_test(options_take_the_choices_and_defaults_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
