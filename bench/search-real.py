#!/usr/bin/env python3
"""Measure the search of stfm beside workers of Optuna, NePS and Oríon, with
trainings that run.

    search-real.py [--seeds N] [--seconds T] [--methods TEXT,...]
                   [--write FILE]

A private Slurm with 2 nodes runs 8 trainings at once.  A training replays a row
of the table digits, with 50 epochs of a second each: the row that is nearest to
its hyperparameters and that no other point has, as in search.py.  It writes the
accuracy of each epoch to its log.  The clock starts when 8 processes have
trained an epoch, so that it does not count how long tools take to start on the
few cores here.  After T seconds, the best accuracy of any epoch counts.

stfm gets one command.  The others get an array of 8 workers that share files.
Optuna's ask a study in a journal file for points and report each epoch; the
training is a function of the worker, as it is for NePS.  NePS and Oríon train
points with few epochs first, and continue the best from a checkpoint.

After half of T, one job of the array is killed with all its processes.

The regret is the best value of the table less that value, in 1/1000.  Points
tried counts the points of which an epoch was trained.  Lines are those that a
user writes for the tool: those of the script here without a mark "#:", which
any training would have, and one to submit it.  Running is how many of the 8
jobs run in the second half, in the mean.
"""

import argparse
import concurrent.futures
import datetime
import importlib.util
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
import os, sys                                                             #:
sys.path.insert(0, %(here)r)                                               #:
import replay                                                              #:
values = replay.words(sys.argv[1:])                                        #:
with open(os.environ["STFM_METRICS"], "w", buffering=1) as log:
    print("epoch,acc", file=log)                                           #:
    for epoch, acc in replay.train(values):                                #:
        print(epoch, acc, sep=",", file=log)                               #:
"""

OPTUNA = """\
import os, sys                                                             #:
sys.path.insert(0, %(here)r)                                               #:
import replay                                                              #:
import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
optuna.logging.set_verbosity(optuna.logging.ERROR)                         #:
study = optuna.create_study(
    study_name="real", direction="maximize", load_if_exists=True,
    storage=JournalStorage(JournalFileBackend(%(here)r + "/journal")),
    sampler=optuna.samplers.%(sampler)s(seed=%(seed)d + os.getpid()),
    pruner=optuna.pruners.%(pruner)s)
