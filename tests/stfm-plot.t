#!/bin/sh
# stfm-plot draws what is in tests/plot, and says what it cannot draw.
. "$(dirname "$0")/tap.sh"

cp -R "$top/tests/plot" plot && cd plot || exit 99

# A store without any Slurm: what it holds is in tests/plot/store.
fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/store"
awk -f sweep.awk >sweep.jobs || exit 99
# As of now: after a minute it is said how old the states are.
new_store() {
	rm -rf "$STFM_DIR"
	"$fixture" "$STFM_DIR" <store && "$fixture" "$STFM_DIR" <sweep.jobs ||
		exit 99
}
new_store

# Drawings, each as it was looked at and found good; tests/plot/renew NAME
# draws one anew.
tab=$(printf '\t')
grep -v '^#' cases >cases.list
while IFS=$tab read -r name arguments; do
	# shellcheck disable=SC2086 # several arguments
	is "$name is drawn as expected" "$(cat "$name.out")" \
		"$(TERM=xterm-256color stfm-plot $arguments 2>&1)"
done <cases.list
grep -v '^#' layouts >layouts.list
while IFS=$tab read -r name arguments; do
	# shellcheck disable=SC2086 # several arguments
	is "$name is drawn as expected in every size and style" \
		"$(cat "$name.all")" \
		"$(TERM=xterm-256color ./draw $arguments)"
done <layouts.list

# No layout is wider than it may be.
too_wide() {
	while IFS=$tab read -r name arguments; do
		for style in braille block ascii; do
			# shellcheck disable=SC2086 # several arguments
			stfm-plot -W "$1" --charset $style $arguments \
				>drawn 2>/dev/null
			[ "$(wc -L <drawn)" -le "$1" ] || echo "$name $style"
		done
	done <layouts.list
}
for width in 40 80 120 200; do
	is "no row is wider than $width columns" "" "$(too_wide $width)"
done

new_store

# What a pipe gets, and what a terminal gets.
is "without a terminal there are 80 columns, ASCII, no colour" \
	"$(cat train-ascii-80.out)" "$(stfm-plot train.csv)"
is "a pipe is read" "$(sed 's/train.csv/stdin/' train-ascii-80.out)" \
	"$(stfm-plot <train.csv)"
is "so it is as -" "$(sed 's/train.csv/stdin/' train-ascii-80.out)" \
	"$(stfm-plot - <train.csv)"
is "COLUMNS is honoured where there is no terminal" \
	"$(stfm-plot -W 120 train.csv)" "$(COLUMNS=120 stfm-plot train.csv)"
is "16 colours are used where there are no more" \
	"$(sed 's/38;5;178m/33m/g; s/38;5;74m/36m/g' train-color-80.out)" \
	"$(TERM=xterm stfm-plot --color always train.csv)"
is "UTF-8 and a terminal that can show it get braille" \
	"$(cat train-80.out)" "$(TERM=xterm stfm-plot train.csv)"
is "another locale gets ASCII" "$(cat train-ascii-80.out)" \
	"$(LC_ALL=C TERM=xterm stfm-plot train.csv)"

# stfm-plot on a terminal of the given size; TERM is as it is there.
on_terminal() {
	columns=$1 rows=$2
	shift 2
	SHELL=/bin/sh script -qec \
		"stty cols $columns rows $rows; stfm-plot $*" /dev/null |
		tr -d '\r'
}
escape=$(printf '\033')
export TERM=xterm-256color
like "a terminal gets colours" "${escape}\\[38;5;178m" \
	"$(on_terminal 80 24 train.csv)"
is "NO_COLOR is honoured" "$(cat train-80.out)" \
	"$(NO_COLOR=1 on_terminal 80 24 train.csv)"
is "--color=never is too" "$(cat train-80.out)" \
	"$(on_terminal 80 24 --color=never train.csv)"
is "a chart is as wide as the terminal" "$(
	stfm-plot -W 97 --charset braille train.csv
)" "$(on_terminal 97 40 --color=never train.csv)"
is "a chart and its legend fill one screen" 23 "$(
	on_terminal 80 24 results/\*/\*.csv | wc -l
)"
is "a chart leaves four rows of a small screen" 8 "$(
	on_terminal 80 12 train.csv | wc -l
)"
for run in 1 2 3 4 5 6; do
	printf 'epoch,loss\n0,%s\n1,1\n2,.5\n' "$run" >"low$run.csv"
done
is "a small one has room for a legend as well" "13 17" "$(
	for rows in 14 18; do
		on_terminal 80 "$rows" low\?.csv | wc -l
	done | xargs
)"
for run in 7 8 9 10 11 12; do
	cp low1.csv "low$run.csv"
done
on_terminal 80 14 low\?.csv low1\?.csv >drawn
is "else the chart has half of it, and the legend the best" 13 \
	"$(wc -l <drawn)"
like "and how many more there are" "^9 more, on a terminal of more rows" \
	"$(cat drawn)"
mkdir many
for run in $(seq 1 30); do
	cp "low$((run % 6 + 1)).csv" "many/run$run.csv"
done
is "many runs fit any screen, as chart, table, or panels that are one" \
	"23 23 9 9 8" "$(
	for what in "24 --layout one many/*" "24 many/*" "10 many/*" \
		"10 --layout one many/*" "10 --color never low*.csv"; do
		# shellcheck disable=SC2086 # words
		on_terminal 80 $what | wc -l
	done | xargs)"
