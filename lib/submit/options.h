/*
 * The command line of stfm-submit: its options, those of sbatch, the words of
 * the space, and the command or script.  Files of defaults add what it leaves
 * out.
 */
#ifndef STFM_SUBMIT_OPTIONS_H
#define STFM_SUBMIT_OPTIONS_H

#include "base/strlist.h"
#include "space/space.h"
#include "submit/defaults.h"
#include "submit/messages.h"
#include "submit/plan.h"
#include "term/cli.h"

struct submit_options {
	struct job_plan *plan;
	struct space *space;
	struct strlist sbatch; /* options given for sbatch */
	const char *spec, *from, *store, *rest_of, *snapshot, *after;
	char *program; /* the path of stfm-run */
	char **rest;   /* the command or script, with its arguments */
	size_t rest_count;
	int no_check, no_snapshot, sync;
	int is_script; /* there is no -- before rest */
	int has_space; /* there is a word, spec or file of points */
	int goal_given, regex_given; /* given on the command line */
	struct job_defaults defaults;
	struct strlist rules; /* policy options on the command line */
	struct submit_message report;
};

/* The options of stfm-submit, without those of sbatch. */
extern const struct cli_option submit_options_options[];

/* Make an empty request; out is standard output. */
void submit_options_begin(struct submit_options *, FILE *out);
void submit_options_free(struct submit_options *);

/*
 * Parse the command line, or print what is wrong with it.  Returns CLI_END,
 * CLI_SHOWN or CLI_BAD, as cli_next.  The texts stay in argv, which must
 * outlive the request.
 */
int submit_options_parse(
    struct submit_options *, const struct cli *, int argc, char **argv);

/*
 * Complete the plan: its points, its command, and the options of sbatch from
 * the environment and the files of defaults.  argv is the command line to
 * record.  Returns 0 or -1.
 */
int submit_options_plan(struct submit_options *, int argc, char **argv,
    char **environment, struct error *e);

#endif
