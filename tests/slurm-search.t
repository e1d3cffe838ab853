#!/bin/sh
# Pruning: trainings that do worse than others at the same epoch are stopped,
# by a watcher or without one.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 0 -c 8
export STFM_DIR="$tap_dir/store"

# A training of which the value at each epoch is known: x/100 + epoch/10000.
cat >train.sh <<'END'
#!/bin/sh
epoch=0
echo "epoch,val_acc" >"$STFM_METRICS"
while [ "$epoch" -lt "${2:-40}" ]; do
	epoch=$((epoch + 1))
	sleep 0.1
	printf '%d,0.%02d%02d\n' "$epoch" "$1" "$epoch" >>"$STFM_METRICS"
done
END
chmod +x train.sh
submit() {
	stfm-submit -Q --gres=none --args=none --metric val_acc "$@" \
		-- "$PWD/train.sh" "{x}"
}
states() {
	stfm-status --no-refresh -o jsonl "$1" | jq -r .state | cut -c 1 |
		tr -d '\n'
}
causes() {
	stfm-status --no-refresh -o jsonl "$1" | jq -r '.cause // empty'
}
is_over() {
	[ -z "$(squeue -h -n "$1")" ]
}
refresh() {
	stfm-status "$1" >"$tap_dir/shown" 2>&1
}

## What is refused, before anything is stored

refused "an eta of 1" "eta" submit -J no --pruner asha,eta=1 x=1,2
refused "another pruner" "no such pruner" submit -J no --pruner best x=1,2
refused "a setting that is none" "first=EPOCH" \
	submit -J no --pruner asha,steps=3 x=1,2
refused "an eta of the median rule" "median has no eta" \
	submit -J no --pruner median,eta=4 x=1,2
refused "settings that belong to no pruner" \
	"'asha=4': write a comma before the settings, as in asha,eta=4" \
	submit -J no --pruner asha=4 x=1,2
refused "settings of none" "none has no settings" \
	submit -J no --pruner none,eta=3 x=1,2
refused "a first rung that no training passes" "40 epochs" \
	submit -J no --epochs 40 --pruner asha,first=40 x=1,2
refused "the same by a hyperparameter" "have 30 epochs" \
	submit -J no --pruner asha,first=31 x=1,2 epochs=20,30
refused "more than 1,000 rungs of a population" \
	"--pbt: 1001 rungs; at most 1000: write --pbt 3" submit -J no \
	--epochs 2003 --pbt 2 x=1,2
refused "no metric" "--metric val_loss" stfm-submit --gres=none -J no \
	--pruner asha x=1,2 -- ./train.sh
while IFS='|' read -r option words; do
	eval "set -- $words"
	refused "it names the option: $words" \
		"stfm-submit: $option: say which metric decides" \
		stfm-submit --gres=none -J no "$@" -- true
done <<'END'
--search|--search 3 x=int:1:9
--search|--search 3 --pruner none x=int:1:9
--search|--search 3 --guess x=2 x=int:1:9
--pruner|--pruner asha --until 0.5 x=1,2
--until|--until 0.5 x=1,2
--gpu-hours|--gpu-hours 3 x=1,2
--search|--search --pruner none --guess x=2 x=1,2
--guess|--guess x=2 --samples 3 x=int:1:9
--sampler|--sampler quasi --samples 3 x=int:1:9
--pbt|--pbt 3 --search 4 --epochs 12 x=int:1:9
END
for option in --search --pruner=median --sampler=tpe --until=3; do
	refused "a metric whose name does not tell its goal: $option" \
		"stfm-submit: ${option%%=*}: the name val_foo does not tell" \
		stfm-submit --gres=none -J no --metric val_foo "$option" x=1,2 \
		-- true
done
ok "unless --goal tells it" stfm-submit --dry-run --gres=none -J no \
	--metric val_foo --goal max --search x=1,2 -- true
refused "trainings of one epoch" "--search: trainings have 1 epoch, and the \
first rung is at epoch 1: say --pruner none, or train more epochs" \
	submit -J no --search 3 x=int:1:9 epochs=1
