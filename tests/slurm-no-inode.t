#!/bin/sh
# A file system that has no room for another file: a job is removed all the
# same, because that is how room is made.
. "$(dirname "$0")/tap.sh"

mkdir "$tap_dir/disk"
mount -t tmpfs -o nr_inodes=600,size=64m none "$tap_dir/disk" 2>/dev/null ||
	skip_all "only root can mount a file system"
at_exit 'umount -l "$tap_dir/disk"'
begin_slurm -N 1 -g 0 -c 8
export STFM_DIR="$tap_dir/disk/store"

# Use up every inode that is free: a failed redirection ends that shell.
fill() {
	mkdir -p "$tap_dir/disk/fill/$1"
	sh -c 'cd "$1" && while i=$((i + 1)); do : >"$i"; done' sh \
		"$tap_dir/disk/fill/$1" 2>/dev/null
	! touch "$tap_dir/disk/one-more" 2>/dev/null
}
reaches() {
	stfm-watch --once -Q
	[ "$(stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4 |
		sort -u)" = "$2" ]
}

# A task that Slurm has only just started could not record that.
run() {
	[ "$(find "$STFM_DIR/jobs/$1/run" -name '*.S' | wc -l)" -eq 2 ] &&
		reaches "$1" RUNNING
}

for job in over over-2; do
	stfm-submit -Q --gres=none -J $job i=1,2 -- true
	ok "$job is over" poll 20 reaches $job FINISHED
done
for job in runs runs-2; do
	stfm-submit -Q --gres=none --args=none -J $job i=1,2 -- \
		sleep 1000
	ok "$job runs" poll 20 run $job
done
for job in waits waits-2; do
	stfm-submit -Q --gres=none -b now+1hour -J $job i=1,2 -- true
done
cp -R "$STFM_DIR/jobs/over" "$STFM_DIR/jobs/copy"
mkdir "$STFM_DIR/jobs/broken"
echo none >"$STFM_DIR/jobs/broken/job.json"

for job in copy broken over runs waits; do
	rm -rf "$STFM_DIR/trash"
	ok "no inode is left" fill $job
	ok "$job is removed" stfm-stop -y --remove $job
	ok "$job is gone" test ! -e "$STFM_DIR/jobs/$job"
	is "nothing of $job is left" "" \
		"$(find "$STFM_DIR" -name "*$job*" ! -name '*-2*')"
done
is "what ran and what waited is cancelled" "runs-2 runs-2 waits-2" \
	"$(squeue -h -o %j | sort | paste -sd' ')"

# The same with a trash.
for job in over-2 runs-2 waits-2; do
	mkdir -p "$STFM_DIR/trash"
	ok "no inode is left" fill $job
	ok "$job is removed" stfm-stop -y --remove $job
	is "nothing of $job is left" "" "$(find "$STFM_DIR" -name "*$job*")"
done
is "nothing is queued" "" "$(squeue -h)"
done_testing
