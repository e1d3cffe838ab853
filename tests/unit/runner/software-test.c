#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../place.h"
#include "base/xalloc.h"
#include "runner/software.h"
#include "sys/fs.h"

/* Write a file, with the directories above it. */
static void
put(const struct place *p, const char *name, const char *text)
{
	char *path = fs_join(p->path, name), *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	assert_int_equal(fs_make_dirs(path, NULL), 0);
	*slash = '/';
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

#define SITE "venv/lib/python3.11/site-packages/"

/* An environment with packages, and scripts that import some of them. */
static void
make_environment(const struct place *p)
{
	static const char *const files[][2] = {
	    {"venv/bin/python3", "#!/bin/sh\n"},
	    {"venv/pyvenv.cfg", "include-system-site-packages = false\n"},
	    {SITE "torch-2.3.0+cpu.dist-info/METADATA", ""},
	    {SITE "numpy-1.26.4.dist-info/METADATA", ""},
	    {SITE "unused-9.9.dist-info/METADATA", ""},
	    {SITE "strange.dist-info/METADATA", ""},
	    {SITE "h5py-3.7-py3.11.egg-info", ""},
	    {SITE "scipy-1.10.egg-info/top_level.txt", "scipy\n"},
	    {SITE "ruamel_yaml-0.18.dist-info/METADATA", ""},
	    {SITE "pillow-10.3.dist-info/top_level.txt", "PIL\n"},
	    {SITE "PIL/__init__.py", ""},
	    {"train.py",
		"import os, sys\nfrom torch import nn\nimport helper\n"
		"  import numpy as np, PIL.Image  # both\n"},
	    {"helper.py", "import ruamel_yaml\n"},
	    {"pkg/main.py", "import torch, h5py, scipy, strange\n"},
	    {"run.sh", "#!/bin/sh\npython3 train.py\n"},
	    {"own", "#!venv/bin/python3 -u\nimport numpy\n"},
	};
	size_t i;

	for (i = 0; i < sizeof files / sizeof *files; i++)
		put(p, files[i][0], files[i][1]);
}

static void
packages_are_those_that_the_script_imports(void **state)
{
	static const struct {
		const char *command, *expected;
	} cases[] = {
	    {"venv/bin/python3 train.py --lr=1",
		"python 3.11, torch 2.3.0+cpu, numpy 1.26.4, pillow 10.3, "
		"ruamel_yaml 0.18"},
	    {"venv/bin/python3 -u -W ignore train.py",
		"python 3.11, torch 2.3.0+cpu, numpy 1.26.4, pillow 10.3, "
		"ruamel_yaml 0.18"},
	    {"venv/bin/python3 -m pkg.main",
		"python 3.11, torch 2.3.0+cpu, h5py 3.7, scipy 1.10"},
	    {"venv/bin/python3 -c pass", "python 3.11"},
	    {"venv/bin/python3 nosuch.py", "python 3.11"},
	    {"venv/bin/python3 pipe", "python 3.11"},
	    {"./own", "python 3.11, numpy 1.26.4"},
	    {"./run.sh", NULL},
	    {"./pipe", NULL},
	    {"./nosuch", NULL},
	    {"", NULL},
	};
	const struct place *p = *state;
	struct strlist command = {0};
	char *list, *rest, *word, *text;
	size_t i;

	make_environment(p);
	text = fs_join(p->path, "pipe");
	assert_int_equal(mkfifo(text, 0700), 0);
	free(text);
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		list = rest = xstrdup(cases[i].command);
		while ((word = strsep(&rest, " ")) != NULL && *word != '\0')
			strlist_push(&command, word);
		text = job_software_packages(&command, p->path);
		if (cases[i].expected == NULL)
			assert_null(text);
		else
			assert_string_equal(
			    text != NULL ? text : "nothing", cases[i].expected);
		free(text);
		free(list);
		strlist_free(&command);
	}
}

/* How often the watched file was opened; the events are taken. */
static int
opened(int watch)
{
	char buffer[4096]
	    __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event;
	const char *at;
	ssize_t n;
	int count = 0;

	while ((n = read(watch, buffer, sizeof buffer)) > 0)
		for (at = buffer; at < buffer + n;
		     at += sizeof *event + event->len) {
			event = (const struct inotify_event *)(const void *)at;
			count += (event->mask & IN_OPEN) != 0;
		}
	return count;
}

static void
top_level_is_read_once_for_all_imports(void **state)
{
	const struct place *p = *state;
	struct strlist command = {0};
	int watch = inotify_init1(IN_NONBLOCK);
	char *path, *text;

	make_environment(p);
	put(p, SITE "PyYAML-6.0.dist-info/top_level.txt", "_yaml\r\nyaml");
	put(p, SITE "yaml/__init__.py", "");
	put(p, SITE "aaa-1.dist-info/top_level.txt", "aaa\n");
	put(p, SITE "cv2/__init__.py", "");
	put(p, SITE "yam.py", "");
	put(p, "many.py", "import cv2, yam, yaml, PIL\n");
	path = fs_join(p->path, SITE "PyYAML-6.0.dist-info/top_level.txt");
	assert_int_not_equal(
	    inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE), -1);
	strlist_push(&command, "venv/bin/python3");
	strlist_push(&command, "many.py");
	text = job_software_packages(&command, p->path);
	assert_string_equal(text, "python 3.11, PyYAML 6.0, pillow 10.3");
	assert_int_equal(opened(watch), 1);
	close(watch);
	free(text);
	free(path);
	strlist_free(&command);
}

static void
models_and_driver_are_those_of_the_kernel(void **state)
{
	const struct place *p = *state;
	char *models, *driver, *directory;

	put(p, "nvidia/version",
	    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat "
	    "Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n");
	put(p, "nvidia/gpus/0000:07:00.0/information",
	    "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 16\n");
	put(p, "nvidia/gpus/0000:0f:00.0/information",
	    "Model: \t\t NVIDIA A100-SXM4-40GB\n");
	directory = fs_join(p->path, "nvidia");
	job_software_gpus(directory, &models, &driver);
	free(directory);
	assert_string_equal(models, "NVIDIA A100-SXM4-40GB");
	assert_string_equal(driver, "535.104.05");
	free(models);
	free(driver);
	job_software_gpus("/nonexistent", &models, &driver);
	assert_null(models);
	assert_null(driver);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(
		packages_are_those_that_the_script_imports, place_set_up,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		top_level_is_read_once_for_all_imports, place_set_up,
		place_tear_down),
	    cmocka_unit_test_setup_teardown(
		models_and_driver_are_those_of_the_kernel, place_set_up,
		place_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
