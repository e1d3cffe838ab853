#!/bin/sh
# The end of a search that has used its GPU hours.
. "$(dirname "$0")/tap.sh"

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
ok "tasks of two GPUs" search two 2 -Q --gres=gpu:2 --parallel 1
ok "use them twice as fast" poll 90 is_over two
is "after one of them it is over" 1 "$(wc -l <two)"

## Tasks that run

ok "trainings that go on and on" search long 600 -Q --gres=gpu:1 --parallel 4
ok "are stopped by a watcher" timeout 90 stfm-watch -Q -i 1 long
is "all of them" "8 $over" "$(causes long)"
ok "a training has recorded the GPUs that it had" [ "$(stfm-status -o json \
	--cost long | jq '.[0].gpu_hours >= 0.001')" = true ]

done_testing
