#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lex.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "job/container.h"
#include "sandbox/sandbox.h"
#include "store/job.h"
#include "sys/fs.h"
#include "sys/proc.h"

/* The size limit of a bundle's configuration. */
enum { BUNDLE_LIMIT = 4 << 20 };

static const char *const runtimes[] = {
    "apptainer", "singularity", "pyxis", "slurm"};
enum { APPTAINER, SINGULARITY, PYXIS, SLURM, RUNTIMES };

static int
runtime_of(const struct store_job *job)
{
	int i = -1;

	if (job->container_runtime != NULL)
		i = text_among(job->container_runtime, runtimes, RUNTIMES);
	return i != -1 ? i : APPTAINER;
}

int
job_container_runtime(const char *name, struct error *e)
{
	char hint[TEXT_HINT];

	if (text_among(name, runtimes, RUNTIMES) != -1)
		return 0;
	return error_set(e, "--container-runtime=%s: %s", name,
	    text_hint(name, runtimes, RUNTIMES,
		"choose apptainer, singularity, pyxis or slurm", hint));
}

int
job_container_by_srun(const struct store_job *job)
{
	return job->container != NULL && runtime_of(job) >= PYXIS;
}

int
job_container_is_beside(const struct store_job *job)
{
	return job->dist != NULL || job_container_by_srun(job);
}

/* ---- at submission ---- */

/* Return whether the image is a file or directory, not a name in a registry. */
static int
is_path(const struct store_job *job)
{
	if (runtime_of(job) == PYXIS)
		return strchr("/.", *job->container) != NULL;
	return strstr(job->container, "://") == NULL;
}

/* Return a text that changes with the file, to free, or NULL. */
static char *
state_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1 || !S_ISREG(st.st_mode))
		return NULL;
	return xasprintf(
	    "%jd %jd", (intmax_t)st.st_size, (intmax_t)st.st_mtime);
}

/* Choose a runtime that is installed here: the nodes mostly have it as well. */
static int
find_runtime(struct store_job *job, struct error *e)
{
	const char *path = getenv("PATH");
	char *program;
	int i;

	for (i = APPTAINER; i <= SINGULARITY; i++) {
		program = proc_find(runtimes[i], path != NULL ? path : "");
		free(program);
		if (program != NULL) {
			job->container_runtime = xstrdup(runtimes[i]);
			return 0;
		}
	}
	return error_set(e,
	    "--container=%s: neither apptainer nor singularity is here (in "
	    "PATH): say what the nodes have with --container-runtime, which "
	    "can be pyxis or slurm as well; stfm-check looks there",
	    job->container);
}

int
job_container_complete(struct store_job *job, struct error *e)
{
	char *path, *source, *bind;
	size_t i, n;

	/* Other container options may be defaults: drop them. */
	if (job->container == NULL || strcmp(job->container, "none") == 0) {
		free(job->container);
		job->container = NULL;
		strlist_free(&job->container_bind);
		free(job->container_runtime);
		job->container_runtime = NULL;
		return 0;
	}
	if (*job->container == '\0')
		return error_set(e, "--container: empty");
	if (job->container_runtime == NULL && find_runtime(job, e) == -1)
		return -1;
	if (job->dist != NULL && runtime_of(job) == SLURM)
		return error_set(e,
		    "--dist: Slurm's own containers cannot have ranks: use "
		    "--container-runtime apptainer or pyxis");
	if (is_path(job)) {
		path = fs_absolute(job->container);
		free(job->container);
		job->container = path;
		job->container_state = state_of(path);
	}
	for (i = 0; i < job->container_bind.count; i++) {
		bind = job->container_bind.word[i];
		n = strcspn(bind, ":");
		source = xstrndup(bind, n);
		path = fs_absolute(source);
		job->container_bind.word[i] = xasprintf("%s%s", path, bind + n);
		free(source);
		free(path);
		free(bind);
	}
	return 0;
}

static int
is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	while (n > 0 && top[n - 1] == '/')
		n--;
	return strncmp(path, top, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0');
}

/* Return whether two paths are on one file system, as far as they exist. */
static int
is_beside(const char *a, const char *b)
{
	char *at = xstrdup(b), *slash;
	struct stat one, two;
	int same;

	while (
	    !fs_exists(at) && (slash = strrchr(at, '/')) != NULL && slash != at)
		*slash = '\0';
	same = stat(a, &one) == 0 && stat(at, &two) == 0 &&
	    one.st_dev == two.st_dev;
	free(at);
	return same;
}

/* Refuse an image in a local directory, unless the store is there, too. */
static int
check_seen(const struct store_job *job, const char *store, struct error *e)
{
	static const char *const local[] = {
	    "/tmp", "/var/tmp", "/dev/shm", "/run"};
	char *real = realpath(job->container, NULL);
	int rc = 0;
	size_t i;

	for (i = 0; real != NULL && i < sizeof local / sizeof *local; i++)
		if (is_below(real, local[i]) && !is_beside(real, store))
			rc = error_set(e,
			    "--container=%s: %s is of this machine alone, and "
			    "the nodes do not see it: put the image where the "
			    "store is (%s); --no-check to go on all the same",
			    job->container, local[i], store);
	free(real);
	return rc;
}

