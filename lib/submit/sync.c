#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "control/canary.h"
#include "control/search-end.h"
#include "job/points.h"
#include "runner/supervise.h"
#include "store/extension.h"
#include "store/load.h"
#include "store/policy.h"
#include "submit/resubmit.h"
#include "submit/sync.h"
#include "sys/fs.h"

/* A point as a line of points.tsv, and its number. */
struct line {
	const char *text;
	uint64_t number;
};

struct lines {
	struct line *line;
	uint64_t count;
};

void
job_sync_free(struct job_sync *s)
{
	idset_free(&s->dropped);
	idset_free(&s->back);
	idset_free(&s->unwanted);
	free(s->points);
	strlist_free(&s->unseen);
	memset(s, 0, sizeof *s);
}

/* ---- the points as lines ---- */

/* Compare lines by text, and equal lines by number. */
static int
compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order != 0)
		return order;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Split a text of points into sorted lines, without the line of names. */
static void
cut_lines(char *text, uint64_t count, struct lines *out)
{
	char *at = strchr(text, '\n') + 1, *end;

	out->line = xcalloc(count + 1, sizeof *out->line);
	for (out->count = 0; out->count < count; at = end + 1) {
		end = strchr(at, '\n');
		*end = '\0';
		out->line[out->count] = (struct line){at, out->count};
		out->count++;
	}
	qsort(out->line, out->count, sizeof *out->line, compare);
}

/* ---- comparing ---- */

/* The tasks of the job and the points of the plan being compared. */
struct pairing {
	struct lines old, new;
	/* For each task of the job, whether its point is wanted. */
	char *wanted;
	char *fresh; /* for each point of the plan, whether it is new */
};

/* Pair tasks with points; equal points are paired in order. */
static void
pair(struct pairing *p)
{
	uint64_t i = 0, k = 0;
	int order;

	while (i < p->old.count || k < p->new.count) {
		order = i == p->old.count ? 1
		    : k == p->new.count
		    ? -1
		    : strcmp(p->old.line[i].text, p->new.line[k].text);
		if (order == 0)
			p->wanted[p->old.line[i].number] = 1;
		if (order > 0)
			p->fresh[p->new.line[k].number] = 1;
		i += order <= 0;
		k += order >= 0;
	}
}

static void
sort_tasks(
    const struct pairing *p, const struct idset *before, struct job_sync *out)
{
	uint64_t i;
	int was;

	for (i = 0; i < p->old.count; i++) {
		was = before == NULL || !idset_has(before, i);
		if (!p->wanted[i])
			idset_add(&out->unwanted, i, i);
		if (was && !p->wanted[i])
			idset_add(&out->dropped, i, i);
		else if (!was && p->wanted[i])
			idset_add(&out->back, i, i);
		else
			out->same += was;
	}
}

/* Write the new points in the order of the plan. */
static void
write_fresh(
    const struct pairing *p, const struct job_plan *plan, struct job_sync *out)
{
	const char *at = strchr(plan->points, '\n') + 1, *end;
	uint64_t i;
	FILE *f = xmemopen(&out->points, &out->length);

	job_points_header(f, &plan->job->names);
	for (i = 0; i < p->new.count; i++, at = end + 1) {
		end = strchr(at, '\n');
		if (p->fresh[i]) {
			fwrite(at, 1, (size_t)(end + 1 - at), f);
			out->fresh++;
		}
	}
	xmemclose(f);
	if (out->fresh > 0)
		return;
	free(out->points);
	out->points = NULL;
}

static int
check(const struct job_plan *plan, const struct store_job *old, int other_code,
    struct strlist *unseen, struct error *e)
{
	if (plan->points == NULL)
		return error_set(e,
		    "--sync: no hyperparameters: give all points that are "
		    "wanted, as for a new job");
	if (!old->extends)
		return error_set(e,
		    "%s: it was submitted by an older stfm, whose tasks do "
		    "not know of points that come later: submit these under "
		    "another name (-J)",
		    old->name);
	if (old->groups.count > 0 || plan->job->groups.count > 0)
		return error_set(e,
		    "%s: --sync does not change jobs whose points ask Slurm "
		    "for resources (@mem and other @ words): submit these "
		    "under another name (-J)",
		    old->name);
	return job_resubmit_check(plan, old,
	    (struct job_resubmit_may){.sync = 1, .other_code = other_code},
	    unseen, e);
}

