#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "slurm/sbatch.h"

/* MAYBE: an optional value, joined to the option: --nice=10 or -koff. */
enum takes { FLAG, VALUE, MAYBE };

struct option {
	const char *name;
	char letter; /* the letter, or 0 */
	enum takes takes;
	const char *meaning; /* the canonical name, if name is an alias */
};

/*
 * All options of sbatch in any release from 20.11 to 26.05.  If only some
 * releases take a value, it is optional here.
 */
static const struct option table[] = {
    {"account", 'A', VALUE},
    {"acctg-freq", 0, VALUE},
    {"array", 'a', VALUE},
    {"autocomplete", 0, VALUE},
    {"batch", 0, VALUE},
    {"bb", 0, VALUE},
    {"bbf", 0, VALUE},
    {"begin", 'b', VALUE},
    {"chdir", 'D', VALUE},
    {"cluster", 0, VALUE, "clusters"},
    {"cluster-constraint", 0, VALUE},
    {"clusters", 'M', VALUE},
    {"comment", 0, VALUE},
    {"consolidate-segments", 0, FLAG},
    {"constraint", 'C', VALUE},
    {"container", 0, VALUE},
    {"container-id", 0, VALUE},
    {"container-type", 0, VALUE},
    {"context", 0, VALUE},
    {"contiguous", 0, FLAG},
    {"core-spec", 'S', VALUE},
    {"cores-per-socket", 0, VALUE},
    {"cpu-freq", 0, VALUE},
    {"cpus-per-gpu", 0, VALUE},
    {"cpus-per-task", 'c', VALUE},
    {"deadline", 0, VALUE},
    {"delay-boot", 0, VALUE},
    {"dependency", 'd', VALUE},
    {"distribution", 'm', VALUE},
    {"error", 'e', VALUE},
    {"exclude", 'x', VALUE},
    {"exclusive", 0, MAYBE},
    {"export", 0, VALUE},
    {"export-file", 0, VALUE},
    {"external", 0, FLAG},
    {"extra", 0, VALUE},
    {"extra-node-info", 'B', VALUE},
    {"get-user-env", 0, MAYBE},
    {"gid", 0, VALUE},
    {"gpu-bind", 0, VALUE},
    {"gpu-freq", 0, VALUE},
    {"gpus", 'G', VALUE},
    {"gpus-per-node", 0, VALUE},
    {"gpus-per-socket", 0, VALUE},
    {"gpus-per-task", 0, VALUE},
    {"gres", 0, VALUE},
    {"gres-flags", 0, VALUE},
    {"help", 'h', FLAG},
    {"hint", 0, VALUE},
    {"hold", 'H', FLAG},
    {"ignore-pbs", 0, FLAG},
    {"input", 'i', VALUE},
    {"job-name", 'J', VALUE},
    {"kill-on-invalid-dep", 0, VALUE},
    {"licenses", 'L', VALUE},
    {"mail-type", 0, VALUE},
    {"mail-user", 0, VALUE},
    {"mcs-label", 0, VALUE},
    {"mem", 0, VALUE},
    {"mem-bind", 0, VALUE},
    {"mem-per-cpu", 0, VALUE},
    {"mem-per-gpu", 0, VALUE},
    {"mem-update", 0, VALUE},
    {"mincpus", 0, VALUE},
    {"network", 0, VALUE},
    {"nice", 0, MAYBE},
    {"no-kill", 'k', MAYBE},
    {"no-requeue", 0, FLAG},
    {"nodefile", 'F', VALUE},
    {"nodelist", 'w', VALUE},
    {"nodes", 'N', VALUE},
    {"ntasks", 'n', VALUE},
    {"ntasks-per-core", 0, VALUE},
    {"ntasks-per-gpu", 0, VALUE},
    {"ntasks-per-node", 0, VALUE},
    {"ntasks-per-socket", 0, VALUE},
    {"ntasks-per-tres", 0, VALUE},
    {"oom-kill-step", 0, MAYBE},
    {"open-mode", 0, VALUE},
    {"output", 'o', VALUE},
    {"overcommit", 'O', FLAG},
    {"oversubscribe", 's', FLAG},
    {"parsable", 0, FLAG},
    {"partition", 'p', VALUE},
    {"power", 0, VALUE},
    {"prefer", 0, VALUE},
    {"priority", 0, VALUE},
    {"profile", 0, VALUE},
    {"propagate", 0, MAYBE},
    {"qos", 'q', VALUE},
    {"quiet", 'Q', FLAG},
    {"reboot", 0, FLAG},
    {"requeue", 0, MAYBE},
    {"reservation", 0, VALUE},
    {"resources", 0, VALUE},
    {"resv-ports", 0, MAYBE},
    {"runtime", 0, VALUE},
    {"segment", 0, VALUE},
    {"signal", 0, VALUE},
    {"sockets-per-node", 0, VALUE},
    {"spread-job", 0, FLAG},
    {"spread-segments", 0, FLAG},
    {"stepmgr", 0, FLAG},
    {"switches", 0, VALUE},
    {"tasks-per-node", 0, VALUE, "ntasks-per-node"},
    {"test-only", 0, FLAG},
    {"thread-spec", 0, VALUE},
    {"threads-per-core", 0, VALUE},
    {"time", 't', VALUE},
    {"time-min", 0, VALUE},
    {"tmp", 0, VALUE},
    {"tres-bind", 0, VALUE},
    {"tres-per-task", 0, VALUE},
    {"uid", 0, VALUE},
    {"usage", 0, FLAG},
    {"use-min-nodes", 0, FLAG},
    {"verbose", 'v', FLAG},
    {"version", 'V', FLAG},
    {"wait", 'W', FLAG},
    {"wait-all-nodes", 0, VALUE},
    {"wckey", 0, VALUE},
    {"wrap", 0, VALUE},
};

