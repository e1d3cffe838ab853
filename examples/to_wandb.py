#!/usr/bin/env python3
"""Load the tasks of a job that are over into Weights & Biases.

    WANDB_MODE=offline examples/to_wandb.py digits
    wandb sync wandb/offline-run-*

The job becomes a project and each attempt of a task a run, with its
hyperparameters and its learning curves.  With WANDB_MODE=offline the runs are
written to ./wandb, without a network; "wandb sync" uploads them later.
"""
import sys

import wandb

import stfm_job


def load(job, task, curve):
    """Make a run of a task that is over."""
    run = wandb.init(
        project=job, name=task["id"], config=task["params"],
        # Loaded again, it is the same run.
        id="%s-%d" % (task["id"].replace("/", "-"), task["attempt"]),
        settings=wandb.Settings(console="off", silent=True,
                                x_disable_stats=True))
    for step in sorted(curve):
        run.log(curve[step], step=step)
    for key in ("best", "best_epoch", "state", "cause", "node", "elapsed"):
        if task[key] is not None:
            run.summary[key] = task[key]
    run.finish(exit_code=0 if task["state"] == "FINISHED" else 1)


def main(job, metrics=None):
    curves = stfm_job.curves(job, metrics)
    over = [task for task in stfm_job.tasks(job) if stfm_job.is_over(task)]
    for task in over:
        load(job, task, curves.get(task["id"], {}))
    print("%s: %d runs loaded" % (job, len(over)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: to_wandb.py JOB [METRICS]")
    main(*sys.argv[1:])
