/*
 * The command line of stfm-submit: its own options, options of sbatch, the
 * words of the space, and the command or script.  Files of defaults add options
 * that the command line leaves out.
 */
#ifndef STFM_SUBMIT_OPTIONS_H
#define STFM_SUBMIT_OPTIONS_H

#include "base/strlist.h"
#include "space/space.h"
#include "submit/messages.h"
#include "submit/plan.h"
#include "term/cli.h"

struct submit_options {
	struct job_plan *plan;
	struct space *space;
	struct strlist sbatch; /* options given for sbatch */
	const char *spec, *from, *store, *rest_of, *snapshot, *after,
	    *from_results;
	char *program; /* path of stfm-run */
	char **rest;   /* the command or script, with its arguments */
	size_t rest_count;
	int no_check, no_snapshot, sync, yes;
	int new_code, old_code; /* for a job that is stored already */
	int is_script;          /* no -- before rest */
	int has_space;          /* a word, spec or file of points was given */
	int goal_given, regex_given; /* given on the command line */

	int search_bare;  /* the last word was --search, without a number */
	uint64_t samples; /* of --samples or --search; 0: not given */
	/* The options that gave the number, and the pruner; or NULL. */
	const char *samples_by, *pruner_by;
	struct strlist rules; /* policy options on the command line */
	struct submit_message report;
};

/* The options of stfm-submit, without the options of sbatch. */
extern const struct cli_option submit_options_options[];

/* The groups of its help. */
extern const struct cli_group submit_options_groups[];

/*
 * Prepare for a command line; out is standard output.  The texts stay in argv,
 * which must outlive the struct.  Call submit_options_free.
 */
void submit_options_begin(struct submit_options *, FILE *out);
void submit_options_free(struct submit_options *);

/* Take the option that cli_next_at returned last.  Returns 0 or -1. */
int submit_options_take(struct submit_options *, struct error *e);

/*
 * Take a policy rule from a spec, "--requeue=3" or "--requeue", unless the
 * command line has the same option.  Returns 0 or -1.
 */
int submit_options_rule(
    struct submit_options *, const char *word, struct error *e);

/*
 * Take the word at argv[*at], which is not an option of stfm-submit: a part of
 * the space, or an option of sbatch.  Returns 1 with *at after the word, 0 if
 * the word is the script, or -1.
 */
int submit_options_word(
    struct submit_options *, char **argv, int *at, struct error *e);

/*
 * Complete the plan: its points, its command, and the options of sbatch from
 * the environment and the files of defaults.  argv is the command line to
 * record.  Returns 0 or -1.
 */
int submit_options_plan(struct submit_options *, int argc, char **argv,
    char **environment, struct error *e);

#endif
