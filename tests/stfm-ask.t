#!/bin/sh
# stfm-ask: points of a space, by chance and by what is known.
. "$(dirname "$0")/tap.sh"

space="lr=loguniform:1e-5:1e-1 width=16,32,64,128 opt=sgd,adam,rms"
ask() {
	# shellcheck disable=SC2086 # words
	stfm-ask "$@" $space
}

## Points

is "the head has all names" "mom lr width opt" \
	"$(ask --when mom:opt=sgd mom=uniform:0:1 |
		head -n 1 | xargs)"
is "each point is in the space" "" "$(ask --sampler random -n 200 | sed 1d |
	awk '!($1 >= 1e-5 && $1 <= 1e-1 && ($2 ~ /^(16|32|64|128)$/) &&
		$3 ~ /^(sgd|adam|rms)$/)')"
is "the same seed gives the same points" "$(ask -n 5 --seed 3)" \
	"$(ask -n 5 --seed 3)"
ok "another seed gives others" [ "$(ask -n 5 --seed 3)" != \
	"$(ask -n 5 --seed 4)" ]
is "a conditional name has a value only there" "" "$(
	stfm-ask -n 100 opt=sgd,adam mom=uniform:0:1 --when mom:opt=sgd |
		sed 1d | awk -F '\t' '($1 == "sgd") != ($2 != "")')"
is "a condition may be on a conditional name" "" "$(
	stfm-ask -n 4 c=1,2 b=1,2 a=1,2 --when c:b=2 --when b:a=2 | sed 1d |
		awk -F '\t' '($3 == 2) != ($2 != "") ||
			($2 == 2) != ($1 != "")')"
is "--except leaves points out" "" "$(ask -n 100 --except opt=sgd,width=16 |
	awk '$2 == 16 && $3 == "sgd"')"
is "no point comes twice while there are others" "1 2 3 4 5 6" \
	"$(stfm-ask -n 6 x=1..6 | sed 1d | sort | xargs)"
is "in larger spaces, too" 60 "$(stfm-ask -n 60 x=1..3 y=1..5 z=int:1:4 |
	sed 1d | sort -u | wc -l)"
stfm-ask -n 8 x=1..6 >out 2>err
is "then there are fewer, which is said" \
	"0 7 stfm-ask: only 6 points are left to try" \
	"$? $(wc -l <out) $(cat err)"
is "quasi-random points are even" "25 25 25 25" "$(
	stfm-ask --sampler quasi -n 100 x=uniform:0:1 | sed 1d |
		awk '{ n[int($1 * 4)]++ }
			END { print n[0], n[1], n[2], n[3] }')"
is "values keep their text" "1e-3 0.10" \
	"$(stfm-ask -n 2 x=1e-3,0.10 | sed 1d | sort -r | xargs)"
is "the points can be submitted" "lr width opt" "$(ask -n 3 |
	stfm-expand --from - -o tsv | head -n 1 | xargs)"

## What is known

# The best are near lr = 1e-3, width 64 and adam.
awk 'BEGIN {
	print "lr,width,opt,value"
	split("16 32 64 128", w, " ")
	split("sgd adam rms", o, " ")
	for (i = 0; i < 60; i++) {
		e = -5 + 4 * (i * 0.618034 % 1)
		a = w[1 + i % 4]
		b = o[1 + i % 3]
		print 10 ^ e "," a "," b "," \
			(e + 3) ^ 2 + (a != 64) + (b != "adam")
	}
}' >known.csv
near() {
	awk '$1 > 1e-4 && $1 < 1e-2' | wc -l
}
ok "tpe chooses near the best values" [ "$(ask --tell known.csv -n 20 |
	near)" -ge 15 ]
ok "and more often than chance" [ "$(for seed in $(seq 20); do
	ask --tell known.csv --seed "$seed"
done | grep -c '64.adam$')" -ge 8 ]
ok "larger values may be better" [ "$(ask --tell known.csv -n 20 --goal max |
	near)" -le 10 ]
awk -F , 'NR == 1 { print $0 ",goal"; next } { print $0 ",max" }' known.csv \
	>max.csv
is "a table has a goal of its own" "$(ask --tell known.csv -n 20 --goal max)" \
	"$(ask --tell max.csv -n 20)"
is "which --goal may repeat" "$(ask --tell max.csv -n 20 --goal max)" \
	"$(ask --tell max.csv -n 20)"
