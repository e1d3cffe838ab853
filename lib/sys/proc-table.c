#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "sys/fs.h"
#include "sys/proc-table.h"

/* The largest size of an environment or a command line. */
enum { LIMIT = 16 << 20 };

int
proc_all(int own, pid_t **out, size_t *count, struct error *e)
{
	int proc = fs_open_dir("/proc", e), rc;
	struct fs_names names;
	struct stat st;
	int64_t pid;
	size_t i;

	*out = NULL;
	*count = 0;
	if (proc == -1)
		return -1;
	rc = fs_list(proc, &names, e);
	for (i = 0; i < names.count; i++) {
		if (num_int("", names.name[i], 1, INT_MAX, &pid, NULL) == -1)
			continue;
		if (own &&
		    (fs_ops.fstatat(proc, names.name[i], &st, 0) == -1 ||
			st.st_uid != getuid()))
			continue;
		*out = xgrow(*out, *count, sizeof **out);
		(*out)[(*count)++] = (pid_t)pid;
	}
	fs_names_free(&names);
	fs_close(proc);
	return rc;
}

char *
proc_file(pid_t pid, const char *name, size_t *length)
{
	char path[64], *text;

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	if (fs_read_path(path, LIMIT, &text, length, NULL) == -1)
		return NULL;
	return text;
}

int
proc_stat_read(const char *text, struct proc_stat *out)
{
	/* The name of a program may contain any character, even parentheses. */
	const char *rest = strrchr(text, ')');
	long pid, parent, children_user, children_system, pages;
	unsigned long user, system;
	unsigned long long start;
	char state;

	if (rest == NULL || sscanf(text, "%ld (", &pid) != 1 ||
	    sscanf(rest + 1,
		" %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld "
		"%*d %*d %*d %*d %llu %*u %ld",
		&state, &parent, &user, &system, &children_user,
		&children_system, &start, &pages) != 8)
		return -1;
	*out = (struct proc_stat){.pid = (pid_t)pid,
	    .parent = (pid_t)parent,
	    .ticks = (double)user + (double)system + (double)children_user +
		(double)children_system,
	    .pages = (double)pages,
	    .start = (int64_t)start,
	    .state = state};
	return 0;
}

int
proc_stat(pid_t pid, struct proc_stat *out)
{
	char *text = proc_file(pid, "stat", NULL);
	int rc = text != NULL ? proc_stat_read(text, out) : -1;

	free(text);
	return rc;
}
