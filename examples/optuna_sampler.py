#!/usr/bin/env python3
"""Let a sampler of Optuna choose the points of a search.

stfm-submit -J digits --search 40 --metric val_accuracy epochs=20 \\
    --sampler 'python3 examples/optuna_sampler.py' \\
    lr=loguniform:1e-3:1 momentum=uniform:0:0.99 -- \\
    python3 examples/torch_digits.py
"""
import json
import sys
import warnings

import optuna
from optuna.distributions import (CategoricalDistribution, FloatDistribution,
                                  IntDistribution)
from optuna.trial import TrialState

STATES = {"RUNNING": TrialState.RUNNING, "FINISHED": TrialState.COMPLETE,
          "STOPPED": TrialState.PRUNED, "ERROR": TrialState.FAIL}


def distribution(of):
    """One entry of "space", as Optuna has it."""
    if "values" in of:
        return CategoricalDistribution(of["values"])
    kinds = {"uniform": FloatDistribution, "loguniform": FloatDistribution,
             "int": IntDistribution, "logint": IntDistribution}
    if of["distribution"] not in kinds:
        sys.exit("Optuna has no distribution " + of["distribution"])
    return kinds[of["distribution"]](of["low"], of["high"],
                                     log=of["distribution"].startswith("log"))


def trial(known, space):
    """One task of the search.  Its values are text."""
    of = {name: space[name] for name in known["point"]}
    params = {name: text if isinstance(of[name], CategoricalDistribution)
              else int(text) if isinstance(of[name], IntDistribution)
              else float(text) for name, text in known["point"].items()}
    state, value = STATES[known["state"]], known.get("value")
    if state == TrialState.COMPLETE and value is None:
        state = TrialState.FAIL
    return optuna.trial.create_trial(
        state=state, params=params, distributions=of,
        value=value if state == TrialState.COMPLETE else None,
        intermediate_values={known["epoch"]: value}
        if value is not None and "epoch" in known else {})


def main():
    search, *known = (json.loads(line) for line in sys.stdin)
    space = {of["name"]: distribution(of) for of in search["space"]}
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    sampler = optuna.samplers.TPESampler(
        seed=search["seed"] + search["task"], constant_liar=True)
    study = optuna.create_study(
        sampler=sampler,
        direction="maximize" if search["goal"] == "max" else "minimize")
    for one in known:
        study.add_trial(trial(one, space))
    # stfm leaves out the values that a condition (--when) does not allow.
    print(json.dumps(study.ask(space).params))


if __name__ == "__main__":
    main()
