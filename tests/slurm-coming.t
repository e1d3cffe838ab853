#!/bin/sh
# stfm(7), COMING FROM OTHER SYSTEMS: each of its command lines does it.
#
# Every system has a store of its own, with a job of four trainings: two have
# ended well, one has failed, and the last goes on.
. "$(dirname "$0")/tap.sh"

sandbox=$tap_dir/sandbox
at_exit 'stfm-sandbox stop -Q -d "$sandbox"'
# A GPU that shows the trainings, as far as nvidia-smi tells.
mkdir "$tap_dir/smi"
ln -s "$top/tests/data/nvidia-smi" "$tap_dir/smi/"
PATH=$tap_dir/smi:$PATH
export GPU_PIDS="$tap_dir/smi/pids"
: >"$GPU_PIDS"
stfm-sandbox start -Q -N 4 -g 4 -c 64 -d "$sandbox" || exit 99
eval "$(stfm-sandbox env -d "$sandbox")"

# The name of a system's directory.
place_of() {
	printf '%s\n' "$1" | tr -c 'A-Za-z0-9\n' _
}

# SYSTEM<tab>COMMAND, a line each.  A long command is in a display.
rows_of() {
	awk '
	/^\.Sh / { inside = /OTHER SYSTEMS/ }
	inside && /^\.Ss Coming from / { system_ = substr($0, 17) }
	inside && /^\.Dl / { print system_ "\t" substr($0, 5) }
	inside && (more || /^stfm-/) {
		line = more ? line $0 : $0
		more = sub(/\\e$/, "", line)
		if (!more)
			print system_ "\t" line
	}' "$1" | sed 's/\\(dq/"/g; s/\\&//g; s/\\-/-/g'
}
rows_of "$top/man/stfm.7" >commands
cut -f 1 commands | uniq >systems

# What the output of a command has, for those that begin so; the first counts.
# "^$" is none at all.
expected() {
	case $1 in
	"stfm-submit --dry-run "*) echo ' nothing is queued' ;;
	"stfm-submit --sync "*) echo ": 1 new, .* 1 queued" ;;
	*stfm-submit*) echo ': [0-9]* tasks? queued' ;;
	*stfm-ask*) echo '^[0-9.]+(e-[0-9]+)?$' ;;
	"stfm-status -e"*) echo 'ValueError: too large' ;;
	"stfm-status -o json"*) echo '"state": *"FINISHED"' ;;
	"stfm-status -o csv"*) echo '^mnist/0,mnist,0,FINISHED,' ;;
	"stfm-status --record"*) echo '\./train\.py' ;;
	"stfm-status mnist/0") echo 'FINISHED' ;;
	"stfm-status"*) echo 'mnist' ;;
	"stfm-plot --usage"*) echo 'cpu' ;;
	"stfm-plot --by"*) echo 'batch_size' ;;
	"stfm-plot"*) echo 'val_loss' ;;
	"stfm-log -e"*) echo 'ValueError: too large' ;;
	"stfm-log"*) echo 'trains 0' ;;
	"stfm-watch"*) echo '^$' ;;
	"stfm-stop --remove"*) echo 'mnist: removed|removed' ;;
	"stfm-stop"*) echo ': stopped [12] tasks?: ' ;;
	"stfm-restart"*) echo '1 task' ;;
	"stfm-expand"*) echo '^0.01	3' ;;
	"stfm-check") echo '^ok +slurm' ;;
	"stfm-checkpoints"*) echo 'removed' ;;
	"stfm-tensorboard"*) echo ' tensorboard --logdir' ;;
	"stfm-attach"*) echo "^$(hostname)" ;;
	"stfm-nodes --processes") echo '^n[0-9] .* [0-9]+_3 .*train\.py' ;;
	"stfm-nodes -p"*) echo '^main' ;;
	"stfm-nodes --reserve"*) echo 'reserved|reservation' ;;
	"stfm-nodes --calendar"*) echo 'n1|n\[1' ;;
	"stfm-nodes"*) echo 'n1|n\[1' ;;
	"stfm-hold"*) echo 'mnist: ' ;;
	"stfm-release"*) echo 'mnist: ' ;;
	"stfm-throttle"*) echo 'mnist: ' ;;
	"stfm-import --slurm"*) echo ': 3 tasks of Slurm job [0-9]' ;;
	"stfm-import"*) echo 'old: ' ;;
	"srun"*) echo 'trains' ;;
	"eval"*) echo '^TF_CONFIG=.*"ps":' ;;
	esac
}

