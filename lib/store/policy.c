#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/policy.h"
#include "store/record.h"

#define NUMBER(field) \
	{ \
#field, offsetof(struct store_policy, field) \
	}
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
    NUMBER(requeue),
    NUMBER(signal_before),
    NUMBER(max_fail),
    NUMBER(canary),
    NUMBER(avoid),
    NUMBER(usage),
};
#undef NUMBER

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static int64_t *
number_at(const struct store_policy *policy, size_t i)
{
	return (int64_t *)((char *)(uintptr_t)policy + numbers[i].offset);
}

static void
free_retry(struct store_retry *retry)
{
	free(retry->factor);
	free(retry->option);
}

void
store_policy_free(struct store_policy *policy)
{
	free(policy->signal);
	free_retry(&policy->memory);
	free_retry(&policy->time);
	memset(policy, 0, sizeof *policy);
}

static void
set_retry(json_t *record, const char *key, const struct store_retry *retry)
{
	json_t *member;

	if (retry->factor == NULL)
		return;
	member = json_object();
	store_record_set_string(member, "factor", retry->factor);
	store_record_set_string(member, "option", retry->option);
	store_record_set_int(member, "base", retry->base);
	if (retry->bound != 0)
		store_record_set_int(member, "bound", retry->bound);
	store_record_set_int(member, "most", retry->most);
	store_record_set_int(member, "times", retry->times);
	json_object_set_new(record, key, member);
}

static void
take_retry(const json_t *record, const char *key, struct store_retry *retry)
{
	const json_t *member = json_object_get(record, key);

	retry->factor = store_record_copy(member, "factor");
	retry->option = store_record_copy(member, "option");
	retry->base = store_record_int(member, "base", 0);
	retry->bound = store_record_int(member, "bound", 0);
	retry->most = store_record_int(member, "most", 0);
	retry->times = store_record_int(member, "times", 0);
	if (retry->option == NULL || retry->base <= 0) {
		free(retry->factor);
		retry->factor = NULL;
	}
}

struct json_t *
store_policy_record(const struct store_policy *policy)
{
	json_t *record = json_object();
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		if (*number_at(policy, i) != 0)
			store_record_set_int(
			    record, numbers[i].key, *number_at(policy, i));
	store_record_set_string(record, "signal", policy->signal);
	set_retry(record, "retry_oom", &policy->memory);
	set_retry(record, "retry_time", &policy->time);
	if (json_object_size(record) > 0)
		return record;
	json_decref(record);
	return NULL;
}

void
store_policy_take(const struct json_t *record, struct store_policy *policy)
{
	size_t i;

	for (i = 0; i < NUMBERS; i++)
		*number_at(policy, i) =
		    store_record_int(record, numbers[i].key, 0);
	policy->signal = store_record_copy(record, "signal");
	take_retry(record, "retry_oom", &policy->memory);
	take_retry(record, "retry_time", &policy->time);
}

int
store_policy_signal(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} known[] = {
	    {"USR1", SIGUSR1},
	    {"USR2", SIGUSR2},
	    {"TERM", SIGTERM},
	    {"INT", SIGINT},
	    {"HUP", SIGHUP},
	    {"QUIT", SIGQUIT},
	};
	size_t i;

	if (strncmp(name, "SIG", 3) == 0)
		name += 3;
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].number;
	return 0;
}

const char *
store_policy_notice(const struct store_policy *policy)
{
	if (policy->signal == NULL || strcmp(policy->signal, "TERM") == 0)
		return "USR1";
	return policy->signal;
}
