#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/fields.h"
#include "store/policy.h"

#define NUMBER(type, member) STORE_FIELD(STORE_NUMBER, struct type, member, 0)
#define TEXT(type, member) STORE_FIELD(STORE_TEXT, struct type, member, 0)
static const struct store_field fields[] = {
    NUMBER(store_policy, requeue),
    NUMBER(store_policy, signal_before),
    NUMBER(store_policy, max_fail),
    NUMBER(store_policy, canary),
    NUMBER(store_policy, avoid),
    NUMBER(store_policy, usage),
    TEXT(store_policy, signal),
    {0},
};
static const struct store_field retry_fields[] = {
    TEXT(store_retry, factor),
    TEXT(store_retry, option),
    NUMBER(store_retry, base),
    NUMBER(store_retry, bound),
    NUMBER(store_retry, most),
    NUMBER(store_retry, times),
    {0},
};
#undef NUMBER
#undef TEXT

void
store_policy_free(struct store_policy *policy)
{
	store_fields_free(fields, policy);
	store_fields_free(retry_fields, &policy->memory);
	store_fields_free(retry_fields, &policy->time);
	memset(policy, 0, sizeof *policy);
}

static void
set_retry(json_t *record, const char *key, const struct store_retry *retry)
{
	if (retry->factor != NULL)
		json_object_set_new(record, key,
		    store_fields_write(retry_fields, retry, json_object()));
}

static void
take_retry(const json_t *record, const char *key, struct store_retry *retry)
{
	const json_t *member = json_object_get(record, key);

	store_fields_take(retry_fields, member, retry, NULL);
	if (retry->option == NULL || retry->base <= 0) {
		free(retry->factor);
		retry->factor = NULL;
	}
}

struct json_t *
store_policy_record(const struct store_policy *policy)
{
	json_t *record = store_fields_write(fields, policy, json_object());

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
	store_fields_take(fields, record, policy, NULL);
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

/* ---- the search ---- */

static const struct store_field search_fields[] = {
    STORE_FIELD(STORE_TEXT, struct store_search, pruner, 0),
    STORE_FIELD(STORE_NUMBER, struct store_search, epochs, 0),
    STORE_FIELD(STORE_NUMBER, struct store_search, version, 0),
    STORE_FIELD(STORE_TEXT, struct store_search, sampler, 0),
    STORE_FIELD(STORE_TEXT, struct store_search, guess, 0),
    STORE_FIELD(STORE_LIST, struct store_search, results, 0),
    STORE_FIELD(STORE_TEXT, struct store_search, until, 0),
    STORE_FIELD(STORE_TEXT, struct store_search, gpu_hours, 0),
    {0},
};

void
store_search_free(struct store_search *search)
{
	store_fields_free(search_fields, search);
	memset(search, 0, sizeof *search);
}

struct json_t *
store_search_record(const struct store_search *search)
{
	if (!store_search_is_given(search))
		return NULL;
	return store_fields_write(search_fields, search, json_object());
}

void
store_search_take(const struct json_t *record, struct store_search *search)
{
	store_fields_take(search_fields, record, search, NULL);
	/* Settings of no search would be lost when the record is written. */
	if (!store_search_is_given(search))
		store_search_free(search);
}
