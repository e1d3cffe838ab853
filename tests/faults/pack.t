#!/bin/sh
# A pass that packs facts and merges packs, each of its calls going wrong: no
# fact is lost at any moment, and the packs alone tell how every task ended.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 1 -g 0 -c 32
export STFM_DIR="$disk/store"
job=$STFM_DIR/jobs/job

stfm-submit -Q --gres=none -J job x=1..9 -- sh -c 'exit $((STFM_TASK % 2))' ||
	exit 99
ended() {
	[ -z "$(squeue -h)" ]
}
poll 30 ended || exit 99
stfm-watch -1Q || exit 99

# Only what is older than two minutes is packed.
age() {
	find "$job/run" -type f -exec touch -d '-10 minutes' {} +
}
facts() { facts_of "$job"; }
states() {
	stfm-status --no-refresh -o json job | jq -c '.[] | [.task, .state, .cause]'
}
fresh() { restore; }
after() {
	facts | cmp -s - facts || echo "facts are lost: $(facts | wc -l) of 18"
	states | cmp -s - want || echo "other states"
}
packs() {
	find "$job/pack" -name 'p.*' 2>"$tap_dir/none" | wc -l
}
again() { stfm-watch -1Q; }
holds() {
	[ "$(packs)" -gt 0 ] && [ "$(packs)" -le 9 ] ||
		echo "$(packs) packs in the end"
	[ "$(find "$job/run" -type f ! -name '.*' | wc -l)" = 0 ] ||
		echo "not all is packed"
	rm -r "$job/fold"
	mkdir -m 700 "$job/fold"
	stfm-watch -1Q || echo "from the pack alone: status $?"
	states | diff want - | sed 's/^/from the pack alone: /'
}

age
template "$STFM_DIR"
facts_of "$job" >facts
states >want
is "two facts a task" 18 "$(wc -l <facts)"
roots="-r $STFM_DIR" fault_cap=600
sweep "stfm-watch, pack" "$kinds" stfm-watch -1

# A pack for each task, and then one for all.
restore
mv "$job/run/000" apart
mkdir -m 700 "$job/run/000"
for task in 0 1 2 3 4 5 6 7 8; do
	[ -d "$job/run/000" ] || mkdir -m 700 "$job/run/000"
	cp apart/00000$task.* "$job/run/000/"
	age
	[ $task = 8 ] || stfm-watch -1Q || exit 99
done
is "eight packs wait to be merged" "8 18" "$(packs) $(facts | wc -l)"
template "$STFM_DIR"
sweep "stfm-watch, merge" "$kinds" stfm-watch -1

# The last line of a pack says that nothing is missing.
restore
pack=$(find "$job/pack" -name 'p.*' | head -1)
sed -i '$d' "$pack"
rm -r "$job/fold"
mkdir -m 700 "$job/fold"
status "a pack that was cut is not believed" 2 stfm-watch -1Q

done_testing
