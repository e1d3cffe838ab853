#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"

void
words_free(struct words *words)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	memset(words, 0, sizeof *words);
}

void
words_take(struct words *words, char *word)
{
	words->word = xgrow(words->word, words->count, sizeof *words->word);
	words->word[words->count++] = word;
	words->word = xgrow(words->word, words->count, sizeof *words->word);
	words->word[words->count] = NULL;
}

void
words_push(struct words *words, const char *word)
{
	words_take(words, xstrdup(word));
}

void
words_copy(struct words *words, const struct words *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		words_push(words, from->word[i]);
}

void
words_put_before(struct words *words, struct words *front)
{
	words_copy(front, words);
	words_free(words);
	*words = *front;
	memset(front, 0, sizeof *front);
}

void
words_drop(struct words *words, size_t i)
{
	free(words->word[i]);
	memmove(&words->word[i], &words->word[i + 1],
	    (words->count - i) * sizeof *words->word);
	words->count--;
}

int
words_have(const struct words *w, const char *word)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (strcmp(w->word[i], word) == 0)
			return 1;
	return 0;
}

const char *
words_value(const struct words *w, const char *name)
{
	size_t n = strlen(name), i;

	for (i = 0; i < w->count; i++)
		if (strncmp(w->word[i], name, n) == 0 && w->word[i][n] == '=')
			return w->word[i] + n + 1;
	return NULL;
}

int
words_same(const struct words *a, const struct words *b)
{
	size_t i;

	if (a->count != b->count)
		return 0;
	for (i = 0; i < a->count; i++)
		if (strcmp(a->word[i], b->word[i]) != 0)
			return 0;
	return 1;
}

char *
words_join(const struct words *w, const char *between)
{
	char *text = NULL;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < w->count; i++)
		fprintf(f, "%s%s", i > 0 ? between : "", w->word[i]);
	xmemclose(f);
	return text;
}
