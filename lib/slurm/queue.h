/*
 * The queue: what Slurm knows of this user's jobs, and what it is asked to do.
 * The only module that uses libslurm and Slurm's commands.
 *
 * Slurm is asked through libslurm or, where that was not there to build with
 * or STFM_SLURM is "text", through squeue, scancel, scontrol and sinfo.
 *
 * Every call is bounded in time.  libslurm is only used in a forked child,
 * because it ends its process when there is no configuration and can hang for
 * minutes; Slurm's commands are processes of their own.
 *
 *	reading (queue_load, queue_cluster)	15 s, or $STFM_SLURM_TIMEOUT
 *	cancelling				60 s, or four times that
 *	sbatch					40 s, or $STFM_SBATCH_TIMEOUT
 *
 * queue_submit and queue_cancel also read the queue and may add one reading
 * deadline.  A call that changes something and ran out of time may still have
 * been carried out.
 *
 * Functions that return -1 set errno: EAGAIN when it is worth to try again
 * later (Slurm did not answer), ENOENT when there is no Slurm here (no
 * configuration, no sbatch), EIO otherwise.
 */
#ifndef STFM_SLURM_QUEUE_H
#define STFM_SLURM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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
	QUEUE_OTHER /* one that this program does not know; counts as alive */
};

/*
 * What Slurm knows of one array task, or of those tasks of an array that wait
 * or were cancelled together.  Texts are never NULL unless it is said so.
 * Times are seconds since 1970, or 0.
 */
struct queue_record {
	uint32_t array; /* the id of the array, or of the job without one */
	uint32_t job;   /* the task's own id, of no use as a name for it */
	/*
	 * The tasks: "7" or "2-9,11".  NULL when the job has no array and when
	 * Slurm does not tell, as for an array cancelled before any task began.
	 */
	const char *indices;
	enum queue_state state; /* QUEUE_OTHER is possible while completing */
	/*
	 * Not final.  A task that is COMPLETING is alive: its processes may
	 * still run, and it may be on its way back into the queue.
	 */
	int alive;
	int completing;
	/*
	 * It is completing to be put back into the queue: restarts may count
	 * that already, and times and nodes are those of the run that ends.
	 */
	int returning;
	/* Left behind by a submission that Slurm refused: it never waited. */
	int refused;
	const char *state_name; /* "PENDING", "COMPLETING", as Slurm has them */
	const char
	    *reason;     /* why it waits or how it failed: "Priority"; or "" */
	int exit_status; /* as waitpid(2) gives it, when not alive */
	uint32_t restarts; /* how often Slurm has put it back into the queue */
	/* How many of its array run at once: 0 is no limit, -1 not told. */
	int64_t throttle;
	int64_t submit;
	int64_t start;       /* expected while PENDING */
	int64_t end;         /* expected while RUNNING */
	uint32_t time_limit; /* minutes, or UINT32_MAX without one */
	uint32_t uid;
	const char *name;
	const char *comment;
	const char *command; /* the batch script, before 23.02 with its words */
	const char *partition;
	const char *nodes; /* "gpu[01-02]" */
	/* What it still waits for: "afterany:12_*(unfulfilled)"; or "". */
	const char *dependency;
};

struct queue;

/* Load all jobs of this user with one query; to queue_free. */
int queue_load(struct queue **out, struct error *e);

/* Takes NULL too. */
void queue_free(struct queue *);

size_t queue_count(const struct queue *);

/* The i-th record, in no order; it belongs to the queue. */
const struct queue_record *queue_record(const struct queue *, size_t i);

/*
 * The record that speaks for a task: its own, else the one of the waiting or
 * cancelled rest that holds it, else one of the array that does not tell which
 * tasks it stands for.  NULL when Slurm knows nothing of the task, which says
 * nothing about how it went.
 */
const struct queue_record *queue_find(
    const struct queue *, uint32_t array, uint32_t index);

/* Any record of an array, or NULL when Slurm knows nothing of it. */
const struct queue_record *queue_find_any(const struct queue *, uint32_t array);

