#!/bin/sh
# Tasks that run beside each other on one allocation, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store" GO="$tap_dir/go"
mkdir "$GO"

submit() {
	stfm-submit -Q --args=none "$@"
}
in_queue() {
	squeue -h -r -n "$1" -o %K | sort | tr '\n' ' '
}

# Trains until it is let go; what it then does is in the file.
cat >train.sh <<'END'
#!/bin/sh
trap 'exit 0' USR1
echo "task $STFM_TASK of ${STFM_PACK:-none}, $OMP_NUM_THREADS threads" \
	"on $CUDA_VISIBLE_DEVICES, attempt $STFM_ATTEMPT"
printf 'epoch,val_loss\n0,0.%s\n' "$STFM_TASK" >"$STFM_METRICS"
while ! [ -e "$GO/$STFM_JOB.$STFM_TASK" ]; do sleep 0.1; done
. "$GO/$STFM_JOB.$STFM_TASK"
END
chmod +x train.sh
# What some tasks are to do, once they are let go.
let_go() {
	job=$1 what=$2
	shift 2
	for task; do
		echo "$what" >"$GO/$job.new"
		mv "$GO/$job.new" "$GO/$job.$task"
	done
}

## Each with its own records

let_go own 'exit 0' 0 1 3 4
let_go own 'exit 3' 2
submit -J own --pack 2 -c 2 i=1..5 -- ./train.sh
ok "each ends as it does" poll 20 reaches own FFEFF
is "the record of the array says how many share it" "0-4 2" \
	"$(intent own c00000.0 '"\(.tasks) \(.pack)"')"
is "each has its start and its end" "000000.0.0.E0 000000.0.0.S \
000001.0.0.E0 000001.0.0.S 000002.0.0.E3 000002.0.0.S 000003.0.0.E0 \
000003.0.0.S 000004.0.0.E0 000004.0.0.S " "$(facts own '*')"
array=$(array_of own)
is "its place in Slurm" "0 0 1 1 2" \
	"$(stfm-status -o jsonl own | jq -r .slurm_id | sed 's/.*_//' |
		paste -s -d ' ' -)"
is "its log and its share" \
	"task 1 of 2, 1 threads" \
	"$(sed 's/ on.*//' "$STFM_DIR/jobs/own/log/${array}_0.task1.log")"
is "one that is alone has all of it" "task 4 of 1, 2 threads" \
	"$(sed 's/ on.*//' "$STFM_DIR/jobs/own/log/${array}_2.log")"
is "those beside each other have one GPU" \
	"$(sed 's/.* on //' "$STFM_DIR/jobs/own/log/${array}_0.task0.log")" \
	"$(sed 's/.* on //' "$STFM_DIR/jobs/own/log/${array}_0.task1.log")"
is "its metrics" "0.3" "$(stfm-status -o jsonl own/3 | jq -r .best)"
like "and says of whom it is one" \
	"${array}_1  one of 2 tasks on its allocation" \
	"$(stfm-status own/3)"
like "stfm-log prints its own" "^task 3 of 2" "$(stfm-log own/3)"
is "Slurm's name for it is of both" "own/2 own/3" \
	"$(stfm-status -o jsonl "${array}_1" | jq -r .id | paste -s -d ' ' -)"
ok "a restart is of what failed alone" stfm-restart -Q own/2
ok "and it trains" poll 20 reaches own FFEFF
is "by itself" 2 "$(intent own c00001.0 .tasks)"

## One is stopped

submit -J stop --pack 3 i=1..3 -- ./train.sh
ok "three run" poll 20 reaches stop RRR
is "one can be got into" "2 of 3" \
	"$(stfm-attach stop/2 -- sh -c 'echo "$STFM_TASK of $STFM_PACK"')"
ok "one is stopped" stfm-stop -Q stop/1
ok "and ends" poll 30 reaches stop RTR
is "the others are still there" "0 " "$(in_queue stop)"
ok "the last two are stopped one by one" stfm-stop -Q stop/0
ok "which ends the array" stfm-stop -Q stop/2
ok "at once" poll 20 unqueued stop
ok "all have stopped" poll 20 reaches stop TTT

submit -J wait --hold --pack 2 i=1..4 -- ./train.sh
let_go wait 'exit 0' 0 1 2 3
ok "one that waits is stopped" stfm-stop -Q wait/0
stfm-watch --once -Q wait
is "the other still waits" "0 1 " "$(in_queue wait)"
is "it is on its way" "stopping" "$(row wait 0 .cause)"
ok "both of a pair are stopped" stfm-stop -Q wait/2-3
is "and leave the queue" "0 " "$(in_queue wait)"
scontrol release "$(array_of wait)_0"
ok "the one that is left trains" poll 30 reaches wait TFTT
is "the one that was stopped did not" "" \
	"$(cat "$STFM_DIR"/jobs/wait/log/*.task0.log | grep '^task')"

