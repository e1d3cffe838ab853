#!/usr/bin/env python3
"""Measure stfm beside what one would otherwise run, and print a table.

    bench.py [--quick] [--write FILE] [NAME ...]

With NAMEs, --write replaces their rows and notes in FILE, at its end.
NAME is a part of the benchmarks: start expand shapes csv events status list
rest complete queue pass search short eta.
--quick makes everything ten times smaller: to see that the benchmarks work,
not to measure.
"""

import argparse
import atexit
import datetime
import glob
import importlib.util
import itertools
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import textwrap
import time

import measure
from measure import megabytes, memory, run, seconds, take_turns

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HERE = os.path.join(TOP, "bench")
BIN = os.path.join(TOP, "bin")
FIXTURE = os.path.join(TOP, "build/plain/tests/store-fixture")
COMMANDS = sorted(name for name in os.listdir(BIN) if "." not in name)

rows = []  # (what, ours, other, theirs, ratio, target, met)
notes = []  # why a target is missed, below the table


def compare(what, ours, other, theirs, target, limit, faster=False):
    """One row: ours may take limit times theirs, or, with faster, must be
    limit times as fast."""
    ratio = theirs / ours if faster else ours / theirs
    met = ratio >= limit if faster else ratio <= limit
    rows.append((what, seconds(ours), other, seconds(theirs),
                 "%.3g x %s" % (ratio, "faster" if faster else "the time"),
                 target, "yes" if met else "NO"))
    return met


def beside(what, ours, other, theirs):
    """One row: how much faster ours is, where nothing was promised."""
    rows.append((what, seconds(ours), other, seconds(theirs),
                 "%.3g x faster" % (theirs / ours), "", ""))


def bound(what, value, text, target, limit):
    """One row: a value that has to stay below a limit."""
    met = value <= limit
    rows.append((what, text, "", "", "", target, "yes" if met else "NO"))
    return met


def plain(what, text):
    """One row: a value of which nothing was promised."""
    rows.append((what, text, "", "", "", "", ""))


def stfm(name, *words):
    return [os.path.join(BIN, "stfm-" + name), *words]


