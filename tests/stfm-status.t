#!/bin/sh
# Stores made by the library itself, shown without any Slurm.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
expected=$top/tests/status
export STFM_DIR="$tap_dir/here/store" TZ=UTC

look() {
	stfm-status --no-refresh "$@"
}

# A log of $1 epochs from $2 on, its loss falling to $3 and rising again.
log() {
	awk -v n="$1" -v from="$2" -v best="$3" 'BEGIN {
		print "epoch,loss,val_loss"
		for (i = 0; i < n; i++) {
			at = i - n / 2
			print i + from "," 2 / (i + 1) "," \
				best + at * at / n / n
		}
	}'
}

# ---- nothing there ----

is "without a store there are no jobs" \
	"stfm-status: no jobs in $STFM_DIR: stfm-submit makes one" \
	"$(look 2>&1)"
status "that is no failure" 0 look
is "programs get no jobs too" "[]" "$(look --json 2>/dev/null)"
refused "a job that is named is missed" "no store here" look conv2d
refused "so is a store that is" "$PWD/nowhere: no store here" look -d nowhere

printf '%s\n' '# nothing' | "$fixture" store
is "nor are there jobs in an empty store" \
	"stfm-status: no jobs in $STFM_DIR: stfm-submit makes one" \
	"$(look 2>&1)"
like "-o tsv has its heads all the same" "^job	description	tags	tasks" \
	"$(look -o tsv 2>/dev/null)"
like "and those of tasks, when tasks were asked for" \
	"^id	job	task	state	" \
	"$(look -s best -o tsv 2>/dev/null)"
is "no words on standard input are no tasks" "[]" \
	"$(look --json - 2>&1)"
refused "the option of another program" \
	"--top: no such option (write -n 5 for the newest jobs, -b 5 for" \
	look --top 5
refused "and of one that follows" "--watch: no such option (write -f" \
	look --watch
refused "and of stfm-plot" \
	"--best-so-far: no such option (write stfm-plot --best-so-far JOB)" \
	look --best-so-far conv2d
for option in --best -n; do
	refused "a job in place of a number: $option" "$option: 'conv2d' is \
not a whole number: write one first, as in $option 5 conv2d" look $option conv2d
done
refused "-t needs jobs no more than the others" "no such state" \
	look -t NOSUCH

# ---- one job with tasks in every state ----

log 10 0 0.5 >0.csv
log 5 0 0.25 >1.csv
log 4 0 0.75 >2.csv
printf '%s\n' epoch,loss,val_loss 0,1,1 1,2,nan 2,nan,nan >4.csv
printf '%s\n' 'Epoch 1' 'Epoch 2: 10%@Epoch 2: 90%!@' 'Traceback:' \
	'RuntimeError: CUDA out of memory, says !]0;the driver' '' |
	tr '@!' '\r\033' >log2
# Slurm was asked 50 seconds ago: times are as of then.
"$fixture" store <<-EOD
	job|conv2d|learning_rate=1e-3,1e-2|batch_size=16,32,64|epochs=10|\
	opt=adam
	set|description=Three layers, no dropout
	task|0|FINISHED|node=g3|start=-9000|end=-4640|array=4102|index=0|exit=0
	metrics|0|0.csv
	task|1|RUNNING|node=g4|start=-100|array=4102|index=1
	metrics|1|1.csv
	task|2|ERROR|cause=exit 1|node=g3|start=-90|end=-45|array=4102|\
	index=2|exit=1|log=$PWD/log2|gpus=0,1|memory=1610612736|cpu=4300|\
	epoch_time=-45
	metrics|2|2.csv
	task|3|STOPPED|array=4102|index=3
	task|4|RUNNING|node=g4|start=-3700|array=4102|index=4|restart=2
	metrics|4|4.csv
	task|5|SUBMITTED|cause=(Priority)|array=4102|index=5
	chunk|0-5|4102
	fold|asked=-50|trouble=no answer
	end
EOD

is "all jobs" "$(cat "$expected/jobs.out")" \
	"$(look 2>/dev/null | sed 's/ *AGE$//; s/  *[0-9]* s$//')"
is "all jobs, for programs" "$(cat "$expected/jobs.csv")" \
	"$(look -o csv 2>/dev/null | cut -d , -f 1-16)"
like "that the answers are old is said once" "^stfm-status: \
Slurm not reachable, last answered about conv2d at .*: no answer$" \
	"$(look 2>&1 >/dev/null)"

