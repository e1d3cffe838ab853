"""Measuring programs side by side: they take turns, and medians count."""

import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(argv, stdin=None, cwd=None):
    """Run a program with its output thrown away and return the seconds it
    took; a failure ends the bench."""
    with open(stdin or os.devnull, "rb") as source:
        start = time.perf_counter()
        child = subprocess.Popen(argv, stdin=source,
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, cwd=cwd)
        words = child.stderr.read()
        status = child.wait()
        took = time.perf_counter() - start
    if status != 0:
        sys.exit("bench: %s: status %d\n%s" % (
            argv, status, words.decode(errors="replace")))
    return took


def memory(argv, cwd=None):
    """The peak resident bytes of a program."""
    with tempfile.NamedTemporaryFile("r") as out:
        run(["/usr/bin/time", "-f", "%M", "-o", out.name, *argv], cwd=cwd)
        return int(out.read().split()[-1]) * 1024


def take_turns(contestants, rounds, prepare=None):
    """Let each have its turn, rounds times, after one turn that is not
    counted.  contestants: name -> function that returns seconds.
    Returns name -> median."""
    runs = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, contestant in contestants.items():
            if prepare:
                prepare()
            one = contestant()
            if turn > 0:
                runs[name].append(one)
    return {name: statistics.median(took) for name, took in runs.items()}


def seconds(value):
    """A duration with three digits and its unit."""
    if value >= 1:
        return "%.3g s" % value
    if value >= 1e-3:
        return "%.3g ms" % (value * 1e3)
    return "%.3g us" % (value * 1e6)


def megabytes(value):
    return "%.1f MB" % (value / 1e6)


def commit():
    """Of which commit the programs are."""
    return subprocess.run(
        ["git", "describe", "--always", "--dirty"], text=True,
        cwd=os.path.dirname(__file__) or ".",
        stdout=subprocess.PIPE).stdout.strip() or "no commit"


def machine():
    """Processor, cores and kernel, as a reader of the table needs them."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as lines:
        kilobytes = int(next(lines).split()[1])
    return "%s, %d cores, %.0f GB of memory, Linux %s" % (
        model, os.cpu_count(), kilobytes / 1e6, os.uname().release.split("-")[0])
