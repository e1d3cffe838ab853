#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "config/config.h"
#include "sys/fs.h"

static char *place; /* a fresh directory */

static void
put_file(const char *name, const char *text)
{
	char *path = fs_join(place, name);
	FILE *f;

	unlink(path);
	if (text != NULL) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_not_equal(fputs(text, f), EOF);
		assert_int_equal(fclose(f), 0);
		assert_int_equal(chmod(path, 0644), 0);
	}
	free(path);
}

static void
make_dir(const char *name)
{
	char *path = fs_join(place, name);

	assert_int_equal(fs_make_dirs(path, NULL), 0);
	free(path);
}

static void
set_path(const char *variable, const char *name)
{
	char *path = fs_join(place, name);

	setenv(variable, path, 1);
	free(path);
}

static int
make_place(void **state)
{
	static const char *const names[] = {"STFM_CONFIG", "STFM_DIR",
	    "STFM_CHARSET", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
	    "SBATCH_PARTITION", "SBATCH_QOS"};
	char name[] = "/tmp/stfm-config.XXXXXX";
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(name));
	place = fs_absolute(name);
	make_dir("config/stfm");
	make_dir("paper/.stfm");
	make_dir("paper/code/deep");
	assert_int_equal(chdir(place), 0);
	assert_int_equal(chdir("paper/code/deep"), 0);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
	set_path("HOME", "home");
	set_path("XDG_CONFIG_HOME", "config");
	set_path("STFM_SITE_CONFIG", "site.json");
	return 0;
}

static int
remove_place(void **state)
{
	int dir = fs_open_dir("/tmp", NULL);

	(void)state;
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(fs_remove_tree(dir, place + strlen("/tmp/"), NULL), 0);
	fs_close(dir);
	free(place);
	return 0;
}

static void
put_files(const char *site, const char *user, const char *project)
{
	put_file("site.json", site);
	put_file("config/stfm/config.json", user);
	put_file("paper/.stfm/config.json", project);
}

/* What holds and is in a file: "submit.args=hydra"; to free. */
static char *
holding(const struct config *c)
{
	const struct config_setting *s;
	const char *before = "";
	char *text = NULL;
	size_t length, i;
	FILE *out = xmemopen(&text, &length);

	for (i = 0; i < c->settings; i++) {
		s = &c->setting[i];
		if (!s->holds || s->is_off || s->line == 0)
			continue;
		fprintf(out, "%s%s%s%s%s%s", before, s->section,
		    *s->section ? "." : "", s->name, s->value ? "=" : "",
		    s->value ? s->value : "");
		before = " ";
	}
	xmemclose(out);
	return text;
}

