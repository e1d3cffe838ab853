/*
 * Options of sbatch on the command line of a command of stfm: they are stored
 * and passed on.
 */
#ifndef STFM_JOB_SBATCH_OPTIONS_H
#define STFM_JOB_SBATCH_OPTIONS_H

#include "base/error.h"
#include "base/strlist.h"
#include "slurm/sbatch.h"
#include "term/cli.h"

/*
 * If the first of the words, a list that ends with NULL, is an option of sbatch
 * or a bundle of its letters, add the options to given, and to out as one word
 * each, with their long names.  Returns how many words were used, 0 if the
 * first word is not an option of sbatch, or -1 if it cannot be passed on.
 */
int job_sbatch_options_take(struct sbatch *given, char *const words[],
    struct strlist *out, struct error *e);

/* Add the options in given, from index from on, as words with long names. */
void job_sbatch_options_add(
    const struct sbatch *given, size_t from, struct strlist *out);

/*
 * Return whether one of the newer options replaces an option, as sbatch_is_like
 * says: --mem-per-cpu replaces --mem.  Only the newer options from the index
 * `from` on count.
 */
int job_sbatch_options_replaced(
    const char *option, const struct strlist *newer, size_t from);

/* Refuse a mistyped option of sbatch or stfm.  Returns 0, or -1. */
int job_sbatch_options_mistyped(
    const struct cli_option *ours, const char *word, struct error *e);

#endif
