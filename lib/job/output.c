#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "job/output.h"
#include "store/job.h"
#include "store/table-row.h"
#include "sys/fs.h"

char *
job_output(const struct store_job *job, const struct store_row *row)
{
	char *path;

	if (row->log != NULL)
		return xstrdup(row->log);
	if (row->array == -1)
		return NULL;
	/* A task that could not start has not recorded its log. */
	path = xasprintf("%s/log/%" PRId64 "_%" PRId64 ".log", job->path,
	    row->array, row->index);
	if (fs_exists(path))
		return path;
	free(path);
	return NULL;
}
