"""What the plans of this folder share: where JDKs, agent and harness are, one JVM from start to end, rotating rounds, and tables.

scripts/bench builds everything and says where it is; without it, the release build and the harness of this checkout are taken.
"""

import argparse
import json
import math
import operator
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
HARNESS = pathlib.Path(os.environ.get("DUCKTRACK_HARNESS", ROOT / "java-harness/target"))
LIBRARY = os.environ.get("DUCKTRACK_LIBRARY", BUILD / "release/libducktrack.so")
COMMAND = os.environ.get("DUCKTRACK_COMMAND", BUILD / "release/ducktrack")


def arguments(doc, *positional, **defaults):
    """The options of a plan, each with its default, which says its type: a list for names separated by commas."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in positional:
        parser.add_argument(name, nargs="+")
    for name, default in defaults.items():
        kind = (lambda words: words.split(",")) if isinstance(default, list) else type(default)
        parser.add_argument(f"--{name.replace('_', '-')}", **({"action": "store_true"} if default is False else {"type": kind, "default": default}))
    return parser.parse_args()


def tool(variable):
    found = os.environ.get(variable)
    return found or sys.exit(f"{variable} is not set: run scripts/install-jdks, and this by scripts/bench")


def home(jdk):
    return tool(f"DUCKTRACK_JDK_{jdk}")


def java(jdk=17):
    return f"{home(jdk)}/bin/java"


def javac(jdk=17):
    return tool(f"DUCKTRACK_JAVAC_{jdk}")


def agent(*options):
    return f"-agentpath:{LIBRARY}=" + ",".join(option for option in ("summary=off", *options) if option)


def program(name, iterations, size=None):
    """The words of a program of the harness."""
    return ["-jar", HARNESS / "harness.jar", name, "--iterations", iterations, *(["--size", size] if size else [])]


class Unavailable(Exception):
    """The program cannot run here."""


class Run:
    """A process that has ended: its output, seconds, seconds of CPU, peak of its memory in KB."""

    def __init__(self, out, errors, usage, seconds):
        self.out, self.errors, self.peak = out, errors, usage.ru_maxrss
        self.seconds, self.cpu = seconds, usage.ru_utime + usage.ru_stime
        self.iterations = [line for line in map(json.loads, re.findall(r"^\{.*\}$", out, re.M)) if line.get("event") == "iteration"]

    def second_half(self, figure):
        """Of each iteration of the half in which code is compiled."""
        return [iteration[figure] for iteration in self.iterations[len(self.iterations) // 2 :]]


def run(*command, during=None, watch=None, codes=(0,), limit=1800):
    """Runs a command; if it fails, the plan ends. `during` is called once with the process and its output, `watch` ten times a second."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(words, stdin=subprocess.PIPE if during else None, stdout=out, stderr=errors)
        start = time.monotonic()
        if during:
            during(process, lambda: os.pread(out.fileno(), 1 << 20, 0).decode(errors="replace"))
        ended = (0, 0, None)
        while not ended[0]:
            if watch:
                watch(process.pid)
            if time.monotonic() > start + limit:
                process.kill()
            time.sleep(0.1 if watch else 0.01)
            ended = os.wait4(process.pid, os.WNOHANG)
        seconds, process.returncode = time.monotonic() - start, os.waitstatus_to_exitcode(ended[1])
        texts = [file.read() for file in (out, errors) if not file.seek(0)]
    if process.returncode == 77:
        raise Unavailable(command)
    if process.returncode not in codes:
        sys.exit(f"{' '.join(words)}: exit code {process.returncode}\n{texts[0][-1000:]}{texts[1][-2000:]}")
    return Run(*texts, ended[2], seconds)


def answer(question, folder, *words):
    """What the command says about a recording."""
    return json.loads(run(COMMAND, question, folder, "--format", "json", *words).out)


def timed(question, *words):
    """Asks the command, and shows what the answer took and how it begins."""
    ended = run(COMMAND, question, *words)
    print(f"ducktrack {question}: {ended.seconds:.1f} s, {ended.cpu:.1f} s of CPU, {ended.peak * 1024 / 1e9:.2f} GB")
    print(*ended.out.splitlines()[1:8], sep="\n", flush=True)


def port_of_service(process, output):
    while not (port := re.search(r"READY (\d+)", output())):
        if process.poll() is not None:
            sys.exit(f"the service did not start: {output()[-500:]}")
        time.sleep(0.05)
    return int(port[1])


SERVICE = ["-cp", f"{HARNESS}/lib/service/*", "ducktrack.service.Service", "--server.port=0", "--logging.level.root=warn"]


def cpu_by_thread(seconds, kind_of):
    """A `watch` that notes in `seconds` the CPU time of threads by `kind_of(name)`, as the kernel counts it, up to the last tenth of a second."""
    threads = {}

    def look(pid):
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
            try:
                name = (task / "comm").read_text().strip()
                threads[task.name, name] = int((task / "schedstat").read_text().split()[0]) / 1e9
            except (FileNotFoundError, ProcessLookupError):
                pass
        seconds.clear()
        for (_, name), used in threads.items():
            seconds[kind_of(name)] += used

    return look


class Kept:
    """Rows of figures. With --json FILE they are kept there, and those that are there are taken: rounds may be measured at different times."""

    def __init__(self, file):
        self.file = pathlib.Path(file) if file else None
        there = self.file.read_text().splitlines() if self.file and self.file.exists() else []
        self.rows = [json.loads(line) for line in there]

    def add(self, **row):
        self.rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
        if self.file:
            with self.file.open("a") as file:
                print(json.dumps(row), file=file)

    def of(self, **keys):
        return [row for row in self.rows if all(row.get(key) == value for key, value in keys.items())]

    def pairs(self, variants, rounds, measure, **keys):
        """Each variant once a round, in an order that rotates. `measure(variant, folder)` gives the figures."""
        names = list(variants)
        first = max((row["round"] for row in self.of(**keys)), default=-1) + 1
        for number in range(first, first + rounds):
            turn = number % len(names)
            for name in names[turn:] + names[:turn]:
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        self.add(**keys, variant=name, round=number, **measure(name, folder))
                except Unavailable:
                    print(f"skipped: {keys} cannot run here", file=sys.stderr)
                    return

    def values(self, figure, variant, **keys):
        return [row[figure] for row in self.of(variant=variant, **keys)]

    def over(self, figure, variant, basis, compare=operator.truediv, **keys):
        """Each figure with that of the basis in the same round: their ratios, or what `compare` makes of both."""
        of = {row["round"]: row[figure] for row in self.of(variant=basis, **keys)}
        return [compare(row[figure], of[row["round"]]) for row in self.of(variant=variant, **keys) if row["round"] in of]


def spread(values, form=".3f"):
    return f"{statistics.median(values):{form}} ({min(values):{form}}-{max(values):{form}})"


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def show(*columns, rows):
    """A table: columns of figures stand right."""
    print("| " + " | ".join(column.rstrip(">") for column in columns) + " |")
    print("|" + "".join("---:|" if column.endswith(">") else "---|" for column in columns))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
