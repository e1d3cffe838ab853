#!/bin/sh
# stfm-restart on a real Slurm.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 0 -o MaxArraySize=6
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

# A training that notes each run, and fails while there is a file of its name.
cat >train.sh <<'END'
#!/bin/sh
me=$STFM_JOB.$STFM_TASK
echo "$STFM_ATTEMPT $STFM_RESUME ${STFM_CHECKPOINT_DIR##*/}" >>"$OUT/$me"
echo "$me $STFM_ATTEMPT" >>"$OUT/trained"
echo "attempt $STFM_ATTEMPT"
printf 'epoch,val_loss\n0,0.%s\n' "$((STFM_ATTEMPT + 1))" >"$STFM_METRICS"
[ ! -e "$OUT/save" ] || touch "$STFM_CHECKPOINT_DIR/last"
while [ -e "$OUT/wait.$STFM_TASK" ]; do sleep 0.1; done
[ ! -e "$OUT/fail.$STFM_TASK" ]
END
chmod +x train.sh

follow() {
	stfm-watch -Q -i 1 "$1"
}
submit() {
	stfm-submit -Q --gres=none "$@"
}
states() {
	stfm-status -o jsonl "$1" |
		jq -r '"\(.task) \(.state) \(.attempt)"' | xargs
}
runs() {
	sed -n p "$OUT/$1" | xargs
}

## From scratch

touch "$OUT/fail.1" "$OUT/fail.2"
submit -J one lr=1..4 -- ./train.sh
status "two tasks fail" 1 follow one
rm "$OUT/fail.1"
touch "$OUT/wait.1" "$OUT/wait.2"
is "the job's failed tasks are queued again" "one: 2 tasks queued again: 1-2" \
	"$(stfm-restart one 2>&1)"
like "they wait at once, also for who does not ask Slurm" \
	'^(SUBMITTED|RUNNING)$' \
	"$(stfm-status --no-refresh -o jsonl one/1 | jq -r .state)"
rm "$OUT"/wait.*
status "one of them fails again" 1 follow one
is "attempts count" "0 FINISHED 0 1 FINISHED 1 2 ERROR 1 3 FINISHED 0" \
	"$(states one)"
is "each has a checkpoint directory of its own" "0 0 000001 1 0 000001.1" \
	"$(runs one.1)"
is "training logs stay" "0,0.1 0,0.2" \
	"$(sed 1d "$STFM_DIR/jobs/one/metrics/000001.csv" \
		"$STFM_DIR/jobs/one/metrics/000001.1.csv" |
		grep -v epoch | xargs)"
is "outputs stay" "attempt 0 attempt 1" \
	"$(cat "$STFM_DIR"/jobs/one/log/*_1.log \
		"$(stfm-status -o jsonl one/1 | jq -r .log)" |
		grep attempt | sort -u | xargs)"
refused "a FINISHED task is not meant by accident" "is FINISHED" \
	stfm-restart one/3
ok "with --finished it is" stfm-restart -Q --finished one/3
rm "$OUT/fail.2"
ok "a third attempt" stfm-restart -Q one/2
ok "ends well" follow one
is "attempts count on" "0 FINISHED 0 1 FINISHED 1 2 FINISHED 2 3 FINISHED 1" \
	"$(states one)"

page=$(stfm-status one/2)
like "the page of a task has its earlier attempts" \
	'^Attempt 1 +ERROR  exit 1  n[12]  20' "$page"
is "each with its logs" 2 "$(printf '%s\n' "$page" |
	grep -c '^  log .*store/jobs/one/log/[0-9]*_[0-9]*.log$')"
like "and its training log" '^  metrics .*/metrics/000002\.1\.csv$' "$page"
like "which do not take the place of the current one" \
	'^Metrics .*/metrics/000002\.2\.csv$' "$page"

# Where the training chooses the place, as S-TFManager's scripts do.
cat >old.sh <<'END'
#!/bin/sh
log=results/$1/$2/$2.csv
[ -e "$log" ] || echo epoch,val_loss >"$log"
echo "$STFM_ATTEMPT,0.5" >>"$log"
[ -e "$OUT/fine" ]
END
chmod +x old.sh
submit -J old --no-snapshot --args=positional batch_size=1 learning_rate=1 \
	epochs=1 early_stopping=0 -- ./old.sh
follow old
ok "from scratch" stfm-restart -Q old
follow old
ok "from scratch again" stfm-restart -Q old
follow old
is "its logs do not mix" "0,0.5 1,0.5 2,0.5" \
	"$(grep -h 0.5 results/old/0/0.csv.0 results/old/0/0.csv.1 \
		results/old/0/0.csv | xargs)"
like "and are on the page" '^  metrics .*results/old/0/0\.csv\.0$' \
	"$(stfm-status old/0)"