is "but all of them where a height is given, or into a pipe" "30 32 32" "$(
	{
		on_terminal 80 10 -H 8 --layout one many/\* |
			grep -c "run[0-9]*\.csv"
		on_terminal 80 10 -H 8 many/\* | wc -l
		stfm-plot many/* | wc -l
	} | xargs)"
is "LINES are those of a terminal that is none" 13 \
	"$(LINES=14 stfm-plot --color always low[1-6].csv | wc -l)"
like "without operands on a terminal there is the usage" \
	"^usage: stfm-plot" "$(on_terminal 80 24 2>&1)"
live=$(on_terminal 80 24 -f --color never one)
is "-f hides the cursor, draws from the corner, and shows it again" \
	"${escape}[?25l${escape}[H ${escape}[J${escape}[?25h" \
	"$(echo "$live" | sed -n '1s/one.*//p;$p' | xargs)"
is "a picture of -f is the same" "$(on_terminal 80 24 --color never one)" \
	"$(echo "$live" | sed "s/$escape\[[?0-9]*[a-zA-Z]//g" | sed '$d')"
TERM=dumb
is "-f ends with the last of the tasks" \
	"one/0 FINISHED epoch 8 val_loss nan best 1.1 @ 3" \
	"$(timeout 300 stfm-plot -f -m val_loss one | xargs)"
printf 'epoch,loss\n0,3\n1,2\n' >grow.csv
stfm-plot -f -i 1 grow.csv >lines &
follower=$!
at_exit 'kill $follower 2>/dev/null'
has_lines() {
	[ "$(wc -l <lines)" -ge "$1" ]
}
ok "-f into a pipe tells the last epoch" poll 30 has_lines 1
printf '2,4\n3,1.5\n4,' >>grow.csv
ok "and each that comes" poll 30 has_lines 3
ok "it ends when nobody reads it any more" timeout 100 sh -c \
	'stfm-plot -f -i 1 grow.csv | head -n 1'
kill $follower
is "in whole lines" "grow.csv  epoch 1  loss 2  best 2 @ 1
grow.csv  epoch 2  loss 4  best 1.5 @ 3
grow.csv  epoch 3  loss 1.5  best 1.5 @ 3" "$(cat lines)"

new_store

# Tasks of jobs.
series() {
	stfm-plot -o tsv "$@" 2>/dev/null | sed 1d | cut -f 1 | uniq | xargs
}
talk() {
	{ stfm-plot "$@" >/dev/null; } 2>&1
}
# A line for each case: the series expected, then the arguments.
while read -r expected arguments; do
	# shellcheck disable=SC2086 # several arguments
	is "series $expected: $arguments" \
		"$(echo "$expected" | tr , ' ')" "$(series $arguments)"
done <<-EOD
	conv2d/3,conv2d/2,conv2d/5,conv2d/4,conv2d/0,conv2d/1 conv2d
	conv2d/2,conv2d/0 conv2d/0,2
	conv2d/2,conv2d/1 conv2d/1-2
	conv2d/3 -b 1 conv2d
	conv2d/3,conv2d/2 4102_2-3
	one/0 one
	conv2d/2 -t R conv2d
	conv2d/5,conv2d/4 -t F,CD -w lr=1e-3 conv2d
	conv2d/3,conv2d/2 -w lr=0.01,batch_size<100 conv2d
	conv2d/2,acc/1,sweep/32 -t RUNNING -m val_loss
	acc/1,acc/0 acc
	acc/0,acc/1 --goal min acc
	conv2d/2,acc/1,acc/0,conv2d/0 -m val_loss conv2d/0,2 acc
	conv2d/3,results/6/6.csv conv2d/3 results/6/6.csv
	sweep/9-11,sweep/0-2 --mean seed sweep/0-2,9-11
EOD
is "the newest job is one of them" "$(series sweep)" "$(series @1)"
is "the task alone has its partner" "loss val_loss" "$(
	stfm-plot -o tsv conv2d/3 | sed 1d | cut -f 3 | sort -u | xargs
)"
is "a task beside others has the objective" "val_loss" "$(
	stfm-plot -o tsv conv2d/2,3 | sed 1d | cut -f 3 | sort -u | xargs
)"
is "a whole job of one task is a task alone" "$(stfm-plot one/0)" \
	"$(stfm-plot one)"
is "a file hides a job" "conv2d  epoch 99" "$(
	cp train.csv conv2d
	stfm-plot conv2d | head -n 1 | cut -c 1-16
	rm conv2d
)"
mkdir conv2d
like "a directory does not hide a job" "^val_loss, 6 tasks of conv2d" \
	"$(stfm-plot conv2d 2>/dev/null)"
rmdir conv2d
is "tasks without a log are named, by state" \
	"stfm-plot: conv2d/6: no metrics (STOPPED); conv2d/7: no metrics yet \
(SUBMITTED)" "$(talk conv2d)"
status "that is no failure" 0 stfm-plot conv2d
is "nor is a task alone without one" \
	"stfm-plot: conv2d/7: no metrics yet (SUBMITTED)" \
	"$(stfm-plot conv2d/7 2>&1)"
status "it ends well, as they may come" 0 stfm-plot conv2d/7
is "one that has ended leaves nothing to draw" \
	"stfm-plot: conv2d/6: no metrics (STOPPED)
stfm-plot: nothing to draw" "$(talk conv2d/6 | grep -v old)"
status "which is a no" 1 stfm-plot conv2d/6
printf '%s\n' 'job|broken|lr=1,2' \
	'task|0-1|ERROR|cause=exit 1|start=-90|end=-80' end |
	"$fixture" "$STFM_DIR"
is "where tasks failed, what tells why is named" \
	"stfm-plot: nothing to draw; stfm-status -e broken lists the \
failures" \
	"$(talk broken | grep nothing)"
refused "a hyperparameter that a job without values does not have" \
	"stfm-plot: zz: no such hyperparameter (there is " \
	stfm-plot --by zz conv2d/6-7
refused "nor can be averaged over" \
	"stfm-plot: zz: no such hyperparameter (there is " \
	stfm-plot --mean zz conv2d/7
is "programs get an empty table" "series${tab}x${tab}metric${tab}value" \
	"$(stfm-plot -o tsv conv2d/7 2>/dev/null)"
status "filters that leave nothing say no" 1 stfm-plot -w lr=7 conv2d
is "and say so" "stfm-plot: no task is left by -t and -w" \
	"$(stfm-plot -w lr=7 conv2d 2>&1)"
is "what is wrong with many is said once" "stfm-plot: conv2d/0-5: no column \
'val_los' (did you mean val_loss? it has epoch, loss, val_loss)" \
	"$(talk -m val_los conv2d/0-5)"
status "a metric that no log has" 2 stfm-plot -m val_los conv2d
printf '%s\n' 'job|mixed|x=1,2' 'task|0-1|FINISHED' 'read|0|train.csv' \
	'metrics|0|train.csv' end | "$fixture" "$STFM_DIR"
