#!/bin/sh
# A controller that crashes forgets its last seconds, and may bring back arrays
# that were cancelled.  stfm sees them, names them and cancels them.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -c 8 -g 0
export STFM_DIR="$tap_dir/store" STFM_GRACE=2 COUNT="$PWD/count"

submit() {
	stfm-submit -Q --gres=none "$@"
}
array_of() {
	squeue -h -n "$1" -o %F | head -1
}
queued() {
	squeue -h -j "$1" -t PD,R -o %A 2>/dev/null | grep -q .
}
gone() {
	! queued "$1"
}
states() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4 | sort -u
}
# Slurm goes back to what it had written down when it was kept.
keep_state() {
	poll 20 grep -aq "$1" "$tap_dir/slurm/state/job_state"
	rm -rf kept
	cp -r "$tap_dir/slurm/state" kept
}
return_state() {
	crash "$(cat "$tap_dir/slurm/run/slurmctld.pid")"
	rm -rf "$tap_dir/slurm/state"
	cp -r kept "$tap_dir/slurm/state"
	stfm-sandbox start -Q -N 1 -c 8 -g 0 -d "$tap_dir/slurm"
}

cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
EOT
chmod +x train.sh

# Submitted, stopped, restarted, finished; then Slurm forgets all but the first.
submit -J old --hold x=1,2 -- ./train.sh
old=$(array_of old)
keep_state "stfm-[0-9a-z]*-c00000.0.*old"
stfm-stop -Q -y old
stfm-restart -Q old
stfm-watch -Q -i 1 old
is "a job is stopped, restarted and finished" FINISHED "$(states old)"

return_state
ok "its first array is back" queued "$old"
stfm-check --store >said 2>&1
is "stfm-check --store finds it" 1 $?
like "and names it" "old: Slurm has ${old}_0-1 in the queue" "$(cat said)"
like "stfm-watch names it" "old: Slurm has ${old}_0-1 in the queue.*cancelled" \
	"$(stfm-watch --once -Q old 2>&1)"
ok "and cancels it" gone "$old"
is "the job is FINISHED" FINISHED "$(states old)"
is "nothing is said twice" "" "$(stfm-watch --once -Q old 2>&1)"

return_state
like "--why names it" "Slurm has ${old}_0-1 in the queue" \
	"$(stfm-status --why old 2>&1 | tr '\n' ' ')"
ok "and cancels it" gone "$old"

return_state
like "stfm-stop names it" "old: Slurm has ${old}_0-1 in the queue.*cancelled" \
	"$(stfm-stop -y old 2>&1)"
ok "in Slurm" gone "$old"

# The same of a job that is still at work: only what is over is cancelled.
submit -J half --hold x=1..4 -- ./train.sh
half=$(array_of half)
keep_state "stfm-[0-9a-z]*-c00000.0.*half"
scontrol release "${half}_[0-1]"
stfm-stop -Q half/1 2>/dev/null
ok "a task of a job finishes" poll 20 sh -c \
	'stfm-watch --once -Q half; [ -e "$STFM_DIR/jobs/half/run" ] &&
	[ "$(stfm-status -o tsv half/0 | sed 1d | cut -f 4)" = FINISHED ]'
return_state
waiting() {
	squeue -h -r -j "$half" -t PD -o %K | sort | paste -sd' '
}
is "all of it waits again" "0 1 2 3" "$(waiting)"
only_open() {
	stfm-watch --once -Q half 2>/dev/null
	[ "$(waiting)" = "2 3" ]
}
ok "what is over is cancelled, the others stay" poll 20 only_open
stfm-stop -Q -y --remove half

return_state
ok "an array of a job that was removed is back" queued "$half"
like "stfm-check --store names it" \
	"$half in the queue, of a job that was removed" \
	"$(stfm-check --store 2>&1 | tr '\n' ' ')"
scancel "$half"

# A run that was over when the controller crashed, which has lost its end.
cat >wait.sh <<'EOT'
#!/bin/sh
until [ -e "$FILE.$STFM_TASK" ]; do sleep 0.05; done
EOT
chmod +x wait.sh
truth() {
	stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4 |
		paste -sd' '
}
becomes() {
	stfm-watch --once -Q "$1"
	[ "$(truth "$1")" = "$2" ]
}
has() {
	squeue -h -t "$1" -o %i | sort | paste -sd' '
}
# The state in which these indices run.
keep_running() {
	poll 20 sh -c "squeue -h -t R -o %i | grep -q '^$1$'"
	scontrol update jobid="$1" admincomment="runs-$1"
	keep_state "runs-$1"
}
FILE=$PWD/ends submit -J ends x=1..2 -- ./wait.sh
FILE=$PWD/packed submit -J packed --pack 2 x=1..2 -- ./wait.sh
ok "two jobs run" poll 20 sh -c 'stfm-watch --once -Q &&
	[ "$(squeue -h -t R -o %i | wc -l)" = 3 ]'
