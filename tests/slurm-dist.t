#!/bin/sh
# stfm-dist in real steps: all ranks agree, and reach each other.

# shellcheck disable=SC2016,SC2317 # what other shells run, functions of ok
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
# Ports follow from the ids of jobs: not those of other tests.
stfm-sandbox start -Q -N 3 -g 2 -c 4 -o FirstJobId=3000 -d "$sandbox" || exit 99
environment=$(stfm-sandbox env -d "$sandbox") || exit 99
eval "$environment"

# One allocation of three nodes for all that follows.
salloc -Q -N 3 -n 6 --ntasks-per-node=2 --gres=gpu:2 --no-shell \
	-J dist 2>salloc.err || exit 99
job=$(squeue -h -n dist -o %i)
at_exit 'scancel "$job"'
# Each step by itself: ranks in their order, labels apart.
step() {
	srun -Q --jobid="$job" --overlap "$@" 2>err
}

# ---- all agree, however they are distributed ----

agree() {
	step -l "$@" stfm-dist -o env torch | sort -n >torch.out
	like "srun $*: it says nothing else" '^$' "$(grep -v Warning err)"
	is "srun $*: one address, port and size for all" 1 \
		"$(grep -E 'MASTER_|: WORLD_SIZE' torch.out |
			sed 's/^[^:]*: //' | sort -u | cut -d = -f 1 |
			uniq -c | awk '{ print $1 }' | sort -u)"
	ranks=$(($(wc -l <torch.out) / 8))
	is "srun $*: each rank once" "$(seq 0 "$((ranks - 1))")" \
		"$(sed -n 's/.*: RANK=//p' torch.out | sort -n)"
	step -l "$@" stfm-dist -o env tensorflow | sort -n >tf.out
	is "srun $*: one cluster for all" 1 \
		"$(sed -n 's/.*TF_CONFIG=\(.*\),"task".*/\1/p' tf.out |
			sort -u | wc -l)"
}
agree -N 3 -n 6
agree -N 3 -n 6 -m cyclic
agree -N 3 -n 5 -m plane=2
agree -N 2 -n 3 -r 1

address=$(step -n 1 -N 1 stfm-dist -o json torch | jq -r .MASTER_ADDR)
is "the nodes' names do not resolve: the address is Slurm's" \
	"$(scontrol show node n1 | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')" \
	"$address"
cat >hosts <<'END'
n3
n1
n1
END
SLURM_HOSTFILE=$PWD/hosts step -m arbitrary -n 3 stfm-dist torch >out
like "who cannot know where the others are says so" \
	"SLURM_DISTRIBUTION=arbitrary: which task is where cannot be known" \
	"$(cat err)"

# ---- GPUs ----

is "GPUs of a node are divided between its tasks" "0
0
0
1
1
1" "$(step -N 3 -n 6 stfm-dist tensorflow -- \
	sh -c 'echo "$CUDA_VISIBLE_DEVICES"' | sort)"
is "unless they are left alone" "0,1" \
	"$(step -N 3 -n 6 stfm-dist torch -- \
		sh -c 'echo "$CUDA_VISIBLE_DEVICES"' | sort -u)"

# ---- each rank listens, and reaches all others ----

cat >meet.py <<'END'
"""Listen at our own place in TF_CONFIG, and shake hands with all others."""
import json, os, socket, threading, time

config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
places = [(role, i, place) for role, list in config["cluster"].items()
          for i, place in enumerate(list)]
ours = config["cluster"][task["type"]][task["index"]]
server = socket.create_server((ours.rsplit(":", 1)[0],
                               int(ours.rsplit(":", 1)[1])), backlog=64)
name = "%s %d" % (task["type"], task["index"])


def answer():
    for _ in places:
        peer = server.accept()[0]
        peer.sendall(name.encode())
        peer.close()


thread = threading.Thread(target=answer)
thread.start()
for role, i, place in places:
    host, port = place.rsplit(":", 1)
    until = time.monotonic() + 100
    while True:
        try:
            peer = socket.create_connection((host, int(port)), 100)
            break
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    text = b""
    while part := peer.recv(100):
        text += part
    assert text.decode() == "%s %d" % (role, i), (text, role, i)