is "that is not the fault of one that wrote no log" "" \
	"$(talk -m val_los mixed | grep 'nothing was written')"
like "as it is where none did" "nothing was written" "$(talk mixed/1)"
log=$STFM_DIR/jobs/mixed/metrics/000001.csv
ln -s "$log" "$log"
is "a log that cannot be read is not called none" \
	"stfm-plot: mixed/1: Too many levels of symbolic links" \
	"$(talk mixed/1)"
status "which is a failure" 2 stfm-plot mixed/1
rm "$log"

new_store

# Logs are read as they are now, whatever the last pass has seen.
log=$STFM_DIR/jobs/acc/metrics/000002.csv
: >"$log"
like "an empty log has no values yet" "acc/2: no values yet .SUBMITTED" \
	"$(talk acc)"
printf 'epoch,val_a' >>"$log"
like "nor has half a header" "acc/2: no values yet .SUBMITTED" "$(talk acc)"
printf 'cc\n' >>"$log"
like "nor a header" "acc/2: no values yet .SUBMITTED" "$(talk acc)"
printf '0,0.5\n1,0.9' >>"$log"
is "half a line is no point and no news" \
	"1 stfm-plot: acc/3-5: no metrics yet (SUBMITTED)" \
	"$(stfm-plot -o tsv acc 2>&1 | awk '/^acc\/2/ { print $2 }
		/^stfm/' | sort | xargs)"
printf '\n' >>"$log"
is "a whole one is" "acc/2 acc/1 acc/0" "$(series acc)"
chmod 0 "$log"
if ! cat "$log" 2>/dev/null >&2; then
	like "a log that cannot be read is named" \
		"acc/2: .*000002.csv: Permission denied" "$(talk acc)"
	status "the others are drawn" 1 stfm-plot acc
fi
rm -f "$log"
mkdir -p results/acc/2
printf 'epoch,val_acc\n0,0.99\n' >results/acc/2/2.csv
is "what lies where a task will write that has not begun is not its log" \
	"acc/1 acc/0" "$(series acc)"
rm -r results/acc
touch -d '-2 hours' "$STFM_DIR"/jobs/*/fold/*
like "how old the states are is said" \
	"; the states are 2:0[0-9]:.. old .run stfm-status" "$(talk conv2d)"
is "unless the job is over" "" "$(talk one)"
"$fixture" "$STFM_DIR" <<-EOD
	job|fresh|x=1,2
	set|goal=max
	end
EOD
rm "$STFM_DIR"/jobs/fresh/fold/*
for i in 0 1; do
	printf 'epoch,score\n0,%d\n' $i \
		>"$STFM_DIR/jobs/fresh/metrics/00000$i.csv"
done
is "without any pass the logs tell the objective" \
	"fresh/1 score fresh/0 score" \
	"$(stfm-plot -o tsv fresh 2>/dev/null | sed 1d | cut -f 1,3 | xargs)"
like "and it is said that nobody made one" \
	"fresh: the states are those at submission" "$(talk fresh)"

# The last line of a training that has ended waits for nobody.
"$fixture" "$STFM_DIR" <<-EOD
	job|ended|x=1,2
	task|0|FINISHED|start=-60|end=-9
	task|1|RUNNING|start=-60
	end
EOD
for i in 0 1; do
	printf 'epoch,loss\n0,3\n1,2' \
		>"$STFM_DIR/jobs/ended/metrics/00000$i.csv"
done
is "half a last line counts once a training has ended" \
	"ended/0 1 ended/0 2 ended/1 1" \
	"$(stfm-plot -o tsv ended 2>/dev/null | sed 1d | cut -f 1,2 |
		sort | xargs)"

# Many tasks: the log of those that are over and not among the best may be
# missing, for nobody reads it.
i=0
while [ $i -lt 90 ]; do
	printf 'epoch,loss\n0,9\n1,%d.5\n' $i >m$i.csv
	i=$((i + 1))
done
awk 'BEGIN {
	print "job|many|x=1..1000"
	for (i = 0; i < 900; i++)
		print "task|" i "|FINISHED\nmetrics|" i "|m" i % 90 ".csv"
	print "task|950|RUNNING\nend"
}' | "$fixture" "$STFM_DIR"
logs=$STFM_DIR/jobs/many/metrics
printf 'epoch,loss\n0,0.25\n' >"$logs/000950.csv"
rm "$logs/000089.csv"
is "the best of many, and one that got better since the last pass" \
	"many/950 many/0 many/90 many/180" "$(series -b 4 many)"
stfm-plot --layout spark many >out 2>err
is "26 are drawn, the others told of in few words" \
	"loss, the best 26 of 901 tasks of many  lower is better  sorted by best
29
and 875 more, best 2.5 to 9" "$(head -n 1 out
		wc -l <out
		tail -n 1 out)"
is "as are those that wait" \
	"stfm-plot: many/900-949,951-999: no metrics yet (SUBMITTED)" \
	"$(cat err)"
is "as data there are all that have a log" 900 \
	"$(series many | wc -w)"
is "the best may be the highest" "many/950 many/179" \
	"$(printf 'epoch,loss\n0,100\n' >"$logs/000950.csv"
	series --goal max -b 2 many)"

refused "a job that is not there" "conv2: no such job (did you mean conv2d?), \
and no such file" stfm-plot conv2
refused "a task that is not there" "conv2d/8: no such task (it has 0-7), and \
no such file" stfm-plot conv2d/8
refused "a Slurm id that is not there" "99_1: no job here has this Slurm id, \
and no such file" stfm-plot 99_1
refused "a path" "results: no such job (stfm-status lists them), and no such" \
	stfm-plot results/nowhere
refused "what can be no job" "no job.txt: No such file or directory" \
	stfm-plot 'no job.txt'
refused "neither file nor store" "conv2d: no such file; $PWD/none: no store" \
	stfm-plot -d none conv2d
refused "-t without a job" "-t and -w choose tasks, but there is no job" \
	stfm-plot -t R train.csv
refused "an unknown state" "-t: 'X': no such state" stfm-plot -t X conv2d
refused "an unknown column in a condition" \
	"lrate: no such column" stfm-plot -w 'lrate=1' conv2d
is "a number after -w is the width" "$(stfm-plot -W 60 keras.csv)" \
	"$(stfm-plot -w 60 keras.csv)"

# How far they have come matters where it decides which is best.
slope() {
	awk -v n="$1" -v from="$2" -v by="$3" 'BEGIN {
		print "epoch,loss"
		for (i = 1; i <= n; i++)
			print i "," from - by * i }'
}
slope 20 2 0.05 >whole.csv
slope 12 1.75 0.05 >ahead.csv
slope 2 1.5 0.05 >crash.csv
slope 12 2.5 0.05 >short.csv
is "one that was ahead where it ends is named" \
	"stfm-plot: ahead.csv was ahead of whole.csv at epoch 12, its last \
(--at 12 compares there)" "$(talk whole.csv ahead.csv crash.csv short.csv)"
is "one that would have been behind as well is not" "" \
	"$(talk whole.csv short.csv)"
is "nor one that ended too soon to tell" "" "$(talk whole.csv crash.csv)"
is "what is drawn up to an epoch says who had not come to it" \
	"stfm-plot: 2 of 2 have not come to epoch 30 (the last is at 12)" \
	"$(talk --at 30 whole.csv short.csv)"
is "best values say what may yet get better" \
	"stfm-plot: conv2d/6: no metrics (STOPPED); conv2d/7: no metrics yet \
(SUBMITTED); 1 of 6 still training" \
	"$(talk --hist conv2d | sed 's/; the states are [^;]*//')"
