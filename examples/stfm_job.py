"""What stfm knows of a job, for other programs: see stfm-json(5).

    import stfm_job
    for task in stfm_job.tasks("digits"):
        print(task["id"], task["state"], task["best"], task["params"])
"""
import json
import re
import subprocess


def output(*command, accept=(0,)):
    """What a command prints.  Its messages go to standard error."""
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8",
                          errors="backslashreplace")
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


def plain(text):
    """A field of TSV without its backslashes."""
    return re.sub(r"\\([tn\\])", lambda found: {"t": "\t", "n": "\n"}.get(
        found[1], found[1]), text)


def steps(rows):
    """Number the rows, unless their x values are whole numbers already."""
    whole = all(x.is_integer() for x in rows)
    return {int(x) if whole else number: rows[x]
            for number, x in enumerate(sorted(rows), start=1)}


def curves(job, metrics=None):
    """The learning curves: {"digits/3": {1: {"val_loss": 0.7}, 2: ...}}.

    metrics is a list such as "loss,val_loss", or None for the metric by which
    the job compares its tasks.  Epochs that are no whole numbers, such as 0.5,
    become 1, 2, ...
    """
    which = ["-m", metrics] if metrics else []
    # 1: some tasks have no metrics.
    text = output("stfm-plot", "-o", "tsv", *which, job, accept=(0, 1))
    rows = {}
    for line in text.split("\n")[1:-1]:
        series, x, metric, value = line.split("\t")
        values = rows.setdefault(series, {}).setdefault(float(x), {})
        values[plain(metric)] = float(value)
    return {series: steps(found) for series, found in rows.items()}
