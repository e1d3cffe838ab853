/*
 * What the targets of the fuzzer share.  A target is a file of this directory
 * with LLVMFuzzerTestOneInput: libFuzzer calls it with what it makes up, and
 * the tests call it with what is kept in corpus/ (replay.c).
 *
 * The first byte of an input says which of the target's parsers it is for.
 */
#ifndef STFM_FUZZ_H
#define STFM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What has to be true of every input; the rest of the line says of what. */
#define must(condition) \
	((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* An input that is read from its beginning on. */
struct fuzz {
	const char *at;
	size_t left;
};

struct fuzz fuzz_input(const uint8_t *bytes, size_t length);

/* The next byte, 0 at the end. */
unsigned char fuzz_byte(struct fuzz *);

/* The next line without its end, up to a NUL in it; to free, NULL at the end.
 */
char *fuzz_line(struct fuzz *);

/* All that is left, up to a NUL; to free. */
char *fuzz_text(struct fuzz *);

/* The lines that are left, a list that ends with NULL; to free. */
char **fuzz_lines(struct fuzz *, size_t most);
void fuzz_lines_free(char **);

/* Whether both are NULL or the same text. */
int fuzz_same(const char *, const char *);

/*
 * Say that what stands behind a kind took an input instead of refusing it, and
 * the kinds of which that was said: the tests want an example for each.
 */
void fuzz_took(unsigned char kind);
const char *fuzz_taken(void);

#endif
