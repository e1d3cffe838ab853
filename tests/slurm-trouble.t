#!/bin/sh
# Trouble with Slurm, at random moments: slurmctld or munged is stopped, hung,
# killed or restarted before, during or after what a command does.  When it is
# over the work is taken up again as a user would, and then nothing has trained
# twice, nothing is left in the queue, no other job was touched, what was
# ordered is so, all states are right and no command took longer than it may.
#
# A controller that is killed forgets what it has not written down.  Only that
# is excused: of a task that was queued or started since, and whose end is not
# on record.
#
#	ROUNDS	how many (default 10)
#	SEED	what chance follows (default: the time); it is printed
#	ROUND	just this one, to repeat a failure with its SEED
#	ACTS	of what is tried only this, "hold release"
#	LANE, LANES	only every LANES-th round, for several side by side
#	TALLY	a file for what there was of each kind
#
# "make trouble ROUNDS=200" runs four side by side (tests/trouble.sh).
. "$(dirname "$0")/tap.sh"

rounds=${ROUNDS:-10}
acts=${ACTS:-"submit hold stop after watch submit restart forget import status
	stop throttle submit follow release"}
seed=${SEED:-$(date +%s)}
lane=${LANE:-1}
lanes=${LANES:-1}
last=$rounds
[ -z "$ROUND" ] || { lane=$ROUND lanes=1 last=$ROUND; }
echo "# SEED=$seed${ACTS:+ ACTS='$ACTS'}"

start_sandbox() {
	stfm-sandbox start -Q -N 1 -c 16 -g 0 -d "$tap_dir/slurm" \
		-o MessageTimeout=5 -o MinJobAge=600 -o SlurmdTimeout=30
}
start_sandbox || exit 99
at_exit 'stfm-sandbox stop -Q -d "$tap_dir/slurm"'
eval "$(stfm-sandbox env -d "$tap_dir/slurm")"
export STFM_DIR="$tap_dir/store" COUNT="$PWD/count" GO="$PWD/go"
export STFM_GRACE=4 STFM_SLURM_TIMEOUT=3 STFM_SBATCH_TIMEOUT=4
saved=$tap_dir/slurm/state/job_state
mkdir go
: >count

# Five tasks: two end well, two with 3 or late, and one waits to be let go.
# What comes after a job has one, and that job's name with a "b".
cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK $STFM_ATTEMPT" >>"$COUNT"
case $STFM_JOB in
*b)
	grep -qx "${STFM_JOB%b}" "$COUNT.over" ||
		echo "$STFM_JOB" >>"$COUNT.early"
	;;
esac
case $STFM_PARAM_i in
0 | 3) exit 0 ;;
1) sleep 0.4; exit 3 ;;
2)
	until [ -e "$GO/$STFM_JOB" ]; do sleep 0.1; done
	echo "$STFM_JOB" >>"$COUNT.over"
	;;
4) sleep 0.2 ;;
esac
EOT
# The same, where sbatch alone has queued it.
cat >theirs.sh <<'EOT'
#!/bin/sh
export STFM_JOB="$SLURM_JOB_NAME" STFM_TASK="$SLURM_ARRAY_TASK_ID"
export STFM_PARAM_i="$STFM_TASK" STFM_ATTEMPT=0
: >"$GO/began.$STFM_JOB.$STFM_TASK"
"$GO/../train.sh"
rc=$?
: >"$GO/ended.$STFM_JOB.$STFM_TASK"
exit $rc
EOT
chmod +x train.sh
printf '#!/bin/sh\nexec sleep 3600\n' >foreign.sh
: >count.over
: >count.early

## What a round is made of

