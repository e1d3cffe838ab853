/*
 * Getting inside a running task: which one is meant, whether Slurm's array is
 * still the one that trains it, and the step that starts a command there.
 */
#ifndef STFM_VIEW_ATTACH_H
#define STFM_VIEW_ATTACH_H

#include "slurm/step.h"
#include "store/store.h"
#include "view/select.h"

struct job_attach {
	struct selection selection;
	const struct store_job *job;
	uint64_t task;
	uint32_t array, index;
	uint32_t id;            /* the task's own, for srun alone */
	char *node;             /* where to go */
	struct strlist nodes;   /* all it has */
	struct strlist damaged; /* reasons: records that may say more of them */
};

/*
 * Find the one task that the words name and that runs now.  Returns 0, or -1;
 * errno is EAGAIN when Slurm did not answer.  To job_attach_free in any case.
 */
int job_attach(struct job_attach *, const struct store *, char *const words[],
    size_t count, struct error *e);
void job_attach_free(struct job_attach *);

/* Go to another of its nodes: 0, or -1. */
int job_attach_node(struct job_attach *, const char *node, struct error *e);

/*
 * Go to where a rank of it is, which its nodes are asked for: 0, or -1.
 * program is stfm-run as the nodes see it.
 */
int job_attach_rank(struct job_attach *, const char *program, const char *rank,
    struct error *e);

/*
 * The words by which the command, or a shell when there is none, is started
 * there.  rank is NULL for any.
 */
void job_attach_words(const struct job_attach *, const char *program,
    const char *rank, char *const command[], int terminal, struct strlist *out);

#endif
