#!/bin/sh
# Empty logs of finished tasks on a real Slurm: they are removed with the files
# of the facts, and nothing else is.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 0
export STFM_DIR="$tap_dir/store" MODE="$tap_dir/mode"

# A training that is told by files what to do: to print, or to fail.
mkdir "$MODE"
cat >train.sh <<'END'
[ ! -e "$MODE/print.$STFM_TASK" ] || echo "I am $STFM_TASK"
[ ! -e "$MODE/fail.$STFM_TASK" ]
END

submit() {
	stfm-submit -Q --gres=none --args=none -J "$@" -- sh "$PWD/train.sh"
	timeout 100 stfm-watch -Q -i 1 "$1"
}

# Let two minutes pass for the facts and logs of a job.
age() {
	find "$STFM_DIR/jobs/$1/run" "$STFM_DIR/jobs/$1/log" -type f \
		-exec touch -d '3 minutes ago' {} +
}
logs() {
	(cd "$STFM_DIR/jobs/$1/log" && find . -type f | sed 's/.*[0-9]*_//') |
		sort | xargs
}

# ---- which logs go ----

touch "$MODE/print.1" "$MODE/fail.2"
submit try x=1..5
is "each task has a log" "0.log 1.log 2.log 3.log 4.log" "$(logs try)"
stfm-watch -1 -Q
is "which stays at first" "0.log 1.log 2.log 3.log 4.log" "$(logs try)"
age try
touch "$STFM_DIR"/jobs/try/log/*_4.log
stfm-watch -1 -Q
is "empty logs of finished tasks are removed, unless they are new" \
	"1.log 2.log 4.log" "$(logs try)"
is "stfm-log knows that" \
	"stfm-log: try/0,3: nothing in its log, which is removed" \
	"$(stfm-log try/0 try/3 2>&1)"
status "which is no failure" 0 stfm-log try/0
status "nor when it is followed" 0 stfm-log -fQ try/0
is "the others are as they were" "1| I am 1" "$(stfm-log -Q try 2>&1)"
like "the page says it" "Log *empty, and removed" \
	"$(stfm-status --no-refresh try/0)"
like "but not of the others" "Log .*_1.log" \
	"$(stfm-status --no-refresh try/1)"
is "the job is sound" "" "$(stfm-check try)"
rm "$STFM_DIR"/jobs/try/log/*_1.log
like "a log that the user removes is missing" "_1.log is not there" \
	"$(stfm-log try/1 2>&1)"

# ---- a restart ----

rm "$MODE/fail.2"
touch "$MODE/print.0"
ok "tasks are restarted" stfm-restart -Q --finished try/0 try/2
timeout 100 stfm-watch -Q -i 1 try
is "the new log is shown" "I am 0" "$(stfm-log try/0)"
is "and the one before" \
	"stfm-log: try/0: nothing in its log, which is removed" \
	"$(stfm-log --attempt 0 try/0 2>&1)"
age try
stfm-watch -1 -Q
is "logs of failed attempts stay" "0.log 2.log" "$(logs try | xargs -n 1 |
	grep '^[02]' | xargs)"
rm "$STFM_DIR"/jobs/try/fold/*
stfm-watch -1 -Q
is "the table is not needed" 0 "$(stfm-log -Q try/2 >&2; echo $?)"

# ---- tasks that share an allocation ----

rm "$MODE"/*
touch "$MODE/fail.1" "$MODE/print.3"
submit pack --pack 2 x=1..6
all=$(logs pack)
like "tasks have a log each, next to that of Slurm" \
	"0.log 0.task0.log 0.task1.log 1.log 1.task2.log" "$all"
age pack
stfm-watch -1 -Q
is "only if all of them are finished, theirs are removed" \
	"0.log 0.task0.log 0.task1.log 1.task3.log" "$(logs pack)"
is "of each it is known" \
	"0-1: nothing in its log 2,4-5: nothing in its log, which is removed" \
	"$(stfm-log pack 2>&1 >/dev/null | sed 's/.*pack.//' | sort | xargs)"

# ---- how many files are left ----

rm "$MODE"/*
submit many x=1..40
age many
stfm-watch -1 -Q
count=$(find "$STFM_DIR/jobs/many" | wc -l)
ok "a job of 40 silent tasks has at most 25 inodes: $count" [ "$count" -le 25 ]

# ---- crashes ----

if strace -o /dev/null true 2>/dev/null; then
	submit crash x=1..3
	age crash
	bad='' n=0 code=137
	while [ "$code" -eq 137 ] && [ "$n" -lt 100 ]; do
		n=$((n + 1))
		strace -o /dev/null -e trace=unlinkat \
			-e inject=unlinkat:signal=KILL:when=$n \
			stfm-watch -1 -Q crash >/dev/null 2>&1
		code=$?
		stfm-log crash 2>log.txt || bad="$bad $n:$?"
		grep -v 'nothing in its log' log.txt && bad="$bad $n"
	done
	is "after a crash at any removal the logs are known to be empty" "" \
		"$bad"
	ok "there were some crashes: $n" [ "$n" -gt 3 ]
	is "in the end no log is left" "" "$(logs crash)"
	is "and the job is sound" "" "$(stfm-check crash)"
fi

done_testing
