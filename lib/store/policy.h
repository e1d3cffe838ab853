/*
 * The policy of a job: what is to be done when a task does not go well.  It is
 * a part of the job's record; all zero asks for nothing.
 */
#ifndef STFM_STORE_POLICY_H
#define STFM_STORE_POLICY_H

#include <stdint.h>

/* Jansson's object, which is the store's own affair. */
struct json_t;

/* To queue a task again with more of something. */
struct store_retry {
	char *factor;  /* to multiply by, "1.5"; NULL: do not */
	char *option;  /* sbatch's name for it: "mem", "time" */
	int64_t base;  /* what the job asked for, in MB or minutes */
	int64_t most;  /* never ask for more; 0 for no limit */
	int64_t times; /* at most so often for each task */
	int64_t bound; /* the most that the user wants, or 0 */
};

struct store_policy {
	int64_t requeue;       /* put a task back at most so often; or 0 */
	int64_t signal_before; /* seconds before the time limit; or 0 */
	char *signal;          /* that the training gets then: "USR1" */
	int64_t max_fail;      /* failures that stop the rest; or 0 */
	int64_t canary;        /* the first task has to do an epoch first */
	int64_t avoid;         /* failures that make a node a bad one; or 0 */
	int64_t usage; /* seconds between looks at its use; -1 none; or 0 */
	struct store_retry memory, time;
};

/* Free the texts; the policy then asks for nothing. */
void store_policy_free(struct store_policy *);

/* As a member of the job's record, or NULL when it asks for nothing. */
struct json_t *store_policy_record(const struct store_policy *);

/* Read it back into an empty policy; record may be NULL. */
void store_policy_take(const struct json_t *record, struct store_policy *);

/* The number of a signal that can be asked for by its name, or 0. */
int store_policy_signal(const char *name);

/*
 * The signal that Slurm sends for it.  It is the same one but for TERM, by
 * which Slurm also says that a job is to end.
 */
const char *store_policy_notice(const struct store_policy *);

#endif
