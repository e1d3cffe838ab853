/*
 * File names as sbatch(1) takes them for what a job prints: "%A_%a.out".
 */
#ifndef STFM_SLURM_SBATCH_OUTPUT_H
#define STFM_SLURM_SBATCH_OUTPUT_H

#include <stdint.h>

/* The job that the patterns stand for.  Unknown texts are NULL. */
struct sbatch_output {
	int64_t array; /* of its array, or its own without one */
	int64_t index; /* in the array, or -1 without one */
	int64_t job;   /* its own, or -1 when it is not known */
	const char *name, *user;
	const char *node; /* its nodes: "n[1-2].cluster" */
};

/*
 * The path that slurmd makes of such a name, as far as the batch script is
 * concerned; to free.  NULL when what a pattern stands for is not known.
 */
char *sbatch_output(const char *name, const struct sbatch_output *);

#endif
