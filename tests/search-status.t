#!/bin/sh
# What people and programs see of a search.
. "$(dirname "$0")/tap.sh"

fixture=$top/build/${SANITIZE:+sanitize}
[ -n "$SANITIZE" ] || fixture=$top/build/plain
fixture=$fixture/tests/store-fixture
export STFM_DIR="$tap_dir/store" TZ=UTC SLURM_CONF=/nonexistent COLUMNS=200

# log EPOCHS VALUE: a log with the same value at each epoch.
log() {
	echo epoch,acc
	awk -v n="$1" -v v="$2" 'BEGIN {
		for (i = 1; i <= n; i++)
			print i "," v }'
}
log 20 0.9 >long.csv
log 5 0.2 >bad.csv
log 4 0.5 >some.csv
log 1 0.5 >one.csv
printf 'epoch,loss\n1,2\n' >other.csv
pruned='cause=pruned at epoch 3: 0.2 is 4th of 4, only the best continues'
pruned="$pruned (0.9 or better)|start=-900|end=-830|epoch_time=-835"
pruned="$pruned|rungs=3=0.2@0.0"
asha='set|pruner=asha,eta=3,first=3|epochs=20|metric=acc|goal=max'
done='FINISHED|start=-900|end=-700|exit=0|rungs=3=0.9@0.0 9=0.9@0.0'
# Task 0 took 200 s for 20 epochs; tasks 2 and 3 took 65 s for 5 of them: 20 s
# to start, and 9 s for an epoch.
"$fixture" "$STFM_DIR" <<END
job|conv|lr=1..9
$asha|sampler=tpe|until=0.99
task|0|$done|gpus=0,1|point=0.0 1
read|0|long.csv
task|1|ERROR|cause=exit 1|start=-900|end=-850|exit=1|gpus=0,1|point=0.0 2
task|2-3|STOPPED|$pruned|gpus=0,1|point=0.0 3
read|2-3|bad.csv
task|4|RUNNING|start=-40|gpus=0,1|rungs=3=0.5@0.0|point=0.0 4
read|4|some.csv
task|5|RUNNING|start=-10|gpus=0,1|point=0.0 5
read|5|one.csv
task|6|STOPPED|cause=search over: conv/0 has reached 0.99|start=-9|end=-8
task|7-8|SUBMITTED
chunk|0-8|41
end
job|cpu|lr=1..3
$asha
task|0|$done
read|0|long.csv
task|1|STOPPED|$pruned
read|1|bad.csv
task|2|RUNNING|start=-1
chunk|0-2|42
end
job|blind|lr=1..3
$asha
task|0-1|RUNNING|start=-5
read|0-1|other.csv
chunk|0-2|43
end
job|unknown|lr=1..3
set|pruner=median,first=3|metric=acc|goal=max
task|0-1|RUNNING|start=-5
chunk|0-2|44
end
job|large|lr=1..300
$asha
task|0-99|STOPPED|$pruned
read|0-99|bad.csv
task|100-101|$done
read|100-101|long.csv
task|102-103|RUNNING|start=-40|rungs=3=0.5@0.0
read|102-103|some.csv
chunk|0-299|45
end
job|late|lr=1..5|epochs=20|data=mnist
set|sampler=tpe|metric=acc|goal=max
task|0|FINISHED|start=-900|end=-700|exit=0|point=0.0 1	20	mnist
read|0|long.csv
task|1-4|SUBMITTED
chunk|0-4|46
end
job|starts|lr=1..99
$asha
task|0-98|STOPPED|$pruned
read|0-98|bad.csv
chunk|0-98|46
end
END
look() {
	stfm-status --no-refresh "$@" 2>"$tap_dir/errors" | sed 's/ *$//'
}
tasks() {
	look -o jsonl "$@" | jq -r .task | xargs
}

## The table of a job

like "the line of a search has its pruner, rungs, sampler and end" \
	"^search: asha,eta=3,first=3  rungs 3 9 of 20 epochs  sampler tpe  \
until 0\.99   " "$(look conv | grep ^search)"
# (200 + 50 + 2 * 70 + 40 + 10) * 2 GPUs, and to the end (50 + 5 * 200) * 2.
like "it says what was used and what it would have taken" \
	"   0\.2[45] GPU hours used; the same 6 points trained to the end: \
about 0\.58$" "$(look conv | grep ^search)"
like "a task without an epoch counts as the others" \
	"   0\.0[78][0-9]* hours of training used; the same 3 points \
trained to the end: about 0\.17$" "$(look cpu | grep ^search)"
like "and nothing if no task tells how long the start-up is" \
	"   1\.9 hours of training used$" "$(look starts | grep ^search)"
is "the table has the best task at each rung" \
	"RUNG  REACHED  CONTINUED  STOPPED  RUNNING  NEEDED  BEST  TASK
3           4          1        2        1     0.9   0.9  conv/0
9           1          1        0        0           0.9  conv/0
end         1                                        0.9  conv/0" \
	"$(look conv | sed -n '/^RUNG/,/^end/p')"
