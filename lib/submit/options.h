/*
 * A request is what the command line of stfm-submit asks for: its own options,
 * those of sbatch, words of the space, and the command or the script.  Where
 * the command line says nothing the files of defaults do.
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
	struct strlist sbatch; /* the options given for it */
	const char *spec, *from, *store, *rest_of, *snapshot, *after;
	char *program; /* stfm-run */
	char **rest;   /* the command or the script, with its words */
	size_t rest_count;
	int no_check, no_snapshot, sync;
	int is_script;               /* no -- before the rest */
	int has_space;               /* any word, spec or file of points */
	int goal_given, regex_given; /* on the command line */
	struct job_defaults defaults;
	struct strlist rules; /* names of those on the command line */
	struct submit_message report;
};

/* Those of stfm-submit, without sbatch's. */
extern const struct cli_option submit_options_options[];

/* Make it an empty one; out is standard output. */
void submit_options_begin(struct submit_options *, FILE *out);
void submit_options_free(struct submit_options *);

/*
 * Take the command line, or say what is wrong with it: CLI_END, CLI_SHOWN or
 * CLI_BAD, as cli_next.  The texts belong to argv, which is to stay.
 */
int submit_options_parse(
    struct submit_options *, const struct cli *, int argc, char **argv);

/*
 * Complete the plan: its points, its command, and what the environment and the
 * files of defaults say to sbatch.  argv is the command line for the record.
 */
int submit_options_plan(struct submit_options *, int argc, char **argv,
    char **environment, struct error *e);

#endif
