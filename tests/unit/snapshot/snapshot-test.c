#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fs-faults.h"
#include "base/xalloc.h"
#include "snapshot/snapshot.h"
#include "sys/proc.h"

static char here[64];
static int root = -1;

/* Run a script in the test's directory. */
static void
sh(const char *script)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-ec"}, NULL, NULL};
	struct proc_result r;

	argv[2] = xasprintf("cd %s\n%s", here, script);
	assert_int_equal(proc_run(argv, NULL, 180000, &r, NULL), 0);
	if (!proc_ok(&r))
		fail_msg("%s\n%s%s", script, r.out, r.complaint);
	proc_result_free(&r);
	free(argv[2]);
}

static int
enter(void **state)
{
	(void)state;
	strcpy(here, "/tmp/snapshot-test.XXXXXX");
	if (mkdtemp(here) == NULL)
		return -1;
	root = fs_open_dir(here, NULL);
	setenv("HOME", here, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_AUTHOR_NAME", "a", 1);
	setenv("GIT_AUTHOR_EMAIL", "a@example.org", 1);
	setenv("GIT_COMMITTER_NAME", "a", 1);
	setenv("GIT_COMMITTER_EMAIL", "a@example.org", 1);
	return root == -1 ? -1 : 0;
}

static int
leave(void **state)
{
	(void)state;
	fs_close(root);
	return fs_remove_tree(AT_FDCWD, here, NULL);
}

/* A new directory p, which is where every test works. */
static int
begin(void **state)
{
	(void)state;
	sh("chmod -R u+w . ; rm -rf * .venv; mkdir p out");
	return 0;
}

static struct snapshot *
plan_of(
    const char *below, const char *patterns, const char *word, struct error *e)
{
	struct snapshot_ask ask = {.patterns = patterns};
	char *directory = xasprintf("%s%s%s", here, *below ? "/" : "", below);
	char *store = xasprintf("%s/p/store", here);
	struct strlist command = {0};
	struct snapshot *s;

	strlist_push(&command, "python3");
	strlist_push(&command, word);
	ask.directory = directory;
	ask.command = &command;
	ask.store = store;
	s = snapshot_plan(&ask, e);
	strlist_free(&command);
	free(directory);
	free(store);
	return s;
}

/* Plan and copy into out/code. */
static struct snapshot *
take(const char *below, const char *patterns, const char *word)
{
	struct error e;
	struct snapshot *s = plan_of(below, patterns, word, &e);
	int out = fs_open_subdir(root, "out", 0, NULL);

	if (s == NULL || snapshot_copy(s, out, &e) == -1)
		fail_msg("%s", e.text);
	fs_close(out);
	return s;
}

static void
refuse(const char *below, const char *patterns, const char *what)
{
	struct error e;

	assert_null(plan_of(below, patterns, "train.py", &e));
	if (strstr(e.text, what) == NULL)
		fail_msg("'%s' says nothing of '%s'", e.text, what);
}

/* ---- git ---- */

static const char repository[] =
    "cd p; git init -q; mkdir -p src data logs conf\n"
    "echo 'print(1)' >train.py; echo 'x = 1' >src/x.py; echo a >conf/a.yaml\n"
    "touch logs/.gitkeep; echo /data/ >.gitignore; echo 1 >data/big\n"
    "git add -A; git commit -qm one\n";

static void
a_clean_tree_is_copied_with_its_commit(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	s = take("p", NULL, "train.py");
	assert_non_null(s->commit);
	assert_int_equal(strlen(s->commit), 40);
	assert_false(s->dirty);
	assert_null(s->diff);
	assert_int_equal(s->files, 4);
	assert_int_equal(s->untracked.count, 0);
	assert_string_equal(s->work, "");
	sh("cd out/code; diff ../../p/train.py train.py; test ! -L train.py\n"
	   "test -L data; test -L logs; test \"$(cat data/big)\" = 1\n"
	   "test ! -e .git; test \"$(stat -c %a src/x.py)\" = 444");
	snapshot_free(s);
}

static void
what_is_changed_new_or_deleted_is_as_it_is_now(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; echo 'print(2)' >train.py; rm conf/a.yaml; echo 1 >new.py\n"
	   "echo secret >credentials.json; echo 1 >model.bin\n"
	   "printf '\\000\\001' >src/b.dat; git add src/b.dat");
	s = take("p", NULL, "train.py");
	assert_true(s->dirty);
	assert_non_null(strstr(s->diff, "+print(2)"));
	assert_non_null(strstr(s->diff, "GIT binary patch"));
	assert_int_equal(s->untracked.count, 1);
	assert_string_equal(s->untracked.word[0], "new.py");
	sh("cd out/code; grep -q 2 train.py; test ! -e conf/a.yaml\n"
	   "test ! -L new.py; test -L credentials.json; test -L model.bin\n"
	   "test ! -L src/b.dat; cmp src/b.dat ../../p/src/b.dat");
	snapshot_free(s);
}

