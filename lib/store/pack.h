/*
 * A pack is one file with many facts of tasks that are over, so that a finished
 * job has few files.  pack/p.GEN.RANDOM.jsonl has a checksummed line for each
 * fact, which begins with its name, and an end line with their number.
 *
 * A pack is published once and never changed.  The file of a fact is removed
 * after the pack exists and was read back; a pack is removed after another pack
 * has all its facts.  So a program that lists run/ first and then the packs
 * sees every fact, and may see some twice.
 */
#ifndef STFM_STORE_PACK_H
#define STFM_STORE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "store/fact.h"
#include "sys/fs.h"

enum {
	STORE_PACKS = 8,          /* small packs are merged if there are more */
	STORE_PACK_FULL = 8 << 20 /* bytes; a pack of this size is not merged */
};

/* The content of a pack. */
struct store_pack {
	char *name, *text;
	struct store_pack_line {
		struct store_fact fact;
		size_t at, length; /* in text */
		size_t number;
	} * line; /* in the order of store_fact_compare */
	size_t count;
	size_t unknown; /* lines of an unknown kind or version */
	size_t damaged; /* lines with a wrong checksum or without end */
	size_t *bad;    /* the numbers of the damaged lines */
	int cut;        /* the end line is missing or wrong */
};

/*
 * List the names of a job's packs; *out is to be freed with fs_names_free and
 * is empty if there is no directory.  Returns 0, or -1.
 */
int store_pack_list(
    const struct store_job *, struct fs_names *out, struct error *e);

/*
 * Read a pack; *out is to be freed with store_pack_free.  Damaged lines are no
 * failure: the others can be used.  Returns 0, or -1; the code is ERROR_ABSENT,
 * or the number ESTALE, if the pack is gone.
 */
int store_pack_load(const struct store_job *, const char *name,
    struct store_pack *out, struct error *e);

/*
 * Read only the facts of one task from a pack.  That costs little more than
 * their lines, because lines are in the order of tasks.  Damage elsewhere goes
 * unnoticed.  Result and errors are those of store_pack_load.
 */
int store_pack_load_task(const struct store_job *, const char *name,
    uint64_t task, struct store_pack *out, struct error *e);
void store_pack_free(struct store_pack *);

/* Return the line of a fact, or NULL; it belongs to the pack. */
const struct store_pack_line *store_pack_find(
    const struct store_pack *, const struct store_fact *);

/* Add a reason with the path of the pack to out if it is damaged. */
void store_pack_reasons(
    const struct store_job *, const struct store_pack *, struct strlist *out);

/*
 * Pack facts into a new file; the array has count facts, in order.  Leaves out
 * facts whose file is damaged or was written after the time old.  If fewer than
 * least are left, packs none.  *name is the name of the new pack, to free, or
 * NULL.  Returns how many facts it holds, or -1.  *name may be set after -1:
 * then removing the files of packed facts failed.
 */
int64_t store_pack_facts(const struct store_job *, const struct store_fact *,
    size_t count, int64_t old, size_t least, char **name, struct error *e);

/*
 * Merge the small packs into one if there are more than most.  from gets the
 * names of the packs that it replaces, and *name that of the new pack, to free,
 * or NULL.  A pack that is damaged, or has lines that are unknown or not of
 * this job, is not merged.  Returns 0, or -1; *name may be set after -1.
 */
int store_pack_merge(const struct store_job *, size_t most,
    struct strlist *from, char **name, struct error *e);

/*
 * Publish a new pack with all undamaged lines of a damaged one.  Returns how
 * many there are, or -1.
 */
int64_t store_pack_salvage(
    const struct store_job *, const char *name, struct error *e);

/* The directory of packs in a job. */
extern const char store_packs[];

/*
 * Return the length of the line at a place in a text, with its newline, which
 * the last one may lack.
 */
size_t store_pack_line_length(const char *text, size_t at, size_t length);

/*
 * Publish the text of a pack under a name that no pack has, and read it back.
 * Returns 0; 1 if it is gone because another program merged it; or -1.
 */
int store_pack_publish(const struct store_job *, const char *name,
    const char *text, size_t length, struct error *e);

#endif
