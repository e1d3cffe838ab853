/*
 * The options of a job that come from files, as far as nothing else says
 * otherwise, and where each of them stands.
 */
#ifndef STFM_SUBMIT_DEFAULTS_H
#define STFM_SUBMIT_DEFAULTS_H

#include "base/error.h"
#include "base/strlist.h"

struct job_defaults {
	struct strlist *option; /* the job's: "--name=value" */
	struct strlist from;    /* of each of them; to be freed */
};

/* value may be NULL or "", when there is none. */
void job_defaults_add(struct job_defaults *, const char *name,
    const char *value, const char *from);

/* An option of this name was given, so none from a file counts. */
void job_defaults_drop(struct job_defaults *, const char *name);

/*
 * Who did not type what is refused wants to know where it stands: add that to
 * the reason, when a default's value is in it.
 */
void job_defaults_blame(const struct job_defaults *, struct error *e);

#endif