static void
results_that_git_ignores_are_expected(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; printf '%s\\n' lightning_logs/ /outputs >>.gitignore\n"
	   "mkdir outputs src/sub; echo 1 >src/sub/y.py");
	s = take("p", NULL, "train.py");
	sh("test -d p/lightning_logs; test ! -e p/runs; cd out/code\n"
	   "test -L lightning_logs; test -L outputs; test ! -e runs\n"
	   "mkdir -p lightning_logs/version_0; echo 1 >outputs/1\n"
	   "test -d ../../p/lightning_logs/version_0; test -f "
	   "../../p/outputs/1");
	snapshot_free(s);
	sh("rm -rf out/code");
	s = take("p/src/sub", NULL, "y.py");
	sh("test -L out/code/src/sub/lightning_logs\n"
	   "test -d p/src/sub/lightning_logs");
	snapshot_free(s);
}

static void
any_name_is_a_name(void **state)
{
	struct snapshot *s;

	(void)state;
	sh("cd p; git init -q; echo 1 >./-x.py; echo 1 >'a\nb.py'\n"
	   "echo 1 >'t\tab.py'; mkdir '\303\274'; echo 1 >'\303\274/\377.py'\n"
	   "mkdir '[d]*'; echo 1 >'[d]*/q\"uote.py'; git add -A\n"
	   "git commit -qm x; echo 1 >'new\nline.py'");
	s = take("p", NULL, "./-x.py");
	assert_int_equal(s->files, 6);
	sh("cd out/code; for f in ./-x.py 'a\nb.py' 't\tab.py' "
	   "'\303\274/\377.py' '[d]*/q\"uote.py' 'new\nline.py'; do\n"
	   "test -f \"$f\"; test ! -L \"$f\"; done");
	assert_non_null(strstr(s->list, "\ta\\nb.py\t"));
	snapshot_free(s);
}

static void
a_directory_below_runs_below(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	s = take("p/src", NULL, "x.py");
	assert_string_equal(s->work, "src");
	sh("test -f out/code/src/x.py; test -f out/code/train.py");
	snapshot_free(s);
}

static void
a_directory_that_git_has_nothing_of_is_there(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	s = take("p/data", NULL, "none");
	assert_string_equal(s->work, "data");
	sh("test -d out/code/data; test ! -L out/code/data\n"
	   "test -L out/code/data/big");
	snapshot_free(s);
}

static void
links_stay_inside_or_lead_where_they_led(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("echo secret >outside; cd p\n"
	   "ln -s ../train.py src/in; ln -s ../../outside src/out\n"
	   "ln -s /etc/hostname etc; ln -s ../data/big src/data\n"
	   "ln -s \"$PWD/conf/a.yaml\" src/abs; ln -s .. src/up\n"
	   "git add -A; git commit -qm links");
	s = take("p", NULL, "train.py");
	sh("cd out/code; for l in src/in src/out etc src/data src/abs; do\n"
	   "test -L $l; done; rm ../../p/train.py\n"
	   "test \"$(readlink src/in)\" = ../train.py; test -f src/in\n"
	   "test \"$(readlink etc)\" = /etc/hostname\n"
	   "test \"$(readlink src/abs)\" = ../conf/a.yaml\n"
	   "test \"$(cat src/out)\" = secret; test \"$(cat src/data)\" = 1\n"
	   "test \"$(cat src/up/src/x.py)\" = 'x = 1'\n"
	   "test ! -L src/up/src; case $(readlink src/out) in /*) ;; *)\n"
	   "exit 1; esac");
	snapshot_free(s);
}

/* A tracked directory that is a link by now is not followed. */
static void
a_directory_that_became_a_link_is_a_link(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("mkdir private; echo secret >private/x.py; cd p; rm -r src\n"
	   "ln -s ../private src");
	s = take("p", NULL, "train.py");
	sh("test -L out/code/src; cat out/code/src/x.py >/dev/null\n"
	   "test -z \"$(find out -type f -exec grep -l secret {} +)\"");
	snapshot_free(s);
}