is "and where they can be compared" "1 of 33 still training \
(--at 5 compares at the same epoch)" "$(talk --hist sweep | sed 's/.*; //')"
{
	echo "job|gaps|seed=0..60"
	for task in $(seq 0 60); do
		if [ $((task % 2)) = 0 ]; then
			echo "task|$task|RUNNING|node=n1|start=-90"
			echo "metrics|$task|train.csv"
		else
			echo "task|$task|SUBMITTED"
		fi
	done
	echo end
} >gaps.jobs
"$fixture" "$STFM_DIR" <gaps.jobs
is "a picture of 61 tasks has one line of news above it" \
	"stfm-plot: gaps/1,3,5,7,9,11,13,15,... and 22 more: no metrics yet \
(SUBMITTED)" "$(stfm-plot gaps 2>&1 | grep stfm-plot:)"
is "so has one of best values" "31 of 31 still training" \
	"$(talk --hist gaps | sed 's/.*; //')"
is "a terminal gets that in rows as wide as it is" \
	"stfm-plot: ahead.csv was ahead of
  whole.csv at epoch 12, its last (--at
  12 compares there)" "$(
		script -qec "stty cols 40; stfm-plot whole.csv ahead.csv" \
			/dev/null | grep -A 2 was.ahead | tr -d '\r'
	)"

