/*
 * What a word can become that somebody is typing: what shells offer for it.
 *
 * It is quick however large the store is: of folds only the heads are read and
 * the rows of a few tasks, and Slurm is not asked, but for nodes, and see
 * nodes/partition-names.h.
 */
#ifndef STFM_STATUS_COMPLETION_H
#define STFM_STATUS_COMPLETION_H

#include <stdio.h>

#include "base/strlist.h"

/*
 * Print what the word can become, one a line: the whole word, a tab, a few
 * words about it, which may be none.  What has control characters is no
 * candidate.  line is the command line, the command first; the jobs and files
 * on it tell whose names are meant, where there are none it is the newest jobs
 * (of some, when there are many).
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
 * columns	what curves are drawn along
 * partitions	gpu,short
 * nodes	n1, and partitions
 * reservations	root_1
 * sbatch	--gres
 *
 * Returns 0, or -1 when it is none of these.
 */
int completion(
    FILE *out, const char *what, const char *word, const struct strlist *line);

#endif
