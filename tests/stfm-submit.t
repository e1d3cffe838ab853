#!/bin/sh
# stfm-submit where there is no Slurm: what it shows and what it refuses.
. "$(dirname "$0")/tap.sh"

export SLURM_CONF=/nonexistent STFM_DIR="$tap_dir/store"
printf '#!/bin/sh\n' >train.sh
chmod +x train.sh

dry() {
	stfm-submit --dry-run "$@"
}
call() {
	dry "$@" | grep '^sbatch '
}
points() {
	dry "$@" | sed '1,/^# points/d'
}

is "a dry run says what it would do" "# try: 4 tasks, nothing is queued" \
	"$(dry -J try lr=1,2 bs=3,4 -- ./train.sh | head -1)"
is "and shows the points" "lr	bs
1	3
1	4
2	3
2	4" "$(points -J try lr=1,2 bs=3,4 -- ./train.sh)"
ok "and makes no store" test ! -e "$STFM_DIR"

like "one GPU and one task are asked for" \
	' --gres=gpu:1 --ntasks-per-node=1 ' "$(call x=1 -- ./train.sh)"
is "GPUs asked for otherwise take their place" "" \
	"$(call -G 2 x=1 -- ./train.sh | grep -o gres)"
is "so do those of the environment" "" \
	"$(SBATCH_GPUS=1 call x=1 -- ./train.sh | grep -o gres)"
is "tasks as well" "" \
	"$(call -n 4 x=1 -- ./train.sh | grep -o ntasks-per-node)"
like "short options come out as long ones" \
	' --partition=a --time=5 --nodes=2 --hold ' \
	"$(call -p a -t5 -N 2 -H x=1 -- ./train.sh)"
mkdir 'back\slash'
refused "a store below a backslash" 'no backslash in the path of a log' \
	stfm-submit --dry-run --store 'back\slash/store' x=1 -- ./train.sh
refused "also to be made" 'no backslash in the path of a log' \
	stfm-import -d 'back\slash/store' 'back\slash'
is "which makes none" "" "$(ls 'back\slash')"
like "an option of a plugin is passed on" ' --container-image=a/b ' \
	"$(call --container-image=a/b x=1 -- ./train.sh)"
like "an empty value stays with its option" \
	' --container-image= --mem=100M --output=' \
	"$(call --comment= --container-image= --mem=100M x=1 -- ./train.sh)"
for option in --account= --partition= --mem= --qos= --gres= --nice= \
	--mail-user=; do
	refused "an empty value: $option" \
		"${option%=}: its value is empty: give one, or leave" \
		stfm-submit --dry-run "$option" --mem-per-gpu=1G x=1 -- \
		./train.sh
done
refused "an empty value as a separate word" "--account: its value is empty" \
	stfm-submit --dry-run -A "" --mem=100M x=1 -- ./train.sh
for option in --metric= --metrics=; do
	refused "an empty value: $option" "${option%=}: empty: write the " \
		stfm-submit --dry-run "$option" --mem=100M x=1 -- ./train.sh
done
is "the path none is no file of all tasks" "" \
	"$(stfm-submit --dry-run --gres=none --metrics none x=1,2 -- \
		./train.sh 2>&1 >/dev/null)"
like "the token follows the comment" \
	"'--comment=my note stfm-[0-9a-z]{13}-c00000.0'" \
	"$(call --comment 'my note' x=1 -- ./train.sh)"
like "the throttle is in the array" ' --array=0-9%3 ' \
	"$(call --parallel 3 i=1..10 -- ./train.sh)"

is "the name is that of the script" "# train: 1 task, nothing is queued" \
	"$(dry x=1 -- ./train.sh | head -1)"
cat >own.sbatch <<'END'
#!/bin/sh
#SBATCH -J own.name
#SBATCH --gres=gpu:2
./train
END
is "or what the script calls itself" "# own.name: 1 task, nothing is queued" \
	"$(dry x=1 own.sbatch | head -1)"
is "its lines are in the batch script" "#!/bin/sh
#SBATCH -J own.name
#SBATCH --gres=gpu:2" "$(dry x=1 own.sbatch | sed -n '/^#!/,/gres/p')"
is "its GPUs take the place of the default" "" \
	"$(call x=1 own.sbatch | grep -o -- --gres)"

