#!/bin/sh
# Trainings that run out of time, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2 -o PreemptType=preempt/partition_prio \
	-o PreemptMode=REQUEUE -o KillWait=20 \
	-o SlurmctldParameters=preempt_send_user_signal
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}
# As Slurm does when the time limit is near; with a third word the limit becomes
# so many minutes before.
time_is_up() {
	[ -z "$3" ] || scontrol update jobid="$(array_of "$1")_$2" \
		timelimit="$3" || exit 99
	scancel --batch --signal=USR1 "$(array_of "$1")_$2" || exit 99
}
logged() {
	grep -q "$3" "$STFM_DIR/jobs/$1/log/$(array_of "$1")_$2.log"
}

# Slurm lets a requeued task wait for two minutes.  It needs some of it: what
# starts in the second in which it was put back is refused by the node.
again() {
	logged "$@" && return
	[ ! -e "hurried.$1.$2.$3" ] &&
		squeue -h -j "$(array_of "$1")_$2" -o %T | grep -q PENDING &&
		scontrol update jobid="$(array_of "$1")_$2" starttime=now+2 &&
		: >"hurried.$1.$2.$3"
	false
}

# A training that saves when it is told, and goes on from there: an epoch each
# time a file in $GO appears; EPOCHS is the last.
export GO="$tap_dir/go"
mkdir "$GO"
cat >train.sh <<'END'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/epoch
epoch=0
[ "$STFM_RESUME" = 0 ] || epoch=$(cat "$saved")
[ "$epoch" -gt 0 ] || echo epoch,val_loss >"$STFM_METRICS"
case $STFM_PARAM_on in
save) trap 'echo "$epoch" >"$saved"; exit 0' USR1 ;;
ignore) trap '' USR1 ;;
slow) trap 'sleep 60 & wait' USR1 ;;
done) trap ': >"$STFM_CHECKPOINT_DIR/done"; exit 0' USR1 ;;
esac
echo "from $epoch, restart $STFM_RESTART of attempt $STFM_ATTEMPT"
while [ "$epoch" -lt "${EPOCHS:-2}" ]; do
	while ! [ -e "$GO/$STFM_JOB.$STFM_TASK" ]; do sleep 0.1; done
	echo "$epoch,0.$((9 - epoch))" >>"$STFM_METRICS"
	epoch=$((epoch + 1))
	echo "$epoch" >"$saved"
	rm "$GO/$STFM_JOB.$STFM_TASK"
done
END
chmod +x train.sh
go() {
	: >"$GO/$1.$2"
	poll 20 sh -c '! [ -e "$GO/$1.$2" ]' go "$1" "$2" || exit 99
}
epochs() {
	tail -n +2 "$STFM_DIR/jobs/$1/metrics/00000$2.csv" | cut -d , -f 1 |
		tr '\n' ' '
}

## What is asked of Slurm

like "Slurm is told when to send the signal" \
	'--signal=B:USR1@60 --requeue --output' "$(stfm-submit --gres=none \
	-J asks --requeue -t 10 --dry-run on=save -- ./train.sh)"
like "which signal and when can be said" '--signal=B:USR2@90 ' \
	"$(stfm-submit --gres=none -J asks --signal USR2 --signal-before 90 \
	-t 10 --dry-run on=save -- ./train.sh)"
like "also as sbatch has it" '--signal=B:HUP@30 ' \
	"$(stfm-submit --gres=none -J asks --signal=B:HUP@30 \
	-t 10 --dry-run on=save -- ./train.sh)"
like "TERM means something else to Slurm" '--signal=B:USR1@30 ' \
	"$(stfm-submit --gres=none -J asks --signal=TERM@30 \
	-t 10 --dry-run on=save -- ./train.sh)"
like "a short time limit has a shorter notice" '--signal=B:USR1@30 ' \
	"$(stfm-submit --gres=none -J asks --requeue -t 1 --dry-run on=save \
	-- ./train.sh)"

refused "without a time limit nobody is told of it" \
	"--signal-before 10: there is no time limit to tell of" \
	stfm-submit -Q --gres=none -J asks --signal-before 10 on=save -- \
	./train.sh

