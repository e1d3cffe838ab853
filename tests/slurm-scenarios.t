#!/bin/sh
# What can become of a task, each on a real Slurm.  The whole table, and which
# test has what is not here:
#
#   no accounting database          here, and every slurm-*.t but slurm-account
#   record purged after MinJobAge   slurm-forgets.t, slurm-account.t
#   requeue of one array task       slurm-requeue.t (the last one, which has the
#                                   array's own id), slurm-snapshot.t
#   node death while running        here: with and without a requeue
#   job held                        here, slurm-forgets.t
#   dependency never satisfied      here
#   bad constraint                  here: refused; node not there: waits
#   time limit                      here, slurm-account.t
#   out of memory                   slurm-memory.t with cgroups, here without
#   scancel from outside            slurm-watch.t (running), slurm-forgets.t
#                                   (waiting, out of an array)
#   a task that never wrote START   here: its program or its log cannot be made
#   END late, older attempt         here
#   END half                        slurm-clocks.t, slurm-watch.t, stfm-check.t
#   a controller that has forgotten a run
#                                   here, slurm-account.t, job-begin-test.c
#   clocks an hour apart            here (watcher), slurm-clocks.t (node)
#   metrics half written, second header, epochs back, NaN, replaced
#                                   metrics-test.c, slurm-watch.t, here
#   damaged job.json, points, fold  here, stfm-check.t, stfm-status.t
#   a store of a newer version      stfm-check.t
#   a read-only store of another    attack.t
#   forgotten, id given away        slurm-forgets.t, slurm-trouble.t
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

# However long all of this takes, no end is forgotten before it is looked at.
start() {
	stfm-sandbox start -Q -N 3 -c 2 -g 0 -d "$tap_dir/slurm" \
		-o JobAcctGatherType=jobacct_gather/linux \
		-o JobAcctGatherFrequency=1 \
		-o JobAcctGatherParams=OverMemoryKill \
		-o SelectTypeParameters=CR_Core_Memory -o DefMemPerCPU=100 \
		-o MinJobAge=36000
}
start || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$tap_dir/store" COUNT="$PWD/count" GO="$PWD/go"
mkdir go

submit() {
	stfm-submit -Q --gres=none "$@"
}
# "STATE cause", one a line.
truth() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4,5 |
		sed 's/[	 ]*$//' | tr '\t' ' '
}
becomes() {
	stfm-watch --once -Q "${1%%/*}" 2>/dev/null
	[ "$(truth "$1")" = "$2" ]
}
array_of() {
	squeue -h -n "$1" -o %F | head -1
}
# Where this takes long they are packed.
facts() {
	{
		find "$STFM_DIR/jobs/$1/run" -type f | sed 's,.*/,,'
		find "$STFM_DIR/jobs/$1/pack" -type f -exec cat {} + \
			2>/dev/null |
			jq -r '.n // empty'
	} | sort -u | paste -sd ' ' -
}
cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
until [ -e "$GO/$STFM_JOB" ]; do sleep 0.1; done
exit "${STFM_PARAM_exit:-0}"
EOT
chmod +x train.sh
trained() {
	grep -q "^$1 $2" count
}

status "there is no accounting database" 1 sacct

# Limits are looked at every half minute: let this one wait meanwhile, and on a
# node that stays: the others go down.
submit -J limit -t 1 -w n1 -- ./train.sh
poll 20 trained limit 0
scontrol update JobId="$(array_of limit)_0" EndTime=now
cat >eat.py <<'EOT'
import time
open("eats", "w").close()
hoard = []
for i in range(40):
    hoard.append(b"x" * (10 << 20))
    time.sleep(0.05)
time.sleep(600)
EOT
submit -J memory --mem=60M -w n1 -- python3 eat.py

## Waiting

submit -J held --hold -- ./train.sh
ok "held: it waits, and why" becomes held "SUBMITTED (JobHeldUser)"
never=$(sbatch --parsable -o /dev/null --wrap 'exit 1')
submit -J depends -d "afterok:$never" -- ./train.sh
ok "a dependency that never comes: it waits, and why" poll 20 becomes depends \
	"SUBMITTED (DependencyNeverSatisfied)"
refused "a constraint that no node has" "feature" \
	submit -J constraint -C nosuch -- ./train.sh
scontrol update nodename=n3 state=down reason=test
submit -J absent -w n3 -- ./train.sh
ok "a node that is not there: it waits, and why" poll 20 sh -c '
	stfm-watch --once -Q absent
	stfm-status --no-refresh -o tsv absent | grep -q "SUBMITTED.*(.*n3.*)\|\
SUBMITTED.*(.*DOWN.*)\|SUBMITTED.*(ReqNodeNotAvail)"'
stfm-stop -Q absent
stfm-stop -Q depends
ok "and all can be stopped" poll 20 becomes depends STOPPED
scontrol update nodename=n3 state=resume

## Never started