# Data.
is "-o tsv is every value as it was" "series${tab}x${tab}metric${tab}value
keras.csv${tab}0${tab}val_loss${tab}2.5
keras.csv${tab}1${tab}val_loss${tab}1.5
keras.csv${tab}2${tab}val_loss${tab}1.125
keras.csv${tab}0${tab}loss${tab}2
keras.csv${tab}1${tab}loss${tab}1.25
keras.csv${tab}2${tab}loss${tab}0.75
keras.csv${tab}3${tab}loss${tab}0.5" "$(stfm-plot -o tsv keras.csv)"
is "-o tsv of many is sorted by the best" "3/3.csv 2/2.csv" "$(
	stfm-plot -o tsv -b 2 results/*/*.csv | sed 1d | cut -f 1 | uniq | xargs
)"
is "nan and inf come out as nan and inf" "nan inf" "$(
	stfm-plot -o tsv -m loss diverged.csv | awk '$4 !~ /[0-9]/' |
		sed 1d | cut -f 4 | head -n 2 | xargs | awk '{ print $1, $2 }'
)"
is "digits are not lost" 0.1234567890123456 "$(
	printf 'epoch,loss\n0,0.1234567890123456\n' | stfm-plot -o tsv |
		tail -n 1 | cut -f 4
)"
is "what is smoothed is smoothed as data too" "1 1.6666666666666667" "$(
	printf 'epoch,loss\n0,1\n1,2\n' | stfm-plot --smooth 0.5 -o tsv |
		sed 1d | cut -f 4 | xargs
)"
is "-o tsv of best values has the hyperparameters" \
	"series metric best lr batch_size seed \
sweep/0 val_loss 0.8669 1e-4 16 1" \
	"$(stfm-plot -o tsv --hist sweep/0 | xargs)"
is "and an empty field where there is none" "	no" "$(
	stfm-plot -o tsv --by all sweep/0 acc/0 2>/dev/null |
		grep ^acc | cut -f 4,7
)"
is "--at leaves what came later" "1 2 3" \
	"$(stfm-plot -o tsv --at 3 sweep/0 | sed 1d | cut -f 2 | sort -u |
		xargs)"
is "--at makes another the best" "$(
	awk -F , 'FNR > 1 && $1 <= 4 && (!best || $3 < best) {
		best = $3
		name = FILENAME
	}
	END { sub("results/", "", name); print name }' results/*/*.csv
)" "$(series --at 4 results/*/*.csv | cut -d ' ' -f 1)"
is "--x time begins at 0" "0 90 180" "$(
	awk -F , 'NR > 1 { $4 += 1700000000 } { print }' OFS=, \
		sweep-0.csv >clock.csv
	stfm-plot -o tsv --x time -m val_loss clock.csv | sed 1d |
		cut -f 2 | head -n 3 | xargs
)"
is "a mean is the mean" "$(
	awk -F , '$1 == 11 { sum += $3 } END { printf "%.6f", sum / 3 }' \
		sweep-0.csv sweep-1.csv sweep-2.csv
)" "$(
	stfm-plot -o tsv --mean seed sweep/0-2 2>/dev/null |
		awk '$2 == 12 { printf "%.6f", $4 }'
)"
like "a mean ends with the first of its runs" \
	"sweep/30-32: the mean ends at epoch 5, with sweep/32" \
	"$(talk --mean seed sweep)"
gnuplot_draws() {
	stfm-plot -o gnuplot "$@" >script.gp &&
		gnuplot -e 'set terminal dumb 80 24' script.gp >drawn 2>&1 &&
		grep -q '[+]--' drawn && ! grep -i 'line [0-9]*:' drawn
}
quoted="it's \`touch pwned\` \$(touch pwned).csv"
sed 's/val_loss/"a`touch pwned`'\''b"/' restarted.csv >"$quoted"
if command -v gnuplot >/dev/null; then
	ok "gnuplot draws -o gnuplot" gnuplot_draws train.csv
	ok "gnuplot draws many, on a log axis in a range" \
		gnuplot_draws --log -y 0.3:4 results/*/*.csv diverged.csv
	ok "gnuplot draws a heat map" gnuplot_draws --grid lr,batch_size sweep
	is "its image has no holes" 12 \
		"$(grep -c '^[0-9]* [0-9]* [0-9N]' script.gp)"
	ok "gnuplot draws means with bands" gnuplot_draws --mean seed sweep
	ok "gnuplot draws times" gnuplot_draws --x time sweep/0
	ok "gnuplot draws metrics one below the other" \
		gnuplot_draws -m val_loss,loss,time sweep/0
	ok "gnuplot draws what mattered" gnuplot_draws --by all sweep
	ok "gnuplot draws a histogram" gnuplot_draws --hist sweep
	ok "gnuplot draws one by decades" gnuplot_draws --log --hist sweep
	ok "gnuplot takes names for names" gnuplot_draws "$quoted"
	like "gnuplot shows the name" "it's .touch pwned." "$(cat drawn)"
	ok "gnuplot executes nothing of them" test ! -e pwned
fi
like "a restart breaks gnuplot's line" '^3 1[.]35$' \
	"$(stfm-plot -o gnuplot -m val_loss restarted.csv | grep -A 1 '^$')"

# SVG is XML, whatever is drawn, and an image is made of it.
svg_draws() {
	stfm-plot -o svg "$@" >drawn.svg 2>notes || return
	python3 -c 'import xml.dom.minidom as m; m.parse("drawn.svg")' &&
		! grep -q '<script\|"onload=' drawn.svg
}
script='</title><script>alert(1)</script>'
printf 'epoch,loss%s,a\377\033[3m\n0,1,2\n' "$script" >"x\"onload=&]]>.csv"
while read -r what; do
	# shellcheck disable=SC2086 # several arguments
	ok "SVG: $what" svg_draws $what
done <<-EOD
	train.csv
	--log -y 0.3:4 results/0/0.csv diverged.csv
	--mean seed sweep
	--x time sweep/0
	-m val_loss,loss,time sweep/0
	--grid lr,batch_size sweep
	--by all sweep
	--hist --log sweep
	conv2d sweep acc
	x"onload=&]]>.csv
EOD
ok "there was a file with that name" test -e "x\"onload=&]]>.csv"
stfm-plot -o svg conv2d >drawn.svg 2>notes
like "it has the names" '>conv2d/3</text>' "$(cat drawn.svg)"
like "the hyperparameters" '>batch_size</text>' "$(cat drawn.svg)"
like "the best values" '>0[.]4942</text>' "$(cat drawn.svg)"
like "and the values of points" '^epoch 97: 0[.]4942</title>' \
	"$(cat drawn.svg)"
like "what is left out is said" 'conv2d/6: no metrics' "$(cat notes)"
like "-W and -H are its size" \
	'^<svg xmlns=.* width="500" height="3[0-9][0-9]" ' \
	"$(stfm-plot -o svg -W 50 -H 10 train.csv)"
is "charts are below each other" 2 \
	"$(stfm-plot -o svg -m val_loss,loss results/*/*.csv |
		grep -c 'class="chart" role')"
printf 'epoch,loss\n0,nan\n' >nan.csv
is "of nothing there is no file" "stfm-plot: nan.csv: loss: nothing to draw, \
every value is nan; nothing to draw: no values yet" \
	"$(stfm-plot -o svg nan.csv 2>&1)"

mkdir tools
tool() {
	printf '#!/bin/sh\n%s\n' "$2" >"tools/$1" && chmod +x "tools/$1"
}
png() {
	PATH="$PWD/tools:$bin" stfm-plot -o png "$@"
}
refused "PNG without a tool" "-o png: install rsvg-convert (Debian: \
librsvg2-bin) or inkscape or gnuplot, or write -o svg" \
	env PATH="$bin" stfm-plot -o png train.csv
# shellcheck disable=SC2016 # for the tool
tool gnuplot '/bin/cat >got; echo "GNUPLOT $*"'
is "PNG by gnuplot" "GNUPLOT -" "$(png train.csv)"
# shellcheck disable=SC2016 # for the tool
tool rsvg-convert '/bin/cat >got; echo "PNG $*"'
is "PNG by rsvg-convert, which comes first" "PNG --format=png --zoom=2" \
	"$(png train.csv)"
is "which gets the SVG" "$(stfm-plot -o svg train.csv)" "$(cat got)"
tool rsvg-convert '/bin/cat >got; exit 3'
refused "a tool that fails" "rsvg-convert: failed, exit 3" png train.csv
like "PNG on a terminal" '-o png: not on a terminal' \
	"$(on_terminal 80 24 -o png train.csv)"
if command -v rsvg-convert >/dev/null; then
	stfm-plot -o png train.csv >drawn.png
	is "rsvg-convert makes a PNG" PNG \
		"$(head -c 4 drawn.png | tr -d '\211')"
else
	skip "rsvg-convert makes a PNG" "there is no rsvg-convert"
fi

# Escape sequences stay out of the terminal.
evil=$(printf 'evil\033]0;x\007.csv')
printf 'epoch,\033[31mred\033[0m\n0,1\n1,2\n' >"$evil"
is "escape sequences do not reach the terminal" "" \
	"$(stfm-plot "$evil" train.csv 2>&1 | grep "$escape")"
is "nor from one file" "" "$(stfm-plot "$evil" 2>&1 | grep "$escape")"

