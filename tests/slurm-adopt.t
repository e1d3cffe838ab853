#!/bin/sh
# Jobs that sbatch alone has queued are followed from then on: by what Slurm
# says of them, and by nothing else.
. "$(dirname "$0")/tap.sh"

export STFM_DIR="$PWD/store" TZ=UTC
sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
stfm-sandbox start -Q -N 2 -g 0 -c 8 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"

cat >train.sh <<'END'
#!/bin/sh
#SBATCH -n 1 -c 1
i=${SLURM_ARRAY_TASK_ID:-1}
echo "epoch 0 val_loss 0.$i"
printf 'epoch,val_loss\n0,2.5\n' >"own.$SLURM_JOB_NAME.csv"
until [ -e go ]; do sleep 0.05; done
echo "epoch 1 val_loss 0.0$i"
[ "$i" != 5 ] || exit 3
END
state() {
	stfm-status --no-refresh -o jsonl "$1" | jq -r "$2"
}
pass() {
	stfm-watch -1Q "$@" 2>/dev/null
	state "$1" '"\(.state) \(.cause)"' >states
}
# Whether a task is in this state after a pass.
reaches() {
	pass "${1%/*}"
	[ "$(state "$1" .state)" = "$2" ]
}

array=$(sbatch --parsable -J train --array=3,5,7%3 train.sh a b)
later=$(sbatch --parsable -J later -d "afterany:$array" -o 'l-%j-%x.txt' \
	train.sh)
runs=$(sbatch --parsable -J 'it runs' train.sh)
held=$(sbatch --parsable -J held --hold train.sh)
own=$(stfm-submit --parsable -J own --gres=none --hold x=1 -- true | cut -f 2)
before=$(find store | sort)

# ---- what is not imported ----

refused "an id is wanted" "usage: stfm-import" stfm-import --slurm
refused "of a job" "train: not the id of a Slurm job" stfm-import --slurm train
refused "nor of nothing" "an empty word: expected is the id" \
	stfm-import --slurm ""
refused "logs have no place of a name that there is not" \
	"{foo}: no hyperparameter has this name" \
	stfm-import --slurm --metrics '{foo}.csv' "$array"
refused "one that there is" "4000: Slurm has no such job of yours" \
	stfm-import --slurm 4000
refused "an array as a whole" "whole: $array" stfm-import --slurm "${array}_3"
began() {
	squeue -h -t R -o %F | grep -qx "$array"
}
poll 30 began
task=$(squeue -h -t R -j "$array" -o '%A' | grep -vx "$array" | head -n 1)
refused "under whatever id" "as a whole: $array" stfm-import --slurm "$task"
refused "not one that stfm has queued" \
	"$own: was queued by stfm, for the job own" stfm-import --slurm "$own"
refused "also for another store" "for a job of another store" \
	stfm-import -d "$PWD/other" --slurm "$own"
refused "logs are looked for where they can be" "only with --slurm" \
	stfm-import --metrics x.csv .
refused "a pattern is one" "names no value" \
	stfm-import --slurm --metrics-regex '(' "$array"
refused "Slurm knows how they end" "Slurm itself says" \
	stfm-import --slurm --finished "$array"
refused "not under a name that is taken" "own: there is a job of this name" \
	stfm-import --slurm -J own "$array"
if [ "$(id -u)" -eq 0 ]; then
	theirs=$(sbatch --parsable --uid=65534 --hold -J theirs -D / train.sh)
	refused "nor a job of somebody else's" "who alone can import it" \
		stfm-import --slurm "$theirs"
else
	skip "a job of somebody else's" "only root can be another user"
fi
silent=$(sbatch --parsable -J 'a/b/' -o /dev/null train.sh)
het=$(sbatch --parsable -J het --hold -n 1 : -n 1 train.sh)
refused "a part of a job cannot be stopped alone" "by its first: $het" \
	stfm-import --slurm "$((het + 1))"
is "the job can" "het: would be 1 task of Slurm job $het" \
	"$(stfm-import --dry-run --slurm "$het")"
scancel "$het"
is "a name has all of its words" "a_b_: would be 1 task of Slurm job $silent" \
	"$(stfm-import --dry-run --slurm "$silent")"
refused "an id alone is no directory" "stfm-import --slurm $silent" \
	stfm-import --dry-run "$silent"
is "what it would be" "train: would be 3 tasks of Slurm job $array" \
	"$(stfm-import --dry-run --slurm "$array")"
