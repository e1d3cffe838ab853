/*
 * The queue: Slurm's records of this user's jobs, and stfm's requests to Slurm.
 * lib/slurm is the only folder that uses libslurm and Slurm's commands.
 *
 * stfm asks Slurm through libslurm.  If stfm was built without libslurm, or
 * STFM_SLURM is "text", stfm runs squeue, scancel, scontrol and sinfo.
 *
 * Every call is bounded in time.  libslurm only runs in a forked child, because
 * it exits when there is no configuration and can hang for minutes.  Slurm's
 * commands are processes anyway.
 *
 *	reading (queue_load, queue_cluster)	15 s, or $STFM_SLURM_TIMEOUT
 *	cancelling				60 s, or four times that
 *	sbatch					40 s, or $STFM_SBATCH_TIMEOUT
 *
 * queue_submit and queue_cancel also read the queue and may add one reading
 * deadline.  A request that ran out of time may still have been carried out.
 *
 * Functions that return -1 set the code of e: ERROR_SILENT if Slurm did not
 * answer, so that trying again makes sense; ERROR_NO_SLURM if there is no Slurm
 * here (no configuration, no sbatch); else ERROR_REFUSED, or ERROR_OTHER if
 * Slurm was not asked.
 */
#ifndef STFM_SLURM_QUEUE_H
#define STFM_SLURM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Return whether why says that Slurm did not answer or is not there. */
static inline int
queue_is_silent(const struct error *why)
{
	return why->code == ERROR_SILENT || why->code == ERROR_NO_SLURM;
}

/* The base states, numbered as Slurm does. */
enum queue_state {
	QUEUE_PENDING,
	QUEUE_RUNNING,
	QUEUE_SUSPENDED,
	QUEUE_COMPLETED,
	QUEUE_CANCELLED,
	QUEUE_FAILED,
	QUEUE_TIMEOUT,
	QUEUE_NODE_FAIL,
	QUEUE_PREEMPTED,
	QUEUE_BOOT_FAIL,
	QUEUE_DEADLINE,
	QUEUE_OUT_OF_MEMORY,
	QUEUE_OTHER /* a state this program does not know; counts as alive */
};

/*
 * Slurm's record of one array task, or of several tasks of an array that are
 * pending or were cancelled together.  Texts are never NULL unless a comment
 * says so.  Times are seconds since 1970, or 0.
 */
struct queue_record {
	uint32_t array; /* the id of the array, or of a job without one */
	uint32_t job;   /* the task's own id; it does not identify the task */
	/*
	 * The tasks: "7" or "2-9,11".  NULL for a job without an array, and if
	 * Slurm does not list them, as for an array cancelled before any task
	 * began.
	 */
	const char *indices;
	enum queue_state state; /* may be QUEUE_OTHER while completing */
	/*
	 * Not final.  A task that is COMPLETING is alive: its processes may
	 * still run, and Slurm may be requeueing it.
	 */
	int alive;
	int completing;
	/*
	 * The task is completing in order to be requeued.  restarts may already
	 * count that; times and nodes are those of the run that is ending.
	 */
	int returning;
	/* Slurm refused the submission: it was never pending. */
	int refused;
	/* "PENDING", "COMPLETING", as Slurm spells them. */
	const char *state_name;
	/* Why it is pending, or how it failed: "Priority"; or "". */
	const char *reason;
	int exit_status;   /* as waitpid(2) gives it; valid if not alive */
	uint32_t restarts; /* how often Slurm has requeued it */
	/* The throttle of its array: 0 is no limit, -1 unknown. */
	int64_t throttle;
	int64_t submit;
	int64_t start;       /* expected while PENDING */
	int64_t end;         /* expected while RUNNING */
	uint32_t time_limit; /* minutes, or UINT32_MAX without one */
	uint32_t uid;
	const char *name;
	const char *comment;
	const char *command; /* the batch script, before 23.02 with arguments */
	const char *partition;
	const char *nodes; /* "gpu[01-02]" */
	/* Unfulfilled dependencies: "afterany:12_*(unfulfilled)"; or "". */
	const char *dependency;
};

struct queue;

/*
 * Load all jobs of this user with one query; free *out with queue_free.
 * Returns 0, or -1 with a code as above.
 */
int queue_load(struct queue **out, struct error *e);

/* Free a queue; does nothing for NULL. */
void queue_free(struct queue *);

/* Return the number of records. */
size_t queue_count(const struct queue *);

/* Return the i-th record, in no order; it belongs to the queue. */
const struct queue_record *queue_record(const struct queue *, size_t i);

/* Return any record of an array, or NULL if Slurm has none. */
const struct queue_record *queue_find_any(const struct queue *, uint32_t array);

