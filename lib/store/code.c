#include <stdlib.h>
#include <string.h>

#include "store/code-private.h"

#define TEXT(field) \
	{ \
#field, offsetof(struct store_code, field) \
	}
static const struct {
	const char *key;
	size_t offset;
} texts[] = {
    TEXT(fingerprint),
    TEXT(root),
    TEXT(work),
    TEXT(why),
    TEXT(commit),
    TEXT(branch),
    TEXT(remote),
    TEXT(diff),
};
#undef TEXT

enum { TEXTS = sizeof texts / sizeof *texts };

static char **
text_at(const struct store_code *code, size_t i)
{
	return (char **)((char *)(uintptr_t)code + texts[i].offset);
}

void
store_code_free(struct store_code *code)
{
	size_t i;

	for (i = 0; i < TEXTS; i++)
		free(*text_at(code, i));
	strlist_free(&code->untracked);
	strlist_free(&code->packages);
	memset(code, 0, sizeof *code);
}

static void
set_words(json_t *object, const char *key, const struct strlist *words)
{
	if (words->count > 0)
		json_object_set_new(
		    object, key, store_record_words(words->word, words->count));
}

static void
take_words(struct strlist *out, const json_t *object, const char *key)
{
	out->word =
	    store_record_take_words(json_object_get(object, key), &out->count);
}

json_t *
store_code_json(const struct store_code *code)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < TEXTS; i++)
		store_record_set_string(
		    object, texts[i].key, *text_at(code, i));
	if (code->fingerprint != NULL) {
		store_record_set_int(object, "files", (int64_t)code->files);
		store_record_set_int(object, "bytes", (int64_t)code->bytes);
	}
	if (code->commit != NULL)
		json_object_set_new(object, "dirty", json_boolean(code->dirty));
	set_words(object, "untracked", &code->untracked);
	set_words(object, "packages", &code->packages);
	return object;
}

void
store_code_take(struct store_code *code, const json_t *object)
{
	size_t i;

	for (i = 0; i < TEXTS; i++)
		*text_at(code, i) = store_record_copy(object, texts[i].key);
	code->files = (uint64_t)store_record_int(object, "files", 0);
	code->bytes = (uint64_t)store_record_int(object, "bytes", 0);
	code->dirty = json_is_true(json_object_get(object, "dirty"));
	take_words(&code->untracked, object, "untracked");
	take_words(&code->packages, object, "packages");
}
