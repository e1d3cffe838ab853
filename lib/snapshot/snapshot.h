/*
 * A snapshot is a copy of the code as it is when a job is submitted, so that
 * what is edited later changes no run.
 *
 * Inside a git work tree all tracked files are copied as they are now, and of
 * those that git neither knows nor ignores the ones that match patterns.
 * Outside git, where the command names a file in its directory, the files
 * below that match.  Whatever lies beside the copies (data, results, virtual
 * environments) becomes a symbolic link to the original, so that relative
 * paths lead where they led.
 *
 * A snapshot is planned before anything has changed, and copied afterwards.
 */
#ifndef STFM_SNAPSHOT_SNAPSHOT_H
#define STFM_SNAPSHOT_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* What may be copied at most. */
enum {
	SNAPSHOT_FILE = 20 << 20, /* bytes of one file */
	SNAPSHOT_BYTES = 200 << 20,
	SNAPSHOT_FILES = 20000, /* files, and links, and entries looked at */
	SNAPSHOT_DIFF = 64 << 20
};

struct snapshot_ask {
	const char *directory; /* where the tasks run, from the root */
	const struct strlist *command;
	const char *script;   /* the user's own batch script, or NULL */
	const char *patterns; /* PATTERN,...  -PATTERN leaves out; or NULL */
	const char *store;    /* its path: nothing in it is copied */
	/* Directories below directory in which results will be made. */
	struct strlist results;
};

struct snapshot_node;

struct snapshot {
	char *root; /* what is copied, or NULL when nothing is */
	char *work; /* directory below root; "" when it is root */
	char *why;  /* why nothing is copied, or why git was not asked */
	int by_git; /* git was asked, and knows the directory */
	char *commit, *branch, *remote;
	int dirty;
	char *diff; /* against the commit, or NULL */
	size_t diff_length;
	struct strlist untracked; /* paths of files that git does not know */
	struct strlist expected;  /* names of directories for results in work */
	struct strlist results;   /* directories to make before */
	uint64_t files, bytes;
	struct snapshot_node *top;
	char *list; /* one line for each copy, once they are made */
	size_t list_length;
};

/*
 * Find out what is to be copied.  Free with snapshot_free.  NULL when it is
 * too much or cannot be read.
 */
struct snapshot *snapshot_plan(const struct snapshot_ask *, struct error *e);
void snapshot_free(struct snapshot *);

/*
 * Copy into the directory dir/code, which must not be there yet, and make that
 * durable.  Fills list.  What is there after a failure is to be removed.
 */
int snapshot_copy(struct snapshot *, int dir, struct error *e);

/*
 * Directories of the copy, as paths below the root, that a Python installed
 * under this prefix takes packages from ("pip install -e"); none twice.
 */
void snapshot_packages(
    const struct snapshot *, const char *prefix, struct strlist *out);

/* Fill list as snapshot_copy would, and copy nothing. */
int snapshot_list(struct snapshot *, struct error *e);

/* The paths in which two lists differ, at most `most`, in order. */
void snapshot_compare(const char *list, const char *other, size_t most,
    struct strlist *differing);

/* What has come to be in a copy since it was made: paths. */
struct snapshot_changes {
	struct strlist added;   /* of a directory its own path alone */
	struct strlist changed; /* other bytes, or not a file any more */
	struct strlist gone;
	struct strlist opened; /* read-only files that can be written to now */
};

void snapshot_changes_free(struct snapshot_changes *);

/*
 * How far to look: only at what is in the list and of which type it is; into
 * its programs and settings; at what was added, and into files that a training
 * may write; or into all.
 */
enum snapshot_depth {
	SNAPSHOT_TYPES,
	SNAPSHOT_CODE,
	SNAPSHOT_DATA,
	SNAPSHOT_ALL
};

/*
 * Compare a copy, or what was copied (SNAPSHOT_CODE), with the list that was
 * made then.  At most `most` paths are told.
 */
int snapshot_compare_copy(int dir, const char *list, enum snapshot_depth,
    size_t most, struct snapshot_changes *out, struct error *e);

/* Whether a path of a list is of a file that a training may write. */
int snapshot_is_data(const char *list, const char *path);

#endif
