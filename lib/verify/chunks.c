#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/chunk.h"
#include "store/directory.h"
#include "verify/chunks.h"

static int
is_listed(const struct fs_names *names, const char *name, size_t length,
    const char *end)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (strncmp(names->name[i], name, length) == 0 &&
		    strcmp(names->name[i] + length, end) == 0)
			return 1;
	return 0;
}

/* The part of a name in sub/ before what it is, and that: "claim", "try". */
static size_t
chunk_length(const char *name, const char **is)
{
	static const char *const ends[] = {
	    ".intent", ".claim", ".try.", ".no."};
	const char *at;
	size_t i;

	for (i = 0; i < sizeof ends / sizeof *ends; i++) {
		at = strstr(name, ends[i]);
		if (at != NULL) {
			*is = at;
			return (size_t)(at - name);
		}
	}
	return 0;
}

/* Whether there is a finding about a file already. */
static int
is_noted(const struct verify_job *s, const char *part, const char *name)
{
	char *path = verify_job_path(s, part, name);
	size_t i;
	int is = 0;

	for (i = s->found->count; i > 0 && !is; i--)
		is = strcmp(s->found->item[i - 1].path, path) == 0;
	free(path);
	return is;
}

static int
check_chunk_file(struct verify_job *s, int dir, const struct fs_names *names,
    const char *name, struct error *e)
{
	const char *is = "";
	size_t length = chunk_length(name, &is);
	int claim = strcmp(is, ".claim") == 0;
	char *intent;

	if (length == 0) {
		verify_job_note(s, FINDING_NOTE, "sub", name, "not known here");
		return 0;
	}
	if (!is_listed(names, name, length, ".intent")) {
		intent = xasprintf("%.*s.intent", (int)length, name);
		if (!is_noted(s, "sub", intent))
			verify_job_note(
			    s, FINDING_INTENT, "sub", intent, "not there");
		free(intent);
	}
	return verify_job_record(s,
		   claim              ? FINDING_CLAIM
		       : is[1] == 'i' ? FINDING_INTENT
				      : FINDING_FILE,
		   "sub", dir, name, e) == -1
	    ? -1
	    : 0;
}

/* What the checksums do not tell: whether chunks make sense. */
static int
check_chunks(struct verify_job *s, struct error *e)
{
	struct store_chunks chunks;
	size_t i;

	if (store_chunks_list(s->job, &chunks, e) == -1)
		return errno == ENOTSUP ? 0 : -1; /* that is noted already */
	for (i = 0; i < chunks.count; i++) {
		const struct idset *r = &chunks.chunk[i].tasks;

		if (r->count == 0 || r->run[r->count - 1].last >= s->job->tasks)
			verify_job_note(s, FINDING_STAYS, "sub",
			    chunks.chunk[i].name,
			    "the job does not have its tasks");
	}
	store_chunks_free(&chunks);
	return 0;
}

int
verify_chunks(struct verify_job *s, struct error *e)
{
	struct fs_names names;
	int rc, sub = verify_job_list(s, "sub", &names, &rc, e);
	size_t i;

	if (sub == -1)
		return rc;
	for (i = 0; rc == 0 && i < names.count; i++)
		rc = check_chunk_file(s, sub, &names, names.name[i], e);
	store_directory_close(sub, &names);
	return rc == 0 ? check_chunks(s, e) : -1;
}

int
verify_wishes(struct verify_job *s, struct error *e)
{
	struct fs_names names;
	int rc, ctl = verify_job_list(s, "ctl", &names, &rc, e);
	size_t i;

	if (ctl == -1)
		return rc;
	for (i = 0; rc != -1 && i < names.count; i++)
		rc = verify_job_record(s,
		    strncmp(names.name[i], "stop.", 5) == 0 ? FINDING_WISH
							    : FINDING_FILE,
		    "ctl", ctl, names.name[i], e);
	store_directory_close(ctl, &names);
	return rc == -1 ? -1 : 0;
}