# What was drawn, looked at and found good, without the time of day.
shown() {
	"$@" 2>/dev/null | sed -E "s| 20[0-9-]+ [0-9:]+| DATE|; s|$PWD|HERE|" |
		awk '/^Command / { skip = 1; next } # as long as the paths are
			/^$|^[A-Z][a-z]/ { skip = 0 }
			!skip'
}
# page NAME FILE COLUMNS TASKS: DRAW=1 draws it anew, to be looked at.
page() {
	COLUMNS=$3 shown look "$4" >page
	[ -z "$DRAW" ] || cp page "$expected/$2"
	is "$1" "$(cat "$expected/$2")" "$(cat page)"
}
page "a job on 80 columns, ASCII" job-ascii-80.out 80 conv2d
TERM=xterm page "a job on 113 columns, blocks" job-113.out 113 conv2d
page "a task that failed" task-80.out 80 conv2d/2
page "a task that waits" waiting-80.out 80 conv2d/5
like "a job in a pipe is not cut" \
	"^conv2d/2  exit 1: .*, says .x1b\]0;the driver  log2$" \
	"$(look conv2d 2>/dev/null)"

too_wide() {
	for columns in 20 30 40 60 70 81 99 133; do
		{
			COLUMNS=$columns TERM=xterm look
			COLUMNS=$columns TERM=xterm look conv2d
			COLUMNS=$columns look conv2d/4
		} 2>/dev/null | grep -v "store/jobs\|$PWD" >out
		[ "$(wc -L <out)" -le $columns ] || cat out
	done
}
is "no line is wider than the terminal" "" "$(too_wide)"
is "no line ends in blanks" "" "$(for columns in 20 80 200; do
	COLUMNS=$columns look conv2d/4 conv2d/0
	COLUMNS=$columns look conv2d/2
done 2>/dev/null | grep ' $')"
is "nothing of a log reaches the terminal raw" "" \
	"$({ look conv2d; look conv2d/2; } 2>/dev/null |
		grep "$(printf '[\033\r]')")"
is "a colour for each state" \
	"$(printf '\033[34mRUNNING\033[0m \033[31mERROR\033[0m ')" \
	"$(look --color=always conv2d/1,2 2>/dev/null |
		sed -nE 's/^conv2d.[12] +([^ ]*m) .*/\1/p' | tr '\n' ' ')"
is "no colour where nobody asked" "" \
	"$(TERM=xterm look conv2d 2>/dev/null | grep "$(printf '\033')")"

# ---- for programs ----

is "every column, and the hyperparameters as typed" \
	"$(cat "$expected/rows.csv")" \
	"$(look -o csv conv2d/2 2>/dev/null |
		sed -E "s/20[0-9-]+T[0-9:]+\\+00:00/TIME/g; s|$PWD|HERE|g")"
# conv2d has these hyperparameters.
columns() {
	look -o tsv conv2d/2 2>/dev/null | sed 1q | tr '\t' '\n' |
		grep -vxE 'learning_rate|batch_size|opt|param_epochs' | sort
}
is "the page has each of these columns" "$(columns)" "$(
	sed -n '/^\.Ss Columns/,/^\.El/s/^\.It //p' "$top/man/stfm-status.1" |
		sed '/^hyperparameters$/d; s/ , /\n/g' | sort)"
jq_of() {
	filter=$1
	shift
	look "$@" 2>/dev/null | jq -r "$filter"
}
is "json is one array" "array 6" \
	"$(jq_of '"\(type) \(length)"' --json conv2d)"
is "jsonl is an object a line" "6" \
	"$(look -o jsonl conv2d 2>/dev/null | wc -l)"
is "no number, no value and a text are three things" \
	'["nan",null,0.01,2,3700]' \
	"$(jq_of '.[4] | [.last, .exit, .learning_rate, .nan_since,
		.elapsed + 50] | tojson' --json conv2d)"
ok "times are seconds in json" test 45 -eq \
	"$(jq_of '.[0].end - .[0].start' --json conv2d/2)"
is "tsv has the same values" \
	"$(jq_of '.[] | .id + "\t" + .state' --json -s task)" \
	"$(look --sort task -o tsv 2>/dev/null | sed 1d | cut -f 1,4)"

# ---- which tasks, in which order ----

# A line for each case: the expected tasks, then the arguments.
while read -r tasks arguments; do
	# shellcheck disable=SC2086 # several arguments
	is "tasks $tasks: $arguments" "$tasks" "$(look -o tsv \
		$arguments 2>/dev/null | sed 1d | cut -f 3 | paste -sd , -)"
