#!/bin/sh
# stfm-throttle, each of its calls going wrong: Slurm lets as many run at once
# as it says, in all arrays of the job, and never as nobody has ordered.
sandbox="-o MaxArraySize=2"
. "$(dirname "$0")/waiting.sh"

# What each array of a job may have at once, where there is a limit.
limits() {
	squeue -h -n "$1" -o %K | sed -n 's/.*%//p' | tr '\n' ' '
}
said() {
	stfm-throttle job
}
after() {
	now=$(limits job)
	[ -z "$now" ] || [ "$(orders)" -gt 0 ] || echo "changed without an order"
	case $now in
	"" | "1 " | "1 1 ") ;;
	*) echo "at most $now at once" ;;
	esac
	[ "$now" != "1 1 " ] || no_excuse
	[ "$rc" -ne 0 ] || [ "$now" = "1 1 " ] ||
		echo "status 0, but at most $now at once"
	[ "$(orders)" -gt 0 ] || [ "$(said)" = "job: any number of tasks at once" ] ||
		echo "without an order: $(said)"
}
holds() {
	[ "$(limits job)" = "1 1 " ] ||
		echo "in the end at most $(limits job) at once"
	[ "$(said)" = "job: at most 2 tasks at once" ] ||
		echo "in the end: $(said)"
	stfm-watch -1Q || echo "watch: status $?"
}

order="stfm-throttle -Q job 2"
sample "kill alone EIO link+"
# shellcheck disable=SC2086 # words
sweep stfm-throttle "$kinds" $order

done_testing
