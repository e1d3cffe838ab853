#!/bin/sh
# stfm-stop on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 2
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}

submit -J try --parallel 2 lr=0.1,0.01 seed=1..5 --args=none -- sleep 600
ok "two tasks run, the others wait" poll 20 reaches try RRSSSSSSSS
is "waiting tasks are stopped" "try: stopped 2 tasks: 8-9" \
	"$(stfm-stop try/8-9)"
ok "and are STOPPED" reaches try RRSSSSSSTT
is "running ones too" "try: stopped 1 task: 0" "$(stfm-stop try/0)"
ok "they are STOPPED, and not ERROR" poll 20 reaches try TRRSSSSSTT
is "it ended by the signal" "000000.0.0.E143 " "$(facts try '000000.0.0.E*')"
cat >busy.sh <<'END'
trap 'sleep 15; exit 1' TERM
touch "$1/busy"
while :; do sleep 0.1; done
END
submit -J busy x=1 --args=none -- sh busy.sh "$PWD"
poll 20 test -e busy
is "a task that needs a while to end" "busy: stopped 1 task: 0" \
	"$(stfm-stop busy)"
is "is not stopped twice" "busy: 1 task is stopping already: 0" \
	"$(stfm-stop busy)"
is "stopping again is harmless" "try: nothing to stop: 1 task is over" \
	"$(stfm-stop try/0)"
is "conditions choose" "try: stopped 2 tasks: 6-7" \
	"$(stfm-stop -w 'lr<0.05,seed>=2' try)"
is "states choose" "try: stopped 3 tasks: 3-5" \
	"$(stfm-stop -t submitted try)"
is "a dry run changes nothing" "try: would stop 2 tasks: 1-2" \
	"$(stfm-stop --dry-run try)"
ok "the others still run" reaches try TRRTTTTTTT
array=$(squeue -h -n try -o %F | head -1)
is "Slurm's ids are understood, words come from a pipe" \
	"try: stopped 1 task: 2" "$(echo "${array}_2" | stfm-stop -)"
is "a whole job" "try: stopped 1 task: 1" "$(stfm-stop @2)"
ok "all are STOPPED" poll 20 reaches try TTTTTTTTTT
is "what never ran has an end, and neither a start nor a cost" \
	"true null null" \
	"$(row try 5 '"\(.end > 0) \(.start)"') $(stfm-status --no-refresh \
		-o json try/5 | jq '.[].elapsed')"
# Slurm shows tasks that end for a while.
ok "nothing of it is queued" poll 30 unqueued try

submit -H -J gaps seed=0..40 -- true
is "a long list of tasks is cut" \
	"gaps: would stop 21 tasks: 0,2,4,6,8,10,12,14,... and 13 more" \
	"$(stfm-stop --dry-run "gaps/$(seq -s , 0 2 40)")"
stfm-stop -Q gaps

# A training that takes its time to end, and one that ended before.
cat >stubborn.sh <<'END'
#!/bin/sh
[ "$1" = --i=0 ] && exit 0
[ "$1" = --i=1 ] && exit 5
trap 'sleep 1; exit 0' TERM
: >"$STFM_DIRECTORY/stubborn"
while :; do sleep 0.1; done
END
chmod +x stubborn.sh
submit -J mixed i=0..2 -- ./stubborn.sh
ok "one finishes, one fails, one goes on" poll 20 reaches mixed FER
poll 20 test -e stubborn
ok "the job is stopped" stfm-stop -Q mixed
ok "what was over keeps its state, what ended with 0 when asked is STOPPED" \
	poll 20 reaches mixed FET
is "it was asked to end" "0" \
	"$(jq .exit "$STFM_DIR/jobs/mixed/run/000/000002.0.0.E0")"

# Without Slurm the wish is recorded, and heard when a task starts.
submit -J later --begin=now+1hour i=1..2 --args=none -- sleep 600
SLURM_CONF=/nonexistent stfm-stop later >out 2>&1
is "without Slurm the status is 75 or 2" "told" \
	"$(grep -q 'stop request is recorded' out && echo told)"
is "the wish is there" 1 "$(ls "$STFM_DIR/jobs/later/ctl" | wc -l)"
scontrol update jobid="$(squeue -h -n later -o %F | head -1)" starttime=now
poll 20 sh -c '! squeue -h -n later | grep -q .'
is "its tasks end before they train" "" "$(facts later '*.S')"
ok "and are STOPPED" poll 20 reaches later TT

