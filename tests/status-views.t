#!/bin/sh
# What stfm-status has to say about trainings that are not yet well: drawn,
# looked at and found good, on 80 and 120 columns, in UTF-8 and in ASCII.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
expected=$top/tests/status
export STFM_DIR="$tap_dir/here/store" TZ=UTC

look() {
	stfm-status --no-refresh "$@"
}

# Leave out the command line: how it is broken depends on the paths in it.
without_command() {
	awk '/^Command / { skip = 1; next }
		/^$|^[A-Z][a-z]/ { skip = 0 }
		!skip'
}

# Compare a view with what is expected; DRAW=1 draws it anew, to be looked at.
view() {
	name=$1
	shift
	for columns in 80 120; do
		for charset in block ascii; do
			COLUMNS=$columns TERM=xterm look --charset=$charset \
				"$@" 2>/dev/null >out
			sed -E -e "s| 20[0-9-]+ [0-9:]+| DATE|g; s|$PWD/||g" \
				-e "s|$PWD|HERE|g" out |
				without_command >plain
			file=$expected/$name-$charset-$columns.out
			[ -z "$DRAW" ] || cp plain "$file"
			is "$name, $columns columns, $charset" \
				"$(cat "$file")" "$(cat plain)"
			ok "$name is not wider than $columns columns" \
				test "$(wc -L <out)" -le $columns
		done
	done
}

# ---- when will it be done ----

awk 'BEGIN {
	print "epoch,loss,val_loss"
	for (i = 1; i <= 40; i++)
		print i "," 2 / i "," 0.3 + (i - 24) * (i - 24) / 800
}' >40.csv
sed 12q 40.csv >11.csv
# Slurm does not answer since then: all is as of one moment.
"$fixture" store <<-EOD
	job|vit|lr=1e-3,3e-4|drop=0,0.1,0.2|epochs=100
	task|0|RUNNING|node=g1|start=-4000|limit=7200|pace=95 100 110|\
	epoch_time=-30|array=77
	metrics|0|40.csv
	task|1|RUNNING|node=g1|start=-4000|limit=36000|pace=100|\
	epoch_time=-2400|array=77
	metrics|1|11.csv
	task|2|RUNNING|node=g2|start=-4000|limit=36000|pace=101 1 99|\
	epoch_time=-10|array=77
	metrics|2|40.csv
	task|3|RUNNING|node=g2|start=-90|limit=36000|array=77
	task|4|FINISHED|node=g3|start=-9000|end=-60|exit=0|array=77|pace=90
	metrics|4|40.csv
	task|5|SUBMITTED|cause=(Priority)|array=77
	fold|trouble=no answer
	end
	job|swin|epochs=10
	task|0|RUNNING|cause=ending|start=-4000|limit=4100|pace=500|\
	epoch_time=-3990|array=78
	metrics|0|11.csv
	end
EOD
touch -d '-1 hour' store/jobs/vit/metrics/*
view eta vit
view eta-task vit/0

# A part of a number would be another number.
is "no number is cut, however narrow it is" "" "$(
	for wide in 12 15 17 20 23 26 30 35 40 50; do
		COLUMNS=$wide look 2>/dev/null
		COLUMNS=$wide look --cost 2>/dev/null
		COLUMNS=$wide look --by drop vit 2>/dev/null
		COLUMNS=$wide look vit 2>/dev/null
	done | grep '[0-9]~')"
is "nor is a task, which is then its number" "0 1 2 3 4 5" "$(
	COLUMNS=20 look vit 2>/dev/null | sed -n 's/^\([0-9]\) .*/\1/p' |
		xargs)"
is "the list of all jobs says when they will be done" "vit 4:07:50
swin 0:00" "$(look 2>/dev/null | awk 'NR > 1 {
	sub(/ +[0-9]+ STALLED, .*LATE/, "")
	print $1, $(NF - 2)
}')"
# How many are brief depends on the width of AGE, which grows.
like "with whole heads or brief ones, and none that is cut" \
	"^JOB SUBM(ITTED)? RUN(NING)? FIN(ISHED)? ERR(OR)? STOP(PED)? DONE " \
	"$(COLUMNS=80 look 2>/dev/null | head -n 1 | tr -s ' ')"
is "for programs as well" "null" \
	"$(look --json 2>/dev/null | jq '.[0].eta')"
