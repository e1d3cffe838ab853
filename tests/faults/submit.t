#!/bin/sh
# stfm-submit, each of its calls going wrong, and sbatch killed: every task is
# trained once when the work is done again.
. "$(dirname "$0")/sweep.sh"

begin_slurm -N 2 -g 0 -c 64 -o MaxArraySize=3
export STFM_DIR count="$tap_dir/count"
# Where the power is cut, the tasks have to wait until it is back.
export hold="${FAULT_FS:+--hold}"

# Two arrays, in a store of its own for each point.  What is submitted with,
# and what trains:
export more=
want="0 1 2 "
number=0 stores=
prepare() { :; }
fresh() {
	number=$((number + 1))
	STFM_DIR=$disk/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	stores="$stores $STFM_DIR"
	prepare
}
submit() {
	# shellcheck disable=SC2086 # words or none
	stfm-submit -Q $hold $more --gres=none -J job x=1,2,3 -- \
		code/train.sh "$count.${STFM_DIR##*.}"
}
resume() {
	stfm-submit -Q --queue-rest job
}

# What failed says what to do when the job is there, and only then.
after() {
	[ "$rc" -ne 0 ] && is_error || return 0
	case $kind in memory*) return ;; esac
	grep -q 'stfm-status shows whether' "$tap_dir/said" && return
	if [ -d "$STFM_DIR/jobs/job" ]; then
		grep -Eq -- '--(queue-rest|remove) job$' "$tap_dir/said" ||
			echo "status $rc, and not said to be there"
	elif grep -q -- '--queue-rest' "$tap_dir/said"; then
		echo "said to be there"
	fi
}
# As its messages and the page say; two minutes are over before the last try.
again() {
	if [ "$rc" -eq 0 ]; then
		return 0
	fi
	[ -d "$STFM_DIR/jobs/job" ] || {
		submit
		return
	}
	resume && return
	[ $? -eq 75 ] || return
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	resume
}
# What Slurm was not asked to wait for a watcher queues, as was said.
end_all() {
	squeue -h -o '%A %r' | sed -n 's/ JobHeldUser$//p' | sort -u |
		xargs -r scontrol release
	poll 60 idle || echo "the queue does not end"
}
settle() {
	end_all
	[ "$want" = "0 1 2 " ] || {
		for STFM_DIR in $stores; do
			stfm-watch -1Q
		done
		end_all
	}
	for STFM_DIR in $stores; do
		jq -r .array "$STFM_DIR"/jobs/job/sub/*.claim >>"$tap_dir/claimed"
		trained=$(sort "$count.${STFM_DIR##*.}" | tr '\n' ' ')
		[ -d "$STFM_DIR" ] || {
			echo "$STFM_DIR: nothing there"
			continue
		}
		[ "$trained" = "$want" ] || echo "$STFM_DIR: trained: $trained"
		case $want$(sed 1q "$count.${STFM_DIR##*.}") in
		"0 1 2 first "[0-9]) echo "$STFM_DIR: did not wait" ;;
		esac
		stfm-watch -1Q >"$tap_dir/said" 2>&1 || sed 1q "$tap_dir/said"
		[ "$(stfm-status -o json job | jq -r '.[].state' | tr '\n' ' ')" = \
			"FINISHED FINISHED FINISHED " ] ||
			echo "$STFM_DIR: $(stfm-status job)"
		rm -rf "$STFM_DIR" "$count.${STFM_DIR##*.}"
	done
	stores=
	squeue -h -t all -n job -o %F | sort -u >"$tap_dir/arrays"
	sort -u "$tap_dir/claimed" | comm -13 - "$tap_dir/arrays" |
		sed 's/^/an array that nobody knows: /'
}
idle() {
	[ -z "$(squeue -h)" ]
}

cat >submit-again <<'END'
#!/bin/sh
exec stfm-submit -Q $hold $more --gres=none -J job x=1,2,3 -- \
	code/train.sh "$count.${STFM_DIR##*.}"
END
# The code is copied: without any part of it no task would train.
mkdir code
cat >code/train.sh <<'END'
#!/bin/sh
. code/where.sh
echo "$STFM_TASK" >>"$to"
END
echo 'to=$1' >code/where.sh
chmod +x submit-again code/train.sh
# It asks for memory some thousand times.
fault_cap=500 at_work='/(run|usage)/'
sweep stfm-submit "$kinds rename+" ./submit-again

# What they share with that is not tried again.
[ "$kinds" = cut ] ||
	kinds="kill alone EIO ENOSPC ESTALE+ fsync+ link+ memory rename+"
sample "kill EIO" 2

# Tasks beside each other, where they ask for the same.
more="--pack 2 --zip x,@mem @mem=100M,100M,200M"
sweep "stfm-submit --pack" "$kinds" ./submit-again

# A job that waits for another, whose task is to train first.
more="--after first" want="0 1 2 first "
prepare() {
	stfm-submit -Q --hold --gres=none -J first x=1 -- \
		sh -c 'echo first >>"$1"' - "$count.$number"
}
sweep "stfm-submit --after" "$kinds" ./submit-again

done_testing
