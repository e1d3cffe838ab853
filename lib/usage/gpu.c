#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "usage/gpu.h"

enum { CELLS = 32, MIB = 1 << 20 };

/* A part of a text. */
struct part {
	const char *at;
	size_t length;
};

/* The cells of a line, without blanks around them; returns how many. */
static size_t
cells(const char *line, size_t length, struct part *out)
{
	const char *end = line + length, *comma;
	size_t count = 0;

	while (count < CELLS) {
		comma = memchr(line, ',', (size_t)(end - line));
		out[count].at = line;
		out[count].length =
		    (size_t)((comma != NULL ? comma : end) - line);
		while (out[count].length > 0 && *out[count].at == ' ') {
			out[count].at++;
			out[count].length--;
		}
		while (out[count].length > 0 &&
		    strchr(" \r", out[count].at[out[count].length - 1]))
			out[count].length--;
		count++;
		if (comma == NULL)
			break;
		line = comma + 1;
	}
	return count;
}

/* "[N/A]", "[Not Supported]", "[Insufficient Permissions]" are none. */
static double
number(const struct part *p)
{
	return num_amount(p->at, p->length);
}

static double
percent(const struct part *p)
{
	double value = number(p);

	return value <= 100 ? value : NAN;
}

/* The number of a GPU, or -1. */
static int
index_of(const struct part *p)
{
	double value = number(p);

	return value < 1024 && value == floor(value) ? (int)value : -1;
}

/* ---- nvidia-smi ---- */

static int
read_nvidia(const char *line, size_t length, struct usage_gpu *out)
{
	struct part cell[CELLS];

	if (cells(line, length, cell) != 5 || index_of(&cell[0]) == -1)
		return 0;
	out->number = index_of(&cell[0]);
	snprintf(out->uuid, sizeof out->uuid, "%.*s", (int)cell[1].length,
	    cell[1].at);
	out->busy = percent(&cell[2]);
	out->memory = number(&cell[3]);
	out->total = number(&cell[4]);
	return 1;
}

size_t
usage_gpu_nvidia(const char *text, struct usage_gpu *out, size_t most)
{
	size_t count = 0, length;

	for (; *text != '\0' && count < most;
	     text += length + (text[length] != '\0')) {
		length = strcspn(text, "\n");
		count += (size_t)read_nvidia(text, length, &out[count]);
	}
	return count;
}

int
usage_gpu_app(const char *line, struct usage_app *out)
{
	struct part cell[CELLS];
	double pid;

	if (cells(line, strcspn(line, "\n"), cell) != 3)
		return -1;
	pid = number(&cell[1]);
	if (isnan(pid) || pid < 1 || pid > INT32_MAX || pid != floor(pid))
		return -1;
	snprintf(out->uuid, sizeof out->uuid, "%.*s", (int)cell[0].length,
	    cell[0].at);
	out->pid = (int64_t)pid;
	out->memory = number(&cell[2]);
	return 0;
}

/* ---- rocm-smi ---- */

/* Where its columns are: releases put others between them. */
struct rocm {
	int busy, memory, total; /* or -1 */
	size_t columns;
};

static int
is(const struct part *p, const char *text)
{
	return p->length == strlen(text) &&
	    ascii_ncasecmp(p->at, text, p->length) == 0;
}

static int
read_rocm_header(const char *line, size_t length, struct rocm *r)
{
	struct part cell[CELLS];
	size_t i;

	r->columns = cells(line, length, cell);
	r->busy = r->memory = r->total = -1;
	for (i = 1; i < r->columns; i++) {
		if (is(&cell[i], "GPU use (%)"))
			r->busy = (int)i;
		else if (is(&cell[i], "VRAM Total Used Memory (B)"))
			r->memory = (int)i;
		else if (is(&cell[i], "VRAM Total Memory (B)"))
			r->total = (int)i;
	}
	return is(&cell[0], "device");
}

static int
read_rocm(const char *line, size_t length, const struct rocm *r,
    struct usage_gpu *out)
{
	struct part cell[CELLS];

	if (cells(line, length, cell) != r->columns || cell[0].length < 5 ||
	    strncmp(cell[0].at, "card", 4) != 0)
		return 0;
	cell[0].at += 4;
	cell[0].length -= 4;
	*out = (struct usage_gpu){.number = index_of(&cell[0]),
	    .busy = NAN,
	    .memory = NAN,
	    .total = NAN};
	if (r->busy != -1)
		out->busy = percent(&cell[r->busy]);
	if (r->memory != -1)
		out->memory = number(&cell[r->memory]) / MIB;
	if (r->total != -1)
		out->total = number(&cell[r->total]) / MIB;
	return out->number != -1;
}

size_t
usage_gpu_rocm(const char *text, struct usage_gpu *out, size_t most)
{
	struct rocm r = {-1, -1, -1, 0};
	size_t count = 0, length;

	for (; *text != '\0' && count < most;
	     text += length + (text[length] != '\0')) {
		length = strcspn(text, "\n");
		if (r.columns == 0 && !read_rocm_header(text, length, &r))
			r.columns = 0;
		else
			count +=
			    (size_t)read_rocm(text, length, &r, &out[count]);
	}
	return count;
}

/* ---- whose they are ---- */

/* Whether a word of a list means this GPU: "2", "0-3", "GPU-5a1b". */
static int
means(const struct part *word, const struct usage_gpu *g)
{
	const char *dash = memchr(word->at, '-', word->length);
	struct part low = *word, high = *word;

	if (index_of(word) != -1)
		return index_of(word) == g->number;
	if (dash == NULL)
		return 0;
	low.length = (size_t)(dash - word->at);
	high.at = dash + 1;
	high.length = word->length - low.length - 1;
	if (index_of(&low) != -1 && index_of(&high) != -1)
		return index_of(&low) <= g->number &&
		    g->number <= index_of(&high);
	return word->length > 4 && strncmp(word->at, "GPU-", 4) == 0 &&
	    strncmp(g->uuid, word->at, word->length) == 0;
}

static int
is_slice(const struct part *word)
{
	return word->length > 4 && strncmp(word->at, "MIG-", 4) == 0;
}

/* Nothing is known of these, but that they are there. */
static size_t
hide(struct usage_gpu *gpu, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		gpu[i].busy = gpu[i].memory = gpu[i].total = NAN;
	return count;
}

size_t
usage_gpu_own(struct usage_gpu *gpu, size_t count, const char *list)
{
	struct part word[CELLS];
	size_t words = cells(list, strcspn(list, "+"), word);
	size_t i, k, left = 0;
	struct usage_gpu mine;

	if (*list == '\0')
		return 0;
	for (i = 0; i < count; i++)
		for (k = 0; k < words; k++)
			if (means(&word[k], &gpu[i])) {
				mine = gpu[i];
				gpu[left++] = mine;
				break;
			}
	if (left == 0 && count <= words)
		left = count;
	return is_slice(&word[0]) ? hide(gpu, left) : left;
}

/* ---- the programs ---- */

static const char *const nvidia[] = {"nvidia-smi",
    "--query-gpu=index,uuid,utilization.gpu,memory.used,memory.total",
    "--format=csv,noheader,nounits", NULL};
static const char *const rocm[] = {
    "rocm-smi", "--showuse", "--showmeminfo", "vram", "--csv", NULL};

const struct usage_tool usage_tools[] = {
    {nvidia, usage_gpu_nvidia},
    {rocm, usage_gpu_rocm},
    {NULL, NULL},
};