is "in the list of all jobs too" "1 STALLED, 1 LATE" \
	"$(look 2>/dev/null | grep -o '1 STALLED, .*LATE')"
is "for programs" "vit 1 1" "$(look -o json 2>/dev/null |
	jq -r '.[] | select(.stalled + .late > 0) |
	"\(.job) \(.stalled) \(.late)"')"
like "a task that is silent has stalled" \
	"^vit/1  STALLED: silent for 40:00; an epoch takes 1:40$" \
	"$(look vit 2>/dev/null)"
is "for programs as well" "vit/0 LATE 5970 3200
vit/1 STALLED null 32000
vit/2 null 5930 32000
vit/3 null 8850 35910
vit/4 null null null
vit/5 null 8940 null" "$(look -o json vit 2>/dev/null | jq -r '.[] |
	"\(.id) \(.mark) \(.eta) \(.time_left)"')"
is "for papers, where nothing was asked of the job before" "LATE STALLED" \
	"$(look -o latex vit 2>/dev/null | awk -F ' & ' '$3 ~ /^[LS]/ {
		print $3 }' | paste -sd ' ' -)"
is "and to choose by" "vit/1" \
	"$(look -w mark=STALLED -o tsv vit 2>/dev/null | sed 1d | cut -f 1)"
is "nobody knows when that will be done" "" \
	"$(look vit/1 2>/dev/null | grep '^ETA')"
is "who is silent in its log but not in its output has not" "null" "$(
	id=store/jobs/vit/log/77_1.log
	echo busy >$id
	look -o json vit/1,2 2>/dev/null | jq -r '.[0].mark'
	rm $id)"
is "what is about to end is neither" "null" \
	"$(look -o json swin 2>/dev/null | jq -r '.[0].mark')"

# ---- steps are no epochs ----

awk 'BEGIN {
	print "step,loss"
	for (i = 100; i <= 900; i += 100)
		print i "," (i > 700 ? "nan" : 100 / i)
}' >steps.csv
STFM_DIR=$PWD/stepped
"$fixture" "$STFM_DIR" <<-EOD
	job|llm|lr=1,2
	task|0|RUNNING|start=-4000|pace=4|epoch_time=-3000|array=79
	metrics|0|steps.csv
	task|1|SUBMITTED|cause=(Priority)
	fold|trouble=no answer
	end
