#!/bin/sh
# stfm-check of the set-up, each of its calls going wrong: the task that it
# queues and the directory that it makes go with it.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$disk/store"
stfm-submit -Q --hold --gres=none -J job x=1 -- true || exit 99
place=$STFM_DIR

ours() {
	squeue -h -n stfm-check -o %i
}
made() {
	find "$STFM_DIR" -name '.new.check.*'
}
# What one that was killed has left is not in the way of others.
fresh() {
	scancel -n stfm-check
	made | sort >before
}
after() {
	[ "$rc" -ne 1 ] || grep -q '^fail' "$tap_dir/out" ||
		echo "status 1, and nothing fails"
	case $kind in kill | memory*) return ;; esac
	[ "$rc" -ne 137 ] || return 0
	[ -z "$(ours)" ] || echo "its task is left"
	case $kind in *+) return ;; esac
	made | sort | comm -13 before - | sed 's/^/left: /'
}
again() {
	stfm-check -o tsv --hold --wait 0 >"$tap_dir/checked"
}
holds() {
	grep -q '^warn.task.*because you hold it' "$tap_dir/checked" ||
		echo "no task: $(cat "$tap_dir/checked")"
	[ "$(ours | wc -l)" -le 1 ] || echo "$(ours | wc -l) tasks"
}
# A later pass removes it.
settle() {
	made | xargs -r touch -d '2 days ago'
	touch -d '2 days ago' "$STFM_DIR/trash"
	stfm-watch -1Q
	made | sed 's/^/a pass leaves /'
	[ "$(squeue -h -n job -o %r)" = JobHeldUser ] ||
		echo "the task of another job is touched"
}

roots="-r $STFM_DIR" fault_cap=450 own_status=1 at_work='/[.]new[.]check[.]'
# The last of these files is only for its time.
harmless='^close .*/[.]new[.]check[.][^/]*/[.]t[.]'
sample "kill alone EIO"
sweep "stfm-check, set-up" "$kinds" stfm-check -o tsv --hold --wait 0

scancel --me
done_testing
