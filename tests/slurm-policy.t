#!/bin/sh
# What is done about tasks that do not go well, on a real Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

fixture=$top/build/plain/tests/store-fixture
[ -z "${SANITIZE:-}" ] || fixture=$top/build/sanitize/tests/store-fixture

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
status "nobody waits for them for ever" 1 timeout 300 stfm-watch -Q -i 1 dead
is "which say so" \
	"(waiting for the canary, which failed: restart task 0)" \
	"$(row dead 1 .cause)"
like "and what to type, word by word" "^ +stfm-restart dead/0$" \
	"$(stfm-status --no-refresh --why dead)"
: >"$tap_dir/second"
ok "it can be restarted" stfm-restart -Q dead/0
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
submit -J hungry --retry-oom 1.5,n=1 --mem=1000 i=1..3 --args=none -- \
	./hungry.sh
poll 20 has_facts hungry '*.E*' \
	'000000.0.0.E137 000001.0.0.E137 000002.0.0.E137 ' || exit 99
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
ok "and queued again" poll 20 reaches held FE

# One that is stopped before.
submit -J fed --retry-oom 1.5,n=1 --mem=1000 i=1..3 --args=none -- \
	./hungry.sh
poll 20 has_facts fed '*.E*' \
	'000000.0.0.E137 000001.0.0.E137 000002.0.0.E137 ' || exit 99
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

refused "more time than the partition has is not to be had" \
	"--retry-time: there are 10 minutes at most" \
	submit -p short -t 10 --retry-time 2 i=1,2 -- true
submit -J slow --retry-time 2 -t 5 i=1 --args=none -- sleep 600
ok "a task runs" poll 20 reaches slow R
says slow 0 TIMEOUT 0
scancel --batch -s TERM "$(array_of slow)_0"
ok "one whose time was up runs again" poll 20 sh -c '
	stfm-watch --once -Q slow
	squeue -h -n slow -t R -o %l | grep -q "^10:00$"'
is "from its checkpoint" 1 "$(intent slow c00001.0 .resume)"
stfm-stop -Q slow

ok "the store is sound after all this" stfm-check --store

done_testing
