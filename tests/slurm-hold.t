#!/bin/sh
# stfm-hold, stfm-release and stfm-throttle on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

cat >prolog <<END
#!/bin/sh
[ ! -e "$PWD/no-start" ]
END
chmod +x prolog
begin_slurm -N 1 -g 0 -c 16 -o MaxJobCount=25 -o MinJobAge=2 \
	-o Prolog="$PWD/prolog"
export STFM_DIR="$tap_dir/store" OUT="$tap_dir/out.d"
mkdir "$OUT"

# A task ends when its file is there, or that of its job.
cat >train.sh <<'END'
#!/bin/sh
echo epoch,val_loss >"$STFM_METRICS"
[ ! -e "$OUT/epoch" ] || echo 0,1 >>"$STFM_METRICS"
until [ -e "$OUT/$STFM_JOB.$STFM_TASK" ] || [ -e "$OUT/$STFM_JOB" ]; do
	sleep 0.1
	[ ! -e "$OUT/epoch" ] || echo 0,1 >>"$STFM_METRICS"
done
END
chmod +x train.sh

submit() {
	stfm-submit -Q --gres=none --args=none "$@" -- ./train.sh
}
# The tasks of a job that Slurm holds for their user: "1 2".
held() {
	squeue -h -r -n "$1" -o '%K %r' | sed -n 's/ JobHeldUser$//p' |
		sort -n | tr '\n' ' ' | sed 's/ $//'
}
holds() {
	[ "$(held "$1")" = "$2" ]
}

## Tasks that wait in the queue

submit -J try --parallel 1 i=1..5
ok "one task runs" poll 20 reaches try RSSSS
is "a dry run says what it would do" "try: would hold 2 tasks: 1-2" \
	"$(stfm-hold --dry-run try/1-2)"
is "and does nothing" "" "$(held try)"
is "some are held" "try: held 2 tasks: 1-2" "$(stfm-hold try/1-2)"
is "by Slurm" "1 2" "$(held try)"
is "which is why they wait" "(held by you)" "$(row try 1 .cause)"
like "what to type is said" "^ +stfm-release try/1-2$" \
	"$(stfm-status --no-refresh --why try)"
is "one that runs is not touched" "try: held 2 tasks: 3-4
try: 1 task runs on: 0
try: 2 tasks are held already: 1-2" "$(STFM_SLURM=text stfm-hold try)"
is "Slurm does not hold it" None \
	"$(squeue -h -n try -t running -o %r)"
: >"$OUT/try.0"
ok "it ends, and nothing else starts" poll 20 reaches try FSSSS
is "for programs" "job	what	tasks	ids
try	released	1	try/4
try	over	1	try/0" "$(stfm-release -o tsv try/0,4)"
ok "one that is let go runs" poll 20 reaches try FSSSR
is "the others are still held" "1 2 3" "$(held try)"
is "conditions choose" "try: released 1 task: 3" \
	"$(STFM_SLURM=text stfm-release -w 'i=4' try/0-3)"
stfm-hold -Q try/3
SLURM_CONF=/nonexistent stfm-release try >out 2>&1
is "without Slurm the status is 75" 75 $?
like "and says who tells it" "the order is recorded.*stfm-watch will" \
	"$(cat out)"
is "nothing is released yet" "1 2 3" "$(held try)"
stfm-watch --once -Q try
is "the watcher does that" "" "$(held try)"
SLURM_CONF=/nonexistent stfm-hold -Q try/3 2>err
stfm-watch --once -Q try
is "also with what is to be held" 3 "$(held try)"
scontrol release "$(array_of try)_3"
stfm-watch --once -Q try
is "and again where Slurm forgot it" 3 "$(held try)"
stfm-release -Q try
scontrol hold "$(array_of try)_3"
stfm-watch --once -Q try
is "a hold that was made with scontrol is left alone" \
	JobHeldAdmin "$(squeue -h -r -n try -o '%K %r' | sed -n 's/^3 //p')"
