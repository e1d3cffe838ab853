#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/tensorboard-log.h"
#include "metrics/metrics.h"
#include "metrics/read-files.h"
#include "metrics/reader.h"
#include "sys/fs.h"

enum { PIECE = 4 << 20 };

/* How far a file was read; path is the checksum of its path. */
struct marked {
	uint32_t path;
	struct metrics_mark mark;
};

struct reading {
	const struct metrics_request *request;
	struct metrics_summary *summary;
	int ended;
	double time;
	struct marked *marked;
	size_t count;
};

/* Return the marks as text, "PATH:OFFSET:SKIP " for each file; to free. */
static char *
marks_text(const struct reading *r)
{
	char *text = NULL;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < r->count; i++)
		fprintf(f, "%08" PRIx32 ":%" PRIu64 ":%" PRIu64 " ",
		    r->marked[i].path, r->marked[i].mark.offset,
		    r->marked[i].mark.skip);
	xmemclose(f);
	return text;
}

static struct metrics_mark *
mark_of(struct reading *r, const char *path)
{
	uint32_t key = fs_crc32c(path, strlen(path));
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->marked[i].path == key)
			return &r->marked[i].mark;
	r->marked = xgrow(r->marked, r->count, sizeof *r->marked);
	r->marked[r->count] = (struct marked){.path = key};
	return &r->marked[r->count++].mark;
}

/* ---- reading ---- */

/* Read a piece of a file: 1 if there may be more, 0, 2 to start over, or -1. */
static int
read_piece(struct reading *r, const struct record_file *file,
    struct metrics_mark *mark, struct error *e)
{
	uint64_t before = mark->offset;
	size_t length;
	struct stat st;
	char *bytes;
	int again;

	if (fs_read_from(file->path, before, PIECE, &bytes, &length, &st, e) ==
	    -1)
		return -1;
	r->time = fmax(r->time, fs_written(&st));
	if ((uint64_t)st.st_size < before) {
		metrics_summary_reset(r->summary);
		free(bytes);
		return 2;
	}
	again = metrics_summary_events(r->summary, r->request, file->prefix,
	    mark, bytes, length, r->ended && length < PIECE);
	free(bytes);
	if (again)
		return 2;
	return length == PIECE && mark->offset > before;
}

int
job_tensorboard_log_read(const char *directory,
    const struct metrics_request *request, int ended, char **marks,
    struct metrics_summary *summary, double *time, struct error *e)
{
	struct reading r = {
	    .request = request, .summary = summary, .ended = ended};
	struct metrics_mark *mark;
	struct record_files files;
	const char *text = *marks;
	struct marked m;
	size_t i = 0;
	int rc = record_files_list(&files, directory, e), used, more;

	while (text != NULL &&
	    sscanf(text, "%" SCNx32 ":%" SCNu64 ":%" SCNu64 " %n", &m.path,
		&m.mark.offset, &m.mark.skip, &used) == 3) {
		r.marked = xgrow(r.marked, r.count, sizeof m);
		r.marked[r.count++] = m;
		text += used;
	}
	while (rc == 0 && i < files.count) {
		summary->format = RECORD_EVENTS;
		mark = mark_of(&r, files.file[i].path);
		do
			more = read_piece(&r, &files.file[i], mark, e);
		while (more == 1);
		i++;
		if (more == -1)
			rc = -1;
		if (more == 2) /* start over with all files */
			r.count = i = 0;
	}
	free(*marks);
	*marks = marks_text(&r);
	*time = r.time;
	free(r.marked);
	record_files_free(&files);
	return rc;
}
