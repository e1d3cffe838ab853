#!/bin/sh
# A search beside what else can happen to tasks: they are requeued, retried,
# restarted and held, and their nodes fail.  Each keeps its point and its values
# at the rungs.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 3 -g 0 -c 8 -o KillWait=5
export STFM_DIR="$tap_dir/store"

# An epoch after the other, up to that in the file $GO/JOB.TASK.  It saves each.
export GO="$tap_dir/go"
mkdir "$GO"
cat >train.sh <<'END'
#!/bin/sh
go=$GO/$STFM_JOB.$STFM_TASK saved=$STFM_CHECKPOINT_DIR/last.pt epoch=0
trap 'exit 0' USR1
[ "$STFM_RESUME" = 0 ] || epoch=$(cat "$saved")
[ "$epoch" -gt 0 ] || echo epoch,val_acc >"$STFM_METRICS"
echo "point $1, from $epoch"
while [ "$epoch" -lt 6 ]; do
	until [ "$epoch" -lt "$(cat "$go" 2>/dev/null || echo 0)" ]; do
		sleep 0.1
	done
	epoch=$((epoch + 1))
	echo "$epoch" >"$saved"
	echo "$epoch,0.$1" >>"$STFM_METRICS"
done
END
# It reads no more of its input than it needs.
cat >points.sh <<'END'
#!/bin/sh
task=$(head -n 1 | grep -o '"task":[0-9]*' | cut -d : -f 2)
shift "$task"
printf 'x\n%s\n' "$1"
END
chmod +x train.sh points.sh

# search JOB "POINT..." [OPTION...]
search() {
	job=$1 points=$2
	shift 2
	# shellcheck disable=SC2086 # words
	set -- --search "$(echo $points | wc -w)" --epochs 6 \
		--metric val_acc --pruner asha,eta=2,first=2 \
		--sampler "$PWD/points.sh $points" "$@"
	stfm-submit -Q -J "$job" --gres=none --args=none "$@" x=int:10:99 \
		-- "$PWD/train.sh" "{x}"
}
# Let a task complete epochs up to this one.
may() {
	echo "$3" >"$GO/.new"
	mv "$GO/.new" "$GO/$1.$2"
}
values() {
	facts "$1" '*.R*' | sed 's/ $//'
}
has_values() {
	[ "$(values "$1")" = "$2" ]
}
points() {
	facts "$1" '*.P' | sed 's/ $//'
}
said() {
	stfm-log "$1" | sed -n 's/^point //p'
}
# The reason of a task, in brief; its state if it has none.
reason() {
	stfm-watch -1Q "$1"
	stfm-status --no-refresh -o jsonl "$1/$2" |
		jq -r '.cause // .state' | sed 's/:.*//'
}
becomes() {
	[ "$(reason "$1" "$2")" = "$3" ]
}
stops() {
	find "$STFM_DIR/jobs/$1/ctl" -name 'stop.*' | wc -l
}
# A requeued task waits for two minutes, unless it is hurried.
hurry() {
	squeue -h -j "$(array_of "$1")_$2" -o '%T %r' |
		grep -q 'PENDING BeginTime' &&
		scontrol update JobId="$(array_of "$1")_$2" StartTime=now+2
}
runs() {
	has_facts "$1" "00000$2.*.S" "$3"
}
# The same, where a pass has to queue it.
is_queued() {
	stfm-watch -1Q "$1"
	runs "$@"
}

# What takes longest begins first.
search back "90 10" --requeue -t 10
search dies "90 10" --exclusive
search hand "90 10 20" --parallel 2
search again "90 10 20" --retry-oom 2,n=2 --mem 10M --max-fail 1

## A task that is requeued

poll 30 reaches back RR
may back 1 3
ok "a run records its value at a rung" \
	poll 30 has_values back "000001.0.0.R2=0.1"
scancel --batch --signal=USR1 "$(array_of back)_1"
ok "its task is requeued" poll 30 has_facts back '*.Q' '000001.0.0.Q '
poll 30 reaches back RS
may back 0 3
poll 30 has_values back "000000.0.0.R2=0.9 000001.0.0.R2=0.1"
is "while it waits, it is not judged" "RS" \
	"$(stfm-watch -1Q back && states back)"
is "although another task is better" 0 "$(stops back)"
poll 30 hurry back 1
ok "it runs again" poll 30 runs back 1 "000001.0.0.S 000001.0.1.S "
has_said() {
	[ "$(said "$1")" = "$2" ]
}
ok "with the same point, and goes on where it was" \
	poll 30 has_said back/1 "10, from 0
10, from 3"
is "there is one record of it" "000000.0.0.P 000001.0.0.P" "$(points back)"
ok "then it is judged" poll 30 becomes back 1 "pruned at epoch 2"
is "by the value of its first run" \
	"000000.0.0.R2=0.9 000001.0.0.R2=0.1" "$(values back)"