thread.join()
print("%s of %d met all" % (name, len(places)))
END
# Another program on this machine may have one of the ports at that moment.
for _ in 1 2 3; do
	step -N 3 -n 6 stfm-dist tensorflow --ps 2 -- python3 meet.py >meet.out
	[ "$(wc -l <meet.out)" -eq 6 ] && break
done
is "all tasks of three nodes listen and reach each other" \
	"chief 0 of 6 met all
ps 0 of 6 met all
ps 1 of 6 met all
worker 0 of 6 met all
worker 1 of 6 met all
worker 2 of 6 met all" "$(sort meet.out)"
[ "$(wc -l <meet.out)" -eq 6 ] || tap_tell <err

# ---- from a batch script ----

cat >train.sbatch <<'END'
#!/bin/sh
eval "$(stfm-dist tensorflow --ps 1)"
echo "script: ${TF_CONFIG-none}"
srun -Q -n 1 -N 1 sh -c 'echo "alone: ${TF_CONFIG-none}"'
srun -Q python3 meet.py
eval "$(stfm-dist torch)"
srun -Q sh -c 'echo "rank $RANK of $WORLD_SIZE"'
eval "$(stfm-dist tensorflow --ps 9)"
echo "script: goes on"
END
SLURM_JOB_ID=$job sh -c '
	eval "$(scontrol show job "$SLURM_JOB_ID" -o | tr " " "\n" |
		grep ^NodeList=)"
	export SLURM_JOB_NODELIST=$NodeList SLURM_NTASKS=6
	export SLURM_TASKS_PER_NODE="2(x3)" SLURM_JOBID=$SLURM_JOB_ID
	export SLURM_NNODES=3 SLURM_OVERLAP=1
	exec sh train.sbatch' >script.out 2>script.err
is "a batch script is no task itself" "script: none" \
	"$(grep ^script script.out)"
is "a step of one task needs no roles" "alone: none" \
	"$(grep ^alone script.out)"
is "a step of all of them has theirs, with srun alone" 6 \
	"$(grep -c "of 6 met all" script.out)"
is "also of another framework" "rank 0 of 6
rank 1 of 6
rank 2 of 6
rank 3 of 6
rank 4 of 6
rank 5 of 6" "$(grep ^rank script.out | sort)"
like "too many roles are an error there too" "6 tasks: too few for a chief, 9" \
	"$(cat script.err)"
[ "$(grep -c 'of 6' script.out)" -eq 12 ] || tap_tell <script.err

# ---- parameter servers end with the chief ----

# The chief ends when all others have printed something.
cat >roles.py <<'END'
import glob, json, os, sys, time
task = json.loads(os.environ["TF_CONFIG"])["task"]
name = "%s %d" % (task["type"], task["index"])
print("out of " + name, flush=True)
print("err of " + name, file=sys.stderr, flush=True)
here = os.path.join(os.environ.get("STFM_DIRECTORY", "."),
                    "here." + os.environ.get("STFM_TASK", "step"))
if name != "chief 0":
    open(here + "." + name, "w").close()
    time.sleep(10000)
while len(glob.glob(here + ".*")) < 3:
    time.sleep(0.05)
with open(os.environ.get("STFM_METRICS", "metrics.csv"), "w") as log:
    log.write("epoch,val_loss\n0,1\n1,0.5\n")
sys.exit(int(os.environ.get("STFM_PARAM_code", "0")))
END
ok "ranks that serve the chief end when it has ended" \
	step -N 3 -n 4 stfm-dist tensorflow --ps 1 -- python3 roles.py

# ---- the tasks of a job ----

scancel "$job"
export STFM_DIR="$PWD/store"
two="-N 2 --ntasks-per-node=2 --gres=none"
# shellcheck disable=SC2086 # words
ok "a job of distributed trainings is queued" stfm-submit -J ps $two \
	--dist=tensorflow,ps=1 --args=none code=0,3 -- python3 roles.py
