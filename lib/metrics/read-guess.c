#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "metrics/private.h"

/*
 * Metrics in the printed output of a training, without patterns.  A line gives
 * values if it has pairs
 *
 *	NAME = NUMBER    NAME: NUMBER    NAME NUMBER
 *
 * where NAME is a metric: its last word, but for a suffix such as "/train", is
 * in the list of metrics ("val_loss", "top1-acc", "Loss/train").  "train",
 * "val" and "test" before a pair go into its name: "val acc 0.9" is val_acc.
 * "epoch", "step" and "iter" with a number tell where the line belongs; a line
 * without an epoch belongs to the last heading ("Epoch 3/10").
 *
 * No metrics are: numbers with a unit (3s, 9.9it/s), fractions, times, dates,
 * what stands after "best", and progress bars that are not at their end.
 */

enum { NAME = 64, NUMBER = 32 };

/* ---- words ---- */

static int
is_in(const char *word, const char *const *list)
{
	while (*list != NULL && strcmp(word, *list) != 0)
		list++;
	return *list != NULL;
}

static const char *const strong[] = {"loss", "acc", "accuracy", "auc", "auroc",
    "auprc", "f1", "mse", "rmse", "mae", "mape", "nll", "elbo", "ppl",
    "perplexity", "bleu", "iou", "miou", "psnr", "ssim", "ndcg", "mrr", "mcc",
    "bpc", "bpb", NULL};

/* Words that have other meanings as well: "Error: 2", "precision=16". */
static const char *const weak[] = {"error", "err", "score", "reward", "return",
    "precision", "recall", "map", "entropy", "kl", "cost", "r2", "kappa",
    "dice", "jaccard", "rouge", "meteor", "wer", "cer", "fid", "top",
    "sensitivity", "specificity", "pearson", "spearman", NULL};

static const char *const suffixes[] = {"train", "training", "val", "valid",
    "validation", "test", "eval", "dev", "epoch", "step", "avg", "mean",
    "macro", "micro", "weighted", "rate", "", NULL};

/* Words of a value that is not the metric of this epoch. */
static const char *const others[] = {"best", "target", "min", "max", "minimum",
    "maximum", "lowest", "highest", "prev", "previous", "threshold", "delta",
    "num", NULL};

/* Words that may stand before the epoch of a heading. */
static const char *const starts[] = {
    "", "starting", "start", "begin", "beginning", "running", "info", NULL};

/* Return the kind of data that a word names, "" for no such word. */
static const char *
data_of(const char *word)
{
	static const char *const kinds[][2] = {{"train", "train"},
	    {"training", "train"}, {"val", "val"}, {"valid", "val"},
	    {"validation", "val"}, {"validating", "val"}, {"eval", "eval"},
	    {"evaluation", "eval"}, {"test", "test"}, {"testing", "test"},
	    {"dev", "dev"}};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(word, kinds[i][0]) == 0)
			return kinds[i][1];
	return "";
}

enum strength { NO_METRIC, WEAK, STRONG };

static enum strength
strength_of(const char *part)
{
	size_t length = strlen(part);

	if (is_in(part, strong) ||
	    (length > 4 && strcmp(part + length - 4, "loss") == 0))
		return STRONG;
	return is_in(part, weak) ? WEAK : NO_METRIC;
}

/*
 * Return whether a name is that of a metric.  *data tells whether the name says
 * on which data.
 */
static enum strength
judge_name(const char *name, int *data)
{
	enum strength found = NO_METRIC, strength;
	char part[NAME];
	size_t n, digits;

	*data = 0;
	for (; *name != '\0'; name += *name != '\0') {
		n = strcspn(name, "_-/.@ ");
		memcpy(part, name, n);
		part[n] = '\0';
		name += n;
		if (is_in(part, others))
			return NO_METRIC;
		*data |= *data_of(part) != '\0';
		strength = strength_of(part);
		for (digits = n;
		     digits > 0 && isdigit((unsigned char)part[digits - 1]);)
			digits--;
		if (strength == NO_METRIC) { /* acc1, top5, map50 */
			part[digits] = '\0';
			strength = strength_of(part);
		}
		if (strength != NO_METRIC || !is_in(part, suffixes))
			found = strength;
	}
	return found;
}

