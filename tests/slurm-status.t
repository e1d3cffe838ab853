#!/bin/sh
# stfm-status on a real Slurm, without any watcher.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

# Trains until the file go is there; its last value tells the rate.
cat >train.sh <<'END'
#!/bin/sh
echo epoch,loss,val_loss >"$STFM_METRICS"
echo "0,1,1" >>"$STFM_METRICS"
until [ -e "$STFM_DIRECTORY/go" ]; do sleep 0.05; done
echo "1,0.5,$STFM_PARAM_lr" >>"$STFM_METRICS"
[ "$STFM_PARAM_lr" != 0.3 ] || { echo "out of luck" >&2; exit 3; }
END
chmod +x train.sh
stfm-submit -Q -J try --gres=gpu:1 lr=0.1,0.2,0.3,0.4,0.5 epochs=2 -- \
	./train.sh

# One value of one task, after a pass.
value() {
	stfm-status --refresh --json "try/$1" | jq -r ".[0].$2"
}
reaches() {
	[ "$(value "$1" "$2")" = "$3" ]
}
has_reason() {
	value "$1" cause | grep -q '^(.*)$'
}
all_are() {
	[ "$(stfm-status --refresh --json try | jq -r '[.[].state] |
		unique | join(" ")')" = "$1" ]
}

ok "a task starts" poll 30 reaches 0 state RUNNING
ok "its first epoch is seen" poll 30 reaches 0 epoch 1
is "half of its epochs are done" 0.5 "$(value 0 progress)"
ok "the task beyond the last GPU waits" poll 30 reaches 4 state SUBMITTED
ok "for Slurm's reason" poll 30 has_reason 4
is "programs can tell it from its Slurm id" 4 \
	"$(stfm-status -o tsv "$(value 4 slurm_id)" | sed 1d | cut -f 3)"
like "the node is known" "^n[12]$" "$(value 0 node)"
like "so is the GPU" "^[01]$" "$(value 0 gpus)"

touch go
ok "all end" poll 60 all_are "ERROR FINISHED"
is "the best comes first" "0 1 2 3 4" \
	"$(stfm-status -s best -o tsv try | sed 1d | cut -f 3 |
		paste -sd ' ' -)"
is "one failed" "try/2 exit 3" \
	"$(stfm-status -t ERROR -o tsv | sed 1d | cut -f 1,5 | tr '\t' ' ')"
like "its last words stand below the table" \
	"^try/2  exit 3: out of luck  .*/log/[0-9]+_2.log$" \
	"$(stfm-status try)"
like "and at the end of its page" "^  out of luck$" "$(stfm-status try/2)"
is "the job is done but for what failed" "4 1 1" \
	"$(stfm-status --json | jq -r '.[] |
		"\(.FINISHED) \(.ERROR) \(.progress)"')"
ok "the table has the curves" sh -c \
	'stfm-status try | grep -q "try/0 .* 0.1000\* .* @_ "'
ok "memory was measured" test "$(value 0 memory)" -gt 0
ok "nothing ran for less than no time" test "$(value 0 elapsed)" -ge 0

# The store alone answers when Slurm does not.
stfm-submit -Q -J wait --gres=none -- sleep 600
ok "another job runs" poll 30 sh -c \
	'stfm-status --refresh --json wait/0 | grep -q "\"RUNNING\""'
SLURM_CONF=/nonexistent stfm-status --refresh wait >out 2>err
is "without Slurm there is an answer" 0 $?
like "as the store has it" "^wait/0 +RUNNING" "$(cat out)"
like "and it says when there last was one" "^stfm-status: \
Slurm not reachable, last answered about wait at [0-9:]{5}: .*nonexistent" \
	"$(cat err)"
is "that is all it says" 1 "$(wc -l <err)"
stfm-stop -Q wait
ok "a task that was stopped is STOPPED" poll 60 sh -c \
	'stfm-status --refresh --json wait/0 | grep -q "\"STOPPED\""'