is "from standard input, too" "$(ask --tell known.csv -n 3)" \
	"$(ask --tell - -n 3 <known.csv)"
head -n 9 known.csv >few.csv
is "few results are no better than none" "$(ask --sampler random -n 2 \
	--tell few.csv)" "$(ask -n 2 --tell few.csv)"

## A table of stfm-status

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$PWD/store"
for i in $(seq 0 11); do
	printf 'epoch,loss\n1,%s\n' "$((i * i))" >"$i.csv"
done
{
	echo 'job|conv|x=0,1,2,3,4,5,6,7,8,9,10,11,12,13'
	for i in $(seq 0 11); do
		printf 'task|%s|FINISHED\nmetrics|%s|%s.csv\n' "$i" "$i" "$i"
	done
	printf 'task|12|RUNNING\ntask|13|ERROR|cause=exit 1\nend\n'
} | "$fixture" "$STFM_DIR" || exit 99
stfm-status --no-refresh -o tsv conv >conv.tsv 2>err
is "its best values are taken" 0 "$(stfm-ask --tell conv.tsv -n 3 x=0..40 \
	>points; echo $?)"
is "no point of the job comes again" "" \
	"$(sed 1d points | awk '$1 < 14')"

is "the next point of a grid is not one of its own" \
	"stfm-ask: conv: no point of the space is left to try 2" \
	"$({ stfm-ask conv 2>&1; echo $?; } | xargs)"
ok "a job of the same space may have the rest" stfm-ask --tell conv.tsv x=0..14
is "of a table that has all points" \
	"stfm-ask: no point of the space is left to try 2" \
	"$({ stfm-ask --tell conv.tsv x=0..13 2>&1; echo $?; } | xargs)"

# To the sampler of each task, each point was one of a task.
"$fixture" "$STFM_DIR" <<END
job|full|x=1..4
set|sampler=quasi|metric=acc|goal=max
task|0-3|RUNNING|start=-9
chunk|0-3|53
fact|0|P|point=3|sampler=quasi|seen=running:0-3
fact|1|P|point=1|sampler=quasi|seen=running:0-3
fact|2|P|point=2|sampler=quasi|seen=running:0-3
fact|3|P|point=4|sampler=quasi|seen=running:0-3
end
END
is "a point that had to come twice can be chosen again" \
	"1 same same another another" \
	"$({ stfm-ask --again full >out; echo $?; cut -f 2 out; } | xargs)"

## The goal

# Jobs of which the best point is x=3, with the metric $1.
job_of() {
	mkdir "$1"
	for i in $(seq 0 11); do
		printf 'epoch,%s\n1,%s\n' "$1" "$(((i - 3) * (i - 3)))" \
			>"$1/$i.csv"
	done
	{
		echo "job|$1|x=0,1,2,3,4,5,6,7,8,9,10,11,12,13"
		for i in $(seq 0 11); do
			printf 'task|%s|FINISHED\nmetrics|%s|%s/%s.csv\n' \
				"$i" "$i" "$1" "$i"
		done
		echo end
	} | "$fixture" "$STFM_DIR" || exit 99
	stfm-status --no-refresh -o tsv "$1" >"$1.tsv" 2>err
}
job_of foo
refused "a metric whose name does not tell the goal: of a job" \
	"stfm-ask: foo: the name foo does not tell whether smaller or larger \
values are better: type stfm-set --goal min foo, or --goal max" stfm-ask foo
refused "of a table" "stfm-ask: foo.tsv: the name foo does not tell whether \
smaller or larger values are better: add --goal min or --goal max" \
	stfm-ask --tell foo.tsv x=0..40
for goal in min max; do
	ok "--goal $goal tells it" stfm-ask --tell foo.tsv --goal $goal x=0..40
	stfm-set -Q --goal $goal foo
	refused "stfm-set tells it, too: $goal" \
		"no point of the space is left" stfm-ask foo
done
job_of acc
is "a job without --metric has the goal of the metric in its logs" "max" "$(
	stfm-status --no-refresh -o jsonl acc/0 | jq -r .goal)"
cut -f "$(head -n 1 acc.tsv | tr '\t' '\n' |
	grep -nvx goal | cut -d : -f 1 | paste -sd ,)" acc.tsv >named.tsv
is "the name of the metric tells it" \
	"$(stfm-ask --tell acc.tsv -n 9 x=0..40)" \
	"$(stfm-ask --tell named.tsv -n 9 x=0..40)"

