/*
 * The files of a training that writes to a directory: TensorBoard's event
 * files in it and in the directories below, the oldest first; or, where there
 * are none, Lightning's metrics.csv.
 */
#ifndef STFM_METRICS_READ_FILES_H
#define STFM_METRICS_READ_FILES_H

#include <stddef.h>

#include "base/error.h"

struct record_file {
	char *path;
	char *prefix; /* what record_name puts before its names: the directory
			 below, as "validation/", but for Lightning's
			 version_0 */
	int is_events;
};

struct record_files {
	struct record_file *file;
	size_t count;
};

/*
 * List them; none is no error.  Returns 0, or -1; errno is ENOENT or ENOTDIR
 * when there is no such directory.  One below that nobody may look into is
 * passed over; one that cannot be read now is not.  To free also after -1.
 */
int record_files_list(
    struct record_files *, const char *directory, struct error *e);
void record_files_free(struct record_files *);

#endif
