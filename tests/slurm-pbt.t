#!/bin/sh
# Population based training: tasks that do worse continue from the checkpoint of
# better ones, in the same allocation.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 0 -c 8
export STFM_DIR="$tap_dir/store"

# The score grows by 100 - |x - 50| in each epoch; the checkpoint has both.  A
# training waits at epoch 6 until the file go exists, and at the epoch in the
# file wait.
cat >train.sh <<'END'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/saved
epoch=0 score=0
[ "$STFM_RESUME" = 0 ] || read -r epoch score <"$saved"
[ "$epoch" -gt 0 ] || echo epoch,score >"$STFM_METRICS"
echo "$STFM_TASK $STFM_RESTART $1 $epoch $score" >>"$2/started"
step=$((100 - ($1 > 50 ? $1 - 50 : 50 - $1)))
while [ "$epoch" -lt 12 ]; do
	until [ -e "$2/go" ] || [ "$epoch" -lt 6 ]; do sleep 0.2; done
	while [ "$(cat "$2/wait" 2>/dev/null)" = "$epoch" ]; do sleep 0.2; done
	epoch=$((epoch + 1)) score=$((score + step))
	if [ ! -e "$2/unsaved" ]; then
		echo "$epoch $score" >"$saved.new" && mv "$saved.new" "$saved"
	fi
	echo "$epoch,$score" >>"$STFM_METRICS"
	sleep 0.3
done
END
chmod +x train.sh
# submit JOB TASKS [OPTION...]
submit() {
	job=$1 tasks=$2
	shift 2
	mkdir -p "$job"
	stfm-submit -Q -J "$job" --gres=none --args=none --metric score \
		--goal max --pbt 3 --epochs 12 --search "$tasks" "$@" \
		x=int:0:50 -- "$PWD/train.sh" "{x}" "$PWD/$job"
}
field() {
	jq -r "$3" "$STFM_DIR/jobs/$1/run/000/$2"
}

refused "an interval of no epoch" "--pbt" stfm-submit -J no --gres=none \
	--metric score --pbt 0 --epochs 12 --search 4 x=int:0:50 -- ./train.sh
refused "an unknown number of epochs" "--epochs 50" stfm-submit -J no \
	--gres=none --metric score --pbt 3 --search 4 x=int:0:50 -- ./train.sh
ok "unless a hyperparameter tells it" stfm-submit --dry-run -J no --gres=none \
	--metric score --pbt 3 --search 4 x=int:0:50 epochs=12 -- ./train.sh

submit grow 8
clones() {
	[ "$(find "$STFM_DIR/jobs/grow/run" -name '*.0.1.S' | wc -l)" -ge 2 ]
}
ok "the worst quarter gets new runs" poll 60 clones
is "in the same allocations" "0 0" "$(scontrol show job "$(squeue -h -n grow \
	-o %A | head -n 1)" | grep -o 'Restarts=[0-9]*' | sort -u |
	cut -d = -f 2 | sed p | xargs)"
worst=$(awk '$2 == 1 { print $1 }' grow/started | head -n 1)
name=$(printf '%06d.0.1.P' "$worst")
parent=$(field grow "$name" .parent)
is "the point is another one, and has a parent" "pbt" \
	"$(field grow "$name" .sampler)"
first() {
	awk -v t="$1" '$1 == t && $2 == 0 { print $3 }' grow/started
}
ok "which did better" [ "$(first "$parent")" -gt "$(first "$worst")" ]
is "it trains with the new point" "$(field grow "$name" .point)" \
	"$(awk -v t="$worst" '$1 == t && $2 == 1 { print $3 }' grow/started)"
ok "from the checkpoint of the parent" [ "$(awk -v t="$worst" \
	'$1 == t && $2 == 1 { print $4 }' grow/started)" -ge 3 ]
like "the log says so" "from the checkpoint of task $parent [(]epoch" \
	"$(stfm-log "grow/$worst")"
like "and the page" "^Sampler +pbt" "$(stfm-status "grow/$worst")"

scontrol requeue "$(squeue -h -r -n grow -o '%F_%K' | grep "_$worst\$")"
held() {
	squeue -h -r -n grow -t PD -o '%F_%K %r' | grep -q "_$worst BeginTime"
}
poll 30 held
scontrol update StartTime=now+2 \
	JobId="$(squeue -h -r -n grow -t PD -o '%F_%K' | grep "_$worst\$")"
