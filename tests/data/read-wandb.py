"""Print what a run of Weights & Biases has in its file: each line is the id,
the hyperparameters or the values of a step, as JSON.

    python read-wandb.py FILE.wandb

The file is a log of LevelDB behind a header of 7 bytes: blocks of 32 KiB with
pieces of records, each behind its checksum, length and kind.
"""
import json
import struct
import sys

from wandb.proto import wandb_internal_pb2

BLOCK, HEADER = 32768, 7
WHOLE, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def records(data):
    at, record = HEADER, b""
    while at + HEADER <= len(data):
        if BLOCK - at % BLOCK < HEADER:
            at += BLOCK - at % BLOCK
            continue
        _, length, kind = struct.unpack("<IHB", data[at:at + HEADER])
        at += HEADER
        record += data[at:at + length]
        at += length
        if kind in (WHOLE, LAST):
            yield wandb_internal_pb2.Record.FromString(record)
            record = b""


def values(items):
    found = {}
    for item in items:
        key = item.key or item.nested_key[0]
        if not key.startswith("_") or key == "_step":
            found[key] = json.loads(item.value_json)
    return found


for one in records(open(sys.argv[1], "rb").read()):
    if one.WhichOneof("record_type") == "run":
        print(json.dumps([one.run.project, one.run.display_name,
                          values(one.run.config.update)], sort_keys=True))
    elif one.WhichOneof("record_type") == "history":
        print(json.dumps(values(one.history.item), sort_keys=True))
    elif one.WhichOneof("record_type") == "exit":
        print(json.dumps(one.exit.exit_code))
