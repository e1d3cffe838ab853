#!/bin/sh
# What is done about tasks that do not go well, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none "$@"
}
# What Slurm would say where it knows of memory limits, and after its time.
says() {
	printf 'of|%s\nfact|%s|X%s|attempt=%s\n' "$@" | "$fixture" "$STFM_DIR"
}

## --max-fail

cat >fail.sh <<'END'
#!/bin/sh
case $STFM_TASK in
0 | 2) exit 0 ;;
*) exit "$STFM_TASK" ;;
esac
END
chmod +x fail.sh
submit -J fails --max-fail 2 --parallel 1 --args=none i=1..8 -- ./fail.sh
ok "all of them leave the queue, and nobody watches" poll 30 unqueued fails
is "those after the second failure did not train" \
	"000000.0.0.S 000001.0.0.S 000002.0.0.S 000003.0.0.S " \
	"$(facts fails '*.S')"
ok "they are STOPPED" poll 20 reaches fails FEFETTTT
is "and say why" "max-fail 2" "$(row fails 7 .cause)"
like "which the status shows" 'STOPPED +max-fail 2' \
	"$(stfm-status fails/7 | tr '\n' ' ')"

# All of them at once: then there is no rest.
cat >once.sh <<'END'
#!/bin/sh
[ "$STFM_ATTEMPT" = 1 ] || kill -KILL "$PPID"
exec sleep 600
END
chmod +x once.sh
submit -J once --max-fail 1 i=1..3 --args=none -- ./once.sh
poll 20 has_facts once '*.S' '000000.0.0.S 000001.0.0.S 000002.0.0.S ' ||
	exit 99
for i in 0 1 2; do says once $i NODE_FAIL 0; done
ok "all fail" poll 20 reaches once EEE
ok "one is started again" stfm-restart -Q once/1
ok "and runs" poll 20 reaches once ERE
stfm-watch --once -Q once
is "it is not stopped for what failed before" \
	"ERE 0" "$(states once) $(squeue -h -n once -t CG -o %i | wc -l)"
stfm-stop -Q once

# One that failed by Slurm's account alone.
submit -J lost --max-fail 1 i=1,2 --args=none -- sleep 600
ok "two tasks run" poll 20 reaches lost RR
says lost 0 OUT_OF_MEMORY 0
scancel -s KILL "$(array_of lost)_0"
ok "a failure that only Slurm knows stops the rest" poll 20 reaches lost ET
is "which is running by then" "max-fail 1" "$(row lost 1 .cause)"

## --canary

cat >sing.sh <<'END'
#!/bin/sh
echo epoch,val_loss >"$STFM_METRICS"
while ! [ -e "$1" ]; do sleep 0.1; done
[ -s "$1" ] && exit 3
echo 0,0.5 >>"$STFM_METRICS"
while ! [ -e "$1.end" ]; do sleep 0.1; done
END
chmod +x sing.sh
submit -J canary --canary --parallel 3 i=1..4 --args=none -- \
	./sing.sh "$tap_dir/first"
ok "the first task runs alone" poll 20 reaches canary RSSS
is "the others say why they wait" "(waiting for the canary)" \
	"$(row canary 3 .cause)"
is "Slurm holds them" JobHeldUser \
	"$(squeue -h -j "$(array_of canary c00001.0)" -o %r)"
: >"$tap_dir/first"
ok "its first epoch lets the others go, and nobody watches" \
	poll 20 has_facts canary '*.S' \
	'000000.0.0.S 000001.0.0.S 000002.0.0.S '
is "as many as may run at once" "000000.0.0.S 000001.0.0.S 000002.0.0.S " \
	"$(facts canary '*.S')"
: >"$tap_dir/first.end"
ok "all of them train" poll 20 reaches canary FFFF

: >"$tap_dir/second.end"
echo fail >"$tap_dir/second"
submit -J dead --canary i=1..3 --args=none -- ./sing.sh "$tap_dir/second"
ok "a canary that fails keeps the others" poll 20 reaches dead ESS
timeout 300 stfm-watch -i 1 dead >out
is "nobody waits for them for ever" 1 $?
like "which is told" "dead cannot go on: 2 SUBMITTED, 1 ERROR \\(its canary \
did not pass: stfm-status --why dead\\)$" "$(cat out)"
is "which say so" \
	"(waiting for the canary, which failed: restart task 0)" \
	"$(row dead 1 .cause)"