/*
 * Return the record for the task at index of an array.  That is the task's own
 * record, else the record of pending or cancelled tasks that include it, else a
 * record of the array that does not list its tasks.  The record belongs to the
 * queue.  NULL if Slurm has none: that says nothing about how the task ended.
 *
 * Sets *until to the last index for which the answer is the same.
 */
const struct queue_record *queue_find_until(
    const struct queue *, uint32_t array, uint32_t index, uint64_t *until);

/* Find a task's record as queue_find_until does. */
static inline const struct queue_record *
queue_find(const struct queue *q, uint32_t array, uint32_t index)
{
	uint64_t until;

	return queue_find_until(q, array, index, &until);
}

/*
 * Return whether a job of Slurm carries a token: as a word of its comment or of
 * the path of its script (sites and trainings change comments).  An id without
 * its token proves nothing: a controller that crashed may assign an id twice.
 */
int queue_has_token(const struct queue_record *, const char *token);

/*
 * Return the token of a job that stfm queued, made by job_chunk_name and
 * beginning with prefix ("stfm-" or more); to free, or NULL.  Other jobs may
 * have a token in their comment or arguments, so the job must run stfm's batch
 * script.
 */
char *queue_token_of(const struct queue_record *, const char *prefix);

/*
 * Return whether stfm queued the job with this token, by the rules of
 * queue_token_of.  Use it to find a job by its token alone; use queue_has_token
 * to check that a known id still belongs to the array.
 */
int queue_is_queued_for(const struct queue_record *, const char *token);

/* Return whether text contains token as a separate word. */
int queue_token_is_in(const char *text, const char *token);

/*
 * Make a token for a job that stfm did not queue, whose comment has none; to
 * free.  It holds the user, the id, and the time and name of the submission;
 * queue_has_token recognizes it.  The id is a part of it because a user may
 * submit several jobs in one second.  Slurm changes the time when it requeues a
 * job, and the user may change the name; stfm assumes that not both happen.
 */
char *queue_adopt(
    uint32_t uid, uint32_t array, int64_t submit, const char *name);

/*
 * Return the name in a token of queue_adopt and set *submit to its time, or
 * return NULL and set it to 0 for another token.  The name belongs to the
 * token.
 */
const char *queue_adopted_name(const char *token, int64_t *submit);

/*
 * Look for an array by its token.  Returns whether there is one and sets *array
 * to its id, the lowest if there are several.  Records left behind by refused
 * submissions do not count.
 */
int queue_find_token(const struct queue *, const char *token, uint32_t *array);

/*
 * Return the ids of all arrays with the token, ascending, and their number in
 * *count; to free, or NULL.
 */
uint32_t *queue_find_tokens(
    const struct queue *, const char *token, size_t *count);

/* A partition: its resources, and who may use them. */
struct queue_partition {
	char *name;
	int is_default;
	int up;          /* it accepts and starts jobs */
	int64_t minutes; /* the longest time limit, or -1 without one */
	int64_t usual;   /* the default time limit, or -1 without one */
	uint32_t nodes;  /* number of nodes */
	uint32_t cpus;   /* the most on one of its nodes */
	uint64_t memory; /* MB, the most on one of its nodes */
	uint32_t gpus;   /* the most on one of its nodes */
	/* The largest number of each type on one node: "a100:4,v100:2". */
	char *gpu_types;
	char *state;                     /* "UP", "DOWN", "DRAIN", "INACTIVE" */
	char *node_list;                 /* "gpu[01-02],big", or "" */
	int64_t least_nodes, most_nodes; /* per job; -1 without a limit */
	int64_t most_cpus;               /* of a job on one node, or -1 */
	char *qos; /* the QOS whose limits apply here, or "" */
	/* Who may use it ("" for all), and who may not ("" for none). */
	char *groups, *accounts, *allowed_qos, *not_accounts, *not_qos;
};

/* A node in its present state.  Memory is in MB. */
struct queue_node {
	char *name;
	/* As sinfo spells it, with its suffix: "idle", "mixed", "down*". */
	char *state;
	int usable;   /* a job can start here, now or once there is room */
	char *reason; /* why it is not usable, or "" */
	uint32_t cpus, cpus_used;
	uint64_t memory, memory_used;
	char *gres, *gres_used; /* see queue_node_gpus */
	char *features;
	char *partitions; /* "main,short" */
};

struct queue_cluster {
	char *name;
	char *version;      /* of slurmctld: "22.05.8" */
	char *gres_types;   /* "gpu,mps", or "" */
	uint32_t max_array; /* array indices are less than this */
	uint32_t max_jobs;  /* of all users; each array task counts as a job */
	/* Seconds for which Slurm keeps the record of an ended job. */
	uint32_t min_age;
	uint32_t message_timeout; /* seconds */
	int accounting;           /* there is an accounting database */
	/*
	 * The site hides them from this user (PrivateData), so there are none
	 * here.  Without nodes, partitions have no cpus, memory and gpus.
	 */
	int hides_partitions, hides_nodes;
	struct queue_partition *partition;
	size_t partitions;
	struct queue_node *node; /* sorted by name */
	size_t nodes;
};

