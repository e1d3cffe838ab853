#!/bin/sh
# A job of 100,000 tasks: what is shown of it is right, and counting what is
# read shows that nobody reads more than it takes.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/here/store" TZ=UTC SLURM_CONF=/nonexistent
fold=$STFM_DIR/jobs/big/fold

look() {
	stfm-status --no-refresh "$@"
}
# The same without what is said about Slurm.
quietly() {
	look "$@" 2>/dev/null
}
log() {
	printf 'epoch,loss,val_loss\n'
	awk -v n="$1" -v best="$2" 'BEGIN {
		for (i = 1; i <= n; i++)
			print i ",1," best + n - i
	}'
}
# Bytes that this shell and what it waited for have read so far.
bytes_read() {
	sed -n 's/^rchar: //p' "/proc/$$/io" 2>/dev/null
}
# At most so many bytes are read by a command.
reads() {
	[ -n "$(bytes_read)" ] || return 0 # nobody counts here
	most=$1
	shift
	before=$(bytes_read)
	"$@" >/dev/null
	set -- $(($(bytes_read) - before))
	echo "read $1 bytes"
	[ "$1" -le "$most" ]
}
# Within so many kilobytes of address space; the sanitizers take terabytes.
within() (
	most=$1
	shift
	# shellcheck disable=SC3045 # dash and bash have it
	[ -n "$SANITIZE" ] || ulimit -v "$most"
	"$@"
)

log 20 0.5 >long.csv
log 10 0.25 >best.csv
log 5 0.75 >short.csv
cat >tasks <<'END'
job|big|a=1..100|b=1..1000
set|epochs=20
task|0-96999|FINISHED|node=n17|start=-900|end=-60|exit=0|array=41
read|0-96999|long.csv
task|97000-97999|ERROR|cause=exit 3|node=n18|start=-900|end=-60|exit=3|array=41
read|97000-97999|short.csv
task|98000-99899|RUNNING|node=n19|start=-900|array=41
read|98000-99899|best.csv
chunk|0-99999|41
END
{ cat tasks && echo end; } | "$fixture" store || exit 99

# ---- all jobs ----

one() {
	look -o json | jq -r ".[0].$1"
}
is "all tasks are counted" "100000 100 1900 97000 1000 0" \
	"$(look -o json | jq -r '.[0] | "\(.tasks) \(.SUBMITTED) \(.RUNNING) " +
	"\(.FINISHED) \(.ERROR) \(.STOPPED)"')"
is "their epochs are summed" "0.982" "$(one progress)"
is "the best of all is known" "val_loss 0.25 big/98000 10" \
	"$(one metric) $(one best) $(one best_task) $(one best_epoch)"
ok "that reads the first line and no more" reads 1000000 look
ok "the fold is much larger" \
	[ "$(wc -c <"$fold/state.1.jsonl")" -gt 40000000 ]
ok "and takes little memory" within 40000 look

# ---- few of them ----

is "one task is found among them" "RUNNING n19 0.25" \
	"$(look -o json big/98765 |
		jq -r '.[0] | "\(.state) \(.node) \(.best)"')"
is "the first as well, and the last ones" \
	"FINISHED 1 1,ERROR 98 1000,RUNNING 100 900,SUBMITTED 100 1000" \
	"$(look -o json big/0,97999,99899,99999 | jq -r \
	'map("\(.state) \(.a) \(.b)") | join(",")')"
like "a page about a task says what there is to say" "97500.*exit 3" \
	"$(look big/97500 | tr '\n' ' ')"
ok "that reads little" reads 2000000 look big/97500
ok "and takes little memory too" within 40000 look big/97500

# ---- all of them ----

# The table has 50 MB; parsed rows of all tasks would take twice that.
ok "a page of all of them keeps no parsed rows" within 100000 look big
ok "the best of all of them do not either" \
	within 110000 look -s best -n 5 big
{
	echo 'job|silent|seed=1..100000'
	for task in '0-19999|ERROR|exit=1' '20000-99998|FINISHED|exit=0'; do
		echo "task|$task|node=n3|start=-900|end=-60"
	done
	printf '%s\n' 'task|99999|FINISHED|start=-900|end=-60' \
		'read|99999|long.csv' end
} | "$fixture" "$PWD/silent" || exit 99
silent() {
	STFM_DIR=$PWD/silent look silent
}
ok "nor does a page of tasks without metrics" within 60000 silent

is "all tasks are listed" "1000 ERROR
97000 FINISHED
1900 RUNNING
100 SUBMITTED" "$(look -o tsv big | sed 1d | cut -f 4 | LC_ALL=C sort |
	uniq -c | sed 's/^ *//')"
