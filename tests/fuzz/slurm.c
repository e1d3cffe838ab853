/*
 * What comes from Slurm and goes to it: batch scripts (s), options (o), the
 * environment (e), times (t), GPUs (g), lines of slurm.conf (c), lists of nodes
 * (n), the environment of a step (d); answers of
 * libslurm as they come out of the guarded child (w), the output of sacct (a)
 * and squeue (q) and complaints (m).
 */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "dist/dist.h"
#include "fuzz.h"
#include "sandbox/cluster-shape.h"
#include "slurm/account.h"
#include "slurm/sbatch.h"
#include "slurm/text.h"

/* ---- sbatch ---- */

/* Written as --name=value an option is taken as the same one. */
static void
take_again(const struct sbatch_given *given)
{
	char *word = *given->value != '\0'
	    ? xasprintf("--%s=%s", given->name, given->value)
	    : xasprintf("--%s", given->name);
	char *words[] = {word, NULL};
	struct sbatch again = {0};

	if (sbatch_take(&again, words, NULL) == 1) {
		must(again.count == 1);
		must(strcmp(again.given[0].name, given->name) == 0);
		must(strcmp(again.given[0].value, given->value) == 0);
	}
	sbatch_free(&again);
	free(word);
}

static void
check_given(const struct sbatch *s)
{
	struct sbatch_gpus gpus[4];
	size_t i;

	for (i = 0; i < s->count; i++) {
		must(*s->given[i].name != '\0');
		must(sbatch_value(s, s->given[i].name) != NULL);
		take_again(&s->given[i]);
		sbatch_refusal(s->given[i].name);
		sbatch_gpus(s->given[i].name, s->given[i].value, gpus, 4, NULL);
	}
	sbatch_has_gpu(s);
	sbatch_has_tasks(s);
}

static void
options(struct fuzz *f)
{
	char **word = fuzz_lines(f, 8);
	struct sbatch s = {0};
	size_t at = 0, count = 0, before;
	int taken = 1;

	while (word[count] != NULL)
		count++;
	while (at < count && taken > 0) {
		before = s.count;
		taken = sbatch_take(&s, word + at, NULL);
		must(taken >= -1 && taken <= (int)(count - at));
		must(taken > 0 || s.count == before);
		at += (size_t)(taken > 0 ? taken : 0);
	}
	check_given(&s);
	sbatch_free(&s);
	fuzz_lines_free(word);
}

static void
environment(struct fuzz *f)
{
	char **entry = fuzz_lines(f, 8);
	struct sbatch s = {0};

	sbatch_environment(&s, entry);
	check_given(&s);
	sbatch_free(&s);
	fuzz_lines_free(entry);
}

static void
script(struct fuzz *f)
{
	struct sbatch_script s = {0};
	struct error e;
	size_t i, length;

	if (sbatch_script(f->at, f->left, &s, &e) == 0) {
		check_given(&s.options);
		for (i = 0; i < s.lines; i++) {
			length = strlen(s.line[i]);
			must(memmem(f->at, f->left, s.line[i], length) != NULL);
		}
		for (i = 0; i < s.warnings; i++)
			must(*s.warning[i].text != '\0');
	} else {
		must(e.text[0] != '\0');
	}
	sbatch_script_free(&s);
}

static void
times(struct fuzz *f)
{
	char *text = fuzz_text(f), minutes[32];
	int64_t one = -7, again;

	if (sbatch_time(text, &one, NULL) == 0) {
		must(one >= -1);
		snprintf(minutes, sizeof minutes, "%lld", (long long)one);
		if (one > 0) {
			must(sbatch_time(minutes, &again, NULL) == 0);
			must(one == again);
		}
	} else {
		must(one == -7);
	}
	free(text);
}

