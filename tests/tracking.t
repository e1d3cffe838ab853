#!/bin/sh
# The examples that load a job into MLflow, Weights & Biases and a notebook,
# with the real packages: to_mlflow.py, to_wandb.py, job.ipynb, stfm_job.py.
. "$(dirname "$0")/tap.sh"

# A sanitizer finds nothing here that the tests of the commands do not.
[ -z "$SANITIZE" ] || skip_all "Python's packages have no sanitizer"

# ---- the packages ----

env=$top/build/tracking
requirements=$examples/tracking.txt
# What is imported must come from the environment and from nowhere else.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTHONDONTWRITEBYTECODE
# Only what is imported is compiled, and nothing is left in examples/.
export PYTHONPYCACHEPREFIX="$env/cache" PIP_DISABLE_PIP_VERSION_CHECK=1

make_env() {
	cmp -s "$requirements" "$env/tracking.txt" && return
	rm -rf "$env" && python3 -m venv "$env" &&
		TMPDIR=$tap_dir "$env/bin/pip" install -q --no-compile \
			-r "$requirements" && cp "$requirements" "$env/"
}
mkdir -p "$top/build"
exec 9>"$top/build/tracking.lock"
flock 9
make_env >pip.log 2>&1 ||
	skip_all "the packages cannot be installed: $(tail -n 1 pip.log)"
exec 9>&-
python=$env/bin/python

# ---- a job ----

fixture=$top/build/plain/tests/store-fixture
export SLURM_CONF=/nonexistent STFM_DIR="$PWD/store"
for i in 0 1 2; do
	printf 'epoch,loss,val_loss\n1,%s,0.9\n2,1,0.%s\n' $((i + 2)) \
		$((i + 1)) >$i.csv
done
printf 'epoch,loss,val_loss\n1,1,1\n2,nan,nan\n' >3.csv
task() {
	printf 'task|%s|%s|start=-90|end=-40|%s\nmetrics|%s|%s.csv\n' \
		"$1" "$2" "$3" "$1" "$1"
}
{
	echo 'job|net|lr=1e-3,0.5|opt=adam,sgd|epochs=2'
	task 0 FINISHED 'exit=0|node=n1'
	task 1 FINISHED 'exit=0|node=n1'
	task 2 ERROR 'cause=exit 1|exit=1|node=n2'
	task 3 STOPPED 'node=n2'
	printf 'fold|asked=-1\nend\n'
} | "$fixture" store || exit 99

run() {
	script=$examples/$1
	shift
	"$python" "$script" "$@"
}

is "stfm_job.py reads a job" "net/2 ERROR 0.3 {'lr': 0.5, 'opt': 'adam', \
'epochs': 2} {1: {'val_loss': 0.9}, 2: {'val_loss': 0.3}}" \
	"$(PYTHONPATH=$examples "$python" -c 'import stfm_job
task = stfm_job.tasks("net")[2]
print(task["id"], task["state"], task["best"], task["params"],
      stfm_job.curves("net")["net/2"])')"

# ---- MLflow ----

export MLFLOW_TRACKING_URI="sqlite:///$PWD/mlflow.db"
export MLFLOW_DISABLE_TELEMETRY=true
is "a job is loaded into MLflow" "net: 4 runs loaded" \
	"$(run to_mlflow.py net loss,val_loss 2>err)"
cat >read.py <<'END'
from mlflow.tracking import MlflowClient

client = MlflowClient()
experiment = client.get_experiment_by_name("net").experiment_id
for run in client.search_runs([experiment], order_by=["run_name"]):
    print(run.info.run_name, run.info.status,
          (run.info.end_time - run.info.start_time) // 1000,
          *("%s=%s" % item for item in sorted(run.data.params.items())),
          run.data.tags.get("stfm.cause"),
          *("%d:%g" % (m.step, m.value) for m in
            client.get_metric_history(run.info.run_id, "val_loss")))
END
is "with states, times, hyperparameters and curves" \
	"net/0 FINISHED 50 epochs=2 lr=0.001 opt=adam None 1:0.9 2:0.1