cat >train.py <<'END'
#!/usr/bin/env python3
import os, shutil, time
job, task = os.environ.get("STFM_JOB"), os.environ.get("STFM_TASK", "0")
print("trains", task, flush=True)
if job == "mnist" and task == "1":
    raise ValueError("too large")
with open(os.environ.get("STFM_METRICS", "log.csv"), "w") as log:
    log.write("epoch,val_loss\n0,1\n1,0.%d\n" % (9 - int(task)))
if job is not None:
    with open(os.environ["STFM_CHECKPOINT_DIR"] + "/last.pt", "w") as saved:
        saved.write("weights")
    shutil.copy("curves.tfevents",
                os.environ["STFM_CHECKPOINT_DIR"] + "/events.out.tfevents.1")
if job == "mnist" and task == "3":
    with open(os.environ["GPU_PIDS"], "a") as pids:
        pids.write("%d 400\n" % os.getpid())
    time.sleep(1000)
END
echo '{"params": {"lr": [0.1, 0.01]}}' >grid.json
cat >old.json <<'END'
{"params": {"batch_size": [32], "learning_rate": [0.1], "epochs": [2],
 "early_stopping": [1]}}
END
chmod +x train.py
cp "$top/tests/data/torch.tfevents" curves.tfevents
mkdir -p results/12/0
printf 'epoch,loss\n0,1\n' >results/12/0/0.csv

while read -r system; do
	place=$(place_of "$system")
	mkdir "$place"
	cp -r ./*.py ./*.json curves.tfevents results "$place"
	(cd "$place" && STFM_DIR=$PWD/store stfm-submit -Q -J mnist -t 30 \
		--gres=none lr=0.1,0.01 batch_size=32,64 -- ./train.py)
done <systems

# The trainings alone have one; what has none keeps others from reserving its
# node, and may end while somebody looks at it.
all_have_limits() {
	! squeue -h -o %l | grep -vq '^30:00'
}

# The first look at what a training uses is seconds after its start.
is_measured() {
	find "$STFM_DIR/jobs/mnist/usage" -name '000003.*' | grep -q .
}

# Whether the output is what is expected of it.
says() {
	case $1 in
	"") return 1 ;;
	'^$') [ ! -s out ] ;;
	*) grep -Eq -e "$1" out ;;
	esac
}

is_there() {
	[ "$(stfm-status -o tsv mnist | cut -f 4 | sort | tr '\n' ' ')" = \
		"ERROR FINISHED FINISHED RUNNING state " ]
}

for system in S-TFManager TensorHive tensorflow_on_slurm Determined Optuna \
	"Ray Tune" NePS Orion submitit SEML Hydra Dora; do
	ok "the page has $system" grep -q "^$system\$" systems
done
# A row is what is at hand there, and below it the command for that.
is "no row is without a command" "" "$(awk '
	/^\.Sh / { inside = /OTHER SYSTEMS/ }
	inside && row != "" && /^\.(It|El|Ss|Sh)/ { print row }
	/^\.It|^\.El|^\.Dl|^stfm-/ { row = "" }
	inside && /^\.It / { row = $0 }' "$top/man/stfm.7")"
while IFS='	' read -r system line; do
	cd "$tap_dir/here/$(place_of "$system")" || exit 99
	export STFM_DIR="$PWD/store"
	if [ "$system" != "${last:-}" ]; then
		last=$system
		ok "$system: there are trainings" poll 30 is_there
	fi
	rc=0
	case $line in # as in a batch script
	"eval "*) set -- salloc -Q -N 3 sh -c "$line; srun env" ;;
	*--usage*)
		poll 30 is_measured 2>/dev/null
		set -- sh -c "$line"
		;;
	*--reserve* | *--processes*)
		poll 60 all_have_limits
		set -- sh -c "$line"
		;;
	*) set -- sh -c "$line" ;;
	esac
	"$@" >out 2>&1 </dev/null || rc=$?
	want=$(expected "$line")
	if [ "$rc" -eq 0 ] && says "$want"; then
		tap_say ok "$system: $line"
	else
		tap_say "not ok" "$system: $line"
		{
			echo "status $rc, wanted: $want"
			cat out
		} | tap_tell
	fi
	cd "$tap_dir/here" || exit 99
done <commands

done_testing
