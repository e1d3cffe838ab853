#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "usage/gpu.h"

enum { CELLS = 32, MIB = 1 << 20 };

struct part {
	const char *at;
	size_t length;
};

/* Split a line into cells without surrounding blanks.  Returns how many. */
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

/* Return the number in a cell; nan for "[N/A]" and other texts. */
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

/* Return a cell as the number of a GPU, or -1. */
static int
index_of(const struct part *p)
{
	double value = number(p);

	return value < 1024 && value == floor(value) ? (int)value : -1;
}

/* ---- nvidia-smi ---- */

size_t
usage_gpu_nvidia(const char *text, struct usage_gpu *out, size_t most)
{
	struct part cell[CELLS];
	size_t count = 0, length;

	for (; *text != '\0' && count < most;
	     text += length + (text[length] != '\0')) {
		length = strcspn(text, "\n");
		if (cells(text, length, cell) != 5 || index_of(&cell[0]) == -1)
			continue;
		out[count].number = index_of(&cell[0]);
		snprintf(out[count].uuid, sizeof out->uuid, "%.*s",
		    (int)cell[1].length, cell[1].at);
		out[count].busy = percent(&cell[2]);
		out[count].memory = number(&cell[3]);
		out[count].total = number(&cell[4]);
		count++;
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

/* The positions of the needed columns, which differ between releases. */
struct rocm {
	int busy, memory, total; /* -1 if missing */
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

size_t
usage_gpu_rocm(const char *text, struct usage_gpu *out, size_t most)
{
	struct rocm r = {-1, -1, -1, 0};
	struct part cell[CELLS];
	size_t count = 0, length;
	struct usage_gpu *g;

	for (; *text != '\0' && count < most;
	     text += length + (text[length] != '\0')) {
		length = strcspn(text, "\n");
		if (r.columns == 0) {
			if (!read_rocm_header(text, length, &r))
				r.columns = 0;
			continue;
		}
		if (cells(text, length, cell) != r.columns ||
		    cell[0].length < 5 || strncmp(cell[0].at, "card", 4) != 0)
			continue;
		cell[0].at += 4;
		cell[0].length -= 4;
		g = &out[count];
		*g = (struct usage_gpu){.number = index_of(&cell[0]),
		    .busy = NAN,
		    .memory = NAN,
		    .total = NAN};
		if (r.busy != -1)
			g->busy = percent(&cell[r.busy]);
		if (r.memory != -1)
			g->memory = number(&cell[r.memory]) / MIB;
		if (r.total != -1)
			g->total = number(&cell[r.total]) / MIB;
		count += g->number != -1;
	}
	return count;
}

/* ---- the GPUs of a task ---- */

/* Return whether a word of a list includes this GPU: "2", "0-3", "GPU-5a1b". */
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
	if (word[0].length <= 4 || strncmp(word[0].at, "MIG-", 4) != 0)
		return left;
	for (i = 0; i < left; i++) /* the values of a slice are unknown */
		gpu[i].busy = gpu[i].memory = gpu[i].total = NAN;
	return left;
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
