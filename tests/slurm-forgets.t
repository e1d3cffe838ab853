#!/bin/sh
# What Slurm forgets: arrays that a crashed controller has lost, runs that it
# starts once more, tasks that it purged, those that were cancelled.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -c 8 -g 0
export STFM_DIR="$tap_dir/store" STFM_GRACE=2 COUNT="$PWD/count"

submit() {
	stfm-submit -Q --gres=none "$@"
}
pass() {
	stfm-watch --once -Q "$1"
}
# "STATE cause" of one task, or of all, one a line.
truth() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4,5 |
		sed 's/[	 ]*$//' | tr '\t' ' '
}
becomes() {
	pass "${1%%/*}"
	[ "$(truth "$1")" = "$2" ]
}
array_of() {
	squeue -h -n "$1" -o %F | head -1
}
forgotten() {
	! scontrol show job "$1" >/dev/null 2>&1
}

cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
[ -z "$FILE" ] || until [ -e "$FILE" ]; do sleep 0.05; done
exit "${STFM_PARAM_exit:-0}"
EOT
chmod +x train.sh

## Cancelled by scancel while it waited, which leaves no record

# That is told only from two looks between which Slurm cannot have forgotten an
# end: so Slurm remembers for as long as usual here, and 6 seconds below.
submit -J cancel --hold i=1..5 -- ./train.sh
ok "tasks wait" poll 20 becomes cancel/1 "SUBMITTED (JobHeldUser)"
scancel "$(array_of cancel)_[1-2]"
pass cancel
is "those that somebody took out of an array are STOPPED" \
	"SUBMITTED (JobHeldUser)
STOPPED CANCELLED
STOPPED CANCELLED
SUBMITTED (JobHeldUser)
SUBMITTED (JobHeldUser)" "$(truth cancel)"
scancel "$(array_of cancel)"
ok "and so are all the others with the array" poll 20 becomes cancel \
	"STOPPED CANCELLED
STOPPED CANCELLED
STOPPED CANCELLED
STOPPED CANCELLED
STOPPED CANCELLED"

sed -i 's/^MinJobAge=.*/MinJobAge=6/' "$SLURM_CONF"
scontrol reconfigure
ok "from now on Slurm forgets soon" poll 20 sh -c \
	"scontrol show config | grep -q '^MinJobAge *= 6 sec'"

## An end that is not on record, and seen in Slurm before that forgets it

submit -J said i=1,2 -- ./train.sh
for i in 0 1; do
	poll 20 test -e "$STFM_DIR/jobs/said/run/000/00000$i.0.0.E0" || exit 99
	rm "$STFM_DIR/jobs/said/run/000/00000$i.0.0.E0"
done
said=$(sed 's/.*"array":\([0-9]*\).*/\1/' "$STFM_DIR/jobs/said/sub/"*.claim)
STFM_GRACE=600
ok "it may still come" poll 20 becomes said "RUNNING ending
RUNNING ending"
ended=$(SLURM_TIME_FORMAT=%s scontrol show job "${said}_0" |
	sed -n 's/.*EndTime=\([0-9]*\).*/\1/p')

## A run that Slurm starts once more, because its controller crashed

STFM_GRACE=2

# The batch script as slurmd would run it again.
again() {
	SLURM_ARRAY_JOB_ID=$(sed 's/.*"array":\([0-9]*\).*/\1/' \
		"$STFM_DIR/jobs/$1/sub/"*.0.claim) \
		SLURM_ARRAY_TASK_ID=$2 sh "$STFM_DIR/jobs/$1/batch.sh" c00000.0
}
trained() {
	grep -c "^$1 $2 " count
}
submit -J once exit=0,3 -- ./train.sh
stfm-watch -Q -i 1 once
is "each task was trained" "1 1" "$(trained once 0) $(trained once 1)"
is "one that ended is not trained again" \
	"stfm-run: once/0 was trained already; Slurm started it once more" \
	"$(again once 0)"
status "and ends as it did" 3 again once 1
is "neither was" "1 1" "$(trained once 0) $(trained once 1)"
pass once
is "their states stay" "FINISHED
ERROR exit 3" "$(truth once)"

# The same where Slurm counts it as another run, as after scontrol requeue.
is "one that finished is not trained in a later run either" \
	"stfm-run: once/0 finished in an earlier run of this attempt, which \
Slurm has forgotten: stfm-restart trains it again" \
	"$(SLURM_RESTART_COUNT=1 again once 0)"
is "it is not trained" 1 "$(trained once 0)"
SLURM_RESTART_COUNT=1 again once 1 >again.out 2>&1
is "one that failed is" 2 "$(trained once 1)"
pass once
is "the states follow" "FINISHED
ERROR exit 3" "$(truth once)"

submit -J requeued -- ./train.sh
ok "a task finishes" poll 20 becomes requeued/0 FINISHED
array=$(jq .array "$STFM_DIR/jobs/requeued/sub/"*.claim)
is_queued() {
	scontrol requeue "${array}_0"
	[ "$(squeue -h -j "${array}_0" -o %T)" = PENDING ]
}
ok "somebody requeues it" poll 20 is_queued
ok "stfm-watch cancels it, or its run ends at once" poll 60 sh -c "
	scontrol update jobid=${array}_0 StartTime=now
	stfm-watch --once -Q requeued
	! squeue -h -j $array -t PD,R,CG | grep -q ."
