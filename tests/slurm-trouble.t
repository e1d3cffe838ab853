#!/bin/sh
# Trouble with Slurm, at random moments: slurmctld or munged is stopped, hung,
# killed or restarted before, during or after a submission, a stop, a pass or a
# watch.  When it is over the work is taken up again as a user would, and then
# nothing has trained twice, nothing is left in the queue, no other job was
# touched, all states are right and no command took longer than it may.
#
# A controller that is killed forgets what it has not written down.  Only that
# is excused: of a task that was queued or started since, and whose end is not
# on record.
#
#	ROUNDS	how many (default 10)
#	SEED	what chance follows (default: the time); it is printed
#	ROUND	just this one, to repeat a failure with its SEED
#	LANE, LANES	only every LANES-th round, for several side by side
#	TALLY	a file for what there was of each kind
#
# "make trouble ROUNDS=200" runs four side by side (tests/trouble.sh).
. "$(dirname "$0")/tap.sh"

rounds=${ROUNDS:-10}
seed=${SEED:-$(date +%s)}
lane=${LANE:-1}
lanes=${LANES:-1}
last=$rounds
[ -z "$ROUND" ] || { lane=$ROUND lanes=1 last=$ROUND; }
echo "# SEED=$seed"

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
cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB $STFM_TASK" >>"$COUNT"
case $STFM_PARAM_i in
0 | 3) exit 0 ;;
1) sleep 0.4; exit 3 ;;
2) until [ -e "$GO/$STFM_JOB" ]; do sleep 0.1; done ;;
4) sleep 0.2 ;;
esac
EOT
chmod +x train.sh
printf '#!/bin/sh\nexec sleep 3600\n' >foreign.sh

## What a round is made of

# "what who when wait length": drawn from the seed and the round alone.
plan() {
	awk -v seed="$seed" -v round="$1" '
	function draw(list,   word, n) {
		n = split(list, word)
		return word[int(rand() * n) + 1]
	}
	BEGIN {
		srand(seed % 100000 * 7919 + round)
		for (i = 0; i < 10; i++) rand()
		act = draw("submit submit submit stop stop watch status " \
			"follow forget")
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
		touch -r "$saved" written
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
	stfm-submit -Q --gres=none --no-snapshot -J "$1" --parallel 3 i=0..4 \
		-- ./train.sh
}
started() {
	grep -q "^$1 $2\$" count
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

# The longest that a command may take, in milliseconds, by its page and the
# deadlines above; and what a busy machine adds.
bound() {
	bound_more=$((10 * $(effort)))
	echo $((bound_more + $(bound_idle "$1")))
}
bound_idle() {
	case $1 in
	submit | forget) echo $((3000 + 4000 + 3000 + 3000 + 4000)) ;;
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
	squeue -h -o '%F %j' | grep -E ' (r[0-9]+|stranger|foreign.sh)$' |
		sort -u >ghosts
	while read -r id name; do
		echo "$name" >>came-back
		scancel "$id"
	done <ghosts
}
prepare() {
	lay_ghosts
	case $act in
	submit | forget) return ;;
	esac
	in_peace submit "$job" >submit.out 2>&1 ||
		fail "could not be queued in peace"
	poll 60 started "$job" 2 || fail "did not start in peace"
}
act() {
	case $act in
	submit | forget) begin submit "$job" ;;
	stop) begin stfm-stop -Q "$job" ;;
	watch) begin stfm-watch --once "$job" ;;
	status) begin stfm-status --refresh "$job" ;;
	follow) begin stfm-watch -i 1 "$job" ;;
	esac
}
go_through() {
	case $when in
	before)
		harm "$who" "$how"
		act
		;;
	during)
		act
		sleep "$wait"
		harm "$who" "$how"
		;;
	after)
		act
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