EOD
touch -d '-1 hour' "$STFM_DIR"/jobs/llm/metrics/*
view steps llm
view steps-task llm/0
"$fixture" "$STFM_DIR" <<-EOD
	job|over|lr=1,2|epochs=100
	task|0|FINISHED|start=-9000|end=-8000|array=80
	metrics|0|40.csv
	task|1|ERROR|cause=exit 1|exit=1|start=-9000|end=-8000|array=80
	metrics|1|11.csv
	end
EOD
list=$(COLUMNS=120 look --charset=ascii)
like "the list marks jobs with tasks that diverged" \
	'^llm .* 1 DIVERGED, 1 STALLED ' "$list"
like "a job that has ended shows no progress" '^over .* ended +0[.]3' "$list"
is "programs get both" "llm 0 1
over 0.555 0" \
	"$(look -o json | jq -r '.[] | "\(.job) \(.progress) \(.diverged)"')"
STFM_DIR=$PWD/store

# ---- what did they die of ----

mkdir -p log
for i in 0 1 2 3 4 5 6 7 8; do
	printf '%s\n' 'Epoch 1' 'Traceback (most recent call last):' \
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate \
$i.50 GiB. GPU $i has a total capacity of 79.$i GiB of which $i MiB is free" \
		'wandb: Find logs at: ./wandb' >log/$i
done
printf '%s\n' 'FileNotFoundError: /data/10.csv: \033[31mred\033[m' >log/10
printf '%s\n' 'FileNotFoundError: /data/sub/11.csv: \033[31mred\033[m' >log/11
printf '%b' "$(cat log/10)" >log/10b && mv log/10b log/10
printf '%b' "$(cat log/11)" >log/11b && mv log/11b log/11
wide=日本語のとても長い名前の値が正しくありません
printf '%s\n' "ValueError: $wide、もう一度確認してください、お願いします" \
	>log/12
{
	echo 'job|cnn|lr=1..8|seed=1..4'
	for i in 0 1 2 3 4 5 6 7 8 10 11 12; do
		echo "task|$i|ERROR|cause=exit 1|log=$PWD/log/$i|array=79"
	done
	echo 'task|13-14,20|ERROR|cause=TIMEOUT|array=79|log=/no/such'
	echo 'task|15|ERROR|cause=SIGKILL|array=79'
	echo 'task|16|ERROR|cause=exit 3|array=79'
	echo 'task|17|ERROR|cause=SETUP|reason=setup: exit 1|array=79'
	echo 'task|18-19|RUNNING|array=79'
	printf '%s\n' 'fold|trouble=no answer' end
} | "$fixture" store
export LC_ALL=C.UTF-8
view errors -e cnn
view errors-task cnn/13

is "equal ends as data" "9 exit 1 cnn/0 cnn/0-8
3 TIMEOUT cnn/13 cnn/13-14,20
2 exit 1 cnn/10 cnn/10-11
1 exit 1 cnn/12 cnn/12
1 SIGKILL cnn/15 cnn/15
1 exit 3 cnn/16 cnn/16
1 SETUP cnn/17 cnn/17" "$(look -e -o jsonl cnn 2>/dev/null |
	jq -r '"\(.tasks) \(.cause) \(.example) \(.ids)"')"
is "of all jobs, when none is named" 7 \
	"$(look -e -o jsonl 2>/dev/null | wc -l)"
is "of those that are chosen" "2 cnn/10-11" \
	"$(look --errors -o tsv -w 'task>8,task<12' cnn 2>/dev/null |
		sed 1d | cut -f 1,6 | tr '\t' ' ')"
is "and of as many" "1 cnn/0" "$(look -e -n 1 -o tsv cnn 2>/dev/null |
	sed 1d | cut -f 1,6 | tr '\t' ' ')"
status "no errors are a no" 1 look -e vit
is "which it says" "no task is in ERROR" "$(look -e vit 2>/dev/null)"
is "but not to programs" "" "$(look -e -o jsonl vit 2>/dev/null)"
# Who was killed had said other things before.
echo loading >log/20
echo 'epoch 3 loss 1.4946' >log/21
printf '%s\n' 'epoch 1' 'slurmstepd: error: Detected 1 oom_kill event' >log/22
"$fixture" store <<-EOD
	job|dead|x=1..5
	task|0|ERROR|cause=SIGKILL|log=$PWD/log/20
	task|1|ERROR|cause=SIGKILL|log=$PWD/log/21
	task|2|ERROR|cause=SIGSEGV|log=$PWD/log/21
	task|3|ERROR|cause=exit 1|log=$PWD/log/22
	end
EOD
is "the dead do not say what they died of" \
	"2 it was killed, most often for the memory that it used
1 native code read or wrote where it must not
1 slurmstepd: error: Detected 1 oom_kill event" \
	"$(look -e -o tsv dead 2>/dev/null | sed 1d | cut -f 1,3 | tr '\t' ' ')"
is "stfm-log puts them together too" "and 1 more like this: dead/1" \
	"$(stfm-log -e dead 2>/dev/null | sed -n 's/^ *and/and/p')"

like "a long list of tasks is cut" " \.\.\.$" "$(
	{
		echo 'job|odd|x=1..400'
		for i in $(seq 0 2 399); do
			echo "task|$i|ERROR|cause=TIMEOUT"
		done
		echo end
	} | "$fixture" store
	COLUMNS=60 look -e odd
)"

# ---- why do they wait ----

missing='ReqNodeNotAvail, UnavailableNodes:n1'
"$fixture" store <<-EOD
	job|wait|x=1..30
	task|0-9|SUBMITTED|cause=(Priority)|array=80
	task|10,12-14,17,19|SUBMITTED|cause=($missing)|array=80
	task|15|SUBMITTED|cause=(FluxCapacitor)|array=80
	task|16|SUBMITTED
	task|18|RUNNING|array=80
	task|20-29|SUBMITTED|cause=not queued yet
	fold|trouble=no answer
	end
EOD
view why --why wait
is "why as data" "10 wait/0-9 Priority null
6 wait/10,12-14,17,19 $missing null
2 wait/11,16 null null
1 wait/15 FluxCapacitor null
10 wait/20-29 not queued yet null" "$(look --why -o jsonl wait 2>/dev/null |
	jq -r '"\(.tasks) \(.ids) \(.reason) \(.start)"')"
"$fixture" store <<-EOD
	job|held|x=1..9
	task|0-3,5|SUBMITTED|cause=(JobHeldUser)|array=4102
	task|6|SUBMITTED|cause=(InvalidQOS)|array=4103
	task|7|SUBMITTED|cause=(JobArrayTaskLimit)|array=4103
	task|4|SUBMITTED|cause=(Dependency)|array=4101
	task|8|SUBMITTED|cause=(Dependency)|array=4104
	fold|trouble=no answer
	end
EOD
is "what to do can be typed" "    stfm-release held/0-3,5
    squeue --me -o '%i %j %E'
    stfm-stop held/6
    stfm-throttle held none" \
	"$(look --why held 2>/dev/null | grep '^    ')"
is "also by programs" "stfm-release held/0-3,5
squeue --me -o '%i %j %E'
stfm-stop held/6
stfm-throttle held none" \
	"$(look --why -o jsonl held 2>/dev/null | jq -r '.command // empty')"
like "what waits behind a hold of one's own is told so" \
	"over \\(--parallel\\), and you hold held/0-3,5 of them \\(Dep" \
	"$(look --why held/8 2>/dev/null | tr '\n' ' ' | tr -s ' ')"
is "and what to type" "    stfm-release held/0-3,5" \
	"$(look --why held/8 2>/dev/null | grep '^    ')"
like "but not what Slurm took before that" "a job that has not ended" \
	"$(look --why held/4 2>/dev/null | tr '\n' ' ')"
status "who does not wait is asked in vain" 1 look --why wait/18
is "which it says" "no task waits" "$(look --why wait/18 2>/dev/null)"
like "that Slurm does not answer is said" "when they will start is not known" \
	"$(SLURM_CONF=/nonexistent stfm-status --why wait 2>&1)"

# ---- which is best over its repetitions ----

{
	echo 'job|reps|lr=1e-3,1e-2|opt=adam,sgd|seed=1..3|epochs=4'
	echo 'set|metric=val_acc'
	for i in 0 1 2 3 4 5 6 7 8 9 10; do
		printf 'epoch,val_acc\n1,%s\n' \
			"$(echo "0.5 + $i * $i / 200" | bc -l)" >acc$i.csv
		echo "task|$i|FINISHED|node=g1|start=-900|end=-600|gpus=0"
		echo "metrics|$i|acc$i.csv"
	done
	echo 'task|5|ERROR|cause=exit 1|start=-900|end=-800|gpus=0'
	echo 'task|11|SUBMITTED'
	echo 'fold|trouble=no answer'
	echo end
} | sed 's/^metrics|5|.*/#/' | "$fixture" store
view by --by seed reps
groups() {
	look -o tsv "$@" 2>/dev/null | sed 1d | cut -f "$columns" | tr '\t' ' '
}
columns=1-8
is "the hyperparameters, and the numbers" "1e-2 sgd 4 3 2 0.9525
1e-2 adam 4 3 3 0.7483
1e-3 sgd 4 3 2 0.5625
1e-3 adam 4 3 3 0.5083" "$(groups --by seed reps |
	awk '{ printf "%s %s %s %s %s %.4f\n", $2, $3, $4, $5, $6, $7 }')"
