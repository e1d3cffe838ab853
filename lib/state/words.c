#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/queue.h"
#include "state/words.h"

/* The words of each cause; more: further text may follow them. */
static const struct {
	const char *words;
	int more;
} causes[CAUSES] = {
    [CAUSE_UNQUEUED] = {"not queued yet", 0},
    [CAUSE_QUEUEING] = {"being queued", 0},
    [CAUSE_FRESH] = {"just queued", 0},
    [CAUSE_ABSENT] = {"not in the queue", 0},
    [CAUSE_REQUEUE] = {"to be queued again", 0},
    [CAUSE_HELD] = {"held by you", 0},
    [CAUSE_HELD_BESIDE] = {"held with another task", 0},
    [CAUSE_CANARY] = {"waiting for the canary", 0},
    [CAUSE_CANARY_FAILED] =
	{"waiting for the canary, which failed: restart task 0", 0},
    [CAUSE_CANARY_STOPPED] =
	{"waiting for the canary, which was stopped: restart task 0", 0},
    [CAUSE_AFTER] = {"after ", 1},
    [CAUSE_BEHIND] = {"not queued yet: behind ", 1},
    [CAUSE_REFUSED_ARRAY] = {"not queued yet: " QUEUE_REFUSES, 1},
    [CAUSE_REFUSED] = {"not queued yet: ", 1},
    [CAUSE_UNSURE] = {"perhaps stopped: a record is damaged", 0},
    [CAUSE_STOPPING] = {"stopping", 0},
    [CAUSE_ENDING] = {"ending", 0},
    [CAUSE_RETURNING] = {"being requeued", 0},
    [CAUSE_RETURNED] = {"requeued", 0},
    [CAUSE_NO_END] = {"no end record", 0},
    [CAUSE_LATE] = {"late, after ", 1},
    [CAUSE_UNRECORDED] = {"end not recorded", 0},
    [CAUSE_UNLAUNCHED] = {"launch failure (exit 75)", 0},
    [CAUSE_LAUNCH] = {"launch failure", 1},
    [CAUSE_UNSAFE] = {"job is not safe to run", 0},
    [CAUSE_NO_DIRECTORY] = {"no directory ", 1},
    [CAUSE_SHUT_DIRECTORY] = {"cannot enter directory ", 1},
    [CAUSE_NO_IMAGE] = {"no image ", 1},
    [CAUSE_SHUT_IMAGE] = {"cannot read image ", 1},
    [CAUSE_NO_PROGRESS] = {"no epoch within the time limit", 0},
    [CAUSE_REQUEUED_ONCE] = {"requeued once", 0},
    [CAUSE_REQUEUED] = {"requeued ", 1},
    [CAUSE_NOT_REQUEUED] = {"not requeued", 0},
    [CAUSE_SIGNAL] = {"SIG", 1},
    [CAUSE_SIGNAL_NUMBER] = {"signal ", 1},
    [CAUSE_EXIT] = {"exit ", 1},
    [CAUSE_IMPORTED] = {"imported", 0},
    [CAUSE_END_UNKNOWN] = {"imported: end unknown", 0},
};

static const char *const others[OTHERS] = {
    [OTHER_WAITS] = "",
    [OTHER_REMOVED] = "which was removed",
    [OTHER_UNREADABLE] = "which cannot be read",
    [OTHER_UNFINISHED] = "did not finish",
    [OTHER_CANARY] = "whose canary did not pass",
    [OTHER_NEVER] = "which cannot start",
};

const char *
cause_words(enum cause c)
{
	return causes[c].words;
}

/* Return whether a text of this length is words, or with more begins so. */
static int
is_cause(const char *text, size_t length, const char *words, int more)
{
	size_t n = strlen(words);

	return length >= n && (more || length == n) &&
	    strncmp(text, words, n) == 0;
}

enum cause
cause_of(const char *text, const char **rest)
{
	size_t length;
	int i, bracket;

	if (rest != NULL)
		*rest = NULL;
	if (text == NULL || *text == '\0')
		return CAUSE_NONE;
	bracket = *text == '(';
	text += bracket;
	length = strlen(text);
	if (bracket && length > 0 && text[length - 1] == ')')
		length--;
	for (i = CAUSE_OTHER + 1; i < CAUSES; i++) {
		if (!is_cause(text, length, causes[i].words, causes[i].more))
			continue;
		if (rest != NULL)
			*rest = text + strlen(causes[i].words);
		return (enum cause)i;
	}
	return CAUSE_OTHER;
}

char *
cause_after_one(const char *name, enum cause_other how, uint64_t bad)
{
	const char *after = causes[CAUSE_AFTER].words;

	if (how == OTHER_WAITS)
		return xasprintf("%s%s", after, name);
	if (how == OTHER_UNFINISHED)
		return xasprintf("%s%s, of which %" PRIu64 " task%s %s", after,
		    name, bad, bad == 1 ? "" : "s", others[how]);
	return xasprintf("%s%s, %s", after, name, others[how]);
}

char *
cause_after_all(char *const *names, size_t count, size_t shown)
{
	size_t length, i;
	char *text;
	FILE *f = xmemopen(&text, &length);

	fprintf(f, "%s%s", causes[CAUSE_AFTER].words, names[0]);
	for (i = 1; i < shown; i++)
		fprintf(f, "%s %s", i + 1 == count ? " and" : ",", names[i]);
	if (shown < count)
		fprintf(f, " and %zu more", count - shown);
	xmemclose(f);
	return text;
}

