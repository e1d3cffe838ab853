#!/usr/bin/env python3
"""Measure how stfm grows: to a million tasks, and on a cluster of many nodes.

    scale.py [--quick] [--nodes N] [--only TABLE] [--write FILE]

Three tables:
1. Stores of finished tasks, ten times larger from column to column.  growth is
   the exponent from the second last column to the last: 1 is linear.  The
   column behind it is what ten times as many would take with this growth.
2. A pass over a million tasks of which 10,000 run.  No machine runs so many
   trainings at once: the answer of squeue is a recorded one.
3. A private Slurm with many nodes.  Ten users have ten jobs each and watch
   them; sdiag counts the requests to slurmctld.  Beside them, ten users do the
   same with "watch squeue", and with submitit where it can be installed.

--quick makes everything ten times smaller; --only makes one of the tables:
growth, recorded or cluster.
"""

import argparse
import collections
import contextlib
import datetime
import functools
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import bench
import measure
from bench import (FIXTURE, Place, Sandbox, metadata_calls, of_logs, stfm,
                   submitit_python, wait_for)
from measure import memory, run, seconds, take_turns

USERS, JOBS = 10, 10


def table(titles, rows):
    lines = [titles] + rows
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    return "".join("  ".join(
        cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n"
        for line in lines) + "\n"


# ---- stores of any size ----

def job_lines(name, tasks):
    """Lines of tests/store-fixture: a hundredth of a job failed."""
    failed = max(tasks // 100, 1)
    rest = "start=-4000|end=-400|exit=%d\n"
    return ("job|%s|seed=1..%d\n" % (name, tasks) +
            "task|0-%d|ERROR|node=n3|" % (failed - 1) + rest % 1 +
            "task|%d-%d|FINISHED|node=n4|" % (failed, tasks - 1) + rest % 0 +
            "end\n")


def make_store(place, name, jobs, tasks):
    store, lines = place.file(name), place.file(name + ".txt")
    with open(lines, "w") as out:
        for i in range(jobs):
            out.write(job_lines("job%d" % i, tasks))
    run([FIXTURE, store], stdin=lines)
    return store


def space(path):
    """The files below a directory, and the bytes that they take."""
    files = size = 0
    for here, _, names in os.walk(path):
        files += 1 + len(names)
        size += sum(os.lstat(os.path.join(here, name)).st_blocks * 512
                    for name in names)
    return files, size


def measured(argv, rounds):
    return take_turns({"it": lambda: run(argv)}, rounds)["it"], memory(argv)


def command_line(argv):
    return " ".join([os.path.basename(argv[0]), *argv[1:]]).replace(
        " --no-refresh", "")


def grow(sizes, make, commands, rounds=3, last=None):
    """One table: a row for each command and figure, a column for each size.
    last, if given, is called with the last store, and the figures."""
    figures = collections.OrderedDict()
    for size in sizes:
        place = Place()
        store = make(place, size)
        files, taken = space(store)
        figures.setdefault(("files", number), []).append(files)
        figures.setdefault(("bytes", measure.megabytes), []).append(taken)
        for argv in commands:
            took, used = measured([*argv, "-d", store], rounds)
            name = command_line(argv)
            figures.setdefault((name, seconds), []).append(took)
            figures.setdefault((name, measure.megabytes), []).append(used)
        if last and size == sizes[-1]:
            last(store, {key: row[-1] for key, row in figures.items()})
        shutil.rmtree(place.path)
    rows = []
    for (what, text), values in figures.items():
        growth = math.log(values[-1] / values[-2]) / math.log(
            sizes[-1] / sizes[-2])
        if rows and what == rows[-1][0]:
            what = "... its memory"
        rows.append((what, *map(text, values), "%.2f" % growth,
                     text(values[-1] * 10 ** growth)))
    return rows


def number(value):
    return "%.0f" % value


def bench_growth(scale):
    # Nothing runs: the queue is empty.
    with recorded_queue(Place(), 0):
        return growth_tables(scale)


PAGE = stfm("status", "--no-refresh", "job0")
BEST = stfm("status", "--no-refresh", "-s", "best", "-n", "5", "job0")
TSV = stfm("status", "--no-refresh", "-o", "tsv", "job0")
limits = {}  # figures for the text below the tables


def note_limits(tasks, store, figures):
    """What the text below says of a job of so many tasks."""
    page, best, tsv = map(command_line, (PAGE, BEST, TSV))
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([*TSV, "-d", store], stdout=out, check=True)
        size = os.path.getsize(out.name)
        wc = take_turns({"it": lambda: run(["wc", "-l", out.name])}, 5)["it"]
    limits.update(
        tasks=tasks, page_bytes=number(
            figures[page, measure.megabytes] / tasks),
        page_time=seconds(figures[page, seconds]),
        best_time=seconds(figures[best, seconds]),
        line_bytes=number(size / tasks),
        wc_ratio="%.3g" % (figures[tsv, seconds] / wc))


def growth_tables(scale):
    sizes = [n // scale for n in (1000, 10000, 100000, 1000000)]
    rows = grow(sizes, lambda place, n: make_store(place, "store", 1, n), (
        stfm("status", "--no-refresh"),
        PAGE, BEST,
        stfm("status", "--no-refresh", "--by", "seed", "-n", "5", "job0"),
        TSV,
        stfm("watch", "--once", "-Q")),
        last=functools.partial(note_limits, sizes[-1]))
    text = table(titles("one job of so many tasks", sizes), rows)
    sizes = [n // scale for n in (100, 1000, 10000)]
    rows = grow(sizes, lambda place, n: make_store(place, "store", n, 10), (
        stfm("status", "--no-refresh"),
        stfm("status", "--no-refresh", "-n", "5"),
        stfm("watch", "--once", "-Q")))
    return text + table(titles("so many jobs of 10 tasks", sizes), rows)


def titles(what, sizes):
    return (what, *("%d" % n for n in sizes), "growth",
            "at %d" % (10 * sizes[-1]))


# ---- a recorded queue ----

COLUMNS = ("ArrayJobID", "JobID", "ArrayTaskID", "State", "Reason",
           "exit_code", "restartcnt", "SubmitTime", "StartTime", "EndTime",
           "TimeUsed", "TimeLimit", "UserID", "Name", "Comment", "Command",
           "Partition", "NodeList", "Dependency")

SQUEUE = """#!/bin/sh
# The answer of squeue as it was recorded, with the mark that stfm asks for
# behind each column.
for word; do
	case $word in
	ArrayJobID:*) mark=${word#ArrayJobID:} mark=${mark%%,*} ;;
	esac
done
sed "s/@/$mark/g" "${0%/*}/queue"
"""


@contextlib.contextmanager
def recorded_queue(place, alive):
    """Let squeue tell of so many running tasks of array 42."""
    path = os.environ["PATH"]
    os.environ["PATH"] = record_queue(place, alive) + ":" + path
    os.environ["STFM_SLURM"] = "text"
    yield
    os.environ["PATH"] = path
    del os.environ["STFM_SLURM"]


def record_queue(place, alive):
    """Make a directory with a squeue that has this answer."""
    directory = place.file("bin")
    os.mkdir(directory)

    def at(offset):
        return time.strftime("%Y-%m-%dT%H:%M:%S",
                             time.localtime(time.time() + offset))

    with open(os.path.join(directory, "queue"), "w") as out:
        for i in range(alive):
            row = {"ArrayJobID": "42", "JobID": 100 + i, "ArrayTaskID": i,
                   "State": "RUNNING", "Reason": "None", "exit_code": "0",
                   "restartcnt": "0", "SubmitTime": at(-1000),
                   "StartTime": at(-900), "EndTime": at(86400),
                   "TimeUsed": "15:00", "TimeLimit": "1-00:00:00",
                   "UserID": os.getuid(), "Name": "big",
                   "Comment": "fixture", "Partition": "p", "NodeList": "n19"}
            out.write("@".join(str(row.get(c, "")) for c in COLUMNS) + "@\n")
    for name, text in (("squeue", SQUEUE), ("scontrol", "#!/bin/sh\n"),
                       ("scancel", "#!/bin/sh\n"), ("sacct", "#!/bin/sh\n")):
        path = os.path.join(directory, name)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)
    return directory


def make_running(place, tasks, alive):
    store, lines = place.file("store"), place.file("store.txt")
    log = place.file("log.csv")
    with open(log, "w") as out:
        out.write("epoch,loss,val_loss\n1,1,1\n")
    over = tasks - alive
    with open(lines, "w") as out:
        out.write("job|big|seed=1..%d\nset|epochs=20\n" % tasks)
        out.write("task|0-%d|FINISHED|node=n17|start=-900|end=-60|exit=0|"
                  "array=41\n" % (over - 1))
        out.write("task|%d-%d|RUNNING|node=n19|start=-900|array=42\n" % (
            over, tasks - 1))
        out.write("chunk|%d-%d|42\n" % (over, tasks - 1))
        for i in range(over, tasks):
            out.write("metrics|%d|%s\nfact|%d|S|node=n19|time=-900\n" % (
                i, log, i))
        out.write("end\n")
    run([FIXTURE, store], stdin=lines)
    return store


def bench_recorded(scale):
    place = Place()
    tasks, alive = 1000000 // scale, 10000 // scale
    store = make_running(place, tasks, alive)
    argv = stfm("watch", "--once", "-Q", "-d", store, "big")
    with recorded_queue(place, alive):
        run(argv)  # takes what the fixture left
        took, used = measured(argv, 5)
        squeue = take_turns({"it": lambda: run(
            ["squeue", "ArrayJobID:x,"])}, 5)["it"]
        calls = metadata_calls(argv)
    shutil.rmtree(place.path)
    return table(("a pass, %d of %d tasks running" % (alive, tasks), ""), [
        ("time", seconds(took)),
        ("... of that the recorded squeue", seconds(squeue)),
        ("memory", measure.megabytes(used)),
        ("metadata calls", "%d" % len(calls)),
        ("... for the log of a running task",
         "%.3g" % (of_logs(calls) / alive))])


# ---- a cluster ----

def requests():
    """How many requests slurmctld has had, by their names."""
    text = subprocess.check_output(["sdiag"], text=True)
    by_type = text.split("by message type", 1)[1].split("by user", 1)[0]
    return collections.Counter({
        name: int(count) for name, count in re.findall(
            r"^\s*(\w+)\s*\(\s*\d+\)\s*count:(\d+)", by_type, re.M)})


OF_USERS = re.compile("JOB_INFO|JOB_USER|JOB_STEP|PARTITION|NODE_INFO|"
                      "BUILD_INFO|RESERVATION|PING|STATS|ASSOC|LICENSE")


def an_hour(start, length):
    """Let commands run for a while; return the requests of users an hour, and
    the CPU seconds of slurmctld an hour."""
    children = start()
    time.sleep(3)  # their beginning does not count
    before, cpu = requests(), controller_cpu()
    time.sleep(length)
    after, cpu = requests(), controller_cpu() - cpu
    for child in children:
        child.terminate()
    for child in children:
        child.wait()
    after.subtract(before)
    count = sum(n for name, n in after.items() if OF_USERS.search(name))
    # sdiag's own request is one of them.
    return (count - 1) * 3600 / length, cpu * 3600 / length


def controller_cpu():
    ticks = 0
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % pid) as stat:
                name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue
        if name == "slurmctld":
            fields = rest.split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def user_store(place, user):
    return place.file("user%d" % user)


TRAINING = ("sh", "-c", 'exec >"$STFM_METRICS"; echo epoch,val_loss; '
            "echo 1,0.5; exec sleep 86400")


def submit_all(place, tasks, parallel):
    for user in range(USERS):
        os.makedirs(user_store(place, user))
        for job in range(JOBS):
            run(stfm("submit", "-Q", "--gres=none", "--args=none", "--mem=1M",
                     "--usage=no", "-J", "job%d" % job, "--store",
                     user_store(place, user), "--parallel", str(parallel),
                     "seed=1..%d" % tasks, "--", *TRAINING), cwd=place.path)


def background(argv, **more):
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **more)


SUBMITIT = """
import sys, time, submitit
executor = submitit.SlurmExecutor(folder=sys.argv[1], max_num_timeout=0)
executor.update_parameters(time=10, array_parallelism=1,
                           additional_parameters={"hold": True, "mem": "1M"})
jobs = [job for i in range(int(sys.argv[2]))
        for job in executor.map_array(abs, range(int(sys.argv[3])))]
print("ready", flush=True)
while not all(job.done() for job in jobs):
    time.sleep(1)
"""


def submitit_users(place, python, tasks):
    children = []
    for user in range(USERS):
        child = subprocess.Popen(
            [python, "-c", SUBMITIT, place.file("submitit%d" % user),
             str(JOBS), str(tasks)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        children.append(child)
    for child in children:
        child.stdout.readline()
    return children


def bench_cluster(scale, nodes):
    place = Place()
    tasks, parallel = 1000 // scale, 20 // scale or 1
    alive = USERS * JOBS * parallel
    start = time.perf_counter()
    sandbox = Sandbox(place, max(2, -(-2 * alive // nodes)), nodes)
    started = time.perf_counter() - start
    start = time.perf_counter()
    submit_all(place, tasks, parallel)
    submitted = time.perf_counter() - start
    wait_for("%d running tasks" % alive, 900, lambda: bench.running() >= alive)
    length = 120 // scale
    rows = []

    def add(what, start_them):
        count, cpu = an_hour(start_them, length)
        rows.append((what, "%.0f" % count, "%.0f s" % cpu))

    add("nobody", lambda: [])
    add("%d users watch %d jobs each: stfm-watch" % (USERS, JOBS), lambda: [
        background(stfm("watch", "-d", user_store(place, user)))
        for user in range(USERS)])
    add("... and stfm-status -f, too", lambda: [
        background(stfm(name, *words, "-d", user_store(place, user)))
        for user in range(USERS)
        for name, words in (("watch", ()), ("status", ("-f",)))])
    add("%d users: watch squeue, every 2 s" % USERS, lambda: [
        background(["sh", "-c", "while :; do squeue --me; sleep 2; done"])
        for user in range(USERS)])
    argv = stfm("watch", "--once", "-Q", "-d", user_store(place, 0))
    one = measured(argv, 3)
    bench.cancel_all()
    python = submitit_python()
    if python:
        add("%d users: submitit, %d arrays each" % (USERS, JOBS),
            lambda: submitit_users(place, python, parallel))
    sandbox.stop()
    head = table(("%d nodes, %d tasks running, %d waiting" % (
        nodes, alive, USERS * JOBS * (tasks - parallel)), ""), [
            ("start the nodes", seconds(started)),
            ("submit %d jobs of %d tasks" % (USERS * JOBS, tasks),
             seconds(submitted)),
            ("a pass of one user", seconds(one[0])),
            ("... its memory", measure.megabytes(one[1]))])
    return head + table(
        ("requests to slurmctld", "an hour", "its CPU an hour"), rows)


LIMITS = """\
Ten million tasks

The last column of the first table says what ten million tasks in one job would
take.  They do not fit well:

- Memory breaks first.  stfm-status JOB, its sorted lists and --by read the whole
  task table: a page of %(tasks)s tasks takes %(page_bytes)s bytes a task, and
  %(page_time)s.  So it misses its goals of 0.5 s and 50 MB for a million.
- A list of the best few sorts all values.  A heap would not help much: the page,
  which sorts nothing, takes %(page_time)s, the list %(best_time)s.  Both read
  the table.
- stfm-status -o tsv writes %(line_bytes)s bytes a task.  Its goal was three times
  the time of wc -l for each of these bytes; it takes %(wc_ratio)s times as long.
  wc looks for one byte, stfm reads a row of the table and writes its cells, times
  and numbers among them.
- A pass keeps a few bytes for each task, and the lines of the table.  It writes
  only the rows that changed, and a first line with a letter for each task.
- stfm-status without a job reads the first line of each table alone.
- The requests to Slurm do not grow with the tasks: a pass asks once for all
  jobs of the user.  But Slurm keeps at most MaxJobCount tasks in its queue
  (10,000 by default), so stfm queues the job in many parts.

What would be done: cut the table into files of 100,000 rows, each with its own
summary.  A pass would read only the files with tasks that are not over, and a
list of the best few only the files whose summary promises better ones.  Until
then, split such a sweep into jobs of at most a million tasks.

How this was measured

- "growth" is the exponent from the second last column to the last, 1 is linear.
  Below 10,000 tasks the start of a command is most of its time.
- 10,000 running tasks are a recorded answer of squeue, because no machine here
  runs so many trainings; stfm reads it with its version for Slurm's commands.
  The cluster of the third table really runs its tasks, each with stfm-run and a
  training, on one machine.
- submitit asks sacct, so that it sends no requests to slurmctld, but to the
  accounting, which this cluster does not have.  Its tasks are held.
- SEML is not measured: it needs a MongoDB server.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--only", choices=("growth", "recorded", "cluster"))
    parser.add_argument("--write", metavar="FILE")
    options = parser.parse_args()
    commit = measure.commit()
    scale = 10 if options.quick else 1
    text = ""
    for name, make in (
            ("growth", lambda: bench_growth(scale)),
            ("recorded", lambda: bench_recorded(scale)),
            ("cluster", lambda: bench_cluster(
                scale, max(options.nodes // scale, 1)))):
        if options.only in (None, name):
            print("scale: %s" % name, file=sys.stderr)
            text += make()
    if limits:
        text += LIMITS % limits
    print(text, end="")
    if options.write:
        with open(options.write, "w") as out:
            out.write("Measured on %s, of %s: %s.\n\"make scale\" makes these "
                      "tables.\n\n%s" % (datetime.date.today(), commit,
                                         measure.machine(), text))


if __name__ == "__main__":
    main()