static const struct {
	const char *site, *user, *project;
	const char *variable; /* "NAME=VALUE" or NULL */
	const char *holds;
} merges[] = {
    {NULL, NULL, NULL, NULL, ""},
    {"{\"color\":\"never\"}", "", " \n", NULL, "color=never"},
    {"{\"color\":\"never\"}", "{\"color\":\"auto\"}", NULL, NULL, "color=auto"},
    {"{\"color\":\"never\"}", "{\"color\":\"auto\"}", "{\"color\":\"always\"}",
	NULL, "color=always"},
    {"{\"color\":\"never\"}", NULL, "{\"color\":null}", NULL, ""},
    {"{\"watch\":{\"interval\":9}}", "{\"status\":{\"interval\":8}}", NULL,
	NULL, "watch.interval=9 status.interval=8"},
    /* the environment */
    {NULL, "{\"charset\":\"block\"}", NULL, "STFM_CHARSET=ascii", ""},
    {NULL, "{\"charset\":\"block\"}", NULL, "STFM_CHARSET=", "charset=block"},
    {NULL, "{\"color\":\"always\"}", NULL, "NO_COLOR=1", ""},
    {NULL, "{\"color\":\"never\"}", NULL, "CLICOLOR_FORCE=1", ""},
    {NULL, "{\"color\":\"never\"}", NULL, "CLICOLOR_FORCE=0", "color=never"},
    {NULL, "{\"color\":\"always\"}", NULL, "CLICOLOR=0", ""},
    {NULL, "{\"color\":\"always\"}", NULL, "CLICOLOR=1", "color=always"},
    {NULL, NULL, "{\"store\":\"/s\"}", "STFM_DIR=/t", ""},
    {NULL, NULL, "{\"sbatch\":{\"partition\":\"a\",\"qos\":\"b\"}}",
	"SBATCH_PARTITION=c", "sbatch.qos=b"},
    /* the nearest .stfm comes before the user's, not the project's */
    {NULL, "{\"store\":\"/s\"}", NULL, NULL, ""},
    {NULL, "{\"store\":\"/s\"}", "{\"store\":\"/p\"}", NULL, "store=/p"},
    {NULL, NULL, "{\"store\":\"/a/$NAME-${NAME}\"}", "NAME=x", NULL},
    {NULL, NULL, "{\"store\":\"/a/$NAME-1\"}", "NAME=x", "store=/a/x-1"},
    /* values */
    {"{\"submit\":{\"requeue\":true,\"canary\":true,\"max-fail\":3}}",
	"{\"submit\":{\"requeue\":5}}", "{\"submit\":{\"canary\":false}}", NULL,
	"submit.requeue=5 submit.max-fail=3"},
    {NULL, "{\"submit\":{\"requeue\":true}}", NULL, NULL, "submit.requeue"},
    {NULL, "{\"submit\":{\"metrics-regex\":[\"a\",\"b\"]}}", NULL, NULL,
	"submit.metrics-regex=a submit.metrics-regex=b"},
    {"{\"submit\":{\"metrics-regex\":[\"a\",\"b\"]}}",
	"{\"submit\":{\"metrics-regex\":\"c\"}}", NULL, NULL,
	"submit.metrics-regex=c"},
    {NULL, "{\"submit\":{\"epochs\":20,\"retry-oom\":1.50}}", NULL, NULL,
	"submit.epochs=20 submit.retry-oom=1.50"},
    {NULL, "{\"watch\":{\"on\":{\"best\":\"a b\",\"late,error\":\"c\"}}}", NULL,
	NULL, "watch.on=best a b watch.on=late,error c"},
    /* what goes together */
    {"{\"submit\":{\"metric\":\"acc\",\"goal\":\"max\"}}",
	"{\"submit\":{\"metric\":\"loss\"}}", NULL, NULL, "submit.metric=loss"},
    {"{\"submit\":{\"metric\":\"acc\"}}", "{\"submit\":{\"goal\":\"max\"}}",
	NULL, NULL, "submit.metric=acc submit.goal=max"},
    {"{\"sbatch\":{\"gres\":\"gpu:1\",\"mem\":\"4G\"}}",
	"{\"sbatch\":{\"gpus-per-node\":2,\"mem-per-cpu\":\"1G\"}}", NULL, NULL,
	"sbatch.gpus-per-node=2 sbatch.mem-per-cpu=1G"},
    {NULL,
	"{\"sbatch\":{\"tasks-per-node\":2,\"exclusive\":true,"
	"\"time\":90}}",
	NULL, NULL, "sbatch.exclusive sbatch.ntasks-per-node=2 sbatch.time=90"},
    /* a plug-in's */
    {NULL, "{\"sbatch\":{\"mps-daemon\":\"on\"}}", NULL, NULL,
	"sbatch.mps-daemon=on"},
};

static void
set_variable(const char *setting)
{
	char *copy = xstrdup(setting), *equals = strchr(copy, '=');

	*equals = '\0';
	setenv(copy, equals + 1, 1);
	free(copy);
}

static void
unset_variable(const char *setting)
{
	char *name = xstrndup(setting, strcspn(setting, "="));

	unsetenv(name);
	free(name);
}

