#!/bin/sh
# Is the set-up right?  stfm-check on a real Slurm.
. "$(dirname "$0")/tap.sh"

begin_slurm -N 2 -g 2
export STFM_DIR="$tap_dir/store"

# Frameworks that are imported in no time, and say what they are told to.
mkdir -p site/torch site/tensorflow
cat >site/torch/__init__.py <<'END'
import os
import sys


class cuda:
    is_available = staticmethod(lambda: os.environ["GPUS"] != "0")
    device_count = staticmethod(lambda: int(os.environ["GPUS"]))


class version:
    cuda = os.environ.get("BUILT")


class backends:
    class cudnn:
        version = staticmethod(lambda: 8902)


__version__ = "2.1.0"
sys.stderr.write(os.environ.get("SAYS", "") + "\n")
END
echo 'raise ImportError("libcudnn.so.8: cannot open shared object file")' \
	>site/tensorflow/__init__.py

# One line of the check that was made last.
line() {
	awk -F '\t' -v thing="$1" '$2 == thing' checked
}
check() {
	checked=0
	timeout 120 stfm-check -o tsv "$@" >checked 2>err || checked=$?
}
# The word and the beginning of what was found.
says() {
	like "$1" "^$3	$2	$4" "$(line "$2")"
}
is_clean() {
	[ -z "$(squeue -h)" ] && [ -z "$(find "$tap_dir" -name '.new.check*')" ]
}

# ---- a set-up that is right ----

export PYTHONPATH="$PWD/site" GPUS=0
rm -r "site/tensorflow"
check
is "all is right" 0 "$checked"
is "without a word on standard error" "" "$(cat err)"
is "nothing fails" "" "$(grep ^fail checked)"
says "Slurm answers" slurm ok "cluster sandbox answers"
says "its version is named" versions ok \
	"the commands are $(sbatch --version | grep -o '[0-9.]*$')"
says "its partitions" partitions ok "2: main [(]default[)], short"
says "its GPUs" gres ok ".*main [(]2[)], short [(]2[)]"
says "its limits" arrays ok "at most 1001 tasks each"
says "that it forgets" accounting warn "there is no database: .*5 minutes"
says "the store is to be made" store ok \
	"$STFM_DIR [(]STFM_DIR[)], .*, will be made"
says "a task ran" task ok "a small one [(][0-9]+[)] ran on n[12]"
says "the node sees the store" node-store ok "n[12] and this machine read"
says "and this directory" node-directory ok "n[12] starts in $PWD"
says "the clocks agree" node-clock ok "that of n[12] is as ours"
says "Python is found" python ok "[0-9.]+, /"
says "and a framework" torch ok "2.1.0"
ok "nothing is left behind" poll 10 is_clean
ok "nor was the store made" test ! -e "$STFM_DIR"
stfm-submit -Q --gres=none --args=none -J first -- true
check -p short -t 2 -J mine --export=ALL
is "options of sbatch are handed on" 0 "$checked"
says "as the partition" partition ok "short: 2 nodes, at most 10:00"
says "the store is there" store ok "$STFM_DIR [(]STFM_DIR[)], [a-z0-9]+	"
ok "nothing is left in the store" poll 10 is_clean
is "as stfm-check --store sees it" "" "$(stfm-check --store)"
echo '{"sbatch": {"partition": "short"}}' >defaults.json
STFM_CONFIG=$PWD/defaults.json check
says "so are those of a file of defaults" partition ok "short: 2 nodes"
STFM_CONFIG=$PWD/defaults.json check -p main --no-job
says "which come after those that are given" partition ok \
	"main: 2 nodes, no time limit"
STFM_SLURM=text check
is "through Slurm's commands alone, too" 0 "$checked"
check -Q
is "-Q prints what is not fine" "status warn" \
	"$(cut -f 1 checked | uniq | paste -sd ' ' -)"
ok "JSON is JSON" sh -c 'stfm-check --no-job --json |
	jq -e "map(.status) | index(\"ok\") != null"'

# ---- what a terminal shows ----

wide() {
	script -qec "stty cols $1; stfm-check --no-job" /dev/null </dev/null |
		sed 's/\x1b\[[0-9;]*[mK]//g; s/.*\r\([^\n]\)/\1/; s/\r//' |
		awk -v most="$1" 'length > most'
}
for width in 60 80 120; do
	is "no line is wider than $width columns" "" "$(wide $width)"
done
like "remedies stand below what was found" "^ +-> Run stfm-watch or" \
	"$(stfm-check --no-job)"

# ---- Python ----

check -- "$PWD/nothing/python"
is "a Python that is not there" 1 "$checked"
says "is said so" python fail \
	"$PWD/nothing/python ended with 127: .*not found"
cat >wrapped <<'END'
#!/bin/sh
echo a module says hello
exec python3 "$@"
END
chmod +x wrapped
VIRTUAL_ENV=$PWD/elsewhere check -- ./wrapped
is "a command around Python" 0 "$checked"
says "an environment that is not used" python warn \
	".*the active environment is $PWD/elsewhere"
mkdir site/tensorflow
echo 'raise ImportError("libcudnn.so.8: cannot open shared object file")' \
	>site/tensorflow/__init__.py
check
is "a framework that cannot be imported" 1 "$checked"
says "is named, with what it says" tensorflow fail ".*libcudnn.so.8.*cuDNN"
says "and does not keep from the others" torch ok 2.1.0
rm -r site/tensorflow

