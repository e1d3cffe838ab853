/*
 * The processes on the GPUs of a node, their owners and their Slurm jobs, from
 * the node's answer to the script of slurm/gpu-look.h.
 *
 * The job comes from the control group or from Slurm's list of processes; else
 * from the environment of the process, if that can be read.
 */
#ifndef STFM_USAGE_HOLDER_H
#define STFM_USAGE_HOLDER_H

#include <stddef.h>
#include <stdint.h>

enum usage_place {
	USAGE_INSIDE,  /* the process belongs to a job */
	USAGE_OUTSIDE, /* Slurm and its environment know no job of it */
	USAGE_STRAY,   /* Slurm knows no job of it; environment unreadable */
	USAGE_NOWHERE  /* unknown */
};

/* A process on one GPU. */
struct usage_holder {
	int gpu; /* -1 if only the UUID is known */
	char uuid[64];
	int64_t pid;
	double memory; /* MiB; nan: unknown */
	int64_t uid;   /* -1: unknown */
	enum usage_place place;
	int64_t job; /* the job's id, or 0 */
	/* Slurm started it in a step, not adopted it from a login. */
	int in_step;
	char *command;
};

enum usage_answer {
	USAGE_WHOLE,
	USAGE_NO_TOOL, /* there is no nvidia-smi */
	USAGE_BROKEN,  /* nvidia-smi fails or hangs */
	USAGE_PARTIAL  /* the answer is incomplete */
};

struct usage_holders {
	struct usage_holder *holder;
	size_t count;
	size_t gpus; /* number of GPUs visible on the node */
	/*
	 * Slurm, the driver and nvidia-smi number the GPUs in the same order,
	 * so that the numbers can be compared (CUDA may sort GPUs of several
	 * kinds).
	 */
	int ordered;
};

/*
 * Parse the answer of a node; call usage_holders_free in any case.  Processes
 * that left their GPU between the two looks are left out.
 */
enum usage_answer usage_holders_read(const char *text, struct usage_holders *);
void usage_holders_free(struct usage_holders *);

#endif
