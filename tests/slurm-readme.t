#!/bin/sh
# The blocks of README that are to be typed do what it says.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 1 -g 2 -c 8
export STFM_DIR="$tap_dir/store"
# Debian's own Python is called python3 alone.
if ! command -v python >"$tap_dir/which"; then
	mkdir bin
	ln -s "$(command -v python3)" bin/python
	PATH=$PWD/bin:$PATH
fi
tab=$(printf '\t')

# The lines with a tab between two lines of README.
block() {
	sed -n "/^$1/,/^$2/p" "$top/README" | sed -n "s/^$tab//p"
}

## A script with the two things that it needs

{
	echo 'import argparse, os, sys'
	echo 'p = argparse.ArgumentParser()'
	echo 'p.add_argument("--lr", type=float, default=0.1)'
	echo 'p.add_argument("--units", type=int, default=32)'
	echo 'a = p.parse_args()'
	echo 'print(sys.prefix, os.environ.get("CONDA_PREFIX"))'
	block 'Your script' 'Each task' | sed -n 1,2p
	echo 'for epoch in range(3):'
	echo '    loss = val_loss = a.lr / (1 + epoch)'
	block 'Your script' 'Each task' | sed -n '3s/^/    /p'
} >train.py
block 'It expands' 'Your script' | sed 's/   *[a-z].*//' >lines
first=$(sed -n 1p lines)
ok "the first line is a submission" sh -c "$first"
ok "the job ends" stfm-watch -Q -i 1 digits
is "all tasks are trained, with curves" "6 3" \
	"$(stfm-status -o jsonl digits |
		jq -r 'select(.best != null) | .epoch' | uniq -c | xargs)"
while read -r line; do
	case $line in
	*'|') continue ;;
	'stfm-status -e'* | *--why*) want=1 ;;
	*'>'*.html) want=0 ;;
	*digits2) continue ;;
	stfm-status* | stfm-log* | stfm-plot* | stfm-watch*) want=0 ;;
	stfm-nodes*) want=0 ;;
	*) continue ;;
	esac
	rc=0
	timeout 60 sh -c "$line" >out 2>&1 || rc=$?
	[ "$rc" -le "$want" ] || tap_tell <out
	ok "it runs: $line" test "$rc" -le "$want"
done <lines
ok "the report is there" test -s digits.html

## The environment of the tasks

block '  The tasks inherit' 'Try it' | sed 's/  *#.*//' >activate
submit=$(sed -n 's/^stfm-submit -J digits/stfm-submit --gres=none -J JOB/p' \
	activate)
ok "a venv is made" python3 -m venv --without-pip venv
# What conda and modules do to a shell: a variable, and a directory in PATH.
# shellcheck disable=SC2016 # for another shell
cat >shells <<'END'
conda() {
	CONDA_PREFIX=$PWD/envs/$2 PATH=$PWD/envs/$2/bin:$PATH
	export CONDA_PREFIX
}
module() { PATH=$PWD/modules/bin:$PATH; }
END
mkdir envs && cp -R venv envs/tf && cp -R venv modules || exit 99
for kind in conda venv module; do
	line=$(grep "^$kind\|^\. $kind" activate)
	sh -c ". ./shells; $line; $(echo "$submit" | sed "s/JOB/$kind/")" \
		>out 2>&1
	stfm-watch -Q -i 1 "$kind"
	is "tasks inherit what this activates: $line" \
		"$PWD/$(case $kind in conda) echo envs/tf ;; venv) echo venv ;;
			*) echo modules ;; esac)" \
		"$(stfm-log --raw -n 1 "$kind/0" | cut -d ' ' -f 1)"
done

## The results in Python

python=$top/.venv/bin/python
[ -x "$python" ] || python=python3
if "$python" -c 'import pandas' 2>/dev/null; then
	{
		block 'Read the results' '  examples/to_mlflow'
		echo 'print(len(tasks), tasks.state.unique()[0])'
	} >read.py
	is "pandas reads a job" "6 FINISHED" "$("$python" read.py)"
else
	skip "pandas reads a job" "there is no pandas"
fi

done_testing
