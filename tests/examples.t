#!/bin/sh
# The examples by themselves: the training scripts really train, no Slurm.
# tests/slurm-examples.t runs them as they are meant to be run.

# shellcheck disable=SC2317 # functions called by ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

# Whether a line of the tests, no comment, has the name of the file.  The page
# is run by slurm-tour.t.
in_a_test() {
	grep -hv '^[[:space:]]*#' "$top/tests/examples.t" \
		"$top/tests/slurm-examples.t" \
		"$top/tests/slurm-dist-train.t" "$top/tests/watch-recipes.t" \
		"$top/tests/tracking.t" "$top/tests/samplers.t" \
		"$top/man/stfm-tour.7" | grep -Fqw -e "$1"
}

# A file of examples/ that no test runs, or that README does not explain.
for file in "$examples"/*; do
	name=${file##*/}
	case $name in
	README | __pycache__) continue ;;
	esac
	ok "$name is run by a test" in_a_test "$name"
	ok "$name is explained in README" grep -Eq "^  $name  +[^ ]" \
		"$examples/README"
done

# The lines of a training log after its header.
epochs() {
	tail -n +2 "$1" | cut -d , -f 1 | tr '\n' ' '
}

# Whether the column of a training log is lower at its end than at its start.
falls() {
	tr -d '\r' <"$1" | awk -F , -v name="$2" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
	NR == 2 { first = $column }
	END { exit !(NR > 2 && column && $column + 0 < first + 0) }'
}

# ---- no framework ----

plain=$examples/plain_curve.sh

STFM_METRICS=plain.csv "$plain" --lr=0.01 --batch_size=32 --epochs=9 \
	--seed=1 --pause=0 >plain.out
is "the plain trainer writes a header" "epoch,loss,val_loss" \
	"$(head -n 1 plain.csv)"
is "and a line an epoch" "0 1 2 3 4 5 6 7 8 " "$(epochs plain.csv)"
ok "its loss falls" falls plain.csv val_loss
is "and it says so" "epoch 8 of 9" "$(tail -n 1 plain.out | cut -d : -f 1)"
cp plain.csv before.csv
STFM_METRICS=plain.csv "$plain" --lr=0.01 --epochs=9 --seed=1 --pause=0 \
	>plain.out
ok "the same seed draws the same curve" cmp plain.csv before.csv
"$plain" --lr=1 --epochs=9 --pause=0 >plain.out
is "it diverges with a large learning rate" "8,nan,nan" \
	"$(tail -n 1 train.csv)"
status "it fails when told to" 1 "$plain" --fail_at=2 --pause=0
is "after the epochs before" "0 1 " "$(epochs train.csv)"
refused "an option it does not have is refused" "--nosuch: no such option" \
	"$plain" --nosuch

# ---- grids and crontabs ----

is "spec.json is a grid of 14 points" 14 \
	"$(stfm-expand --spec "$examples/spec.json" -o count)"
is "with every name" "lr	batch_size	dropout	epochs" \
	"$(stfm-expand --spec "$examples/spec.json" | head -n 1)"

grep -v '^#' "$examples/crontab" >crontab.lines
is "crontab has one line" 1 "$(wc -l <crontab.lines)"
like "of five fields and a command" \
	'^([0-9*,/-]+ ){5}PATH=[^ %]+ stfm-watch [^%]+$' "$(cat crontab.lines)"

# A sanitizer finds nothing in what follows: it runs none of our commands.
[ -z "${SANITIZE:-}" ] || done_testing

# ---- the environment ----

ok "requirements.txt names TensorFlow" grep -q '^tensorflow' \
	"$examples/requirements.txt"
ok "python-env.sh makes an environment, or finds it" \
	sh -c '"$1" >env.out' sh "$examples/python-env.sh"
# Asked again only where it was made just now: TensorFlow takes its time.
grep -q "is there" env.out || "$examples/python-env.sh" >env.out
like "then it finds it" "is there, with TensorFlow" "$(cat env.out)"
mkdir something && touch something/precious
refused "it leaves alone what is no virtual environment" "in the way" \
	"$examples/python-env.sh" something
ok "truly" test -e something/precious
mkdir other && touch other/pyvenv.cfg && ln -s other link
refused "it empties nothing behind a link" "link: is a link" \
	"$examples/python-env.sh" link
ok "truly" test -e other/pyvenv.cfg
refused "it says when there is no Python for it" "python3-venv" \
	env PYTHON=/nonexistent/python "$examples/python-env.sh" new
status "and leaves nothing behind" 1 test -e new

# ---- event files, by those who write them ----

