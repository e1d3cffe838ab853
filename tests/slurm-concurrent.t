#!/bin/sh
# Eight programs at once work on one store: they submit, stop, restart, watch,
# show and draw, while two watchers follow, facts are packed, and a reader sees
# to it that nothing that is over becomes less.  In the end all that was
# acknowledged is there: jobs, stops (as wishes, and in what the task became)
# and restarts (as attempts); each attempt was trained once, and nothing is left
# in the queue.
#
#	OPS	how many operations in all (default 240)
#	SEED	what chance follows; it is printed
. "$(dirname "$0")/tap.sh"

ops=${OPS:-240}
seed=${SEED:-$(date +%s)}
writers=8
echo "# SEED=$seed OPS=$ops"
begin_slurm -N 1 -c 12 -g 0 -o MaxJobCount=60000 -o MinJobAge=30
export STFM_DIR="$tap_dir/store" COUNT="$PWD/count"
: >count

# Three tasks: two end well, one fails; each attempt leaves a line.  In a job
# that somebody is about to stop the last one takes longer than that.
cat >train.sh <<'EOT'
#!/bin/sh
echo "$STFM_JOB/$STFM_TASK.$STFM_ATTEMPT" >>"$COUNT"
printf 'epoch,val_loss\n0,1\n1,0.5\n' >"$STFM_METRICS"
[ "$STFM_PARAM_i" != 1 ] || exit 3
[ "$1$STFM_PARAM_i$STFM_ATTEMPT" != long20 ] || exec sleep 100
EOT
chmod +x train.sh
submit() {
	stfm-submit -Q --gres=none --no-snapshot -J "$1" i=0..2 -- \
		./train.sh ${2:+"$2"}
}
submit first || exit 99

