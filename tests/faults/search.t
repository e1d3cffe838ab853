#!/bin/sh
# A search whose points are chosen, and whose values are recorded and compared,
# while calls go wrong: no value is lost or invented, each task that is stopped
# has its reason, and each task has one point, which all its runs train.
. "$(dirname "$0")/pool.sh"

# Runs that do not look at their logs themselves: their training stops them.
cat >train.sh <<'END'
#!/bin/sh
kill -STOP "$PPID"
printf 'epoch,acc\n1,0.%s\n2,0.9\n' "$2" >"$STFM_METRICS"
echo "$STFM_TASK" >>"$1"
exec sleep 600
END
chmod +x train.sh
make_store() {
	stfm-submit -Q --gres=none --args=none --metric acc --epochs 9 \
		--pruner asha,first=1 -J job x=4,1,3,2 \
		-- "$PWD/train.sh" "$count.$made" "{x}" || exit 99
}
is_ready() {
	[ "$(grep -c '' "$count.$1" 2>"$tap_dir/none")" = 4 ]
}
make_ready() {
	for at in "$@"; do
		poll 60 is_ready "$at" || exit 99
	done
}

want="0.0.0.R1=0.4 1.0.0.R1=0.1 2.0.0.R1=0.3 3.0.0.R1=0.2"
values() {
	facts_of "$STFM_DIR/jobs/job" | sed -n 's/^00000\(.*[.]R.*\)/\1/p' | xargs
}
# The stop requests: tasks, and why.
requests() {
	cat "$STFM_DIR"/jobs/job/ctl/stop.* 2>"$tap_dir/none" |
		jq -r '., .also[]? | [.tasks, .why] | @tsv'
}
# The tasks with a stop request.
asked() {
	requests | cut -f 1 | sort -u | xargs
}
# How many values each of them was compared with, and its reason.
reasons() {
	requests |
		sed -n 's/.*\(pruned at epoch 1: .* of \([234]\), only.*\)/\2 \1/p'
}
alive() {
	squeue -h -r -j "$(array_of job)" -t R -o %K | sort | xargs
}
after() {
	torn "$STFM_DIR/jobs/job"
	for value in $(values); do
		case " $want " in
		*" $value "*) ;;
		*) echo "invented: $value" ;;
		esac
	done
	case " $(asked) " in
	*" 0 "*) echo "to be stopped: $(asked)" ;;
	esac
	[ -n "$(asked)" ] || [ "$(alive)" = "0 1 2 3" ] || is_error ||
		echo "cancelled without a reason"
	known=$(values | wc -w)
	reasons | while read -r compared reason; do
		[ "$compared" -le "$known" ] ||
			echo "$reason: but $known values are recorded"
	done
	[ "$(requests | wc -l)" = "$(reasons | wc -l)" ] ||
		echo "stopped without a reason: $(requests)"
}
again() {
	stfm-watch -1Q
	stfm-watch -1Q
}
holds() {
	[ "$(values)" = "$want" ] || echo "in the end: $(values)"
	[ "$(asked)" = "1 2 3" ] || echo "in the end to be stopped: $(asked)"
}

is_over() {
	[ "$(states job)" = RTTT ]
}
check_store() {
	is_over || echo "store.$number: $(states job)"
	# By three values, if the log of one could not be read in that pass.
	row job 3 .cause | grep -Eqx "pruned at epoch 1: 0[.]2 is (3rd of [34]|\
2nd of 3), only the best continues [(]0[.][34] or better[)]" ||
		echo "store.$number: $(row job 3 .cause)"
	[ "$(sort "$count.$number" | xargs)" = "0 1 2 3" ] ||
		echo "store.$number: trained: $(sort "$count.$number" | xargs)"
	scancel "$(array_of job)"
	poll 60 is_gone || echo "store.$number: still runs"
}
is_gone() {
	[ -z "$(squeue -h -j "$(array_of job)")" ]
}
settle() {
	settle_stores 180 is_over check_store
}

