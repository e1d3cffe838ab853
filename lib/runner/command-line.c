#include <stdio.h>
#include <stdlib.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/argv.h"
#include "job/container.h"
#include "runner/command-line.h"
#include "runner/workdir.h"
#include "store/job.h"

char *
job_command_line(const struct job_task *t)
{
	struct strlist environment = {0}, command = {0};
	char *none[] = {NULL}, *place, *text = NULL;
	size_t length, i;
	FILE *f;

	job_argv_environment(t, none, &environment);
	job_workdir_environment(t->job, &environment);
	for (i = environment.count; i-- > 0;)
		if (text_begins(environment.word[i], "PWD=")) /* by cd */
			strlist_drop(&environment, i);
	job_argv_words(t, &command);
	job_workdir_words(t->job, &command);
	job_container_wrap(t->job, CONTAINER_CPU, &command);
	place = store_job_place(t->job);
	f = xmemopen(&text, &length);
	fputs("cd ", f);
	text_shell(f, place);
	fputs(" && env ", f);
	text_shell_words(f, &environment);
	putc(' ', f);
	text_shell_words(f, &command);
	xmemclose(f);
	free(place);
	strlist_free(&environment);
	strlist_free(&command);
	return text;
}