: >logs # from 24.05 on Slurm makes a directory
submit -J nolog --no-check --hold -o "$PWD/logs/%a" -- ./train.sh
scontrol release "$(array_of nolog)"
ok "its log cannot be made: it failed to launch" poll 30 sh -c '
	stfm-watch --once -Q nolog 2>/dev/null
	stfm-status --no-refresh -o tsv nolog | grep -q "ERROR.*launch fail"'
is "it never wrote that it started" XFAILED "$(facts nolog | sed 's/.*\.//')"
submit -J noprogram --hold -- ./train.sh
mkdir kept
mv "$STFM_DIR/libexec/"* kept/
scontrol release "$(array_of noprogram)"
ok "its program is not there: it failed to launch" poll 30 becomes noprogram \
	"ERROR launch failure (exit 127)"
submit -J signalled --hold -- ./train.sh
for program in kept/*; do
	program=$STFM_DIR/libexec/${program##*/}
	printf '#!/bin/sh\nkill -KILL $$\n' >"$program"
	chmod +x "$program"
done
scontrol release "$(array_of signalled)"
ok "a signal ended it before it began: which one" poll 30 becomes signalled \
	"ERROR launch failure (SIGKILL)"
is "no cause is guessed" \
	"1 task: a signal ended it before the training began" \
	"$(stfm-status -e signalled | head -n 1)"
mv kept/* "$STFM_DIR/libexec/"

## A node that dies

# The node, and all that runs there.
kill_node() {
	kill -STOP "$(cat "$tap_dir/slurm/run/$1.pid")"
	scontrol update nodename="$1" state=down reason=dead
}
# It may be up already, by itself: then there is nothing to resume.  It is back
# when it runs something.
is_back() {
	scontrol update nodename="$1" state=resume
	timeout 30 srun -Q --mem=10 -w "$1" true
}
revive() {
	kill -CONT "$(cat "$tap_dir/slurm/run/$1.pid")"
	poll 20 is_back "$1"
}
submit -J dies --no-requeue -w n2 exit=0,3 -- ./train.sh
poll 20 trained dies 0
poll 20 trained dies 1
stfm-watch --once dies
kill_node n2
ok "a node dies: NODE_FAIL" poll 20 becomes dies "ERROR NODE_FAIL
ERROR NODE_FAIL"
is "which is on record" "000000.0.0.S 000000.0.0.XNODE_FAIL 000001.0.0.S \
000001.0.0.XNODE_FAIL" "$(facts dies)"
: >go/dies
poll 20 sh -c "find '$STFM_DIR/jobs/dies/run' | grep -q '0.E0'"
poll 20 sh -c "find '$STFM_DIR/jobs/dies/run' | grep -q '1.0.0.E3'"
ok "an end that comes late says more than Slurm" becomes dies \
	"FINISHED late, after NODE_FAIL
ERROR exit 3"
revive n2

submit -J returns -w n2 -- ./train.sh
poll 20 trained returns 0
# The second run of each of these is the first one for Slurm.
submit -J begun --hold --no-requeue -w n2 -- ./train.sh
submit -J back --hold -w n3 -- ./train.sh
for job in begun back; do
	interrupted_run $job
	scontrol release "$(array_of $job)"
	poll 20 test -e "$STFM_DIR/jobs/$job/run/000/000000.0.1.S" || exit 99
done
ok "what Slurm began once more runs" becomes begun RUNNING
scontrol requeue "$(array_of back)_0"
ok "and is seen to go back into the queue" poll 20 becomes back \
	"RUNNING being requeued"
stfm-stop -Q back
ok "where it can be stopped" poll 20 becomes back STOPPED
kill_node n2
ok "a node dies under what Slurm began once more: NODE_FAIL" \
	poll 20 becomes begun "ERROR NODE_FAIL"
ok "with a requeue the task waits again" poll 20 sh -c '
	stfm-watch --once -Q returns
	stfm-status --no-refresh -o tsv returns | grep -q SUBMITTED'
scontrol hold "$(array_of returns)"
is "nothing is judged" "000000.0.0.S" "$(facts returns)"
# The end of the run before, which nobody has told that it was given up.
: >go/returns
poll 20 sh -c "find '$STFM_DIR/jobs/returns/run' | grep -q 0.0.0.E0"
revive n2
ok "it had finished all the same" poll 20 becomes returns FINISHED
ok "and what waits to train it again is cancelled" poll 60 sh -c '
	stfm-watch --once -Q returns
	! squeue -h -n returns -t PD,R | grep -q .'
is "it was trained once" "000000.0.0.E0 000000.0.0.S" "$(facts returns)"

## An older attempt

submit -J older --no-requeue -w n2 -- ./train.sh
poll 20 trained older 0
kill_node n2
ok "a node dies" poll 20 becomes older "ERROR NODE_FAIL"
stfm-restart -Q --nodelist=n1 older
ok "it runs again" poll 20 trained older "0 1"
sed -i 's/^until .*/until [ -e "$GO\/second" ]; do sleep 0.1; done/' train.sh
: >go/older
ok "the first attempt comes to its end" poll 20 sh -c \
	"find '$STFM_DIR/jobs/older/run' | grep -q '0.0.0.E0'"