/* Find the member of an object with this name; return whether there is one. */
static int
member(const struct lex *object, const char *name, struct lex *out)
{
	struct lex_members members;
	struct lex key;

	if (object->kind != LEX_OBJECT)
		return 0;
	lex_members(&members, object);
	while (lex_next(&members, &key, out))
		if (lex_is(&key, name))
			return 1;
	return 0;
}

/* Return whether one of the mounts of a bundle has a path. */
static int
is_mounted(const struct lex *bundle, const char *path)
{
	struct lex_members of;
	struct lex mounts, mount, destination;
	char *there;
	int has = 0;

	if (!member(bundle, "mounts", &mounts) || mounts.kind != LEX_ARRAY)
		return 0;
	lex_members(&of, &mounts);
	while (!has && lex_next(&of, NULL, &mount)) {
		if (!member(&mount, "destination", &destination) ||
		    destination.kind != LEX_STRING)
			continue;
		there = lex_string(&destination);
		has = is_below(path, there);
		free(there);
	}
	return has;
}

/* Check the mounts of a bundle, since Slurm adds none. */
static int
check_bundle(const struct store_job *job, const char *store, struct error *e)
{
	char *path = fs_join(job->container, "config.json"), *text = NULL;
	const char *needed[] = {store, job->directory};
	struct lex bundle;
	size_t length, i;
	int rc = fs_read_path(path, BUNDLE_LIMIT, &text, &length, NULL);

	if (rc == -1)
		error_set(e,
		    "--container=%s: no bundle of the Open Container "
		    "Initiative, which is a directory with a config.json: "
		    "Slurm runs nothing else",
		    job->container);
	else if (lex_parse(text, length, 1, &bundle, e) == -1)
		rc = error_prefix(e, path);
	for (i = 0; rc == 0 && i < sizeof needed / sizeof *needed; i++)
		if (!is_mounted(&bundle, needed[i]))
			rc = error_set(e,
			    "--container=%s: no mount in its config.json has "
			    "%s, which the training needs, and Slurm adds none",
			    job->container, needed[i]);
	free(text);
	free(path);
	return rc;
}

/* Check paths that go into lists of binds, which use ':' and ','. */
static int
check_binds(const struct store_job *job, const char *store, struct error *e)
{
	const char *paths[] = {store, job->directory, job->code.root}, *bind;
	char *from;
	int is_there;
	size_t i;

	for (i = 0; i < sizeof paths / sizeof *paths; i++)
		if (paths[i] != NULL && strpbrk(paths[i], ":,") != NULL)
			return error_set(e,
			    "--container: %s: a path with ':' or ',' cannot be "
			    "bound into a container",
			    paths[i]);
	for (i = 0; i < job->container_bind.count; i++) {
		bind = job->container_bind.word[i];
		from = xstrndup(bind, strcspn(bind, ":"));
		is_there = fs_exists(from);
		free(from);
		if (!is_there || strchr(bind, ',') != NULL)
			return error_set(e, "--container-bind=%s: %s", bind,
			    is_there ? "a ',' cannot be in it: give the option "
				       "once for each"
				     : "it is not there");
	}
	return 0;
}

int
job_container_check(
    const struct store_job *job, const char *store, struct error *e)
{
	if (job->container == NULL)
		return 0;
	if (is_path(job) && access(job->container, R_OK) == -1) {
		if (errno == ENOENT && strchr(job->container, '/') != NULL)
			return error_set(e,
			    "--container=%s: no such image; one in a registry "
			    "has its transport before its name (docker://...)",
			    job->container);
		return error_errno(e, "--container=%s", job->container);
	}
	if (is_path(job) && check_seen(job, store, e) == -1)
		return -1;
	if (check_binds(job, store, e) == -1)
		return -1;
	if (runtime_of(job) != SLURM)
		return 0;
	if (job->container_bind.count > 0)
		return error_set(e,
		    "--container-bind: Slurm's own containers have the mounts "
		    "of their config.json alone");
	return check_bundle(job, store, e);
}

/* ---- on the node ---- */

int
job_container_stands(const struct store_job *job, char **note, struct error *e)
{
	char *now;

	*note = NULL;
	if (job->container == NULL || !is_path(job))
		return 0;
	if (access(job->container, R_OK) == -1)
		return error_errno(
		    e, "%s: the image of the container", job->container);
	if (job->container_state == NULL)
		return 0;
	now = state_of(job->container);
	if (now == NULL || strcmp(now, job->container_state) != 0)
		*note = xasprintf("%s is not the image any more that it was "
				  "when the job was submitted",
		    job->container);
	free(now);
	return 0;
}

