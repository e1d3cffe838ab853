/*
 * The GPUs of a node divided between its tasks.  Slurm does that itself where
 * it was asked to (--gpus-per-task, --gpu-bind); otherwise each task sees all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "dist/private.h"

/* By these GPUs are shown to a program, and Slurm sets them alike. */
static const char *const variables[] = {"CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "GPU_DEVICE_ORDINAL"};
enum { VARIABLES = sizeof variables / sizeof *variables };

static void
split(const char *list, struct words *out)
{
	size_t n;

	while (*list != '\0') {
		n = strcspn(list, ",");
		words_take(out, xstrndup(list, n));
		list += n + (list[n] == ',');
	}
}

int
dist_chooses_gpu(const struct dist_wish *w)
{
	return w->framework == DIST_TORCH || w->framework == DIST_HOROVOD;
}

/* JAX is told numbers; TensorFlow and MXNet take whatever they see. */
static int
divides(const struct dist_wish *w)
{
	if (w->gpus != DIST_AS_USUAL)
		return w->gpus == DIST_DIVIDE;
	return w->framework == DIST_TENSORFLOW || w->framework == DIST_MXNET;
}

/* Parameter servers and schedulers compute nothing. */
static int
wants_gpu(const struct dist_wish *w, const struct dist_step *s, size_t rank)
{
	size_t index;
	enum dist_role role = dist_role(w, s, rank, &index);

	if (role == DIST_CHIEF && w->framework == DIST_MXNET)
		return 0;
	return role != DIST_PS;
}

/* How many tasks of our node want GPUs, and how many of them come before us. */
static size_t
sharers(const struct dist_wish *w, const struct dist_step *s, size_t *before)
{
	size_t rank, count = 0;

	*before = 0;
	for (rank = 0; rank < s->tasks; rank++) {
		if (s->node[rank] != s->node[s->rank] || !wants_gpu(w, s, rank))
			continue;
		*before += rank < (size_t)s->rank;
		count++;
	}
	return count;
}

/* Whether a task sees fewer than its node has: then Slurm has divided them. */
static int
is_divided(dist_get *get, void *arg, size_t seen)
{
	const char *count = get(arg, "SLURM_GPUS_ON_NODE"), *list;
	struct words all = {0};
	int64_t n;
	int fewer;

	if (count != NULL && num_int("", count, 0, INT32_MAX, &n, NULL) == 0)
		return seen < (size_t)n;
	list = get(arg, "SLURM_STEP_GPUS");
	if (list == NULL)
		list = get(arg, "SLURM_JOB_GPUS");
	if (list == NULL)
		return 0;
	split(list, &all);
	fewer = seen < all.count;
	words_free(&all);
	return fewer;
}

/* Those of so many GPUs that the task at this place is to have. */
struct share {
	size_t first, end;
};

/* They share where there are fewer GPUs than tasks. */
static struct share
share_of(size_t all, size_t place, size_t count)
{
	struct share ours = {place * all / count, (place + 1) * all / count};

	if (all < count)
		ours.end = ours.first + 1;
	return ours;
}

/* Whether it is left to us to divide what the tasks of our node all see. */
static int
is_shared(const struct dist_wish *w, dist_get *get, void *arg, size_t seen,
    size_t count)
{
	return w->gpus != DIST_ALL && count > 1 && !is_divided(get, arg, seen);
}

static void
divide(const struct dist_wish *w, const struct dist_step *s,
    const char *variable, const char *list, dist_get *get, void *arg,
    struct words *out)
{
	struct words all = {0}, mine = {0};
	size_t place, count = sharers(w, s, &place), i;
	struct share ours;
	char *text;

	split(list, &all);
	if (!wants_gpu(w, s, (size_t)s->rank)) {
		words_take(out, xasprintf("%s=", variable));
	} else if (is_shared(w, get, arg, all.count, count)) {
		ours = share_of(all.count, place, count);
		for (i = ours.first; i < ours.end; i++)
			words_push(&mine, all.word[i]);
		text = words_join(&mine, ",");
		words_take(out, xasprintf("%s=%s", variable, text));
		free(text);
	}
	words_free(&mine);
	words_free(&all);
}

/*
 * In a step of Slurm, JAX takes the one GPU that has its local number, however
 * many there are, and finds none where the task sees but its own.  It counts
 * those that it sees.
 */
static void
add_jax_devices(const struct dist_wish *w, const struct dist_step *s,
    const char *list, dist_get *get, void *arg, struct words *out)
{
	struct words all = {0}, numbers = {0};
	size_t place, count = sharers(w, s, &place), i;
	struct share ours;
	char *text;

	split(list, &all);
	ours = (struct share){0, all.count};
	if (is_shared(w, get, arg, all.count, count))
		ours = share_of(all.count, place, count);
	for (i = ours.first; i < ours.end; i++)
		words_take(&numbers,
		    xasprintf(
			"%zu", w->gpus == DIST_DIVIDE ? i - ours.first : i));
	text = words_join(&numbers, ",");
	words_take(out, xasprintf("JAX_LOCAL_DEVICE_IDS=%s", text));
	free(text);
	words_free(&numbers);
	words_free(&all);
}

void
dist_gpus(const struct dist_wish *w, const struct dist_step *s, dist_get *get,
    void *arg, struct words *out)
{
	const char *list, *seen = NULL;
	size_t i;

	for (i = 0; i < VARIABLES; i++) {
		list = get(arg, variables[i]);
		if (list == NULL || *list == '\0')
			continue;
		if (seen == NULL)
			seen = list;
		if (divides(w))
			divide(w, s, variables[i], list, get, arg, out);
	}
	if (w->framework == DIST_JAX && seen != NULL)
		add_jax_devices(w, s, seen, get, arg, out);
}

int
dist_lacks_gpu(const struct dist_wish *w, const struct dist_step *s,
    dist_get *get, void *arg, size_t *seen)
{
	struct words all = {0};
	const char *list = NULL;
	size_t i;

	for (i = 0; i < VARIABLES && (list == NULL || *list == '\0'); i++)
		list = get(arg, variables[i]);
	if (!dist_chooses_gpu(w) || s->rank < 0 || list == NULL ||
	    *list == '\0')
		return 0;
	split(list, &all);
	*seen = all.count;
	words_free(&all);
	return s->local[s->rank] >= *seen;
}
