#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "plot/files.h"

static int
read_file(struct plot *p, struct plot_run *run, struct strlist *notes,
    struct error *e)
{
	int status;

	if (strcmp(run->name, "-") == 0) {
		free(run->name);
		run->name = xstrdup("stdin");
		return plot_read(p, run, STDIN_FILENO, PLOT_PIPE, e);
	}
	status = plot_read_path(p, run, run->name, PLOT_FILE, e);
	if (status == 0 && metrics_log_waits(run->log))
		strlist_take(notes,
		    xasprintf(
			"%s: the last line has no line end and is left out",
			run->name));
	return status;
}

/* What was found in a file that says less of itself than a table does. */
static void
note_guess(const struct plot *p, const struct plot_run *run, int guessed,
    struct strlist *notes)
{
	char *guess = plot_guess(p, run);

	if (guessed && run->format != RECORD_ROWS)
		strlist_take(notes, xasprintf("%s: %s", run->name, guess));
	if (run->damaged > 0)
		strlist_take(notes,
		    xasprintf("%s: %" PRIu64 " damaged record%s passed over",
			run->name, run->damaged, run->damaged > 1 ? "s" : ""));
	free(guess);
}

size_t
plot_add_files(
    struct plot *p, const struct strlist *files, struct strlist *notes)
{
	size_t i, bad = 0, first = p->runs;
	struct plot_run run;
	struct error e;
	int guessed;

	for (i = 0; i < files->count; i++) {
		run = (struct plot_run){.name = xstrdup(files->word[i])};
		guessed = p->metric.count == 0;
		if (read_file(p, &run, notes, &e) == 0) {
			note_guess(p, &run, guessed, notes);
			plot_add(p, &run);
			continue;
		}
		strlist_take(notes, xasprintf("%s: %s", run.name, e.text));
		plot_run_free(p, &run);
		bad++;
	}
	plot_shorten_names(p->run + first, p->runs - first);
	return bad;
}
