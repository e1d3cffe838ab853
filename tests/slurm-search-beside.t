#!/bin/sh
# A search whose tasks are many at once: on one allocation, held, with several
# ranks, in containers, before two watchers, and with each pruner.
# shellcheck disable=SC2016 # what the shells of trainings run
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 0 -c 8 -o KillWait=5
export STFM_DIR="$tap_dir/store"

# An epoch after the other, up to that in the file $GO/JOB or $GO/JOB.TASK: so
# slow that a run judges itself before it ends.
export GO="$tap_dir/go"
mkdir "$GO"
cat >train.sh <<'END'
#!/bin/sh
[ ! -e "$GO/$STFM_JOB.freeze" ] || kill -STOP "$PPID"
epoch=0
echo epoch,val_acc >"$STFM_METRICS"
may() {
	[ "$epoch" -lt "$(cat "$GO/$1" 2>/dev/null || echo 0)" ]
}
while [ "$epoch" -lt 6 ]; do
	until may "$STFM_JOB" || may "$STFM_JOB.$STFM_TASK"; do
		sleep 0.1
	done
	sleep 0.7
	epoch=$((epoch + 1))
	echo "$epoch,0.$1" >>"$STFM_METRICS"
done
END
cat >points.sh <<'END'
#!/bin/sh
task=$(head -n 1 | grep -o '"task":[0-9]*' | cut -d : -f 2)
shift "$task"
printf 'x\n%s\n' "$1"
END
chmod +x train.sh points.sh

# search JOB "POINT..." [OPTION...]: a search of these points.
search() {
	job=$1 points=$2
	shift 2
	# shellcheck disable=SC2086 # words
	set -- --search "$(echo $points | wc -w)" --epochs 6 \
		--metric val_acc --pruner asha,eta=2,first=2 \
		--sampler "$PWD/points.sh $points" "$@"
	stfm-submit -Q -J "$job" --gres=none --args=none "$@" x=int:10:99 \
		-- "${script:-$PWD/train.sh}" "{x}"
}
# Let all tasks of a job, or one of them, complete epochs up to this one.
may() {
	echo "$2" >"$GO/.new"
	mv "$GO/.new" "$GO/$1"
}
# The facts of a job, also those that a pass has packed.
names() {
	{
		facts "$1" '*' | tr ' ' '\n'
		cat "$STFM_DIR/jobs/$1/pack/"p.* 2>"$tap_dir/none" |
			sed -n 's/^{"n":"\([^"]*\)".*/\1/p'
	} | grep . | sort -u
}
values() {
	names "$1" | grep '[.]R' | xargs
}
# Let tasks complete epochs up to $2 one after the other, each when those before
# it have a value at the rung of epoch $3.
may_each() {
	job=$1 most=$2 rung=$3
	shift 3
	for task in "$@"; do
		may "$job.$task" "$most"
		poll 30 has_value "$job" "$task" "$rung"
	done
}
has_value() {
	values "$1" | grep -q "00000$2[.]0[.]0[.]R$3="
}
# The tasks that have a point.
chosen() {
	names "$1" | sed -n 's/^00000\(.\)[.]0[.]0[.]P$/\1/p' | xargs
}
shown() {
	stfm-status --no-refresh -o points "$1" | sed 1d | xargs
}

## Eight tasks that start at once on two nodes

stfm-submit -Q -J eight --gres=none --args=none --metric loss --epochs 1 \
	--search 8 --sampler tpe --pruner none -c 2 x=uniform:0:1 y=a,b -- \
	sh -c 'echo "$0" >"$GO/eight.$STFM_TASK"' "{x} {y}"
ok "eight tasks start at once" poll 30 reaches eight FFFFFFFF
is "each has one point" "0 1 2 3 4 5 6 7" "$(chosen eight)"
is "no point is there twice" 8 "$(stfm-status --no-refresh -o points eight |
	sed 1d | sort -u | wc -l)"
is "each trained its own" "$(shown eight)" "$(cat "$GO"/eight.? | xargs)"
is "they ran on two nodes" 2 "$(cat "$STFM_DIR/jobs/eight/run/000/"*.S |
	jq -r .node | sort -u | wc -l)"

## Tasks that choose at the same moment in a small space

# A sampler that gives 0.1 to each of two tasks that ask at the same time, and
# later what is left.
cat >same.sh <<'END'
#!/bin/sh
cat >"$GO/asked.$$"
task=$(head -n 1 "$GO/asked.$$" | grep -o '"task":[0-9]*' | cut -d : -f 2)
: >"$GO/same.$task"
until [ -e "$GO/same.0" ] && [ -e "$GO/same.1" ]; do
	sleep 0.1
done
echo x
if sed 1d "$GO/asked.$$" | grep -q '0[.]1'; then
	echo 0.2
else
	echo 0.1
fi
END
chmod +x same.sh
stfm-submit -Q -J same --gres=none --args=none --metric loss --epochs 1 \
	--search 2 --sampler "$PWD/same.sh" --pruner none x=0.1,0.2 -- \
	true "{x}"