static void
submodules_are_copied(void **state)
{
	struct snapshot *s;

	(void)state;
	sh("mkdir lib; cd lib; git init -q; echo 1 >l.py; git add -A\n"
	   "git commit -qm l");
	sh(repository);
	sh("cd p; git -c protocol.file.allow=always submodule --quiet add "
	   "../lib lib; git commit -qm sub; echo 2 >lib/l.py");
	s = take("p", NULL, "train.py");
	sh("test ! -L out/code/lib; test ! -L out/code/lib/l.py\n"
	   "test \"$(cat out/code/lib/l.py)\" = 2; test ! -e "
	   "out/code/lib/.git");
	assert_true(s->dirty);
	snapshot_free(s);
	sh("rm -rf lib");
}

static void
a_linked_work_tree_is_one(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("rm -rf w; cd p; git worktree add -q ../w -b other");
	s = take("w", NULL, "train.py");
	assert_string_equal(s->branch, "other");
	assert_int_equal(s->files, 4);
	snapshot_free(s);
	sh("rm -rf w");
}

static void
a_repository_without_a_commit_is_copied(void **state)
{
	struct snapshot *s;

	(void)state;
	sh("cd p; git init -q; echo 1 >train.py; git add train.py\n"
	   "echo 2 >new.py");
	s = take("p", NULL, "train.py");
	assert_null(s->commit);
	assert_int_equal(s->files, 2);
	snapshot_free(s);
}

static void
patterns_add_and_leave_out(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; mkdir old; echo 1 >old/o.py; git add old; echo 1 >a.csv\n"
	   "mkdir deep; echo 1 >deep/b.bin; echo 1 >deep/c.bin");
	s = take("p", "*.csv,deep/,-old/,-deep/c.*", "train.py");
	sh("cd out/code; test ! -L a.csv; test ! -L deep/b.bin\n"
	   "test -L deep/c.bin; test -L old; test -f old/o.py");
	snapshot_free(s);
}

/* Files that a training may write keep their modes; it would fail else. */
static void
what_a_training_may_write_can_be_written(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; echo '{}' >results.json; chmod 640 results.json\n"
	   "echo 1 >run; chmod 755 run; git add run");
	s = take("p", NULL, "train.py");
	sh("cd out/code; stat -c %a results.json | grep -qx 640\n"
	   "stat -c %a run | grep -qx 555; stat -c %a . | grep -qx 700");
	snapshot_free(s);
}

static void
the_same_code_has_the_same_list(void **state)
{
	struct snapshot *a, *b;

	(void)state;
	sh(repository);
	a = take("p", NULL, "train.py");
	sh("rm -rf out/code; cd p; git commit -q --allow-empty -m two\n"
	   "echo 2 >data/more");
	b = take("p", NULL, "train.py");
	assert_string_equal(a->list, b->list);
	snapshot_free(b);
	sh("rm -rf out/code; cd p; echo 'print(2)' >train.py");
	b = take("p", NULL, "train.py");
	assert_string_not_equal(a->list, b->list);
	snapshot_free(b);
	snapshot_free(a);
}

static void
two_lists_tell_what_differs(void **state)
{
	struct strlist differing = {0};
	struct snapshot *a, *b;

	(void)state;
	sh(repository);
	a = take("p", NULL, "train.py");
	sh("cd p; echo 'print(2)' >train.py; rm src/x.py; echo 1 >src.py\n"
	   "chmod 755 conf/a.yaml");
	b = plan_of("p", NULL, "train.py", NULL);
	assert_int_equal(snapshot_copy(b, -1, NULL), 0);
	snapshot_compare(a->list, b->list, 100, &differing, &differing);
	assert_int_equal(differing.count, 4);
	assert_string_equal(differing.word[0], "conf/a.yaml");
	assert_string_equal(differing.word[1], "src.py");
	assert_string_equal(differing.word[2], "src/x.py");
	assert_string_equal(differing.word[3], "train.py");
	strlist_free(&differing);
	snapshot_compare(a->list, b->list, 1, &differing, &differing);
	assert_int_equal(differing.count, 1);
	strlist_free(&differing);
	snapshot_compare(b->list, b->list, 100, &differing, &differing);
	assert_int_equal(differing.count, 0);
	snapshot_free(a);
	snapshot_free(b);
}