done <<-EOD
	0,1,2,3,4,5 conv2d
	1,4 -t RUNNING conv2d
	1,4 -t run conv2d
	1,3,4,5 -t r,PENDING -t stopped conv2d
	0 -t CD conv2d
	2 -t F conv2d
	2 -t OOM conv2d
	2 -t out_of_memory conv2d
	2 -t gpu_out_of_memory conv2d
	2,4 -t R,OOM conv2d/2-5
	2 -w log_cause=GPU_OUT_OF_MEMORY conv2d
	3,5 -t ca,pd conv2d
	2,3,4 conv2d/2-4
	0,2,5 conv2d/5,0 conv2d/2
	3,4 4102_3-4
	2,5 -w batch_size=64 conv2d
	2 -w batch_size=64,best<0.8 conv2d
	2 -w batch_size=64 -w learning_rate<0.01 conv2d
	4 -w elapsed>3600 conv2d -t RUNNING
	0,1,2 -w epoch>3 conv2d
	0,2 -w node=g3 conv2d
	4 -w last=nan conv2d
	4 -w restart>0 conv2d
	1,0,2,4,3,5 -s best conv2d
	4,2,0,1,3,5 -s -best conv2d
	1,0,2,4 -s best -n 4 conv2d
	3,4,5,0,1,2 -s -learning_rate conv2d
	5,1,4,0,2,3 -s state conv2d
	2,5,1,4,0,3 -s -batch_size conv2d
	0,4,1,2,3,5 -s -elapsed conv2d
	5,4,3,2,1,0 -s -task conv2d
	0,1,2,3,4,5 -s opt
EOD
status "filters that leave nothing say no" 1 look -t NF conv2d
is "and programs get an empty table" "[]" \
	"$(look -t NF --json conv2d 2>/dev/null)"
status "a cause that no log names leaves nothing, too" 1 \
	look -t DISK_FULL conv2d
is "programs read the cause that the log names" "exit 1 GPU_OUT_OF_MEMORY" \
	"$(look -o jsonl conv2d/2 | jq -r '"\(.cause) \(.log_cause)"')"
is "it is a column of -e" GPU_OUT_OF_MEMORY \
	"$(look -e --json conv2d | jq -r '.[0].log_cause')"
like "and people see it beside the cause" \
	'^  exit 1  GPU_OUT_OF_MEMORY  conv2d/2$' "$(look -e conv2d)"
status "a task that is not in the state is not shown either" 1 \
	look -t STOPPED conv2d/0
is "words come from standard input" "conv2d/1 conv2d/5" \
	"$(printf '%s\n' conv2d/5 conv2d/1 |
		look -o jsonl - 2>/dev/null | jq -r .id | paste -sd ' ' -)"

refused "an unknown job" "conv2: no such job (did you mean conv2d?)" \
	look conv2
refused "the record of nothing" "--record: name a job" look --record
refused "a record as a table" "text, json or jsonl" \
	look --record -o tsv conv2d
status "a job of which no commit is known has no difference" 1 \
	look --diff conv2d
like "the record of a job names its command" '^Command +train' \
	"$(look --record conv2d)"
refused "an unknown task" "conv2d/6: no such task (it has 0-5)" \
	look conv2d/6
refused "an unknown column to sort by" \
	"learning_rat: no such column (did you mean learning_rate?)" \
	look -s learning_rat conv2d
refused "an unknown column in a condition" \
	"beste: no such column (did you mean best?)" look -w beste=1
refused "the head of a column" \
	"AT: no such column (did you mean best_epoch?)" look -s AT conv2d
refused "in lower case" "mem: no such column (did you mean memory_use?)" \
	look -c id,mem conv2d
for option in '-wval_loss>0.9' -sval_loss; do
	refused "the objective has two columns, with $option" \
		"val_loss: no such column (it is the objective: write best or" \
		look "$option" conv2d
done
is "a condition that no task meets is told, with the status" \
	"1 stfm-status: no task matches -t ERROR -w 'epoch<-1'" \
	"$(look -t ERROR -w 'epoch<-1' conv2d >out 2>err
		echo "$? $(grep matches err)")"
is "twice the = is one" "$(look -w task=1 -o tsv conv2d)" \
	"$(look -w task==1 -o tsv conv2d)"
refused "and is no comma" "-w: epoch=1 and task=2: write a comma for \"and\"" \
	look -w 'epoch=1 and task=2' conv2d
refused "a condition that is none" "-w: lr" look -w lr conv2d
refused "a mistyped state" "'erorr': no such state (did you mean ERROR?)" \
	stfm-status -t STOPPED,erorr conv2d
refused "an unknown state" "-t: 'S': no such state (SUBMITTED, RUNNING," \
	look -t S conv2d
