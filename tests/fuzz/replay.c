/*
 * Give files to a target, one after the other: "NAME-replay FILE...".  It
 * prints how many there were, and the kinds of which one was taken.
 */
#include <locale.h>

#include "base/error.h"
#include "fuzz.h"
#include "sys/fs.h"

static int
replay(const char *path)
{
	struct error e;
	size_t length;
	char *bytes;

	if (fs_read_path(path, 1 << 24, &bytes, &length, &e) == -1) {
		fprintf(stderr, "%s\n", e.text);
		return -1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
	free(bytes);
	return 0;
}

int
main(int argc, char **argv)
{
	int i;

	setlocale(LC_CTYPE, "");
	for (i = 1; i < argc; i++) {
		fprintf(stderr, "%s\n", argv[i]);
		if (replay(argv[i]) == -1)
			return 2;
	}
	printf("%d %s\n", argc - 1, fuzz_taken());
	return 0;
}