columns=9,10,11
is "their deviation, and the best" "0.0672 1 reps/10
0.0701 0.82 reps/8
0.0247 0.58 reps/4
0.0104 0.52 reps/2" "$(groups --by seed reps |
	awk '{ printf "%.4f %s %s\n", $1, $2, $3 }')"
# What crashed, hangs or is no number is in no mean, unless it is asked for.
printf 'epoch,val_acc\n1,0.9\n2,nan\n' >nan.csv
{
	echo 'job|mixed|lr=1,2|seed=1..4'
	echo 'set|metric=val_acc'
	for i in 0 1 2 3 4; do
		printf 'epoch,val_acc\n1,0.%s\n' $((i + 1)) >acc.csv
		cp acc.csv acc-$i.csv
		echo "task|$i|FINISHED"
		echo "metrics|$i|acc-$i.csv"
	done
	echo 'task|1|ERROR|cause=exit 1'
	echo 'task|2|RUNNING'
	echo 'task|5|FINISHED'
	echo 'metrics|5|nan.csv'
	echo end
} | "$fixture" store
is "only what has finished counts, and the others are told" \
	"1 4 2 0.25 1 RUNNING, 1 ERROR;2 4 1 0.5 2 SUBMITTED, 1 nan" "$(
	look --by seed -o csv mixed 2>/dev/null | sed 1d | tr -d '"' |
		awk -F , '{ s = $10 (NF > 10 ? "," : "") $11
			print $2, $4, $5, $6, s }' |
		sort | paste -sd ';' -)"