# Slurm puts back what it could not start: the first run is not its first.
ok "from scratch, but its first start fails" stfm-restart -Q --hold old
SLURM_ARRAY_JOB_ID=$(jq -r .array "$STFM_DIR/jobs/old/sub/c00003.0.claim") \
	SLURM_ARRAY_TASK_ID=0 SLURM_RESTART_COUNT=1 \
	"$top/libexec/stfm-run" "$STFM_DIR/jobs/old" \
	"$(jq -r .id "$STFM_DIR/jobs/old/job.json")" c00003.0
is "its log does not take the place of the one before" "2,0.5 3,0.5" \
	"$(grep -h 0.5 results/old/0/0.csv.2 results/old/0/0.csv | xargs)"
stfm-stop -Q old

## What the tasks need was lost

submit -J bare on=1 -- ./train.sh
follow bare
rm -r "$STFM_DIR/libexec" "$STFM_DIR/jobs/bare/log" \
	"$STFM_DIR/jobs/bare/metrics"
ok "the program and the directories are made again" \
	stfm-restart -Q --finished bare
status "and it trains" 0 follow bare
is "as ever" "0 FINISHED 1" "$(states bare)"

## From the checkpoint

touch "$OUT/save" "$OUT/fail.0" "$OUT/fail.1"
submit -J two lr=1..2 -- ./train.sh
status "two tasks fail" 1 follow two
rm "$OUT/save" "$STFM_DIR/jobs/two/checkpoint/000001/last"
is "who has no checkpoint is named" "two: 2 tasks queued again: 0-1
two: 1 task from scratch, without a checkpoint: 1" \
	"$(stfm-restart --resume two)"
follow two
ok "resuming what has resumed" stfm-restart -Q --resume two/0
follow two
ok "from scratch again" stfm-restart -Q two/0
follow two
is "resuming is in the same directory, scratch in a fresh one" \
	"0 0 000000 1 1 000000 2 1 000000 3 0 000000.3" "$(runs two.0)"
is "an empty directory is no checkpoint" "0 0 000001 1 0 000001" \
	"$(runs two.1)"
ok "old checkpoints stay" test -e "$STFM_DIR/jobs/two/checkpoint/000000/last"

## Options of sbatch

touch "$OUT/wait.0"
ok "options hold for the restart" \
	stfm-restart -Q --time=7 --comment='a b' -c1 two/0
record=$(scontrol show job "$(squeue -h -n two -o %A | head -1)")
like "a time limit" 'TimeLimit=00:07:00' "$record"
like "a comment comes before the token" 'Comment=a b stfm-[^ ]*' "$record"
rm "$OUT/wait.0"
follow two
refused "what Slurm refuses changes nothing" "Slurm refuses" \
	stfm-restart --partition=nosuch two/0
is "the task is what it was" "0 ERROR 4 1 ERROR 1" "$(states two)"
ok "and can be restarted" stfm-restart -Q two/0
follow two
is "the withdrawn attempt is passed over" "0 ERROR 6 1 ERROR 1" \
	"$(states two)"
rm "$OUT"/fail.*

## The same submission again

touch "$OUT/fail.1" "$OUT/wait.2"
same() {
	stfm-submit --gres=none -J same lr=1..4 "$@" -- ./train.sh
}
over() {
	poll 20 sh -c "stfm-watch --once
		stfm-status --no-refresh same |
			grep -cE '^same/.*(FINISHED|ERROR)' | grep -qx $1"
}
is "the first time" "same: 4 tasks queued" \
	"$(same | sed 's/ as Slurm array.*//')"
over 3
rm "$OUT/fail.1"
is "a look at it" "same: 2 done, 1 running; 1 would be queued again" \
	"$(same --dry-run)"
is "what is not done and not alive is queued" \
	"same: 2 done, 1 running; 1 queued again" "$(same)"
over 3
is "nothing may be left" "same: 3 done, 1 running; nothing to queue" "$(same)"
is "for programs: no array was queued" "same	" \
	"$(same --parsable 2>told)"
is "and people are told beside it" \
	"stfm-submit: same: 3 done, 1 running; nothing to queue" "$(cat told)"
rm "$OUT/wait.2"
ok "it ends well" stfm-watch -Q -i 1 same
is "each task has the attempts it needs" \
	"0 FINISHED 0 1 FINISHED 1 2 FINISHED 0 3 FINISHED 0" "$(states same)"
