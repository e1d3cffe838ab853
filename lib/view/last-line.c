#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "view/failure-line.h"
#include "view/last-line.h"

char *
job_last_line(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	struct job_failure_line fault = {
	    row->cause, row->start, row->end, job_eta_had_stalled(row)};
	char *path, *line = NULL;

	if (fault.stalled && row->cause != NULL &&
	    strcmp(row->cause, "TIMEOUT") == 0)
		return xstrdup(job_failure_line_stalled);
	if (job_failure_line_is_cause(row->cause))
		return NULL;
	if (row->reason != NULL)
		return xstrdup(row->reason);
	path = job_view_errors(v, task);
	if (path != NULL)
		line = job_failure_line_line(&fault, path);
	free(path);
	return line;
}

const char *
job_last_line_cause(struct job_view *v, uint64_t task)
{
	const char *cause;
	char *line;

	if (store_table_state(v->table, task) != STORE_ERROR)
		return NULL;
	line = job_last_line(v, task);
	cause = job_failure_line_named(line);
	free(line);
	return cause;
}