## Refusals

refused "a goal that the table contradicts" \
	"--goal min: in row 1 of max.csv the goal is max: leave --goal out" \
	ask --tell max.csv --goal min
is "the table may be standard input" "stfm-ask: --goal min: in row 1 of \
standard input the goal is max: leave --goal out" \
	"$(ask --tell - --goal min <max.csv 2>&1)"
printf 'x,value,goal\n1,1,\n2,3,max\n3,2,min\n' >mixed.csv
refused "two goals" \
	"mixed.csv: the goal of row 3 is min, but it is max before" \
	stfm-ask --tell mixed.csv x=1..9
printf 'x,value,goal\n1,1,up\n' >up.csv
refused "a goal that is none" "up.csv: row 1: 'up' is no goal" \
	stfm-ask --tell up.csv x=1..9
echo '[{"x": 1, "value": 2}]' >array.json
refused "a JSON array" "array.json: line 1: a JSON array: give JSON Lines" \
	stfm-ask --tell array.json x=1,2
refused "a table without a hyperparameter" "known.csv: there is no column \
units: add it, or leave units out of the space" ask --tell known.csv units=1,2
for option in "--tell known.csv" "--goal min" "--seed 1" "--sampler tpe" \
	"--when a:b=1" "--except a=1"; do
	# shellcheck disable=SC2086 # words
	refused "$option of a job" "${option%% *}: a job has its own space" \
		stfm-ask $option conv
done
refused "a number of earlier choices" "-n: --again repeats earlier choices" \
	stfm-ask --again -n 2 conv/1
refused "a store without a job" "-d: write the name of a job" ask -d store
refused "earlier choices without a job" "--again: write the name of a job" \
	ask --again
refused "no space" "usage: stfm-ask" stfm-ask
refused "an unknown sampler" "'grid': no such sampler (random, quasi or tpe)" \
	ask --sampler grid
refused "no points" "-n: 0 is not between 1 and" ask -n 0
refused "a wrong goal" "--goal: up: choose min or max" ask --goal up
refused "no such file" "nowhere.csv" ask --tell nowhere.csv
echo 'lr,width' >bare.csv
echo '0.1,16' >>bare.csv
refused "no values" "bare.csv: there is no column value" ask --tell bare.csv
printf 'x,value\n1,good\n' >words.csv
refused "a value that is none" "words.csv: row 1: 'good' is no value" \
	stfm-ask --tell words.csv x=1,2
refused "a space without points" "--except leaves no points" \
	stfm-ask x=1,2 --except x=1 --except x=2
refused "too many names for quasi" "quasi takes at most 20" \
	stfm-ask --sampler quasi $(seq -f 'a%g=1,2' 1 21)
printf 'x,value,state\n1,1,FINISHED\n9,2,FINISHED\n,3,FINISHED\n,,RUNNING\n' \
	>foreign.csv
stfm-ask --tell foreign.csv x=1,2 >out 2>err
is "a row without a point is left out, which is said" \
	"0 stfm-ask: foreign.csv: 2 of 4 rows have no point of the space and \
do not count, such as row 2" "$? $(cat err)"

# Trainings failed near 0.9, were stopped in the middle, and were good near 0.2.
awk 'BEGIN {
	print "x,value,state,epoch"
	for (i = 0; i < 3; i++)
		print 0.19 + i / 100 ",0.9,FINISHED,9"
	for (i = 0; i < 77; i++)
		print 0.3 + i / 200 ",0.5,STOPPED,3"
	for (i = 0; i < 20; i++)
		print 0.85 + i / 200 ",,ERROR,"
}' >failed.csv
far() {
	awk 'NR > 1 && $1 > 0.8 { n++ } END { print n + 0 }'
}
near() {
	stfm-ask --tell "$1" -n 12 --seed 0 --goal max x=uniform:0:1 | far
}
is "tpe keeps away from trials that failed" 0 "$(near failed.csv)"
sed 's/,,ERROR,/,0.99,ERROR,1/' failed.csv >early.csv
is "and from those whose value is that of an early epoch" 0 \
	"$(near early.csv)"
sed 's/,,ERROR,/,0.99,RUNNING,1/' failed.csv >running.csv
is "also if they still run" 0 "$(near running.csv)"
sed 's/,,ERROR,/,0.99,FINISHED,9/' failed.csv >good.csv
ok "else it would go there" test "$(near good.csv)" -gt 6

done_testing
