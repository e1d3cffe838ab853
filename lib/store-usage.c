#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store-part.h"
#include "store-usage.h"

static const char part[] = "usage";

/* No record is longer; see USAGE_LIMIT. */
enum { LIMIT = 16384 };

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

int
store_usage_write(const struct store_job *job, const struct store_fact *run,
    const char *text, size_t length, struct error *e)
{
	char name[STORE_FACT_NAME], new[STORE_FACT_NAME];
	int dir = store_part_open(job, part, 1, e), rc;

	if (dir == -1)
		return -1;
	store_usage_name(run, name);
	name_of(run, "new", new);
	/* One is left over from a writer that was killed. */
	rc = fs_unlink(dir, new, e);
	if (rc == 0)
		rc = fs_place(dir, new, text, length, e);
	if (rc == 0)
		rc = fs_rename(dir, new, dir, name, e);
	fs_close(dir);
	return rc == 0 ? 0 : -1;
}

char *
store_usage_read(const struct store_job *job, const struct store_fact *run,
    size_t *length, struct error *e)
{
	char name[STORE_FACT_NAME], *text = NULL;
	int dir = store_part_open(job, part, 0, e);

	if (dir == -1)
		return NULL;
	store_usage_name(run, name);
	if (fs_read(dir, name, LIMIT, &text, length, e) == -1)
		text = NULL;
	fs_close(dir);
	return text;
}

int
store_usage_remove(
    const struct store_job *job, const struct store_fact *run, struct error *e)
{
	char name[STORE_FACT_NAME], new[STORE_FACT_NAME];
	int dir = store_part_open(job, part, 0, NULL), rc;

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
