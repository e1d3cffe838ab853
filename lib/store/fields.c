#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "store/fields.h"
#include "store/record.h"

void *
store_field_of(const struct store_field *f, const void *of)
{
	return (char *)(uintptr_t)of + f->offset;
}

void
store_fields_clear(const struct store_field *f, size_t count, void *of)
{
	const struct store_field *end = f + count;

	for (; f < end; f++)
		if (f->kind == STORE_NUMBER)
			*(int64_t *)store_field_of(f, of) = f->none;
}

void
store_fields_free(const struct store_field *f, size_t count, void *of)
{
	const struct store_field *end = f + count;

	store_fields_clear(f, count, of);
	for (; f < end; f++)
		if (f->kind == STORE_TEXT) {
			free(*(char **)store_field_of(f, of));
			*(char **)store_field_of(f, of) = NULL;
		} else if (f->kind == STORE_LIST) {
			strlist_free(store_field_of(f, of));
		}
}

static void
write_one(const struct store_field *f, const void *of, json_t *record)
{
	const struct strlist *list;
	int64_t number;

	switch (f->kind) {
	case STORE_TEXT:
		store_record_set_string(record, f->key, *(char *const *)of);
		break;
	case STORE_NUMBER:
		number = *(const int64_t *)of;
		if (number != f->none)
			store_record_set_int(record, f->key, number);
		break;
	case STORE_COUNT:
		if (*(const uint64_t *)of != 0)
			store_record_set_int(
			    record, f->key, (int64_t) * (const uint64_t *)of);
		break;
	case STORE_INT:
		if (*(const int *)of != 0)
			store_record_set_int(record, f->key, *(const int *)of);
		break;
	case STORE_REAL:
		if (*(const double *)of != 0)
			store_record_set_real(
			    record, f->key, *(const double *)of);
		break;
	case STORE_NAME:
		store_record_set_string(record, f->key, of);
		break;
	case STORE_LIST:
		list = of;
		if (list->count > 0 || f->none == 0)
			json_object_set_new(record, f->key,
			    store_record_words(list->word, list->count));
		break;
	}
}

void
store_fields_write(
    const struct store_field *f, size_t count, const void *of, json_t *record)
{
	const struct store_field *end = f + count;

	for (; f < end; f++)
		write_one(f, store_field_of(f, of), record);
}

static void
take_one(const struct store_field *f, const json_t *record, void *of)
{
	struct strlist *list;
	const char *text;

	switch (f->kind) {
	case STORE_TEXT:
		*(char **)of = store_record_copy(record, f->key);
		break;
	case STORE_NUMBER:
		*(int64_t *)of = store_record_int(record, f->key, f->none);
		break;
	case STORE_COUNT:
		*(uint64_t *)of = (uint64_t)store_record_int(record, f->key, 0);
		break;
	case STORE_INT:
		*(int *)of = (int)store_record_int(record, f->key, 0);
		break;
	case STORE_REAL:
		*(double *)of = store_record_real(record, f->key);
		break;
	case STORE_NAME:
		text = store_record_string(record, f->key);
		snprintf(of, (size_t)f->none, "%s", text != NULL ? text : "");
		break;
	case STORE_LIST:
		list = of;
		list->word = store_record_take_words(
		    json_object_get(record, f->key), &list->count);
		break;
	}
}

void
store_fields_take(
    const struct store_field *f, size_t count, const json_t *record, void *of)
{
	const struct store_field *end = f + count;

	for (; f < end; f++)
		take_one(f, record, store_field_of(f, of));
}

static int
is_same(const struct store_field *f, const void *a, const void *b)
{
	switch (f->kind) {
	case STORE_TEXT:
		return text_same(*(char *const *)a, *(char *const *)b);
	case STORE_NUMBER:
		return *(const int64_t *)a == *(const int64_t *)b;
	case STORE_COUNT:
		return *(const uint64_t *)a == *(const uint64_t *)b;
	case STORE_INT:
		return *(const int *)a == *(const int *)b;
	case STORE_REAL:
		return *(const double *)a == *(const double *)b;
	case STORE_NAME:
		return strcmp(a, b) == 0;
	case STORE_LIST:
		break;
	}
	return 1;
}

int
store_fields_same(
    const struct store_field *f, size_t count, const void *a, const void *b)
{
	const struct store_field *end = f + count;

	for (; f < end; f++)
		if (!is_same(f, store_field_of(f, a), store_field_of(f, b)))
			return 0;
	return 1;
}

static int
check_one(const struct store_field *f, const void *of, struct error *e)
{
	const char *text = f->kind == STORE_TEXT ? *(char *const *)of : NULL;
	const struct strlist *list = of;
	size_t i;

	if (text != NULL && !text_is_utf8(text))
		return error_set(e, "%s: not UTF-8", f->key);
	for (i = 0; f->kind == STORE_LIST && i < list->count; i++)
		if (!text_is_utf8(list->word[i]))
			return error_set(
			    e, "%s: word %zu is not UTF-8", f->key, i + 1);
	return 0;
}

int
store_fields_check(
    const struct store_field *f, size_t count, const void *of, struct error *e)
{
	const struct store_field *end = f + count;

	for (; f < end; f++)
		if (check_one(f, store_field_of(f, of), e) == -1)
			return -1;
	return 0;
}
