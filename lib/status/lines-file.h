/*
 * The lines of a file that may grow, be replaced or be rewritten while it is
 * read.  The file is opened for each read, because NFS shows new content only
 * then.
 */
#ifndef STFM_STATUS_LINES_FILE_H
#define STFM_STATUS_LINES_FILE_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/strlist.h"
#include "sys/lines.h"

enum { LINES_CHECKED = 64 };

/*
 * A file to read.  Before the first read, set path, which belongs to the
 * caller, and zero the rest.
 */
struct lines_file {
	const char *path;
	uint64_t offset; /* offset of the next byte to read */
	dev_t device;
	ino_t inode;
	int known; /* device and inode are set */
	char before[LINES_CHECKED];
	size_t checked; /* number of bytes in before, which precede offset */
	struct lines lines;
};

void lines_file_free(struct lines_file *);

/*
 * Set the offset to the start of the last count lines of the file; a last line
 * without newline counts.  Returns 0, or -1; errno is ENOENT if there is no
 * file.
 */
int lines_file_last(struct lines_file *f, uint64_t count, struct error *e);

/*
 * Pass the new lines to take.  All lines are new if the file was replaced or
 * its earlier content changed.  Returns 1 if there were any, 0, or -1; errno is
 * ENOENT if there is no file.
 */
int lines_file_read(
    struct lines_file *f, lines_take *take, void *arg, struct error *e);

/*
 * Pass the new bytes to put, otherwise like lines_file_read.  put returns 0, or
 * -1 to stop reading with a failure.
 */
typedef int lines_put(void *arg, const char *bytes, size_t length);
int lines_file_copy(
    struct lines_file *f, lines_put *put, void *arg, struct error *e);

/*
 * Get the last count non-empty lines of a file, with tabs as blanks, reading
 * only its last bytes.  out is empty if the file cannot be read.
 */
void lines_file_end(
    const char *path, size_t count, size_t bytes, struct strlist *out);

#endif
