/*
 * A spec: a space in a JSON file, and whatever else the command line leaves
 * unsaid.
 */
#ifndef STFM_SUBMIT_SPEC_H
#define STFM_SUBMIT_SPEC_H

#include "submit/defaults.h"
#include "submit/plan.h"

/*
 * Read the file into the space and the plan.  rules are the names of those that
 * the command line has, which hold; options for sbatch are added to its words.
 */
int job_spec_take(struct job_plan *, struct space *, const char *path,
    const struct words *rules, struct job_defaults *, struct words *sbatch,
    struct error *e);

#endif
