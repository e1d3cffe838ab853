#!/bin/sh
# A pass that has to queue, stop, let go and exclude by the rules of jobs, each
# of its calls going wrong: each rule is kept once, and only for its own tasks.
# Where the power is cut no task runs meanwhile, as it would lose its store.
. "$(dirname "$0")/pool.sh"

fixture=$top/build/plain/tests/store-fixture

# A runner that is killed does not see to the rules itself.
cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB.$STFM_TASK.$STFM_ATTEMPT" >>"$1"
echo "$SLURMD_NODENAME" >>"$1.$STFM_JOB"
case $STFM_JOB.$STFM_TASK.$STFM_ATTEMPT in
hungry.?.0 | slow.?.0) kill -KILL $$ ;;
fails.1.0) exec sleep 600 ;;
nodes.0.0) exit 1 ;;
canary.0.0) printf 'epoch,loss\n1,0.5\n' >"$STFM_METRICS" ;;
esac
case $STFM_JOB.$STFM_TASK in
fails.0 | canary.0) kill -KILL "$PPID" ;;
esac
END
chmod +x train.sh
submit() {
	stfm-submit -Q --gres=none "$@" x=1,2 -- "$PWD/train.sh" \
		"$count.$made" || exit 99
}
# Those that run while a store is made.
first_runs=8
[ -z "${FAULT_FS:-}" ] || first_runs=7
make_store() {
	[ $made = 1 ] || let_run
	submit -J hungry --mem=100 --retry-oom 2,n=1
	submit -J slow -t 5 --retry-time 2,n=1
	if [ -n "${FAULT_FS:-}" ]; then
		submit -J fails --hold --max-fail 1
		scontrol release "$(array_of fails)_0"
	else
		submit -J fails --parallel 1 --max-fail 1
	fi
	submit -J canary --canary
	submit -J nodes --hold --avoid-bad-nodes=1
	scontrol release "$(array_of nodes)_0"
}
# All that is left waits, or is to be stopped.
is_ready() {
	[ "$(grep -c "" "$count.$1")" = "$first_runs" ] &&
		[ "$(squeue -h -r -t R,CG -o %i)" = "$(running)" ]
}
running() {
	squeue -h -r -n fails -t R -o %i
}

# Whether tasks may start, where the power is cut.
let_run() {
	[ -z "${FAULT_FS:-}" ] || scontrol update nodename=n1,n2 state=resume
}
let_none_run() {
	[ -n "${FAULT_FS:-}" ] || return 0
	scontrol update nodename=n1,n2 state=drain reason=cut
	poll 60 none_runs || exit 99
}
none_runs() {
	[ -z "$(squeue -h -t R,CG)" ]
}

make_ready() {
	for at in "$@"; do
		poll 60 is_ready "$at" || exit 99
		STFM_DIR=$disk/store.$at
		printf '%s\n' 'of|hungry' 'fact|0|XOUT_OF_MEMORY' \
			'fact|1|XOUT_OF_MEMORY' 'of|slow' 'fact|0|XTIMEOUT' \
			'fact|1|XTIMEOUT' | "$fixture" "$STFM_DIR" || exit 99
	done
	let_none_run
}

is_held() {
	squeue -h -j "$(array_of canary c00001.0)" -o %r | grep -q JobHeldUser
}
is_alive() {
	squeue -h -j "$(array_of fails)_1" -t R,PD -o %i | grep -q .
}
excluded() {
	scontrol -o show job "$(array_of nodes)" |
		sed -n 's/.* JobState=PENDING .* ExcNodeList=\([^ ]*\) .*/\1/p'
}
was_told() {
	[ "$(excluded)" = "$(sed 1q "$count.$number.nodes")" ]
}
after() {
	is_alive || find "$STFM_DIR/jobs/fails/ctl" -name 'stop.*' | grep -q . ||
		{ is_error && [ "$rc" -ne 0 ]; } || echo "cancelled without a wish"
	[ "$rc" -eq 0 ] || return 0
	! is_held || echo "status 0, but the canary has not let go"
	was_told || echo "status 0, but the node is not excluded: $(excluded)"
}
# The next passes of the watcher, the last one two minutes later.
again() {
	stfm-watch -1Q
	find "$STFM_DIR"/jobs/*/sub -type f -exec touch -d '-200 seconds' {} +
	stfm-watch -1Q
}
holds() {
	! is_held || echo "the canary has not let go"
	was_told || echo "the node is not excluded: $(excluded)"
}

all_states() {
	for of in hungry slow fails canary nodes; do
		states "$of"
	done | tr '\n' ' '
}
is_over() {
	[ "$(all_states)" = "FF FF ET EF EF " ]
}
# Tasks that were queued again: how often they had to be, and what was asked.
attempt_of() {
	echo $((1 + $(grep -l withdrawn \
		"$STFM_DIR/jobs/$1"/sub/*.claim | wc -l)))
}
check_asked() {
	cat "$STFM_DIR/jobs/$1"/sub/*.intent |
		jq -r 'select(.attempt > 0) | .options | join(" ")' |
		grep -vx -e "$2" | sed "s/^/store.$number: $1 asked for: /"
}
# Each task once, those that had too little once more with twice as much.
check_store() {
	is_over || echo "store.$number: $(all_states)"
	again=$(attempt_of hungry) later=$(attempt_of slow) second="fails.1.0 "
	[ -z "${FAULT_FS:-}" ] || second=
	trained=$(sort "$count.$number" | tr '\n' ' ')
	[ "$trained" = "canary.0.0 canary.1.0 fails.0.0 ${second}\
hungry.0.0 hungry.0.$again hungry.1.0 hungry.1.$again \
nodes.0.0 nodes.1.0 slow.0.0 slow.0.$later slow.1.0 slow.1.$later " ] ||
		echo "store.$number: trained: $trained"
	check_asked hungry --mem=200M
	check_asked slow --time=10
	[ "$(sort -u "$count.$number.nodes" | wc -l)" -eq 2 ] ||
		echo "store.$number: nodes: went to the same node"
}
settle() {
	let_run
	for number in $stores; do
		STFM_DIR=$disk/store.$number
		scontrol release "$(array_of nodes)" >/dev/null 2>&1
	done
	settle_stores 180 is_over check_store
}

at_work='/(run|usage)/' most=${FAULT_MOST:-3} fault_cap=600
sample "kill alone EIO ESTALE EROFS fsync+ link+"
sweep "stfm-watch, rules" "$kinds" stfm-watch -1

remove_rest
done_testing
