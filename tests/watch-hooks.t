#!/bin/sh
# stfm-watch --on: events are told to commands, each once, whoever looks.
# No Slurm is needed.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store" OUT="$tap_dir/told"
fixture=$top/build/plain/tests/store-fixture
[ -z "$SANITIZE" ] || fixture=$top/build/sanitize/tests/store-fixture

make() {
	"$fixture" "$STFM_DIR"
}
# A pass as cron makes it: 75 without Slurm, 2 when something went wrong.
pass() {
	stfm-watch --once -Q "$@" 2>>"$tap_dir/said"
}
told() {
	[ ! -e "$OUT" ] || cat "$OUT" >>"$tap_dir/events"
	[ ! -e "$OUT" ] || jq -r "$1" "$OUT"
	rm -f "$OUT"
}
told_once() {
	told '"\(.event) \(.ids)"' | sort | paste -sd,
}
# The age of a job is that of its record.
age() {
	touch -d '1 hour ago' "$STFM_DIR/jobs/$1/job.json"
}
ended() {
	echo "fact|$1|S|node=n1|time=-900"
	echo "fact|$1|E$2|exit=$2|start=-900|time=-800"
}
failed() {
	ended "$1" 1
}
fine() {
	ended "$1" 0
}

# ---- the command line ----

make <<-'END'
	job|empty|x=1
	end
END
age empty
refused "no command" "--on error: no command: write --on EVENT COMMAND" \
	stfm-watch --once --on error
refused "an option for a command" "no command" stfm-watch --on error -Q
refused "a command that is none" "nosuch: no such program" \
	stfm-watch --once --on error nosuch
refused "an event that is none" "did you mean finished" \
	stfm-watch --on fnished true
refused "an event in a list that is none" "'' is none of" \
	stfm-watch --on error, true
refused "a time that is none" "STFM_HOOK_TIMEOUT: 0 is not between" \
	env STFM_HOOK_TIMEOUT=0 stfm-watch --on error true
status "options after jobs and hooks" 75 \
	stfm-watch empty --on error true -1 --on=best 'true # too' -Q

# ---- what was over before ----

{
	echo 'job|old|x=1,2'
	fine 0
	failed 1
	echo end
	echo 'job|alive|x=1..6'
	failed 0
	failed 4
	echo end
} | make
age old
age alive
hook='cat >>"$OUT"'
pass --on finished,error,best "$hook"
is "of what was over nothing is told, of what is alive all" \
	"error alive/0,4" "$(told_once)"
pass --on finished,error,best "$hook"
is "once" "" "$(told_once)"
mkdir -p results/12/1
printf 'epoch,loss\n0,3\n' >results/12/1/1.csv
touch -d 2026-01-01T10:00 results/12/1/START results/12/1/END
ok "a job is imported" stfm-import -Q -J ago --finished results/12
touch -d '1 minute ago' "$STFM_DIR/jobs/old/job.json" \
	"$STFM_DIR/jobs/ago/job.json"
pass --on finished,error "$hook # a minute later"
is "what was submitted a moment before and is over is told, not what was \
imported" "error alive/0,4,error old/1,finished old" "$(told_once)"
age old
pass --on error "$hook"
is "the events of a command are one by one" "" "$(told_once)"
pass --on error "$hook # and I"
is "another command is told for itself" "error alive/0,4" "$(told_once)"
{
	echo 'of|alive'
	failed 1
} | make
stfm-status --refresh >/dev/null 2>&1
pass --on error "$hook"
is "what another program saw first is told, and only what is new" \
	"error alive/1" "$(told_once)"
{
	echo 'of|alive'
	for i in 2 3 5; do fine $i; done
	echo 'job|brief|x=1'
	fine 0
	echo end
} | make
pass --on finished,error,best "$hook"
for key in $(jq -r 'select(.event == "finished") | keys[]' "$OUT" | sort -u); do
	ok "the page has $key" grep -q "^\\.It Cm .*\\b$key\\b" \
		"$top/man/stfm-watch.1"
