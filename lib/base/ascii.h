/*
 * Case-insensitive functions for ASCII, independent of the locale.  In a
 * Turkish locale the C library does not match I with i, so it would not find
 * Slurm's words, states and columns.
 */
#ifndef STFM_BASE_ASCII_H
#define STFM_BASE_ASCII_H

#include <stddef.h>
#include <stdint.h>

/*
 * Like tolower(3), toupper(3), strcasecmp(3), strncasecmp(3) and strcasestr(3).
 */
static inline int
ascii_lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
static inline int
ascii_upper(int c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}
int ascii_ncasecmp(const char *a, const char *b, size_t length);

static inline int
ascii_casecmp(const char *a, const char *b)
{
	return ascii_ncasecmp(a, b, SIZE_MAX);
}
char *ascii_casestr(const char *text, const char *word);

#endif