echo '{"name": "spec", "params": {"lr": [1e-3, 0.10]},
	"sbatch": {"time": "5"}, "command": ["./train.sh", "a b"]}' >spec.json
is "a spec names the job and has its points" "# spec: 2 tasks, nothing is queued
lr
1e-3
0.10" "$(dry --spec spec.json | sed -n '1p; /^# points/,$p' | grep -v points)"
like "its options are passed on" ' --time=5 ' "$(call --spec spec.json)"
printf 'lr,bs\n0.1,2\n' >points.csv
is "points come from a file, crossed with words" "lr	bs	seed
0.1	2	1
0.1	2	2" "$(points --from points.csv seed=1,2 -- ./train.sh)"

refused "an option of ours, mistyped" "did you mean --parallel?" \
	dry --parallell=3 x=1 -- ./train.sh
refused "a number that is none" "--parallel: 'x' is not a whole number" \
	dry --parallel x x=1 -- ./train.sh
refused "none at once" "--parallel" dry --parallel 0 x=1 -- ./train.sh
refused "a goal that is none" "--goal: up: choose min or max" \
	dry --goal up x=1 -- ./train.sh
refused "a style that is none" "choose long, space" \
	dry --args=short x=1 -- ./train.sh
refused "a framework that is none" "--dist: keras: no such framework" \
	dry --dist=keras x=1 -- ./train.sh
refused "more roles than ranks" \
	"--dist: 2 tasks: too few for a chief, 1 ps and a worker: give it 3" \
	dry --dist=tensorflow,ps=1 -N 2 x=1 -- ./train.sh
ok "as many as roles are taken" \
	dry --dist=tensorflow,ps=1 -n 3 x=1 -- ./train.sh
ok "how many there are is not always known" \
	dry --dist=tensorflow,ps=1 -N 2-4 x=1 -- ./train.sh
refused "ranks of a script, which starts them itself" \
	'write eval "$(stfm-dist torch)" into it' \
	dry --dist=torch x=1 own.sbatch
refused "a word of the space that is none" "lr: " dry lr=1,,2 -- ./train.sh
refused "values in the notation of Python" \
	"lr: [0.1,0.2]: values need no brackets: write lr=0.1,0.2 (" \
	dry 'lr=[0.1,0.2]' -- ./train.sh
ok "values with a colon in JSON" dry 'x:=["1:10"]' -- ./train.sh
for word in 'näme=1' 1x=1 =1 'l r:=[1]'; do
	refused "a name that is none: '$word'" "name" dry "$word" -- ./train.sh
done
refused "a script that is none, for all its '='" "no such script" \
	dry runs/lr=1/train.sh
echo 'print(1)' >plain.py
refused "a Python script as a batch script" "write it as a command, -- python \
plain.py" dry lr=1 plain.py
refused "a Python script as a program" "command not found (in PATH): write -- \
python plain.py" dry --check lr=1 -- plain.py
refused "blanks around '='" "lr =: write a hyperparameter without blanks" \
	dry lr = 1 -- ./train.sh
refused "a distribution without samples" "--samples" \
	dry lr=uniform:0:1 -- ./train.sh
for word in -lr=0.1 -epochs=10 -beta_1=0.9,0.99; do
	refused "a hyperparameter behind one dash: $word" \
		"(write hyperparameters without a dash: ${word#-})" \
		dry $word -- ./train.sh
done
refused "conditions that leave nothing" "no points" \
	dry lr=1 --except lr=1 -- ./train.sh
refused "{@} within a word" "a separate word" dry lr=1 -- ./train.sh x{@}
refused "a placeholder that is absent somewhere" "some points have no value" \
	dry o=a,b m=1 --when m:o=a -- ./train.sh {m}
is "a dry run says what would be copied" \
	"# snapshot: 1 file of $PWD/code" \
	"$(mkdir code && cd code && cp ../train.sh . &&
		dry x=1 -- ./train.sh | grep '^# snapshot')"
is "or why nothing would" \
	"# no snapshot: the command names no file in $PWD" \
	"$(dry x=1 -- true | grep '^# no snapshot')"