may back 0 6
ok "the better one finishes" poll 30 becomes back 0 FINISHED

## A task whose node fails

poll 30 reaches dies RR
may dies 1 3
poll 30 has_values dies "000001.0.0.R2=0.1"
node=$(squeue -h -j "$(array_of dies)_1" -o %N)
kill -STOP "$(cat "$tap_dir/slurm/run/$node.pid")"
scontrol update NodeName="$node" State=down Reason=dead
poll 30 reaches dies RS
may dies 0 3
poll 30 has_values dies "000000.0.0.R2=0.9 000001.0.0.R2=0.1"
is "while its task waits, it is not judged" "RS 0" \
	"$(stfm-watch -1Q dies && states dies) $(stops dies)"
# It may be up already, by itself.
is_back() {
	scontrol update NodeName="$node" State=resume
	sinfo -h -n "$node" -o %t | grep -q '^idle$'
}
kill -CONT "$(cat "$tap_dir/slurm/run/$node.pid")"
poll 30 is_back
poll 30 hurry dies 1
ok "it runs again" poll 30 runs dies 1 "000001.0.0.S 000001.0.1.S "
ok "and then is judged by its first value" \
	poll 30 becomes dies 1 "pruned at epoch 2"
is "there is one record of its point" "000000.0.0.P 000001.0.0.P" \
	"$(points dies)"
may dies 0 6

## A retry, and a restart

says() {
	printf 'of|%s\nfact|%s|X%s|attempt=%s\n' "$@" | "$fixture" "$STFM_DIR"
}
# What Slurm would say where it knows of memory limits.
runs_out() {
	says again "$1" OUT_OF_MEMORY "$2"
	scancel -s KILL "$3"
}
poll 30 reaches again RRR
may again 1 3
poll 30 has_values again "000001.0.0.R2=0.1"
may again 0 0
may again 1 0
runs_out 1 0 "$(array_of again)_1"
ok "a task that ran out of memory is queued again" \
	poll 30 is_queued again 1 "000001.0.0.S 000001.1.0.S "
ok "with the same point, from the beginning" \
	poll 30 has_said again/1 "10, from 0"
may again 0 3
poll 30 has_values again "000000.0.0.R2=0.9 000001.0.0.R2=0.1"
ok "it is judged by the value of its first attempt" \
	poll 30 becomes again 1 "pruned at epoch 2"
ok "a person restarts it" stfm-restart -Q again/1
poll 30 is_queued again 1 "000001.0.0.S 000001.1.0.S 000001.2.0.S "
is "then it is left alone" "RUNNING" "$(reason again 1)"
ok "and its point stays" poll 30 has_said again/1 "10, from 0"
runs_out 1 2 "$(array_of again c00002.0)_0"
poll 30 is_queued again 1 \
	"000001.0.0.S 000001.1.0.S 000001.2.0.S 000001.3.0.S "
is "also where it ran out of memory after that" RUNNING "$(reason again 1)"
may again 0 6
may again 1 6
ok "so it trains to its end" poll 30 becomes again 1 FINISHED

## Tasks that a person stops and restarts

poll 30 reaches hand RRS
may hand 1 3
poll 30 has_values hand "000001.0.0.R2=0.1"
ok "a search is stopped, of which a task has not started" stfm-stop -Q hand
poll 60 eval 'stfm-status hand >none; [ -z "$(squeue -h -n hand)" ]'
ok "and is restarted" stfm-restart -Q hand
poll 60 is_queued hand 1 "000001.0.0.S 000001.1.0.S "
is "while there is nothing to compare with, they train" RUNNING \
	"$(reason hand 1)"
may hand 0 3
poll 30 has_values hand "000000.1.0.R2=0.9 000001.0.0.R2=0.1"
ok "a watcher prunes a task that a person had stopped" \
	poll 30 becomes hand 1 "pruned at epoch 2"
may hand 2 3
# Only the run looks.
own_stop() {
	find "$STFM_DIR/jobs/hand/ctl" -name 'stop.000002.1.*' | grep -q .
}
ok "and a run prunes itself that had never started before" poll 60 own_stop
may hand 0 6
ok "the best one finishes" poll 30 becomes hand 0 FINISHED
is "a restart of all tasks names those that the search leaves alone" \
	"hand: 3 tasks would be queued again: 0-2
hand: the search does not stop tasks 1-2 again" \
	"$(stfm-restart --dry-run --finished hand/0-2 2>&1)"

## Packed facts

find "$STFM_DIR/jobs/back/run" -type f -exec touch -d '-10 minutes' {} +
stfm-watch -1Q back
is "all facts of a search that is over are packed" "" "$(facts back '*')"
stfm-restart -Q back/1
ok "a task of it is restarted" poll 30 is_queued back 1 "000001.1.0.S "
stfm-watch -1Q back
is "and has its point" "90 10" "$(stfm-status --no-refresh -o points back |
	sed 1d | xargs)"
