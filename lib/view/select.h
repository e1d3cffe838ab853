/*
 * Selecting jobs and tasks by the words that every command takes: conv2d,
 * conv2d/3, conv2d/0-4,7, @1 (the newest job), @2, Slurm's 4102, 4102_3 and
 * 4102_0-3, tag:paper (all jobs with this tag), and "-" for words on standard
 * input, one on each line.
 */
#ifndef STFM_VIEW_SELECT_H
#define STFM_VIEW_SELECT_H

#include "base/error.h"
#include "base/idset.h"
#include "base/strlist.h"
#include "job/selection.h"
#include "store/settled.h"
#include "store/store.h"

/*
 * Select the jobs and tasks that words name.  Returns 0, or -1 with the
 * selection empty.
 */
int job_select(const struct store *, char *const words[], size_t count,
    struct selection *out, struct error *e);

/*
 * Select the jobs and tasks that words name.  Skip words whose job has an
 * unreadable record and add the reasons to damaged.  Returns 0, or -1 if no
 * other words are left.
 */
int job_select_readable(const struct store *, char *const words[], size_t count,
    struct selection *out, struct strlist *damaged, struct error *e);

/*
 * Select all jobs, oldest first.  Skip jobs with an unreadable record and add
 * the reasons to damaged.
 */
int job_select_all(const struct store *, struct selection *out,
    struct strlist *damaged, struct error *e);

/*
 * Select jobs as job_select_all does, for a list of jobs.  A job that is
 * settled and has not changed is not opened: store_settled_job makes it.  Other
 * jobs have a stamp for store_settled_add.  If newest is not 0, jobs that are
 * older than so many others may be missing; settled->skipped is the number of
 * them.  *settled is to be freed with store_settled_free, after the jobs.
 */
int job_select_list(const struct store *, size_t newest,
    struct store_settled_list *settled, struct selection *out,
    struct strlist *damaged, struct error *e);

/* When a pass may leave a settled job alone. */
struct job_resting {
	uint64_t hooks; /* see store_settled_rests */
	int (*is_queued)(void *arg, const char *id); /* Slurm has it */
	void *arg;
};

/*
 * Select jobs as job_select_all does, for a pass: all except those in which it
 * has nothing to do.  They have a stamp for store_settled_add_rest.  *settled
 * is to be freed with store_settled_free.
 */
int job_select_awake(const struct store *, const struct job_resting *,
    struct store_settled_list *settled, struct selection *out,
    struct strlist *damaged, struct error *e);

/*
 * Drop the jobs that lack text: in the name, the description, the tags, the
 * command and the names of hyperparameters.  Case does not matter.
 */
void job_select_find(struct selection *, const char *text);

/* Return whether a word selects jobs by a tag: tag:paper. */
int job_select_is_tag(const char *word);

/* Return whether a word starts as a Slurm id: 4102 or 4102_3. */
int job_select_is_slurm_id(const char *word);

#endif