is "or that it was told so" "# no snapshot: --no-snapshot" \
	"$(dry --no-snapshot x=1 -- ./train.sh | grep '^# no snapshot')"
(
	cd code || exit
	git init -q .
	truncate -s 30M large.gif
	git add .
)
refused "code that is too large" "large.gif (30 MiB)" \
	dry -D "$PWD/code" x=1 -- ./train.sh
refused "which says how to leave it out" "--snapshot=-large.gif" \
	dry -D "$PWD/code" x=1 -- ./train.sh
like "left out, it is no hindrance" '^# snapshot: 1 file of ' \
	"$(dry -D "$PWD/code" --snapshot=-large.gif x=1 -- ./train.sh)"
rm -r code
refused "no command" "no command" dry lr=1

refused "a hyperparameter that is written as an option" \
	"--lr: no such option (write hyperparameters without dashes: lr=0.1)" \
	dry --lr 0.1 -- ./train.sh
while IFS='|' read -r word write; do
	for option in "$word val_acc" "$word=val_acc"; do
		# shellcheck disable=SC2086 # words
		refused "an option of another tool: $option" \
			"stfm-submit: $word: no such option (write $write" \
			dry $option x=1,2 -- ./train.sh
	done
done <<'END'
--objective|--metric NAME)
--direction|--goal min or --goal max)
--mode|--goal min or --goal max)
--n-trials|--search N)
--n_trials|--search N)
--trials|--search N)
--num-samples|--search N)
--num_samples|--search N)
--study-name|-J NAME)
--max-epochs|--epochs N, or max_epochs=N for the training)
--max_epochs|--epochs N, or max_epochs=N for the training)
--n-jobs|--parallel N)
--grace-period|--pruner asha,first=EPOCH)
END
refused "an unknown option before a word" "--colour: no such option, neither \
here nor of sbatch (if a plugin of sbatch has it, write --colour=red)" \
	dry --colour red x=1,2 -- ./train.sh
refused "a missing script after other options" "red: no such script" \
	dry --exclusive red x=1,2 -- ./train.sh
refused "whatever its dashes" "without dashes: batch-size=32)" \
	dry --batch-size 32 x=1 -- ./train.sh
refused "with its value" "without dashes: lr=0.1,0.2)" \
	dry --lr=0.1,0.2 -- ./train.sh
refused "also of a name that nobody knows" "without dashes: foo=0.1)" \
	dry --foo=0.1 -- ./train.sh
for option in --foo=3 --cuda=12.4 --foo; do
	like "an option that may be that of a plugin: $option" " $option " \
		"$(call "$option" x=1 -- ./train.sh)"
done

for option in --mem=8 --mem-per-cpu=63 --mem-per-gpu=1; do
	refused "memory without a unit: $option" \
		"MiB: write ${option}G, or ${option}M if you mean it" \
		dry "$option" x=1 -- ./train.sh
done
refused "of a point" "@mem=8: Slurm reads this as 8 MiB: write @mem=8G, or" \
	dry @mem=8,16 -- ./train.sh
printf '#!/bin/sh\n#SBATCH --mem=8\n' >little.sbatch
refused "of a script" "--mem: Slurm reads this as 8 MiB: write --mem=8G" \
	dry x=1 little.sbatch
for option in --mem=8M --mem=8G --mem=0 --mem=64; do
	ok "memory that is meant: $option" dry "$option" x=1 -- ./train.sh
done

printf '%s\n' 'import argparse' 'p = argparse.ArgumentParser()' \
	'p.add_argument("--epochs", type=int, default=50)' >net.py
said() {
	{ dry "$@" >/dev/null; } 2>&1
}
is "epochs that the script does not get" "stfm-submit: --epochs 10: this is\
 for stfm alone: nothing sets --epochs of net.py (to set it, add epochs=10)" \
	"$(said --epochs 10 lr=1 -- python3 net.py)"
while read -r words; do
	# shellcheck disable=SC2086 # words
	is "no such warning: $words" "" "$(said $words)"