# ---- GPUs ----

mkdir path
cp "$top/tests/data/nvidia-smi" path/
export PATH="$PWD/path:$PATH" BUILT=12.1
check --gpu
is "no GPU for a framework" 1 "$checked"
says "one was granted" gpu-granted ok "Slurm granted [01], CUDA_VISIBLE_DEV"
says "its driver is known" gpu-driver ok \
	"1 x NVIDIA A100-SXM4-40GB, driver 535.104.05, for CUDA up to 12.2"
says "the framework sees none" torch-gpu fail "sees none, and does not say"
SAYS="libcudnn.so.8: cannot open" check --gpu
says "and says why" torch-gpu fail "sees none: a library of cuDNN is missing"
BUILT=13.0 check --gpu
says "or is too new" torch-gpu fail "sees none: it was built for CUDA 13.0"
BUILT='' check --gpu
says "or was built without" torch-gpu fail "2.1.0 was built without GPUs"
check --gpu --gres=none
says "none was asked for" gpu-granted fail "Slurm granted none.*--gres=gpu:1"
says "so there is none to see" torch-gpu fail "sees none, as none was granted"
check --gpu --gres=gpu:99
is "more than there are" 1 "$checked"
says "are refused with Slurm's words" task fail "Slurm refuses: .*"
printf '#!/bin/sh\necho "No devices were found"\nexit 6\n' >path/nvidia-smi
check --gpu
says "a driver that fails" gpu-driver fail "the driver shows no GPU: No dev"
rm path/nvidia-smi
mv site/torch torch.off
check --gpu
is "GPUs that nobody has seen to work are a failure" 1 "$checked"
says "and that is why" gpu fail "no framework was seen to compute on a GPU"
mv torch.off site/torch
check --gpu --hold --wait 1
is "as they are where the task has not started" 1 "$checked"
says "which is said as well" gpu fail "no framework was seen to compute"

# ---- trouble ----

check -p nope
is "a partition that is not there" 1 "$checked"
says "is seen" partition fail "there is no nope"
check --hold --wait 1
is "a task that waits is no failure" 0 "$checked"
says "why is said" task warn \
	".*did not start within 1 seconds, because you hold it"
ok "it is cancelled" poll 10 is_clean
cat >path/scancel <<'END'
#!/bin/sh
echo 'scancel: error: no' >&2
exit 1
END
chmod +x path/scancel
STFM_SLURM=text check --hold --wait 0
says "... and said not to be where it is not" task warn "it could not be cancel"
rm path/scancel
scancel -n stfm-check

cat >path/date <<'END'
#!/bin/sh
echo $(($(/bin/date +%s) + 100))
END
chmod +x path/date
check
says "clocks that differ are seen" node-clock warn \
	"that of n[12] is (9[5-9]|10[01]) seconds ahead of ours"
rm path/date

# What is mounted here alone is not seen by slurmd.
alone() {
	unshare -m "$@" 2>&1 || unshare -Um --map-current-user --keep-caps "$@"
}
mkdir hidden
# shellcheck disable=SC2016 # for sh
if alone mount -t tmpfs none hidden; then
	checked=0
	alone sh -c 'mount -t tmpfs none hidden && cd hidden &&
		STFM_DIR=$PWD/store stfm-check -o tsv' >checked 2>err ||
		checked=$?
	is "a store that nodes do not see" 1 "$checked"
	says "is seen not to be" node-store fail \
		"n[12] has another directory as $PWD/hidden	Name a"
	checked=0
	alone sh -c 'mount -t tmpfs none hidden && mkdir hidden/deep &&
		STFM_DIR=$PWD/hidden/deep/store stfm-check -o tsv' \
		>checked 2>err || checked=$?
	says "is seen not to be there" node-store fail \
		"n[12] has no $PWD/hidden/deep	Name a directory"
	checked=0
	alone sh -c 'mount -t tmpfs none hidden && mkdir hidden/x &&
		cd hidden/x && stfm-check -o tsv' >checked 2>err || checked=$?
	is "a directory that nodes do not see" 0 "$checked"
	says "is seen, too" node-directory warn \
		"n[12] starts in .*, it has no $PWD/hidden/x"
	ok "nothing is left of that" poll 10 is_clean
fi

# An end from outside takes the task with it.
stfm-check --hold --wait 100 >out 2>&1 &
pid=$!
is_queued() {
	[ -n "$(squeue -h -n stfm-check)" ]
}
ok "a task waits" poll 20 is_queued
kill -TERM $pid
rc=0
wait $pid 2>"$tap_dir/wait" || rc=$?
is "a signal ends it as it should" 143 $rc
ok "and the task with it" poll 10 is_clean

# ---- slurmctld is gone ----

kill "$(cat "$tap_dir/slurm/run/slurmctld.pid")"
ok "slurmctld ends" poll 20 sh -c \
	"! kill -0 $(cat "$tap_dir/slurm/run/slurmctld.pid")"
began=$(date +%s)
STFM_SLURM_TIMEOUT=2 check
took=$(($(date +%s) - began))
is "no answer is a failure" 1 "$checked"
says "it is said so" slurm fail ".*Try again in a minute"
ok "within its time" test $took -lt $((20 + $(effort) / 2))
says "Python is looked at here" python ok "[0-9.]+, /.*, on this machine"

done_testing
