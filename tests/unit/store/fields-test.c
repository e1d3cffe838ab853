#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/idset.h"
#include "base/strlist.h"
#include "base/xalloc.h"
#include "store/fields.h"

struct thing {
	char *name, *other;
	int64_t first, count;
	struct strlist always, some;
};

static const struct store_field fields[] = {
    STORE_FIELD(STORE_TEXT, struct thing, name, 0),
    STORE_FIELD(STORE_TEXT, struct thing, other, 0),
    STORE_FIELD(STORE_NUMBER, struct thing, first, -1),
    STORE_FIELD(STORE_NUMBER, struct thing, count, 0),
    STORE_ALWAYS(STORE_LIST, struct thing, always, 0),
    STORE_FIELD(STORE_LIST, struct thing, some, 0),
    {0},
};

static char *
written(const struct thing *thing)
{
	json_t *record = json_object();
	char *text;

	store_fields_write(fields, thing, record);
	text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	return text;
}

static void
a_record_has_what_is_not_none(void **state)
{
	struct thing thing = {0};
	char *text;

	(void)state;
	store_fields_clear(fields, &thing);
	assert_int_equal(thing.first, -1);
	assert_int_equal(thing.count, 0);
	text = written(&thing);
	assert_string_equal(text, "{\"always\":[]}");
	free(text);

	thing.name = xstrdup("lr");
	thing.first = 0;
	strlist_push(&thing.some, "a b");
	text = written(&thing);
	assert_string_equal(text,
	    "{\"name\":\"lr\",\"first\":0,\"always\":[],\"some\":[\"a b\"]}");
	free(text);
	store_fields_free(fields, &thing);
	assert_null(thing.name);
	assert_int_equal(thing.first, -1);
	assert_int_equal(thing.some.count, 0);
}

static void
what_was_written_is_read(void **state)
{
	static const char text[] = "{\"name\":\"lr\",\"other\":7,\"count\":3,"
				   "\"always\":[\"x\",\"y\"],\"some\":1}";
	json_t *record = json_loads(text, 0, NULL);
	struct thing thing = {0};

	(void)state;
	store_fields_take(fields, record, &thing, NULL);
	json_decref(record);
	assert_string_equal(thing.name, "lr");
	assert_null(thing.other); /* of another type */
	assert_int_equal(thing.first, -1);
	assert_int_equal(thing.count, 3);
	assert_int_equal(thing.always.count, 2);
	assert_string_equal(thing.always.word[1], "y");
	assert_int_equal(thing.some.count, 0);
	store_fields_free(fields, &thing);
}

static void
a_set_is_written_as_text(void **state)
{
	struct {
		struct idset some, needed;
	} two = {{0}};
	const struct store_field sets[] = {
	    {"some", STORE_SET, 0, 0, 0},
	    {"needed", STORE_SET, sizeof two.some, 1, 1},
	    {0},
	};
	json_t *record = json_object();
	struct error e;

	(void)state;
	assert_int_equal(store_fields_take(sets, record, &two, &e), -1);
	assert_string_equal(
	    e.text, "'' is not a list of numbers such as 0-4,7");
	idset_add(&two.needed, 2, 4);
	store_fields_write(sets, &two, record);
	store_fields_free(sets, &two);
	assert_int_equal(two.needed.count, 0);
	assert_null(json_object_get(record, "some"));
	assert_string_equal(
	    json_string_value(json_object_get(record, "needed")), "2-4");
	assert_int_equal(store_fields_take(sets, record, &two, &e), 0);
	assert_int_equal(two.some.count, 0);
	assert_int_equal(idset_size(&two.needed), 3);
	store_fields_free(sets, &two);
	json_decref(record);
}

static void
what_is_not_utf8_is_named(void **state)
{
	struct thing thing = {.name = "lr"};
	struct error e;

	(void)state;
	assert_int_equal(store_fields_check(fields, &thing, &e), 0);
	thing.other = "\xff";
	assert_int_equal(store_fields_check(fields, &thing, &e), -1);
	assert_string_equal(e.text, "other: not UTF-8");
	thing.other = NULL;
	strlist_push(&thing.some, "fine");
	strlist_push(&thing.some, "\xff");
	assert_int_equal(store_fields_check(fields, &thing, &e), -1);
	assert_string_equal(e.text, "some: word 2 is not UTF-8");
	strlist_free(&thing.some);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_record_has_what_is_not_none),
	    cmocka_unit_test(what_was_written_is_read),
	    cmocka_unit_test(a_set_is_written_as_text),
	    cmocka_unit_test(what_is_not_utf8_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