# Another job, which takes the id of the one that Slurm forgot.
give_id_away() {
	stranger=
	[ -n "$array" ] || return 0
	queued "$job" | grep -q "^$array " && return 0
	stranger=0
	while [ "$stranger" -lt "$array" ]; do
		[ "$stranger" = 0 ] || scancel "$stranger"
		stranger=$(sbatch --parsable -J stranger -o /dev/null \
			foreign.sh) || break
	done
	[ "$stranger" != "$array" ] || echo "$round" >>given-away
}

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
		if [ -d "$STFM_DIR/jobs/$job" ]; then
			find "$STFM_DIR/jobs/$job/sub" -type f \
				-exec touch -d '-10 minutes' {} +
			in_peace go_on >resume.out 2>&1 && return
		else
			in_peace submit "$job" >resume.out 2>&1 &&
				return
		fi
	done
	fail "could not be queued afterwards: $(cat resume.out)"
}
take_up() {
	case $act in
	submit) [ "$action_status" = 0 ] || resume ;;
	forget)
		[ "$action_status" = 0 ] || resume
		give_id_away
		;;
	stop)
		if [ "$((round % 2))" = 0 ] ||
			[ -z "$(ls "$STFM_DIR/jobs/$job/ctl")" ]; then
			in_peace stfm-stop -Q "$job" >stop.out 2>&1 ||
				fail "could not be stopped: $(cat stop.out)"
		fi
		;;
	esac
	[ "$act" = stop ] || : >"go/$job"
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
over() {
	stfm-watch --once -Q "$job" >watch.out 2>&1
	unravel
	! tasks | grep -Eq 'SUBMITTED|RUNNING'
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
# The facts of a task that match, as find's words say.
fact() {
	fact_name=$(printf '%06d.0.%s' "$1" "$2")
	shift 2
	find "$STFM_DIR/jobs/$job/run" -name "$fact_name" "$@" | grep -q .
}
has_ended() {
	fact "$1" '*.E*'
}
# Queued, or started, when the controller had written down for the last time; a
# second before that it may have begun to.
is_unsaved() {
	was_killed || return
	touch -d "$(date -r written '+%F %T.%N') 1 second ago" since
	find "$STFM_DIR/jobs/$job/sub" -name '*.claim' -newer since |
		grep -q . || fact "$1" '*.S' -newer since
}
may_forget() {
	! has_ended "$1" && is_unsaved "$1"
}
check_task() {
	trained=$(grep -cx "$job $1" count)
	word=$2
	[ "$2" != ERROR ] || word="ERROR:$(echo "$3" | tr ' ' _)"
	case " $(expected "$1" "$trained") " in
	*" $word "*) ;;
	*)
		case $word in
		ERROR:SIGTERM | ERROR:SIGKILL | ERROR:LOST | \
			ERROR:NODE_FAIL | ERROR:launch_failure*)
			may_forget "$1" ||
				fail "task $1 trained $trained: $word"
			echo "$job $1" >>excused
			;;
		*) fail "task $1 trained $trained times, is $word" ;;
		esac
		;;
	esac
	if [ "$word" = ERROR:LOST ]; then
		may_forget "$1" ||
			fail "task $1 is LOST, Slurm forgot nothing"
		echo "$job" >>lost
	fi
}
check() {
	tasks >shown
	[ "$(wc -l <shown)" = 5 ] || fail "not five tasks: $(cat shown)"
	while IFS='	' read -r task state cause; do
		check_task "$task" "$state" "$cause"
	done <shown
	poll 30 unqueued "$job" ||
		fail "left in the queue: $(squeue -n "$job")"
	for id in $foreign $stranger; do
		[ "$(squeue -h -j "$id" -o '%T %j' 2>&1 |
			grep -Ec '^(RUNNING|PENDING) (foreign|stranger)')" \
			= 1 ] ||
			fail "touched: $(scontrol -o show job "$id" 2>&1)"
	done
	[ -z "$stranger" ] || scancel "$stranger"
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
	grep -q ERROR shown && want=1
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
	poll 240 over || fail "does not come to an end: $(tasks)"
	end_follow
	check
	check_follow
	! was_killed || pass_ids
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
		echo "# repeat it: SEED=$seed ROUND=$round sh $0" >&2
	fi
}

foreign=$(sbatch --parsable -J foreign -o /dev/null foreign.sh)
# Slurm writes down what it has every few seconds.
state_saved() {
	[ -n "$(find "$tap_dir/slurm/state/job_state" -newer mark)" ]
}
: >mark
scontrol update jobid="$foreign" comment=kept
poll 20 state_saved

: >longest
: >lost
: >came-back
: >stopped
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
tally >"${TALLY:-tally}"
sed 's/^/# /' "${TALLY:-tally}"
done_testing
