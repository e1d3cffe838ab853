#!/bin/sh
# Metrics of trainings that write no CSV, or know nothing of stfm, on a real
# Slurm.
. "$(dirname "$0")/tap.sh"
. "$top/tests/jobs.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

submit() {
	stfm-submit -Q --gres=none --args=none "$@"
}
best() {
	row "$1" "$2" '.metrics | "\(.best) @ \(.best_epoch) \(.metric)"'
}
page() {
	COLUMNS=200 stfm-status "$1"
}

## JSON Lines

cat >json.sh <<'END'
#!/bin/sh
for e in 1 2 3; do
	echo "{\"epoch\": $e, \"train\": {\"loss\": $((9 - e))}, \"lr\": NaN}"
	echo "{\"epoch\": $e, \"val\": {\"loss\": $((5 - e)).5}}"
done >"$STFM_METRICS"
END
chmod +x json.sh
submit -J json i=1,2 -- ./json.sh
ok "a training may write JSON Lines" stfm-watch -Q -i 1 json
is "of which the best is known" "2.5 @ 3 val.loss" "$(best json 1)"
like "what was guessed is on the page" \
	'^Read as .*JSON Lines: val\.loss along epoch, guessed$' \
	"$(page json/1)"
is "and it is drawn" "val.loss train.loss" \
	"$(stfm-plot -o tsv json/1 | sed 1d | cut -f 3 | uniq | xargs)"
like "a line of the table has its curve" 'json/1 .* 2\.5000  @\+_' \
	"$(COLUMNS=150 stfm-status json)"

## What a task prints

cat >print.sh <<'END'
#!/bin/sh
for e in 1 2 3 4; do
	echo "Epoch $e/4"
	printf '1/2 - loss: 9.9\r2/2 - loss: 0.%d' $((8 - e))
	printf ' - val_loss: 0.%d\n' $((e == 3 ? 1 : 6 - e))
done
[ "$STFM_PARAM_i" != 2 ] || printf 'Epoch 5/4\nloss: 0.01 - val_loss: 0.01'
END
chmod +x print.sh
submit -J print --metrics-regex 'Epoch (?P<epoch>\d+)' \
	--metrics-regex '\bloss: (?P<loss>[\d.]+)' \
	--metrics-regex 'val_loss: (?P<val_loss>[\d.]+)' i=1,2 -- ./print.sh
ok "a training may just print" stfm-watch -Q -i 1 print
is "and its lines are read" "0.1 @ 3 val_loss" "$(best print 0)"
is "a line without an end counts when it has ended" "0.01 @ 5 val_loss" \
	"$(best print 1)"
like "what was guessed is on the page" \
	'^Read as .*plain log: val_loss along epoch, guessed$' \
	"$(page print/0)"
is "it is drawn as well" "1:0.5 2:0.4 3:0.1 4:0.2" "$(stfm-plot -o tsv \
	-m val_loss print/0 | sed 1d | cut -f 2,4 | tr '\t' : | xargs)"
refused "a pattern that names nothing" \
	"--metrics-regex: 'x=(.*)': names no value" \
	submit --metrics-regex 'x=(.*)' i=1 -- true
like "it is part of what a job is" 'differs.*--metrics-regex|--metrics-regex' \
	"$(submit -J print --metrics-regex '(?P<a>1)' i=1,2 -- ./print.sh 2>&1)"

## None where they are looked for

cat >keras.sh <<'END'
#!/bin/sh
printf 'epoch,loss\n0,2\n1,1\n' >log.csv
END
chmod +x keras.sh
mkdir keras && cp keras.sh keras && cd keras || exit 99
submit -J keras i=1,2 -- ./keras.sh
ok "a training may write a file of its own" stfm-watch -Q -i 1 keras
like "the table says that there are no metrics, and why" \
	"^keras/0-1  no metrics: .*[$]STFM_METRICS.* all tasks wrote to one \
log.csv" "$(page keras)"
like "so does the page" '^Metrics +none: .* one log.csv' "$(page keras/1)"
status "with nothing to draw a plot is refused" 1 stfm-plot keras
is "with the reason" "stfm-plot: keras/0-1: no metrics (FINISHED); keras: \
nothing was written to the file that \$STFM_METRICS names, \
and all tasks wrote to one log.csv: let each write to \$STFM_METRICS
stfm-plot: nothing to draw" "$(stfm-plot keras 2>&1)"
submit -J alone i=1 -- ./keras.sh
ok "one alone may as well" stfm-watch -Q -i 1 alone
like "and is told of --metrics" 'submit with --metrics log.csv$' \
	"$(page alone)"
like "one file for all is warned of" \
	"--metrics log.csv: all tasks write this one file" \
	"$(stfm-submit --gres=none -J one --metrics log.csv i=1,2 -- \
		./keras.sh 2>&1 >/dev/null)"
ok "it is queued all the same" stfm-watch -Q -i 1 one
like "and said where it is read" "^--metrics log.csv: all tasks write" \
	"$(page one)"
is "no warning for a file of each" "" \
	"$(stfm-submit --gres=none -J each --metrics 'log-{task}.csv' \
		--dry-run i=1,2 -- ./keras.sh 2>&1 >/dev/null)"
cd .. || exit 99

## TensorBoard