is "and who can end it is said" "try: an administrator holds 1 task and must \
release it: 3" "$(stfm-release try/3)"
scontrol release "$(array_of try)_3"
: >"$OUT/try"
ok "all of it ends" poll 30 reaches try FFFFF
is "there is nothing left to hold" "try: 5 tasks are over: 0-4" \
	"$(stfm-hold try)"

## Some are over

# Slurm refuses to change an array where some of its tasks are over, and does it
# for the others.  Some releases do not say the latter.
mkdir silent
cat >silent/scontrol <<END
#!/bin/sh
rc=0
$(command -v scontrol) "\$@" 2>"$PWD/silent/said" || rc=\$?
grep -v ': No error' "$PWD/silent/said" >&2
exit "\$rc"
END
chmod +x silent/scontrol
submit -J part --parallel 1 i=1..5
ok "one task runs" poll 20 reaches part RSSSS
: >"$OUT/part.0"
ok "it ends" poll 20 reaches part FRSSS
is "the others have another limit" "0 part: at most 2 tasks at once " "$(
	PATH="$PWD/silent:$PATH" stfm-throttle part 2 >out 2>err
	echo "$? $(cat out) $(cat err)")"
like "Slurm knows" "^(.*%)?2 *$" "$(squeue -h -n part -t PD -o %K | head -1)"
is "and none" "0 part: any number of tasks at once " "$(
	PATH="$PWD/silent:$PATH" stfm-throttle part none >out 2>err
	echo "$? $(cat out) $(cat err)")"
# Slurm refuses the tasks that ended a moment ago and changes the others, but it
# stops answering before stfm-throttle can see that.
: >"$OUT/part.1"
ok "another task ends" poll 20 reaches part FFRRR
mkdir refusing
ctld=$tap_dir/slurm/run/slurmctld.pid
cat >refusing/scontrol <<END
#!/bin/sh
rc=0
$(command -v scontrol) "\$@" || rc=\$?
[ "\$1" != update ] || kill -STOP "\$(cat "$ctld")"
exit "\$rc"
END
chmod +x refusing/scontrol
like "that may have failed is tried again" \
	"^75 stfm-throttle: part: .*did not answer.*: stfm-watch" "$(
		STFM_SLURM_TIMEOUT=1 PATH="$PWD/refusing:$PATH" \
			stfm-throttle part 2 >out 2>err
		echo "$? $(xargs <err)")"
kill -CONT "$(cat "$ctld")"
: >"$OUT/part"
ok "all of it ends" poll 30 reaches part FFFFF

## What was submitted held

submit -J first --hold i=1,2
ok "it waits" poll 20 holds first "0 1"
: >"$OUT/first"
stfm-release -Q first/0
ok "what is let go trains" poll 20 reaches first FS
stfm-stop -Q first/1
stfm-restart -Q --finished first
ok "what is restarted does, and nothing holds it" poll 20 reaches first FF
stfm-restart -Q --finished --hold first/1
is "unless that is wanted" 0 "$(held first)"
scancel -n first --me
ok "which is given up" poll 20 reaches first FT
submit -J first --hold i=1,2
is "who submits it again, held, has it held" 0 "$(held first)"
stfm-stop -Q --remove first

## What a hold keeps waiting

submit -J more --parallel 1 i=1,2
ok "one task runs" poll 20 reaches more RS
stfm-hold -Q more/1
submit -J more --parallel 1 --sync i=1..3
: >"$OUT/more.0"
depends() {
	stfm-watch --once -Q more
	[ "$(row more 2 .cause)" = "(Dependency)" ]
}
ok "what is new waits for what is held" poll 30 depends
like "which is said" "^ +stfm-release more/1$" \
	"$(stfm-status --no-refresh --why more/2)"
: >"$OUT/more"
stfm-release -Q more/1
ok "until that is let go" poll 60 reaches more FFF

## Beside a canary

