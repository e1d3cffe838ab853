#!/bin/sh
# A job of 100,000 tasks on a real Slurm: queued in arrays as they are allowed,
# stopped, restarted and removed, each within a bound that is far too long.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -c 2 -o MaxJobCount=500000
export STFM_DIR="$tap_dir/store"

# is, for the output of a command that has ten minutes.
within() {
	within_name=$1 within_expected=$2
	shift 2
	is "$within_name" "$within_expected" "$(timeout 6000 "$@" 2>&1)"
}
counts() {
	stfm-status --no-refresh -o jsonl |
		jq -r '"\(.tasks) \(.SUBMITTED) \(.STOPPED)"'
}
# Held, so that nothing starts.
submit() {
	timeout 6000 stfm-submit -J big --max-tasks 100000 --no-snapshot \
		--gres=none --hold seed=1..100000 -- true
}

is "it is queued as arrays of 1001 and less" 100 \
	"$(submit | tr ',' '\n' | grep -c .)"
is "all of it is in the queue" 100 "$(squeue -h | wc -l)"
ok "a pass over it" timeout 600 stfm-watch --once
is "it all waits" "100000 100000 0" "$(counts)"
within "half of it is stopped" "big: stopped 50000 tasks: 0-49999" \
	stfm-stop -y big/0-49999
is "and is out of the queue" 51 "$(squeue -h | wc -l)"
is "which is told at once" "100000 50000 50000" "$(counts)"
within "what was stopped is restarted" \
	"big: 50000 tasks queued again: 0-49999" stfm-restart --hold big
is "it all waits again" "100000 100000 0" "$(counts)"
is "in arrays" 101 "$(squeue -h | wc -l)"
is "submitting it again finds nothing to do" \
	"big: 0 done, 100000 waiting; nothing to queue" "$(submit)"
is "it is removed" "big: removed" \
	"$(timeout 6000 stfm-stop -y --remove big | tail -1)"
is "and nothing of it is left" "0 0" \
	"$(squeue -h | wc -l) $(ls "$STFM_DIR/jobs" | wc -l)"

done_testing