done <<'END'
--epochs 10 lr=1 -- python3 net.py --epochs 10
--epochs 10 lr=1 -- python3 net.py 10
--epochs 10 epochs=10 -- python3 net.py
--epochs n n=10 -- python3 net.py
--epochs 50 lr=1 -- python3 net.py
--epochs 10 lr=1 -- ./train.sh
--epochs 10 lr=1 -- python3 -c 1
--epochs 10 lr=1 -- true
-Q --epochs 10 lr=1 -- python3 net.py
lr=1 -- python3 net.py
END
printf 'p.add_argument("--epochs-per-save", default=50)\n' >net.py
is "no such warning of another option" "" \
	"$(said --epochs 10 lr=1 -- python3 net.py)"
echo 'for i in range(steps): train()' >net.py
is "epochs of a script that has none" "stfm-submit: --epochs 10: this is for\
 stfm alone: net.py mentions no epochs" \
	"$(said --epochs 10 lr=1 -- python3 net.py)"
echo 'for i in range(10): train()' >net.py
is "no such warning of a loop as long" "" \
	"$(said --epochs 10 lr=1 -- python3 net.py)"
echo '{"submit": {"epochs": 10}}' >epochs.json
printf 'p.add_argument("--epochs", default=50)\n' >net.py
is "no such warning of a default" "" \
	"$(STFM_CONFIG=$PWD/epochs.json said lr=1 -- python3 net.py)"
# Columns of stfm-status are no hyperparameters, unless the script takes them.
echo 'print("loss", 1)' >net.py
echo 'p.add_argument("--epoch"); os.environ["STFM_PARAM_last"]' >takes.py
while read -r columns; do
	printf '%s\n' "$columns" | tr ' ' , >table.csv
	printf '%s\n' "$columns" | sed 's/[^ ]*/1/g' | tr ' ' , >>table.csv
	refused "columns of stfm-status: $columns" \
		"print only hyperparameters" \
		dry --from table.csv -- python3 net.py
done <<'END'
lr best
id lr
lr epoch
lr state
id job task state lr
task lr gpus metric
lr best_epoch
END
refused "what to do" "--from -: best is a column of stfm-status: print only \
hyperparameters, with stfm-status -o points (if best is a hyperparameter, \
write {best} in the command)" \
	sh -c 'printf "lr,best\n1,2\n" |
		stfm-submit --dry-run --gres=none --from - -- python3 net.py'
while IFS='|' read -r columns words; do
	printf '%s\n' "$columns" >table.csv
	printf '%s\n' "$columns" | sed 's/[^,]*/1/g' >>table.csv
	# shellcheck disable=SC2086 # words
	ok "hyperparameters with such names: $columns, $words" \
		dry --from table.csv $words
done <<'END'
lr,best|-- python3 net.py --best={best} {lr}
lr,epoch,last|-- python3 takes.py
task,metric,lr|-- python3 net.py
epochs,lr,memory|-- python3 net.py
lr|best=1,2 -- python3 net.py
END
rm net.py takes.py table.csv epochs.json little.sbatch
refused "bytes that are not UTF-8" "not UTF-8" \
	stfm-submit lr="$(printf '\377')" -- ./train.sh
refused "a signal that is none" "--signal: 'FOO' is none of USR1" \
	dry --signal FOO --signal-before 60 x=1 -- ./train.sh
refused "a signal without a time" "say when as well" \
	dry --signal USR1 x=1 -- ./train.sh
refused "a notice before the start" "the time limit is 600 seconds" \
	dry --signal-before 600 -t 10 x=1 -- ./train.sh
refused "to go back never" "--requeue: 0 is not between 1 and" \
	dry --requeue=0 x=1 -- ./train.sh
refused "to go back and not" "--requeue and --no-requeue: choose one" \
	dry --requeue --no-requeue x=1 -- ./train.sh
echo '{"params":{"x":[1]},"policy":{"requeue":true,"signal-before":90}}' \
	>rules.json
like "a spec has a policy" "--signal=B:USR1@90 --requeue" \
	"$(call --spec rules.json -- ./train.sh)"
like "the command line comes first" "--signal=B:USR1@120 --requeue" \
	"$(call --spec rules.json --signal-before 120 -- ./train.sh)"
