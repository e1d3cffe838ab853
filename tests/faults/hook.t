#!/bin/sh
# A pass of stfm-watch that tells a command of events, each of its calls going
# wrong: nothing is told twice, and what is lost is said to be.
. "$(dirname "$0")/sweep.sh"

fixture=$top/build/plain/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$disk/store" TOLD="$tap_dir/told"
# shellcheck disable=SC2016 # the command's
hook='echo "$STFM_EVENT $STFM_IDS" >>"$TOLD"'

ended() {
	echo "fact|$1|S|node=n1|time=-900"
	echo "fact|$1|E$2|exit=$2|start=-900|time=-800"
}
{
	echo 'job|old|x=1'
	ended 0 0
	echo end
} | "$fixture" "$STFM_DIR" || exit 99
touch -d '1 hour ago' "$STFM_DIR/jobs/old/job.json"
stfm-watch -1Q --on error,finished "$hook"
{
	echo 'job|new|x=1..3'
	ended 0 0
	ended 1 1
	ended 2 1
	echo end
} | "$fixture" "$STFM_DIR" || exit 99
stfm-watch -1Q
# Nobody has queued these.
# shellcheck disable=SC2034 # sweep.sh reads it
known_damage='not there, but it had task'
template "$STFM_DIR"

tell() { stfm-watch -1 --on error,finished "$hook"; }
fresh() {
	restore
	rm -f "$TOLD"
}
lines() {
	[ ! -e "$TOLD" ] || sort "$TOLD"
}
fresh
tell 2>"$tap_dir/said"
is "the pass has something to tell" "error new/1-2
finished new" "$(lines)"

after() {
	lines | uniq -d | sed 's/^/at once told twice: /'
	grep -v '^stfm-watch: no Slurm here' "$tap_dir/said" >"$tap_dir/heard"
}
again() {
	tell 2>"$tap_dir/later"
	status_again=$?
	[ $status_again -eq 75 ]
}
holds() {
	lines | uniq -d | sed 's/^/told twice: /'
	lines | grep -v ' new' | sed 's/^/is nobody'\''s business: /'
	[ "$(lines | wc -l)" -eq 2 ] || [ -s "$tap_dir/heard" ] ||
		! is_error || echo "kept in the dark: $(lines | paste -sd,)"
}

# shellcheck disable=SC2034 # sweep.sh reads it
roots="-r $STFM_DIR"
# shellcheck disable=SC2086 # words
sweep "stfm-watch, --on" "$kinds" stfm-watch -1 --on error,finished "$hook"

done_testing
