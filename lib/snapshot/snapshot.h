/*
 * A snapshot is a copy of the code at the time a job is submitted, so that
 * later edits change no run.
 *
 * In a git work tree it has all tracked files in their current state, and
 * untracked files that match patterns and are not ignored.  Outside git it has
 * the matching files below the directory, if the command names a file there.
 * All other files (data, results, virtual environments) become symbolic links
 * to the originals, so that relative paths still work.
 *
 * A snapshot is planned before anything changes, and copied afterwards.
 */
#ifndef STFM_SNAPSHOT_SNAPSHOT_H
#define STFM_SNAPSHOT_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* The limits of a snapshot. */
enum {
	SNAPSHOT_FILE = 20 << 20, /* bytes of one file */
	SNAPSHOT_BYTES = 200 << 20,
	SNAPSHOT_FILES = 20000, /* files, links, and examined entries */
	SNAPSHOT_DIFF = 64 << 20
};

struct snapshot_ask {
	/* Absolute path of the directory in which the tasks run. */
	const char *directory;
	const struct strlist *command;
	const char *script;   /* the user's own batch script, or NULL */
	const char *patterns; /* "PATTERN,-PATTERN" (-: leave out), or NULL */
	/* Path of the store, from which nothing is copied. */
	const char *store;
	/* Subdirectories of directory for results. */
	struct strlist results;
};

struct snapshot_node;

struct snapshot {
	char *root; /* the copied directory, or NULL if nothing is copied */
	char *work; /* directory below root; "" if it is root */
	char *why;  /* the reason for copying nothing, or for not using git */
	int by_git; /* git found the files */
	char *commit, *branch, *remote;
	int dirty;
	char *diff; /* changes since the commit, or NULL */
	size_t diff_length;
	struct strlist untracked; /* paths of files that git does not track */
	struct strlist expected;  /* names of directories for results in work */
	struct strlist results;   /* directories to create before the copy */
	uint64_t files, bytes;
	struct snapshot_node *top;
	char *list; /* one line per copy, after copying */
	size_t list_length;
};

/*
 * Find the files to copy.  Free with snapshot_free.  Returns NULL with the
 * reason in e if they are too many or too large, or cannot be read.
 */
struct snapshot *snapshot_plan(const struct snapshot_ask *, struct error *e);
void snapshot_free(struct snapshot *);

/*
 * Copy the files into the new directory dir/code, make it durable, and fill
 * list.  If dir is -1, copy nothing.  Returns 0 or -1.  After a failure the
 * caller removes the directory.
 */
int snapshot_copy(struct snapshot *, int dir, struct error *e);

/*
 * Add to out the directories of the copy, as paths below the root, from which a
 * Python installed under prefix imports ("pip install -e").  Each directory is
 * added once.
 */
void snapshot_packages(
    const struct snapshot *, const char *prefix, struct strlist *out);

/*
 * Compare two lists.  Adds to differing the paths of list that other lacks or
 * has with another content, and stops after `most` of them.  Adds to added,
 * which may be differing, the paths that only other has.
 */
void snapshot_compare(const char *list, const char *other, size_t most,
    struct strlist *differing, struct strlist *added);

/* The paths that changed in a copy. */
struct snapshot_changes {
	/* A new directory is one path, without its content. */
	struct strlist added;
	struct strlist changed; /* content differs, or it is no longer a file */
	struct strlist gone;
	struct strlist opened; /* read-only files that are now writable */
};

void snapshot_changes_free(struct snapshot_changes *);

/* What to compare, in addition to the types of the listed names. */
enum snapshot_depth {
	SNAPSHOT_TYPES, /* nothing else */
	SNAPSHOT_CODE,  /* content of programs and settings */
	SNAPSHOT_DATA,  /* new names, and files that a training may write */
	SNAPSHOT_ALL    /* content of all files */
};

/*
 * Compare a copy with its list or, with SNAPSHOT_CODE, the originals with the
 * list.  dir is the directory of the files.  Adds at most `most` paths to the
 * lists of out together.  Returns 0, or -1 with the reason in e.
 */
int snapshot_compare_copy(int dir, const char *list, enum snapshot_depth,
    size_t most, struct snapshot_changes *out, struct error *e);

/* Return whether path is in the list as a file that a training may write. */
int snapshot_is_data(const char *list, const char *path);

#endif
