#!/bin/sh
# The distributed examples really train, on several nodes of a private Slurm.

# shellcheck disable=SC2317 # functions called by ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

# A sanitizer finds nothing here that it does not find in slurm-dist.t, and
# networks take long.
[ -z "${SANITIZE:-}" ] || skip_all "the same with sanitizers"

"$top/examples/python-env.sh" >/dev/null || exit 99
for python in "$top/.venv/bin/python" python3 /usr/bin/python3; do
	"$python" -c 'import torch, sklearn' 2>/dev/null && break
	python=
done

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
# Ports follow from the ids of jobs: not those of other tests.
stfm-sandbox start -Q -N 2 -c 6 -o FirstJobId=5500 -d "$sandbox" || exit 99
environment=$(stfm-sandbox env -d "$sandbox") || exit 99
eval "$environment"
export STFM_DIR="$PWD/store" TF_CPP_MIN_LOG_LEVEL=3 TF_ENABLE_ONEDNN_OPTS=0

# What the examples name by its place in the tree.
mkdir tree && cd tree || exit 99
ln -s "$top/examples" "$top/.venv" . || exit 99

# How a job went, and whether its loss fell below that of a guess among ten.
outcome() {
	stfm-status -o json "$1" |
		jq -rc '.[] | [.state, .exit, .epoch, .best < 2]'
}
show() {
	[ "$(outcome "$1")" = "$2" ] ||
		tail -n 20 "$STFM_DIR/jobs/$1"/log/*.log | tap_tell
}

jobs="mirrored servers"
ok "tf_multi_worker.py is queued" stfm-submit -Q -J mirrored \
	--dist=tensorflow -N 2 --ntasks-per-node=1 --gres=none -- \
	.venv/bin/python examples/tf_multi_worker.py
ok "tf_servers.py is queued" stfm-submit -Q -J servers \
	--dist=tensorflow,ps=1 -N 2 -n 3 --gres=none -- \
	.venv/bin/python examples/tf_servers.py
if [ -n "$python" ]; then
	jobs="$jobs ddp"
	ok "torch_ddp.py is queued" stfm-submit -Q -J ddp --dist=torch -N 2 \
		--ntasks-per-node=2 --gres=none -- \
		"$python" examples/torch_ddp.py
else
	echo "# torch_ddp.py is left out: no PyTorch here" >&2
	tap_say ok "without PyTorch two are left"
fi
# shellcheck disable=SC2086 # names
ok "all of them train" stfm-watch --interval 1 $jobs
for job in $jobs; do
	is "$job to the end, and has learnt something" \
		'["FINISHED",0,3,true]' "$(outcome "$job")"
	show "$job" '["FINISHED",0,3,true]'
done
is "the chief of servers trains, the others serve" "ps 0 serves
worker 0 serves" "$(cat "$STFM_DIR"/jobs/servers/log/*.rank*.log | sort)"

done_testing
