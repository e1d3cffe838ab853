#!/usr/bin/env python3
"""Let Gaussian processes of scikit-optimize choose the points of a search.

stfm-submit -J digits --search 40 --metric val_accuracy epochs=20 \\
    --sampler 'python3 examples/skopt_sampler.py' \\
    lr=loguniform:1e-3:1 momentum=uniform:0:0.99 -- \\
    python3 examples/torch_digits.py
"""
import json
import sys

from skopt import Optimizer
from skopt.space import Categorical, Integer, Real


def dimension(of):
    """One entry of "space", as scikit-optimize has it."""
    if "values" in of:
        return Categorical(of["values"], name=of["name"])
    kinds = {"uniform": Real, "loguniform": Real,
             "int": Integer, "logint": Integer}
    if of["distribution"] not in kinds:
        sys.exit("scikit-optimize has no distribution " + of["distribution"])
    prior = ("log-uniform" if of["distribution"].startswith("log")
             else "uniform")
    return kinds[of["distribution"]](of["low"], of["high"], prior=prior,
                                     name=of["name"])


def place(dim, text):
    """The value of a task.  Where a condition leaves the hyperparameter out,
    it is any value: always the same."""
    if isinstance(dim, Categorical):
        return dim.categories[0] if text is None else text
    if text is None:
        return dim.low
    return int(text) if isinstance(dim, Integer) else float(text)


def main():
    search, *known = (json.loads(line) for line in sys.stdin)
    space = [dimension(of) for of in search["space"]]
    sign = -1 if search["goal"] == "max" else 1
    optimizer = Optimizer(space, n_initial_points=10,
                          random_state=search["seed"] + search["task"])
    # Values at other epochs do not compare with those at the end.
    values = [sign * one["value"] if one["state"] == "FINISHED" and
              "value" in one else None for one in known]
    seen = [value for value in values if value is not None]
    if seen:
        # Tasks that failed or were stopped count as the worst, so that their
        # places are not tried again.  Those that run count as the mean: the
        # worst beside the best would send the Gaussian process far away.
        mean = sum(seen) / len(seen)
        optimizer.tell([[place(dim, one["point"].get(dim.name))
                         for dim in space] for one in known],
                       [value if value is not None else
                        mean if one["state"] == "RUNNING" else max(seen)
                        for one, value in zip(known, values)])
    point = optimizer.ask()
    # stfm leaves out the values that a condition (--when) does not allow.
    print(json.dumps({dim.name: value if isinstance(value, str)
                      else float(value) if isinstance(dim, Real)
                      else int(value) for dim, value in zip(space, point)}))


if __name__ == "__main__":
    main()
