#!/bin/sh
# The examples as they are meant to be run: through the commands, on a private
# Slurm, with real trainings.

# shellcheck disable=SC2016,SC2317 # functions called by ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

here=$PWD
at_exit 'stfm-sandbox stop -Q -d "$here/slurm"'
stfm-sandbox start -Q -N 2 -g 2 -d "$here/slurm" || exit 99
environment=$(stfm-sandbox env -d "$here/slurm") || exit 99
eval "$environment"
export STFM_DIR="$here/store"

# What the examples name by its place in the tree.
mkdir tree && cd tree || exit 99
ln -s "$top/examples" "$top/.venv" . || exit 99

# A column of a job's table, all values in one line.
column() {
	stfm-status -o tsv "$1" | awk -F '\t' -v name="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
	{ print $column }' | tr '\n' ' '
}

# Whether the best loss of every task is better than a guess among ten digits.
learnt() {
	[ -n "$(column "$1" best)" ] &&
		for loss in $(column "$1" best); do
			awk -v loss="$loss" 'BEGIN { exit !(loss < 2.25) }' ||
				return 1
		done
}

# ---- without a framework ----

ok "plain_curve.sh is queued" stfm-submit -J plain lr=1e-3,1e-2,0.1 \
	epochs=5 -- examples/plain_curve.sh --pause=0

# cron knows nothing of this shell: the line of the crontab finds what it needs.
cron=$(grep -v '^#' "$examples/crontab" | cut -d ' ' -f 6-)
mkdir "$HOME/.local" && ln -s "$bin" "$HOME/.local/bin" || exit 99
as_cron() {
	env -i HOME="$HOME" LOGNAME=nobody SHELL=/bin/sh PATH=/usr/bin:/bin \
		SLURM_CONF="$SLURM_CONF" STFM_DIR="$STFM_DIR" \
		/bin/sh -c "cd && $cron"
}
all_ended() {
	as_cron >>cron.out 2>&1
	[ "$(column plain state)" = "FINISHED FINISHED FINISHED " ]
}
ok "the line of crontab sees its trainings end" poll 60 all_ended
is "and prints nothing else that cron would send by mail" "" \
	"$(grep -v '^plain ended: 3 FINISHED in ' cron.out)"

ok "the grid of spec.json is queued" stfm-submit -J spec \
	--spec examples/spec.json -- examples/plain_curve.sh --pause=0
ok "all of it trains" stfm-watch --interval 1 spec
is "14 times" 14 "$(column spec state | grep -o FINISHED | wc -l)"

# ---- all commands together ----

# A coordinator in Slurm has an environment that its trainings must not inherit.
ok "sweep.sbatch runs" sbatch -Q --wait --output=sweep.out \
	examples/sweep.sbatch examples/plain_curve.sh --pause=0.1
like "its output has the table" 'FINISHED' "$(cat sweep.out)"
like "and the chart" '^[+]-----' "$(cat sweep.out)"

ok "pipeline.sh runs" sh -c 'examples/pipeline.sh examples/plain_curve.sh \
	--pause=0 --epochs=10 >pipeline.out'
is "its coarse grid leaves a corner out" 7 \
	"$(column coarse lr | wc -w)"
is "its fine grid is around the best" "0.005 0.01 0.02 " \
	"$(column fine lr)"

# The rest would be the same with sanitizers: demo.sh takes the commands of the
# tree, networks take long.
[ -z "${SANITIZE:-}" ] || done_testing

# ---- the demonstration ----

mkdir tmp
ok "demo.sh shows the main job" env TMPDIR="$PWD/tmp" DEMO_TRAINER=plain \
	sh -c 'examples/demo.sh >demo.out'
like "with a chart at its end" '^[+]-----' "$(cat demo.out)"
is "and leaves nothing behind" "" "$(ls tmp)"

# A terminal interrupts all that belongs to the demonstration.
rm demo.out
TMPDIR=$PWD/tmp DEMO_TRAINER=plain setsid examples/demo.sh >demo.out 2>&1 &
demo=$!
ok "it begins to follow its tasks" poll 20 grep -q '^. stfm-watch' demo.out
env kill -TERM -- "-$demo"
status "it can be interrupted" 143 wait "$demo"
is "and leaves nothing behind then" "" "$(ls tmp)"
status "no process either" 1 pgrep -f "$PWD/tmp"

# ---- networks ----

for python in .venv/bin/python python3 /usr/bin/python3; do
	"$python" -c 'import torch, sklearn' 2>/dev/null && break
	python=
done
if [ -z "$python" ]; then
	skip "networks" "no PyTorch here"
	done_testing
fi
"$examples/python-env.sh" >/dev/null || exit 99

ok "keras_digits.py is queued" stfm-submit -J keras \
	--description "Digits with Keras" lr=1e-2,1e-3 epochs=3 -- \
	.venv/bin/python examples/keras_digits.py --filters=4
