/*
 * A library to be loaded before others (LD_PRELOAD) that lets the program
 * named FAULT_PROGRAM run out of memory: its FAULT_N-th request for some is
 * refused, and with FAULT_LASTING all that follow.  FAULT_REPORT then has the
 * line "hit", or "missed COUNT" when there were fewer; 0 is never reached.
 *
 * Requests of getpwuid are neither refused nor counted: glibc 2.36 crashes when
 * it cannot allocate its NSS database, and no program can prevent that.
 */
#include <sys/mman.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What glibc calls the functions that are replaced here. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static unsigned long n;
static unsigned long *seen; /* shared with children */
static int armed, lasting;
static int in_glibc; /* within getpwuid */
static const char *report;

static void
say(const char *text)
{
	int fd = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		_exit(126);
	close(fd);
}

__attribute__((constructor)) static void
arm(void)
{
	const char *program = getenv("FAULT_PROGRAM");
	const char *number = getenv("FAULT_N");

	report = getenv("FAULT_REPORT");
	if (program == NULL || number == NULL || report == NULL ||
	    strcmp(program, program_invocation_short_name) != 0)
		return;
	n = strtoul(number, NULL, 10);
	lasting = getenv("FAULT_LASTING") != NULL;
	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	armed = seen != MAP_FAILED;
}

__attribute__((destructor)) static void
end(void)
{
	char text[64];

	if (!armed || (n != 0 && *seen >= n))
		return;
	snprintf(text, sizeof text, "missed %lu\n", *seen);
	say(text);
}

static int
is_refused(void)
{
	if (!armed || in_glibc)
		return 0;
	++*seen;
	if (n == 0 || (lasting ? *seen < n : *seen != n))
		return 0;
	if (*seen == n)
		say("hit memory\n");
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return is_refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	return is_refused() ? NULL : __libc_realloc(old, size);
}

struct passwd *
getpwuid(uid_t uid)
{
	struct passwd *(*real)(uid_t);
	struct passwd *found = NULL;

	in_glibc++;
	*(void **)&real = dlsym(RTLD_NEXT, "getpwuid");
	if (real != NULL)
		found = real(uid);
	in_glibc--;
	return found;
}