static void
the_store_in_the_tree_is_not_copied(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("mkdir -p p/store/jobs/a p/.stfm/jobs/b\n"
	   "echo 1 >p/store/jobs/a/x.py; echo 1 >p/.stfm/jobs/b/x.py");
	s = take("p", NULL, "train.py");
	assert_int_equal(s->files, 4);
	assert_int_equal(s->untracked.count, 0);
	snapshot_free(s);
}

static void
passwords_of_remotes_are_left_out(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; git remote add up https://u:pw@host/up.git\n"
	   "git remote add origin 'https://tok@host/o.git?token=abc'");
	s = take("p", NULL, "train.py");
	assert_string_equal(s->remote, "https://host/o.git");
	snapshot_free(s);
}

/* Nothing of the repository's own is run, nor of another one looked at. */
static void
git_is_asked_about_this_tree_alone(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("rm -rf other ran; mkdir other; git -C other init -q; cd p\n"
	   "printf '#!/bin/sh\\n>%s/ran\\n' .. >../evil; chmod +x ../evil\n"
	   "git config core.fsmonitor ../evil\n"
	   "git config diff.external ../evil\n"
	   "echo '*.py diff=x' >.gitattributes\n"
	   "git config diff.x.textconv ../evil; echo 3 >train.py");
	sh("rm -f ran");
	setenv("GIT_DIR", "/nonexistent", 1);
	setenv("GIT_WORK_TREE", "/", 1);
	s = take("p", NULL, "train.py");
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	assert_non_null(s->commit);
	assert_non_null(strstr(s->diff, "+3"));
	sh("test ! -e ran; rm -rf other evil");
	snapshot_free(s);
}

static void
without_git_patterns_tell(void **state)
{
	const char *path = getenv("PATH");
	char *old = xstrdup(path);
	struct snapshot *s;

	(void)state;
	sh(repository);
	setenv("PATH", "/nonexistent", 1);
	s = plan_of("p", NULL, "train.py", NULL);
	setenv("PATH", old, 1);
	free(old);
	assert_non_null(s);
	assert_null(s->commit);
	assert_string_equal(s->why, "git is not installed here");
	assert_int_equal(s->files, 3);
	snapshot_free(s);
}

static void
a_foreign_repository_is_a_directory(void **state)
{
	struct snapshot *s;

	(void)state;
	if (geteuid() != 0)
		skip();
	sh(repository);
	sh("chown -R 12345 p");
	s = take("p", NULL, "train.py");
	assert_null(s->commit);
	assert_non_null(strstr(s->why, "dubious ownership"));
	assert_int_equal(s->files, 3);
	snapshot_free(s);
}

/* ---- outside git ---- */

static void
outside_git_what_matches_is_copied(void **state)
{
	struct snapshot *s;

	(void)state;
	sh("cd p; mkdir src .hidden venv data results; echo 1 >train.py\n"
	   "echo 1 >src/x.py; echo 1 >.hidden/h.py; touch venv/pyvenv.cfg\n"
	   "echo 1 >venv/v.py; echo 1 >data/d.txt; echo 1 >results/r.json\n"
	   "echo 1 >weights; mkdir store; touch store/FORMAT store/s.json");
	s = take("p", NULL, "train.py");
	assert_int_equal(s->files, 2);
	assert_null(s->why);
	sh("cd out/code; for l in .hidden venv data results weights store; do\n"
	   "test -L $l; done; test ! -L src");
	snapshot_free(s);
}

static void
where_the_command_names_nothing_there_is_no_copy(void **state)
{
	static const char *const words[] = {
	    "-c", "none.py", "/etc/hostname", "../outside.py", ".venv/bin/x"};
	struct snapshot *s;
	size_t i;

	(void)state;
	sh("echo 1 >outside.py; cd p; echo 1 >train.py; mkdir -p .venv/bin\n"
	   "echo 1 >.venv/bin/x");
	for (i = 0; i < sizeof words / sizeof *words; i++) {
		s = plan_of("p", NULL, words[i], NULL);
		assert_non_null(s);
		assert_null(s->root);
		assert_non_null(strstr(s->why, "names no file"));
		snapshot_free(s);
	}
}

static void
a_home_directory_is_not_descended_into(void **state)
{
	struct snapshot *s;

	(void)state;
	sh("mkdir -p p/other; echo 1 >p/train.py; echo 1 >p/other/o.py");
	sh("echo 1 >train.py");
	s = take("", NULL, "train.py");
	assert_int_equal(s->files, 1);
	snapshot_free(s);
	sh("rm train.py; rm -rf out");
}

/* ---- limits ---- */