refused "an unknown format" "-o: xml: no such format (text, tsv" \
	look -o xml
refused "a limit of nothing" "-n 0: write a number from 1 on" look -n 0

# ---- epochs, objectives, several jobs ----

log 3 1 0.5 >one.csv
sed 's/epoch/step/' 2.csv >step.csv
printf '%s\n' epoch,val_acc 0,0.5 1,0.75 2,0.625 >acc.csv
printf '%s\n' epoch,val_acc 0,0.25 >low.csv
later() {
	[ "$(date +%s)" -gt "$(jq_of '.[0].created' --json)" ]
}
ok "time goes by" poll 5 later
"$fixture" store <<-EOD
	job|many|max_epochs=6,3,2|state=a
	set|description=A job with a name after all
	task|0|RUNNING
	metrics|0|one.csv
	task|1|RUNNING
	metrics|1|step.csv
	task|2|FINISHED
	metrics|2|one.csv
	chunk|0-2|4103
	end
	job|higher|x=1..4
	set|goal=max|epochs=3|metric=val_acc
	task|0|FINISHED
	metrics|0|low.csv
	task|1|RUNNING
	metrics|1|acc.csv
	task|2|RUNNING
	metrics|2|one.csv
	end
EOD
is "epochs count from 1 as well, steps are no epochs, finished is all" \
	"many/0 3 6 0.5
many/1 3 null null
many/2 3 2 1" \
	"$(jq_of '.[] | "\(.id) \(.epoch) \(.epochs) \(.progress)"' \
		--json many)"
is "what the user calls state is param_state" "RUNNING a" \
	"$(jq_of '.[0] | .state + " " + .param_state' --json many)"
like "steps stand alone" "^many/1 .* 3 +3 +0.7500  +2 " "$(look many)"
is "the largest is the best where the goal is max" "0.75 higher/1 2" \
	"$(jq_of '.[] | select(.job == "higher") |
		"\(.best) \(.best_task) \(.best_epoch)"' --json)"
is "so it is sorted first" "1,0,2,3" "$(look -s best -o tsv higher |
	sed 1d | cut -f 3 | paste -sd , -)"
like "a metric that a log does not have is missed" \
	"val_acc, higher is better \(not in the log of 1 task\)" \
	"$(look higher)"
"$fixture" store <<-EOD
	job|nowhere|x=1,2
	set|goal=max|metric=accuracy
	task|0-1|FINISHED
	metrics|0|acc.csv
	chunk|0-1|4109
	end
EOD
like "one that no log has says which metrics there are" \
	"higher is better \(not in the log of 1 task, which has val_acc\)" \
	"$(COLUMNS=200 look nowhere)"
is "so does --why" "nowhere/0-1 1 log is without accuracy; name a metric of \
the logs (val_acc):
    stfm-set --metric NAME nowhere" "$(COLUMNS=200 look --why nowhere)"
rm -r store/jobs/nowhere
is "two jobs are two tables" "2" "$(look many higher | grep -c '^TASK')"
is "and one for programs, with the columns of both" \
	"many/0 6 null higher/0 null 1" \
	"$(jq_of '[.[] | select(.task == 0) |
		"\(.id) \(.max_epochs) \(.x)"] | join(" ")' --json many higher)"
is "the newest job comes last" "conv2d" \
	"$(look -o tsv 2>/dev/null | sed 1d | head -n 1 | cut -f 1)"
is "a limit leaves the newest" "2" \
	"$(look -n 2 -o tsv 2>/dev/null | sed 1d |
		cut -f 1 | grep -c -v conv2d)"

# ---- a clock that is wrong ----

if command -v faketime >none && [ -z "$SANITIZE" ]; then
	"$fixture" clocks <<-EOD
		job|off|x=1|epochs=500
		task|0|RUNNING|node=g4|start=-15|array=4102|index=0|\
		epoch_time=-5|pace=1
		metrics|0|1.csv
		chunk|0|4102
		fold|asked=0
		end
	EOD
	off() {
		NO_FAKE_STAT=1 faketime -f "$shift" \
			stfm-status --no-refresh -d clocks "$@" off
	}
	for shift in +400 -400; do
		is "$shift s: it runs for as long as before, and is heard" \
			"true null" "$(off -o jsonl |
				jq -r '"\(.elapsed < 100) \(.mark)"')"
		is "$shift s: nor is its table old" "" \
			"$(off | grep -o 'as of.*')"
	done
else
	ok "no faketime, or sanitizers" true
fi

# ---- bringing it up to date ----