refused "no log" "nothing to compare" submit -J no --metrics none \
	--pruner median x=1,2
refused "more points than a space of lists has" "only 2 points" \
	submit -J no --search 5 x=1,2
echo x >points.tsv
refused "a file of points" "chooses from words" \
	submit -J no --search 5 --from points.tsv
refused "resources of single points" "write --mem=4G" \
	submit -J no --search 5 x=uniform:0:1 @mem=4G
refused "a sampler of nothing" "--sampler: empty" \
	submit -J no --search 5 --sampler "" x=uniform:0:1
refused "paired lists with a sampler" "chooses from words" \
	submit -J no --sampler tpe --zip x,y x=1,2 y=1,2
refused "no points at all" "--search 0: write a number from 1 on" \
	submit -J no --search 0 x=int:1:9
refused "two numbers of points" "--samples and --search: leave one out" \
	submit -J no --samples 3 --search 4 x=int:1:9
refused "a pruner of a population" "--pbt and --pruner: leave one out" \
	submit -J no --search 4 --pbt 2 --epochs 9 --pruner none x=int:1:9
refused "a population that is named as a pruner" "write --pbt EPOCHS" \
	submit -J no --search 4 --epochs 9 --pruner pbt,first=3 x=int:1:9
while IFS='|' read -r text words; do
	eval "set -- $words"
	stfm-submit --dry-run --gres=none -J no --metric acc --epochs 9 "$@" \
		-- true >out 2>err
	like "a warning: $words" "$text" "$(cat err)"
done <<'END'
compares at least 3 tasks, and this job has 2: it will stop none|--search x=1,2
compares at least 5 tasks, and .* has 4|--search 4 --pruner median x=int:1:9
--pbt compares at least 4 tasks, .* has 3: no task|--search 3 --pbt 2 x=int:1:9
--parallel 2: .* at once|--search 8 --pbt 2 --parallel 2 x=int:1:9
: tpe learns from 10 results on, so all 10 .*|--search 10 --sampler tpe x=1..99
: train more points, or write --sampler random$|--search 2 --sampler tpe x=1..9
from 10 results on, so all 5 points are .*|--sampler tpe x=1,2,3,4,5
from 10 results on, so all 3 points are .*|--search 3 --pruner none x=int:1:9
so at least 10 of the 13 points are random|--search 13 --sampler tpe x=int:1:99
at once have random points: add --parallel N$|--search 14 --sampler tpe x=1..99
: hyperband divides the 5 tasks into 3 .*|--search 5 --pruner hyperband x=1..9
one with fewer than 3 tasks, which .* asha$|--search 5 --pruner hyperband x=1..9
into 2 brackets, .* fewer than 4 |--search 7 --pruner hyperband,eta=4 x=1..9
END
while read -r words; do
	eval "set -- $words"
	stfm-submit --dry-run --gres=none -J no --metric acc --epochs 9 "$@" \
		-- true >out 2>err
	is "no warning: $words" "" "$(cat err)"
done <<'END'
--search 14 --parallel 2 --sampler tpe x=int:1:99
--search 3 --sampler tpe --guess x=3 x=int:1:99
--search 3 --sampler quasi x=int:1:99
--search 6 --pruner hyperband x=int:1:9
--search 8 --pruner hyperband,eta=4 x=1..9
END
stfm-submit --dry-run --gres=none --metric acc --search x=1..9 -- true \
	>out 2>err
like "a warning: no number of epochs" \
	"epochs is unknown: the pruner stops no task .* add --epochs N" \
	"$(cat err)"
for count in -3 five; do
	refused "$count points" "--search: '$count' is not a whole number" \
		submit -J no --search $count x=int:1:9
	refused "--search=$count" "--search: '$count' is not a whole number" \
		submit -J no --search=$count x=int:1:9
done
refused "a search without hyperparameters" "write some, as in lr=" \
	stfm-submit -J no --metric acc --search 5 -- true
refused "a sampler of a distribution without a number" "write --search N" \
	submit -J no --sampler tpe x=int:1:9
refused "a distribution alone" "write --samples N, or --search N" \
	submit -J no x=int:1:9
