#!/bin/sh
# stfm-set: the metrics settings of a job that is running, finished or packed.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -c 4
export STFM_DIR="$tap_dir/store"

best() {
	stfm-status "$@" -o jsonl | jq -r '"\(.task) \(.metric) \(.best)"' |
		xargs
}

# Loss and accuracy do not agree on the best task.
cat >train.sh <<'END'
#!/bin/sh
exec >>"$STFM_METRICS"
echo epoch,val_loss,val_accuracy
echo "0,0.$STFM_TASK,0.9$STFM_TASK"
echo "1,0.$STFM_TASK,0.8$STFM_TASK"
echo "seen: score=5$STFM_TASK" >&2
END
chmod +x train.sh
stfm-submit -Q --gres=none -J job lr=1..3 -- ./train.sh
stfm-watch -Q -i 1 job

is "the log chooses the metric" \
	"0 val_loss 0 1 val_loss 0.1 2 val_loss 0.2" "$(best job)"
is "which stfm-set shows" "job: the metric is chosen by its log" \
	"$(stfm-set job)"

## Another metric, once

is "status compares by another metric" \
	"0 val_accuracy 0.9 1 val_accuracy 0.91 2 val_accuracy 0.92" \
	"$(best -m val_accuracy job)"
is "the best by it comes first" 2 \
	"$(stfm-status -m val_accuracy -s best -n 1 -o jsonl job | jq .task)"
like "people see it, too" 'val_accuracy, higher is better .*best 0.9200' \
	"$(COLUMNS=200 stfm-status -m val_accuracy job)"
is "the page of a task, too" 0.91 "$(stfm-status -m val_accuracy job/1 |
	sed -n 's/^Best *\([0-9.]*\)00 at.*/\1/p')"

## Several metrics, and chosen columns

cols() {
	COLUMNS=100 stfm-status --no-refresh "$@" 2>&1 | sed 's/ *$//'
}
is "a second metric is a column, at the epoch of the best" \
	"id	lr	best	val_accuracy
job/2	3	0.2	0.92
job/1	2	0.1	0.91
job/0	1	0	0.9" \
	"$(cols -m val_loss,val_accuracy -s -best -c id,lr,best,val_accuracy \
		-o tsv job)"
is "tasks are sorted by it, the best first" "2 1 0" \
	"$(cols -m val_loss,val_accuracy -s val_accuracy -c task -o tsv job |
		sed 1d | xargs)"
is "and selected" "job/1 job/2" \
	"$(cols -m val_loss,val_accuracy -w 'val_accuracy>0.9' -c id -o tsv \
		job | sed 1d | xargs)"
is "people see it, too" "TASK   val_accuracy     BEST  lr
job/0        0.9000  0.0000*   1
job/1        0.9100  0.1000    2
job/2        0.9200  0.2000    3" \
	"$(cols -m val_loss,val_accuracy -c id,val_accuracy,best,lr job)"
like "in the usual table" ' LAST +val_accuracy ' \
	"$(cols -m val_loss,val_accuracy job)"