nan="pruned at epoch 8: nan or inf is worse than any number"
# Tasks 1 and 2 were stopped at epoch 3, but task 2 had reached epoch 9 by then.
"$fixture" "$STFM_DIR" <<END
job|sums|lr=1..9
$asha
task|0|$done
task|1|STOPPED|$pruned
task|2|STOPPED|$pruned 9=0.2@0.0
task|3|STOPPED|start=-900|end=-850|rungs=3=0.2@0.0 9=0.4@0.0
task|4|STOPPED|cause=search over: x|start=-900|end=-850|rungs=3=0.2@0.0
task|5|ERROR|cause=exit 1|start=-900|end=-850|exit=1|rungs=3=0.2@0.0
task|6|RUNNING|start=-900|rungs=3=0.2@0.0 9=0.4@0.0
task|7|SUBMITTED|restart=1|array=48|rungs=3=0.2@0.0
task|8|SUBMITTED
chunk|0-8|48
end
job|halves|lr=1..3
set|pruner=median,first=2|epochs=40|metric=acc|goal=max
task|0|STOPPED|cause=$nan|rungs=2=0@0.0 8=nan@0.0
task|1|RUNNING|start=-99|rungs=2=0.5@0.0
task|2|RUNNING|start=-99|rungs=2=0.6@0.0 4=0.7@0.0 6=0.8@0.0 14=0.9@0.0
chunk|0-2|49
end
END
is "each task that reached a rung is in one more column" \
	"RUNG  REACHED  CONTINUED  STOPPED  RUNNING  OTHER  NEEDED  BEST  TASK
3           8          4        1        1      2     0.2   0.9  sums/0
9           4          1        1        1      1     0.9   0.9  sums/0
end         1" \
	"$(look sums | sed -n '/^RUNG/,/^end/p')"
like "many rungs share a word" "  rungs 2 4 \.\.\. 38 of 40 epochs " \
	"$(look halves | grep ^search)"
is "and lines" "RUNG   REACHED  CONTINUED  STOPPED  RUNNING  BEST  TASK
2            3          2        0        1   0.6  halves/2
4            1          1        0        0   0.7  halves/2
6-8          2          1        1        0   0.8  halves/2
10-16        1          0        0        1   0.9  halves/2
18-32        0          0        0        0
34-38        0          0        0        0
end          0" "$(look halves | sed -n '/^RUNG/,/^end/p')"
is "nan is a rung's worst value" 8 "$(look -o jsonl halves/0 | jq .pruned)"
like "the median compares five values" "^halves/1 at epoch 2: 0\.5 is 2nd of \
3, and the pruner compares at least 5\.$" "$(look --why halves)"
look large >shown
# Half of 196 times the 65 s of a pruned task, not the 200 s of a whole one.
like "the ETA expects that most pending tasks are pruned" \
	"ETA (1:5[0-9]|2:0[0-4]):" "$(head -n 1 shown)"
is "a large search has lines for running tasks and the best three" \
	"large/102 large/103 large/100 large/101 large/0" \
	"$(sed -n '/^TASK /,/^TASKS/p' shown | grep -o '^large/[0-9]*' | xargs)"
is "and one for all that was stopped at a rung" 1 \
	"$(grep -c '^ *100  *STOPPED *pruned at epoch 3' shown)"
like "and one for all that is pending" "^ *196 +SUBMITTED" "$(cat shown)"


## Several tasks on one allocation

# packs JOB STATE: a job with two allocations of four tasks each.  Of the first
# one two were stopped, and another one has this state; the second one is over.
packs() {
	"$fixture" "$STFM_DIR" <<-END
	job|$1|lr=1..8
	$asha
	set|pack=4
	task|0-3|RUNNING|start=-99|array=51|index=0
	task|1-2|STOPPED|$pruned
	task|3|$2
	task|4-7|STOPPED|$pruned|array=51|index=1
	chunk|0-7|51
	end
	END
}
packs most "STOPPED|$pruned"
packs half "RUNNING"
like "most tasks on running allocations were stopped" \
	"^packed: the search has stopped 3 of 4 tasks on running allocations; \
an allocation keeps its GPUs until its last task ends, so a smaller --pack \
frees them earlier$" "$(look most)"
is "half of them is not most" "" "$(look half | grep ^packed)"

## Points that come late

is "values that all points have are known before" "epochs=20  data=mnist" \
	"$(look late | sed -n 2p)"
is "as are the epochs of pending tasks" 4 "$(look late | grep -c ' 0/20')"
is "so that they can be selected" "0 1 2 3 4" \
	"$(tasks -w epochs=20 -w data=mnist late)"
is "the page of such a task has them, and no command" \
	"Hyperparameters epochs=20 data=mnist the sampler chooses the other \
values when the task starts" \
	"$(look late/1 | grep '^Hyper\|^Command' | xargs)"
