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

/* All that is ever made in the directory. */
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

/*
 * Whether the directory has a cgroup.conf that somebody else wrote: it stays.
 * Returns 1 or 0, or -1 when it cannot be read.
 */
static int
has_cgroup_conf(int dir, struct error *e)
{
	enum { LONGEST = 1 << 20 };
	size_t length;
	char *text;
	int is_other;

	if (faccessat(dir, cgroup_conf, F_OK, AT_SYMLINK_NOFOLLOW) == -1)
		return 0;
	if (fs_read(dir, cgroup_conf, LONGEST, &text, &length, e) == -1)
		return -1;
	is_other = !cluster_makes_cgroup_conf(text);
	free(text);
	return is_other;
}

/* Remove what was made, but for what stays. */
static int
remove_made(int dir, const char *const stay[], size_t staying, struct error *e)
{
	int keep = has_cgroup_conf(dir, e);
	size_t i;

	if (keep == -1)
		return -1;
	for (i = 0; i < MADE; i++)
		if (text_among(made[i], stay, staying) == -1 &&
		    !(keep && strcmp(made[i], cgroup_conf) == 0) &&
		    fs_remove_tree(dir, made[i], e) == -1)
			return -1;
	return 0;
}

/* Slurm's record of jobs stays, so that no job id is given twice. */
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
	/* But a node that was drained or down is a new one now. */
	rc = fs_unlink(state, "node_state", e);
	if (rc == 0)
		rc = fs_unlink(state, "node_state.old", e);
	fs_close(state);
	return rc;
}

/* Other users' jobs have to reach munged, if only root can have them. */
static mode_t
directory_mode(void)
{
	return geteuid() == 0 ? 0711 : 0700;
}

static int
make_directory(
    const struct sandbox *s, int dir, const char *name, struct error *e)
{
	if (mkdirat(dir, name, 0700) == -1 ||
	    fchmodat(dir, name, directory_mode(), 0) == -1)
		return failed(s, name, e);
	return 0;
}

static int
make_directories(const struct sandbox *s, int dir, struct error *e)
{
	static const char *const names[] = {
	    "munge", "run", "spool", "gpu", "log"};
	char name[32];
	size_t i;
	int node;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (make_directory(s, dir, names[i], e) == -1)
			return -1;
	for (node = 1; node <= s->plan.nodes; node++) {
		snprintf(name, sizeof name, "spool/n%d", node);
		if (make_directory(s, dir, name, e) == -1)
			return -1;
	}
	return 0;
}

/* Slurm wants a device for each GPU and looks at nothing else of it. */
static int
make_gpus(const struct sandbox *s, int dir, struct error *e)
{
	char name[32];
	int i;

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

static int
put_text(const struct sandbox *s, int dir, const char *name,
    void (*print)(const struct cluster *, FILE *), struct error *e)
{
	char *text = NULL;
	size_t length;
	FILE *f = xmemopen(&text, &length);
	int rc = 0;

	print(&s->plan, f);
	xmemclose(f);
	if (length > 0)
		rc = put_file(s, dir, name, 0644, text, length, e);
	free(text);
	return rc;
}

static void
print_record(const struct cluster *c, FILE *out)
{
	fprintf(out, "nodes %d\ngpus %d\ncpus %d\nport %d\nslurm %d\n",
	    c->nodes, c->gpus, c->cpus, c->port, c->version);
}

static int
put_key(const struct sandbox *s, int dir, struct error *e)
{
	static const char name[] = "munge/munge.key";
	char key[128];

	if (getrandom(key, sizeof key, 0) != sizeof key)
		return failed(s, name, e);
	return put_file(s, dir, name, 0600, key, sizeof key, e);
}

static int
put_texts(const struct sandbox *s, int dir, struct error *e)
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
	size_t i;

	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!(texts[i].print == cluster_cgroup_conf &&
			faccessat(dir, cgroup_conf, F_OK,
			    AT_SYMLINK_NOFOLLOW) == 0) &&
		    put_text(s, dir, texts[i].name, texts[i].print, e) == -1)
			return -1;
	return 0;
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
		rc = make_gpus(s, dir, e);
	if (rc == 0)
		rc = put_key(s, dir, e);
	if (rc == 0)
		rc = put_texts(s, dir, e);
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