static void
what_is_too_much_is_refused(void **state)
{
	struct snapshot *s;

	(void)state;
	sh(repository);
	sh("cd p; truncate -s 21M big.gif; git add big.gif");
	refuse("p", NULL, "big.gif (21 MiB)");
	s = plan_of("p", "-big.gif", "train.py", NULL);
	assert_non_null(s);
	snapshot_free(s);
	sh("cd p; git rm -qf big.gif; truncate -s 21M big.json");
	s = plan_of("p", NULL, "train.py", NULL);
	assert_non_null(s);
	assert_int_equal(s->files, 4); /* data by its size: linked */
	snapshot_free(s);
	sh("cd p; for i in 1 2 3 4 5 6 7 8 9 10 11; do\n"
	   "truncate -s 19M $i.txt; done");
	refuse("p", NULL, "209 MiB");
	refuse("p", NULL, "--no-snapshot");
}

static void
too_many_files_are_refused_at_once(void **state)
{
	struct snapshot *s;
	int64_t before = proc_clock(), made;

	(void)state;
	sh("mkdir p/many; cd p/many; seq 11 | while read d; do mkdir $d\n"
	   "(cd $d; seq 1900 | xargs touch); done; echo 1 >../train.py");
	made = proc_clock();
	refuse("p", NULL, "the last in many");
	refuse("p", NULL, "--snapshot=-many/");
	assert_true(proc_clock() - made < 20000 + 10 * (made - before));
	s = plan_of("p", "-many/", "train.py", NULL);
	assert_non_null(s);
	assert_int_equal(s->files, 1);
	snapshot_free(s);
	sh("mkdir p/crowd; cd p/crowd; seq 2100 | sed s/$/.txt/ | xargs touch\n"
	   "rm -r ../many");
	s = plan_of("p", NULL, "train.py", NULL);
	assert_int_equal(s->files, 1);
	snapshot_free(s);
}

/* ---- afterwards ---- */

static void
what_has_come_since_is_told(void **state)
{
	struct snapshot_changes c = {0};
	struct snapshot *s;
	int out, code;

	(void)state;
	sh(repository);
	sh("cd p; echo 1 >notes.txt; echo 1 >other.txt");
	s = take("p", NULL, "train.py");
	sh("cd out/code; mkdir -p made/deep __pycache__; echo 1 >made/deep/x\n"
	   "echo 1 >src/y.bin; echo 2 >>notes.txt; echo 1 >data/new");
	out = fs_open_subdir(root, "out", 0, NULL);
	code = fs_open_subdir(out, "code", 0, NULL);
	assert_int_equal(
	    snapshot_compare_copy(code, s->list, SNAPSHOT_DATA, 100, &c, NULL),
	    0);
	fs_close(code);
	fs_close(out);
	assert_int_equal(c.added.count, 2);
	assert_int_equal(c.changed.count, 1);
	assert_string_equal(c.changed.word[0], "notes.txt");
	assert_true(snapshot_is_data(s->list, "notes.txt"));
	assert_false(snapshot_is_data(s->list, "train.py"));
	assert_false(snapshot_is_data(s->list, "nothing"));
	snapshot_changes_free(&c);
	snapshot_free(s);
}

static size_t
count_changes(const struct snapshot *s, int code, enum snapshot_depth depth,
    struct snapshot_changes *c)
{
	memset(c, 0, sizeof *c);
	assert_int_equal(
	    snapshot_compare_copy(code, s->list, depth, 100, c, NULL), 0);
	return c->added.count + c->changed.count + c->gone.count +
	    c->opened.count;
}

static void
what_was_done_to_the_code_is_told(void **state)
{
	struct snapshot_changes c;
	struct snapshot *s;
	int out, code;

	(void)state;
	sh(repository);
	sh("cd p; for f in a b c d e f; do echo 1 >$f.py; done;"
	   "ln -s a.py l.py; ln -s b.py m.py; git add .");
	s = take("p", NULL, "train.py");
	out = fs_open_subdir(root, "out", 0, NULL);
	code = fs_open_subdir(out, "code", 0, NULL);
	assert_int_equal(count_changes(s, code, SNAPSHOT_ALL, &c), 0);
	snapshot_changes_free(&c);
	sh("cd out/code; rm -f a.py; ln -sf /etc/passwd b.py; rm -f c.py;"
	   "mkdir c.py; chmod 777 d.py; rm -f e.py; echo 2 >e.py;"
	   "chmod 444 e.py; ln -sfn /etc/passwd l.py; mv f.py away;"
	   "mkdir f.py");
	assert_int_equal(count_changes(s, code, SNAPSHOT_ALL, &c), 8);
	assert_int_equal(c.gone.count, 1);
	assert_string_equal(c.gone.word[0], "a.py");
	assert_int_equal(c.changed.count, 5);
	assert_int_equal(c.opened.count, 1);
	assert_string_equal(c.opened.word[0], "d.py");
	assert_int_equal(c.added.count, 1);
	snapshot_changes_free(&c);
	assert_int_equal(count_changes(s, code, SNAPSHOT_TYPES, &c), 6);
	assert_int_equal(c.changed.count, 4);
	snapshot_changes_free(&c);
	fs_close(code);
	fs_close(out);
	snapshot_free(s);
}