ok "stfmanager_conv2d.py is queued" stfm-submit -J stfmanager \
	--args=positional batch_size=64,128 learning_rate=1e-3 epochs=2 \
	early_stopping=2 -- .venv/bin/python examples/stfmanager_conv2d.py
ok "train.sbatch is queued" stfm-submit -J script lr=1e-2 epochs=2 \
	examples/train.sbatch
ok "torch_digits.py is queued" stfm-submit -J torch lr=0.1,0.05 epochs=4 -- \
	"$python" examples/torch_digits.py --filters=4
ok "all of them train" stfm-watch --interval 1 keras stfmanager script torch
is "keras_digits.py to the end" "FINISHED FINISHED " "$(column keras state)"
is "with every epoch" "1 1 " "$(column keras progress)"
ok "they have learnt something" learnt keras
is "stfmanager_conv2d.py to the end" "FINISHED FINISHED " \
	"$(column stfmanager state)"
ok "into the file of S-TFManager" test -s results/stfmanager/1/1.csv
is "which is read" "1 1 " "$(column stfmanager progress)"
is "train.sbatch to the end" "FINISHED " "$(column script state)"
is "torch_digits.py to the end" "FINISHED FINISHED " "$(column torch state)"
ok "which have learnt something" learnt torch

# ---- searches ----

ok "a search of keras_digits.py is queued" stfm-submit -J search --search 4 \
	--parallel 2 --metric val_accuracy lr=loguniform:1e-3:1e-1 \
	batch_size=16,64 epochs=4 -- .venv/bin/python \
	examples/keras_digits.py --filters=4
ok "a search of architectures is queued" stfm-submit -J nas --search 8 \
	--parallel 2 --metric val_accuracy epochs=12 layers=1,2,3 \
	width1=logint:16:256 width2=logint:16:256 width3=logint:16:256 \
	--when 'width2:layers>1' --when width3:layers=3 activation=relu,tanh \
	lr=loguniform:1e-4:1e-1 -- .venv/bin/python examples/nas_digits.py
ok "both end well" stfm-watch --interval 1 search nas
is "keras_digits.py is trained, or stopped early" "" \
	"$(column search state | tr ' ' '\n' | grep -v 'FINISHED\|STOPPED')"
like "the screen has the rungs" "^RUNG +REACHED" "$(stfm-status search)"
widths() {
	stfm-status -o jsonl nas | jq -c 'select(([.width1, .width2, .width3] |
		map(values) | length) != .layers) | .id'
}
is "a network has as many widths as layers" "" "$(widths)"
like "the log says which network it is" "^a network of [0-9 ]+ (relu|tanh)" \
	"$(stfm-log --raw nas/0)"
# All tasks of a population run at once.
ok "a population of torch_digits.py is queued" stfm-submit -J population \
	--search 4 --pbt 3 --metric val_accuracy --epochs 24 \
	lr=loguniform:1e-4:0.1 momentum=uniform:0:0.9 -- \
	"$python" examples/torch_digits.py --epochs=24 --batch_size=4
ok "it ends well" stfm-watch --interval 1 population
is "the population is trained to the end" \
	"FINISHED FINISHED FINISHED FINISHED " "$(column population state)"
continued=$(stfm-log population 2>/dev/null |
	grep -c "going on after epoch [1-9]")
ok "worse tasks continued from checkpoints" [ "$continued" -ge 1 ]

# ---- a network whose time is up ----

back() {
	echo "$STFM_DIR/jobs/back/$1"
}
has_epochs() {
	[ "$(tail -n +2 "$(back metrics)/000000.csv" | wc -l)" -ge "$1" ]
}
# Slurm lets it wait for two minutes; some of that it needs.
put_back() {
	squeue -h -n back -o %T | grep -q PENDING &&
		scontrol update jobid="$array" starttime=now+2
}
ok "torch_digits.py is queued to go on" stfm-submit -J back --requeue -t 60 \
	epochs=150 -- "$python" examples/torch_digits.py --filters=4
array=$(jq -r .array "$(back sub)/c00000.0.claim")_0
ok "it trains" poll 60 has_epochs 2
scancel --batch --signal=USR1 "$array"
ok "told that its time is up, it saves and ends" \
	poll 20 test -e "$(back run)/000/000000.0.0.Q"
like "by itself" "to be continued" "$(cat "$(back log)"/*)"
poll 20 put_back
ok "it goes on and ends well" stfm-watch --interval 1 back
is "which is what the record says" "FINISHED " "$(column back state)"
like "from where it was" "going on after epoch [1-9]" "$(cat "$(back log)"/*)"
is "no epoch is missing, none is there twice" "$(seq 0 149)" \
	"$(tail -n +2 "$(back metrics)/000000.csv" | cut -d , -f 1)"

done_testing
