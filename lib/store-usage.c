#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store-part.h"
#include "store-usage.h"
#include "xalloc.h"

static const char part[] = "usage";

/* Its last line has the CRC-32C of the bytes before it. */
static const char sum[] = "# crc32c %08x\n";
enum { SUM = 18 };

/* No record is longer; see USAGE_LIMIT. */
enum { LIMIT = 16384 + SUM };

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

/* With the line of its checksum, and back; to free. */
static char *
with_sum(const char *text, size_t length)
{
	char *out = xmalloc(length + SUM + 1);

	memcpy(out, text, length);
	snprintf(out + length, SUM + 1, sum, fs_crc32c(text, length));
	return out;
}

static char *
without_sum(char *text, size_t *length)
{
	char line[SUM + 1];
	size_t left;

	if (*length >= SUM) {
		left = *length - SUM;
		snprintf(line, sizeof line, sum, fs_crc32c(text, left));
		if (memcmp(text + left, line, SUM) == 0) {
			text[left] = '\0';
			*length = left;
			return text;
		}
	}
	free(text);
	return NULL;
}

static void
say_damaged(int dir, const char *name, struct error *e)
{
	char *path = fs_path(dir, name);

	error_set(e, "%s: damaged (its checksum does not fit)", path);
	free(path);
}

int
store_usage_write(const struct store_job *job, const struct store_fact *run,
    const char *text, size_t length, struct error *e)
{
	char name[STORE_FACT_NAME], new[STORE_FACT_NAME];
	int dir = store_part_open(job, part, 1, e), rc;
	char *whole;

	if (dir == -1)
		return -1;
	whole = with_sum(text, length);
	store_usage_name(run, name);
	name_of(run, "new", new);
	/* One is left over from a writer that was killed. */
	rc = fs_unlink(dir, new, e);
	if (rc == 0)
		rc = fs_place(dir, new, whole, length + SUM, e);
	if (rc == 0)
		rc = fs_rename(dir, new, dir, name, e);
	free(whole);
	fs_close(dir);
	return rc == 0 ? 0 : -1;
}

char *
store_usage_read(const struct store_job *job, const struct store_fact *run,
    size_t *length, struct error *e)
{
	char name[STORE_FACT_NAME], *text = NULL;
	int dir = store_part_open(job, part, 0, e), damaged = 0;

	if (dir == -1)
		return NULL;
	store_usage_name(run, name);
	if (fs_read(dir, name, LIMIT, &text, length, e) == -1) {
		text = NULL;
	} else if ((text = without_sum(text, length)) == NULL) {
		say_damaged(dir, name, e);
		damaged = 1;
	}
	fs_close(dir);
	if (damaged)
		errno = EBADMSG;
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
