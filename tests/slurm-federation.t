#!/bin/sh
# A cluster that belongs to a federation: job arrays stay on their cluster.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"
. "$top/tests/dbd.sh"

# shellcheck disable=SC2086 # several options
begin_slurm -N 1 -g 0 $accounts
export STFM_DIR="$tap_dir/store"

accountant() {
	sacctmgr -i -Q "$@" >"$tap_dir/sacctmgr" 2>&1
}
belongs() {
	scontrol show federation | grep -q '^Federation: all'
}
accountant add federation all clusters=sandbox
poll 20 belongs || exit 99

submit() {
	stfm-submit --gres=none --args=none "$@"
}
submit -Q -J fed x=1..3 -- sh -c 'echo "on $SLURM_CLUSTER_NAME"'
array=$(array_of fed)
ok "an id names the cluster" test "$array" -gt 67108864
ok "tasks run here" poll 20 reaches fed FFF
is "each of them" 3 "$(cat "$STFM_DIR"/jobs/fed/log/* | grep -c 'on sandbox')"
ok "a job is held" submit -Q -J kept --hold x=1..3 -- true
ok "a task of it is stopped" stfm-stop -Q kept/1
ok "the others are released" stfm-release -Q kept
ok "and end" poll 20 reaches kept FTF
refused "no task goes to another cluster" \
	"--clusters: only the cluster of this machine can be used" \
	submit -M all -J none x=1 -- true

done_testing
