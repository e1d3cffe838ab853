/*
 * Completion: the candidates that shells offer for a word that the user is
 * typing.
 *
 * It is fast in any store: it reads only the heads of tables and the rows of a
 * few tasks.  Slurm is asked only for nodes; see also nodes/partition-names.h.
 */
#ifndef STFM_STATUS_COMPLETION_H
#define STFM_STATUS_COMPLETION_H

#include <stdio.h>

#include "base/strlist.h"

/*
 * Print the candidates for word, one a line: the whole word, a tab, a
 * description that may be empty.  Words with control characters are no
 * candidates.  line is the command line, starting with the command.  The jobs
 * and files on it tell whose names are meant; without any it is the newest jobs
 * (only some of many).
 *
 * what		for example
 * tasks	conv2d, conv2d/0-4, @1
 * jobs		conv2d
 * states	ERROR,STOPPED
 * events	finished,error
 * where	opt=adam,lr
 * sort		-lr
 * names	hyperparameters: lr,batch_size
 * typed	those that the line itself has as lr=...
 * metrics	loss,val_loss
 * columns	x axes of curves
 * partitions	gpu,short
 * nodes	n1, and partitions
 * reservations	root_1
 * sbatch	--gres
 *
 * Returns 0, or -1 if what is none of these.
 */
int completion(
    FILE *out, const char *what, const char *word, const struct strlist *line);

#endif
