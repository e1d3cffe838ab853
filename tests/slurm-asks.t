#!/bin/sh
# How often commands ask Slurm for the queue.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store"
[ "$STFM_SLURM" != text ] || skip_all "sdiag counts the calls of libslurm"

# asks COMMAND: how many listings of the queue slurmctld made for it.
asks() {
	sdiag -r >/dev/null
	"$@" >out.txt 2>&1 || echo "exit $?"
	sdiag | awk '/REQUEST_JOB_(USER_)?INFO / {
		sub(/.*count:/, ""); print $1
	}'
}

stfm-submit -Q --gres=none --args=none --begin=now+1hour -J try x=1..6 -- true
is "stfm-hold lists the queue before and after" 2 "$(asks stfm-hold try/1)"
is "so does stfm-release" 2 "$(asks stfm-release try/1)"
is "if nothing is to be held as well" 2 "$(asks stfm-hold -w 'x>9' try)"
is "so does stfm-stop" 2 "$(asks stfm-stop -y try/0-3)"
is "its tasks are stopped" "4 6" "$(
	stfm-status --no-refresh -o tsv try | sed 1d |
		sort | awk '/STOPPED/ { stopped++ } END { print stopped, NR }'
)"
is "and of one task" 2 "$(asks stfm-stop try/4)"
is "or all" 2 "$(asks stfm-stop -y try)"
done_testing
