#!/bin/sh
# stfm-plot draws what is in tests/plot, and says what it cannot draw.
. "$(dirname "$0")/tap.sh"

cp -R "$top/tests/plot" plot && cd plot || exit 99

# Drawings, each as it was looked at and found good; to draw one again:
#	cd tests/plot && eval stfm-plot ARGUMENTS >NAME.out
tab=$(printf '\t')
grep -v '^#' cases >cases.list
while IFS=$tab read -r name arguments; do
	# shellcheck disable=SC2086 # several arguments
	is "$name is drawn as expected" "$(cat "$name.out")" \
		"$(TERM=xterm-256color stfm-plot $arguments 2>&1)"
done <cases.list

# What a pipe gets, and what a terminal gets.
is "without a terminal there are 80 columns, ASCII, no colour" \
	"$(cat train-ascii-80.out)" "$(stfm-plot train.csv)"
is "a pipe is read" "$(sed 's/train.csv/stdin/' train-ascii-80.out)" \
	"$(stfm-plot <train.csv)"
is "so it is as -" "$(sed 's/train.csv/stdin/' train-ascii-80.out)" \
	"$(stfm-plot - <train.csv)"
is "COLUMNS is honoured where there is no terminal" \
	"$(stfm-plot -w 120 train.csv)" "$(COLUMNS=120 stfm-plot train.csv)"
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
	stfm-plot -w 97 --charset braille train.csv
)" "$(on_terminal 97 40 --color=never train.csv)"
is "a chart and its legend fill one screen" 23 "$(
	on_terminal 80 24 results/\*/\*.csv | wc -l
)"
is "a chart leaves four rows of a small screen" 8 "$(
	on_terminal 80 12 train.csv | wc -l
)"
like "without operands on a terminal there is the usage" \
	"^usage: stfm-plot" "$(on_terminal 80 24 2>&1)"
TERM=dumb

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
	stfm-plot -o tsv -n 2 results/*/*.csv | sed 1d | cut -f 1 | uniq | xargs
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
	printf 'epoch,loss\n0,1\n1,2\n' | stfm-plot -s 0.5 -o tsv |
		sed 1d | cut -f 4 | xargs
)"
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
		gnuplot_draws -l -y 0.3:4 results/*/*.csv diverged.csv
	ok "gnuplot takes names for names" gnuplot_draws "$quoted"
	like "gnuplot shows the name" "it's .touch pwned." "$(cat drawn)"
	ok "gnuplot executes nothing of them" test ! -e pwned
fi
like "a restart breaks gnuplot's line" '^3 1[.]35$' \
	"$(stfm-plot -o gnuplot -m val_loss restarted.csv | grep -A 1 '^$')"

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
	"$(stfm-plot -l negative.csv 2>&1)"

refused "a missing file" "no.csv: No such file or directory" stfm-plot no.csv
refused "a directory" "results: reading: Is a directory" stfm-plot results
refused "an empty file" "empty.csv: empty: no header line" stfm-plot empty.csv
refused "no header" "bare.csv: no header line" stfm-plot bare.csv
refused "no numbers" "no column of numbers" stfm-plot words.csv
refused "a program" "binary.csv: not a text file" stfm-plot binary.csv
refused "a metric that is not there" "no column 'val_los' (did you mean \
val_loss? it has epoch, loss, val_loss)" stfm-plot -m val_los train.csv
refused "a column of words" "column 'note' has no numbers" \
	stfm-plot -m note words.csv
refused "an x column that is not there" "no column 'time'" \
	stfm-plot --x time train.csv
refused "an empty name" "-m: an empty name" stfm-plot -m loss, train.csv
refused "a range backwards" "-y: 5:1: the first is not below the second" \
	stfm-plot -y 5:1 train.csv
refused "half a range" "--range: write it as LO:HI" \
	stfm-plot --range 5 train.csv
refused "a log axis from 0" "a log axis begins above 0" \
	stfm-plot -l -y 0:1 train.csv
refused "too much smoothing" "-s: 1 is not between 0 and 0.999" \
	stfm-plot -s 1 train.csv
refused "a narrow chart" "-w: 10 is not between 24 and 10000" \
	stfm-plot -w 10 train.csv
refused "a narrow COLUMNS" "width: 10 columns are too few" \
	env COLUMNS=10 stfm-plot train.csv
refused "a flat chart" "-H: 2 is not between 6 and 10000" \
	stfm-plot -H 2 train.csv
refused "no best" "-n: 0 is not between 1 and" stfm-plot -n 0 train.csv
refused "an unknown layout" "--layout: no 'mult' (did you mean multi?)" \
	stfm-plot --layout mult train.csv
refused "an unknown format" "-o: no 'json'" stfm-plot -o json train.csv
refused "an unknown goal" "--goal: no 'best'" stfm-plot --goal best train.csv
refused "an unknown charset" "sixel: no such charset" \
	stfm-plot --charset sixel train.csv

done_testing
