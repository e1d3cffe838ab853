#!/bin/sh
# Results of S-TFManager's become jobs: what is known of them, and no more.
. "$(dirname "$0")/tap.sh"

export STFM_DIR="$PWD/store" TZ=UTC

# result TASK MARKS EPOCHS
result() {
	mkdir -p "results/12/$1"
	i=0
	echo epoch,loss,val_loss >"results/12/$1/$1.csv"
	while [ "$i" -lt "$3" ]; do
		echo "$i,3,0.$1" >>"results/12/$1/$1.csv"
		i=$((i + 1))
	done
	touch -d 2026-01-01T10:05 "results/12/$1/$1.csv"
	for mark in $2; do
		touch -d "2026-01-01T10:0${mark#*=}" "results/12/$1/${mark%=*}"
	done
}
result 9 "START=0 END=5" 4
result 10 "START=1" 10
result 2 "START=2" 3
result 30 "" 3
result 31 "START=3 END=4" 0
mkdir results/12/32 results/12/plots results/13
touch results/12/32/START results/12/33.csv
cat >hp.csv <<'END'
task,batch_size,learning_rate,epochs
2,16,1e-3,10
9,32,1e-3,10
10,64,1e-3,10
30,16,1e-2,10
31,32,1e-2,10
32,64,1e-2,10
33,64,1e-1,10
END

state() {
	stfm-status --no-refresh -o jsonl "$1" | jq -r "$2"
}
refused "a directory is needed" "usage: stfm-import" stfm-import
refused "one that is there" "none: cannot open" stfm-import none
refused "one of a job" "import results/12" stfm-import results
mkdir empty
refused "with tasks in it" "empty: no task is in it" stfm-import empty
refused "min or max" "--goal: mean: choose" stfm-import --goal mean results/12
refused "a number of epochs" "--epochs: 'x'" stfm-import --epochs x results/12
refused "one name for one job" "-J: one name" \
	stfm-import -J a results/12 results/13
refused "no such file" "nosuch.csv: cannot open" \
	stfm-import --points nosuch.csv results/12
head -n 3 hp.csv >few.csv
refused "no points for some" "few.csv: no point is for task 10" \
	stfm-import --points few.csv results/12
cut -d , -f 2- few.csv >nameless.csv
refused "points of nobody knows which" "2 points for 6 tasks" \
	stfm-import --points nameless.csv results/12
is "nothing was stored" "" "$(find . -path "./store/jobs/*")"
is "what it would be" \
	"job-12: would be 6 tasks of $PWD/results/12" \
	"$(stfm-import --dry-run results/12)"
is "is not done" "" "$(find . -path "./store/jobs/*")"

# ---- without points ----

is "a job is made" "job-12: 6 tasks imported, 1 of them FINISHED" \
	"$(stfm-import results/12 2>err)"
is "and what is not known is said" "2 3" "$(sed -nE \
	's/.*12: ([0-9]) have no epoch.*/\1/p
	s/.*says of ([0-9]) that.*/\1/p' err | xargs)"
is "in the order of their numbers, by their names" "2 9 10 30 31 32" \
	"$(state job-12 .task_id | xargs)"
refused "not twice" "job-12: there is a job of this name" \
	stfm-import results/12
ok "under another name" stfm-import -Q -J again --finished results/12
is "all that have a log are FINISHED if you say so" \
	"FINISHED FINISHED FINISHED FINISHED ERROR ERROR" \
	"$(state again .state | xargs)"

# ---- with points ----

is "with its points" "conv2d: 6 tasks imported, 2 of them FINISHED" \
	"$(stfm-import -J conv2d --points hp.csv results/12 2>err)"
is "FINISHED is what has an END, or all epochs; no exit code is made up" \
	'0 16 0.001 ERROR imported: end unknown 3 0.2 null null
1 32 0.001 FINISHED imported 4 0.9 null null
2 64 0.001 FINISHED imported 10 0.10 null null
3 16 0.01 ERROR imported: end unknown 3 0.30 null null
4 32 0.01 ERROR imported: end unknown null null null null
5 64 0.01 ERROR imported: end unknown null null null null' \
	"$(state conv2d '"\(.task) \(.batch_size) \(.learning_rate) \(
		.state) \(.cause) \(.epoch) \(.best) \(.exit) \(.node)"' |
		sed 's/ 0.1 null null$/ 0.10 null null/; s/ 0.3 n/ 0.30 n/')"
is "the column that says which task a line is for is no hyperparameter" \
	"batch_size learning_rate epochs" \
	"$(head -n 1 store/jobs/conv2d/points.tsv | xargs)"
sed '1s/task/task_id/' hp.csv >by-id.csv
ok "it may be called task_id" stfm-import -Q -J by-id --points by-id.csv \
	results/12
is "which is no hyperparameter either" "" \
	"$(head -n 1 store/jobs/by-id/points.tsv | grep task)"