int
cause_after_read(const char *text, struct cause_after *out)
{
	const char *names;
	char *comma;
	int i;

	*out = (struct cause_after){NULL};
	if (cause_of(text, &names) != CAUSE_AFTER)
		return 0;
	out->names = xstrdup(names);
	if (*text == '(' && text_ends(names, ")"))
		out->names[strlen(names) - 1] = '\0';
	out->standing = strchr(out->names, '\0');
	for (i = OTHER_WAITS + 1; i < OTHERS; i++)
		if (text_ends(out->names, others[i]))
			out->how = (enum cause_other)i;
	comma = strstr(out->names, ", ");
	if (comma == NULL)
		out->how = OTHER_WAITS;
	if (out->how != OTHER_WAITS) {
		out->standing = comma + strlen(", ");
		*comma = '\0';
	}
	out->one = strchr(out->names, ' ') == NULL;
	return 1;
}

void
cause_after_free(struct cause_after *after)
{
	free(after->names);
}

/* Stop records hold these: they are never reworded. */
static const char *const stops[STOP_REASONS] = {
    [STOP_RESTARTED] = "restarted",
    [STOP_DROPPED] = "dropped",
    [STOP_MAX_FAIL] = "max-fail ",
    [STOP_NO_REQUEUE] = "not again",
    [STOP_PRUNED] = "pruned at epoch ",
    [STOP_ENDED] = "search over: ",
};

const char stop_over[] = ": over";

const char *
stop_words(enum stop_reason why)
{
	return stops[why];
}

enum stop_reason
stop_reason_of(const char *why, const char **rest)
{
	size_t n;
	int i;

	for (i = STOP_BY_USER + 1; why != NULL && i < STOP_REASONS; i++) {
		n = strlen(stops[i]);
		if (strncmp(why, stops[i], n) != 0)
			continue;
		if (rest != NULL)
			*rest = why + n;
		return (enum stop_reason)i;
	}
	return STOP_BY_USER;
}

const char stop_pruned_lost[] =
    "pruned at epoch ?: the record of the reason is damaged";

/* Return the ending of an ordinal number: 1st, 2nd, 3rd, 4th. */
static const char *
ordinal(size_t n)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};

	return n % 10 > 3 || n / 10 % 10 == 1 ? "th" : endings[n % 10];
}

/* How many digits of a value people see. */
enum { PRUNED_DIGITS = 6 };

char *
stop_place_text(const struct stop_pruned *p)
{
	char value[NUM_TEXT];

	return xasprintf("%s is %zu%s of %zu",
	    num_short(p->value, PRUNED_DIGITS, value), p->rank,
	    ordinal(p->rank), p->count);
}

char *
stop_pruned_text(const struct stop_pruned *p)
{
	char needed[NUM_TEXT], *text, *place;
	size_t length;
	FILE *f;

	if (!isfinite(p->value))
		/* Records of values do not tell nan from inf. */
		return xasprintf("%s%" PRId64
				 ": nan or inf is worse than any number",
		    stops[STOP_PRUNED], p->epoch);
	place = stop_place_text(p);
	f = xmemopen(&text, &length);
	fprintf(f, "%s%" PRId64 ": %s, ", stops[STOP_PRUNED], p->epoch, place);
	free(place);
	if (p->kept == 1)
		fputs("only the best continues", f);
	else
		fprintf(f, "the best %zu continue", p->kept);
	/* Equal values are in the order of the tasks. */
	if (p->needed == p->value && p->rank > p->kept)
		fprintf(f, " (%s in a task with a lower number, or better)",
		    num_short(p->needed, PRUNED_DIGITS, needed));
	else if (isfinite(p->needed))
		fprintf(f, " (%s or better)",
		    num_short(p->needed, PRUNED_DIGITS, needed));
	xmemclose(f);
	return text;
}

int
stop_pruned_read(const char *why, struct stop_pruned *out)
{
	char value[NUM_TEXT], needed[NUM_TEXT] = "nan";
	struct stop_pruned p = {.kept = 1};
	const char *bound;
	int used = 0;

	if (stop_reason_of(why, &why) != STOP_PRUNED)
		return 0;
	if (out == NULL)
		return 1;
	if (sscanf(why, "%" SCNd64 ": %31s is %zu%*2s of %zu, %n", &p.epoch,
		value, &p.rank, &p.count, &used) < 2 ||
	    !num_parse(value, &p.value) || (used == 0 && isfinite(p.value)))
		return 0;
	sscanf(why + used, "the best %zu", &p.kept);
	bound = strchr(why + used, '(');
	if (bound != NULL)
		sscanf(bound, "(%31s", needed);
	if (!num_parse(needed, &p.needed))
		return 0;
	*out = p;
	return 1;
}

const char *
stop_brief(const char *cause, char out[STOP_BRIEF])
{
	if (!stop_pruned_read(cause, NULL))
		return cause;
	snprintf(out, STOP_BRIEF, "%.*s", (int)strcspn(cause, ":"), cause);
	return out;
}

int
stop_is_over(const char *why)
{
	return why != NULL && text_ends(why, stop_over);
}

int
stop_is_by_max_fail(const char *why)
{
	static const char who[] = ": ";
	enum stop_reason reason = stop_reason_of(why, &why);

	/* A ban on requeues names the rule that made it: "not again: WHO". */
	if (reason == STOP_NO_REQUEUE && text_begins(why, who))
		reason = stop_reason_of(why + strlen(who), NULL);
	return reason == STOP_MAX_FAIL;
}
