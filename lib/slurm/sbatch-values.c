#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "slurm/sbatch.h"

/* Longest time limit accepted: a hundred years, in seconds. */
static const uint64_t most_seconds = 3153600000;

/*
 * Read at most room numbers with ":"  between them.  Returns how many, or 0 for
 * any other text.
 */
static int
read_fields(const char *text, uint64_t *field, int room)
{
	int count = 0;

	for (;;) {
		if (count == room || !isdigit((unsigned char)*text))
			return 0;
		field[count] = 0;
		for (; isdigit((unsigned char)*text); text++)
			if (field[count] <= most_seconds)
				field[count] =
				    field[count] * 10 + (uint64_t)(*text - '0');
		count++;
		if (*text == '\0')
			return count;
		if (*text++ != ':')
			return 0;
	}
}

/* Return the seconds of a time such as "2-12:30", or -1 for any other text. */
static int64_t
read_time(const char *text)
{
	static const uint64_t below_days[] = {3600, 60, 1};
	uint64_t field[3] = {0}, days = 0, seconds = 0;
	const char *dash = strchr(text, '-');
	char *before;
	int i, n, first = 0;

	if (dash != NULL) {
		before = xstrndup(text, (size_t)(dash - text));
		n = read_fields(before, &days, 1);
		free(before);
		if (n == 0)
			return -1;
		text = dash + 1;
	}
	n = read_fields(text, field, 3);
	if (n == 0)
		return -1;
	/* Without days, one number is minutes; two are minutes and seconds. */
	if (dash == NULL && n < 3)
		first = 1;
	for (i = 0; i < n; i++)
		seconds += field[i] * below_days[first + i];
	seconds += days * 86400;
	return seconds > most_seconds ? -1 : (int64_t)seconds;
}

int
sbatch_time(const char *text, int64_t *minutes, struct error *e)
{
	int64_t seconds;

	if (ascii_casecmp(text, "UNLIMITED") == 0 ||
	    ascii_casecmp(text, "INFINITE") == 0 || strcmp(text, "-1") == 0) {
		*minutes = -1;
		return 0;
	}
	seconds = read_time(text);
	if (seconds == -1)
		return error_set(e,
		    "%s: a time limit is written as 90 (minutes), 1:30:00, "
		    "2-12 (days and hours) or UNLIMITED",
		    text);
	*minutes = seconds == 0 ? -1 : (seconds + 59) / 60;
	return 0;
}

/*
 * Return the length of the first item of a list; commas in parentheses belong
 * to the item.
 */
static size_t
item_length(const char *text)
{
	size_t i;
	int depth = 0;

	for (i = 0; text[i] != '\0'; i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (text[i] == ',' && depth <= 0)
			break;
	}
	return i;
}

/* Return where type and count begin in "gres/gpu:a100:2", or NULL. */
static char *
behind_gpu(char *item)
{
	if (strncmp(item, "gres/", 5) == 0 || strncmp(item, "gres:", 5) == 0)
		item += 5;
	if (strncmp(item, "gpu", 3) != 0)
		return NULL;
	item += 3;
	if (*item == ':' || *item == '=')
		return item + 1;
	return *item == '\0' ? item : NULL;
}

static int
read_count(char *text, uint64_t *count)
{
	size_t last = strlen(text) - 1;
	uint64_t unit = 1;
	int64_t number;

	if (last > 0 && strchr("kK", text[last]) != NULL)
		unit = 1024;
	else if (last > 0 && strchr("mM", text[last]) != NULL)
		unit = 1048576;
	if (unit > 1)
		text[last] = '\0';
	if (num_int("", text, 0, INT32_MAX, &number, NULL) == -1)
		return -1;
	*count = (uint64_t)number * unit;
	return 0;
}

/* Read "", "2", "a100" or "a100:2".  Returns 0, or -1 for any other text. */
static int
read_gpu(char *text, struct sbatch_gpus *out)
{
	char *colon = strpbrk(text, ":=");
	size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);

	*out = (struct sbatch_gpus){.count = 1};
	if (*text == '\0')
		return 0;
	if (colon == NULL && isdigit((unsigned char)*text) &&
	    read_count(text, &out->count) == 0)
		return 0;
	if (length == 0 || length >= sizeof out->type || *text == '-')
		return -1;
	memcpy(out->type, text, length);
	out->type[length] = '\0';
	if (colon == NULL)
		return 0;
	return colon[1] == '\0' ? -1 : read_count(colon + 1, &out->count);
}

int
sbatch_gpus(const char *option, const char *text, struct sbatch_gpus *out,
    size_t room, struct error *e)
{
	struct sbatch_gpus gpus;
	size_t length, filled = 0;
	char *item, *gpu;
	int bad = 0,
	    is_list = strcmp(option, "gres") == 0 ||
	    strcmp(option, "tres-per-task") == 0;

	if (ascii_casecmp(text, "none") == 0)
		return 0;
	for (; *text != '\0' && !bad; text += length + (text[length] == ',')) {
		length = item_length(text);
		item = xstrndup(text, length);
		item[strcspn(item, "(")] = '\0';
		gpu = is_list ? behind_gpu(item) : item;
		if (gpu != NULL)
			bad = read_gpu(gpu, &gpus) == -1;
		if (gpu != NULL && !bad && filled < room)
			out[filled++] = gpus;
		free(item);
	}
	if (bad)
		return error_set(e,
		    "--%s=%s: GPUs are asked for as in --gres=gpu:2 or "
		    "--gpus-per-node=a100:2",
		    option, text);
	return (int)filled;
}

int
sbatch_memory(const char *text, int64_t *megabytes, struct error *e)
{
	static const char units[] = "KMGT";
	size_t n = strspn(text, "0123456789.");
	char *digits = xstrndup(text, n);
	const char *unit =
	    text[n] ? ascii_casestr(units, (char[]){text[n], 0}) : units + 1;
	double value;
	int rc = 0;

	if (n == 0 || !num_parse(digits, &value) || unit == NULL ||
	    (text[n] && text[n + 1] && ascii_casecmp(text + n + 1, "B") != 0))
		rc = -1;
	free(digits);
	if (rc == 0)
		value = ceil(value * pow(1024, (double)(unit - units) - 1));
	if (rc == -1 || value >= 1e12)
		return error_set(
		    e, "'%s' is not an amount of memory, as 64G is", text);
	*megabytes = (int64_t)value;
	return 0;
}
