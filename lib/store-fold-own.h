/* What the files of the fold share with each other. */
#ifndef STFM_STORE_FOLD_OWN_H
#define STFM_STORE_FOLD_OWN_H

#include "fs.h"
#include "store-fold.h"

/* A line of the text; no length is no line: nothing is known of the task. */
struct line {
	uint32_t at, length;
};

/* Of each task; a line waits in the text until somebody asks for the row. */
struct fold_rows {
	char *text; /* of the generation, or NULL */
	struct line *line;
	struct store_row **row; /* NULL until it is asked for */
	unsigned char *state;   /* as loaded */
	char *edited;
	int is_part;
	struct ranges part;    /* the only rows that were read, when is_part */
	struct words *damaged; /* the fold's */
};

/* One letter a task in the line about the job, by state. */
extern const char fold_letters[];

/* The name of a generation in fold/. */
void fold_name(uint64_t generation, char out[64]);

/* The newest generation below limit in a listing, or 0. */
uint64_t fold_newest(const struct fs_names *, uint64_t limit);

#endif