# What is there to say, and how it ends.
printf 'epoch,loss\n' >started.csv
printf '' >empty.csv
printf '0,1.5\n1,1.25\n' >bare.csv
printf 'epoch,note\n0,hello\n' >words.csv
printf 'epoch,loss\n0,1\n1,0.5\n2,0.' >torn.csv
head -c 4096 "$bin/stfm-plot" >binary.csv
printf 'epoch,loss\n0,-1\n1,2\n2,1\n' >negative.csv
status "one good file is 0" 0 stfm-plot train.csv
status "a bad one among good ones is 1" 1 stfm-plot train.csv no.csv
like "and is named" "^stfm-plot: no.csv: No such file or directory" \
	"$(stfm-plot train.csv no.csv 2>&1 >/dev/null)"
like "the good ones are drawn all the same" "^val_loss, 1 file " \
	"$(stfm-plot train.csv no.csv 2>/dev/null)"
status "a training that has no values yet is 0" 0 stfm-plot started.csv
is "and says so" "stfm-plot: started.csv: loss: no values yet" \
	"$(stfm-plot started.csv 2>&1)"
like "beside others it has its row in the legend" "^ b started.csv +- +- +-" \
	"$(stfm-plot -m loss train.csv started.csv 2>/dev/null)"
like "half a line is left out" "torn.csv: the last line has no line end" \
	"$(stfm-plot torn.csv 2>&1)"
is "half a line is no point" "0 1" \
	"$(stfm-plot -o tsv torn.csv 2>/dev/null | sed 1d | cut -f 2 | xargs)"
is "the last line of a pipe is one" "0 1 2" \
	"$(stfm-plot -o tsv <torn.csv | sed 1d | cut -f 2 | xargs)"
like "values a log axis cannot have are counted" \
	"negative.csv: loss: 1 value of 0 or less" \
	"$(stfm-plot --log negative.csv 2>&1)"

# Logs that are no tables are known by their bytes.
data=$top/tests/data
drawn() {
	stfm-plot -o tsv "$@" 2>/dev/null | sed 1d | cut -f 2- | tr '\t\n' ': '
}
is "an event file is drawn along the step, with what belongs to it" \
	"0:Loss/val:2.5 10:Loss/val:1.25 20:Loss/val:0.75 30:Loss/val:1 \
0:Loss/train:5 10:Loss/train:2.5 20:Loss/train:1.5 30:Loss/train:2 " \
	"$(drawn "$data/torch.tfevents")"
is "what was guessed is said" "stfm-plot: $data/tf1.tfevents: TensorBoard: \
val_loss along step (it has step, wall_time, loss, val_loss)" \
	"$(talk "$data/tf1.tfevents")"
is "but not what was asked for" "" "$(talk -m loss "$data/tf1.tfevents")"
is "a pipe may bring one" "0:loss:5 10:loss:2.5 20:loss:1.5 30:loss:2 " \
	"$(drawn -m loss <"$data/tf1.tfevents")"
mkdir runs
cp -R "$data/keras" runs/1
is "a directory of event files is one log" \
	"validation/epoch_loss train/epoch_loss" \
	"$(stfm-plot -o tsv runs/1 2>err | sed 1d | cut -f 3 | uniq | xargs)"
like "in which Keras counts epochs" \
	"TensorBoard: validation/epoch_loss along epoch" "$(cat err)"
mkdir -p runs/2 runs/2/lightning_logs/version_0 runs/2/lightning_logs/version_1
cp "$data/tf1.tfevents" runs/2/events.out.tfevents.1700000100.node
is "the same step in another file is a restart" \
	"0:val_loss:2.5 10:val_loss:1.25 20:val_loss:0.75 30:val_loss:1 " \
	"$(drawn -m val_loss runs/2)"
cp "$data/tf1.tfevents" runs/2/lightning_logs/version_0/x.tfevents.99
is "and the older file comes first" 8 \
	"$(drawn -m val_loss --x wall_time runs/2 | wc -w)"
rm -r runs/2/events* runs/2/lightning_logs/version_0
echo 'epoch,step,train_loss,val_loss
0,49,2.0,
0,99,,1.75
1,199,,1.25' >runs/2/lightning_logs/version_1/metrics.csv
is "a directory of Lightning's CSV is its newest" \
	"0:val_loss:1.75 1:val_loss:1.25 0:train_loss:2 " "$(drawn runs/2)"
head -c 200 "$data/tf1.tfevents" >cut.tfevents
is "a half event waits" "0:val_loss:2.5 10:val_loss:1.25 " \
	"$(drawn -m val_loss cut.tfevents)"
tail -c +30 "$data/tf1.tfevents" | cat "$data/tf1.tfevents" - >torn.tfevents
like "a damaged one is counted" \
	"torn.tfevents: 1 damaged record passed over" \
	"$(talk torn.tfevents)"

