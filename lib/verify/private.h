/*
 * Declarations shared by the files of lib/verify: the check of one job, and the
 * steps of a repair.
 */
#ifndef STFM_VERIFY_PRIVATE_H
#define STFM_VERIFY_PRIVATE_H

#include "sys/fs.h"
#include "verify/verify.h"

struct store_chunk;

/* ---- finding.c ---- */

/*
 * Add a finding about the file at path, relative to the store.  what may start
 * with the whole path and a line, as reasons do.  Returns the finding; it
 * belongs to the findings.
 */
struct verify_finding *verify_finding_add(struct verify_findings *,
    enum verify_finding_kind, const char *job, const char *path,
    const char *what);

/* Return whether there is a finding about the file at path. */
int verify_finding_has(const struct verify_findings *, const char *path);

/*
 * The check of one job.  Tasks continue during the check, and file servers have
 * problems, so a file that seems to be missing is looked for again.
 */
struct verify_job {
	struct verify_findings *found;
	const struct store_job *job;
	int is_broken; /* damage that stops every reader */
};

/*
 * Return the path, relative to the store, of name in a part of the job: "sub"
 * or "run/000".  Either may be "".  The caller frees it.
 */
char *verify_job_path(
    const struct verify_job *, const char *part, const char *name);

/* Note something about the file at verify_job_path. */
void verify_job_note(struct verify_job *, enum verify_finding_kind,
    const char *part, const char *name, const char *what);

/* Note that a file stays unread because only its owner can read it. */
void verify_job_note_unread(
    struct verify_job *, const char *name, const struct error *why);

/*
 * Note why a file of the job, outside its parts, cannot be read.  Returns 0, or
 * -1 if the file may become readable later.
 */
int verify_job_note_file(struct verify_job *, enum verify_finding_kind,
    const char *name, const struct error *why, struct error *e);

/*
 * Open a part and list it as store_directory_list does.  Returns its
 * descriptor, or -1: *rc is 0 if the reason is noted already, else -1.
 */
int verify_job_list(struct verify_job *, const char *part,
    struct fs_names *names, int *rc, struct error *e);

/* ---- the parts of the check ---- */

/*
 * Verify the submission: the batch script and the program that it starts, the
 * user's own script, the points, and the copy of the code.  This function and
 * the next two return 0, whatever is noted, or -1 if something cannot be read.
 */
int verify_submitted(struct verify_job *, struct error *e);

/*
 * Verify each record in the job's directories: of chunks, requests, facts,
 * packs, tables and machine usage.
 */
int verify_records(struct verify_job *, struct error *e);

/*
 * Compare the newest table with the facts, and the chunks with both; all of
 * them must be readable.
 */
int verify_table(struct verify_job *, struct error *e);

/* ---- quarantine.c: moving files ---- */

/*
 * A repair in progress.  It moves damaged files to the quarantine,
 * STORE/lost/TIME.RANDOM/, each to the same path as in the store.
 *
 * A remade file must replace the damaged one in one step: if we are killed
 * between two steps, no trace of the file remains.  So the file is made on a
 * stage, a directory next to the quarantine, at the same path.
 */
struct repair {
	const struct store *store;
	const char *program; /* path of this release's stfm-run, or NULL */
	char *quarantine; /* "lost/20261121T153000Z.RANDOM"; made when needed */
	int moved;        /* the quarantine contains something */
	struct strlist *report;
	size_t left; /* findings that were not repaired */

	/* The job in repair; NULL for the store itself, or if it is damaged. */
	const struct store_job *job;
	const struct store_table *table; /* the job's table before the repair */
};

/* Choose the quarantine.  repair_end removes the stage. */
void repair_begin(struct repair *);
void repair_end(struct repair *);

/* Add a line to the report. */
void repair_report(struct repair *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Move the file or directory at a path of the store to the quarantine.  Returns
 * 0, or -1; the code is ERROR_ABSENT if it does not exist.
 */
int repair_move(struct repair *, const char *path, struct error *e);

/*
 * Move the file of a finding to the quarantine and report this, followed by
 * meaning.  Returns 0, also if the file is gone already, or -1.
 */
int repair_file(struct repair *, const struct verify_finding *,
    const char *meaning, struct error *e);

/*
 * Open a directory of the stage by its path in the store, "" or "jobs/conv2d/".
 * Returns its descriptor, or -1.
 */
int repair_stage(struct repair *, const char *path, struct error *e);

/*
 * Make a copy of the job whose records go to the stage.  The caller closes
 * staged->dir, which is -1 after a failure.  Returns 0 or -1.
 */
int repair_stage_job(
    struct repair *, struct store_job *staged, struct error *e);

/*
 * Move the file at a path of the stage to the same path of the store, and the
 * old file there to the quarantine.  Returns 0 or -1.
 */
int repair_replace(struct repair *, const char *path, struct error *e);

/* ---- repairs of one finding ---- */

/* Returns 0, also if nothing can be done, or -1. */
typedef int repair_one(
    struct repair *, const struct verify_finding *, struct error *e);

/* Remake or move a fact. */
repair_one repair_fact;

/* Remake a missing fact that the table contains. */
repair_one repair_lost;

/*
 * Publish a misplaced fact, which is in the quarantine by now, under its own
 * name.  Another misplaced fact may have had that name.
 */
repair_one repair_place;

/* Copy a pack's intact lines to a new pack, then move the pack. */
repair_one repair_pack;

/*
 * Remake an intent from other records (repair_find_chunk), or leave it damaged.
 */
repair_one repair_intent;

/*
 * Remake a claim from the facts of its tasks, and move the damaged claim.
 * Leave it if there are no such facts: a chunk without a claim might be queued
 * again.
 */
repair_one repair_claim;

/* Remake batch.sh, or move it. */
repair_one repair_batch;

/* Copy the program of batch.sh again if this release has the same program. */
repair_one repair_program;

/* Remove the write permissions of a file of the code. */
repair_one repair_writable;

/*
 * Remake the damaged extensions of the job called name; without them no part of
 * the job can be read.  They follow from their points, from the chunks and from
 * the extensions before and after them, so every task keeps its number.  If the
 * last extension is damaged, it is unknown which points are wanted.
 */
int repair_extensions(struct repair *, const char *name, struct error *e);

/* ---- repair-change.c ---- */

/* Repair the changes of a job that cannot be loaded: 0, or -1. */
int repair_changes(struct repair *, const char *name, struct error *e);

/*
 * Reconstruct a chunk whose intent is damaged or missing:
 *   a chunk of the first submission   from the job
 *   a part of a chunk that was cut    from the chunk that was cut
 *   a chunk that was cut              from its parts, if both are intact
 *   a chunk with an array             from the table and the starts, which
 *     have the array and the index of each task
 * Nothing is guessed: a task in a wrong chunk might be trained twice.  Returns
 * 0 with the chunk, to store_chunk_free, and the name of its source ("the job")
 * in *source; or -1 with the reason in e.
 */
int repair_find_chunk(const struct repair *, const char *name,
    struct store_chunk *out, const char **source, struct error *e);

#endif
