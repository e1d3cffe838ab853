#!/usr/bin/env python3
"""Train with parameter servers: TensorFlow's ParameterServerStrategy.

The chief hands out steps to the workers, which read and change the variables
that the parameter servers hold.

stfm-submit -J servers --dist=tensorflow,ps=1 -N 2 --ntasks-per-node=2 \\
    lr=0.5,0.1 -- .venv/bin/python examples/tf_servers.py
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
    parser.add_argument("--batch_size", type=int, default=32)
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
    random = np.random.default_rng(0)
    shapes = (64, units), (units,), (units, 10), (10,)
    return [tf.Variable(random.normal(0, 0.1, shape).astype("float32"))
            for shape in shapes]


def loss_of(model, x, y):
    w1, b1, w2, b2 = model
    scores = tf.nn.relu(x @ w1 + b1) @ w2 + b2
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=scores))


def serve(resolver):
    """A worker or parameter server: it is ended when the chief has ended."""
    print(f"{resolver.task_type} {resolver.task_id} serves", flush=True)
    tf.distribute.Server(resolver.cluster_spec(),
                         job_name=resolver.task_type,
                         task_index=resolver.task_id,
                         protocol=resolver.rpc_layer or "grpc").join()


def main():
    args = parse_args()
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
        return

    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    x, x_val, y, y_val = load_data()
    with strategy.scope():
        model = build_model(args.units)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y)
        for v, g in zip(model, tape.gradient(loss, model)):
            v.assign_sub(args.lr * g)
        return loss

    with open(os.environ.get("STFM_METRICS", os.devnull), "w",
              newline="") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["epoch", "loss", "val_loss"])
        for epoch in range(args.epochs):
            order = np.random.default_rng(epoch).permutation(len(x))
            losses = [coordinator.schedule(step, args=(
                tf.constant(x[part]), tf.constant(y[part])))
                for part in np.array_split(order, len(x) // args.batch_size)]
            coordinator.join()
            val_loss = float(loss_of(model, x_val, y_val))
            log.writerow([epoch, np.mean([float(loss.fetch())
                                          for loss in losses]), val_loss])
            file.flush()
            print(f"epoch {epoch}: val_loss {val_loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
