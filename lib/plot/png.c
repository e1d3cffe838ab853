/* PNG, by programs that read SVG or scripts for gnuplot. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/xalloc.h"
#include "plot/plot.h"
#include "sys/proc.h"

enum { PATIENCE = 120 * 1000 }; /* milliseconds for a program */

static int
is_there(const char *program)
{
	const char *directories = getenv("PATH");
	char *path = NULL;

	if (directories != NULL)
		path = proc_find(program, directories);
	free(path);
	return path != NULL;
}

/* Run a program that writes PNG.  Returns 0 or -1. */
static int
feed(char *const argv[], const char *text, struct error *e)
{
	int status, rc;

	rc = proc_feed(argv, NULL, text, strlen(text), PATIENCE, &status, e);
	if (rc == 1)
		return error_set(
		    e, "%s: no end after %d s", argv[0], PATIENCE / 1000);
	if (rc != 0)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status))
		return error_set(
		    e, "%s: failed, exit %d", argv[0], WEXITSTATUS(status));
	return error_set(
	    e, "%s: ended by signal %d", argv[0], WTERMSIG(status));
}

int
plot_png(const char *svg, struct error *e)
{
	static char *rsvg[] = {
	    "rsvg-convert", "--format=png", "--zoom=2", NULL};
	static char *inkscape[] = {"inkscape", "--pipe", "--export-type=png",
	    "--export-dpi=192", "--export-filename=-", NULL};

	if (is_there(rsvg[0]))
		return feed(rsvg, svg, e);
	if (is_there(inkscape[0]))
		return feed(inkscape, svg, e);
	return 1;
}

int
plot_png_gnuplot(const char *script, struct error *e)
{
	static char *gnuplot[] = {"gnuplot", "-", NULL};
	char *all;
	int rc;

	if (!is_there(gnuplot[0]))
		return 1;
	all = xasprintf(
	    "set terminal pngcairo size 1600,800 fontscale 1.6\n%s", script);
	rc = feed(gnuplot, all, e);
	free(all);
	return rc;
}