/*
 * Return the version of Slurm's commands on this machine, "22.05.8", or "" if
 * they do not report one; to free.  It may differ from slurmctld's.  NULL if
 * there are no such commands.
 */
char *queue_client(struct error *e);

/* How much to load; each level takes one more request to slurmctld. */
enum queue_depth {
	QUEUE_LIMITS,     /* no partitions */
	QUEUE_PARTITIONS, /* with partitions; cpus, memory, gpus are 0 */
	QUEUE_NODES       /* with nodes, and complete partitions */
};

/*
 * Load Slurm's limits and, depending on depth, the partitions and nodes that
 * the site does not hide.  Free *out with queue_cluster_free.  Returns 0, or -1
 * with a code as above.
 */
int queue_cluster(
    enum queue_depth depth, struct queue_cluster **out, struct error *e);

/* Free a cluster; does nothing for NULL. */
void queue_cluster_free(struct queue_cluster *);

/*
 * Compute the partitions of each node, and the resources of each partition,
 * from the answers about nodes.
 */
void queue_cluster_join(struct queue_cluster *);

/*
 * Return the partition with this name, or the default partition for NULL.  NULL
 * if there is none.  It belongs to the cluster.
 */
const struct queue_partition *queue_partition(
    const struct queue_cluster *, const char *name);

/*
 * Return the largest number of GPUs of a type (NULL, "": any) on one node of
 * the partition.
 */
uint32_t queue_gpus(const struct queue_partition *, const char *type);

/* The GPUs of one type ("" for any) on a node. */
struct queue_gpus {
	char type[64];
	uint64_t count, used;
};

/*
 * Put the GPUs of a node into out, one entry for each type, at most room.
 * Returns the number of entries.
 */
size_t queue_node_gpus(
    const struct queue_node *, struct queue_gpus *out, size_t room);

/* The beginning of the reason for QUEUE_REFUSED if Slurm itself refused. */
#define QUEUE_REFUSES "Slurm refuses: "

enum queue_answer {
	QUEUE_QUEUED,    /* the array is in the queue */
	QUEUE_REFUSED,   /* the array is not in the queue, and Slurm said why */
	QUEUE_FULL,      /* not in the queue: Slurm takes no more tasks */
	QUEUE_TOO_LARGE, /* not in the queue: Slurm takes smaller arrays only */
	QUEUE_UNKNOWN    /* no answer from Slurm: look for the token later */
};

/*
 * Run "sbatch --parsable" with words: options, then the script and its
 * arguments.  The token must be in --comment and in the path of the script.
 * sbatch gets the environment of this process, without the variables of an
 * outer job or shell that would change the request: SLURM_* except SLURM_CONF,
 * SLURM_CONF_SERVER and SLURM_JWT; SBATCH_WAIT, SBATCH_CLUSTERS and
 * SBATCH_ARRAY_INX.  It gets all other SBATCH_*.
 *
 * If sbatch fails, queue_submit looks for the token in the queue first.  So
 * QUEUE_QUEUED is right even if the answer of sbatch was lost.
 *
 * With QUEUE_QUEUED, *array is set and e holds what sbatch printed, usually
 * nothing.  Otherwise e holds the reason; with QUEUE_FULL and QUEUE_TOO_LARGE
 * this is the name of the limit, "MaxJobCount" or "MaxArraySize".
 */
enum queue_answer queue_submit(
    char *const words[], const char *token, uint32_t *array, struct error *e);

enum queue_outcome {
	/* The request did not reach Slurm, or may not have reached it. */
	QUEUE_CANCEL_UNSENT,
	QUEUE_CANCEL_DONE,   /* Slurm cancelled the tasks */
	QUEUE_CANCEL_GONE,   /* no task to cancel was left in the queue */
	QUEUE_CANCEL_REFUSED /* Slurm refused to cancel */
};

/* One array to cancel, and the outcome. */
struct queue_cancel {
	uint32_t array;
	const char *indices; /* "0-4,7", or NULL for all its tasks */
	const char *token;   /* only jobs that carry this token are cancelled */
	enum queue_outcome outcome;
	struct error why; /* the reason for QUEUE_CANCEL_UNSENT and
			     QUEUE_CANCEL_REFUSED */
};

/*
 * Cancel arrays and set the outcome of each entry.  The queue is read first,
 * unless known, which may be NULL, was read just now and has all these tasks;
 * only jobs that belong to this user, carry the token and are alive are
 * cancelled.  Returns 0, or -1 with the first reason in e if some entries are
 * QUEUE_CANCEL_UNSENT or QUEUE_CANCEL_REFUSED.
 */
int queue_cancel(struct queue_cancel *list, size_t count,
    const struct queue *known, struct error *e);

#endif
