#!/bin/sh
# A search whose values are recorded and compared while calls go wrong: no value
# is lost or invented, and each task that is stopped has its reason.
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
# The tasks with a stop request.
asked() {
	cat "$STFM_DIR"/jobs/job/ctl/stop.* 2>"$tap_dir/none" |
		jq -r '.tasks, .also[]?.tasks' | sort -u | xargs
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
	case $(asked) in
	"" | "1 2 3") ;;
	*) echo "to be stopped: $(asked)" ;;
	esac
	[ -n "$(asked)" ] || [ "$(alive)" = "0 1 2 3" ] || is_error ||
		echo "cancelled without a reason"
	[ -z "$(asked)" ] || [ "$(values)" = "$want" ] ||
		echo "judged by these values only: $(values)"
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
	[ "$(row job 3 .cause)" = "pruned at epoch 1: 0.2 is 3rd of 4, only the \
best continues (0.4 or better)" ] || echo "store.$number: $(row job 3 .cause)"
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
roots="-r $STFM_DIR" at_work='' own_status=143 fault_cap=200
sample "kill alone EIO ENOSPC+ link+"
sweep "stfm-run, search" "$kinds" "$runner" "$job" "$id" c00000.0

done_testing
