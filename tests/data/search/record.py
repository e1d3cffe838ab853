#!/usr/bin/env python3
"""Record what Optuna decides, for tests/search-replay.t.

usage: record.py DIRECTORY (needs optuna; the files here are of 5.0.0)

NAME.tsv has events with the decisions of a pruner, density-N points and the
logarithms of the density at other points.  NAME is the pruner with its
settings; no whole numbers are equal, because Optuna's order of equal ones
depends on the processor.
"""
import math
import random
import sys

import numpy as np
import optuna
from optuna.distributions import (CategoricalDistribution, FloatDistribution,
                                  IntDistribution)
from optuna.pruners import HyperbandPruner, SuccessiveHalvingPruner
from optuna.samplers._tpe.parzen_estimator import (_ParzenEstimator,
                                                   _ParzenEstimatorParameters)
from optuna.samplers._tpe.sampler import default_weights

TRIALS, EPOCHS, SIDE_BY_SIDE = 40, 27, 8


def curves(seed, kind, sign):
    draw = random.Random(seed)
    for _ in range(TRIALS):
        start, speed = draw.uniform(0.2, 1), draw.uniform(0.05, 0.6)
        row = [start * (0.3 + math.exp(-speed * k)) + draw.uniform(0, 0.1)
               for k in range(1, EPOCHS + 1)]
        if kind == "ties":
            row = [round(20 * value) / 20 for value in row]
        row = [sign * round(value, 6) for value in row]
        if kind in ("nan", "inf") and draw.random() < 0.3:
            at = draw.randrange(EPOCHS)
            value = (math.nan if kind == "nan"
                     else draw.choice((math.inf, -math.inf)))
            row[at:] = [value] * (EPOCHS - at)
        yield row


def record(name, pruner, goal, rows, seed):
    study = optuna.create_study(
        study_name="s", pruner=pruner,
        direction="minimize" if goal == "min" else "maximize")
    draw = random.Random(seed)
    rows = list(rows)
    trials = [study.ask() for _ in rows]
    done = [0] * len(rows)
    live = list(range(len(rows)))
    with open(name, "w", encoding="ascii") as out:
        print("trial", "step", "value", "decision", sep="\t", file=out)
        while live:
            i = draw.choice(live[:SIDE_BY_SIDE])
            value = rows[i][done[i]]
            done[i] += 1
            trials[i].report(value, done[i])
            stop = trials[i].should_prune()
            print(i, done[i], value, "stop" if stop else "go", sep="\t",
                  file=out)
            if stop or done[i] == EPOCHS:
                live.remove(i)


def densities(where):
    space = {"a": FloatDistribution(0, 1),
             "b": FloatDistribution(1e-5, 1e-1, log=True),
             "c": IntDistribution(1, 10000),
             "d": IntDistribution(16, 65536, log=True),
             "e": CategoricalDistribution(["x", "y", "z"])}
    draw = np.random.RandomState(5)

    def points(count):
        return {"a": draw.rand(count).round(6),
                "b": (10 ** draw.uniform(-5, -1, count)).round(9),
                "c": draw.permutation(10000)[:count] + 1.0,
                "d": draw.permutation(60000)[:count] + 16.0,
                "e": draw.randint(0, 3, count).astype(float)}

    def lines(table, out, more=None):
        for i in range(len(table["a"])):
            row = [float(table[name][i]) for name in space]
            if more is not None:
                row.append(float(more[i]))
            print(*row, sep="\t", file=out)

    for count in (1, 2, 10, 24, 25, 26, 60):
        seen, new = points(count), points(10)
        estimator = _ParzenEstimator(
            seen, space, _ParzenEstimatorParameters(
                1.0, True, False, default_weights, True))
        with open(f"{where}/density-{count}", "w", encoding="ascii") as out:
            lines(seen, out)
            print(file=out)
            lines(new, out, estimator.log_pdf(new))


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    where = sys.argv[1]
    for kind in "plain", "ties", "nan", "inf":
        for goal, sign in ("min", 1), ("max", -1):
            rows = list(curves(len(kind), kind, sign))
            for name, pruner in (
                    ("asha,eta=4,first=1",
                     SuccessiveHalvingPruner(min_resource=1)),
                    ("asha,eta=3,first=2",
                     SuccessiveHalvingPruner(min_resource=2,
                                             reduction_factor=3)),
                    ("hyperband,eta=3,first=1",
                     HyperbandPruner(max_resource=EPOCHS))):
                if (goal == "max") == (kind == "ties"):
                    record(f"{where}/{name},goal={goal},{kind}.tsv", pruner,
                           goal, rows, 1)
    densities(where)


if __name__ == "__main__":
    main()