static void
what_is_nearer_holds(void **state)
{
	struct config *c;
	struct error e;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof merges / sizeof *merges; i++) {
		put_files(merges[i].site, merges[i].user, merges[i].project);
		if (merges[i].variable != NULL)
			set_variable(merges[i].variable);
		c = config_load();
		if (merges[i].holds == NULL) {
			assert_int_equal(config_check(c, "log", &e), -1);
		} else {
			assert_int_equal(c->problems, 0);
			text = holding(c);
			assert_string_equal(text, merges[i].holds);
			free(text);
		}
		config_free(c);
		if (merges[i].variable != NULL)
			unset_variable(merges[i].variable);
	}
}

static void
paths_are_relative_to_the_project(void **state)
{
	struct config *c;
	char *text, *want;

	(void)state;
	put_files(NULL, "{\"store\":\"~/s\"}", "{\"store\":\"runs\"}");
	c = config_load();
	text = holding(c);
	want = xasprintf("store=%s/paper/runs", place);
	assert_string_equal(text, want);
	free(text);
	free(want);
	config_free(c);
}

static const struct {
	const char *text;
	const char *section; /* of the command that it keeps from working */
	const char *reason;
	const char *other; /* one that it does not, or NULL */
} refusals[] = {
    {"{", "log", "line 1, column 2: ", NULL},
    {"[1]", "log", "line 1, column 1: an object stands here", NULL},
    {"{\"color\":\"never\",}", "log", "line 1, column 18: ", NULL},
    {"{\"color\":1,\n\"color\":2}", "log", "line 2, column 1: ", NULL},
    {"{\n \"colour\": \"never\"}", "log",
	"line 2, column 2: unknown key \"colour\" (did you mean \"color\"?)",
	NULL},
    {"{\"submitt\":{}}", "log", "(did you mean \"submit\"?)", NULL},
    {"{\"partition\":\"gpu\"}", "log",
	"unknown key \"partition\" (see stfm-config(5))", NULL},
    {"{\"submit\":{\"parallex\":2}}", "submit", "(did you mean \"parallel\"?)",
	"log"},
    {"{\"submit\":{\"dry-run\":true}}", "submit", "unknown key", "log"},
    {"{\"submit\":[]}", "submit", "an object of options", "log"},
    {"{\"submit\":{\"parallel\":\"many\"}}", "submit",
	"line 1, column 23: \"parallel\": 'many' is no whole number", "log"},
    {"{\"submit\":{\"parallel\":0}}", "submit", "'0' is no whole", "log"},
    {"{\"submit\":{\"parallel\":true}}", "submit",
	"\"parallel\" is a whole number", "log"},
    {"{\"submit\":{\"canary\":\"yes\"}}", "submit",
	"\"canary\" is true or false", "log"},
    {"{\"submit\":{\"args\":\"short\"}}", "submit",
	"'short' is none of: long space", "log"},
    {"{\"submit\":{\"args\":{}}}", "submit", "\"args\" is a text", "log"},
    {"{\"submit\":{\"metric\":\"\"}}", "submit", "the value is empty", "log"},
    {"{\"watch\":{\"on\":\"x\"}}", "watch", "\"on\" is an object of commands",
	"log"},
    {"{\"watch\":{\"on\":{\"best\":[]}}}", "watch", "\"on\" is a text", "log"},
    {"{\"color\":\"al\"}", "log", "'al' is none of: always", NULL},
    {"{\"store\":\"here\"}", "log", "'here': a path begins with / or ~/", NULL},
    {"{\"store\":\"/$NOSUCH/x\"}", "log", "$NOSUCH is not set", NULL},
    {"{\"sbatch\":{\"partitoin\":\"gpu\"}}", "submit",
	"unknown key \"partitoin\" in \"sbatch\"", "log"},
    {"{\"sbatch\":{\"job-name\":\"x\"}}", "submit", "it is for one job",
	"status"},
    {"{\"sbatch\":{\"array\":\"0-9\"}}", "submit",
	"the tasks are those of the space", "status"},
    {"{\"sbatch\":{\"requeue\":true}}", "submit", "put it into \"submit\"",
	"status"},
};

