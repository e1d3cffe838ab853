#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "sandbox/private.h"
#include "sys/fs.h"

static const char cgroup_conf[] = "cgroup.conf";

/* All names that a sandbox creates in its directory. */
static const char *const made[] = {"munge", "run", "spool", "gpu", "log",
    "state", "slurm.conf", "gres.conf", cgroup_conf, "sandbox", "lock"};

enum { MADE = sizeof made / sizeof *made };

int
sandbox_makes(const char *name)
{
	return text_among(name, made, MADE) != -1;
}

static int
failed(const struct sandbox *s, const char *name, struct error *e)
{
	return error_errno(e, "%s/%s: cannot make", s->directory, name);
}

/* Remove all created names, except those in stay. */
static int
remove_made(int dir, const char *const stay[], size_t staying, struct error *e)
{
	enum { LONGEST = 1 << 20 };
	int keep = 0; /* the user's own cgroup.conf */
	size_t length, i;
	char *text;

	if (faccessat(dir, cgroup_conf, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		if (fs_read(dir, cgroup_conf, LONGEST, &text, &length, e) == -1)
			return -1;
		keep = !cluster_makes_cgroup_conf(text);
		free(text);
	}
	for (i = 0; i < MADE; i++)
		if (text_among(made[i], stay, staying) == -1 &&
		    !(keep && strcmp(made[i], cgroup_conf) == 0) &&
		    fs_remove_tree(dir, made[i], e) == -1)
			return -1;
	return 0;
}

/* Clear the directory, but not Slurm's job record: ids must not repeat. */
static int
clear(int dir, struct error *e)
{
	static const char *const stay[] = {"state", "lock"};
	int state, rc;

	if (remove_made(dir, stay, 2, e) == -1)
		return -1;
	state = fs_open_subdir(dir, "state", 1, e);
	if (state == -1)
		return -1;
	/* Without it, nodes that were drained or down are usable again. */
	rc = fs_unlink(state, "node_state", e);
	if (rc == 0)
		rc = fs_unlink(state, "node_state.old", e);
	fs_close(state);
	return rc;
}

static int
make_directory(
    const struct sandbox *s, int dir, const char *name, struct error *e)
{
	/* Other users' jobs must reach munged; only root can run such jobs. */
	if (mkdirat(dir, name, 0700) == -1 ||
	    fchmodat(dir, name, geteuid() == 0 ? 0711 : 0700, 0) == -1)
		return failed(s, name, e);
	return 0;
}

static int
make_directories(const struct sandbox *s, int dir, struct error *e)
{
	static const char *const names[] = {
	    "munge", "run", "spool", "gpu", "log"};
	char name[32];
	size_t k;
	int i;

	for (k = 0; k < sizeof names / sizeof *names; k++)
		if (make_directory(s, dir, names[k], e) == -1)
			return -1;
	for (i = 1; i <= s->plan.nodes; i++) {
		snprintf(name, sizeof name, "spool/n%d", i);
		if (make_directory(s, dir, name, e) == -1)
			return -1;
	}
	/* Slurm needs a device file for each GPU, but never reads it. */
	for (i = 0; i < s->plan.gpus; i++) {
		snprintf(name, sizeof name, "gpu/nvidia%d", i);
		if (symlinkat("/dev/null", dir, name) == -1)
			return failed(s, name, e);
	}
	return 0;
}

static int
put_file(const struct sandbox *s, int dir, const char *name, mode_t mode,
    const char *text, size_t length, struct error *e)
{
	int fd, rc = 0;

	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd == -1)
		return failed(s, name, e);
	if (fchmod(fd, mode) == -1 ||
	    write(fd, text, length) != (ssize_t)length)
		rc = failed(s, name, e);
	if (close(fd) == -1 && rc == 0)
		rc = failed(s, name, e);
	return rc;
}

static void
print_record(const struct cluster *c, FILE *out)
{
	fprintf(out, "nodes %d\ngpus %d\ncpus %d\nport %d\nslurm %d\n",
	    c->nodes, c->gpus, c->cpus, c->port, c->version);
}

static int
put_files(const struct sandbox *s, int dir, struct error *e)
{
	static const struct {
		const char *name;
		void (*print)(const struct cluster *, FILE *);
	} texts[] = {
	    {"slurm.conf", cluster_slurm_conf},
	    {"gres.conf", cluster_gres_conf},
	    {cgroup_conf, cluster_cgroup_conf},
	    {"sandbox", print_record},
	};
	static const char key_name[] = "munge/munge.key";
	char key[128], *text;
	size_t length, i;
	FILE *f;
	int rc;

	if (getrandom(key, sizeof key, 0) != sizeof key)
		return failed(s, key_name, e);
	rc = put_file(s, dir, key_name, 0600, key, sizeof key, e);
	for (i = 0; i < sizeof texts / sizeof *texts && rc == 0; i++) {
		if (texts[i].print == cluster_cgroup_conf &&
		    faccessat(dir, cgroup_conf, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		f = xmemopen(&text, &length);
		texts[i].print(&s->plan, f);
		xmemclose(f);
		if (length > 0)
			rc = put_file(
			    s, dir, texts[i].name, 0644, text, length, e);
		free(text);
	}
	return rc;
}

int
sandbox_set_up(struct sandbox *s, struct error *e)
{
	int dir = fs_open_dir(s->directory, e), rc;

	if (dir == -1)
		return -1;
	rc = clear(dir, e);
	if (rc == 0)
		rc = make_directories(s, dir, e);
	if (rc == 0)
		rc = put_files(s, dir, e);
	fs_close(dir);
	return rc;
}

int
sandbox_delete(struct sandbox *s, struct error *e)
{
	int dir, rc;

	dir = fs_open_dir(s->directory, e);
	if (dir == -1)
		return errno == ENOENT ? 0 : -1;
	rc = remove_made(dir, NULL, 0, e);
	fs_close(dir);
	if (rc == -1)
		return -1;
	if (rmdir(s->directory) == -1 && errno != ENOENT &&
	    errno != ENOTEMPTY && errno != EBUSY)
		return error_errno(e, "%s: cannot remove", s->directory);
	return 0;
}