enum { OPTIONS = sizeof table / sizeof *table };

static const char *
meaning(const struct option *o)
{
	return o->meaning != NULL ? o->meaning : o->name;
}

static const struct option *
by_letter(char letter)
{
	size_t i;

	for (i = 0; letter != '\0' && i < OPTIONS; i++)
		if (table[i].letter == letter)
			return &table[i];
	return NULL;
}

static const struct option *
by_name(const char *name)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

void
sbatch_free(struct sbatch *s)
{
	size_t i;

	for (i = 0; i < s->count; i++) {
		free(s->given[i].name);
		free(s->given[i].value);
	}
	free(s->given);
	memset(s, 0, sizeof *s);
}

void
sbatch_add(struct sbatch *s, const char *name, const char *value)
{
	s->given = xgrow(s->given, s->count, sizeof *s->given);
	s->given[s->count++] = (struct sbatch_given){
	    xstrdup(name), xstrdup(value != NULL ? value : ""), 0};
}

char *
sbatch_word(const char *name, const char *value)
{
	const struct option *o = by_name(name);
	int takes_value = o != NULL && o->takes == VALUE;

	return xasprintf(
	    "--%s%s%s", name, takes_value || *value != '\0' ? "=" : "", value);
}

/*
 * An option that the table does not know may belong to a plugin, to which an
 * empty value may mean something.
 */
int
sbatch_check_empty(const char *name, struct error *e)
{
	static const char *const can_be_empty[] = {
	    "comment", "dependency", "export", "extra"};
	size_t i;

	for (i = 0; i < sizeof can_be_empty / sizeof *can_be_empty; i++)
		if (strcmp(can_be_empty[i], name) == 0)
			return 0;
	if (by_name(name) == NULL)
		return 0;
	return error_set(e,
	    "--%s: its value is empty: give one, or leave the option out",
	    name);
}