told() {
	{
		stfm-submit --gres=none -J asks --dry-run "$@" on=save -- \
			./train.sh >/dev/null
	} 2>&1
}
like "nor where it is to be put back, which is said" \
	"--signal-before 10: without a time limit, the training is" \
	"$(told --requeue --signal-before 10)"
is "putting back needs no time limit" "" "$(told --requeue)"
is "with one all is well" "" "$(told --requeue --signal-before 10 -t 5)"

## A training that saves and ends in time

EPOCHS=2 submit -J good --requeue=2 -t 10 i=1..3 on=save -- ./train.sh
ok "three tasks run" poll 20 reaches good RRR
ok "and train" poll 20 logged good 2 "from 0"
raw=$(squeue -h -j "$(array_of good)_2" -o %A)
is "the last one has the array's own id" "$(array_of good)" "$raw"
go good 2
time_is_up good 2
ok "it ends to be put back" poll 20 has_facts good '*.Q' '000002.0.0.Q '
ok "it waits in the queue, the others run on" poll 20 reaches good RRS
is "for its next restart" 1 "$(row good 2 .restart)"
rm "$STFM_DIR"/jobs/good/fold/* && stfm-watch -1 -Q
is "what it has reached is told to who looks now for the first time" \
	'SUBMITTED 0.9' "$(stfm-status --no-refresh -o jsonl good/2 |
		jq -r '"\(.state) \(.best)"')"
is "the others were never put back" "000000.0.0.S 000001.0.0.S 000002.0.0.S " \
	"$(facts good '*.S')"
ok "it goes on from its checkpoint" \
	poll 20 again good 2 'from 1, restart 1 of attempt 0'
ok "as the same task" poll 20 reaches good RRR
go good 2
ok "and finishes by itself" poll 20 reaches good RRF
is "with all its epochs in one log" "0 1 " "$(epochs good 2)"
is "its runs are in the record" \
	"000002.0.0.Q 000002.0.0.S 000002.0.1.E0 000002.0.1.S " \
	"$(facts good '000002.*')"

## A training below shells of its user, who did not write exec; one of them
## catches what would end it, to clean up

cat >around.sh <<'END'
#!/bin/sh
bash -c 'trap "echo cleaned up" EXIT; ./train.sh; exit $?'
echo "train.sh ended with $?"
END
chmod +x around.sh
EPOCHS=2 submit -J around --requeue -t 10 on=save -- ./around.sh
poll 20 logged around 0 "from 0" || exit 99
go around 0
time_is_up around 0
ok "it is the training that gets the signal" \
	poll 20 logged around 0 "train.sh ended with 0"
ok "and it is put back" poll 20 has_facts around '*.Q' '000000.0.0.Q '
ok "it goes on from its checkpoint" \
	poll 20 again around 0 'from 1, restart 1 of attempt 0'
stfm-stop -Q around

## Too often; not a step further

go good 0
time_is_up good 0
poll 20 has_facts good '000000.0.?.Q' '000000.0.0.Q ' || exit 99
poll 20 again good 0 'restart 1 of' || exit 99
time_is_up good 0 2
ok "a run that completes no epoch is not put back" poll 20 reaches good ERF
is "and says why" "no epoch within the time limit" "$(row good 0 .cause)"
is "though the training ended with 0" "000000.0.1.E75 " \
	"$(facts good '000000.*.E*')"

EPOCHS=9 submit -J often --requeue=1 on=save,none -- ./train.sh
# Its log has not begun when the first epoch takes longer than there is time.
submit -J blank --requeue=3 --metrics 'none/{task}.csv' x=1 -- sh -c '
	trap "exit 0" USR1
	echo "restart $STFM_RESTART of attempt 0"
	while :; do sleep 0.1; done'
poll 20 logged blank 0 "restart 0" && time_is_up blank 0
poll 20 logged often 0 "from 0" && poll 20 logged often 1 "from 0" || exit 99
go often 0
go often 1
time_is_up often 0
time_is_up often 1
ok "one that knows nothing of the signal ends by it, and is put back" \
	poll 20 has_facts often '*.Q' '000000.0.0.Q 000001.0.0.Q '
poll 20 again often 0 'from 1, restart 1' || exit 99
poll 20 again blank 0 'restart 1 of' || exit 99
time_is_up blank 0 2
poll 20 again often 1 'from 1, restart 1' || exit 99
go often 0
go often 1
time_is_up often 0 2
time_is_up often 1 2
ok "not more often than was asked for" poll 20 reaches often EE
is "which is the cause" "requeued once" "$(row often 1 .cause)"
ok "nor is one put back that has not even begun its log" \
	poll 20 reaches blank E
is "as it completes no epoch" "no epoch within the time limit" \
	"$(row blank 0 .cause)"

## Nothing can be recorded for some time, as on a full disk

EPOCHS=9 submit -J full --requeue --signal-before 120 on=save -- ./train.sh
poll 20 logged full 0 "from 0" || exit 99
go full 0
facts_of_full=$STFM_DIR/jobs/full/run/000
mv "$facts_of_full" "$facts_of_full.aside" && : >"$facts_of_full"
full_since=$(date +%s)
time_is_up full 0
# One whose end could not be recorded either.
submit -J unsaid --requeue=1 -t 10 -- sh -c 'exit 75'
unsaid=$STFM_DIR/jobs/unsaid/run/000/000000.0.0.E75
poll 20 test -e "$unsaid" || exit 99
rm "$unsaid"
ok "an end that is not on record is no exit code" poll 20 reaches unsaid E
is "and its cause" "end not recorded" "$(row unsaid 0 .cause)"
is "it may still come" 0 "$(row unsaid 0 .attempt)"
requeued() {
	STFM_GRACE=1 stfm-watch --once -Q unsaid
	[ "$(row unsaid 0 .attempt)" = 1 ]
}
ok "else it is queued again" poll 20 requeued

## Ends after the signal that are meant

EPOCHS=3 submit -J meant --requeue --signal-before 8 --epochs 1 \
	on=save,done,slow,ignore -- ./train.sh
ok "four tasks run" poll 20 reaches meant RRRR
for task in 0 1 2 3; do
	poll 20 logged meant "$task" "from 0" || exit 99
done
go meant 0
for task in 0 1 2 3; do
	time_is_up meant "$task"
done
scancel "$(array_of meant)_2"
ok "with 0 and the last epoch, or a file that says so, it is FINISHED; \
cancelled by its user it is STOPPED" poll 20 reaches meant FFTR
is "which nobody puts back" "" "$(facts meant '00000[012].*.Q')"
ok "one that takes no notice is ended in time, and put back" \
	poll 20 has_facts meant '*.Q' '000003.0.0.Q '
ok "it waits in the queue" poll 20 reaches meant FFTS
ok "where it can be stopped" stfm-stop -Q meant
ok "for good" poll 20 reaches meant FFTT

EPOCHS=3 submit -J wished --requeue on=slow -- ./train.sh
poll 20 logged wished 0 "from 0" || exit 99
time_is_up wished 0
stfm-stop -Q wished
ok "one that is stopped while it saves is not put back" \
	poll 20 reaches wished T
is "truly" "" "$(facts wished '*.Q')"

## What Slurm itself does

EPOCHS=2 submit -J slurms on=save,none -- ./train.sh
poll 20 logged slurms 0 "from 0" && poll 20 logged slurms 1 "from 0" || exit 99
go slurms 1
scontrol requeue "$(array_of slurms)_0"
scontrol requeue "$(array_of slurms)_1"
ok "what Slurm puts back waits again" poll 20 reaches slurms SS
ok "it resumes where there is a checkpoint" \
	poll 20 again slurms 1 'from 1, restart 1'
ok "and begins again where there is none" \
	poll 20 again slurms 0 'from 0, restart 1'
like "what it had logged before is kept, and with that run" \
	'^  metrics .*/jobs/slurms/metrics/000000\.csv\.0\.0$' \
	"$(stfm-status slurms/0)"
