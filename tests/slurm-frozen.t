#!/bin/sh
# Slurm does not answer: every command says so within its time, which stfm(7)
# tells, and nothing changes.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0
export STFM_DIR="$tap_dir/store"

now() {
	date +%s%3N
}
# within SENTENCE SECONDS STATUS command...: it ends in that time and a bit
# more, which is longer on a busy machine.  If it is late, it is tried again,
# at most twice.
within() {
	name=$1 seconds=$2 want=$3
	shift 3
	for _ in 1 2 3; do
		measure out "$@"
		is_late out || break
	done
	judge out
}
# The command's words to a file, its status and time beside that.
measure() {
	to=$1
	shift
	bit=$(effort)
	from=$(now)
	got=0
	timeout -k 1 300 "$@" >"$to" 2>&1 || got=$?
	took=$(($(now) - from))
	echo "$got $took $((1000 + 5 * (bit + $(effort))))" >"$to.end"
}
is_late() {
	read -r got took bit <"$1.end"
	[ "$took" -ge $((seconds * 1000 + bit)) ]
}
judge() {
	late="in time"
	! is_late "$1" || late="in $took ms, not in $seconds s and $bit ms"
	is "$name" "status $want in time" "status $got $late"
	sed 's/^/# /' "$1"
}
# The same while others wait for Slurm, judged by settle.
beside() {
	count=$((count + 1))
	printf '%s\n' "$@" >"beside.$count"
	shift 3
	measure "out.$count" "$@" &
	asked="$asked $!"
}
settle() {
	# shellcheck disable=SC2086 # words
	wait $asked
	while [ "$count" -gt 0 ]; do
		set --
		while IFS= read -r word; do
			set -- "$@" "$word"
		done <"beside.$count"
		name=$1 seconds=$2 want=$3
		if is_late "out.$count"; then
			within "$@"
		else
			judge "out.$count"
		fi
		count=$((count - 1))
	done
}
# A watch that has begun: SIGINT and SIGTERM wait until it looks for them.
is_watching() {
	mask=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status") &&
		[ $((0x$mask & 0x4002)) -eq $((0x4002)) ]
}
# ... and that has asked Slurm.
is_asking() {
	is_watching "$1" && pgrep -P "$1"
}
states() {
	stfm-status --no-refresh -o tsv | sed 1d | cut -f 1,4 | sort
}

stfm-submit -Q --gres=none -J runs --args=none i=1..3 -- sleep 600
stfm-submit -Q --gres=none -J over i=1,2 -- true
stfm-submit -Q --gres=none -b now+1hour -J waits i=1..4 -- true
stfm-submit -Q --gres=none -H -J away i=1 -- true
stfm-hold -Q waits/2,3
reaches() {
	stfm-watch --once -Q
	[ "$(stfm-status --no-refresh -o tsv "$1" | sed 1d | cut -f 4 |
		sort -u)" = "$2" ]
}
ok "a job runs" poll 20 reaches runs RUNNING
ok "another is over" poll 20 reaches over FINISHED