is "its mean and deviation" "mean,sd,val_accuracy_mean,val_accuracy_sd
0.1,0.1,0.91,0.01" "$(cols -m val_loss,val_accuracy --by lr -o csv \
	-c mean,sd,val_accuracy_mean,val_accuracy_sd job |
	sed 's/0.0999999*[0-9]*\|0.10000*[1-9]/0.1/g
		s/0.01000*[1-9]\|0.00999*[0-9]*/0.01/
		s/0.9100*[1-9]\|0.90999*[0-9]*/0.91/')"
like "in one cell for a paper" '0.9100 ± 0.0100' \
	"$(cols -m val_loss,val_accuracy --by lr -o markdown job)"
is "the page of a task is left out" "TASK   EPOCH
job/0      2" "$(cols -c id,epoch job/0)"
is "columns of jobs" "job,tasks,best
job,3,0" "$(cols -c job,tasks,best -o csv)"
is "columns of the cost" "TASKS  JOB
    3  job" "$(cols --cost -c tasks,job job)"
refused "a column that is not there" \
	'--columns: lrr: no such column (did you mean lr?)' \
	stfm-status -c id,lrr job
refused "a picture for programs" '--columns: curve: no such column' \
	stfm-status -o csv -c id,curve job
refused "a column twice" '-c: id is named twice' \
	stfm-status -c id,id job
refused "no name" '-c: a name is missing' stfm-status -c id, job
refused "columns of changes in a pipe" '--columns: with --follow only on a' \
	stfm-status -f -c id,state job
is "but of jsonl" '{"id": "job/0", "state": "FINISHED"}' \
	"$(stfm-status -f -o jsonl -c id,state job | head -n 1)"
refused "a metric twice" '-m: val_accuracy is named twice' \
	stfm-status -m val_loss,val_accuracy,val_accuracy job
refused "columns of what has none" \
	'--columns: --why prints sentences: add -o tsv' \
	stfm-status --why -c id job
is "columns for programs" ids "$(stfm-status --why -c ids -o tsv job)"
is "of failures" "ids tasks" \
	"$(stfm-status -e -c ids,tasks -o tsv job | xargs)"
refused "a second metric that is not there" \
	'--metric: val_accurac: no log of job has this metric: did you mean' \
	stfm-status -m val_loss,val_accurac job

refused "status knows what there is" \
	'did you mean val_loss?  Its metrics are: ' \
	stfm-status -m val_los job
is "nothing has changed" \
	"0 val_loss 0 1 val_loss 0.1 2 val_loss 0.2" "$(best --no-refresh job)"

## Another metric

refused "a metric that is not there" \
	'no log of job has this metric: did you mean val_accuracy?' \
	stfm-set -m val_acuracy job
ok "nothing has changed" test ! -e "$STFM_DIR/jobs/job/change"
is "a dry run shows the best by it" "job: --metric val_accuracy
job: best val_accuracy 0.9200 in job/2" \
	"$(stfm-set --dry-run -m val_accuracy job)"
ok "and changes nothing" test ! -e "$STFM_DIR/jobs/job/change"
is "it is set" "job: --metric val_accuracy
job: best val_accuracy 0.9200 in job/2" "$(stfm-set -m val_accuracy job)"
is "all tasks have it, without Slurm" \
	"0 val_accuracy 0.9 1 val_accuracy 0.91 2 val_accuracy 0.92" \
	"$(best --no-refresh job)"
is "the first is the best by it" 2 \
	"$(stfm-status --no-refresh -s best -n 1 -o jsonl job | jq .task)"
is "stfm-set shows it" "job: --metric val_accuracy" "$(stfm-set job)"
like "and so does the record" '^  --metric +val_accuracy' \
	"$(stfm-status --record job)"
stfm-set -Q --goal min job
is "the smallest can be the best" 0 \
	"$(stfm-status --no-refresh -s best -n 1 -o jsonl job | jq .task)"
is "setting it once more is no change" 2 \
	"$(stfm-set -Q --goal min job; ls "$STFM_DIR/jobs/job/change" | wc -l)"
stfm-set -Q -m '' job
is "an empty value restores the default" \
	"0 val_loss 0 1 val_loss 0.1 2 val_loss 0.2" "$(best job)"

## Printed metrics, epochs

stfm-set -Q --metrics-regex 'score=(?<score>[0-9]+)' -m score job
is "metrics are found in what was printed" "50 51 52" \
	"$(stfm-status -o jsonl job | jq -r .best | xargs)"
like "one file for all tasks is warned of" \
	"^stfm-set: job: --metrics log.csv: all tasks write this one file; " \
	"$(stfm-set --dry-run -m '' --metrics-regex '' --metrics log.csv job \
		2>&1)"
refused "an impossible pattern" '--metrics-regex: ' \
	stfm-set --metrics-regex '(' job
stfm-set -Q --metrics-regex '' -m '' --epochs 4 job
like "epochs count" '^Epoch +2/4 ' "$(stfm-status job/0)"
refused "epochs that are nothing" \
	'--epochs zz: neither a number nor a hyperparameter of job' \
	stfm-set --epochs zz job
refused "an impossible goal" '--goal: up: choose min or max' \
	stfm-set --goal up job
refused "a task alone" 'job: name the whole job, without tasks' \
	stfm-set -m x job/1

## Description and tags

stfm-submit -Q --gres=none -J tagged --tag paper,2026 \
	--description 'First try' lr=1,2 -- true
is "a submission has tags" "tagged: the metric is chosen by its log
tagged: --description First try
tagged: --tag paper,2026" "$(stfm-set tagged)"
is "a tag names jobs in all commands" "tagged/0 tagged/1" \
	"$(stfm-status -o jsonl tag:paper | jq -r .id | xargs)"
is "tags are added and removed" "tagged: --description First try
tagged: --tag paper,old" "$(stfm-set --tag old,paper --untag 2026 tagged)"
is "and the description is changed" "job: --description Slow
job: --tag paper" "$(stfm-set --description Slow --tag paper job)"
is "the metrics settings stay" "job: --epochs 4" \
	"$(stfm-set job | grep epochs)"
is "a tag may name several jobs, the oldest first" "job tagged" \
	"$(stfm-set tag:paper | cut -d : -f 1 | uniq | xargs)"
is "the list has both" "job Slow paper
tagged First try paper,old" "$(stfm-status --no-refresh -o jsonl |
	jq -r '"\(.job) \(.description) \(.tags)"')"
like "people see them, too" "^tagged +First try +paper,old +" \
	"$(COLUMNS=200 stfm-status --no-refresh)"
like "above the tasks" "^job   Slow   tag:paper +submitted " \
	"$(COLUMNS=200 stfm-status --no-refresh job)"
like "on the page of a task" "^job/0   Slow   tag:paper" \
	"$(COLUMNS=200 stfm-status --no-refresh job/0)"
like "the record tells when" "^Labels set +20" "$(stfm-status --record job)"
for text in SLOW pap JOB train.SH; do
	is "--find $text" job "$(stfm-status --no-refresh --find "$text" \
		-o jsonl | jq -r .job | grep -v tagged)"
done
is "--find takes jobs that are named, too" "job/0 job/1 job/2" \
	"$(stfm-status --find slow -o jsonl tag:paper | jq -r .id | xargs)"
stfm-submit -Q --gres=none -J third x=1,2 -- true
refused "a task is named, whatever other words say" \
	'third: name the whole job, without tasks' \
	stfm-set --tag more tag:paper third/0
status "nothing found" 1 stfm-status --find nowhere
refused "a tag that no job has" "tag:papr: no job has this tag (did you mean \
paper?)" stfm-status tag:papr
refused "an impossible tag" "--tag: 'a b': a tag has 1 to 64" \
	stfm-set --tag 'a b' job
refused "an empty one" "--untag: '': a tag has 1 to 64" \
	stfm-set --untag '' job
refused "an impossible tag of a submission" "--tag: 'x/y': a tag has" \
	stfm-submit --tag x/y -- true
count=$(find "$STFM_DIR/jobs/job/change" -name change.json | wc -l)
stfm-set -Q --dry-run --tag new job
stfm-set -Q --tag paper --description Slow job
is "what changes nothing is not recorded" "$count" \
	"$(find "$STFM_DIR/jobs/job/change" -name change.json | wc -l)"
stfm-set -Q --description '' --untag paper job
is "both can be removed" "job: the metric is chosen by its log
job: --epochs 4" "$(stfm-set job)"
complete=$bin/../libexec/stfm-complete
is "tags are completed" "paper,old" \
	"$("$complete" tags paper,o -- stfm-set | cut -f 1)"
is "in place of jobs, too" "tag:paper" \
	"$("$complete" tasks tag:p -- stfm-status | cut -f 1)"

## Packed facts, a running job, and another table than the newest

stfm-watch -1Q job
is "a packed job" "job: --metric val_accuracy
job: --epochs 4
job: best val_accuracy 0.9200 in job/2" "$(stfm-set -m val_accuracy job)"
is "has the values of the metric" \
	"0 val_accuracy 0.9 1 val_accuracy 0.91 2 val_accuracy 0.92" \
	"$(best job)"
rm "$STFM_DIR"/jobs/job/fold/*
is "also from a new table" \
	"0 val_accuracy 0.9 1 val_accuracy 0.91 2 val_accuracy 0.92" \
	"$(best job)"

cat >slow.sh <<'END'
#!/bin/sh
./train.sh
until [ -e "$STFM_DIRECTORY/go" ]; do sleep 0.1; done
echo "2,0.05,0.99" >>"$STFM_METRICS"
END
chmod +x slow.sh
stfm-submit -Q --gres=none -J slow lr=1 -- ./slow.sh
has_epoch() {
	[ "$(stfm-status --refresh -o jsonl slow | jq .best)" = 0 ]
}
poll 10 has_epoch
stfm-set -Q -m val_accuracy slow
is "a running task is read by it" "0 val_accuracy 0.9" "$(best slow)"
touch go
stfm-watch -Q -i 1 slow
is "and to its end" "0 val_accuracy 0.99" "$(best slow)"
## Points for another job

is "points are printed" "lr 1 2 3" \
	"$(stfm-status -o points job | xargs)"
is "of chosen tasks" "lr 3" \
	"$(stfm-status -o points -m val_accuracy -b 1 job | xargs)"
is "stfm-submit takes them" 2 "$(stfm-status -o points -w 'lr>1' job |
	stfm-submit -Q --hold --gres=none -J more --from - -- ./train.sh &&
	stfm-status -o jsonl more | wc -l)"
stfm-status -o tsv job >table.tsv
refused "but no table of stfm-status" 'stfm-status -o points' \
	stfm-submit -J none --gres=none --from table.tsv -- ./train.sh

status "the store is whole" 0 stfm-check --store

done_testing