/* ---- numbers ---- */

/* Return the length of the number at the start of a text, or 0. */
static size_t
number_at(const char *text)
{
	static const char *const named[] = {"nan", "infinity", "inf"};
	size_t sign = *text == '-' || *text == '+', n = sign, digits, i;

	for (i = 0; i < sizeof named / sizeof *named; i++)
		if (ascii_ncasecmp(text + n, named[i], strlen(named[i])) == 0)
			return n + strlen(named[i]);
	digits = strspn(text + n, "0123456789");
	n += digits;
	if (text[n] == '.') {
		i = strspn(text + n + 1, "0123456789");
		digits += i;
		/* The dot of "loss 1." ends a sentence. */
		n += digits > 0 &&
			(i > 0 || !isspace((unsigned char)text[n + 1]))
		    ? i + 1
		    : 0;
	}
	if (digits == 0)
		return 0;
	if (text[n] == 'e' || text[n] == 'E') {
		i = text[n + 1] == '-' || text[n + 1] == '+' ? 2 : 1;
		digits = strspn(text + n + i, "0123456789");
		n += digits > 0 ? i + digits : 0;
	}
	return n;
}

/* Return whether a number ends here: no unit, fraction, time or date goes on.
 */
static int
ends_number(const char *at)
{
	if (*at == '%')
		at++;
	if (*at == '.')
		return at[1] == '\0' || isspace((unsigned char)at[1]);
	if (*at == ',' || *at == '-')
		return !isdigit((unsigned char)at[1]);
	return *at == '\0' || isspace((unsigned char)*at) ||
	    (unsigned char)*at >= 0x80 || strchr(";|()]}>\"'*", *at) != NULL;
}

/* Return whether a number is whole, as a count is. */
static int
is_whole(const char *text, size_t length)
{
	size_t sign = *text == '-' || *text == '+';

	return sign + strspn(text + sign, "0123456789") == length;
}

/* ---- lines ---- */

/* A line being read. */
struct line {
	struct record_draft *draft;
	const char *text, *at;
	/* The last two words of a phrase, in lower case, or "". */
	char word[NAME], before[NAME];
	const char *data; /* "val" if the line spoke of it, or "" */
	int braces;       /* how many are open */
	int is_sure;      /* it has a metric that is no common word */
	int is_heading;   /* its epoch begins a phrase */
	char epoch[NUMBER], step[NUMBER];
	const char *step_name;
};

static void
end_phrase(struct line *l)
{
	*l->word = *l->before = '\0';
}

/* Take a word, with its quotation marks.  Returns whether there is one. */
static int
take_word(struct line *l)
{
	static const char inside[] = "_-/.@";
	const char *from = l->at;
	int quoted = *from == '"' || *from == '\'';
	size_t n, i;

	from += quoted;
	if (!isalpha((unsigned char)*from))
		return 0;
	for (n = 1; isalnum((unsigned char)from[n]) ||
	     (from[n] != '\0' && strchr(inside, from[n]) != NULL);)
		n++;
	while (strchr(inside, from[n - 1]) != NULL)
		n--;
	l->at = from + n + (quoted && from[n] == from[-1]);
	memcpy(l->before, l->word, sizeof l->before);
	for (i = 0; i < n && n < NAME; i++)
		l->word[i] = (char)ascii_lower((unsigned char)from[i]);
	l->word[i] = '\0';
	/* An option of a command is no result: "--target-loss 0.1". */
	if (from - l->text >= 2 && from[-1] == '-' && from[-2] == '-')
		end_phrase(l);
	return 1;
}

/*
 * Return the number after a word, and its length, or NULL.  *is_loose tells
 * that only blanks stand between them.
 */
static const char *
value_at(const char *at, size_t *length, int *is_loose)
{
	static const char *const calls[] = {
	    "tensor(", "np.float64(", "np.float32(", "np.float16("};
	const char *from = at + strspn(at, " ");
	size_t i;

	*is_loose = *from != '=' && *from != ':';
	if (*is_loose && from == at)
		return NULL;
	if (!*is_loose)
		from += 1 + strspn(from + 1, " ");
	from += *from == '"' || *from == '\'';
	for (i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strncmp(from, calls[i], strlen(calls[i])) == 0)
			from += strlen(calls[i]);
	*length = number_at(from);
	return *length > 0 ? from : NULL;
}