is "in tables too" 2 "$(look --by seed -o latex mixed 2>/dev/null |
	grep -c 'LEFT OUT\|1 RUNNING, 1 ERROR')"
is "in one cell for a paper, the best in bold" \
	'\textbf{0.9525 $\pm$ 0.0672} **0.9525 ± 0.0672**' "$(
	for format in latex markdown; do
		look --by seed -o $format reps 2>/dev/null |
			grep -o '.textbf{.*}\|[*][*].*[*][*]'
	done | paste -sd ' ' -)"
is "the deviation has one column, if it is chosen as one" \
	'| MEAN | SD | **0.9525** | 0.0672 |' "$(
	look --by seed -o markdown -c mean,sd reps 2>/dev/null |
		grep 'MEAN\|[*]' | paste -sd '~' - | sed 's/ |~|/ |/')"
# Deviations of 0.0035 and 0.1 of means above 100 and below.
{
	echo 'job|far|lr=1,2|seed=1,2'
	echo 'set|metric=loss'
	i=0
	for value in 332.1 332.105 0.1 0.2; do
		printf 'epoch,loss\n1,%s\n' $value >far-$i.csv
		echo "task|$i|FINISHED"
		echo "metrics|$i|far-$i.csv"
		i=$((i + 1))
	done
	echo end
} | "$fixture" store
is "deviations have the same decimals" "0.0707 0.0035" "$(
	look --by seed far 2>/dev/null | awk '$2 == 2 { print $5 }' | xargs)"
is "and are not rounded to 0" "0.1500 ± 0.0707 332.10 ± 0.0035" "$(
	look --by seed -o markdown far 2>/dev/null |
		grep -o '[0-9][0-9.]* ± [0-9.]*' | xargs)"
refused "a column that is averaged over" \
	"--columns: seed: --by seed averages over it, so it has no value" \
	stfm-status --no-refresh --by seed -c mean,seed reps
for column in curve progress; do
	refused "no picture in a paper: $column" \
		"--columns: $column: a picture, which latex and markdown" \
		stfm-status --no-refresh -o latex -c "id,$column" reps
done
{
	echo 'job|spread|lr=1,2|seed=1,2'
	echo 'set|metric=acc'
	i=0
	for value in 0.1 0.1048 0.1 0.1; do
		printf 'epoch,acc\n1,%s\n' "$value" >"spread-$i.csv"
		echo "task|$i|FINISHED"
		echo "metrics|$i|spread-$i.csv"
		i=$((i + 1))
	done
	echo end
} | "$fixture" store
is "a mean and its deviation have the same decimals" \
	"0.1024 ± 0.0034 0.1000 ± 0.0000" "$(
	look --by seed -o markdown spread 2>/dev/null |
		grep -o '0[.0-9]* ± [0-9.]*' | paste -sd ' ' -)"
is "or what is asked for" "1 2 2 0.25" "$(
	look --by seed -t R,ERROR -o tsv mixed 2>/dev/null | sed 1d |
		cut -f 2,4-6 | tr '\t' ' ')"
columns=2-7
is "the other way round, in one job or all" "1e-2   4 6 5
1e-3   4 6 5" "$(groups --by -lr,epochs reps)"
is "over several" "6 4
6 6" "$(columns=6,7; groups --by lr,seed,epochs reps)"
is "as many as are asked for" 1 "$(groups --by seed -n 1 reps | wc -l)"
is "of those that are chosen" 1 "$(groups --by seed -w lr=1e-3,opt=sgd reps |
	wc -l)"
columns=1
is "the best N" "reps/10 reps/9" "$(groups -b 2 reps | paste -sd ' ' -)"
refused "repetitions of what" \
	"--by: sede: no such hyperparameter (did you mean seed? there is" \
	look --by sede reps
refused "an empty name" "--by: seed,: a name is missing" look --by seed, reps
refused "the best none" "--best 0: write a number from 1 on" look --best 0 reps

# ---- what did they cost ----

