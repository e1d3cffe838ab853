#!/bin/sh
# What became of tasks that Slurm has forgotten: a real slurmdbd with a MariaDB
# of its own keeps the accounts of a private Slurm that forgets within seconds.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

. "$top/tests/dbd.sh"

# shellcheck disable=SC2086 # words
begin_slurm -N 2 -g 0 -c 8 -o MinJobAge=2 $accounts
export STFM_DIR="$tap_dir/store" STFM_GRACE=600

# The real sacct, with a list of what it was asked; it can be without records.
mkdir "$tap_dir/spy"
cat >"$tap_dir/spy/sacct" <<EOF
#!/bin/sh
echo "\$*" >>"$tap_dir/asked"
[ ! -e "$tap_dir/unrecorded" ] || exit 0
exec $(command -v sacct) "\$@"
EOF
chmod +x "$tap_dir/spy/sacct"
PATH=$tap_dir/spy:$PATH

# On n1, unless it is said otherwise: n2 is going to fail.
submit() {
	stfm-submit -Q --gres=none --args=none -w n1 "$@" || exit 99
}
# The array of a job, by its claim.
array() {
	jq -r .array "$STFM_DIR/jobs/$1/sub/"*.claim
}
has_facts() {
	[ "$(find "$STFM_DIR/jobs/$1/run" -name "*.$2" | wc -l)" -eq "$3" ]
}
# Slurm has forgotten the jobs, and the accounting has their end.
is_past() {
	for past_job; do
		! squeue -h -t all -n "$past_job" | grep -q . || return 1
		sacct -nX -j "$(array "$past_job")" --format=state | awk '
			/PENDING|RUNNING/ { exit 1 }
			{ any = 1 }
			END { exit !any }' || return 1
	done
}
# With what users have in their environment.
pass() {
	: >"$tap_dir/asked"
	SLURM_TIME_FORMAT=relative SACCT_FORMAT=User SLURM_BITSTR_LEN=1 \
		stfm-watch --once "$@"
}

## Accounts and QOS

sacctmgr -Qi add account ml >/dev/null || exit 99
sacctmgr -Qi add qos long set MaxWall=3-0 MaxJobsPerUser=4 >/dev/null ||
	exit 99
sacctmgr -Qi add qos secret >/dev/null || exit 99
sacctmgr -Qi add user "$user" account=ml >/dev/null || exit 99
sacctmgr -Qi modify user where name="$user" account=ml \
	set qos=normal,long MaxSubmitJobs=100 GrpTRES=cpu=16 >/dev/null ||
	exit 99
stfm-nodes --accounts -o json >accounts.json
is "the account is told with its limits" '["long,normal",100,"cpu=16"]' \
	"$(jq -c '.[] | select(.kind == "account" and .name == "ml") |
		[.qos, .max_submit, .max_tres_per_user]' <accounts.json)"
is "and the QOS that it may use" '["normal",null,null]
["long",259200,4]' \
	"$(jq -c '.[] | select(.kind == "qos") |
		[.name, .time_limit, .max_jobs]' <accounts.json)"
valid "they are as stfm-json(5) has them" nodes-accounts <accounts.json
stfm-nodes --accounts >accounts
like "for people too" '^ml\*? +long,normal ' "$(cat accounts)"

## Tasks end while nobody looks

submit -J late -t 1 i=1 -- sleep 600
submit -J cancelled i=1..2 -- sleep 600
submit -J waiting --hold i=1..4 -- true
submit -J prep i=1 -- sleep 600
submit -J behind --hold --after prep i=1 -- true
submit -J killed i=1 -- sh -c 'echo $PPID >runner; exec sleep 600'
submit -J lost i=1 -- sh -c 'exec kill -KILL $PPID'
submit -J fallen --hold --no-requeue -w n2 i=1 -- sleep 600
interrupted_run fallen
scontrol release "$(array fallen)"
mkdir logs
submit -J unlaunched --hold -o "$PWD/logs/%a" i=1 -- true
submit -J well x=0,3 -- sh -c 'exit $STFM_PARAM_x'
# Of what others queued there is nothing else.
others=$(sbatch --parsable -n 1 -w n1 -o /dev/null -J others -a 2,5 \
	--wrap 'exit $((SLURM_ARRAY_TASK_ID - 2))') || exit 99
