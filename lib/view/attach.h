/*
 * Attaching to a running task: find the task that the user means, check that
 * Slurm's array is still the one that trains it, and make the srun command that
 * starts a program next to its training.
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
	uint32_t id;            /* the task's job id, for srun only */
	char *node;             /* the node to attach to */
	struct strlist nodes;   /* all nodes of the task */
	struct strlist damaged; /* reasons why records cannot be read */
};

/*
 * Find the one running task that words name.  Returns 0, or -1 with e set; its
 * code is ERROR_SILENT if Slurm did not answer.  Call job_attach_free in either
 * case.
 */
int job_attach(struct job_attach *, const struct store *, char *const words[],
    size_t count, struct error *e);

/* Free the fields of an attachment, but not the struct. */
void job_attach_free(struct job_attach *);

/*
 * Attach to another node of the task.  Returns 0, or -1 if the task does not
 * run on node.
 */
int job_attach_node(struct job_attach *, const char *node, struct error *e);

/*
 * Choose the node on which rank runs, by asking the task's nodes.  program is
 * the path of stfm-run on the nodes.  Returns 0 or -1.
 */
int job_attach_rank(struct job_attach *, const char *program, const char *rank,
    struct error *e);

/*
 * Put the srun command that starts command, or a shell if it is empty, into
 * out.  rank NULL means any rank.
 */
void job_attach_words(const struct job_attach *, const char *program,
    const char *rank, char *const command[], int terminal, struct strlist *out);

#endif
