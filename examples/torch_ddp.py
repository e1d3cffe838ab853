#!/usr/bin/env python3
"""Train on several nodes at once: PyTorch's DistributedDataParallel.

stfm-submit -J ddp --dist=torch -N 2 --ntasks-per-node=2 \\
    lr=0.5,0.1 -- python3 examples/torch_ddp.py
"""
import argparse
import csv
import os

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


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
    images = torch.tensor(digits.images / 16, dtype=torch.float32).flatten(1)
    labels = torch.tensor(digits.target, dtype=torch.int64)
    train, val = train_test_split(range(len(labels)), test_size=0.25,
                                  stratify=digits.target, random_state=0)
    return (TensorDataset(images[train], labels[train]),
            (images[val], labels[val]))


def main():
    args = parse_args()
    torch.manual_seed(0)  # the same first weights in all ranks
    torch.set_num_threads(int(os.environ.get("SLURM_CPUS_PER_TASK", "1")))
    cuda = torch.cuda.is_available()
    # RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say who meets where.
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    print(f"rank {rank} of {world}", flush=True)
    device = torch.device("cpu")
    if cuda:
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"])
                              % torch.cuda.device_count())

    train, (x_val, y_val) = load_data()
    sampler = DistributedSampler(train)  # each rank has its own part
    loader = DataLoader(train, args.batch_size // world, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(
        nn.Linear(64, args.units), nn.ReLU(),
        nn.Linear(args.units, 10)).to(device))
    optimizer = torch.optim.SGD(model.parameters(), args.lr)

    with open(os.environ.get("STFM_METRICS", os.devnull), "w",
              newline="") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["epoch", "loss", "val_loss"])
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            loss_sum = torch.zeros(1, device=device)
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x.to(device)),
                                                   y.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                loss_sum += loss.detach()
            dist.all_reduce(loss_sum)
            with torch.no_grad():
                val_loss = nn.functional.cross_entropy(
                    model.module(x_val.to(device)), y_val.to(device)).item()
            log.writerow([epoch, loss_sum.item() / len(loader) / world,
                          val_loss])
            file.flush()
            if rank == 0:
                print(f"epoch {epoch}: val_loss {val_loss:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
