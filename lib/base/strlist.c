#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/xalloc.h"

void
strlist_free(struct strlist *words)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	memset(words, 0, sizeof *words);
}

void
strlist_take(struct strlist *words, char *word)
{
	if (words->count == 0) /* all words may have been dropped */
		free(words->word);
	words->word = xgrow(words->word, words->count, sizeof *words->word);
	words->word[words->count++] = word;
	words->word = xgrow(words->word, words->count, sizeof *words->word);
	words->word[words->count] = NULL;
}

void
strlist_push(struct strlist *words, const char *word)
{
	strlist_take(words, xstrdup(word));
}

void
strlist_copy(struct strlist *words, const struct strlist *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		strlist_push(words, from->word[i]);
}

void
strlist_put_before(struct strlist *words, struct strlist *front)
{
	strlist_copy(front, words);
	strlist_free(words);
	*words = *front;
	memset(front, 0, sizeof *front);
}

void
strlist_drop(struct strlist *words, size_t i)
{
	free(words->word[i]);
	memmove(&words->word[i], &words->word[i + 1],
	    (words->count - i) * sizeof *words->word);
	words->count--;
}

int
strlist_have(const struct strlist *w, const char *word)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (strcmp(w->word[i], word) == 0)
			return 1;
	return 0;
}

const char *
strlist_value(const struct strlist *w, const char *name)
{
	size_t n = strlen(name), i;

	for (i = 0; i < w->count; i++)
		if (strncmp(w->word[i], name, n) == 0 && w->word[i][n] == '=')
			return w->word[i] + n + 1;
	return NULL;
}

int
strlist_same(const struct strlist *a, const struct strlist *b)
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
strlist_join(const struct strlist *w, const char *between)
{
	char *text = NULL;
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	for (i = 0; i < w->count; i++)
		fprintf(f, "%s%s", i > 0 ? between : "", w->word[i]);
	xmemclose(f);
	return text;
}
