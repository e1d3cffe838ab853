#!/bin/sh
# A pass that has to queue, stop, let go and exclude by the rules of jobs, each
# of its calls going wrong: each rule is kept once, and only for its own tasks.
. "$(dirname "$0")/sweep.sh"
. "$top/tests/jobs.sh"

fixture=$top/build/plain/tests/store-fixture
stfm-sandbox start -Q -N 2 -g 0 -c 64 -o MinJobAge=86400 \
	-d "$tap_dir/slurm" || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR

# A runner that is killed does not see to the rules itself.
cat >train.sh <<'END'
#!/bin/sh
echo "$STFM_JOB.$STFM_TASK.$STFM_ATTEMPT" >>"$1"
echo "$SLURMD_NODENAME" >>"$1.$STFM_JOB"
case $STFM_JOB.$STFM_TASK.$STFM_ATTEMPT in
hungry.?.0) kill -KILL $$ ;;
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
		"$tap_dir/count.$made" || exit 99
}
make_store() {
	STFM_DIR=$tap_dir/store.$made
	submit -J hungry --mem=100 --retry-oom 2,n=1
	submit -J fails --parallel 1 --max-fail 1
	submit -J canary --canary
	submit -J nodes --hold --avoid-bad-nodes=1
	scontrol release "$(array_of nodes)_0"
}
# All that is left waits, or is to be stopped.
is_ready() {
	[ "$(grep -c "" "$tap_dir/count.$1")" = 6 ] &&
		[ "$(squeue -h -r -t R,CG -o %i)" = "$(running)" ]
}
running() {
	squeue -h -r -n fails -t R -o %i
}

# Each point needs a store of its own, made some at a time.
made=0 number=0 stores=
make_more() {
	first=$((made + 1)) last=$((made + ${FAULT_POOL:-20}))
	while [ $made -lt $last ]; do
		made=$((made + 1))
		make_store
	done
	while [ $first -le $last ]; do
		poll 60 is_ready $first || exit 99
		STFM_DIR=$tap_dir/store.$first
		printf '%s\n' 'of|hungry' 'fact|0|XOUT_OF_MEMORY' \
			'fact|1|XOUT_OF_MEMORY' | "$fixture" "$STFM_DIR" || exit 99
		first=$((first + 1))
	done
}
fresh() {
	number=$((number + 1))
	[ $number -le $made ] || make_more
	STFM_DIR=$tap_dir/store.$number place=$STFM_DIR
	roots="-r $STFM_DIR"
	stores="$stores $number"
}

is_held() {
	squeue -h -j "$(array_of canary c00001.0)" -o %r | grep -q JobHeldUser
}
is_alive() {
	squeue -h -j "$(array_of fails)_1" -t R -o %i | grep -q .
}
excluded() {
	scontrol -o show job "$(array_of nodes)" |
		sed -n 's/.* JobState=PENDING .* ExcNodeList=\([^ ]*\) .*/\1/p'
}
was_told() {
	[ "$(excluded)" = "$(sed 1q "$tap_dir/count.$number.nodes")" ]
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
	for of in hungry fails canary nodes; do
		states $of
	done | tr '\n' ' '
}
are_over() {
	for number in $stores; do
		STFM_DIR=$tap_dir/store.$number
		stfm-watch -1Q
		[ "$(all_states)" = "FF ET EF EF " ] || left="$left $number"
	done
	stores=$left left=
	[ -z "$stores" ]
}
# Each task once, those that ran out of memory once more with twice as much.
check_store() {
	attempt=$((1 + $(grep -l withdrawn \
		"$STFM_DIR"/jobs/hungry/sub/*.claim | wc -l)))
	trained=$(sort "$tap_dir/count.$number" | tr '\n' ' ')
	[ "$trained" = "canary.0.0 canary.1.0 fails.0.0 fails.1.0 \
hungry.0.0 hungry.0.$attempt hungry.1.0 hungry.1.$attempt \
nodes.0.0 nodes.1.0 " ] || echo "store.$number: trained: $trained"
	cat "$STFM_DIR"/jobs/hungry/sub/*.intent |
		jq -r 'select(.attempt > 0) | .options | join(" ")' |
		grep -vx -e --mem=200M | sed "s/^/store.$number: asked for: /"
	[ "$(sort -u "$tap_dir/count.$number.nodes" | wc -l)" -eq 2 ] ||
		echo "store.$number: nodes: went to the same node"
}
settle() {
	at=$number all_stores=$stores left=
	for number in $stores; do
		STFM_DIR=$tap_dir/store.$number
		scontrol release "$(array_of nodes)" >/dev/null 2>&1
	done
	poll 60 are_over || for number in $stores; do
		STFM_DIR=$tap_dir/store.$number
		echo "store.$number: $(all_states)"
	done
	for number in $all_stores; do
		STFM_DIR=$tap_dir/store.$number
		check_store
		rm -rf "$STFM_DIR"
	done
	number=$at stores=
}

at_work=/run/ most=${FAULT_MOST:-3} fault_cap=600
[ "$fault_size" != ci ] || kinds="kill alone EIO ESTALE EROFS fsync+ link+"
sweep "stfm-watch, rules" "$kinds" stfm-watch -1

# Those that no point has needed.
while [ "$number" -lt "$made" ]; do
	number=$((number + 1))
	rm -rf "$tap_dir/store.$number"
done
done_testing
