/*
 * Declarations shared by the files of lib/check.  Functions called judge only
 * compute: they turn findings into lines.
 */
#ifndef STFM_CHECK_PRIVATE_H
#define STFM_CHECK_PRIVATE_H

#include "check/check.h"
#include "submit/plan.h"

struct check_lines {
	struct check_line *line;
	size_t count;
};

/*
 * Add a line.  thing must outlive the lines; remedy is copied and may be NULL.
 */
void check_add(struct check_lines *, enum check_word, const char *thing,
    const char *remedy, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void check_lines_free(struct check_lines *);

/*
 * Add a warning if a clock is too many seconds ahead of ours, or behind it.
 * thing is the subject of the line ("clock"); whose names the owner of the
 * clock ("the store's file system").  Returns 1 if it added one, else 0.
 */
int check_add_clock(
    struct check_lines *, const char *thing, const char *whose, int64_t ahead);

/*
 * Return the plan that stfm-submit would make of these options; call
 * job_plan_free.
 */
struct job_plan *check_plan(const struct check_setup *);

/* ---- Slurm ---- */

/* The user's requirements for the cluster. */
struct check_wanted {
	const char *partition; /* NULL: the default partition */
	int gpu;
};

/* Add a line on why Slurm does not answer. */
void check_judge_silence(struct check_lines *, const struct error *why);

/*
 * Add lines on the cluster.  client is the version of Slurm's commands here, or
 * ""; silence is why its accounting does not answer, or NULL.
 */
void check_judge_cluster(struct check_lines *, const struct queue_cluster *,
    const char *client, const char *silence, const struct check_wanted *);

/* ---- the store ---- */

enum check_reach {
	REACH_SHARED, /* all nodes may see the store */
	REACH_UNKNOWN,
	REACH_LOCAL, /* only this machine */
	REACH_MEMORY /* only this machine, until it is rebooted */
};

struct check_store {
	const char *path;
	const char *from; /* source of the path: "STFM_DIR" */
	int is_there;
	const char *trouble; /* why the store is unusable, or NULL */
	const char *kind;    /* kind of file system: "nfs" */
	enum check_reach reach;
	uint64_t bytes, files; /* free bytes and files; UINT64_MAX: unknown */
	int64_t ahead;         /* seconds its clock is ahead of ours */
	int tried;             /* whether a node will check the store, too */
};

/* Add lines on the store. */
void check_judge_store(struct check_lines *, const struct check_store *);

/* ---- the report of a probe ---- */

struct check_report {
	struct strlist facts; /* "NAME=VALUE"; a name may occur several times */
	/* How the report was made. */
	const char *directory; /* the user's working directory, or NULL */
	int64_t read;          /* when it arrived, by the file system's clock */
	/* Seconds by which that clock is ahead of ours. */
	int64_t ahead;
	const char *runtime; /* required container runtime, or NULL */
	int gpu;
	int here; /* it was made on this machine, not on a compute node */
};

/* Add each line of a text to facts; call strlist_free on facts. */
void check_facts_take(struct strlist *facts, const char *text);

/*
 * Return the first value of "THING.WHAT" in a report or, if what is NULL, of
 * "THING"; NULL if there is none.  It belongs to the report.
 */
const char *check_fact(
    const struct check_report *, const char *thing, const char *what);

/* Add lines about how a node sees the store. */
void check_judge_place(struct check_lines *, const struct check_report *);

/* A sign: a text of a driver or framework, its meaning and its remedy. */
struct check_sign {
	const char *sign, *means, *remedy;
};

/* Return the most informative sign that a text contains, or NULL. */
const struct check_sign *check_sign(const char *text);

/* Add lines on Python and the frameworks. */
void check_judge_python(struct check_lines *, const struct check_report *);

/* Add lines on the GPUs. */
void check_judge_gpu(struct check_lines *, const struct check_report *);

/* Add a line about the container runtime, if it is required or was found. */
void check_judge_container(struct check_lines *, const struct check_report *);

/*
 * In a check with GPUs in which nothing has failed, add a failure if no
 * framework was seen to compute on a GPU.
 */
void check_judge_unverified(struct check_lines *);

/* ---- the probe ---- */

/* A directory for the probe, on the file system of the store. */
struct check_place {
	char *path;   /* path of the directory */
	char *token;  /* unique to this check */
	char *parent; /* path of the parent directory */
	char *name;
	int dir;
};

/*
 * Create the directory with everything that the probe needs.  Returns 0 or -1.
 */
int check_place_make(struct check_place *, const struct check_setup *,
    const char *store, struct error *e);
void check_place_remove(struct check_place *);

/*
 * Run the probe on a node, and add lines about its report.  ahead says how many
 * seconds the clock of the store is ahead of ours.  Returns 0, or -1 if a
 * signal arrived.
 */
int check_probe_node(const struct check_setup *, const struct check_place *,
    struct check_lines *, int64_t ahead);

/* Run the probe on this machine, like check_probe_node. */
int check_probe_here(const struct check_setup *, const struct check_place *,
    struct check_lines *, int64_t ahead);

/* The progress of the probe's task. */
struct check_task {
	uint32_t array;
	char *node;
	char *cause; /* Slurm's reason why the task waits */
	int exit_status;
	int64_t waited;   /* seconds */
	int64_t expected; /* seconds until its expected start, or 0 */
};

/* Add a line on a task that did not start in time. */
void check_judge_waiting(struct check_lines *, const struct check_task *);

/*
 * Add a line on a task that ended in a state of Slurm ("FAILED") without
 * writing its report into the store.  store is the path of the store.
 */
void check_judge_end(struct check_lines *, const struct check_task *,
    const char *store, const char *state);

/* Exit codes of probe.sh. */
enum { PROBE_NO_DIRECTORY = 11, PROBE_OTHER_DIRECTORY, PROBE_NO_WRITING };

/*
 * Return the report called name from the directory, to free; NULL if there is
 * none yet.  Sets *changed to the time of the report.
 */
char *check_report_read(
    const struct check_place *, const char *name, int64_t *changed);

/* Set kind, reach and free space from an open directory. */
void check_kind(int dir, struct check_store *);

#endif
