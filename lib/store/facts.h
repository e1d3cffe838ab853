/* All facts of a job, in files of their own and in packs. */
#ifndef STFM_STORE_FACTS_H
#define STFM_STORE_FACTS_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "store/fact.h"
#include "store/pack.h"

struct store_facts {
	struct store_fact *fact; /* each once, by store_fact_compare */
	size_t count;
	/* Those of the search, which are of no single run, likewise. */
	struct store_fact *search;
	size_t search_count;
	struct strlist strange;  /* names in run/ that are not facts */
	struct strlist packs;    /* the names of all packs */
	struct strlist damaged;  /* damage in the packs that were read */
	int sound;               /* no pack is damaged, so no fact is missing */
	struct store_pack *pack; /* the packs that were read */
	size_t packs_read;
	int one; /* only the facts of task were asked for */
	uint64_t task;
};

/*
 * List all facts; *out is to be freed with store_facts_free.  Packs named in
 * taken, which may be NULL, are not read: the caller knows their facts.
 * Returns 0, or -1.
 */
int store_facts_list(const struct store_job *, const struct strlist *taken,
    struct store_facts *out, struct error *e);
void store_facts_free(struct store_facts *);

/*
 * List the facts of one task only, which costs little more than reading the
 * packs.  Each fact is read; a file that only has the name of a fact is left
 * out.  Result and ownership are those of store_facts_list.
 */
int store_facts_of(const struct store_job *, uint64_t task,
    struct store_facts *out, struct error *e);

/*
 * Read a fact, even if it was packed since it was listed; *out is to be freed
 * with store_fact_body_free.  Returns 0, or -1 with ERROR_DAMAGED if it
 * is damaged, or ERROR_FOREIGN if every file or line with its name, damaged or
 * not, belongs to another fact or job: then there is no such fact.
 */
int store_facts_read(const struct store_job *, struct store_facts *,
    const struct store_fact *, struct store_fact_body *out, struct error *e);

/*
 * Return the time of a fact by the clock of the file system, which files have,
 * too; if the fact has no file any more, by the clock of its node; -1 if it is
 * unknown.
 */
int64_t store_facts_time(
    const struct store_job *, struct store_facts *, const struct store_fact *);

/* Return whether each file or line with the name of a fact is another fact. */
int store_facts_is_foreign(
    const struct store_job *, struct store_facts *, const struct store_fact *);

#endif