submit -J canary --canary i=1..3
ok "a canary runs" poll 20 reaches canary RSS
is "what waits for it is not let go by hand" \
	"canary: 2 tasks wait for the canary: 1-2" "$(stfm-release canary/1-2)"
is "but can be held" "canary: held 1 task: 2" "$(stfm-hold canary/2)"
: >"$OUT/epoch"
: >"$OUT/canary"
ok "when it has passed the others run, but for what is held" \
	poll 20 reaches canary FFS
is "its user still holds it" "(held by you)" "$(row canary 2 .cause)"
stfm-release -Q canary
ok "until it is let go" poll 20 reaches canary FFF
rm "$OUT/epoch"

## A new limit while sbatch is queueing it, whose stfm-submit is killed then

mkdir slow deaf
cat >slow/sbatch <<END
#!/bin/sh
: >"$PWD/called"
until [ -e "$PWD/go" ]; do
	sleep 0.1
done
exec $(command -v sbatch) "\$@"
END
printf '%s\n' '#!/bin/sh' 'exit 1' >deaf/scontrol
chmod +x slow/sbatch deaf/scontrol
PATH=$PWD/slow:$PATH stfm-submit -Q --gres=none --hold -J late i=1..4 -- \
	true 2>err &
submit=$!
ok "sbatch is queueing it" poll 20 test -e called
stfm-throttle -Q late 2
kill -KILL $submit
: >go
limit() {
	squeue -h -n late -o %K
}
is_queued() {
	[ -n "$(limit)" ]
}
ok "its array is queued, and claimed by nobody" poll 20 is_queued
is "without the limit" "0-3" "$(limit)"
PATH=$PWD/deaf:$PATH stfm-watch --once -Q late 2>err
is "who claims it cannot tell it" "0-3" "$(limit)"
stfm-watch --once -Q late
is "the next pass does" "0-3%2" "$(limit)"
stfm-stop -Q --remove -y late

## How many at once

# Of the last task of an array that waits, Slurm shows no limit: it gets room
# for a large array.
forgets_all() {
	[ -z "$(squeue -h -t all)" ]
}
ok "Slurm has forgotten the jobs above" poll 60 forgets_all
submit -J rest --parallel 16 -c 8 i=1..30 2>err
some_waits() {
	stfm-submit -Q --queue-rest rest
	squeue -h -n rest -t pending | grep -q .
}
ok "some of it is queued" poll 30 some_waits
arrays() {
	find "$STFM_DIR/jobs/rest/sub" -name '*.claim' | wc -l
}
throttles() {
	squeue -h -n rest -t pending -o %K | sed -n 's/.*%//p' | sort |
		tr '\n' ' '
}
count_running() {
	stfm-watch --once -Q rest
	[ "$(squeue -h -n rest -t running | wc -l)" -eq "$1" ]
}
is "it says how many" "rest: at most 16 tasks at once" "$(stfm-throttle rest)"
is "a dry run" "rest: would be at most 3 tasks at once" \
	"$(stfm-throttle --dry-run rest 3)"
is "changes nothing" "rest: at most 16 tasks at once" "$(stfm-throttle rest)"
is "another number of them" "rest: at most 1 task at once" \
	"$(stfm-throttle rest 1 2>err)"
like "which Slurm knows" '^(1 )+$' "$(throttles)"
SLURM_CONF=/nonexistent stfm-throttle rest 400 >out 2>&1
is "without Slurm the status is 75" 75 $?
is "the order is there" "rest: at most 400 tasks at once" \
	"$(stfm-throttle rest)"
