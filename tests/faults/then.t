#!/bin/sh
# A pass of stfm-watch that runs the command for the end of a job, each of its
# calls going wrong: it is run once at most, and where nobody knows whether it
# was, that is said.
. "$(dirname "$0")/sweep.sh"

fixture=$top/build/plain/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$disk/store" TOLD="$tap_dir/told"
ctl=$STFM_DIR/jobs/job/ctl

# shellcheck disable=SC2016 # the command's
"$fixture" "$STFM_DIR" <<'END' || exit 99
job|job|x=1,2
set|then=echo "$STFM_EVENT $STFM_IDS" >>"$TOLD"
fact|0|S|node=n1|time=-900
fact|0|E0|start=-900|time=-800
fact|1|S|node=n1|time=-900
fact|1|E1|exit=1|start=-900|time=-800
end
END
stfm-status --refresh job >"$tap_dir/none" 2>&1
# Nobody has queued these.
# shellcheck disable=SC2034 # sweep.sh reads it
known_damage='not there, but it had task'
template "$STFM_DIR"

fresh() {
	restore
	rm -f "$TOLD"
}
runs() {
	[ ! -e "$TOLD" ] || cat "$TOLD"
}
# What is said of the command.
about() {
	grep -e --then "$1"
}
fresh
stfm-watch -1 2>"$tap_dir/said"
is "the pass has a command to run" "finished job" "$(runs)"
is "of which there is nothing to say" "" "$(about "$tap_dir/said")"

after() {
	[ "$(runs | wc -l)" -le 1 ] || echo "at once run twice"
	cp "$tap_dir/said" "$tap_dir/heard"
}
# Two minutes later, and once more.
again() {
	find "$ctl" -name 'told.*' -exec touch -d '-200 seconds' {} +
	stfm-watch -1 2>"$tap_dir/later"
	stfm-watch -1 2>"$tap_dir/last"
	[ $? -eq 75 ]
}
holds() {
	times=$(runs | wc -l)
	[ "$times" -le 1 ] || echo "run $times times"
	[ "$times" -eq 1 ] || about "$tap_dir/heard" >"$tap_dir/none" ||
		about "$tap_dir/later" >"$tap_dir/none" ||
		echo "not run, and nobody says so"
	[ -e "$ctl/mark.then" ] || echo "its end is not recorded"
	about "$tap_dir/last" | sed 's/^/said again: /'
	[ "$rc" -ne 75 ] || about "$tap_dir/heard" >"$tap_dir/none" ||
		about "$tap_dir/later" | sed 's/^/said in vain: /'
}

# shellcheck disable=SC2034 # sweep.sh reads it
roots="-r $STFM_DIR" harmless=$table
sample "kill alone EIO ESTALE+ link+"
sweep "stfm-watch, then" "$kinds" stfm-watch -1

done_testing
