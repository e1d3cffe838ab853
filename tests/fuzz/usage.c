/*
 * What is known of the use of a machine: records of it (r), their sums in a
 * row (s), what nvidia-smi (n) and rocm-smi (a) print, lists of GPUs (l),
 * control groups (g) and processes (p) as the kernel has them, and what a node
 * says of those on its GPUs (h).
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "base/xalloc.h"
#include "usage/gpu.h"
#include "usage/holder.h"
#include "usage/kernel.h"
#include "usage/usage.h"

enum { MANY = 8 };

static void
check_sum(const struct usage_sum *s)
{
	must(isnan(s->gpu) || s->gpu >= 0);
	must(isnan(s->cpu) || s->cpu >= 0);
	must(isnan(s->idle) || s->idle >= 0);
	must(isnan(s->still) || s->still <= s->time);
	must(!(usage_percent(s->cpu, s->cpus) < 0));
}

/* Spans whose ends are the same once they are written are one. */
static void
record(struct fuzz *f)
{
	char *text = fuzz_text(f), *again;
	struct usage u, copy;
	struct usage_sum sum;
	size_t length = strlen(text);
	int i;

	if (usage_read(&u, text, length, NULL) == 0) {
		must(u.count <= USAGE_MOST && u.gpus <= USAGE_GPUS);
		usage_sum(&u, &sum);
		check_sum(&sum);
		copy = u;
		usage_thin(&copy, USAGE_KEPT);
		must(copy.count <= USAGE_KEPT);
		must((copy.count > 0) == (u.count > 0));
		for (i = 0; i < 3; i++) {
			again = text;
			text = usage_text(&u, &length);
			must(usage_read(&u, text, length, NULL) == 0);
			must(i < 2 || strcmp(text, again) == 0);
			free(again);
		}
	}
	free(text);
}

static void
sum_line(struct fuzz *f)
{
	char *text = fuzz_text(f), *once, *twice;
	struct usage_sum sum;

	usage_sum_read(&sum, text);
	once = usage_sum_text(&sum);
	usage_sum_read(&sum, once);
	twice = usage_sum_text(&sum);
	must(strcmp(once, twice) == 0);
	free(twice);
	free(once);
	free(text);
}

static void
gpus(struct fuzz *f,
    size_t (*take)(const char *text, struct usage_gpu *, size_t most))
{
	char *text = fuzz_text(f);
	struct usage_gpu gpu[MANY];
	size_t count = take(text, gpu, MANY), i;

	must(count <= MANY);
	for (i = 0; i < count; i++) {
		must(gpu[i].number >= 0);
		must(isnan(gpu[i].busy) ||
		    (gpu[i].busy >= 0 && gpu[i].busy <= 100));
		must(!(gpu[i].memory < 0) && !(gpu[i].total < 0));
	}
	free(text);
}

static void
list(struct fuzz *f)
{
	char *text = fuzz_text(f);
	struct usage_gpu gpu[4];
	size_t i, count;

	for (i = 0; i < 4; i++)
		gpu[i] = (struct usage_gpu){.number = (int)i, .uuid = "GPU-1"};
	count = usage_gpu_own(gpu, 4, text);
	must(count <= 4);
	must(*text != '\0' || count == 0);
	for (i = 1; i < count; i++)
		must(gpu[i - 1].number < gpu[i].number);
	free(text);
}

static void
group(struct fuzz *f)
{
	char *text = fuzz_text(f), *found = usage_cgroup_find("R", text, 7);

	if (found != NULL) {
		must(*found == 'R');
		must(strlen(found) > 6);
		must(strcmp(found + strlen(found) - 6, "/job_7") == 0);
	}
	free(found);
	free(text);
}

static void
process(struct fuzz *f)
{
	struct proc_stat p;
	struct usage_kernel sum;
	char *text = fuzz_text(f);

	if (proc_stat_read(text, &p) == 0) {
		sum = usage_process_sum(&p, 1, p.pid, p.pid);
		must(isnan(sum.cpu));
	}
	free(text);
}

static void
holders(struct fuzz *f)
{
	struct usage_holders h;
	char *text = fuzz_text(f);
	size_t i;

	if (usage_holders_read(text, &h) != USAGE_WHOLE)
		must(h.count == 0);
	for (i = 0; i < h.count; i++)
		must((h.holder[i].place == USAGE_INSIDE) ==
		    (h.holder[i].job != 0));
	usage_holders_free(&h);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz f = fuzz_input(bytes, length);

	switch (fuzz_byte(&f)) {
	case 'r':
		record(&f);
		break;
	case 's':
		sum_line(&f);
		break;
	case 'n':
		gpus(&f, usage_gpu_nvidia);
		break;
	case 'a':
		gpus(&f, usage_gpu_rocm);
		break;
	case 'l':
		list(&f);
		break;
	case 'g':
		group(&f);
		break;
	case 'p':
		process(&f);
		break;
	case 'h':
		holders(&f);
	}
	return 0;
}
