#!/usr/bin/env python3
# What stfm-check asks Python:
#
#	probe.py cpu|gpu FILE
#
# Each framework is imported in a process of its own, as one may end it.  What
# is found goes to FILE, as lines of NAME=VALUE.
import os
import subprocess
import sys

NAMES = ("tensorflow", "torch", "jax", "keras")
PATIENCE = 240
# Lines of a framework's own log that may tell why it has no GPU.
SIGNS = ("cuda", "cudnn", "gpu", "nvidia", "driver", "libdevice", "rocm")


def say(out, name, value):
    text = " ".join(str(value).split())
    out.write("%s=%s\n" % (name, text[:300]))


def tensorflow(out, gpu):
    import tensorflow as tf

    say(out, "tensorflow", tf.__version__)
    if not gpu:
        return
    info = {}
    if hasattr(tf.sysconfig, "get_build_info"):
        info = tf.sysconfig.get_build_info()
    built = tf.test.is_built_with_cuda()
    say(out, "tensorflow.built",
        info.get("cuda_version", "?") if built else "none")
    say(out, "tensorflow.cudnn", info.get("cudnn_version", ""))
    gpus = tf.config.list_physical_devices("GPU")
    say(out, "tensorflow.gpus", len(gpus))
    if gpus:
        with tf.device("/GPU:0"):
            tf.nn.conv2d(tf.ones((1, 4, 4, 1)), tf.ones((2, 2, 1, 1)), 1,
                         "VALID").numpy()


def torch(out, gpu):
    import torch as t

    say(out, "torch", t.__version__)
    if not gpu:
        return
    built = t.version.cuda or getattr(t.version, "hip", None)
    say(out, "torch.built", built or "none")
    if t.version.cuda:
        say(out, "torch.cudnn", t.backends.cudnn.version() or "")
    gpus = t.cuda.device_count() if t.cuda.is_available() else 0
    say(out, "torch.gpus", gpus)
    if gpus:
        one = t.ones(1, 1, 4, 4, device="cuda")
        t.nn.functional.conv2d(one, one[:, :, :2, :2]).sum().item()


def jax(out, gpu):
    import jax as j

    say(out, "jax", j.__version__)
    if not gpu:
        return
    from importlib import metadata

    names = [d.metadata["Name"] or "" for d in metadata.distributions()]
    built = [n for n in names if n.startswith("jax-cuda")]
    say(out, "jax.built", built[0].split("-")[1][4:] if built else "none")
    gpus = [d for d in j.devices() if d.platform != "cpu"]
    say(out, "jax.gpus", len(gpus))
    if gpus:
        one = j.numpy.ones((1, 1, 4, 4))
        j.lax.conv(one, one[:, :, :2, :2], (1, 1), "VALID").sum().item()


def keras(out, gpu):
    import keras as k

    say(out, "keras", k.__version__)
    if hasattr(k.backend, "backend"):
        say(out, "keras.backend", k.backend.backend())


def alone(kind, path, name):
    with open(path, "a") as out:
        globals()[name](out, kind == "gpu")


def is_there(name):
    try:
        from importlib import util
        return util.find_spec(name) is not None
    except Exception:
        return False


def try_one(kind, path, name):
    """Run it in a process of its own; what went wrong, and its log."""
    environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false",
                       TF_FORCE_GPU_ALLOW_GROWTH="true")
    try:
        child = subprocess.run(
            [sys.executable, os.path.abspath(__file__), kind, path, name],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "took more than %d seconds" % PATIENCE, []
    log = child.stderr.decode("utf-8", "replace").split("\n")
    log = [line.strip() for line in log if line.strip()]
    if child.returncode == 0:
        return None, log
    if child.returncode < 0:
        return "ended by signal %d" % -child.returncode, log
    return log[-1] if log else "status %d" % child.returncode, log


def main(kind, path):
    with open(path, "w") as out:
        say(out, "python", sys.version.split()[0])
        say(out, "python.path", sys.executable)
        venv = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
        if venv and os.path.realpath(sys.prefix) != os.path.realpath(venv):
            say(out, "python.other", venv)
    for name in NAMES:
        if not is_there(name):
            continue
        error, log = try_one(kind, path, name)
        log = [line for line in log
               if any(sign in line.lower() for sign in SIGNS)]
        with open(path, "a") as out:
            if error is not None:
                say(out, name + ".error", error)
            if kind == "gpu":
                for line in log[:8]:
                    say(out, name + ".log", line)


if len(sys.argv) > 3:
    alone(*sys.argv[1:4])
else:
    main(*sys.argv[1:3])
