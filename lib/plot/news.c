#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "plot/private.h"

/* How many points of a run's metric were written. */
struct seen_curve {
	char *name;
	size_t points;
};

struct plot_seen {
	struct seen_curve *curve;
	size_t count;
};

struct plot_seen *
plot_seen_new(void)
{
	return xcalloc(1, sizeof(struct plot_seen));
}

void
plot_seen_free(struct plot_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->count; i++)
		free(seen->curve[i].name);
	free(seen->curve);
	free(seen);
}

/* Find a curve; a new one counts as seen but for its last point. */
static struct seen_curve *
find_seen(struct plot_seen *seen, const struct curve *c)
{
	char *name = xasprintf("%s %s", c->run->name, c->metric);
	size_t i;

	for (i = 0; i < seen->count; i++)
		if (strcmp(seen->curve[i].name, name) == 0) {
			free(name);
			return &seen->curve[i];
		}
	seen->curve = xgrow(seen->curve, seen->count, sizeof *seen->curve);
	seen->curve[seen->count] = (struct seen_curve){.name = name};
	if (c->series->count > 0)
		seen->curve[seen->count].points = c->series->count - 1;
	return &seen->curve[seen->count++];
}

/* "conv2d/3 RUNNING  epoch 41  val_loss 0.4634  best 0.4634 @ 41". */
static void
write_epoch(
    FILE *out, const struct plot *p, const struct curve *c, size_t point)
{
	char x[NUM_TEXT], y[CHART_NUMBER], best[CHART_NUMBER];

	text_plain(out, c->run->name);
	if (c->run->state != NULL)
		fprintf(out, " %s", c->run->state);
	fputs("  ", out);
	text_plain(out, curve_x_name(c->run));
	fprintf(out, " %s  ", plot_x_text(p, c->series->x[point], x));
	text_plain(out, c->metric);
	fprintf(out, " %s", chart_number(c->series->y[point], 4, y));
	if (c->facts.best != METRICS_NO_POINT)
		fprintf(out, "  best %s @ %s",
		    chart_number(curve_best(c), 4, best),
		    plot_x_text(p, c->series->x[c->facts.best], x));
	putc('\n', out);
}

void
plot_news(FILE *out, const struct plot *p, struct plot_seen *seen)
{
	struct seen_curve *old;
	struct curve c;
	size_t i, m;

	for (m = 0; m < p->metric.count; m++)
		for (i = 0; i < p->runs; i++) {
			if (!plot_was_read(&p->run[i]))
				continue;
			c = curve_of(p, &p->run[i], m);
			old = find_seen(seen, &c);
			for (; old->points < c.series->count; old->points++)
				write_epoch(out, p, &c, old->points);
		}
}
