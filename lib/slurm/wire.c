#include <string.h>

#include "base/xalloc.h"
#include "slurm/private.h"

enum { NO_TEXT = -1 };

void
queue_put_number(FILE *out, int64_t number)
{
	fwrite(&number, sizeof number, 1, out);
}

void
queue_put_text(FILE *out, const char *text)
{
	size_t length;

	if (text == NULL) {
		queue_put_number(out, NO_TEXT);
		return;
	}
	length = strlen(text);
	queue_put_number(out, (int64_t)length);
	fwrite(text, 1, length + 1, out);
}

static const char *
take(struct queue_input *in, size_t length)
{
	const char *here = in->at;

	if (in->broken || (size_t)(in->end - in->at) < length) {
		in->broken = 1;
		return NULL;
	}
	in->at += length;
	return here;
}

int64_t
queue_get_number(struct queue_input *in)
{
	int64_t number = 0;
	const char *bytes = take(in, sizeof number);

	if (bytes != NULL)
		memcpy(&number, bytes, sizeof number);
	return number;
}

const char *
queue_get_text(struct queue_input *in)
{
	int64_t length = queue_get_number(in);
	const char *text;

	if (in->broken || length == NO_TEXT)
		return NULL;
	if (length < 0 || length >= in->end - in->at) {
		in->broken = 1;
		return NULL;
	}
	text = take(in, (size_t)length + 1);
	if (text != NULL && text[length] != '\0')
		in->broken = 1;
	return in->broken ? NULL : text;
}

void
queue_put_record(FILE *out, const struct queue_record *r, uint32_t state)
{
	queue_put_number(out, r->array);
	queue_put_number(out, r->job);
	queue_put_text(out, r->indices);
	queue_put_number(out, state);
	queue_put_text(out, r->reason);
	queue_put_number(out, r->refused);
	queue_put_number(out, r->exit_status);
	queue_put_number(out, r->restarts);
	queue_put_number(out, r->throttle);
	queue_put_number(out, r->submit);
	queue_put_number(out, r->start);
	queue_put_number(out, r->end);
	queue_put_number(out, r->time_limit);
	queue_put_number(out, r->uid);
	queue_put_text(out, r->name);
	queue_put_text(out, r->comment);
	queue_put_text(out, r->command);
	queue_put_text(out, r->partition);
	queue_put_text(out, r->nodes);
	queue_put_text(out, r->dependency);
}

static const char *
get_word(struct queue_input *in)
{
	const char *text = queue_get_text(in);

	return text != NULL ? text : "";
}

static void
get_record(struct queue_input *in, struct queue_record *r)
{
	uint32_t state;

	r->array = (uint32_t)queue_get_number(in);
	r->job = (uint32_t)queue_get_number(in);
	r->indices = queue_get_text(in);
	state = (uint32_t)queue_get_number(in);
	r->reason = get_word(in);
	r->refused = queue_get_number(in) != 0;
	r->exit_status = (int)queue_get_number(in);
	r->restarts = (uint32_t)queue_get_number(in);
	r->throttle = queue_get_number(in);
	r->submit = queue_get_number(in);
	r->start = queue_get_number(in);
	r->end = queue_get_number(in);
	r->time_limit = (uint32_t)queue_get_number(in);
	r->uid = (uint32_t)queue_get_number(in);
	r->name = get_word(in);
	r->comment = get_word(in);
	r->command = get_word(in);
	r->partition = get_word(in);
	r->nodes = get_word(in);
	r->dependency = get_word(in);
	queue_set_state(r, state);
}

int
queue_check_whole(const struct queue_input *in, struct error *e)
{
	if (in->broken)
		return error_code(
		    e, ERROR_REFUSED, "Slurm's answer is incomplete");
	return 0;
}

int
queue_get_jobs(struct queue_input *in, struct queue_jobs *jobs, struct error *e)
{
	int64_t count = queue_get_number(in), i;

	if (count < 0 || count > in->end - in->at)
		in->broken = 1;
	if (!in->broken)
		jobs->record = xcalloc((size_t)count + 1, sizeof *jobs->record);
	for (i = 0; i < count && !in->broken; i++)
		get_record(in, &jobs->record[jobs->count++]);
	return queue_check_whole(in, e);
}