like "and what to type, word by word" "^ +stfm-restart dead/0$" \
	"$(stfm-status --no-refresh --why dead)"
like "in one sentence, without a start that nobody plans" \
	"^dead/1-2 waits: it waits for task 0, which failed; read the log" \
	"$(COLUMNS=200 stfm-status --why dead)"
rm "$tap_dir/second"
ok "it can be restarted" stfm-restart -Q dead/0
ok "and trains again" poll 20 reaches dead RSS
ok "and be stopped" stfm-stop -Q dead/0
ok "which keeps the others as well" poll 20 reaches dead TSS
is "and they do not say that it failed" \
	"(waiting for the canary, which was stopped: restart task 0)" \
	"$(row dead 1 .cause)"
: >"$tap_dir/second"
ok "it can be restarted again" stfm-restart -Q dead/0
ok "and lets them go" poll 20 reaches dead FFF
# A node from which Slurm cannot be told.
mkdir "$tap_dir/broken"
printf '#!/bin/sh\necho "scontrol: error: not here" >&2\nexit 1\n' \
	>"$tap_dir/broken/scontrol"
chmod +x "$tap_dir/broken/scontrol"
PATH="$tap_dir/broken:$PATH" submit -J cut --canary i=1..2 --args=none -- \
	./sing.sh "$tap_dir/second"
ok "a canary that cannot let the others go has passed all the same" \
	poll 20 test -e "$STFM_DIR/jobs/cut/ctl/mark.canary"
ok "the watcher lets them go" poll 20 reaches cut FF

submit -J quick --canary i=1..3 --args=none -- true
ok "one that ends well without a log does so, too" poll 20 reaches quick FFF
submit -J alone --canary i=1 --args=none -- true
ok "one that is alone has nobody to wait for it" poll 20 reaches alone F
refused "a hold of the user's own is not ours to let go" "leave out --hold" \
	submit --hold --canary i=1,2 -- true

## --avoid-bad-nodes

cat >broken.sh <<'END'
#!/bin/sh
[ "$SLURMD_NODENAME" != "$BAD" ] || exit 1
exec sleep 600
END
chmod +x broken.sh
BAD=n1 submit -J nodes --avoid-bad-nodes=2 -c 2 i=1..9 --args=none -- \
	./broken.sh
avoids() {
	stfm-watch --once -Q nodes
	stfm-status nodes | grep -q 'avoids n1, where tasks failed at once'
}
ok "a node on which tasks fail at once is avoided" poll 30 avoids
ok "Slurm knows it of those that wait" poll 10 sh -c 'scontrol show job "$1" |
	grep -A 20 JobState=PENDING | grep -q ExcNodeList=n1' sh \
	"$(array_of nodes)"
poll 20 sh -c '! squeue -h -n nodes -w n1 | grep -q .' || exit 99
failed=$(facts nodes '*.E1' | wc -w)
stfm-restart -Q nodes/0
like "what is queued later is told, too" "ExcNodeList=n1" \
	"$(scontrol show job "$(array_of nodes c00001.0)")"
scancel "$(array_of nodes)_$(squeue -h -t R -n nodes -o %a | head -1)" \
	2>/dev/null
ok "nothing more goes there" poll 10 sh -c '
	[ "$(squeue -h -t R -n nodes -o %N | sort -u)" = n2 ]'
is "so nothing more fails" "$failed" "$(facts nodes '*.E1' | wc -w)"
stfm-stop -Q nodes

BAD=n2 submit -J last --avoid-bad-nodes=2 --exclude=n1 i=1..2 --args=none -- \
	./broken.sh
ok "both fail" poll 20 reaches last EE
like "the last node is kept" "keeps the last node n2, where tasks failed" \
	"$(stfm-status last)"
refused "a list in a file is not ours to add to" "list the nodes themselves" \
	submit --avoid-bad-nodes --exclude=./nodes i=1,2 -- true

## --requeue where Slurm refuses

cat >train.sh <<'END'
#!/bin/sh
trap ': >"$STFM_CHECKPOINT_DIR/saved"; exit 0' USR1
echo "restart $STFM_RESTART of attempt $STFM_ATTEMPT, resume $STFM_RESUME"
[ "$STFM_RESUME" = 0 ] || exit 0
while :; do sleep 0.1; done
END
chmod +x train.sh
submit -J refused --requeue i=1,2 --args=none -- ./train.sh
ok "two tasks run" poll 20 reaches refused RR
poll 20 grep -q 'resume 0' \
	"$STFM_DIR/jobs/refused/log/$(array_of refused)_1.log" || exit 99
