#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "store/record.h"
#include "store/store.h"

enum { NAME_MAX_LENGTH = 100, PROGRAM_LIMIT = 64 << 20 };

char *
store_path(const char *option)
{
	const char *given = option ? option : getenv("STFM_DIR");
	char *path, *data;

	if (given != NULL && (given == option || *given != '\0'))
		return fs_absolute(given);
	path = fs_nearest(".stfm");
	if (path != NULL)
		return path;
	data = fs_xdg("XDG_DATA_HOME", ".local/share");
	path = data != NULL ? fs_join(data, "stfm") : fs_absolute(".stfm");
	free(data);
	return path;
}

int
store_format(const struct store *store, struct error *e)
{
	json_t *record = store_record_new();

	store_record_set_string(record, "format", "stfm-store");
	store_record_set_int(record, "min_read", STORE_VERSION);
	store_record_set_int(record, "min_write", STORE_VERSION);
	return store_record_publish(store->dir, "FORMAT", record, 0, e) == -1
	    ? -1
	    : 0;
}

/* Check that this program is new enough for its purpose. */
static int
check_format(
    const json_t *record, int purpose, const char *path, struct error *e)
{
	int64_t version = store_record_int(record, "v", 0);
	int64_t reads = store_record_int(record, "min_read", version);
	int64_t writes = store_record_int(record, "min_write", version);
	const char *verb = reads > STORE_VERSION ? "read" : "written to";

	if (reads <= STORE_VERSION &&
	    (purpose == STORE_READ || writes <= STORE_VERSION))
		return 0;
	return error_code(e, ERROR_NEWER,
	    "%s: written by a newer stfm (format %d, this one has %d) and not "
	    "to be %s by this one: use that one",
	    path, (int)version, STORE_VERSION, verb);
}

/* Return whether a directory is empty, except for the defaults of a project. */
static int
is_empty(int dir)
{
	struct fs_names names;
	int empty;

	if (fs_list(dir, &names, NULL) == -1)
		return 0;
	empty = names.count == 0 ||
	    (names.count == 1 && strcmp(names.name[0], "config.json") == 0);
	fs_names_free(&names);
	return empty;
}

static int
read_format(int dir, int purpose, const char *path, struct error *e)
{
	struct error why;
	json_t *record = store_record_load_to(
	    dir, "FORMAT", STORE_RECORD_LIMIT, INT64_MAX, &why);
	int rc;

	if (record == NULL && why.code == ERROR_ABSENT)
		return error_code(e, ERROR_ABSENT,
		    "%s: not a store of stfm (it has no FORMAT)%s", path,
		    is_empty(dir) ? "; stfm-submit makes one" : "");
	if (record == NULL)
		return error_copy(e, &why);
	rc = check_format(record, purpose, path, e);
	json_decref(record);
	return rc;
}

/* Create the missing parts of the store in an open directory. */
static int
furnish(int dir, const char *path, struct error *e)
{
	struct store store = {(char *)(uintptr_t)path, dir};
	static const char *const parts[] = {"jobs", "libexec", "trash"};
	struct stat st;
	size_t i;
	int fd;

	if (is_empty(dir)) {
		/* An empty directory was made for a store: close it. */
		if (fs_ops.fstat(dir, &st) == 0 && st.st_uid == geteuid())
			fchmod(dir, st.st_mode & 07755);
		if (store_check_owner(&store, e) == -1 ||
		    store_format(&store, e) == -1)
			return -1;
	}
	if (read_format(dir, STORE_MAKE, path, e) == -1 ||
	    store_check_owner(&store, e) == -1)
		return -1;
	for (i = 0; i < 3; i++) {
		fd = fs_open_subdir(dir, parts[i], 1, e);
		if (fd == -1)
			return -1;
		fs_close(fd);
	}
	return 0;
}

int
store_check_path(const char *path, struct error *e)
{
	if (strchr(path, '\\') == NULL)
		return 0;
	return error_set(e,
	    "%s: Slurm takes no backslash in the path of a log: name another "
	    "store with --store or STFM_DIR",
	    path);
}

struct store *
store_open(const char *option, int purpose, struct error *e)
{
	char *path = store_path(option);
	struct store *store;
	int dir = -1;

	if (purpose == STORE_MAKE &&
	    (store_check_path(path, e) == -1 ||
		fs_make_dirs_mode(path, FS_PROGRAM, e) == -1))
		goto fail;
	dir = fs_open_dir(path, e);
	if (dir == -1) {
		if (errno == ENOENT)
			error_code(e, ERROR_ABSENT,
			    "%s: no store here; stfm-submit makes one, "
			    "--store or STFM_DIR name another",
			    path);
		goto fail;
	}
	if (purpose != STORE_VERIFY &&
	    (purpose == STORE_MAKE ? furnish(dir, path, e)
				   : read_format(dir, purpose, path, e)) == -1)
		goto fail;
	store = xmalloc(sizeof *store);
	*store = (struct store){path, dir};
	return store;
fail:
	fs_close(dir);
	free(path);
	return NULL;
}

