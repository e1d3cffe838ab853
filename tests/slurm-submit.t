#!/bin/sh
# stfm-submit and stfm-run on a real Slurm.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 2 -o MaxArraySize=5
export STFM_DIR="$tap_dir/store"

# A training that writes down how it was called.
cat >train.sh <<'END'
#!/bin/sh
{
	printf 'task %s of %s attempt %s\n' "$STFM_TASK" "$STFM_JOB" \
		"$STFM_ATTEMPT"
	for word; do printf '[%s]\n' "$word"; done
} >"$OUT/$STFM_JOB.$STFM_TASK"
echo "$STFM_JOB $STFM_TASK" >>"$OUT/trained"
env >"$OUT/$STFM_JOB.$STFM_TASK.env"
END
chmod +x train.sh
export OUT="$tap_dir/out.d"
mkdir "$OUT"

# Follow a job until it ends.
follow() {
	stfm-watch -Q -i 1 "$1"
}
words() {
	sed 1d "$OUT/$1" | tr '\n' ' '
}

## How a task receives its point

submit() {
	stfm-submit -Q --gres=none "$@"
}

submit -J long lr=1e-3 'note=a b;$(date)"'\''\\' -- ./train.sh --fast
submit -J space --args=space lr=1e-3 -- ./train.sh
submit -J hydra --args=hydra lr=1e-3 -- ./train.sh
submit -J none --args=none lr=1e-3 -- ./train.sh x
submit -J braces lr=1e-3 -- ./train.sh 'r={lr}/{job}/{task}' '{{lr}' '{"a":1}'
submit -J all lr=1e-3 bs=2 -- ./train.sh '{@}' end
submit -J positional --args=positional epochs=7 extra=x learning_rate=1e-3 \
	early_stopping=0 batch_size=16 -- ./train.sh
submit -J json 'layers:=[[64],[64, 32]]' flag:=true name=null -- ./train.sh
submit -J plain -- ./train.sh alone
for job in long space hydra none braces all positional json plain; do
	ok "$job ends well" follow "$job"
done
is "long: --name=value, to the byte" \
	'[--fast] [--lr=1e-3] [--note=a b;$(date)"'\''\] ' "$(words long.0)"
is "space: two words" "[--lr] [1e-3] " "$(words space.0)"
is "hydra: name=value" "[lr=1e-3] " "$(words hydra.0)"
is "none: no arguments" "[x] " "$(words none.0)"
is "placeholders are filled in, other braces stay" \
	'[r=1e-3/braces/0] [{lr}] [{"a":1}] ' "$(words braces.0)"
is "{@} puts the arguments in their place" "[--lr=1e-3] [--bs=2] [end] " \
	"$(words all.0)"
is "positional: S-TFManager's order, then the others" \
	"[positional] [0] [16] [1e-3] [7] [0] [x] " "$(words positional.0)"
ok "positional: its directory is there" test -d results/positional/0
is "a job without hyperparameters has one task" "[alone] " "$(words plain.0)"
is "the first line says which task it is" "task 0 of long attempt 0" \
	"$(head -1 "$OUT/long.0")"
is "STFM_PARAM_ has the value as typed" 'a b;$(date)"'\''\' \
	"$(sed -n 's/^STFM_PARAM_note=//p' "$OUT/long.0.env")"
is "STFM_PARAMS is JSON with numbers where it can" \
	'{"lr":1e-3,"note":"a b;$(date)\"'\''\\"}' \
	"$(sed -n 's/^STFM_PARAMS=//p' "$OUT/long.0.env")"
is "STFM_PARAMS keeps JSON values" \
	'{"layers":[64,32],"flag":true,"name":"null"}' \
	"$(sed -n 's/^STFM_PARAMS=//p' "$OUT/json.1.env")"
is "STFM_METRICS is in the job's directory" \
	"$STFM_DIR/jobs/long/metrics/000000.csv" \
	"$(sed -n 's/^STFM_METRICS=//p' "$OUT/long.0.env")"