is "and its values" "2=0.1@0.0" "$(row back 1 .rungs)"
like "which it trains" "^10, from" "$(said back/1 | tail -n 1)"
may back 1 6
ok "to its end" poll 30 becomes back 1 FINISHED

## Logs that are not as they should be

# A log that is written anew, one that is cut and goes on, one of another
# metric, one that counts from 0 and repeats an epoch, and none.
cat >logs.sh <<'END'
#!/bin/sh
rung() {
	until ls "$STFM_DIR/jobs/odd/run/000/" |
		grep -q "^00000$STFM_TASK[.]0[.]0[.]R2="; do
		sleep 0.1
	done
}
log() {
	for line; do
		echo "$line" >>"$STFM_METRICS"
	done
}
case $1 in
11)
	log epoch,val_acc 1,0.1 2,0.2 3,0.3
	rung
	echo epoch,val_acc >"$STFM_METRICS"
	log 1,0.5 2,0.6 3,0.7 4,0.8 5,0.9 6,1
	;;
12)
	log epoch,val_acc 1,0.1 2,0.2 3,0.3
	rung
	: >"$STFM_METRICS"
	log 4,0.4 5,0.5 6,0.6
	;;
13) log epoch,val_loss 1,0.1 2,0.2 3,0.3 4,0.4 5,0.5 6,0.6 ;;
14) log epoch,val_acc 0,0.1 1,0.2 1,0.25 2,0.3 3,nan 4,0.5 5,0.6 ;;
esac
END
chmod +x logs.sh
stfm-submit -Q -J odd --gres=none --args=none --epochs 6 --metric val_acc \
	--pruner asha,eta=9,first=2 x=11..15 -- "$PWD/logs.sh" "{x}"
ok "trainings with such logs end" poll 60 reaches odd FFFFF
# A pass that reads the new log while the run records the old value records
# another one; then one of them counts, for all programs.
counted() {
	for task in 0 1 2 3 4; do
		row odd $task '.rungs // "-"'
	done | xargs
}
want="2=0.2@0.0 2=0.2@0.0 - 2=0.25@0.0 -"
is "the first value at a rung stays, and nothing is invented" "$want" \
	"$(counted)"
rm -r "$STFM_DIR/jobs/odd/fold"
stfm-watch -1Q odd 2>"$tap_dir/none"
is "nor by a new table" "$want" "$(counted)"

## A resumed training that counts epochs from 0, in a log of its own

cat >part.sh <<'END'
#!/bin/sh
echo epoch,val_acc >"$STFM_METRICS"
first=$((STFM_RESUME * 3))
for epoch in $first $((first + 1)) $((first + 2)); do
	echo "$epoch,0.$epoch" >>"$STFM_METRICS"
done
: >"$STFM_CHECKPOINT_DIR/last.pt"
exit $((1 - STFM_RESUME))
END
chmod +x part.sh
stfm-submit -Q -J parts --gres=none --args=none --epochs 6 --metric val_acc \
	--pruner asha,eta=9,first=4 x=1 -- "$PWD/part.sh" "{x}"
ok "the first half of a training fails" poll 60 reaches parts E
stfm-restart -Q --resume parts
ok "the other half ends" poll 60 reaches parts F
is "its fourth epoch is number 3" "000000.1.0.R4=0.3" "$(values parts)"
is "and it has six" 6 \
	"$(stfm-status --no-refresh -o jsonl parts/0 | jq .epoch)"

## Lines that a training could not complete

cat >cut.sh <<'END'
#!/bin/sh
case $2 in
text) printf 'epoch 1 val_acc 0.1\nepoch 2 val_acc 0.2' ;;
json) printf '{"epoch": 1, "val_acc": 0.1}\n{"epoch": 2, "val_acc": 0.2}' ;;
rows) printf 'epoch,val_acc\n1,0.1\n2,0.2' ;;
esac >"$1"
exit 0
END
chmod +x cut.sh
cut() {
	form=$1 to=$2
	shift 2
	stfm-submit -Q -J "$form" --gres=none --args=none --epochs 6 \
		--metric val_acc --pruner median,first=1 "$@" x=1 -- \
		"$PWD/cut.sh" "$to" "$form"
}
cut text /dev/stdout --metrics-regex \
	'epoch (?P<epoch>[0-9]+) val_acc (?P<val_acc>[0-9.]+)'
cut json last.json --metrics last.json
cut rows last.csv --metrics last.csv
for form in text json rows; do
	ok "a training ends within a line: $form" poll 60 reaches $form F
	is "its last value is not that of a rung" "000000.0.0.R1=0.1" \
		"$(values $form)"
	rm "$STFM_DIR/jobs/$form/run/000/"*.R*
	rm -r "$STFM_DIR/jobs/$form/fold"
	stfm-watch -1Q $form
	is "a watcher decides alike" "000000.0.0.R1=0.1" "$(values $form)"
done

done_testing