done
is "ends are told, also of jobs that nobody saw alive" \
	"finished alive,finished brief" "$(told_once)"
pass --on finished,error,best "$hook"
is "once" "" "$(told_once)"
{
	echo 'of|alive'
	echo 'fact|0|S|attempt=1|time=-700'
	echo 'fact|0|E3|attempt=1|exit=3|start=-700|time=-600'
} | make
pass --on finished,error,best "$hook"
is "a task that fails again, and the end of its job" \
	"error alive/0,finished alive" "$(told_once)"
is "of a job there are few records" 3 \
	"$(find "$STFM_DIR/jobs/alive/ctl" -name 'told.*' | wc -l)"
{
	echo 'job|thrice|x=1'
	failed 0
	echo 'fact|0|S|attempt=1|time=-500'
	echo 'fact|0|Q|attempt=1|start=-500|time=-400'
	echo 'fact|0|S|attempt=1|restart=1|time=-300'
	echo 'fact|0|E0|attempt=1|restart=1|exit=0|start=-300|time=-200'
	echo end
} | make
pass --on finished "$hook" thrice
is "it took from the first start of all its runs to the last end" \
	"700 thrice ended: 1 FINISHED in 11:40" \
	"$(told '"\(.elapsed) \(.text)"')"

# ---- what is said ----

cat >log <<'END'
Traceback (most recent call last):
  File "train.py", line 3, in <module>
RuntimeError: CUDA out of memory: $(touch pwned) `touch pwned` "; touch pwned"
END
{
	echo 'job|says|lr=0.1,1e-3|n=1..3'
	echo 'set|description=Of "all" $(touch pwned)'
	for i in 0 2 3; do
		failed $i | sed "s|E1.*|&\\|log=$PWD/log|"
	done
	failed 1
	echo end
} | make
today=$(date +%Y-%m-%d)
pass --on error 'cat >>"$OUT"; env >variables'
is "errors are grouped" "3 exit 1 says/0,2-3
1 exit 1 says/1" "$(jq -r '.groups[] | "\(.tasks) \(.cause) \(.ids)"' "$OUT")"
is "with an example and its log" "says/0 $PWD/log" \
	"$(jq -r '.groups[0] | "\(.example) \(.log)"' "$OUT")"
is "the keys are those of the page" \
	"event job description time text tasks ids store groups" \
	"$(jq -r 'keys_unsorted | join(" ")' "$OUT")"
for key in $(jq -r 'keys[], (.groups[0] | keys[])' "$OUT"); do
	ok "the page has $key" grep -q "^\\.It Cm .*\\b$key\\b" \
		"$top/man/stfm-watch.1"
done
is "on one line" 1 "$(wc -l <"$OUT")"
like "the time is now" "^($today|$(date +%Y-%m-%d))$" \
	"$(date -d "@$(jq .time "$OUT")" +%Y-%m-%d)"
like "the text is a sentence" \
	'^says: 4 tasks failed: 3 with RuntimeError: CUDA.*; 1 with exit 1$' \
	"$(jq -r .text "$OUT")"
is "the variables say the same" \
	"$(jq -r '"error", "says", "says/0-3", .text' "$OUT")" \
	"$(for name in EVENT JOB IDS TEXT; do
		sed -n "s/^STFM_$name=//p" variables
	done)"
like "and where the store is" "^STFM_DIR=$STFM_DIR\$" "$(cat variables)"
is "nothing of it is run" "" "$(ls pwned 2>&-)"
valid "an event is as stfm-json(5) has it" event-error <"$OUT"
rm -f "$OUT"

# ---- the end of a search ----