revive n2
stfm-watch --once older
like "which is not that of the second" "^(RUNNING|FINISHED)" "$(truth older)"
ok "that is FINISHED by its own" poll 20 sh -c \
	"find '$STFM_DIR/jobs/older/run' | grep -q '0.1.0.E0'"
ok "as it says" becomes older FINISHED

## Clocks

if command -v faketime >/dev/null && [ -z "$SANITIZE" ]; then
	submit -J clock i=1,2 --parallel 1 -- ./train.sh
	poll 20 trained clock 0
	stfm-watch --once clock
	is "one runs, one waits" "RUNNING
SUBMITTED (JobArrayTaskLimit)" "$(truth clock)"
	export NO_FAKE_STAT=1
	for shift in +1h -1h; do
		faketime -f $shift stfm-watch --once clock
		is "a watcher whose clock is $shift changes nothing" \
			"RUNNING
SUBMITTED (JobArrayTaskLimit)" "$(truth clock)"
	done
	scancel "$(array_of clock)_1"
	faketime -f +1h stfm-watch --once clock
	is "nor does it lose what just left the queue" "RUNNING
STOPPED CANCELLED" "$(truth clock)"
	: >go/second
	: >go/clock
	ok "the end is one" poll 20 becomes clock "FINISHED
STOPPED CANCELLED"
else
	skip "clocks an hour apart" "no faketime, or sanitizers"
fi

## Metrics

# What a training may write, one thing after the other.
cat >write.sh <<'EOT'
#!/bin/sh
log=$STFM_METRICS
step() {
	until [ -e "$GO/metrics$1" ]; do sleep 0.1; done
}
printf 'epoch,val_loss\n1,0.5\n2,0.2' >"$log"
step 1
printf '5\n3,nan\n' >>"$log"
step 2
printf 'epoch,val_loss\n4,0.125\n' >>"$log"
step 3
printf '2,0.75\n3,0.0625\n' >>"$log"
step 4
printf 'epoch,val_loss\n1,0.875\n' >"$log.new"
mv "$log.new" "$log"
step 5
EOT
chmod +x write.sh
submit -J metrics -- ./write.sh
shows() {
	stfm-watch --once -Q metrics
	[ "$(stfm-status --no-refresh --json metrics/0 | jq -r \
		'.[0] | "\(.best) \(.best_epoch)"')" = "$1" ]
}
ok "a line half written is not taken" poll 20 shows "0.5 1"
: >go/metrics1
ok "its end makes it one; NaN is not the best" poll 20 shows "0.25 2"
: >go/metrics2
ok "a second header is none of the values" poll 20 shows "0.125 4"
: >go/metrics3
ok "epochs that go back count" poll 20 shows "0.0625 3"
: >go/metrics4
ok "a log that was replaced is read anew" poll 20 shows "0.875 1"
: >go/metrics5
ok "and the task ends" poll 20 becomes metrics FINISHED

## Damage

: >go/second
submit -J broken --from - -- ./train.sh <<'EOT'
{"a": 1, "b": "x"}
{"a": 2, "b": "y"}
EOT
: >go/broken
ok "a job with points of its own is over" poll 30 becomes broken "FINISHED
FINISHED"
job=$STFM_DIR/jobs/broken
printf X | dd of="$job/points.tsv" bs=1 seek=4 conv=notrunc 2>/dev/null
stfm-status --no-refresh broken >out 2>err
like "damaged points are named" "points.tsv" "$(cat err)"
is "the states are not touched by it" 2 \
	"$(grep -c '^broken/. *FINISHED' out)"
for fold in "$job"/fold/*; do
	printf X | dd of="$fold" bs=1 seek=40 conv=notrunc 2>/dev/null
done
stfm-watch --once broken 2>err
like "a damaged fold is named" "state\.[0-9]*\.jsonl" "$(cat err)"
is "and made again" "FINISHED
FINISHED" "$(truth broken 2>/dev/null)"
printf X | dd of="$job/job.json" bs=1 seek=20 conv=notrunc 2>/dev/null
stfm-watch --once 2>err
like "a damaged job is named" "broken/job.json" "$(cat err)"
stfm-status --no-refresh held >out 2>&1
is "and does not hinder others" 0 $?

## What Slurm was left to do

ok "more memory than it asked for: it was killed, and not by itself" \
	poll 60 sh -c 'stfm-watch --once -Q memory 2>/dev/null
	stfm-status --no-refresh -o tsv memory |
		grep -q "ERROR.*\(OUT_OF_MEMORY\|SIGKILL\|SIGTERM\)"'
poll 60 becomes limit "ERROR TIMEOUT"
is "the time limit: TIMEOUT" "ERROR TIMEOUT" "$(truth limit)"
is "on record, for when Slurm has forgotten it" 1 \
	"$(facts limit | grep -c XTIMEOUT)"

done_testing