# The operations of one writer, drawn from the seed and its number alone.
plan() {
	awk -v seed="$seed" -v writer="$1" -v count="$2" 'BEGIN {
		srand(seed % 100000 * 31 + writer)
		rand()
		for (i = 0; i < count; i++) {
			x = rand()
			what = x < 0.12 ? "submit" : x < 0.16 ? "stop" : \
				x < 0.2 ? "stop-new" : x < 0.28 ? "restart" : \
				x < 0.5 ? "watch" : \
				x < 0.75 ? "status" : \
				x < 0.9 ? "plot" : "jobs"
			if (i == 0)
				what = writer % 2 ? "submit" : "stop-new"
			print what, int(rand() * 1000000), i
		}
	}'
}
# Some job, by a number; those to restart are the even ones of a writer.
some_job() {
	set -- "$1" "$STFM_DIR"/jobs/*
	n=$1
	shift
	shift $((n % $#))
	echo "${1##*/}"
}
note() {
	echo "$*" >>"done.$writer"
}
# 0: acknowledged.  1: the answer is no.  75: not now.  2: of some a refusal.
# What is acknowledged, as "JOB TASK" lines: both commands print
# "JOB: ... task(s) ...: 0,2", or "0-2".
each_task() {
	sed -n "s/^\\([^ :]*\\): $1: \\([0-9,-]*\\)\$/\\1 \\2/p" |
		while read -r name list; do
			echo "$list" | tr ',' '\n' |
				while IFS=- read -r a b; do
					seq -f "$name %.0f" "$a" "${b:-$a}"
				done
		done
}
stop() {
	stfm-stop "$1" >"out.$writer" || return
	each_task 'stopped [0-9]* tasks*' <"out.$writer" >>"stops.$writer"
}
restart() {
	stfm-restart "$1" >"out.$writer" || return
	each_task '[0-9]* tasks* queued again' <"out.$writer" \
		>>"restarts.$writer"
}
run_one() {
	job=$(some_job "$2")
	rc=0
	case $1 in
	submit)
		job=w$writer-$3
		submit "$job" || rc=$?
		;;
	stop) stop "$job/$(($2 % 3))" || rc=$? ;;
	stop-new)
		job=s$writer-$3
		submit "$job" long || rc=$?
		[ "$rc" != 0 ] || stop "$job/0,2" || rc=$?
		;;
	restart)
		case $job in
		*[02468]) restart "$job" || rc=$? ;;
		esac
		;;
	watch) stfm-watch --once -Q "$job" || rc=$? ;;
	status) stfm-status "$job" >/dev/null || rc=$? ;;
	plot) stfm-plot "$job" >/dev/null || rc=$? ;;
	jobs) stfm-status --no-refresh >/dev/null || rc=$? ;;
	esac
	note "$1 $job $rc"
	case $1.$rc in
	*.0 | stop*.75 | submit.75 | restart.75 | watch.75) return ;;
	plot.1 | plot.2 | restart.1 | restart.2) return ;;
	esac
	echo "$1 $job: $rc" >>strange
}
write() {
	writer=$1
	plan "$writer" $((ops / writers)) >"plan.$writer"
	while read -r what number i; do
		run_one "$what" "$number" "$i" 2>"err.$writer" ||
			cat "err.$writer" >>strange
		if grep -iq 'damage\|checksum\|sanitizer' "err.$writer"; then
			cat "err.$writer" >>strange
		fi
	done <"plan.$writer"
}
# Facts that are old are packed: let these be.
age() {
	while [ ! -e stop ]; do
		find "$STFM_DIR"/jobs/*/run -name '*.*.*.*' -mmin -9 \
			-exec touch -c -d '-10 minutes' {} + 2>/dev/null
		sleep 0.5
	done
}
# "JOB over open" of each job.
counts() {
	stfm-status --no-refresh --json | jq -r '.[] | "\(.job) " +
		"\(.FINISHED + .ERROR + .STOPPED) \(.SUBMITTED + .RUNNING)"'
}
# Those that nobody restarts.
over() {
	counts 2>>reader.err | grep -v '^[^ ]*[02468] '
}
read_on() {
	: >before
	while [ ! -e stop ]; do
		over | sort >now
		join before now | awk '$4 < $2' >>less
		join -v 1 before now >>gone
		mv now before
		echo >>looks
	done
}

: >strange
: >less
: >gone
stfm-watch -Q -i 1 2>watch1.err & one=$!
stfm-watch -Q -i 1 2>watch2.err & two=$!
age & three=$!
read_on & four=$!
pids=
for i in $(seq $writers); do
	write "$i" &
	pids="$pids $!"
done
# shellcheck disable=SC2086 # words
wait $pids

settled() {
	stfm-watch --once -Q
	! counts | grep -qv ' 0$'
}
ok "all comes to an end" poll $((120 + ops / 4)) settled
: >stop
wait $three $four
kill -TERM $one $two
ok "the first watcher lived" wait $one
ok "so did the second" wait $two

cat done.* >all
is "nothing answered strangely" "" "$(sort strange | uniq -c | head -20)"
is "no damage was seen" "" "$(cat watch?.err reader.err | sort | uniq -c |
	grep -v 'did not answer\|answers again' | head)"
is "what is over never became less" "" "$(sort less | uniq -c | head)"
is "and no job was gone" "" "$(sort gone | uniq -c | head)"
awk '($1 == "submit" || $1 == "stop-new") && $3 == 0 { print $2 }' all |
	sort >wanted
# shellcheck disable=SC2012 # names that are made of letters
ls "$STFM_DIR/jobs" | sort >there
is "every job that was acknowledged is there" "" "$(comm -23 wanted there)"
is "no attempt was trained twice" "" "$(sort count | uniq -d | head)"

# "JOB/TASK.ATTEMPT STATE" of each task's last attempt.
ls "$STFM_DIR/jobs" | while read -r job; do
	stfm-status --no-refresh --json "$job" | jq -r '.[] |
		"\(.job)/\(.task).\(.attempt) \(.state) \(.cause)"'
done | sort >states
is "each job has its three tasks" "$(($(wc -l <there) * 3))" \
	"$(wc -l <states)"
sort count >trained
is "what is over by itself was trained" "" \
	"$(grep -v ' STOPPED ' states | cut -d ' ' -f 1 |
		comm -23 - trained | head)"
is "and as it should" "" "$(awk '
	/ FINISHED null/ && !/\/1\./ { next }
	/ ERROR exit 3/ && /\/1\./ { next }
	/ STOPPED / { next }
	{ print }' states | head)"
awk '$1 ~ /^stop/ && $3 == 0 { print $2 }' all | sort -u >stopped
is "nothing is STOPPED that nobody stopped" "" \
	"$(grep ' STOPPED ' states | sed 's,/.*,,' | sort -u |
		comm -23 - stopped | head)"

# "JOB TASK ATTEMPT" of the wishes on record.
for wish in "$STFM_DIR"/jobs/*/ctl/stop.*; do
	job=${wish%/ctl/*}
	jq -r 'select(.tasks) | "\(.tasks) \(.attempt)"' "$wish" |
		while read -r list attempt; do
			echo "${job##*/}: wish: $list" | each_task wish |
				sed "s/\$/ $attempt/"
		done
done | sort -k1,2 -k3n >wishes
cat stops.* | sort -u >stops
cat restarts.* | sort | uniq -c >restarts
sed 's,[/.], ,; s,[.], ,' states >ends
ok "stops were acknowledged that met something" test -s stops
is "each of these is a recorded wish" "" \
	"$(cut -d ' ' -f 1,2 wishes | sort -u | comm -23 stops - | head)"
is "and its task is STOPPED, or over by itself or in a later attempt" "" \
	"$(awk '
	FILENAME == "ends" { attempt[$1 " " $2] = $3; state[$1 " " $2] = $4 }
	FILENAME == "wishes" { last[$1 " " $2] = $3 }
	FILENAME == "stops" {
		task = $1 " " $2
		if (state[task] !~ /^(STOPPED|FINISHED|ERROR)$/ ||
		    attempt[task] < last[task] ||
		    $1 ~ /^s/ && $2 == 2 && attempt[task] == 0 &&
		    state[task] != "STOPPED")
			print task, state[task], attempt[task], last[task]
	}' ends wishes stops)"
ok "restarts were acknowledged, too" test -s restarts
is "each of them is an attempt" "" "$(awk '
	FILENAME == "ends" { attempt[$1 " " $2] = $3 }
	FILENAME == "restarts" && attempt[$2 " " $3] < $1' ends restarts)"
unqueued() {
	[ -z "$(squeue -h -t pending,running)" ]
}
ok "nothing is left in the queue" poll 60 unqueued
ok "the store is whole" stfm-check --store
ok "facts were packed meanwhile" sh -c \
	'find "$STFM_DIR"/jobs/*/pack -type f | grep -q .'
echo "# $(wc -l <all) operations: $(cut -d ' ' -f 1,3 all | sort | uniq -c |
	awk '{ printf "%s %s (%s), ", $1, $2, $3 }')"
echo "# $(wc -l <there) jobs, $(wc -l <count) trainings," \
	"$(wc -l <looks) looks of the reader"
done_testing
