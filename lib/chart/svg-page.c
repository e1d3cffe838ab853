/* SVG: the frame of a chart, texts, the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/svg-private.h"

/*
 * The colours of Okabe and Ito 2008, as on a terminal, then that of the text.
 * On a light background their yellow is darker, and on a dark one their blue is
 * lighter.
 */
const char chart_svg_style[] =
    ".chart{color:#1a1a1a;font:13px system-ui,sans-serif;overflow:hidden}\n"
    ".chart text{fill:currentColor}\n"
    ".chart .h{font-size:15px;font-weight:600}\n"
    ".chart .e{text-anchor:end}\n"
    ".chart .m{text-anchor:middle}\n"
    ".chart .k{font:13px ui-monospace,monospace;white-space:pre}\n"
    ".chart .g{stroke:#8886;stroke-width:1;fill:none}\n"
    ".chart .l{stroke:currentColor;stroke-width:1.8;fill:none;"
    "stroke-linejoin:round;stroke-linecap:round}\n"
    ".chart .l:hover{stroke-width:3.5}\n"
    ".chart .b,.chart .f{fill:currentColor}\n"
    ".chart .b{fill-opacity:.2}\n"
    ".chart .p{fill:currentColor;fill-opacity:0}\n"
    ".chart .p:hover{fill-opacity:1}\n"
    ".chart .o,.o{color:#8888}\n"
    ".chart .o .l{stroke-width:1}\n"
    ".chart .s{fill:currentColor;fill-opacity:.45}\n"
    ".q0{fill:#00507d}.q1{fill:#0072b2}.q2{fill:#56b4e9}.q3{fill:#a6d8f5}\n"
    ".q4{fill:#e3f2fb}.q5{fill:none;stroke:#8886}\n"
    ".chart .x{stroke:#d55e00;stroke-width:3}\n"
    ".chart .wt{fill:#fff}.chart .bk{fill:#1a1a1a}\n"
    ".bg{fill:#fff}\n"
    ".c0{color:#e69f00}.c1{color:#56b4e9}.c2{color:#009e73}"
    ".c3{color:#7d6e00}\n"
    ".c4{color:#0072b2}.c5{color:#d55e00}.c6{color:#cc79a7}"
    ".c7{color:#1a1a1a}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".chart,.c7{color:#e6e6e6}.bg{fill:#16181c}\n"
    ".c3{color:#f0e442}.c4{color:#3b97d3}}\n"
    "@media print{.chart,.c7{color:#000}}\n";

void
svg_number(FILE *out, const char *name, double value)
{
	double tenths = nearbyint(value * 10) + 0.0;

	if (fmod(tenths, 10) == 0)
		fprintf(out, " %s=\"%.0f\"", name, tenths / 10);
	else
		fprintf(out, " %s=\"%.1f\"", name, tenths / 10);
}

void
svg_title(FILE *out, const char *text)
{
	if (text == NULL)
		return;
	fputs("<title>", out);
	text_xml(out, text);
	fputs("</title>", out);
}

void
svg_text(struct svg *s, const char *class, double x, double y, double width,
    const char *text)
{
	size_t letters = (size_t)(width / SVG_LETTER), bytes = strlen(text);
	char *part;

	fputs("<text", s->f);
	if (*class != '\0')
		fprintf(s->f, " class=\"%s\"", class);
	svg_number(s->f, "x", x);
	svg_number(s->f, "y", y);
	putc('>', s->f);
	if (width > 0 && text_width(text) > letters) {
		svg_title(s->f, text);
		bytes = text_fit(text, letters > 1 ? letters - 1 : 1);
	}
	part = xstrndup(text, bytes);
	text_xml(s->f, part);
	fputs(text[bytes] != '\0' ? "…</text>\n" : "</text>\n", s->f);
	free(part);
}

/* Write a text, wrapped at blanks, each row below the one before. */
static void
rows_of(struct svg *s, const char *class, double letter, const char *text)
{
	size_t wide = (size_t)((s->width - 2 * SVG_MARGIN) / letter), n, blank;
	char *row;

	for (; *text != '\0'; text += n) {
		text += strspn(text, " ");
		n = text_width(text) <= wide ? strlen(text)
					     : text_fit(text, wide);
		for (blank = n;
		     text[n] != '\0' && blank > 0 && text[blank] != ' ';)
			blank--;
		n = blank > 0 ? blank : n;
		row = xstrndup(text, n);
		svg_text(s, class, SVG_MARGIN, s->y + 14, 0, row);
		free(row);
		s->y += SVG_LINE;
	}
}

void
svg_row(struct svg *s, const char *text)
{
	rows_of(s, "", SVG_LETTER, text);
}

void
svg_open(struct svg *s, struct chart_svg *to, const struct chart *look,
    const char *title)
{
	const char *gap;
	FILE *f;

	*s = (struct svg){.to = to, .width = (double)look->width * SVG_COLUMN};
	f = xmemopen(&s->title, &s->length);
	/* Browsers join blanks. */
	for (; (gap = strstr(title, "  ")) != NULL; title = gap + 2)
		fprintf(f, "%.*s · ", (int)(gap - title), title);
	fputs(title, f);
	xmemclose(f);
	s->f = xmemopen(&s->body, &s->length);
	s->y = SVG_MARGIN;
	/* The page has the title as its caption. */
	if (to->legend == NULL)
		rows_of(s, "h", SVG_MONO + 1, s->title);
}

void
svg_close(struct svg *s, const char *about)
{
	struct chart_svg *to = s->to;
	double height = s->y + SVG_MARGIN;

	xmemclose(s->f);
	fputs("<svg class=\"chart\" role=\"img\" aria-label=\"", to->out);
	text_xml(to->out, s->title);
	putc('"', to->out);
	if (to->legend != NULL) {
		fprintf(
		    to->out, " viewBox=\"0 0 %.0f %.0f\"", s->width, height);
	} else {
		svg_number(to->out, "y", to->height);
		svg_number(to->out, "width", s->width);
		svg_number(to->out, "height", height);
	}
	fputs(">\n<desc>", to->out);
	text_xml(to->out, about);
	fprintf(to->out, "</desc>\n%s</svg>\n", s->body);
	free(s->body);
	strlist_take(&to->titles, s->title);
	to->width = s->width;
	to->height += height;
}

void
chart_svg_file(FILE *out, const struct chart_svg *s, const char *body)
{
	char *title = strlist_join(&s->titles, "; ");

	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
	    s->width, ceil(s->height), s->width, ceil(s->height));
	svg_title(out, title);
	fprintf(out,
	    "\n<style>\n%s</style>\n"
	    "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
	    chart_svg_style, body);
	free(title);
}
