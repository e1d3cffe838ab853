/*
 * What a job's record says of its code: where it was, which state of it was
 * submitted, and the copy that the tasks run from, STORE/jobs/NAME/code/.
 */
#ifndef STFM_STORE_CODE_H
#define STFM_STORE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct store_code {
	char *fingerprint; /* of the copy, or NULL where there is none */
	char *root;        /* the directory that code/ is a copy of */
	char *work;        /* where the tasks run below it; "" is itself */
	char *why;         /* why there is no copy, or why not by git */
	uint64_t files, bytes;
	char *commit, *branch, *remote; /* of git, or NULL */
	char *diff;                     /* checksum of the file diff, or NULL */
	int dirty;                /* tracked files differed from the commit */
	struct strlist untracked; /* files that git did not know */
	struct strlist packages;  /* directories that Python takes them from */
};

void store_code_free(struct store_code *);

#endif
