#!/bin/sh
# A pass that has to queue and let go jobs that waited for others, each of its
# calls going wrong: they train once, and what still waits does not.
. "$(dirname "$0")/pool.sh"

cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB.$STFM_TASK" >>"$1"
END
chmod +x train.sh
submit() {
	stfm-submit -Q --gres=none "$@" || exit 99
}
# Slurm does not know what a rule would queue again: a watcher waits for it.
ruled="--requeue=1 -t 10 --signal-before 60"
make_store() {
	# shellcheck disable=SC2086 # words of options
	submit --hold $ruled -J good x=1 -- true
	# shellcheck disable=SC2086 # words of options
	submit --hold $ruled -J bad x=1 -- false
	# shellcheck disable=SC2016 # the command's
	submit --hold -J sorry x=1 -- sh -c 'exit $((STFM_ATTEMPT == 0))'
	submit -J late --after good,bad x=1,2 -- \
		"$PWD/train.sh" "$count.$made"
	submit -J vain --after bad:ok x=1 -- \
		"$PWD/train.sh" "$count.$made"
	submit -J strict --after sorry:ok x=1 -- \
		"$PWD/train.sh" "$count.$made"
	scontrol release "$(array_of good)" "$(array_of bad)" \
		"$(array_of sorry)"
}
# What they wait for is over; what failed was trained again.
is_over() {
	stfm-watch -1Q good bad sorry
	[ "$(states good)$(states bad)$(states sorry)" = "$1" ]
}
is_ready() {
	is_over FEF && dependency strict | grep -q DependencyNever
}
dependency() {
	squeue -h -n "$1" -j "$(array_of "$1")" -o %r
}

[ "$fault_size" != ci ] || pool=4
make_ready() {
	for at in "$@"; do
		STFM_DIR=$disk/store.$at
		poll 60 is_over FEE || exit 99
		stfm-restart -Q sorry || exit 99
		scontrol release "$(array_of sorry c00001.0)"
	done
	for at in "$@"; do
		STFM_DIR=$disk/store.$at
		poll 60 is_ready || exit 99
	done
}

after() {
	[ "$rc" -eq 0 ] || return 0
	[ -e "$STFM_DIR/jobs/late/sub/c00000.0.claim" ] ||
		echo "status 0, but what comes later is not queued"
	case $(dependency strict) in
	*Dependency*) echo "status 0, but it still waits" ;;
	esac
}
has_ended() {
	[ "$(states late) $(states strict) $(states vain)" = "FF F S" ]
}
# Slurm cannot start what it takes while the disk is away: that fails.
not_started() {
	stfm-status -o jsonl late strict | jq -r 'select(.state == "ERROR" and
		(.cause | startswith("launch failure"))) | "\(.job)/\(.task)"'
}
is_done() {
	stfm-watch -1Q
	for failed in $(not_started); do
		stfm-restart -Q "$failed"
	done
	has_ended
}
# The next passes of the watcher, the last one two minutes later.
again() {
	stfm-watch -1Q
	find "$STFM_DIR"/jobs/*/sub -type f -exec touch -d '-200 seconds' {} +
	stfm-watch -1Q
	# The next cut is not to find them running.
	[ "$kind" != cut ] || poll 60 is_done
}
holds() {
	rc=0
	after
}
check_store() {
	trained=$(sort "$count.$number" | tr '\n' ' ')
	[ "$trained" = "late.0 late.1 strict.0 " ] ||
		echo "store.$number: trained: $trained"
	[ -z "$(find "$STFM_DIR/jobs/vain/sub" -type f)" ] ||
		echo "store.$number: what waits in vain was queued"
}
settle() {
	settle_stores 60 has_ended check_store
}

at_work='/(run|usage)/' most=${FAULT_MOST:-3} fault_cap=400 harmless=$table
sample "kill EIO" 1
sweep "stfm-watch, after" "$kinds" stfm-watch -1

remove_rest
done_testing
