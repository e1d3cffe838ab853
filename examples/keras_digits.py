#!/usr/bin/env python3
"""Train a small convolutional network on scikit-learn's handwritten digits.

stfm-submit -J digits lr=1e-2,1e-3 filters=8,16 -- \\
    .venv/bin/python examples/keras_digits.py --epochs 10
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import tensorflow as tf
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--filters", type=int, default=16)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--early_stopping", type=int, default=0,
                        help="end after this many epochs without progress")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def load_data():
    """8x8 grey images scaled to 0..1: three quarters train, the rest judge."""
    digits = load_digits()
    images = digits.images[..., None].astype("float32") / 16
    return train_test_split(images, digits.target, test_size=0.25,
                            stratify=digits.target, random_state=0)


def build_model(args):
    model = keras.Sequential([
        layers.Input((8, 8, 1)),
        layers.Conv2D(args.filters, 3, padding="same", activation="relu"),
        layers.Conv2D(args.filters, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(2 * args.filters, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(args.dropout),
        layers.Dense(64, activation="relu"),
        layers.Dense(10, activation="softmax"),
    ])
    model.compile(optimizer=keras.optimizers.Adam(args.lr),
                  loss="sparse_categorical_crossentropy",
                  metrics=["accuracy"])
    return model


class Checkpoint(keras.callbacks.Callback):
    """Keep the model of the last epoch; the old file stays until it is whole."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_epoch_end(self, epoch, logs=None):
        new = self.path.with_name("new.keras")
        self.model.save(new)
        new.replace(self.path)


def main():
    args = parse_args()
    keras.utils.set_random_seed(args.seed)
    # Several trainings share a node: take the CPUs that Slurm gave, not all.
    threads = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    x, x_val, y, y_val = load_data()
    model = build_model(args)
    callbacks = []
    done = 0

    if directory := os.environ.get("STFM_CHECKPOINT_DIR"):
        path = Path(directory) / "last.keras"
        path.parent.mkdir(parents=True, exist_ok=True)
        callbacks.append(Checkpoint(path))
        if os.environ.get("STFM_RESUME") == "1" and path.exists():
            model = keras.models.load_model(path)
            steps = -(-len(x) // args.batch_size)
            done = int(model.optimizer.iterations) // steps
            print(f"going on after epoch {done}", flush=True)

    # The log that stfm-watch reads: a header, then one line an epoch.
    metrics = os.environ.get("STFM_METRICS", "train.csv")
    callbacks.append(keras.callbacks.CSVLogger(metrics, append=done > 0))
    if args.early_stopping:
        callbacks.append(keras.callbacks.EarlyStopping(
            patience=args.early_stopping, restore_best_weights=True))

    model.fit(x, y, batch_size=args.batch_size, epochs=args.epochs,
              initial_epoch=done, validation_data=(x_val, y_val),
              callbacks=callbacks, verbose=2)


if __name__ == "__main__":
    main()
