#!/bin/sh
# What the commands say is so: on a real Slurm.
. "$(dirname "$0")/tap.sh"

stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/slurm" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
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
is "it keeps it while it waits" "0.1 2" \
	"$(field on --no-refresh '"\(.best) \(.best_epoch)"')"
ok "it goes on" follow on
is "the best is that of the attempt before" "1 0.1 2" \
	"$(field on --refresh '"\(.attempt) \(.best) \(.best_epoch)"')"
like "and all epochs are done" '6/6' "$(stfm-status on/0)"
rm "$STFM_DIR"/jobs/on/fold/*
is "so it is when all is found out again" "0.1 2" \
	"$(field on --refresh '"\(.best) \(.best_epoch)"')"
is "a plot has the whole curve" "0 1 2 3 4 5" \
	"$(stfm-plot -o tsv on/0 | awk -F'\t' 'NR > 1 { print $(NF - 2) }' |
		xargs)"
like "and its best value" 'best val_loss 0.1 @ 2' "$(stfm-plot on/0)"
status "from scratch" 1 sh -c 'stfm-restart -Q --force on; stfm-watch -Q on'
is "it begins anew" "2 0.3 2" \
	"$(field on --refresh '"\(.attempt) \(.best) \(.best_epoch)"')"

done_testing