touch "$OUT/fail.1"
submit -J again lr=1,2 -- ./train.sh
status "one task of another job fails" 1 follow again
rm "$OUT/fail.1"
line=$(stfm-submit --parsable --gres=none -J again lr=1,2 -- ./train.sh 2>told)
array=$(cat "$STFM_DIR"/jobs/again/sub/*.claim | jq .array | tail -1)
is "for programs: the array that was queued" "again	$array" "$line"
is "for people: how many" "stfm-submit: again: 1 done; 1 queued again" \
	"$(cat told)"
ok "it ends well, too" follow again
refused "another command" "with another command: choose another name, as in" \
	submit -J same lr=1..4 -- ./train.sh --fast
refused "other points" "with other points" \
	submit -J same lr=1..5 -- ./train.sh
refused "other options" "other options for sbatch (--time=5 only now)" \
	submit -J same --time=5 lr=1..4 -- ./train.sh
refused "other options of ours" \
	"--parallel (2 now, none then; stfm-throttle same 2 changes it): " \
	submit -J same --parallel 2 lr=1..4 -- ./train.sh
submit -J bound --mem=100 --retry-oom 2,max=300M lr=1 -- true || exit 99
for most in 2,max=400M,n=3 2,n=3 3,max=300M,n=3; do
	refused "another bound for what is queued again: $most" \
		"with another --retry-oom ($most now, 2,max=300M,n=3 then): " \
		submit -J bound --mem=100 --retry-oom $most lr=1 -- true
done
ok "the same bound" \
	submit -J bound --mem=100 --retry-oom 2,max=307200K lr=1 -- true
refused "other code" "train.sh has changed since the code of same was copied: \
give --new-code to queue its tasks with the new code, or --old-code" \
	sh -c 'echo "# edited" >>train.sh
		stfm-submit --gres=none -J same lr=1..4 -- ./train.sh'
is "nothing came of these" \
	"0 FINISHED 0 1 FINISHED 1 2 FINISHED 0 3 FINISHED 0" "$(states same)"

## What is alive is left alone

touch "$OUT/wait.0" "$OUT/wait.1"
submit -J three lr=1..3 -- ./train.sh
poll 20 test -e "$OUT/three.0"
refused "a task that runs" "three/0: is RUNNING" stfm-restart three/0-2
is "nothing is queued" "three: nothing to restart" "$(stfm-restart three)"
ok "stopped" stfm-stop -Q three/0
poll 30 sh -c 'stfm-restart -Q three/0 2>/dev/null'
like "as soon as it has ended it can be restarted" 'three.0 1' \
	"$(poll 20 grep 'three.0 1' "$OUT/trained"; cat "$OUT/trained")"
ok "it can be stopped again" stfm-stop -Q three/0
rm "$OUT/wait.1"
follow three
rm "$OUT/wait.0"
is "a stop is for one attempt" "0 STOPPED 1 1 FINISHED 0 2 FINISHED 0" \
	"$(states three)"

## Interrupted

# An sbatch that works, and then ends stfm-restart before it hears of it.
mkdir cut
real=$(command -v sbatch)
cat >cut/sbatch <<END
#!/bin/sh
"$real" "\$@" >/dev/null
kill -9 \$PPID
END
chmod +x cut/sbatch
touch "$OUT/fail.0"
submit -J torn lr=1..2 -- ./train.sh
follow torn
rm "$OUT/fail.0"
status "killed behind sbatch" 137 sh -c \
	'PATH="$PWD/cut:$PATH" stfm-restart torn 2>/dev/null'
like "nobody queues it once more" 'torn: nothing to restart' \
	"$(stfm-restart torn)"
ok "a watcher finds it" follow torn
is "and it is trained once" "0 FINISHED 1 1 FINISHED 0" "$(states torn)"
is "really" "torn.0 0 torn.0 1 torn.1 0" \
	"$(grep torn "$OUT/trained" | sort | xargs)"

## At once

# Three restarts of the same tasks, again and again: each task once, which does
# not end before the last of them has looked.
touch "$OUT/fail.0" "$OUT/fail.1" "$OUT/fail.2" "$OUT/fail.3"
submit -J race lr=1..4 -- ./train.sh
follow race
round=0
while [ "$round" -lt 8 ]; do
	round=$((round + 1))
	touch "$OUT/wait.0" "$OUT/wait.1" "$OUT/wait.2" "$OUT/wait.3"
	for i in 1 2 3; do
		stfm-restart race >"out.$i" 2>&1 &
	done
	wait
	rm "$OUT"/wait.*
	follow race
done
is "each task has one new attempt a round" \
	"0 ERROR 8 1 ERROR 8 2 ERROR 8 3 ERROR 8" "$(states race)"
is "no run is there twice" "" "$(sort "$OUT/trained" | uniq -d)"
is "nothing else was queued" "36" "$(grep -c ^race "$OUT/trained")"

# A restart against a stop, and a watcher.
round=0
while [ "$round" -lt 8 ]; do
	round=$((round + 1))
	stfm-restart -Q race >out.1 2>&1 &
	stfm-stop -Q race >out.2 2>&1 &
	stfm-watch -Q --once >out.3 2>&1 &
	wait
	follow race
done
is "every task is over" "0" "$(states race | grep -c 'SUBMITTED\|RUNNING')"
is "and still no run is there twice" "" "$(sort "$OUT/trained" | uniq -d)"

done_testing