static void
put_partition(FILE *out, const struct queue_partition *p)
{
	queue_put_text(out, p->name);
	queue_put_number(out, p->is_default);
	queue_put_number(out, p->up);
	queue_put_number(out, p->minutes);
	queue_put_number(out, p->usual);
	queue_put_number(out, p->nodes);
	queue_put_text(out, p->state);
	queue_put_text(out, p->node_list);
	queue_put_number(out, p->least_nodes);
	queue_put_number(out, p->most_nodes);
	queue_put_number(out, p->most_cpus);
	queue_put_text(out, p->qos);
	queue_put_text(out, p->groups);
	queue_put_text(out, p->accounts);
	queue_put_text(out, p->allowed_qos);
	queue_put_text(out, p->not_accounts);
	queue_put_text(out, p->not_qos);
}

static void
put_node(FILE *out, const struct queue_node *n)
{
	queue_put_text(out, n->name);
	queue_put_text(out, n->state);
	queue_put_text(out, n->reason);
	queue_put_number(out, n->cpus);
	queue_put_number(out, n->cpus_used);
	queue_put_number(out, (int64_t)n->memory);
	queue_put_number(out, (int64_t)n->memory_used);
	queue_put_text(out, n->gres);
	queue_put_text(out, n->gres_used);
	queue_put_text(out, n->features);
}

void
queue_put_cluster(FILE *out, const struct queue_cluster *c)
{
	size_t i;

	queue_put_text(out, c->name);
	queue_put_text(out, c->version);
	queue_put_text(out, c->gres_types);
	queue_put_number(out, c->max_array);
	queue_put_number(out, c->max_jobs);
	queue_put_number(out, c->min_age);
	queue_put_number(out, c->message_timeout);
	queue_put_number(out, c->accounting);
	queue_put_number(out, (int64_t)c->partitions);
	for (i = 0; i < c->partitions; i++)
		put_partition(out, &c->partition[i]);
	queue_put_number(out, (int64_t)c->nodes);
	for (i = 0; i < c->nodes; i++)
		put_node(out, &c->node[i]);
}

char *
queue_get_copy(struct queue_input *in)
{
	return xstrdup(get_word(in));
}

static void
get_partition(struct queue_input *in, struct queue_partition *p)
{
	*p = (struct queue_partition){.name = queue_get_copy(in)};
	p->is_default = (int)queue_get_number(in);
	p->up = (int)queue_get_number(in);
	p->minutes = queue_get_number(in);
	p->usual = queue_get_number(in);
	p->nodes = (uint32_t)queue_get_number(in);
	p->state = queue_get_copy(in);
	p->node_list = queue_get_copy(in);
	p->least_nodes = queue_get_number(in);
	p->most_nodes = queue_get_number(in);
	p->most_cpus = queue_get_number(in);
	p->qos = queue_get_copy(in);
	p->groups = queue_get_copy(in);
	p->accounts = queue_get_copy(in);
	p->allowed_qos = queue_get_copy(in);
	p->not_accounts = queue_get_copy(in);
	p->not_qos = queue_get_copy(in);
}

static void
get_node(struct queue_input *in, struct queue_node *n)
{
	*n = (struct queue_node){.name = queue_get_copy(in)};
	n->state = queue_get_copy(in);
	n->reason = queue_get_copy(in);
	n->cpus = (uint32_t)queue_get_number(in);
	n->cpus_used = (uint32_t)queue_get_number(in);
	n->memory = (uint64_t)queue_get_number(in);
	n->memory_used = (uint64_t)queue_get_number(in);
	n->gres = queue_get_copy(in);
	n->gres_used = queue_get_copy(in);
	n->features = queue_get_copy(in);
}

static void
get_lists(struct queue_input *in, struct queue_cluster *c)
{
	int64_t count = queue_get_number(in), i;

	for (i = 0; i < count && !in->broken; i++) {
		c->partition =
		    xgrow(c->partition, c->partitions, sizeof *c->partition);
		get_partition(in, &c->partition[c->partitions++]);
	}
	count = queue_get_number(in);
	for (i = 0; i < count && !in->broken; i++) {
		c->node = xgrow(c->node, c->nodes, sizeof *c->node);
		get_node(in, &c->node[c->nodes++]);
	}
}

int
queue_get_cluster(
    struct queue_input *in, struct queue_cluster *c, struct error *e)
{
	c->name = queue_get_copy(in);
	c->version = queue_get_copy(in);
	c->gres_types = queue_get_copy(in);
	c->max_array = (uint32_t)queue_get_number(in);
	c->max_jobs = (uint32_t)queue_get_number(in);
	c->min_age = (uint32_t)queue_get_number(in);
	c->message_timeout = (uint32_t)queue_get_number(in);
	c->accounting = (int)queue_get_number(in);
	get_lists(in, c);
	return queue_check_whole(in, e);
}
