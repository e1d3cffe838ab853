#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/allocations.h"
#include "slurm/private.h"

/* ---- GPU counts in Slurm's texts ---- */

/*
 * Return the number of GPUs in an item such as "gres/gpu:a100=2".  Sets *typed
 * if the item names a type.
 */
static int64_t
item_gpus(const char *item, size_t length, int *typed)
{
	char *text = xstrndup(item, length), *at = text, *count;
	int64_t n = 1;

	text[strcspn(text, "(")] = '\0';
	if (strncmp(at, "gres/", 5) == 0 || strncmp(at, "gres:", 5) == 0)
		at += 5;
	if (strncmp(at, "gpu", 3) != 0 || strchr(":=", at[3]) == NULL) {
		n = 0;
	} else if (at[3] != '\0') {
		at += 4;
		count = strpbrk(at, ":=");
		*typed = count != NULL ||
		    num_int("", at, 0, INT32_MAX, &n, NULL) == -1;
		if (count != NULL)
			num_int("", count + 1, 0, INT32_MAX, &n, NULL);
	}
	free(text);
	return n;
}

/* Count GPUs of all types; Slurm may list them once more by type. */
static int64_t
text_gpus(const char *text)
{
	int64_t plain = 0, of_types = 0, n;
	size_t length;
	int typed = 0;

	for (; text != NULL && *text != '\0'; text += length) {
		length = strcspn(text, ",;");
		n = item_gpus(text, length, &typed);
		if (n > 0 && typed)
			of_types += n;
		else
			plain += n;
		length += text[length] != '\0';
		typed = 0;
	}
	return of_types > plain ? of_types : plain;
}

int64_t
queue_wanted_gpus(const struct queue_wanted *w)
{
	int64_t n = text_gpus(w->allocated);

	/* Use the requested GPUs if the site does not record allocated ones. */
	if (n == 0)
		n = text_gpus(w->per_job);
	if (n == 0)
		n = text_gpus(w->per_node) * w->nodes;
	if (n == 0)
		n = text_gpus(w->per_task) * w->tasks;
	return n;
}

/* ---- lists ---- */

struct queue_allocation *
queue_allocations_add(struct queue_allocations *u)
{
	u->use = xgrow(u->use, u->uses, sizeof *u->use);
	u->use[u->uses] = (struct queue_allocation){.mine = 0};
	return &u->use[u->uses++];
}

struct queue_reservation *
queue_reservations_add(struct queue_allocations *u)
{
	u->reservation =
	    xgrow(u->reservation, u->reservations, sizeof *u->reservation);
	u->reservation[u->reservations] = (struct queue_reservation){.mine = 0};
	return &u->reservation[u->reservations++];
}

int64_t
queue_use_end(int64_t start, uint32_t minutes)
{
	/* Slurm's two largest numbers mean "no limit" and "no number". */
	return minutes >= UINT32_MAX - 1 ? 0 : start + (int64_t)minutes * 60;
}
