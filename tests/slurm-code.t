#!/bin/sh
# Newer copies of a job's code: stfm-restart --new-code and --old-code.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -c 4
export STFM_DIR="$tap_dir/store"

states() {
	stfm-status -o jsonl "$1" |
		jq -r '"\(.task) \(.state) \(.attempt)"' | xargs
}
submit() {
	stfm-submit -Q --gres=none "$@"
}
follow() {
	stfm-watch -Q -i 1 "$1"
}

# A training whose helper is wrong for lr above 0.5.
cat >train.sh <<'END'
#!/bin/sh
. ./part.sh
printf 'epoch,val_loss\n0,0.%s\n' "$STFM_TASK" >rel.$STFM_TASK.csv
echo "code $STFM_CODE in $PWD: $word"
[ "$word" = good ] || [ "$1" = --lr=0.1 ] || exit 3
END
chmod +x train.sh
echo 'word=bad' >part.sh

submit -J job --metrics 'rel.{task}.csv' lr=0.1,1,2 -- ./train.sh
follow job
is "two tasks fail in their code" "0 FINISHED 0 1 ERROR 0 2 ERROR 0" \
	"$(states job)"

## Which code?

status "unchanged code is not asked about" 0 \
	stfm-restart -Q --old-code --dry-run job/1
echo 'word=good' >part.sh
refuses() {
	what=$1 why=$2
	shift 2
	status "$what: the status" 2 "$@"
	like "$what: why" "$why" "$("$@" 2>&1)"
}
refuses "a failed task with other code" \
	'part.sh changed since .* 2 of the tasks failed .*--new-code.*--old' \
	stfm-restart job
refuses "both at once" 'give one of them' \
	stfm-restart --new-code --old-code job
is "nothing was queued" "0 FINISHED 0 1 ERROR 0 2 ERROR 0" "$(states job)"
ok "and nothing copied" test ! -e "$STFM_DIR/jobs/job/change"
is "a dry run shows what differs" \
	"job: would copy the code again: part.sh
job: 2 tasks would be queued again: 1-2" \
	"$(stfm-restart --dry-run --new-code job)"
ok "and copies nothing" test ! -e "$STFM_DIR/jobs/job/change"

# Answer stfm-restart on a terminal, and print what it says behind its question.
answer() {
	echo "$1" | script -qec "stty -echo -opost; stfm-restart $2; echo \$?" \
		/dev/null | tr -d '\r' |
		sed 's/.*or \[s\]top? //;/changed since/d;/^[a-z]\{1,2\}$/d'
}
is "the question has an answer that stops" \
	"stfm-restart: nothing is queued 1" "$(answer s job/2 | xargs)"
is "so does no answer" \
	"stfm-restart: nothing is queued 1" "$(answer '' job/2 | xargs)"
is "so does no" \
	"stfm-restart: nothing is queued 1" "$(answer no job/2 | xargs)"
is "nothing was queued then" "0 FINISHED 0 1 ERROR 0 2 ERROR 0" "$(states job)"
is "a dry run with -y takes the new code" \
	"job: would copy the code again: part.sh
job: 1 task would be queued again: 2" "$(stfm-restart -y --dry-run job/2)"
is "the old code fails again" "job: 1 task queued again: 2
0" "$(answer o job/2)"
follow job
is "in the same copy" "code 0" \
	"$(stfm-log --raw -n 1 job/2 | cut -d ' ' -f 1-2)"

is "the new code is copied" "job: copied the code again: part.sh
job: 2 tasks queued again: 1-2
0" "$(answer c job)"
status "with it the tasks finish" 0 follow job
is "they are new attempts" "0 FINISHED 0 1 FINISHED 1 2 FINISHED 2" \
	"$(states job)"
is "in the newer copy" "code 1 in $STFM_DIR/jobs/job/change/1/code: good" \
	"$(stfm-log --raw -n 1 job/1)"

## What is shown

is "the page of a task names the code" \
	"copy 1" "$(stfm-status job/1 | sed -n 's/^Code  *\(copy 1\),.*/\1/p')"
like "the page has the command, to copy into a shell" \
	'^Command +.* && cd .*/code && env .*STFM_TASK=1 .*train.sh --lr=1$' \
	"$(stfm-status job/1)"
like "and what earlier attempts ran" "copy 0" \
	"$(stfm-status job/2 | sed -n '/^Attempt/,$p')"
is "logs of each copy are found" "0 0.1 0.2" \
	"$(stfm-status -o jsonl job | jq -r .best | xargs)"
like "the record lists the copies" '^Copied again +copy 1, made .*: part.sh' \
	"$(stfm-status --record job)"
is "so does JSON" "1 change/1/code" \
	"$(stfm-status --record -o jsonl job |
		jq -r '"\(.code.number) \(.place | sub(".*jobs/job/"; ""))"')"

## Later attempts and submissions

is "once more, without a change" \
	"job: the code has not changed: the tasks train with the copy
job: 1 task queued again: 1" \
	"$(stfm-restart --finished --new-code job/1)"
is "makes no copy" 1 "$(ls "$STFM_DIR/jobs/job/change" | wc -l)"
follow job
status "the submission again is the job's" 0 \
	submit -J job --metrics 'rel.{task}.csv' lr=0.1,1,2 -- ./train.sh
echo 'word=other' >part.sh
refuses "other code than the newest copy" \
	'part.sh has changed .*--new-code .*--old-code' \
	submit -J job --metrics 'rel.{task}.csv' lr=0.1,1,2 -- ./train.sh
