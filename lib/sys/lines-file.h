/*
 * The lines of a file that may grow, be replaced or be rewritten while it is
 * read.  It is opened for each read, because NFS shows new content only then.
 */
#ifndef STFM_SYS_LINES_FILE_H
#define STFM_SYS_LINES_FILE_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/strlist.h"
#include "sys/lines.h"

enum { LINES_CHECKED = 64 };

/* Set path, which the caller owns, and zero the rest before the first read. */
struct lines_file {
	const char *path;
	uint64_t offset; /* where to continue reading */
	dev_t device;
	ino_t inode;
	int known; /* device and inode are set */
	char before[LINES_CHECKED];
	size_t checked; /* bytes before offset that are in before */
	struct lines lines;
};

void lines_file_free(struct lines_file *);

/*
 * Continue reading where the last count lines of the file begin; a last line
 * without newline counts.  Returns 0, or -1; ENOENT: there is no file.
 */
int lines_file_last(struct lines_file *f, uint64_t count, struct error *e);

/*
 * Give the new lines to take: all, if the file was replaced or begins
 * differently.  Returns whether there were any, or -1; ENOENT: there is no
 * file.
 */
int lines_file_read(
    struct lines_file *f, lines_take *take, void *arg, struct error *e);

/*
 * Give the new bytes to put, else as lines_file_read.  put returns 0, or -1 to
 * stop the reading like an error.
 */
typedef int lines_put(void *arg, const char *bytes, size_t length);
int lines_file_copy(
    struct lines_file *f, lines_put *put, void *arg, struct error *e);

/*
 * Get the last count lines of a file that are not empty, tabs as blanks, from
 * its last bytes, this many.  out is empty if the file cannot be read.
 */
void lines_file_end(
    const char *path, size_t count, size_t bytes, struct strlist *out);

#endif