/* ---- when calls fail ---- */

static void
break_call(int at, int error)
{
	fault.at = at;
	fault.calls = 0;
	fault.error = error;
	fs_ops.openat = bad_openat;
	fs_ops.read = bad_read;
	fs_ops.write = bad_write;
	fs_ops.fsync = bad_fsync;
	fs_ops.mkdirat = bad_mkdirat;
	fs_ops.fstatat = bad_fstatat;
	fs_ops.readdir = bad_readdir;
	fs_ops.symlinkat = bad_symlinkat;
	fs_ops.readlinkat = bad_readlinkat;
}

/* Returns whether the call was reached. */
static int
take_with_fault(int at, int error, const char *want)
{
	int out = fs_open_subdir(root, "out", 0, NULL), rc = -1;
	struct error e = {""};
	struct snapshot *s;

	break_call(at, error);
	s = plan_of("p", NULL, "train.py", &e);
	if (s != NULL)
		rc = snapshot_copy(s, out, &e);
	fs_ops = real;
	fs_remove_tree(out, "code", NULL);
	fs_close(out);
	if (rc == 0 && strcmp(s->list, want) != 0)
		fail_msg("call %d, %s: %s", at, strerror(error), s->list);
	if (rc != 0 && (fault.calls < at || e.text[0] == '\0'))
		fail_msg("call %d: failed without a reason", at);
	snapshot_free(s);
	return fault.calls >= at;
}

/* Nothing is left out in silence, whatever call goes wrong. */
static void
a_copy_is_whole_or_refused(void **state)
{
	static const int errors[] = {EIO, ENOSPC, ESTALE, EMFILE};
	struct snapshot *s;
	size_t i;
	int at;

	(void)state;
	sh("cd p; mkdir -p src data; echo 1 >train.py; echo 2 >src/x.py\n"
	   "ln -s ../train.py src/l.py; echo 3 >data/d");
	s = take("p", NULL, "train.py");
	sh("rm -rf out/code");
	real = fs_ops;
	for (i = 0; i < sizeof errors / sizeof *errors; i++) {
		for (at = 1; take_with_fault(at, errors[i], s->list); at++)
			assert_true(at < 300);
		assert_true(at > 40);
	}
	snapshot_free(s);
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_clean_tree_is_copied_with_its_commit),
	    TEST(what_is_changed_new_or_deleted_is_as_it_is_now),
	    TEST(results_that_git_ignores_are_expected),
	    TEST(any_name_is_a_name),
	    TEST(a_directory_below_runs_below),
	    TEST(a_directory_that_git_has_nothing_of_is_there),
	    TEST(links_stay_inside_or_lead_where_they_led),
	    TEST(a_directory_that_became_a_link_is_a_link),
	    TEST(submodules_are_copied),
	    TEST(a_linked_work_tree_is_one),
	    TEST(a_repository_without_a_commit_is_copied),
	    TEST(patterns_add_and_leave_out),
	    TEST(what_a_training_may_write_can_be_written),
	    TEST(the_same_code_has_the_same_list),
	    TEST(two_lists_tell_what_differs),
	    TEST(the_store_in_the_tree_is_not_copied),
	    TEST(passwords_of_remotes_are_left_out),
	    TEST(git_is_asked_about_this_tree_alone),
	    TEST(without_git_patterns_tell),
	    TEST(a_foreign_repository_is_a_directory),
	    TEST(outside_git_what_matches_is_copied),
	    TEST(where_the_command_names_nothing_there_is_no_copy),
	    TEST(a_home_directory_is_not_descended_into),
	    TEST(what_is_too_much_is_refused),
	    TEST(too_many_files_are_refused_at_once),
	    TEST(what_has_come_since_is_told),
	    TEST(what_was_done_to_the_code_is_told),
	    TEST(a_copy_is_whole_or_refused),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
