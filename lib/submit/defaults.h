/*
 * The defaults of a job: options from files that nothing else overrides, and
 * where each of them was found.
 */
#ifndef STFM_SUBMIT_DEFAULTS_H
#define STFM_SUBMIT_DEFAULTS_H

#include "base/error.h"
#include "base/strlist.h"

struct job_defaults {
	struct strlist *option; /* the job's options: "--name=value" */
	struct strlist from;    /* where each is from; to strlist_free */
};

/* Add the option name, found at from; value may be NULL or "" for none. */
void job_defaults_add(struct job_defaults *, const char *name,
    const char *value, const char *from);

/* Drop the defaults of this name, because the option was given elsewhere. */
void job_defaults_drop(struct job_defaults *, const char *name);

/*
 * Add to e where a refused value was found, if e contains the value of a
 * default: the user did not type it.
 */
void job_defaults_blame(const struct job_defaults *, struct error *e);

#endif
