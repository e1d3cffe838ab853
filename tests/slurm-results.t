#!/bin/sh
# --from-results refuses results that a sampler cannot use, and options of a
# search that contradict each other are refused.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 1 -g 0 -c 2
export STFM_DIR="$tap_dir/store"

for task in 0 1 2; do
	printf 'epoch,accuracy,score\n1,0.%s,%s\n' $((task + 5)) "$task" \
		>"$task.csv"
done
# trained NAME METRIC SETTINGS: a search that is over.
trained() {
	"$fixture" "$STFM_DIR" <<END
job|$1|x=1..3
set|sampler=tpe|metric=$2|epochs=9|$3
task|0|FINISHED|point=0.0 1|exit=0|start=-9|end=-1
task|1|FINISHED|point=0.0 2|exit=0|start=-9|end=-1
task|2|FINISHED|point=0.0 3|exit=0|start=-9|end=-1
read|0|0.csv
read|1|1.csv
read|2|2.csv
chunk|0-2|41
end
END
}
trained csv accuracy pruner=asha,eta=3,first=3
trained again accuracy pruner=asha,eta=3,first=3
trained score score 'goal=max|pruner=asha,eta=3,first=3'
trained population accuracy pruner=pbt,eta=4,first=3
submit() {
	stfm-submit -Q -J no --gres=none --args=none --search 9 --epochs 9 \
		"$@" --dry-run x=int:0:9 -- true "{x}"
}

## Results of another job

ok "results of a search" submit --metric accuracy \
	--sampler tpe --from-results csv
refused "the best values of the other job are the worst of this one" \
	"--from-results: score: its best score is the max, and this search \
looks for the min: give --goal max, or leave this out" \
	submit --metric score --goal min --sampler tpe \
	--from-results score
ok "the same goal" submit --metric score --goal max \
	--sampler tpe --from-results score
refused "a task of a job" "csv/0: name one job, without tasks" \
	submit --metric accuracy --sampler tpe --from-results csv/0
refused "two guesses" "--guess x=1 and x=2: give one guess" \
	submit --metric accuracy --guess x=1 --guess x=2
refused "two jobs" "--from-results csv and again: name one job" \
	submit --metric accuracy --sampler tpe --from-results csv \
	--from-results again
ok "one job, twice" submit --metric accuracy \
	--sampler tpe --from-results csv --from-results csv
refused "a sampler that does not learn" "--from-results: quasi learns from \
results only with --guess: add --guess POINT, or write --sampler tpe" \
	submit --metric accuracy --sampler quasi --from-results csv
refused "a population of random points" "random learns from results only" \
	submit --metric accuracy --pbt 3 --from-results csv
for sampler in quasi random tpe "cat"; do
	ok "one that learns: $sampler" submit \
		--metric accuracy --sampler "$sampler" --guess x=2 \
		--from-results csv
done
ok "a command may learn" submit --metric accuracy \
	--sampler cat --from-results csv
refused "results of a population" "--from-results: population: its tasks \
changed their points (--pbt), so a value may belong to another point: name \
another job" \
	submit --metric accuracy --sampler tpe --from-results population
ok "nothing is stored" test ! -e "$STFM_DIR/jobs/no"

## A search that grows

# grow N OPTION...: the search grown, of N points.
grow() {
	count=$1
	shift
	stfm-submit -J grown --hold --gres=none --metric accuracy --epochs 9 \
		--search "$count" --sampler tpe "$@" x=int:0:9 -- true "{x}"
}
grow 3 >out
for dry in "" --dry-run; do
	refused "a search without results takes none later $dry" \
		"another --from-results (csv now, none then): --sync changes" \
		grow 5 --sync --from-results csv $dry
done
grow 3 -J learnt --from-results csv >out
refused "nor does one that has results lose them" \
	"another --from-results (none now, csv then)" grow 5 -J learnt --sync
refused "or take those of another job" \
	"another --from-results (again now, csv then)" \
	grow 5 -J learnt --sync --from-results=again
ok "the same results are no difference" \
	grow 5 -J learnt --sync --from-results=csv
for job in grown learnt; do
	stfm-stop -Q "$job"
done

## Points that are not there

# grid WORD...: a search of two lists.
grid() {
	stfm-submit -J no --dry-run --gres=none --metric accuracy --epochs 9 \
		"$@" x=1,2,3 y=1,2,3 -- true
}
for guess in x=3,y=2 x=3 x=3.0,y=1; do
	refused "a guess that --except leaves out: $guess" \
		"--guess: $guess: --except x=3 leaves out every such point: \
guess another one" grid --search 4 --guess "$guess" --except x=3
done
refused "by two conditions" "leaves out every such point" \
	grid --search 2 --sampler tpe --guess x=3,y=2 --except y=1 \
	--except 'x>1,y>1'
refused "in a grid" "leaves out every such point" \
	grid --sampler tpe --guess x=3,y=2 --except x=3,y=2
while read -r words; do
	eval "set -- $words"
	ok "a guess that may be trained: $words" grid --search 4 "$@"
done <<'END'
--guess x=3 --except x=3,y=2
--guess x=3,y=1 --except x=3,y=2
--guess x=3,y=2 --except y=2 --when y:x=1
--guess x=3 --except y=2 --when y:x=3
END
refused "a value that its point does not have decides nothing" \
	"leaves out every such point" grid --search 4 --guess x=1,y=2 \
	--except y=2 --when y:x=1
while IFS='|' read -r points words; do
	eval "set -- $words"
	for count in 4 5 9 10 99; do
		[ "$count" -le "$points" ] || refused "$count of $words" \
			"--search: $count: the space has only $points points: \
write --search $points" grid --search "$count" "$@"
	done
	ok "all $points of $words" grid --search "$points" "$@"
done <<'END'
9|
5|--when y:x=1
4|--when y:x=1 --except y=2 --pruner none
6|--except x=3 --sampler tpe
END
refused "a space without points" "leave every one out" \
	grid --search 99 --except 'x>0'

## The number of epochs

for epochs in 2147483648 3000000000 99999999999999999999; do
	too_many="--epochs $epochs: too large (at most 2147483647)"
	refused "more epochs than a search counts: $epochs" "$too_many" \
		submit --metric accuracy --epochs $epochs
	refused "set later" "csv: $too_many" stfm-set --epochs $epochs csv
done
ok "as many as it counts" submit --metric accuracy --epochs 2147483647
for word in epochs=9,2147483648 epochs=1e10 epochs=inf; do
	refused "as a hyperparameter: $word" \
		"epochs: too large (at most 2147483647)" \
		stfm-submit -J no --dry-run --gres=none --metric accuracy \
		--search "$word" -- true
done
ok "without a pruner they do not matter" stfm-submit -J no --dry-run \
	--gres=none --metric accuracy epochs=9,2147483648 -- true
refused "none" "--epochs 0: write a number from 1 on" \
	stfm-set --epochs 0 csv

done_testing