echo 'word=good' >part.sh
echo "a note" >notes.txt
out=$(stfm-submit --gres=none -J job --metrics 'rel.{task}.csv' \
	lr=0.1,1,2 -- ./train.sh 2>&1)
is "a new file beside the script does not matter" 0 $?
like "but is named if it would be copied" \
	'the new file notes.txt|all tasks|nothing' "$out"

status "the store is whole" 0 stfm-check --store

## Results among the code

submit -J made --metrics 'rel.{task}.csv' lr=1 -- ./train.sh
follow made
is "results in the first copy are not removed with the job" \
	"made: not removed: its training has made rel.0.csv in jobs/made/code" \
	"$(stfm-stop -y --remove made 2>&1 |
		sed "s|$STFM_DIR/||; s/: move that away.*//; s/^stfm-stop: //")"
rm "$STFM_DIR"/jobs/made/code/rel.0.csv
echo 'word=better' >part.sh
stfm-restart -Q --finished --new-code made
follow made
is "nor those in a newer copy, which is named" \
	"made: not removed: its training has made rel.0.csv in \
jobs/made/change/1/code" \
	"$(stfm-stop -y --remove made 2>&1 |
		sed "s|$STFM_DIR/||; s/: move that away.*//; s/^stfm-stop: //")"
status "unless they may be" 0 stfm-stop -Q -y --remove --with-results made
echo 'word=good' >part.sh

## Tasks that ran different copies

submit -J mix --metrics 'rel.{task}.csv' lr=0.1,1,2 seed=1 -- ./train.sh
follow mix
is "one copy is not told" "" "$(stfm-status --by seed mix | grep copies)"
echo 'word=again' >part.sh
stfm-restart -Q --finished --new-code mix/1-2
follow mix
is "each task has the number of its copy" "0 1 1" \
	"$(stfm-status -o jsonl mix | jq .code | xargs)"
is "tasks are chosen by it" "mix/1 mix/2" \
	"$(stfm-status -w code=1 -o jsonl mix | jq -r .id | xargs)"
told="tasks ran 2 copies of the code: 0 (1 task), 1 (2 tasks)"
is "--by tells that they differ" "$told" \
	"$(COLUMNS=200 stfm-status --by seed mix | grep copies)"
is "not for tasks of one copy" "" \
	"$(stfm-status --by seed mix/1-2 | grep copies)"
is "--compare tells it, too" "mix: $told" \
	"$(COLUMNS=200 stfm-status --compare job mix | grep '^mix: ')"
is "and which copies" "job 0 mix 0 (1 task), 1 (2 tasks)" \
	"$(stfm-status --compare -o jsonl job/0 mix |
		jq -r 'select(.name == "copies") | "\(.job) \(.value)"' |
		xargs -d '\n')"
is "the report says it" "$told" \
	"$(stfm-report mix | sed -n "s,<dd>\(tasks ran.*\)</dd>,\1,p")"
stfm-stop -Q -y --remove --with-results mix
echo 'word=good' >part.sh

## A job without a copy, and damage

submit --no-snapshot -J bare lr=1 -- false
follow bare
refuses "a job without a copy" 'no copy of its code' \
	stfm-restart --new-code bare
printf x >>"$STFM_DIR/jobs/job/change/1/code.tsv"
refuses "a damaged copy" 'change/1/code.tsv: damaged' \
	stfm-restart --finished job/0
like "stfm-check finds it" 'change/1/code.tsv: .*damaged' \
	"$(stfm-check --store)"
sed -i 's/"created":/"created" :/' "$STFM_DIR/jobs/job/change/1/change.json"
like "a damaged record, too" 'change/1/change.json: damaged' \
	"$(stfm-status job 2>&1)"

like "it is repaired from the copy" 'change.json: made again from its copy' \
	"$(stfm-check --repair job 2>&1)"
is "and the job can be read" 3 "$(stfm-status -o jsonl job | wc -l)"

## The command, copied into a shell

# Pasted, the command trains, and changes nothing of the task that has ended.
store_sum() {
	(cd "$STFM_DIR" && find . -type f -exec cksum {} + | sort)
}
cat >pasted.sh <<'END'
#!/bin/sh
echo "$PWD" >>here
printf 'epoch,loss\n0,%s\n' "$1" >"$STFM_METRICS"
mkdir -p "$STFM_CHECKPOINT_DIR" && echo new >"$STFM_CHECKPOINT_DIR/model"
echo "trained $STFM_TASK in ${PWD##*/} with $*"
END
chmod +x pasted.sh
mkdir "$tap_dir/tmp"
submit -J pasted "lr='a b',2" -- ./pasted.sh
follow pasted
before=$(store_sum)
is "the pasted command trains" "trained 0 in code with --lr='a b'" \
	"$(TMPDIR=$tap_dir/tmp sh -c "$(stfm-status pasted/0 |
		sed -n 's/^Command *//p')")"
is "it changes nothing in the store" "$before" "$(store_sum)"
is "its metrics are in a directory for nothing else" 1 \
	"$(ls "$tap_dir/tmp"/*/metrics.csv | wc -l)"
is "so does that of a dry run, before anything is stored" \
	"trained 0 in ${PWD##*/} with --lr=3" \
	"$(TMPDIR=$tap_dir/tmp sh -c "$(submit --dry-run -J pasted2 lr=3 \
		-- ./pasted.sh | sed -n '/^# command/{n;p;}')")"
is "nothing is stored" "$before" "$(store_sum)"

done_testing
