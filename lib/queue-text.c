/* What is needed to ask Slurm by its commands, without its library. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "num.h"
#include "queue-own.h"
#include "xalloc.h"

extern char **environ;

/* The longest time that may be asked for, in seconds. */
enum { LONGEST = 3600 };

int
queue_refuse(int number, struct error *e, const char *fmt, ...)
{
	struct error why;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why.text, sizeof why.text, fmt, ap);
	va_end(ap);
	error_set(e, "%s", why.text);
	errno = number;
	return -1;
}

int
queue_deadline(
    const char *variable, int64_t standard, int64_t *ms, struct error *e)
{
	const char *text = getenv(variable);
	int64_t seconds = standard;

	if (text != NULL && *text != '\0' &&
	    num_int(variable, text, 1, LONGEST, &seconds, e) == -1) {
		errno = EIO;
		return -1;
	}
	*ms = seconds * 1000;
	return 0;
}

/* Slurm would look for a missing file for a minute. */
int
queue_check_configuration(struct error *e)
{
	const char *path = getenv("SLURM_CONF");

	if (path == NULL || access(path, R_OK) == 0)
		return 0;
	return queue_refuse(ENOENT, e, "no Slurm here: SLURM_CONF=%s: %s", path,
	    strerror(errno));
}

static int
begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* What would change the question or how the answer is written. */
static int
is_dropped(const char *entry)
{
	static const char *const kept[] = {
	    "SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_JWT="};
	size_t i;

	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		if (begins(entry, kept[i]))
			return 0;
	return begins(entry, "SLURM_") || begins(entry, "SACCT_") ||
	    begins(entry, "SQUEUE_") || begins(entry, "LC_ALL=");
}

char **
queue_environ(void)
{
	/* The second is for lists of tasks, or they are cut. */
	static const char *const set[] = {
	    "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0", "LC_ALL=C"};
	size_t extra = sizeof set / sizeof *set, count = 0, n = 0, i;
	char **env;

	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + extra + 1, sizeof *env);
	for (i = 0; i < count; i++)
		if (!is_dropped(environ[i]))
			env[n++] = environ[i];
	for (i = 0; i < extra; i++)
		env[n++] = (char *)(uintptr_t)set[i];
	return env;
}
