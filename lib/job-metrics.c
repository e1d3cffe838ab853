#include <inttypes.h>
#include <stdlib.h>

#include "fs.h"
#include "job-args.h"
#include "job-metrics.h"
#include "xalloc.h"

/* A path if there is a file, else NULL; what is not returned is freed. */
static char *
if_there(char *path)
{
	if (path != NULL && !fs_exists(path)) {
		free(path);
		path = NULL;
	}
	return path;
}

/* A path relative to where the tasks run; takes it over. */
static char *
in_directory(const struct store_job *job, char *path)
{
	char *whole;

	if (*path == '/')
		return path;
	whole = fs_join(job->directory, path);
	free(path);
	return whole;
}

static char *
results_log(const struct job_task *t)
{
	char *directory = job_args_results(t), *path;

	path = xasprintf("%s/%" PRIu64 ".csv", directory, t->task);
	free(directory);
	return path;
}

char *
job_metrics_find(const struct store_job *job, const struct store_row *row,
    const char *const *values)
{
	struct job_task t = {job, row->task, row->attempt, values};
	char *path = NULL;

	if (row->metrics_path != NULL)
		path = if_there(xstrdup(row->metrics_path));
	if (path == NULL && job->metrics != NULL)
		path = if_there(
		    in_directory(job, job_args_place(&t, job->metrics)));
	if (path == NULL)
		path = if_there(job_args_metrics(&t));
	if (path == NULL)
		path = if_there(in_directory(job, results_log(&t)));
	return path;
}