submit -J held --begin=now+1hour --pack 2 i=1..4 -- ./train.sh
ok "one of a pair is held" stfm-hold -Q held/1
kept_back() {
	stfm-watch --once -Q held
	[ "$(row held 0 .cause)" = "(held with another task)" ]
}
ok "it keeps the other one back, which says so" poll 20 kept_back
like "and what to do" "held/0 waits: you hold a task that shares its alloc" \
	"$(stfm-status --no-refresh --why held/0)"
is "to let it go is nothing" "held: 1 task is not held: 0" \
	"$(stfm-release held/0)"
stfm-stop -Q held

submit -J both --hold --pack 2 i=1..4 -- ./train.sh
is "what --hold holds can be held" "both: 1 task is held already: 1" \
	"$(stfm-hold both/1)"
orders() {
	find "$STFM_DIR/jobs/both/ctl" -name 'order.*' | wc -l
}
stfm-hold -Q both/1
is "which is recorded, once" 1 "$(orders)"
is "one of its pair is not let go without it" "both: 1 task is not held: 0" \
	"$(stfm-release both/0)"
is "Slurm holds them" "JobHeldUser " \
	"$(squeue -h -r -n both -o %r | sort -u | tr '\n' ' ')"
stfm-release -Q both/1
ok "but with it" poll 20 reaches both RRSS
stfm-stop -Q both

## The allocation ends

let_go end 'exit 0' 0
let_go end 'exit 5' 1
submit -J end --pack 4 i=1..4 -- ./train.sh
ok "two are over, and two run" poll 20 reaches end FERR
# That of all of them: Slurm then ends what is left.
kill -9 "$(pgrep -f "stfm-run[^ ]* $STFM_DIR/jobs/end ")"
ok "what ends the allocation is the end of those" poll 30 reaches end FEEE
is "who had an end keeps it" "exit 5" "$(row end 1 .cause)"
ok "they are restarted" stfm-restart -Q end/2-3
is "together, without the others" 2-3 "$(intent end c00001.0 .tasks)"
let_go end 'exit 0' 2 3
ok "and train" poll 20 reaches end FEFF

let_go again 'exit 0' 1
submit -J again --pack 3 --requeue -t 10 i=1..3 -- ./train.sh
ok "one is done, two run" poll 20 reaches again RFR
scancel --batch -s USR1 "$(array_of again)_0"
# Else one could end before it hears that, and one be queued before the other.
ok "two end to be put back" poll 20 has_facts again '*.Q' \
	"000000.0.0.Q 000002.0.0.Q "
let_go again 'exit 0' 0 2
ok "those whose time is up are queued again by the watcher" \
	poll 30 reaches again FFF
is "without the one that is done" "0,2" "$(intent again c00001.0 .tasks)"
is "Slurm puts none back" 0 "$(row again 0 '.restart // 0')"

## A stfm-run that is killed

submit -J killed --pack 2 i=1,2 -- ./train.sh
ok "two run" poll 20 reaches killed RR
pid=$(pgrep -f "beside 0 $STFM_DIR/jobs/killed ")
kill -9 "$pid"
let_go killed 'exit 0' 1
ok "the other one ends well, and it does not" poll 30 reaches killed EF

## What is refused, and planned

refused "distributed trainings" "leave one out" \
	submit -J no --pack 2 --dist torch i=1,2 -- ./train.sh
refused "fewer at once than side by side" "--pack 4 runs more at once" \
	submit -J no --pack 4 --parallel 3 i=1,2 -- ./train.sh
refused "none" "--pack" submit -J no --pack 0 i=1,2 -- ./train.sh
refused "the same job otherwise packed" "another --pack" \
	submit -J own --pack 3 -c 2 i=1..5 -- ./train.sh
like "a dry run shows them" "^# tasks 0-4, 2 at a time on each allocation$" \
	"$(stfm-submit --dry-run -J plan --pack 2 --parallel 4 i=1..5 -- \
		./train.sh)"
like "in which Slurm counts packs" "--array=0-2%2 " \
	"$(stfm-submit --dry-run -J plan --pack 2 --parallel 4 i=1..5 -- \
		./train.sh)"

ok "the store is sound after all this" stfm-check --store
done_testing
