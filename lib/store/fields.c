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
store_fields_clear(const struct store_field *f, void *of)
{
	for (; f->key != NULL; f++)
		if (f->kind == STORE_NUMBER)
			*(int64_t *)store_field_of(f, of) = f->none;
}

void
store_fields_free(const struct store_field *f, void *of)
{
	store_fields_clear(f, of);
	for (; f->key != NULL; f++)
		if (f->kind == STORE_TEXT) {
			free(*(char **)store_field_of(f, of));
			*(char **)store_field_of(f, of) = NULL;
		} else if (f->kind == STORE_LIST) {
			strlist_free(store_field_of(f, of));
		} else if (f->kind == STORE_SET) {
			idset_free(store_field_of(f, of));
		}
}

/* Return the number at a member of a kind that is an integer. */
static int64_t
number_at(const struct store_field *f, const void *member)
{
	if (f->kind == STORE_INT)
		return *(const int *)member;
	return f->kind == STORE_UINT32 ? *(const uint32_t *)member
				       : *(const int64_t *)member;
}

json_t *
store_fields_write(const struct store_field *f, const void *of, json_t *record)
{
	const struct strlist *list;
	const struct idset *set;
	const void *member;

	for (; f->key != NULL; f++) {
		member = store_field_of(f, of);
		switch (f->kind) {
		case STORE_TEXT:
			store_record_set_string(
			    record, f->key, *(char *const *)member);
			break;
		case STORE_NUMBER:
		case STORE_INT:
		case STORE_UINT32:
			if (f->always || number_at(f, member) != f->none)
				store_record_set_int(
				    record, f->key, number_at(f, member));
			break;
		case STORE_REAL:
			if (f->always || *(const double *)member != 0)
				store_record_set_real(
				    record, f->key, *(const double *)member);
			break;
		case STORE_NAME:
			if (f->always || *(const char *)member != '\0')
				store_record_set_string(record, f->key, member);
			break;
		case STORE_LIST:
			list = member;
			if (f->always || list->count > 0)
				json_object_set_new(record, f->key,
				    store_record_words(
					list->word, list->count));
			break;
		case STORE_SET:
			set = member;
			if (f->always || set->count > 0)
				store_record_set_idset(record, f->key, set);
			break;
		}
	}
	return record;
}

int
store_fields_take(const struct store_field *f, const json_t *record, void *of,
    struct error *e)
{
	struct strlist *list;
	const char *text;
	void *member;

	for (; f->key != NULL; f++) {
		member = store_field_of(f, of);
		switch (f->kind) {
		case STORE_TEXT:
			*(char **)member = store_record_copy(record, f->key);
			break;
		case STORE_NUMBER:
			*(int64_t *)member =
			    store_record_int(record, f->key, f->none);
			break;
		case STORE_INT:
			*(int *)member =
			    (int)store_record_int(record, f->key, f->none);
			break;
		case STORE_UINT32:
			*(uint32_t *)member =
			    (uint32_t)store_record_int(record, f->key, f->none);
			break;
		case STORE_REAL:
			*(double *)member = store_record_real(record, f->key);
			break;
		case STORE_NAME:
			text = store_record_string(record, f->key);
			snprintf(member, (size_t)f->none, "%s",
			    text != NULL ? text : "");
			break;
		case STORE_LIST:
			list = member;
			list->word = store_record_take_words(
			    json_object_get(record, f->key), &list->count);
			break;
		case STORE_SET:
			text = store_record_string(record, f->key);
			text = text != NULL ? text : "";
			if ((*text != '\0' || f->none == 1) &&
			    idset_parse(member, text, e) == -1)
				return -1;
			break;
		}
	}
	return 0;
}

/* Return whether two sets have the same members. */
static int
same_ids(const struct idset *a, const struct idset *b)
{
	return a->count == b->count &&
	    (a->count == 0 ||
		memcmp(a->run, b->run, a->count * sizeof *a->run) == 0);
}

static int
is_same(const struct store_field *f, const void *a, const void *b)
{
	switch (f->kind) {
	case STORE_TEXT:
		return text_same(*(char *const *)a, *(char *const *)b);
	case STORE_NUMBER:
	case STORE_INT:
	case STORE_UINT32:
		return number_at(f, a) == number_at(f, b);
	case STORE_REAL:
		return *(const double *)a == *(const double *)b;
	case STORE_NAME:
		return strcmp(a, b) == 0;
	case STORE_LIST:
		return strlist_same(a, b);
	case STORE_SET:
		return same_ids(a, b);
	}
	return 1;
}

int
store_fields_same(const struct store_field *f, const void *a, const void *b)
{
	for (; f->key != NULL; f++)
		if (!is_same(f, store_field_of(f, a), store_field_of(f, b)))
			return 0;
	return 1;
}

int
store_fields_check(const struct store_field *f, const void *of, struct error *e)
{
	const struct strlist *list;
	const void *member;
	size_t i;

	for (; f->key != NULL; f++) {
		member = store_field_of(f, of);
		if (f->kind == STORE_TEXT && *(char *const *)member != NULL &&
		    !text_is_utf8(*(char *const *)member))
			return error_set(e, "%s: not UTF-8", f->key);
		list = f->kind == STORE_LIST ? member : NULL;
		for (i = 0; list != NULL && i < list->count; i++)
			if (!text_is_utf8(list->word[i]))
				return error_set(e, "%s: word %zu is not UTF-8",
				    f->key, i + 1);
	}
	return 0;
}