const char *
sbatch_long(size_t i)
{
	const struct option *o;

	for (o = table; o < table + OPTIONS; o++)
		if (o->meaning == NULL && i-- == 0)
			return o->name;
	return NULL;
}

const char *
sbatch_name(const char *letter_or_name)
{
	const struct option *o;

	if (letter_or_name[0] != '\0' && letter_or_name[1] == '\0')
		o = by_letter(letter_or_name[0]);
	else
		o = by_name(letter_or_name);
	return o != NULL ? meaning(o) : NULL;
}

const char *
sbatch_nearest(const char *name)
{
	const char *names[OPTIONS];
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		names[i] = table[i].name;
	return text_nearest(name, names, OPTIONS);
}

int
sbatch_is_like(const char *name, const char *other)
{
	static const char *const groups[][6] = {
	    {"mem", "mem-per-cpu", "mem-per-gpu"},
	    {"gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task",
		"gres"},
	    {"requeue", "no-requeue"},
	};
	size_t i, k;
	int found;

	for (i = 0; i < sizeof groups / sizeof *groups; i++) {
		for (found = 0, k = 0; groups[i][k] != NULL; k++)
			found += strcmp(groups[i][k], name) == 0 ||
			    strcmp(groups[i][k], other) == 0;
		if (found == 2)
			return 1;
	}
	return strcmp(name, other) == 0;
}

const char *
sbatch_value(const struct sbatch *s, const char *name)
{
	size_t i;

	for (i = s->count; i > 0; i--)
		if (strcmp(s->given[i - 1].name, name) == 0)
			return s->given[i - 1].value;
	return NULL;
}

/*
 * Set e to the options that an abbreviation may stand for: "--gpus,
 * --gpu-bind".  Returns -1.
 */
static int
refuse_ambiguous(const char *name, struct error *e)
{
	char text[256] = "";
	size_t i, length = strlen(name), used = 0;

	for (i = 0; i < OPTIONS; i++)
		if (strncmp(table[i].name, name, length) == 0 &&
		    used < sizeof text)
			used +=
			    (size_t)snprintf(text + used, sizeof text - used,
				"%s--%s", used > 0 ? ", " : "", table[i].name);
	return error_set(e, "--%s: which of %s?", name, text);
}

/*
 * Find a long option by its name or an abbreviation of it.  Returns 0, with
 * *out NULL for an unknown option, or -1 if the abbreviation is ambiguous.
 */
static int
find(const char *name, const struct option **out, struct error *e)
{
	size_t i, length = strlen(name);
	const struct option *o, *found = by_name(name);

	*out = found;
	if (found != NULL || length == 0)
		return 0;
	for (i = 0; i < OPTIONS; i++) {
		o = &table[i];
		if (strncmp(o->name, name, length) != 0)
			continue;
		if (found != NULL && strcmp(meaning(found), meaning(o)) != 0)
			return refuse_ambiguous(name, e);
		found = o;
	}
	*out = found;
	return 0;
}

static int
take_known(struct sbatch *s, const struct option *o, const char *value,
    const char *next, struct error *e)
{
	if (o->takes == FLAG && value != NULL)
		return error_set(e, "--%s takes no value", o->name);
	if (o->takes != VALUE || value != NULL) {
		sbatch_add(s, meaning(o), value);
		return 1;
	}
	if (next == NULL)
		return error_set(e, "--%s: its value is missing", o->name);
	sbatch_add(s, meaning(o), next);
	return 2;
}

static int
take_long(struct sbatch *s, const char *word, const char *next, struct error *e)
{
	size_t length = strcspn(word, "=");
	const char *value = word[length] == '=' ? word + length + 1 : NULL;
	char *name = xstrndup(word, length);
	const struct option *o;
	int rc;

	rc = find(name, &o, e);
	if (rc == 0 && o != NULL) {
		rc = take_known(s, o, value, next, e);
	} else if (rc == 0) {
		sbatch_add(s, name, value);
		rc = 1;
	}
	free(name);
	return rc;
}