static void
gpus(struct fuzz *f)
{
	static const char *const option[] = {
	    "gres", "gpus", "gpus-per-node", "tres-per-task"};
	const char *name = option[fuzz_byte(f) % 4];
	struct sbatch_gpus out[3];
	char *text = fuzz_text(f);
	int rc = sbatch_gpus(name, text, out, 3, NULL), i;

	must(rc >= -1 && rc <= 3);
	for (i = 0; i < rc; i++)
		must(memchr(out[i].type, '\0', sizeof out[i].type) != NULL);
	free(text);
}

static void
conf(struct fuzz *f)
{
	char *text = fuzz_text(f);

	if (cluster_check_line(text, NULL) == 0)
		must(strpbrk(text, "\n\r") == NULL && strchr(text, '='));
	must(cluster_version(text) >= -1);
	free(text);
}

/* What is folded means the same names, and no more of them. */
static void
table(const struct strlist *names)
{
	struct strlist again = {0};
	char *list, *twice;

	if (names->count > 100)
		return;
	list = hostlist_fold(names);
	must(hostlist_expand(list, &again, NULL) == 0);
	must(again.count <= names->count);
	twice = hostlist_fold(&again);
	must(strcmp(list, twice) == 0);
	free(list);
	free(twice);
	strlist_free(&again);
}

/* What a list stands for are lists of themselves. */
static void
nodes(struct fuzz *f)
{
	char *text = fuzz_text(f);
	struct strlist names = {0}, again = {0};
	size_t *numbers, i;

	if (hostlist_expand(text, &names, NULL) == 0) {
		must(names.count > 0 && names.count <= HOSTS_MOST);
		table(&names);
		for (i = 0; i < names.count && i < 4; i++) {
			must(hostlist_expand(names.word[i], &again, NULL) == 0);
			must(again.count == 1);
			must(strcmp(again.word[0], names.word[i]) == 0);
			strlist_free(&again);
		}
	} else {
		must(names.count == 0);
	}
	if (hostlist_numbers(text, 3, &numbers, NULL) == 0)
		free(numbers);
	strlist_free(&names);
	free(text);
}

static const char *
variable(void *arg, const char *name)
{
	char **entry = arg;
	size_t n = strlen(name);

	for (; *entry != NULL; entry++)
		if (strncmp(*entry, name, n) == 0 && (*entry)[n] == '=')
			return *entry + n + 1;
	return NULL;
}

/* Each rank is on a node, as often as the node has tasks. */
static void
check_step(const struct dist_options *w, const struct dist_step *s, char **env)
{
	size_t *left = xcalloc(s->nodes.count, sizeof *left), i;
	struct strlist out = {0};

	must(s->tasks > 0 && s->rank < (int64_t)s->tasks);
	must(s->first_port > 0 && dist_port(s, s->tasks - 1) <= 65535);
	for (i = 0; i < s->tasks; i++) {
		must(s->node[i] < s->nodes.count);
		must(s->local[i] == left[s->node[i]]++);
	}
	for (i = 0; i < s->nodes.count; i++)
		must(left[i] == s->count[i]);
	dist_variables(w, s, variable, env, &out);
	for (i = 0; i < out.count; i++)
		must(strchr(out.word[i], '=') && !strchr(out.word[i], '\n'));
	strlist_free(&out);
	free(left);
}

static void
step(struct fuzz *f)
{
	char *text = fuzz_line(f), **env, *back;
	struct dist_options wish, again;
	struct dist_step s;

	if (text == NULL || dist_options_parse(text, &wish, NULL) == -1) {
		free(text);
		return;
	}
	free(text);
	back = dist_options_text(&wish);
	must(dist_options_parse(back, &again, NULL) == 0);
	must(wish.ps == again.ps && wish.port == again.port);
	free(back);
	env = fuzz_lines(f, 16);
	if (dist_step(&wish, variable, env, &s, NULL) == 0)
		check_step(&wish, &s, env);
	dist_step_free(&s);
	fuzz_lines_free(env);
}

/* ---- answers ---- */

