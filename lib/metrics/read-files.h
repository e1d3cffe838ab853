/*
 * The log files in the directory of a training: TensorBoard's event files in it
 * and in its subdirectories, the oldest first.  If there are none, Lightning's
 * metrics.csv.
 */
#ifndef STFM_METRICS_READ_FILES_H
#define STFM_METRICS_READ_FILES_H

#include <stddef.h>

#include "base/error.h"

struct record_file {
	char *path;
	/*
	 * What record_name (metrics/reader.h) puts before names of metrics: the
	 * subdirectory, "validation/", or nothing for Lightning's version_0.
	 */
	char *prefix;
	int is_events;
};

struct record_files {
	struct record_file *file;
	size_t count;
};

/*
 * List the files; having none is not an error.  Subdirectories that this user
 * may not read are left out.  Returns 0, or -1 with the reason in e; errno is
 * ENOENT or ENOTDIR if there is no such directory.  Free the list also after
 * -1.
 */
int record_files_list(
    struct record_files *, const char *directory, struct error *e);
void record_files_free(struct record_files *);

#endif
