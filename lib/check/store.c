/* The store as this machine sees it. */
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <inttypes.h>

#include "check/private.h"

enum { LEAST_FILES = 10000 };

static const uint64_t least_bytes = UINT64_C(1) << 30;

/*
 * Magic numbers from linux/magic.h, and from file systems with their own
 * drivers.
 */
static const struct {
	uint32_t magic;
	const char *name;
	enum check_reach reach;
} kinds[] = {
    {0x6969, "nfs", REACH_SHARED},
    {0x0bd00bd0, "lustre", REACH_SHARED},
    {0x47504653, "gpfs", REACH_SHARED},
    {0x19830326, "beegfs", REACH_SHARED},
    {0x00c36400, "ceph", REACH_SHARED},
    {0xff534d42, "cifs", REACH_SHARED},
    {0xfe534d42, "smb", REACH_SHARED},
    {0x5346414f, "afs", REACH_SHARED},
    {0xaad7aaea, "panfs", REACH_SHARED},
    {0x7461636f, "ocfs2", REACH_SHARED},
    {0x01161970, "gfs2", REACH_SHARED},
    {0xbacbacbc, "vmhgfs", REACH_SHARED},
    {0x65735546, "fuse", REACH_UNKNOWN},
    {0x01021997, "9p", REACH_UNKNOWN},
    {0x794c7630, "overlay", REACH_LOCAL},
    {0xef53, "ext4", REACH_LOCAL},
    {0x58465342, "xfs", REACH_LOCAL},
    {0x9123683e, "btrfs", REACH_LOCAL},
    {0x2fc12fc1, "zfs", REACH_LOCAL},
    {0xf2f52010, "f2fs", REACH_LOCAL},
    {0x01021994, "tmpfs", REACH_MEMORY},
    {0x858458f6, "ramfs", REACH_MEMORY},
};

void
check_kind(int dir, struct check_store *s)
{
	struct statfs type;
	struct statvfs room;
	size_t i;

	s->kind = "unknown";
	s->reach = REACH_UNKNOWN;
	s->bytes = s->files = UINT64_MAX;
	if (fstatfs(dir, &type) == 0)
		for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (kinds[i].magic == (uint32_t)type.f_type) {
				s->kind = kinds[i].name;
				s->reach = kinds[i].reach;
			}
	if (fstatvfs(dir, &room) == 0) {
		s->bytes = (uint64_t)room.f_bavail * room.f_frsize;
		if (room.f_files > 0)
			s->files = room.f_favail;
	}
}

static void
judge_room(struct check_lines *lines, const struct check_store *s)
{
	double gib = (double)s->bytes / (double)(1 << 30);

	if (s->bytes == UINT64_MAX)
		return;
	if (s->bytes < least_bytes)
		check_add(lines, CHECK_WARN, "room",
		    "Remove jobs you no longer need (stfm-stop --remove), or "
		    "name a store elsewhere with STFM_DIR",
		    "%.*f GiB are free", gib < 10, gib);
	else if (s->files < LEAST_FILES)
		check_add(lines, CHECK_WARN, "room",
		    "Remove files that are no longer needed",
		    "%" PRIu64 " more files fit in; a running task has four",
		    s->files);
	else
		check_add(lines, CHECK_OK, "room", NULL, "%.*f GiB are free",
		    gib < 10, gib);
}

void
check_judge_store(struct check_lines *lines, const struct check_store *s)
{
	static const char elsewhere[] =
	    "Should the task not start in it, name a directory that all nodes "
	    "share: export STFM_DIR=...";

	if (s->trouble != NULL) {
		check_add(lines, CHECK_FAIL, "store",
		    "Name another with STFM_DIR, on a file system that all "
		    "nodes share",
		    "%s", s->trouble);
		return;
	}
	if (!s->tried && s->reach >= REACH_LOCAL)
		check_add(lines, CHECK_WARN, "store", elsewhere,
		    "%s (%s), %s: %s", s->path, s->from, s->kind,
		    s->reach == REACH_MEMORY
			? "in the memory of this machine alone"
			: "a disk of this machine, which nodes may not see");
	else
		check_add(lines, CHECK_OK, "store", NULL, "%s (%s), %s%s",
		    s->path, s->from, s->kind,
		    s->is_there ? "" : ", will be made by stfm-submit");
	judge_room(lines, s);
	if (!check_add_clock(
		lines, "clock", "the store's file system", s->ahead))
		check_add(lines, CHECK_OK, "clock", NULL,
		    "as that of the store's file system");
}