: >grow/go
stfm-watch -Q -i 1 grow
is "a requeued run keeps its new point" 1 "$(awk -v t="$worst" \
	'$1 == t && $2 > 0 { print $3 }' grow/started | sort -u | wc -l)"
is "all tasks are FINISHED" "8 FINISHED" "$(stfm-status --no-refresh -o tsv \
	-c state grow | sed 1d | sort | uniq -c | xargs)"
is "the table has the points of the last runs" "" "$(stfm-status --no-refresh \
	-o tsv -c task,x grow | sed 1d | while read -r task x; do
	[ "$x" = "$(awk -v t="$task" '$1 == t { x = $3 } END { print x }' \
		grow/started)" ] || echo "$task: $x"
done)"
ok "the store is sound" stfm-check --store
is "no copy is left" "" "$(find "$STFM_DIR/jobs/grow/checkpoint" -name '*pbt*')"

mkdir alone
: >alone/unsaved
submit alone 4
refuses() {
	grep -q "no better task that runs has a new checkpoint" \
		"$STFM_DIR"/jobs/alone/log/*
}
ok "a task does not continue from one without a checkpoint: its log says so" \
	poll 60 refuses
like "and so does --why" "no task continues from another one: none has a \
checkpoint; let the training save one below \\\$STFM_CHECKPOINT_DIR at least \
every 3 epochs" "$(stfm-status --why alone | tr -s '\n ' ' ')"
like "a task stands at a place, but nothing stops it" \
	"at epoch 3: [0-9]+ is (2nd|3rd|4th) of 4[.]\$" \
	"$(stfm-status --why alone/0-3)"
is "but not if there are checkpoints" "" \
	"$(stfm-status --why grow | grep 'has a checkpoint')"
: >alone/go
stfm-watch -Q -i 1 alone
is "it trains its own point to the end" "" \
	"$(find "$STFM_DIR/jobs/alone/run" -name '*.0.1.*')"

# A run that is killed while it copies the checkpoint.
mkdir fake killed
cat >fake/cp <<END
#!/bin/sh
mkdir "$PWD/killed/once" 2>/dev/null && kill -9 \$PPID && sleep 5
exec $(command -v cp) "\$@"
END
chmod +x fake/cp
PATH=$PWD/fake:$PATH submit killed 4
poll 60 test -e killed/once
: >killed/go
status "a run that is killed while it copies is queued again" 0 \
	stfm-watch -Q -i 1 killed
is "and all tasks are FINISHED" "4 FINISHED" "$(stfm-status --no-refresh \
	-o tsv -c state killed | sed 1d | sort | uniq -c | xargs)"
again=$(find "$STFM_DIR/jobs/killed/run" -name '*.1.0.S')
task=$(basename "$again" | cut -d . -f 1 | sed 's/^0*\(.\)/\1/')
is "it trained with the new point, from the other checkpoint" "true" "$(
	awk -v t="$task" '$1 == t { n++; x[n] = $3; e[n] = $4 } END {
		print (n == 2 && x[1] != x[2] && e[2] >= 3) ? "true" : ""
	}' killed/started)"

## A population on one allocation

submit packed 4 --pack 4
has_clone() {
	grep -q '^[0-3] 1 ' packed/started
}
ok "a task of an allocation continues from another one" poll 60 has_clone
is "which is the only one" 1 "$(squeue -h -n packed -o %A | wc -l)"
: >packed/go
ok "the population ends well" stfm-watch -Q -i 1 packed
is "all tasks are FINISHED" "4 FINISHED" "$(stfm-status --no-refresh -o tsv \
	-c state packed | sed 1d | sort | uniq -c | xargs)"
# Task, restart and point of each choice.
chosen() {
	for fact in $(facts packed '*.P'); do
		echo "$fact $(field packed "$fact" .point)" |
			sed 's/^0*\([0-9]\)\.0\.\([0-9]*\)\.P/\1 \2/'
	done
}
is "each point with which a task trained is recorded" \
	"$(cut -d ' ' -f 1-3 packed/started | sort)" "$(chosen | sort)"
is "each later one has another task as its parent" "" "$(
	for fact in $(facts packed '*.0.[1-9]*.P'); do
		why=$(field packed "$fact" '"\(.sampler) 00000\(.parent)"')
		case $why in
		"pbt ${fact%%.*}") echo "$fact: its own parent" ;;
		"pbt 00000"[0-3]) ;;
		*) echo "$fact: $why" ;;
		esac
	done
)"
is "and trained from its checkpoint" "" \
	"$(awk '$2 > 0 && $4 < 3' packed/started)"

## Epochs shorter than the second between two looks at the log

cat >quick.sh <<'END'
#!/bin/sh
saved=$STFM_CHECKPOINT_DIR/saved
epoch=0 score=0
[ "$STFM_RESUME" = 0 ] || read -r epoch score <"$saved"
[ "$epoch" -gt 0 ] || echo epoch,score >"$STFM_METRICS"
echo "$STFM_TASK $STFM_RESTART $1 $epoch $score" >>"$2/started"
while [ "$epoch" -lt 60 ]; do
	epoch=$((epoch + 1)) score=$((score + $1))
	echo "$epoch $score" >"$saved.new" && mv "$saved.new" "$saved"
	echo "$epoch,$score" >>"$STFM_METRICS"
	sleep 0.1
done
END
chmod +x quick.sh
mkdir quick
stfm-submit -Q -J quick --gres=none --args=none --metric score --goal max \
	--pbt 2 --epochs 60 --search 4 x=int:1:90 -- \
	"$PWD/quick.sh" "{x}" "$PWD/quick"
ok "a population whose rungs are closer than its looks ends well" \
	stfm-watch -Q -i 1 quick
of_quick() {
	find "$STFM_DIR/jobs/quick/run" -name "$1" | sed 's,.*/,,' | sort
}
ok "a task that does worse continues from another one" \
	[ "$(awk '$2 > 0' quick/started | wc -l)" -gt 0 ]