fold=store/jobs/many/fold/state.1.jsonl
export SLURM_CONF=/nonexistent
touch -d "-20 seconds" "$fold"
is "a pass from less than a minute ago is good enough" "" \
	"$(stfm-status many 2>&1 >/dev/null)"
touch -d "-61 seconds" "$fold"
is "--no-refresh lets it be old" "" "$(look many 2>&1 >/dev/null)"
like "else Slurm is asked" \
	"^stfm-status: Slurm not reachable, last answered about many at " \
	"$(stfm-status many 2>&1 >/dev/null)"
status "that it does not answer is no failure" 0 stfm-status many
ok "the tasks are as they were" \
	test "$(look -t R -o tsv many 2>/dev/null | wc -l)" -eq 3
printf '%s\n' 'job|young|x=1' 'task|0|SUBMITTED' 'end' | "$fixture" store
touch -d "-20 seconds" store/jobs/young/fold/*
is "so is one from twenty seconds ago" "" "$(stfm-status young 2>&1 >/dev/null)"
touch -d "-100 seconds" store/jobs/young/sub
like "but not soon after tasks were queued" \
	"^stfm-status: Slurm not reachable" \
	"$(stfm-status young 2>&1 >/dev/null)"
rm -r store/jobs/young
printf '%s\n' 'job|over|x=1' 'task|0|FINISHED' 'end' | "$fixture" store
touch -d "-1 hour" store/jobs/over/fold/*
is "nobody asks about what is over" "" \
	"$(stfm-status over 2>&1 >/dev/null)"
like "unless told to" "Slurm not reachable" \
	"$(stfm-status --refresh over 2>&1 >/dev/null)"

# As when Slurm was waited for: what the pass made is old when it ends.
mkdir waits
cp "$(command -v stfm-status)" waits/
cat >waits/stfm-watch <<-END
	#!/bin/sh
	'$(command -v stfm-watch)' "\$@"
	rc=\$?
	touch -d '-15 seconds' store/jobs/slow/fold/*
	exit \$rc
END
chmod +x waits/stfm-watch
printf '%s\n' 'job|slow|x=1' 'task|0|RUNNING' 'fold|asked=-50' 'end' |
	"$fixture" store
like "when it does not answer for long, that is said" "^stfm-status: \
Slurm not reachable, last answered about slow at [0-9:]{5}: .*nonexistent" \
	"$(waits/stfm-status --refresh slow 2>&1 >/dev/null)"
rm -r store/jobs/slow

# ---- where nothing can be written, as on a full disk ----

printf '%s\n' 'job|full|x=1,2' 'chunk|0-1|4102' \
	'fact|0|S|node=n1|time=-900|slurm=4102_0' \
	'fact|0|E3|exit=3|time=-800|node=n1' end | "$fixture" full
rm -f full/jobs/full/fold/*
# No file can get longer than nothing.
on_full_disk() {
	(
		ulimit -f 0
		trap '' XFSZ
		"$@" 2>&1
	) | cat
}
told=$(on_full_disk stfm-status -o tsv -d full full)
is "what the records tell is told" "ERROR SUBMITTED" "$(echo "$told" |
	awk '/^full/ { print $4 }' | xargs)"
like "and that nothing else is, and why" \
	"^stfm-status: from the records alone, .*: cannot write: File too" \
	"$told"
like "as stfm-log does" "^stfm-log: full/0: never began, exit 3" \
	"$(on_full_disk stfm-log -d full full/0)"
is "nothing has been written" "" "$(ls full/jobs/full/fold)"
stfm-status -d full full >out 2>err
like "when there is room again, all is as ever" "^full/0 +ERROR" "$(cat out)"
like "also for who asked" "Slurm not reachable" "$(cat err)"

# ---- damage ----

printf '%s\n' 'job|torn|x=1' 'chunk|0|4103' \
	'fact|0|S|node=n1|time=-900|slurm=4103_0' \
	'fact|0|E3|exit=3|start=-900|time=-800|node=n1' end |
	"$fixture" store
rm -f store/jobs/torn/fold/*
end=store/jobs/torn/run/000/000000.0.0.E3
chmod u+w "$end"
cp "$end" kept
truncate -s -2 "$end"
stfm-watch -1 -Q --notes=notes torn >out 2>&1
like "a fact that is damaged is named by a pass" "torn: .*/$end: damaged" \
	"$(cat out)"
like "a command that waits for the pass is told of which job" \
	"^torn	/.*/$end: damaged" "$(cat notes)"
