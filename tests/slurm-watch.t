#!/bin/sh
# stfm-watch on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}
head_of() {
	head -1 "$STFM_DIR/jobs/$1/fold/$(newest "$1")"
}

cat >train.sh <<'END'
#!/bin/sh
echo "epoch,loss,val_loss" >"$STFM_METRICS"
for epoch in 0 1 2 3; do
	until [ -z "$GO" ] || [ -e "$GO.$epoch" ]; do sleep 0.1; done
	echo "$epoch,0.$((5 - epoch)),0.$((epoch == 2 ? 1 : 7 - epoch))"
	[ -z "$SLOW" ] || sleep "$SLOW"
done >>"$STFM_METRICS"
exit "${STFM_PARAM_exit:-0}"
END
chmod +x train.sh

## Following a job

GO=$PWD/go submit -J good i=1..3 -- ./train.sh
stfm-watch -i 1 good >log 2>&1 &
watcher=$!
all_run() {
	[ "$(grep -c 'good/[0-2] RUNNING' log)" -eq 3 ]
}
poll 20 all_run
touch go.0 go.1
poll 20 grep -q 'good/1 epoch 2' log
touch go.2 go.3
wait $watcher
is "a job that ends well: status 0" 0 $?
like "the first line tells how many tasks are in each state" \
	'^[0-9:]{8} good: (3 SUBMITTED|.*3 RUNNING|. SUBMITTED, . RUNNING)$' \
	"$(grep good: log | head -n 1)"
is "a line for each end" 3 \
	"$(grep -c 'FINISHED in .* best val_loss 0.1 @ 3$' log)"
is "a line for each start" 3 "$(grep -c 'RUNNING on n[12]$' log)"
like "a line for epochs between" '^[0-9:]{8} good/[0-2] epoch [1-4]  best' \
	"$(cat log)"
is "none for the reasons why tasks are pending" "" "$(grep SUBMITTED log |
	grep -v good:)"
is "they count from 1, as those of the best values do" "" \
	"$(awk '$3 == "epoch" && $NF > $4' log)"
is "the best value and its epoch are registered" "0.1 2 val_loss" \
	"$(row good 1 '.metrics | "\(.best) \(.best_epoch) \(.metric)"')"
is "the whole log was read" \
	"$(wc -c <"$STFM_DIR/jobs/good/metrics/000001.csv")" \
	"$(row good 1 .metrics.offset)"

submit -J bad exit=0,3 -- ./train.sh
(cd "$tap_dir" && COLUMNS=60 exec stfm-watch -i 1 bad) >log 2>&1
is "a job with a failure: status 1" 1 $?
like "its cause and log are said, as they are called from here" \
	"bad/1 ERROR exit 3 in [^/]* log store/jobs/bad/log/[0-9]*_1\.log " \
	"$(tr -s '\n ' ' ' <log)"
is "in lines that fit the terminal" "" "$(awk 'length > 60' log)"
is "stdout has data alone" "" "$(stfm-watch --once bad)"

cat >elsewhere.sh <<'END'
#!/bin/sh
mkdir -p "runs/lr=$1"
printf 'step;acc\n1;0.5\n2;0.75\n' >"runs/lr=$1/log.csv"
END
chmod +x elsewhere.sh
submit -J elsewhere --metrics 'runs/lr={lr}/log.csv' --metric acc \
	lr=0.1,1e-3 -- ./elsewhere.sh {lr}
ok "a log can be anywhere" stfm-watch -i 1 -Q elsewhere
is "and be of another form; accuracies are better when larger" "0.75 2" \
	"$(row elsewhere 1 '.metrics | "\(.best) \(.best_epoch)"')"

## Reasons of ends

cat >end.sh <<'END'
#!/bin/sh
case $STFM_PARAM_how in
segv) kill -SEGV $$ ;;
nofile) exec ./nowhere ;;
*) exit "$STFM_PARAM_how" ;;
esac
END
chmod +x end.sh
submit -J ends how=0,3,255,segv,nofile -- ./end.sh
status "all of them end" 1 stfm-watch -i 1 -Q ends
is "each with its state" FEEEE "$(states ends)"
is "and its cause" "exit 3,exit 255,SIGSEGV,exit 127: command not found" \
	"$(for i in 1 2 3 4; do row ends $i .cause; done | paste -sd,)"

