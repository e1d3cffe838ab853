#!/bin/sh
# stfm-sandbox, each of its calls going wrong: what a start leaves behind, the
# next start completes and a stop ends; what a stop leaves, the next one ends.
. "$(dirname "$0")/sweep.sh"

dir=$tap_dir/sandbox
export STFM_DIR=/nonexistent
at_exit 'stfm-sandbox stop -Q --remove -d "$dir"'
roots="-r $dir" place=$dir fault_more="-p stfm-sandbox -t 300"

start() {
	stfm-sandbox start -Q -N 1 -g 0 -d "$dir"
}
# Processes that know the directory: daemons, their keepers, jobs.
left() {
	echo "$dir" >"$tap_dir/pattern"
	grep -alFf "$tap_dir/pattern" /proc/[0-9]*/cmdline /proc/[0-9]*/environ \
		2>"$tap_dir/none" | sed 's|/proc/\([0-9]*\)/.*|\1|' | sort -u |
		while read -r pid; do
			tr '\0' ' ' <"/proc/$pid/cmdline" 2>"$tap_dir/none" && echo
		done
}
is_gone() {
	[ -z "$(left)" ]
}
all_gone() {
	poll 5 is_gone 2>"$tap_dir/none" || left | sed "s/^/$1: left: /"
}
is_idle() {
	[ "$(SLURM_CONF=$dir/slurm.conf sinfo -h -o %T)" = idle ]
}

## Start

fresh() {
	stfm-sandbox stop -Q --remove -d "$dir"
}
after() {
	if [ "$rc" -eq 0 ] && is_error; then
		stfm-sandbox status -d "$dir" >"$tap_dir/none" ||
			echo "status 0, but it does not run"
	fi
	case $kind in kill | alone | memory*) return ;; esac
	[ "$rc" -eq 0 ] || all_gone "status $rc"
}
# Started once more, or stopped at once: by turns.
again() {
	[ $((n % 2)) -eq 0 ] || start
}
holds() {
	if [ $((n % 2)) -eq 1 ]; then
		stfm-sandbox status -d "$dir" >"$tap_dir/none" ||
			echo "it does not run"
		poll 5 is_idle || echo "its node is not ready"
	fi
	stfm-sandbox stop -Q --remove -d "$dir" || echo "stop: status $?"
	all_gone "stopped"
	[ ! -e "$dir" ] || find "$dir" | sed 's/^/stopped: there is still /'
}

without="fsync+ link+"
most=${FAULT_MOST:-3}
[ "$fault_size" != ci ] || kinds="alone EIO"
sweep "stfm-sandbox start" "$kinds" stfm-sandbox start -Q -N 1 -g 0 -d "$dir"

## Stop, with a job that runs

fresh() {
	start
	SLURM_CONF=$dir/slurm.conf sbatch -Q -o /dev/null \
		--wrap "exec sleep 600"
}
after() {
	[ "$rc" -ne 0 ] || all_gone "status 0"
}
again() {
	stfm-sandbox stop -Q -d "$dir"
}
holds() {
	all_gone "stopped twice"
	start || echo "start: status $?"
	poll 5 is_idle || echo "its node is not ready"
}
without="fsync+ fsyncdir+ write+ link+"
sweep "stfm-sandbox stop" "$kinds" stfm-sandbox stop -Q -d "$dir"

done_testing
