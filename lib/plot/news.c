#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "plot/private.h"

/* How many points of a run's metric were told of. */
struct notified {
	char *name;
	size_t points;
};

struct plot_seen {
	struct notified *told;
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
		free(seen->told[i].name);
	free(seen->told);
	free(seen);
}

static struct notified *
told_of(struct plot_seen *seen, const struct curve *c)
{
	char *name = xasprintf("%s %s", c->run->name, c->metric);
	size_t i;

	for (i = 0; i < seen->count; i++)
		if (strcmp(seen->told[i].name, name) == 0) {
			free(name);
			return &seen->told[i];
		}
	seen->told = xgrow(seen->told, seen->count, sizeof *seen->told);
	seen->told[seen->count] = (struct notified){.name = name};
	if (c->series->count > 0)
		seen->told[seen->count].points = c->series->count - 1;
	return &seen->told[seen->count++];
}

/* "conv2d/3 RUNNING  epoch 41  val_loss 0.4634  best 0.4634 @ 41". */
static void
write_epoch(
    FILE *out, const struct plot *p, const struct curve *c, size_t point)
{
	char x[NUM_TEXT], y[CHART_NUMBER], best[CHART_NUMBER], at[NUM_TEXT];

	text_plain(out, c->run->name);
	if (c->run->state != NULL)
		fprintf(out, " %s", c->run->state);
	fputs("  ", out);
	text_plain(out, curve_x_name(c->run));
	fprintf(out, " %s  ",
	    plot_is_time(p) ? num_span((int64_t)c->series->x[point], x)
			    : num_exact(c->series->x[point], x));
	text_plain(out, c->metric);
	fprintf(out, " %s", chart_number(c->series->y[point], 4, y));
	if (c->facts.best != METRICS_NO_POINT)
		fprintf(out, "  best %s @ %s",
		    chart_number(curve_best(c), 4, best),
		    plot_is_time(p)
			? num_span((int64_t)c->series->x[c->facts.best], at)
			: num_exact(c->series->x[c->facts.best], at));
	putc('\n', out);
}

void
plot_news(FILE *out, const struct plot *p, struct plot_seen *seen)
{
	struct notified *told;
	struct curve c;
	size_t i, m;

	for (m = 0; m < p->metric.count; m++)
		for (i = 0; i < p->runs; i++) {
			if (p->run[i].log == NULL && p->run[i].made == NULL)
				continue;
			c = curve_of(p, &p->run[i], m);
			told = told_of(seen, &c);
			for (; told->points < c.series->count; told->points++)
				write_epoch(out, p, &c, told->points);
		}
}