is "no task continues from an empty checkpoint" "" \
	"$(awk '$2 > 0 && $4 < 2' quick/started)"
is "each task has the values of all 29 rungs, once" "29 29 29 29" \
	"$(for task in 0 1 2 3; do of_quick "00000$task.*.R*" |
		grep -o 'R[0-9]*' | sort -u | wc -l; done | xargs)"
is "each trains to the last epoch, or continues from its checkpoint" "" "$(
	stfm-status --no-refresh -o tsv -c task,epoch quick |
		sed 1d | awk '$2 != 60 { print $1 }' | while read -r task; do
		awk -v t="$task" '$1 == t { e = $4 } END {
			if (e != 60) print t, e }' quick/started
	done)"
ok "the store is sound" stfm-check --store

## A task that Slurm ends after it continued from another one

mkdir gone
: >gone/go
echo 5 >gone/wait
submit gone 4
renewed() {
	task=$(awk '$2 == 1 { print $1; exit }' gone/started)
	[ -n "$task" ]
}
poll 30 renewed
scancel "$(array_of gone)_$task"
is_cancelled() {
	[ "$(stfm-status --refresh -o tsv -c state,cause "gone/$task" |
		sed 1d)" = "STOPPED	CANCELLED" ]
}
ok "its state is the one that Slurm reports" poll 20 is_cancelled
stfm-stop -Q gone

## A node whose clock is an hour ahead

mkdir ahead
: >ahead/go
echo 5 >ahead/wait
submit ahead 4
has_rungs() {
	[ "$(facts ahead "*.R$1=*" | wc -w)" -eq 4 ]
}
poll 30 has_rungs 3
# The worst of them continues from another one; then all wait at epoch 5.
continues() {
	grep -q "from the checkpoint.*epoch $1:" "$STFM_DIR"/jobs/ahead/log/*
}
poll 30 continues 3
# As such a node would have told them.
for rung in $(facts ahead '*.R3=*'); do
	rm "$STFM_DIR/jobs/ahead/run/000/$rung"
	echo "$rung" | sed 's/^0*\([0-9]*\)\.0\.\([01]\)\.\(R.*\)/\
fact|0\1|\3|restart=\2|time=3600/'
done >told
{ echo 'of|ahead'; grep fact told; } | "$fixture" "$STFM_DIR"
echo 8 >ahead/wait
ok "the checkpoints of tasks on it are as new as others" \
	poll 30 continues 6
rm ahead/wait
stfm-watch -Q -i 1 ahead
is "all tasks are FINISHED" "4 FINISHED" "$(stfm-status --no-refresh -o tsv \
	-c state ahead | sed 1d | sort | uniq -c | xargs)"
refused "a new task would continue from none" \
	"from one that still runs: submit another job, as in -J ahead-2" \
	submit ahead 6 --sync

done_testing
