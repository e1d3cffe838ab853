#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "store/record.h"

static const char mark[] = "\"c\":\"";
enum { MARK = sizeof mark - 1, DIGITS = 8 };

json_t *
store_record_new(void)
{
	json_t *record;

	json_set_alloc_funcs(xmalloc, free);
	record = json_object();
	store_record_set_int(record, "v", STORE_VERSION);
	return record;
}

char *
store_record_text(json_t *record, size_t indent, size_t *length)
{
	size_t flags = indent ? JSON_INDENT(indent) : JSON_COMPACT;
	char *body, *text;
	size_t used;

	json_object_del(record, "c");
	body = json_dumps(record, flags);
	json_decref(record);
	used = strlen(body) - 1; /* without the closing brace */
	while (used > 0 && strchr(" \n", body[used - 1]) != NULL)
		used--;
	body[used] = '\0';
	text = xasprintf("%s,%s%s%s%08x\"%s}\n", body, indent ? "\n" : "",
	    indent ? "  " : "", mark, fs_crc32c(body, used),
	    indent ? "\n" : "");
	free(body);
	*length = strlen(text);
	return text;
}

/* Return where the last mark begins, or NULL. */
static const char *
find_mark(const char *text, size_t length)
{
	const char *at;

	if (length < MARK + DIGITS)
		return NULL;
	for (at = text + length - MARK - DIGITS; at > text; at--)
		if (memcmp(at, mark, MARK) == 0)
			return at;
	return NULL;
}

/* Compares the digits one by one: this runs for each line of a table. */
int
store_record_holds(const char *text, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	const char *at = find_mark(text, length), *end = at;
	uint32_t sum;
	size_t tail;
	int i;

	if (at == NULL)
		return 0;
	tail = length - (size_t)(at - text) - MARK - DIGITS;
	if ((tail != 3 || memcmp(at + MARK + DIGITS, "\"}\n", 3) != 0) &&
	    (tail != 4 || memcmp(at + MARK + DIGITS, "\"\n}\n", 4) != 0))
		return 0;
	while (end > text && strchr(" \n", end[-1]) != NULL)
		end--;
	if (end == text || end[-1] != ',')
		return 0;
	sum = fs_crc32c(text, (size_t)(end - 1 - text));
	for (i = 0; i < DIGITS; i++)
		if (at[MARK + i] != hex[sum >> (28 - 4 * i) & 15])
			return 0;
	return 1;
}

/* The bytes after the body of a record on one line. */
enum { ONE_LINE_TAIL = 1 + MARK + DIGITS + 3 };

static const char name_mark[] = "{\"n\":\"";
enum { NAME_MARK = sizeof name_mark - 1 };

char *
store_record_with_name(
    const char *text, size_t length, const char *name, size_t *out)
{
	char *body, *line;

	if (!store_record_holds(text, length) ||
	    memchr(text, '\n', length) != text + length - 1)
		return NULL;
	body = xasprintf("%s%s\",%.*s", name_mark, name,
	    (int)(length - ONE_LINE_TAIL - 1), text + 1);
	line = xasprintf(
	    "%s,%s%08x\"}\n", body, mark, fs_crc32c(body, strlen(body)));
	free(body);
	*out = strlen(line);
	return line;
}

const char *
store_record_name(
    const char *line, size_t length, size_t *out, int64_t *version)
{
	static const char known[] = "\",\"v\":1,";
	const char *name = line + NAME_MARK, *end;
	json_t *record;

	*version = 0;
	if (length <= NAME_MARK || memcmp(line, name_mark, NAME_MARK) != 0)
		return NULL;
	end = memchr(name, '"', length - NAME_MARK);
	if (end == NULL)
		return NULL;
	*out = (size_t)(end - name);
	*version = 1;
	if (length - (size_t)(end - line) <= sizeof known - 1 ||
	    memcmp(end, known, sizeof known - 1) != 0) {
		record = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
		*version = store_record_int(record, "v", 0);
		json_decref(record);
	}
	return name;
}

/* Read a record as store_record_read, up to the format version newest. */
static json_t *
read_record(const char *text, size_t length, int64_t newest, const char *what,
    struct error *e)
{
	json_error_t reason;
	json_t *record;
	int64_t version;

	json_set_alloc_funcs(xmalloc, free);
	if (!store_record_holds(text, length)) {
		error_code(e, ERROR_DAMAGED,
		    "%s: damaged (its checksum does not fit)", what);
		return NULL;
	}
	record = json_loadb(text, length, JSON_REJECT_DUPLICATES, &reason);
	version = store_record_int(record, "v", 0);
	if (json_is_object(record) && version <= newest)
		return record;
	json_decref(record);
	if (version > newest)
		error_code(e, ERROR_NEWER,
		    "%s: written by a newer stfm (format %d, this one reads "
		    "%d): use that one",
		    what, (int)version, (int)newest);
	else
		error_code(e, ERROR_DAMAGED, "%s:%d: %s", what, reason.line,
		    reason.text);
	return NULL;
}