/* Take the place of the line, "Epoch [3/10]".  Returns whether it is one. */
static int
take_place(struct line *l)
{
	static const char *const names[][2] = {{"epoch", "epoch"},
	    {"ep", "epoch"}, {"step", "step"}, {"global_step", "step"},
	    {"iter", "iter"}, {"iteration", "iter"}};
	const size_t count = sizeof names / sizeof *names;
	const char *from = l->at + strspn(l->at, " :=");
	char *out = l->epoch;
	size_t i, n;

	for (i = 0; i < count && strcmp(l->word, names[i][0]) != 0;)
		i++;
	from += strspn(from, "[(# '\"");
	n = isdigit((unsigned char)*from) ? number_at(from) : 0;
	if (i == count || from == l->at || n == 0 || n >= NUMBER ||
	    isalnum((unsigned char)from[n]) || from[n] == '%')
		return 0;
	if (i >= 2) {
		out = l->step;
		l->step_name = names[i][1];
	} else if (is_in(l->before, starts) || *data_of(l->before) != '\0') {
		l->is_heading = 1;
	}
	memcpy(out, from, n);
	out[n] = '\0';
	if (*data_of(l->before) != '\0')
		l->data = data_of(l->before);
	l->at = from + n;
	return 1;
}

/* Take a metric and its value.  Returns whether the word is one. */
static int
take_metric(struct line *l)
{
	char name[3 * NAME];
	int has_data, loose, ignored;
	enum strength strength = judge_name(l->word, &has_data);
	enum strength joined;
	const char *value, *end;
	size_t n;

	if (strength == NO_METRIC || is_in(l->before, others))
		return 0;
	value = value_at(l->at, &n, &loose);
	if (value == NULL || !ends_number(value + n))
		return 0;
	end = value + n + strspn(value + n, " ");
	if (is_whole(value, n) &&
	    (strength == WEAK ||
		(loose && *end != '\0' && strchr(",;|%", *end) == NULL)))
		return 0;
	if (*data_of(l->before) != '\0')
		l->data = data_of(l->before);
	joined = judge_name(l->before, &ignored);
	snprintf(name, sizeof name, "%s%s%s%s%s", has_data ? "" : l->data,
	    has_data || *l->data == '\0' ? "" : "_",
	    joined != NO_METRIC ? l->before : "",
	    joined != NO_METRIC ? "_" : "", l->word);
	if (l->braces < 2) {
		record_draft_add(l->draft, name, strlen(name), value, n);
		l->is_sure |= strength == STRONG;
	}
	l->at = value + n;
	return 1;
}

/* Take all pairs of a line up to a word such as "best". */
static void
scan(struct line *l)
{
	static const char *const stops[] = {
	    "best", "previous", "prev", "target", "threshold", NULL};
	static const char unit[] = "_-/.:%+";

	while (*l->at != '\0') {
		if (*l->at == ' ') {
			l->at++;
		} else if (take_word(l)) {
			if (is_in(l->word, stops))
				return;
			if (take_place(l) || take_metric(l))
				end_phrase(l);
			else if (*data_of(l->word) != '\0')
				l->data = data_of(l->word);
		} else if (isdigit((unsigned char)*l->at)) {
			/* The unit belongs to the number: "2ms/step". */
			while (isalnum((unsigned char)*l->at) ||
			    (*l->at != '\0' && strchr(unit, *l->at) != NULL))
				l->at++;
			end_phrase(l);
		} else {
			l->braces += (*l->at == '{') - (*l->at == '}');
			l->at++;
			end_phrase(l);
		}
	}
}

/*
 * Read a line, or the state of a bar, which is_last of its line.  Adds its
 * values to the draft, and remembers its epoch.
 */
