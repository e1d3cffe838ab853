#!/bin/sh
# stfm-submit --sync, each of its calls going wrong: when it is done again, what
# is new is trained once, what is dropped is over, and all else is as it was.
. "$(dirname "$0")/pool.sh"

# Where the power is cut no task runs meanwhile, as it would lose its store.
export hold="${FAULT_FS:+--hold}"
goes_on=RUNNING ran="1.0=wait "
[ -z "$hold" ] || goes_on=SUBMITTED ran=

cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_TASK.$STFM_ATTEMPT=$STFM_PARAM_x" >>"$1"
[ "$STFM_PARAM_x" != wait ] || exec sleep 600
END
chmod +x train.sh
# shellcheck disable=SC2086 # a word or none
submit() {
	stfm-submit -Q $hold --gres=none --no-snapshot --usage=no -J job \
		"$@" -- "$PWD/train.sh" "$count.${STFM_DIR##*.}"
}
# A task of each job has ended, and one goes on.
began() {
	stfm-watch -1Q
	[ "$(stfm-status --no-refresh -o json job | jq -r '.[].state' |
		tr '\n' ' ')" = "FINISHED $goes_on " ]
}

make_store() {
	submit x=1,wait || exit 99
	[ -z "$hold" ] || scontrol release "$(array_of job)_0"
}
make_ready() {
	for at in "$@"; do
		STFM_DIR=$disk/store.$at
		poll 60 began || exit 99
	done
}

# The command again, when Slurm has had its time.
again() {
	[ "$rc" -eq 0 ] && return
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	submit --sync x=1,2,3
}
settle() {
	# Of each array a task has ended.
	[ -z "$hold" ] || squeue -h -o %A | sort -u |
		xargs -r scontrol release >"$tap_dir/none" 2>&1
	for number in $stores; do
		STFM_DIR=$disk/store.$number
		poll 60 over || echo "store.$number: $(stfm-status job)"
		trained=$(sort "$count.$number" | tr '\n' ' ')
		[ "$trained" = "0.0=1 ${ran}2.0=2 3.0=3 " ] ||
			echo "store.$number: trained: $trained"
		[ "$(ls "$STFM_DIR/jobs/job/ext" | tr '\n' ' ')" = "1 " ] ||
			echo "store.$number: $(ls "$STFM_DIR/jobs/job/ext")"
		rm -rf "$STFM_DIR" "$count.$number"
	done
	stores=
}
over() {
	stfm-watch -1Q >"$tap_dir/said" 2>&1 || :
	[ "$(stfm-status --no-refresh -o json job | jq -r '.[].state' |
		tr '\n' ' ')" = "FINISHED STOPPED FINISHED FINISHED " ]
}

cat >sync <<'END'
#!/bin/sh
exec stfm-submit -Q $hold --gres=none --no-snapshot --usage=no -J job \
	--sync x=1,2,3 -- "$PWD/train.sh" "$count.${STFM_DIR##*.}"
END
chmod +x sync
# What it shares with stfm-submit is tried there.
[ "$kinds" = cut ] ||
	kinds="kill alone EIO ENOSPC ESTALE+ fsync+ link+ memory rename+"
fault_cap=400 at_work=/run/ harmless=$table
sweep "stfm-submit --sync" "$kinds" ./sync

scancel --me
remove_rest
done_testing