# "what who when wait length": drawn from the seed and the round alone; what is
# tried comes in turn.
plan() {
	awk -v seed="$seed" -v round="$1" -v acts="$acts" '
	function draw(list,   word, n) {
		n = split(list, word)
		return word[int(rand() * n) + 1]
	}
	BEGIN {
		srand(seed % 100000 * 7919 + round)
		for (i = 0; i < 10; i++) rand()
		n = split(acts, turn)
		act = turn[(seed % n + round) % n + 1]
		who = draw("slurmctld slurmctld slurmctld munged")
		how = draw("stop hang hang kill kill restart")
		when = draw("before during during during after")
		if (act == "forget") {
			who = "slurmctld"; how = "kill"; when = "after"
		}
		wait = int(rand() * rand() * (act == "forget" ? 900 : 300))
		length_ = int(200 + rand() * rand() * 6000)
		print act, who, how, when, wait / 1000, length_ / 1000
	}'
}

pid_of() {
	cat "$tap_dir/slurm/run/$1.pid" 2>/dev/null
}
# Whose command line is kept: munged comes back by it alone, while slurmctld
# still finds out that its node answers again.
harm() {
	pid=$(pid_of "$1")
	command=$(tr '\0' ' ' <"/proc/$pid/cmdline")
	case $2 in
	hang) kill -STOP "$pid" ;;
	kill) kill -KILL "$pid" ;;
	*) kill -TERM "$pid" ;;
	esac
	[ "$1 $2" != "slurmctld kill" ] || {
		poll 20 is_gone "$pid"
		touch -d "$(date -r "$saved" '+%F %T.%N') 1 second ago" since
		touch killed
	}
}
is_gone() {
	! kill -0 "$1" 2>/dev/null
}
nodes_answer() {
	sinfo -h -o %T | grep -q drain &&
		scontrol update nodename=n1 state=resume 2>/dev/null
	[ "$(timeout 5 sinfo -h -o %T | sort -u |
		grep -Evc '^(idle|mixed|allocated|completing)$')" = 0 ]
}
mend() {
	if [ "$2" = hang ]; then
		kill -CONT "$pid"
	else
		poll 20 is_gone "$pid"
		if [ "$1" = munged ]; then
			setsid sh -c "exec $command" >>munged.out 2>&1 &
		else
			poll 60 start_sandbox
		fi
	fi
	poll 90 nodes_answer
}

now_ms() {
	date +%s%3N
}
# A command in the background; its status and its time are kept.
begin() {
	: >action.end
	(
		from=$(now_ms)
		"$@" >action.out 2>&1
		echo "$? $(($(now_ms) - from))" >action.end
	) &
	action=$!
}
end() {
	wait "$action"
	read -r action_status action_ms <action.end
}

submit() {
	stfm-submit -Q --gres=none --no-snapshot -J "$@" -- ./train.sh
}
# What a round tries.
order() {
	case $act in
	submit | forget) submit "$job" --parallel 3 i=0..4 ;;
	after) submit "${job%b}b" --after "${job%b}" i=0 ;;
	import) stfm-import --slurm -Q -J "$job" "$theirs" ;;
	restart) stfm-restart -Q --finished "$job/0,3" ;;
	throttle) stfm-throttle -Q "$job" 2 ;;
	hold | release | stop) "stfm-$act" -Q "$job" ;;
	watch) stfm-watch --once "$job" ;;
	status) stfm-status --refresh "$job" ;;
	follow) stfm-watch -i 1 "$job" ;;
	esac
}
started() {
	grep -q "^$1 $2 " count
}
# The arrays and tasks of this name in the queue, as "4102 3".
queued() {
	squeue -h -r -n "$1" -t pending,running,suspended,completing -o '%F %K'
}
# A controller that was killed takes a task that ended since it wrote down that
# it runs for a running one, until the node tells it otherwise.
unqueued() {
	queued "$1" | while read -r id task; do
		was_killed && has_ended "$task" || echo "$id"
	done >left
	[ ! -s left ]
}
fail() {
	echo "$1" >>failures
}
# A command that is not timed has time.
in_peace() (
	export STFM_SLURM_TIMEOUT=60 STFM_SBATCH_TIMEOUT=60
	"$@"
)

# With the job that comes after it.
of_next() {
	job=${job}b
	next_rc=0
	"$@" || next_rc=$?
	job=${job%b}
	return $next_rc
}