is "the points are those that are chosen" "lr epochs data 1 20 mnist" \
	"$(look -o points late | xargs)"
ok "stfm-ask learns from such a table" eval \
	'look -o tsv late | stfm-ask --tell - lr=1..5 epochs=20 data=mnist'
is "without a word" "" "$(grep ^stfm "$tap_dir/out")"

## Selection, and programs

is "some tasks of a search are shown with all of it" \
	"conv/0 conv/4 the same 6 points" "$(look conv/0,4 |
		grep -o '^conv/[0-9]\|the same . points' | sort | xargs)"
is "-t PRUNED selects what the search stopped" "2 3 6" \
	"$(tasks -t PRUNED conv)"
is "so does -w pruned" "2 3 6" "$(tasks -w pruned conv)"
is "a comparison leaves out the end of the search" "2 3" \
	"$(tasks -w 'pruned>0' conv)"
is "other columns that tasks may lack can be alone" "0 2 3 4" \
	"$(tasks -w rung conv)"
refused "a hyperparameter cannot" "-w: lr: not a condition" \
	stfm-status --no-refresh -w lr conv
is "programs learn the rung, the stop and the sampler" \
	'[9,null,"tpe"] [null,null,"tpe"] [3,3,"tpe"] [null,0,null]' \
	"$(look -o jsonl conv/0-2,6 | jq -c '[.rung, .pruned, .sampler]' |
		paste -sd ' ' -)"

## Hours

like "pruned tasks are not wasted" "^conv .* 11%  *0\.078$" \
	"$(look --cost conv)"
is "programs have them apart" "0.07 0" "$(look --cost -o json conv |
	jq -r '.[] | "\(.pruned_hours * 100 | floor / 100) \(.stopped_hours)"')"

## Reasons

look --why conv >why
like "tasks have no point before they start" \
	"^conv/7-8 no point yet: the sampler chooses it" "$(cat why)"
like "the command shows what would be next" "^    stfm-ask conv$" "$(cat why)"
like "a running task continues for a reason" "^conv/4 at epoch 3: 0\.5 is \
2nd of 4, only the best continues \(0\.9 or better\)\.$" "$(cat why)"
like "or has no value yet" \
	"^conv/5 it has no value at its first rung, epoch 3, yet\.$" \
	"$(cat why)"
"$fixture" "$STFM_DIR" <<END
job|few|lr=1..3
$asha
task|0-1|RUNNING|start=-99|rungs=3=0.5@0.0
task|2|RUNNING|start=-1
chunk|0-2|42
end
job|sparse|lr=1..3
$asha
task|0|RUNNING|start=-99|restart=1|rungs=9=0.5@0.1
task|1|RUNNING|start=-99|restart=1|rungs=9=0.6@0.1
task|2|STOPPED|cause=pruned at epoch 9: x|rungs=9=0.1@0.1
chunk|0-2|52
end
END
like "too few values" "nothing is stopped yet: 2 of the tasks have a value \
at epoch 3, and the pruner compares at least 3\.$" "$(look --why few)"
is "once a task was stopped, nothing is missing" "" \
	"$(look --why sparse | grep 'nothing is stopped')"
"$fixture" "$STFM_DIR" <<END
job|last|lr=1..40
set|pruner=hyperband,eta=3,first=3|epochs=9|metric=acc|goal=max
task|0-39|RUNNING|start=-1
chunk|0-39|42
end
END
like "a bracket without a rung" "^last/[0-9]+ the pruner never stops it: its \
bracket has no rung before the last epoch, 9\.$" "$(look --why last)"
is "no task waits for a rung at epoch 0" "" \
	"$(look --why last | grep 'epoch 0')"
last=$(look --why last | sed -n 's/^last\/\([0-9]*\) the pruner never.*/\1/p')
is "the page has the bracket" "Bracket 1 (of 0-1), no rung of 9 epochs" \
	"$(look "last/${last%%
*}" | grep ^Bracket | xargs)"
like "with its rungs" "^Bracket +0 \(of 0-1\), rungs 3 of 9 epochs$" \
	"$(for i in 0 1 2 3 4 5 6 7 8 9; do look last/$i; done)"
is "without hyperband there is none" "" "$(look conv/0 | grep ^Bracket)"
like "no metric" "^blind/0-1 nothing is stopped yet: 2 logs are without acc; \
name a metric of the logs:$" "$(look --why blind)"
like "the command names one" "^    stfm-set --metric NAME blind$" \
	"$(look --why blind)"