# A run that is told to end goes on for that, and then judges itself, too.
at_work='/(run|usage|ctl)/' most=${FAULT_MOST:-3} fault_cap=600
sample "kill alone EIO ESTALE ENOSPC+ EROFS link+"
sweep "stfm-watch, search" "$kinds" stfm-watch -1
remove_rest

## The run that judges itself

# Memory is refused only to programs that are linked for it.
all_kinds=$kinds kinds=${kinds% memory memory+}
runner=$bin/../libexec/stfm-run
export STFM_DIR="$disk/store" COUNT="$tap_dir/count.run"
cat >alone.sh <<'END'
#!/bin/sh
printf 'epoch,acc\n1,0.1\n2,0.9\n' >"$STFM_METRICS"
echo begun >>"$COUNT"
sleep 15
echo whole >>"$COUNT"
END
chmod +x alone.sh
stfm-submit -Q --hold --usage=no --gres=none --args=none --metric acc \
	--epochs 9 --pruner asha,first=1 -J job x=1,2,3 -- "$PWD/alone.sh" ||
	exit 99
printf '%s\n' 'of|job' 'fact|1|R1=0.5' 'fact|2|R1=0.6' |
	"$fixture" "$STFM_DIR" || exit 99
job=$STFM_DIR/jobs/job
id=$(jq -r .id "$job/job.json")
array=$(array_of job)
template "$STFM_DIR"
unset SLURM_CONF STFM_SANDBOX
export SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID="$array"

fresh() {
	restore
	: >"$COUNT"
}
run() {
	SLURM_RESTART_COUNT=$1 "$runner" "$job" "$id" c00000.0
}
# No task is ended by its search without a recorded reason.
after() {
	torn "$job"
	case $(values) in
	"1.0.0.R1=0.5 2.0.0.R1=0.6" | \
		"0.0.0.R1=0.1 1.0.0.R1=0.5 2.0.0.R1=0.6") ;;
	*) echo "values: $(values)" ;;
	esac
	case $(asked)$(facts_of "$job") in
	*000000.*.E143*)
		[ "$(asked)" = 0 ] || is_error || echo "ended without a reason" ;;
	esac
}
again() {
	run 1
	return 0
}
holds() {
	[ "$(asked)" = 0 ] || grep -q whole "$COUNT" ||
		echo "neither stopped nor trained: $(values)"
	case $(values) in
	*0.0.?.R1=0.1*) ;;
	*) echo "in the end: $(values)" ;;
	esac
}
settle() { :; }
# The shell of the training ends with 2 if its own file cannot be opened.
roots="-r $STFM_DIR" at_work='' own_status="2 143" fault_cap=200
sample "kill alone EIO ENOSPC+ link+"
sweep "stfm-run, search" "$kinds" "$runner" "$job" "$id" c00000.0

## The run that chooses a point

unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_JOB_ID
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$disk/points" COUNT="$tap_dir/count.points"
# No two calls of this sampler print the same.
cat >sampler.sh <<'END'
#!/bin/sh
printf 'x,y\n%s,sgd\n' "0.$(date +%N)"
END
cat >short.sh <<'END'
#!/bin/sh
echo "$*" >>"$COUNT"
printf 'epoch,acc\n1,0.%s\n' "$STFM_TASK" >"$STFM_METRICS"
END
chmod +x sampler.sh short.sh
# choosing JOB SAMPLER: no two points of this space are equal.
choosing() {
	stfm-submit -Q --usage=no --gres=none --args=none --metric acc \
		--epochs 1 --pruner none -J "$1" --search 12 --parallel 11 \
		--sampler "$2" x=uniform:0:1 y=adam,sgd -- \
		"$PWD/short.sh" "{x}	{y}" || exit 99
}
choosing job "$PWD/sampler.sh"
choosing tuned tpe
stfm-hold -Q job/11 tuned/11 || exit 99
is_alone() {
	[ "$(squeue -h -r -j "$(array_of job),$(array_of tuned)" |
		wc -l)" = 2 ]
}
poll 60 is_alone || exit 99
stfm-watch -1Q || exit 99
template "$STFM_DIR"
unset SLURM_CONF STFM_SANDBOX
export SLURM_ARRAY_TASK_ID=11

