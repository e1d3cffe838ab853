#!/usr/bin/env python3
"""Measure the search of stfm beside Optuna's workers, with trainings that run.

    search-real.py [--seeds N] [--seconds T] [--methods TEXT,...]
                   [--write FILE]

A private Slurm with 2 nodes runs 8 trainings at once.  A training replays a row
of the table digits, with 50 epochs of a second each: the row that is nearest to
its hyperparameters.  It writes the accuracy of each epoch to its log.  After T
seconds, the best accuracy of any epoch counts.

stfm gets one command.  Optuna gets a study in a journal file and an array of 8
workers that ask it for points and report each epoch; the training is a function
of the worker, as Optuna needs it.

The regret is the best value of the table less that value, in 1/1000.  Points
tried counts the trainings that began.
"""

import argparse
import datetime
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import measure
import search

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.join(os.path.dirname(HERE), "bin")
EPOCH = 1.0  # seconds

TRAIN = """\
import os, sys, time
values = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
sys.path.insert(0, %(here)r)
import replay
with open(os.environ["STFM_METRICS"], "w", buffering=1) as log:
    print("epoch,acc", file=log)
    for epoch, acc in enumerate(replay.curve(values), 1):
        time.sleep(%(epoch)r)
        print(epoch, acc, sep=",", file=log)
"""

WORKER = """\
import os, sys, time
sys.path.insert(0, %(here)r)
import optuna, replay
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(
    study_name="real", direction="maximize", load_if_exists=True,
    storage=JournalStorage(JournalFileBackend(%(work)r + "/journal")),
    sampler=optuna.samplers.%(sampler)s(seed=%(seed)d + os.getpid()),
    pruner=optuna.pruners.%(pruner)s)
def objective(trial):
    for epoch, acc in enumerate(replay.curve(replay.suggest(trial)), 1):
        time.sleep(%(epoch)r)
        with open(%(work)r + "/seen", "a") as seen:
            print(trial.number, epoch, acc, file=seen)
        trial.report(acc, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return acc
study.optimize(objective)
"""

REPLAY = """\
import json, math
with open(%(work)r + "/rows.json") as file:
    dims, rows = json.load(file)
def place(dim, text):
    name, kind, values = dim
    if text is None:
        return 0.5
    if kind == "list":
        return values.index(text) / (len(values) - 1)
    low, high, value = (float(x) for x in (*values, text))
    if kind.startswith("log"):
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low)
def curve(values):
    at = [place(dim, values.get(dim[0])) for dim in dims]
    return min(rows, key=lambda row: math.dist(row[0], at))[1]
def suggest(trial):
    values = {}
    for name, kind, choices in dims:
        if name == "taper" and values["layers"] == "1":
            continue
        if name == "momentum" and values["opt"] != "sgd":
            continue
        if kind == "list":
            values[name] = trial.suggest_categorical(name, choices)
        elif kind in ("int", "logint"):
            values[name] = str(trial.suggest_int(
                name, int(choices[0]), int(choices[1]), log=kind[0] == "l"))
        else:
            values[name] = repr(trial.suggest_float(
                name, float(choices[0]), float(choices[1]),
                log=kind[0] == "l"))
    return values
"""


