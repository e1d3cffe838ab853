/* Pieces of HTML. */
#include <stdlib.h>

#include "base/text.h"
#include "report/private.h"

void
report_text(FILE *out, const char *tag, const char *text)
{
	if (text == NULL)
		return;
	fprintf(out, "<%s>", tag);
	text_xml(out, text);
	fprintf(out, "</%s>\n", tag);
}

void
report_term(FILE *out, const char *term, const char *text)
{
	if (text == NULL || *text == '\0')
		return;
	fputs("<div>", out);
	report_text(out, "dt", term);
	report_text(out, "dd", text);
	fputs("</div>\n", out);
}

void
report_term_of(FILE *out, const char *term, char *text)
{
	report_term(out, term, text);
	free(text);
}

void
report_table_begin(FILE *out, const char *label, const char *class)
{
	fprintf(out,
	    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label="
	    "\"%s\">\n<table",
	    label);
	if (class != NULL)
		fprintf(out, " class=\"%s\"", class);
	fputs(">\n", out);
}

void
report_table_end(FILE *out)
{
	fputs("</table>\n</div>\n", out);
}

void
report_state(FILE *out, enum store_state state)
{
	const char *name = store_state_name(state);

	fprintf(out, "<span class=\"s %s\">%s</span>", name, name);
}
