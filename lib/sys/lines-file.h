/*
 * The lines of a file that may grow, be replaced, or be written anew while it
 * is read.  It is opened for each piece, which NFS needs to see what is new.
 */
#ifndef STFM_SYS_LINES_FILE_H
#define STFM_SYS_LINES_FILE_H

#include <sys/stat.h>

#include "base/error.h"
#include "base/strlist.h"
#include "sys/lines.h"

enum { LINES_CHECKED = 64 };

/* All zero but for the path, which the caller keeps: nothing was read yet. */
struct lines_file {
	const char *path;
	uint64_t offset; /* from where to read on */
	dev_t device;
	ino_t inode;
	int known; /* which file it is */
	char before[LINES_CHECKED];
	size_t checked; /* bytes before the offset that are in there */
	struct lines lines;
};

void lines_file_free(struct lines_file *);

/*
 * Read on from where the last count lines begin, as they are in the file: the
 * one that has no end yet counts too.
 * Returns 0, or -1; errno is ENOENT when there is no file.
 */
int lines_file_last(struct lines_file *f, uint64_t count, struct error *e);

/*
 * Give out the lines that are new.  Of a file that is another one now, or
 * begins otherwise, all is new. Returns whether anything was, or -1; errno is
 * ENOENT when there is no file.
 */
int lines_file_read(
    struct lines_file *f, lines_take *take, void *arg, struct error *e);

/*
 * The same, as bytes: put returns 0, or -1 when no more are wanted, which ends
 * it as an error does.
 */
typedef int lines_put(void *arg, const char *bytes, size_t length);
int lines_file_copy(
    struct lines_file *f, lines_put *put, void *arg, struct error *e);

/* The last count lines of a file that are not empty, tabs as blanks, as far as
 * its last bytes of this number have them; none when it cannot be read. */
void lines_file_end(
    const char *path, size_t count, size_t bytes, struct strlist *out);

#endif