# The longest that a command may take, in milliseconds, by its page and the
# deadlines above; and what a busy machine adds.
bound() {
	bound_more=$((10 * $(effort)))
	echo $((bound_more + $(bound_idle "$1")))
}
bound_idle() {
	case $1 in
	submit | forget | after) echo $((3000 + 4000 + 3000 + 4000)) ;;
	hold | release) echo $((4 * 3000 + 4000)) ;;
	throttle | import) echo $((3 * 3000 + 4000)) ;;
	restart) echo $((4 * 3000 + 4000 + 4000)) ;;
	stop) echo $((3000 + 3000 + 12000 + 3000 + 3000 + 4000)) ;;
	# From when another pass has found that the job is over: the rest of a
	# pass, a second, and the pass that finds it.
	follow) echo $((3000 + 3000 + 1000 + 3000 + 3000 + 4000)) ;;
	*) echo $((3000 + 3000 + 4000)) ;;
	esac
}

## Before, in the trouble and afterwards

# What a controller that was killed remembers of earlier rounds ran long ago,
# and it would find out by itself in some minutes.
lay_ghosts() {
	squeue -h -o '%F %j' | grep -E ' (r[0-9]+b?|stranger|foreign.sh)$' |
		sort -u >ghosts
	while read -r id name; do
		echo "$name" >>came-back
		scancel "$id"
	done <ghosts
}
# Why Slurm may have started or ended nothing.
in_slurm() {
	sinfo -h -N -o '%N %T %H %E' | xargs
	squeue -h -a -o '%A %j %T %r' | xargs
}
# Some that wait, behind one that runs.
prepare() {
	lay_ghosts
	: >prepared
	case $act in
	submit | forget) return ;;
	import)
		theirs=$(sbatch --parsable -J "$job" -a 0-4 -o /dev/null \
			theirs.sh) || fail "could not be queued by sbatch"
		;;
	*)
		some=3
		case $act in hold | release | throttle) some=1 ;; esac
		in_peace submit "$job" --parallel $some i=0..4 \
			>submit.out 2>&1 || fail "could not be queued in peace"
		;;
	esac
	poll 60 started "$job" 2 || fail "did not start in peace: $(in_slurm)"
	case $act in
	restart) poll 60 ended || fail "did not end in peace: $(in_slurm)" ;;
	release)
		in_peace stfm-hold -Q "$job" >hold.out 2>&1 ||
			fail "could not be held in peace: $(cat hold.out)"
		;;
	esac
	case $act:$who:$how in
	stop:* | watch:* | status:* | follow:*) ;;
	*:slurmctld:kill) save_state ;;
	esac
}
ended() {
	for task in 000000 000003; do
		find "$STFM_DIR/jobs/$job/run" -name "$task.0.0.E*" |
			grep -q . || return
	done
}
# Slurm writes down what it has every few seconds, if there is something new.
state_saved() {
	find "$saved" -newer mark | grep -q .
}
save_state() {
	: >mark
	scontrol update jobid="$foreign" comment="round $round"
	poll 20 state_saved
}
go_through() {
	case $when in
	before)
		harm "$who" "$how"
		begin order
		;;
	during)
		begin order
		sleep "$wait"
		harm "$who" "$how"
		;;
	after)
		begin order
		[ "$act" = follow ] || end
		[ "$act" != forget ] ||
			array=$(queued "$job" | sed -n '1s/ .*//p')
		sleep "$wait"
		harm "$who" "$how"
		;;
	esac
	[ "$how" = restart ] || sleep "$length"
	mend "$who" "$how" || fail "Slurm did not come back"
	[ "$act" = follow ] || end
	if [ "$act" != follow ] && [ "$action_ms" -gt "$(bound "$act")" ]; then
		fail "took $action_ms ms: $(cat action.out)"
	fi
}