rm notes
stfm-watch -1 -Q torn >out 2>&1
for view in torn torn/0 '--json torn' '--cost torn'; do
	# shellcheck disable=SC2086 # words
	look $view >out 2>err
	is "later by who shows what lacks it: $view" 1 \
		"$(grep -c "^stfm-status: torn: .*/$end: damaged" err)"
done
is "its name is known" "ERROR exit 3 null" "$(look --json torn 2>/dev/null |
	jq -r '.[0] | "\(.state) \(.cause) \(.end)"')"
cp kept "$end"
stfm-watch -1 -Q torn >out 2>&1
is "when it is mended, all is" "ERROR 100" "$(look --json torn 2>&1 |
	jq -r '.[0] | "\(.state) \(.elapsed)"')"
rm -r store/jobs/torn

# A value is whole for programs, and cannot command a terminal.
printf 'job|esc|x=a\033[31m\ntask|0|FINISHED|exit=0\nend\n' |
	"$fixture" store
for format in tsv csv; do
	is "$format: a pipe gets every byte" 1 \
		"$(look -o $format esc | grep -c "a$(printf '\033')\[31m")"
	script -qec "stfm-status --no-refresh -o $format esc" typescript \
		>/dev/null 2>&1 </dev/null
	is "$format: a terminal gets no escape sequence" 1 \
		"$(grep -c 'a\\x1b\[31m' typescript)"
done
rm -r store/jobs/esc
chmod u+w store/jobs/higher/job.json
printf '{"name": "higher"' >store/jobs/higher/job.json
look >out 2>err
is "a damaged record is an error" 2 $?
like "it is named" "^stfm-status: .*higher/job.json" "$(cat err)"
is "the other jobs are there" "conv2d many over" \
	"$(sed 1d out | cut -d ' ' -f 1 | sort | paste -sd ' ' -)"
look -o tsv conv2d/0 higher many/1 >out 2>err
is "a damaged job that is named is an error" 2 $?
like "it is named beside others" "^stfm-status: .*higher/job.json" "$(cat err)"
is "and the others are shown" "conv2d/0 many/1" \
	"$(sed 1d out | cut -f 1 | paste -sd ' ' -)"
is "by their age, too" conv2d/0 \
	"$(look -o tsv conv2d/0 @1 2>err | sed 1d | cut -f 1)"
like "which cannot be told" "@1: which job that is cannot be told" "$(cat err)"
refused "a damaged job alone is an error" "higher/job.json" look higher
cp -r store/jobs/higher store/jobs/higher2
refused "so are several" "and 1 more cannot be read" \
	look higher higher2
rm -r store/jobs/higher2
look --record conv2d higher >out 2>err
is "a record of a damaged job is missing" 2 $?
ok "that of the other is there" grep -q '^Command' out
stfm-log conv2d/2 higher >out 2>err
is "a damaged job is no log" 2 $?
like "stfm-log names it" "^stfm-log: .*higher/job.json" "$(cat err)"
ok "stfm-log prints the logs of the others" grep -q 'CUDA out of' out
stfm-plot -o tsv conv2d/0 higher >out 2>err
is "a damaged job is no curve" 2 $?
like "stfm-plot names it" "^stfm-plot: .*higher/job.json" "$(cat err)"
ok "stfm-plot draws the others" grep -q 'val_loss' out
stfm-watch -1 -Q over >/dev/null 2>&1
rm -r store/jobs/over/fold
stfm-watch -1 -Q higher over >/dev/null 2>err
is "a damaged job is not watched" 2 $?
like "stfm-watch names it" "^stfm-watch: .*higher/job.json" "$(cat err)"
ok "stfm-watch makes its pass over the others" test -d store/jobs/over/fold
rm -r store/jobs/higher
for file in store/jobs/over/fold/*; do
	chmod u+w "$file"
	sed 's/FINISHED/RUNNING_/' "$file" >damaged && cp damaged "$file"
done
look over >out 2>err
is "a damaged fold is passed over" 0 $?
like "it is named as well" "^stfm-status: over: state.*jsonl:" "$(cat err)"
printf '%s\n' 'job|older|x=1' 'task|0|FINISHED' 'end' | "$fixture" store
echo '{' >store/jobs/older/fold/state.2.jsonl
like "what an older one knows is not taken for all there is to know" \
	"not brought up to date" "$(stfm-status older 2>&1 >/dev/null)"
rm -r store/jobs/older

"$fixture" store <<-EOD
	job|hidden|x=1,2
	chunk|0-1|4177
	task|0|FINISHED|array=4177|index=0
	task|1|FINISHED|array=4177|index=1
	fold|asked=-1
	end
EOD
like "a task has an id of Slurm's" "^hidden/1$" "$(look 4177_1 2>&1)"
like "and was submitted" "^ *Submitted +[0-9]" "$(look hidden/1)"
chmod u+w store/jobs/hidden/sub/*.claim
echo '{' >"$(echo store/jobs/hidden/sub/*.claim)"
look 4177_1 >out 2>err
is "what cannot be told is not said not to be" 2 $?
like "for a reason" "which task that is cannot be told: .*claim: damaged .*:\
 run stfm-check --store --repair" "$(cat err)"
look hidden/1 >out 2>err
is "the page of the task is there" 0 $?
is "it names the record once" 1 "$(grep -c 'hidden: .*claim: damaged' err)"
is "and not when it was submitted" "" "$(grep 'Submitted *[0-9]' out)"
rm store/jobs/hidden/fold/*
stfm-status >out 2>err
like "what a pass names beside Slurm's silence is said" \
	"^stfm-status: hidden: .*claim: damaged" "$(cat err)"
rm -r store/jobs/hidden

# ---- errors in a file of their own ----

echo 'slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT' \
	'2026-11-20T12:53:01 DUE TO TIME LIMIT ***' >late.err
: >late.out
"$fixture" late <<-EOD
	job|late|x=1
	task|0|ERROR|cause=SIGTERM|array=7|index=0|signal=15|end=-9|\
	log=$PWD/late.out|err=$PWD/late.err
	end
EOD
like "what ended it is looked for there" "the time limit was reached" \
	"$(stfm-status --no-refresh -d late late/0)"
"$fixture" again <<-EOD
	job|again|x=1
	task|0|ERROR|cause=exit 1|array=8|index=0|exit=1|start=-30|end=-9|\
	attempt=1|log=$PWD/late.out|err=$PWD/late.err
	end
EOD
is "what ended an earlier run, in the same file, is not said of this one" \
	"ERROR exit 1,no output in the log" \
	"$(stfm-status --no-refresh -d again again/0 |
		sed -n 's/^State *//p' | tr -s ' '),$(stfm-status --errors \
		--no-refresh -d again again | sed -n 's/^1 task: //p')"

# ---- other metrics, at the epoch of the best value ----

printf '%s\n' epoch,loss,acc 1,0.5,1 2,0.1,2 3,0.4,3 1,0.6,4 2,0.3,5 >back.csv
printf '%s\n' epoch,loss,acc 1,0.5,1 2,0.2,nan 3,0.4,3 >nan.csv
printf '%s\n' epoch,loss,acc 1,0.5,1 2,0.3, 3,0.4,3 >blank.csv
"$fixture" more <<-EOD
	job|more|x=1,2,3
	set|metric=loss
	task|0-2|FINISHED
	metrics|0|back.csv
	metrics|1|nan.csv
	metrics|2|blank.csv
	end
EOD
is "another metric is of the row with the best value; nan is a value" \
	'["more/0",0.1,2] ["more/1",0.2,"nan"] ["more/2",0.3,null]' \
	"$(look -d more -m loss,acc -o jsonl more | jq -c '[.id,.best,.acc]' |
		xargs -d '\n')"

