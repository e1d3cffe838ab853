#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/version.h"
#include "check/private.h"
#include "slurm/account.h"
#include "store/store.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/* A check in progress. */
struct check {
	const struct check_setup *setup;
	struct check_lines lines;
	size_t shown;
	int fails;
	int has_slurm;
};

static void
show(struct check *c)
{
	const struct check_line *line;

	for (; c->shown < c->lines.count; c->shown++) {
		line = &c->lines.line[c->shown];
		c->fails += line->word == CHECK_FAIL;
		c->setup->show(c->setup->arg, line);
	}
}

static void
check_slurm(struct check *c)
{
	struct job_plan *plan = check_plan(c->setup);
	struct check_wanted wanted = {
	    job_plan_option(plan, "partition"), c->setup->gpu};
	static const struct queue_account_array any = {.array = 1, .name = ""};
	struct queue_account *account = NULL;
	struct queue_cluster *cluster;
	const char *silence = NULL;
	struct error e;
	char *client;

	c->setup->busy(c->setup->arg, "asking Slurm");
	client = queue_client(&e);
	if (client == NULL || queue_cluster(QUEUE_NODES, &cluster, &e) == -1) {
		check_judge_silence(&c->lines, &e);
	} else {
		if (cluster->accounting) {
			account = queue_account_load(&any, 1);
			silence = account->trouble;
		}
		check_judge_cluster(
		    &c->lines, cluster, client, silence, &wanted);
		queue_account_free(account);
		queue_cluster_free(cluster);
		c->has_slurm = 1;
	}
	c->setup->busy(c->setup->arg, NULL);
	free(client);
	job_plan_free(plan);
	show(c);
}

/* ---- the store ---- */

/* Return where the path of the store comes from. */
static const char *
named_by(const char *option, const char *path)
{
	const char *dir = getenv("STFM_DIR");

	if (option != NULL)
		return "a file of defaults";
	if (dir != NULL && *dir != '\0')
		return "STFM_DIR";
	return strcmp(fs_base(path), ".stfm") == 0 ? "the nearest .stfm"
						   : "the default";
}

/* Check that an existing store can be used.  Returns 0 or -1. */
static int
check_existing(const char *option, struct error *e)
{
	struct store *store = store_open(option, STORE_WRITE, e);
	int rc = -1;

	if (store != NULL && store_check_owner(store, e) == 0 &&
	    store_check_write(store, e) == 0)
		rc = 0;
	store_close(store);
	return rc;
}

/* Check the store.  Returns how many seconds its clock is ahead of ours. */
static int64_t
check_store(struct check *c, const char *path, struct check_place *place)
{
	const char *option = c->setup->store;
	struct check_store found = {.path = path,
	    .from = named_by(option, path),
	    .is_there = fs_exists(path),
	    .tried = c->has_slurm && !c->setup->no_job};
	struct error e;

	if ((found.is_there && check_existing(option, &e) == -1) ||
	    check_place_make(place, c->setup, path, &e) == -1)
		found.trouble = e.text;
	else if (fs_now(place->dir, &found.ahead, &e) == 0) {
		found.ahead -= time(NULL);
		check_kind(place->dir, &found);
	}
	check_judge_store(&c->lines, &found);
	show(c);
	return found.ahead;
}

int
check_setup(const struct check_setup *s)
{
	struct check_place place = {.dir = -1};
	struct check c = {.setup = s};
	char *path = store_path(s->store);
	int is_whole = fs_exists(s->program) && fs_exists(s->probe) &&
	    fs_exists(s->probe_python);
	int64_t ahead = 0;
	int rc = 0;

	if (is_whole)
		check_add(&c.lines, CHECK_OK, "stfm", NULL, "%s, %s",
		    STFM_VERSION, s->program);
	else
		check_add(&c.lines, CHECK_FAIL, "stfm",
		    "Reinstall it, with bin/ and libexec/ in the same "
		    "directory",
		    "%s, but the programs in libexec are not there",
		    STFM_VERSION);
	show(&c);
	check_slurm(&c);
	if (is_whole)
		ahead = check_store(&c, path, &place);
	if (place.dir != -1 && c.has_slurm && !s->no_job)
		rc = check_probe_node(s, &place, &c.lines, ahead);
	else if (place.dir != -1)
		rc = check_probe_here(s, &place, &c.lines, ahead);
	show(&c);
	/* Even without a failure it is not certain that a GPU works. */
	if (rc == 0 && s->gpu && c.fails == 0) {
		check_judge_unverified(&c.lines);
		show(&c);
	}
	check_place_remove(&place);
	check_lines_free(&c.lines);
	free(path);
	return rc == -1 ? -1 : c.fails;
}
