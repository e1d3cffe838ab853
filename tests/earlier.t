#!/bin/sh
# A store as the first release wrote it, in tests/data/store-1, is read as it
# was, and has nothing that a later one calls damaged.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"
cp -r "$top/tests/data/store-1" "$STFM_DIR" || exit 99
job=$STFM_DIR/jobs/first
# Git keeps no empty ones.
for part in checkpoint ctl ext log metrics pack run; do
	mkdir -p "$STFM_DIR/jobs/first/$part" "$STFM_DIR/jobs/waits/$part"
done

# "first/0 FINISHED 0 0.1" of each task: its attempt, and the best value.
rows() {
	stfm-status --no-refresh -o json "$@" |
		jq -r '.[] | "\(.job)/\(.task) \(.state) \(.attempt) \(.best)"'
}
# But for the program of its tasks, which is not kept here.
damage() {
	stfm-check --store 2>&1 | grep -v stfm-run- |
		grep -e damaged -e 'not there' -e newer
}
reseal() { # FILE: with the checksum of what it has now
	body=$(cat)
	body=${body%,*}
	crc=$(printf %s "$body" | "$top/tests/crc32c.sh")
	printf '%s,\n  "c":"%s"\n}\n' "$body" "$crc" >"$1"
}

states="first/0 FINISHED 0 0.1
first/1 ERROR 1 0.2
first/2 STOPPED 0 0.3
first/3 FINISHED 0 0.4
waits/0 STOPPED 0 null
waits/1 ERROR 0 0.2"
is "its states are as they were" "$states" "$(rows first waits)"
is "nothing of it is damaged" "" "$(damage)"
like "an earlier attempt is there" "^Attempt 0 +ERROR  exit 1  n1 " \
	"$(stfm-status --no-refresh first/1)"
is "its points are" "1 2 3 4" "$(stfm-status --no-refresh -o json first |
	jq -r '.[].x' | paste -sd' ')"

# What a fold says comes from the records, but for what Slurm alone knows.
rm -r "$STFM_DIR/jobs/first/fold" "$STFM_DIR/jobs/waits/fold"
stfm-watch -1Q 2>"$tap_dir/said"
is "without its folds they are made again" \
	"$(echo "$states" | sed 's/^waits.*STOPPED/waits\/0 SUBMITTED/')" \
	"$(rows first waits)"

# ---- a job from before there were extensions ----

rm -r "$job/ext"
like "where they have to be, they are missed" "ext: note: not there" "$(damage)"
sed '/"extends"/d' "$job/job.json" | reseal "$tap_dir/job.json"
cp "$tap_dir/job.json" "$job/job.json"
is "a job from before there were any misses none" "" "$(damage)"

done_testing
