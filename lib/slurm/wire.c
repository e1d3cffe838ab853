#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/private.h"

enum { NO_TEXT = -1 };

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_record, member)
static const struct queue_member record_members[] = {OF(NUMBER, array),
    OF(NUMBER, job), OF(TEXT, indices), OF(WORD, reason), OF(NUMBER, refused),
    OF(NUMBER, exit_status), OF(NUMBER, restarts), OF(NUMBER, throttle),
    OF(NUMBER, submit), OF(NUMBER, start), OF(NUMBER, end),
    OF(NUMBER, time_limit), OF(NUMBER, uid), OF(WORD, name), OF(WORD, comment),
    OF(WORD, command), OF(WORD, partition), OF(WORD, nodes),
    OF(WORD, dependency)};
#undef OF

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_partition, member)
static const struct queue_member partition_members[] = {OF(COPY, name),
    OF(NUMBER, is_default), OF(NUMBER, up), OF(NUMBER, minutes),
    OF(NUMBER, usual), OF(NUMBER, nodes), OF(COPY, state), OF(COPY, node_list),
    OF(NUMBER, least_nodes), OF(NUMBER, most_nodes), OF(NUMBER, most_cpus),
    OF(COPY, qos), OF(COPY, groups), OF(COPY, accounts), OF(COPY, allowed_qos),
    OF(COPY, not_accounts), OF(COPY, not_qos)};
#undef OF

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_node, member)
static const struct queue_member node_members[] = {OF(COPY, name),
    OF(COPY, state), OF(COPY, reason), OF(NUMBER, cpus), OF(NUMBER, cpus_used),
    OF(NUMBER, memory), OF(NUMBER, memory_used), OF(COPY, gres),
    OF(COPY, gres_used), OF(COPY, features)};
#undef OF

#define OF(kind, member) \
	QUEUE_MEMBER(QUEUE_MEMBER_##kind, struct queue_cluster, member)
static const struct queue_member cluster_members[] = {OF(COPY, name),
    OF(COPY, version), OF(COPY, gres_types), OF(NUMBER, max_array),
    OF(NUMBER, max_jobs), OF(NUMBER, min_age), OF(NUMBER, message_timeout),
    OF(NUMBER, accounting), OF(NUMBER, hides_partitions),
    OF(NUMBER, hides_nodes)};
#undef OF

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
queue_put_members(
    FILE *out, const struct queue_member *members, size_t count, const void *of)
{
	const struct queue_member *m;
	const char *at;
	int32_t small;
	int64_t number;

	for (m = members; m < members + count; m++) {
		at = (const char *)of + m->offset;
		if (m->kind != QUEUE_MEMBER_NUMBER) {
			queue_put_text(
			    out, *(const char *const *)(const void *)at);
			continue;
		}
		memcpy(&small, at, sizeof small);
		number = small;
		if (m->size == sizeof number)
			memcpy(&number, at, sizeof number);
		queue_put_number(out, number);
	}
}

void
queue_get_members(struct queue_input *in, const struct queue_member *members,
    size_t count, void *of)
{
	const struct queue_member *m;
	const char *text;
	int64_t number;
	int32_t small;
	char *at;

	for (m = members; m < members + count; m++) {
		at = (char *)of + m->offset;
		if (m->kind == QUEUE_MEMBER_NUMBER) {
			number = queue_get_number(in);
			small = (int32_t)number;
			if (m->size == sizeof small)
				memcpy(at, &small, sizeof small);
			else
				memcpy(at, &number, sizeof number);
			continue;
		}
		text = queue_get_text(in);
		if (text == NULL && m->kind != QUEUE_MEMBER_TEXT)
			text = "";
		if (m->kind == QUEUE_MEMBER_COPY)
			text = xstrdup(text);
		memcpy(at, &text, sizeof text);
	}
}

void
queue_free_members(
    const struct queue_member *members, size_t count, const void *of)
{
	const struct queue_member *m;

	for (m = members; m < members + count; m++)
		if (m->kind == QUEUE_MEMBER_COPY)
			free(*(char *const *)(const void *)((const char *)of +
			    m->offset));
}

void
queue_put_record(FILE *out, const struct queue_record *r, uint32_t state)
{
	queue_put_number(out, state);
	queue_put_members(out, record_members, COUNT(record_members), r);
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
	struct queue_record *r;
	uint32_t state;

	if (count < 0 || count > in->end - in->at)
		in->broken = 1;
	if (!in->broken)
		jobs->record = xcalloc((size_t)count + 1, sizeof *jobs->record);
	for (i = 0; i < count && !in->broken; i++) {
		r = &jobs->record[jobs->count++];
		state = (uint32_t)queue_get_number(in);
		queue_get_members(in, record_members, COUNT(record_members), r);
		queue_set_state(r, state);
	}
	return queue_check_whole(in, e);
}

void
queue_put_cluster(FILE *out, const struct queue_cluster *c)
{
	size_t i;

	queue_put_members(out, cluster_members, COUNT(cluster_members), c);
	queue_put_number(out, (int64_t)c->partitions);
	for (i = 0; i < c->partitions; i++)
		queue_put_members(out, partition_members,
		    COUNT(partition_members), &c->partition[i]);
	queue_put_number(out, (int64_t)c->nodes);
	for (i = 0; i < c->nodes; i++)
		queue_put_members(
		    out, node_members, COUNT(node_members), &c->node[i]);
}

int
queue_get_cluster(
    struct queue_input *in, struct queue_cluster *c, struct error *e)
{
	int64_t count;

	queue_get_members(in, cluster_members, COUNT(cluster_members), c);
	for (count = queue_get_number(in); count > 0 && !in->broken; count--) {
		c->partition =
		    xgrow(c->partition, c->partitions, sizeof *c->partition);
		c->partition[c->partitions] = (struct queue_partition){NULL};
		queue_get_members(in, partition_members,
		    COUNT(partition_members), &c->partition[c->partitions++]);
	}
	for (count = queue_get_number(in); count > 0 && !in->broken; count--) {
		c->node = xgrow(c->node, c->nodes, sizeof *c->node);
		c->node[c->nodes] = (struct queue_node){NULL};
		queue_get_members(in, node_members, COUNT(node_members),
		    &c->node[c->nodes++]);
	}
	return queue_check_whole(in, e);
}

void
queue_cluster_free(struct queue_cluster *c)
{
	size_t i;

	if (c == NULL)
		return;
	for (i = 0; i < c->partitions; i++) {
		queue_free_members(partition_members, COUNT(partition_members),
		    &c->partition[i]);
		free(c->partition[i].gpu_types);
	}
	for (i = 0; i < c->nodes; i++) {
		queue_free_members(
		    node_members, COUNT(node_members), &c->node[i]);
		free(c->node[i].partitions);
	}
	queue_free_members(cluster_members, COUNT(cluster_members), c);
	free(c->partition);
	free(c->node);
	free(c);
}
