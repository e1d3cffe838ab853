/*
 * Completion: the candidates that shells offer for a word that the user is
 * typing.
 *
 * Completion is fast in any store: it reads only the heads of tables and the
 * rows of a few tasks.  It asks Slurm only for nodes, reservations and
 * partitions; see also nodes/partition-names.h.
 */
#ifndef STFM_STATUS_COMPLETION_H
#define STFM_STATUS_COMPLETION_H

#include <stdio.h>

#include "base/strlist.h"

/*
 * Print the candidates for word, one on each line: the whole word, a tab, a
 * description that may be empty.  Words with control characters are never
 * candidates.  line is the command line, starting with the command.  Names are
 * taken from the jobs and files on it, or from the newest jobs if it has none
 * (only some of many).
 *   what  for example
 *   tasks conv2d, conv2d/0-4, @1
 *   jobs  conv2d, tag:paper
 *   tags  paper,2026
 *   states ERROR,STOPPED
 *   events finished,error
 *   where opt=adam,lr
 *   sort  -lr
 *   shown columns of tasks: id,lr,best
 *   names hyperparameters: lr,batch_size
 *   typed hyperparameters that the line itself sets (lr=...)
 *   metrics loss,val_loss
 *   columns x axes of curves
 *   partitions gpu,short
 *   nodes n1, and partitions
 *   reservations root_1
 *   sbatch --gres
 * Returns 0, or -1 if what is not in this list.
 */
int completion(
    FILE *out, const char *what, const char *word, const struct strlist *line);

#endif