like "which Slurm has not heard of" '^(1 )+$' "$(throttles)"
stfm-watch --once -Q rest
# Slurm may start all of them before it is asked.
more_than_one() {
	throttles | grep -Eq '([2-9]|[1-9][0-9]) ' ||
		[ "$(squeue -h -n rest -t running | wc -l)" -gt 1 ]
}
ok "a watcher tells it" poll 10 more_than_one
is "no limit" "rest: any number of tasks at once" "$(stfm-throttle rest none)"
is "Slurm knows of none" "" "$(throttles)"
is "0 is the same" "rest: any number of tasks at once" "$(stfm-throttle rest 0)"
stfm-throttle -Q rest 3 2>err
refused "what is no number" "N:" stfm-throttle rest many
refused "none, nearly" "did you mean none" stfm-throttle rest nnoe
refused "less than nothing" "N:" stfm-throttle rest -- -1
refused "tasks of a job" "one whole job" stfm-throttle rest/1 2
refused "three words" "usage:" stfm-throttle rest 1 2

## Tasks that are not queued yet

some_run() {
	stfm-watch --once -Q rest
	squeue -h -n rest -t running | grep -q .
}
ok "some of it runs" poll 30 some_run
ok "not all of it fits into the queue" \
	test "$(squeue -h -r -n rest | wc -l)" -lt 30
stfm-hold -Q rest
is "what has to be queued is held too" "(held by you)" "$(row rest 29 .cause)"
before=$(arrays)
: >"$OUT/rest"
ended() {
	stfm-watch --once -Q rest
	! states rest | grep -q R && [ -z "$(squeue -h -n rest -t R,CG)" ]
}
ok "what runs ends" poll 30 ended
for _ in 1 2 3; do stfm-watch --once -Q rest; done
is "and a watcher queues nothing of what is held" "$before" "$(arrays)"
status "stfm-submit does not, either" 0 stfm-submit -Q --queue-rest rest
is "nothing is queued" "$before" "$(arrays)"
rm "$OUT/rest"
stfm-throttle -Q rest 40
is "one is let go" "rest: released 1 task: 29" "$(stfm-release rest/29)"
runs() {
	stfm-submit -Q --queue-rest rest
	stfm-watch --once -Q rest
	[ "$(row rest 29 .state)" = RUNNING ]
}
ok "it runs" poll 60 runs
is "its neighbour, which is in the same array, does not" \
	"SUBMITTED (held by you)" "$(row rest 28 '.state + " " + .cause')"
like "it was queued with as many at once as were ordered" \
	' ArrayTaskThrottle=[1-9][0-9]* ' \
	"$(scontrol -o show job "$(row rest 29 .array)")"
: >"$OUT/rest"
stfm-throttle -Q rest none
stfm-release -Q rest
all_over() {
	stfm-submit -Q --queue-rest rest
	stfm-watch --once -Q rest
	states rest | grep -Eqx 'F+'
}
ok "all of it can be let go" poll 60 all_over
is "then nothing is throttled but what is queued again" \
	"stfm-throttle: rest: is over: nothing to throttle, except tasks that \
stfm-restart queues
rest: at most 2 tasks at once" "$(stfm-throttle rest 2 2>&1)"

## What Slurm holds, because its start failed

: >no-start
submit -J fails i=1,2
fails() {
	stfm-watch --once -Q fails
	[ "$(row fails "$1" .cause)" = "$2" ]
}
cause="(launch failed requeued held)"
ok "Slurm cannot start it, and holds it" poll 20 fails 0 "$cause"
rm no-start
stfm-status --why fails/0 >why
like "what happened is said" \
	"could not start it on its node.*holds it.*sinfo -R" \
	"$(tr -s '\n ' ' ' <why)"
like "and what to type" "^ +stfm-release fails/0$" "$(cat why)"
is "but no time at which it would start" "" "$(grep expects why)"
is "it counts as held" "fails: held 1 task: 0" "$(stfm-hold fails/0)"
is "it is let go" "fails: released 1 task: 0" "$(stfm-release fails/0)"
ok "by Slurm, too" poll 20 fails 0 "(BeginTime)"
scontrol update nodename=n1 state=resume
begins() {
	scontrol update jobid="$(array_of fails)_0" starttime=now
	stfm-watch --once -Q fails
	[ "$(row fails 0 .state)" = RUNNING ]
}
ok "it trains" poll 60 begins
stfm-stop -Q fails

done_testing