/* As queue_find; *until is the last index for which the answer is no other. */
const struct queue_record *queue_find_until(
    const struct queue *, uint32_t array, uint32_t index, uint64_t *until);

/*
 * Return whether a job of Slurm carries a token: a word of its comment or of
 * the path of its script (sites and trainings change comments).  An id without
 * its token proves nothing: a controller that crashed gives ids away twice.
 */
int queue_has_token(const struct queue_record *, const char *token);

/*
 * Return the token of a record that stfm has queued, as job_chunk_name makes
 * them, that begins with prefix ("stfm-" or more); to free, or NULL.  A job of
 * somebody else may have a token in its comment or its arguments, too: only one
 * that runs a batch script of stfm's counts.
 */
char *queue_token_of(const struct queue_record *, const char *prefix);

/*
 * Return whether a record was queued with a token, for records that are found
 * by nothing else: as queue_token_of, and not queue_has_token, which tells
 * whether a claimed id is still that of the array.
 */
int queue_is_queued_for(const struct queue_record *, const char *token);

/* Return whether a text holds a token as a word of its own. */
int queue_token_is_in(const char *text, const char *token);

/*
 * The token of a job that others have queued, which has none in its comment:
 * by whom, under which id, when and under which name it was submitted; to free.
 * queue_has_token knows such a token.  A user has several jobs of one second,
 * so that the id is a part of it.  A job that Slurm puts back counts as
 * submitted then, and a user may give it another name, but does not do both.
 */
char *queue_adopt(
    uint32_t uid, uint32_t array, int64_t submit, const char *name);

/*
 * The name and the time in such a token, which they belong to; NULL and 0 for
 * another one.
 */
const char *queue_adopted_name(const char *token, int64_t *submit);

/*
 * Look for an array by its token.  Returns whether there is one and puts its
 * id into *array, the lowest when there are several.  The record that a refused
 * submission leaves behind does not count.
 */
int queue_find_token(const struct queue *, const char *token, uint32_t *array);

/* The ids of all arrays with the token, ascending; to free, or NULL. */
uint32_t *queue_find_tokens(
    const struct queue *, const char *token, size_t *count);

/* What a partition offers, and to whom. */
struct queue_partition {
	char *name;
	int is_default;
	int up;          /* jobs can be submitted and are started */
	int64_t minutes; /* the longest time limit, or -1 without one */
	int64_t usual;   /* that of who gives none, or -1 */
	uint32_t nodes;  /* how many it has */
	uint32_t cpus;   /* the most on one of its nodes */
	uint64_t memory; /* MB, the most on one of its nodes */
	uint32_t gpus;   /* the most on one of its nodes */
	char *gpu_types; /* the most of each on one node: "a100:4,v100:2" */
	char *state;     /* "UP", "DOWN", "DRAIN", "INACTIVE" */
	char *node_list; /* "gpu[01-02],big", or "" */
	int64_t least_nodes, most_nodes; /* of a job; -1 without a limit */
	int64_t most_cpus;               /* of a job on one node, or -1 */
	char *qos;                       /* whose limits hold here, or "" */
	/* Who may use it, and who may not: names, or "" for everybody, nobody.
	 */
	char *groups, *accounts, *allowed_qos, *not_accounts, *not_qos;
};

/* A node, as it is now.  Memory is in MB. */
struct queue_node {
	char *name;
	/* As sinfo spells them, with its signs: "idle", "mixed", "down*". */
	char *state;
	int usable;   /* a job could start here, now or when there is room */
	char *reason; /* why it is not, or "" */
	uint32_t cpus, cpus_used;
	uint64_t memory, memory_used;
	char *gres, *gres_used; /* see queue_node_gpus */
	char *features;
	char *partitions; /* "main,short" */
};

