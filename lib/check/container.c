/* What runs containers. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "check/private.h"

static char *
fact_of(const struct setup_report *r, const char *runtime)
{
	char *name = xasprintf("container.%s", runtime);
	char *fact = setup_fact(r->text, name);

	free(name);
	return fact;
}

/* Any of them, the first that there is. */
static void
judge_any(struct setup_lines *lines, const struct setup_report *r)
{
	static const char *const names[] = {
	    "apptainer", "singularity", "pyxis"};
	char *fact = NULL;
	size_t i;

	for (i = 0; fact == NULL && i < sizeof names / sizeof *names; i++)
		fact = fact_of(r, names[i]);
	if (fact != NULL)
		setup_add(lines, SETUP_OK, "container", NULL, "%s", fact);
	free(fact);
}

void
setup_judge_container(struct setup_lines *lines, const struct setup_report *r)
{
	char *fact;

	if (r->runtime == NULL) {
		judge_any(lines, r);
		return;
	}
	fact = fact_of(r, r->runtime);
	if (fact != NULL)
		setup_add(lines, SETUP_OK, "container", NULL, "%s", fact);
	else
		setup_add(lines, SETUP_FAIL, "container",
		    "Load its module before stfm-submit, which hands PATH on, "
		    "or name another with --container-runtime",
		    "no %s %s", r->runtime, r->here ? "here" : "on that node");
	free(fact);
}