is "nothing has changed" "$before" "$(find store | sort)"
ok "nor is there another store" test ! -e other

# ---- what is ----

printf 'task_id,lr\n%s\n' "$held,0.3" "$later,0.1" >some.csv
refused "each needs its point" "some.csv: no point is for task $runs" \
	stfm-import --slurm --points some.csv "$later" "$runs" "$held"
{
	cat some.csv
	echo "$runs,0.2"
} >points.csv

like "which may come in any order" "^rest: would be 3 tasks" \
	"$(stfm-import --dry-run --slurm -J rest --points points.csv \
		"$held" "$later" "$runs")"
like "without points, too" "^rest: would be 3 tasks" \
	"$(stfm-import --dry-run --slurm -J rest "$held" "$runs" "$later")"

like "an array" "^train: 3 tasks of Slurm job $array: 3 (RUNNING|SUB)" \
	"$(stfm-import --slurm --metrics-regex \
		'epoch (?P<epoch>\d+) val_loss (?P<val_loss>[0-9.]+)' "$array")"
like "several, as one job" "^rest: 3 tasks of Slurm jobs [0-9,-]*: " \
	"$(STFM_SLURM=text stfm-import --slurm -J rest --points points.csv \
		--metrics 'own.it runs.csv' "$later" "$runs" "$held")"
refused "not twice" "as the job train: see stfm-status train;" \
	stfm-import --slurm -J again "$array"
record=$STFM_DIR/jobs/train/job.json
chmod u+w "$record"
cp "$record" kept
truncate -s -2 "$record"
refused "nor while what was imported before is damaged" \
	"what was imported before cannot be told: $record: damaged" \
	stfm-import --slurm -J again "$array"
cp kept "$record"
refused "nor in one command" "$silent: given twice" \
	stfm-import --slurm "$silent" "$silent"
scontrol hold "$silent"
mkdir race
for i in 1 2 3 4; do
	stfm-import -d "$PWD/race" --slurm -J "r$i" "$silent" >"race$i" 2>&1 &
	eval "racer$i=\$!"
done
won=0 lost=0
for i in 1 2 3 4; do
	eval "wait \$racer$i" && won=$((won + 1))
	# Where each takes long, all but one may be told to try again.
	grep -Eq -e "$silent: is already imported .* job r" \
		-e ": not stored: .* try again" "race$i" && lost=$((lost + 1))
done
is "of four at the same moment one does it" "1 3 1" \
	"$won $lost $(find race/jobs -mindepth 1 -maxdepth 1 | wc -l)"
scontrol release "$silent"
refused "not a part of it" "$runs: is already imported as the job rest" \
	stfm-import --slurm "$runs"
is "tasks have Slurm's names" "3 5 7 $later $runs $held" \
	"$(state train .task_id | xargs) $(state rest .task_id | xargs)"
is "and points that were given" "0.1 0.2 0.3" "$(state rest .lr | xargs)"
is "and its ids" "${array}_3 ${array}_5 ${array}_7 $later $runs $held" \
	"$(state train .slurm_id | xargs) $(state rest .slurm_id | xargs)"
ok "they run" poll 30 reaches train/2 RUNNING
ok "all that may" poll 30 reaches rest/1 RUNNING
is "or wait, as Slurm says" 'SUBMITTED (Dependency)
RUNNING null
SUBMITTED (JobHeldUser)' "$(cat states)"
like "with the reason" "stfm-release rest/2" "$(stfm-status --why rest)"
is "the log is where Slurm has it" "$PWD/slurm-${array}_5.out" \
	"$(state train/1 .log)"
logged() {
	stfm-watch -1Q train && [ "$(state train/1 .best)" = 0.5 ]
}
ok "and what is printed is read" poll 30 logged
is "or a file, where it is said" 2.5 "$(state rest/1 .best)"
like "the record says what they are" "^from +Slurm job $array" \
	"$(stfm-status --record train)"
# Newer releases of Slurm do not tell the arguments.
like "and what they run" "^Command .*/train.sh( a b)?$" \
	"$(stfm-status --record train)"
is "Slurm's ids name them" "train/1" \
	"$(stfm-status --no-refresh -o tsv "${array}_5" | sed -n '2s/	.*//p')"
refused "but a task has no environment that is known" \
	"srun --jobid=" stfm-attach rest/1 -- true

ok "other jobs can wait for them" stfm-submit -Q -J behind --gres=none \
	--after train:ok x=1 -- true

# ---- what is done to them ----

is "how many run at once is not made up" \
	"train: as sbatch was told for Slurm job $array" \
	"$(stfm-throttle train)"
