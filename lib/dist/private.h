/* What the files of dist share. */
#ifndef STFM_DIST_PRIVATE_H
#define STFM_DIST_PRIVATE_H

#include "dist/dist.h"

/* The role of a rank. */
enum dist_role { DIST_CHIEF, DIST_WORKER, DIST_PS, DIST_EVALUATOR };
enum { DIST_ROLES = DIST_EVALUATOR + 1 };

/* The names in TensorFlow: "chief" ... */
extern const char *const dist_role_names[DIST_ROLES];

/* Return how many ranks of a step have a role. */
size_t dist_role_count(
    const struct dist_options *, const struct dist_step *, enum dist_role);

/*
 * Return the role of a rank; *index is its number among ranks of that role.
 * The order is chief, workers, parameter servers (or with ps_first before the
 * workers), evaluator; MXNet's scheduler is its chief.
 */
enum dist_role dist_role(const struct dist_options *, const struct dist_step *,
    size_t rank, size_t *index);

#endif