class Bed:
    """A private Slurm, and a directory for a run."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="stfm-search-real.")
        self.env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"],
                        STFM_DIR=os.path.join(self.dir, "store"))
        self.slurm = ("-d", os.path.join(self.dir, "slurm"))
        self.run("stfm-sandbox", "start", "-Q", "-N", "2", "-g", "0", "-c",
                 "4", *self.slurm)
        for line in self.run("stfm-sandbox", "env", *self.slurm).splitlines():
            words = line.replace("export ", "").rstrip(";").split("=", 1)
            if len(words) == 2:
                self.env[words[0]] = words[1].strip("'\"")

    def run(self, *command, **how):
        return subprocess.run(command, env=self.env, cwd=self.dir, text=True,
                              stdout=subprocess.PIPE, check=False,
                              **how).stdout

    def close(self):
        self.run("stfm-sandbox", "stop", "-Q", "--remove", *self.slurm)
        shutil.rmtree(self.dir, ignore_errors=True)

    def work(self, table):
        work = tempfile.mkdtemp(dir=self.dir)
        dims = [(d.name, d.kind, d.values) for d in table.dims]
        with open(work + "/rows.json", "w", encoding="ascii") as out:
            json.dump((dims, list(zip(table.places, table.curve))), out)
        with open(work + "/replay.py", "w", encoding="ascii") as out:
            out.write(REPLAY % {"work": work})
        return work


def wait_and_end(bed, seconds):
    time.sleep(seconds)
    bed.run("scancel", "--user", str(os.getuid()))
    while bed.run("squeue", "-h"):
        time.sleep(1)


def stfm(*options):
    def run(bed, table, seed, seconds):
        work = bed.work(table)
        with open(work + "/train.py", "w", encoding="ascii") as out:
            out.write(TRAIN % {"here": work, "epoch": EPOCH})
        words = []
        for word in (w for d in table.dims for w in d.words()):
            is_condition = word[:word.find("=")].find(":") > 0
            words += ["--when", word] if is_condition else [word]
        job = "real%d" % time.time()
        bed.run("stfm-submit", "-Q", "-J", job, "--gres=none", "--parallel",
                "8", "--epochs", "50", "--metric", "acc", "--seed", str(seed),
                *options, *words, "--", sys.executable, work + "/train.py")
        watcher = subprocess.Popen(["stfm-watch", "-Q", "-i", "10", job],
                                   env=bed.env, cwd=bed.dir)
        wait_and_end(bed, seconds)
        watcher.kill()
        watcher.wait()
        logs = glob.glob(bed.env["STFM_DIR"] + "/jobs/" + job +
                         "/metrics/*.csv")
        best = 0.0
        for log in logs:
            with open(log, encoding="ascii") as lines:
                for line in list(lines)[1:]:
                    if line.endswith("\n"):
                        best = max(best, float(line.split(",")[1]))
        return best, len(logs)
    return run


def optuna(sampler, pruner):
    def run(bed, table, seed, seconds):
        work = bed.work(table)
        with open(work + "/worker.py", "w", encoding="ascii") as out:
            out.write(WORKER % {"here": work, "work": work, "epoch": EPOCH,
                                "sampler": sampler, "pruner": pruner,
                                "seed": seed})
        bed.run("sbatch", "-Q", "--array=1-8", "-o", "/dev/null", "--wrap",
                sys.executable + " " + work + "/worker.py")
        wait_and_end(bed, seconds)
        with open(work + "/seen", encoding="ascii") as lines:
            seen = [line.split() for line in lines]
        return max(float(s[2]) for s in seen), len({s[0] for s in seen})
    return run


METHODS = {
    "stfm --search": stfm("--search", "1000"),
    "stfm --search --sampler tpe": stfm("--search", "1000", "--sampler",
                                        "tpe"),
    "stfm without a pruner": stfm("--search", "1000", "--pruner", "none",
                                  "--sampler", "random"),
    "optuna, halving": optuna("RandomSampler", "SuccessiveHalvingPruner()"),
    "optuna, hyperband": optuna("RandomSampler", "HyperbandPruner()"),
    "optuna, tpe and hyperband": optuna("TPESampler", "HyperbandPruner()"),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=200)
    parser.add_argument("--methods", default="")
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    table, bed, lines = search.Table("digits"), Bed(), []
    try:
        for name, run in METHODS.items():
            if not name.startswith(tuple(options.methods.split(","))):
                continue
            runs = [run(bed, table, seed, options.seconds)
                    for seed in range(1, options.seeds + 1)]
            regrets = [1000 * (table.best - best) for best, _ in runs]
            lines.append("%-30s %6.1f  (%s)  %5.0f" % (
                name, statistics.fmean(regrets),
                " ".join("%.1f" % x for x in regrets),
                statistics.fmean(tried for _, tried in runs)))
            print(lines[-1], flush=True)
    finally:
        bed.close()
    if options.write:
        with open(options.write, "w", encoding="utf-8") as out:
            out.write(
                "Trainings that really run: 8 at once on a private Slurm, 50 "
                "epochs of %g s,\n%d s in all, %d seeds, measured on %s, of "
                "%s.\nMean regret in 1/1000 (of each seed), and points "
                "tried:\n\n%s\n" % (
                    EPOCH, options.seconds, options.seeds,
                    datetime.date.today(), measure.commit(),
                    "\n".join(lines)))


if __name__ == "__main__":
    main()
