#!/bin/sh
# stfm-restart where there is no Slurm: what is meant, and what is refused.
# slurm-restart.t has the rest.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/here/store"

refused "no store" "no store here" stfm-restart try
refused "no operand" "usage: stfm-restart" stfm-restart --finished
refused "a state that is none" "nonsense" stfm-restart -t nonsense try
refused "a condition that is none" "lr" stfm-restart -w lr try
refused "an option without its value" "--where: this option needs a value" \
	stfm-restart --where
refused "an option that nobody has" "--sleep: no such option" \
	stfm-restart --sleep try
refused "an option with its words exchanged" \
	"--code-new: no such option (write --new-code)" \
	stfm-restart --code-new try
refused "an array of one's own" "--array" stfm-restart --array=1-3 try
refused "sbatch's option without its value" "--mem" stfm-restart --mem

"$fixture" store <<-EOD
	job|try|lr=1,2,3,4,5|seed=1,2
	task|0|FINISHED|start=-90|end=-80|exit=0
	task|1|ERROR|cause=exit 3|start=-90|end=-80|exit=3
	task|2|STOPPED|start=-90|end=-80
	task|3|RUNNING|start=-90
	task|4|ERROR|cause=OUT_OF_MEMORY|start=-90|end=-80
	chunk|0-9|4102
	end
EOD
# All files but the fold and what belongs to the new chunk.
files() {
	find store -type f | grep -vE '/fold/|/c00001' | sort
}

would() {
	stfm-restart --dry-run "$@"
}
meant() {
	is "$1" "$2" "$(shift 2; would "$@" 2>&1)"
}

meant "a job is its tasks in ERROR and STOPPED" \
	"try: 3 tasks would be queued again: 1-2,4" try
meant "with --finished the FINISHED ones too" \
	"try: 4 tasks would be queued again: 0-2,4" --finished try
meant "a condition leaves some" \
	"try: 2 tasks would be queued again: 1-2" -w 'lr<3' try
meant "a state leaves some" \
	"try: 1 task would be queued again: 4" -t OOM try
meant "with -t a task may be FINISHED" \
	"try: 1 task would be queued again: 0" -t finished try
meant "a task that is named is meant" \
	"try: 1 task would be queued again: 4" try/4
meant "a task by its Slurm id" \
	"try: 1 task would be queued again: 1" 4102_1
"$fixture" store <<-EOD
	job|hunt|lr=1..4
	set|pruner=asha,first=1|epochs=9|metric=acc|goal=max
	task|0|FINISHED|start=-90|end=-80|exit=0
	task|1-2|STOPPED|cause=pruned at epoch 1: 0.2 is 3rd of 3|end=-8
	task|3|STOPPED|cause=search over: hunt/0 has reached 0.9|start=-9|end=-8
	chunk|0-3|4103
	stop|1-2|pruned at epoch 1: 0.2 is 3rd of 3
	stop|3|search over: hunt/0 has reached 0.9
	end
EOD
meant "what a search stopped is not meant by its job" \
	"hunt: nothing to restart: the search stopped 3 tasks; to train some \
to the end, name them, as in stfm-restart hunt/1" hunt
meant "but by its number, and then the search does not stop it" \
	"hunt: 1 task would be queued again: 1
hunt: the search does not stop task 1 again" hunt/1
meant "nor what it stopped because it was over" \
	"hunt: 3 tasks would be queued again: 0,2-3
