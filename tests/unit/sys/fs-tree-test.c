#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/fs-tree.h"

static char here[64];
static int dir = -1;
static struct fs_ops real;

static int
enter(void **state)
{
	(void)state;
	real = fs_ops;
	strcpy(here, "/tmp/fs-tree-test.XXXXXX");
	if (mkdtemp(here) == NULL)
		return -1;
	dir = fs_open_dir(here, NULL);
	return dir == -1 ? -1 : 0;
}

static int
leave(void **state)
{
	(void)state;
	fs_ops = real;
	fs_close(dir);
	return fs_remove_tree(AT_FDCWD, here, NULL);
}

/* tree/ with a file, a hidden file, a link out of it and a directory. */
static int
make_tree(void)
{
	int tree = fs_open_subdir(dir, "tree", 1, NULL), below;

	assert_int_not_equal(tree, -1);
	below = fs_open_subdir(tree, "below", 1, NULL);
	assert_int_equal(fs_write_new(below, "file", 0444, "text", 4, NULL), 0);
	fs_close(below);
	assert_int_equal(fs_write_new(tree, ".hidden", 0600, "", 0, NULL), 0);
	assert_int_equal(fs_link(tree, "out", "/etc", NULL), 0);
	return tree;
}

static void
a_tree_is_written_and_read(void **state)
{
	int tree = make_tree();
	struct fs_names names;
	struct stat st;
	char *target;

	(void)state;
	assert_int_equal(fs_list_kind(tree, FS_ALL, 100, &names, NULL), 0);
	assert_int_equal(names.count, 3);
	fs_names_free(&names);
	assert_int_equal(fs_list_kind(tree, FS_ALL, 2, &names, NULL), 0);
	assert_int_equal(names.count, 2);
	fs_names_free(&names);
	target = fs_read_link(tree, "out", NULL);
	assert_string_equal(target, "/etc");
	free(target);
	assert_int_equal(fs_stat(tree, "out", &st, NULL), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(fs_write_new(tree, ".hidden", 0600, "", 0, NULL), -1);
	assert_int_equal(errno, EEXIST);
	fs_close(tree);
	assert_int_equal(fs_sync_tree(dir, "tree", NULL), 0);
	assert_int_equal(fs_remove_tree(dir, "tree", NULL), 0);
}

static int synced, bad;

static int
count_fsync(int fd)
{
	if (++synced == bad) {
		errno = EIO;
		return -1;
	}
	return real.fsync(fd);
}

/* Two files and two directories; the link is nobody's to sync. */
static void
each_part_of_a_tree_is_made_durable(void **state)
{
	struct error e;

	(void)state;
	fs_close(make_tree());
	fs_ops.fsync = count_fsync;
	synced = bad = 0;
	assert_int_equal(fs_sync_tree(dir, "tree", NULL), 0);
	assert_int_equal(synced, 4);
	for (bad = 1; bad <= 4; bad++) {
		synced = 0;
		assert_int_equal(fs_sync_tree(dir, "tree", &e), -1);
		assert_non_null(strstr(e.text, "Input/output error"));
	}
	fs_ops = real;
	assert_int_equal(fs_remove_tree(dir, "tree", NULL), 0);
}

static void
read_only_directories_are_removed(void **state)
{
	int tree = make_tree();

	(void)state;
	assert_int_equal(fchmodat(tree, "below", 0555, 0), 0);
	assert_int_equal(fchmodat(dir, "tree", 0, 0), 0);
	fs_close(tree);
	/* root may do everything anyway */
	if (geteuid() == 0 && seteuid(65534) == 0) {
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(fchownat(dir, "tree/below", 65534, 0, 0), 0);
		assert_int_equal(fchownat(dir, "tree", 65534, 0, 0), 0);
		assert_int_equal(fchmodat(dir, ".", 0777, 0), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	assert_int_equal(fs_remove_tree(dir, "tree", NULL), 0);
	assert_int_equal(access(here, F_OK), 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_tree_is_written_and_read),
	    cmocka_unit_test(each_part_of_a_tree_is_made_durable),
	    cmocka_unit_test(read_only_directories_are_removed),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