cut -d , -f 1 hp.csv >keys.csv
ok "a file may have no other column" stfm-import -Q -J keys \
	--points keys.csv results/12
is "which then tells the tasks apart" "2 9 10 30 31 32" \
	"$(sed 1d store/jobs/keys/points.tsv | xargs)"
is "times are those of the marks" \
	"2026-01-01T10:00:00Z 2026-01-01T10:05:00Z" \
	"$(state conv2d/1 '"\(.start | todate) \(.end | todate)"')"
is "or not known" "null null" "$(state conv2d/3 '"\(.start) \(.end)"')"

# mark SECOND TEXT: a task whose END holds the text, and when the job has it
mark() {
	rm -rf marks store/jobs/marks
	mkdir -p marks/1
	echo 2026-01-01 00:00:00 >marks/1/START
	printf %s "$2" >marks/1/END
	touch -d 2026-06-06T06:06:06 marks/1/START marks/1/END
	stfm-import -Q -J marks marks
	is "a time as $2" "1767225600 $1" \
		"$(state marks '"\(.start) \(.end)"')"
}
mark 1767265500 1767265500
mark 1767265500 1767265500.75
mark 1767265500 "2026-01-01 11:05:00"
mark 1767265500 "2026-01-01T11:05
"
mark 1767265500 "2026-01-01 11:05:00.123456"
mark 1767265500 2026-01-01T11:05:00Z
mark 1767265500 2026-01-01T12:05:00.5+01:00
mark 1767265500 "2026-01-01 05:35:00 -0530"
mark 1767265500 "Thu Jan  1 11:05:00 2026"
mark 1767265500 "Thu Jan  1 11:05:00 UTC 2026"
changed=$(date -d 2026-06-06T06:06:06 +%s)
for odd in "" "done" 12 99999999999999999999 2026-02-30T10:00:00 \
	"01/02/2026 10:00" "Thu Jan  1 11:05:00 XYZ 2026" \
	"2026-01-01 11:05:00 or so"; do
	mark "$changed" "$odd"
done
rm -r marks
head -c 100000 /dev/zero | tr '\0' 1 >results/12/31/END
touch -d 2026-01-01T10:04 results/12/31/END
stfm-import -Q -J long results/12
is "a mark that is too long for a time has the time of its file" \
	"2026-01-01T10:04:00Z" "$(state long/4 '.end | todate')"
is "the logs are there, and theirs stay" "$(cat results/12/9/9.csv)" \
	"$(cat store/jobs/conv2d/metrics/000001.csv)"
rm -r results
like "they can be drawn" "conv2d/2" "$(stfm-plot -b 2 conv2d 2>&1)"
like "the record says where it is from" "from +$PWD/results/12" \
	"$(stfm-status --record conv2d)"
is "the store is sound" "" "$(stfm-check --store 2>&1)"

# ---- logs that are damaged, and stay so ----

mkdir -p bad/1 bad/2
printf 'epoch,val_loss\n0,1\0\n' >bad/1/1.csv
{
	echo epoch,val_loss
	head -c 1100000 /dev/zero | tr '\0' x
} >bad/2/2.csv
touch bad/1/END bad/2/END
stfm-import -Q -J bad bad 2>err
is "they are imported" 0 $?
like "and what is wrong with them is said" \
	'000000.csv: a NUL byte at byte 18$' "$(cat err)"
like "of each" '000001.csv: line [0-9]: a record of more than' "$(cat err)"
is "not that it may be otherwise later" "" "$(grep 'looks again' err)"
like "that they are there is known" \
	'^bad/0-1  no metrics: there is a log, but no line of metrics in it' \
	"$(stfm-status --no-refresh bad)"
like "and of one" '^Metrics +none: there is a log, but' \
	"$(stfm-status --no-refresh bad/0)"

fold=$(state conv2d '"\(.state) \(.cause) \(.best)"')
rm store/jobs/conv2d/fold/*

# ---- with Slurm ----

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
stfm-sandbox start -Q -N 1 -g 0 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"
stfm-watch -1 -Q >err 2>&1
is "the watcher has nothing to do, nor to say" "0 " "$? $(cat err)"
stfm-watch -Q -i 1 conv2d 2>/dev/null
is "and queues nothing" "" "$(squeue -h)"
is "states follow from the records" "$fold" \
	"$(state conv2d '"\(.state) \(.cause) \(.best)"')"
refused "nothing is trained again" "conv2d: was imported from" \
	stfm-restart conv2d
is "nor queued" "conv2d: nothing to queue: it was imported" \
	"$(stfm-submit --queue-rest conv2d 2>&1)"
like "there is nothing to stop" "nothing to stop" "$(stfm-stop conv2d)"
is "it can be removed" "conv2d: removed" \
	"$(stfm-stop --remove conv2d 2>&1 | tail -n 1)"

done_testing