submit --no-check -J nocommand i=1 -- ./not-there
status "a command that is not on the node" 1 stfm-watch -i 1 -Q nocommand
is "is named" "./not-there: cannot start: No such file or directory" \
	"$(row nocommand 0 .reason)"

submit -J cancelled i=1..4 --parallel 2 --args=none -- sleep 600
ok "a job runs" poll 20 reaches cancelled RRSS
array=$(squeue -h -n cancelled -o %F | head -1)
scancel "${array}_0"
ok "scancel is somebody who asked" poll 20 reaches cancelled TRRS
is "and is told from stfm-stop by the cause" CANCELLED \
	"$(row cancelled 0 .cause)"
scontrol hold "${array}" 2>/dev/null
stfm-stop -Q cancelled
ok "the rest is stopped" poll 20 reaches cancelled TTTT

submit -J killed i=1 --args=none -- sleep 600
ok "a job runs" poll 20 reaches killed R
pkill -KILL -f "stfm-run-[^ ]* $STFM_DIR/jobs/killed " 2>/dev/null
ok "a runner that was killed says nothing; Slurm does" \
	poll 30 reaches killed E
is "with the signal" SIGKILL "$(row killed 0 .cause)"

## Watchers that die, and that are many

SLOW=0.3 submit -J hard i=1..12 --parallel 6 -- ./train.sh
i=0
while squeue -h -n hard | grep -q .; do
	stfm-watch -Q -i 1 hard &
	watcher=$!
	i=$((i + 1))
	(exec sleep "0.$((i % 7))$((i % 10))")
	kill -9 "$watcher"
	wait "$watcher" 2>/dev/null
done
ok "killed $i times and started again, it comes to the end" \
	stfm-watch -i 1 -Q hard
is "with the right states" FFFFFFFFFFFF "$(states hard)"
cp -r "$STFM_DIR/jobs/hard/fold" fold
rm "$STFM_DIR/jobs/hard/fold/"*
stfm-watch --once hard
strip() {
	sed 1d "$1" | jq -cS 'del(.c, .gone)'
}
is "a fold that was lost is made again, the same" \
	"$(strip "fold/$(ls fold | sort -t. -k2n | tail -1)")" \
	"$(strip "$STFM_DIR/jobs/hard/fold/$(newest hard)")"

SLOW=0.3 submit -J shared i=1..6 -- ./train.sh
stfm-watch -Q -i 1 shared & one=$!
stfm-watch -Q -i 1 shared & two=$!
stfm-watch -Q -i 1 & three=$!
ok "of three watchers the first ends well" wait $one
ok "and the second" wait $two
is "the states are right" FFFFFF "$(states shared)"
kill -TERM $three
ok "SIGTERM ends one that follows all jobs cleanly" wait $three

## Without Slurm

submit -J alone i=1 --args=none -- sleep 1
SLURM_CONF=/nonexistent status "one pass without Slurm: status 75" 75 \
	stfm-watch --once
SLURM_CONF=/nonexistent stfm-watch --once -Q 2>err
is "and quiet if so wanted" "" "$(cat err)"
like "why is kept" "." "$(head_of alone | jq -r .trouble)"
ok "it is known again when Slurm answers" poll 20 reaches alone F
is "no state of another job changed" FFF "$(states good)"

## Errors with a file of their own

submit -J errors -o "$PWD/out.%a" -e "$PWD/err.%a" i=1 -- \
	sh -c 'echo fine; echo "out of memory" >&2; exit 1'
status "a task fails" 1 stfm-watch -Q -i 1 errors
like "the page shows the end of the error log" "out of memory" \
	"$(stfm-status errors/0)"
like "and where it is" "^Errors .*err\.0$" "$(stfm-status errors/0)"
like "so does the table" "errors/0 .*exit 1: out of memory" \
	"$(stfm-status errors)"

## A log that is written over, a requeue

cat >over.sh <<'END'
#!/bin/sh
echo "epoch,val_loss
0,0.5
1,0.005" >"$STFM_METRICS"
until [ -e "$STFM_DIRECTORY/over" ]; do sleep 0.1; done
echo "epoch,val_loss
0,0.5
1,0.3
2,0.2
3,0.1" >"$STFM_METRICS"
END
chmod +x over.sh
submit -J over i=1 -- ./over.sh
best_is() {
	stfm-watch --once over
	[ "$(row over 0 .metrics.best)" = "$1" ]
}
ok "the best value is seen" poll 20 best_is 0.005
touch over
ok "and forgotten when the log is written over" poll 20 best_is 0.1