{
	echo 'job|search|x=1..4'
	echo 'set|pruner=asha,eta=2,first=3|search_epochs=9|metric=acc|goal=max'
	fine 0
	failed 3
	for i in 1 2; do
		ended $i 143 | sed 's/|E143.*/&|asked=15/'
		echo "stop|$i|pruned at epoch 3: 0.$i is 2nd of 2"
	done
	echo end
} | make
pass --on finished,error "$hook" search
cp "$OUT" "$tap_dir/search"
is "tasks that the pruner has stopped are no failures" \
	"error search/3,finished search" "$(told_once)"
is "the end of the job counts them" "2 2
search ended: 1 FINISHED, 1 ERROR, 2 STOPPED (2 by the search) in 1:40" \
	"$(jq -r 'select(.event == "finished")
		| "\(.pruned) \(.states.STOPPED)", .text' "$tap_dir/search")"
is "of other jobs it is 0" 0 "$(jq -r \
	'select(.event == "finished" and .job == "thrice") | .pruned' \
	"$tap_dir/events")"

# ---- best values ----

make <<-'END'
	job|best|lr=0.1,0.2
	fact|0|S|node=n1|time=-900
	end
END
curve() {
	printf 'epoch,val_loss\n'
	for value in "$@"; do
		printf '%s,%s\n' $((n += 1)) "$value"
	done
}
at() {
	n=0 && curve "$@" >"$STFM_DIR/jobs/best/metrics/000000.csv"
	pass --on best "$hook"
	told '"\(.best.value) \(.before) \(.best.params.lr) \(.tasks)"'
}
is "the first value is told" "0.5 null 0.1 1" "$(at 0.5)"
is "a worse one is not" "" "$(at 0.5 0.7)"
is "a better one is" "0.25 0.5 0.1 1" "$(at 0.5 0.7 0.25)"
is "one that reads the same is not" "" "$(at 0.5 0.7 0.25 0.249999)"

# ---- alive, but ----

awk 'BEGIN { print "epoch,val_loss"
	for (i = 1; i <= 20; i++) print i "," 1 / i }' >20.csv
make <<-'END'
	job|slow|seed=1..4|epochs=100
	task|0|RUNNING|start=-4000|pace=60|epoch_time=-2410|limit=90000|array=77
	read|0|20.csv
	task|1|RUNNING|start=-1000|limit=1200|array=77
	task|1|RUNNING|pace=60 60 60|epoch_time=-10
	read|1|20.csv
	task|2|RUNNING|start=-1000|pace=60|epoch_time=-10|limit=90000|array=77
	read|2|20.csv
	fold|asked=0
	end
END
pass --on stalled,late "$hook"
is "a task that hangs, and one whose time will be up" \
	"stalled slow/0 STALLED: silent for 40:..; an epoch takes 1:00
late slow/1 LATE: it needs" "$(told '"\(.event) \(.ids) \(.why[.ids])"' |
	sed 's/needs.*/needs/; s/ 40:[0-9][0-9];/ 40:..;/')"
pass --on stalled,late "$hook"
is "are told once" "" "$(told_once)"

make <<-'END'
	job|rest|seed=1..4|epochs=100
	task|0-2|RUNNING|start=-1000|limit=90000|array=77|usage=gpus=1 still=5
	task|0|RUNNING|usage=gpus=1 which=0 still=900
	task|1|RUNNING|usage=gpus=2 which=1 still=700
	task|1|RUNNING|pace=60 60 60|epoch_time=-10|limit=1200
	read|1|20.csv
	fold|asked=0
	end
END
pass --on idle,late "$hook"
is "GPUs that do nothing, also of a task that is late" \
	"late rest/1 LATE
idle rest/0-1 IDLE: GPU 1 of 2 has done nothing for 11:40" \
	"$(told '"\(.event) \(.ids) \(.why["rest/1"])"' |
		sed 's/LATE:.*/LATE/')"
pass --on idle,late "$hook"
is "are told once, too" "" "$(told_once)"