# A pass in which Slurm's answer takes until another second; $put is when it
# was asked, or later.
ask_slowly() {
	pid=$(cat "$tap_dir/slurm/run/slurmctld.pid")
	kill -STOP "$pid"
	at_exit "kill -CONT $pid 2>/dev/null"
	STFM_SLURM_TIMEOUT=600 stfm-watch --once -Q &
	pass=$!
	poll 20 pgrep -P $pass
	put=$(date +%s)
	poll 20 is_later $((put + 1))
	kill -CONT "$pid"
	wait $pass
}
is_later() {
	[ "$(date +%s)" -gt "$1" ]
}
# Tables that are as of a later time: by what they say, and by their file.
too_late() {
	for job in runs over waits; do
		table=$(find "$STFM_DIR/jobs/$job/fold" -name 'state.*' |
			sort -V | tail -1)
		[ "$(head -1 "$table" | jq .asked)" -le "$put" ] &&
			[ "$(stat -c %Y "$table")" -le "$put" ] || echo "$job"
	done
}
rm "$STFM_DIR"/jobs/*/fold/*
ask_slowly
is "what Slurm says is as of when it was asked" "" "$(too_late)"
ask_slowly
is "so it is when that is nothing new" "" "$(too_late)"

theirs=$(sbatch --parsable -H -a 1-2 -o /dev/null --wrap true)
kept=$STFM_DIR/jobs/over/checkpoint/000001
mkdir -p "$kept"
for epoch in 1 2 3; do
	echo weights >"$kept/epoch=$epoch.ckpt"
	touch -d "2026-01-0$epoch" "$kept/epoch=$epoch.ckpt"
done
export STFM_SLURM_TIMEOUT=1 STFM_SBATCH_TIMEOUT=2
# An sbatch before which Slurm falls silent.
mkdir falls
cat >falls/sbatch <<'END'
#!/bin/sh
kill -STOP "$FALLS" && PATH=${PATH#*:} exec sbatch "$@"
END
chmod +x falls/sbatch
before=$(states)

task=-1 count=0
for daemon in slurmctld munged; do
	task=$((task + 1))
	pid=$(cat "$tap_dir/slurm/run/$daemon.pid")
	at_exit "kill -CONT $pid 2>/dev/null"
	within "$daemon falls silent at sbatch: a submission" 3 75 env \
		PATH="$PWD/falls:$PATH" FALLS="$pid" \
		stfm-submit --gres=none -J "half$task" i=1 -- true
	kill -STOP "$pid"
	asked=
	beside "$daemon hangs: jobs of others" 1 75 \
		stfm-import --slurm -J theirs "$theirs"
	beside "$daemon hangs: what comes after another job" 1 75 \
		stfm-submit --gres=none -J later --after runs i=1 -- true
	beside "$daemon hangs: those there are" 1 0 stfm-checkpoints
	beside "$daemon hangs: the set-up" 1 1 stfm-check
	beside "$daemon hangs: old checkpoints go" 1 0 \
		stfm-checkpoints -y --keep-last $((2 - task)) over/1
	within "$daemon hangs: a pass" 1 75 stfm-watch --once
	like "the reason is told" 'slurmctld|munged' "$(cat out)"
	within "$daemon hangs: the status" 1 0 stfm-status --refresh
	within "$daemon hangs: nothing is submitted" 1 75 \
		stfm-submit --gres=none -J new i=1 -- true
	ok "nor stored" test ! -e "$STFM_DIR/jobs/new"
	settle
	ok "nor is what comes later" test ! -e "$STFM_DIR/jobs/later"
	ok "nor what is others'" test ! -e "$STFM_DIR/jobs/theirs"
	is "what is known to be over keeps the last checkpoints" $((2 - task)) \
		"$(find "$kept" -name '*.ckpt' | wc -l)"
	within "$daemon hangs: a stop" 4 75 stfm-stop "runs/$task"
	within "$daemon hangs: a removal" 4 75 stfm-stop -y --remove away
	ok "which leaves the job" test -e "$STFM_DIR/jobs/away/job.json"
	within "$daemon hangs: boards" 1 1 stfm-tensorboard -t running runs
	within "$daemon hangs: a restart of what is over" 7 75 \
		stfm-restart --finished "over/$task"
	within "$daemon hangs: going on with it" 4 75 \
		stfm-submit --queue-rest over
	within "$daemon hangs: a hold" 4 75 \
		stfm-hold "waits/$task"
	within "$daemon hangs: a release" 4 75 \
		stfm-release "waits/$((task + 2))"
	within "$daemon hangs: a throttle" 4 75 stfm-throttle runs 2
	within "$daemon hangs: a shell" 1 75 stfm-attach runs/2 -- true
	within "$daemon hangs: the machines" 1 75 stfm-nodes
	stfm-watch -i 60 >watch.out 2>&1 &
	watcher=$!
	poll 20 is_watching $watcher
	from=$(now)
	STFM_SLURM_TIMEOUT=600 stfm-watch -i 60 >watch2.out 2>&1 &
	second=$!
	poll 20 is_asking $second
	kill -INT $second
	wait $second
	is "$daemon hangs: Ctrl-C ends a watch" 130 $?
	ok "at once" test $(($(now) - from)) -lt 300000
	kill -TERM $watcher
	wait $watcher
	is "$daemon hangs: so does SIGTERM, cleanly" 0 $?
	is "$daemon hangs: no state changed" "$(echo "$before" | grep runs)" \
		"$(states | grep runs)"
	kill -CONT "$pid"
	ok "$daemon goes on" poll 30 stfm-watch --once
done
ok "what was to be stopped is stopped then" poll 30 sh -c \
	'stfm-watch --once -Q; [ "$(stfm-status --no-refresh -o tsv runs |
		grep -c STOPPED)" = 2 ]'
is "the other task still runs" RUNNING \
	"$(squeue -h -n runs -t running -o %T)"
done_testing
