#!/bin/sh
# stfm-run for tasks beside each other, each of its calls going wrong: each of
# them trains once, and tells its own end.
. "$(dirname "$0")/sweep.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$disk/store" COUNT="$tap_dir/count"
stfm-submit -Q --hold --usage=no --gres=none --pack 2 -J job x=1,2,3,4 -- \
	sh -c 'echo "$STFM_TASK" >>"$COUNT"' || exit 99
stfm-sandbox stop -Q -d "$tap_dir/slurm"
unset SLURM_CONF STFM_SANDBOX
job=$STFM_DIR/jobs/job
id=$(jq -r .id "$job/job.json")
array=$(jq -r .array "$job/sub/c00000.0.claim")
runner=$bin/../libexec/stfm-run
export SLURM_ARRAY_JOB_ID="$array" SLURM_ARRAY_TASK_ID=1

# What each says goes to a log of its own.
cat >beside <<END
#!/bin/sh
rm -f $tap_dir/said.task*
rc=0
"$runner" "$job" "$id" c00000.0 || rc=\$?
cat $tap_dir/said.task* >&2
exit \$rc
END
chmod +x beside
run() {
	SLURM_ARRAY_JOB_ID=$1 SLURM_RESTART_COUNT=$2 "$runner" "$job" "$id" \
		c00000.0
}
fresh() {
	restore
	: >"$COUNT"
}
facts() {
	find "$job/run" -type f -name "00000$1.0.$2.*" -printf '%f\n' | sort |
		tr '\n' ' '
}

after() {
	for task in 2 3; do
		said=$(facts $task 0)
		case $(grep -cx $task "$COUNT") in
		0) ;;
		1)
			case $said in
			*.S*) continue ;;
			esac
			echo "$task: trained without a start: $said"
			;;
		*) echo "$task: trained twice" ;;
		esac
		case $said in
		*.E0*) echo "$task: an end without training: $said" ;;
		esac
	done
	[ "$rc" -ne 0 ] || case "$(facts 2 0)$(facts 3 0)" in
	*2.0.0.E0*3.0.0.E0*) ;;
	*) [ -s "$tap_dir/said" ] || echo "status 0: $(facts 2 0)$(facts 3 0)" ;;
	esac
	! grep -qv '^[23]$' "$COUNT" || echo "others trained"
}
# Slurm starts them again, and a second array was queued by mistake.  What ended
# by itself with 0 is not trained again.
again() {
	left=
	for task in 2 3; do
		case $(facts $task 0) in
		*.E0*) ;;
		*) left="$left$task " ;;
		esac
	done
	: >"$COUNT"
	run 999999 0
	run "$array" 1
}
holds() {
	torn "$job"
	[ "$(sort "$COUNT" | tr '\n' ' ')" = "$left" ] ||
		echo "left: $left, trained: $(sort "$COUNT" | tr '\n' ' ')"
	for task in $left; do
		case $(facts "$task" 1) in
		*.E0*.S*) ;;
		*) echo "$task: $(facts "$task" 1)" ;;
		esac
	done
}

template "$job"
# shellcheck disable=SC2034 # sweep.sh reads it
roots="-r $STFM_DIR" own_status=0 harmless=/run/
kinds=${kinds% memory memory+}
sample "kill alone EIO ESTALE+ fsync+"
sweep "stfm-run, beside" "$kinds" ./beside

done_testing