"$fixture" "$STFM_DIR" <<END
job|ended|lr=1..3
$asha
task|0-2|FINISHED|start=-900|end=-700|exit=0
read|0-2|other.csv
chunk|0-2|47
end
END
"$fixture" "$STFM_DIR" <<END
job|mute|lr=1..3
set|pruner=asha|metric=acc|goal=max
task|0-2|FINISHED|start=-900|end=-700|exit=0
chunk|0-2|47
end
END
like "no log, to the end" "^mute/0-2 nothing was stopped: 3 tasks have no \
metrics; nothing was written to the file that .STFM_METRICS names: let the \
training write its metrics to .STFM_METRICS, " "$(look --why mute)"
like "no metric, to the end" "^ended/0-2 nothing was stopped: 3 logs are \
without acc; name a metric of the logs:$" "$(look --why ended)"
is "unless no job is named" "" "$(look --why | grep ^ended)"
printf 'epoch,acc,loss\n1,,2\n2,69%%,1\n' >percent.csv
printf 'epoch,acc,loss\n1,tensor(0.69),2\n' >tensor.csv
printf 'epoch,acc\n1,\n' >blank.csv
"$fixture" "$STFM_DIR" <<END
job|percent|lr=1..3
$asha
task|0-2|FINISHED|start=-900|end=-700|exit=0
metrics|0|percent.csv
metrics|1|percent.csv
metrics|2|other.csv
chunk|0-2|47
end
job|tensor|lr=1..2
$asha
task|0-1|RUNNING|start=-900
metrics|0|tensor.csv
chunk|0-1|47
end
job|blank|lr=1
set|metric=acc
task|0|FINISHED|start=-900|end=-700|exit=0
metrics|0|blank.csv
chunk|0|47
end
END
like "a metric whose column has no numbers" "^percent/0-2 nothing was stopped: \
the column acc of 2 logs has no numbers, but text such as \"69%\"; let the \
training write numbers there, or name another metric of the logs \(loss\):$" \
	"$(look --why percent)"
like "while tasks run" "^tensor/0-1 nothing is stopped yet: the column acc \
of 1 log has no numbers, but text such as \"tensor\(0.69\)\"; let the training \
write numbers there, or name another metric of the logs \(loss\):$" \
	"$(look --why tensor)"
like "also without a search" "^blank/0 the column acc of 1 log has no numbers; \
let the training write numbers there\.$" "$(look --why blank)"
printf 'starting\nepoch 1 acc 69%%\n' >text.log
printf 'starting\nepoch 1 accuracy 0.9\n' >unmatched.log
printf 'starting\nloading data\n' >silent.log
"$fixture" "$STFM_DIR" <<'END'
job|texts|lr=1..3
set|pruner=asha,first=3|epochs=20|metric=acc|goal=max
set|regex=acc (?P<acc>[^ ]+)
task|0-1|RUNNING|start=-90
printed|0-1|text.log
chunk|0-2|48
end
job|texts-and-epochs|lr=1..2
set|pruner=asha,first=3|epochs=20|metric=acc|goal=max
set|regex=epoch (?P<epoch>[0-9]+) acc (?P<acc>[^ ]+)
task|0-1|FINISHED|start=-90|end=-80|exit=0
printed|0-1|text.log
chunk|0-1|48
end
job|unmatched|lr=1..3
set|pruner=asha,first=3|epochs=20|metric=acc|goal=max
set|regex=acc=(?P<acc>[0-9.]+)
task|1|RUNNING|start=-90
printed|1|unmatched.log
chunk|0-2|48
end
job|silent|lr=1..3
set|pruner=asha,first=3|epochs=20|metric=acc|goal=max
task|0|RUNNING|start=-90
printed|0|silent.log
chunk|0-2|48
end
END
like "printed values that are no numbers" "^texts/0-1 nothing is stopped yet: \
2 tasks print acc as text such as \"69%\", which is no number; let the group \
acc of --metrics-regex match the number alone:$" "$(look --why texts)"
like "the command sets it" "^    stfm-set --metrics-regex REGEX texts$" \
	"$(look --why texts)"
like "also beside epochs, to the end" "^texts-and-epochs/0-1 nothing was \
stopped: 2 tasks print acc as text such as \"69%\"" \
	"$(look --why texts-and-epochs)"
like "lines that do not match" "^unmatched/1 nothing is stopped yet: no line \
that 1 task printed so far matches --metrics-regex with a value of acc; \
compare the expression with the output:$" "$(look --why unmatched)"
like "the command shows them" "^    stfm-log unmatched/1$" \
	"$(look --why unmatched)"