static void
wrong_files_are_refused(void **state)
{
	struct config *c;
	struct error e;
	char *start = xasprintf("%s/config/stfm/config.json: line ", place);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		put_files(NULL, refusals[i].text, NULL);
		c = config_load();
		e.text[0] = '\0';
		if (config_check(c, refusals[i].section, &e) != -1 ||
		    strncmp(e.text, start, strlen(start)) != 0 ||
		    strstr(e.text, refusals[i].reason) == NULL)
			fail_msg("%s: %s", refusals[i].text, e.text);
		if (refusals[i].other != NULL &&
		    config_check(c, refusals[i].other, &e) == -1)
			fail_msg("%s: %s", refusals[i].other, e.text);
		config_free(c);
	}
	free(start);
}

static const char *const foreign =
    "{\"color\":\"never\",\n\"store\":\"/x\",\n"
    "\"submit\":{\"parallel\":2,\"metrics\":\"/x\",\"snapshot\":\"/\"},\n"
    "\"watch\":{\"on\":{\"best\":\"rm\"}},\n"
    "\"sbatch\":{\"partition\":\"p\",\"chdir\":\"/x\",\"output\":\"/x\","
    "\"container\":\"/x\",\"export\":\"A=1\",\"mps-daemon\":\"on\"}}";

/* It may be there to make others run, write or give away something. */
static void
little_is_taken_from_a_file_that_others_write(void **state)
{
	struct config *c;
	struct error e;
	char *text;
	size_t i;

	(void)state;
	put_files(NULL, NULL, foreign);
	text = xasprintf("%s/paper/.stfm/config.json", place);
	assert_int_equal(chmod(text, 0666), 0);
	free(text);
	c = config_load();
	assert_true(c->file[CONFIG_PROJECT].is_foreign);
	text = holding(c);
	assert_string_equal(
	    text, "color=never submit.parallel=2 sbatch.partition=p");
	free(text);
	assert_int_equal(c->problems, 9);
	for (i = 0; i < c->problems; i++)
		assert_true(c->problem[i].is_passed_over);
	assert_int_equal(config_check(c, "submit", &e), 0);
	config_free(c);
}

/* Nor does it keep anybody from working. */
static void
a_broken_file_that_others_write_is_passed_over(void **state)
{
	struct config *c;
	struct error e;
	char *path = xasprintf("%s/paper/.stfm/config.json", place);

	(void)state;
	put_files(NULL, NULL, "{");
	assert_int_equal(chmod(path, 0622), 0);
	c = config_load();
	assert_int_equal(c->problems, 1);
	assert_int_equal(config_check(c, "submit", &e), 0);
	config_free(c);
	unlink(path);
	assert_int_equal(mkfifo(path, 0644), 0);
	c = config_load();
	assert_int_equal(c->problems, 1);
	assert_non_null(strstr(c->problem[0].text, "not a regular file"));
	config_free(c);
	unlink(path);
	free(path);
}

static void
one_file_can_take_the_place_of_all(void **state)
{
	struct config *c;
	struct error e;
	char *text;

	(void)state;
	put_files("{\"color\":\"never\"}", "{", "{\"color\":\"always\"}");
	put_file("one.json", "{\"charset\":\"ascii\"}");
	set_path("STFM_CONFIG", "one.json");
	c = config_load();
	assert_int_equal(config_check(c, "log", &e), 0);
	text = holding(c);
	assert_string_equal(text, "charset=ascii");
	free(text);
	config_free(c);
	setenv("STFM_CONFIG", "/dev/null", 1);
	c = config_load();
	assert_int_equal(c->problems, 0);
	text = holding(c);
	assert_string_equal(text, "");
	free(text);
	config_free(c);
	set_path("STFM_CONFIG", "nosuch.json");
	c = config_load();
	assert_int_equal(config_check(c, "log", &e), -1);
	config_free(c);
	unsetenv("STFM_CONFIG");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_nearer_holds),
	    cmocka_unit_test(paths_are_relative_to_the_project),
	    cmocka_unit_test(wrong_files_are_refused),
	    cmocka_unit_test(little_is_taken_from_a_file_that_others_write),
	    cmocka_unit_test(a_broken_file_that_others_write_is_passed_over),
	    cmocka_unit_test(one_file_can_take_the_place_of_all),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