"$fixture" more <<-EOD
	job|means|x=1,2|n=1,2|acc_sd=0
	set|metric=loss
	task|0-3|FINISHED|start=-90|end=-50|array=5|exit=0
	metrics|0-2|back.csv
	metrics|3|blank.csv
	chunk|0-3|5
	end
EOD
is "--by has means of all N tasks, or none" "2 0.1 2 2 0.2 null" "$(look \
	-d more -m loss,acc --by n -o jsonl means |
	jq -r '"\(.n) \(.mean) \(.acc_mean)"' | xargs)"
is "no two of its columns have one name" "" "$(look -d more -m loss,acc \
	--by x -o tsv means | head -n 1 | tr '\t' '\n' | sort | uniq -d)"
is "a hyperparameter called like one of them has another name" "1 0 2 0.1" \
	"$(look -d more --by x -m loss,acc -o jsonl means | head -n 1 |
		jq -r '"\(.param_n) \(.param_acc_sd) \(.n) \(.mean)"')"

printf '%s\n' epoch,loss,best,id,param_id,lr,metric_best,metric_x \
	1,0.2,1,2,3,4,5,6 >names.csv
"$fixture" more <<-EOD
	job|names|id=7|lr=8|metric_lr=9
	set|metric=loss
	task|0|FINISHED|start=-90|end=-50|array=6|exit=0
	metrics|0|names.csv
	chunk|0|6
	end