enum job_container_gpu
job_container_gpus(void)
{
	static const char *const names[] = {"CUDA_VISIBLE_DEVICES",
	    "ROCR_VISIBLE_DEVICES", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS"};
	const char *text;
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		text = getenv(names[i]);
		if (text == NULL || *text == '\0' ||
		    strcmp(text, "NoDevFiles") == 0)
			continue;
		/* Slurm sets the variables for all vendors. */
		return fs_exists("/dev/kfd") && !fs_exists("/dev/nvidiactl")
		    ? CONTAINER_AMD
		    : CONTAINER_NVIDIA;
	}
	return CONTAINER_CPU;
}

/* ---- command lines ---- */

/* Add a directory, unless it is the root or inside one in the list. */
static void
add_place(struct strlist *places, const char *path)
{
	size_t i;

	if (path == NULL || strcmp(path, "/") == 0)
		return;
	for (i = 0; i < places->count; i++)
		if (is_below(path, places->word[i]))
			return;
	strlist_push(places, path);
}

/* Add the directory of a file. */
static void
add_parent(struct strlist *places, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *directory;

	if (slash == NULL || slash == file || strncmp(file, "/dev/", 5) == 0)
		return;
	directory = xstrndup(file, (size_t)(slash - file));
	add_place(places, directory);
	free(directory);
}

/* Add all binds, as SOURCE:DESTINATION[:ro]; files may be NULL. */
static void
add_binds(const struct store_job *job, const struct strlist *files,
    struct strlist *out)
{
	struct strlist places = {0};
	const char *bind;
	size_t i;

	add_place(&places, job->code.root);
	add_place(&places, job->directory);
	add_place(&places, job->path);
	for (i = 0; files != NULL && i < files->count; i++)
		add_parent(&places, files->word[i]);
	for (i = 0; i < places.count; i++)
		strlist_take(
		    out, xasprintf("%s:%s", places.word[i], places.word[i]));
	strlist_free(&places);
	for (i = 0; i < job->container_bind.count; i++) {
		bind = job->container_bind.word[i];
		strlist_take(out,
		    strchr(bind, ':') != NULL ? xstrdup(bind)
					      : xasprintf("%s:%s", bind, bind));
	}
}

void
job_container_wrap(const struct store_job *job, enum job_container_gpu gpu,
    struct strlist *command)
{
	/* In a bundle, only the process itself can change its directory. */
	static const char *const change[] = {
	    "/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh"};
	struct strlist all = {0}, binds = {0};
	size_t i;

	if (job->container == NULL || runtime_of(job) == PYXIS)
		return;
	if (runtime_of(job) == SLURM) {
		for (i = 0; i < sizeof change / sizeof *change; i++)
			strlist_push(&all, change[i]);
		strlist_take(&all, store_job_place(job));
		strlist_put_before(command, &all);
		return;
	}
	strlist_push(&all, runtimes[runtime_of(job)]);
	strlist_push(&all, "exec");
	if (gpu != CONTAINER_CPU)
		strlist_push(&all, gpu == CONTAINER_AMD ? "--rocm" : "--nv");
	add_binds(job, NULL, &binds);
	for (i = 0; i < binds.count; i++) {
		strlist_push(&all, "--bind");
		strlist_push(&all, binds.word[i]);
	}
	strlist_push(&all, "--pwd");
	strlist_take(&all, store_job_place(job));
	strlist_push(&all, job->container);
	strlist_free(&binds);
	strlist_put_before(command, &all);
}

void
job_container_options(const struct store_job *job, const struct strlist *files,
    struct strlist *out)
{
	struct strlist binds = {0};
	char *place, *list;

	if (!job_container_by_srun(job))
		return;
	if (runtime_of(job) == SLURM) {
		strlist_take(out, xasprintf("--container=%s", job->container));
		return;
	}
	add_binds(job, files, &binds);
	list = strlist_join(&binds, ",");
	place = store_job_place(job);
	strlist_take(out, xasprintf("--container-image=%s", job->container));
	strlist_take(out, xasprintf("--container-mounts=%s", list));
	strlist_take(out, xasprintf("--container-workdir=%s", place));
	strlist_free(&binds);
	free(list);
	free(place);
}

void
job_container_step(const struct store_job *job, struct strlist *command)
{
	const char *cpus = getenv("SLURM_CPUS_PER_TASK");
	struct strlist all = {0};

	if (!job_container_by_srun(job))
		return;
	strlist_push(&all, "srun");
	strlist_push(&all, "--export=ALL");
	strlist_push(&all, "--nodes=1");
	strlist_push(&all, "--ntasks=1");
	if (cpus != NULL) /* since 22.05 srun ignores this variable */
		strlist_take(&all, xasprintf("--cpus-per-task=%s", cpus));
	job_container_options(job, NULL, &all);
	strlist_put_before(command, &all);
}
