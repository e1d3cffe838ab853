#!/bin/sh
# stfm-restart, each of its calls going wrong: a task that failed and one that
# is LOST have one new attempt in the end, and train once in it.
. "$(dirname "$0")/pool.sh"

export hold="${FAULT_FS:+--hold}" STFM_GRACE=1

cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_TASK.$STFM_ATTEMPT" >>"$1"
exit $((STFM_ATTEMPT == 0))
END
chmod +x train.sh
idle() { # but for what earlier points have left held
	! squeue -h -o %r | grep -qv Held
}
arrays() {
	jq -r '.array // empty' "$STFM_DIR"/jobs/job/sub/*.claim
}
# Another Slurm, which knows of none of these arrays.
stfm-sandbox start -Q -N 1 -g 0 -d "$tap_dir/other" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/other"'
other=$(eval "$(stfm-sandbox env -d "$tap_dir/other")" && echo "$SLURM_CONF")
cause() {
	stfm-status "$@" -o json job/1 | jq -r '.[0].cause'
}
is_lost() {
	SLURM_CONF=$other stfm-watch -1Q && [ "$(cause --no-refresh)" = LOST ]
}

pool=20
make_store() {
	stfm-submit -Q --hold --gres=none -J job x=1,2 -- "$PWD/train.sh" \
		"$count.$made" || exit 99
	scontrol release "$(arrays)_0" || exit 99
}
make_ready() {
	poll 60 idle || exit 99
	for at in "$@"; do
		STFM_DIR=$disk/store.$at
		arrays >>"$tap_dir/claimed"
		poll 60 is_lost || exit 99
		# What is LOST and still held is cancelled.
		stfm-watch -1Q 2>"$tap_dir/none"
		[ "$(cause --no-refresh)" = LOST ] || exit 99
	done
}

# Dismissed or not: until there is a new attempt it is what it was.
after() {
	ls "$STFM_DIR/jobs/job/sub/c00001"* >"$tap_dir/none" 2>&1 ||
		[ "$(cause)" = LOST ] || echo "no longer LOST: $(cause)"
}

# The command again, and what it says about a rest that is not queued.
# shellcheck disable=SC2086 # a word or none
again() {
	[ "$rc" -eq 0 ] && return
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	stfm-restart -Q $hold job
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	stfm-submit -Q --queue-rest job
}
settle() {
	for number in $stores; do
		STFM_DIR=$disk/store.$number
		arrays | xargs -r scontrol release
	done 2>/dev/null
	poll 60 idle || echo "the queue does not end"
	for number in $stores; do
		STFM_DIR=$disk/store.$number
		arrays >>"$tap_dir/claimed"
		trained=$(sort "$count.$number" | tr '\n' ' ')
		# The number of an attempt that was taken back is used up.
		new=$((1 + $(grep -l withdrawn "$STFM_DIR"/jobs/job/sub/*.claim |
			wc -l)))
		[ "$trained" = "0.0 0.$new 1.$new " ] ||
			echo "store.$number: trained: $trained"
		stfm-watch -1Q >"$tap_dir/said" 2>&1 || sed 1q "$tap_dir/said"
		ended=$(stfm-status -o json job | jq -r '.[].state' | tr '\n' ' ')
		[ "$ended" = "FINISHED FINISHED " ] || echo "store.$number: $ended"
		rm -rf "$STFM_DIR" "$count.$number"
	done
	stores=
	squeue -h -t all -n job -o %F | sort -u >"$tap_dir/arrays"
	sort -u "$tap_dir/claimed" | comm -13 - "$tap_dir/arrays" |
		sed 's/^/an array that nobody knows: /'
}

fault_cap=400 at_work='/(run|usage)/' harmless=$table
sample "kill alone EIO ENOSPC ESTALE EROFS fsync+ link+"
# shellcheck disable=SC2086 # a word or none
sweep stfm-restart "$kinds" stfm-restart -Q $hold job

# The same with a newer copy of the code: it is there as a whole or not at all,
# and the new attempts ran in it.
fresh() {
	next_store
	echo "# for store $number" >>train.sh
}
after() {
	stfm-check --store | grep -v 'note: ' | sed 's/^/said: /'
	for change in "$STFM_DIR"/jobs/job/change/[0-9]*; do
		[ ! -e "$change" ] || grep -q "for store $number" \
			"$change/code/train.sh" || echo "$change: half a copy"
	done
}
# shellcheck disable=SC2086 # a word or none
again() {
	[ "$rc" -eq 0 ] && return
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	stfm-restart -Q --new-code $hold job
	find "$STFM_DIR/jobs/job/sub" -type f -exec touch -d '-200 seconds' {} +
	stfm-submit -Q --queue-rest job
}
holds() {
	attempt=$(stfm-status --refresh -o json job/0 |
		jq -r '.[0].attempt')
	[ "$attempt" -ge 1 ] || echo "no new attempt"
	[ -e "$STFM_DIR/jobs/job/change/1/change.json" ] || echo "no copy"
}
sample "kill EIO"
# shellcheck disable=SC2086 # a word or none
sweep "stfm-restart --new-code" "$kinds rename+" \
	stfm-restart -Q --new-code $hold job

remove_rest
done_testing
