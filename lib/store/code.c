#include <string.h>

#include "store/code-private.h"
#include "store/fields.h"
#include "store/record.h"

#define TEXT(member) STORE_FIELD(STORE_TEXT, struct store_code, member, 0)
#define LIST(member) STORE_FIELD(STORE_LIST, struct store_code, member, 0)
static const struct store_field fields[] = {
    TEXT(fingerprint),
    TEXT(root),
    TEXT(work),
    TEXT(why),
    TEXT(commit),
    TEXT(branch),
    TEXT(remote),
    TEXT(diff),
    TEXT(patterns),
    TEXT(script_sum),
    LIST(untracked),
    LIST(packages),
    {0},
};
#undef TEXT
#undef LIST

void
store_code_free(struct store_code *code)
{
	store_fields_free(fields, code);
	memset(code, 0, sizeof *code);
}

json_t *
store_code_json(const struct store_code *code)
{
	json_t *object = store_fields_write(fields, code, json_object());

	if (code->fingerprint != NULL) {
		store_record_set_int(object, "files", (int64_t)code->files);
		store_record_set_int(object, "bytes", (int64_t)code->bytes);
	}
	if (code->commit != NULL)
		json_object_set_new(object, "dirty", json_boolean(code->dirty));
	return object;
}

void
store_code_take(struct store_code *code, const json_t *object)
{
	store_fields_take(fields, object, code, NULL);
	code->files = (uint64_t)store_record_int(object, "files", 0);
	code->bytes = (uint64_t)store_record_int(object, "bytes", 0);
	code->dirty = json_is_true(json_object_get(object, "dirty"));
}