echo 'exit 0' >no-program
while IFS='|' read -r line reason; do
	refused "a sampler that cannot run: $line" "$reason" \
		submit -J no --search 3 --sampler "$line" x=int:1:9
done <<'END'
./nofile.py|--sampler: ./nofile.py: no such program, or it is not executable
./no-program --fast|--sampler: ./no-program: no such program, or it is not
/nowhere/ask|--sampler: /nowhere/ask: no such program, or it is not executable
train.sh x|--sampler: 'train.sh' is no command in PATH; --no-check if only
END
while read -r line; do
	ok "a sampler that may run: $line" submit -J no --dry-run --search 3 \
		--sampler "$line" x=int:1:9
done <<'END'
./train.sh
./train.sh --fast
sh no-program
cd /tmp && ./ask
A=1 ./ask
$HOME/ask x
(ask)
if true; then ask; fi
END
ok "nor is it refused with --no-check" submit -J no --dry-run --no-check \
	--search 3 --sampler ./nofile.py x=int:1:9
refused "a sampler that is no command either" \
	"'grid' is no sampler (random, quasi or tpe) and no command" \
	submit -J no --search 5 --sampler grid x=int:1:9
ok "unless only the compute nodes have it" submit --dry-run -J no --search 5 \
	--sampler grid --no-check x=int:1:9
refused "a sampler as an option" "--tpe: no such option (write --sampler tpe)" \
	submit -J no --dry-run --search 3 --tpe x=int:1:9
refused "a pruner as an option" "(write --pruner median)" \
	submit -J no --search 3 --median x=int:1:9
like "an option that only a plugin can have is not checked" \
	"^# not checked: --nice-name, which sbatch takes only if a plugin of " \
	"$(submit -J no --dry-run --search 3 --nice-name=a x=int:1:9)"
ok "nothing is stored" test ! -e "$STFM_DIR/jobs/no"
# doubt METRIC VALUE: what is said of --until.
doubt() {
	stfm-submit --dry-run --gres=none --metric "$1" --search 5 --epochs 9 \
		--until "$2" x=int:1:9 -- true 2>&1 | grep '^stfm-submit'
}
like "a loss that any training has ends the search at once" \
	"--until 99: the first val_loss in a log may reach this" \
	"$(doubt val_loss 99)"
like "so does an accuracy of 0" "the first val_acc in a log may" \
	"$(doubt val_acc 0)"
like "an accuracy above 100 % ends none" "no val_acc reaches this" \
	"$(doubt val_acc 950)"
is "others are not doubted" "" "$(doubt val_loss 0.1; doubt val_acc 95
	doubt reward 100; doubt error 12)"

## What is stored

ok "a search of a grid" submit -J stored --hold --search --epochs 50 x=1,2
of() {
	jq -r "$2" "$STFM_DIR/jobs/$1/job.json"
}
is "has asha, its first rung and the version of its rules" \
	"asha,eta=3,first=3 1" \
	"$(of stored '.search | "\(.pruner) \(.version)"')"
is "and a record that older programs refuse" 2 "$(of stored .v)"
ok "the same again is the same job" submit -J stored --hold --search \
	--epochs 50 x=1,2
refused "another pruner is another job" \
	"another --pruner (median,first=3 now, asha,eta=3,first=3 then)" \
	submit -J stored --hold --pruner median --epochs 50 x=1,2
ok "a search of samples" submit -J drawn --hold --search 3 --epochs 50 \
	x=uniform:1:9
is "has as many tasks" 3 "$(of drawn .tasks)"
ok "lists are drawn from, too" submit -J listed --hold --search 5 \
	--epochs 50 x=uniform:1:9 y=a,b
is "so there are as many tasks as was said" 5 "$(of listed .tasks)"
ok "the number may be joined to the option" submit -J joined --hold \
	--search=2 --pruner none x=uniform:1:9
is "without a pruner, tpe chooses the points" "2 tpe null" \
	"$(of joined '"\(.v) \(.search.sampler) \(.search.pruner)"')"
