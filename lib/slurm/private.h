/* What the files of this module share; nothing here is for anybody else. */
#ifndef STFM_SLURM_PRIVATE_H
#define STFM_SLURM_PRIVATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/idset.h"
#include "slurm/allocations.h"
#include "slurm/queue.h"
#include "slurm/sbatch.h"
#include "sys/proc.h"

/*
 * A state as Slurm numbers it: a base state, which is an enum queue_state, and
 * flags.
 */
enum {
	QUEUE_BASE = 0xff,
	QUEUE_IS_REQUEUED = 1 << 10,
	QUEUE_IS_CONFIGURING = 1 << 14,
	QUEUE_IS_COMPLETING = 1 << 15,
	QUEUE_IS_STOPPED = 1 << 16,
	QUEUE_IS_REVOKED = 1 << 19,
	QUEUE_IS_STAGING = 1 << 23 /* out */
};

/* Deadlines in seconds; the first and the last can be set. */
enum { QUEUE_READING = 15, QUEUE_SUBMITTING = 40 };

/* Names as Slurm spells them; a state's number is without its flags. */
const char *queue_state_name(uint32_t base);
const char *queue_reason_name(uint32_t number);

/* All jobs of this user, as Slurm told them. */
struct queue_jobs {
	struct proc_result raw; /* the texts of the records are in there */
	char **list;            /* or here */
	size_t lists;
	struct queue_record *record;
	size_t count;
};

/* What is to be cancelled of one entry of a list. */
struct queue_target {
	struct queue_cancel *of;
	struct idset tasks; /* empty for all of the array */
	char *name;         /* "4102_[0-4,7]", or NULL for nothing to do */
};

/*
 * A way to ask Slurm.  There are two, with the same answers: its library, and
 * its commands, for where there is no library to build with or it does not get
 * on with this cluster.  Each function is bounded by milliseconds.
 */
struct queue_way {
	/* 0, or -1 with errno as slurm/queue.h says; *out is to be freed in
	 * both. */
	int (*jobs)(int64_t ms, struct queue_jobs *out, struct error *e);
	int (*cluster)(enum queue_depth, int64_t ms, struct queue_cluster *out,
	    struct error *e);
	int (*uses)(enum queue_whose, int64_t ms, struct queue_uses *out,
	    struct error *e);
	/* Sets the outcome of each target that has a name. */
	void (*cancel)(int64_t ms, struct queue_target *, size_t count);
};

extern const struct queue_way queue_library, queue_text;

/* The way to take: $STFM_SLURM, or the library where it was built in. */
const struct queue_way *queue_way(void);

/*
 * Set what follows from a state and the record's reason, which stays only
 * where it holds.
 */
void queue_set_state(struct queue_record *, uint32_t state);

/* Free what a struct queue_jobs holds; errno stays. */
void queue_jobs_free(struct queue_jobs *);

/*
 * Complete what a way has told of the cluster: which nodes are in which
 * partitions, and what these offer.
 */
void queue_cluster_join(struct queue_cluster *);

/* Whether a state of a node lets a job start there, now or later. */
int queue_node_usable(const char *state);

/* What Slurm tells of a job's resources; any text may be NULL. */
struct queue_wanted {
	const char *allocated;                     /* "cpu=2,gres/gpu=1" */
	const char *per_job, *per_node, *per_task; /* "gres:gpu:1" */
	int64_t nodes, tasks;
};

/* How many GPUs that is in all. */
int64_t queue_wanted_gpus(const struct queue_wanted *);

/* Add an entry, all of it zero, to what was told. */
struct queue_use *queue_uses_add(struct queue_uses *);
struct queue_reservation *queue_uses_reserve(struct queue_uses *);

/* When a job ends that starts then; minutes are UINT32_MAX without limit. */
int64_t queue_use_end(int64_t start, uint32_t minutes);

/*
 * The environment for a command of Slurm whose output is read: times are
 * seconds since 1970, lists of tasks are not cut, nothing is filtered or
 * translated.  The array is to be freed, its texts are not.
 */
char **queue_environ(void);

/*
 * The way from the guarded child to us: numbers of 64 bits, and texts with
 * their length in front and a NUL behind.
 */
void queue_put_number(FILE *, int64_t);
void queue_put_text(FILE *, const char *); /* may be NULL */

/* What is read from there.  At its end or when it is damaged: 0 and NULL. */
struct queue_input {
	const char *at, *end;
	int broken;
};

int64_t queue_get_number(struct queue_input *);

/* Points into the input. */
const char *queue_get_text(struct queue_input *);

/* A copy to free, "" for none. */
char *queue_get_copy(struct queue_input *);

/* Returns 0, or -1 when it was damaged. */
int queue_check_whole(const struct queue_input *, struct error *e);

/* A record before queue_set_state: its state is given. */
void queue_put_record(FILE *, const struct queue_record *, uint32_t state);

/*
 * Read the number of records and then each; the texts are the input's.
 * Returns 0, or -1 when the answer is damaged.
 */
int queue_get_jobs(struct queue_input *, struct queue_jobs *, struct error *e);

void queue_put_cluster(FILE *, const struct queue_cluster *);
int queue_get_cluster(
    struct queue_input *, struct queue_cluster *, struct error *e);

/*
 * The queue in an answer, to queue_free; its texts are the input's.  NULL when
 * the answer is damaged.
 */
struct queue *queue_read(struct queue_input *, struct error *e);

/* Seconds from the environment, or standard, in milliseconds. */
int queue_deadline(
    const char *variable, int64_t standard, int64_t *ms, struct error *e);

/* Set a reason and errno; returns -1. */
int queue_refuse(int number, struct error *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Whether a text of libslurm or sbatch says that slurmctld was not reached, so
 * that nobody knows what became of the request.
 */
int queue_is_unreached(const char *text);

/*
 * The lines of a complaint that say something, without "sbatch: error:" and
 * its like, joined by "; "; to free.  "" when there are none.
 */
char *queue_complaint(const char *text);

/* There is no sbatch: -1 with errno ENOENT. */
int queue_refuse_sbatch(struct error *e);

/* No configuration where $SLURM_CONF points: -1 with errno ENOENT. */
int queue_check_configuration(struct error *e);

/*
 * Refusals, each with the errno that slurm/queue.h says: slurmctld was not
 * reached (text is what Slurm calls that, or ""), there was no answer in time,
 * and the process that asked has ended by itself.
 */
int queue_refuse_unreached(
    const char *text, const char *complaint, struct error *e);
int queue_refuse_silence(int64_t milliseconds, struct error *e);
int queue_refuse_end(
    const char *who, const struct proc_result *, struct error *e);

#endif