/* Refuse new points for a search that is over: their tasks would not train. */
static int
check_end(
    const struct job_sync *s, const struct store_job *old, struct error *e)
{
	char *why = NULL;
	int rc;

	if (s->fresh == 0)
		return 0;
	rc = job_search_no_more(old, &why, e);
	if (rc == 1)
		rc = error_set(e, "%s: search over: %s", old->name, why);
	free(why);
	return rc;
}

/* Refuse to drop a canary that other tasks wait for. */
static int
check_canary(
    const struct job_sync *s, const struct store_job *old, struct error *e)
{
	int passed;

	if (!job_has_canary(old) || !idset_has(&s->dropped, 0))
		return 0;
	passed = job_canary_has_passed(old, e);
	if (passed != 0)
		return passed == 1 ? 0 : -1;
	return error_set(e,
	    "%s: --sync would drop task 0, the canary, for which the others "
	    "wait: keep its point until it has completed an epoch, or stop "
	    "the job and submit these under another name (-J)",
	    old->name);
}

int
job_sync_compare(const struct job_plan *plan, const struct store_job *old,
    int other_code, struct job_sync *out, struct error *e)
{
	struct pairing p = {0};
	char *text, *copy;
	size_t length;
	int rc = 0;

	memset(out, 0, sizeof *out);
	if (check(plan, old, other_code, &out->unseen, e) == -1)
		return -1;
	text = job_points_text(old, 0, old->tasks, &length, e);
	if (text == NULL)
		return -1;
	copy = xstrndup(plan->points, plan->points_length);
	cut_lines(text, old->tasks, &p.old);
	cut_lines(copy, plan->job->tasks, &p.new);
	p.wanted = xcalloc(p.old.count + 1, 1);
	p.fresh = xcalloc(p.new.count + 1, 1);
	pair(&p);
	sort_tasks(&p, store_job_dropped(old), out);
	write_fresh(&p, plan, out);
	if ((job_points_are_chosen(old) ||
		store_job_search(old)->pruner != NULL) &&
	    out->dropped.count > 0)
		rc = error_set(e,
		    "%s: the new space lacks points of the search, which "
		    "cannot be dropped, because others are compared with them: "
		    "give the same space, with the same --search N or a larger "
		    "N, or submit a new job with --from-results %s",
		    old->name, old->name);
	free(p.old.line);
	free(p.new.line);
	free(p.wanted);
	free(p.fresh);
	free(copy);
	free(text);
	if (rc == 0)
		rc = check_canary(out, old, e);
	return rc == 0 ? check_end(out, old, e) : -1;
}

/* ---- recording ---- */

int
job_sync_is_new(const struct job_sync *s, const struct job_plan *plan,
    const struct store_job *old)
{
	return s->fresh > 0 || s->dropped.count > 0 || s->back.count > 0 ||
	    strcmp(plan->job->fingerprint, store_job_wanted(old)) != 0;
}

int
job_sync_record(const struct job_sync *s, const struct job_plan *plan,
    const struct store_job *old, struct error *e)
{
	const struct store_job *new = plan->job;
	struct store_extension x = {.first = old->tasks,
	    .tasks = old->tasks + s->fresh,
	    .dropped = s->unwanted,
	    .space = new->space,
	    .fingerprint = new->fingerprint,
	    .argv = new->argv,
	    .created = time(NULL)};
	int rc;

	if (fs_withhold(old->dir, plan->withheld, e) == -1)
		return -1;
	if (s->points != NULL)
		x.added = job_points_fingerprint(s->points, s->length);
	rc = store_extend(old, &x, s->points, s->length, e);
	free(x.added);
	if (rc == 1)
		error_set(e,
		    "%s: another command changed its points just now: look at "
		    "them (stfm-status %s), then try again",
		    old->name, old->name);
	return rc;
}