ok "two tasks that ask at the same time train" poll 30 reaches same FF
is "each a point of its own" "0.1 0.2" \
	"$(shown same | tr ' ' '\n' | sort | xargs)"
is "both by the sampler" "same.sh same.sh" "$(
	stfm-status --no-refresh -o jsonl same | jq -r .sampler |
		sed 's,.*/,,' | xargs)"
is "no point stays locked" "" \
	"$(find "$STFM_DIR/jobs" -name 'mark.lock.*')"

# Write down the point and the processes of each rank, then train.
cat >ranks.sh <<'END'
#!/bin/sh
echo "$1 $STFM_PARAM_x" >"$GO/$STFM_JOB.point.$STFM_TASK.$SLURM_PROCID"
sleep 900 &
echo "$! $$" >"$GO/$STFM_JOB.$STFM_TASK.pids.$SLURM_PROCID"
exec "${0%/*}/train.sh" "$1"
END
chmod +x ranks.sh
# Print the metrics, so that a canary has no epoch before its end.
cat >prints.sh <<'END'
#!/bin/sh
epoch=0
while [ "$epoch" -lt 6 ]; do
	until [ "$epoch" -lt "$(cat "$GO/$STFM_JOB.$STFM_TASK")" ]; do
		sleep 0.1
	done 2>"$GO/none"
	epoch=$((epoch + 1))
	echo "epoch $epoch val_acc=0.$1"
done
END
chmod +x prints.sh
has_mounts=false
if unshare -m true 2>"$tap_dir/none" ||
	unshare -Um --map-current-user --keep-caps true 2>"$tap_dir/none"; then
	has_mounts=true
fi

# What runs at the same time.
script=$PWD/ranks.sh search ranks "90 10" --dist torch -N 2 --ntasks-per-node=1
if $has_mounts; then
	mkdir -p images/net/etc
	PATH="$top/tests/container:$PATH" script=$PWD/ranks.sh \
		search image "90 10" --container images/net \
		--container-bind "$GO"
fi
search packed "90 10 20 80 30" --pack 5 --pruner asha,eta=2,first=3
search waits "90 10 20 30" --hold
search canary "10 90" --canary
script=$PWD/prints.sh search prints "10 90" --canary
: >"$GO/both.freeze"
search both "90 10 20 80"
may median 6
search median "90 80 70 60 50 10" --parallel 1 --pruner median,first=2
may band 6
search band "90 80 70 60 50 40 30 20" --parallel 1 \
	--pruner hyperband,eta=2,first=1

## Two watchers

both="000000.0.0.R2=0.9 000001.0.0.R2=0.1 000002.0.0.R2=0.2 000003.0.0.R2=0.8"
is_logged() {
	[ "$(cat "$STFM_DIR/jobs/$1/metrics/"*.csv | grep -c '^3,')" = "$2" ]
}
may both 3
poll 30 is_logged both 4
stfm-watch -1Q both &
stfm-watch -1Q both
wait $!
is "both record the same values" "$both" "$(values both)"
ok "and stop the same tasks" poll 30 reaches both RTTR
is "each for one reason" "pruned at epoch 2: 0.1 is 4th of 4
pruned at epoch 2: 0.2 is 3rd of 4" "$(
	stfm-status --no-refresh -o jsonl both |
		jq -r '.cause // empty' | sed 's/,.*//')"
stfm-stop -Q both

## Tasks of one allocation

poll 30 reaches packed RRRRR
may_each packed 4 3 0 1 2 3 4
ok "the pruner ends tasks of an allocation" poll 30 reaches packed RTTRT
is "which goes on" "R" "$(squeue -h -n packed -o %t)"
packed_line() {
	COLUMNS=200 stfm-status --no-refresh packed | grep ^packed:
}
like "stfm-status warns that it is mostly idle" \
	"^packed: the search has stopped 3 of 5 tasks on running allocations;" \
	"$(packed_line)"
may packed 6
ok "with the others" poll 30 reaches packed FTTFT
is "no warning is left after that" "" "$(packed_line)"
is "they have one point each" "0 1 2 3 4" "$(chosen packed)"

## Held tasks

stfm-watch -1Q waits
is "held tasks have no point" "" "$(chosen waits)"
stfm-release -Q waits/0-1
poll 30 reaches waits RRSS
is "only those that were released have one" "0 1" "$(chosen waits)"
may_each waits 3 2 0 1
ok "those that wait are not judged, the others are" \
	poll 30 reaches waits RTSS
stfm-throttle -Q waits 1
stfm-release -Q waits
stfm-watch -1Q waits
is "with a throttle the others wait, without a point" "0 1" "$(chosen waits)"
may waits 6
ok "and train one after the other" poll 60 reaches waits FTTT
is "at once or not, each has its point" "90 10 20 30" "$(shown waits)"

## A canary

