/* What the files of dist share. */
#ifndef STFM_DIST_PRIVATE_H
#define STFM_DIST_PRIVATE_H

#include "dist/dist.h"

/* What a rank does. */
enum dist_role { DIST_CHIEF, DIST_WORKER, DIST_PS, DIST_EVALUATOR };
enum { DIST_ROLES = DIST_EVALUATOR + 1 };

/* "chief", as TensorFlow names it. */
extern const char *const dist_role_names[DIST_ROLES];

/* How many ranks of a step have a role. */
size_t dist_role_count(
    const struct dist_wish *, const struct dist_step *, enum dist_role);

/*
 * The role of a rank, and its number among those of the same role.  Chief,
 * workers, parameter servers and evaluator have their ranks in this order; of
 * MXNet the scheduler is the chief.
 */
enum dist_role dist_role(const struct dist_wish *, const struct dist_step *,
    size_t rank, size_t *index);

#endif