is "one that resumes goes on in its log" \
	"000000.csv 000000.csv.0.0 000001.csv " \
	"$(ls "$STFM_DIR/jobs/slurms/metrics" | tr '\n' ' ')"
stfm-stop -Q slurms

# It is looked at while the run before is still ending.
submit -J ends on=none -- sh -c '
	trap "until [ -e \"$GO/ends\" ]; do sleep 0.1; done; exit 1" TERM
	echo it runs
	while :; do sleep 0.1; done'
poll 20 logged ends 0 "it runs" && poll 20 reaches ends R || exit 99
scontrol requeue "$(array_of ends)_0"
is "the run before is ending" COMPLETING "$(squeue -h -n ends -o %T)"
stfm-watch -1 -Q ends
is "what is put back goes on until it has ended" \
	"RUNNING being requeued" \
	"$(row ends 0 '"\(.state) \(.cause)"')"
: >"$GO/ends"
ok "then it waits" poll 20 reaches ends S
is "where and since when the run before it ran is not of the next" \
	"null null" "$(row ends 0 '"\(.start) \(.node)"')"
stfm-stop -Q ends
ok "it is stopped" poll 20 reaches ends T
is "and has not run again" "null null" \
	"$(row ends 0 '"\(.start) \(.node)"')"

# Another job comes first: a partition of a higher rank.
scontrol update partitionname=short prioritytier=10
EPOCHS=2 submit -J first -w n2 -c 4 on=none -- ./train.sh
poll 20 logged first 0 "from 0" || exit 99
go first 0
sbatch -Q -p short -w n2 -c 4 -t 5 --wrap "sleep 600" -o /dev/null
ok "a preempted task waits again" poll 30 reaches first S
scancel -p short --me
ok "and resumes" poll 30 again first 0 'from 1, restart 1'
stfm-stop -Q first

