#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

int
ascii_ncasecmp(const char *a, const char *b, size_t length)
{
	int x, y;

	for (; length > 0; a++, b++, length--) {
		x = ascii_lower((unsigned char)*a);
		y = ascii_lower((unsigned char)*b);
		if (x != y || x == '\0')
			return x - y;
	}
	return 0;
}

char *
ascii_casestr(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (;; text++) {
		if (ascii_ncasecmp(text, word, length) == 0)
			return (char *)(uintptr_t)text;
		if (*text == '\0')
			return NULL;
	}
}
