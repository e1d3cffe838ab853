#!/usr/bin/env python3
"""Train on several nodes at once: TensorFlow's MultiWorkerMirroredStrategy.

Each rank takes its share of each batch, and all change the same weights.

stfm-submit -J mirrored --dist=tensorflow -N 2 --ntasks-per-node=2 \\
    lr=0.5,0.1 -- .venv/bin/python examples/tf_multi_worker.py
"""
import argparse
import csv
import os

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lr", type=float, default=0.5)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--units", type=int, default=32)
    return parser.parse_args()


def load_data():
    """8x8 grey images scaled to 0..1: three quarters train, the rest judge."""
    digits = load_digits()
    images = (digits.images / 16).reshape(-1, 64).astype("float32")
    return train_test_split(images, digits.target.astype("int32"),
                            test_size=0.25, random_state=0,
                            stratify=digits.target)


def build_model(units):
    """The variables of a network with one hidden layer."""
    random = np.random.default_rng(0)  # the same in all ranks
    shapes = (64, units), (units,), (units, 10), (10,)
    # What the ranks want to add to a variable becomes its mean.
    return [tf.Variable(random.normal(0, 0.1, shape).astype("float32"),
                        aggregation=tf.VariableAggregation.MEAN)
            for shape in shapes]


def loss_of(model, x, y):
    w1, b1, w2, b2 = model
    scores = tf.nn.relu(x @ w1 + b1) @ w2 + b2
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=scores))


def main():
    args = parse_args()
    # Before anything else: it reads TF_CONFIG and waits for the other ranks.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    resolver = strategy.cluster_resolver
    rank = resolver.task_id or 0
    workers = strategy.num_replicas_in_sync
    print(f"rank {rank} of {workers}", flush=True)

    x, x_val, y, y_val = load_data()
    share = args.batch_size // workers
    steps = len(x) // args.batch_size
    with strategy.scope():
        model = build_model(args.units)

    @tf.function
    def step(x, y):
        def train(x, y):
            with tf.GradientTape() as tape:
                loss = loss_of(model, x, y)
            for v, g in zip(model, tape.gradient(loss, model)):
                v.assign_sub(args.lr * g)
            return loss
        return strategy.reduce("MEAN", strategy.run(train, (x, y)), None)

    with open(os.environ.get("STFM_METRICS", os.devnull), "w",
              newline="") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["epoch", "loss", "val_loss"])
        for epoch in range(args.epochs):
            order = np.random.default_rng(epoch).permutation(len(x))
            losses = []
            for i in range(steps):
                batch = order[i * args.batch_size:(i + 1) * args.batch_size]
                ours = batch[rank * share:(rank + 1) * share]
                losses.append(float(step(tf.constant(x[ours]),
                                         tf.constant(y[ours]))))
            val_loss = float(loss_of(model, x_val, y_val))
            log.writerow([epoch, np.mean(losses), val_loss])
            file.flush()
            if rank == 0:
                print(f"epoch {epoch}: val_loss {val_loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
