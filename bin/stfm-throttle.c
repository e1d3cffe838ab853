/* stfm-throttle - change how many tasks of a job run at once */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/num.h"
#include "base/text.h"
#include "config/config.h"
#include "control/hold.h"
#include "control/policy.h"
#include "job/location.h"
#include "reconcile/reconcile.h"
#include "store/load.h"
#include "store/table.h"
#include "term/cli.h"
#include "view/select.h"

struct request {
	const char *dir;
	int dry_run, quiet;
};

static const struct cli_option options[] = {
    {0, "dry-run", NULL, "show what would be changed",
	CLI_FLAG(struct request, dry_run)},
    {'Q', "quiet", NULL, "print only errors", CLI_FLAG(struct request, quiet)},
    {'d', "store", "DIR", "use this store (default: $STFM_DIR, .stfm, ...)",
	CLI_TEXT(struct request, dir)},
    {0},
};

static const struct cli command = {
    "stfm-throttle",
    "limit how many tasks of a job run at once",
    "[-Q] [-d DIR] JOB [N]",
    "  stfm-throttle conv2d        show the limit\n"
    "  stfm-throttle conv2d 8      run at most eight tasks at once\n"
    "  stfm-throttle conv2d none   remove the limit\n",
    options,
    0,
    config_defaults,
};

/* Return whether a word in the place of JOB is a value of N. */
static int
is_limit(const char *word)
{
	return strcmp(word, "none") == 0 ||
	    word[strspn(word, "0123456789")] == '\0';
}

static int
parse_limit(const char *job, const char *text, int64_t *out, struct error *e)
{
	static const char *const none[] = {"none"};
	char hint[TEXT_HINT];

	*out = 0;
	if (strcmp(text, none[0]) == 0)
		return 0;
	if (is_limit(job) && !is_limit(text))
		return error_set(
		    e, "JOB comes first: stfm-throttle %s %s", text, job);
	if (isalpha((unsigned char)*text))
		return error_set(e, "N: %s: %s", text,
		    text_hint(text, none, 1, "write a number, or none", hint));
	return num_int("N", text, 0, INT32_MAX, out, e);
}

static void
print_limit(const struct store_job *job, const char *what, int64_t limit)
{
	if (limit == 0)
		cli_print("%s: %sany number of tasks at once",
		    store_job_name(job), what);
	else
		cli_print("%s: %sat most %" PRId64 " task%s at once",
		    store_job_name(job), what, limit, limit == 1 ? "" : "s");
}

static int
show(const struct store_job *job)
{
	struct store_requests requests;
	struct error e;

	if (store_requests_whole(job, STORE_HOLDS, &requests, &e) == -1) {
		error_prefix(&e, store_job_name(job));
		return cli_fail(&e, CLI_WRONG);
	}
	if (store_job_imported(job) != NULL &&
	    store_request_parallel(&requests) == NULL)
		cli_print("%s: as sbatch was told for %s", store_job_name(job),
		    store_job_imported(job));
	else
		print_limit(job, "", store_request_limit(job, &requests));
	store_requests_free(&requests);
	return CLI_YES;
}

/* Return whether the table says that no task of a job runs or waits. */
static int
is_over(const struct request *r, const struct store *store,
    const struct store_job *job)
{
	struct reconcile *pass = r->dry_run ? reconcile_look(time(NULL))
					    : reconcile_alone(store, NULL);
	struct store_table *table = NULL;
	int over;

	if (pass != NULL)
		reconcile_job(pass, job, NULL, NULL, &table, NULL);
	over = table != NULL && job_policy_is_over(job, table, NULL) == 1;
	store_table_free(table);
	reconcile_free(pass);
	return over;
}

static int
change(const struct request *r, const struct store_job *job, int64_t limit)
{
	struct job_held done;
	struct error e;

	if (job_hold_parallel(job, limit, &done, &e) == -1) {
		cli_warn("%s: %s", store_job_name(job), e.text);
		if (done.later)
			cli_warn("%s: %s", store_job_name(job), job_hold_later);
		return done.later ? CLI_LATER : CLI_WRONG;
	}
	if (!r->quiet)
		print_limit(job, "", limit);
	if (limit > 0 && done.arrays > (uint64_t)limit)
		cli_warn("%s: it is in the queue as %" PRIu64 " arrays, and "
			 "each of them runs one task at least",
		    store_job_name(job), done.arrays);
	return CLI_YES;
}

static int
run(const struct request *r, const struct store *store, char **words,
    size_t count)
{
	struct selection jobs = {0};
	const struct store_job *job;
	int64_t limit = 0;
	struct error e;
	int status, over;

	if ((count > 1 && parse_limit(words[0], words[1], &limit, &e) == -1) ||
	    job_select(store, words, 1, &jobs, &e) == -1)
		return cli_fail(&e, CLI_WRONG);
	if (jobs.count != 1 || !jobs.item[0].whole) {
		error_set(&e, "%s: write one whole job", words[0]);
		status = cli_fail(&e, CLI_WRONG);
	} else if (count == 1) {
		status = show(jobs.item[0].job);
	} else if (job_location_refuse_copy(jobs.item[0].job, &e) == -1) {
		status = cli_fail(&e, CLI_WRONG);
	} else {
		job = jobs.item[0].job;
		over = is_over(r, store, job);
		/* A limit may apply to tasks that are queued again. */
		if (over)
			cli_warn("%s: is over: nothing to throttle%s",
			    store_job_name(job),
			    store_job_imported(job) == NULL
				? ", except tasks that stfm-restart queues"
				: "");
		if (over && store_job_imported(job) != NULL) {
			status = CLI_NO;
		} else if (r->dry_run) {
			print_limit(job, "would be ", limit);
			status = CLI_YES;
		} else {
			status = change(r, job, limit);
		}
	}
	selection_free(&jobs);
	return status;
}

int
main(int argc, char **argv)
{
	struct request r = {0};
	struct store *store = NULL;
	struct error e;
	int got, status;

	cli_start(&command);
	got = cli_options(&command, argc, argv, NULL, &r);
	if (got == CLI_SHOWN)
		status = CLI_YES;
	else if (got == CLI_BAD)
		status = CLI_WRONG;
	else if (argc - optind < 1 || argc - optind > 2)
		status = cli_usage(&command);
	else if ((store = store_open(r.dir, STORE_WRITE, &e)) == NULL ||
	    (argc - optind > 1 && store_check_owner(store, &e) == -1))
		status = cli_fail(&e, CLI_WRONG);
	else
		status = run(&r, store, argv + optind, (size_t)(argc - optind));
	store_close(store);
	return cli_finish(status);
}
