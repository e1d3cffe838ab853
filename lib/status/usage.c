/* The use that a task made of its machine, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "job/usage.h"
#include "status/private.h"

enum { MIB = 1 << 20 };

/* "; at most 11.2 GiB of 15.9 GiB", or as much of it as is known. */
static void
put_most(FILE *f, double most, double all, int first)
{
	char text[NUM_TEXT];

	if (isnan(most))
		return;
	fprintf(f, "%sat most %s", first ? "" : "; ",
	    num_bytes((int64_t)(most * MIB), text));
	if (!isnan(all))
		fprintf(f, " of %s", num_bytes((int64_t)(all * MIB), text));
}

/* What is seen from the first of several nodes. */
static void
put_where(FILE *f, const struct store_row *row)
{
	if (row->gpus != NULL && strchr(row->gpus, '+') != NULL)
		fputs(", on its first node", f);
}

char *
show_gpu_use(const struct store_row *row)
{
	char span[NUM_TEXT], *text;
	struct usage_sum s;
	size_t length;
	FILE *f;

	job_usage_sum(row, &s);
	if (isnan(s.gpu) && isnan(s.gpu_memory))
		return NULL;
	f = xmemopen(&text, &length);
	if (!isnan(s.gpu))
		fprintf(f, "%.0f%% on average", s.gpu);
	if (!isnan(s.gpu) && s.gpus > 1)
		fprintf(f, " of %.0f GPUs", s.gpus);
	if (s.idle >= 1)
		fprintf(f, "; %s%s idle", num_span((int64_t)s.idle, span),
		    s.gpus > 1 ? " of GPU time" : "");
	put_most(f, s.gpu_memory, s.gpu_total, isnan(s.gpu));
	put_where(f, row);
	xmemclose(f);
	return text;
}

char *
show_cpu_use(const struct store_row *row)
{
	char text[NUM_TEXT], *out;
	struct usage_sum s;
	size_t length;
	FILE *f;

	job_usage_sum(row, &s);
	if (isnan(s.cpu) && isnan(s.memory))
		return NULL;
	f = xmemopen(&out, &length);
	if (!isnan(s.cpu) && !isnan(s.cpus))
		fprintf(f, "%.0f%% on average: %s of %.0f CPU%s",
		    usage_percent(s.cpu, s.cpus), num_short(s.cpu, 3, text),
		    s.cpus, s.cpus > 1 ? "s" : "");
	else if (!isnan(s.cpu))
		fprintf(f, "%s CPUs on average", num_short(s.cpu, 3, text));
	put_most(f, s.memory, s.memory_limit, isnan(s.cpu));
	put_where(f, row);
	xmemclose(f);
	return out;
}