cat >events.sh <<'END'
#!/bin/sh
# As Keras writes: training and validation apart; two writers in turn.
mkdir -p "$1/train" "$1/validation"
cp "$DATA"/keras/train/* "$1/train"
cp "$DATA"/keras/validation/* "$1/validation"
[ -z "$STFM_PARAM_hold" ] || sleep "$STFM_PARAM_hold"
END
chmod +x events.sh
export DATA="$top/tests/data"
submit -J board --metrics 'runs/{job}/{task}' i=1,2 -- \
	./events.sh 'runs/{job}/{task}'
ok "a training may write event files" stfm-watch -Q -i 1 board
like "of which the best is known" '^0\.[0-9]+ @ 2 validation/epoch_loss$' \
	"$(best board 0)"
is "all bytes were read" "$(cat "$DATA"/keras/*/* | wc -c)" \
	"$(row board 0 .metrics.offset)"
like "what was guessed is on the page" \
	'TensorBoard: validation/epoch_loss along epoch, guessed$' \
	"$(page board/0)"
is "and it is drawn" "validation/epoch_loss train/epoch_loss" \
	"$(stfm-plot -o tsv board/0 | sed 1d | cut -f 3 | uniq | xargs)"
like "a line of the table has its curve" 'board/0 .* 0\.5' \
	"$(COLUMNS=150 stfm-status board)"

# What stfm-tensorboard advises: the directory $STFM_METRICS.
# shellcheck disable=SC2016 # for the training
submit -J advised i=1 -- sh -c './events.sh "$STFM_METRICS"'
timeout 300 stfm-watch -Q -i 1 advised
like "event files in the directory STFM_METRICS are the log" \
	'^0\.[0-9]+ @ 2 validation/epoch_loss$' "$(best advised 0)"
is "which stfm-tensorboard shows" advised/0 \
	"$(stfm-tensorboard -o tsv advised | sed 1d | cut -f 1)"

## What a job before has left

# Under the same name, and with what somebody has put there for the training.
stfm-stop -yQ --remove board
echo lr: 1 >runs/board/0/config.yaml
submit -J board --canary --metrics 'runs/{job}/{task}' i=1,2 -- \
	sh -c 'cat "runs/board/$STFM_TASK/config.yaml"; exit 3'
timeout 300 stfm-watch -Q -i 1 board
is "event files of a job before are not its own" null \
	"$(row board 0 .metrics.best)"
is "no epoch lets the others go" "" "$(ls "$STFM_DIR/jobs/board/ctl")"
is "they are kept under another name" 2 \
	"$(find runs/board/0.before-* -name '*tfevents*' | wc -l)"
like "which its log says; the rest stays for the training" \
	'^stfm-run: runs/board/0 was there before: now 0\.before-.* lr: 1$' \
	"$(stfm-log board/0 | xargs)"

cat >left.sh <<'END'
#!/bin/sh
mkdir -p "results/left/$STFM_TASK" && cd "results/left/$STFM_TASK" || exit
[ -e "$STFM_TASK.csv" ] || echo epoch,loss >"$STFM_TASK.csv"
echo "$1" >>"$STFM_TASK.csv"
END
chmod +x left.sh
mkdir results
submit -J left i=1,2 -- ./left.sh 1,0.1
timeout 300 stfm-watch -Q -i 1 left
is "a training may write where it is looked for" "0.1 @ 1 loss" "$(best left 1)"
stfm-stop -yQ --remove left
submit -J left --hold i=1,2 -- ./left.sh 2,0.5
like "a task that has not begun has no curve" \
	"^stfm-plot: left/0-1: no metrics yet \\(SUBMITTED\\)" \
	"$(stfm-plot left 2>&1 | head -1)"
stfm-release -Q left
timeout 300 stfm-watch -Q -i 1 left
is "what it adds is not added to that of another" "0.5 @ 2 loss" \
	"$(best left 1)"
is "which is there as it was" 1,0.1 "$(tail -1 results/left/1/1.csv.before-*)"
stfm-restart -Q --finished left/1
stfm-release -Q left/1
timeout 300 stfm-watch -Q -i 1 left
is "its own of an attempt before is known as such" 2,0.5 \
	"$(tail -1 results/left/1/1.csv.0)"
stfm-stop -yQ --remove left
submit -J left i=1,2 -- ./left.sh 3,0.7
timeout 300 stfm-watch -Q -i 1 left
is "and has another name for the next job, too" 2,0.5 \
	"$(tail -1 results/left/1/1.csv.0.before-*)"

## Event files that grow

# A file that grows: half of it, then all, then that of a restart.
cat >grow.sh <<'END'
#!/bin/sh
log=$1/events.out.tfevents.1700000000.n1
mkdir -p "$1"
head -c 300 "$DATA/torch.tfevents" >"$log"
until [ -e "$GO/1" ]; do sleep 0.1; done
tail -c +301 "$DATA/torch.tfevents" >>"$log"
until [ -e "$GO/2" ]; do sleep 0.1; done
cp "$DATA/torch.tfevents" "$1/events.out.tfevents.1700000001.n1"
until [ -e "$GO/3" ]; do sleep 0.1; done
END
chmod +x grow.sh
export GO="$tap_dir/go"
mkdir "$GO"
submit -J grow --metrics 'runs/grow' --metric Loss/train i=1 -- \
	./grow.sh runs/grow
is_at() {
	stfm-watch -Q --once grow
	[ "$(row grow 0 '.metrics | "\(.last_epoch) \(.restarts)"')" = "$1" ]
}
ok "half a file is read as far as it goes" poll 30 is_at "10 null"
touch "$GO/1"
ok "then the rest of it" poll 30 is_at "30 null"
is "which was read once" 460 "$(row grow 0 .metrics.offset)"
touch "$GO/2"
ok "another file goes on from an earlier step" poll 30 is_at "30 1"
is "and only it was read" 920 "$(row grow 0 .metrics.offset)"
touch "$GO/3"
stfm-watch -Q -i 1 grow

done_testing
