/* SVG: the frame of a chart and its texts; lines with axes and a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "chart/draw.h"

/* ---- frame, texts and file ---- */

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
chart_svg_file(FILE *file, const struct chart_svg *s, const char *body)
{
	char *title = strlist_join(&s->titles, "; ");

	fprintf(file,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
	    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
	    s->width, ceil(s->height), s->width, ceil(s->height));
	svg_title(file, title);
	fprintf(file,
	    "\n<style>\n%s</style>\n"
	    "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
	    chart_svg_style, body);
	free(title);
}

/* ---- lines ---- */

/*
 * The most points of all grey lines together, the fewest of one of them, and
 * those of a line in colour; the same for points with a title.
 */
struct limits {
	size_t all, fewest, color;
};
static const struct limits points = {30000, 24, 400}, titles = {1500, 2, 50};

/* The margins of a panel, in pixels. */
enum { LEFT = 62, RIGHT = 16, BELOW = 44, EDGE = 5, COLORS = 8 };

/* A panel with axes; x and y are the place of its top left corner. */
struct pane {
	struct svg *svg;
	const struct drawing *d;
	struct scale sx, sy;
	double x, y, width, height;
};

/* A position, in pixels from the corner of a panel. */
struct place {
	double x, y;
};

/* Return a position on a scale; far outside is far enough, also for nan. */
static double
near(const struct scale *s, double value)
{
	return fmin(fmax(scale_at(s, value), -20), 20);
}

static struct place
place_of(const struct pane *p, double x, double y)
{
	return (struct place){
	    near(&p->sx, x) * p->width, (1 - near(&p->sy, y)) * p->height};
}

/* Write the class of a line, and its dashes. */
static void
write_class(FILE *f, const struct chart *c, size_t line)
{
	static const char *const dash[] = {NULL, "7 4", "9 3 2 3"};

	if (line >= SVG_KEYS) {
		fputs(" class=\"o\"", f);
		return;
	}
	fprintf(f, " class=\"c%zu\"", line % COLORS);
	if (c->line[line].dotted)
		fputs(" stroke-dasharray=\"1.5 4\"", f);
	else if (dash[line / COLORS] != NULL)
		fprintf(f, " stroke-dasharray=\"%s\"", dash[line / COLORS]);
	if (c->line[line].dim)
		fputs(" opacity=\"0.35\"", f);
}

/* ---- fewer points ---- */

/* Return how many points a line may have. */
static size_t
part_of(const struct limits *limits, const struct chart *c, size_t line)
{
	size_t part = limits->all / c->lines;

	if (line < SVG_KEYS)
		return limits->color;
	return part > limits->fewest ? part : limits->fewest;
}

/*
 * Choose which points of a line are drawn: all, or the lowest and the highest
 * of as many neighbours as there must be fewer points, the first, the last and
 * the best.  Returns a flag for each point, to free.
 */
static char *
choose_points(const struct drawing *d, size_t line)
{
	const struct chart_line *l = &d->chart->line[line];
	const double *y = d->y[line];
	size_t parts = part_of(&points, d->chart, line) / 2, i, k, end;
	size_t low, high;
	char *chosen = xcalloc(l->count + 1, 1);

	if (l->count <= 2 * parts)
		memset(chosen, 1, l->count);
	for (k = 0; l->count > 2 * parts && k < parts; k++) {
		i = low = high = k * l->count / parts;
		end = (k + 1) * l->count / parts;
		for (; i < end; i++) {
			if (!draw_shows(d, line, i))
				continue;
			if (!(y[i] >= y[low]))
				low = i;
			if (!(y[i] <= y[high]))
				high = i;
		}
		chosen[low] = chosen[high] = 1;
	}
	if (l->count > 0)
		chosen[0] = chosen[l->count - 1] = 1;
	if (l->best != CHART_NO_POINT)
		chosen[l->best] = 1;
	return chosen;
}

/* ---- one line ---- */

