/* The files of a snapshot in a git work tree, and their commit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "base/xalloc.h"
#include "snapshot/private.h"
#include "sys/fs.h"
#include "sys/proc.h"

extern char **environ;

/* GIT_MS: milliseconds for one call of git.  WORDS: its most arguments. */
enum { GIT_MS = 30000, WORDS = 24 };

/* Most untracked paths in the record; the list of copies has all of them. */
enum { UNTRACKED = 1000 };

struct git {
	struct snapshot *s;
	struct strlist environment;
};

/* Return whether a variable could change git's repository or language. */
static int
misleads(const char *variable)
{
	static const char *const kept[] = {
	    "GIT_CONFIG", "GIT_CEILING_", "GIT_DISCOVERY_", "GIT_EXEC_PATH"};
	size_t i;

	if (strncmp(variable, "LC_ALL=", 7) == 0)
		return 1;
	if (strncmp(variable, "GIT_", 4) != 0)
		return 0;
	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		if (strncmp(variable, kept[i], strlen(kept[i])) == 0)
			return 0;
	return 1;
}

/*
 * Run git in a directory, read-only: git takes no lock and starts no program of
 * the repository.  Returns 0 with *r filled, or -1.
 */
static int
run(const struct git *g, const char *directory, const char *const *words,
    struct proc_result *r, struct error *e)
{
	static const char *const begin[] = {"git", "-C", NULL, "-c",
	    "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
	    "--no-pager"};
	enum { BEGIN = sizeof begin / sizeof *begin };
	char *argv[BEGIN + WORDS + 1];
	size_t n;

	for (n = 0; n < BEGIN; n++)
		argv[n] = (char *)(uintptr_t)(n == 2 ? directory : begin[n]);
	for (; *words != NULL && n < BEGIN + WORDS; words++)
		argv[n++] = (char *)(uintptr_t)*words;
	argv[n] = NULL;
	if (proc_run(argv, g->environment.word, GIT_MS, r, e) == -1)
		return -1;
	if (!r->timed_out)
		return 0;
	proc_result_free(r);
	return error_set(e,
	    "%s: git %s takes longer than %d seconds: --no-snapshot runs the "
	    "code where it is",
	    directory, argv[BEGIN], GIT_MS / 1000);
}

/* Run git.  Returns its first line of output, to free, or NULL. */
static char *
ask(const struct git *g, const char *const *words)
{
	struct proc_result r;
	char *out = NULL;

	if (run(g, g->s->root, words, &r, NULL) == -1)
		return NULL;
	if (proc_ok(&r) && r.out[0] != '\0')
		out = xstrndup(r.out, strcspn(r.out, "\n"));
	proc_result_free(&r);
	return out;
}