echo '{"params":{"x":[1]},"policy":{"requeu":true}}' >rules.json
refused "a policy that there is not" '"requeu": no such policy' \
	dry --spec rules.json -- ./train.sh
## What should not be kept

export WANDB_API_KEY=0123456789abcdef
warning() {
	{ dry "$@" >/dev/null; } 2>&1
}
is "nothing is said of a variable" "" "$(warning x=1 -- ./train.sh)"
like "a condition that never holds is warned of" \
	"^stfm-submit: --when m:x=3: no value of x fulfils this$" \
	"$(warning x=1,2 m=1 --when m:x=3 -- ./train.sh)"
like "also in a search" \
	"^stfm-submit: --when m:x=3: no value of x fulfils this$" \
	"$(warning --search 2 x=1,2 m=1,2 y=uniform:0:1 --when m:x=3 \
		--epochs 4 --metric loss -- ./train.sh)"
for words in "x=1 -- ./train.sh --key=$WANDB_API_KEY" \
	"x=1 --export=ALL,K=$WANDB_API_KEY -- ./train.sh" \
	"x=a-$WANDB_API_KEY -- ./train.sh" \
	"x=1 --then=post:$WANDB_API_KEY -- ./train.sh" \
	"x=1 --description=$WANDB_API_KEY -- ./train.sh" \
	"x=1 --metrics=$WANDB_API_KEY/{task} -- ./train.sh"; do
	# shellcheck disable=SC2086 # words
	like "a secret is warned of, and not repeated: ${words##* }" \
		'^stfm-submit: [^ ]*\*\*\*[^ ]*: looks like a secret' \
		"$(warning $words)"
done
unset WANDB_API_KEY
# shellcheck disable=SC2089 # the quotes are part of a word
for words in "x=1 -- ./train.sh --password=hush" \
	"x=1 -- ./train.sh --api-key hush" \
	"x=1 --export=ALL,DB_PASSWORD=hush -- ./train.sh" \
	"x=1 --description token=hush -- ./train.sh" \
	"x=1 -- env WANDB_API_KEY=hush ./train.sh" \
	'x=1 -- ./train.sh --config={"api_key":"hush"}' \
	"pwd=hush -- ./train.sh" \
	"token=hush -- ./train.sh"; do
	# shellcheck disable=SC2086,SC2090 # words
	said=$(warning $words)
	like "a secret is known by its name: $words" \
		'\*\*\*: looks like a secret' "$said"
	is "and not repeated" "" "$(echo "$said" | grep hush)"
done
for words in "max_tokens=512 -- ./train.sh --tokenizer=bert" \
	'x=1 -- ./train.sh --password=$PASSWORD --tokenizer bert'; do
	# shellcheck disable=SC2086 # words
	is "no secret: $words" "" "$(warning $words)"
done

refused "nothing to resume" "no store here" stfm-submit --queue-rest try
status "nothing at all is a usage error" 2 stfm-submit

# What cannot be trained again is not to be trained again first.
mkdir -p results/1
printf '%s\n' epoch,loss 0,1 >results/1/1.csv
STFM_DIR=imported stfm-import -Q -J others results 2>/dev/null || exit 99
refused "a job after one that was imported without its end" \
	"which was imported: leave out :ok" \
	env STFM_DIR=imported stfm-submit --dry-run --after others:ok \
	x=1 -- true
for word in '' ,prep; do
	refused "a list of jobs without one: '$word'" \
		"--after: '' names no job: write a job, as in prep, or @1 " \
		stfm-submit --dry-run --after "$word" x=1 -- true
done
refused "an end without a job" "--after: ':ok' names no job: write JOB:ok" \
	stfm-submit --dry-run --after :ok x=1 -- true

# What is damaged is no store, or job, that is not there.
chmod u+w imported/jobs/others/job.json
truncate -s -2 imported/jobs/others/job.json
refused "a damaged job has its name" "imported/jobs/others/job.json: damaged" \
	env STFM_DIR=imported stfm-submit --dry-run -J others x=1 -- true
chmod u+w imported/FORMAT
truncate -s -2 imported/FORMAT
refused "nor is a damaged store made anew" "imported/FORMAT: damaged" \
	env STFM_DIR=imported stfm-submit --dry-run x=1 -- true

done_testing
