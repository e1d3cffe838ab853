#!/bin/sh
# stfm-stop, each of its calls going wrong: what it said to have stopped is
# stopped, asking again stops the rest, and nothing else is touched.
. "$(dirname "$0")/sweep.sh"

stfm-sandbox start -Q -N 1 -g 0 -c 4 -o MinJobAge=10 -d "$tap_dir/slurm" ||
	exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR
foreign=$(sbatch --parsable --hold --wrap true) || exit 99

# A job of three waiting tasks, in a store of its own for each point.
number=0 fault_cap=600 harmless=$table
fresh() {
	number=$((number + 1))
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	rm -rf "$disk/store.$((number - 1))"
	scancel -n job
	stfm-submit -Q --hold --gres=none -J job x=1,2,3 -- true
}
alive() {
	squeue -h -r -o '%i %j' | awk '$2 == "job"' | wc -l
}
states() {
	stfm-status --no-refresh -o json job | jq -r '.[].state' | sort | uniq -c |
		awk '{ printf "%s %s ", $1, $2 }'
}

# Said to be done is done; what the store says has its reason.
after() {
	wished=$(find "$STFM_DIR/jobs/job/ctl" -name 'stop.*' | wc -l)
	left=$(alive)
	[ "$left" -eq 3 ] || [ "$left" -eq 0 ] || echo "$left tasks are left"
	# Where no wish can be written it cancels all the same, and says so.
	[ "$left" -eq 3 ] || [ "$wished" -gt 0 ] ||
		{ is_error && [ "$rc" -ne 0 ]; } ||
		echo "cancelled without a wish"
	if [ "$rc" -eq 0 ]; then
		[ "$left" -eq 0 ] || echo "status 0, but $left tasks are left"
		[ "$wished" -gt 0 ] || echo "status 0 without a wish"
	fi
	case $(states) in
	*RUNNING* | *FINISHED* | *ERROR*) echo "states: $(states)" ;;
	*STOPPED*) [ "$left" -eq 0 ] || echo "not stopped: $(states)" ;;
	esac
}
again() { stfm-stop -f -Q job; }
holds() {
	[ "$(alive)" -eq 0 ] || echo "$(alive) tasks are left in the end"
	stfm-watch -1Q || echo "watch: status $?"
	[ "$(states)" = "3 STOPPED " ] || echo "in the end: $(states)"
}
settle() {
	[ "$(squeue -h -j "$foreign" -o %T)" = PENDING ] ||
		echo "a job that is not ours was touched"
}

sweep stfm-stop "$kinds" stfm-stop -f -Q job

done_testing