struct queue_cluster {
	char *name;
	char *version;            /* of slurmctld: "22.05.8" */
	char *gres_types;         /* "gpu,mps", or "" */
	uint32_t max_array;       /* the highest array index is one less */
	uint32_t max_jobs;        /* of all users; each array task counts */
	uint32_t min_age;         /* seconds a job stays known after its end */
	uint32_t message_timeout; /* seconds */
	int accounting;           /* there is an accounting database */
	struct queue_partition *partition;
	size_t partitions;
	struct queue_node *node; /* by name */
	size_t nodes;
};

/*
 * The version of Slurm's commands here, which may be another: "22.05.8", or ""
 * when they do not say.  To free; NULL when they are not there.
 */
char *queue_client(struct error *e);

/* How much to ask for: each is one more question to slurmctld. */
enum queue_depth {
	QUEUE_LIMITS,     /* no partitions */
	QUEUE_PARTITIONS, /* and those, but cpus, memory and GPUs are 0 */
	QUEUE_NODES       /* and all of it */
};

/* Load the limits of Slurm and its partitions; to queue_cluster_free. */
int queue_cluster(
    enum queue_depth, struct queue_cluster **out, struct error *e);

/* Takes NULL too. */
void queue_cluster_free(struct queue_cluster *);

/* By name, or the default one for NULL.  NULL when there is none. */
const struct queue_partition *queue_partition(
    const struct queue_cluster *, const char *name);

/* The most GPUs of a type (NULL: of any) on one node of the partition. */
uint32_t queue_gpus(const struct queue_partition *, const char *type);

/* The GPUs of one type ("" for any) on a node. */
struct queue_gpus {
	char type[64];
	uint64_t count, used;
};

/* Those of a node, into out; returns how many types, room at most. */
size_t queue_node_gpus(
    const struct queue_node *, struct queue_gpus *out, size_t room);

enum queue_answer {
	QUEUE_QUEUED,  /* it is in the queue */
	QUEUE_REFUSED, /* it is not, and Slurm said why */
	QUEUE_FULL,    /* it is not: Slurm takes no more, or not so many */
	QUEUE_UNKNOWN  /* Slurm did not answer: look for the token later */
};

/*
 * Run "sbatch --parsable" with more words: options, then the script and its
 * arguments.  The token must be in --comment and in the path of the script. The
 * environment
 * is ours, without what an outer job or shell would add to the request
 * (SLURM_* but for SLURM_CONF and its like, SBATCH_WAIT, SBATCH_CLUSTERS,
 * SBATCH_ARRAY_INX); other SBATCH_* are kept.
 * When sbatch fails, the queue is searched for the token first, so that
 * QUEUE_QUEUED is the truth whatever was heard.
 * *array is set with QUEUE_QUEUED; then e holds what sbatch said all the same,
 * which is mostly nothing, otherwise the reason; with QUEUE_FULL that is the
 * name of the limit, "MaxJobCount", "QOSMaxSubmitJobPerUserLimit".
 */
enum queue_answer queue_submit(
    char *const words[], const char *token, uint32_t *array, struct error *e);

enum queue_outcome {
	QUEUE_UNTOLD,  /* Slurm was not told, or whether it was is unknown */
	QUEUE_STOPPED, /* it was cancelled */
	QUEUE_GONE,    /* nothing of it was in the queue any more */
	QUEUE_KEPT     /* Slurm refused */
};

/* One array to cancel, and what came of it. */
struct queue_cancel {
	uint32_t array;
	const char *indices; /* "0-4,7", or NULL for all its tasks */
	const char *token;   /* only what carries it is cancelled */
	enum queue_outcome outcome;
	struct error why; /* with QUEUE_UNTOLD and QUEUE_KEPT */
};

/*
 * Cancel arrays.  The queue is read first, and only what is ours, carries the
 * token and is alive is cancelled.  Each entry's outcome is set.  Returns 0, or
 * -1 with the first reason in e when some entries are QUEUE_UNTOLD or
 * QUEUE_KEPT.
 */
int queue_cancel(struct queue_cancel *list, size_t count, struct error *e);

#endif
