#!/bin/sh
# stfm-throttle where there is no Slurm: slurm-hold.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "no store here" stfm-throttle try 2
refused "no operand" "usage: stfm-throttle" stfm-throttle
refused "three operands" "usage: stfm-throttle" stfm-throttle try 2 3

# A job that is over but for what its policy queues again.
fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
"$fixture/tests/store-fixture" "$STFM_DIR" <<-EOD
	job|again|lr=1,2
	set|requeue=1
	task|0|FINISHED|start=-90|end=-80|exit=0
	task|1|ERROR|cause=TIMEOUT|start=-90|end=-80
	fact|1|S|slurm=4102_1|time=-90
	fact|1|XTIMEOUT|start=-90|time=-80
	chunk|0-1|4102
	end
	job|late|lr=1
	task|0|FINISHED|start=-90|end=-80|exit=0
	chunk|0|4103
	end
	of|late
	fact|0|S|attempt=1|slurm=4104_0|time=-10
EOD
before=$(find "$STFM_DIR" -type f | sort)
is "what comes again is not over" "again: would be at most 2 tasks at once" \
	"$(stfm-throttle --dry-run again 2 2>&1)"
is "nor is what has begun since" "late: would be at most 2 tasks at once" \
	"$(stfm-throttle --dry-run late 2 2>&1)"
is "nothing has changed" "$before" "$(find "$STFM_DIR" -type f | sort)"
refused "the number in front of the job" \
	"stfm-throttle: JOB comes first: stfm-throttle again 2" \
	stfm-throttle 2 again
refused "or none" "JOB comes first: stfm-throttle again/0 none" \
	stfm-throttle none again/0
refused "a number that is none" "N: x: write a number, or none" \
	stfm-throttle again x
refused "a number below 0" "N: '-1' is not a whole number" \
	stfm-throttle -- again -1

done_testing
