#include <string.h>

#include "sys/fs.h"

/*
 * One table for each of eight bytes that are processed at once (Kounavis and
 * Berry, 2005): three times as fast as byte by byte.
 */
static uint32_t table[8][256];

static void
fill_table(void)
{
	uint32_t c;
	int i, k;

	for (i = 0; i < 256; i++) {
		for (c = (uint32_t)i, k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
		table[0][i] = c;
	}
	for (k = 1; k < 8; k++)
		for (i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^
			    table[0][table[k - 1][i] & 0xff];
}

static uint32_t
by_table(uint32_t crc, const unsigned char *p, size_t length)
{
	if (table[0][1] == 0)
		fill_table();
	for (; length >= 8; length -= 8, p += 8)
		crc = table[7][(crc ^ p[0]) & 0xff] ^
		    table[6][(crc >> 8 ^ p[1]) & 0xff] ^
		    table[5][(crc >> 16 ^ p[2]) & 0xff] ^
		    table[4][crc >> 24 ^ p[3]] ^ table[3][p[4]] ^
		    table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
	while (length-- > 0)
		crc = table[0][(crc ^ *p++) & 0xff] ^ crc >> 8;
	return crc;
}

uint32_t
fs_crc32c_portable(const void *bytes, size_t length)
{
	return ~by_table(0xffffffff, bytes, length);
}

#if defined(__x86_64__) && defined(__GNUC__)

/* Compute the CRC-32C with the instruction that SSE 4.2 has for it. */
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *p, size_t length)
{
	uint64_t wide = crc, eight;

	for (; length >= 8; length -= 8, p += 8) {
		memcpy(&eight, p, 8);
		wide = __builtin_ia32_crc32di(wide, eight);
	}
	crc = (uint32_t)wide;
	while (length-- > 0)
		crc = __builtin_ia32_crc32qi(crc, *p++);
	return crc;
}

#endif

uint32_t
fs_crc32c_more(uint32_t crc, const void *bytes, size_t length)
{
#if defined(__x86_64__) && defined(__GNUC__)
	if (__builtin_cpu_supports("sse4.2"))
		return ~by_instruction(~crc, bytes, length);
#endif
	return ~by_table(~crc, bytes, length);
}