is "it is FINISHED" FINISHED "$(truth requeued/0)"
is "and was trained once" 1 "$(trained requeued 0)"

# A run that got a signal and ended with 0 may only have saved its state.
cat >save.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
[ -e "$FILE" ] && exit 0
trap 'exit 0' USR1 TERM
while :; do sleep 0.05; done
EOT
chmod +x save.sh
for signal in USR1 TERM; do
	FILE=$PWD/go.$signal submit -J "by$signal" -- ./save.sh
	poll 20 grep -q "^by$signal 0" count
	pkill -"$signal" -f "stfm-run-[^ ]* $STFM_DIR/jobs/by$signal "
	poll 20 test -e "$STFM_DIR/jobs/by$signal/run/000/000000.0.0.E0"
	: >"go.$signal"
	FILE=$PWD/go.$signal SLURM_RESTART_COUNT=1 again "by$signal" 0 >out
	is "one that ended with 0 after a $signal is trained again" 2 \
		"$(trained "by$signal" 0)"
	ok "and FINISHED" poll 20 becomes "by$signal/0" FINISHED
done

FILE=$PWD/go1 submit -J twice -- ./train.sh
poll 20 grep -q '^twice 0' count
again twice 0 >again.out 2>&1 &
runner=$!
: >go1
ok "one that still runs is waited for" wait $runner
is "and not trained beside itself" 1 "$(trained twice 0)"
ok "it is FINISHED" poll 20 becomes twice/0 FINISHED

# slurmctld ends a run that it does not know, and starts it again.
FILE=$PWD/go2 submit -J ended -- ./train.sh
poll 20 grep -q '^ended 0' count
pkill -TERM -f "stfm-run-[^ ]* $STFM_DIR/jobs/ended "
poll 20 sh -c "ls '$STFM_DIR/jobs/ended/run/000' | grep -q E143"
: >go2
ok "one that was ended from outside is trained again" again ended 0
is "as the next run" "000000.0.0.E143 000000.0.0.S 000000.0.1.E0 000000.0.1.S" \
	"$(find "$STFM_DIR/jobs/ended/run/000" -type f | sed 's,.*/,,' | sort |
		paste -sd ' ' -)"
ok "and FINISHED" becomes ended/0 FINISHED

FILE=$PWD/go3 submit -J dead -- ./train.sh
poll 20 grep -q '^dead 0' count
pkill -KILL -f "stfm-run-[^ ]* $STFM_DIR/jobs/dead "
: >go3
ok "one that is gone without a word is trained again, after a while" \
	again dead 0
is "as the next run" 2 "$(trained dead 0)"

ok "Slurm has forgotten what was seen to end" poll 120 forgotten "$said"
ok "and it is FINISHED, as Slurm said" becomes said "FINISHED no end record
FINISHED no end record"
is "at the time that it said" "$ended" \
	"$(stfm-status --no-refresh -o jsonl said/0 | jq .end)"

## An array that Slurm forgot, and a stranger with its id

# One that others queued has the same name as the stranger.
printf '#!/bin/sh\nexec sleep 3600\n' >foreign.sh
theirs=$(sbatch --parsable -J foreign --hold -a 3,5 foreign.sh)
stfm-import -Q --slurm -J theirs "$theirs"
submit -J lost --hold i=1..3 -- ./train.sh
array=$(array_of lost)
controller=$(cat "$tap_dir/slurm/run/slurmctld.pid")
pass lost
# What a controller does that crashed before it wrote the job down.
kill -KILL "$controller"
rm -f "$tap_dir/slurm/state/"*_state "$tap_dir/slurm/state/"*_state.old
rm -rf "$tap_dir/slurm/state/hash."*
stfm-sandbox start -Q -N 1 -c 8 -g 0 -d "$tap_dir/slurm"
# An array as well, and with all of their indices: what is told of a bare id
# would hold.  Only one of it runs, and the others wait.
foreign=0
while [ "$foreign" -lt "$array" ]; do
	[ "$foreign" = 0 ] || scancel "$foreign"
	foreign=$(sbatch --parsable -J foreign -o /dev/null --hold -a 0-5%1 \
		foreign.sh) || break
done
is "the id is given away again" "$array" "$foreign"
export STFM_GRACE=600
pass lost
is "nothing is said about it too early" "SUBMITTED not in the queue" \
	"$(truth lost/0)"
refused "there is nothing to attach to" "lost/0 has not started \
(not in the queue): there is nothing to attach to yet" stfm-attach lost/0
pass theirs
is "nor is a stranger taken for what was imported" "SUBMITTED not in the queue
SUBMITTED not in the queue" "$(truth theirs)"
stranger() {
	squeue -h -j "$foreign" -o '%K %T %r' | sort
}
scontrol release "$foreign"
runs="0 RUNNING None
1-5%1 PENDING JobArrayTaskLimit"
is_running() {
	[ "$(stranger)" = "$runs" ]
}
ok "the stranger runs" poll 20 is_running
stfm-throttle -Q lost 4 2>told
is "changing how many may run does not touch the stranger" "$runs" \
	"$(stranger)"
