/*
 * Declarations shared by the files of lib/snapshot: the tree of names, patterns
 * and ways to find files.
 */
#ifndef STFM_SNAPSHOT_PRIVATE_H
#define STFM_SNAPSHOT_PRIVATE_H

#include <sys/types.h>

#include "snapshot/snapshot.h"

enum snapshot_kind { NODE_FILE, NODE_DIRECTORY, NODE_LINK };

/* A name below the root.  A directory's children are sorted. */
struct snapshot_node {
	char *name;
	enum snapshot_kind kind;
	int tracked;   /* git tracks it */
	int kept;      /* a link that is part of the code */
	char *target;  /* of a link */
	uint64_t size; /* of a file */
	mode_t mode;
	struct snapshot_node **child;
	size_t children;
};

struct snapshot_node *node_new(const char *name, enum snapshot_kind kind);
void node_free(struct snapshot_node *);

/* Return the child with this name, or NULL. */
struct snapshot_node *node_find(
    const struct snapshot_node *, const char *name, size_t length);

/* Return the node of a path below a node, or NULL. */
const struct snapshot_node *node_at(
    const struct snapshot_node *, const char *path);

/* Join a directory, which may be "", and a name; to free. */
char *node_path(const char *path, const char *name);

/* Add the missing nodes of a path.  Returns its last node. */
struct snapshot_node *node_add(
    struct snapshot_node *top, const char *path, enum snapshot_kind kind);

/* Remove a child and everything below it. */
void node_remove(struct snapshot_node *parent, size_t child);

/* Patterns of the files to copy and of those to leave out. */
struct patterns {
	struct strlist in, out;
};

void patterns_make(struct patterns *, const char *asked);
void patterns_free(struct patterns *);

/* Return whether the patterns include a path, or exclude it. */
int patterns_take(const struct patterns *, const char *path, const char *work);
int patterns_leave(const struct patterns *, const char *path, const char *work);

/* Return whether a name is typical of a kind of file. */
int is_source(const char *name);   /* a program */
int is_settings(const char *name); /* a file that programs only read */
int is_results(const char *name);  /* a directory for results */
int is_data(const char *name);     /* a directory for data */
int is_never_copied(const char *name);

/* Return whether a node is a program or has one below it. */
int node_has_source(const struct snapshot_node *);

/*
 * Find the files with git.  Returns 1, 0 if directory is in no work tree or git
 * does not work (s->why has the reason), or -1.
 */
int snapshot_git(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, struct error *e);

/* Find the files by walking the tree below ask->directory.  Returns 0 or -1. */
int snapshot_walk(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, struct error *e);

#endif
