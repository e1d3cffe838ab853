#!/bin/sh
# stfm-stop, each of its calls going wrong: what it said to have stopped is
# stopped, asking again stops the rest, and nothing else is touched.
. "$(dirname "$0")/waiting.sh"

alive() {
	squeue -h -r -o '%i %j' | awk '$2 == "job"' | wc -l
}
# Not why: it waits until an hour is over, or is held.
states() {
	stfm-status --no-refresh -o json job | jq -r '.[].state' | sort | uniq -c |
		awk '{ printf "%s %s ", $1, $2 }'
}

# Said to be done is done; what the store says has its reason.
after() {
	wished=$(find "$STFM_DIR/jobs/job/ctl" -name 'stop.*' | wc -l)
	left=$(alive)
	[ "$left" -eq 3 ] || [ "$left" -eq 0 ] || echo "$left tasks are left"
	[ "$left" -eq 3 ] || [ "$wished" -gt 0 ] || echo "cancelled without a wish"
	if [ "$rc" -eq 0 ]; then
		[ "$left" -eq 0 ] || echo "status 0, but $left tasks are left"
		[ "$wished" -gt 0 ] || echo "status 0 without a wish"
	fi
	case $(states) in
	*RUNNING* | *FINISHED* | *ERROR*) echo "states: $(states)" ;;
	*STOPPED*) [ "$left" -eq 0 ] || echo "not stopped: $(states)" ;;
	esac
}
again() { stfm-stop -y -Q job; }
holds() {
	[ "$(alive)" -eq 0 ] || echo "$(alive) tasks are left in the end"
	stfm-watch -1Q || echo "watch: status $?"
	[ "$(states)" = "3 STOPPED " ] || echo "in the end: $(states)"
}

sweep stfm-stop "$kinds" stfm-stop -y -Q job

done_testing
