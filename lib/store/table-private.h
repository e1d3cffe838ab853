/* What the files of the fold share with each other. */
#ifndef STFM_STORE_TABLE_PRIVATE_H
#define STFM_STORE_TABLE_PRIVATE_H

#include "store/record.h"
#include "store/table.h"
#include "sys/fs.h"

/* A row as it was loaded; no length is no row: nothing is known of the task. */
struct line {
	const char *at;
	uint32_t length;
	uint32_t attempt, restart;
	uint16_t begin; /* bytes of store_brief; 0: only the row tells */
	uint8_t facts;  /* these three as there */
	uint8_t
	    in_base; /* it is in the base, and not in the generation itself */
};

/*
 * Of each task; a line waits in the texts until somebody asks for the row.
 *
 * A generation need not have all rows: those that it has not are in its base,
 * an earlier generation that has all.  So a pass over a large job writes only
 * the rows that changed since then.
 */
struct fold_rows {
	struct strlist texts; /* whatever the lines are in */
	uint64_t base;        /* or the generation itself, or 0 for neither */
	char base_sum[SEAL_SUM]; /* checksum of its first line */
	uint64_t base_size;      /* bytes, when all of it was read */
	struct line *line;
	struct store_row **row; /* NULL until it is asked for */
	unsigned char *state;   /* as loaded */
	char *edited;
	int is_part;
	struct idset part; /* the only rows that were read, when is_part */
	struct strlist *damaged; /* the fold's */
};

/* One letter a task in the line about the job, by state. */
extern const char fold_letters[];

/* The name of a generation in fold/. */
void fold_name(uint64_t generation, char out[64]);

/* The newest generation below limit in a listing, or 0. */
uint64_t fold_newest(const struct fs_names *, uint64_t limit);

#endif
