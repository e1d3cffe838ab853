#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/queue.h"

/* What a token begins with that is in no comment. */
static const char adopted[] = "adopted:";

char *
queue_adopt(uint32_t uid, uint32_t array, int64_t submit, const char *name)
{
	return xasprintf("%s%" PRIu32 ":%" PRIu32 ":%" PRId64 ":%s", adopted,
	    uid, array, submit, name);
}

/* The numbers of such a token: whose, which and when. */
enum { UID, ARRAY, SUBMIT, NUMBERS };

/* The parts of such a token: the name, or NULL for another one. */
static const char *
take_apart(const char *token, int64_t number[NUMBERS])
{
	const char *at = token + sizeof adopted - 1;
	char *end;
	int i;

	memset(number, 0, NUMBERS * sizeof *number);
	if (strncmp(token, adopted, sizeof adopted - 1) != 0)
		return NULL;
	for (i = 0; i < NUMBERS; i++, at = end + 1) {
		number[i] = strtoll(at, &end, 10);
		if (*end != ':')
			return NULL;
	}
	return at;
}

const char *
queue_adopted_name(const char *token, int64_t *submit)
{
	int64_t number[NUMBERS];
	const char *name = take_apart(token, number);

	*submit = number[SUBMIT];
	return name;
}

static int
is_adopted(const struct queue_record *r, const char *token)
{
	int64_t number[NUMBERS];
	const char *name = take_apart(token, number);

	if (name == NULL || r->uid != number[UID] || r->array != number[ARRAY])
		return 0;
	return r->submit == number[SUBMIT] ||
	    (r->restarts > 0 && r->submit > number[SUBMIT] &&
		strcmp(r->name, name) == 0);
}

/* The characters of a token.  In a comment anything else ends it. */
static const char letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

/* A dot may stand before it, as in the name of a file. */
static int
is_inside(const char *text, const char *at)
{
	return at > text && at[-1] != '.' && strchr(letters, at[-1]) != NULL;
}

int
queue_token_is_in(const char *text, const char *token)
{
	size_t length = strlen(token);
	const char *at;

	for (at = strstr(text, token); length > 0 && at != NULL;
	     at = strstr(at + 1, token))
		if (!is_inside(text, at) &&
		    (at[length] == '\0' || strchr(letters, at[length]) == NULL))
			return 1;
	return 0;
}

int
queue_has_token(const struct queue_record *r, const char *token)
{
	return is_adopted(r, token) || queue_token_is_in(r->comment, token) ||
	    queue_token_is_in(r->command, token);
}

/* Whether a word is as stfm's tokens are: "stfm-6h0bn8s7j0yzr-c00000.0". */
static int
is_token(const char *word, size_t length)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	size_t id = strspn(word + 5, digits);

	return length > id + 7 && strncmp(word, "stfm-", 5) == 0 && id > 0 &&
	    word[5 + id] == '-' && strchr("cx", word[6 + id]) != NULL &&
	    isdigit((unsigned char)word[7 + id]);
}

/* The first token in a text that begins with the prefix, or NULL. */
static char *
find_token(const char *text, const char *prefix)
{
	const char *at;
	size_t length;

	for (at = strstr(text, prefix); at != NULL;
	     at = strstr(at + 1, prefix)) {
		length = strspn(at, letters);
		if (!is_inside(text, at) && is_token(at, length))
			return xstrndup(at, length);
	}
	return NULL;
}

/*
 * Whether a record runs a batch script of stfm's: batch.sh, or a link to it by
 * the name of a token.
 */
static int
runs_ours(const struct queue_record *r)
{
	size_t length = strcspn(r->command, " ");
	const char *end = r->command + length, *name = end;

	while (name > r->command && name[-1] != '/')
		name--;
	return end - name == 8 && strncmp(name, "batch.sh", 8) == 0;
}

static char *
script_of(const struct queue_record *r)
{
	return xstrndup(r->command, strcspn(r->command, " "));
}

char *
queue_token_of(const struct queue_record *r, const char *prefix)
{
	char *script = script_of(r), *token = find_token(script, prefix);

	free(script);
	if (token == NULL && runs_ours(r))
		token = find_token(r->comment, prefix);
	return token;
}

int
queue_is_queued_for(const struct queue_record *r, const char *token)
{
	char *script = script_of(r);
	int named = queue_token_is_in(script, token);

	free(script);
	return named || is_adopted(r, token) ||
	    (runs_ours(r) && queue_token_is_in(r->comment, token));
}