single=$(sbatch --parsable -n 1 -w n1 --hold -o /dev/null -J single \
	--wrap true) || exit 99
stfm-import -Q --slurm "$single" || exit 99
scontrol release "$single"
part=$(sbatch --parsable -n 1 -w n1 --hold -o /dev/null -J part -a 0,1 \
	--wrap true) || exit 99
scontrol release "${part}_0"
held=$(sbatch --parsable -n 1 -w n1 --hold -o /dev/null -J held \
	--wrap true) || exit 99
stfm-import -Q --slurm "$held" || exit 99
# The runner frees nothing at its end; here Slurm is to see that it ended well.
(
	export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
	submit -J silent i=1 -- true
) || exit 99

poll 20 has_facts late S 1
scontrol update JobId="$(array late)_0" EndTime=now
poll 20 has_facts cancelled S 2
poll 20 has_facts prep S 1
scancel "$(array cancelled)" "$(array waiting)" "$(array prep)" "$held"
poll 20 test -s runner
kill -KILL "$(cat runner)"
poll 20 has_facts fallen S 2 || exit 99
scontrol update NodeName=n2 State=down Reason=test
rmdir logs && : >logs # from 24.05 on Slurm makes a directory
scontrol release "$(array unlaunched)"
poll 20 has_facts silent E0 1
rm "$STFM_DIR/jobs/silent/run/000/"*.E0

set -- cancelled waiting killed fallen unlaunched well silent single held lost
ok "Slurm forgets them" poll 30 is_past "$@" prep

is_half_forgotten() {
	[ "$(squeue -h -r -t all -j "$part" -o %i)" = "${part}_1" ]
}
ok "of an array perhaps only what is over" poll 30 is_half_forgotten

becomes_lost() {
	STFM_GRACE=1 pass "$1" && [ "$(row "$1" 0 .cause)" = LOST ]
}
touch "$tap_dir/unrecorded"
ok "what the accounting does not know either is LOST" \
	poll 20 becomes_lost lost
rm "$tap_dir/unrecorded"

## While the accounting is down

kill "$slurmdbd"
wait "$slurmdbd"
status "a pass without the accounting says so" 75 pass "$@"
is "once, and why" "stfm-watch: Slurm's accounting does not answer: Problem \
talking to the database: Connection refused" "$(cat "$tap_dir/out")"
begun=$(date +%s)
is_later() {
	[ "$(date +%s)" -gt $((begun + 2)) ]
}
poll 20 is_later
STFM_GRACE=1 status "also when the time of grace is over" 75 pass -Q "$@"
is "nobody is LOST" "" "$(find "$STFM_DIR/jobs" -name '*.XLOST' |
	grep -v /lost/)"
is "who was stays so" "E LOST" "$(states lost) $(row lost 0 .cause)"
stfm-status killed >out 2>err
is "stfm-status says it as well" \
	"$(stfm-status --no-refresh -o json 2>"$tap_dir/none" | jq -r '.[] |
		select(.job == "killed") | "stfm-status: \(.trouble)"')" \
	"$(cat err)"
is "no end is guessed: not of tasks that never began" "SSSS S" \
	"$(states waiting) $(states unlaunched)"
is "not of one that said nothing" "R not in the queue" \
	"$(states killed) $(row killed 0 .cause)"
is "nor of one that was ended by a signal from outside" "RR ending" \
	"$(states cancelled) $(row cancelled 1 .cause)"
is "what the tasks said themselves is true" FE "$(states well)"
like "stfm-check says what Slurm says of it" \
	"^warn	accounting	.* answer: Problem talking to the database" \
	"$(stfm-check --no-job -o tsv)"
status "what Slurm has forgotten may be known later" 75 \
	stfm-import --slurm "$others"
like "and is not said to be unknown" "^stfm-import: $others: not in Slurm's \
queue; its accounting, which may know it, cannot be read: .*; try again" \
	"$(cat "$tap_dir/out")"
