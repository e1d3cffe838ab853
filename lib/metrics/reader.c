#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "metrics/private.h"

const char *
record_format_name(enum record_format format)
{
	static const char *const names[RECORD_FORMATS] = {
	    "CSV", "JSON Lines", "TensorBoard", "plain log"};

	return format < RECORD_FORMATS ? names[format] : "unknown";
}

enum record_format
record_recognise(const char *bytes, size_t length)
{
	size_t i = 0;

	if (record_is_events(bytes, length))
		return RECORD_EVENTS;
	if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	/* An array of objects is not JSON Lines, but probably meant as such. */
	while (
	    i < length && (isspace((unsigned char)bytes[i]) || bytes[i] == '['))
		i++;
	return i < length && bytes[i] == '{' ? RECORD_JSON : RECORD_ROWS;
}

int
record_read(struct record_reader *r, const char *bytes, size_t length,
    record_each *each, void *arg)
{
	static int (*const readers[RECORD_FORMATS])(struct record_reader *,
	    const char *, size_t, record_each *, void *) = {
	    NULL, record_read_json, record_read_events, record_read_text};

	r->taken = 0;
	r->skip = r->damaged = 0;
	/* The format may come from a damaged store. */
	if (r->format == RECORD_ROWS || r->format >= RECORD_FORMATS ||
	    (r->format == RECORD_TEXT && r->pattern == NULL))
		return 0;
	return readers[r->format](r, bytes, length, each, arg);
}

const char *
record_name(enum record_format format, const char *prefix,
    const struct record *r, size_t i, char room[RECORD_NAME])
{
	/* All files share the columns of the step and the time. */
	if (*prefix == '\0' || (format == RECORD_EVENTS && i < 2))
		return r->name[i];
	snprintf(room, RECORD_NAME, "%s%s", prefix, r->name[i]);
	return room;
}
