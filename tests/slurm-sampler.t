#!/bin/sh
# A sampler chooses each point when its task starts.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 0 -c 4
export STFM_DIR="$tap_dir/store"

# The value is known, and best at lr = 0.01 and adam.
cat >train.sh <<'END'
#!/bin/sh
printf 'epoch,loss\n' >"$STFM_METRICS"
for epoch in 1 2 3; do
	awk -v e="$epoch" -v lr="$1" -v opt="$2" 'BEGIN {
		x = log(lr / 0.01) / log(10)
		print e "," x * x + (opt == "sgd") / 10 + 1 / e
	}' >>"$STFM_METRICS"
	if [ -e "$3.naps" ]; then sleep 0.8; fi
done
echo "$*" >>"$3.$STFM_TASK"
if [ -e "$3.slow" ]; then sleep 60; fi
END
chmod +x train.sh
# search JOB [OPTION...]: the task also leaves its point in a file of its own.
search() {
	job=$1
	shift
	stfm-submit "${quiet--Q}" -J "$job" --gres=none --args=none --epochs 3 \
		--metric loss "$@" lr=loguniform:1e-4:1 opt=sgd,adam \
		-- "$PWD/train.sh" "{lr}" "{opt}" "$PWD/$job"
}
points() {
	stfm-status --no-refresh -o points "$1"
}
# What the tasks of a job trained, as stfm-status -o points has it.
trained() {
	printf 'lr\topt\n'
	for task in $(seq 0 $(($2 - 1))); do
		tail -n 1 "$1.$task" | awk '{ print $1 "\t" $2 }'
	done
}
facts() {
	cat "$STFM_DIR/jobs/$1/run"/*/*.P "$STFM_DIR/jobs/$1"/pack/* \
		2>/dev/null | grep -c '"fact":"[^"]*\.P"'
}

## Points come when tasks start

search tpe --hold --search 16 --sampler tpe --pruner none
is "a pending task has no point" "" \
	"$(stfm-status --no-refresh -o tsv -c lr,opt tpe | sed 1d |
		tr -d '\t\n')"
is "none is recorded" 0 "$(facts tpe 2>/dev/null)"
stfm-release -Q tpe
stfm-watch -Q -i 1 tpe
is "each task trained the point that is shown" "$(trained tpe 16)" \
	"$(points tpe)"
is "each point is another one" 16 "$(points tpe | sed 1d | sort -u | wc -l)"
is "a fact records each point" 16 "$(facts tpe)"
is "which can be chosen again" "16 same" "$(stfm-ask --again tpe |
	awk '{ n[$2]++ } END { for (i in n) print n[i], i }')"
is "the next one is not one of them" 0 "$(stfm-ask tpe | sed 1d |
	grep -cxFf - "$(points tpe >known; echo known)")"
rm -rf "$STFM_DIR/jobs/tpe/fold"
is "a table that was lost has the same points" "$(trained tpe 16)" \
	"$(stfm-status -o points tpe)"
ok "the store is sound" stfm-check --store
ok "the same submission again" search tpe --hold --search 16 --sampler tpe \
	--pruner none
is "queues nothing" 16 "$(facts tpe)"
refused "another sampler is another job" \
	"another --sampler (quasi now, tpe then)" \
	search tpe --hold --search 16 --sampler quasi --pruner none
refused "so is another seed" "another --seed (4 now, 0 then)" \
	search tpe --hold --search 16 --sampler tpe --pruner none --seed 4

## All points of a space

spaces() {
	stfm-submit -J space --gres=none --metric loss "$@" --dry-run -- true
}
is "a search of all points has each one" 64 "$(
	spaces --search 64 x=1..8 y=1..8 | sed '1,/^# points/d' | sed 1d |
		sort -u | wc -l)"
for values in x=1..3 x=int:1:3; do
	refused "there are no more of $values" \
		"--search: 4: the space has only 3 points: write --search 3" \
		spaces --search 4 "$values"
done

## Damage

cp "$STFM_DIR/jobs/tpe/run/000/000000.0.0.P" kept
echo damage >>"$STFM_DIR/jobs/tpe/run/000/000000.0.0.P"
stfm-restart -Q --finished tpe/0
stfm-watch -Q -i 1 tpe 2>/dev/null
is "a run does not guess a point that is damaged" 1 "$(wc -l <tpe.0)"
status "which is found" 1 stfm-check --store
stfm-check --repair >/dev/null 2>&1
is "and repaired from the table" "$(jq -r .point kept)" \
	"$(jq -r .point "$STFM_DIR/jobs/tpe/run/000/000000.0.0.P")"
refused "without what the sampler saw" "what its sampler saw is lost" \
	stfm-ask --again tpe/0
stfm-restart -Q tpe/0
stfm-watch -Q -i 1 tpe
is "then it is trained again" "2 1" \
	"$(wc -l <tpe.0) $(sort -u tpe.0 | wc -l)"

rm "$STFM_DIR/jobs/tpe/run/000/000000.0.0.P"
status "a point that is gone is found" 1 stfm-check --store
stfm-restart -Q --finished tpe/0
stfm-watch -Q -i 1 tpe
is "and a run takes it from the table" "3 1" \
	"$(wc -l <tpe.0) $(sort -u tpe.0 | wc -l)"
ok "after which the store is sound" stfm-check --store

## Every run of a task has the same point

touch again.slow
search again --search 2 --sampler quasi --pruner none --parallel 1
poll 30 test -s again.0
scontrol requeue "$(squeue -h -r -n again -t R -o %F_%K)"
rm again.slow
again() {
	squeue -h -r -n again -t PD -o '%F_%K %r' | grep -q '_0 BeginTime'
}
poll 30 again
scontrol update StartTime=now+2 \
	JobId="$(squeue -h -r -n again -t PD -o %F_%K | grep '_0$')"
stfm-watch -Q -i 1 again
is "after a requeue" 2 "$(wc -l <again.0)"
is "it is the same" 1 "$(sort -u again.0 | wc -l)"
stfm-restart -Q --finished again/0
stfm-watch -Q -i 1 again
is "after a restart, too" "3 1" "$(wc -l <again.0) $(sort -u again.0 | wc -l)"
is "there is one record of it" 2 "$(facts again)"
## More points, later

search grow --search 3 --sampler quasi --pruner none
stfm-watch -Q -i 1 grow
points grow >before
ok "a search may grow" search grow --sync --search 5 --sampler quasi \
	--pruner none
stfm-watch -Q -i 1 grow
is "the first points stay" "$(cat before)" "$(points grow | head -n 4)"
is "the others are trained" "$(trained grow 5)" "$(points grow)"
refused "no point can be dropped" "a larger N, or submit a new job" \
	search grow --sync --yes --search 4 --sampler quasi --pruner none
search early --search 4
refused "nor one that is known" "a larger N, or submit a new job" \
	search early --sync --yes --search 3

like "a dry run shows none of them" "^# new: grow/5$" "$(
	quiet=--no-check
	search grow --sync --dry-run --search 6 --sampler quasi \
		--pruner none | tail -n 1)"

## A command as sampler

cat >sampler.sh <<'END'
#!/bin/sh
cat >"$1/known"
task=$(head -n 1 "$1/known" | grep -o '"task":[0-9]*' | cut -d : -f 2)
cp "$1/known" "$1/known.$task"
case $task in
0) printf 'opt,lr\nadam,0.012345678901234\n' ;;
1) printf '{"lr":0.5,"opt":"sgd"}\n' ;;
2) echo nonsense ;;
3) printf 'opt,lr\nadam,5\n' ;;
4) printf 'opt,lr\nadam,0.012345678901234\n' ;;
5) echo "no idea" >&2 && exit 3 ;;
6) sleep 100 ;;
7) kill -9 $$ ;;
8) ;;
esac
END
chmod +x sampler.sh
STFM_SAMPLER_TIMEOUT=2 search user --search 9 --parallel 1 \
	--sampler "$PWD/sampler.sh $PWD" --pruner none
stfm-watch -Q -i 1 user
is "its points are trained" "lr	opt
0.012345678901234	adam
0.5	sgd" "$(trained user 9 | head -n 3)"
is "all tasks have a point" 9 "$(points user | sed 1d | sort -u | wc -l)"
like "the table tells how many points are random" "sampler .* \(it failed: \
7 of 9 points are random; stfm-status --why user says why\)" \
	"$(COLUMNS=300 stfm-status user)"
stfm-status --why user >why 2>&1
like "a reason has the message" " user/2-8 7 of 9 points are random: the \
sampler command failed: it printed nothing; let the command choose" \
	"$(tr '\n' ' ' <why | tr -s ' ')"
like "and what to type" "^    stfm-ask user$" "$(cat why)"
is "programs learn who chose" "random 7 sampler.sh 2" "$(
	stfm-status -o jsonl user | jq -r .sampler | xargs -L 1 basename |
		cut -d ' ' -f 1 | sort | uniq -c | awk '{ print $2, $1 }' |
		xargs)"
cat >one.sh <<'END'
#!/bin/sh
cat >/dev/null
echo '{"lr":0.5}'
END
chmod +x one.sh
stfm-submit -Q -J only --gres=none --args=none --metric loss --pruner none \
	--search 1 --sampler ./one.sh lr=loguniform:1e-4:1 opt=sgd epochs=3 \
	-- "$PWD/train.sh" "{lr}" "{opt}" "$PWD/only"
stfm-watch -Q -i 1 only
is "it may leave out what has one value" "0.5 sgd 3" \
	"$(points only | sed 1d | xargs)"
refused "a sampler whose script is not there" \
	"--sampler: nofile.py: no such file" \
	search no --search 5 --sampler "python3 nofile.py" --pruner none
refused "a sampler with a typing error" "did you mean tpe?" \
	search no --search 5 --sampler tep --pruner none
refused "so is stfm-ask" "did you mean tpe?" stfm-ask --sampler tep known
why() {
	stfm-log user/"$1" | sed -n 's/.*sampler command failed: //p'
}
is "nonsense is no point" "it printed no point" "$(why 2)"
is "nor is a value that the space does not have" "lr=5 is not in the space" \
	"$(why 3)"
is "nor the point of another task" "another task has this point" "$(why 4)"
is "a failure is told" "it ended with status 3: no idea" "$(why 5)"
is "it may not take too long" "it took longer than 2 s" "$(why 6)"
is "its death is told" "it ended with status 137: Killed" "$(why 7)"
is "so is its silence" "it printed nothing" "$(why 8)"
is "the record says which points are random" "random" \
	"$(jq -r .sampler "$STFM_DIR/jobs/user/run/000/000003.0.0.P")"
like "and the page of a task" "^Sampler +random" "$(stfm-status user/3)"
is "it reads the space" "loss min 3 loguniform 0.0001 1 sgd" "$(
	head -n 1 known.1 | jq -r '[.metric, .goal, .epochs,
		.space[0].distribution, .space[0].low, .space[0].high,
		.space[1].values[0]] | join(" ")')"
is "and the results" "0 FINISHED 3 adam" "$(sed -n 2p known.1 |
	jq -r '[.task, .state, .epoch, .point.opt] | join(" ")')"

## A guess, the results of another job, and an end

# One after the other, so that each sees the points before it.
stfm-submit -Q -J plain --gres=none --args=none --parallel 1 --metric loss \
	--guess lr=0.1 lr=0.1,0.2,0.3 opt=sgd -- \
	"$PWD/train.sh" "{lr}" "{opt}" "$PWD/plain"
stfm-watch -Q -i 1 plain
is "a grid may have a guess, without a search" "0.1 0.2 0.3" \
	"$(points plain | sed 1d | cut -f 1 | sort | xargs)"
is "none of its tasks fails" "FINISHED FINISHED FINISHED" \
	"$(stfm-status --no-refresh -o tsv -c state plain | sed 1d | xargs)"
refused "a guess outside the space" "lr=7 is not in the space: give a \
value from" \
	search no --search 5 --guess lr=7
refused "a guess of something else" "x: no such hyperparameter" \
	search no --search 5 --guess x=7
refused "half a whole number" "x=2.5 is not in the space: give a \
whole number from" \
	search no --search 5 --guess x=2.5 x=int:1:4
refused "a guess without a value" "write NAME=VALUE" \
	search no --search 5 --guess lr
refused "results that nothing learns from" "add --sampler tpe" \
	search no --search 5 --from-results tpe
refused "results of a job that is not there" "no such job" \
	search no --search 5 --sampler tpe --from-results gone
refused "an end that is no value" "no number" search no --search 5 --until good
refused "no GPU hours" "above 0" search no --search 5 --gpu-hours 0
for none in --gres=none --gres=gpu:0 --gpus=0; do
	refused "GPU hours that no task uses: $none" \
		"end the search by --until" \
		search no --search 5 --gpu-hours 3 "$none"
done
refused "GPU hours that tasks use: the cluster decides" "has no GPU" \
	search no --search 5 --gpu-hours 3 --gres=gpu:1
guess=lr=1.00e-2,opt=adam
# shown JOB OPTION...: the points that a dry run shows
shown() {
	search "$@" --dry-run | sed '1,/^# points/d'
}
shown guessed --search 6 --guess $guess >first
shown guessed --search 6 --guess $guess --sampler tpe >also
search guessed --search 6 --guess $guess --parallel 1
stfm-watch -Q -i 1 guessed
is "a dry run shows the first point only" "$(points guessed | head -n 2)" \
	"$(cat first)"
is "for each sampler" "$(cat first) $(points grow | head -n 2)" \
	"$(cat also) $(shown dry --search 6 --sampler quasi --pruner none)"
is "it is as in its command" 1 "$(search dry --search 6 --guess $guess \
	--dry-run | grep -c 'train.sh 1.00e-2 adam')"
is "of a command as sampler it shows none" "lr opt" "$(
	shown dry --search 6 --sampler false | xargs)"
is "the first point is the guess as it was written" "1.00e-2 adam" \
	"$(cut -d ' ' -f 1,2 guessed.0)"
is "the others are not" 6 "$(points guessed | sed 1d | sort -u | wc -l)"
search learns --search 3 --sampler tpe --pruner none --from-results tpe
is "results are copied" 16 "$(jq '.search.results | length' \
	"$STFM_DIR/jobs/learns/job.json")"
said() {
	quiet=--no-check
	search "$@" --dry-run 2>&1 | sed -n 's/^stfm-submit: //p'
}
is "results of trainings of another length count, which is said" \
	"--from-results tpe: its trainings have 3 epochs, and those of this \
job 9: the sampler compares their values all the same" \
	"$(said learns2 --search 3 --sampler tpe --from-results tpe --epochs 9)"
is "without a result there is nothing to learn" "--from-results: waits: none \
of its tasks has a value yet: wait for it with stfm-watch waits, or \
leave this out" \
	"$(search waits --hold --search 3 --sampler quasi
	said learns2 --search 3 --sampler tpe --from-results waits)"
is "nor is there if the space has none of its points" "--from-results: tpe: \
none of its 16 results is in the space (x has no value): give a space that has \
them" "$(said learns2 --search 3 --sampler tpe --from-results tpe x=1,2)"
# other METRIC: a search that learns from the points of tpe in another space.
other() {
	stfm-submit -J no --dry-run --gres=none --args=none --pruner none \
		--metric "$1" --search 3 --sampler tpe --from-results tpe \
		lr=loguniform:1e-4:1 -- "$PWD/train.sh" "{lr}" sgd 2>&1 |
		sed -n 's/^stfm-submit: //p'
}
is "nor of the values of another metric" "--from-results: tpe: its results \
are values of loss, and this search is about val_loss: give --metric loss, or \
leave this out" "$(other val_loss)"
is "what differs in them and is not in the space is named" "--from-results \
tpe: its results differ in opt, which this job does not have: the sampler does \
not see that" "$(other loss | grep differ)"
named() {
	stfm-submit -J "$@" --gres=none --args=none --parallel 1 \
		--metric loss --pruner none opt=sgd -- \
		"$PWD/train.sh" "{lr}" "{opt}" "$PWD/with"
}
named with -Q --guess lr=0.1 epochs=3 lr=0.1,0.2
stfm-watch -Q -i 1 with
is "also if the epochs are a hyperparameter" "stfm-submit: --from-results \
with: its trainings have 3 epochs, and those of this job 9: the sampler \
compares their values all the same" \
	"$(named no --dry-run --search 3 --sampler tpe --from-results with \
		epochs=9 lr=loguniform:1e-4:1 2>&1 >/dev/null)"
refused "unless the search chooses them" \
	"none of its 2 results is in the space (epochs=3 is not in the space)" \
	named no --search 3 --sampler tpe --from-results with \
	epochs=9,10 lr=loguniform:1e-4:1
search fresh --search 3 --sampler tpe --pruner none
stfm-watch -Q -i 1 learns fresh
ok "tpe learns from them: its points are others" \
	[ "$(points learns)" != "$(points fresh)" ]
touch pruned.naps
search pruned --search 9 --parallel 3
stfm-watch -Q -i 1 pruned
ok "stopped tasks are results, too" [ 9 != "$(stfm-status -o tsv -t FINISHED \
	pruned | sed 1d | wc -l)" ]
cat >keep.sh <<'END'
#!/bin/sh
cat >"$1"
echo '{"lr":0.5,"opt":"sgd"}'
END
chmod +x keep.sh
for from in tpe pruned; do
	search "after-$from" --search 1 --pruner none --from-results "$from" \
		--sampler "$PWD/keep.sh $PWD/$from.told"
	stfm-watch -Q -i 1 "after-$from"
	sed -i 1d "$from.told"
done
is "a command as sampler is told them, too" "$(points tpe | sed 1d | sort)" \
	"$(jq -r '.point | [.lr, .opt] | @tsv' tpe.told | sort)"
is "as finished trials without a task" "FINISHED 3 number null" \
	"$(jq -r '"\(.state) \(.epoch) \(.value | type) \(.task)"' tpe.told |
		sort -u)"
is "or stopped ones, with the epoch of their value" "STOPPED 1 number null" \
	"$(jq -r 'select(.state != "FINISHED") |
		"\(.state) \(.epoch) \(.value | type) \(.task)"' pruned.told |
		sort -u)"
is "and chooses the point" "0.5 sgd" "$(points after-tpe | sed 1d | xargs)"
search more --search 9 --sampler tpe --parallel 1 --from-results pruned
stfm-watch -Q -i 1 more
is "with the epoch of their value" "9 true" "$(jq -r '.search.results |
	"\(length) \(any(test("^[0-9.]+@1\t")))"' \
	"$STFM_DIR/jobs/more/job.json")"
is "no point is trained in both jobs" 18 "$({ points pruned; points more; } |
	grep -v lr | sort -u | wc -l)"
search ends --search 8 --guess lr=0.01,opt=adam --until 0.4 --parallel 1
poll 60 eval '[ -z "$(squeue -h -n ends)" ]'
is "tasks that start after the end do not train" 1 \
	"$(find . -name 'ends.[0-9]*' | wc -l)"
stfm-status ends >/dev/null
is "they are STOPPED, and say why" \
	"7 STOPPED search over: ends/0 has reached 0.3333" \
	"$(stfm-status --no-refresh -o tsv -c state,cause ends |
		grep STOPPED | sort | uniq -c | xargs)"
like "a comparison names the job whose results were taken" \
	"^ *(job +)?--from-results +- +tpe|--from-results.* tpe( |$)" \
	"$(stfm-status --no-refresh --compare tpe learns)"
ok "which is no failure" stfm-watch -Q -1 ends
ok "the same submission again" search ends --search 8 \
	--guess lr=0.01,opt=adam --until 0.4 --parallel 1
is "queues none of them" "ok" \
	"$(find "$STFM_DIR/jobs/ends/sub" -name 'c00001*' | grep -q . ||
		echo ok)"
for dry in "" --dry-run; do
	refused "nor can it grow $dry" "stfm-submit: ends: search over: ends/0 \
has reached 0.3333, so new tasks would not train: submit another job with \
another end, as in -J ends-2 --until VALUE" \
		search ends --sync --search 9 --guess lr=0.01,opt=adam \
		--until 0.4 --parallel 1 $dry
done
is "so it has no more tasks" 8 \
	"$(stfm-status --no-refresh -o tsv ends | sed 1d | wc -l)"
is "another end is named" "another --until (0.3 now, 0.4 then)" "$(
	search ends --sync --search 9 --guess lr=0.01,opt=adam --until 0.3 \
		--parallel 1 2>&1 | grep -o 'another --until[^:]*')"
stfm-restart -Q ends/3
stfm-watch -Q -i 1 ends
ok "a person may train more" test -e ends.3

## With a pruner

search both --search 12 --sampler tpe --parallel 2
stfm-watch -Q -i 1 both
is "each task has a point" 12 "$(facts both)"
is "which can be chosen again" "12 same" "$(stfm-ask --again both |
	awk '{ n[$2]++ } END { for (i in n) print n[i], i }')"

## A space that another job has used up

used() {
	stfm-submit -Q -J "$@" --gres=none --args=none --epochs 3 \
		--metric loss --sampler tpe --pruner none lr=int:1:4 opt=sgd \
		-- "$PWD/train.sh" "{lr}" "{opt}" "$PWD/$1"
	stfm-watch -Q -i 1 "$1"
}
used all --search 4
used twice --search 4 --from-results all
is "its points come again, each of them once" "1 2 3 4" \
	"$(points twice | sed 1d | cut -f 1 | sort | xargs)"

done_testing
