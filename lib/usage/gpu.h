/*
 * GPUs as the vendors' programs describe them.  A value that a program does not
 * report is nan.
 */
#ifndef STFM_USAGE_GPU_H
#define STFM_USAGE_GPU_H

#include <stddef.h>
#include <stdint.h>

struct usage_gpu {
	int number; /* index as reported by the program */
	char uuid[64];
	double busy;          /* percent, at the time of the query */
	double memory, total; /* in MiB */
};

/* A program that describes GPUs. */
struct usage_tool {
	const char *const *argv;
	/*
	 * Parse the program's output into out, at most `most` GPUs.  Returns
	 * how many were found.
	 */
	size_t (*read)(const char *text, struct usage_gpu *out, size_t most);
};

/* nvidia-smi and rocm-smi; the last entry has no argv. */
extern const struct usage_tool usage_tools[];

/*
 * Parse rows such as "0, GPU-5a1b..., 97, 11469, 16384" into out, at most
 * `most` GPUs.  Returns how many were found.
 */
size_t usage_gpu_nvidia(const char *text, struct usage_gpu *out, size_t most);

/* A process that computes on a GPU. */
struct usage_app {
	char uuid[64];
	int64_t pid;
	double memory; /* in MiB */
};

/* Parse a row such as "GPU-5a1b..., 4711, 11469".  Returns 0 or -1. */
int usage_gpu_app(const char *line, struct usage_app *out);

/*
 * Parse a header and rows such as "card0,97,17163091968,12026118144" into out,
 * at most `most` GPUs.  Returns how many were found.
 */
size_t usage_gpu_rocm(const char *text, struct usage_gpu *out, size_t most);

/*
 * Keep only the GPUs in list, by numbers or by the start of a UUID, as in
 * CUDA_VISIBLE_DEVICES.  If none matches and there are at most as many GPUs as
 * names, keep all: a task that sees no other GPUs may number them differently.
 * If list names a slice (MIG), all values become nan, because the values of the
 * whole GPU include other users' slices.  Returns how many GPUs remain.
 */
size_t usage_gpu_own(struct usage_gpu *, size_t count, const char *list);

#endif
