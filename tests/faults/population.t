#!/bin/sh
# A run of a population that continues from a better task while calls go wrong:
# it always trains the point that is recorded for it, with a new point never
# from its own checkpoint, and in the end it has continued or trained to its
# end.
. "$(dirname "$0")/sweep.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 2
# Memory is refused only to programs that are linked for it.
kinds=${kinds% memory memory+}
runner=$bin/../libexec/stfm-run
export STFM_DIR="$disk/store" COUNT="$tap_dir/count"

# The training says in which run it begins, its point and whose checkpoint it
# has.
cat >train.sh <<'END'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/saved
from=own epoch=0
[ "$STFM_RESUME" = 0 ] || read -r from epoch <"$saved"
echo "$STFM_RESTART $1 $from" >>"$COUNT"
[ "$from" = own ] || exit 0
[ "$epoch" -gt 0 ] || echo epoch,acc >"$STFM_METRICS"
printf '%s,0.1\n' $((epoch + 1)) $((epoch + 2)) >>"$STFM_METRICS"
echo "own $((epoch + 2))" >"$saved.new" && mv "$saved.new" "$saved"
sleep 15
echo whole >>"$COUNT"
END
chmod +x train.sh
stfm-submit -Q --hold --usage=no --gres=none --args=none --metric acc \
	--goal max --epochs 9 --pbt 1 --search 4 -J job x=int:1:99 -- \
	"$PWD/train.sh" "{x}" || exit 99
{
	echo 'of|job'
	for task in 1 2 3; do
		echo "fact|$task|S"
		echo "fact|$task|P|point=${task}0"
		for rung in 1 2 3 4 5 6 7 8; do
			echo "fact|$task|R$rung=0.$((5 - task))"
		done
	done
} | "$fixture" "$STFM_DIR" || exit 99
job=$STFM_DIR/jobs/job
id=$(jq -r .id "$job/job.json")
SLURM_ARRAY_JOB_ID=$(array_of job)
mkdir -p "$job/checkpoint/000001"
echo "other 9" >"$job/checkpoint/000001/saved"
template "$STFM_DIR"
unset SLURM_CONF STFM_SANDBOX
export SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID

fresh() {
	restore
	: >"$COUNT"
}
run() {
	SLURM_RESTART_COUNT=$1 "$runner" "$job" "$id" c00000.0
}

# The points of task 0: restart, point, parent.
points() {
	for file in "$job"/run/000/000000.*.P; do
		[ ! -e "$file" ] || jq -r --arg file "${file##*/}" \
			'[($file | split("."))[2], .point, .parent // "own"] |
				join(" ")' "$file"
	done
}
after() {
	torn "$job"
	points >"$tap_dir/points"
	awk '$1 > 0 && $3 != 1' "$tap_dir/points" | sed 's/^/parent: /'
	grep -v whole "$COUNT" | while read -r restart point from; do
		awk -v r="$restart" '$1 <= r { last = $2 " " \
			($3 == "own" ? "own" : "other") }
			END { print last }' "$tap_dir/points" |
			grep -qx "$point $from" ||
			echo "run $restart trained $point from $from, recorded:" \
				"$(xargs <"$tap_dir/points")"
	done
}
again() {
	run 1
	return 0
}
holds() {
	after
	grep -Eq 'whole|other' "$COUNT" || echo "trained: $(xargs <"$COUNT")"
	find "$job/checkpoint" -name '*pbt*' | sed 's/^/left: /'
}
fresh
run 0 >"$tap_dir/out" 2>&1
is "without a fault, a run continues from the checkpoint of task 1" \
	"0 own 1 other" "$(cut -d ' ' -f 1,3 "$COUNT" | xargs)"
is "which holds" "" "$(holds)"

# The shell of the training ends with 2 if its own file cannot be opened.
roots="-r $STFM_DIR" own_status=2 fault_cap=200
sample "kill alone EIO ENOSPC+ link+" 3
sweep "stfm-run, population" "$kinds" "$runner" "$job" "$id" c00000.0

done_testing