# The last value of the validation loss that each wrote.
reads() {
	like "what $1 writes is read" "$3" "$(stfm-plot -o tsv -m "$2" \
		"events/$1" 2>&1 | tail -n 1 | cut -f 2,4)"
}
# shellcheck disable=SC2086 # words
write_events() {
	"$1" "$top/tests/data/write-events.py" events $2
}

ok "TensorFlow and Keras write event files" \
	write_events "$top/.venv/bin/python" "tf1 tf2 keras"
reads tf1 val_loss '^30.1$'
reads tf2 val_loss '^30.1$'
reads keras validation/epoch_loss '^2.0'

# PyTorch does with TensorBoard's help, which its package does not ask for.
for python in "$top/.venv/bin/python" python3 /usr/bin/python3; do
	"$python" -c 'import tensorboard, torch' 2>/dev/null || continue
	ok "PyTorch writes event files" write_events "$python" torch
	reads torch Loss/val '^30.1$'
	break
done

# ---- TensorBoard ----

# What is to be typed is typed, and TensorBoard asked what it has.
{
	printf 'job|try|x=1..12\nset|epochs=3\n'
	printf 'task|0-11|FINISHED|array=1\nfold|asked=-1\nend\n'
} | "$top/build/plain/tests/store-fixture" board || exit 99
for i in 00 01 02 03 04 05 06 07 08 09 10 11; do
	mkdir -p "board/jobs/try/checkpoint/0000$i"
	cp -r "$top/tests/data/keras/." "board/jobs/try/checkpoint/0000$i"
done
stfm-tensorboard -d board -o sh try >start
{
	PATH=$top/.venv/bin:$PATH exec sh -c "exec $(cat start)" >board.out 2>&1
} &
at_exit "kill $! 2>&-"
port=$(sed 's/.*--port //' start)
runs() {
	"$top/.venv/bin/python" -c 'import json, sys, urllib.request
data = urllib.request.urlopen("http://localhost:%s/data/%s" % (
    sys.argv[1], "plugin/scalars/tags"))
print(sum("epoch_loss" in tags for tags in json.load(data).values()))' "$port"
}
has_all() {
	test "$(runs)" = 24
}
ok "TensorBoard shows what stfm-tensorboard gives it" poll 60 has_all

# ---- Keras ----

python=$top/.venv/bin/python

ok "keras_digits.py trains" env STFM_METRICS=keras.csv \
	STFM_CHECKPOINT_DIR=kept "$python" "$examples/keras_digits.py" \
	--lr=1e-2 --batch_size=64 --filters=4 --dropout=0 --epochs=2
is "it logs what Keras measures" "epoch,accuracy,loss,val_accuracy,val_loss" \
	"$(head -n 1 keras.csv | tr -d '\r')"
is "each epoch" "0 1 " "$(epochs keras.csv)"
ok "it goes on from its checkpoint" env STFM_METRICS=keras.1.csv \
	STFM_CHECKPOINT_DIR=kept STFM_RESUME=1 "$python" \
	"$examples/keras_digits.py" --lr=1e-2 --batch_size=64 --filters=4 \
	--dropout=0 --epochs=4
is "with the next epoch" "2 3 " "$(epochs keras.1.csv)"
is "in a log with a header" "$(head -n 1 keras.csv)" "$(head -n 1 keras.1.csv)"
tail -n +2 keras.1.csv >>keras.csv
ok "it has learnt something" falls keras.csv val_loss
is "there is one checkpoint" last.keras "$(ls kept)"

# ---- PyTorch ----

for python in "$top/.venv/bin/python" python3 /usr/bin/python3; do
	"$python" -c 'import torch, sklearn' 2>/dev/null && break
done
torch() {
	env "$@" --lr=0.1 --momentum=0.9 --batch_size=64 --filters=4
}

ok "torch_digits.py trains" torch STFM_METRICS=whole.csv "$python" \
	"$examples/torch_digits.py" --epochs=4
is "each epoch" "0 1 2 3 " "$(epochs whole.csv)"
ok "it has learnt something" falls whole.csv val_loss
ok "it writes checkpoints" torch STFM_METRICS=torch.csv \
	STFM_CHECKPOINT_DIR=torch "$python" "$examples/torch_digits.py" \
	--epochs=2
ok "it goes on from one" torch STFM_METRICS=torch.1.csv STFM_RESUME=1 \
	STFM_CHECKPOINT_DIR=torch "$python" "$examples/torch_digits.py" \
	--epochs=4
tail -n +2 torch.1.csv >>torch.csv
is "as if it had not been interrupted" "$(cat whole.csv)" "$(cat torch.csv)"

done_testing
