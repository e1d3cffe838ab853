/*
 * The reason of a stop request: the rule --max-fail, a search, or a user.
 */
#ifndef STFM_CONTROL_STOP_REASON_H
#define STFM_CONTROL_STOP_REASON_H

#include "store/request.h"

/*
 * Return the first attempt in which failures count: the one after those that
 * the rule has stopped.  So restarted tasks get a new chance.
 */
uint32_t job_max_fail_since(const struct store_requests *);

/* Return the reason of the rule's stop requests, "max-fail 3"; to free. */
char *job_max_fail_name(const struct store_job *);

/* Return whether the rule stopped this attempt or forbade its requeue. */
int job_max_fail_has_stopped(
    const struct store_requests *, uint64_t task, uint32_t attempt);

/*
 * Return whether the search stopped a task before this attempt, because of its
 * value or at the end of the search.  Then a person wants this attempt, and the
 * search leaves it alone.  The answer is yes if a damaged request may say so.
 */
int job_search_has_stopped(
    const struct store_requests *, uint64_t task, uint32_t attempt);

#endif