make <<-'END'
	job|cpus|seed=1
	set|option=--gres=none
	task|0|RUNNING|start=-90|array=78
	fold|asked=0
	end
END
is "cron is not told in each pass that this never comes without a GPU" "" \
	"$(stfm-watch --once --on idle "$hook" cpus 2>&1 | grep GPU)"
printf '%s\n' 'of|cpus' 'fact|0|S|time=-90' 'fact|0|E0|exit=0|time=-9' | make
is "who goes on watching is" \
	"stfm-watch: cpus: asks for no GPU, so none of its tasks can be idle" \
	"$(stfm-watch --on idle "$hook" cpus 2>&1 | grep GPU)"
is "and only for who asks for it" "" \
	"$(stfm-watch --on error "$hook" cpus 2>&1 | grep GPU)"

# ---- all that was told ----

# events NAME...: the events so far with these names.
events() {
	jq -c --arg names " $* " \
		'select(" " + .event + " " | inside($names))' "$tap_dir/events"
}
events finished >finished.json
events best >best.json
events stalled late idle >marks.json
events error >errors.json
valid "ends of jobs are as stfm-json(5) has them" \
	event-finished <finished.json
valid "so are failures" event-error <errors.json
valid "so are best values" event-best <best.json
valid "so are tasks that hang, are late or idle" event-mark <marks.json
is "each of them happened" "idle late stalled" \
	"$(jq -r .event marks.json | sort -u | paste -sd ' ' -)"

# ---- many at once, and many who look ----

make <<-'END'
	job|many|x=1..1000
	task|0-999|ERROR|cause=exit 1|exit=1|start=-9|end=-8
	end
END
pass --on error "$hook" many
is "a thousand failures are one notice" "1000 many/0-999" \
	"$(told '"\(.tasks) \(.ids)"')"
cat >slow.sh <<'END'
#!/bin/sh
text=$(cat)
printf '%s\n' "$text" >>"$OUT"
END
chmod +x slow.sh
pass --on finished,error "$PWD/slow.sh"
rm -f "$OUT"
for i in 1 2 3 4 5 6 7 8; do
	echo "job|race$i|x=1..9"
	echo "task|0-8|ERROR|cause=exit $i|start=-9|end=-8"
	echo end
done | make
watchers=
for i in 1 2 3 4; do
	pass --on finished,error "$PWD/slow.sh" &
	watchers="$watchers $!"
done
for i in $watchers; do
	wait "$i"
done
is "four watchers tell each event once between them" \
	"$(for i in 1 2 3 4 5 6 7 8; do
		printf '%s\n' "error race$i/0-8" "finished race$i"
	done | sort | paste -sd,)" "$(told_once)"
is "none of them was in trouble" "" "$(cat "$tap_dir/said")"

# ---- commands that do not do well ----

# A job that ends badly when the hook is known already, and a pass.
hears() {
	pass --on "$2" "$3" empty
	printf '%s\n' "job|$1|x=1" "task|0|ERROR|cause=exit 1|start=-9|end=-8" \
		end | make
	rm -f "$tap_dir/said"
	pass --on "$2" "$3" "$1"
}

fails='cat >>"$OUT"; [ "$STFM_EVENT" = finished ] || exit 3'
status "a command that fails: status 2" 2 hears fails error,finished "$fails"
like "it is said" \
	"fails: --on: the command for 'error' ended with status 3; this is" \
	"$(cat "$tap_dir/said")"
is "the next event is told all the same" "error fails/0,finished fails" \
	"$(told_once)"
status "the next pass is well" 75 pass --on error,finished "$fails" fails
is "and tells nothing again" "" "$(told_once)"

hears killed error 'kill -SEGV $$'
like "a command that is ended by a signal" "was ended by SIGSEGV" \
	"$(cat "$tap_dir/said")"

export STFM_HOOK_TIMEOUT=1
status "a command that hangs: status 2" 2 hears hangs error \
	'sleep 97531 & echo $! >hanging; wait'
