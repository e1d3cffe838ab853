/*
 * The policy of a job: what to do when tasks fail or reach their time limit.
 * It is a part of the job's record; zeroed, it asks for nothing.
 */
#ifndef STFM_STORE_POLICY_H
#define STFM_STORE_POLICY_H

#include <stdint.h>

#include "base/strlist.h"

/* The JSON object of jansson, which only lib/store uses. */
struct json_t;

/* Retry a failed task with more of a resource. */
struct store_retry {
	char *factor;  /* multiply by it, "1.5"; NULL: no retry */
	char *option;  /* the option of sbatch: "mem", "time" */
	int64_t base;  /* the job's own request, in MB or minutes */
	int64_t most;  /* the limit of a request; 0: none */
	int64_t times; /* retries that each task may have */
	int64_t bound; /* the limit that the user gave, or 0 */
};

struct store_policy {
	int64_t requeue;       /* requeues that a task may have; or 0 */
	int64_t signal_before; /* seconds before the time limit; or 0 */
	char *signal;          /* the signal at that time: "USR1" */
	int64_t max_fail;      /* stop the rest after so many failures; or 0 */
	int64_t canary;        /* run one epoch of the first task first */
	int64_t avoid;         /* exclude a node after so many failures; or 0 */
	int64_t usage; /* seconds between usage samples; -1 none; or 0 */
	struct store_retry memory, time;
};

/* Free the texts and make the policy ask for nothing. */
void store_policy_free(struct store_policy *);

/*
 * Return the policy as a member of the job's record, to json_decref, or NULL if
 * it asks for nothing.
 */
struct json_t *store_policy_record(const struct store_policy *);

/* Read the policy from record, which may be NULL, into an empty policy. */
void store_policy_take(const struct json_t *record, struct store_policy *);

/* Return the number of a signal that users may name, or 0. */
int store_policy_signal(const char *name);

/*
 * Return the signal that Slurm sends before the time limit.  It is the one that
 * the user chose; USR1 if there is none, or for TERM, which Slurm also uses to
 * end a job.
 */
const char *store_policy_notice(const struct store_policy *);

/*
 * The search of a job: the settings by which its trainings are compared and
 * stopped early.  It is another part of the job's record; zeroed, there is
 * none.
 *
 * Programs of earlier releases know nothing of rungs, and would train a pruned
 * task again.  So the record of a job with a search has a newer format version,
 * which they refuse.
 */
struct store_search {
	char *pruner;   /* "asha,eta=3,first=3": see search/pruner.h; or NULL */
	int64_t epochs; /* of the longest training, or 0: see job->epochs */
	int64_t version; /* of the rules that the pruner follows */
	/*
	 * "tpe", or the command line of a sampler, which chooses the point of a
	 * task when it starts; or NULL: the points are known at submission.
	 */
	char *sampler;
	char *guess; /* "lr=1e-3,width=128", the user's prior; or NULL */
	/*
	 * Results of another job, "VALUE<tab>line of points.tsv"; "VALUE@EPOCH"
	 * if it is the value at a rung.
	 */
	struct strlist results;
	char *until;     /* the value that ends the search, or NULL */
	char *gpu_hours; /* the GPU hours that end it, or NULL */
};

/* Return whether a search looks at the values of trainings. */
static inline int
store_search_compares(const struct store_search *search)
{
	return search->pruner != NULL || search->sampler != NULL ||
	    search->until != NULL;
}

/* Return whether a job has a search. */
static inline int
store_search_is_given(const struct store_search *search)
{
	return store_search_compares(search) || search->gpu_hours != NULL;
}

/* The rules of this release: those that search/pruner.h describes. */
enum { STORE_SEARCH_RULES = 1 };

void store_search_free(struct store_search *);

/*
 * Return the search as a member of the job's record, to json_decref, or NULL if
 * there is none.
 */
struct json_t *store_search_record(const struct store_search *);

/*
 * Read the search from record, which may be NULL, into an empty one.  It stays
 * empty if the record has none.
 */
void store_search_take(const struct json_t *record, struct store_search *);

#endif