# The next look at the status is a fresh one.
submit -J fresh --args=none i=1..2 -- sleep 600
ok "a job runs" poll 20 reaches fresh RR
stfm-stop -Q fresh
ok "what was stopped is soon shown as such, without a watcher" poll 20 sh -c \
	'stfm-status -o tsv fresh | cut -f 4 | grep -c STOPPED | grep -q 2'

refused "Slurm's id 0" "stfm-stop: 0: write a number from 1 on" stfm-stop 0
refused "a Slurm id that would wrap" ": too large (at most 4294967295)" \
	stfm-stop 4294967297

# A wish that Slurm was not told of is told by the next pass.
submit -J untold --args=none i=1 -- sleep 600
ok "a job runs" poll 20 reaches untold R
SLURM_CONF=/nonexistent stfm-stop -Q untold 2>/dev/null
ok "a later pass stops it" poll 20 reaches untold T

# What cannot be recorded Slurm is not told: no file can get longer than
# nothing, as on a full disk.
on_full_disk() {
	(
		ulimit -f 0
		trap '' XFSZ
		"$@" 2>&1 || echo "status $?"
	) | cat
}
submit -J full --args=none i=1 -- sleep 600
ok "a job runs" poll 20 reaches full R
said=$(on_full_disk stfm-stop full)
like "a wish that cannot be recorded is an error" \
	"ctl/stop[.].*: cannot write: File.*nothing was cancelled.*status 2" \
	"$(echo "$said" | tr '\n' ' ')"
is "and nothing is said to be stopped" "" \
	"$(echo "$said" | grep "full: stopped")"
is "its task goes on" R "$(squeue -h -n full -o %t)"
is "nor is it wished for" "" "$(ls "$STFM_DIR/jobs/full/ctl")"
# A disk is freed by removing jobs: what goes needs no record.
said=$(on_full_disk stfm-stop --remove full)
like "a job is removed all the same, and what was cancelled is said" \
	"cancelled without a record.*full: removed" \
	"$(echo "$said" | tr '\n' ' ')"
ok "with all of it" test ! -e "$STFM_DIR/jobs/full"

