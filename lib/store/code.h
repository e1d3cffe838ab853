/*
 * The code of a job, as its record has it: where it was, its state when it was
 * copied, and the copy that the tasks run from, STORE/jobs/NAME/code/ or, for a
 * newer copy, STORE/jobs/NAME/change/NUMBER/code/.
 */
#ifndef STFM_STORE_CODE_H
#define STFM_STORE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct store_code {
	int64_t number;    /* 0: of the submission; or number of the change */
	int64_t made;      /* when a newer copy was made; 0: the submission */
	char *patterns;    /* of --snapshot, or NULL */
	char *script_sum;  /* checksum of a newer batch script, or NULL */
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