# 36000 s of two GPUs finished, 7200 of one failed, 3600 run on one; the
# attempt before took 1800 of two, a run that was put back 900 of one.
"$fixture" store <<-EOD
	job|cost|x=1..5
	task|0|FINISHED|start=-40000|end=-4000|exit=0|gpus=0,1
	task|1|ERROR|cause=exit 1|start=-9000|end=-1800|gpus=3
	task|2|RUNNING|start=-3600|gpus=3|attempt=1
	fact|2|S|start=-9000|time=-9000|gpus=0,1
	fact|2|E1|start=-9000|time=-7200|exit=1
	task|3|RUNNING|start=-900|gpus=0|restart=1
	fact|3|S|start=-9000|time=-9000|gpus=1
	fact|3|XPREEMPTED|start=-9000|time=-8100
	task|4|SUBMITTED
	fold|trouble=no answer
	end
	job|nodes|x=1
	task|0|FINISHED|start=-7200|end=-3600|exit=0|gpus=0,1+6
	fold|trouble=no answer
	end
	job|cpu|x=1,2
	task|0|FINISHED|start=-7200|end=-3600|exit=0
	task|1|STOPPED|start=-7200|end=-3600
	fold|trouble=no answer
	end
EOD
view cost --cost cost cpu wait
is "hours of GPUs" "24.5 1.5 20 2 0 1" "$(look --cost -o json cost 2>/dev/null |
	jq -r '.[0] | "\(.gpu_hours) \(.running_hours) " +
	"\(.finished_hours) \(.error_hours) \(.stopped_hours) " +
	"\(.earlier_hours)"')"
is "those on other nodes too" 8 \
	"$(look --cost -o json nodes 2>/dev/null | jq '.[].gpu_hours')"
is "what was in vain" "0.12 0.5 null" \
	"$(look --cost -o json cost cpu wait/0 2>/dev/null |
	jq -r 'map(.wasted | if . then . * 100 | round / 100 else . end) |
	"\(.[0]) \(.[1]) \(.[2])"')"
is "of those that are chosen" 2 \
	"$(look --cost -t ERROR -o json cost 2>/dev/null |
		jq '.[0].gpu_hours')"

"$fixture" store <<-EOD
	job|partly|x=1,2
	task|0|FINISHED|start=-7200|end=-3600|exit=0|gpus=0|attempt=1
	fact|0|S|start=-19000|time=-19000|gpus=0
	fact|0|E1|start=-19000|time=-15400|exit=1
	task|1|FINISHED|start=-7200|end=-3600|exit=0|gpus=0
	fold|asked=-1
	end
EOD
look --cost -o json partly >out 2>err
is "with an attempt before, all is summed up" "0 3" \
	"$? $(jq '.[0].hours' out)"
end=store/jobs/partly/run/000/000000.0.0.E1
chmod u+w "$end"
sed 's/"exit"/"exot"/' "$end" >turned && cat turned >"$end"
look --cost -o json partly >out 2>err
is "a sum that lacks what is damaged is no answer" "2 2" \
	"$? $(jq '.[0].hours' out)"
like "it names the record" "^stfm-status: partly: .*/$end: damaged" "$(cat err)"
like "and what to do" \
	"hours of damaged records are missing: run stfm-check" \
	"$(cat err)"
like "a page names it" "partly: .*/$end: damaged" "$(look partly/0 2>&1 >out)"
like "it has what the name says" "^Attempt 0 +ERROR" "$(cat out)"
like "as stfm-log does, which cannot say where the log is" \
	"partly/0: where its log is cannot be told: .*: damaged .*: run \
stfm-check" "$(stfm-log --attempt 0 partly/0 2>&1 >out)"
like "and names it" "^stfm-log: partly: .*/$end: damaged" \
	"$(stfm-log --attempt 0 -Q partly/0 2>&1)"

# ---- large jobs ----

{
	echo 'job|large|lr=1..5|seed=1..2000|epochs=40'
	echo 'task|0-9998|FINISHED|node=g1|start=-900|end=-60'
	echo 'read|0-9998|40.csv'
	echo 'task|17,19,2000-2999|ERROR|cause=exit 1|start=-900|end=-60'
	echo 'task|5000-5003|RUNNING|start=-100|node=g7'
	echo 'task|9999|SUBMITTED|cause=(Priority)'
	echo 'fold|trouble=no answer'
	echo end
} | "$fixture" store
view large large
is "each task has a line when that is wanted" 10000 \
	"$(look -l large 2>/dev/null |
		grep -c '^large/.* [0-9]*/40\|^large/.* -')"