ends=$(array_of ends) packed=$(array_of packed)
keep_running "${ends}_0"
: >ends.0
: >packed.0
ok "a task of each finishes" poll 20 becomes packed "FINISHED RUNNING"
ok "and leaves Slurm" poll 20 becomes ends "FINISHED RUNNING"
poll 20 sh -c "! squeue -h -j ${ends}_0 -t R,CG | grep -q ."
return_state
like "Slurm has it running again" "${ends}_0" "$(has R)"
ok "stfm-check --store names it" poll 20 sh -c "stfm-check --store 2>&1 |
	grep -q 'ends: Slurm has ${ends}_0 in the queue, although it is over'"
is "a pass names and cancels it" "ends: Slurm has ${ends}_0 in the queue, \
although it is over: cancelled" \
	"$(stfm-watch --once 2>&1 | sed -n 's/stfm-watch: \(.*although\)/\1/p')"
only_runs() {
	[ "$(has R)" = "$1" ]
}
ok "and nothing else, whose tasks still run" poll 20 only_runs \
	"${ends}_1 ${packed}_0"
is "their states stay" "FINISHED RUNNING, FINISHED RUNNING" \
	"$(truth ends), $(truth packed)"
: >ends.1
: >packed.1
ok "the others finish" poll 20 becomes ends "FINISHED FINISHED"
ok "all of them" poll 20 becomes packed "FINISHED FINISHED"

# A controller forgets that a task began, and starts it again after a stop.
submit -J away --hold --max-fail 1 --args=none x=1,2 -- sleep 600
away=$(array_of away)
keep_state "stfm-[0-9a-z]*-c00000.0.*away"
scontrol release "${away}_0"
run=$STFM_DIR/jobs/away/run/000
ok "a task of a job runs" poll 20 test -e "$run/000000.0.0.S"
SLURM_CONF=/nonexistent stfm-stop -yQ away/0 2>/dev/null
return_state
runner_is_gone() {
	! pgrep -f "stfm-run-[^ ]* $STFM_DIR/jobs/away " >/dev/null
}
ok "Slurm ends what it does not know" poll 20 runner_is_gone
is "without a word" "000000.0.0.S" "$(ls "$run")"
sleep 2 # a node refuses a task in the second in which it has ended it
scontrol release "${away}_0"
ok "the next run of the task is turned away" poll 20 sh -c \
	"scontrol show job ${away}_0 | grep -q ExitCode=75:0"
ok "the task is STOPPED" poll 20 becomes away "STOPPED SUBMITTED"
is "which does not count as a failure" "STOPPED SUBMITTED 1" \
	"$(truth away) $(find "$STFM_DIR/jobs/away/ctl" -name 'stop.*' | wc -l)"
stfm-stop -Q -y away

# A job that Slurm forgets while it trains, beyond the reach of the controller.
rm -rf empty
cp -r "$tap_dir/slurm/state" empty
FILE=$PWD/lost submit -J lost x=1 -- ./wait.sh
poll 20 test -e "$STFM_DIR/jobs/lost/run/000/000000.0.0.S"
keep_running "$(array_of lost)_0"
crash "$(cat "$tap_dir/slurm/run/slurmctld.pid")" \
	"$(cat "$tap_dir/slurm/run/n1.pid")"
rm -rf "$tap_dir/slurm/state"
cp -r empty "$tap_dir/slurm/state"
slurmctld
ok "a job is LOST" poll 20 becomes lost ERROR
return_state
sleep 3 # longer than STFM_GRACE
stfm-watch --once -Q lost
is "and may still train: it is not cancelled" "$(array_of lost)_0" "$(has R)"
: >lost.0
ok "when it ends it is FINISHED" poll 20 becomes lost FINISHED

# A job of the user's own may name a token; it is not stfm's.
token=$(jq -r .token "$STFM_DIR/jobs/old/sub/c00000.0.intent")
printf '#!/bin/sh\nexec sleep 600\n' >evaluate.sh
own=$(sbatch --parsable -o /dev/null --comment "evaluate $token" evaluate.sh)
own="$own $(sbatch --parsable -o /dev/null evaluate.sh "$token")"
own="$own $(sbatch --parsable -o /dev/null --comment "$token" \
	--wrap 'sleep 600')"
stfm-watch --once -Q old
stfm-stop -Q -y old
stfm-check --store >said 2>&1
for id in $own; do
	ok "a job that only mentions a token is left alone" queued "$id"
done
is "and not named" "" "$(cat said)"
# shellcheck disable=SC2086 # words
scancel $own

submit -J again --hold x=1,2 -- ./train.sh
again=$(array_of again)
keep_state "stfm-[0-9a-z]*-c00000.0.*again"
stfm-stop -Q -y again
return_state
ok "a stopped array is back" queued "$again"
ok "stfm-stop --remove cancels it and removes the job" \
	stfm-stop -Q -y --remove again
ok "it is gone from the queue" gone "$again"
is "nothing but the one that finished was trained" "old 0 1
old 1 1" "$(grep old count | sort)"

done_testing