hunt: the search does not stop tasks 2-3 again" --finished hunt/0 hunt/2-3
kept='end=-8|rungs=1=0.'
"$fixture" store <<-EOD
	job|judged|lr=1..7
	set|pruner=asha,eta=3,first=1|epochs=9|metric=acc|goal=max
	task|0|FINISHED|start=-90|end=-80|exit=0|rungs=1=0.9@0.0 3=0.9@0.0
	task|1|FINISHED|start=-90|end=-80|exit=0|rungs=1=0.8@0.0 3=0.8@0.0
	task|2|STOPPED|start=-90|${kept}2@0.0
	task|3|STOPPED|start=-90|${kept}95@0.0
	task|4|STOPPED|start=-90|end=-8
	task|5|ERROR|cause=exit 1|start=-90|${kept}1@0.0
	task|6|STOPPED|cause=pruned at epoch 1: 0.1 is 6th of 6|${kept}1@0.0
	chunk|0-6|4104
	stop|6|pruned at epoch 1: 0.1 is 6th of 6
	end
EOD
meant "a task that a person stopped may be stopped by its earlier value" \
	"judged: 1 task would be queued again: 2
judged: the search may stop task 2 as soon as it runs, because of its earlier \
value: at epoch 1: 0.2 is 4th of 6, the best 2 continue (0.9 or better); \
if it does, restart the task again to train it to its end" judged/2
meant "also one of several" "judged: 5 tasks would be queued again: 2-6
judged: the search does not stop task 6 again
judged: the search may stop tasks 2,5 as soon as they run, because of their \
earlier values; if it does, restart the tasks again to train them to their \
end" judged/2-6
meant "but not with a good value, or none" \
	"judged: 2 tasks would be queued again: 3-4" judged/3-4
meant "nothing may be meant" "try: nothing to restart" -t PREEMPTED try
is "words on standard input" "try: 2 tasks would be queued again: 1-2" \
	"$(printf 'try/1\ntry/2\n' | would - 2>&1)"
meant "sbatch's options may be anywhere, also by letter" \
	"try: 1 task would be queued again: 1" --mem 4G try/1 -c2 --time=5
meant "without a checkpoint a task begins from scratch" \
	"try: 2 tasks would be queued again: 1-2
try: 2 tasks from scratch, without a checkpoint: 1-2" --resume try/1-2
mkdir -p store/jobs/try/checkpoint/000001 store/jobs/try/checkpoint/000002
touch store/jobs/try/checkpoint/000002/last
before=$(files)
meant "an empty one is none" \
	"try: 2 tasks would be queued again: 1-2
try: 1 task from scratch, without a checkpoint: 1" --resume try/1-2

refused "a task that runs" "try/3: is RUNNING: stop it first" \
	stfm-restart try/3
refused "a task that waits" "try/5: still waits" stfm-restart try/5
refused "a task that is FINISHED" "try/0: is FINISHED: " stfm-restart try/0
refused "one of several" "try/3: is RUNNING" stfm-restart try/1-4
refused "one that runs, by its state" "try/3: is RUNNING" \
	stfm-restart -t RUNNING try
refused "a task that is not there" "no such task" stfm-restart try/10
refused "an index that is not in Slurm's array" \
	"4102_99: no such task (it has 0-" stfm-restart 4102_99
refused "without Slurm nothing is queued" "no Slurm here" stfm-restart try
is "the attempt is withdrawn" \
	"c00001.0.claim c00001.0.intent c00001.0.no.1 c00001.0.try.1" \
	"$(cd store/jobs/try/sub && echo c00001*)"
is "and the tasks are what they were" "1 ERROR 0
2 STOPPED 0
4 ERROR 0" "$(stfm-status -o jsonl -t ERROR,STOPPED try |
	jq -r '"\(.task) \(.state) \(.attempt)"')"
is "nothing else has changed" "$before" "$(files)"

# What was asked to stop a moment ago still runs.
stfm-stop -Q -y try/3 2>/dev/null
files >asked
status "a task that is being stopped is for later" 75 stfm-restart try/3
like "which is said" "try/3: being stopped: try again when stfm-status says" \
	"$(stfm-restart try/3 2>&1)"
status "also beside others" 75 stfm-restart try/1-3
is "and nothing is queued" "$(cat asked)" "$(files)"
is "of a whole job it is left out, and said" \
	"stfm-restart: try/3: being stopped: try again when
