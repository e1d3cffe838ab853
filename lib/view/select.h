/*
 * Which jobs and tasks a user means, in the words that are the same in every
 * command: conv2d, conv2d/3, conv2d/0-4,7, @1 (the newest job), @2, Slurm's
 * 4102, 4102_3 and 4102_0-3, and "-" for words on standard input, one a line.
 */
#ifndef STFM_VIEW_SELECT_H
#define STFM_VIEW_SELECT_H

#include "base/error.h"
#include "base/idset.h"
#include "job/selection.h"

/* Find what the words name.  Returns 0, or -1 with the selection empty. */
int job_select(const struct store *, char *const words[], size_t count,
    struct selection *out, struct error *e);

/*
 * As job_select, but leave out words whose job has a record that cannot be
 * read, and add the reason to damaged.  Returns -1 if only such words are left.
 */
int job_select_readable(const struct store *, char *const words[], size_t count,
    struct selection *out, struct strlist *damaged, struct error *e);

/*
 * All jobs, oldest first.  Jobs whose record cannot be read are left out and
 * said in damaged.
 */
int job_select_all(const struct store *, struct selection *out,
    struct strlist *damaged, struct error *e);

/* Whether a word is an id of Slurm's: 4102 or 4102_3, as far as its "_". */
int job_select_is_slurm_id(const char *word);

#endif