like "output without metrics" "^silent/0 nothing is stopped yet: stfm finds \
no metrics in what 1 task printed so far; let the training write acc to \
.STFM_METRICS, or name it with an expression:$" "$(look --why silent)"
{
	echo epoch,loss,acc
	for i in 1 2 3 4 5 6 7 8; do
		echo "$i,0.$i,"
	done
	echo 9,0.1,0.8
} >once.csv
rungs='rungs=1=0.9@0.0 3=0.9@0.0'
"$fixture" "$STFM_DIR" <<END
job|learned|lr=1..4
set|pruner=asha|metric=acc|goal=max
task|0-3|FINISHED|start=-900|end=-700|exit=0|$rungs
read|0-3|long.csv
learn|20
chunk|0-3|47
end
job|soon|lr=1..6
set|pruner=asha|metric=acc|goal=max
task|0-1|FINISHED|start=-900|end=-700|exit=0|$rungs
task|2-5|FINISHED|start=100|end=200|exit=0|$rungs
read|0-5|long.csv
learn|20
chunk|0-5|47
end
job|once|lr=1..3
set|pruner=asha|metric=acc|goal=max
task|0-2|FINISHED|start=-900|end=-700|exit=0|$rungs
read|0-2|once.csv
learn|9
chunk|0-2|47
end
job|single|lr=1..3
set|pruner=asha|epochs=1|metric=acc|goal=max
task|0-2|FINISHED|start=-900|end=-700|exit=0
read|0-2|one.csv
chunk|0-2|47
end
job|narrow|lr=1..3
set|pruner=asha,eta=3,first=20|epochs=20|metric=acc|goal=max
task|0-2|FINISHED|start=-900|end=-700|exit=0
read|0-2|long.csv
chunk|0-2|47
end
END
like "epochs that were learned too late, to the end" "^learned/0-3 nothing was \
stopped: the number of epochs was not given, and 4 of 4 tasks had started \
before a training finished and told it; next time, submit with --epochs 20\.$" \
	"$(look --why learned)"
is "unless most tasks started later" "" \
	"$(look --why soon | grep 'nothing was stopped')"
once="let the training write acc after each epoch\.$"
like "a metric that comes only at the end" "^once/0-2 nothing was stopped: 3 \
logs have acc only once, at the end; $once" "$(look --why once)"
like "also of one epoch" "^single/0-2 nothing was stopped: 3 logs have acc \
only once, at the end; $once" "$(look --why single)"
like "no rung before the last epoch" "^narrow/0-2 nothing was stopped: there \
is no rung before the last epoch, 20; next time, submit with an earlier first \
rung, as in --pruner asha,first=1\.$" "$(look --why narrow)"
over='STOPPED|cause=search over: '
"$fixture" "$STFM_DIR" <<END
job|reached|lr=1..6
$asha|sampler=tpe|until=0.85
task|0|$done
read|0|long.csv
task|1-2|STOPPED|$pruned
read|1-2|bad.csv
task|3|${over}reached/0 has reached 0.9
task|4|STOPPED|cause=--max-fail 1
task|5|ERROR|cause=exit 1|exit=1
chunk|0-5|47
end
job|used|lr=1..3
$asha
task|0|$done
read|0|long.csv
task|1-2|${over}5.02 of 5 GPU hours are used
chunk|0-2|47
end
job|all|lr=1..3
$asha
task|0|$done
read|0|long.csv
task|1-2|STOPPED|$pruned
read|1-2|bad.csv
chunk|0-2|47
end
END
is "a search that is over says why no task waits" \
	"reached/3 the search is over: reached/0 has reached 0.9 (--until \
0.85); submit a new job with --from-results reached, or train these tasks to \
the end:
    stfm-restart reached/3
reached/0-2 trained: 1 to the end, and 2 until the pruner stopped them.
reached/4 stopped before the end.
reached/5 failed; to see the errors:
    stfm-status -e reached" "$(look --why reached)"
"$fixture" "$STFM_DIR" <<END
job|met|lr=1..2
$asha|until=0.85
task|0-1|$done
read|0-1|long.csv
chunk|0-1|47
end
END
like "the end may be reached by the last tasks" "^met/0-1 trained: 2 to the \
end; met/0 has reached 0\.9, so new tasks would not train: submit another job \
with another end, as in -J met-2 --until VALUE; this shows the command:$" \
	"$(look --why met)"
like "GPU hours have their number" \
	"^used/1-2 the search is over: 5\.02 of 5 GPU hours are used; " \
	"$(look --why used)"
is "a search whose points are trained says how to add some" \
	"all/0-2 trained: 1 to the end, and 2 until the pruner stopped them; \
to add points, type the command of the job again with --sync and a larger \
--search N; this shows it:
    stfm-status --record all" "$(look --why all)"
like "one pruned task says why, and how to train it to the end" \
	"^reached/1 pruned at epoch 3: .*; to train it to the end:$" \
	"$(look --why reached/1)"
like "and the command" "^    stfm-restart reached/1$" \
	"$(look --why reached/1)"
"$fixture" "$STFM_DIR" <<END
job|crowd|lr=1..2
set|pruner=pbt,first=3|search_epochs=9|metric=acc|goal=max|epochs=9
task|0-1|$done
read|0-1|long.csv
chunk|0-1|47
end
job|points|lr=1..4
set|sampler=tpe|metric=acc|goal=max
task|0|$done
task|1|SUBMITTED|cause=stopping|array=47
task|2-3|SUBMITTED|cause=(JobArrayTaskLimit)|array=47
chunk|0-3|47
end
job|drawn|lr=1..2
set|sampler=random|metric=acc|goal=max|until=0.85
task|0|$done
task|1|${over}drawn/0 has reached 0.9
chunk|0-1|47
end
END
like "a population that is over takes no more tasks" \
	"^crowd/0-1 trained: 2 to the end; a task continues only from one that \
still runs: submit another job, as in -J crowd-2; " "$(look --why crowd)"
printf 'step,acc\n100,0.5\n200,0.6\n' >steps.csv
"$fixture" "$STFM_DIR" <<END
job|stepped|lr=1..3
$asha
task|0-2|RUNNING|start=-900|array=47
read|0-2|steps.csv
chunk|0-2|47
end
END
like "steps beyond the end of a training" "its log begins at step 100, but a \
training ends at 20: give the number of steps with stfm-set --epochs N \
stepped" "$(look --why stepped)"
like "the header counts steps, too" "rungs 3 9 of 20 steps" "$(look stepped)"
like "a task that is being stopped does not start" \
	"^points/1 waits: it is being stopped; wait a minute\.$" \
	"$(look --why points)"