/* Return "epoch 3: 0.41", to free. */
static char *
point_text(const struct drawing *d, size_t line, size_t i, double y)
{
	const struct chart *c = d->chart;
	char x[CHART_NUMBER], value[CHART_NUMBER];

	return xasprintf("%s\n%s %s: %s", c->line[line].name, c->x_name,
	    draw_x(c, c->line[line].x[i], x), chart_number(y, 4, value));
}

/* Write a title whose lines are apart: a name, then a value. */
static void
two_lines(FILE *f, char *text)
{
	char *end = strchr(text, '\n');

	*end = '\0';
	fputs("<title>", f);
	text_xml(f, text);
	putc('\n', f);
	text_xml(f, end + 1);
	fputs("</title>", f);
	free(text);
}

/* Write a circle that tells the value of a point. */
static void
write_dot(const struct pane *p, size_t line, size_t i, int best)
{
	double y = p->d->y[line][i];
	struct place at = place_of(p, p->d->chart->line[line].x[i], y);
	FILE *f = p->svg->f;

	if (at.y < 0 || at.y > p->height)
		return;
	fprintf(f, "<circle class=\"%s\"", best ? "f" : "p");
	svg_number(f, "cx", at.x);
	svg_number(f, "cy", at.y);
	fprintf(f, " r=\"%d\">", best ? 4 : 5);
	two_lines(f, point_text(p->d, line, i, y));
	fputs("</circle>\n", f);
}

/* Write circles for some of the chosen points. */
static void
write_dots(const struct pane *p, size_t line, const char *chosen)
{
	const struct chart_line *l = &p->d->chart->line[line];
	size_t most = part_of(&titles, p->d->chart, line);
	size_t i, all = 0, nth = 0;

	for (i = 0; i < l->count; i++)
		all += chosen[i] && draw_shows(p->d, line, i);
	for (i = 0; i < l->count; i++) {
		if (!chosen[i] || !draw_shows(p->d, line, i))
			continue;
		if (all <= most || nth * most / all != (nth + 1) * most / all)
			write_dot(p, line, i, 0);
		nth++;
	}
	if (l->best != CHART_NO_POINT && line < SVG_KEYS &&
	    draw_shows(p->d, line, (size_t)l->best))
		write_dot(p, line, (size_t)l->best, 1);
}