try: 2 tasks would be queued again: 2,4" \
	"$(would -w 'lr>1' try 2>&1 | sed 's/ stfm-status says.*//' | sort)"
status "so that more is to be done" 75 would try
meant "what a condition leaves out is not meant" \
	"try: 1 task would be queued again: 1" -w 'lr<2' -w 'seed>1' try
status "nor waited for" 0 would -w 'lr<2' try
status "on neither side of it" 0 would -w 'lr>2' try

# An array that was LOST is told not to train when it comes back; that is no
# wish of the user.
"$fixture" store <<-EOD
	job|lost|lr=1
	task|0|ERROR|cause=LOST|start=-90|end=-80
	fact|0|S|slurm=4103_0|time=-90
	fact|0|XLOST|start=-90|time=-80
	chunk|0|4103
	end
EOD
refused "nor is a task queued that was LOST" "no Slurm here" stfm-restart lost
ok "its array may not train" \
	grep -q '"why":"restarted"' store/jobs/lost/ctl/stop.*
rm -r store/jobs/lost/fold
is "it is what it was, also in a new table" "ERROR LOST 0" \
	"$(stfm-status -o jsonl lost 2>/dev/null |
		jq -r '"\(.state) \(.cause) \(.attempt)"')"
printf '%s\n' 'of|lost' 'fact|0|S|attempt=2|slurm=4104_0|time=-10' |
	"$fixture" store
stfm-watch -1 -Q 2>/dev/null
like "and so it is when there is a later attempt" \
	'^Attempt 0 +ERROR  LOST' "$(stfm-status lost/0 2>/dev/null)"

# What the tasks start has to be there before anything is queued.
"$fixture" store <<-EOD
	job|bare|lr=1
	set|batch=exec "$STFM_DIR/libexec/stfm-run-00000000-1" "\$@"
	task|0|ERROR|cause=exit 1|start=-90|end=-80|exit=1
	chunk|0|4105
	end
EOD
refused "a program that is gone, and is not ours" \
	"stfm-run-00000000-1, which is not there" stfm-restart bare

# What would be run has to be what was submitted, and nobody else's.
never() {
	refused "$1" "$2" stfm-restart bare
	refused "$1: also when it is told to queue the rest" "$2" \
		stfm-submit --queue-rest bare
	like "$1: stfm-check names it" "$3" "$(stfm-check -Q bare 2>&1)"
}
chmod g+w store/jobs/bare/batch.sh
never "a batch script that a group can write to" \
	"chmod go-w $STFM_DIR/jobs/bare/batch.sh" \
	"^$STFM_DIR/jobs/bare/batch.sh: other users can write to it"
chmod g-w store/jobs/bare/batch.sh
chmod o+w store/jobs/bare
never "a job that others can write to" "chmod go-w $STFM_DIR/jobs/bare" \
	"^$STFM_DIR/jobs/bare: other users can write to it"
chmod o-w store/jobs/bare
echo '# more' >>store/jobs/bare/batch.sh
never "a batch script that was changed" "bare/batch.sh: damaged: not what was" \
	"^$STFM_DIR/jobs/bare/batch.sh: damaged"
is "nothing was recorded" "" "$(find store/jobs/bare/sub -name "c00001*")"

# What is damaged may say more of them than a dry run can show.
"$fixture" store <<-EOD
	job|torn|x=1,2
	task|0|ERROR|cause=exit 1|start=-90|end=-80|exit=1|array=4107|index=0
	chunk|0-1|4107
	end
EOD
stop=store/jobs/torn/ctl/stop.0123456789abcdef
echo '{' >"$stop"
for command in stfm-restart stfm-stop stfm-hold stfm-release; do
	$command --dry-run torn >out 2>err
	like "$command names it" "^$command: torn: .*/$stop: damaged" \
		"$(cat err)"
done

done_testing