printf '%s' '{"epoch": 1, "train": {"loss": 2.5}}
{"epoch": 2, "train": {"loss": 1.5}, "lr": NaN}
{"epoch": 3, "train": {"lo' >train.jsonl
is "JSON Lines are drawn, and a half line waits" \
	"1:train.loss:2.5 2:train.loss:1.5 " "$(drawn train.jsonl)"
is "what they have is said" "stfm-plot: train.jsonl: JSON Lines: train.loss \
along epoch (it has epoch, train.loss, lr)" "$(talk train.jsonl)"

printf 'Epoch 1/2\n 1/9 - loss: 2\r 9/9 - loss: 1.5\nEpoch 2/2\n' >plain.log
printf ' 1/9 - loss: 1.4\r 9/9 - loss: 1.25\nbye\n' >>plain.log
is "a plain log is drawn with a pattern for its lines" \
	"1:loss:1.5 2:loss:1.25 " "$(drawn plain.log \
		--metrics-regex 'Epoch (?P<epoch>\d+)' \
		--metrics-regex 'loss: (?P<loss>[\d.]+)')"
refused "a pattern without a name" \
	"--metrics-regex: 'loss: ([0-9]+)': names no value; write the groups" \
	stfm-plot --metrics-regex 'loss: ([0-9]+)' plain.log
refused "a pattern that matches nothing" \
	"plain.log: no values in it (read as plain log)" \
	stfm-plot --metrics-regex 'lost (?P<loss>[0-9]+)' plain.log
printf '[{"epoch": 1, "loss": 0.5}]\n' >array.json
refused "an array of JSON" "array.json: no values in it (read as JSON Lines); \
of an array jq -c '.[]' makes such lines" stfm-plot array.json
refused "a directory without logs" "./results: a directory without event" \
	stfm-plot ./results

refused "a missing file" "no.csv: No such file or directory" stfm-plot no.csv
refused "a directory" "results: no such job (stfm-status lists them), and a \
directory, no log" stfm-plot results
refused "an empty file" "empty.csv: empty: no header line" stfm-plot empty.csv
refused "no header" "bare.csv: no header line" stfm-plot bare.csv
refused "no numbers" "no column of numbers" stfm-plot words.csv
refused "a program" "binary.csv: not a text file" stfm-plot binary.csv
refused "a metric that is not there" "no column 'val_los' (did you mean \
val_loss? it has epoch, loss, val_loss)" stfm-plot -m val_los train.csv
refused "a column of words" "column 'note' has no numbers" \
	stfm-plot -m note words.csv
refused "a time that is not there" "train.csv: the wall time is not recorded" \
	stfm-plot --x time train.csv
refused "a column that is not there" "no column 'tim'" \
	stfm-plot --x tim train.csv
refused "steps that are not there" "steps are not recorded" \
	stfm-plot --x step train.csv
refused "a mean over what there is not" "sed: no such hyperparameter (did you \
mean seed? there is lr, batch_size, seed)" stfm-plot --mean sed sweep
refused "an axis that is averaged over" "seed: it is averaged over" \
	stfm-plot --mean seed --grid lr,seed sweep
like "a mean over two names both" "means over batch_size,seed of" \
	"$(stfm-plot --mean batch_size,seed sweep 2>/dev/null)"
refused "a mean along the time" "not along the time" \
	stfm-plot --mean seed --x time sweep
refused "-f of a pipe" "-f: standard input cannot be read again" \
	sh -c 'stfm-plot -f - <train.csv'
for output in tsv svg png; do
	refused "-f as $output" "-f: text only: leave out -o" \
		stfm-plot -f -o $output train.csv
done
refused "an empty name" "-m: a name is missing" stfm-plot -m loss, train.csv
refused "a range backwards" "-y: 5:1: the first is not below the second" \
	stfm-plot -y 5:1 train.csv
refused "half a range" "--range: write it as LO:HI" \
	stfm-plot --range 5 train.csv
refused "a log axis from 0" "a log axis begins above 0" \
	stfm-plot --log -y 0:1 train.csv
refused "too much smoothing" "--smooth: 1 is not between 0 and 0.999" \
	stfm-plot --smooth 1 train.csv
refused "a narrow chart" "-W: 10 is not between 24 and 10000" \
	stfm-plot -W 10 train.csv
refused "a narrow COLUMNS" "width: 10 columns are too few" \
	env COLUMNS=10 stfm-plot train.csv
refused "a flat chart" "-H: 2 is not between 6 and 10000" \
	stfm-plot -H 2 train.csv
refused "no best" "-b: 0 is not between 1 and" stfm-plot -b 0 train.csv
refused "an unknown layout" "--layout: no 'mult' (did you mean multi?)" \
	stfm-plot --layout mult train.csv
refused "a hyperparameter that there is not" "batchsize: no such \
hyperparameter (did you mean batch_size? there is lr, batch_size, seed)" \
	stfm-plot --grid lr,batchsize sweep
refused "hyperparameters of files" "no hyperparameters are known of these" \
	stfm-plot --by all train.csv
refused "a heat map over one" "--grid: two hyperparameters" \
	stfm-plot --grid lr sweep
refused "over the same twice" "--grid: lr is named twice" \
	stfm-plot --grid lr,lr sweep
refused "two drawings at once" "--hist: one of --grid, --by and --hist" \
	stfm-plot --by all --hist sweep
refused "some of the best values" "-b: --grid, --by and --hist are about all" \
	stfm-plot --hist -b 3 sweep
refused "an unknown format" "-o: no 'json'" stfm-plot -o json train.csv
refused "which names those there are" \
	"-o: no 'json' (text, tsv, gnuplot, svg or png)" \
	stfm-plot -o json train.csv
for format in pdf eps; do
	refused "an image: $format" "(svg or png; for others write: stfm-plot \
-o gnuplot ... | gnuplot -e 'set term" stfm-plot -o $format train.csv
done
refused "an unknown goal" "--goal: best: choose min or max" \
	stfm-plot --goal best train.csv
refused "an unknown charset" "sixel: no such charset" \
	stfm-plot --charset sixel train.csv

## Charts that say what they show

awk 'BEGIN {
	print "step,val.loss,val.acc"
	for (i = 0; i <= 40; i++)
		print i * 2500 "," 5 - i / 10 "," i / 10
}' >steps.csv
cp steps.csv again.csv
like "the axis has its name, however long its numbers" '80000 +step$' \
	"$(stfm-plot -W 80 -H 8 --charset ascii --layout one -m val.loss \
		steps.csv again.csv)"
chart=$(stfm-plot -W 80 -H 8 --charset braille -m val.loss,val.acc steps.csv)
like "of two metrics of validation one is solid" '⠒⠒⠒⠤⠤⠤' "$chart"
like "and one is dotted" '⣀ ⣀ ⠤ ⠤ ⠒ ⠒' "$chart"
long=a_training_with_a_name_of_more_columns_than_the_title_has_room_for.csv
cp steps.csv "$long"
# Within so many kilobytes of address space; the sanitizers take terabytes.
within() (
	most=$1
	shift
	# shellcheck disable=SC3045 # dash and bash have it
	[ -n "$SANITIZE" ] || ulimit -v "$most"
	"$@"
)
{
	echo loss
	seq 3000000
} >millions.csv
like "millions of rows take little memory" "^stdin  row 3000000  best loss 1 " \
	"$(within 40000 stfm-plot - <millions.csv)"
like "in a sparkline, too" "^loss +1.000 +1 +3e6" \
	"$(within 40000 stfm-plot --layout spark - <millions.csv)"
is "and all of them are written" 3000001 \
	"$(stfm-plot -o tsv millions.csv | wc -l)"
rm millions.csv

# A metric that fits better, after the first megabyte.
seq 30000 | awk '$1 < 28000 {
	print "{\"step\": " $1 ", \"loss\": " 1 / $1 ", \"note\": \"---\"}" }