EOD
is "metrics called like columns have names of their own" \
	"[7,3,8,9,4,1,5,2,6]" "$(look -d more -m \
	loss,best,id,param_id,lr,metric_best,metric_x -o jsonl names | jq -c \
	'[.param_id,.metric_param_id,.lr,.metric_lr,.metric_metric_lr,
		.metric_best,.metric_metric_best,.metric_id,.metric_x]')"

printf '%s\n' epoch,loss,acc 1,0.1,inf >inf.csv
printf '%s\n' epoch,loss,acc 1,0.1,-inf >minus.csv
"$fixture" more <<-EOD
	job|ends|y=1,2,3,4
	set|metric=loss
	task|0-3|FINISHED|start=-90|end=-50|array=9|exit=0
	metrics|0|inf.csv
	metrics|1|back.csv
	metrics|2|minus.csv
	metrics|3|nan.csv
	chunk|0-3|9
	end
EOD
for sort in acc -acc; do
	is "-s $sort: nan and inf are no good values" 1 "$(look -d more -m \
		loss,acc -s $sort -o tsv -c task ends | sed -n 2p)"
done
is "-s last, too" "1 3 0 2" "$(look -d more -m acc -s last -o tsv -c task \
	ends | sed 1d | xargs)"
is "a table has those of the chosen columns that its job has" \
	"x TASK|1 more/0||y TASK|1 ends/0||TASK|names/0" "$(look -d more \
	-c x,y,id more/0-1 ends/0-1 names | grep -v '[/]1$' | tr -s ' ' |
		sed 's/^ //' | paste -sd '|' -)"
refused "a column of no job" "--columns: z: no such column" \
	look -d more -c x,z more ends

status "--compare of tasks that -t does not leave" 1 \
	look -d more --compare -t ERROR means names
is "says so, not that a job is missing" \
	"stfm-status: --compare: -t and -w leave tasks of one job only" \
	"$(look -d more --compare -w lr=8 names more 2>&1)"
"$fixture" twins <<-EOD
	job|one|lr=1|submitted=5
	end
	job|two|lr=1|submitted=5
	end
EOD
look -d twins --compare one two >twins.txt
is "when jobs were submitted is always a row" 1 \
	"$(grep -c '^submitted ' twins.txt)"
like "but no hyperparameter of this name" "^the same: .* submitted=5" \
	"$(cat twins.txt)"
cp -R more worse
echo '{}' >worse/jobs/means/job.json
refused "nor if jobs are damaged" "--compare: fewer than two jobs can be read" \
	look -d worse --compare means more

# ---- a row is as new as its curve ----

printf 'epoch,val_loss\n1,0.5\n2,0.4\n' >early.csv
"$fixture" growing <<'END'
job|grows|lr=1,2,3
set|metric=val_loss|goal=min|epochs=9
task|0|RUNNING|start=-60
metrics|0|early.csv
task|1|FINISHED|start=-60|end=-9|exit=0
metrics|1|early.csv
task|2|RUNNING|start=-60
metrics|2|early.csv
end
END
live() {
	COLUMNS=200 look -d growing --charset ascii "$@" 2>/dev/null
}
grown=$(look -d growing -o tsv -c metrics grows/0 | tail -n 1)
printf '3,0.25\n4,0.125\n' >>"$grown"
like "the values of a running task are as new as its curve" \
	"^grows/0 +RUNNING +1 +4/9 [^0]*0\.1250\* +4 +0\.1250 " "$(live grows)"
like "so is the best value of the job" "best 0\.1250 grows/0 at epoch 4" \
	"$(live grows)"
like "tasks whose logs did not grow stay" "^grows/2 +RUNNING +3 +2/9 " \
	"$(live grows)"
like "the page of the task agrees" "^Epoch +4/9 " "$(live grows/0)"
seq 5 8 | sed 's/$/,0.1/' >>"$grown"
like "so do chosen columns" "^grows/0 +8/9 +0\.1000\*" \
	"$(live -c id,epoch,best,curve grows)"
"$fixture" growing <<'END'
job|many|lr=1..120
set|metric=val_loss|goal=min|epochs=9
task|7|RUNNING|start=-60
metrics|7|early.csv
end
END
echo 3,0.3 >>"$(look -d growing -o tsv -c metrics many/7 | tail -n 1)"
like "so does the line of a running task of a large job" \
	"^many/7 +RUNNING +8 +3/9 [^0]*0\.3000\* +3 " "$(live many)"

refused "a picture" "png: no such format (text, tsv, csv, json, jsonl, latex \
or markdown): stfm-plot -o png or -o svg draws pictures" look -o png means

done_testing