# The point of a task, as its fact has it.
point_of() {
	cat "$job/run/000/0000$1.0.0.P" "$job"/pack/p.* 2>"$tap_dir/none" |
		grep "/0000$1.0.0.P\"" | jq -r .point
}
run() {
	SLURM_RESTART_COUNT=$1 "$runner" "$job" "$id" c00000.0
}
after() {
	torn "$job"
	recorded=$(point_of 11)
	[ -z "$(cat "$COUNT")" ] || [ "$(cat "$COUNT")" = "$recorded" ] ||
		echo "trained $(cat "$COUNT"), but recorded: $recorded"
}
again() {
	run 1
	return 0
}
holds() {
	now=$(point_of 11)
	[ -n "$now" ] && [ "$(printf '%s\n' "$now" | wc -l)" = 1 ] ||
		echo "points in the end: $now"
	[ -z "$recorded" ] || [ "$recorded" = "$now" ] ||
		echo "another point than before: $now, not $recorded"
	[ "$(sort -u "$COUNT")" = "$now" ] ||
		echo "trained in the end: $(cat "$COUNT"), not $now"
}
# As above, of the shell of the training.
own_status=2 fault_cap=200
for name in job tuned; do
	job=$STFM_DIR/jobs/$name
	id=$(jq -r .id "$job/job.json")
	SLURM_ARRAY_JOB_ID=$(array_of $name)
	export SLURM_ARRAY_JOB_ID
	roots="-r $STFM_DIR"
	sample "kill alone EIO ENOSPC link+" 3
	sweep "stfm-run, point of $name" \
		"$kinds" "$runner" "$job" "$id" c00000.0
done

## The pass that takes in points and packs them

job=$STFM_DIR/jobs/tuned
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_JOB_ID
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
restore
stfm-stop -Q tuned/11
points() {
	stfm-status --no-refresh -o points tuned
}
points | sed '/^	*$/d' >want
is "a point for each task that has trained" 12 "$(wc -l <want)"
is "and a fact" 11 "$(facts_of "$job" | grep -c 'P$')"
facts_of "$job" >known
rm -r "$job/fold"
mkdir -m 700 "$job/fold"
find "$job/run" -type f -exec touch -d '-10 minutes' {} +
template "$STFM_DIR"
fresh() { restore; }
after() {
	facts_of "$job" | diff known - | sed 's/^/facts: /'
}
again() { stfm-watch -1Q; }
holds() {
	[ "$(find "$job/run" -name '*.P' | wc -l)" = 0 ] ||
		echo "not all is packed"
	points | sed '/^	*$/d' | diff want - | sed 's/^/points: /'
	rm -r "$job/fold"
	mkdir -m 700 "$job/fold"
	stfm-watch -1Q || echo "from the pack alone: status $?"
	points | sed '/^	*$/d' | diff want - | sed 's/^/from the pack: /'
	[ "$(stfm-ask --again tuned/0-10 | cut -f 2 | uniq -c | xargs)" = \
		"11 same" ] || echo "what the sampler saw is lost"
}
own_status='' kinds=$all_kinds
sample "kill EIO ENOSPC link+" 3
sweep "stfm-watch, points" "$kinds" stfm-watch -1

## stfm-ask

restore
stfm-watch -1Q || exit 99
template "$STFM_DIR"
find "$STFM_DIR" -type f -exec cksum {} + | sort >before
stfm-ask tuned >next
after() {
	[ "$rc" != 0 ] || diff next "$tap_dir/out" | sed 's/^/printed: /'
	find "$STFM_DIR" -type f -exec cksum {} + | sort | diff before - |
		sed 's/^/changed: /'
}
again() { stfm-ask tuned >"$tap_dir/out"; }
holds() {
	diff next "$tap_dir/out" | sed 's/^/in the end: /'
}
without="EACCES EROFS EROFS+ late fsync+ fsyncdir+ write+ link+"
sample "kill EIO ESTALE memory" 3
sweep "stfm-ask" "$kinds" stfm-ask tuned

done_testing