stfm-hold -Q lost/1 2>told
is "nor does holding one of its tasks" "$runs" "$(stranger)"
stfm-release -Q lost/1 2>told
stfm-stop -Q lost/2
export STFM_GRACE=2
is "stopping one of its tasks does not touch the stranger" "$runs" \
	"$(stranger)"
ok "the others are LOST after a while" poll 20 becomes lost "ERROR LOST
ERROR LOST
STOPPED"
ok "and so is that" poll 20 becomes theirs "ERROR LOST
ERROR LOST"
stfm-stop -Q lost
is "stopping it does not touch the stranger" "$runs" "$(stranger)"
ok "they can be queued again" stfm-restart -Q lost
scontrol release "$(array_of lost)"
ok "and trained" stfm-watch -Q -i 1 lost
is "once" 3 "$(grep -c '^lost . 1' count)"
is "the stranger still runs" "$runs" "$(stranger)"

## An array that was forgotten and comes back

# Everything that a controller has written down.
keep_state() {
	rm -rf kept
	cp -r "$tap_dir/slurm/state" kept
}
start_again() {
	stfm-sandbox start -Q -N 1 -c 8 -g 0 -d "$tap_dir/slurm"
}
# Slurm goes back to what it had written down then.
return_state() {
	crash "$(cat "$tap_dir/slurm/run/slurmctld.pid")"
	rm -rf "$tap_dir/slurm/state"
	cp -r kept "$tap_dir/slurm/state"
	start_again
}
written_down() {
	grep -aq "$1" "$tap_dir/slurm/state/job_state"
}
submit -J back --hold i=1..3 -- ./train.sh
submit -J stopped --hold i=1..3 -- ./train.sh
pass back
array=$(array_of back)
poll 20 written_down "stfm-[0-9a-z]*-c00000.0.*stopped"
poll 20 written_down "$(jq -r .token "$STFM_DIR/jobs/stopped/sub/"*intent)"
keep_state
scancel "$array"
poll 60 forgotten "$array"
ok "an array is LOST" poll 20 becomes back "ERROR LOST
ERROR LOST
ERROR LOST"
stfm-stop -Q stopped
is "another is stopped" "STOPPED
STOPPED
STOPPED" "$(truth stopped)"
# Held: Slurm will give the ids anew, and the node refuses those that it knows.
stfm-restart -Q --hold back
return_state
ok "Slurm remembers both" scontrol show job "$array"
pass stopped
ok "what was stopped is stopped once more" poll 20 sh -c \
	'! squeue -h -n stopped | grep -q .'
scontrol release "$array"
poll 20 sh -c "! squeue -h -j $array -t pending,running | grep -q ."
is "what was restarted does not train twice" 0 "$(grep -c '^back . 0' count)"
like "it says why" "has a newer attempt" \
	"$(cat "$STFM_DIR/jobs/back/log/${array}_0.log")"
stfm-stop -Q --remove -y back
stfm-stop -Q --remove -y stopped

## Purged, with no accounting database

FILE=$PWD/go4 submit -J purged exit=0,3 -- ./train.sh
poll 20 grep -q '^purged 1' count
array=$(array_of purged)
# One that may be over before anybody can ask Slurm for its id.
submit -J silent -- sh -c 'kill -KILL $PPID; sleep 1'
submit -J late -- sh -c 'kill -KILL $PPID; sleep 1'
# What others queued says nothing itself.
alone=$(sbatch --parsable --hold -o /dev/null --wrap true)
stfm-import -Q --slurm -J unseen "$alone"
scontrol release "$alone"
: >go4
ok "Slurm forgets a job some time after its end" poll 60 forgotten "$array"
status "the facts have all there is to know" 1 \
	stfm-watch -Q -i 1 purged
is "nothing is lost" "FINISHED
ERROR exit 3" "$(truth purged)"

array=$(jq .array "$STFM_DIR/jobs/silent/sub/"*.claim)
poll 60 forgotten "$array"
pass silent
is "one that was killed, and that nobody looked at, is not judged at once" \
	"RUNNING not in the queue" "$(truth silent)"
ok "and LOST, not FINISHED" poll 20 becomes silent "ERROR LOST"
poll 60 forgotten "$alone"
pass unseen
is "nor is one that others queued" "SUBMITTED not in the queue" \
	"$(truth unseen)"
ok "which is LOST too, as nobody saw its end" poll 20 becomes unseen \
	"ERROR LOST"
array=$(jq .array "$STFM_DIR/jobs/late/sub/"*.claim)
poll 60 forgotten "$array"
stfm-stop -Q late
ok "whom nobody could stop any more was not stopped" poll 20 becomes late \
	"ERROR LOST"
is "and when it ended nobody knows" "null null" \
	"$(stfm-status --no-refresh --json late/0 |
		jq -r '.[0] | "\(.end) \(.elapsed)"')"

done_testing