like "who learns from results needs the limit" "^points/2-3 waits: .* \
\(--parallel\) \(JobArrayTaskLimit\); wait until other jobs end\.$" \
	"$(look --why points)"
like "random points learn only with --sampler tpe" \
	"a new job with --sampler tpe --from-results drawn," \
	"$(look --why drawn)"
is "programs have these, too" "search over trained stopped failed" \
	"$(look --why -o json reached | jq -r '.[].reason' | xargs)"
like "unknown epochs" "^unknown/0-1 nothing is stopped yet: the number of \
epochs is unknown" "$(look --why unknown)"
like "the command says them" "^    stfm-set --epochs N unknown$" \
	"$(look --why unknown)"
is "programs have the reasons, too" "no point continues continues" \
	"$(look --why -o json conv | jq -r '.[].reason' | tail -n 3 | xargs)"

## The record

"$fixture" "$STFM_DIR" <<END
job|searched|lr=1..3
set|space=--samples=14|argv=stfm-submit|argv=--search|argv=14
end
job|sampled|lr=1..3
set|space=--samples=14|argv=stfm-submit|argv=--search|argv=--samples=14
end
END
is "--record shows the number of points as it was typed" \
	"Space lr=1..3 --search 14" \
	"$(look --record searched | grep ^Space | xargs)"
is "in both forms" "Space lr=1..3 --samples=14" \
	"$(look --record sampled | grep ^Space | xargs)"

## The page of a task

like "a running task says how it stands" \
	"^Search +at epoch 3: 0\.5 is 2nd of 4" "$(look conv/4)"
like "a stopped one says why" \
	"^State +STOPPED  pruned at epoch 3: 0\.2 is 4th of 4" "$(look conv/2)"
"$fixture" "$STFM_DIR" <<END
of|conv
chunk|4|46|c00001.0|1
task|4|RUNNING|start=-40|attempt=1|array=46
end
END
like "a restarted one that the search had not stopped stands as before" \
	"^Search +at epoch 3: 0\.5 is 2nd of 4" "$(look conv/4)"
"$fixture" "$STFM_DIR" <<END
of|conv
task|4|RUNNING|attempt=0
stop|4|pruned at epoch 3: 0.5 is 4th of 4
task|4|RUNNING|start=-40|attempt=1|array=46
end
END
like "one that it had stopped is left alone" \
	"^Search +the search does not stop it: you restarted it after it was \
stopped$" "$(look conv/4)"
"$fixture" "$STFM_DIR" <<END
of|conv
task|4|RUNNING|start=-40|attempt=1|array=46|cause=stopping
end
END
like "one that is being stopped has no other reason" \
	"^conv/4 it is being stopped\.$" "$(look --why conv)"

## The report

stfm-report --no-refresh conv >report.html 2>"$tap_dir/errors"
like "the report says which tasks the search stopped" \
	"3 .*STOPPED.* \(3 by the search\)" "$(cat report.html)"
like "has the line of the search" \
	"^<p>asha,eta=3,first=3  rungs 3 9 of 20 epochs .* GPU hours used" \
	"$(cat report.html)"
like "and its rungs" '^<tr><th scope="row">9</th><td class="n">1</td>' \
	"$(cat report.html)"
like "hours of pruned tasks are apart" "stopped by the search.*0\.08" \
	"$(cat report.html)"
is "they are no failures" 1 "$(sed -n '/<h3>Failures/,/<h3>Tasks/p' \
	report.html | grep -c '<td class="n">.*exit 1')"

## A population

"$fixture" "$STFM_DIR" <<END
job|pop|lr=1..3
set|pruner=pbt,first=3|search_epochs=20|metric=acc|goal=max
task|0-1|RUNNING|start=-40|rungs=3=0.5@0.0
read|0-1|some.csv
task|2|RUNNING|start=-10
chunk|0-2|46
end
END
is "a population has no columns of tasks that are stopped" \
	"RUNG  REACHED  BEST  TASK" "$(look pop | grep '^RUNG')"
