"""What stfm knows of a job, for other programs: see stfm-json(5).

    import stfm_job
    for task in stfm_job.tasks("digits"):
        print(task["id"], task["state"], task["best"], task["params"])
"""
import csv
import json
import subprocess


def output(*command, accept=(0,)):
    """What a command prints.  Its messages go to standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in accept:
        raise SystemExit(done.returncode)
    return done.stdout


def tasks(job):
    """The tasks of a job; params has the hyperparameters of each."""
    record = json.loads(output("stfm-status", "--record", "-o", "json", job))
    found = json.loads(output("stfm-status", "-o", "json", job))
    for task in found:
        task["params"] = {}
        for name in record[0]["names"]:
            # A hyperparameter such as "epochs" has the name of a column.
            value = task.get("param_" + name, task.get(name))
            if value is not None:
                task["params"][name] = value
    return found


def is_over(task):
    return task["state"] in ("FINISHED", "ERROR", "STOPPED")


def curves(job, metrics=None):
    """The learning curves: {"digits/3": {1: {"val_loss": 0.7}, 2: ...}}.

    metrics is a list such as "loss,val_loss", or None for the metric by which
    the job compares its tasks.
    """
    which = ["-m", metrics] if metrics else []
    # 1: some tasks have no metrics.
    text = output("stfm-plot", "-o", "tsv", *which, job, accept=(0, 1))
    found = {}
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        steps = found.setdefault(row["series"], {})
        values = steps.setdefault(round(float(row["x"])), {})
        values[row["metric"]] = float(row["value"])
    return found
