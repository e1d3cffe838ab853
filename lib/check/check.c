#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/version.h"
#include "base/xalloc.h"
#include "check/private.h"
#include "slurm/account.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/* All that goes on. */
struct check {
	const struct check_setup *setup;
	struct check_lines lines;
	size_t said;
	int fails;
	int has_slurm;
};

static void
say(struct check *c)
{
	const struct check_line *line;

	for (; c->said < c->lines.count; c->said++) {
		line = &c->lines.line[c->said];
		c->fails += line->word == CHECK_FAIL;
		c->setup->say(c->setup->arg, line);
	}
}

static int
is_whole(const struct check_setup *s)
{
	return fs_exists(s->program) && fs_exists(s->probe) &&
	    fs_exists(s->probe_python);
}

static void
look_at_stfm(struct check *c)
{
	const struct check_setup *s = c->setup;

	if (is_whole(s))
		check_add(&c->lines, CHECK_OK, "stfm", NULL, "%s, %s",
		    STFM_VERSION, s->program);
	else
		check_add(&c->lines, CHECK_FAIL, "stfm",
		    "Install it anew, bin/ and libexec/ beside each other",
		    "%s, but the programs in libexec are not there",
		    STFM_VERSION);
	say(c);
}

/* Why the accounting does not answer, to free; NULL where it does. */
static char *
accounting_silence(const struct queue_cluster *cluster)
{
	static const struct queue_account_array any = {.array = 1, .name = ""};
	struct queue_account *account;
	char *why;

	if (!cluster->accounting)
		return NULL;
	account = queue_account_load(&any, 1);
	why = xcopy(queue_account_trouble(account));
	queue_account_free(account);
	return why;
}

static void
look_at_slurm(struct check *c)
{
	struct job_plan *plan = check_plan(c->setup);
	struct check_wish wish = {
	    job_plan_option(plan, "partition"), c->setup->gpu};
	struct queue_cluster *cluster;
	struct error e;
	char *client, *silence;

	c->setup->busy(c->setup->arg, "asking Slurm");
	client = queue_client(&e);
	if (client == NULL || queue_cluster(QUEUE_NODES, &cluster, &e) == -1) {
		check_judge_silence(&c->lines, &e);
	} else {
		silence = accounting_silence(cluster);
		check_judge_cluster(&c->lines, cluster, client, silence, &wish);
		free(silence);
		queue_cluster_free(cluster);
		c->has_slurm = 1;
	}
	c->setup->busy(c->setup->arg, NULL);
	free(client);
	job_plan_free(plan);
	say(c);
}

/* ---- the store ---- */

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

/* Whether the store that is there can be used. */
static const char *
check_store(const char *option, const char *path, struct check_store *found,
    struct error *e)
{
	struct store *store;
	const char *trouble = NULL;

	found->is_there = fs_exists(path);
	store = found->is_there ? store_open(option, STORE_WRITE, e) : NULL;
	if (found->is_there &&
	    (store == NULL || store_check_owner(store, e) == -1 ||
		store_check_write(store, e) == -1))
		trouble = e->text;
	store_close(store);
	return trouble;
}

static void
look_at_store(struct check *c, const char *path, struct check_place *place,
    int64_t *ahead)
{
	struct check_store found = {
	    .path = path, .from = named_by(c->setup->store, path)};
	struct error e;

	found.trouble = check_store(c->setup->store, path, &found, &e);
	if (found.trouble == NULL &&
	    check_place_make(place, c->setup, path, &e) == -1)
		found.trouble = e.text;
	if (found.trouble == NULL &&
	    fs_now(place->dir, &found.ahead, &e) == 0) {
		found.ahead -= time(NULL);
		check_kind(place->dir, &found);
	}
	*ahead = found.ahead;
	found.tried = c->has_slurm && !c->setup->no_job;
	check_judge_store(&c->lines, &found);
	say(c);
}

/* What was asked for is not fine because nothing was found to be wrong. */
static void
look_at_verdict(struct check *c)
{
	if (c->setup->gpu && c->fails == 0)
		check_judge_unverified(&c->lines);
	say(c);
}

int
check_setup(const struct check_setup *s)
{
	struct check_place place = {.dir = -1};
	struct check c = {.setup = s};
	char *path = store_path(s->store);
	int64_t ahead = 0;
	int rc = 0;

	look_at_stfm(&c);
	look_at_slurm(&c);
	if (is_whole(s))
		look_at_store(&c, path, &place, &ahead);
	if (place.dir != -1) {
		if (c.has_slurm && !s->no_job)
			rc = check_probe_node(s, &place, &c.lines, ahead);
		else
			rc = check_probe_here(s, &place, &c.lines, ahead);
		say(&c);
	}
	if (rc == 0)
		look_at_verdict(&c);
	check_place_remove(&place);
	check_lines_free(&c.lines);
	free(path);
	return rc == -1 ? -1 : c.fails;
}