class Place:
    """A fresh directory that goes away with the bench."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="stfm-bench.")
        atexit.register(shutil.rmtree, self.path, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.path, name)


# ---- a private Slurm ----

class Sandbox:
    def __init__(self, place, cpus, nodes=2):
        self.directory = place.file("slurm")
        run(stfm("sandbox", "start", "-Q", "-N", str(nodes), "-g", "0", "-c",
                 str(cpus), "-d", self.directory, "-o",
                 "MaxArraySize=200001", "-o", "MaxJobCount=400000", "-o",
                 "MinJobAge=10"))
        atexit.register(self.stop)
        words = subprocess.check_output(
            stfm("sandbox", "env", "-d", self.directory), text=True)
        for name, value in re.findall(r"export (\w+)='?([^'\n;]*)", words):
            os.environ[name] = value
        os.environ["STFM_DIR"] = place.file("store")

    def stop(self):
        subprocess.call(stfm("sandbox", "stop", "-Q", "--remove", "-d",
                             self.directory))


def cancel_all():
    subprocess.check_call(["scancel", "--full", "-u", str(os.getuid())],
                          stderr=subprocess.DEVNULL)


# ---- the benchmarks ----

def bench_start(scale):
    """Starting a command: what a pipe or a prompt waits for."""
    contestants = {"/bin/true": lambda: run(["/bin/true"])}
    for name in COMMANDS:
        contestants[name] = lambda name=name: run(
            [os.path.join(BIN, name), "--version"])
    times = take_turns(contestants, 200 // scale)
    for name in COMMANDS:
        extra = times[name] - times["/bin/true"]
        used = memory([os.path.join(BIN, name), "--version"])
        bound("start %s, more than /bin/true (%s)" % (
            name, seconds(times["/bin/true"])), extra,
            "%s, %s" % (seconds(extra), megabytes(used)), "<= 2 ms", 2e-3)


def python_grid(form, sizes):
    """What one writes in Python for the same grid."""
    put = {"tsv": r"w('%s\t%s\t%s\n' % p)",
           "jsonl": "w(json.dumps({'lr': p[0], 'bs': p[1], 'seed': p[2]})"
                    " + '\\n')"}[form]
    return [sys.executable, "-c",
            "import itertools, json, sys\n"
            "w = sys.stdout.write\n"
            "for p in itertools.product(*[[str(i) for i in range(1, n + 1)]"
            " for n in %s]):\n    %s\n" % (list(sizes), put)]


def bench_expand(scale):
    sizes = (100, 100, 100 // scale)
    words = ["%s=1..%d" % pair for pair in zip(("lr", "bs", "seed"), sizes)]
    count = sizes[0] * sizes[1] * sizes[2]
    for form in ("tsv", "jsonl"):
        times = take_turns({
            "ours": lambda: run(stfm("expand", "-o", form, *words)),
            "python": lambda: run(python_grid(form, sizes)),
            "seq": lambda: run(["seq", str(count)])}, 5)
        what = "expand %d points to %s" % (count, form)
        compare(what, times["ours"], "Python's itertools",
                times["python"], ">= 20 x faster", 20, True)
        compare(what, times["ours"], "seq %d" % count,
                times["seq"], "<= 3 x", 3)
        used = memory(stfm("expand", "-o", form, *words))
        plain("... its memory", megabytes(used))


def bench_shapes(scale):
    """Spaces of other shapes than a small grid."""
    count = 10000000 // scale
    rows, columns = 1000 // scale, 10000
    large = 10000 // scale  # that many squared: 1e8 points
    for what, words, seq in (
            ("expand 1..%d" % count, ["a=1..%d" % count], [str(count)]),
            ("expand %d x 3 values" % (count // 3),
             ["a=1..%d" % (count // 3), "b=1..3"], [str(count)]),
            ("expand %d x %d values" % (rows, columns),
             ["a=1..%d" % rows, "b=1..%d" % columns], [str(count)]),
            ("expand %d x %d values" % (large, large),
             ["a=1..%d" % large, "b=1..%d" % large], [str(large * large)]),
            ("expand %d draws" % (count // 10),
             ["--samples", str(count // 10), "x=uniform:0:1"],
             ["0", "%.9f" % (10 / count), "1"])):
        times = take_turns({
            "ours": lambda: run(stfm("expand", *words)),
            "seq": lambda: run(["seq"] + seq)}, 5)
        # The lines of two columns are longer than seq's.
        if not compare(what, times["ours"], "seq " + " ".join(seq),
                       times["seq"], "<= 3 x", 3):
            notes.append(
                "%s: %s a line, seq %s.  A line has two fields, and the "
                "values of the first are asked for one by one; the lines that "
                "share one are copied in one loop." % (
                    what, seconds(times["ours"] / count),
                    seconds(times["seq"] / count)))
    grid = ["a=1..%d" % rows, "b=1..%d" % columns]
    for what, condition in (
            ("an exception of the last", ["--except", "b=7"]),
            ("an exception of both", ["--except", "b>9990,a<9"]),
            ("a condition of both", ["--when", "b:a>3"])):
        times = take_turns({
            "all": lambda: run(stfm("expand", *grid)),
            "some": lambda: run(stfm("expand", *condition, *grid))}, 5)
        extra = (times["some"] - times["all"]) / (rows * columns)
        bound("... a point of %d x %d, %s" % (rows, columns, what), extra,
              seconds(extra), "<= 30 ns", 30e-9)


def make_csv(path, lines):
    with open(path, "w") as out:
        out.write("epoch,loss,accuracy,val_loss,val_accuracy\n")
        for i in range(lines):
            loss = 1 / (1 + i / 1000) + (i * 7919 % 1000) / 1e5
            out.write("%d,%.6f,%.6f,%.6f,%.6f\n" % (
                i, loss, 1 - loss / 2, loss * 1.1, 1 - loss * 0.55))


def make_json_lines(path, csv):
    """The rows of a CSV file as objects."""
    with open(csv) as rows, open(path, "w") as out:
        names = next(rows).strip().split(",")
        form = "{%s}\n" % ", ".join('"%s": %%s' % name for name in names)
        for row in rows:
            out.write(form % tuple(row.strip().split(",")))


AWK_BEST = ("NR > 1 && (best == \"\" || $4 < best) "
            "{ best = $4; at = $1 } END { print at, best }")


CSV_TARGET = 5  # times as fast as awk


def csv_limit(what, times, target):
    """What reading the file takes before a number of it is understood."""
    least = times["start"] + times["read"]
    notes.append(
        "%s: %s, where %s would do.  To start and to see each byte once "
        "(wc -l) is %s, the least of any program; to cut out the two columns "
        "(cut) is %s.  So %d x awk is %s; the rest, %s, is dividing the "
        "lines and reading the numbers." % (
            what, seconds(times["best"]), seconds(times["awk"] / target),
            seconds(least), seconds(times["cut"]), target,
            "out of reach" if least > times["awk"] / target
            else "above the least, but missed",
            seconds(max(times["best"] - least, 0))))


WC_LIMIT = (
    "best of a CSV beside wc -l: wc looks for one byte.  stfm looks for the "
    "delimiter, quotes and line ends, eight bytes at a time, and then reads "
    "two numbers of each line.  Wider registers (SSE2, AVX2, NEON), chosen "
    "when the program starts, could only shorten the search for the ends of "
    "fields, which is a fifth of the time in a profile; to read the numbers is "
    "a third.")


def compare_csv(what, times):
    """Rows for reading a CSV file, beside awk and beside seeing each byte."""
    met = [compare(what, times["best"], "awk", times["awk"],
                   ">= %d x faster" % CSV_TARGET, CSV_TARGET, True),
           compare(what, times["best"], "wc -l", times["read"], "<= 2 x", 2)]
    if not met[0]:
        csv_limit(what, times, CSV_TARGET)
    if not met[1] and WC_LIMIT not in notes:
        notes.append(WC_LIMIT)


def bound_memory(argv):
    used = memory(argv)
    bound("... its memory", used, megabytes(used), "< 10 MB", 10e6)


def bench_json_lines(csv, what):
    lines = csv + ".jsonl"
    make_json_lines(lines, csv)
    argv = {name: stfm("plot", "--layout", "spark", "-m", "val_loss", name)
            for name in (csv, lines)}
    times = take_turns({name: lambda name=name: run(argv[name])
                        for name in argv}, 9)
    what = what.replace("a CSV", "JSON Lines")
    if not compare(what, times[lines], "as CSV", times[csv], "<= 2 x", 2):
        notes.append(
            "%s: the rows have %.2g times as many bytes as in CSV, because "
            "each row has the names.  stfm compares all of these bytes with "
            "those of the row before." % (
                what, os.path.getsize(lines) / os.path.getsize(csv)))
    bound_memory(argv[lines])


def bench_long_csv(place, lines):
    csv = place.file("long.csv")
    make_csv(csv, lines)
    argv = stfm("plot", "--layout", "spark", "-m", "val_loss", csv)
    times = take_turns({
        "best": lambda: run(argv),
        "awk": lambda: run(["awk", "-F,", AWK_BEST, csv]),
        "start": lambda: run(stfm("plot", "--version")),
        "read": lambda: run(["wc", "-l", csv]),
        "cut": lambda: run(["cut", "-d,", "-f1,4", csv])}, 3)
    compare_csv("best of a CSV of %d rows" % lines, times)
    bound_memory(argv)


def bench_columns(place, lines):
    """Two of many columns."""
    columns, wide = 500, place.file("wide.csv")
    argv = stfm("plot", "--layout", "spark", "-m", "val_loss", wide)
    with open(wide, "w") as out:
        out.write("epoch,%s,val_loss\n" % ",".join(
            "m%d" % i for i in range(columns - 2)))
        rest = ",".join("0.%06d" % i for i in range(columns - 2))
        for i in range(lines):
            out.write("%d,%s,%.6f\n" % (i, rest, 1 / (1 + i / 100)))
    times = take_turns({
        "best": lambda: run(argv),
        "awk": lambda: run(["awk", "-F,", AWK_BEST.replace("$4", "$500"),
                            wide]),
        "start": lambda: run(stfm("plot", "--version")),
        "read": lambda: run(["wc", "-l", wide]),
        "cut": lambda: run(["cut", "-d,", "-f1,500", wide])}, 5)
    compare_csv("best of a CSV of %d columns, %d rows" % (columns, lines),
                times)
    bound_memory(argv)


def make_events(path, steps):
    """An event file as TensorBoard's writers make it: a value an event."""
    import google_crc32c

    def masked(data):
        crc = google_crc32c.value(data)
        crc = (crc >> 15 | crc << 17) + 0xa282ead8
        return struct.pack("<I", crc & 0xffffffff)

    def record(event):
        length = struct.pack("<Q", len(event))
        return length + masked(length) + event + masked(event)

    def field(number, data):
        return bytes((number << 3 | 2, len(data))) + data

    def whole(number):
        out = bytearray()
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        return bytes(out) + bytes((number,))

    with open(path, "wb") as out:
        for step in range(steps):
            loss = 1 / (1 + step / 1000)
            for i, tag in enumerate((b"loss", b"accuracy", b"val_loss")):
                value = (field(1, tag) + b"\x15" +
                         struct.pack("<f", loss * (1 + i / 10)))
                out.write(record(
                    b"\x09" + struct.pack("<d", 1.7e9 + step / 7) + b"\x10" +
                    whole(step) + field(5, field(1, value))))


TENSORBOARD = """\
import sys
from tensorboard.backend.event_processing import event_accumulator
log = event_accumulator.EventAccumulator(
    sys.argv[1], size_guidance={"scalars": 0})
log.Reload()
print(min(event.value for event in log.Scalars("val_loss")))
"""


