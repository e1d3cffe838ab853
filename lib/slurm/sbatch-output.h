/* File name patterns of sbatch(1) for a job's output: "%A_%a.out". */
#ifndef STFM_SLURM_SBATCH_OUTPUT_H
#define STFM_SLURM_SBATCH_OUTPUT_H

#include <stdint.h>

/* The values that replace the patterns.  Unknown texts are NULL. */
struct sbatch_output {
	int64_t array; /* the id of the array, or of a job without one */
	int64_t index; /* in the array, or -1 without one */
	int64_t job;   /* the job's own id, or -1 if unknown */
	const char *name, *user;
	const char *node; /* the job's nodes: "n[1-2].cluster" */
};

/*
 * Return the path to which slurmd expands a name with patterns, for the output
 * of the batch script; to free.  NULL if the value of a pattern is unknown.
 */
char *sbatch_output(const char *name, const struct sbatch_output *);

#endif
