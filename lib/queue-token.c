#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "queue.h"
#include "xalloc.h"

/* What a token begins with that is in no comment. */
static const char adopted[] = "adopted:";

char *
queue_adopt(uint32_t uid, int64_t submit, const char *name)
{
	return xasprintf(
	    "%s%" PRIu32 ":%" PRId64 ":%s", adopted, uid, submit, name);
}

/* The parts of such a token: the name, or NULL for another one. */
static const char *
take_apart(const char *token, int64_t *uid, int64_t *submit)
{
	char *end;

	*uid = *submit = 0;
	if (strncmp(token, adopted, sizeof adopted - 1) != 0)
		return NULL;
	*uid = strtoll(token + sizeof adopted - 1, &end, 10);
	if (*end != ':')
		return NULL;
	*submit = strtoll(end + 1, &end, 10);
	return *end == ':' ? end + 1 : NULL;
}

const char *
queue_adopted_name(const char *token, int64_t *submit)
{
	int64_t uid;

	return take_apart(token, &uid, submit);
}

static int
is_adopted(const struct queue_record *r, const char *token)
{
	int64_t uid, submit;
	const char *name = take_apart(token, &uid, &submit);

	if (name == NULL || r->uid != uid)
		return 0;
	return r->submit == submit ||
	    (r->restarts > 0 && r->submit > submit &&
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
