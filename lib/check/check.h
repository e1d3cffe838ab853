/*
 * Whether all that stfm needs is there: Slurm and what it offers, the store,
 * and on a compute node the store once more, Python, the frameworks and their
 * GPUs.  Nothing is left behind.
 */
#ifndef STFM_CHECK_CHECK_H
#define STFM_CHECK_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/sbatch.h"

enum check_word {
	CHECK_OK,
	CHECK_WARN, /* it works, but something is to be known */
	CHECK_FAIL  /* trainings will fail */
};

/* One thing that was looked at. */
struct check_line {
	enum check_word word;
	const char *thing; /* "store", "torch-gpu" */
	char *found;       /* goes on "store: " */
	char *remedy;      /* a sentence without its full stop, or NULL */
};

/* "ok", "warn", "fail". */
const char *check_result_word(enum check_word);

struct check_setup {
	const char *store; /* the option, or NULL */
	char *program;     /* stfm-run; the probes are the files beside it */
	char *probe, *probe_python;
	struct sbatch given; /* options for the task, and the same as words */
	struct strlist options; /* (job_sbatch_options_take) */
	struct sbatch defaults; /* where neither says otherwise */
	char *const *command;   /* what runs Python, or NULL */
	const char *runtime;    /* that containers are to have, or NULL */
	int gpu;                /* look at GPUs, too */
	int no_job;             /* queue nothing: look at Python here */
	int64_t wait; /* seconds that the task may wait for its start */
	/* Called with each line as it is known. */
	void (*say)(void *arg, const struct check_line *);
	/* What takes time now, for people; NULL when it is over. */
	void (*busy)(void *arg, const char *what);
	void *arg;
};

/*
 * Look at everything.  proc_heed may name signals that end it early: the task
 * is then cancelled, and what was made is removed.  Returns how many lines
 * were CHECK_FAIL, or -1 when it was ended early.
 */
int check_setup(const struct check_setup *);

#endif