is "but can be said" "train: any number of tasks at once" \
	"$(stfm-throttle -Q train none; stfm-throttle train)"
is "one that waits is let go" "rest: released 1 task: 2" \
	"$(stfm-release rest/2)"
ok "in Slurm" poll 30 reaches rest/2 RUNNING
is "one is stopped" "rest: stopped 1 task: 1" "$(stfm-stop rest/1)"
ok "in Slurm" poll 30 reaches rest/1 STOPPED
is "an array's" "train: stopped 1 task: 2" "$(stfm-stop "${array}_7")"
ok "in Slurm, too" poll 30 reaches train/2 STOPPED
scancel "$held"
ok "or by hand" poll 30 reaches rest/2 STOPPED
is "who asked is known" "null CANCELLED" "$(state rest .cause | tail -n 2 |
	xargs)"
rm store/jobs/rest/sub/c00000.0.claim
stfm-watch -1Q
is "a claim that was lost is made again, of the same job" "$later" \
	"$(jq .array store/jobs/rest/sub/c00000.0.claim)"
is "and nothing else" "${array}_3 ${array}_5 $later" \
	"$(squeue -h -r -j "$array,$later,$runs,$held" -o %i | sort -V | xargs)"

# ---- to the end ----

touch go
stfm-watch -Q -i 1 train rest
is "it ends as Slurm says" 'FINISHED null 0 0.03
ERROR exit 3 3 0.05
STOPPED null null 0.7' \
	"$(state train '"\(.state) \(.cause) \(.exit) \(.best)"')"
is "what came later, too" 'FINISHED null 0' \
	"$(state rest/0 '"\(.state) \(.cause) \(.exit)"')"
is "with its log" "epoch 1 val_loss 0.01" "$(stfm-log rest/0 | tail -n 1)"
like "they can be drawn" "train/1" "$(stfm-plot -b 2 train 2>&1)"
status "nothing of it can be throttled" 1 stfm-throttle train 2
like "which is said" "train: is over: nothing to throttle" \
	"$(stfm-throttle train 2 2>&1)"
refused "how they were submitted is not known" \
	"train: is Slurm job $array, imported" stfm-restart train
is "nor is anything queued" "train: nothing is left to queue" \
	"$(stfm-submit --queue-rest train 2>&1)"
pass behind
is "a job behind it is told what can be done" "stfm-stop behind/0" \
	"$(stfm-status -o jsonl --why behind | jq -r .command)"
is "the store is sound" "" "$(stfm-check --store 2>&1)"
table() {
	for job in train rest; do
		state $job 'del(.epoch_time)'
	done
}
all=$(table)
rm store/jobs/*/fold/*
stfm-watch -1Q
is "a table that was lost is made again, the same" "$all" "$(table)"
cp -r store lost
rm lost/jobs/rest/sub/c00001.0.claim
sed -i 's/adopted/adapted/' lost/jobs/train/sub/c00000.0.intent
like "what is lost of it is found" "rest/sub/c00001.0.claim: not there" \
	"$(stfm-check --store=lost 2>&1)"
is "and what to do is said" "import Slurm job $array again, under another" \
	"$(stfm-check --store=lost --repair 2>&1 |
		grep -o 'import Slurm job .* another')"

# ---- ids that began anew ----

stfm-sandbox stop -Q -d "$sandbox"
sandbox=$tap_dir/anew
stfm-sandbox start -Q -N 1 -g 0 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"
is "Slurm gives an id for the second time" "$array" \
	"$(sbatch --parsable -J train --hold train.sh)"
like "which is another job by its time" "^anew: 1 task of Slurm job $array: " \
	"$(stfm-import --slurm -J anew "$array")"
is "and followed as such" "SUBMITTED (JobHeldUser)
FINISHED null
ERROR exit 3
STOPPED null" "$(stfm-watch -1Q; state anew '"\(.state) \(.cause)"'
	state train '"\(.state) \(.cause)"')"
sed -i 's/adopted/adapted/' store/jobs/anew/sub/c00000.0.intent
refused "what may be alive is not removed" \
	"so stfm cannot tell which of its arrays are queued" \
	stfm-stop --remove -y anew
ok "nothing of it" test -s store/jobs/anew/job.json
is "the first can be removed" "train: removed" \
	"$(stfm-stop --remove -y train 2>&1 | tail -n 1)"
ok "but not what Slurm has written" test -s "slurm-${array}_3.out"

done_testing
