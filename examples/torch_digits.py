#!/usr/bin/env python3
"""Train a small convolutional network on scikit-learn's handwritten digits.

stfm-submit -J digits lr=0.1,0.01 momentum=0,0.9 -- \\
    python3 examples/torch_digits.py --epochs 10

A population whose worse tasks continue from the checkpoints of better ones:

stfm-submit -J population --search 8 --pbt 3 --metric val_accuracy \\
    --epochs 30 lr=loguniform:1e-4:1 momentum=uniform:0:0.99 -- \\
    python3 examples/torch_digits.py --epochs=30
"""
import argparse
import csv
import os
import signal
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--filters", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def load_data(batch_size):
    """8x8 grey images scaled to 0..1: three quarters train, the rest judge."""
    digits = load_digits()
    images = torch.tensor(digits.images / 16, dtype=torch.float32)
    labels = torch.tensor(digits.target, dtype=torch.int64)
    train, val = train_test_split(range(len(labels)), test_size=0.25,
                                  stratify=digits.target, random_state=0)
    data = TensorDataset(images.unsqueeze(1), labels)
    return (DataLoader(TensorDataset(*data[train]), batch_size, shuffle=True),
            DataLoader(TensorDataset(*data[val]), 256))


def build_model(filters):
    return nn.Sequential(
        nn.Conv2d(1, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(filters, 2 * filters, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(8 * filters, 64), nn.ReLU(), nn.Linear(64, 10))


def run_epoch(model, loader, optimizer=None):
    """Mean loss and accuracy over the data; trains when given an optimizer."""
    model.train(optimizer is not None)
    loss_sum = right = seen = 0
    with torch.set_grad_enabled(optimizer is not None):
        for x, y in loader:
            scores = model(x)
            loss = nn.functional.cross_entropy(scores, y)
            if optimizer:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            loss_sum += loss.item() * len(y)
            right += (scores.argmax(1) == y).sum().item()
            seen += len(y)
    return loss_sum / seen, right / seen


def save(path, **state):
    """The old checkpoint stays until the new one is whole."""
    new = path.with_suffix(".new")
    torch.save(state, new)
    new.replace(path)


def main():
    args = parse_args()
    # By this signal stfm-submit --requeue says that the time is nearly up.
    told = []
    signal.signal(signal.SIGUSR1, lambda *_: told.append(True))
    torch.manual_seed(args.seed)
    # Several trainings share a node: take the CPUs that Slurm gave, not all.
    torch.set_num_threads(int(os.environ.get("SLURM_CPUS_PER_TASK", "1")))

    train, val = load_data(args.batch_size)
    model = build_model(args.filters)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, args.momentum)
    done = 0

    checkpoint = None
    if directory := os.environ.get("STFM_CHECKPOINT_DIR"):
        checkpoint = Path(directory) / "last.pt"
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        if os.environ.get("STFM_RESUME") == "1" and checkpoint.exists():
            state = torch.load(checkpoint)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            # The checkpoint may be that of a task with other values (--pbt).
            for group in optimizer.param_groups:
                group.update(lr=args.lr, momentum=args.momentum)
            torch.set_rng_state(state["rng"])
            done = state["epoch"] + 1
            print(f"going on after epoch {done}", flush=True)

    # The log that stfm-watch reads: a header, then one line an epoch.
    metrics = os.environ.get("STFM_METRICS", "train.csv")
    with open(metrics, "a" if done else "w", newline="") as file:
        log = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            log.writerow(["epoch", "loss", "accuracy",
                          "val_loss", "val_accuracy"])
        for epoch in range(done, args.epochs):
            log.writerow([epoch, *run_epoch(model, train, optimizer),
                          *run_epoch(model, val)])
            file.flush()
            if checkpoint:
                save(checkpoint, epoch=epoch, model=model.state_dict(),
                     optimizer=optimizer.state_dict(),
                     rng=torch.get_rng_state())
            if told:
                print("ending early: to be continued", flush=True)
                break


if __name__ == "__main__":
    main()