# Another job, which takes the id of the one that Slurm forgot: every other time
# an array that waits, of which what is told of a bare id would hold.
give_id_away() {
	stranger=
	[ -n "$array" ] || return 0
	queued "$job" | grep -q "^$array " && return 0
	stranger=0
	while [ "$stranger" -lt "$array" ]; do
		[ "$stranger" = 0 ] || scancel "$stranger"
		# shellcheck disable=SC2046 # words of options
		stranger=$(sbatch --parsable -J stranger -o /dev/null \
			$([ $((round % 2)) = 0 ] || echo "$waiting") \
			foreign.sh) || break
	done
	[ "$stranger" != "$array" ] || echo "$round" >>given-away
	[ $((round % 2)) = 0 ] || steer_all
}
steer_all() {
	in_peace stfm-throttle -Q "$job" 4
	in_peace stfm-hold -Q "$job"
	in_peace stfm-release -Q "$job"
	in_peace stfm-stop -Q "$job/4" && echo "$job 4" >>wished
} >>steer.out 2>&1

# By hand, or by what watches.
go_on() {
	if [ "$((round % 2))" = 0 ]; then
		stfm-submit -Q --queue-rest "$job"
	else
		stfm-watch --once "$job" && stfm-status --no-refresh -o tsv \
			"$job" | sed 1d | cut -f 5 >waits &&
			! grep -q 'queued' waits
	fi
}
# An interrupted submission goes on; the time that has to pass until it may is
# set back.
resume() {
	tries=0
	while [ $tries -lt 5 ]; do
		tries=$((tries + 1))
		if has_begun; then
			find "$STFM_DIR/jobs/$job/sub" -type f \
				-exec touch -d '-10 minutes' {} +
			in_peace go_on >resume.out 2>&1 && return
		else
			in_peace order >resume.out 2>&1 && return
		fi
	done
	fail "could not be queued afterwards: $(cat resume.out)"
}
has_begun() {
	if [ "$act" = restart ]; then
		ls "$STFM_DIR/jobs/$job/sub/c00001".*
	else
		[ -d "$STFM_DIR/jobs/$job" ]
	fi
} >ls.out 2>&1
# By hand, or by what watches, where it is recorded that it was ordered.
repeat() {
	if [ "$((round % 2))" = 0 ] ||
		[ -z "$(ls "$STFM_DIR/jobs/$job/ctl")" ]; then
		in_peace order >repeat.out 2>&1 ||
			fail "$act in the end: $(cat repeat.out)"
	fi
}
take_up() {
	case $act in
	submit | restart) [ "$action_status" = 0 ] || resume ;;
	after) [ "$action_status" = 0 ] || of_next resume ;;
	forget)
		[ "$action_status" = 0 ] || resume
		give_id_away
		;;
	stop) repeat ;;
	import) [ "$action_status" = 0 ] || import_again ;;
	hold | release | throttle) steer ;;
	esac
	[ "$act" = stop ] || : >"go/$job"
}
import_again() {
	in_peace order >import.out 2>&1 && return
	if was_killed && is_newer prepared &&
		grep -q 'Slurm has no such job' import.out; then
		echo "$job" >>lost
		gone=1
	else
		fail "could not be imported afterwards: $(cat import.out)"
	fi
}

