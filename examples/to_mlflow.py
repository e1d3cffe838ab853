#!/usr/bin/env python3
"""Load the tasks of a job that are over into MLflow.

    examples/to_mlflow.py digits
    examples/to_mlflow.py digits loss,val_loss

The job becomes an experiment and each attempt of a task a run, with its
hyperparameters and its learning curves.  You can load a job again when more
tasks are over: what is there already is left alone.  MLFLOW_TRACKING_URI says
where the runs go.
"""
import re
import sys

from mlflow.entities import Metric, Param, RunTag
from mlflow.tracking import MlflowClient

import stfm_job

ENDS = {"FINISHED": "FINISHED", "ERROR": "FAILED", "STOPPED": "KILLED"}
BATCH = 100  # parameters in one call; of metrics there may be more


def batches(items):
    for i in range(0, len(items), BATCH):
        yield items[i:i + BATCH]


def milliseconds(time):
    return None if time is None else 1000 * time


def key(name):
    """A name that MLflow takes: it refuses the brackets of mAP50(B)."""
    return re.sub(r"[^\w./: -]", "_", name)[:250]


def load(client, experiment, task, curve):
    """Make a run of a task that is over."""
    start, end = milliseconds(task["start"]), milliseconds(task["end"])
    run = client.create_run(experiment, start_time=start, run_name=task["id"])
    run_id = run.info.run_id
    params = [Param(key(name), str(value))
              for name, value in task["params"].items()]
    metrics = [Metric(key(name), value, end or 0, step)
               for step, values in curve.items()
               for name, value in values.items()]
    for batch in batches(params):
        client.log_batch(run_id, params=batch)
    for batch in batches(metrics):
        client.log_batch(run_id, metrics=batch)
    # The tags come last: a run without them is not complete.
    tags = {"stfm.id": task["id"], "stfm.attempt": task["attempt"],
            "stfm.cause": task["cause"], "stfm.node": task["node"]}
    client.log_batch(run_id, tags=[RunTag(name, str(value))
                                   for name, value in tags.items()
                                   if value is not None])
    client.set_terminated(run_id, ENDS[task["state"]], end)


def attempt(tags):
    return tags.get("stfm.id"), tags.get("stfm.attempt")


def main(job, metrics=None):
    client = MlflowClient()
    found = client.get_experiment_by_name(job)
    experiment = (found.experiment_id if found
                  else client.create_experiment(job))
    there = {attempt(run.data.tags) for run in
             client.search_runs([experiment], max_results=50000)}
    curves = stfm_job.curves(job, metrics)
    loaded = 0
    for task in filter(stfm_job.is_over, stfm_job.tasks(job)):
        if (task["id"], str(task["attempt"])) not in there:
            load(client, experiment, task, curves.get(task["id"], {}))
            loaded += 1
    print("%s: %d runs loaded" % (job, loaded))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: to_mlflow.py JOB [METRICS]")
    main(*sys.argv[1:])
