/* Declarations shared by the files of lib/dist: the roles of ranks. */
#ifndef STFM_DIST_PRIVATE_H
#define STFM_DIST_PRIVATE_H

#include "dist/dist.h"

/* The role of a rank. */
enum dist_role { DIST_CHIEF, DIST_WORKER, DIST_PS, DIST_EVALUATOR };
enum { DIST_ROLES = DIST_EVALUATOR + 1 };

/* The names of the roles in TensorFlow: "chief" ... */
extern const char *const dist_role_names[DIST_ROLES];

/* Return how many ranks of a step have this role. */
size_t dist_role_count(
    const struct dist_options *, const struct dist_step *, enum dist_role);

/*
 * Return the role of a rank.  Sets *index to its number among the ranks with
 * that role.  The order is chief, workers, parameter servers (with ps_first
 * before the workers), evaluator; MXNet's scheduler counts as chief.
 */
enum dist_role dist_role(const struct dist_options *, const struct dist_step *,
    size_t rank, size_t *index);

#endif
