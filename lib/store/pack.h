/*
 * A pack holds facts of tasks that are over, many in one file, so that a
 * finished job is made of few files.  pack/p.GEN.RANDOM.jsonl has a sealed line
 * for each fact, its name at the front, and an end line with their number.
 *
 * A pack is published once and never changed.  A fact's own file is removed
 * when the pack is there and was read back; a pack when another holds all that
 * is in it.  So whoever lists run/ first and the packs then sees every fact,
 * some of them twice, which means nothing.
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
	STORE_PACKS = 8,          /* more small packs than this are merged */
	STORE_PACK_FULL = 8 << 20 /* a pack of so many bytes stays */
};

/* A pack that was read. */
struct store_pack {
	char *name, *text;
	struct store_pack_line {
		struct store_fact fact;
		size_t at, length; /* in text */
		size_t number;
	} * line; /* in the order of facts */
	size_t count;
	size_t unknown; /* lines of a kind or version not known here */
	size_t damaged; /* lines whose checksum does not fit, or no end */
	size_t *bad;    /* their numbers */
	int cut;        /* the end line is not there or does not fit */
};

/* The names of a job's packs; none where it has no directory for them. */
int store_pack_list(
    const struct store_job *, struct fs_names *out, struct error *e);

/*
 * Read a pack.  That lines of it are damaged is no failure: the others can be
 * used.  Returns 0, or -1; errno is ENOENT or ESTALE when it is gone.
 */
int store_pack_load(const struct store_job *, const char *name,
    struct store_pack *out, struct error *e);

/*
 * Read of a pack what it holds of one task, at the cost of little more: lines
 * are in the order of tasks.  Damage elsewhere in it is not seen.
 */
int store_pack_load_task(const struct store_job *, const char *name,
    uint64_t task, struct store_pack *out, struct error *e);
void store_pack_free(struct store_pack *);

/* The line of a fact, or NULL. */
const struct store_pack_line *store_pack_find(
    const struct store_pack *, const struct store_fact *);

/* Add to out what is wrong with a pack: a reason with its path, if anything. */
void store_pack_reasons(
    const struct store_job *, const struct store_pack *, struct strlist *out);

/*
 * Pack those of these facts (in order) whose files are whole and not younger
 * than the time old, if they are at least least.  *name is the new pack, to
 * free, or NULL.  Returns how many it holds, or -1; *name may be set all the
 * same, when what failed is to remove the files of what is packed.
 */
int64_t store_pack_facts(const struct store_job *, const struct store_fact *,
    size_t count, int64_t old, size_t least, char **name, struct error *e);

/*
 * Merge the small packs into one, if they are more than most.  from are then
 * those it replaces and *name is the new one, to free, or NULL.  A pack stays
 * that is damaged, or holds what is not known here or not of the job.  Returns
 * 0, or -1; *name may be set all the same.
 */
int store_pack_merge(const struct store_job *, size_t most,
    struct strlist *from, char **name, struct error *e);

/*
 * Publish another pack with all lines of a damaged one that are whole.  Returns
 * how many, or -1.
 */
int64_t store_pack_salvage(
    const struct store_job *, const char *name, struct error *e);

#endif
