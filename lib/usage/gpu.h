/*
 * What the programs of the makers of GPUs say about them.  nan: they do not.
 */
#ifndef STFM_USAGE_GPU_H
#define STFM_USAGE_GPU_H

#include <stddef.h>
#include <stdint.h>

struct usage_gpu {
	int number; /* as the program counts them */
	char uuid[64];
	double busy;          /* percent of the last moment */
	double memory, total; /* in MiB */
};

/* A program, and the words that ask it. */
struct usage_tool {
	const char *const *argv;
	/* Read what it printed into out; returns how many GPUs there are. */
	size_t (*read)(const char *text, struct usage_gpu *out, size_t most);
};

/* nvidia-smi, rocm-smi; ends with one whose argv is NULL. */
extern const struct usage_tool usage_tools[];

/* A row for each GPU: "0, GPU-5a1b..., 97, 11469, 16384". */
size_t usage_gpu_nvidia(const char *text, struct usage_gpu *out, size_t most);

/* A process that computes on a GPU. */
struct usage_app {
	char uuid[64];
	int64_t pid;
	double memory; /* in MiB */
};

/* A row for each: "GPU-5a1b..., 4711, 11469".  Returns 0, or -1. */
int usage_gpu_app(const char *line, struct usage_app *out);

/* A header, and a row for each GPU: "card0,97,17163091968,12026118144". */
size_t usage_gpu_rocm(const char *text, struct usage_gpu *out, size_t most);

/*
 * Leave those of the GPUs that a list names, as in CUDA_VISIBLE_DEVICES: by
 * numbers, or by the beginning of a UUID.  Where none of them is named, but
 * there are no more than the list has, all of them are its own: a task that
 * sees no others may count them anew.  Of a slice of a GPU nothing is known,
 * and what is known of the whole is of others too.
 * Returns how many are left.
 */
size_t usage_gpu_own(struct usage_gpu *, size_t count, const char *list);

#endif