# Slurm tells the task of it by the signal of its time limit.
preempt() {
	sbatch -Q -p short -w n2 -c 4 -t 5 --wrap "sleep 600" -o /dev/null
}
scontrol update partitionname=main gracetime=100
EPOCHS=2 submit -J yields -t 60 --requeue=1 -w n2 -c 4 on=save -- ./train.sh
poll 20 logged yields 0 "from 0" || exit 99
# From 24.05 on Slurm counts a requeue in the grace time twice, if the end of
# the batch script becomes known after the node is free.
restart=0
for _ in 1 2; do
	preempt
	ok "a task that has to make room for another one ends by the signal" \
		poll 30 has_facts yields "*.$restart.[QE]*" \
		"000000.0.$restart.Q "
	ok "and waits again, whatever it has done" poll 30 reaches yields S
	scancel -p short --me
	next=$((restart + 1))
	poll 30 again yields 0 "restart [$next$((restart + 2))] of" || exit 99
	logged yields 0 "restart $next of" || next=$((restart + 2))
	restart=$next
done
go yields 0
go yields 0
ok "until it finishes" poll 30 reaches yields F
scontrol update partitionname=main gracetime=0

EPOCHS=2 submit -J limit --requeue --signal-before 50 -t 1 on=save -- \
	./train.sh
poll 20 logged limit 0 "from 0" || exit 99
ok "a true time limit, long before it ends" \
	poll 60 has_facts limit '*.Q' '000000.0.0.Q '
stfm-stop -Q limit

## There is room again

# Longer than any end is waited with.
is_late() {
	[ "$(date +%s)" -gt $((full_since + 25)) ]
}
ok "an end that could not be recorded for long" poll 60 is_late
rm "$facts_of_full" && mv "$facts_of_full.aside" "$facts_of_full"
ok "is when it can be" poll 20 has_facts full '*.[QE]*' '000000.0.0.Q '
ok "and the task waits in the queue" poll 20 reaches full S
stfm-stop -Q full

## Slurm refuses

EPOCHS=2 submit -J refused --requeue on=save -- ./train.sh
poll 20 logged refused 0 "from 0" || exit 99
go refused 0
scontrol update jobid="$(array_of refused)_0" requeue=0
time_is_up refused 0
ok "a refusal is in the record" \
	poll 20 has_facts refused '*.[QE]*' '000000.0.0.E0 000000.0.0.Q '
like "with its reason" "did not put it back into the queue: requeue: " \
	"$(jq -r .reason "$STFM_DIR/jobs/refused/run/000/000000.0.0.E0")"
stfm-stop -Q refused

done_testing
