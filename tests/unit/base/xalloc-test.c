#include <sys/resource.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"

/* Whether AddressSanitizer is in this build; clang has to be asked. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED 0
#endif

static void
nothing_is_something_to_free(void **state)
{
	char *p;

	(void)state;
	free(xmalloc(0));
	free(xcalloc(0, 8));
	p = xrealloc(NULL, 0);
	free(xrealloc(p, 0));
}

static void
copies_are_copies(void **state)
{
	char *a = xstrdup("conv2d"), *b = xstrndup(a, 4);
	char *c = xasprintf("%s/%d", b, 3);
	unsigned char *zero = xcalloc(3, 5);
	size_t i;

	(void)state;
	assert_string_equal(a, "conv2d");
	assert_string_equal(b, "conv");
	assert_string_equal(c, "conv/3");
	for (i = 0; i < 15; i++)
		assert_int_equal(zero[i], 0);
	free(a);
	free(b);
	free(c);
	free(zero);
}

static void
an_array_grows_item_by_item(void **state)
{
	uint64_t *array = NULL;
	size_t count;

	(void)state;
	for (count = 0; count < 5000; count++) {
		array = xgrow(array, count, sizeof *array);
		array[count] = count * count;
	}
	for (count = 0; count < 5000; count++)
		assert_true(array[count] == count * count);
	free(array);
}

static void
a_stream_writes_into_memory(void **state)
{
	char *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	(void)state;
	fprintf(f, "conv2d/%d", 3);
	xmemclose(f);
	assert_string_equal(text, "conv2d/3");
	assert_int_equal(length, 8);
	free(text);
}

/* Write more than there may be. */
static void
overfill(void)
{
	struct rlimit limit = {64 << 20, 64 << 20};
	static const char block[1 << 16];
	char *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);

	setrlimit(RLIMIT_AS, &limit);
	while (fwrite(block, 1, sizeof block, f) == sizeof block)
		continue;
	xmemclose(f);
}

/* What happens in a child that asks for too much: its exit status and words. */
static int
ask_too_much(int how, char *words, size_t size)
{
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		if (how == 0)
			xgrow(NULL, (size_t)1 << 62, 16);
		else if (how == 1)
			xmalloc(PTRDIFF_MAX);
		else if (how == 2)
			overfill();
		else
			xcalloc(SIZE_MAX / 2, 16);
		_exit(0);
	}
	close(fd[1]);
	n = read(fd[0], words, size - 1);
	words[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
without_memory_the_process_says_so_and_ends(void **state)
{
	char words[256];
	int how;

	(void)state;
#if IS_SANITIZED
	how = 1; /* the sanitizer ends the process itself in the other cases */
	assert_int_equal(ask_too_much(0, words, sizeof words), 2);
	assert_string_equal(words, "stfm: out of memory\n");
#else
	for (how = 0; how < 4; how++) {
		assert_int_equal(ask_too_much(how, words, sizeof words), 2);
		assert_string_equal(words, "stfm: out of memory\n");
	}
#endif
	(void)how;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_something_to_free),
	    cmocka_unit_test(copies_are_copies),
	    cmocka_unit_test(a_stream_writes_into_memory),
	    cmocka_unit_test(an_array_grows_item_by_item),
	    cmocka_unit_test(without_memory_the_process_says_so_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
