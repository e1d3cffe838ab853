#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "slurm/queue.h"

/* The beginning of a token that queue_adopt made; no comment contains it. */
static const char adopted[] = "adopted:";

char *
queue_adopt(uint32_t uid, uint32_t array, int64_t submit, const char *name)
{
	return xasprintf("%s%" PRIu32 ":%" PRIu32 ":%" PRId64 ":%s", adopted,
	    uid, array, submit, name);
}

/* The numbers in a token of queue_adopt. */
enum { UID, ARRAY, SUBMIT, NUMBERS };

/* Split a token of queue_adopt.  Returns the name, or NULL for others. */
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

/* The characters of a token.  In a comment, any other character ends it. */
static const char letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";

/*
 * Return whether the character before at continues a word.  A dot does not, as
 * in a file name.
 */
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

/* Return whether a word looks like a token: "stfm-6h0bn8s7j0yzr-c00000.0". */
static int
is_token(const char *word, size_t length)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	size_t id = strspn(word + 5, digits);

	return length > id + 7 && strncmp(word, "stfm-", 5) == 0 && id > 0 &&
	    word[5 + id] == '-' && strchr("cx", word[6 + id]) != NULL &&
	    isdigit((unsigned char)word[7 + id]);
}

/* Return the first token in text that begins with prefix, to free, or NULL. */
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
 * Return whether a record runs stfm's batch script: batch.sh, or a link named
 * after a token.
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
