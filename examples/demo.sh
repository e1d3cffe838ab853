#!/bin/sh
# Show the main job on a private Slurm: queue a grid of trainings, follow them,
# compare them.  Everything lives in a temporary directory and is gone at the
# end; only .venv stays.
#
# DEMO_TRAINER=keras, torch or plain chooses what trains; without it the first
# of them that works here.
set -u

top=$(cd "$(dirname "$0")/.." && pwd -P) || exit 2
cd "$top" || exit 2
PATH=$top/bin:$PATH
unset STFM_DIR SLURM_CONF

say() {
	echo
	printf '%s\n' "$@"
}

# Print a command as one would type it, long ones over several lines, an
# option beside its argument; then run it.
show() {
	for word; do
		case $word in
		*[!A-Za-z0-9_./=:,@%+-]*) printf "'%s'\n" "$word" ;;
		*) printf '%s\n' "$word" ;;
		esac
	done | awk '
	function flush() {
		if (length(line) + length(unit) > 75) {
			print line " \\"
			line = "     "
		}
		line = line " " unit
		unit = ""
	}
	NR == 1 { line = "$ " $0; next }
	unit ~ /^-[^ ]*[^- ][^ ]*$/ && !/^-/ { unit = unit " " $0; next }
	{ if (unit != "") flush(); unit = $0 }
	END { if (unit != "") flush(); print line }'
	"$@"
}

clean_up() {
	status=$?
	trap '' INT TERM HUP
	trap - EXIT
	stfm-sandbox stop -Q -d "$dir/slurm"
	rm -rf "$dir"
	exit "$status"
}

dir=$(mktemp -d "${TMPDIR:-/tmp}/stfm-demo.XXXXXX") || exit 2
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The first Python that has PyTorch.
torch_python() {
	for python in .venv/bin/python python3 /usr/bin/python3; do
		if "$python" -c 'import torch, sklearn' 2>/dev/null; then
			echo "$python"
			return 0
		fi
	done
	return 1
}

# ---- what trains ----

trainer=${DEMO_TRAINER:-}
if [ -z "$trainer" ] || [ "$trainer" = keras ]; then
	say "TensorFlow, in a virtual environment inside the tree:"
	if show examples/python-env.sh; then
		trainer=keras
	elif [ -n "$trainer" ]; then
		exit 2
	fi
fi
if [ -z "$trainer" ] || [ "$trainer" = torch ]; then
	if python=$(torch_python); then
		trainer=torch
	elif [ -n "$trainer" ]; then
		echo "demo: no Python here has PyTorch and scikit-learn" >&2
		exit 2
	fi
fi
case ${trainer:=plain} in
keras)
	set -- .venv/bin/python examples/keras_digits.py
	;;
torch)
	say "Without TensorFlow; PyTorch ($python) trains the network."
	set -- "$python" examples/torch_digits.py
	;;
plain)
	say "Without TensorFlow and PyTorch; NO NETWORK IS TRAINED below, a" \
		"script writes learning curves instead."
	set -- examples/plain_curve.sh --pause=0.2
	;;
*)
	echo "demo: DEMO_TRAINER is keras, torch or plain" >&2
	exit 2
	;;
esac

# ---- a cluster for two minutes ----

say "A private Slurm of two nodes with two (pretended) GPUs each:"
show stfm-sandbox start -N 2 -g 2 -d "$dir/slurm" || exit 2
environment=$(stfm-sandbox env -d "$dir/slurm") || exit 2
eval "$environment"
export STFM_DIR="$dir/store"
show sinfo

# ---- the main job ----

say "Queue a grid: four learning rates by three batch sizes, 12 trainings."
show stfm-submit -J conv2d \
	--description "Three Conv2D layers, two fully connected" \
	lr=1e-1,1e-2,1e-3,1e-4 batch_size=16,32,64 epochs=20 -- \
	"$@" || exit 2

say "Follow them until the last one ends; four have a GPU at a time."
show stfm-watch --interval 5 conv2d
status=$?

say "Compare them, best first:"
show stfm-status -s best conv2d || exit 2
if [ "$status" -ne 0 ]; then
	say "Not every training finished; one of the others:"
	show stfm-status "$(stfm-status -o tsv -t ERROR -n 1 conv2d |
		awk 'NR == 2 { print $1 }')"
	exit 1
fi
show stfm-plot --log conv2d || exit 2

say "On a cluster the same commands work without the sandbox; examples/README" \
	"names scripts to start from."
