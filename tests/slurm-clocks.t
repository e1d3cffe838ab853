#!/bin/sh
# A node whose clock is an hour off, and an end that was cut: what a task wrote
# is not what Slurm knows of it.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture
begin_slurm -N 1 -c 4 -g 0
export STFM_DIR="$tap_dir/store" GO="$PWD/go" COUNT="$PWD/count"

cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_TASK" >>"$COUNT"
until [ -e "$GO" ]; do sleep 0.1; done
exit "$STFM_PARAM_exit"
EOT
chmod +x train.sh
truth() {
	stfm-status --no-refresh -o tsv job 2>err | sed 1d | cut -f 4,5 |
		sed 's/[	 ]*$//' | tr '\t' ' '
}
becomes() {
	stfm-watch --once -Q job 2>said
	[ "$(truth)" = "$1" ]
}
# Whatever the clocks say, nothing takes less than no time, or an hour.
is_sane() {
	stfm-status --no-refresh --json job |
		jq -e 'all(.[]; .elapsed == null or
			(.elapsed >= 0 and .elapsed < '"$1"'))' >none
}
have_trained() {
	[ "$(sort count | tr '\n' ' ')" = "0 1 " ]
}

: >count
stfm-submit -Q --gres=none -J job exit=0,3 -- ./train.sh
ok "both train" poll 60 have_trained
run=$STFM_DIR/jobs/job/run/000
array=$(jq -r .array "$STFM_DIR/jobs/job/sub/c00000.0.claim")
# As a node would have told them whose clock is ahead, and one that is behind.
rm "$run/000000.0.0.S" "$run/000001.0.0.S"
printf '%s\n' 'of|job' "fact|0|S|node=n1|time=3600|slurm=${array}_0" \
	"fact|1|S|node=n1|time=-3600|slurm=${array}_1" |
	"$fixture" "$STFM_DIR" || exit 99
ok "what started in an hour, or an hour ago, runs" poll 60 becomes "RUNNING
RUNNING"
ok "and for no less than no time" is_sane 7200
: >go
ok "an end an hour before the start is one" poll 60 becomes "FINISHED
ERROR exit 3"
ok "and neither took less than no time" is_sane 7200
stfm-status --no-refresh job >out 2>&1
is "nothing negative is shown" "" "$(grep -E ' -[0-9]' out)"

## An end that was cut

head -c 30 "$run/000001.0.0.E3" >half
cat half >"$run/000001.0.0.E3"
rm -rf "$STFM_DIR/jobs/job/fold"
ok "the end of which half is there still says how it ended" becomes "FINISHED
ERROR exit 3"
like "and is named" "000001.0.0.E3" "$(cat said)"
status "stfm-check knows it, too" 1 stfm-check --store -Q

done_testing
