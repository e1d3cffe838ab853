# What the sweeps of commands that steer waiting tasks begin with: a job of
# three of them for each point, beside others that are not ours.  On top of
# sweep.sh:
#
#   prepare          the rest of the state before the program runs
#   held             how many tasks of the job Slurm holds for their user
#   orders           how many are recorded
#   states           "3 SUBMITTED (Priority); "
#   $order           the command, as words; it is what again() does, too
#
# shellcheck shell=sh disable=SC2034,SC2154 # for the tests; sweep.sh gives it
. "$(dirname "$0")/sweep.sh"

# shellcheck disable=SC2086 # words of options
begin_slurm -N 1 -g 0 -c 4 -o MinJobAge=10 ${sandbox:-}
export STFM_DIR
waits=$(sbatch --parsable --begin=now+1hour --wrap true) || exit 99
waits_held=$(sbatch --parsable --hold --wrap true) || exit 99

number=0 fault_cap=600 harmless=$table
prepare() { :; }
fresh() {
	number=$((number + 1))
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	rm -rf "$disk/store.$((number - 1))"
	scancel -n job
	stfm-submit -Q --begin=now+1hour --gres=none -J job x=1,2,3 -- true
	prepare
}

held() {
	squeue -h -r -n job -o %r | grep -c '^JobHeldUser$'
}
orders() {
	find "$STFM_DIR/jobs/job/ctl" -name 'order.*' | wc -l
}
states() {
	stfm-status --no-refresh -o json job |
		jq -r '.[] | "\(.state) \(.cause)"' | sort | uniq -c |
		awk '{ $1 = $1; printf "%s; ", $0 }'
}

# Where Slurm has done it, nobody says that it does not answer, unless that was
# so later on.
no_excuse() {
	is_error || return 0
	case $kind in memory*) return ;; esac
	grep 'Slurm does not answer' "$tap_dir/said"
}
# Where it was ordered, every other time only a watcher goes on.
again() {
	if [ $((number % 2)) -eq 0 ] && [ "$(orders)" -gt "${before:-0}" ]; then
		stfm-watch -1Q
	else
		$order
	fi
}
settle() {
	[ "$(squeue -h -j "$waits" -o %T)" = PENDING ] &&
		[ "$(squeue -h -j "$waits" -o %r)" != JobHeldUser ] &&
		[ "$(squeue -h -j "$waits_held" -o %r)" = JobHeldUser ] ||
		echo "a job that is not ours was touched"
}
