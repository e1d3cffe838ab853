/*
 * A sampler of the user: a command that reads the space and what is known of
 * the trials as JSON Lines, and prints a point.  Private to lib/control/ask.c.
 */
#ifndef STFM_CONTROL_ASK_COMMAND_H
#define STFM_CONTROL_ASK_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ask_trial;
struct job_points;
struct search;
struct space;
struct store_job;

/* What the command is told. */
struct ask_command {
	const struct store_job *job;
	const struct space *space;
	struct job_points *points;     /* reads the lines of trials */
	const struct ask_trial *trial; /* count of them */
	uint64_t count;
	const struct ask_trial *result; /* results of them, of another job */
	size_t results;
	uint64_t seed;
	const char *metric; /* the objective */
	int higher;         /* larger values are better */
	int64_t epochs;     /* of a training, or 0: unknown */
};

/*
 * Run the sampler of the job for a task, in the directory where its tasks run.
 * search checks the point that it prints.  Sets out, which has a place for each
 * name of the space, to the values of the point, each to free; NULL for a name
 * that the point does not use.  Returns 0, or -1 if the command fails, takes
 * longer than STFM_SAMPLER_TIMEOUT (in seconds; default: 60), or prints no
 * point of the space.
 */
int ask_command(const struct ask_command *, struct search *, uint64_t task,
    char **out, struct error *e);

#endif
