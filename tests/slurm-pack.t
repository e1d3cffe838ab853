#!/bin/sh
# Tasks whose facts are packed, on a real Slurm: they are restarted, stopped
# and put back like any other.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/trained"
job=$STFM_DIR/jobs/try

# A training that notes its attempt, and fails in the first one of task 1.
cat >train.sh <<'END'
echo "$STFM_TASK.$STFM_ATTEMPT" >>"$OUT"
[ "$STFM_TASK.$STFM_ATTEMPT" != 1.0 ]
END

states() {
	stfm-status --no-refresh -o tsv try | cut -f 3-5
}

# Let two minutes pass for the facts, and a pass pack them.
pack() {
	find "$job/run" -type f -exec touch -d '3 minutes ago' {} +
	stfm-watch -1 -Q
}

facts() {
	find "$job/run" -type f | wc -l
}

stfm-submit -Q --gres=none -J try x=1,2,3 -- sh "$PWD/train.sh"
status "a task fails" 1 stfm-watch -Q -i 1 try
before=$(states)
pack
is "no fact has a file of its own" 0 "$(facts)"
is "the states are the same" "$before" "$(states)"
rm "$job"/fold/*
stfm-watch -1 -Q
is "also from the pack alone" "$before" "$(states)"
refused "what is over is not restarted by accident" "try/0" stfm-restart try/0
ok "a packed task is restarted" stfm-restart -Q try
ok "all end well" stfm-watch -Q -i 1 try
is "each trained once in each attempt" "0.0 1.0 1.1 2.0" \
	"$(sort "$OUT" | xargs)"
is "the attempt before is kept" 1 \
	"$(cat "$job"/pack/* | grep -c '"000001.0.0.E1"')"
is "only the new attempt has files" 2 "$(facts)"
pack
is "they are packed as well" 0 "$(facts)"
before=$(states)
rm "$job"/fold/*
stfm-watch -1 -Q
is "the table is made again from both packs" "$before" "$(states)"
is "the job is sound" "" "$(stfm-check try)"
mv "$STFM_DIR/libexec" away
like "without the program that it starts it is not" \
	'batch.sh: starts libexec/stfm-run-[-0-9a-f]*, which is not there$' \
	"$(stfm-check try)"
mv away "$STFM_DIR/libexec"

# The same array once more, as somebody who queues it by hand would.
chunk=$(basename "$job"/sub/c00000.0.claim .claim)
sbatch -Q --array=0-2 "$job/batch.sh" "$chunk" >/dev/null 2>&1
ended() {
	[ -z "$(squeue -h)" ]
}
poll 30 ended
is "the fence holds without a fact in sight" 4 "$(wc -l <"$OUT")"
is "nothing is queued again that is done" 0 "$(
	stfm-restart -Q try 2>/dev/null
	squeue -h | wc -l
)"
ok "the job is removed with its packs" stfm-stop -Q --remove try
ok "and gone" test ! -e "$job"

done_testing