def objective(trial):
    values = replay.suggest(trial)
    for epoch, acc in replay.train(values):                                #:
        trial.report(acc, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return acc
study.optimize(objective)
"""

# NePS 0.17 refuses a worker that gives the space again, and advises to omit it:
# so the first worker makes the run, and the others wait for it.
NEPS = """\
import os, sys, time
sys.path.insert(0, %(here)r)                                               #:
import replay                                                              #:
import neps
def evaluate_pipeline(pipeline_directory, previous_pipeline_directory, epochs,
                      **values):
    first = replay.load(previous_pipeline_directory)
    for _, acc in replay.train(values, first, epochs):                     #:
        pass                                                               #:
    replay.save(pipeline_directory, epochs)
    return 1 - acc
space = replay.neps_space(neps)
space["epochs"] = neps.IntegerFidelity(3, 50)
space = type("Space", (neps.PipelineSpace,), space)()
root = %(here)r + "/neps"
if os.environ["SLURM_ARRAY_TASK_ID"] != "1":
    space = None
    while not os.path.exists(root + "/pipeline_space.pkl"):
        time.sleep(1)
neps.run(evaluate_pipeline, space, root_directory=root,
         optimizer=%(optimizer)r, total_evaluations_to_spend=1000)
"""

ORION = """\
import os, sys                                                             #:
sys.path.insert(0, %(here)r)                                               #:
import replay                                                              #:
values = replay.pairs(sys.argv[1:])                                        #:
epochs, place = int(values.pop("epochs")), values.pop("dir")
first = replay.load(place)
for _, acc in replay.train(values, first, epochs):                         #:
    pass                                                                   #:
replay.save(place, epochs)
replay.report_to_orion(1 - acc)
"""

ORION_CONFIG = """\
experiment:
  algorithm:
    %(algorithm)s
storage:
  database:
    type: pickleddb
    host: %(here)s/orion.pkl
"""

REPLAY = """\
import json, math, os, time
with open(%(here)r + "/rows.json") as file:
    dims, rows = json.load(file)
def words(args):
    return dict(word.lstrip("-").split("=", 1) for word in args)
def pairs(args):
    return dict(zip((name.lstrip("-") for name in args[::2]), args[1::2]))
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
def row_of(point, at):
    # A link says which point has a row; making it fails if it exists.
    for i in sorted(range(len(rows)), key=lambda i: math.dist(rows[i][0], at)):
        link = "%(here)s/row%%d" %% i
        try:
            os.symlink(point, link)
            return i
        except FileExistsError:
            if os.readlink(link) == point:
                return i
def train(values, first=0, last=50):
    values = {name: str(value) for name, value in values.items()}
    if values["layers"] == "1":
        values.pop("taper", None)
    if values["opt"] != "sgd":
        values.pop("momentum", None)
    point = "/".join(values.get(dim[0], "-") for dim in dims)
    curve = rows[row_of(point, [place(d, values.get(d[0])) for d in dims])][1]
    for epoch in range(first + 1, last + 1):
        time.sleep(%(epoch)r)
        with open(%(here)r + "/seen", "a") as seen:
            print(point, epoch, curve[epoch - 1], os.getpid(), file=seen)
        yield epoch, curve[epoch - 1]
def load(directory):
    try:
        with open(str(directory) + "/epochs") as file:
            return int(file.read())
    except OSError:
        return 0
def save(directory, epochs):
    os.makedirs(directory, exist_ok=True)
    with open(str(directory) + "/epochs", "w") as file:
        print(epochs, file=file)
def report_to_orion(loss):
    # As orion.client's report_objective() does, but importing that takes some
    # seconds of each training.
    with open(os.environ["ORION_RESULTS_PATH"], "w") as file:
        json.dump([dict(name="objective", type="objective", value=loss)], file)
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
def neps_space(neps):
    space = {}
    for name, kind, choices in dims:
        if kind == "list":
            space[name] = neps.Categorical(choices)
        elif kind in ("int", "logint"):
            space[name] = neps.Integer(int(choices[0]), int(choices[1]),
                                       log=kind[0] == "l")
        else:
            space[name] = neps.Float(float(choices[0]), float(choices[1]),
                                     log=kind[0] == "l")
    return space
def orion_space():
    for name, kind, choices in dims:
        if kind == "list":
            yield "--%%s~choices(%%s)" %% (name, choices)
        else:
            yield "--%%s~%%suniform(%%s, %%s%%s)" %% (
                name, "log" if kind[0] == "l" else "", *choices,
                ", discrete=True" if kind in ("int", "logint") else "")
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
            out.write(REPLAY % {"here": work, "epoch": EPOCH})
        return work

    def kill_one(self):
        """Kill all processes of a job of the array that runs."""
        found = []
        while not found:  # all may have ended at once
            time.sleep(0.5)
            found = self.run("squeue", "-h", "-r", "-t", "R", "-o",
                             "%i").split()
        self.run("scancel", "--full", "-s", "KILL", found[0])


def seen(work):
    """The words of the epochs: point, epoch, accuracy, process."""
    try:
        with open(work + "/seen", encoding="ascii") as lines_of:
            return [line.split() for line in lines_of]
    except OSError:
        return []


def wait_for_start(work):
    late = time.monotonic() + 180
    while len({words[3] for words in seen(work)}) < 8:
        if time.monotonic() > late:
            print("not all of 8 processes have started", file=sys.stderr)
            break
        time.sleep(0.5)


def wait_and_end(bed, work, seconds):
    """Returns how many jobs ran in the second half, in the mean."""
    wait_for_start(work)
    end = time.monotonic() + seconds
    time.sleep(seconds / 2)
    bed.kill_one()
    running = []
    while time.monotonic() < end - 5:
        time.sleep(5)
        running.append(len(bed.run(
            "squeue", "-h", "-r", "-t", "R").splitlines()))
    time.sleep(max(end - time.monotonic(), 0))
    bed.run("scancel", "--user", str(os.getuid()))
    while bed.run("squeue", "-h"):
        time.sleep(1)
    return statistics.fmean(running)


def lines(text):
    """Those that a user writes for the tool, and one to submit."""
    return 1 + sum(1 for line in text.splitlines() if not line.endswith("#:"))


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)


def best_seen(work):
    """Returns the best value, and the number of points."""
    epochs = seen(work)
    return max(float(w[2]) for w in epochs), len({w[0] for w in epochs})


class Stfm:
    """One command."""

    lines = lines(TRAIN)

    def __init__(self, *options):
        self.options = options

    def run(self, bed, table, seed, seconds):
        work = bed.work(table)
        write(work + "/train.py", TRAIN % {"here": work})
        words = []
        for word in (w for d in table.dims for w in d.words()):
            is_condition = word[:word.find("=")].find(":") > 0
            words += ["--when", word] if is_condition else [word]
        job = "real%d" % time.time()
        bed.run("stfm-submit", "-Q", "-J", job, "--gres=none", "--parallel",
                "8", "--epochs", "50", "--metric", "acc", "--seed", str(seed),
                *self.options, *words, "--", sys.executable,
                work + "/train.py")
        watcher = subprocess.Popen(["stfm-watch", "-Q", "-i", "10", job],
                                   env=bed.env, cwd=bed.dir)
        running = wait_and_end(bed, work, seconds)
        watcher.kill()
        watcher.wait()
        return *best_seen(work), running


class Workers:
    """An array of 8 workers, of a script that has the tool in it."""

    def __init__(self, script, module, **values):
        self.script, self.module, self.values = script, module, values
        self.lines = lines(script)

    def command(self, work):
        return sys.executable + " " + work + "/worker.py"

    def run(self, bed, table, seed, seconds):
        work = bed.work(table)
        write(work + "/worker.py",
              self.script % {"here": work, "seed": seed, **self.values})
        bed.run("sbatch", "-Q", "--array=1-8", "-o", work + "/%a.out",
                "--wrap", self.command(work))
        running = wait_and_end(bed, work, seconds)
        return *best_seen(work), running


