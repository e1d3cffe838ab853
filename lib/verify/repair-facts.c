/*
 * Repair of facts.  A fact can be remade from the table; otherwise its file
 * name still says that it existed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/points.h"
#include "runner/supervise.h"
#include "state/apply-fact.h"
#include "store/facts.h"
#include "store/job.h"
#include "store/request.h"
#include "store/store.h"
#include "store/table-row.h"
#include "store/table.h"
#include "verify/private.h"

/* Return the content of a fact as the table has it. */
static struct store_fact_body
body_of(const struct store_row *row, int flag)
{
	struct store_fact_body body = store_fact_body();

	body.node = xcopy(row->node);
	body.gpus = xcopy(row->gpus);
	body.log = xcopy(row->log);
	body.err = xcopy(row->err);
	body.time = flag == STORE_HAS_S ? row->start : row->end;
	body.slurm = store_row_slurm(row);
	if (flag == STORE_HAS_S)
		return body;
	body.reason = xcopy(row->reason);
	body.start = row->start;
	body.exit = row->exit;
	body.signal = row->signal;
	body.asked = row->asked;
	body.heard = row->heard;
	body.memory = row->memory;
	body.cpu = row->cpu;
	return body;
}

/* Return the fact of a row that a flag stands for. */
static struct store_fact
fact_of(const struct store_row *row, int flag)
{
	struct store_fact fact = {row->task, row->attempt, row->restart, "", 0};

	if (flag == STORE_HAS_S || flag == STORE_HAS_Q)
		fact.kind[0] = flag == STORE_HAS_S ? 'S' : 'Q';
	else if (flag == STORE_HAS_E)
		snprintf(fact.kind, sizeof fact.kind, "E%" PRId64, row->exit);
	else if (flag == STORE_HAS_X)
		snprintf(fact.kind, sizeof fact.kind, "X%s",
		    row->slurm != NULL ? row->slurm : "LOST");
	return fact;
}

/* OTHERWISE: the table has another exit code or state for this run. */
enum knowledge { UNKNOWN, KNOWN, OTHERWISE };

/* Return the point of a fact as the table has it, or NULL. */
static const char *
point_of(const struct store_table *table, const struct store_fact *fact)
{
	const char *text = store_table_row(table, fact->task)->point;
	struct store_run run;

	return job_point_run(text, &run) &&
		store_run_compare(run, STORE_RUN(fact)) == 0
	    ? job_point_text(text)
	    : NULL;
}

/* Return whether the table knows a fact. */
static enum knowledge
knowledge(const struct store_table *table, const struct store_fact *fact)
{
	struct store_brief brief;
	struct store_fact same;

	/* The name of a rung has all that matters. */
	if (fact->task >= table->count || store_fact_rung(fact, NULL))
		return UNKNOWN;
	if (store_fact_is_of_search(fact))
		return point_of(table, fact) != NULL ? KNOWN : UNKNOWN;
	brief = store_table_brief(table, fact->task);
	if (store_run_compare(STORE_RUN(&brief), STORE_RUN(fact)) != 0 ||
	    (brief.facts & job_fact_flag(fact)) == 0)
		return UNKNOWN;
	same = fact_of(store_table_row(table, fact->task), job_fact_flag(fact));
	store_table_forget(table, fact->task);
	return store_fact_compare(fact, &same) == 0 ? KNOWN : OTHERWISE;
}

/*
 * Publish a fact of a job with the content that the table has, or without
 * content. Returns 0, 1 if the fact exists already, or -1.
 */
static int
publish(const struct repair *r, const struct store_job *job,
    const struct store_fact *fact, struct error *e)
{
	struct store_fact_body body = store_fact_body();
	int rc;

	if (knowledge(r->table, fact) == KNOWN && store_fact_is_of_search(fact))
		body.point = xcopy(point_of(r->table, fact));
	else if (knowledge(r->table, fact) == KNOWN)
		body = body_of(
		    store_table_row(r->table, fact->task), job_fact_flag(fact));
	rc = store_fact_publish(job, fact, &body, e);
	store_fact_body_free(&body);
	return rc;
}

