#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "xalloc.h"

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

int
queue_has_token(const struct queue_record *r, const char *token)
{
	size_t length = strlen(token);

	if (is_adopted(r, token))
		return 1;
	return length > 0 && strncmp(r->comment, token, length) == 0 &&
	    (r->comment[length] == '\0' ||
		isspace((unsigned char)r->comment[length]));
}