class Orion(Workers):
    """orion hunt starts the script.  It has an environment of its own, with a
    typing_extensions that its package does not ask for."""

    program = os.path.join(os.path.dirname(HERE), "build/orion-env/bin/orion")

    def __init__(self, algorithm):
        super().__init__(ORION, None)
        self.algorithm = algorithm
        self.lines += len(ORION_CONFIG.splitlines())

    def command(self, work):
        write(work + "/orion.yaml", ORION_CONFIG % {
            "here": work, "algorithm": self.algorithm})
        space = subprocess.run(
            [sys.executable, "-c", "import replay, shlex; print(shlex.join("
             "replay.orion_space()))"], cwd=work, text=True, check=True,
            stdout=subprocess.PIPE).stdout.strip()
        return (
            "%s hunt -n real -c %s/orion.yaml --working-dir %s/trials %s "
            "%s/worker.py %s --epochs~'fidelity(3, 50, 3)' "
            "--dir '{exp.working_dir}/{trial.hash_params}'" % (
                self.program, work, work, sys.executable, work, space))


# Those whose workers need much of the CPU beside those that do not.
METHODS = {
    "stfm --search": Stfm("--search", "1000"),
    "stfm --search --sampler tpe": Stfm("--search", "1000", "--sampler",
                                        "tpe"),
    "stfm without a pruner": Stfm("--search", "1000", "--pruner", "none",
                                  "--sampler", "random"),
    "orion, random": Orion("random"),
    "optuna, halving": Workers(OPTUNA, "optuna", sampler="RandomSampler",
                               pruner="SuccessiveHalvingPruner()"),
    "neps, asha": Workers(NEPS, "neps", optimizer="asha"),
    "optuna, hyperband": Workers(OPTUNA, "optuna", sampler="RandomSampler",
                                 pruner="HyperbandPruner()"),
    "neps, as it comes": Workers(NEPS, "neps", optimizer="auto"),
    "optuna, tpe and hyperband": Workers(
        OPTUNA, "optuna", sampler="TPESampler", pruner="HyperbandPruner()"),
    "orion, asha": Orion("asha: {num_rungs: 3}"),
}

NOTES = """\
With so few seeds, only large differences mean something.  The goals are decided
by bench/SEARCH-RESULTS.  If a worker of another tool is killed, only 7 of 8
jobs run for the rest of the time, which costs an eighth of the second half.
stfm starts its next task instead.  Population based training (--pbt) is
not here: its tasks change their values and continue from a checkpoint, but the
table digits has only curves of trainings whose values never change.
"""


def can_run(method):
    if isinstance(method, Orion):
        return os.access(method.program, os.X_OK)
    return isinstance(method, Stfm) or importlib.util.find_spec(method.module)


def measured(name, options):
    """Returns the row of a method, or None."""
    method, table = METHODS[name], search.Table("digits")
    if not can_run(method):
        print("%s: not installed" % name, flush=True)
        return None
    bed = Bed()
    try:
        runs = [method.run(bed, table, seed, options.seconds)
                for seed in range(1, options.seeds + 1)]
    finally:
        bed.close()
    regrets = [1000 * (table.best - best) for best, _, _ in runs]
    row = "%-28s %6.1f  %-13s %5.0f %7d %7.1f" % (
        name, statistics.fmean(regrets),
        "(%s)" % " ".join("%.1f" % x for x in regrets),
        statistics.fmean(tried for _, tried, _ in runs),
        method.lines, statistics.fmean(left for _, _, left in runs))
    print(row, flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=200)
    parser.add_argument("--methods", default="")
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    names = [name for name in METHODS
             if name.startswith(tuple(options.methods.split(";")))]
    commit = measure.commit()  # before the table, a tracked file, changes
    # They sleep most of the time, so that two do not disturb each other.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = [row for row in pool.map(
            lambda name: measured(name, options), names) if row]
    if options.write:
        write_table(options, rows, commit)


def write_table(options, rows, commit):
    with open(options.write, "w", encoding="utf-8") as out:
        out.write(
            "Trainings that really run: 8 at once on a private Slurm, 50 "
            "epochs of %g s,\n%d s from the first epochs, %d seeds, measured on "
            "%s, of %s.\nAfter half of the time, one of the 8 jobs was killed.\n"
            "Mean regret in 1/1000 (of each seed), points tried, lines that a "
            "user writes for the\ntool, and jobs that ran after that, in "
            "the mean: 8 if another one takes the\nplace of the killed one, 7 "
            "if none does, fewer if workers ended with an error.\n\n%s\n"
            "%-28s %6s  %-13s %5s %7s %7s\n%s\n" % (
                EPOCH, options.seconds, options.seeds, datetime.date.today(),
                commit, NOTES, "", "regret", "", "tried", "lines",
                "running", "\n".join(rows)))


if __name__ == "__main__":
    main()
