/*
 * Declarations shared by the files of lib/slurm: queue_way, messages from the
 * guarded child, refusals.
 */
#ifndef STFM_SLURM_PRIVATE_H
#define STFM_SLURM_PRIVATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/idset.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"
#include "slurm/sbatch.h"
#include "sys/proc.h"

/* The bits of Slurm's state number: an enum queue_state plus flags. */
enum {
	QUEUE_BASE = 0xff,
	QUEUE_IS_REQUEUED = 1 << 10,
	QUEUE_IS_CONFIGURING = 1 << 14,
	QUEUE_IS_COMPLETING = 1 << 15,
	QUEUE_IS_STOPPED = 1 << 16,
	QUEUE_IS_REVOKED = 1 << 19,
	QUEUE_IS_STAGING = 1 << 23 /* stage-out */
};

/* Default deadlines in seconds: $STFM_SLURM_TIMEOUT, $STFM_SBATCH_TIMEOUT. */
enum { QUEUE_READING = 15, QUEUE_SUBMITTING = 40 };

/*
 * Return the name of a base state (a state without its flags), as Slurm spells
 * it; "UNKNOWN" for another number.
 */
const char *queue_state_name(uint32_t base);

/* Return the base state of this name, or QUEUE_OTHER. */
enum queue_state queue_state_find(const char *name);

/* All jobs of this user, as Slurm reported them. */
struct queue_jobs {
	struct proc_result raw; /* holds the texts of the records */
	char **list; /* holds task lists made from several lines of squeue */
	size_t lists;
	struct queue_record *record;
	size_t count;
};

/* The part of one struct queue_cancel that Slurm is asked to cancel. */
struct queue_target {
	struct queue_cancel *of;
	struct idset tasks; /* empty: the whole array */
	char *name; /* "4102_[0-4,7]", or NULL if there is nothing to cancel */
};

/*
 * A way to ask Slurm.  There are two with the same answers: libslurm, and
 * Slurm's commands, which need no library and also work where libslurm cannot
 * talk to the cluster.  Each function ends within ms milliseconds.
 */
struct queue_way {
	/*
	 * Fill *out; the caller frees it in any case.  Return 0, or -1 with e
	 * as slurm/queue.h says.
	 */
	int (*jobs)(int64_t ms, struct queue_jobs *out, struct error *e);
	int (*cluster)(enum queue_depth, int64_t ms, struct queue_cluster *out,
	    struct error *e);
	int (*uses)(enum queue_whose, int64_t ms, struct queue_allocations *out,
	    struct error *e);
	/* Cancel each target that has a name and set its outcome. */
	void (*cancel)(int64_t ms, struct queue_target *, size_t count);
};

extern const struct queue_way queue_library, queue_text;

/*
 * Return the way that $STFM_SLURM chooses.  The default is libslurm if stfm was
 * built with it.
 */
const struct queue_way *queue_way(void);

/*
 * Set the members that follow from Slurm's state number.  The reason becomes ""
 * unless it applies in that state.
 */
void queue_set_state(struct queue_record *, uint32_t state);

/* Free the contents of a struct queue_jobs. */
void queue_jobs_free(struct queue_jobs *);

/* Return whether a node in this state can start a job, now or later. */
int queue_node_usable(const char *state);

/* The resources of a job, as Slurm reports them.  Any text may be NULL. */
struct queue_wanted {
	const char *allocated;                     /* "cpu=2,gres/gpu=1" */
	const char *per_job, *per_node, *per_task; /* "gres:gpu:1" */
	int64_t nodes, tasks;
};

/* Return how many GPUs the job has, or asks for, on all its nodes. */
int64_t queue_wanted_gpus(const struct queue_wanted *);

/*
 * Return when a job that starts at start ends, or 0 without a time limit
 * (minutes is UINT32_MAX or one less).
 */
int64_t queue_use_end(int64_t start, uint32_t minutes);

/*
 * Return the environment for a command of Slurm whose output stfm reads: times
 * in seconds since 1970, task lists uncut, no variables that filter or
 * translate.  Free the array, but not its texts.
 */
char **queue_environ(void);

/*
 * Write messages from the guarded child to its parent: 64-bit numbers, and
 * texts with their length before them and a NUL after them.
 */
