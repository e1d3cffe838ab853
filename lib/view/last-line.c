#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "view/failure-line.h"
#include "view/last-line.h"

char *
job_words(struct job_view *v, uint64_t task)
{
	const struct store_row *row = job_view_row(v, task);
	struct job_fault fault = {
	    row->cause, row->start, row->end, job_eta_had_stalled(row)};
	char *path, *line = NULL;

	if (fault.stalled && row->cause != NULL &&
	    strcmp(row->cause, "TIMEOUT") == 0)
		return xstrdup(job_fault_stalled);
	if (job_fault_is_told(row->cause))
		return NULL;
	if (row->reason != NULL)
		return xstrdup(row->reason);
	path = job_view_errors(v, task);
	if (path != NULL)
		line = job_fault_line(&fault, path);
	free(path);
	return line;
}

const char *
job_words_cause(struct job_view *v, uint64_t task)
{
	const char *cause;
	char *line;

	if (store_fold_state(v->fold, task) != STORE_ERROR)
		return NULL;
	line = job_words(v, task);
	cause = job_fault_named(line);
	free(line);
	return cause;
}