status "they end as their chiefs do" 1 stfm-watch --interval 1 ps
column() {
	stfm-status -o json "$1" | jq -rc "[.[] | $2]"
}
is "one well, one with the chief's code" '["FINISHED","ERROR"] [0,3]' \
	"$(column ps .state) $(column ps .exit)"
is "the metrics are those of the chief" "[0.5,0.5] [2,2]" \
	"$(column ps .best) $(column ps .best_epoch)"
is "nobody says how much memory they took" "[null,null]" \
	"$(column ps .memory)"
is "each task has one record of its start" "2" \
	"$(find store/jobs/ps/run -name '*.S' | wc -l)"
ok "and the store is sound" stfm-check --store
log=$(column ps .log | jq -r '.[0]')
is "its log is what the first rank printed" "out of chief 0" \
	"$(grep '^out' "$log")"
is "with the errors of all" "err of chief 0
err of ps 0
err of worker 0
err of worker 1" "$(grep '^err' "$log" | sort)"
is "what others printed is beside it" "out of worker 0
out of worker 1
out of ps 0" "$(cat "${log%.log}".rank[123].log)"
# shellcheck disable=SC2086 # words
refused "the same job with other ranks is another" "with another --dist" \
	stfm-submit -J ps $two --dist=tensorflow,ps=2 --args=none code=0,3 -- \
	python3 roles.py

# A signal for the task is one for each of its ranks.
cat >told.py <<'END'
import os, signal, time
os.chdir(os.environ["STFM_DIRECTORY"])
told = []


def hear(*_):
    told.append(True)
    with open("told." + os.environ["RANK"], "a") as file:
        file.write("told\n")


signal.signal(signal.SIGUSR1, hear)
open("ready." + os.environ["RANK"], "w").close()
while not told:
    time.sleep(0.05)
time.sleep(0.5)
END
# shellcheck disable=SC2086 # words
ok "a job of PyTorch's kind is queued" stfm-submit -Q -J told $two \
	--dist=torch -- python3 told.py
ranks() {
	[ "$(find . -maxdepth 1 -name "$1.[0-9]" | wc -l)" -eq 4 ]
}
ok "its four ranks start" poll 100 ranks ready
ok "a signal" scancel --batch --signal=USR1 "$(squeue -h -n told -o %A)"
ok "reaches all of them" poll 100 ranks told
ok "and the task ends well" stfm-watch --interval 1 told
is "each was told once" 4 "$(cat told.[0-3] | wc -l)"

# ---- GPUs that Slurm has divided between the ranks ----

cat >sees.sh <<'END'
echo "$RANK: ${LOCAL_RANK} of $CUDA_VISIBLE_DEVICES" >>"$STFM_DIRECTORY/sees"
END
scancel "$job"
# shellcheck disable=SC2086 # words
ok "ranks with a GPU each are queued" stfm-submit -Q -J sees -N 2 -n 4 \
	--ntasks-per-node=2 --gpus-per-task=1 --dist=torch -- sh sees.sh
ok "and end" stfm-watch --interval 1 sees
is "each finds the GPU of its local rank" "0: 0 of 0,1
1: 1 of 0,1
2: 0 of 0,1
3: 1 of 0,1" "$(sort sees)"
rm sees
ok "ranks that a binding divides them between are queued" \
	stfm-submit -Q -J bound -n 2 --gres=gpu:2 --gpu-bind=single:1 \
	--dist=torch -- sh sees.sh
ok "and end" stfm-watch --interval 1 bound
is "each sees the GPU that it is bound to" "0: 0 of 0
1: 1 of 1" "$(sort sees)"
srun -Q -N 1 -n 2 --gpus-per-task=1 stfm-dist torch -- true 2>err
like "a step of one's own is warned of it" \
	'rank 1 is number 1 on its node and sees 1 GPU: ' "$(cat err)"
is "once" 1 "$(grep -c 'is number' err)"

done_testing