from='from the checkpoint of task 2 (epoch 3: 0.1 is 4th of 4)'
"$fixture" "$STFM_DIR" <<END
job|parts|x=1..4|opt=sgd,adam
set|pruner=pbt,first=3|sampler=random|search_epochs=20|metric=acc|goal=max
task|0|FINISHED|start=-40|end=-10|exit=0|restart=1|array=47|point=0.1 3	adam
chunk|0-7|47
fact|0|P|point=1	sgd|sampler=random|time=-101
fact|0|S|slurm=47_0|node=n1|time=-100|log=a.log
fact|0|Q|slurm=47_0|node=n1|time=-41|start=-100|exit=0|log=a.log
fact|0|P|restart=1|point=3	adam|sampler=pbt|parent=2|time=-41|reason=$from
fact|0|S|restart=1|slurm=47_0|node=n1|time=-40|log=a.log
fact|0|E0|restart=1|slurm=47_0|node=n1|time=-10|start=-40|exit=0|log=a.log
task|1|FINISHED|start=-40|end=-10|exit=0|array=47|index=1|point=0.0 3	adam
end
END
look parts/0 >page
like "the page of a task that continued says what its times are of" "^Elapsed +\
0:30 in the last of 2 parts, 1:29 in all$" "$(cat page)"
like "and its command" "^ +\(of the last part, without the checkpoint\)$" \
	"$(sed -n '/^Command/,$p' page)"
like "an earlier part says what followed" \
	"^Attempt 0 +until it continued from task 2  n1  .*  0:59$" \
	"$(cat page)"
is "and has its own point" "point x=1 opt=sgd random" \
	"$(grep '^  point' page | xargs)"
is "a task of one part has none of this" "Elapsed 0:30" \
	"$(look parts/1 | grep '^Elapsed\|last part\|^  point' | xargs)"

## Curves

"$fixture" "$STFM_DIR" <<END
of|conv
metrics|0|long.csv
metrics|2-3|bad.csv
end
END
draw() {
	stfm-plot -W 60 "$@" conv 2>"$tap_dir/errors"
}
is "rungs are on the x axis" \
	"    ++------^----+---------^-+-----------+-----------+" \
	"$(draw --charset ascii | grep '^ *+[+-]*[+^-]*$')"
ok "curves of pruned tasks are dim" eval \
	'draw --charset block --color always | grep -q "$(printf "\033\[0;2m")"'
is "in a picture, too, with its legend" 4 \
	"$(draw -o svg | grep -c 'opacity="0.35"')"

## The best value so far

printf 'epoch,acc\n1,0.5\n2,0.6\n' >first.csv
printf 'epoch,acc\n1,0.4\n2,0.8\n' >second.csv
"$fixture" "$STFM_DIR" <<END
job|gpus|lr=1,2
set|metric=acc|goal=max
task|0|FINISHED|start=-14400|end=-7200|exit=0|gpus=0,1
metrics|0|first.csv
task|1|FINISHED|start=-10800|end=-7200|exit=0|gpus=0
metrics|1|second.csv
end
END
# trained_once JOB METRIC GOAL LOG [FIELD]: a job of one training of an hour.
trained_once() {
	"$fixture" "$STFM_DIR" <<-END
	job|$1|lr=1
	set|metric=$2|goal=$3
	task|0|FINISHED|start=-7200|end=-3600|exit=0$5
	metrics|0|$4
	end
	END
}
trained_once others acc max second.csv '|gpus=0'
trained_once none acc max second.csv
best() {
	stfm-plot --best-so-far -o tsv "$@" 2>"$tap_dir/errors"
}
# Task 0 is at epoch 1 after 1 h on 2 GPUs; both tasks end an hour later.
is "each better value has its GPU hours" "series x metric value
gpus 2 acc 0.5
gpus 5 acc 0.8" "$(best gpus | tr '\t' ' ' | sed '/ 0.6$/d' | uniq)"
is "several jobs are in one table" "gpus others" \
	"$(best gpus others | sed 1d | cut -f 1 | sort -u | xargs)"
"$fixture" "$STFM_DIR" <<END
job|quick|lr=1
set|metric=acc|goal=max
task|0|FINISHED|start=-9|end=-9|exit=0
metrics|0|second.csv
end
END
is "a training of less than a second counts, too" "quick 0 acc 0.8" \
	"$(best quick | sed 1d | tr '\t' ' ' | tail -n 1)"
is "without GPUs it counts hours of training" "none 0.5 acc 0.4
none 1 acc 0.8" "$(best none | sed 1d | tr '\t' ' ' | uniq)"
like "the chart names jobs" "JOB +GPU_HOURS +BEST" \
	"$(stfm-plot --charset ascii --best-so-far gpus others 2>/dev/null)"
like "and says what it shows" "^acc, best so far of 2 jobs" \
	"$(stfm-plot --charset ascii --best-so-far gpus others 2>/dev/null)"
stfm-plot --best-so-far -o svg gpus others >picture 2>/dev/null
like "it can be a picture" "<svg " "$(cat picture)"
# The paths of the curves, a point in each line.
sed -n 's/.*<path class="l" d="\(M[^"]*L[^"]*\)".*/\1/p' picture |
	sed 's/h0//; s/[ML]/\n/g' >corners