# Which array has the tasks of a chunk that is damaged nobody knows.
submit -J torn --args=none i=1..2 -- sleep 600
ok "a job runs" poll 20 reaches torn RR
sed -i 's/"token":"..../"token":"~~~~/' "$STFM_DIR"/jobs/torn/sub/*.intent
refused "what Slurm could not be told is said" "intent: damaged" \
	stfm-stop -Q torn
ok "with the wish for all of it" test -e "$STFM_DIR"/jobs/torn/ctl/stop.*
scancel -n torn

# Removing.
mkdir precious
: >precious/file
submit -J gone i=1..2 --args=none -- sleep 600
ok "a job runs" poll 20 reaches gone RR
ln -s "$PWD/precious" "$STFM_DIR/jobs/gone/checkpoint/link"
refused "tasks alone cannot be removed" "takes whole jobs" \
	stfm-stop --remove gone/0
refused "nor those of a kind" "takes whole jobs" \
	stfm-stop --remove -t RUNNING gone
is "removing stops first" "gone: stopped 2 tasks: 0-1
gone: removed" "$(stfm-stop --remove gone)"
ok "its directory is gone" test ! -e "$STFM_DIR/jobs/gone"
ok "what its links point to is not" test -e precious/file
is "nothing of it is queued" "" "$(squeue -h -n gone)"
is "the trash is empty" "" "$(ls "$STFM_DIR/trash")"
ok "its name is free again" submit -J gone i=1 -- true

# Who queues while a job is removed.  Here squeue answers with what there was
# before the restart began, and sbatch waits until the job is taken, or not.
mkdir path
cat >path/squeue <<END
#!/bin/sh
# Where tasks wait it is asked twice in each look: the first counts.
case "\$STFM_TEST \$*" in
"remove "*--Format*)
	echo >>"$PWD/asked"
	$(command -v squeue) "\$@" >"$PWD/answer"
	if [ "\$(wc -l <"$PWD/asked")" -eq "\$(cat "$PWD/turn")" ]; then
		: >"$PWD/begin"
		until [ -e "$PWD/begun" ]; do sleep 0.05; done
	fi
	exec cat "$PWD/answer"
	;;
esac
exec $(command -v squeue) "\$@"
END
cat >path/sbatch <<END
#!/bin/sh
: >"$PWD/begun"
while [ -e "$STFM_DIR/jobs/race" ]; do sleep 0.05; done
exec $(command -v sbatch) "\$@"
END
chmod +x path/squeue path/sbatch
removal() {
	STFM_TEST=remove STFM_SLURM=text PATH=$PWD/path:$PATH \
		stfm-stop --remove -y race >removed 2>&1
	echo "status $?" >>removed
}
# A task that makes the directory of its log, as newer releases of Slurm do, as
# long as it runs.
cat >logs.sh <<END
#!/bin/sh
echo >>"$PWD/trains"
while :; do
	mkdir -p "$STFM_DIR/jobs/race/log"
	sleep 0.1
done
END
chmod +x logs.sh
stopped_race() {
	submit -J race --hold --args=none i=1..2 -- ./logs.sh
	stfm-stop -yQ race
	rm -f asked begin begun trains
}
race() {
	stopped_race
	removal &
	removal=$!
	poll 30 test -e begin
	"$@" >restarted 2>&1
	echo "status $?" >>restarted
	: >begun
	wait "$removal"
}
# Its last question but one is the last before the job is taken.  How many
# there are before depends on how long Slurm shows the old tasks.
count_questions() {
	echo 0 >turn
	stopped_race
	removal
	echo $(($(wc -l <asked) - 1)) >turn
}
count_questions
race env PATH="$PWD/path:$PATH" stfm-restart race
like "a restart that is queueing when its job is taken ends by itself" \
	"race: removed meanwhile: its queued tasks are cancelled status 2" \
	"$(tr '\n' ' ' <restarted)"
like "and the job is removed" "race: removed.*status 0" \
	"$(tr '\n' ' ' <removed)"
is "no array is left behind" "" "$(squeue -h -n race)"
# Slurm shows a task as running before its training has begun.  If the job is
# removed then, the task ends by itself: so wait for the trainings.
restart_and_run() {
	stfm-restart race
	poll 20 sh -c '[ "$(wc -l <trains)" -eq 2 ]'
}
# If Slurm shows the old tasks for longer than it did when the questions were
# counted, the removal asks again before it takes the job, and finds the new
# ones like any others.  If it shows them for less, nothing is queued meanwhile.
for _ in 1 2 3 4 5; do
	count_questions
	race restart_and_run
	grep -q "queued meanwhile" removed && break
done
is "one that was before" "race: 2 tasks queued again: 0-1
status 0" "$(cat restarted)"
like "is stopped by the removal, which says it" \
	"race: removed, and tasks queued meanwhile are stopped.*status 0" \
	"$(tr '\n' ' ' <removed)"
ok "and leaves no array" unqueued race
ok "nor a directory" test ! -e "$STFM_DIR/jobs/race"
is "nothing is left of the jobs" "" "$(ls "$STFM_DIR/trash")"

# Two remove it at once: the second finds it gone.
race stfm-stop --remove -y race
is "a job is removed by one of two" "race: removed
status 0" "$(tail -n 2 restarted)"
is "and the other says so" "race: removed by another command meanwhile
status 0" "$(tail -n 2 removed)"

## Over by Slurm's account, with an end that is not on record

# Task 0 ends with 0, task 1 with 3, the others when they may; the third kills
# what is around it, so that nobody looks whether too many have failed.
cat >unheard.sh <<'END'
#!/bin/sh
echo "$STFM_TASK" >>"$STFM_DIRECTORY/$STFM_JOB.began"
until [ -e "$STFM_DIRECTORY/$STFM_JOB.$STFM_TASK" ]; do sleep 0.05; done
case $STFM_PARAM_i in
fail) exit 3 ;;
kill) kill -KILL "$PPID" ;;
esac
END
chmod +x unheard.sh
# Let a task end with this code, and lose what it says of that.
end_unheard() {
	: >"$1.$2"
	fact=$STFM_DIR/jobs/$1/run/000/00000$2.0.0.E$3
	poll 20 test -e "$fact"
	poll 20 sh -c "! squeue -h -j $(array_of "$1")_$2 -t R,CG | grep -q ."
	rm "$fact"
}
wishes() {
	ls "$STFM_DIR/jobs/$1/ctl"
}
# "STATE cause" of each task.
truth() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4,5 |
		sed 's/[	 ]*$//' | tr '\t' ' '
}
becomes() {
	stfm-watch --once -Q "$1"
	[ "$(truth "$1")" = "$2" ]
}
# The same when nobody waits any more for what a task may say.
becomes_late() {
	STFM_GRACE=1 becomes "$@"
}
export STFM_GRACE=600
submit -J over --args=none i=1..2 -- ./unheard.sh
ok "a job runs" poll 20 reaches over RR
end_unheard over 0 0
ok "one is COMPLETED, and may still say how it ended" poll 20 becomes over \
	"RUNNING ending
RUNNING"
is "it cannot be stopped any more" "over: nothing to stop: 1 task is over" \
	"$(stfm-stop over/0)"
is "nor is that wished" "" "$(wishes over)"
is "of the job the other is stopped" "over: stopped 1 task: 1" \
	"$(stfm-stop over)"
ok "which is STOPPED" poll 20 becomes over "RUNNING ending
STOPPED"
ok "and the one that ended is FINISHED" poll 20 becomes_late over \
	"FINISHED no end record
STOPPED"
is "as Slurm says" "000000.0.0.XCOMPLETED " "$(facts over '000000.*.X*')"

# The wish is there first, and Slurm is not told before they have ended.
submit -J first --args=none i=0,fail -- ./unheard.sh
ok "a job runs" poll 20 reaches first RR
SLURM_CONF=/nonexistent stfm-stop -yQ first 2>/dev/null
ok "a wish is recorded" test -n "$(wishes first)"
end_unheard first 0 0
end_unheard first 1 3
ok "what has ended by itself was not stopped" poll 20 becomes first \
	"RUNNING ending
ERROR exit 3"
ok "nor is it later" poll 20 becomes_late first "FINISHED no end record
ERROR exit 3"
is "for Slurm says how each ended" "000000.0.0.XCOMPLETED 000001.0.0.XFAILED " \
	"$(facts first '*.X*')"

# What a rule stops, in a pass and where a run fails.
submit -J rule --args=none --max-fail 1 i=0,kill,2 -- ./unheard.sh
ok "a job runs" poll 20 reaches rule RRR
end_unheard rule 0 0
ok "one is COMPLETED" poll 20 becomes rule "RUNNING ending
RUNNING
RUNNING"
: >rule.1
ok "when one has failed the rest is stopped, but not what has ended" \
	poll 20 becomes rule "RUNNING ending
ERROR SIGKILL
STOPPED max-fail 1"
is "which nobody wished" "2" \
	"$(cat "$STFM_DIR"/jobs/rule/ctl/stop.* | jq -r .tasks | sort -u)"
ok "and which is FINISHED" poll 20 becomes_late rule \
	"FINISHED no end record
ERROR SIGKILL
STOPPED max-fail 1"
submit -J fails --args=none --max-fail 1 i=0,fail,2 -- ./unheard.sh
ok "a job runs" poll 20 reaches fails RRR
end_unheard fails 0 0
ok "one is COMPLETED" poll 20 becomes fails "RUNNING ending
RUNNING
RUNNING"
: >fails.1
ok "a run that fails stops the rest, but not what has ended" \
	poll 20 becomes fails "RUNNING ending
ERROR exit 3
STOPPED max-fail 1"
is "which was not wished" "2" \
	"$(cat "$STFM_DIR"/jobs/fails/ctl/stop.* | jq -r .tasks | sort -u)"
status "it cannot be restarted yet" 75 stfm-restart fails/0
is "nor is it with the whole job" "fails: 2 tasks queued again: 1-2" \
	"$(stfm-restart fails)"
stfm-stop -yQ fails

# What is dropped.
submit -J drop --args=none i=0,1,2 -- ./unheard.sh
ok "a job runs" poll 20 reaches drop RRR
end_unheard drop 0 0
ok "one is COMPLETED" poll 20 becomes drop "RUNNING ending
RUNNING
RUNNING"
submit -J drop --args=none --sync i=2 -- ./unheard.sh
ok "what is dropped is stopped, but not what has ended" \
	poll 20 becomes drop "RUNNING ending
STOPPED dropped
RUNNING"
is "which nobody wished, either" "1" \
	"$(cat "$STFM_DIR"/jobs/drop/ctl/stop.* | jq -r .tasks)"
ok "and which is FINISHED, too" poll 20 becomes_late drop \
	"FINISHED no end record
STOPPED dropped
RUNNING"
stfm-stop -yQ drop
is "each task was trained once" "0 1 2 " \
	"$(sort -n drop.began | tr '\n' ' ')"

refused "an unknown job" "gonw: no such job (did you mean gone?)" \
	stfm-stop gonw
refused "an unknown task" "try/10: no such task (it has 0-9)" \
	stfm-stop try/10
refused "tasks that are none" "not a list of numbers" stfm-stop try/x
refused "an unknown column" "lrr" stfm-stop -w 'lrr<1' try
refused "an unknown state" "GONE" stfm-stop -t GONE try
refused "no operand" "usage" stfm-stop

done_testing
