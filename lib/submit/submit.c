#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "config/keys.h"
#include "control/dependency.h"
#include "dist/dist.h"
#include "job/argv.h"
#include "job/code.h"
#include "job/container.h"
#include "job/provenance.h"
#include "reconcile/reconcile.h"
#include "submit/policy-options.h"
#include "submit/resources.h"
#include "submit/search-options.h"
#include "submit/submit.h"
#include "sys/proc.h"
#include "view/select.h"

/* ---- completing a plan ---- */

/*
 * Check that --epochs names a hyperparameter and that --metrics and --metric
 * are not empty.
 */
static int
check_names(const struct store_job *job, struct error *e)
{
	size_t i;

	if (job->metrics != NULL && *job->metrics == '\0')
		return error_set(e,
		    "--metrics: empty: write the path of the training log, or "
		    "none");
	if (job->metric != NULL && *job->metric == '\0')
		return error_set(e,
		    "--metric: empty: write the name of a metric in the "
		    "training log, as in --metric val_loss");
	if (job->epochs == NULL || isdigit((unsigned char)*job->epochs))
		return 0;
	for (i = 0; i < job->names.count; i++)
		if (strcmp(job->names.word[i], job->epochs) == 0)
			return 0;
	return error_set(e,
	    "--epochs %s: no hyperparameter has this name: write a number, or "
	    "the name of one",
	    job->epochs);
}

/*
 * Return an option that is a number, or usual if it is not given; 0 for any
 * other value.
 */
static int64_t
option_number(const struct job_plan *plan, const char *name, int64_t usual)
{
	const char *text = job_plan_option(plan, name);
	int64_t n = usual;

	if (text != NULL && num_int(name, text, 1, INT32_MAX, &n, NULL) == -1)
		return 0;
	return n;
}

/*
 * Check that a task has enough ranks for its roles, as far as they are known.
 */
static int
check_dist(const struct job_plan *plan, struct error *e)
{
	const struct store_job *job = plan->job;
	int64_t n = option_number(plan, "ntasks", -1);
	struct dist_step step = {.tasks = 0};
	struct dist_options options;

	if (job->dist == NULL)
		return 0;
	if (job->script != NULL)
		return error_set(e,
		    "--dist %s: stfm does not start the tasks of a script: "
		    "write eval \"$(stfm-dist %s)\" into it, before srun",
		    job->dist, job->dist);
	if (n == -1)
		n = option_number(plan, "nodes", 1) *
		    option_number(plan, "ntasks-per-node", 1);
	step.tasks = (size_t)n;
	if (dist_options_parse(job->dist, &options, e) == -1 ||
	    (n > 0 && dist_check(&options, &step, e) == -1))
		return error_prefix(e, "--dist");
	return 0;
}

static int
check_pack(const struct job_plan *plan, struct error *e)
{
	const struct store_job *job = plan->job;

	if (job->pack <= 1)
		return 0;
	if (job->dist != NULL)
		return error_set(e,
		    "--pack %" PRId64 " and --dist: a distributed training "
		    "has its allocation for itself: leave one out",
		    job->pack);
	if (job_container_by_srun(job))
		return error_set(e,
		    "--pack %" PRId64
		    ": containers of this runtime are job steps, which run one "
		    "after the other: use apptainer, or leave out --pack",
		    job->pack);
	if (job->parallel > 0 && job->parallel < job->pack)
		return error_set(e,
		    "--parallel %" PRId64 ": --pack %" PRId64 " runs more at "
		    "once: raise it, or lower --pack",
		    job->parallel, job->pack);
	return 0;
}

int
job_submit_complete(struct job_plan *plan, const struct strlist *sbatch,
    int argc, char *const argv[], struct error *e)
{
	const char *directory = job_plan_option(plan, "chdir");
	struct store_job *job = plan->job;
	const struct passwd *user;
	char *secret;

	job->directory = fs_absolute(directory != NULL ? directory : ".");
	job->id = store_job_new_id();
	user = getpwuid(geteuid());
	job->user = user != NULL ? xstrdup(user->pw_name)
				 : xasprintf("%ld", (long)geteuid());
	if (job->args == NULL)
		job->args = xstrdup(config_key("submit", "args")->built_in);
	if (job_resource_complete(plan, e) == -1)
		return -1;
	job_plan_options(plan, sbatch);
	job_provenance_record(job, argc, argv);
	if (job_policy_options_complete(plan, e) == -1 ||
	    job_container_complete(job, e) == -1 ||
	    store_job_check(job, e) == -1 || check_names(job, e) == -1 ||
	    check_dist(plan, e) == -1 || check_pack(plan, e) == -1 ||
	    submit_search_complete(plan, e) == -1)
		return -1;
	secret = job_provenance_secret(job);
	if (secret != NULL)
		plan->withheld |= S_IRWXG | S_IRWXO;
	free(secret);
	return job_argv_check(job, plan->optional, e);
}

/* ---- dependencies ---- */