# ---- what a task trained with ----

site=venv/lib/python3.1/site-packages
mkdir -p venv/bin $site/torch-2.3.0.dist-info $site/unused-1.dist-info
cat >venv/bin/python3 <<'END'
#!/bin/sh
exec sleep 0
END
chmod +x venv/bin/python3
echo home=/usr >venv/pyvenv.cfg
echo 'from torch import nn' >with.py
stfm-submit -Q -J with --gres=none x=1 -- venv/bin/python3 with.py
ok "a training with Python ends" stfm-watch -Q -i 1 with
like "its page has the versions of what it imports" \
	'^Packages +python 3.1, torch 2.3.0$' "$(stfm-status with/0)"
is "which were recorded at its start" "python 3.1, torch 2.3.0" \
	"$(jq -r .packages "$STFM_DIR"/jobs/with/run/000/*.S)"
is "and only there" null \
	"$(jq -r .packages "$STFM_DIR"/jobs/with/run/000/*.E0)"
is "others have none" "" "$(stfm-status wait/0 | grep ^Packages)"
ok "the store is sound with them" stfm-check --store

# ---- why a task waits, and until when ----

# Slurm gives a reason when it looks at a task, which a busy one does late.
cp "$tap_dir/slurm/slurm.conf" usual.conf
sed 's/^SchedulerParameters=.*/SchedulerParameters=defer,sched_interval=600,'\
'sched_min_interval=600000000,bf_interval=600/' usual.conf \
	>"$tap_dir/slurm/slurm.conf"
scontrol reconfigure
# Its last look at all tasks may still come.
later_reason() {
	stfm-stop --remove -y -Q later 2>"$tap_dir/none"
	stfm-submit -Q -J later --gres=none --args=none --begin=now+1hour \
		x=1..3 -- true
	[ "$(squeue -h -n later -o %r)" = None ]
}
ok "no reason is known" poll 30 later_reason
like "a --begin is told before Slurm gives it as the reason" \
	"its begin time has not come \(BeginTime\)" \
	"$(stfm-status --refresh --why later | tr -s ' \n' ' ')"
like "the advice names --begin alone" \
	"wait for the time of --begin, or start it now:$" \
	"$(stfm-status --why later)"
ok "the command starts it" sh -c "$(stfm-status --why later |
	sed -n 's/^    \(scontrol update.*=now\)$/\1+1hour/p')"
is "in the data, too" "BeginTime" \
	"$(stfm-status --why -o json later | jq -r '.[0].reason')"
cp usual.conf "$tap_dir/slurm/slurm.conf"
scontrol reconfigure
expected_in() {
	stfm-status --refresh --why -o json later |
		jq -r '.[0] | if .tasks == 3 and .reason == "BeginTime"
			then .start - now | floor else "no" end'
}
in_an_hour() {
	seconds=$(expected_in)
	[ "$seconds" -gt 3000 ] && [ "$seconds" -le 3600 ]
}
ok "Slurm's expected start is told" poll 30 in_an_hour
like "in a sentence" "Slurm expects the first of them to start at 20" \
	"$(stfm-status --why later)"
# Here everybody may administer Slurm.
scontrol hold "$(squeue -h -n later -o %F | head -1)"
why_later() {
	stfm-status --refresh --why later | tr -s ' \n' ' '
}
is_held() {
	why_later | grep -q '(JobHeldAdmin)'
}
ok "a hold of one's own is Slurm's JobHeldAdmin where one may do all" \
	poll 30 is_held
like "which is not called another's" \
	"an administrator or coordinator of Slurm .* scontrol rel" \
	"$(why_later)"
stfm-stop -y -Q later

# Jobs without a time limit keep every CPU: Slurm takes them to last a year.
for node in n1 n2; do
	sbatch -Q --exclusive -w $node -o /dev/null --wrap 'sleep 3000' ||
		exit 99