net/1 FINISHED 50 epochs=2 lr=0.001 opt=sgd None 1:0.9 2:0.2
net/2 FAILED 50 epochs=2 lr=0.5 opt=adam exit 1 1:0.9 2:0.3
net/3 KILLED 50 epochs=2 lr=0.5 opt=sgd None 1:1 2:nan" \
	"$("$python" read.py 2>err | sort)"
is "nothing is loaded twice" "net: 0 runs loaded" \
	"$(run to_mlflow.py net 2>err)"
printf '%s\n' 'job|more|x=1,2' 'task|0|FINISHED|start=-9|end=-4' \
	'task|1|RUNNING|start=-9' 'fold|asked=0' end | "$fixture" store
is "of another only what is over, with no curve" "more: 1 runs loaded" \
	"$(run to_mlflow.py more 2>err)"
# Names that other programs do not take, and epochs that are not whole.
printf 'epoch,mAP50(B),"""q"\n0.5,0.1,1\n1.5,0.2,nan\n2.5,0.3,3\n' >odd.csv
printf '%s\n' 'job|odd|x="a' 'task|0|FINISHED|start=-9|end=-4' \
	'metrics|0|odd.csv' 'fold|asked=0' end | "$fixture" store
is "names with quotation marks, and halves of epochs, are kept apart" \
	"{1: {'mAP50(B)': 0.1, '\"q': 1.0}, 2: {'mAP50(B)': 0.2, '\"q': nan}, \
3: {'mAP50(B)': 0.3, '\"q': 3.0}}" "$(PYTHONPATH=$examples "$python" -c '
import stfm_job
print(stfm_job.curves("odd", "mAP50(B),\"q")["odd/0"])' 2>&1)"
is "MLflow gets names that it takes" "odd: 1 runs loaded
mAP50_B_ [(1, 0.1), (2, 0.2), (3, 0.3)]" \
	"$(run to_mlflow.py odd 'mAP50(B)' 2>err; "$python" -c '
from mlflow.tracking import MlflowClient
client = MlflowClient()
found = client.get_experiment_by_name("odd").experiment_id
for run in client.search_runs([found]):
    for name in run.data.metrics:
        print(name, [(m.step, m.value) for m in
                     client.get_metric_history(run.info.run_id, name)])' \
		2>>err)"
status "a job that is not there is refused" 2 run to_mlflow.py nosuch
status "so are no words" 1 run to_mlflow.py

# ---- Weights & Biases ----

export WANDB_MODE=offline WANDB_DIR="$PWD" WANDB_ERROR_REPORTING=false
is "a job is loaded into Weights & Biases" "net: 4 runs loaded" \
	"$(run to_wandb.py net 2>err)"
of_run() {
	"$python" "$top/tests/data/read-wandb.py" \
		"$(echo wandb/offline-run-*"-net-$1-0/run-net-$1-0.wandb")"
}
is "with hyperparameters and its curve" \
	'["net", "net/0", {"epochs": 2, "lr": 0.001, "opt": "adam"}]
{"_step": 1, "val_loss": 0.9}
{"_step": 2, "val_loss": 0.1}
0' "$(of_run 0)"
is "one that failed has failed" 1 "$(of_run 2 | tail -n 1)"

# ---- the notebook ----

cp "$examples/job.ipynb" . || exit 99
ok "the notebook runs" env JOB=net PATH="$env/bin:$PATH" \
	"$env/bin/jupyter" execute --inplace job.ipynb
cp "$examples/job.ipynb" odd.ipynb || exit 99
ok "with a quotation mark in a value, too" env JOB=odd \
	PATH="$env/bin:$PATH" "$env/bin/jupyter" execute odd.ipynb
is "without errors, with a table and a picture" \
	"text/html text/plain image/png text/plain" \
	"$(jq -r '.cells[].outputs[]? | .data | keys[]' job.ipynb | xargs)"
is "the best task comes first" net/0 "$(jq -r '.cells[].outputs[]? |
	.data["text/html"] // empty | add' job.ipynb |
	grep -o 'net/[0-9]' | head -n 1)"
is "it is kept without results" 0 \
	"$(jq '[.cells[].outputs[]?] | length' "$examples/job.ipynb")"

done_testing