def bench_events(scale):
    """TensorBoard's loader takes a minute, so it has one turn."""
    place, target = Place(), 10
    path = place.file("events.out.tfevents.1.n")
    try:
        make_events(path, 750000 // scale)
    except ImportError:
        print("bench: no google-crc32c: event files are left out",
              file=sys.stderr)
        return
    what = "best of an event file of %.0f MB" % (os.path.getsize(path) / 1e6)
    argv = stfm("plot", "--layout", "spark", "-m", "val_loss", path)
    took = take_turns({"it": lambda: run(argv)}, 3)["it"]
    if importlib.util.find_spec("tensorboard"):
        compare(what, took, "tensorboard",
                run([sys.executable, "-c", TENSORBOARD, path]),
                ">= %d x faster" % target, target, True)
    else:
        plain(what, seconds(took))
    bound_memory(argv)


def bench_csv(scale):
    place = Place()
    csv, plot = place.file("log.csv"), place.file("plot.gp")
    make_csv(csv, 1000000 // scale)
    with open(plot, "w") as out:
        out.write("set datafile separator ','\nset terminal dumb 80 24\n"
                  "plot '%s' using 1:4 with lines title 'val_loss'\n" % csv)
    times = take_turns({
        "best": lambda: run(stfm("plot", "--layout", "spark", "-m",
                                 "val_loss", csv)),
        "awk": lambda: run(["awk", "-F,", AWK_BEST, csv]),
        "mlr": lambda: run(["mlr", "--icsv", "--ojson", "top", "-n", "1",
                            "-f", "val_loss", "--min", "-a", csv]),
        "start": lambda: run(stfm("plot", "--version")),
        "read": lambda: run(["wc", "-l", csv]),
        "cut": lambda: run(["cut", "-d,", "-f1,4", csv]),
        "chart": lambda: run(stfm("plot", "-m", "val_loss", csv)),
        "gnuplot": lambda: run(["gnuplot", plot])}, 5)
    what = "best of a CSV of %d rows" % (1000000 // scale)
    compare_csv(what, times)
    compare(what, times["best"], "Miller", times["mlr"],
            ">= 3 x faster", 3, True)
    bound_memory(stfm("plot", "--layout", "spark", "-m", "val_loss", csv))
    compare("chart of the same", times["chart"], "gnuplot",
            times["gnuplot"], "<= 0.5 x", 0.5)
    used = memory(stfm("plot", "-m", "val_loss", csv))
    plain("... its memory", megabytes(used))
    bench_json_lines(csv, what)
    bench_long_csv(place, 10000000 // scale)
    bench_columns(place, 20000 // scale)
    many = [place.file("log%d.csv" % i) for i in range(20)]
    for name in many:
        os.link(csv, name)
    argv = stfm("plot", "-m", "val_loss", *many)
    took = take_turns({"chart": lambda: run(argv)}, 5)["chart"]
    if not bound("chart of 20 such files", took, seconds(took), "< 1 s", 1):
        notes.append(
            "chart of 20 such files: they are read one after another, and one "
            "file alone takes %s, so that 20 take %s.  On %d processors at "
            "once that could be %s; stfm does not do this, because it has no "
            "threads." % (
                seconds(times["chart"]), seconds(20 * times["chart"]),
                os.cpu_count(),
                seconds(20 * times["chart"] / os.cpu_count())))
    used = memory(argv)
    bound("... its memory", used, megabytes(used), "< 30 MB", 30e6)


def drop_caches():
    """Make the next run a cold one; False where that is not allowed."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as knob:
            knob.write("3\n")
        return True
    except OSError:
        return False


def fixture_job(out, name, tasks):
    """Lines of tests/store-fixture for a job of finished trainings."""
    out.write("job|%s|seed=1..%d\n" % (name, tasks))
    for i in range(tasks):
        out.write("task|%d|%s|node=n%d|start=-4000|end=-400|exit=%d\n" % (
            i, "ERROR" if i % 100 == 7 else "FINISHED", i % 64,
            i % 100 == 7))
    out.write("end\n")


def make_store(place, name, jobs, tasks):
    store, lines = place.file(name), place.file(name + ".txt")
    with open(lines, "w") as out:
        for i in range(jobs):
            fixture_job(out, "job%d" % i, tasks)
    run([FIXTURE, store], stdin=lines)
    return store


def cold(argv, count):
    """The median of runs that find nothing in memory, or None."""
    times = []
    for _ in range(count):
        if not drop_caches():
            return None
        times.append(run(argv))
    return sorted(times)[len(times) // 2]


def bench_status(scale):
    place = Place()
    tasks = 100000 // scale
    for name, jobs in (("one", 1), ("ten", 10)):
        store = make_store(place, name, jobs, tasks // jobs)
        argv = stfm("status", "--no-refresh", "-d", store)
        what = "status of %d tasks in %d job%s" % (
            tasks, jobs, "s" if jobs > 1 else "")
        took = take_turns({"ours": lambda: run(argv)}, 20)["ours"]
        bound(what + ", warm", took, seconds(took), "< 20 ms", 20e-3)
        bound_memory(argv)
        wall = cold(argv, 5)
        if wall is not None:
            bound("... cold", wall, seconds(wall), "< 100 ms", 0.1)
    for words in (["job0"], ["-s", "best", "-n", "5", "job0"],
                  ["job0/%d" % (tasks // 2)]):
        argv = stfm("status", "--no-refresh", "-d", place.file("one"), *words)
        took = take_turns({"ours": lambda: run(argv)}, 5)["ours"]
        plain("status %s of %d tasks" % (" ".join(words), tasks),
              "%s, %s" % (seconds(took), megabytes(memory(argv))))


def file_calls(argv):
    """How often a command asks for something about a file by its name."""
    with tempfile.NamedTemporaryFile("r") as trace:
        run(["strace", "-f", "-e", "trace=%file", "-o", trace.name, *argv])
        return sum("(" in line for line in trace)


def calls_take(store, jobs, each):
    """What it takes to ask for so many files of each job."""
    first = os.path.join(store, "jobs", "job0")
    places = ["", *("/" + name for name in sorted(os.listdir(first)))]
    places = (places * each)[:each]
    names = "".join("%s/jobs/job%d%s\0" % (store, i, place)
                    for i in range(jobs) for place in places)
    with tempfile.NamedTemporaryFile("w") as out:
        out.write(names)
        out.flush()
        argv = ["xargs", "-0", "-n", "100000", "stat", "-c", "%Y"]
        none = ["xargs", "-0", "-n", "100000", "true"]
        times = take_turns({"stat": lambda: run(argv, stdin=out.name),
                            "none": lambda: run(none, stdin=out.name)}, 5)
    return max(times["stat"] - times["none"], 0)


def bench_list(scale):
    """The list of many jobs that are over: with the record of settled jobs,
    and without it, as every list was before there was one."""
    place = Place()
    count = 10000 // scale
    times = {}
    for jobs in (count // 10, count):
        store = make_store(place, "list%d" % jobs, jobs, 10)
        argv = stfm("status", "--no-refresh", "-d", store)
        wait_for("a record of settled jobs", 60, lambda: run(argv) and
                 os.path.isdir(os.path.join(store, "fold")))
        run(argv)
        times[jobs] = take_turns({
            "list": lambda: run(argv),
            "newest": lambda: run([*argv, "-n", "5"]),
            "read": lambda: run([*argv, "--find", "job"])}, 5)
    what = "list of %d jobs that are over" % count
    took = times[count]
    bound(what, took["list"], seconds(took["list"]), "< 0.1 s", 0.1)
    if not bound("... times that of a tenth", took["list"],
                 "%.3g x" % (took["list"] / times[count // 10]["list"]),
                 "<= 11", 11 * times[count // 10]["list"]):
        notes.append(
            "list of jobs, times that of a tenth: the calls for files are the "
            "same for each job, whatever the number of jobs.  Runs of this "
            "benchmark gave 6 to 12 times, depending on how fast the file "
            "system answered for the smaller store.")
    beside("... beside reading all jobs", took["list"], "--find job",
           took["read"])
    calls = file_calls(argv)
    bound("... calls for files", calls, str(calls), "< 1000", 1000)
    calls = file_calls([*argv, "-n", "5"])
    bound("the newest 5 of them, -n 5 (%s)" % seconds(took["newest"]), calls,
          "%d calls for files" % calls, "< 100", 100)
    if took["list"] >= 0.1:
        notes.append(
            "list of jobs: the record of settled jobs is believed only after "
            "the file system has told that nothing in the job has changed: "
            "five calls a job.  No file or directory changes with all others, "
            "so fewer calls could miss a change by hand or by another program. "
            " stat(1) needs %s for so many calls." % seconds(
                calls_take(store, count, 5)))


def bench_rest(scale):
    """A pass over many jobs that are over: none is opened."""
    place = Place()
    sandbox = Sandbox(place, 2)
    count = 10000 // scale
    store = make_store(place, "rest", count, 10)
    argv = stfm("watch", "--once", "-Q", "-d", store)
    time.sleep(5)  # until the record believes the times of the files
    first = run(argv)
    took = take_turns({"ours": lambda: run(argv)}, 5)["ours"]
    what = "a pass over %d jobs that are over" % count
    bound(what, took, seconds(took), "< 0.1 s", 0.1)
    beside("... beside the first pass", took, "opens all", first)
    calls = file_calls(argv)
    plain("... calls for files", "%d, %.3g a job" % (calls, calls / count))
    if took >= 0.1:
        notes.append(
            "a pass over many jobs that are over: it asks the file system "
            "whether anything in a job has changed, in %.2g calls a job: the "
            "job's directory, its record, its table, and each directory in "
            "which stfm or a user leaves facts and requests.  stat(1) needs "
            "%s for so many calls.  A directory does not change with those in "
            "it, so fewer calls could miss something." % (
                calls / count, seconds(calls_take(store, count, 8))))
    sandbox.stop()


def bench_complete(scale):
    """What the tab key waits for, the shell's own part left out."""
    place = Place()
    program = os.path.join(TOP, "libexec", "stfm-complete")
    many, tasks = 10000 // scale, 100000 // scale
    make_store(place, "many", many, 10)
    make_store(place, "one", 1, tasks)
    names = place.file("log.csv")
    with open(names, "w") as out:
        out.write("epoch,loss,val_loss\n0,1,2\n")
    os.environ["XDG_CACHE_HOME"] = place.file("cache")
    os.makedirs(place.file("cache/stfm"))
    with open(place.file("cache/stfm/partitions"), "w") as out:
        out.write("%s\ngpu\n" % os.environ.get("SLURM_CONF", ""))
    for name, of in (("many", "%d jobs" % many), ("one", "%d tasks" % tasks)):
        for words in (["tasks", "job"], ["tasks", "job0/12"], ["names", ""],
                      ["where", "seed="], ["states", "E"],
                      ["metrics", "", names], ["partitions", ""]):
            argv = [program, *words[:2], "stfm-status", "-d",
                    place.file(name), *words[2:]]
            took = take_turns({"ours": lambda: run(argv)}, 20)["ours"]
            bound("complete %s of %s" % (" ".join(words[:2]).strip(), of),
                  took, "%s, %s" % (seconds(took), megabytes(memory(argv))),
                  "< 20 ms", 20e-3)


SUBMITIT = """
import sys, submitit
executor = submitit.SlurmExecutor(folder=sys.argv[1], max_num_timeout=0)
executor.update_parameters(time=10, additional_parameters={"hold": True})
executor.map_array(abs, range(int(sys.argv[2])))
"""


def submitit_python():
    """This Python, where it has submitit, or None."""
    found = importlib.util.find_spec("submitit")
    return sys.executable if found else None


def sbatch_loop(script, count):
    start = time.perf_counter()
    for _ in range(count):
        subprocess.check_call(["sbatch", "--hold", "-o", "/dev/null", script],
                              stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


QUEUE_TARGET = 2  # times one sbatch


def submission(name, tasks, *words):
    return stfm("submit", "-Q", "--hold", "--gres=none", *words, "-J", name,
                "seed=1..%d" % tasks, "--", "true")


def fsync_time(place):
    """What it takes until a small new file is on this disk and then its
    name: the mean of the two."""
    number = itertools.count()
    where = os.open(place.path, os.O_RDONLY)

    def one():
        name = place.file("fsync%d" % next(number))
        with open(name, "wb", buffering=0) as out:
            out.write(b"x\n")
            start = time.perf_counter()
            os.fsync(out.fileno())
        os.fsync(where)
        return (time.perf_counter() - start) / 2
    took = take_turns({"fsync": one}, 50)["fsync"]
    os.close(where)
    return took


def disk_parts(place, argv):
    """How often a submission waits for the disk, and for how long each."""
    trace = subprocess.run(
        ["strace", "-f", "-e", "trace=connect,fsync", *argv],
        stderr=subprocess.PIPE, text=True, cwd=place.path).stderr
    fsyncs = len(re.findall(r"\bfsync\(", trace))
    plain("a submission's requests to Slurm, sbatch's among them",
          str(trace.count(slurm_sign())))
    one = fsync_time(place)
    plain("... its fsyncs, and one of them alone",
          "%d, %s" % (fsyncs, seconds(one)))
    return fsyncs, one


def queue_limit(what, times, fsyncs, one_fsync):
    """The least that a submission can take that asks Slurm before it stores
    (which limits hold) and after sbatch (whether the job kept its token), and
    has on the disk what it says."""
    ask = take_turns({"ask": lambda: run(["sinfo", "-h"]),
                      "start": lambda: run(["sinfo", "-V"])}, 15)
    question = 3 / 2 * max(ask["ask"] - ask["start"], 0)  # sinfo sends two
    disk = fsyncs * one_fsync
    least = times["sbatch"] + question + disk
    plain("... the least, by its parts below", seconds(least))
    ratio = least / times["sbatch"]
    notes.append(
        "%s: %s.  One sbatch takes %s, three requests to Slurm (for "
        "partitions and nodes before it, for the job after it; two of them as "
        "sinfo without its start) %s, the disk %s (%d fsyncs of %s): together "
        "%s, which is %.3g x one sbatch.  So %g x is %s here; what stfm adds to "
        "these parts is %s.  That is to start, to compare the checksum of "
        "stfm-run with that of its copy in the store, to ask Slurm in a "
        "process of its own each time (an error in libslurm must not end "
        "stfm-submit; each process loads Slurm's plug-ins), and to write the "
        "records of the job.  stfm does not do these parts at the same time, "
        "because a submission that Slurm would refuse must leave nothing in "
        "the store, and sbatch must not run before the job is on the disk.  It "
        "does not remember what Slurm said, because an administrator may have "
        "changed a limit in the meantime." % (
            what, seconds(times["ours"]), seconds(times["sbatch"]),
            seconds(question), seconds(disk), fsyncs, seconds(one_fsync),
            seconds(least), ratio, QUEUE_TARGET,
            "out of reach" if ratio > QUEUE_TARGET else "within reach",
            seconds(max(times["ours"] - least, 0))))


def queue_parts(times):
    """What a submission consists of, as differences of medians."""
    bare = min(times["in memory"], times["ours"])
    for part, took in (
            ("of that its checks (--dry-run)", times["checks"]),
            ("of that sbatch itself", times["sbatch"]),
            ("of that its files", bare - times["checks"] - times["sbatch"]),
            ("of that the disk (a store in memory is so much faster)",
             times["ours"] - bare)):
        plain("... " + part, seconds(max(took, 0)))


def slurm_sign():
    """What a connection to the controller has in the output of strace."""
    port = re.search(r"^SlurmctldPort=(\d+)", open(
        os.environ["SLURM_CONF"]).read(), re.M).group(1)
    return "htons(%s)" % port


def bench_queue(scale):
    place = Place()
    Sandbox(place, 4)
    script, number = place.file("job.sh"), itertools.count()
    with open(script, "w") as out:
        out.write("#!/bin/sh\n:\n")
    python = submitit_python()
    memory_store = tempfile.mkdtemp(prefix="stfm-bench.", dir="/dev/shm")
    atexit.register(shutil.rmtree, memory_store, ignore_errors=True)
    # The first one makes the store.
    run(submission("first", 9), cwd=place.path)
    fsyncs, one_fsync = disk_parts(place, submission("traced", 9))
    cancel_all()
    for tasks in (1000 // scale, 10000 // scale):
        def ours(*words):
            return run(submission("b%d" % next(number), tasks, *words),
                       cwd=place.path)

        contestants = {
            "ours": ours,
            "checks": lambda: ours("--dry-run"),
            "in memory": lambda: ours("--store", memory_store),
            "sbatch": lambda: run(["sbatch", "--hold", "-o", "/dev/null",
                                   "--array=0-%d" % (tasks - 1), script])}
        if python:
            contestants["submitit"] = lambda: run(
                [python, "-c", SUBMITIT, place.file("submitit"), str(tasks)])
        times = take_turns(contestants, 7, cancel_all)
        loop = sbatch_loop(script, 100)
        cancel_all()
        what, took = "queue %d tasks" % tasks, times["ours"]
        compare(what, took, "one sbatch --array", times["sbatch"],
                "<= %g x" % QUEUE_TARGET, QUEUE_TARGET)
        if python:
            compare(what, took, "submitit", times["submitit"],
                    ">= 10 x faster", 10, True)
        beside(what, took / tasks, "loop of sbatch, each", loop / 100)
        queue_parts(times)
        plain("... its memory", megabytes(memory(
            submission("b%d" % next(number), tasks), cwd=place.path)))
        cancel_all()
        queue_limit(what, times, fsyncs, one_fsync)
    bench_orders(place)


def bench_orders(place):
    """How often commands that change tasks of a job ask for the queue."""
    run(submission("orders", 99), cwd=place.path)
    asked = {}
    for name, words in (("hold", ["orders/0-9"]), ("release", ["orders/0-9"]),
                        ("stop", ["-y", "orders"])):
        argv = stfm(name, "-Q", *words)
        asked[name] = questions(argv)
        bound("stfm-%s %s, questions for the queue" % (name, words[-1]),
              asked[name], str(asked[name]), "1", 1)
    cancel_all()
    if max(asked.values()) > 1:
        notes.append(
            "stop, hold, release: one question says which tasks are still in "
            "the queue, and so what to tell Slurm; the other one, after the "
            "order, whether Slurm has done it.  Without it, stfm would say "
            "that a task is held that has started in this moment.")


def wait_for(what, limit, done):
    end = time.monotonic() + limit
    while not done():
        if time.monotonic() > end:
            sys.exit("bench: %s: not within %d s" % (what, limit))
        time.sleep(2)


def running():
    """How many tasks run; none while Slurm is too busy to say."""
    queue = subprocess.run(["squeue", "-h", "-t", "R", "-o", "%i"],
                           stdout=subprocess.PIPE, text=True)
    return len(queue.stdout.split()) if queue.returncode == 0 else 0


def limit_of_pass(store):
    """One squeue of the tasks and a bare stat of the files that matter."""
    start = time.perf_counter()
    subprocess.check_call(["squeue", "-h", "-u", str(os.getuid())],
                          stdout=subprocess.DEVNULL)
    job = os.path.join(store, "jobs", "big")
    subprocess.check_call(["find", os.path.join(job, "metrics"), "-type", "f",
                           "-size", "-9k"], stdout=subprocess.DEVNULL)
    subprocess.check_call(["find", os.path.join(job, "run")],
                          stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


METADATA = "stat,lstat,newfstatat,statx,access,faccessat,faccessat2," \
    "open,openat,getdents64,readlink,readlinkat"


def metadata_calls(argv):
    """The system calls of metadata that a command makes, as lines of a trace.
    The state of a file that was opened is known: asking for it is none."""
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["strace", "-f", "-o", out.name, "-e",
                        "trace=" + METADATA, *argv],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [line for line in out
                if "AT_EMPTY_PATH" not in line and "(" in line]


def of_logs(calls):
    """How many of these calls are for training logs."""
    return sum('.csv"' in line for line in calls)


def with_latency(argv):
    """The command on a file system where each of these calls takes 1 ms."""
    return ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e",
            "trace=" + METADATA, "-e",
            "inject=%s:delay_enter=1000" % METADATA, *argv]


def questions(argv):
    """How often a command has the queue listed."""
    run(["sdiag", "-r"])
    run(argv)
    return sum(int(count) for count in re.findall(
        r"REQUEST_JOB_(?:USER_)?INFO .*?count:(\d+)",
        subprocess.check_output(["sdiag"], text=True)))


def slurm_calls(argv):
    """How often a command connects to the controller."""
    trace = subprocess.run(["strace", "-f", "-e", "trace=connect", *argv],
                           stderr=subprocess.PIPE, text=True).stderr
    return trace.count(slurm_sign())


def bench_pass(scale):
    place = Place()
    tasks, alive = 100000 // scale, 2000 // scale
    sandbox = Sandbox(place, alive // 2)
    # Without control groups each of 2,000 runners would list the processes of
    # this one machine, where there are so many more than on any node.
    run(stfm("submit", "-Q", "--gres=none", "-J", "big", "--mem=1M",
             "--usage=no", "--max-tasks=%d" % tasks,
             "seed=1..%d" % tasks, "--", "sh", "-c",
             'printf "epoch,val_loss\\n0,1\\n" >"$STFM_METRICS"; '
             'exec sleep 3600'), cwd=place.path)
    logs = os.path.join(os.environ["STFM_DIR"], "jobs", "big", "metrics")
    wait_for("%d running tasks" % alive, 900, lambda: running() >= alive and
             len(os.listdir(logs)) >= alive)
    argv = stfm("watch", "--once", "-Q", "big")
    run(argv)
    times = take_turns({
        "ours": lambda: run(argv),
        "limit": lambda: limit_of_pass(os.environ["STFM_DIR"])}, 7)
    what = "a pass over %d tasks, %d running, --usage=no" % (tasks, alive)
    if not compare(what, times["ours"], "squeue and stat",
                   times["limit"], "<= 2 x", 2):
        table = max(os.path.getsize(f) for f in glob.glob(os.path.join(
            os.path.dirname(logs), "fold", "*")))
        notes.append(
            "%s: %s more than to ask Slurm and to look at each log once.  In "
            "this time the table of %.2g MB is read, and Slurm's answer is "
            "compared with its rows." % (
                what, seconds(times["ours"] - times["limit"]), table / 1e6))
    used = memory(argv)
    bound("... its memory", used, megabytes(used), "< 200 MB", 200e6)
    calls = slurm_calls(argv)
    bound("... calls to Slurm", calls, str(calls), "1", 1)
    calls = metadata_calls(argv)
    each = of_logs(calls) / alive
    bound("... calls for metadata of files of a running task", each,
          "%.3g" % each, "<= 1", 1)
    plain("... all calls for metadata", str(len(calls)))
    plain("... where each of these takes 1 ms", seconds(
        take_turns({"it": lambda: run(with_latency(argv))}, 3)["it"]))
    cancel_all()
    sandbox.stop()


SEARCHED = ("sh", "-c", "exec sleep 3600")


def search_lines(name, tasks, running, is_search):
    """Lines of tests/store-fixture: nine tenths of a job are over, and of a
    search two thirds were stopped at its first rung."""
    yield "of|%s" % name
    for i in range(running, tasks * 9 // 10):
        value = "%.4f" % (i * 7919 % 10000 / 10000)
        point = "point=0.0 %.4f\t%s" % (i * 104729 % 10000 / 1e5 + 1e-4,
                                    ("sgd", "adam")[i % 2])
        rungs = "rungs=3=%s@0.0" % value
        if i % 3 == 0:
            rungs += " 9=%s@0.0 27=%s@0.0" % (value, value)
        why = ("pruned at epoch 3: %s is %dth of %d, the best %d continue "
               "(0.6667 or better)" % (value, i, i, i // 3 + 1))
        row = "start=-4000|end=-400"
        if is_search and i % 3 != 0:
            row += "|cause=%s|%s|%s" % (why, rungs, point)
            yield "task|%d|STOPPED|%s" % (i, row)
            yield "stop|%d|%s" % (i, why)
        else:
            row += "|" + "|".join((rungs, point) if is_search else ())
            yield "task|%d|FINISHED|%s|exit=0" % (i, row.rstrip("|"))
        if i % 3 == 0:
            yield "read|%d|log.csv" % i
    yield "end"


def make_search(place, name, tasks, running_tasks, words):
    """A job of which most tasks are over, in the queue of a real Slurm."""
    before = running()
    is_search = "--search" in words
    run(stfm("submit", "-Q", "--gres=none", "--args=none", "-J", name,
             "--mem=1M", "--usage=no", "--metric", "val_acc", "--goal", "max",
             "--epochs", "50", "--max-tasks=%d" % tasks, "--parallel",
             str(running_tasks), *words, "--", *SEARCHED), cwd=place.path)
    wait_for("%d running tasks" % running_tasks, 120,
             lambda: running() >= before + running_tasks)
    run(stfm("watch", "--once", "-Q", name))
    with open(place.file(name + ".txt"), "w") as out:
        for line in search_lines(name, tasks, running_tasks, is_search):
            out.write(line + "\n")
    put_table(place, name)
    for request in glob.glob(os.path.join(
            os.environ["STFM_DIR"], "jobs", name, "ctl", "stop.*")):
        os.utime(request, (0, 0))  # so old that they are packed
    for task in range(running_tasks):
        train(name, task, 1, 5)


def train(name, task, first, last):
    """Log epochs of a running task, which is among the best tenth."""
    path = os.path.join(os.environ["STFM_DIR"], "jobs", name, "metrics",
                        "%06d.csv" % task)
    with open(path, "a") as log:
        if first == 1:
            log.write("epoch,val_acc\n")
        log.write("".join("%d,0.95\n" % i for i in range(first, last + 1)))


def has_value(name, task, epoch):
    """Whether the run of a task has recorded its value at a rung."""
    return bool(glob.glob(os.path.join(
        os.environ["STFM_DIR"], "jobs", name, "run", "*",
        "%06d.0.0.R%d=*" % (task, epoch))))


def valued_passes(passes, alive):
    """What passes take that find a new value at a rung."""
    names = list(passes)
    took = {name: [] for name in names}
    for first, last, rung in (6, 10, 9), (11, 28, 27):
        for task in range(alive):
            for name in passes:
                train(name, task, first, last)
            wait_for("the values of task %d" % task, 30, lambda: all(
                name == "plain" or has_value(name, task, rung)
                for name in passes))
            first_to_go = task % len(passes)
            for name in names[first_to_go:] + names[:first_to_go]:
                took[name].append(run(passes[name]))
    return {name: statistics.median(each) for name, each in took.items()}


def bench_search_pass(scale):
    """What a search costs a pass, and what choosing a point takes."""
    place = Place()
    tasks, alive = 10000 // scale, 16
    sandbox = Sandbox(place, 4 * alive)
    with open(place.file("log.csv"), "w") as out:
        out.write("epoch,val_acc\n" + "".join(
            "%d,0.9\n" % i for i in range(1, 51)))
    space = ["lr=loguniform:1e-4:1e-1", "opt=sgd,adam"]
    search = ["--search", str(tasks)]
    jobs = {"plain": ["--samples", str(tasks // 2), *space],
            "halving": [*search, *space],
            "tpe": [*search, "--sampler", "tpe", *space]}
    passes = {name: stfm("watch", "--once", "-Q", name) for name in jobs}
    for name, words in jobs.items():
        make_search(place, name, tasks, alive, words)
        for _ in range(3):  # it packs what is over
            run(passes[name])
    times = take_turns({name: lambda name=name: run(passes[name])
                        for name in jobs}, 25)
    valued = valued_passes(passes, alive)
    for name in jobs:
        calls = slurm_calls(passes[name])
        bound("a pass over %d tasks of %s, calls to Slurm" % (tasks, name),
              calls, str(calls), "1", 1)
    more = -(-tasks * 10 // 9)  # of these, so many are over
    make_search(place, "results", more, alive,
                ["--search", str(more), "--sampler", "tpe", *space])
    run(stfm("watch", "--once", "-Q", "results"))
    choose_point(more * 9 // 10, "results")
    cancel_all()
    within = [compare("a pass over %d tasks of a search, %s%s" % (
        tasks, name, what), took[name], "without a search", took["plain"],
        "<= 1.2 x", 1.2) for name in ("halving", "tpe")
        for what, took in (("", times), (", a new value at a rung", valued))]
    if not all(within):
        search_limit(tasks, times)
    sandbox.stop()


def put_table(place, name):
    """Give a job the task table that make_search wrote."""
    with open(place.file(name + ".txt")) as lines:
        subprocess.run([FIXTURE, os.environ["STFM_DIR"]], stdin=lines,
                       cwd=place.path, check=True)


def table_size(name):
    """The bytes of the task table of a job."""
    return max(os.path.getsize(f) for f in glob.glob(os.path.join(
        os.environ["STFM_DIR"], "jobs", name, "fold", "*")))


def choose_point(results, job):
    """What choosing one point takes, and of that the choice alone."""
    asks = {n: stfm("ask", "-n", str(n), job) for n in (1, 11)}
    took = take_turns({n: lambda n=n: run(asks[n]) for n in asks}, 25)
    what = "choose a point, %d results" % results
    if not bound(what, took[1], "%s, %s" % (
            seconds(took[1]), megabytes(memory(asks[1]))), "< 50 ms", 50e-3):
        alone = (took[11] - took[1]) / 10
        notes.append(
            "%s: %s.  All results count: there is no limit to their number.  "
            "Each further point of the same call takes %s (ten of them were "
            "measured): this is the choice alone, which compares 24 "
            "candidates with each result.  The rest, %s, is to start, to read "
            "the table of %.2g MB and to tell the sampler its rows." % (
                what, seconds(took[1]), seconds(alone),
                seconds(took[1] - alone), table_size(job) / 1e6))


def search_limit(tasks, times):
    """Why a pass over a search takes longer than one without."""
    notes.append(
        "a pass over %d tasks of a search, halving: %s more than one without.  "
        "Its table of %.2g MB, which has the values at the rungs and the "
        "reasons, is read and its checksums are verified; the other one has "
        "%.2g MB.  The rest is to read which tasks its packed stop requests "
        "are about." % (tasks, seconds(times["halving"] - times["plain"]),
                        table_size("halving") / 1e6,
                        table_size("plain") / 1e6))


# A training that takes START seconds to start and then EPOCH for each epoch, of
# which every task has its own number; SPREAD lets tasks differ in speed.
TRAINING = """
import os, random, time
own = random.Random(int(os.environ["STFM_TASK"]))
pace = float(os.environ["EPOCH"]) * own.uniform(
    1 / float(os.environ["SPREAD"]), float(os.environ["SPREAD"]))
last = int(int(os.environ["STFM_PARAM_epochs"]) *
           own.uniform(float(os.environ["SHORTEST"]), 1))
time.sleep(float(os.environ["START"]) * own.uniform(0.9, 1.1))
with open(os.environ["STFM_METRICS"], "w", 1) as log:
    print("epoch,loss,val_loss", file=log)
    for epoch in range(last):
        time.sleep(pace * own.uniform(0.9, 1.1) * (1.5 if epoch == 0 else 1))
        print("%d,%g,%g" % (epoch, 1 / (epoch + 1), 1 / (epoch + 1)), file=log)
"""

# name: START, EPOCH, epochs, SPREAD, SHORTEST, tasks, how many at once
TRAININGS = {
    "imports": (12, 1, 10, 1, 1, 12, 3),
    "quick": (0.5, 0.5, 40, 1, 1, 16, 4),
    "data": (6, 2, 12, 1.2, 1, 9, 3),
    "sizes": (2, 1, 20, 2, 1, 16, 4),
    "stops": (3, 1, 24, 1.2, 0.3, 16, 4),
    "long": (4, 2, 60, 1.2, 1, 3, 3),
    "alone": (4, 1, 80, 1, 1, 1, 1),
    "wide": (5, 2, 15, 1.5, 1, 6, 4),
    "usual": (3, 1, 30, 1.1, 1, 12, 4),
}


def start_trainings(place, scale):
    script = place.file("train.py")
    with open(script, "w") as out:
        out.write(TRAINING)
    for name, (start, epoch, epochs, spread, shortest, tasks,
               slots) in TRAININGS.items():
        run(stfm("submit", "-Q", "--gres=none", "-t", "10", "--parallel",
                 str(slots), "-J", name, "epochs=%d" % epochs,
                 "seed=1..%d" % tasks, "--", "env",
                 "START=%g" % (start / scale), "EPOCH=%g" % (epoch / scale),
                 "SPREAD=%g" % spread, "SHORTEST=%g" % shortest,
                 sys.executable, script), cwd=place.path)


def follow_trainings():
    """Look at all jobs each second until they are over, as stfm-status -f
    does.  Returns for each its start and end, and what was expected when."""
    begin, end, told, marks = {}, {}, {name: [] for name in TRAININGS}, 0
    while len(end) < len(TRAININGS):
        jobs = json.loads(subprocess.check_output(
            stfm("status", "-o", "json"), stderr=subprocess.DEVNULL))
        now = time.monotonic()
        for job in jobs:
            name = job["job"]
            marks += job["late"] or 0
            if job["RUNNING"] + job["FINISHED"] > 0:
                begin.setdefault(name, now)
            if job["SUBMITTED"] + job["RUNNING"] == 0:
                end.setdefault(name, now)
            told[name].append((now, job["eta"]))
        time.sleep(1)
    return begin, end, told, marks


def eta_error(begin, end, told, part):
    """By how much the rest was misjudged at the first look after a part of the
    run, as a part of what was right; what is not known is wrong by all."""
    when = begin + part * (end - begin)
    for now, eta in told:
        if now >= when:
            right = end - now
            return 1 if eta is None else abs(eta - right) / right
    return 1


def bench_eta(scale):
    """What is expected of jobs, and what comes."""
    place = Place()
    sandbox = Sandbox(place, 16)
    start_trainings(place, min(scale, 4))
    begin, end, told, late = follow_trainings()
    for part, words in ((0.1, "a tenth"), (0.25, "a quarter"), (0.5, "half")):
        wrong = {name: eta_error(begin[name], end[name], told[name], part)
                 for name in TRAININGS}
        median = statistics.median(wrong.values())
        what = "ETA of %d jobs after %s of the run, median error" % (
            len(wrong), words)
        bound(what, median, "%.0f %%" % (100 * median), "< 25 %", 0.25)
        for name in sorted(wrong):
            plain("... of %s" % name, "%.0f %%" % (100 * wrong[name]))
    bound("... said to be LATE, all of which end in time", late, str(late),
          "0", 0)
    sandbox.stop()


# ---- short tasks ----

def sleep_bare(place, tasks):
    """An array, and a look at its results every half second."""
    results = tempfile.mkdtemp(dir=place.path)
    run(["sbatch", "--array=0-%d" % (tasks - 1), "-o", "/dev/null", "--wrap",
         "sleep 1; echo 0.5 >%s/$SLURM_ARRAY_TASK_ID" % results])
    while len(os.listdir(results)) < tasks:
        time.sleep(0.5)


def sleep_stfm(place, tasks):
    job = "short%d" % time.time()
    run(stfm("submit", "-Q", "--gres=none", "--args=none", "-J", job,
             "seed=1..%d" % tasks, "--", "sh", "-c",
             'sleep 1; printf "epoch,val_loss\\n1,0.5\\n" >"$STFM_METRICS"'),
        cwd=place.path)
    run(stfm("watch", "-Q", "-i", "2", job))
    states = subprocess.check_output(
        stfm("status", "--no-refresh", "-o", "tsv", "-c", "state,best", job),
        text=True).splitlines()
    if states[1:].count("FINISHED\t0.5") != tasks:
        sys.exit("bench: not all short tasks have finished")


SLEEP_SUBMITIT = """
import sys, time, submitit
executor = submitit.SlurmExecutor(folder=sys.argv[1], max_num_timeout=0)
executor.update_parameters(time=60, array_parallelism=100000)
jobs = executor.map_array(time.sleep, [1] * int(sys.argv[2]))
for job in jobs:
    job.result()
"""


def bench_files(place):
    """How many files and directories a finished job leaves."""
    run(stfm("submit", "-Q", "--gres=none", "--args=none", "-J", "files",
             "seed=1..40", "--", "true"), cwd=place.path)
    run(stfm("watch", "-Q", "-i", "1", "files"))
    job = os.path.join(os.environ["STFM_DIR"], "jobs", "files")
    paths = [os.path.join(here, name) for here, dirs, names in os.walk(job)
             for name in dirs + names]
    for path in paths:  # as if it had ended an hour ago
        os.utime(path, (time.time() - 3600,) * 2, follow_symlinks=False)
    run(stfm("watch", "--once", "-Q"))
    left = 1 + sum(len(dirs) + len(names) for _, dirs, names in os.walk(job))
    bound("files that a job of 40 silent tasks leaves", left, str(left),
          "<= 25", 25)


def bench_short(scale):
    """Many short tasks, from their submission until all results are known."""
    place, tasks, rounds = Place(), 240 // scale, 4
    sandbox = Sandbox(place, 4)
    contestants = {"stfm": sleep_stfm, "a bare array": sleep_bare}
    python = submitit_python()
    if python:
        contestants["submitit"] = lambda place, tasks: run(
            [python, "-c", SLEEP_SUBMITIT, place.file("submitit"), str(tasks)])
    took = {name: [] for name in contestants}
    for name, contestant in list(contestants.items()) * rounds:
        start = time.monotonic()
        contestant(place, tasks)
        took[name].append(time.monotonic() - start)
        wait_for("the end of the array", 120, lambda: not running())
    median = {name: statistics.median(took[name]) for name in contestants}
    what = "%d tasks of a second, 8 at once" % tasks
    if not compare(what, median["stfm"], "a bare array",
                   median["a bare array"], "<= 1.05 x", 1.05):
        notes.append(
            "%s: in %d runs each, stfm took %s to %s, the array %s to %s.  "
            "Slurm starts tasks in steps, so that eight of them take it 1.5 to "
            "2 seconds; that differs between runs by more than the goal.  In "
            "each task stfm-run starts beside the training, and records its "
            "start and its end with fsync.  Up to 2 s pass until stfm-watch "
            "-i 2 sees the last end." % (
                what, rounds, *(seconds(end(took[name])) for name in
                                ("stfm", "a bare array")
                                for end in (min, max))))
    if python:
        beside(what, median["stfm"], "submitit", median["submitit"])
    notes.append(
        "%s: not 1,000, because submitit alone takes several minutes for "
        "these, and a run of each says little: Slurm starts tasks in steps.  "
        "The time of a task does not depend on their number." % what)
    bench_files(place)
    sandbox.stop()


BENCHMARKS = {"start": bench_start, "expand": bench_expand,
              "shapes": bench_shapes, "csv": bench_csv,
              "events": bench_events,
              "status": bench_status, "list": bench_list, "rest": bench_rest,
              "complete": bench_complete, "queue": bench_queue,
              "pass": bench_pass, "search": bench_search_pass,
              "short": bench_short, "eta": bench_eta}


# What seq 10000000 takes on a machine for which goals in seconds were set.
USUAL_SEQ = 44e-3


def note_pace():
    """Says what goals in seconds mean on a slow machine."""
    took = take_turns({"seq": lambda: run(["seq", "10000000"])}, 9)["seq"]
    if took > 1.2 * USUAL_SEQ:
        notes.append(
            "This machine is slow: seq 10000000 takes %s, and %s on one for "
            "which the goals in seconds were set.  What misses such a goal by "
            "less than %.2g times meets it there." % (
                seconds(took), seconds(USUAL_SEQ), took / USUAL_SEQ))


def table():
    titles = ("what", "stfm", "beside", "takes", "ratio", "target", "met")
    lines = [titles] + rows
    widths = [max(len(line[i]) for line in lines) for i in range(7)]
    return "".join("  ".join(
        cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n"
        for line in lines)


def replace(file, heading, text):
    """Put the table below a heading at the end of a file, which loses what
    it has of the same rows, and of an earlier table of the same parts."""
    measured = tuple(row[0] for row in rows)
    parts = heading.rpartition(": ")[2]
    with open(file) as old:
        tables = re.split("(?m)^(?=Measured later, on )", old.read())
    kept = "".join(t for t in tables if not (
        t.startswith("Measured later, on ") and
        t.partition("\n")[0].endswith(": " + parts)))
    kept = "".join(line for line in kept.splitlines(True)
                   if not line.startswith(
                       tuple(what + "  " for what in measured)))
    kept = "\n\n".join(part.strip("\n") for part in kept.split("\n\n")
                        if not part.startswith(
                            tuple(what + ":" for what in measured)))
    with open(file, "w") as out:
        out.write("%s\n\n%s\n\n%s" % (kept, heading, text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    commit = measure.commit()  # before --write changes a tracked file
    for name in options.names or BENCHMARKS:
        if name not in BENCHMARKS:
            parser.error("%s: no such benchmark" % name)
        print("bench: %s" % name, file=sys.stderr)
        BENCHMARKS[name](10 if options.quick else 1)
    note_pace()
    text = "\n".join([table(), *(textwrap.fill(note, 78) + "\n"
                                 for note in notes)])
    print(text, end="")
    if options.write and options.names:
        heading = "Measured later, on %s, of %s: %s" % (
            datetime.date.today(), commit, ", ".join(options.names))
        replace(options.write, heading, text)
    elif options.write:
        with open(options.write, "w") as out:
            out.write("Measured on %s, of %s: %s.\nMedians of runs that took "
                      "turns; \"make bench\" makes this table.\n\n%s" % (
                          datetime.date.today(), commit,
                          measure.machine(), text))


if __name__ == "__main__":
    main()
