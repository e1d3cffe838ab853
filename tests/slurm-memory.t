#!/bin/sh
# Out of memory, with memory cgroups, which only root can have; and what the
# rules do about that, and about a time limit, when Slurm itself says so.
. "$(dirname "$0")/tap.sh"

[ "$(id -u)" -eq 0 ] || skip_all "only root has cgroups"
grep -qw memory /proc/cgroups || skip_all "no memory cgroups here"

start() {
	stfm-sandbox start -Q -N 1 -c 4 -g 0 -d "$tap_dir/slurm" \
		-o SelectTypeParameters=CR_Core_Memory -o DefMemPerCPU=100
}
start || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$tap_dir/store"

# The sandbox as root of a cluster would set it up.
run=$tap_dir/slurm/run
pids="$(cat "$run/n1.pid") $(cat "$run/slurmctld.pid")"
# shellcheck disable=SC2086 # words
kill $pids
gone() {
	[ ! -e "$run/n1.pid" ] && [ ! -e "$run/slurmctld.pid" ]
}
poll 20 gone
printf '%s\n' CgroupAutomount=yes ConstrainRAMSpace=yes \
	ConstrainSwapSpace=yes >"$tap_dir/slurm/cgroup.conf"
sed -i 's,^ProctrackType=.*,ProctrackType=proctrack/cgroup\
TaskPlugin=task/cgroup,' "$SLURM_CONF"
start >start.out 2>&1 || skip_all "no slurmd with cgroups here"

cat >eat.py <<'EOT'
import time
hoard = []
for i in range(40):
    hoard.append(b"x" * (10 << 20))
    time.sleep(0.02)
time.sleep(60)
EOT
cat >script.sh <<'EOT'
#!/bin/sh
echo begins
python3 eat.py
EOT
chmod +x script.sh
submit() {
	stfm-submit -Q --gres=none --no-snapshot --mem=60M "$@"
}
cat >again.sh <<'EOT'
#!/bin/sh
[ "$STFM_ATTEMPT" = 0 ] || exit 0
exec "$@"
EOT
chmod +x again.sh
# Limits are looked at every half minute: let this one wait meanwhile.
submit -J slow -t 1 --retry-time 2,n=1 --args=none -- ./again.sh sleep 600
submit -J more --retry-oom 1.5,n=1 --args=none -- ./again.sh python3 eat.py
runs() {
	squeue -h -n "$1" -t R -o %i | grep -q .
}
poll 20 runs slow
scontrol update JobId="$(squeue -h -n slow -o %F)_0" EndTime=now
submit -J eats -- python3 eat.py
submit -J wrapped -- ./script.sh
submit -J fine --args=none i=1,2 -- sleep 600
submit -J enough --args=none -- python3 -c 'print("fits")'
stfm-stop -Q fine
cause() {
	stfm-watch --once -Q "$1" 2>/dev/null
	stfm-status --no-refresh --json "$1/0" | jq -r '.[0] |
		"\(.state) \(.cause)"'
}
becomes() {
	[ "$(cause "$1")" = "$2" ]
}
is_stopped() {
	cause "$1" | grep -q "^STOPPED "
}
ok "a training that takes too much: OUT_OF_MEMORY" \
	poll 30 becomes eats "ERROR OUT_OF_MEMORY"
ok "also when it is a script that tells it by its code alone" \
	poll 30 becomes wrapped "ERROR OUT_OF_MEMORY"
is "which is on record" "XOUT_OF_MEMORY" \
	"$(find "$STFM_DIR/jobs/wrapped/run" -name '*.X*' | sed 's/.*\.//')"
ok "one that was stopped is STOPPED" poll 30 is_stopped fine
ok "one that fits is FINISHED" poll 30 becomes enough "FINISHED null"

again() {
	stfm-watch --once -Q "$1" 2>/dev/null
	stfm-status --no-refresh --json "$1/0" | jq -e \
		'.[0] | .state == "FINISHED" and .attempt == 1'
}
first_end() {
	find "$STFM_DIR/jobs/$1/run" -name '000000.0.*.X*' | sed 's/.*\.//'
}
options() {
	jq -r '"\(.why) \(.options | tostring)"' \
		"$STFM_DIR/jobs/$1/sub/c00001.0.intent"
}
ok "--retry-oom: it is queued again and trains" poll 30 again more
is "because Slurm said so" XOUT_OF_MEMORY "$(first_end more)"
like "with more memory" '^retry-oom .*"--mem=90M"' "$(options more)"
ok "--retry-time, too" poll 60 again slow
is "because its time was up" XTIMEOUT "$(first_end slow)"
like "with more time" '^retry-time .*"--time=' "$(options slow)"
done_testing
