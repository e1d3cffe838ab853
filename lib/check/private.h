/*
 * What the files of job-setup share.  The judges are pure: what was found goes
 * in, lines come out.
 */
#ifndef STFM_CHECK_PRIVATE_H
#define STFM_CHECK_PRIVATE_H

#include "check/check.h"
#include "slurm/queue.h"
#include "store/store.h"
#include "submit/plan.h"

struct check_lines {
	struct check_line *line;
	size_t count;
};

/* Add a line; the remedy is copied and may be NULL. */
void check_add(struct check_lines *, enum check_word, const char *thing,
    const char *remedy, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void check_lines_free(struct check_lines *);

/* What is given and what else holds, as stfm-submit has it; to free. */
struct job_plan *check_plan(const struct check_setup *);

/* ---- Slurm ---- */

/* What is asked of the cluster. */
struct check_wish {
	const char *partition; /* NULL: the default one */
	int gpu;
};

/* The reason why it does not answer, and errno. */
void check_judge_silence(struct check_lines *, int number, const char *why);

/*
 * client is the version of the commands here, or ""; silence is why the
 * accounting does not answer, or NULL.
 */
void check_judge_cluster(struct check_lines *, const struct queue_cluster *,
    const char *client, const char *silence, const struct check_wish *);

/* ---- the store ---- */

enum check_reach { REACH_SHARED, REACH_UNKNOWN, REACH_LOCAL, REACH_MEMORY };

struct check_store {
	const char *path;
	const char *from; /* what named it */
	int is_there;
	const char *trouble; /* why it cannot be used, or NULL */
	const char *kind;    /* of file system: "nfs" */
	enum check_reach reach;
	uint64_t bytes, files; /* that are free; UINT64_MAX: unknown */
	int64_t ahead;         /* its clock, of ours, in seconds */
	int tried;             /* a node will be asked whether it sees it */
};

void check_judge_store(struct check_lines *, const struct check_store *);

/* ---- the report of a probe ---- */

struct check_report {
	const char *text; /* lines of NAME=VALUE, or "" */
	/* With these it was made. */
	const char *directory; /* the one we are in, or NULL */
	int64_t read;          /* when it came, by the clock of the files */
	int64_t ahead;         /* that clock, of ours */
	const char *runtime;   /* that containers are to have, or NULL */
	int gpu;
	int here; /* not on a compute node */
};

/* The value of a name in a report, to free; NULL when it is not there. */
char *check_cluster_fact(const char *text, const char *name);

/* What a node saw of the store. */
void check_judge_place(struct check_lines *, const struct check_report *);

/* What a text of a driver or framework means, and what to do. */
struct check_sign {
	const char *sign, *means, *remedy;
};

/* The most telling of the signs that a text holds, or NULL. */
const struct check_sign *check_sign(const char *text);

/* Python, the frameworks and the GPUs. */
void check_judge_python(struct check_lines *, const struct check_report *);
void check_judge_gpu(struct check_lines *, const struct check_report *);

/* What runs containers: nothing is said where nobody asked and nothing is. */
void check_judge_container(struct check_lines *, const struct check_report *);

/* Of GPUs that were asked for: a failure where none has been seen to work. */
void check_judge_unverified(struct check_lines *);

/* ---- the probe ---- */

/* A directory for it, on the file system of the store. */
struct check_place {
	char *path;   /* of the directory */
	char *token;  /* of this check alone */
	char *parent; /* which it is in, and its name there */
	char *name;
	int dir;
};

/* Make it, with all that the probe needs: 0, or -1. */
int check_place_make(struct check_place *, const struct check_setup *,
    const char *store, struct error *e);
void check_place_remove(struct check_place *);

/*
 * Run the probe on a node, or here, and judge what it says.  Returns 0, or -1
 * when a signal came.
 */
int check_probe_node(const struct check_setup *, const struct check_place *,
    struct check_lines *, int64_t ahead);
int check_probe_here(const struct check_setup *, const struct check_place *,
    struct check_lines *, int64_t ahead);

/* What became of the task on its way. */
struct check_task {
	uint32_t array;
	char *node;
	char *cause; /* why it waits, as Slurm has it */
	int exit_status;
	int64_t waited;   /* seconds */
	int64_t expected; /* its start by Slurm, in seconds from now on, or 0 */
};

void check_judge_waiting(struct check_lines *, const struct check_task *);

/* It ended, and no report came. */
void check_judge_end(struct check_lines *, const struct check_task *,
    const char *store, const char *state);

/* With these probe.sh ends. */
enum { PROBE_NO_DIRECTORY = 11, PROBE_OTHER_DIRECTORY, PROBE_NO_WRITING };

/* The report in a directory that was listed, to free, or NULL. */
char *check_report_read(
    const struct check_place *, const char *name, int64_t *changed);

/* The file system of an open directory. */
void check_kind(int dir, struct check_store *);

#endif
