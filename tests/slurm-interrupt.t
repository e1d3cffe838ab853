#!/bin/sh
# A submission that is interrupted says what it has queued and what completes
# or undoes it; a killed one can be removed.
# shellcheck disable=SC2016 # what sbatch does here
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 0 -o MaxArraySize=10
export STFM_DIR="$tap_dir/store"

# At its third call this sbatch interrupts its caller, with all of the group of
# its caller, as a terminal does.
mkdir between
cat >between/sbatch <<'END'
#!/bin/sh
echo >>calls
[ "$(wc -l <calls)" -ne 3 ] || {
	kill -"$SIGNAL" "-$PPID"
	i=0
	until grep 'waiting for the answer' out >early ||
		[ "$SIGNAL" = KILL ] || [ $((i += 1)) -gt 30 ]; do
		sleep 0.1
	done
}
PATH=${PATH#*:} exec sbatch "$@"
END
chmod +x between/sbatch
interrupted() {
	: >calls
	rc=0
	SIGNAL=$1 PATH="$PWD/between:$PATH" setsid stfm-submit --gres=none -H \
		-J "$2" i=1..100 -- true >out 2>&1 || rc=$?
}
pending() {
	squeue -h -r -n "$1" -o %i | wc -l
}
for signal in INT TERM HUP; do
	interrupted $signal job
	case $signal in
	INT) want=130 ;;
	TERM) want=143 ;;
	HUP) want=129 ;;
	esac
	is "SIG$signal ends a submission" "$want" "$rc"
	like "it says at once for what it waits" "^stfm-submit: interrupted: \
waiting for the answer of the sbatch that runs" "$(cat early)"
	like "and then that it was interrupted" \
		"^stfm-submit: job: interrupted" "$(cat out)"
	like "and what is queued" "^job: 30 tasks queued as Slurm arrays " \
		"$(cat out)"
	like "and what completes it" \
		"70 tasks are not queued yet: .* stfm-submit --queue-rest job" \
		"$(cat out)"
	like "and what undoes it" "stfm-stop --remove job" "$(cat out)"
	is "so much is queued" 30 "$(pending job)"
	[ $signal != INT ] ||
		ok "it is completed" stfm-submit -Q --queue-rest job
	[ $signal != INT ] || is "with all tasks" 100 "$(pending job)"
	ok "it is undone" stfm-stop -y -Q --remove job
	is "with all tasks" 0 "$(pending job)"
	ok "and gone" test ! -e "$STFM_DIR/jobs/job"
done

# A signal may come when the job has just become visible.
for try in 1 2 3 4 5; do
	stfm-submit --gres=none -H -J "seen$try" i=1..100 -- true >out 2>&1 &
	until [ -e "$STFM_DIR/jobs/seen$try" ]; do
		:
	done
	kill -TERM $!
	wait $! 2>"$tap_dir/none" || rc=$?
	is "SIGTERM ends a submission as soon as there is a job" 143 "$rc"
	like "which says what is not queued" "tasks are not queued yet" \
		"$(cat out)"
	ok "it is undone" stfm-stop -y -Q --remove "seen$try"
done

interrupted KILL job
is "a submission is killed" 137 "$rc"
has_thirty() {
	[ "$(pending job)" -eq 30 ]
}
ok "its last sbatch goes on" poll 10 has_thirty
ok "the job is removed" stfm-stop -y -Q --remove job
is "with all tasks" 0 "$(pending job)"

# A watcher does not queue what a killed submission may still queue.
mkdir dies
cat >dies/sbatch <<'END'
#!/bin/sh
kill -KILL "$PPID"
END
chmod +x dies/sbatch
PATH="$PWD/dies:$PATH" stfm-submit --gres=none -H -J killed i=1,2 \
	-- true >"$tap_dir/none" 2>&1
is "a submission is killed before sbatch" 0 "$(pending killed)"
says_waits() {
	[ "$(grep -c "killed: 2 tasks are not queued" said)" -ge 1 ]
}
# waits FOR: start a watcher, and look what it says.
waits() {
	stfm-watch -i 1 killed >said 2>&1 &
	watcher=$!
	ok "a watcher says that it waits $1" poll 10 says_waits
	sleep 2
	kill "$watcher"
	wait "$watcher"
	is "once" 1 "$(grep -c 'are not queued' said)"
	like "for how long" "another command may still be queueing, so \
stfm-watch queues the rest in 1?[0-9]{2} seconds$" "$(tr -s '\n ' ' ' <said |
		sed 's/ $//')"
	is "and queues nothing" 0 "$(pending killed)"
}
waits "for sbatch"
rm "$STFM_DIR"/jobs/killed/sub/*
waits "for the first sbatch"
is "but not if it is to update once" "" "$(stfm-watch -1 killed 2>&1)"
touch -d '-3 minutes' "$STFM_DIR/jobs/killed/sub"
ok "later it queues the tasks" stfm-watch -1Q killed
is "all of them" 2 "$(pending killed)"
ok "and no others" stfm-stop -y -Q --remove killed

# The same where tasks are queued again.
stfm-submit -Q --gres=none -H -J again i=1..100 -- true
stfm-stop -y -Q again
: >calls
rc=0
SIGNAL=INT PATH="$PWD/between:$PATH" \
	setsid stfm-restart --finished again >out 2>&1 || rc=$?
is "SIGINT ends a restart" 130 "$rc"
like "it says at once for what it waits" "^stfm-restart: interrupted: waiting" \
	"$(cat early)"
like "it says so" "interrupted" "$(cat out)"
like "and what completes it" "70 of them wait .*--queue-rest again" \
	"$(cat out)"
ok "it is completed" stfm-submit -Q --queue-rest again
is "with all tasks" 0 "$(stfm-status -o tsv again | grep -c STOPPED)"
done_testing