# What Slurm makes of the tasks that wait: "3 JobHeldUser".
waiting_tasks() {
	squeue -h -r -n "$job" -t pending -o '%K %r' |
		grep -E '^[34] ' | grep -v 'launch failed'
}
# As it was ordered; a task that waits no more is looked at later.
is_steered() {
	case $act in
	hold) ! waiting_tasks | grep -v JobHeldUser ;;
	release) ! waiting_tasks | grep JobHeldUser ;;
	throttle) [ -z "$(waiting_tasks)" ] ;;
	esac
}
is_steered_later() {
	stfm-watch --once -Q "$job"
	unravel
	is_steered
}
# What was said to be done is done, unless Slurm forgot it, and stays so.
steer() {
	if [ "$act" != throttle ] && [ "$action_status" = 0 ] &&
		! was_killed; then
		is_steered >steered || fail "status 0, but: $(cat steered)"
	fi
	[ "$action_status" = 0 ] || repeat
	[ "$act" != throttle ] || ! was_killed || {
		in_peace order >repeat.out 2>&1 || fail "$(cat repeat.out)"
	}
	[ "$act" != release ] || ! was_killed || release_again
	poll 60 is_steered_later || fail "$act came to: $(waiting_tasks)"
	case $act in
	hold) stay_held ;;
	throttle)
		now=$(stfm-throttle "$job")
		[ "$now" = "$job: at most 2 tasks at once" ] || fail "$now"
		;;
	esac
}
# What is held once more because Slurm forgot that it was let go is shown so.
release_again() {
	waiting_tasks | grep -q JobHeldUser || return 0
	poll 60 shows_held || fail "held, and not shown: $(tasks)"
	in_peace order >repeat.out 2>&1 || fail "$(cat repeat.out)"
}
shows_held() {
	stfm-watch --once -Q "$job"
	tasks | grep -q JobHeldUser
}
stay_held() {
	waiting_tasks | sed "s/^\(.\).*/^$job \1 /" >those
	: >"go/$job"
	poll 60 is_free || fail "$job/2 does not end: $(tasks)"
	! grep -f those count >trained ||
		fail "held, and trained: $(cat trained)"
	in_peace stfm-release -Q "$job" >release.out 2>&1 ||
		fail "could not be released: $(cat release.out)"
}
is_free() {
	stfm-watch --once -Q "$job"
	unravel
	! tasks | grep -E '^2	(SUBMITTED|RUNNING)'
}

tasks() {
	stfm-status --no-refresh -o tsv "$job" | sed 1d | cut -f 3-5
}
# A controller that forgot that a task runs starts it once more, which the node
# refuses: Slurm then drains the node and holds the task, for people to decide.
# That is another run of it, of which the end on record is not the end.
unravel() {
	sinfo -h -o %T | grep -q drain &&
		scontrol update nodename=n1 state=resume 2>/dev/null
	tasks | grep 'launch failed requeued held' | cut -f 1 >held
	while read -r task; do
		is_unsaved "$task" ||
			fail "task $task is held, Slurm forgot nothing"
		echo "$job $task" >>stopped
		stfm-stop -Q "$job/$task" 2>/dev/null
	done <held
}
# A controller that was killed finds out in some minutes only that one ended.
end_theirs() {
	tasks | sed -n 's/	RUNNING.*//p' >running
	while read -r task; do
		! has_ended "$task" || ! is_unsaved "$task" ||
			scancel "${theirs}_$task"
	done <running
}
over() {
	stfm-watch --once -Q "$job" >watch.out 2>&1
	unravel
	[ "$act" != import ] || end_theirs
	! tasks | grep -Eq 'SUBMITTED|RUNNING'
}
all_over() {
	over && { [ "$act" != after ] || of_next over; }
}

## What must be true