static void
check_record(const struct queue *q, const struct queue_record *r)
{
	const struct queue_record *found;
	uint32_t array, *list;
	size_t count;

	must(r->state <= QUEUE_OTHER && r->state_name && r->reason);
	must(r->name && r->comment && r->partition && r->nodes);
	found = queue_find(q, r->array, 3);
	must(found == NULL || found->array == r->array);
	must(*r->comment == '\0' || strchr(r->comment, ' ') ||
	    queue_has_token(r, r->comment));
	if (*r->comment != '\0' && strchr(r->comment, ' ') == NULL &&
	    queue_find_token(q, r->comment, &array)) {
		list = queue_find_tokens(q, r->comment, &count);
		must(count > 0 && list[0] == array);
		free(list);
	}
}

static void
wire(struct fuzz *f)
{
	struct queue_input in = {f->at, f->at + f->left, 0};
	struct queue *q = queue_read(&in, NULL);
	size_t i;

	if (q == NULL)
		return;
	for (i = 0; i < queue_count(q); i++)
		check_record(q, queue_record(q, i));
	queue_free(q);
}

/* Texts and numbers come out of the wire as they went in. */
static void
wire_back(struct fuzz *f)
{
	char *text = fuzz_text(f), *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	struct queue_input in = {0};

	queue_put_text(out, text);
	queue_put_number(out, -5);
	queue_put_text(out, NULL);
	fclose(out);
	in.at = bytes;
	in.end = bytes + length;
	must(fuzz_same(queue_get_text(&in), text));
	must(queue_get_number(&in) == -5 && queue_get_text(&in) == NULL);
	must(!in.broken && in.at == in.end);
	must(queue_get_number(&in) == 0 && in.broken);
	free(bytes);
	free(text);
}

static void
account(struct fuzz *f)
{
	const struct queue_account_array list[] = {
	    {14, "other", 0}, {13, "train", 100000}, {15, "none", 0}};
	const struct queue_account_record *r;
	struct queue_account *a;
	char *text = fuzz_text(f);
	uint32_t i;

	a = queue_account_read(text, list, 2);
	must(queue_account_find(a, &list[2], 0) == NULL);
	for (i = 0; i < 12; i++) {
		r = queue_account_find(a, &list[1], i);
		if (r == NULL)
			continue;
		must(r->submit >= 100000 - 86400 && r->state_name != NULL);
		must(!r->shared || !r->alive);
	}
	queue_account_free(a);
	free(text);
}

/* The output of squeue, with a mark that it may hold too. */
static void
squeue(struct fuzz *f)
{
	char *text = fuzz_text(f);
	struct queue_fields fields = {"|", text};
	struct queue_jobs jobs = {0};
	size_t i;

	queue_text_jobs(&fields, &jobs, NULL);
	for (i = 0; i < jobs.count; i++) {
		must(jobs.record[i].state <= QUEUE_OTHER);
		must(jobs.record[i].name && jobs.record[i].reason);
	}
	queue_jobs_free(&jobs);
	free(text);
}

static void
complaint(struct fuzz *f)
{
	char *text = fuzz_text(f), *said = queue_complaint(text);

	must(strlen(said) <= 2 * strlen(text) + 1);
	queue_is_unreached(text);
	free(said);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static void (*const target[256])(struct fuzz *) = {['s'] = script,
	    ['o'] = options,
	    ['e'] = environment,
	    ['t'] = times,
	    ['g'] = gpus,
	    ['c'] = conf,
	    ['n'] = nodes,
	    ['d'] = step,
	    ['w'] = wire,
	    ['b'] = wire_back,
	    ['a'] = account,
	    ['q'] = squeue,
	    ['m'] = complaint};
	struct fuzz f = fuzz_input(bytes, length);
	unsigned char kind = fuzz_byte(&f);

	if (target[kind] != NULL)
		target[kind](&f);
	return 0;
}
