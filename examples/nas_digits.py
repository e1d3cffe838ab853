#!/usr/bin/env python3
"""Train a network whose architecture is a set of hyperparameters.

stfm-submit -J nas --gres=none --search 40 --metric val_accuracy epochs=40 \\
    layers=1,2,3 width1=logint:16:256 width2=logint:16:256 \\
    width3=logint:16:256 --when 'width2:layers>1' --when width3:layers=3 \\
    activation=relu,tanh lr=loguniform:1e-4:1e-1 -- \\
    .venv/bin/python examples/nas_digits.py
"""
import argparse
import os
import warnings

from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=1)
    # stfm gives width2 and width3 only to networks that have these layers.
    parser.add_argument("--width1", type=int, default=64)
    parser.add_argument("--width2", type=int, default=64)
    parser.add_argument("--width3", type=int, default=64)
    parser.add_argument("--activation", choices=("relu", "tanh"),
                        default="relu")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    args = parse_args()
    digits = load_digits()
    x, x_val, y, y_val = train_test_split(
        digits.data / 16, digits.target, test_size=0.25,
        stratify=digits.target, random_state=0)
    widths = (args.width1, args.width2, args.width3)[:args.layers]
    model = MLPClassifier(widths, activation=args.activation,
                          learning_rate_init=args.lr, batch_size=32,
                          random_state=args.seed)
    print("a network of", *widths, args.activation, flush=True)
    with open(os.environ.get("STFM_METRICS", "train.csv"), "w",
              buffering=1, encoding="ascii") as log, \
            warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        print("epoch,loss,val_loss,val_accuracy", file=log)
        for epoch in range(args.epochs):
            model.partial_fit(x, y, classes=range(10))
            print(epoch, model.loss_, log_loss(y_val,
                                               model.predict_proba(x_val)),
                  model.score(x_val, y_val), sep=",", file=log)


if __name__ == "__main__":
    main()