is "so it has when they are sorted or few" "3 7" \
	"$(look -b 3 large 2>/dev/null | grep -c '^large/[0-9]* *[A-Z]') $(
	look large/0-6 2>/dev/null | grep -c '^large/[0-9]* *[A-Z]')"
is "latex folds nothing" 10001 \
	"$(look -o latex large 2>/dev/null | grep -c ' & ')"
refused "latex has no table of errors" "show tasks" look -e -o latex

# Names and values in any script, on terminals of any width.
long=訓練用の長い名前のデータ集合
"$fixture" store <<-EOD
	job|wide|area=大きい値,小さい値|data=$long,検証用|x=1..2
	set|description=ワイド文字の説明がここに長く書かれています
	task|0-5|RUNNING|node=ノード|start=-100|cause=とても長い原因の説明
	task|6|ERROR|cause=exit 1|log=$PWD/log/12
	end
EOD
too_wide() {
	for columns in 20 40 80 120 200; do
		for what in wide large eta vit cnn; do
			for how in '' -e --why --cost '--by x,seed,drop'; do
				# shellcheck disable=SC2086 # two words
				COLUMNS=$columns TERM=xterm look $how $what \
					2>/dev/null | grep -v "$PWD" >out
				[ "$(wc -L <out)" -le $columns ] ||
					echo "$columns $how $what"
			done
		done
	done
}
is "no line is wider than 20, 40, 80, 120 or 200 columns" "" "$(too_wide)"
ok "nor is one where the locale has no wide characters" test "$(
	LC_ALL=C COLUMNS=50 look wide 2>/dev/null |
		LC_ALL=C.UTF-8 wc -L
)" -le 50

printf 'epoch,val_loss\n1,0.5\n2,nan\n' >2.csv
printf 'epoch,val_loss\n1,0.5\n2,0.4\n3,nan\n' >3.csv
printf '%s\n' 'job|nan|x=1..6' 'task|0-4|FINISHED' 'read|0-2|2.csv' \
	'read|3|3.csv' 'read|4|2.csv' end | "$fixture" store
is "tasks that became nan alike are one line" \
	"nan/0-2,4  val_loss is nan since epoch 2
nan/3  val_loss is nan since epoch 3" "$(look nan 2>/dev/null | grep since)"

# ---- live ----

# A terminal with 12 rows, or $rows, and 70 columns; what it was sent.
on_terminal() {
	TERM=${term:-xterm} script -qefc \
		"stty rows ${rows:-12} cols 70; $1" typescript >/dev/null \
		</dev/null
	sed "1d; \$d" typescript
}
printf '%s\n' 'job|over|x=1..30' 'task|0-29|FINISHED' end |
	"$fixture" store
on_terminal "stfm-status --no-refresh -f -l over" >sent
like "a picture begins at home" "^.*\[H.*over" "$(tr '\033' ' ' <sent)"
like "and ends with the cursor back" "\[\?25h" "$(tail -n 1 sent)"
like "rows that the terminal has no room for are counted" "more rows" \
	"$(cat sent)"
is "none is wider than it" "" "$(tr -d '\r' <sent |
	sed "s/$(printf '\033')[^a-zA-Z]*[a-zA-Z]//g" | grep '.\{71\}')"
is "nothing is drawn twice when all is over" 1 "$(grep -c '\[H' sent)"
is "a terminal that cannot move its cursor is not told to" "" \
	"$(term=dumb on_terminal "stfm-status --no-refresh -f over" |
		grep "$(printf '\033')")"
# What is seen there.
drawn() {
	on_terminal "$1" | tr -d '\r' |
		sed "s/$(printf '\033')[^a-zA-Z]*[a-zA-Z]//g"
}
{
	printf '%s\n' 'job|forty|lr=1..20|seed=1,2' \
		'task|0-19|FINISHED|array=81' \
		'task|20-24|ERROR|cause=exit 1|array=81' \
		'task|25|ERROR|cause=SIGKILL|array=81' \
		'task|26-29|RUNNING|start=-10|array=81' \
		'task|28|RUNNING|start=-4000|pace=4|epoch_time=-3000|array=81' \
		'task|30-39|SUBMITTED|cause=(Priority)|array=81' \
		'read|3-19|40.csv'
	echo 'fold|trouble=no answer'
	echo end
} | "$fixture" store
ok "into a pipe it ends when nobody reads it any more" timeout 100 sh -c \
	'stfm-status --no-refresh -f -i 1 forty 2>/dev/null | head -n 1'