done
# Until both run, Slurm may plan the next one on a node that becomes free.
both_run() {
	[ "$(squeue -h -n wrap -t RUNNING | wc -l)" = 2 ]
}
ok "every CPU is taken" poll 60 both_run
stfm-submit -Q -J behind --gres=none --args=none x=1 -- true
planned() {
	[ "$(squeue -h -n behind -o %S)" != N/A ]
}
ok "Slurm plans a start behind jobs without a time limit" poll 60 planned
why_behind=$(stfm-status --refresh --why behind | tr -s ' \n' ' ')
like "which is not told" \
	"cannot tell when, because jobs before it have no time limit" \
	"$why_behind"
is "with no date" "" "$(echo "$why_behind" | grep 'expects')"
is "nor is one in the data" null \
	"$(stfm-status --why -o json behind | jq '.[0].start')"
# What was released has a plan, but no reason until Slurm looks at it.
sed 's/^SchedulerParameters=.*/SchedulerParameters=defer,sched_interval=600,'\
'sched_min_interval=600000000,bf_interval=600/' usual.conf \
	>"$tap_dir/slurm/slurm.conf"
scontrol reconfigure
behind=$(squeue -h -n behind -o %F)
scontrol hold "$behind"
scontrol release "$behind"
why_early=$(stfm-status --refresh --why behind | tr -s ' \n' ' ')
is "a start that Slurm plans is no --begin" "" "$(echo "$why_early" |
	grep BeginTime)"
like "and not told while Slurm gives no reason" \
	"cannot tell when, because jobs before it have no time limit" \
	"$why_early"
is "nor in the data" null \
	"$(stfm-status --why -o json behind | jq '.[0].start')"
cp usual.conf "$tap_dir/slurm/slurm.conf"
scontrol reconfigure
stfm-stop -y -Q behind
scancel -n wrap

# ---- a task that takes its time ----

cat >slow.sh <<'END'
#!/bin/sh
echo epoch,val_loss >"$STFM_METRICS"
i=0
until [ -e "$STFM_DIRECTORY/end" ]; do
	sleep 1.1
	i=$((i + 1))
	echo "$i,0.1" >>"$STFM_METRICS"
done
END
chmod +x slow.sh
stfm-submit -Q -J slow --gres=none --args=none -t 10:00 x=1 epochs=9000 -- \
	./slow.sh
slow() {
	stfm-status --refresh -o json slow | jq -r ".[0] | $1"
}
is_late() {
	[ "$(slow '.mark == "LATE" and .epoch_time >= 0.3 and
		.epoch_time < 9 and .eta > 600 and .time_left <= 600')" = true ]
}
ok "the time limit will come first" poll 40 is_late
like "that is said, and how many runs it takes" \
	"^slow/0  LATE: it needs .* more and has .* left; it will end with" \
	"$(stfm-status slow)"
# ---- followed until it is over ----

stfm-status -f -i 1 slow >changes 2>&1 &
follower=$!
at_exit 'kill $follower 2>/dev/null'
stfm-status -f -i 1 -o jsonl slow >objects 2>&1 &
objects=$!
at_exit 'kill $objects 2>/dev/null'
ok "how it stands is said at first" poll 20 grep -q "^slow  *" changes
ok "as objects too" poll 20 grep -q '"id": "slow/0".*"RUNNING"' objects
touch end
is_done() {
	stfm-watch --once -Q slow
	grep -q "slow/0  FINISHED" changes
}
ok "a change is a line" poll 40 is_done
ok "when all is over it ends" wait "$follower"
wait "$objects"
is "and a change is an object" "FINISHED" \
	"$(tail -n 1 objects | jq -r .state)"
is "nothing is said twice" "1 1" \
	"$(grep -c 'slow/0  FINISHED' changes) $(grep -c FINISHED objects)"

done_testing
