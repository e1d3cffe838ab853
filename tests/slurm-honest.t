#!/bin/sh
# What the commands say is so: on a real Slurm.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store"

follow() {
	stfm-watch -Q -i 1 "$1"
}
submit() {
	stfm-submit -Q --gres=none "$@"
}
field() {
	stfm-status "$2" -o jsonl "$1" | jq -r "$3"
}

## A task that goes on has the best of all that it goes on from

# It dies after three of six epochs; the best of all is in the third.
cat >train.sh <<'END'
#!/bin/sh
save=$STFM_CHECKPOINT_DIR/epoch
epoch=$(cat "$save" 2>/dev/null || echo 0)
echo epoch,val_loss >"$STFM_METRICS"
for loss in 9 8 "0.$((STFM_ATTEMPT + 1))" 7 4.1 6; do
	[ "$((at = ${at:--1} + 1))" -ge "$epoch" ] || continue
	echo "$at,$loss" >>"$STFM_METRICS"
	echo "$((at + 1))" >"$save"
	[ "$at" != 2 ] || exit 1
done
END
chmod +x train.sh
submit -J on x=1 epochs=6 -- ./train.sh
follow on
stfm-restart -Q --resume on
is "it keeps it while it waits" "0.1 3" \
	"$(field on --no-refresh '"\(.best) \(.best_epoch)"')"
ok "it goes on" follow on
is "the best is that of the attempt before" "1 0.1 3" \
	"$(field on --refresh '"\(.attempt) \(.best) \(.best_epoch)"')"
like "and all epochs are done" '6/6' "$(stfm-status on/0)"
rm "$STFM_DIR"/jobs/on/fold/*
is "so it is when all is found out again" "0.1 3" \
	"$(field on --refresh '"\(.best) \(.best_epoch)"')"
is "a plot has the whole curve" "1 2 3 4 5 6" \
	"$(stfm-plot -o tsv on/0 | awk -F'\t' 'NR > 1 { print $(NF - 2) }' |
		xargs)"
like "and its best value" 'best val_loss 0.1 @ 3' "$(stfm-plot on/0)"
status "from scratch" 1 \
	sh -c 'stfm-restart -Q --finished on; stfm-watch -Q -i 1 on'
is "it begins anew" "2 0.3 3" \
	"$(field on --refresh '"\(.attempt) \(.best) \(.best_epoch)"')"

## A task that has ended is seen to have ended

touch run
submit -J ends x=1 -- sh -c 'cd "$STFM_DIRECTORY" || exit
	touch trains
	while [ -e run ]; do sleep 0.1; done'
ok "it trains" poll 30 test -e trains
stfm-watch -Q --once ends
# As if it had been queued long ago: what is known is good for a minute.
touch -d '2 hours ago' "$STFM_DIR/jobs/ends/sub"
touch -d '2 minutes ago' "$STFM_DIR/jobs/ends/run/000"
touch -d '15 seconds ago' "$STFM_DIR"/jobs/ends/fold/*
like "what is old is said to be" 'as of [1-5][0-9] s ago' "$(stfm-status ends)"
has_ended() {
	find "$STFM_DIR/jobs/ends/run/000" -name '*.E0' | grep -q .
}
rm run
ok "it ends" poll 30 has_ended
is "and that is seen at once" FINISHED \
	"$(stfm-status -o jsonl ends | jq -r .state)"

## GPUs of several nodes

stfm-sandbox start -Q -N 2 -g 2 -d "$tap_dir/gpus" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/gpus"'
(
	eval "$(stfm-sandbox env -d "$tap_dir/gpus")"
	stfm-submit -Q -J all --nodes=2 --gres=gpu:2 x=1 -- true
	stfm-submit -Q -J sum --nodes=2 --gres=none --gpus=3 x=1 -- true
	stfm-submit -Q -J one --gres=gpu:2 x=1 -- true
	for of in all sum one; do
		follow "$of"
	done
)
stfm-sandbox stop -Q -d "$tap_dir/gpus"
is "all are counted" "0,1+2 0,1" \
	"$(stfm-status --no-refresh -o jsonl all one | jq -r .gpus | xargs)"
like "in words for people" "^GPU index +0,1; and 2 of other nodes\$" \
	"$(stfm-status --no-refresh all/0)"
like "as Slurm shares them out" '^[01](,1[+]1|[+]2)$' \
	"$(stfm-status --no-refresh -o jsonl sum | jq -r .gpus)"

## What waits

submit -J held --hold x=1 -- true
is "nothing is expected of what is held" "held/0 waits: you hold it" \
	"$(stfm-status --refresh --why held | grep -o '.*hold it')"
is "not even a start" 0 "$(stfm-status --why held | grep -c 'to start')"
stfm-stop -Q held

# An sbatch that finds no controller.
mkdir away
cat >away/sbatch <<'END'
#!/bin/sh
echo 'sbatch: error: Batch job submission failed: Unable to contact slurm' \
	'controller (connect failure)' >&2
exit 1
END
chmod +x away/sbatch
submit -J rest x=1 -- false
follow rest
status "what cannot be queued again" 75 sh -c \
	'PATH="$PWD/away:$PATH" stfm-restart rest >out 2>err'
is "is said to wait" "rest: 1 task waiting to be queued again: 0" "$(cat out)"

# One that refuses, while the store cannot be written.
cat >away/sbatch <<END
#!/bin/sh
mv "$STFM_DIR/jobs/stuck/sub" "$STFM_DIR/jobs/stuck/sub.away"
echo 'sbatch: error: Batch job submission failed: Invalid qos' >&2
exit 1
END
submit -J stuck i=1,2 -- false
follow stuck
PATH="$PWD/away:$PATH" stfm-restart stuck >out 2>err
is "that is no success" 1 $?
mv "$STFM_DIR/jobs/stuck/sub.away" "$STFM_DIR/jobs/stuck/sub"
is "what cannot be taken back still waits" \
	"stuck: 2 tasks waiting to be queued again: 0-1" "$(cat out)"
like "and who queues it is said" "2 of them wait to be queued: stfm-watch" \
	"$(cat err)"
is "of what is not queued nothing, as there is none" "" \
	"$(grep 'not queued' err)"
stfm-stop -Q stuck

## When Slurm does not answer

submit -J ended x=1 -- sh -c :
follow ended
submit -J dead x=1 --args=none -- sleep 600
submit -J lives x=1 --args=none -- sleep 600
stfm-status --refresh dead lives >out
# The clock of files has whole seconds, and may be one behind.
is_past() {
	[ "$(date +%s)" -gt $(($1 + 1)) ]
}
later() {
	poll 10 is_past "$(date +%s)"
}
for job in ended lives; do
	later
	SLURM_CONF=/nonexistent stfm-status --refresh dead >out 2>err
	like "an outage is said" 'not reachable, last answered about dead' \
		"$(cat err)"
	later
	stfm-watch -Q --once "$job"
	is "and no more once Slurm has answered for $job" "" \
		"$(stfm-status --no-refresh ended dead lives 2>&1 >out)"
done
stfm-stop -Q dead lives

done_testing