poll 30 reaches canary RS
is "the tasks behind a canary have no point" "0" "$(chosen canary)"
may_each canary 3 2 0 1
ok "a canary that has passed is judged" poll 30 reaches canary TR
may canary 6

# Its metrics are guessed, so the canary passes at its end.  Its user does not
# wait for that.
poll 30 reaches prints RS
scontrol release "$(array_of prints c00001.0)"
poll 30 reaches prints RR
may_each prints 3 2 0 1
stfm-watch -1Q prints
is "a canary that has not passed is not stopped" "RR" "$(states prints)$(
	find "$STFM_DIR/jobs/prints/ctl" -name "stop.*")"
like "and stfm-status says why" "^prints/0 the search does not stop it: the \
canary has not passed yet\.$" \
	"$(COLUMNS=200 stfm-status --no-refresh --why prints)"
may prints.0 6
ok "it passes at its end" poll 30 reaches prints FR
may prints.1 6

## Ranks, and containers

points_of() {
	cat "$GO/$1.point."*
}
is_gone() {
	cat "$GO/$1.pids."* | tr ' ' '\n' >"$tap_dir/pids"
	while read -r pid; do
		! grep -qs '^State:.[^ZX]' "/proc/$pid/status" || return
	done <"$tap_dir/pids"
}
# prunes_one JOB WHO RANKS: the pruner stops the second task of this job.
prunes_one() {
	poll 60 reaches "$1" RR
	may_each "$1" 3 2 0 1
	ok "the pruner stops $2" poll 60 reaches "$1" RT
	is "for the value at its rung" "pruned at epoch 2: 0.1 is 2nd of 2" "$(
		stfm-status --no-refresh -o jsonl "$1/1" |
			jq -r .cause | sed 's/,.*//')"
	ok "its processes end" poll 30 is_gone "$1.1"
	status "those of the other task go on" 1 is_gone "$1.0"
	is "each process had the point of its task" "$3" "$(points_of "$1")"
	may "$1" 6
	ok "the other task finishes" poll 60 reaches "$1" FT
}
prunes_one ranks "a distributed training" "90 90
90 90
10 10
10 10"
if $has_mounts; then
	prunes_one image "a training in a container" "90 90
10 10"
else
	skip "the pruner stops a training in a container" \
		"no mounts of one's own here"
fi

## The other pruners

ok "the better half continues, from five tasks on" \
	poll 60 reaches median FFFFTT
is "as they say" "pruned at epoch 2: 0.5 is 5th of 5
pruned at epoch 2: 0.1 is 6th of 6" "$(
	stfm-status --no-refresh -o jsonl median |
		jq -r '.cause // empty' | sed 's/,.*//')"
is_over() {
	stfm-watch -1Q "$1"
	states "$1" | grep -Eq '^[FT]*$'
}
ok "hyperband ends" poll 90 is_over band
like "and stops some tasks" "^F.*T" "$(states band)"
# The bracket of a task follows from the CRC-32 of "ID_TASK", which gzip writes
# at its end; of 10 tasks 4, 3 and 3 have their first rung at 1, 2 and 4.
id=$(jq -r .id "$STFM_DIR/jobs/band/job.json")
expected=$(for task in 0 1 2 3 4 5 6 7; do
	printf '%s_%s' "$id" "$task" | gzip -c | tail -c 8 |
		od -A n -t u4 -N 4 --endian=little |
		awk -v task="$task" '{
			share = $1 % 10
			print task, share < 4 ? 1 : share < 7 ? 2 : 4
		}'
done)
is "the first rung of each is that of its bracket" "$expected" "$(
	values band | tr ' ' '\n' | sort -s -u -t . -k 1,1 |
		sed 's/^0*\([0-9]\)[.].*[.]R\(.*\)=.*/\1 \2/')"

## Settings that change while tasks run, without a watcher

# The tasks that stopped themselves.
stopped() {
	cat "$STFM_DIR/jobs/$1"/ctl/stop.* 2>"$tap_dir/none" |
		jq -r .tasks | sort -u | xargs
}
are_stopped() {
	[ "$(stopped "$1")" = "$2" ]
}
points="x=90,10,20,30"
stfm-submit -Q -J learns --gres=none --args=none --metric val_acc \
	--pruner asha,first=2 $points -- "$PWD/train.sh" "{x}"
may learns 1
ok "all tasks run" poll 30 reaches learns RRRR
may learns.1 6
ok "one tells the number of epochs" poll 30 reaches learns RFRR
may_each learns 4 2 0 2 3
ok "the others then compare themselves" poll 60 are_stopped learns "2 3"
may learns 6

stfm-submit -Q -J turned --gres=none --args=none --metric val_acc --epochs 6 \
	--pruner asha,first=2 $points -- "$PWD/train.sh" "{x}"
may turned 1
ok "all tasks run again" poll 30 reaches turned RRRR
stfm-set -Q --goal min turned
may_each turned 4 2 1 2 3 0
ok "they compare by the new goal" poll 60 are_stopped turned "0 3"
may turned 6

done_testing
