#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "slurm/partitions.h"
#include "status/partition-names.h"
#include "sys/fs.h"

/*
 * FRESH: seconds until names are old.  PATIENCE, LEISURE: milliseconds to wait
 * for Slurm in the foreground and in the background.  LIMIT: bytes of the file.
 */
enum { FRESH = 600, PATIENCE = 2000, LEISURE = 15000, LIMIT = 1 << 20 };

static const char name[] = "partitions";

/* Return a descriptor of the cache directory, or -1. */
static int
open_cache(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path;
	int dir;

	if (base != NULL && *base == '/')
		path = fs_join(base, "stfm");
	else if (home != NULL && *home == '/')
		path = fs_join(home, ".cache/stfm");
	else
		return -1;
	dir = fs_make_dirs_mode(path, 0700, NULL) == 0 ? fs_open_dir(path, NULL)
						       : -1;
	free(path);
	return dir;
}

/* Return the Slurm configuration's name, the first line of the file. */
static const char *
which(void)
{
	const char *configuration = getenv("SLURM_CONF");

	return configuration != NULL ? configuration : "";
}

/* Read the cached names.  Returns their age in seconds, or -1 for none. */
static int64_t
recall(int dir, struct strlist *out)
{
	char *text, *line, *rest;
	int64_t changed, age = -1;

	if (fs_read(dir, name, LIMIT, &text, NULL, NULL) == -1)
		return -1;
	rest = text;
	line = strsep(&rest, "\n");
	if (strcmp(line, which()) == 0 && rest != NULL &&
	    fs_changed(dir, name, &changed, NULL) == 0) {
		age = time(NULL) - changed;
		while ((line = strsep(&rest, "\n")) != NULL)
			if (*line != '\0')
				strlist_push(out, line);
	}
	free(text);
	return age < -FRESH ? FRESH + 1 : age;
}

/* Cache the names, even none, so that a hanging Slurm is rarely asked. */
static void
remember(int dir, const struct strlist *partitions)
{
	char *text, *temporary = xasprintf(".%016jx", (uintmax_t)fs_noise());
	size_t length, i;
	FILE *f = xmemopen(&text, &length);

	fprintf(f, "%s\n", which());
	for (i = 0; i < partitions->count; i++)
		fprintf(f, "%s\n", partitions->word[i]);
	xmemclose(f);
	if (fs_place(dir, temporary, text, length, NULL) != 0 ||
	    fs_rename(dir, temporary, dir, name, NULL) == -1)
		fs_unlink(dir, temporary, NULL);
	free(temporary);
	free(text);
}

/* Ask Slurm in a new process that keeps no pipe of the caller open. */
static void
ask_later(int dir)
{
	struct strlist partitions = {0};
	int null, i;

	if (fork() != 0)
		return;
	setsid();
	null = open("/dev/null", O_RDWR);
	for (i = 0; i <= 2; i++)
		dup2(null, i);
	if (queue_names(QUEUE_PARTITION_NAMES, LEISURE, &partitions, NULL) == 0)
		remember(dir, &partitions);
	_exit(0);
}

void
nodes_partition_names(struct strlist *out)
{
	int dir = open_cache(), fd;
	uint64_t size;
	int64_t age;

	if (dir == -1)
		return;
	age = recall(dir, out);
	if (age == -1) {
		queue_names(QUEUE_PARTITION_NAMES, PATIENCE, out, NULL);
		remember(dir, out);
	} else if (age > FRESH &&
	    (fd = fs_open_file(dir, name, &size, NULL)) != -1) {
		/* The file looks new now, so that only one process asks. */
		fs_touch(fd);
		fs_close(fd);
		ask_later(dir);
	}
	fs_close(dir);
}