/* Write a number with one decimal, as a path has it. */
static void
write_tenths(FILE *f, double value)
{
	long tenths = lround(value * 10);

	fprintf(f, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
	if (tenths % 10 != 0)
		fprintf(f, ".%ld", labs(tenths) % 10);
}

/* Write a step of a path. */
static void
write_step(FILE *f, char step, struct place at)
{
	putc(step, f);
	write_tenths(f, at.x);
	putc(' ', f);
	write_tenths(f, at.y);
}

/* A mark at a place: a cross for nan, an arrow beyond the axis. */
static void
write_mark(const struct pane *p, size_t line, size_t i, struct place at)
{
	double y = p->d->chart->line[line].y[i];
	FILE *f = p->svg->f;

	if (isfinite(y) && at.y >= -1 && at.y <= p->height + 1)
		return;
	fputs(isfinite(y) ? "<path class=\"f\"" : "<path class=\"l\"", f);
	fputs(" d=\"", f);
	at.y = fmin(fmax(at.y, 4), p->height - 4);
	write_step(f, 'M', at);
	fputs(isfinite(y)
		? y > p->sy.high ? "m-5 4h10l-5 -8z" : "m-5 -4h10l-5 8z"
		: "m-4 -4l8 8m0 -8l-8 8",
	    f);
	fputs("\">", f);
	two_lines(f, point_text(p->d, line, i, y));
	fputs("</path>\n", f);
}

/*
 * Write the path of a line, if draw is true, or the marks of what is not on it:
 * the first of several neighbours beyond the axis or without a number.
 */
static void
walk_line(const struct pane *p, size_t line, const char *chosen, int draw)
{
	const struct chart_line *l = &p->d->chart->line[line];
	struct place at, last = {0, p->height};
	size_t i, next = 0;
	int down = 0, marked = 0, off;

	for (i = 0; i < l->count; i++) {
		while (next < l->starts && l->start[next] < i)
			next++;
		if (next < l->starts && l->start[next] == i)
			down = marked = 0;
		if (!draw_shows(p->d, line, i)) {
			at = (struct place){
			    near(&p->sx, l->x[i]) * p->width, last.y};
			if (!draw && !marked && !isfinite(l->y[i]))
				write_mark(p, line, i, at);
			if (draw && down && p->d->chart->steps)
				write_step(p->svg->f, 'L', at);
			marked = !isfinite(l->y[i]);
			down = 0;
			continue;
		}
		if (!chosen[i])
			continue;
		at = place_of(p, l->x[i], p->d->y[line][i]);
		off = at.y < -1 || at.y > p->height + 1;
		if (draw && down && p->d->chart->steps)
			write_step(
			    p->svg->f, 'L', (struct place){at.x, last.y});
		if (draw)
			write_step(p->svg->f, down ? 'L' : 'M', at);
		else if (off && !marked)
			write_mark(p, line, i, at);
		/* A point alone gets a dot, by the round ends of the line. */
		if (draw && !down)
			fputs("h0", p->svg->f);
		down = 1;
		marked = off;
		last = at;
	}
}

/* Return whether the band of a line has two ends at a point. */
static int
has_band(const struct drawing *d, const struct chart_line *l, size_t i)
{
	return i < l->count && isfinite(l->low[i]) && isfinite(l->high[i]) &&
	    (!d->chart->log || l->low[i] > 0);
}

/* Write the bands of a line: there along the upper ends, back the lower. */
static void
write_band(const struct pane *p, size_t line, const char *chosen)
{
	const struct chart_line *l = &p->d->chart->line[line];
	size_t i, k, first;
	char step;

	for (i = 0; l->low != NULL && i < l->count; i++) {
		if (!has_band(p->d, l, i))
			continue;
		fputs("<path class=\"b\" d=\"", p->svg->f);
		step = 'M';
		for (first = i; has_band(p->d, l, i); i++)
			if (chosen[i] || i == first) {
				write_step(p->svg->f, step,
				    place_of(p, l->x[i], l->high[i]));
				step = 'L';
			}
		for (k = i; k-- > first;)
			if (chosen[k] || k == first)
				write_step(p->svg->f, 'L',
				    place_of(p, l->x[k], l->low[k]));
		fputs("z\"/>\n", p->svg->f);
	}
}

static void
write_line(const struct pane *p, size_t line)
{
	const struct chart *c = p->d->chart;
	char *chosen = choose_points(p->d, line);
	FILE *f = p->svg->f;

	fputs("<g", f);
	write_class(f, c, line);
	fputs(">\n", f);
	write_band(p, line, chosen);
	fputs("<path class=\"l\" d=\"", f);
	walk_line(p, line, chosen, 1);
	fputs("\">", f);
	svg_title(f, c->line[line].name);
	fputs("</path>\n<g stroke-dasharray=\"none\">\n", f);
	walk_line(p, line, chosen, 0);
	write_dots(p, line, chosen);
	fputs("</g></g>\n", f);
	free(chosen);
}

/* ---- axes ---- */

/* Write a line of the grid at a place of the y axis, and the text of a tick. */
static void
write_ticks(const struct pane *p)
{
	const struct scale *sx = &p->sx, *sy = &p->sy;
	char text[CHART_NUMBER];
	double at;
	size_t i;

	fprintf(p->svg->f, "<path class=\"g\" d=\"");
	for (i = 0; i < sy->ticks; i++) {
		at = p->y + (1 - scale_at(sy, sy->tick[i])) * p->height;
		write_step(p->svg->f, 'M', (struct place){p->x, at});
		fprintf(p->svg->f, "h%.0f", p->width);
	}
	for (i = 0; i < sx->ticks; i++) {
		at = p->x + scale_at(sx, sx->tick[i]) * p->width;
		write_step(p->svg->f, 'M', (struct place){at, p->y});
		fprintf(p->svg->f, "v%.0f", p->height + 4);
	}
	for (i = 0; i < p->d->chart->rungs; i++) {
		at = scale_at(sx, p->d->chart->rung[i]);
		if (at < 0 || at > 1)
			continue;
		at = p->x + at * p->width;
		write_step(
		    p->svg->f, 'M', (struct place){at, p->y + p->height});
		fputs("l-4 7h8z", p->svg->f);
	}
	fputs("\"/>\n", p->svg->f);
	for (i = 0; i < sy->ticks; i++)
		svg_text(p->svg, "e", p->x - 7,
		    p->y + (1 - scale_at(sy, sy->tick[i])) * p->height + 4, 0,
		    scale_text(sy, sy->tick[i], text));
	for (i = 0; i < sx->ticks; i++)
		svg_text(p->svg, "m",
		    p->x + scale_at(sx, sx->tick[i]) * p->width,
		    p->y + p->height + 19, 0,
		    scale_text(sx, sx->tick[i], text));
	svg_text(p->svg, "m", p->x + p->width / 2, p->y + p->height + 37,
	    p->width, p->d->chart->x_name);
}

/* Return whether an earlier line has the same axis. */
static int
axis_is_done(const struct chart *c, size_t line)
{
	size_t i;

	for (i = 0; i < line; i++)
		if (c->line[i].axis == c->line[line].axis)
			return 1;
	return 0;
}

/* Draw the lines that have the axis of this line. */
static void
write_pane(struct svg *s, const struct drawing *d, size_t line, double height)
{
	const struct chart *c = d->chart;
	struct pane p = {s, d, .x = LEFT, .y = s->y + 10, .height = height};
	size_t i;

	p.width = s->width - LEFT - RIGHT;
	draw_fit(
	    d, (size_t)(p.width / 80), (size_t)(height / 40), &p.sx, &p.sy);
	draw_fit_axis(d, line, (size_t)(height / 40), &p.sy);
	write_ticks(&p);
	/* A nested element cuts off what is outside of it and a margin. */
	fputs("<svg", s->f);
	svg_number(s->f, "x", p.x - EDGE);
	svg_number(s->f, "y", p.y - EDGE);
	svg_number(s->f, "width", p.width + 2 * EDGE);
	svg_number(s->f, "height", p.height + 2 * EDGE);
	fprintf(s->f, " viewBox=\"-%d -%d %.0f %.0f\">\n", EDGE, EDGE,
	    p.width + 2 * EDGE, p.height + 2 * EDGE);
	for (i = c->lines; i-- > 0;)
		if (c->line[i].axis == c->line[line].axis)
			write_line(&p, i);
	fputs("</svg>\n", s->f);
	s->y = p.y + height + BELOW;
}

/* ---- legend ---- */

/* The legend being written. */
struct key {
	struct svg *svg;
	const struct chart *chart;
};

/* Write a short piece of a line, as a legend shows it. */
static void
write_sample(FILE *f, const struct chart *c, size_t line, double x, double y)
{
	fputs("<g", f);
	write_class(f, c, line);
	fprintf(f, "><path class=\"l\" d=\"M%.0f %.0fh26\"/></g>\n", x, y);
}

static void
svg_cell(void *arg, const struct draw_cell *cell)
{
	enum { SAMPLE = 36 };
	const struct key *k = arg;
	struct svg *s = k->svg;
	double x = SVG_MARGIN + SAMPLE + (double)cell->at * SVG_MONO;
	const char *all =
	    cell->column == 0 ? draw_name(cell->text, cell->width) : cell->text;
	size_t bytes = text_fit(all, cell->width);
	char *text;

	if (cell->column == 0) {
		s->y += SVG_LINE;
		if (cell->line < k->chart->lines)
			write_sample(
			    s->f, k->chart, cell->line, SVG_MARGIN, s->y - 5);
	}
	text = xstrndup(all, bytes);
	svg_text(s, cell->right ? "k e" : "k",
	    cell->right ? x + (double)cell->width * SVG_MONO : x, s->y, 0,
	    text);
	free(text);
}

static void
html_cell(void *arg, const struct draw_cell *cell)
{
	const struct key *k = arg;
	int head = cell->line == k->chart->lines;
	FILE *f = k->svg->to->legend;

	if (cell->column == 0)
		fputs(head ? "<tr><td></td>" : "</tr>\n<tr><td>", f);
	if (cell->column == 0 && !head) {
		fputs("<svg class=\"chart\" width=\"30\" height=\"12\" "
		      "aria-hidden=\"true\">",
		    f);
		write_sample(f, k->chart, cell->line, 2, 6);
		fputs("</svg></td>", f);
	}
	fprintf(f, "<%s%s%s>", head || cell->column == 0 ? "th scope=" : "td",
	    head                    ? "\"col\""
		: cell->column == 0 ? "\"row\""
				    : "",
	    cell->right ? " class=\"n\"" : "");
	text_xml(f, cell->text);
	fputs(head || cell->column == 0 ? "</th>" : "</td>", f);
}

static void
write_legend(struct svg *s, const struct chart *asked)
{
	size_t columns = (size_t)(s->width / SVG_MONO) - 8;
	FILE *legend = s->to->legend;
	struct chart c = *asked;
	struct key k = {s, &c};
	char *more;

	c.most = c.lines > SVG_KEYS ? SVG_KEYS : c.lines;
	if (legend != NULL) {
		fputs("<table class=\"key\">\n", legend);
		draw_legend_cells(&c, (size_t)1 << 30, html_cell, &k);
		fputs("</tr>\n</table>\n", legend);
	} else {
		draw_legend_cells(&c, columns, svg_cell, &k);
		s->y += SVG_LINE / 2.0;
	}
	if (c.most == c.lines)
		return;
	more = xasprintf("and %zu more, in grey", c.lines - c.most);
	svg_row(s, more);
	free(more);
}

/* ---- chart ---- */

/* Return a sentence about a chart, to free. */
static char *
describe(const struct drawing *d)
{
	const struct chart *c = d->chart;
	char from[CHART_NUMBER], to[CHART_NUMBER], low[CHART_NUMBER],
	    high[CHART_NUMBER];

	return xasprintf("A chart of %zu line%s over %s, from %s to %s; values "
			 "from %s to %s%s",
	    c->lines, c->lines == 1 ? "" : "s", c->x_name,
	    draw_x(c, d->x.low, from), draw_x(c, d->x.high, to),
	    chart_number(d->all.low, 4, low),
	    chart_number(d->all.high, 4, high), c->log ? ", log axis" : "");
}

int
chart_svg(struct chart_svg *to, const struct chart *c, struct error *e)
{
	double height = (double)c->height * SVG_ROW;
	char *title, *text;
	struct drawing d;
	struct svg s;
	size_t i;

	if (draw_check(c, e) == -1)
		return -1;
	draw_prepare(&d, c, NULL);
	for (i = 0; i < c->lines; i++)
		draw_note_line(&d, i, to->notes);
	if (isnan(d.all.low)) {
		draw_clear(&d);
		return 0;
	}
	title = xasprintf("%s%s%s", c->title, c->note != NULL ? "  " : "",
	    c->note != NULL ? c->note : "");
	svg_open(&s, to, c, title);
	if (draw_has_axes(c))
		height *= 0.6;
	for (i = 0; i < c->lines; i++)
		if (!axis_is_done(c, i))
			write_pane(&s, &d, i, height);
	text = draw_clip_text(&d);
	if (text != NULL)
		svg_row(&s, text);
	free(text);
	write_legend(&s, c);
	text = describe(&d);
	svg_close(&s, text);
	free(title);
	free(text);
	draw_clear(&d);
	return 0;
}