/* Return whether directory or a parent of it may be a git work tree. */
static int
seems_git(const char *directory)
{
	char *path = xstrdup(directory), *at, *slash;
	int found = 0;

	while (!found) {
		at = fs_join(path, ".git");
		found = access(at, F_OK) == 0;
		free(at);
		slash = strrchr(path, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	free(path);
	return found;
}

/* Return the first line of git's error message; to free. */
static char *
complaint(const struct proc_result *r)
{
	const char *text = r->complaint;

	if (strncmp(text, "fatal: ", 7) == 0)
		text += 7;
	return xasprintf("git: %.*s", (int)strcspn(text, "\n"), text);
}

/*
 * Split directory into root and work by git's output, "true\nsub/directory/\n".
 * Returns whether directory is in a work tree.
 */
static int
take_prefix(struct snapshot *s, const char *directory, const char *out)
{
	size_t length, whole = strlen(directory);

	if (strncmp(out, "true\n", 5) != 0)
		return 0;
	out += 5;
	length = strlen(out);
	while (length > 0 && strchr("\n/", out[length - 1]) != NULL)
		length--;
	if (length >= whole ||
	    memcmp(directory + whole - length, out, length) != 0)
		return 0;
	s->work = xstrndup(out, length);
	s->root = xstrndup(directory, whole - length - (length > 0));
	return 1;
}

/* Find the root of the work tree.  Returns 1, 0 or -1 as snapshot_git does. */
static int
find_root(const struct git *g, const char *directory, struct error *e)
{
	static const char *const words[] = {
	    "rev-parse", "--is-inside-work-tree", "--show-prefix", NULL};
	struct proc_result r;
	int found = 0;

	if (!seems_git(directory))
		return 0;
	errno = 0;
	if (run(g, directory, words, &r, e) == -1) {
		if (errno != ENOENT)
			return -1;
		g->s->why = xstrdup("git is not installed here");
		return 0;
	}
	if (proc_ok(&r))
		found = take_prefix(g->s, directory, r.out);
	else
		g->s->why = complaint(&r);
	proc_result_free(&r);
	return found;
}

/* ---- files ---- */

static int
list(const struct git *g, const char *const *words, struct proc_result *r,
    struct error *e)
{
	char *why;

	if (run(g, g->s->root, words, r, e) == -1)
		return -1;
	if (proc_ok(r))
		return 0;
	why = complaint(r);
	error_set(e, "%s: %s (--no-snapshot runs the code where it is)",
	    g->s->root, why);
	free(why);
	proc_result_free(r);
	return -1;
}

static int
add_tracked(
    const struct git *g, const struct patterns *patterns, struct error *e)
{
	static const char *const words[] = {
	    "ls-files", "-z", "--cached", "--recurse-submodules", NULL};
	struct snapshot *s = g->s;
	struct proc_result r;
	const char *path;

	if (list(g, words, &r, e) == -1)
		return -1;
	for (path = r.out; path < r.out + r.length; path += strlen(path) + 1)
		if (!patterns_leave(patterns, path, s->work))
			node_add(s->top, path, NODE_FILE)->tracked = 1;
	proc_result_free(&r);
	return 0;
}

/* Return a path below the root as an --exclude option for git; to free. */
static char *
ignore(const char *path)
{
	size_t length;
	char *text;
	FILE *f = xmemopen(&text, &length);

	fputs("--exclude=/", f);
	for (; *path != '\0'; path++) {
		if (strchr("*?[\\", *path) != NULL)
			putc('\\', f);
		putc(*path, f);
	}
	xmemclose(f);
	return text;
}

/*
 * Return whether a path is in a directory for data or results, of the root or
 * of work.
 */
static int
is_in_data(const char *path, const char *work)
{
	size_t n = strlen(work);
	char *first;
	int data;

	if (n > 0 && strncmp(path, work, n) == 0 && path[n] == '/')
		path += n + 1;
	n = strcspn(path, "/");
	first = xstrndup(path, n);
	data = path[n] == '/' && (is_data(first) || is_results(first));
	free(first);
	return data;
}

static int
add_untracked(const struct git *g, const struct patterns *patterns,
    const char *store, struct error *e)
{
	/* Directories for results may be huge. */
	static const char *const left_out[] = {".stfm/", "wandb/", "mlruns/",
	    "lightning_logs/", "outputs/", "multirun/", "/results/", "/runs/",
	    "/logs/", "/checkpoints/"};
	struct snapshot *s = g->s;
	struct strlist words = {0};
	struct proc_result r;
	const char *path, *base;
	size_t n = strlen(s->root), i;
	int rc;

	strlist_push(&words, "ls-files");
	strlist_push(&words, "-z");
	strlist_push(&words, "--others");
	strlist_push(&words, "--exclude-standard");
	if (store != NULL && strncmp(store, s->root, n) == 0 && store[n] == '/')
		strlist_take(&words, ignore(store + n + 1));
	for (i = 0; i < sizeof left_out / sizeof *left_out; i++)
		strlist_take(&words, xasprintf("--exclude=%s", left_out[i]));
	rc = list(g, (const char *const *)words.word, &r, e);
	strlist_free(&words);
	if (rc == -1)
		return -1;
	for (path = r.out; path < r.out + r.length; path += strlen(path) + 1) {
		base = fs_base(path);
		if (*base == '\0' || !patterns_take(patterns, path, s->work) ||
		    patterns_leave(patterns, path, s->work) ||
		    secret_name(base) ||
		    (is_in_data(path, s->work) && !is_source(base)))
			continue;
		node_add(s->top, path, NODE_FILE);
		if (s->untracked.count < UNTRACKED)
			strlist_push(&s->untracked, path);
	}
	proc_result_free(&r);
	return 0;
}

/*
 * Find directories for results that git ignores and that do not exist yet.  The
 * training will create them, and must do so in the original.
 */
static void
expect_results(const struct git *g)
{
	static const char *const words[] = {"check-ignore", "checkpoints/",
	    "lightning_logs/", "logs/", "mlruns/", "multirun/", "output/",
	    "outputs/", "results/", "runs/", "tb_logs/", "wandb/", NULL};
	struct proc_result r;
	char *work = fs_join(g->s->root, g->s->work), *line, *save, *whole;

	if (run(g, work, words, &r, NULL) == 0) {
		for (line = strtok_r(r.out, "/\n", &save); line != NULL;
		     line = strtok_r(NULL, "/\n", &save)) {
			whole = fs_join(work, line);
			if (access(whole, F_OK) == -1)
				strlist_push(&g->s->expected, line);
			free(whole);
		}
		proc_result_free(&r);
	}
	free(work);
}

/* ---- the commit ---- */

/* Return the URL of "origin", or else of any remote, masked; to free. */
static char *
find_remote(const struct git *g)
{
	static const char *const words[] = {
	    "config", "-z", "--get-regexp", "^remote\\..*\\.url$", NULL};
	struct proc_result r;
	char *line, *value, *found = NULL;

	if (run(g, g->s->root, words, &r, NULL) == -1)
		return NULL;
	for (line = r.out; line < r.out + r.length; line += strlen(line) + 1) {
		value = strchr(line, '\n');
		if (value == NULL ||
		    (found != NULL && strncmp(line, "remote.origin.", 14) != 0))
			continue;
		free(found);
		found = xstrndup(value + 1, strcspn(value + 1, "?#"));
	}
	proc_result_free(&r);
	if (found != NULL) {
		value = secret_mask(found, environ);
		free(found);
		found = value;
	}
	return found;
}

static int
take_state(const struct git *g, struct error *e)
{
	static const char *const head[] = {
	    "rev-parse", "--verify", "--quiet", "HEAD", NULL};
	static const char *const branch[] = {
	    "symbolic-ref", "--quiet", "--short", "HEAD", NULL};
	static const char *const diff[] = {"-c", "color.ui=never", "diff",
	    "--binary", "--full-index", "--no-ext-diff", "--no-textconv",
	    "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/",
	    "--submodule=diff", "HEAD", NULL};
	struct snapshot *s = g->s;
	struct proc_result r;

	s->branch = ask(g, branch);
	s->remote = find_remote(g);
	s->commit = ask(g, head);
	if (s->commit == NULL)
		return 0;
	if (list(g, diff, &r, e) == -1)
		return -1;
	s->dirty = r.length > 0;
	if (s->dirty && r.length <= SNAPSHOT_DIFF) {
		s->diff = r.out;
		s->diff_length = r.length;
		r.out = NULL;
	}
	proc_result_free(&r);
	return 0;
}

int
snapshot_git(struct snapshot *s, const struct snapshot_ask *asked,
    const struct patterns *patterns, struct error *e)
{
	struct git g = {.s = s};
	size_t i;
	int rc;

	for (i = 0; environ[i] != NULL; i++)
		if (!misleads(environ[i]))
			strlist_push(&g.environment, environ[i]);
	strlist_push(&g.environment, "GIT_OPTIONAL_LOCKS=0");
	strlist_push(&g.environment, "GIT_TERMINAL_PROMPT=0");
	strlist_push(&g.environment, "LC_ALL=C");
	rc = find_root(&g, asked->directory, e);
	s->by_git = rc == 1;
	if (rc == 1 &&
	    (add_tracked(&g, patterns, e) == -1 ||
		add_untracked(&g, patterns, asked->store, e) == -1 ||
		take_state(&g, e) == -1))
		rc = -1;
	if (rc == 1)
		expect_results(&g);
	strlist_free(&g.environment);
	return rc;
}