status "an array is not imported without what it may have" 75 \
	stfm-import --slurm "$part"
like "which the accounting alone may tell" \
	"in the accounting alone, which cannot be read: .*; try again" \
	"$(cat "$tap_dir/out")"
start_slurmdbd
ok "the accounting is back" poll 20 answers

## The accounting speaks

pass "$@"
is "it is asked once for all jobs" 1 "$(grep -c . "$tap_dir/asked")"
is "but for those whose end is known" "" \
	"$(grep -w "$(array well)" "$tap_dir/asked")"
is "cancelled tasks are STOPPED" "TT CANCELLED" \
	"$(states cancelled) $(row cancelled 0 .cause)"
is "cancelled while they waited, too" "TTTT CANCELLED" \
	"$(states waiting) $(row waiting 3 .cause)"
is "a runner that was killed" "E SIGKILL" \
	"$(states killed) $(row killed 0 .cause)"
is "has its time of end from there" \
	"$(SLURM_TIME_FORMAT=%s sacct -nPX -j "$(array killed)" --format=end)" \
	"$(row killed 0 .end)"
is "its word comes before LOST" "E SIGKILL" \
	"$(states lost) $(row lost 0 .cause)"
is "a node that failed" "E NODE_FAIL" \
	"$(states fallen) $(row fallen 0 .cause)"
is "a task that could not be launched" "E launch failure" \
	"$(states unlaunched) $(row unlaunched 0 .cause)"
is "COMPLETED there without an end fact: it is waited for" "R ending" \
	"$(states silent) $(row silent 0 .cause)"

pass behind
is "it is asked about what a job waits for, too" "T CANCELLED" \
	"$(states prep) $(row prep 0 .cause)"
stfm-stop -Q behind
is "what others queued ended as it says" "F true" \
	"$(states single) $(row single 0 '.start > 0')"
is "what never began is not said to have" "T CANCELLED null 0" \
	"$(states held) $(row held 0 '"\(.cause) \(.start)"') $(find \
		"$STFM_DIR/jobs/held/run" -name '*.S' | wc -l)"
ok "an array of which a part waits is imported" stfm-import -Q --slurm "$part"
is "as a whole" FS "$(states part)"
scancel "$part"
ok "and what Slurm has forgotten is imported" stfm-import -Q --slurm "$others"
is "as it was there" "FE exit 3 ${others}_5" \
	"$(states others) $(row others 1 '"\(.cause) \(.array)_\(.index)"')"

pass well fallen
is "it is not asked when all is known" "" "$(cat "$tap_dir/asked")"
rm "$STFM_DIR/jobs/fallen/fold/"*
pass fallen
is "what it said is recorded" "E NODE_FAIL " \
	"$(states fallen) $(row fallen 0 .cause) $(cat "$tap_dir/asked")"

## Slurm loses its state, and gives an id to another job

timed_out() {
	sacct -nX -j "$(array late)" --format=state | grep -q TIMEOUT &&
		! squeue -h | grep -q .
}
pid_of() {
	stfm-sandbox status -d "$tap_dir/slurm" |
		awk -v name="$1" '$1 == name { print $2 }'
}
ok "a task runs into its time limit" poll 45 timed_out
crash "$(pid_of slurmctld)"
# 26.05 starts without its files only if it does not know its cluster.
rm "$tap_dir/slurm/state/job_state"* "$tap_dir/slurm/state/clustername"
stfm-sandbox start -Q -d "$tap_dir/slurm"
is "its id is that of another job now" "$(array late)" \
	"$(sbatch --parsable -J other -a 0 -o /dev/null --wrap 'exit 5')"
is_recorded() {
	sacct -nXD -j "$(array late)" --format=exitcode | grep -q 5:0
}
ok "which fails" poll 20 is_recorded
pass late
is "the task is told from it" "E TIMEOUT" \
	"$(states late) $(row late 0 .cause)"

like "stfm-check sees it" "^ok	accounting	there is a database" \
	"$(stfm-check --no-job -o tsv)"

done_testing