rows=24 drawn "stfm-status --no-refresh forty 2>/dev/null" >forty
is "what is alike folds where its tasks have no room" \
	"28 26 27 29 3 5 1 10 20" "$(awk '
	NR > 4 && $2 ~ /^(RUNNING|ERROR|SUBMITTED|FINISHED)$/ {
		sub(/forty\//, "")
		print $1
	}' forty | paste -sd ' ' -)"
like "with why they failed" "^forty/25  SIGKILL: it was killed" "$(cat forty)"
is "piped it is whole" 40 "$(look forty 2>/dev/null |
	grep -c '^forty/[0-9]* *[RESF][A-Z]*[DRG] ')"
ok "it fits" test "$(wc -l <forty)" -lt 24
for i in 1 2 3 4 5 6 7 8 9; do
	printf '%s\n' "job|old$i|x=1" 'task|0|FINISHED' end
done | "$fixture" many
printf '%s\n' 'job|goes|x=1' 'task|0|RUNNING' end | "$fixture" many
for i in 1 2 3 4 5 6 7 8; do
	printf '%s\n' "job|new$i|x=1" 'task|0|FINISHED' end
done | "$fixture" many
on_terminal 'stfm-status -d many --no-refresh -f &
	until [ -e drawn ]; do sleep 0.1; done; kill $!' >screen &
poll 20 grep -q 'which are over' typescript
touch drawn
wait $!
tr -d '\r' <screen >listed
like "of too many jobs those that go on are there" "goes" "$(cat listed)"
like "and the newest" "new8" "$(cat listed)"
like "the others are counted" "and 9 more, which are over" "$(cat listed)"
is "none is cut" 0 "$(grep -c 'more rows' listed)"
refused "-f as csv" "--follow: as text or jsonl" look -f -o csv over
refused "-f and standard input" "name the jobs" look -f -
refused "an interval of nothing" "-i: 0 is not between" look -f -i 0 over
is "elsewhere what is over is said once" "over 30" "$(
	look -f over 2>&1 | awk 'NR > 1 { print $1, $4 }')"

# A task that hung does not need more time.
"$fixture" store <<-EOD
	job|hung|seed=1..3|epochs=100
	task|0|RUNNING|start=-110|limit=120|pace=1 1 1|epoch_time=-65|array=77
	read|0|11.csv
	task|1|ERROR|cause=TIMEOUT|start=-4000|end=-400|epoch_time=-3900
	read|1|11.csv
	task|2|ERROR|cause=TIMEOUT|start=-4000|end=-400|epoch_time=-430
	read|2|11.csv
	fold|asked=0
	end
EOD
touch -d '-65 sec' store/jobs/hung/metrics/*
like "a task that hangs is STALLED soon, where its time limit is short" \
	"^hung/0  STALLED: silent for 1:[0-9]*; an epoch takes 1 s$" \
	"$(look hung 2>/dev/null)"
is "a task that hung until its time limit is not told to take more time" \
	"it stalled
more --time" "$(COLUMNS=200 look -e hung 2>/dev/null |
	grep -o 'it stalled\|more --time' | sort)"
like "its page says so as well" "^State *ERROR  TIMEOUT  it stalled: " \
	"$(COLUMNS=200 look hung/1 2>/dev/null)"

# The most memory that a run had, in MiB, and how the column MEM has it.
cat >sizes <<-EOD
	0.5 0.5M
	999 999M
	999.4 999M
	999.5 0.976G
	1000 0.977G
	1024 1G
	1023487 999G
	1023488 0.976T
	1048576 1T
EOD
{
	echo 'job|sized|seed=1..9'
	awk '{ print "task|" NR - 1 "|FINISHED|start=-90|end=-60|" \
		"usage=memory=" $1 }' sizes
	echo end
} | "$fixture" store
is "memory is written with three digits and a unit" \
	"$(cut -d ' ' -f 2 sizes)" "$(COLUMNS=200 look sized 2>/dev/null |
		awk '/^sized\/[0-9]+ +FIN/ { print $NF }')"

done_testing