$1 >= 28000 {
	print "{\"epoch\": " $1 ", \"val_loss\": " 2 / $1 "}" }' >late.jsonl
is "a name that appears late in a log is found" \
	"late.jsonl	28000	val_loss	7.14286e-05" \
	"$(stfm-plot -o tsv late.jsonl 2>/dev/null | sed -n 2p)"
is "also in a pipe" "2001 stdin 30000 val_loss 6.66667e-05" \
	"$(sed '' late.jsonl | stfm-plot -o tsv - 2>/dev/null |
		sed 1d | awk 'END { print NR, $0 }' | tr '\t' ' ')"
ok "in little memory" within 40000 stfm-plot late.jsonl
seq 1000000 | sed 's/.*/{"epoch": &, "loss": 0.5}/' >long.jsonl
ok "so is a long log of JSON Lines drawn" within 40000 stfm-plot long.jsonl
rm late.jsonl long.jsonl

like "a long name leaves room for how far it is" '^step 100000  best ' \
	"$(stfm-plot -W 60 -H 8 --charset ascii "$long")"

## What hyperparameters explain together

for value in 1 2 3 4 5; do
	printf 'epoch,loss\n0,%s\n' "$value" >"is$value.csv"
done
"$fixture" "$STFM_DIR" <<'EOF'
job|either|a=0,1|b=0,1|seed=1,2,3,4
task|0-15|FINISHED
read|0-3|is1.csv
read|4-7|is5.csv
read|8-11|is5.csv
read|12-15|is1.csv
end
job|alone|a=0,1|b=0,1
task|0-3|FINISHED
read|0|is1.csv
read|1|is5.csv
read|2|is5.csv
read|3|is1.csv
end
job|added|a=0,1|b=0,1|seed=1,2
task|0-7|FINISHED
read|0-1|is1.csv
read|2-3|is2.csv
read|4-5|is3.csv
read|6-7|is4.csv
end
EOF
like "alone, either of two explains nothing" "^a +explains 0% of" \
	"$(stfm-plot --by all either)"
like "together they explain all" "^a and b together +explain 100% more of" \
	"$(stfm-plot --by all either)"
like "also where only they are asked for" "^a and b together" \
	"$(stfm-plot --by a,b either)"
is "in few columns, too" 40 \
	"$(stfm-plot -W 40 --by all either | wc -L)"
is "what adds up has no such pair" "" \
	"$(stfm-plot --by all added | grep -E 'together|combinations')"
like "of combinations that were tried once nobody knows" \
	"^about 100% lies in other combinations, or is noise" \
	"$(stfm-plot --by all alone)"

## The y axis shows the best curve, whatever the others do

# curve NAME FROM TO: a log of this metric from one value to another.
curve() {
	awk -v name="$1" -v from="$2" -v to="$3" 'BEGIN {
		print "epoch," name
		for (e = 0; e <= 20; e++)
			printf "%d,%.4f\n", e, to + (from - to) * exp(-e / 3)
	}'
}
# shows_all WHAT ARGUMENTS: no part of any curve is cut off.
shows_all() {
	what=$1
	shift
	for charset in ascii braille; do
		is "$what: the axis has all of it, in $charset" \
			"$(stfm-plot --charset $charset --layout one -y : "$@" \
				2>&1)" \
			"$(stfm-plot --charset $charset --layout one "$@" 2>&1)"
		is "$what: so have the panels, in $charset" "" \
			"$(stfm-plot --charset $charset --layout multi "$@" \
				2>&1 | grep -- '-y :')"
	done
}
curve val_loss 2.3 0.069 >learns.csv
curve val_loss 2.31 2.3 >stuck.csv
curve val_loss 2.305 2.302 >stuck2.csv
curve val_loss 2.3 46 >explodes.csv
curve val_loss 2.3 1.1 >middling.csv
curve val_loss 2.3 -46 >sinks.csv
curve val_loss 0.745 0.74 >flat.csv
curve val_loss 0.812 0.81 >flat2.csv
curve val_acc 0.01 0.97 >learned.csv
curve val_acc 0.01 0.06 >guesses.csv
curve val_acc 0 0.05 >guesses2.csv
curve reward 0.01 46 >walks.csv
curve reward 0.01 0.1 >falls.csv
curve reward 0.02 0.11 >falls2.csv
shows_all "one of two learns" learns.csv stuck.csv
shows_all "one of three learns" learns.csv stuck.csv stuck2.csv
shows_all "an accuracy is learnt" learned.csv guesses.csv
shows_all "one of three accuracies is" learned.csv guesses.csv guesses2.csv
shows_all "two are flat" flat.csv flat2.csv
shows_all "one of two explodes, which is half of them" \
	middling.csv explodes.csv
shows_all "larger is better, as --goal says" --goal max explodes.csv \
	learns.csv stuck.csv
shows_all "nobody knows what is better" walks.csv falls.csv falls2.csv
shows_all "smaller is better, as --goal says" --goal min sinks.csv \
	learns.csv stuck.csv
like "one of three that explodes leaves the others to see" \
	'^\^ 1 of 3 curves goes off the top \(max 45.9\); -y : shows all' \
	"$(stfm-plot --layout one middling.csv stuck.csv explodes.csv 2>&1)"
like "where larger is better, one goes off the bottom" \
	'^_ 1 of 3 curves goes off the bottom \(min -45.9\); -y : shows all' \
	"$(stfm-plot --goal max --layout one middling.csv stuck.csv sinks.csv \
		2>&1)"
"$fixture" "$STFM_DIR" <<'EOF'
job|seeds|lr=0.1,10|seed=1,2
task|0-3|FINISHED
metrics|0|learns.csv
metrics|1|learns.csv
metrics|2|stuck.csv
metrics|3|stuck2.csv
end
EOF
shows_all "one of two means learns" --mean seed seeds

done_testing