ok "random points without a pruner are no search" submit -J random --hold \
	--search 2 --pruner none --sampler random x=uniform:1:9
is "in the record either" "1 null" "$(of random '"\(.v) \(.search)"')"
for job in stored drawn listed joined random; do
	stfm-stop -Q "$job"
done

## With no watcher, and with one

curves=x=50,90,80,10,95,20
submit -J alone --parallel 1 --epochs 40 --pruner asha,first=6 "$curves"
submit -J watched --parallel 1 --epochs 40 --pruner asha,first=6 \
	--max-fail 1 "$curves"
submit -J next --after alone:ok --epochs 5 x=1
ok "a watcher ends well although tasks were pruned" \
	stfm-watch -Q -i 1 watched
poll 90 is_over alone
refresh alone
is "the run judges itself" FFSSFS "$(states alone)"
is "a watcher stops the same tasks" FFSSFS "$(states watched)"
is "for the same reason" "pruned at epoch 6: 0.8006 is 2nd of 3, only the \
best continues (0.9006 or better)
pruned at epoch 6: 0.1006 is 4th of 4, only the best continues (0.9006 or \
better)
pruned at epoch 6: 0.2006 is 5th of 6, the best 2 continue (0.9006 or better)" \
	"$(causes alone)"
is "with the same values at the rungs" \
	"$(cd "$STFM_DIR/jobs/alone/run/000" && ls ./*.R* | sort)" \
	"$(cd "$STFM_DIR/jobs/watched/run/000" && ls ./*.R* | sort)"
like "the training was told to end" "143" \
	"$(cat "$STFM_DIR/jobs/alone/run/000/000002.0.0.E143")"
stfm-watch -Q -i 1 next
is "what waits for a search that went well is trained" F "$(states next)"

cols() {
	COLUMNS=200 stfm-status --no-refresh "$@" | sed 's/ *$//'
}
rungs() {
	cols "$1" | sed -n '/^search:/,/^end/p'
}
is "status has a table of the rungs" \
	"search: asha,eta=3,first=6  rungs 6 18 of 40 epochs
RUNG  REACHED  CONTINUED  STOPPED  NEEDED    BEST  TASK
6           6          3        3  0.9006  0.9506  alone/4
18          3          3        0  0.9518  0.9518  alone/4
end         3                               0.954  alone/4" \
	"$(rungs alone | sed 's/   .* hours of .*//')"
is "pruned tasks are no waste" "0 true" "$(stfm-status --no-refresh --cost \
	-o json alone | jq -r '.[] | "\(.wasted) \(.pruned_hours > 0)"')"
is "-t PRUNED selects them" "alone/2 alone/3 alone/5" \
	"$(cols -t PRUNED -o jsonl alone | jq -r .id | xargs)"
is "-w pruned, too" "alone/2 alone/3 alone/5" \
	"$(cols -w pruned -o jsonl alone | jq -r .id | xargs)"
is "columns say at which rung" "18 - 18 - 6 6 6 6 18 - 6 6" "$(cols -o jsonl \
	alone | jq -r '.rung, (.pruned // "-")' | xargs)"
like "a line has the cause in brief" \
	"^alone/3 +STOPPED +pruned at epoch 6 +10 " "$(cols alone)"
like "the page of a task has all of it" \
	"^State +STOPPED  pruned at epoch 6: 0.1006 is 4th of 4" \
	"$(cols alone/3)"
like "all that is to be done is done" " 100%" "$(cols)"
before=$(rungs alone | sed 1d)
rm -r "$STFM_DIR/jobs/alone/fold"
refresh alone
is "a table that was lost is made again" "$before" "$(rungs alone | sed 1d)"
ok "nothing is damaged" stfm-check --store

## Restarting

ok "a restart of the job" stfm-restart -Q watched
is "queues no pruned task" FFSSFS "$(states watched)"
like "a state selects them" "3 tasks.*: 2-3,5" \
	"$(stfm-restart --dry-run -t STOPPED watched)"
like "and so does a condition" "1 task .*: 3" \
	"$(stfm-restart --dry-run -w 'x=10' watched)"