ok "there are curves" [ "$(wc -l <corners)" -gt 4 ]
is "a value holds until there is a better one" "" "$(awk '
	NF < 2 { x = ""; next }
	x != "" && $1 != x && $2 != y
	{ x = $1; y = $2 }' corners)"
like "also for gnuplot" "with steps" \
	"$(stfm-plot --best-so-far -o gnuplot gpus 2>/dev/null)"
# One row along, and up at its end.
is "and in text" "1 along 7 up" "$(stfm-plot --charset ascii --best-so-far \
	--width 60 --height 12 none 2>/dev/null | awk '
	/[|+]o+$/ { along++; end = length($0) }
	/[|+] +o$/ { up[length($0)]++ }
	END { print along, "along", up[end], "up" }')"
printf 'epoch,loss\n1,1\n2,0.5\n3,0\n' >zero.csv
trained_once zero loss min zero.csv
like "a value holds until one that a logarithm cannot show" \
	'd="M[0-9.]+ 0h0L[0-9.]+ 0L[0-9.]+ 320L[0-9.]+ 320"' \
	"$(stfm-plot --best-so-far --log -o svg zero 2>/dev/null)"
is "a job without GPUs has no GPU hours, so all have hours" "gpus 3 0.8
none 1 0.8" "$(best gpus none | sed 1d | tr '\t' ' ' | cut -d ' ' -f 1,2,4 |
	awk '{ last[$1] = $0 } END { print last["gpus"]; print last["none"] }')"
like "which is said" "none used no GPU: the axis is hours of training for all \
jobs, not GPU hours" "$(cat "$tap_dir/errors")"
trained_once lossy loss min other.csv
is "a job with another metric has a chart of its own" "gpus acc
lossy loss" "$(best gpus lossy | sed 1d | cut -f 1,3 | tr '\t' ' ' | sort -u)"
like "which is said, too" "the jobs have 2 metrics: each has its own chart \
\(-m NAME draws one metric\)" "$(cat "$tap_dir/errors")"
is "with -m it is left out" gpus "$(best -m acc gpus lossy | sed 1d |
	cut -f 1 | sort -u)"
is "for this reason" "stfm-plot: lossy: left out: its metric is loss, and no \
task has a value of acc (-m NAME chooses a metric)" "$(cat "$tap_dir/errors")"
trained_once several loss min second.csv '|gpus=0'
: >nothing.csv
"$fixture" "$STFM_DIR" <<END
job|columns|lr=1..4
set|metric=acc|goal=max
task|0-1|FINISHED|start=-7200|end=-3600|exit=0
metrics|0-1|other.csv
task|2|FINISHED|start=-7200|end=-3600|exit=0
metrics|2|first.csv
task|3|RUNNING|start=-7200
metrics|3|nothing.csv
end
END
ok "logs without the metric leave the rest" \
	[ "$(best columns | wc -l)" -gt 2 ]
like "and are counted, with the reason" "^stfm-plot: columns: 2 logs left out, \
such as /.*\.csv: no column 'acc' \(it has epoch, loss\)$" \
	"$(cat "$tap_dir/errors")"
like "-m draws jobs of several objectives together" \
	"^acc, best so far of 2 jobs" \
	"$(stfm-plot --best-so-far -m acc gpus several 2>&1)"
refused "no histogram" "--best-so-far: one metric against hours" \
	stfm-plot --best-so-far --hist gpus
refused "no file" "first.csv: a file; --best-so-far draws tasks: name a job" \
	stfm-plot --best-so-far first.csv
refused "no job" "stfm-plot: --best-so-far draws tasks: name a job, as in \
stfm-plot --best-so-far JOB" stfm-plot --best-so-far

## What mattered

for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	printf 'epoch,acc\n1,0.%d\n' $((10 + i)) >mattered$i.csv
done
"$fixture" "$STFM_DIR" <<END
job|dozen|lr=0.1..1.2..0.1
set|metric=acc|goal=max
task|0-11|FINISHED
$(for i in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "read|$i|mattered$i.csv"; done)
end
END
like "twelve points with a value each are compared in groups" \
	"^lr +explains 9[0-9]% of the variance \(by chance 36%\)" \
	"$(stfm-plot --by all dozen)"

## Searches side by side

"$fixture" "$STFM_DIR" <<END
job|with|lr=1..20|opt=sgd,adam
$asha|sampler=tpe|until=0.99
end
job|without|lr=1..20|opt=sgd,adam
set|epochs=20|metric=acc|goal=max
end
END
look --compare with without >compared
is "the options of a search are compared" \
	"--search 40 - --pruner asha,eta=3,first=3 - --until 0.99 - \
--sampler tpe random" "$(grep '^--' compared | xargs)"
like "many values stand as they were typed" "  lr=1\.\.20  opt=sgd,adam$" \
	"$(cat compared)"

done_testing
