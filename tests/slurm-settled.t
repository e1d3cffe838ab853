#!/bin/sh
# Jobs that are over, on a real Slurm: a pass over all jobs leaves them alone
# until something changes, and then sees it.
. "$(dirname "$0")/tap.sh"

if [ -n "$SANITIZE" ] || ! strace -o /dev/null true 2>/dev/null; then
	skip_all "strace shows which jobs are opened"
fi
fixture=$top/build/plain/tests/store-fixture
begin_slurm -N 1 -g 0 -c 4 -o MinJobAge=2
export STFM_DIR="$tap_dir/store" TZ=UTC

shown() {
	stfm-status -o tsv "$@" 2>&1
}
same() {
	is "$1" "$(shown --find '' | sort)" "$(shown | sort)"
}
states() {
	shown --find '' | awk -F'\t' -v job="$1" '$1 == job { print $5, $6, $7,
		$8, $9 }'
}

# Jobs that a pass opens.
seen() {
	strace -f -o trace stfm-watch --once -Q "$@" >said 2>&1
	sed -n 's/.*openat([^,]*, "\(real\|k[0-9]*\)", .*/\1/p' trace |
		sort -u | tr '\n' ' '
}

# Whether a pass finds nothing to do in any job, once facts have been packed
# and what is left over has been removed.
rests() {
	find "$STFM_DIR"/jobs/*/run -type f -exec touch -d '1 hour ago' {} +
	touch -d '2 hours ago' "$STFM_DIR/trash"
	stfm-watch --once -Q "$@" >/dev/null 2>&1
	[ -z "$(seen "$@")" ] && return
	sleep 1 # some of this takes a minute or two
	false
}

stfm-submit -Q --gres=none --args=none -J real seed=1..3 -- true
status "three tasks are trained" 0 stfm-watch -Q -i 1 real
seq 40 | while read -r n; do
	printf '%s\n' "job|k$n|seed=1" \
		'task|0|FINISHED|node=n1|start=-90|end=-40|exit=0' end
done | "$fixture" "$STFM_DIR"
ok "passes leave jobs alone that are over" poll 60 rests
same "the list is as it is without them"
is "nor does it change" "0 0 3 0 0" "$(states real)"

# ---- what is seen ----

restarted() {
	[ "$(states real)" = "0 0 3 0 0" ]
}
ok "a job is restarted" stfm-restart -Q --finished real/1
same "which is shown"
like "and seen" "real" "$(seen)"
ok "it is over again" poll 60 restarted
same "and shown so"
ok "it is left alone again" poll 60 rests

ok "a job gets points" stfm-submit -Q --sync --gres=none --args=none -J real \
	seed=1..4 -- true
same "which are shown"
like "and seen" "real" "$(seen)"
synced() {
	stfm-watch --once -Q
	[ "$(states real)" = "0 0 4 0 0" ]
}
ok "they are trained" poll 60 synced
ok "it is left alone once more" poll 60 rests

stfm-set -Q --metric loss k1 >/dev/null 2>&1
like "other settings are seen" "k1 " "$(seen)"
same "and shown"
printf '%s\n' 'of|k2' 'fact|0|S|attempt=0|restart=1|node=n1' |
	"$fixture" "$STFM_DIR"
like "so is a fact of a run that nobody knew" "k2 " "$(seen)"
same "what it says is shown"
ok "and the others are left alone" [ "$(seen | wc -w)" -le 2 ]
echo '{}' >"$STFM_DIR/jobs/k3/ctl/stop.0000000000000000"
like "a damaged request is seen" "k3 " "$(seen)"
like "and named, each time" "k3.*damaged" "$(
	seen >/dev/null
	cat said
)"
rm "$STFM_DIR/jobs/k3/ctl/stop.0000000000000000"
printf X | dd of="$STFM_DIR/jobs/k4/job.json" bs=1 seek=30 conv=notrunc \
	2>/dev/null
like "so is a damaged record" "k4/job.json: damaged" "$(
	seen >/dev/null
	cat said
)"
stfm-check --store --repair k4 >/dev/null 2>&1
same "after a repair"
for file in "$STFM_DIR"/jobs/k5/fold/*; do
	printf X | dd of="$file" bs=1 seek=30 conv=notrunc 2>/dev/null
done
like "a damaged table is seen" "k5 " "$(seen)"
same "and made again"
rm -rf "$STFM_DIR/jobs/k6/fold"
like "one that is gone, too" "k6 " "$(seen)"
same "with the same result"
ok "a job is removed" stfm-stop -Q --remove k7
same "and is not shown"
mkdir -p old/tried/1
stfm-import -Q -J k7 old >/dev/null 2>&1
same "an imported job, or none"

# ---- Slurm ----

ok "all is left alone" poll 60 rests
array=$(sed -n 's/.*"array":\([0-9]*\).*/\1/p' \
	"$STFM_DIR"/jobs/real/sub/c00000.0.claim)
ok "there was an array" [ -n "$array" ]
token=$(sed -n 's/.*"token":"\([^"]*\)".*/\1/p' \
	"$STFM_DIR"/jobs/real/sub/c00000.0.intent)
sbatch -Q -H --comment "$token" --wrap true >/dev/null
is "a job is seen while Slurm mentions it" "real " "$(seen)"
scancel --user "$(id -un)"
ok "and no longer" poll 60 rests

# ---- hooks ----

hook="echo >>$PWD/told"
touch -d '1 hour ago' "$STFM_DIR"/jobs/*/job.json
ok "a new hook looks at all jobs" \
	[ "$(seen --on finished "$hook" | wc -w)" -gt 35 ]
ok "then it leaves them alone" poll 30 rests --on finished "$hook"
ok "it is not told of jobs that were over" [ ! -e told ]
ok "without it they are, too" poll 30 rests

# ---- a signal ----

# The command for the first job that is told ends the watch.
hook="echo >>$PWD/told; [ -e $PWD/last ] || kill \$(cat $PWD/watch)"
stfm-watch --once -Q --on finished "$hook" >/dev/null 2>&1
rm -f told
seq 40 | while read -r n; do
	printf '%s\n' "job|s$n|seed=1" \
		'task|0|FINISHED|node=n1|start=-90|end=-40|exit=0' end
done | "$fixture" "$STFM_DIR"
find "$STFM_DIR"/jobs/s*/run -type f -exec touch -d '1 hour ago' {} +
stfm-watch --once -Q >/dev/null 2>&1 # their facts are packed
touch -d '2 hours ago' "$STFM_DIR/trash"
stfm-watch --once -Q >/dev/null 2>&1
sleep 5 # so that they can be recorded
sh -c 'echo $$ >watch; exec stfm-watch -Q -i 1 --on finished "$1"' sh "$hook" \
	>/dev/null 2>&1
ok "a signal ends a watch while it tells hooks" \
	[ "$(wc -l <told)" -lt 40 ]
: >last
stfm-watch --once -Q --on finished "$hook" >/dev/null 2>&1
is "the next one tells the others" 40 "$(wc -l <told)"

# ---- two at once ----

stfm-watch --once -Q &
stfm-watch --once -Q &
stfm-set -Q --tag two k10 >/dev/null 2>&1 &
wait
same "passes and changes at once"
is "one record is left" 1 "$(find "$STFM_DIR/fold" -name 'settled.*' | wc -l)"

done_testing