ok "one that is named" stfm-restart -Q watched/3
stfm-watch -Q -i 1 watched
is "trains to its end" FFSFFS "$(states watched)"
is "the value of its first attempt counts at the first rung" \
	"000003.0.0.R6=0.1006 000003.1.0.R18=0.1018" \
	"$(cd "$STFM_DIR/jobs/watched/run/000" && ls 000003.*.R* | sort |
		xargs)"
ok "the same submission again" submit -J watched --parallel 1 --epochs 40 \
	--pruner asha,first=6 --max-fail 1 "$curves"
is "queues none of the pruned either" FFSFFS "$(states watched)"

## A task that a watcher stops

submit -J until --until 0.9 --epochs 40 --pruner asha,first=6 x=95,10
stfm-watch -Q -i 1 until
like "is STOPPED" "S" "$(states until)"
like "and its log says why, too" "^stfm-run: search over: until/0 has reached" \
	"$(stfm-log until/1 2>&1)"

## The number of epochs

submit -J unknown --parallel 1 --pruner median,first=2 x=3,4
like "before it is known, status says so" "until the number of epochs" \
	"$(refresh unknown; cat "$tap_dir/shown")"
poll 60 is_over unknown
refresh unknown
is "the first training tells it" "--epochs 40" \
	"$(stfm-set unknown | sed -n 's/^unknown: \(--epochs.*\)/\1/p')"
like "and its values at all rungs are recorded" "^34-38 +2 " \
	"$(rungs unknown)"
cat >fast.sh <<'END'
#!/bin/sh
awk -v x="$1" 'BEGIN { print "epoch,val_acc"
	for (i = 1; i <= 4999; i++) print i "," x / 10 + i / 1e5 }
' >"$STFM_METRICS"
END
chmod +x fast.sh
for job in "learned" "known --epochs 4999"; do
	name=${job%% *}
	# shellcheck disable=SC2086 # words
	stfm-submit -Q -J $job --gres=none --args=none --metric val_acc \
		--parallel 1 --pruner median,first=1 x=1,2 -- \
		"$PWD/fast.sh" "{x}"
	stfm-watch -Q -i 1 "$name"
	like "a long training has 100 rungs: $name" \
		"rungs 1 51 ... 4951 of 4999 epochs" \
		"$(cols "$name" | grep ^search:)"
	like "and values at them" "^3201-4951 +2 " "$(rungs "$name")"
	is "with a file for each" 100 "$(find "$STFM_DIR/jobs/$name/run" \
		-name '000001.*.R*' | wc -l)"
done
refused "other settings would give other values" "submit another job" \
	stfm-set --goal min unknown
refused "and so would another number" "submit another job" \
	stfm-set --epochs 30 unknown

## A metric that no log has

submit -J blind --parallel 1 --metric accuracy --epochs 20 \
	--pruner asha,first=2 x=50,90,10,20
blind() {
	stfm-status --why blind 2>&1
}
poll 30 eval 'blind | grep -q "stfm-set --metric NAME blind"'
like "the metrics of the logs are named" \
	"without accuracy; name a metric of the logs \(val_acc\):" \
	"$(blind | tr '\n' ' ' | tr -s ' ')"
refused "is not replaced by another one" "did you mean val_acc?" \
	stfm-set --metric val blind
refused "nor by one whose better values are unknown" "add --goal min or" \
	stfm-set --metric epoch blind
ok "but by one that it has" stfm-set -Q --metric val_acc --goal max blind
stfm-watch -Q -i 1 blind
like "after that, trainings are compared" "^2 +4 " "$(rungs blind)"
like "and stopped" "S" "$(states blind)"
refused "so that it stays" "stfm-status -m NAME blind" \
	stfm-set --metric epoch blind

## Damage

fact=$(ls "$STFM_DIR/jobs/watched/run/000/000003.0.0.R6"*)
echo x >>"$fact"
status "a damaged value is reported" 1 stfm-check --store
ok "and repaired by its name" stfm-check --repair
ok "so that nothing is damaged" stfm-check --store
refresh watched
like "and it still counts" "^6 +6 " "$(rungs watched)"

done_testing