scontrol update jobid="$(array_of refused)_1" requeue=0
scancel --batch -s USR1 "$(array_of refused)_1"
ok "the one that Slurm does not put back is queued again by the watcher" \
	poll 30 reaches refused RF
is "as a new attempt" 1 "$(row refused 1 .attempt)"
like "which resumes" "restart 0 of attempt 1, resume 1" \
	"$(cat "$STFM_DIR/jobs/refused/log/$(array_of refused c00001.0)_0.log")"
is "and says why it is there" requeue "$(intent refused c00001.0 .why)"
stfm-stop -Q refused

## --retry-oom, --retry-time

cat >hungry.sh <<'END'
#!/bin/sh
[ "$STFM_ATTEMPT" = 1 ] && exit 0
kill -KILL $$
END
chmod +x hungry.sh
submit -J hungry --max-fail 2 --retry-oom 1.5,n=1 --mem=1000 i=1..3 \
	--args=none -- ./hungry.sh
poll 20 has_facts hungry '*.E*' \
	'000000.0.0.E137 000001.0.0.E137 000002.0.0.E137 ' || exit 99
is "what may be queued again does not count for --max-fail" "" \
	"$(find "$STFM_DIR/jobs/hungry/ctl" -name 'stop.*')"
says hungry 0 OUT_OF_MEMORY 0
says hungry 2 OUT_OF_MEMORY 0
ok "those that ran out of memory are queued again" \
	poll 20 reaches hungry FEF
is "with half as much again" '["--mem=1500M"]' \
	"$(intent hungry c00001.0 '.options | tostring')"
like "which Slurm was told" 'MinMemoryNode=1500M' \
	"$(scontrol show job "$(array_of hungry c00001.0)")"
is "and the record says" "retry-oom --mem=1500M" \
	"$(intent hungry c00001.0 .why)"

# Where enough have failed.
cat >enough.sh <<'END'
#!/bin/sh
case $STFM_TASK in
0) kill -KILL $$ ;;
1) kill -KILL $PPID ;;
esac
exec sleep 600
END
chmod +x enough.sh
submit -J enough --max-fail 1 --retry-oom 1.5,n=3 --mem=1000 i=1..3 \
	--args=none -- ./enough.sh
poll 20 has_facts enough '*.E*' '000000.0.0.E137 ' || exit 99
poll 20 has_facts enough '*.S' '000000.0.0.S 000001.0.0.S 000002.0.0.S ' ||
	exit 99
has_ended() {
	! squeue -h -r -n "$1" -o %K | grep -qx "$2"
}
poll 20 has_ended enough 1 || exit 99
says enough 0 OUT_OF_MEMORY 0
says enough 1 NODE_FAIL 0
ok "when enough have failed the rest is stopped" poll 20 reaches enough EET
is "and nothing is queued again" "c00000.0 OUT_OF_MEMORY" \
	"$(cd "$STFM_DIR/jobs/enough/sub" &&
		echo *.intent | sed 's/\.intent//g') $(row enough 0 .cause)"
ok "a person can" stfm-restart -Q enough/0
ok "then a rule does, too" poll 20 has_facts enough '000000.*.E*' \
	'000000.0.0.E137 000000.1.0.E137 '
says enough 0 OUT_OF_MEMORY 1
ok "and it runs" poll 20 sh -c 'stfm-watch --once -Q enough
	[ -e "$STFM_DIR/jobs/enough/run/000/000000.2.0.S" ]'
stfm-stop -Q enough

# One that is held before.
submit -J held --retry-oom 1.5,n=1 --mem=1000 i=1,2 --args=none -- ./hungry.sh
poll 20 has_facts held '*.E*' '000000.0.0.E137 000001.0.0.E137 ' || exit 99
says held 0 OUT_OF_MEMORY 0
is "what a rule would queue again can be held" \
	"held: 1 task that failed: not queued again until released: 0" \
	"$(stfm-hold held/0)"
for _ in 1 2; do stfm-watch --once -Q held; done
is "it is not queued again" c00000.0 \
	"$(ls "$STFM_DIR/jobs/held/sub" | sed -n 's/\.intent$//p')"
is "it is released" "held: 1 task that failed: may be queued again: 0" \
	"$(stfm-release held)"
