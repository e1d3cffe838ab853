#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "store/points.h"
#include "sys/fs.h"

/* An index entry: position, length and checksum of a line, in hexadecimal. */
#define ENTRY "%011" PRIx64 " %08" PRIx32 " %08" PRIx32 "\n"
enum { ENTRY_LENGTH = 11 + 1 + 8 + 1 + 8 + 1 };

char *
store_points_index(const char *points, size_t length, size_t *index_length)
{
	const char *at, *nl, *end = points + length;
	char *text = NULL;
	FILE *out = xmemopen(&text, index_length);

	for (at = points; at < end; at = nl + 1) {
		nl = memchr(at, '\n', (size_t)(end - at));
		if (nl == NULL)
			nl = end - 1;
		fprintf(out, ENTRY, (uint64_t)(at - points),
		    (uint32_t)(nl + 1 - at),
		    fs_crc32c(at, (size_t)(nl + 1 - at)));
	}
	xmemclose(out);
	return text;
}

int
store_points_place(int dir, const char *points, size_t length, struct error *e)
{
	size_t index_length;
	char *index = store_points_index(points, length, &index_length);
	int rc;

	rc = fs_place(dir, "points.tsv", points, length, e);
	if (rc == 0)
		rc = fs_place(dir, "points.idx", index, index_length, e);
	free(index);
	return rc;
}

/* Return a piece of a file, to free, or NULL if the file lacks some of it. */
static char *
read_piece(int dir, const char *name, uint64_t from, size_t length)
{
	char *bytes = NULL;
	size_t got = 0;
	uint64_t size;
	int fd;

	fd = fs_open_file(dir, name, &size, NULL);
	if (fd == -1)
		return NULL;
	if (from <= size && length <= size - from &&
	    fs_read_at(fd, from, length, &bytes, &got, NULL) == -1)
		bytes = NULL;
	fs_close(fd);
	if (bytes == NULL || got == length)
		return bytes;
	free(bytes);
	return NULL;
}

/* Read an entry that has exactly the form of ENTRY.  Returns 0 or -1. */
static int
parse_entry(const char *entry, uint64_t *from, uint32_t *length, uint32_t *crc)
{
	char again[ENTRY_LENGTH + 1];

	if (sscanf(entry, "%11" SCNx64 " %8" SCNx32 " %8" SCNx32, from, length,
		crc) != 3)
		return -1;
	snprintf(again, sizeof again, ENTRY, *from, *length, *crc);
	return strcmp(again, entry) == 0 && *length > 0 ? 0 : -1;
}

int
store_points_line(int dir, uint64_t point, char **line)
{
	uint32_t length, crc;
	uint64_t from;
	char *entry;
	int rc;

	/* The first entry is that of the line of names. */
	entry = read_piece(
	    dir, "points.idx", (point + 1) * ENTRY_LENGTH, ENTRY_LENGTH);
	if (entry == NULL)
		return -1;
	rc = parse_entry(entry, &from, &length, &crc);
	free(entry);
	*line = rc == 0 ? read_piece(dir, "points.tsv", from, length) : NULL;
	if (*line == NULL)
		return -1;
	if (fs_crc32c(*line, length) != crc || (*line)[length - 1] != '\n') {
		free(*line);
		return -1;
	}
	(*line)[length - 1] = '\0';
	return 0;
}