void
store_close(struct store *store)
{
	if (store == NULL)
		return;
	fs_close(store->dir);
	free(store->path);
	free(store);
}

int
store_jobs(const struct store *store, struct fs_names *out, struct error *e)
{
	int dir = fs_open_subdir(store->dir, "jobs", 0, e), rc;

	memset(out, 0, sizeof *out);
	if (dir == -1)
		return -1;
	rc = fs_list(dir, out, e);
	fs_close(dir);
	return rc;
}

int
store_check_name(const char *name, struct error *e)
{
	static const char hint[] =
	    "a job's name is made of letters, digits, '.', '_' and '-' and "
	    "begins with a letter or digit";
	const char *c;

	if (*name == '\0')
		return error_set(e, "empty name: %s", hint);
	for (c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) &&
		    (c == name || strchr("._-", *c) == NULL))
			return error_set(e, "%s: %s", name, hint);
	if (c - name > NAME_MAX_LENGTH)
		return error_set(e, "%.20s...: longer than %d characters", name,
		    NAME_MAX_LENGTH);
	/* Slurm's ids, such as 4102 and 4102_3, select tasks, too. */
	if (name[strspn(name, "0123456789_")] == '\0')
		return error_set(
		    e, "%s: looks like an id of Slurm; add a letter", name);
	return 0;
}

/* Return the name of a program in the store, with its checksum; to free. */
static char *
program_name(const char *program, uint32_t crc, size_t length)
{
	return xasprintf("%s-%08x-%zu", fs_base(program), crc, length);
}

char *
store_program(const char *path, const char *program, struct error *e)
{
	size_t length;
	uint32_t crc;

	if (fs_sum_path(program, PROGRAM_LIMIT, &crc, &length, e) == -1)
		return NULL;
	return xasprintf(
	    "%s/libexec/%s-%08x-%zu", path, fs_base(program), crc, length);
}

int
store_is_program(int dir, const char *name, struct error *e)
{
	const char *dash = strrchr(name, '-');
	char *base, *again;
	size_t length;
	uint32_t crc;
	int same;

	while (dash != NULL && dash > name && *--dash != '-')
		continue;
	if (dash == NULL || dash == name)
		return 0;
	if (fs_sum(dir, name, PROGRAM_LIMIT, &crc, &length, e) == -1)
		return -1;
	base = xstrndup(name, (size_t)(dash - name));
	again = program_name(base, crc, length);
	same = strcmp(again, name) == 0;
	free(base);
	free(again);
	return same;
}

/*
 * Check the program that tasks will run under this name.  Returns 0, 1 if it
 * does not exist, or -1 if it is something else.
 */
static int
check_program(int dir, const char *name, struct error *e)
{
	int same = store_is_program(dir, name, e);

	if (same == -1)
		return errno == ENOENT ? 1 : -1;
	if (same)
		return 0;
	return error_set(
	    e, "libexec/%s: damaged: it is not what its name says", name);
}

/* Copy a missing program; *name is set to the name for the bytes read. */
static int
copy_program(int dir, const char *program, char **name, struct error *e)
{
	char *bytes;
	size_t length;
	int rc;

	if (fs_read_path(program, PROGRAM_LIMIT, &bytes, &length, e) == -1)
		return -1;
	free(*name);
	*name = program_name(program, fs_crc32c(bytes, length), length);
	rc = fs_publish_mode(dir, *name, FS_PROGRAM, bytes, length, e);
	free(bytes);
	return rc == 1 ? check_program(dir, *name, e) : rc;
}

char *
store_install(const struct store *store, const char *program, struct error *e)
{
	char *name, *out = NULL;
	int dir, rc = -1;
	size_t length;
	uint32_t crc;

	if (fs_sum_path(program, PROGRAM_LIMIT, &crc, &length, e) == -1)
		return NULL;
	name = program_name(program, crc, length);
	dir = fs_open_subdir(store->dir, "libexec", 1, e);
	if (dir != -1)
		rc = check_program(dir, name, e);
	if (rc == 1)
		rc = copy_program(dir, program, &name, e);
	if (rc == 0)
		out = xasprintf("%s/libexec/%s", store->path, name);
	fs_close(dir);
	free(name);
	return out;
}

/*
 * Return whether a directory holds the record of the job with this id or, if id
 * is NULL, no readable record.
 */