/* Take option letters; the value of the last may follow in the same word. */
static int
take_letters(
    struct sbatch *s, const char *letters, const char *next, struct error *e)
{
	const char *at;
	const struct option *o;

	for (at = letters; *at != '\0'; at++) {
		o = by_letter(*at);
		if (o == NULL && at == letters)
			return 0;
		if (o == NULL)
			return error_set(
			    e, "-%s: sbatch has no option -%c", letters, *at);
		if (o->takes == FLAG) {
			sbatch_add(s, meaning(o), NULL);
			continue;
		}
		return take_known(s, o, at[1] != '\0' ? at + 1 : NULL, next, e);
	}
	return 1;
}

int
sbatch_take(struct sbatch *s, char *const words[], struct error *e)
{
	const char *word = words[0], *next;
	size_t before = s->count;
	int rc;

	if (word == NULL || word[0] != '-' || word[1] == '\0')
		return 0;
	next = words[1];
	if (word[1] != '-')
		rc = take_letters(s, word + 1, next, e);
	else if (word[2] == '\0' || word[2] == '=')
		rc = 0;
	else
		rc = take_long(s, word + 2, next, e);
	while (rc == -1 && s->count > before) {
		s->count--;
		free(s->given[s->count].name);
		free(s->given[s->count].value);
	}
	return rc;
}

const char *
sbatch_refusal(const char *name)
{
	static const struct {
		const char *name, *reason;
	} refused[] = {
	    {"array",
		"the tasks are those of the space; --parallel limits "
		"how many run at once"},
	    {"autocomplete", "it says nothing of the job"},
	    {"clusters", "only the cluster of this machine can be used"},
	    {"external", "such a job runs nothing"},
	    {"help", "it says nothing of the job"},
	    {"input", "a task reads no input; name files in the command"},
	    {"parsable", "it says nothing of the job"},
	    {"quiet", "it says nothing of the job"},
	    {"test-only", "use --dry-run"},
	    {"usage", "it says nothing of the job"},
	    {"version", "it says nothing of the job"},
	    {"wait", "submitting returns at once; stfm-watch waits"},
	    {"wrap", "write the command behind --"},
	};
	size_t i;

	for (i = 0; i < sizeof refused / sizeof *refused; i++)
		if (strcmp(refused[i].name, name) == 0)
			return refused[i].reason;
	return NULL;
}