is "unused checkpoint directories are gone" "" \
	"$(ls "$STFM_DIR/jobs/long/checkpoint")"

## What sbatch is told

cat >own.sbatch <<'END'
#!/bin/bash
#SBATCH --time=7
#SBATCH -p short
#SBATCH --comment="a b"
echo "$0" "$@" >"$OUT/own.$STFM_TASK"
END
submit -t 3 -J own lr=1,2 own.sbatch word
array=$(jq .array "$STFM_DIR"/jobs/own/sub/*.claim)
record=$(scontrol show job "$array")
like "an option comes before a line of the script" \
	'TimeLimit=00:03:00' "$record"
like "a line of the script is honoured" 'Partition=short' "$record"
like "the user's comment comes first, the token follows" \
	'Comment=a b stfm-[0-9a-z]+-c00000\.0( |$)' "$record"
like "the token is in the path of the batch script, too" \
	'Command=/.*/\.t\.stfm-[0-9a-z]+-c00000\.0' "$record"
ok "a script of one's own ends well" follow own
is "the script is run from its copy, with words and point" \
	"$STFM_DIR/jobs/own/script word --lr=2" "$(cat "$OUT/own.1")"

SBATCH_PARTITION=short stfm-submit -Q -J gpu x=1,2 -- ./train.sh
ok "GPUs are asked for by default" follow gpu
like "and a task sees its own" '^CUDA_VISIBLE_DEVICES=[01]$' \
	"$(cat "$OUT/gpu.0.env")"
like "SBATCH_ variables are honoured" '^SLURM_JOB_PARTITION=short$' \
	"$(cat "$OUT/gpu.0.env")"
is "--gres=none leaves them out" "" \
	"$(grep CUDA_VISIBLE_DEVICES "$OUT/long.0.env")"
is "the output is in the store" "1" \
	"$(find "$STFM_DIR/jobs/own/log" -name '*_0.log' | wc -l)"

## Points from elsewhere

stfm-expand lr=1e-3,1e-4 note='a	b' |
	submit -J piped --from - seed=1,2 -- ./train.sh
ok "points from a pipe end well" follow piped
is "the last word varies fastest" \
	"[--lr=1e-4] [--note=a	b] [--seed=1] " \
	"$(words piped.2)"
submit -J cond opt=sgd,adam momentum=0.9,0.99 --when momentum:opt=sgd \
	-- ./train.sh
ok "a space with conditions ends well" follow cond
is "what is absent is left out" "[--opt=adam] " "$(words cond.2)"
is "its points are kept" 'opt	momentum
sgd	0.9
sgd	0.99
adam	\N' "$(cat "$STFM_DIR/jobs/cond/points.tsv")"

## Several arrays

submit -J many --parallel 4 i=0..11 -- ./train.sh
is "arrays are cut at MaxArraySize, the throttle shared out" \
	"0-4%2
0-4%1
0-1%1" "$(stfm-submit --dry-run -J x --parallel 4 i=0..11 -- ./train.sh |
	sed -n 's/.*--array=\([^ ]*\).*/\1/p')"
ok "all of them end well" follow many
i=0
while [ $i -le 11 ]; do
	printf 'task %s of many attempt 0\n[--i=%s]\n' $i $i
	i=$((i + 1))
done >want
is "each task got its own point" "$(cat want)" \
	"$(for i in 0 1 2 3 4 5 6 7 8 9 10 11; do cat "$OUT/many.$i"; done)"

submit -J few --hold --parallel 2 i=0..11 -- ./train.sh
array_of() {
	sed -n 's/.*"array":\([0-9]*\).*/\1/p' \
		"$STFM_DIR/jobs/few/sub/c0000$1.0.claim"
}
like "with fewer at once than arrays the third waits for the first" \
	"Dependency=afterany:$(array_of 0)" \
	"$(scontrol -o show job "$(array_of 2)")"
for i in 0 1 2; do
	scontrol release "$(array_of $i)"
done
ok "and all end well" follow few

## Interrupted submissions

# An sbatch that works, and then ends stfm-submit before it hears of it.
mkdir cut
real=$(command -v sbatch)
cat >cut/sbatch <<END
#!/bin/sh
"$real" "\$@" >/dev/null
kill -9 \$PPID
END
chmod +x cut/sbatch
# A task that starts would claim its array.
scontrol update NodeName=n[1-2] State=DRAIN Reason=cut
PATH="$PWD/cut:$PATH" submit -J cut i=1,2 -- ./train.sh 2>/dev/null
is "killed behind sbatch: a try without a claim is left" \
	"c00000.0.intent c00000.0.try.1" \
	"$(ls "$STFM_DIR/jobs/cut/sub" | paste -s -d ' ' -)"
scontrol update NodeName=n[1-2] State=RESUME
ok "going on finds the array by its token" stfm-submit -Q --queue-rest cut
ok "and it ends well" follow cut
is "each of its tasks trained once" "2" "$(grep -c '^cut ' "$OUT/trained")"
ok "going on again changes nothing" stfm-submit -Q --queue-rest cut
is "still once" "2" "$(grep -c '^cut ' "$OUT/trained")"

# The same batch script queued again, as somebody who tries twice would.
sbatch -Q --array=0-1 --output=/dev/null "$STFM_DIR/jobs/cut/batch.sh" c00000.0
poll 20 sh -c '! squeue -h | grep -q .'
is "the tasks of a second array do not train again" "2" \
	"$(grep -c '^cut ' "$OUT/trained")"
submit -J both --hold i=1,2 -- ./train.sh
sbatch -Q --array=0-1 --output=both.%a.log "$STFM_DIR/jobs/both/batch.sh" \
	c00000.0
poll 20 sh -c '! squeue -h -t running,completing | grep -q . &&
	test -s both.0.log -a -s both.1.log'
is "the tasks of a second array do not train" "0" \
	"$(grep -c '^both ' "$OUT/trained")"
scontrol release "$(jq .array "$STFM_DIR"/jobs/both/sub/*.claim)"
ok "those of the first do" follow both
is "each of them once" "2" "$(grep -c '^both ' "$OUT/trained")"

# A batch script of a job that is gone, and a new job of its name.
submit -J again i=1,2 -- ./train.sh
ok "a job ends well" follow again
old=$(sed -n 's/^exec //p' "$STFM_DIR/jobs/again/batch.sh")
stfm-stop -Q --remove again
submit -J again --hold i=1..4 -- ./train.sh
rm "$OUT"/again.*
printf '#!/bin/sh\nexec %s\n' "$old" >old.sh
sbatch -Q --array=0-1 --output=old.%a.log old.sh c00000.0
poll 20 sh -c '! squeue -h -t running,completing | grep -q . &&
	test -s old.0.log -a -s old.1.log'
like "its tasks do not train the new one's points" \
	'again: another job has this name by now' "$(cat old.0.log)"
is "none of them" "" "$(find "$OUT" -name 'again.*')"
scontrol release "$(squeue -h -n again -o %F | head -1)"
ok "which the new job does" follow again

# One that was stopped before all of it was queued.
PATH="$PWD/cut:$PATH" submit -J half i=1,2 -- ./train.sh 2>/dev/null
stfm-stop -Q half
is "for programs: no array was queued" "half	" \
	"$(stfm-submit --parsable --queue-rest half 2>told)"
is "why is said beside it" \
	"stfm-submit: half: nothing to queue: it was stopped" "$(cat told)"
is "going on with a stopped job queues nothing and removes nothing" \
	"half: nothing to queue: it was stopped" \
	"$(stfm-submit --queue-rest half)"
ok "it is still there" test -e "$STFM_DIR/jobs/half/job.json"

# Nobody can be told of it, but it is queued.
status "a full disk below standard output is an error" 2 \
	sh -c 'stfm-submit --gres=none -J untold i=1,2 -- ./train.sh \
		>/dev/full 2>untold.err'
array=$(jq .array "$STFM_DIR"/jobs/untold/sub/*.claim)
is "which says what is queued" "stfm-submit: standard output: No space left on \
device
stfm-submit: untold: queued all the same, as Slurm array $array: do not submit \
it again" "$(cat untold.err)"
ok "and it ends well" follow untold
sh -c 'stfm-submit --gres=none -J untold i=1,2 -- ./train.sh \
	>/dev/full 2>untold.err'
is "where nothing was queued there is no more to say" \
	"stfm-submit: standard output: No space left on device" \
	"$(cat untold.err)"
refused "there are no array ids of what is not queued" \
	"--parsable: --dry-run queues nothing" \
	submit --dry-run --parsable -J never i=1,2 -- ./train.sh

# A controller that hangs while sbatch waits for it.
controller=$(cat "$(find "$tap_dir/slurm" -name 'slurmctld*.pid')")
kill -STOP "$controller"
STFM_SBATCH_TIMEOUT=2 STFM_SLURM_TIMEOUT=2 \
	stfm-submit -Q --no-check -J hung i=1,2 -- ./train.sh >hung.out 2>&1
is "a controller that hangs is told, with status 75" 75 $?
kill -CONT "$controller"
ok "nothing was stored or queued without an answer" \
	test ! -e "$STFM_DIR/jobs/hung"

cat >cut/sbatch <<END
#!/bin/sh
kill -STOP $controller
exec "$real" "\$@"
END
PATH="$PWD/cut:$PATH" STFM_SBATCH_TIMEOUT=2 STFM_SLURM_TIMEOUT=10 \
	stfm-submit -Q --gres=none -J hung i=1,2 -- ./train.sh >hung.out 2>&1
is "one that hangs during sbatch as well" 75 $?
like "and how to go on is said" 'stfm-submit --queue-rest hung' \
	"$(cat hung.out)"
kill -CONT "$controller"
ok "it is found when the controller answers" \
	poll 30 stfm-submit -Q --queue-rest hung
ok "it ends well" follow hung
is "and trained once" "2" "$(grep -c '^hung ' "$OUT/trained")"

# Names that nobody chose.
for i in 1 2 3; do
	stfm-submit -Q --gres=none n=$i -- ./train.sh &
done
wait
is "submissions at once without -J get a name each" "train train-2 train-3" \
	"$(cd "$STFM_DIR/jobs" && echo train*)"
ok "and a place each" sh -c 'for job in train train-2 train-3; do
	stfm-watch -Q -i 1 $job && ls "$STFM_DIR/jobs/$job/log"/*_0.log || exit
done'
is "going on with what is whole says so" "train: nothing is left to queue" \
	"$(stfm-submit --queue-rest train)"

## Refusals, each before anything has changed

poll 20 sh -c '! squeue -h | grep -q .'
before=$(find "$STFM_DIR" | sort)
refused "a command that is not there" "nothere: command not found" \
	submit -J bad x=1 -- nothere
refused "a script that is not there" "train.py: no such file" \
	submit -J bad x=1 -- python3 train.py
refused "a partition that is not there" "(there are: main, short)" \
	submit -J bad -p nope x=1 -- ./train.sh
refused "more GPUs than a node has" \
	"no node of partition main has more than 2" \
	stfm-submit -J bad --gres=gpu:3 x=1 -- ./train.sh
refused "GPUs of a type that is not there" "has no a100 GPU" \
	stfm-submit -J bad --gres=gpu:a100:1 x=1 -- ./train.sh
refused "more CPUs than a node has" \
	"--cpus-per-task=9999: no node of partition main has more than" \
	submit -J bad --cpus-per-task=9999 x=1 -- ./train.sh
refused "the same by its letter" "no node of partition main has more than" \
	submit -J bad -c 9999 x=1 -- ./train.sh
printf '#!/bin/sh\n#SBATCH -c 9999\n./train.sh\n' >wide.sh
refused "the same in a script" "--cpus-per-task=9999: no node of partition" \
	submit -J bad x=1 wide.sh
refused "more processes than a node has CPUs" \
	"--ntasks-per-node=999 times --cpus-per-task=1: no node of partition" \
	submit -J bad --ntasks-per-node=999 x=1 -- ./train.sh
refused "more nodes than the partition has" \
	"--nodes=99-100: partition main has only 2: lower it" \
	submit -J bad --nodes=99-100 x=1 -- ./train.sh
refused "more time than the partition allows" "allows 10 minutes at most" \
	submit -J bad -p short -t 11 x=1 -- ./train.sh
refused "a time that is none" "-t" submit -J bad -t soon x=1 -- ./train.sh
refused "a name that is taken" "there is a job of this name" \
	submit -J long x=1 -- ./train.sh
refused "a name that is none" "a job's name is made of" \
	submit -J a/b x=1 -- ./train.sh
refused "a name like an id of Slurm" "looks like an id" \
	submit -J 4102_3 x=1 -- ./train.sh
refused "-x with a condition" "write --except lr=0.1" \
	submit -J bad -x lr=0.1 lr=0.1 -- ./train.sh
refused "an array of one's own" "--parallel" \
	submit -J bad -a 1-3 x=1 -- ./train.sh
refused "an option that nobody knows" "no such option" \
	submit -J bad -~ x=1 -- ./train.sh
refused "a placeholder that nobody knows" "{lrr}: no hyperparameter" \
	submit -J bad lr=1 -- ./train.sh --lr={lrr}
refused "a directory that is not there" "the directory to run in (-D)" \
	submit -J bad -D "$PWD/nowhere" x=1 -- ./train.sh
refused "an output directory that is not there" "without a word" \
	submit -J bad -o "$PWD/nowhere/%a.out" x=1 -- ./train.sh
refused "positional without its four" "early_stopping is missing" \
	submit -J bad --args=positional batch_size=1 learning_rate=1 epochs=1 \
	-- ./train.sh
refused "a script that is none" "behind --, as in -- python" \
	submit -J bad x=1 python3 train.py
refused "an output directory that Slurm would have to make" \
	"Slurm makes no directories" submit -J bad -o "%x/%a" x=1 -- ./train.sh
refused "epochs that are no hyperparameter" "no hyperparameter has this name" \
	submit -J bad --epochs nope x=1 -- ./train.sh
refused "less than none" "--epochs" submit -J bad --epochs -3 x=1 -- ./train.sh
refused "too many tasks" "--max-tasks" \
	submit -J bad i=1..10001 -- ./train.sh
printf '#!/bin/sh\necho hello\n#SBATCH -t 5\n' >late.sbatch
refused "an #SBATCH line that Slurm would pass over" "late.sbatch:3" \
	submit -J bad x=1 late.sbatch
printf '#!/bin/sh\n# SBATCH -t 5\necho\n' >spaced.sbatch
refused "one with a blank, as printed in the paper" "spaced.sbatch:2" \
	submit -J bad x=1 spaced.sbatch
printf 'echo\n' >bare.sbatch
refused "a script without #!" "bare.sbatch" submit -J bad x=1 bare.sbatch
refused "no command" "no command" submit -J bad x=1 --
refused "what Slurm itself refuses" "partition" \
	submit -J bad --no-check -p nope x=1 -- ./train.sh
is "the store is as before" "$before" "$(find "$STFM_DIR" | sort)"
is "and nothing was queued" "" "$(squeue -h -n bad)"
SLURM_CONF=/nonexistent refused "no Slurm" "Slurm" \
	submit -J bad x=1 -- ./train.sh

## Defaults from files

file=$HOME/.config/stfm/config.json
mkdir -p "${file%/*}"
echo '{"sbatch": {"partition": "nope"}}' >"$file"
refused "what is refused of a default says where it stands" \
	"--partition=nope is a default ($file: line 1)" \
	submit -J bad x=1 -- ./train.sh
refused "what Slurm refuses says where to look" "stfm-check --config" \
	submit -J bad --no-check x=1 -- ./train.sh
submit -Q -J kept --begin=now+1hour -p main x=1 -- ./train.sh
echo '{"sbatch": {"time": "0:07:00"}}' >"$file"
submit -Q -J timed --begin=now+1hour x=1 -- ./train.sh
echo '{"sbatch": {"time": "0:09:00"}}' >"$file"
stfm-stop -Q -y timed
stfm-restart -Q timed
is "a job keeps the defaults it was submitted with" "7:00" \
	"$(squeue -h -n timed -o %l)"
is "its record has them" '["--time=0:07:00"]' "$(stfm-status -o json \
	--record timed | jq -c '.. | .defaults? // empty')"
stfm-stop -Q -y kept timed
rm "$file"

## Nothing to copy

stfm-submit --gres=none -J nocopy i=1 -- sh -c 'true src/main.py' >out 2>err
like "that no code is copied is said" \
	"^stfm-submit: no copy of the code: the command names no file" \
	"$(cat err)"
is "but not with --quiet" "" "$(stfm-submit -Q --gres=none -J nocopy2 i=1 -- \
	sh -c 'true src/main.py' 2>&1)"
stfm-submit --gres=none -J nocode i=1 -- /bin/true >out 2>err
is "nor where there is none" "" "$(cat err)"

## What comes next

# Submit on a terminal of so many columns: all but that it is queued.
on_terminal() {
	script -qec "stty cols $1 -opost
		exec stfm-submit --gres=none -J at$1 -- /bin/true" \
		/dev/null </dev/null | sed 1d
}
is "a terminal is told how to follow and see the job" \
	"follow it: stfm-watch at80   see it: stfm-status at80" \
	"$(on_terminal 80)"
is "in two lines where it is narrow" "follow it: stfm-watch at50
see it: stfm-status at50" "$(on_terminal 50)"

# What it says of a script that writes no log.
echo 'print(1)' >silent.py
echo 'CSVLogger("log")' >logs.py
echo 'print(f"epoch {i} loss {loss}")' >prints.py
printf 'import keras\nmodel.fit(x, y)\n' >fits.py
cp silent.py catalog.py
of_metrics() {
	script -qec "stty cols 120 -opost; exec stfm-submit --no-snapshot \
		--gres=none -J m$((hints += 1)) $*" /dev/null </dev/null |
		grep -E 'STFM_METRICS|^stfm-submit:'
}
is "a script without metrics is named" "silent.py does not mention\
 STFM_METRICS: write a CSV there to see curves (stfm-submit(1), --metrics)" \
	"$(of_metrics i=1 -- python3 silent.py)"
hints=1
while read -r words; do
	hints=$((hints + 1))
	is "no such hint: $words" "" "$(of_metrics "$words")"
done <<'END'
i=1 -- python3 logs.py
i=1 -- python3 prints.py
i=1 -- python3 fits.py
i=1 --metrics m.csv -- python3 silent.py
i=1 --metrics-regex 'l=(?P<l>.)' -- python3 silent.py
i=1 -Q -- python3 silent.py
i=1 -- sh -c 'python3 silent.py'
i=1 -- /bin/true
END
hints=$((hints + 1))
like "words of the command are no sign of a log" "^catalog.py does not" \
	"$(of_metrics i=1 -- python3 catalog.py --csv metrics.csv)"
is "nor into a pipe" "" "$(stfm-submit --gres=none -J piped i=1 -- \
	python3 silent.py 2>&1 | grep STFM_METRICS)"

done_testing
