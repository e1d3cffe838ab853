/* The representation of a task table, for the files that read and write it. */
#ifndef STFM_STORE_TABLE_PRIVATE_H
#define STFM_STORE_TABLE_PRIVATE_H

#include "base/strlist.h"
#include "store/fields.h"
#include "store/record.h"
#include "store/table-row.h"
#include "sys/fs.h"

/* A row as it was loaded; length 0 means that it has no line. */
struct line {
	const char *at;
	uint32_t length;
	uint32_t attempt, restart;
	uint16_t begin;  /* bytes of store_brief; 0: parse the row */
	uint8_t facts;   /* attempt, restart and facts are as in store_brief */
	uint8_t in_base; /* its text is in the base generation */
};

/*
 * The rows of a table, indexed by task.  A line is parsed when its row is first
 * asked for.
 *
 * A generation may omit rows that have not changed since its base, an earlier
 * generation that has all rows.  So a reconcile pass over a large job writes
 * only the rows that changed.
 */
struct table_rows {
	struct strlist texts; /* the strings that the lines point into */
	uint64_t base;        /* number; maybe this generation; 0: none */
	char base_sum[STORE_SUM_SIZE]; /* checksum of its first line */
	uint64_t base_size;            /* bytes, if all of it was read */
	uint64_t count;                /* of the next four */
	struct line *line;
	struct store_row **row; /* NULL until the row is asked for */
	unsigned char *state;   /* states as loaded */
	char *edited;
	int is_part;
	struct idset part; /* if is_part, the only rows that were read */
	int is_reread;     /* the lines have values by other metrics settings */
	struct strlist *damaged; /* the table's */
};

/*
 * Return the facts of a row whose log must be read again: its state, restart
 * and facts are given.
 */
int table_facts_reread(enum store_state, uint32_t restart, int facts);

/* The letter for each state in the first line, which has one per task. */
extern const char table_letters[];

/* The fields of the first line, of struct store_table and store_summary. */
extern const struct store_field table_fields[], table_summary_fields[];

/* Write the name of a generation in fold/ to out. */
void table_file_name(uint64_t generation, char out[64]);

/* Return the newest generation below limit in a listing, or 0. */
uint64_t table_newest(const struct fs_names *, uint64_t limit);

/*
 * Return the generation from which write makes this name, KIND.GENERATION and
 * so on, or 0; or the newest one below limit in a listing.
 */
uint64_t table_generation_of(
    const char *name, void (*write)(uint64_t generation, char out[64]));
uint64_t table_newest_of(const struct fs_names *, uint64_t limit,
    void (*write)(uint64_t generation, char out[64]));

#endif