like "it is killed" "did not end within 1 s and was killed" \
	"$(cat "$tap_dir/said")"
gone() {
	! kill -0 "$(cat hanging)" 2>/dev/null ||
		grep -q '^State:.*zombie' "/proc/$(cat hanging)/status"
}
ok "with what it has started" poll 10 gone
export STFM_HOOK_TIMEOUT=60
hears floods error 'yes | tee /dev/stderr' | head -c 9000000 | wc -c >flood
is "what a command prints without end goes where ours goes" 9000000 \
	"$(tr -d ' ' <flood)"
unset STFM_HOOK_TIMEOUT

status "a command that does not read" 75 hears deaf error true
status "a command that leaves something behind" 75 hears behind error \
	'(sleep 0.2; echo later >behind) >/dev/null 2>&1 &'
ok "which goes on" poll 10 grep -q later behind
hears holds error 'echo said; timeout 300 sleep 97532 & echo $! >holding' |
	cat >said
is "whoever reads our output does not wait for what is left behind" \
	"said going on" "$(cat said) $(! kill -0 "$(cat holding)" ||
		echo going on)"
kill "$(cat holding)"
hears shut error 'echo lost' >/dev/full
like "it is told that the output of a command is lost" \
	"'error' printed output that could not be written: standard output:" \
	"$(cat "$tap_dir/said")"

# ---- watchers that are killed ----

hears dies error 'kill -9 $PPID; cat >>"$OUT"' 2>/dev/null
ok "a watcher is killed while it tells" poll 10 test -s "$OUT"
pass --on error 'kill -9 $PPID; cat >>"$OUT"' dies
is "the event is not told again" "error dies/0" "$(told_once)"
asked='kill -TERM $PPID; cat >>"$OUT"; sleep 0.3; echo >ended'
hears term error "$asked # to begin with"
pass --on error "$asked" empty
printf '%s\n' "job|asked|x=1" "task|0|ERROR|cause=exit 1|start=-9|end=-8" \
	end | make
rm -f ended
ok "a watcher that is asked to end does so" stfm-watch -Q --on error "$asked"
ok "but lets the command come to its end" test -e ended
rm -f "$OUT"

# ---- trouble with the store ----

hears damage error "$hook # damage"
is "an event is told" "error damage/0" "$(told_once)"
key=$(cd "$STFM_DIR/jobs/damage/ctl" && echo told.*.1)
echo garbage >"$STFM_DIR/jobs/damage/ctl/$key"
rm -f "$tap_dir/said"
status "a damaged record: status 2" 2 pass --on error "$hook # damage" damage
like "is named" "damage: --on: .*$key: damaged" "$(cat "$tap_dir/said")"
is "and nothing is told" "" "$(told_once)"
stfm-check damage >found 2>&1
like "stfm-check finds it" "ctl/$key" "$(cat found)"

# ---- hooks in a file ----

mkdir -p ~/.config/stfm
file() {
	printf '{"watch": {"on": {"error": "%s"}}}\n' "$1" \
		>~/.config/stfm/config.json
}
# A job that has failed since the hooks of the options were first used.
file_hears() {
	job=$1
	shift
	pass "$@" empty
	printf '%s\n' "job|$job|x=1" \
		"task|0|ERROR|cause=exit 1|start=-9|end=-8" end | make
	pass "$@" "$job"
}
file nosuch
refused "what a file says is looked at, too" \
	"config.json: line 1: on: --on error: nosuch: no such program" \
	stfm-watch -1
file 'cat >>$OUT # file'
file_hears filed
is "a command in a file is told" "error filed/0" "$(told_once)"
file 'echo file >>$OUT.file # 2'
file_hears typed --on error 'cat >>"$OUT" # typed'
is "one on the command line is told" "error typed/0" "$(told_once)"
ok "in its place" test ! -e "$OUT.file"

done_testing
