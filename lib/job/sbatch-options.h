/*
 * Options of sbatch among those of our own commands, as they are kept in the
 * store and handed on.
 */
#ifndef STFM_JOB_SBATCH_OPTIONS_H
#define STFM_JOB_SBATCH_OPTIONS_H

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/sbatch.h"
#include "term/cli.h"

/*
 * Take the options of sbatch that begin with the first of the words (a list
 * that ends with NULL).  They are added to given, and to out as one word each,
 * by their long names.  Returns how many words they fill, 0 when the first is
 * none of sbatch's options, or -1 for one that cannot be handed on.
 */
int job_sbatch_options_take(struct sbatch *given, char *const words[],
    struct strlist *out, struct error *e);

/* Add those given from this one on, as one word each, by their long names. */
void job_sbatch_options_add(
    const struct sbatch *given, size_t from, struct strlist *out);

/*
 * Whether one of a list, from one on, takes the place of an option, both as
 * words: it is the same one, or --mem-per-cpu and that was --mem.
 */
int job_sbatch_options_replaced(
    const char *word, const struct strlist *by, size_t from);

/*
 * Refuse a word that is an option of neither, but nearly one of ours: 0, or
 * -1.
 */
int job_sbatch_options_mistyped(
    const struct cli_option *ours, const char *word, struct error *e);

#endif