void
store_record_sum(const char *line, size_t length, char out[STORE_SUM_SIZE])
{
	const char *at = find_mark(line, length);

	memcpy(out, at + MARK, DIGITS);
	out[DIGITS] = '\0';
}

json_t *
store_record_read(
    const char *text, size_t length, const char *what, struct error *e)
{
	return read_record(text, length, STORE_VERSION, what, e);
}

json_t *
store_record_load_to(
    int dir, const char *name, size_t limit, int64_t newest, struct error *e)
{
	json_t *record;
	size_t length;
	char *text, *path;

	if (fs_read(dir, name, limit, &text, &length, e) == -1)
		return NULL;
	record = read_record(text, length, newest, name, NULL);
	if (record == NULL) { /* only a reason needs the path */
		path = fs_path(dir, name);
		record = read_record(text, length, newest, path, e);
		free(path);
	}
	free(text);
	return record;
}

json_t *
store_record_load(int dir, const char *name, size_t limit, struct error *e)
{
	return store_record_load_to(dir, name, limit, STORE_VERSION, e);
}

int
store_record_publish(
    int dir, const char *name, json_t *record, size_t indent, struct error *e)
{
	size_t length;
	char *text = store_record_text(record, indent, &length);
	int rc = dir == -1 ? -1 : fs_publish(dir, name, text, length, e);

	free(text);
	return rc;
}

int
store_record_place(int dir, const char *name, json_t *record, struct error *e)
{
	size_t length;
	char *text = store_record_text(record, 0, &length);
	int rc = dir == -1 ? -1 : fs_place(dir, name, text, length, e);

	free(text);
	return rc;
}

const char *
store_record_string(const json_t *record, const char *key)
{
	return json_string_value(json_object_get(record, key));
}

char *
store_record_copy(const json_t *record, const char *key)
{
	return xcopy(store_record_string(record, key));
}

int64_t
store_record_int(const json_t *record, const char *key, int64_t fallback)
{
	const json_t *value = json_object_get(record, key);

	return json_is_integer(value) ? json_integer_value(value) : fallback;
}

/* Return text as a JSON string.  JSON is UTF-8: other bytes become U+FFFD. */
static json_t *
text_value(const char *text)
{
	char *clean = NULL;
	size_t length;
	json_t *value;
	FILE *f;

	if (text_is_utf8(text))
		return json_string(text);
	f = xmemopen(&clean, &length);
	text_json(f, text);
	xmemclose(f);
	value = json_loads(clean, JSON_DECODE_ANY, NULL);
	free(clean);
	return value;
}

void
store_record_set_string(json_t *record, const char *key, const char *text)
{
	if (text != NULL)
		json_object_set_new(record, key, text_value(text));
}

void
store_record_set_int(json_t *record, const char *key, int64_t value)
{
	json_object_set_new(record, key, json_integer(value));
}

void
store_record_set_idset(json_t *record, const char *key, const struct idset *set)
{
	char *text = idset_text(set);

	store_record_set_string(record, key, text);
	free(text);
}

void
store_record_set_real(json_t *record, const char *key, double value)
{
	char text[NUM_TEXT];

	store_record_set_string(record, key, num_exact(value, text));
}

double
store_record_real(const json_t *record, const char *key)
{
	const char *text = store_record_string(record, key);
	double value = 0;

	if (text != NULL)
		num_parse(text, &value);
	return value;
}

json_t *
store_record_words(char *const *words, size_t count)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_array_append_new(array, text_value(words[i]));
	return array;
}

char **
store_record_take_words(const json_t *array, size_t *count)
{
	const char *word;
	char **out;
	size_t i;

	*count = json_array_size(array);
	out = xcalloc(*count + 1, sizeof *out);
	for (i = 0; i < *count; i++) {
		word = json_string_value(json_array_get(array, i));
		out[i] = xstrdup(word != NULL ? word : "");
	}
	return out;
}

/* ---- files that are not JSON ---- */

static const char sum_line[] = "# crc32c %08x\n";

char *
store_sum_add(char *text, size_t *length)
{
	text = xrealloc(text, *length + STORE_SUM_LINE + 1);
	snprintf(text + *length, STORE_SUM_LINE + 1, sum_line,
	    fs_crc32c(text, *length));
	*length += STORE_SUM_LINE;
	return text;
}

int
store_sum_cut(char *text, size_t *length)
{
	char line[STORE_SUM_LINE + 1];
	size_t left;

	if (*length < STORE_SUM_LINE)
		return -1;
	left = *length - STORE_SUM_LINE;
	snprintf(line, sizeof line, sum_line, fs_crc32c(text, left));
	if (memcmp(text + left, line, STORE_SUM_LINE) != 0)
		return -1;
	text[left] = '\0';
	*length = left;
	return 0;
}
