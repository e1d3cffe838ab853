#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "store/directory.h"
#include "store/load.h"
#include "store/record.h"
#include "store/usage.h"

static const char part[] = "usage";

/*
 * The line before that of store_sum_add names the job and run; older records
 * lack it.
 */
static const char owner[] = "# run ";
enum { OWNER = 256 };

/* The size limit of a record; see USAGE_LIMIT. */
enum { LIMIT = 16384 + OWNER + STORE_SUM_LINE };

static void
name_of(
    const struct store_fact *run, const char *end, char out[STORE_FACT_NAME])
{
	struct store_fact file = *run;

	snprintf(file.kind, sizeof file.kind, "%s", end);
	store_fact_name(&file, out);
}

void
store_usage_name(const struct store_fact *run, char out[STORE_FACT_NAME])
{
	name_of(run, "csv", out);
}

int
store_usage_parse(const char *name, struct store_fact *run)
{
	char again[STORE_FACT_NAME];

	memset(run, 0, sizeof *run);
	if (sscanf(name, "%" SCNu64 ".%" SCNu32 ".%" SCNu32, &run->task,
		&run->attempt, &run->restart) != 3)
		return 0;
	store_usage_name(run, again);
	return strcmp(name, again) == 0;
}

/* Return the record with its last two lines, to free. */
static char *
with_sum(const struct store_job *job, const char *name, const char *text,
    size_t length, size_t *out)
{
	char *line = xasprintf("%s%s/%s\n", owner, store_job_id(job), name);
	size_t more = strlen(line), size = length + more;
	char *body = xmalloc(size);

	memcpy(body, text, length);
	memcpy(body + length, line, more);
	free(line);
	*out = size;
	return store_sum_add(body, out);
}

/* Cut off the owner line, if any.  Returns 0, or -1 if it is a wrong one. */
static int
cut_owner(const struct store_job *job, const char *name, char *text,
    size_t *length, struct error *why)
{
	char *line = memrchr(text, *owner, *length), *said;
	size_t id = strlen(store_job_id(job));
	struct store_fact run;

	if (line == NULL || !text_begins(line, owner))
		return 0;
	said = line + sizeof owner - 1;
	said[strcspn(said, "\n")] = '\0';
	if (strncmp(said, store_job_id(job), id) != 0 || said[id] != '/')
		return error_set(
		    why, "damaged (it is a record of another job)");
	if (strcmp(said + id + 1, name) != 0)
		return store_usage_parse(said + id + 1, &run)
		    ? error_set(
			  why, "damaged (it is the record %s)", said + id + 1)
		    : error_set(why, "damaged (it does not say whose it is)");
	*line = '\0';
	*length = (size_t)(line - text);
	return 0;
}

int
store_usage_write(const struct store_job *job, const struct store_fact *run,
    const char *text, size_t length, struct error *e)
{
	char name[STORE_FACT_NAME], new[STORE_FACT_NAME];
	int dir = store_directory_open(job, part, 1, e), rc;
	size_t size;
	char *whole;

	if (dir == -1)
		return -1;
	store_usage_name(run, name);
	whole = with_sum(job, name, text, length, &size);
	name_of(run, "new", new);
	/* A killed writer may have left this file. */
	rc = fs_unlink(dir, new, e);
	if (rc == 0)
		rc = fs_place(dir, new, whole, size, e);
	if (rc == 0)
		rc = fs_rename(dir, new, dir, name, e);
	free(whole);
	fs_close(dir);
	return rc == 0 ? 0 : -1;
}

char *
store_usage_look(const struct store_job *job, const struct store_fact *run,
    size_t *length, struct error *damage, struct error *e)
{
	char name[STORE_FACT_NAME], *text = NULL;
	int dir = store_directory_open(job, part, 0, e), rc;

	damage->text[0] = '\0';
	if (dir == -1)
		return NULL;
	store_usage_name(run, name);
	rc = fs_read(dir, name, LIMIT, &text, length, e);
	fs_close(dir);
	if (rc == -1)
		return NULL;
	if (store_sum_cut(text, length) == -1)
		rc = error_set(damage, "damaged (its checksum does not fit)");
	else
		rc = cut_owner(job, name, text, length, damage);
	if (rc == 0)
		return text;
	free(text);
	error_code(e, ERROR_DAMAGED, "%s/%s/%s: %s", store_job_path(job), part,
	    name, damage->text);
	return NULL;
}

char *
store_usage_read(const struct store_job *job, const struct store_fact *run,
    size_t *length, struct error *e)
{
	struct error damage;

	return store_usage_look(job, run, length, &damage, e);
}

int
store_usage_exists(const struct store_job *job)
{
	struct error e;
	int dir = store_directory_open(job, part, 0, &e);

	fs_close(dir);
	return dir != -1 || e.number != ENOENT;
}

int
store_usage_remove(
    const struct store_job *job, const struct store_fact *run, struct error *e)
{
	char name[STORE_FACT_NAME], new[STORE_FACT_NAME];
	int dir = store_directory_open(job, part, 0, NULL), rc;

	if (dir == -1)
		return 0;
	store_usage_name(run, name);
	name_of(run, "new", new);
	rc = fs_unlink(dir, new, e);
	if (rc == 0)
		rc = fs_unlink(dir, name, e);
	fs_close(dir);
	return rc;
}
