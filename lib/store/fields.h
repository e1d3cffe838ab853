/*
 * The fields of a record: a table that says which members of a struct a record
 * has, and ends with {0}.  It is used to write, read and free the struct, so
 * that a new field is one new line.
 */
#ifndef STFM_STORE_FIELDS_H
#define STFM_STORE_FIELDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum store_field_kind {
	STORE_TEXT,   /* char *, its own; NULL is not written */
	STORE_NUMBER, /* int64_t or uint64_t; the value none is not written */
	STORE_INT,    /* int; the value none is not written */
	STORE_UINT32, /* uint32_t; the value none is not written */
	STORE_REAL,   /* double, written as text; 0 is not written */
	STORE_NAME,   /* char[none]; "" is not written */
	STORE_LIST,   /* struct strlist; an empty one is not written */
	STORE_SET     /* struct idset; an empty one is not written */
};

struct store_field {
	const char *key; /* in the record */
	enum store_field_kind kind;
	size_t offset; /* in the struct */
	int64_t none;  /* the number that is not written */
	int always;    /* it is written whatever its value is */
};

/*
 * A field with the name of its member.  STORE_ALWAYS is also written if it is
 * none; a text that is NULL never is.
 */
#define STORE_FIELD(kind, type, member, none) \
	{ \
#member, kind, offsetof(type, member), none, 0 \
	}
#define STORE_ALWAYS(kind, type, member, none) \
	{ \
#member, kind, offsetof(type, member), none, 1 \
	}

/* Set each STORE_NUMBER of a struct to none; other members are not touched. */
void store_fields_clear(const struct store_field *fields, void *of);

/* Free texts, lists and sets of a struct.  All fields are as cleared then. */
void store_fields_free(const struct store_field *fields, void *of);

/* Add the fields of a struct to a record.  Returns record. */
json_t *store_fields_write(
    const struct store_field *fields, const void *of, json_t *record);

/*
 * Read the fields of a struct from a record; old values are not freed.  A
 * member that is missing or has another type is NULL, none or empty.  Returns
 * 0, or -1 if the text of a set cannot be read, or if a set is empty whose none
 * is 1; the fields after it are not read then.
 */
int store_fields_take(const struct store_field *fields, const json_t *record,
    void *of, struct error *e);

/* Return whether two structs have the same fields. */
int store_fields_same(
    const struct store_field *fields, const void *a, const void *b);

/* Return a pointer to the member of a struct that a field describes. */
void *store_field_of(const struct store_field *field, const void *of);

/*
 * Check that texts and lists are UTF-8, as JSON holds nothing else.  Returns 0,
 * or -1 with the reason, which names the field.
 */
int store_fields_check(
    const struct store_field *fields, const void *of, struct error *e);

#endif
