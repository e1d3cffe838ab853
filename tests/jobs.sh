# shellcheck shell=sh disable=SC2154 # what is given
# How jobs stand, by the files of the store in $STFM_DIR.  Sourced after tap.sh
# by the tests that look there.

# What writes facts and tables as programs would.
fixture=$top/build/plain/tests/store-fixture
[ -z "${SANITIZE:-}" ] || fixture=$top/build/sanitize/tests/store-fixture

# The newest table of a job.
newest() {
	ls "$STFM_DIR/jobs/$1/fold" | sort -t. -k2n | tail -1
}
# One letter for each task.
states() {
	head -1 "$STFM_DIR/jobs/$1/fold/$(newest "$1")" | jq -r .states
}
# Whether the states are these after another pass.  What runs by Slurm's word
# alone has not begun: stfm-run tells that.
reaches() {
	stfm-watch --once -Q "$1"
	[ "$(states "$1")" = "$2" ] &&
		! jq -r 'select(.state == "RUNNING") | .facts // 0' \
			"$STFM_DIR/jobs/$1/fold/$(newest "$1")" |
		grep -q '[02468]$'
}
# One member of a task's row.
row() {
	jq -r "select(.task == $2) | $3" \
		"$STFM_DIR/jobs/$1/fold/$(newest "$1")"
}
# The facts whose names match, in order.
facts() {
	find "$STFM_DIR/jobs/$1/run" -type f -name "$2" | sed 's,.*/,,' |
		sort | tr '\n' ' '
}
# Whether they are these.
has_facts() {
	[ "$(facts "$1" "$2")" = "$3" ]
}
# The array that holds the claim of a chunk, the first one by default.
array_of() {
	jq -r .array "$STFM_DIR/jobs/$1/sub/${2:-c00000.0}.claim"
}
# One member of the intent of a chunk.
intent() {
	jq -r "$3" "$STFM_DIR/jobs/$1/sub/$2.intent"
}
# Whether Slurm has nothing of it.
unqueued() {
	[ -z "$(squeue -h -n "$1")" ]
}
# The first run of the first task of a job that is held, of which Slurm knows no
# more after a crash, and which was interrupted.
interrupted_run() {
	printf 'of|%s\nfact|0|S|attempt=0\nfact|0|XPREEMPTED|attempt=0\n' \
		"$1" | "$fixture" "$STFM_DIR"
}
