/* Events of TensorBoard, for the tests of their reader. */
#ifndef STFM_TESTS_EVENT_H
#define STFM_TESTS_EVENT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sys/fs.h"

static inline void
event_little(FILE *f, uint64_t value, int bytes)
{
	while (bytes-- > 0) {
		putc((int)(value & 255), f);
		value >>= 8;
	}
}

/* Write the masked checksum that follows a length and a record. */
static inline void
event_check(FILE *f, const char *bytes, size_t length)
{
	uint32_t crc = fs_crc32c(bytes, length);

	event_little(f, (uint32_t)((crc >> 15 | crc << 17) + 0xa282ead8), 4);
}

/* Write an event with a step and one value for each of at most three tags. */
static inline void
event_write(FILE *f, char step, const char *const *tag, float value)
{
	char text[120] = {0x10, step, 0x2a, 0}, head[8] = {0};
	size_t used = 4, length, i;
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	for (; *tag != NULL; tag++) {
		length = strlen(*tag);
		memcpy(text + used,
		    (char[]){0x0a, (char)(length + 7), 0x0a, (char)length}, 4);
		memcpy(text + used + 4, *tag, length);
		text[used + 4 + length] = 0x15;
		used += length + 5;
		for (i = 0; i < sizeof bits; i++)
			text[used++] = (char)(bits >> 8 * i & 255);
	}
	text[3] = (char)(used - 4);
	head[0] = (char)used;
	fwrite(head, 1, sizeof head, f);
	event_check(f, head, sizeof head);
	fwrite(text, 1, used, f);
	event_check(f, text, used);
}

#endif