stfm-watch --once -Q held
is "what has just been queued is not missing" "" \
	"$(stfm-status --no-refresh held | grep 'not in the queue')"
ok "and queued again" poll 20 reaches held FE

# One that is stopped before.
submit -J fed --retry-oom 1.5,n=1 --mem=1000 i=1..3 --args=none -- \
	./hungry.sh
poll 20 has_facts fed '*.E*' \
	'000000.0.0.E137 000001.0.0.E137 000002.0.0.E137 ' || exit 99
poll 20 eval '[ -z "$(squeue -h -n fed -t R,CG)" ]' || exit 99
says fed 0 OUT_OF_MEMORY 0
says fed 2 OUT_OF_MEMORY 0
is "what a rule would queue again can be stopped" \
	"fed: 1 failed task would not be queued again: 0" \
	"$(stfm-stop --dry-run fed/0)"
is "nothing is stopped by looking" "fed: 2 failed tasks would not be queued \
again: 0,2" "$(stfm-stop --dry-run fed)"
is "and is" "fed: 1 failed task will not be queued again: 0" \
	"$(stfm-stop fed/0)"
is "once" "fed: nothing to stop: 1 task is over" "$(stfm-stop fed/0)"
ok "others are queued again" poll 20 reaches fed EEF
is "it keeps the end that it had" OUT_OF_MEMORY "$(row fed 0 .cause)"
is "there is no attempt of it" '"2"' "$(intent fed c00001.0 '.tasks | tojson')"
rm "$STFM_DIR"/jobs/fed/fold/*
stfm-watch --once -Q fed
is "a new table says the same" OUT_OF_MEMORY "$(row fed 0 .cause)"
ok "a person can restart it" stfm-restart -Q fed/0
ok "then it trains" poll 20 reaches fed FEF

# One that is queued again while stfm-stop asks.
cat >late.sh <<'END'
#!/bin/sh
[ "$STFM_ATTEMPT" = 0 ] || exec sleep 600
kill -KILL $$
END
chmod +x late.sh
submit -J late --retry-oom 1.5,n=1 --mem=1000 i=1..3 --args=none -- ./late.sh
poll 20 has_facts late '*.E*' \
	'000000.0.0.E137 000001.0.0.E137 000002.0.0.E137 ' || exit 99
for i in 0 1 2; do says late "$i" OUT_OF_MEMORY 0; done
mkfifo answer
script -qefc 'stfm-stop late/0-1' asked <answer >/dev/null &
stop=$!
exec 4>answer
poll 20 grep -q 'stop 2 tasks of late' asked || exit 99
ok "they are queued again while the stop asks" poll 20 reaches late RRR
echo y >&4
exec 4>&-
wait "$stop"
like "what the stop says is so" "2 failed tasks will not be queued again: 0-1" \
	"$(cat asked)"
ok "they are stopped, and nothing beside them" poll 20 reaches late TTR
stfm-stop -Q late

refused "more time than the partition has is not to be had" \
	"--retry-time: there are 10 minutes at most" \
	submit -p short -t 10 --retry-time 2 i=1,2 -- true
submit -J slow -p short --retry-time 2 -t 5 i=1 --args=none -- sleep 600
ok "a task runs" poll 20 reaches slow R
says slow 0 TIMEOUT 0
scontrol update partitionname=short state=inactive
scancel --batch -s TERM "$(array_of slow)_0"
refusals() {
	stfm-watch --once -Q slow 2>"$tap_dir/said"
	touch -d '1 hour ago' "$STFM_DIR"/jobs/slow/sub/*.try.*
	[ -e "$STFM_DIR/jobs/slow/sub/c00001.0.no.$1" ]
}
ok "what Slurm refuses to queue again is asked for again" \
	poll 20 refusals 3
is "it is one attempt all the time" "1 c00000.0 c00001.0" \
	"$(row slow 0 .attempt) $(cd "$STFM_DIR/jobs/slow/sub" &&
		echo *.intent | sed 's/\.intent//g')"
like "which says why it waits" '^.not queued yet: Slurm refuses: Required' \
	"$(row slow 0 .cause)"
scontrol update partitionname=short state=up
ok "one whose time was up runs again" poll 20 sh -c '
	stfm-watch --once -Q slow
	squeue -h -n slow -t R -o %l | grep -q "^10:00$"'
is "from its checkpoint" 1 "$(intent slow c00001.0 .resume)"
stfm-stop -Q slow

ok "the store is sound after all this" stfm-check --store

done_testing
