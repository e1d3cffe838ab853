/*
 * The code of a job, as its record has it: where it was, its state at
 * submission, and the copy that the tasks run from, STORE/jobs/NAME/code/.
 */
#ifndef STFM_STORE_CODE_H
#define STFM_STORE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct store_code {
	char *fingerprint; /* fingerprint of the copy, or NULL */
	char *root;        /* the directory that code/ is a copy of */
	char *work; /* directory where the tasks run, below root; "" for root */
	char *why;  /* why there is no copy, or none by git */
	uint64_t files, bytes;
	char *commit, *branch, *remote; /* from git, or NULL */
	char *diff;                     /* checksum of the file diff, or NULL */
	int dirty;                /* tracked files differed from the commit */
	struct strlist untracked; /* files unknown to git */
	struct strlist packages;  /* directories that Python imports from */
};

void store_code_free(struct store_code *);

#endif
