#!/bin/sh
# stfm-watch where there is no Slurm: slurm-watch.t has the rest.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"

refused "no store" "$STFM_DIR: no store here" stfm-watch
mkdir "$STFM_DIR"
refused "a directory that is none" "not a store of stfm" stfm-watch
refused "an interval of nothing" "--interval: 0 is not between 1 and 86400" \
	stfm-watch --interval 0
refused "an interval that is no number" "-i: 'x' is not a whole number" \
	stfm-watch -i x

# ---- packing ----

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
rm -r "$STFM_DIR"
{
	echo 'job|small|x=1..12'
	for i in 0 1 2 3 4 5 6 7 8 9 10; do
		echo "fact|$i|S|node=n1|time=-900"
		echo "fact|$i|E$((i % 2))|exit=$((i % 2))|time=-800"
	done
	echo 'end'
} | "$fixture/tests/store-fixture" "$STFM_DIR"
job=$STFM_DIR/jobs/small
# What the line about the job says in its newest table.
head_of() {
	find "$job/fold" -name 'state.*' | sort -V | tail -1 |
		xargs head -1 | jq -r "$1"
}
age() {
	find "$job/run" -type f -exec touch -d '3 minutes ago' {} +
}

stfm-watch -1 -Q
is "the facts give the states" "FEFEFEFEFEFS" \
	"$(head_of .states)"
age
stfm-watch -1 -Q
is "few facts stay as they are while a task is open" 22 \
	"$(find "$job/run" -type f | wc -l)"
printf '%s\n' 'job|over|x=1..2' 'fact|0|S|time=-900' 'fact|1|S|time=-900' \
	'fact|0|E0|exit=0|time=-800' 'fact|1|E0|exit=0|time=-800' end |
	"$fixture/tests/store-fixture" "$STFM_DIR"
job=$STFM_DIR/jobs/over
stfm-watch -1 -Q
is "facts that may not be seen everywhere yet stay" 4 \
	"$(find "$job/run" -type f | wc -l)"
age
stfm-watch -1 -Q
is "a job that is over is packed" 0 "$(find "$job/run" | sed 1d | wc -l)"
is "its facts are in one file" "4" "$(grep -c '"n":' "$job"/pack/p.*.jsonl)"
is "its table says so" "$(basename "$job"/pack/*)" \
	"$(head_of '.packs[]')"
before=$(stfm-status --no-refresh -o tsv over)
rm "$job"/fold/*
stfm-watch -1 -Q
is "and it is made from the pack again" "$before" \
	"$(stfm-status --no-refresh -o tsv over)"
like "a fact in a pack is as good as any" "FINISHED" "$before"

## On a full disk

printf '%s\n' 'job|full|x=1' 'chunk|0|4102' \
	'fact|0|S|node=n1|time=-900|slurm=4102_0' \
	'fact|0|E3|exit=3|time=-800|node=n1' end |
	"$fixture/tests/store-fixture" full
rm -f full/jobs/full/fold/*
mkfifo pipe
cat pipe >said &
# No file can get longer than nothing.
(
	ulimit -f 0
	trap '' XFSZ
	exec stfm-watch -i 1 -d full >pipe 2>&1
) &
watcher=$!
ok "what cannot be written is said in each pass" poll 20 sh -c \
	'[ "$(grep -c "cannot write" said)" -ge 3 ]'
kill "$watcher"
is "what has changed but once" 1 "$(grep -c "full/0 ERROR exit 3" said)"

done_testing