static int
has_id(int parent, const char *name, const char *id)
{
	int dir = fs_open_subdir(parent, name, 0, NULL), same = 0;
	struct error why;
	json_t *record;

	if (dir == -1)
		return 0;
	record = store_record_load_to(
	    dir, "job.json", STORE_RECORD_LIMIT, STORE_JOB_VERSION, &why);
	if (id == NULL)
		same = record == NULL &&
		    (why.code == ERROR_ABSENT || why.code == ERROR_DAMAGED);
	else if (record != NULL && store_record_string(record, "id") != NULL)
		same = strcmp(store_record_string(record, "id"), id) == 0;
	json_decref(record);
	fs_close(dir);
	return same;
}

/* The directories between which a job moves. */
struct places {
	int jobs, trash;
};

static void
close_places(struct places *p)
{
	fs_close(p->trash);
	fs_close(p->jobs);
}

/* Open the directories for a job in the trash, and find its name there. */
static int
open_places(const struct store *store, const char *trash, struct places *p,
    const char **name, struct error *e)
{
	p->trash = -1;
	p->jobs = fs_open_subdir(store->dir, "jobs", 0, e);
	if (p->jobs != -1)
		p->trash = fs_open_parent(store->dir, trash, 0, name, e);
	if (p->trash != -1)
		return 0;
	close_places(p);
	return -1;
}

/*
 * Return a path for a job in the trash, to free.  If there is no trash and no
 * room to make one, the job becomes a scratch directory in jobs/.
 */
static char *
trash_path(const struct store *store, const char *job, struct error *e)
{
	int dir = fs_open_subdir(store->dir, "trash", 1, e);

	if (dir == -1 && !fs_is_full(errno))
		return NULL;
	if (dir == -1)
		return xasprintf("jobs/.t.%s.%016" PRIx64, job, fs_noise());
	fs_close(dir);
	return xasprintf("trash/%s.%016" PRIx64, job, fs_noise());
}

/*
 * Move the job with this id to the trash.  The id is checked before the move,
 * too: if this program is killed, no program puts another job back.
 */
static int
take(const struct places *p, const char *job, const char *id, const char *path,
    const char *name, struct error *e)
{
	struct stat st;
	int dir;

	if (fs_ops.fstatat(p->jobs, job, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !has_id(p->jobs, job, id))
		return error_set(e, "%s: it is another job by now", job);
	/* Old scratch directories are removed: make this one new. */
	if (*name == '.') {
		dir = fs_open_subdir(p->jobs, job, 0, NULL);
		if (dir != -1)
			fs_touch(dir);
		fs_close(dir);
	}
	if (fs_rename(p->jobs, job, p->trash, name, e) == -1)
		return -1;
	if (has_id(p->trash, name, id))
		return 0;
	if (fs_rename(p->trash, name, p->jobs, job, NULL) == 0)
		return error_set(e, "%s: it is another job by now", job);
	return error_set(e,
	    "%s: it is another job by now, and in %s: move it back within the "
	    "hour",
	    job, path);
}

char *
store_take(const struct store *store, const char *name, const char *id,
    struct error *e)
{
	const char *taken;
	struct places p;
	char *path;
	int rc;

	if (store_check_name(name, e) == -1)
		return NULL;
	path = trash_path(store, name, e);
	if (path == NULL)
		return NULL;
	rc = open_places(store, path, &p, &taken, e);
	if (rc == 0) {
		rc = take(&p, name, id, path, taken, e);
		close_places(&p);
	}
	if (rc == 0)
		return path;
	free(path);
	return NULL;
}

int
store_put_back(const struct store *store, const char *trash, const char *name,
    struct error *e)
{
	const char *taken;
	struct places p;
	int rc;

	if (open_places(store, trash, &p, &taken, e) == -1)
		return -1;
	rc = fs_rename(p.trash, taken, p.jobs, name, e);
	close_places(&p);
	return rc;
}

int
store_drop(const struct store *store, const char *trash, struct error *e)
{
	const char *taken;
	struct places p;
	int rc;

	if (open_places(store, trash, &p, &taken, e) == -1)
		return -1;
	rc = fs_remove_tree(p.trash, taken, e);
	if (rc == -1)
		error_prefix(e, "the job is removed, but not its files");
	close_places(&p);
	return rc;
}

int
store_remove(const struct store *store, const char *name, const char *id,
    struct error *e)
{
	char *trash = store_take(store, name, id, e);
	int rc;

	if (trash == NULL)
		return -1;
	rc = store_drop(store, trash, e);
	free(trash);
	return rc;
}

int
store_is_broken(const struct store *store, const char *name)
{
	int jobs = fs_open_subdir(store->dir, "jobs", 0, NULL);
	int broken = jobs != -1 && store_check_name(name, NULL) == 0 &&
	    has_id(jobs, name, NULL);

	fs_close(jobs);
	return broken;
}