/* Return whether one of the resources in a list is a GPU. */
static int
names_gpu(const char *list)
{
	static const char *const forms[] = {"gpu", "gres/gpu", "gres:gpu"};
	size_t i, length;

	while (*list != '\0') {
		for (i = 0; i < sizeof forms / sizeof *forms; i++) {
			length = strlen(forms[i]);
			if (strncmp(list, forms[i], length) == 0 &&
			    strchr(":=,", list[length]) != NULL)
				return 1;
		}
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return 0;
}

int
sbatch_has_gpu(const struct sbatch *s)
{
	static const char *const counts[] = {
	    "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task"};
	static const char *const lists[] = {"gres", "tres-per-task"};
	const char *value;
	size_t i;

	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		if (sbatch_value(s, counts[i]) != NULL)
			return 1;
	for (i = 0; i < sizeof lists / sizeof *lists; i++) {
		value = sbatch_value(s, lists[i]);
		if (value != NULL &&
		    (names_gpu(value) || ascii_casecmp(value, "none") == 0))
			return 1;
	}
	return 0;
}

int
sbatch_has_tasks(const struct sbatch *s)
{
	static const char *const names[] = {"nodes", "ntasks",
	    "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node",
	    "ntasks-per-socket", "ntasks-per-tres"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (sbatch_value(s, names[i]) != NULL)
			return 1;
	return 0;
}

/* The environment variables of sbatch, without "SBATCH_". */
static const struct {
	const char *variable, *name;
} variables[] = {
    {"ACCOUNT", "account"},
    {"ACCTG_FREQ", "acctg-freq"},
    {"ARRAY_INX", "array"},
    {"BATCH", "batch"},
    {"BURST_BUFFER", "bb"},
    {"CLUSTERS", "clusters"},
    {"CLUSTER_CONSTRAINT", "cluster-constraint"},
    {"CONSOLIDATE_SEGMENTS", "consolidate-segments"},
    {"CONSTRAINT", "constraint"},
    {"CONTAINER", "container"},
    {"CONTAINER_ID", "container-id"},
    {"CORE_SPEC", "core-spec"},
    {"CPUS_PER_GPU", "cpus-per-gpu"},
    {"CPU_FREQ_REQ", "cpu-freq"},
    {"DEBUG", "verbose"},
    {"DELAY_BOOT", "delay-boot"},
    {"DISTRIBUTION", "distribution"},
    {"ERROR", "error"},
    {"EXCLUSIVE", "exclusive"},
    {"EXPORT", "export"},
    {"GET_USER_ENV", "get-user-env"},
    {"GPUS", "gpus"},
    {"GPUS_PER_NODE", "gpus-per-node"},
    {"GPUS_PER_SOCKET", "gpus-per-socket"},
    {"GPUS_PER_TASK", "gpus-per-task"},
    {"GPU_BIND", "gpu-bind"},
    {"GPU_FREQ", "gpu-freq"},
    {"GRES", "gres"},
    {"GRES_FLAGS", "gres-flags"},
    {"HINT", "hint"},
    {"IGNORE_PBS", "ignore-pbs"},
    {"INPUT", "input"},
    {"JOB_NAME", "job-name"},
    {"MEM_BIND", "mem-bind"},
    {"MEM_PER_CPU", "mem-per-cpu"},
    {"MEM_PER_GPU", "mem-per-gpu"},
    {"MEM_PER_NODE", "mem"},
    {"NETWORK", "network"},
    {"NO_KILL", "no-kill"},
    {"NO_REQUEUE", "no-requeue"},
    {"OPEN_MODE", "open-mode"},
    {"OUTPUT", "output"},
    {"OVERCOMMIT", "overcommit"},
    {"PARTITION", "partition"},
    {"POWER", "power"},
    {"PROFILE", "profile"},
    {"QOS", "qos"},
    {"REQUEUE", "requeue"},
    {"REQ_SWITCH", "switches"},
    {"RESERVATION", "reservation"},
    {"RUNTIME", "runtime"},
    {"SEGMENT_SIZE", "segment"},
    {"SIGNAL", "signal"},
    {"SPREAD_JOB", "spread-job"},
    {"SPREAD_SEGMENTS", "spread-segments"},
    {"THREADS_PER_CORE", "threads-per-core"},
    {"THREAD_SPEC", "thread-spec"},
    {"TIMELIMIT", "time"},
    {"TRES_BIND", "tres-bind"},
    {"TRES_PER_TASK", "tres-per-task"},
    {"USE_MIN_NODES", "use-min-nodes"},
    {"WAIT", "wait"},
    {"WAIT_ALL_NODES", "wait-all-nodes"},
    {"WCKEY", "wckey"},
};

static const char *
by_variable(const char *variable, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof variables / sizeof *variables; i++)
		if (strncmp(variables[i].variable, variable, length) == 0 &&
		    variables[i].variable[length] == '\0')
			return variables[i].name;
	return NULL;
}

void
sbatch_environment(struct sbatch *s, char *const env[])
{
	const char *variable, *name;
	size_t i, length;

	for (i = 0; env[i] != NULL; i++) {
		if (strncmp(env[i], "SBATCH_", 7) != 0)
			continue;
		variable = env[i] + 7;
		length = strcspn(variable, "=");
		name = by_variable(variable, length);
		if (variable[length] == '=' && name != NULL)
			sbatch_add(s, name, variable + length + 1);
	}
}
