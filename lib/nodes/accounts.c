/* Show accounts and QOS as tables. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "nodes/private.h"
#include "slurm/sbatch.h"

enum {
	KIND,
	NAME,
	DEFAULT,
	PARTITION,
	QOS,
	DEFAULT_QOS,
	WALL,
	JOBS,
	SUBMIT,
	TRES,
	USER_TRES,
	GROUP_TRES,
	GROUP_JOBS,
	PRIORITY,
	FAIRSHARE,
	FLAGS,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
    [KIND] = {.name = "kind"},
    [NAME] = {.name = "name", .cut = 9, .least = 8},
    [DEFAULT] = {.name = "default"},
    [PARTITION] = {"partition", "PARTITION", .optional = 1, .narrow = 3,
	.drop = 10},
    [QOS] = {"qos", "QOS", .optional = 1, .cut = 4, .least = 6, .drop = 11},
    [DEFAULT_QOS] = {"default_qos", "USUAL QOS", .optional = 1, .narrow = 2,
	.drop = 6},
    [WALL] = {"time_limit", "TIME", .right = 1, .optional = 1},
    [JOBS] = {"max_jobs", "RUNNING", .right = 1, .optional = 1, .narrow = 2},
    [SUBMIT] = {"max_submit", "QUEUED", .right = 1, .optional = 1, .narrow = 2},
    [TRES] = {"max_tres_per_job", "PER JOB", .optional = 1, .cut = 5,
	.least = 8},
    [USER_TRES] = {"max_tres_per_user", "ALL MINE", .optional = 1, .cut = 5,
	.least = 8},
    [GROUP_TRES] = {"grp_tres", "EVERYBODY", .optional = 1, .cut = 5,
	.least = 8, .drop = 8},
    [GROUP_JOBS] = {"grp_jobs", "JOBS", .right = 1, .optional = 1, .drop = 7},
    [PRIORITY] = {"priority", "PRIORITY", .right = 1, .optional = 1,
	.narrow = 2, .drop = 5},
    [FAIRSHARE] = {"fairshare", "SHARE", .right = 1, .optional = 1, .drop = 3},
    [FLAGS] = {"flags", "FLAGS", .optional = 1, .cut = 1, .least = 6,
	.drop = 2},
};

/* Set a cell to what Slurm writes for a number, which can also be a word. */
static void
put_number(struct table *t, size_t column, const char *text)
{
	table_value(t, column, *text != '\0' ? text : NULL);
}

/* Set the cell of the time limit, "1-00:00:00", or leave it empty. */
static void
put_time(struct table *t, const char *text)
{
	int64_t minutes;

	if (*text == '\0' || sbatch_time(text, &minutes, NULL) == -1 ||
	    minutes < 0)
		return;
	table_int(t, WALL, minutes * 60);
	table_show(t, WALL, text);
}

/* Write a table of one kind, or of all if is_qos is -1. */
static void
put_table(FILE *out, const struct queue_limits *all, int is_qos,
    const char *head, const struct nodes_style *look)
{
	struct table_look how = {look->format, look->width, look->colors, NULL};
	struct table_column mine[COLUMNS];
	const struct queue_limit *l;
	struct table *t;

	memcpy(mine, columns, sizeof mine);
	mine[NAME].head = head;
	t = table_new(out, mine, COLUMNS, &how);
	for (l = all->limit; l < all->limit + all->count; l++) {
		if (is_qos != -1 && l->is_qos != is_qos)
			continue;
		table_row(t);
		table_text(t, KIND, l->is_qos ? "qos" : "account");
		table_text(t, NAME, l->name);
		if (l->is_default)
			nodes_show_taken(t, NAME, xasprintf("%s*", l->name));
		table_flag(t, DEFAULT, l->is_default);
		nodes_put_text(t, PARTITION, l->partition);
		nodes_put_text(t, QOS, l->qos);
		nodes_put_text(t, DEFAULT_QOS, l->default_qos);
		put_time(t, l->max_wall);
		put_number(t, JOBS, l->max_jobs);
		put_number(t, SUBMIT, l->max_submit);
		nodes_put_text(t, TRES, l->max_tres);
		nodes_put_text(t, USER_TRES, l->user_tres);
		nodes_put_text(t, GROUP_TRES, l->group_tres);
		put_number(t, GROUP_JOBS, l->group_jobs);
		put_number(t, PRIORITY, l->priority);
		put_number(t, FAIRSHARE, l->fairshare);
		nodes_put_text(t, FLAGS, l->flags);
	}
	table_end(t);
}

void
nodes_show_accounts(
    FILE *out, const struct queue_limits *all, const struct nodes_style *look)
{
	if (look->format != TABLE_TEXT) {
		put_table(out, all, -1, "NAME", look);
		return;
	}
	put_table(out, all, 0, "ACCOUNT", look);
	putc('\n', out);
	put_table(out, all, 1, "QOS", look);
}
