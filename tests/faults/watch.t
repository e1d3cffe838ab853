#!/bin/sh
# A pass of stfm-watch or stfm-status, each of its calls going wrong: no state
# is invented, none goes back, and the next pass has them all right.
#
# All else that brings the store up to date before it shows it, stfm-plot,
# stfm-log, stfm-tensorboard and stfm-checkpoints (lib/view/refresh.h), starts
# stfm-watch as stfm-status does here, and writes nothing there itself.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 1 -g 0 -c 16 -o MinJobAge=86400
export STFM_DIR="$disk/store" COUNT="$tap_dir/count"

# Ends of every kind; the fold is of the time when some were still to come.
cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK" >>"$COUNT"
printf 'epoch,loss\n1,0.5\n2,0.%s\n' "$STFM_TASK" >"$STFM_METRICS"
case $STFM_TASK in
1) exit 3 ;;
2) kill -SEGV $$ ;;
3 | 4) exec sleep 600 ;;
esac
END
chmod +x train.sh
stfm-submit -Q --gres=none -J job x=0..6 -- ./train.sh || exit 99
stfm-submit -Q --gres=none -J unclaimed x=1,2 -- ./train.sh || exit 99
# One that others queued: of its tasks nothing tells but Slurm.
theirs=$(sbatch --parsable --hold -J theirs -o /dev/null -a 3,5 \
	--wrap 'exit $((SLURM_ARRAY_TASK_ID - 3))') || exit 99
stfm-import -Q --slurm "$theirs" || exit 99
trained() {
	[ "$(sort "$COUNT" | uniq | wc -l)" -eq 9 ]
}
poll 20 trained || exit 99
array=$(jq -r .array "$STFM_DIR/jobs/job/sub/c00000.0.claim")
stfm-watch -1Q || exit 99
scancel "${array}_3" "${array}_4"
scontrol release "$theirs"
ended() {
	[ -z "$(squeue -h)" ]
}
poll 20 ended || exit 99
# Who looked at the use of task 3 was killed, too.
used=$STFM_DIR/jobs/job/usage/000003.0.0.csv
mkdir -p "${used%/*}"
cat >"$used" <<'END'
# stfm usage 1 from=processes cpus=2
seconds,gpu,gpu_memory,gpu_idle,cpu,memory
30,,,,1.5,512
# crc32c a652cf90
END
# Somebody was killed between sbatch and the claim.
rm -r "$STFM_DIR/jobs/unclaimed/fold" "$STFM_DIR/jobs/unclaimed/sub"/*.claim
mkdir -m 700 "$STFM_DIR/jobs/unclaimed/fold"
# shellcheck disable=SC2034 # sweep.sh reads it
known_damage='unclaimed/sub/.*claim: not there, but task'

states() {
	for job in job unclaimed theirs; do
		stfm-status --no-refresh -o json $job | jq -c '.[] | [.task, .state, .cause]'
	done
}
# What was read of the training logs.
figures() {
	stfm-status --no-refresh -o json job | jq -c '.[] | [.task, .best, .last]'
}
template "$STFM_DIR"
states >before
stfm-watch -1Q || exit 99
states >end
figures >figures.end
is "the pass has something to do" "2 5" "$(cmp -s before end || echo 2) $(
	grep -c -e FINISHED end)"

fresh() { restore; }

# Each task is as it was or as it will be; none that was over is open again.
after() {
	states >now
	paste before now end | awk -F '\t' '
		$2 != $1 && $2 != $3 && $2 !~ /RUNNING|SUBMITTED/ { print "invented: " $2 }
		$2 != $1 && $1 ~ /FINISHED|ERROR|STOPPED/ { print "goes back: " $1 " " $2 }'
	# What only Slurm knew is recorded before it is believed.
	[ "$(grep -c STOPPED now)" -le "$(find "$STFM_DIR/jobs/job/run" \
		-name '*.XCANCELLED' | wc -l)" ] || echo "a verdict is not recorded"
	[ "$(tail -n 2 now | grep -c -e FINISHED -e ERROR)" -le "$(find \
		"$STFM_DIR/jobs/theirs/run" -name '*.X*' | wc -l)" ] ||
		echo "a verdict on what others queued is not recorded"
	loses_use
	[ "$rc" -ne 0 ] || [ -e "$STFM_DIR/jobs/unclaimed/sub/c00000.0.claim" ] ||
		echo "status 0 without the claim"
	[ "$(wc -l <now)" = "$(wc -l <end)" ] || echo "tasks are missing"
	[ "$rc" -eq 0 ] && ! cmp -s now end &&
		echo "status 0 with other states"
}
# It stays in its file where that could not be read.
loses_use() {
	[ -e "$used" ] || cat "$STFM_DIR"/jobs/job/run/000/000003.0.0.X* \
		2>"$tap_dir/none" | grep -q 30,,,,1.5,512 ||
		echo "what it used is lost"
}
again() { stfm-watch -1Q; }
holds() {
	loses_use
	states | diff end - | sed 's/^/in the end: /'
	figures | diff figures.end - | sed 's/^/in the end: /'
}

roots="-r $STFM_DIR" fault_cap=1500
sweep stfm-watch "$kinds" stfm-watch -1

# The same by who looks: what is printed is so, or said to be old.
after() {
	[ "$rc" -eq 0 ] || return 0
	jq -c '.[] | [.task, .state, .cause]' "$tap_dir/out" >printed
	cmp -s printed end || [ -s "$tap_dir/said" ] ||
		echo "other states without a word"
}
sample "kill EIO ESTALE EROFS+ memory"
sweep stfm-status "$kinds" stfm-status --refresh -o json \
	job unclaimed theirs

done_testing
