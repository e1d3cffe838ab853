/*
 * The setup check: whether stfm has everything it needs.  It checks Slurm and
 * its features, the store and, on a compute node, the store again, Python, the
 * frameworks and their GPUs.  It leaves nothing behind.
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
	CHECK_WARN, /* it works, with a remark */
	CHECK_FAIL  /* trainings will fail */
};

/* The result of one check. */
struct check_line {
	enum check_word word;
	const char *thing; /* short name: "store", "torch-gpu" */
	char *found;       /* the result, to follow "store: " */
	char *remedy;      /* a sentence without its full stop, or NULL */
};

/* Return "ok", "warn" or "fail". */
const char *check_result_word(enum check_word);

struct check_setup {
	const char *store;          /* value of --store, or NULL */
	char *program;              /* path of stfm-run */
	char *probe, *probe_python; /* of probe.sh and probe.py next to it */
	struct sbatch given;        /* options for the task, parsed */
	struct strlist options;     /* as typed: job_sbatch_options_take */
	struct sbatch defaults;     /* defaults, used if not given */
	char *const *command;       /* command that runs Python, or NULL */
	const char *runtime;        /* required container runtime, or NULL */
	int gpu;                    /* also check GPUs */
	int no_job;                 /* queue nothing; check Python here */
	int64_t wait;               /* seconds to wait for the task's start */
	/* Called with each line as soon as it is known. */
	void (*show)(void *arg, const struct check_line *);
	/*
	 * Called with a description of each slow step, for people; NULL ends
	 * it.
	 */
	void (*busy)(void *arg, const char *what);
	void *arg;
};

/*
 * Check everything.  proc_interrupt_on may name signals that end the check
 * early; the task is then cancelled, and created files are removed.  Returns
 * the number of CHECK_FAIL lines, or -1 if a signal ended the check early.
 */
int check_setup(const struct check_setup *);

#endif
