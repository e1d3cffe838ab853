/*
 * The processes on the GPUs of a node, who they belong to and of which Slurm
 * job they are, from what a node says of them: see slurm/gpu-look.h.
 *
 * Slurm tells its jobs by control groups, or by the processes it has listed.
 * What a process was started with may tell as well, where it can be read.
 */
#ifndef STFM_USAGE_HOLDER_H
#define STFM_USAGE_HOLDER_H

#include <stddef.h>
#include <stdint.h>

enum usage_place {
	USAGE_INSIDE,  /* of the job */
	USAGE_OUTSIDE, /* Slurm has it in no job, its environment names none */
	USAGE_STRAY,   /* the same, but its environment cannot be read */
	USAGE_NOWHERE  /* nobody can tell */
};

/* A process on one GPU. */
struct usage_holder {
	int gpu; /* -1: only its name is known */
	char uuid[64];
	int64_t pid;
	double memory; /* MiB; nan: nobody knows */
	int64_t uid;   /* -1: nobody knows */
	enum usage_place place;
	int64_t job; /* its id, or 0 */
	int in_step; /* Slurm itself started it there: no login was adopted */
	char *command;
};

enum usage_answer {
	USAGE_WHOLE,
	USAGE_NO_TOOL, /* there is no nvidia-smi */
	USAGE_BROKEN,  /* it does not work, or does not end */
	USAGE_PARTIAL  /* the answer has no end */
};

struct usage_holders {
	struct usage_holder *holder;
	size_t count;
	size_t gpus; /* that can be seen from there */
	/*
	 * Slurm, the driver and nvidia-smi give the same numbers to all of them
	 * (CUDA may sort GPUs of several kinds), so that they can be compared.
	 */
	int ordered;
};

/*
 * Read the answer of a node; to usage_holders_free in any case.  A process that
 * has left its GPU while the node looked is not among them.
 */
enum usage_answer usage_holders_read(const char *text, struct usage_holders *);
void usage_holders_free(struct usage_holders *);

#endif