void queue_put_number(FILE *, int64_t);
void queue_put_text(FILE *, const char *); /* may be NULL */

/* The parent's end of the messages; at the end, reads return 0 or NULL. */
struct queue_input {
	const char *at, *end;
	int broken;
};

/* Read the next number. */
int64_t queue_get_number(struct queue_input *);

/*
 * Read the next text; it points into the input.  Returns NULL if the child
 * wrote NULL, or at the end.
 */
const char *queue_get_text(struct queue_input *);

/* Return 0, or -1 with the reason in e if the input was damaged. */
int queue_check_whole(const struct queue_input *, struct error *e);

/* A member of a struct, for tables that drive reading and writing. */
struct queue_member {
	enum {
		QUEUE_MEMBER_NUMBER, /* of 4 or 8 bytes */
		QUEUE_MEMBER_TEXT,   /* a text of the input, or NULL */
		QUEUE_MEMBER_WORD,   /* a text of the input, "" for NULL */
		/* A copy of a text of the input, "" for NULL. */
		QUEUE_MEMBER_COPY
	} kind;
	size_t offset, size;
};

#define QUEUE_MEMBER(kind, type, member) \
	{ \
		kind, offsetof(type, member), sizeof(((type *)0)->member) \
	}

/* Write the members of the struct at of. */
void queue_put_members(
    FILE *, const struct queue_member *, size_t count, const void *of);

/* Read the members into the struct at of. */
void queue_get_members(
    struct queue_input *, const struct queue_member *, size_t count, void *of);

/* Free the members of the struct at of that are QUEUE_MEMBER_COPY. */
void queue_free_members(
    const struct queue_member *, size_t count, const void *of);

/*
 * Write a record before queue_set_state has completed it; state is the state
 * number that Slurm reported.
 */
void queue_put_record(FILE *, const struct queue_record *, uint32_t state);

/*
 * Read the number of records, then each record.  The texts belong to the input.
 * Returns 0, or -1 if the answer is damaged.
 */
int queue_get_jobs(struct queue_input *, struct queue_jobs *, struct error *e);

/* Write a cluster. */
void queue_put_cluster(FILE *, const struct queue_cluster *);

/* Read a cluster.  Returns 0, or -1 if the input is damaged. */
int queue_get_cluster(
    struct queue_input *, struct queue_cluster *, struct error *e);

/*
 * Read a queue; free it with queue_free.  Its texts belong to the input.
 * Returns NULL with the reason in e if the answer is damaged.
 */
struct queue *queue_read(struct queue_input *, struct error *e);

/*
 * Set *ms to a time limit in milliseconds.  The environment variable gives it
 * in seconds; if the variable is not set, it is standard, in seconds.  Returns
 * 0, or -1 if the variable is not a number of seconds.
 */
int queue_deadline(
    const char *variable, int64_t standard, int64_t *ms, struct error *e);

/*
 * Return whether a message of libslurm or sbatch means that slurmctld was not
 * reached: then the outcome of the request is unknown.
 */
int queue_is_unreached(const char *text);

/*
 * Return the meaningful lines of an error output, joined by "; ", without
 * prefixes such as "sbatch: error:".  To free; "" if there are none.
 */
char *queue_complaint(const char *text);

/* Set e to say that there is no sbatch in PATH.  Returns -1. */
int queue_refuse_sbatch(struct error *e);

/* Check that $SLURM_CONF is readable, if set.  Returns 0, or -1. */
int queue_check_configuration(struct error *e);

/*
 * Set e to say that slurmctld was not reached, with a code as
 * slurm/queue.h says.  text is Slurm's message or ""; complaint is the error
 * output.  Returns -1.
 */
int queue_refuse_unreached(
    const char *text, const char *complaint, struct error *e);

/*
 * Set e to say that Slurm did not answer within milliseconds, with
 * ERROR_SILENT.  Returns -1.
 */
int queue_refuse_silence(int64_t milliseconds, struct error *e);

/*
 * Set e to say that the process that asked Slurm ended unexpectedly,
 * with a code as slurm/queue.h says; who names the process.  Returns -1.
 */
int queue_refuse_end(
    const char *who, const struct proc_result *, struct error *e);

#endif