static void
take_text(struct record_draft *draft, struct record_reader *r, const char *text,
    int is_last)
{
	struct line l = {.draft = draft, .text = text, .at = text, .data = ""};
	int counts;
	double epoch;

	scan(&l);
	counts = draft->count > 0 &&
	    (l.is_sure || *l.epoch != '\0' || *l.step != '\0' || r->headed) &&
	    (is_last || *l.epoch != '\0' || r->headed);
	if (!counts)
		draft->texts.used = draft->count = 0;
	if ((counts || l.is_heading) && num_parse(l.epoch, &epoch) &&
	    isfinite(epoch)) {
		r->heading = epoch;
		r->headed = RECORD_HEADED;
	}
	if (!counts)
		return;
	if (r->headed) {
		snprintf(l.epoch, sizeof l.epoch, "%.10g", r->heading);
		record_draft_add(draft, "epoch", 5, l.epoch, strlen(l.epoch));
	}
	if (*l.step != '\0')
		record_draft_add(draft, l.step_name, strlen(l.step_name),
		    l.step, strlen(l.step));
}

/* ---- progress bars ---- */

/* Return whether "n/m", length bytes long, says that all is done. */
static int
is_full(const char *count, size_t length)
{
	size_t half = length / 2;

	return length % 2 == 1 && count[half] == '/' &&
	    memcmp(count, count + half + 1, half) == 0;
}

/*
 * Return the end of a bar of tqdm, "Epoch 3: 100%|###| 9/9 [00:01<00:00,
 * loss=1]", or NULL if the text is no such bar.  *full tells whether it is at
 * its end.
 */
static char *
tqdm_end(char *text, int *full)
{
	char *bar = strstr(text, "%|"), *from, *to, *end;

	*full = 0;
	if (bar == NULL)
		return NULL;
	end = strchr(bar, '[');
	if (end == NULL)
		return bar + strlen(bar);
	for (to = end; to[-1] == ' ';)
		to--;
	for (from = to; from[-1] != ' ' && from[-1] != '|';)
		from--;
	*full = is_full(from, (size_t)(to - from));
	end += strcspn(end, "]");
	return end + (*end != '\0');
}

/* Return whether the text is a bar of Keras; *full as above. */
static int
is_keras_bar(const char *text, int *full)
{
	static const char *const signs[] = {
	    "/step", "/epoch", "/sample", "\xe2\x94\x81", "[=", "[>", "[."};
	const char *from = text + strspn(text, " ");
	size_t n = strspn(from, "0123456789"), i;

	if (n == 0 || from[n] != '/')
		return 0;
	i = strcspn(from, " ");
	*full = is_full(from, i);
	from += i;
	for (i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strstr(from, signs[i]) != NULL)
			return 1;
	return 0;
}

/* Return a line as a terminal shows it, in one state, without colours. */
static char *
plain_text(const char *line, size_t length)
{
	char *text = xmalloc(length + 1);
	size_t i, n = 0;

	for (i = 0; i < length; i++) {
		if (line[i] == '\033') {
			if (i + 1 < length && line[++i] == '[')
				while (i + 1 < length && line[++i] < '@')
					continue;
		} else if ((unsigned char)line[i] > ' ' && line[i] != 127) {
			text[n++] = line[i];
		} else if (line[i] != '\b') {
			text[n++] = ' ';
		}
	}
	text[n] = '\0';
	return text;
}

int
record_guess_line(struct record_draft *draft, struct record_reader *r,
    const char *line, size_t length)
{
	/* A return without a line end: the next state overwrites this one. */
	int is_last = length == 0 || line[length - 1] != '\r', full;
	char *text = plain_text(line, length), *end = tqdm_end(text, &full);

	if (end != NULL) {
		/* Others may print after a bar that is not at its end. */
		if (is_last)
			take_text(draft, r, end, 1);
		*end = '\0';
		if (full && draft->count == 0)
			take_text(draft, r, text, is_last);
	} else if (is_keras_bar(text, &full)) {
		/* A bar after that of the epoch is not of its training. */
		if (full && r->headed != RECORD_BAR_ENDED)
			take_text(draft, r, text, is_last);
		if (full && is_last && r->headed)
			r->headed = RECORD_BAR_ENDED;
	} else if (is_last) {
		take_text(draft, r, text, 1);
	}
	free(text);
	return 1;
}
