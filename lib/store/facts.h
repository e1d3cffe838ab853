/*
 * All facts of a job, wherever they lie: in files of their own, or packed.
 */
#ifndef STFM_STORE_FACTS_H
#define STFM_STORE_FACTS_H

#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "store/fact.h"
#include "store/pack.h"

struct store_facts {
	struct store_fact *fact; /* each once, in the order of facts */
	size_t count;
	struct strlist strange; /* what lies in run/ and is no fact */
	struct strlist packs;   /* the names of all packs */
	struct strlist
	    damaged; /* what is wrong with the packs that were read */
	int sound;   /* no pack is damaged: no fact is missing */
	struct store_pack *pack; /* those that were read */
	size_t packs_read;
	int one; /* only this task was asked for */
	uint64_t task;
};

/*
 * List them in full.  Packs named in taken, which may be NULL, are not read:
 * their facts are known to the caller already.  Free with store_facts_free.
 */
int store_facts_list(const struct store_job *, const struct strlist *taken,
    struct store_facts *out, struct error *e);
void store_facts_free(struct store_facts *);

/*
 * The same of one task alone, at the cost of it and the packs.  They are read:
 * what only has the name of a fact of the task is left out.
 */
int store_facts_of(const struct store_job *, uint64_t task,
    struct store_facts *out, struct error *e);

/*
 * Read what a fact holds, also when it was packed since it was listed; errno
 * is EBADMSG when it is damaged, and ENOMSG when all that has its name is not
 * the fact of this name and job, whole or damaged: then there is no such fact.
 */
int store_facts_read(const struct store_job *, struct store_facts *,
    const struct store_fact *, struct store_fact_body *out, struct error *e);

/* Whether what has the name of a fact is another one. */
int store_facts_is_foreign(
    const struct store_job *, struct store_facts *, const struct store_fact *);

#endif