/* Add a dependency, as in "conv2d:ok". */
static int
add_dependency(struct store_job *job, const struct store *store,
    const char *word, struct error *e)
{
	size_t n = strcspn(word, ":");
	char *name = xstrndup(word, n);
	struct selection s = {0};
	int rc = 0;

	if (n == 0)
		rc = error_set(e,
		    "--after: '%s' names no job: write %s, or @1%s for the "
		    "newest",
		    word, word[n] == ':' ? "JOB:ok" : "a job, as in prep",
		    word[n] == ':' ? ":ok" : "");
	else if (word[n] != '\0' && strcmp(word + n, ":ok") != 0)
		rc = error_set(e,
		    "--after: '%s': write a job, or with :ok behind it", word);
	else if (store == NULL)
		rc = error_set(e, "--after: %s: no such job", word);
	else if (job_select(store, &name, 1, &s, e) == -1)
		rc = error_prefix(e, "--after");
	else if (s.count != 1 || !s.item[0].whole)
		rc = error_set(e, "--after: %s: write a whole job", name);
	if (rc == 0) {
		strlist_take(&job->after,
		    xasprintf("%s:%s:%s", s.item[0].job->name,
			word[n] == ':' ? "ok" : "any", s.item[0].job->id));
		reconcile_again(store, &s, NULL, 0);
	}
	selection_free(&s);
	free(name);
	return rc;
}

int
job_dependency_set(struct store_job *job, const struct store *store,
    const char *text, struct error *e)
{
	char *list = xstrdup(text), *rest = list, *word;
	int rc = 0;

	strlist_free(&job->after);
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL)
		rc = add_dependency(job, store, word, e);
	free(list);
	return rc == 0 ? job_dependency_check(job, store, e) : -1;
}

/* ---- the name ---- */

/*
 * Return a name made from the script or command: "train" for "python train.py";
 * to free.
 */
static char *
default_name(const struct job_plan *plan)
{
	const char *given = job_plan_option(plan, "job-name"), *word;
	const struct strlist *words = &plan->job->command;
	char *name, *c;

	if (given != NULL)
		return xstrdup(given);
	word = words->word[0];
	if (words->count > 1 && strchr(words->word[1], '.') != NULL &&
	    words->word[1][0] != '-')
		word = words->word[1];
	name = xstrdup(fs_base(word));
	c = strrchr(name, '.');
	if (c != NULL && c > name)
		*c = '\0';
	for (c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("_.-", *c) == NULL)
			*c = '_';
	return name;
}

int
job_submit_name(
    struct job_plan *plan, const struct store *store, struct error *e)
{
	struct store_job *job = plan->job;
	struct fs_names names = {0};
	char *base, *near = NULL;
	size_t n = 1;
	int taken;

	if (store != NULL && store_jobs(store, &names, e) == -1)
		return -1;
	base = job->name ? xstrdup(job->name) : default_name(plan);
	do {
		free(near);
		near = n == 1 ? xstrdup(base) : xasprintf("%s-%zu", base, n);
		taken = fs_names_have(&names, near);
		n++;
	} while (taken && job->name == NULL);
	fs_names_free(&names);
	free(base);
	if (taken)
		error_set(e,
		    "%s: there is a job of this name: choose another name, as "
		    "in -J %s-2",
		    near, near);
	free(job->name);
	job->name = near;
	return taken || store_check_name(near, e) == -1 ? -1 : 0;
}

/* ---- storing a plan ---- */

/*
 * Write the batch script, which starts runner.  Frees runner; fails if it is
 * NULL.
 */
static int
write_batch(
    struct job_plan *plan, const char *store, char *runner, struct error *e)
{
	int rc = runner != NULL ? store_check_path(store, e) : -1;
	char *path;

	if (rc == 0) {
		path = xasprintf("%s/jobs/%s", store, plan->job->name);
		job_plan_batch(plan, path, runner);
		free(path);
	}
	free(runner);
	return rc;
}

int
job_submit_batch(struct job_plan *plan, const char *store, const char *program,
    struct error *e)
{
	return write_batch(plan, store, store_program(store, program, e), e);
}

/*
 * Copy the code.  From then on a signal waits until stfm-submit has said what
 * is queued.
 */
static int
copy_code(void *snapshot, struct store_job *job, int dir, struct error *e)
{
	int rc = job_code_copy(snapshot, job, dir, e);

	proc_block();
	return rc;
}

static int
store_plan(struct job_plan *plan, const struct store *store,
    const char *program, struct error *e)
{
	struct store_job_files files = {0};
	int rc;

	if (write_batch(
		plan, store->path, store_install(store, program, e), e) == -1)
		return -1;
	files.batch = plan->batch;
	files.script = plan->script_text;
	files.withheld = plan->withheld;
	files.more = copy_code;
	files.arg = plan->snapshot;
	if (plan->job->points_kept) {
		files.points = plan->points;
		files.points_length = plan->points_length;
	}
	rc = store_job_create(store, plan->job, &files, e);
	if (rc == 1)
		error_set(e,
		    "%s: there is a job of this name by now: choose another "
		    "name, as in -J %s-2",
		    plan->job->name, plan->job->name);
	return rc;
}

int
job_submit_store(struct job_plan *plan, const struct store *store,
    const char *program, struct error *e)
{
	int named = plan->job->name != NULL, rc;

	do {
		if (!named) {
			free(plan->job->name);
			plan->job->name = NULL;
		}
		if (job_submit_name(plan, store, e) == -1)
			return -1;
		rc = store_plan(plan, store, program, e);
	} while (rc == 1 && !named);
	return rc == 0 ? 0 : -1;
}
