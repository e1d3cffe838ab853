/* What the files that make snapshots share. */
#ifndef STFM_SNAPSHOT_PRIVATE_H
#define STFM_SNAPSHOT_PRIVATE_H

#include <sys/types.h>

#include "snapshot/snapshot.h"

enum snapshot_kind { NODE_FILE, NODE_DIRECTORY, NODE_LINK };

/* A name below the root.  Those of a directory are sorted. */
struct snapshot_node {
	char *name;
	enum snapshot_kind kind;
	int tracked;   /* git knows it */
	int kept;      /* a link that is itself part of the code */
	char *target;  /* of a link */
	uint64_t size; /* of a file */
	mode_t mode;
	struct snapshot_node **child;
	size_t children;
};

struct snapshot_node *node_new(const char *name, enum snapshot_kind kind);
void node_free(struct snapshot_node *);

/* The child of this name, or NULL. */
struct snapshot_node *node_find(
    const struct snapshot_node *, const char *name, size_t length);

/* Add a path of parts; what is there already stays.  Returns its node. */
struct snapshot_node *node_add(
    struct snapshot_node *top, const char *path, enum snapshot_kind kind);

/* Remove a child with all below it. */
void node_remove(struct snapshot_node *parent, size_t child);

/* The patterns of a snapshot. */
struct patterns {
	struct strlist in, out;
};

void patterns_make(struct patterns *, const char *asked);
void patterns_free(struct patterns *);

/* Whether a path is to be copied, or left out, by the patterns. */
int patterns_take(const struct patterns *, const char *path, const char *work);
int patterns_leave(const struct patterns *, const char *path, const char *work);

/* Names that tell what a file or directory is for. */
int is_source(const char *name);   /* a program */
int is_settings(const char *name); /* read by programs, never written */
int is_results(const char *name);  /* a directory for results */
int is_data(const char *name);     /* a directory for data */
int is_never_copied(const char *name);

/* Whether a source lies at or below a node. */
int node_has_source(const struct snapshot_node *);

/*
 * Files by git: 1, 0 when directory is in no work tree or git cannot be asked
 * (s->why tells), or -1.
 */
int snapshot_git(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, struct error *e);

/* The same by looking at all files below ask->directory. */
int snapshot_walk(struct snapshot *s, const struct snapshot_ask *ask,
    const struct patterns *patterns, struct error *e);

#endif