## Trouble with one job is not trouble with all

submit -J lone i=1 -- true
rm -r "$STFM_DIR/jobs/elsewhere/ctl"
: >"$STFM_DIR/jobs/ends/run/foreign"
stfm-watch -i 1 >/dev/null 2>err &
watcher=$!
ok "the others are followed on" poll 20 sh -c '
	head -1 "$STFM_DIR"/jobs/lone/fold/state.*.jsonl | grep -q "\"F\""'
kill -TERM $watcher
ok "and the watch ends as it should" wait $watcher
like "what is wrong is said" 'elsewhere: .*/ctl' "$(cat err)"
mkdir "$STFM_DIR/jobs/elsewhere/ctl"

## Damage

rm -r "$STFM_DIR/jobs/good/fold"
ok "a fold directory that is gone is made again" reaches good FFF

echo garbage >"$STFM_DIR/jobs/good/fold/state.9999.jsonl"
stfm-watch --once good 2>err
like "a damaged fold is named" 'good: state.9999.jsonl' "$(cat err)"
is "and made again" FFF "$(states good)"
fact=$STFM_DIR/jobs/bad/run/000/000001.0.0.E3
printf x | dd of="$fact" bs=1 seek=9 conv=notrunc 2>/dev/null
rm "$STFM_DIR/jobs/bad/fold/"*
stfm-watch --once bad 2>err
like "a damaged fact is named" '000001.0.0.E3' "$(cat err)"
is "and counts by its name, the rest is whole" FE "$(states bad)"

refused "an unknown job" "no such job" stfm-watch nowhere
refused "tasks of a job" "whole jobs are followed: write good" stfm-watch good/1
refused "an interval that is none" "--interval" stfm-watch --interval x
STFM_DIR=$tap_dir/none refused "no store" "no store here" stfm-watch --once

## What is queued again beside the rest

cat >until.sh <<END
#!/bin/sh
echo epoch,loss >"\$STFM_METRICS"
until [ -e "$PWD/end.\$STFM_TASK" ]; do sleep 0.1; done
END
chmod +x until.sh
submit -J beside --parallel 2 --args=none i=1..6 -- ./until.sh
ok "two run" poll 20 reaches beside RRSSSS
stfm-stop -Q beside/0
ok "the next has its place" poll 20 reaches beside TRRSSS
is "a restart says that there is no room yet" \
	"beside: 1 task queued again: 0
beside: they start after the tasks that wait already, because of --parallel" \
	"$(stfm-restart beside/0)"
first=$(array_of beside)
again() {
	squeue -h -n beside -t pending -o '%K %E' | sed -n 's/^0.* //p'
}
is "one that is queued again waits for the others" \
	"afterany:${first}_*(unfulfilled)" "$(again)"
stfm-watch --once -Q beside
is "and still does" "afterany:${first}_*(unfulfilled)" "$(again)"
why() {
	stfm-watch --once -Q beside
	stfm-status --no-refresh --why beside/0 | tr -s '\n ' ' ' |
		grep -q "earlier tasks of the job .*--parallel"
}
ok "which is said" poll 20 why
stfm-throttle -Q beside 2
limit() {
	scontrol -o show job "$first" |
		sed -n 's/.* ArrayTaskThrottle=\([0-9]*\).*/\1/p' | sort -u
}
scontrol update jobid="$first" arraytaskthrottle=1
is "Slurm forgets an order" 1 "$(limit)"
STFM_SLURM=text stfm-watch --once -Q beside
is "and is told again, as its commands tell what it knows" 2 "$(limit)"
scontrol update jobid="$first" arraytaskthrottle=1
stfm-watch --once -Q beside
is "as its library does" 2 "$(limit)"
stfm-hold -Q beside/3-5
scontrol update jobid="$first" arraytaskthrottle=4
stfm-watch --once -Q beside
is "also where more would run" 2 "$(limit)"
is "it still waits" "afterany:${first}_*(unfulfilled)" "$(again)"
touch end.1 end.2 end.3 end.4
stfm-release -Q beside/3-5
ok "when there is room a watcher lets it go" poll 30 reaches beside RFFFFR
stfm-stop -Q beside

done_testing
