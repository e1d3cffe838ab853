#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store-part.h"
#include "store-seal.h"
#include "store-wish.h"
#include "xalloc.h"

static const char part[] = "ctl";

int
store_wish(
    const struct store_job *job, const struct store_wish *wish, struct error *e)
{
	char *tasks = ranges_text(&wish->tasks), name[32];
	json_t *record = seal_new();
	int dir, rc;

	snprintf(name, sizeof name, "stop.%016" PRIx64, fs_noise());
	seal_set_string(record, "tasks", tasks);
	seal_set_int(record, "attempt", wish->attempt);
	seal_set_int(record, "time", time(NULL));
	seal_set_string(record, "why", wish->why);
	free(tasks);
	dir = store_part_open(job, part, 0, e);
	rc = seal_publish(dir, name, record, 0, e);
	fs_close(dir);
	return rc;
}

static int
publish(const struct store_job *job, uint32_t attempt,
    const struct ranges *tasks, const void *why, struct error *e)
{
	const struct store_wish wish = {
	    *tasks, attempt, .why = (char *)(uintptr_t)why};

	return store_wish(job, &wish, e);
}

int
store_wish_all(const struct store_job *job, const struct ranges *tasks,
    uint32_t (*attempt)(const void *arg, uint64_t task), const void *arg,
    const char *why, struct error *e)
{
	return store_part_publish(job, tasks, attempt, arg, publish, why, e);
}

static int
read_wish(int ctl, const char *name, struct store_wish *out, struct error *e)
{
	json_t *record = seal_load(ctl, name, SEAL_SMALL, e);
	const char *tasks;
	int rc;

	if (record == NULL)
		return -1;
	memset(out, 0, sizeof *out);
	tasks = seal_string(record, "tasks");
	out->attempt = (uint32_t)seal_int(record, "attempt", 0);
	out->time = seal_int(record, "time", 0);
	if (fs_changed(ctl, name, &out->made, NULL) == -1)
		out->made = -1;
	rc = ranges_parse(&out->tasks, tasks ? tasks : "", e);
	if (rc == -1)
		errno = EBADMSG;
	else
		out->why = seal_copy(record, "why");
	json_decref(record);
	return rc;
}

int
store_wishes_list(
    const struct store_job *job, struct store_wishes *out, struct error *e)
{
	struct fs_names names;
	struct store_wish wish;
	struct error why;
	int ctl, rc = 0;
	size_t i;

	memset(out, 0, sizeof *out);
	ctl = store_part_list(job, part, &names, e);
	if (ctl == -1)
		return -1;
	for (i = 0; rc == 0 && i < names.count; i++) {
		if (strncmp(names.name[i], "stop.", 5) != 0)
			continue;
		if (read_wish(ctl, names.name[i], &wish, &why) == 0) {
			out->wish =
			    xgrow(out->wish, out->count, sizeof *out->wish);
			out->wish[out->count++] = wish;
		} else if (store_part_is_damage(errno))
			words_push(&out->damaged, why.text);
		else
			rc = error_set(e, "%s", why.text);
	}
	store_part_close(ctl, &names);
	if (rc == -1)
		store_wishes_free(out);
	return rc;
}

void
store_wishes_free(struct store_wishes *wishes)
{
	size_t i;

	for (i = 0; i < wishes->count; i++) {
		ranges_free(&wishes->wish[i].tasks);
		free(wishes->wish[i].why);
	}
	free(wishes->wish);
	words_free(&wishes->damaged);
	memset(wishes, 0, sizeof *wishes);
}

int
store_wishes_whole(
    const struct store_job *job, struct store_wishes *out, struct error *e)
{
	if (store_wishes_list(job, out, e) == -1)
		return -1;
	if (store_part_whole(&out->damaged, e) == 0)
		return 0;
	store_wishes_free(out);
	errno = EBADMSG;
	return -1;
}

const struct store_wish *
store_wish_for(const struct store_wishes *wishes,
    const struct store_wish *before, uint64_t task, uint32_t attempt)
{
	const struct store_wish *end = wishes->wish + wishes->count;
	const struct store_wish *w;

	for (w = before != NULL ? before + 1 : wishes->wish; w < end; w++)
		if (w->attempt == attempt && ranges_has(&w->tasks, task))
			return w;
	return NULL;
}

int
store_wished(const struct store_wishes *wishes, uint64_t task, uint32_t attempt)
{
	return store_wish_for(wishes, NULL, task, attempt) != NULL;
}