/* Return whether a damaged file is visibly not the fact of its name. */
static int
is_another(const struct store_job *job, const struct store_fact *fact)
{
	struct store_fact_body body;
	struct error why;

	if (store_fact_read(job, fact, &body, &why) == -1)
		return why.code == ERROR_FOREIGN;
	store_fact_body_free(&body);
	return 0;
}

int
repair_fact(struct repair *r, const struct verify_finding *f, struct error *e)
{
	struct store_job staged;
	enum knowledge known;
	struct store_fact fact;
	int rc;

	if (!store_fact_parse(fs_base(f->path), &fact))
		return -1;
	known = knowledge(r->table, &fact);
	if (known == UNKNOWN && is_another(r->job, &fact))
		return repair_file(
		    r, f, ": it is not the fact of this name", e);
	if (known == OTHERWISE)
		return repair_file(r, f, ": the run ended otherwise", e);
	if (known == UNKNOWN && strcmp(fact.kind, "P") == 0)
		return repair_file(r, f,
		    ": the point that it had is lost, and a restart of its "
		    "task chooses another one",
		    e);
	if (repair_stage_job(r, &staged, e) == -1)
		return -1;
	rc = publish(r, &staged, &fact, e);
	if (rc != -1)
		rc = repair_replace(r, f->path, e);
	fs_close(staged.dir);
	if (rc == -1)
		return -1;
	if (known == KNOWN)
		repair_report(r,
		    "%s: moved aside, and made again from the table", f->path);
	else
		repair_report(r,
		    "%s: moved aside; %s/%" PRIu64 " keeps what its name says "
		    "(%s), but when and where that was is lost",
		    f->path, r->job->name, fact.task, fact.kind);
	return 0;
}

int
repair_place(struct repair *r, const struct verify_finding *f, struct error *e)
{
	char *path = xasprintf("%s/%s", r->quarantine, f->path), *text = NULL;
	char to_name[STORE_FACT_NAME];
	const char *name;
	struct store_fact own = {0};
	int from = fs_open_parent(r->store->dir, path, 0, &name, e), to, rc = 0;
	size_t length;

	if (from != -1 && store_fact_is_misplaced(r->job, from, name, &own) &&
	    *own.kind && own.task < r->job->tasks) {
		store_fact_name(&own, to_name);
		to = store_fact_open(r->job, own.task, 1, e);
		rc = to == -1 ? -1
			      : fs_read(from, name, 1 << 20, &text, &length, e);
		if (rc == 0)
			rc = fs_publish(to, to_name, text, length, e);
		fs_close(to);
		if (rc == 0)
			repair_report(r,
			    "%s/%" PRIu64 ": %s is in its place again",
			    r->job->name, own.task, to_name);
		free(text);
	}
	fs_close(from);
	free(path);
	return rc == -1 ? -1 : 0;
}

int
repair_lost(struct repair *r, const struct verify_finding *f, struct error *e)
{
	struct store_fact fact =
	    fact_of(store_table_row(r->table, f->task), f->fact);
	char name[STORE_FACT_NAME];
	int rc = publish(r, r->job, &fact, e);

	if (rc != 0)
		return rc == -1 ? -1 : 0;
	store_fact_name(&fact, name);
	repair_report(r, "%s/%" PRIu64 ": %s made again from the table",
	    r->job->name, f->task, name);
	return 0;
}

int
repair_pack(struct repair *r, const struct verify_finding *f, struct error *e)
{
	const char *name = fs_base(f->path);
	struct error why;
	int64_t saved = store_request_is_pack(name)
	    ? store_request_pack_check(r->job, name, NULL, 1, &why)
	    : store_pack_salvage(r->job, name, &why);

	if (saved == -1)
		return why.code == ERROR_ABSENT
		    ? 0 /* repaired with an earlier finding about the pack */
		    : error_copy(e, &why);
	if (repair_move(r, f->path, e) == -1)
		return -1;
	if (saved == 0)
		repair_report(
		    r, "%s: moved aside; no line of it is undamaged", f->path);
	else
		repair_report(r,
		    "%s: moved aside; %" PRId64
		    " lines of it are in a new pack",
		    f->path, saved);
	return 0;
}