# The words of how a task may have ended, by what it was and did.
expected() {
	if [ "$2" -gt 1 ]; then
		echo "not trained twice"
	elif [ "$act" = stop ]; then
		case $1 in
		0 | 3 | 4) echo "STOPPED FINISHED" ;;
		1) echo "STOPPED ERROR:exit_3" ;;
		2) echo "STOPPED" ;;
		esac
	elif grep -qx "$job $1" stopped; then
		echo "STOPPED"
	elif grep -qx "$job $1" wished; then
		echo "STOPPED FINISHED"
	elif [ "$2" = 0 ]; then
		echo "ERROR:LOST"
	elif [ "$1" = 1 ]; then
		echo "ERROR:exit_3"
	else
		echo "FINISHED"
	fi
}
was_killed() {
	[ -e killed ]
}
# The attempts that count.
attempts() {
	case "$act $1" in
	'restart 0' | 'restart 3') echo '[1-9]' ;;
	*) echo 0 ;;
	esac
}
# The facts of a task that match, as find's words say.
fact() {
	fact_name=$(printf '%06d.%s.%s' "$1" "$(attempts "$1")" "$2")
	shift 2
	find "$STFM_DIR/jobs/$job/run" -name "$fact_name" "$@" | grep -q .
}
has_ended() {
	if [ "$act" = import ]; then
		[ -e "go/ended.$job.$1" ]
	else
		fact "$1" '*.E*'
	fi
}
is_newer() {
	find "$@" -newer since | grep -q .
}
# Queued, or started, when the controller had written down for the last time; a
# second before that it may have begun to.
is_unsaved() {
	was_killed || return
	if [ "$act" = import ]; then
		is_newer prepared || is_newer go -name "*.$job.$1"
	else
		is_newer "$STFM_DIR/jobs/$job/sub" -name '*.claim' ||
			fact "$1" '*.S' -newer since
	fi
}
may_forget() {
	[ "$act" = import ] || ! has_ended "$1" && is_unsaved "$1"
}
# What Slurm forgot it may end; and nobody keeps it from starting again what
# sbatch has queued.
is_excused() {
	case $act:$2 in
	import:* | *:ERROR:SIGTERM | *:ERROR:SIGKILL | *:ERROR:LOST | \
		*:ERROR:NODE_FAIL | *:ERROR:launch_failure*)
		may_forget "$1" || return
		echo "$job $1" >>excused
		;;
	*) return 1 ;;
	esac
}
check_task() {
	trained=$(grep -cx "$job $1 $(attempts "$1")" count)
	word=$2
	[ "$2" != ERROR ] || word="ERROR:$(echo "$3" | tr ' ' _)"
	case " $(expected "$1" "$trained") " in
	*" $word "*) ;;
	*)
		is_excused "$1" "$word" ||
			fail "task $1 trained $trained times, is $word"
		;;
	esac
	if [ "$word" = ERROR:LOST ]; then
		may_forget "$1" ||
			fail "task $1 is LOST, Slurm forgot nothing"
		echo "$job" >>lost
	fi
}
# All of its so many tasks.
check_job() {
	tasks >"shown.$job"
	[ "$(wc -l <"shown.$job")" = "$1" ] ||
		fail "not $1 tasks: $(cat "shown.$job")"
	while IFS='	' read -r task state cause; do
		check_task "$task" "$state" "$cause"
	done <"shown.$job"
	[ "$act" = import ] || grep "^$job " count | sort | uniq -d >twice
	[ ! -s twice ] || fail "trained twice: $(cat twice)"
	poll 30 unqueued "$job" ||
		fail "left in the queue: $(squeue -n "$job")"
}
# Not cancelled, not held or let go, and as many of it at once as before.
check_others() {
	for id in $foreign $patient $held $stranger; do
		now=$(squeue -h -j "$id" -o '%T %j %K %r' 2>&1)
		case $now in
		'RUNNING foreign N/A '* | 'RUNNING stranger N/A '*) ;;
		'PENDING stranger N/A JobHeld'*) false ;;
		'PENDING stranger N/A '*) ;;
		'PENDING foreign 0-4%3 JobHeld'*) false ;;
		'PENDING stranger 0-4%3 JobHeld'*) false ;;
		'PENDING foreign 0-4%3 '* | 'PENDING stranger 0-4%3 '*) ;;
		'PENDING held N/A JobHeldUser') ;;
		*) false ;;
		esac || fail "touched: $now"
	done
	[ -z "$stranger" ] || scancel "$stranger"
}
check() {
	[ -n "$gone" ] || check_job 5
	[ "$act" != after ] || {
		of_next check_job 1
		was_killed || ! grep -qx "${job}b" count.early ||
			fail "did not wait for the other"
	}
	case $act:$action_status in
	*:0 | *:75) ;;
	submit:1 | stop:1 | forget:1 | watch:1 | follow:1) ;;
	submit:2 | stop:2 | forget:2 | watch:2 | follow:2)
		grep -q '^stfm-[a-z]*: ' action.out ||
			fail "status $action_status without a reason"
		;;
	*) fail "status $action_status: $(cat action.out)" ;;
	esac
	check_others
}
end_follow() {
	[ "$act" = follow ] || return 0
	from=$(now_ms)
	poll 90 test -s action.end || {
		fail "the watch does not end"
		kill "$action"
		echo "1 0" >action.end
	}
	end
	action_ms=$(($(now_ms) - from))
	[ "$action_ms" -le "$(bound follow)" ] ||
		fail "took $action_ms ms to see that it is over"
}
check_follow() {
	[ "$act" = follow ] || return 0
	want=0
	grep -q ERROR "shown.$job" && want=1
	[ "$action_status" = "$want" ] ||
		fail "the watch ended with $action_status: $(cat action.out)"
}

