#!/bin/sh
# The end of a search that has used its GPU hours.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2 -c 4
export STFM_DIR="$tap_dir/store"

cat >train.sh <<'END'
#!/bin/sh
printf 'epoch,loss\n1,0.5\n' >"$STFM_METRICS"
sleep "$1"
echo "$STFM_TASK" >>"$STFM_DIRECTORY/$STFM_JOB"
END
chmod +x train.sh
# search JOB SECONDS [OPTION...]: it ends after 3.6 seconds of a GPU.
search() {
	job=$1 seconds=$2
	shift 2
	stfm-submit -J "$job" --args=none --search 8 --pruner none \
		--metric loss --gpu-hours 0.001 "$@" x=int:1:90 -- \
		"$PWD/train.sh" "$seconds"
}
is_over() {
	[ -z "$(squeue -h -n "$1")" ]
}
causes() {
	stfm-status --no-refresh -o tsv -c state,cause "$1" |
		sed '1d; s/\t*$//' |
		sed 's/over: [0-9.]* of/over: HOURS of/' | sort | uniq -c |
		sed 's/^ *//'
}
over='STOPPED	search over: HOURS of 0.001 GPU hours are used'

## Tasks that start

ok "tasks of one GPU, one after the other" search one 2 -Q --gres=gpu:1 \
	--parallel 1
ok "they end without a watcher" poll 90 is_over one
stfm-status one >/dev/null
trained=$(wc -l <one)
ok "after the GPU hours none trains" [ "$trained" -le 2 ]
is "the others are STOPPED, and say why" "$trained FINISHED
$((8 - trained)) $over" "$(causes one)"
refused "the search cannot grow" "so new tasks would not train: submit \
another job with another end, as in -J one-2 --gpu-hours H" \
	search one 2 --sync --search 9 --gres=gpu:1 --parallel 1
# The requests that stopped them are packed, although there is no pruner.
requests=$(find "$STFM_DIR/jobs/one/ctl" -name 'stop.??????.*' | wc -l)
is "each has a request" "$((8 - trained))" "$requests"
find "$STFM_DIR/jobs/one/run" "$STFM_DIR/jobs/one/ctl" -type f \
	-exec touch -d '-10 minutes' {} +
stfm-watch -1Q one
is "which is in a pack later" "0 1" \
	"$(find "$STFM_DIR/jobs/one/ctl" -name 'stop.??????.*' | wc -l) $(
		find "$STFM_DIR/jobs/one/pack" -name 's.*' | wc -l)"
rm -r "$STFM_DIR/jobs/one/fold"
stfm-watch -1Q one
is "and found there" "$trained FINISHED
$requests $over" "$(causes one)"
stfm-restart -Qy one/7
ok "one that is restarted nevertheless" poll 60 is_over one
stfm-watch -1Q one
is "trains" FINISHED "$(stfm-status --no-refresh -o json one/7 |
	jq -r '.[].state')"
ok "tasks of two GPUs" search two 2 -Q --gres=gpu:2 --parallel 1
ok "use them twice as fast" poll 90 is_over two
is "after one of them it is over" 1 "$(wc -l <two)"

## Tasks that run

ok "trainings that go on and on" search long 600 -Q --gres=gpu:1 --parallel 4
ok "are stopped by a watcher" timeout 90 stfm-watch -Q -i 1 long
is "all of them" "8 $over" "$(causes long)"
ok "a training has recorded the GPUs that it had" [ "$(stfm-status -o json \
	--cost long | jq '.[0].gpu_hours >= 0.001')" = true ]

## Tasks that share a GPU

ok "two tasks on each GPU" search shared 600 -Q --gres=gpu:1 --pack 2 \
	--parallel 2 --gpu-hours 0.002
ok "are stopped, too" timeout 90 stfm-watch -Q -i 1 shared
ok "after all of the GPU hours" [ "$(stfm-status -o json --cost shared |
	jq '.[0].gpu_hours >= 0.002')" = true ]

## Nodes whose clocks are wrong

# A start as a node would have told it whose clock is off by so many seconds.
started() {
	rm "$STFM_DIR/jobs/$1/run/000/00000$2.0.0.S"
	printf '%s\n' "of|$1" "fact|$2|S|node=n1|gpus=0|time=$3|slurm=\
$(array_of "$1")_$2" | "$fixture" "$STFM_DIR"
}
runs() {
	[ "$(facts "$1" '*.S' | wc -w)" -eq 2 ]
}
search behind 600 -Q --gres=gpu:1 --parallel 2 --gpu-hours 0.5
poll 30 runs behind
started behind 0 -3600
started behind 1 -3600
is "no GPU hours are used on a node whose clock is an hour behind" \
	"RUNNING RUNNING" "$(stfm-watch -1Q behind; stfm-status --no-refresh \
		-o jsonl behind | jq -r .state | grep R | xargs)"
if command -v faketime >"$tap_dir/none" && [ -z "$SANITIZE" ]; then
	for shift in +1h -1h; do
		NO_FAKE_STAT=1 faketime -f $shift stfm-watch -1Q behind
	done
	is "nor for a watcher whose clock is wrong" "2 RUNNING" \
		"$(causes behind | grep RUNNING)"
fi
stfm-stop -y -Q behind
search ahead 600 -Q --gres=gpu:1 --parallel 2
poll 30 runs ahead
started ahead 0 3600
started ahead 1 3600
ok "they are used on one whose clock is an hour ahead" \
	timeout 90 stfm-watch -Q -i 1 ahead
is "so that the search ends" "8 $over" "$(causes ahead)"

# So may the clock of a login node, on which points are added.
if command -v faketime >"$tap_dir/none" && [ -z "$SANITIZE" ]; then
	search mixed 600 -Q --gres=gpu:1 --search 2 --gpu-hours 0.5
	poll 30 runs mixed
	NO_FAKE_STAT=1 faketime -f +1h stfm-submit --sync -Q -J mixed \
		--args=none --search 3 --pruner none --metric loss \
		--gpu-hours 0.5 --gres=gpu:1 x=int:1:90 -- \
		"$PWD/train.sh" 600
	is "a login node an hour ahead does not think that it is too late" \
		"000002.0.0.S" "$(poll 30 has_facts mixed '000002*S' \
			'000002.0.0.S ' && facts mixed '000002*S' | xargs)"
	stfm-watch -1Q mixed
	is "and the new task trains" "3 RUNNING" "$(causes mixed)"
else
	skip "a login node whose clock is wrong" "no faketime, or sanitizers"
fi

done_testing
