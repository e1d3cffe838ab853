#!/bin/sh
# The CRC-32C of standard input, as it stands in records of the store.
od -An -v -tu1 | awk '
function xor(a, b,   r, bit) {
	r = 0
	for (bit = 1; a > 0 || b > 0; bit *= 2) {
		if (a % 2 != b % 2)
			r += bit
		a = int(a / 2)
		b = int(b / 2)
	}
	return r
}
BEGIN {
	crc = 4294967295
	for (i = 0; i < 256; i++) {
		c = i
		for (k = 0; k < 8; k++)
			c = c % 2 ? xor(int(c / 2), 2197175160) : int(c / 2)
		table[i] = c
	}
}
{
	for (i = 1; i <= NF; i++)
		crc = xor(table[xor(crc % 256, $i)], int(crc / 256))
}
END {
	printf "%08x\n", xor(crc, 4294967295)
}'