# Ids of tasks that Slurm forgot may still be known to the node, which then
# refuses the tasks of others: none of the next round gets them.
next_id() {
	scontrol show config | sed -n 's/^NEXT_JOB_ID *= //p'
}
pass_ids() {
	ids=
	while [ "${ids##* }" -lt "$highest" ] 2>/dev/null || [ -z "$ids" ]; do
		ids="$ids $(sbatch --parsable --hold -o /dev/null foreign.sh)"
	done
	# shellcheck disable=SC2086 # words
	scancel $ids
}

play() {
	round=$1
	job=r$round
	array=
	stranger=
	gone=
	: >failures
	: >action.out
	rm -f killed
	# shellcheck disable=SC2046 # words
	set -- $(plan "$round")
	act=$1 who=$2 how=$3 when=$4 wait=$5 length=$6
	began=$(now_ms)
	prepare
	# More than a round takes.
	[ "$who $how" != "slurmctld kill" ] || highest=$(($(next_id) + 20))
	go_through
	take_up
	[ -n "$gone" ] || poll 240 all_over ||
		fail "does not come to an end: $(tasks)"
	end_follow
	check
	check_follow
	! was_killed || pass_ids
	sed "s/^/round $round: /" failures >>all-failures
	name="round $round: $who $how $when $act, $wait s, for $length s"
	name="$name: status $action_status in $action_ms ms"
	name="$name, $(($(now_ms) - began)) ms in all"
	echo "$act $action_ms" >>longest
	is "$name" "" "$(cat failures)"
	if [ -s failures ]; then
		{
			tasks
			cat action.out
			find "$STFM_DIR/jobs/$job" -ls
			grep "^$job " count
			squeue
			tail -60 "$tap_dir/slurm/log/slurmctld.log"
		} >"${TROUBLE_LOG:-/dev/null}.$round" 2>&1
		repeat="SEED=$seed ROUND=$round${ACTS:+ ACTS='$ACTS'}"
		echo "# repeat it: $repeat sh $0" >&2
	fi
}

waiting="-a 0-4%3 --begin=now+1day"
foreign=$(sbatch --parsable -J foreign -o /dev/null foreign.sh)
# shellcheck disable=SC2086 # words of options
patient=$(sbatch --parsable -J foreign -o /dev/null $waiting foreign.sh)
held=$(sbatch --parsable -J held -o /dev/null --hold foreign.sh)
round=0
save_state

: >all-failures
: >longest
: >lost
: >came-back
: >stopped
: >wished
: >given-away
: >excused
i=$lane
while [ "$i" -le "$last" ]; do
	play "$i"
	i=$((i + lanes))
done

tally() {
	echo "trainings $(wc -l <count)"
	echo "rounds_forgotten $(sort -u lost excused | cut -d ' ' -f 1 |
		sort -u | wc -l)"
	echo "lost $(wc -l <lost)"
	echo "excused $(wc -l <excused)"
	echo "came_back $(wc -l <came-back)"
	echo "held $(wc -l <stopped)"
	echo "given_away $(wc -l <given-away)"
	sort -k1,1 -k2,2n longest | awk '{ longest[$1] = $2; count[$1]++ }
		END { for (a in longest) print a, longest[a], count[a] }' |
		while read -r what most n; do
			echo "$what $n $most $(bound "$what")"
		done
}
# What those rounds are about; each has said more.
is "no task is trained again that has trained" "" \
	"$(grep -E 'trained (twice|[2-9])' all-failures)"
is "what Slurm has forgotten altogether is LOST" "" \
	"$(grep -E 'trained 0 times|LOST, Slurm forgot nothing' all-failures)"
is "no other job is touched" "" "$(grep touched: all-failures)"

tally >"${TALLY:-tally}"
sed 's/^/# /' "${TALLY:-tally}"
done_testing