is "the best stand first" "98000 98001 98002" \
	"$(look -o json -s best -n 3 big | jq -r 'map(.task) | join(" ")')"
is "failures are picked out" 1000 \
	"$(look -o tsv -t ERROR big | sed 1d | wc -l)"

# ---- drawn ----

draw() {
	stfm-plot --charset ascii -W 72 "$@" big 2>&1
}
mkdir -p "$STFM_DIR/jobs/big/metrics"
for task in 098000 098001 098002 098003 098004; do
	cp best.csv "$STFM_DIR/jobs/big/metrics/$task.csv"
	cp long.csv "$STFM_DIR/jobs/big/metrics/00000${task#09800}.csv"
done
draw -b 5 >plot
like "the five best are drawn" \
	"^val_loss, the best 5 of 98005 tasks of big" "$(cat plot)"
is "which are these" "98000 98001 98002 98003 98004" \
	"$(grep -Eo 'big/[0-9]* 0\.25' plot | grep -Eo '98[0-9]*' | xargs)"
draw --hist >hist
like "the best values of all are counted" \
	"^Distribution of best val_loss \(98005 tasks of big\)" "$(cat hist)"
is "each in its row" "5 97000 1000" "$(sed -n \
	's/^[0-9.]* - [0-9.]*  *\([1-9][0-9]*\) .*/\1/p' hist | xargs)"
draw --by all >by
like "what mattered is told of all" \
	"^What mattered for best val_loss \(98005 tasks of big\)" "$(cat by)"
is "for each hyperparameter" "a b" \
	"$(sed -n 's/^\([a-z]\)  explains [0-9]*% .*/\1/p' by | xargs)"
is "each group is as large as it is" "98005 98005" "$(awk '
	/^[ab]  explains/ { name = $1 }
	sub(/.* n=/, "") { sum[name] += $1 }
	END { print sum["a"], sum["b"] }' by)"
rm -r "$STFM_DIR/jobs/big/metrics"

# ---- a pass ----

over() {
	quietly -o tsv -t FINISHED,ERROR big | cksum
}
before=$(over)
status "a pass without Slurm says so" 75 \
	within 250000 stfm-watch --once -Q big
is "each task that is over is as it was" "$before" "$(over)"
is "only what changed is written" "1 100 1" \
	"$(jq -r '.base // .rows // empty' "$fold/state.2.jsonl" |
		tr '\n' ' ')$(grep -c '"base"' "$fold/state.2.jsonl")"
is "so are the counts" "$(quietly -o json | jq -c '.[0] |
	[.FINISHED, .progress, .best, .best_task]')" \
	'[97000,0.982,0.25,"big/98000"]'
status "another one finds nothing new" 75 stfm-watch --once -Q big
is "and publishes nothing" 2 "$(find "$fold" -name 'state.*' | wc -l)"

# ---- a store of an earlier release ----

{ cat tasks && printf '%s\n' old end; } | sed 's/|big|/|old|/' |
	"$fixture" store || exit 99
jq -c 'select(.states) | del(.states)' "$STFM_DIR/jobs/old/fold/state.1.jsonl" \
	>first
is "its first line has no summary" null "$(jq -c .summary first)"
about='{SUBMITTED, RUNNING, progress, metric, best, best_epoch}'
is "it is shown all the same" 1 \
	"$(quietly -o json | jq -c ".[] | $about" | sort -u | wc -l)"
is "so is each of its tasks" "exit 3" \
	"$(quietly -o json old/97500 | jq -r '.[0].cause')"

# ---- damage ----

# The letter F of the state FINISHED in the row of task 1000.
at=$(grep -b -o -a '"task":1000,"state":"F' "$fold/state.1.jsonl")
printf G | dd of="$fold/state.1.jsonl" bs=1 seek=$((${at%%:*} + 21)) \
	conv=notrunc 2>/dev/null
like "who reads all rows sees one that is damaged" \
	'big: state.1.jsonl:1002: damaged' "$(look -n 1 big 2>&1)"
like "so does who reads that one" 'big: state.1.jsonl:1002: damaged' \
	"$(look big/1000 2>&1)"
is "who does not need it is not kept from the others" RUNNING \
	"$(quietly -o json big/98765 | jq -r '.[0].state')"
printf X | dd of="$fold/state.2.jsonl" bs=1 seek=50000 \
	conv=notrunc 2>/dev/null
like "a damaged first line is seen by everybody" \
	'big: state.2.jsonl:1: damaged' "$(look 2>&1)"
like "a pass says so" 'big: state.2.jsonl:1: damaged' \
	"$(stfm-watch --once -Q big 2>&1)"
is "and makes a whole one" "" "$(look 2>&1 >/dev/null | grep damaged)"

done_testing
