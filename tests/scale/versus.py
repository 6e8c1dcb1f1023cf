# SPDX-License-Identifier: BSD-3-Clause
"""Two builds side by side, in turns: versus.py OLD NEW SAMPLES.npy [--turns 5] [--only learn|encode]
[--shrunk-new] [--json FILE]

OLD and NEW are their commands. Processor seconds on one thread, which other work on the machine changes least: learning in memory
(K = 200, tau = .1, the same eta for both; from the 5th iteration in the trace to the 35th, where the run is killed), encoding in the
modes that both have, exact codes among them, with the model of OLD. Prints the medians, their ratio, and the median of the ratios
of turns; fails when both are above 1.03. --shrunk-new: NEW makes codes least squares on their support unless told not to, and OLD
does not; tell it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 1.03
FIRST, LAST = 5, 35
MODES = ["linear", "sparse", "corrected", "exact"]
LEARN = ["--atoms", 200, "--tau", 0.1, "--threads", 1, "--rtol", 0, "--quiet"]


def worked(command, *arguments):
    process = subprocess.Popen([str(command), *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, arguments)
    return usage.ru_utime + usage.ru_stime


def iterations(command, samples, folder, eta):
    """The seconds of the processor from one iteration to another, as the trace grows."""
    trace = folder / "trace"
    trace.unlink(missing_ok=True)
    learn = [command, "learn", samples, "-o", folder / "m", *LEARN, "--eta", eta, "--max-iterations", 1000, "--trace", trace]
    process = subprocess.Popen([*map(str, learn)], stdout=subprocess.DEVNULL)
    seen = []
    try:
        for wanted in (FIRST, LAST):
            while not trace.exists() or trace.read_bytes().count(b"\n") < wanted:
                assert process.poll() is None, "it ended before"
                time.sleep(0.002)
            tasks = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
            nanoseconds = sum(int(task.read_text().split()[0]) for task in tasks)
            seen.append((trace.read_bytes().count(b"\n"), nanoseconds / 1e9))
    finally:
        process.kill()
        process.wait()
    (first, start), (last, end) = seen
    return (end - start) / (last - first)


def turn(command, options, folder, shrunk):
    """The seconds of every task, once."""
    found = {}
    for eta in (0, 1) if options.only != "encode" else ():
        found[f"an iteration, eta {eta}"] = iterations(command, options.samples, folder, eta)
    for mode in MODES if options.only != "learn" else ():
        encode = ["encode", folder / "model", options.samples, "-o", folder / "u.npy", "--mode", mode, "--threads", 1]
        found[f"encode --mode {mode}"] = worked(command, *encode, *(["--no-debias"] if shrunk and mode != "linear" else []))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("samples")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", choices=["learn", "encode"])
    parser.add_argument("--shrunk-new", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    turns = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worked(options.old, "learn", options.samples, "-o", folder / "model", *LEARN, "--eta", 1, "--max-iterations", 10)
        for number in range(options.turns):
            both = {}
            for which in ("old", "new") if number % 2 == 0 else ("new", "old"):
                both[which] = turn(getattr(options, which), options, folder, which == "new" and options.shrunk_new)
            turns.append(both)
    failed = False
    result = {}
    for task in turns[0]["old"]:
        old, new = (statistics.median(t[which][task] for t in turns) for which in ("old", "new"))
        ratio = statistics.median(t["new"][task] / t["old"][task] for t in turns)
        slower = min(ratio, new / old) > LIMIT
        failed = failed or slower
        result[task] = {"old_seconds": old, "new_seconds": new, "ratio_of_medians": new / old, "median_ratio": ratio}
        print(f"{task}: {1e3 * old:.2f} ms, now {1e3 * new:.2f} ms, ratio {new / old:.3f}, median of the ratios {ratio:.3f}{': SLOWER' if slower else ''}")
    if options.json:
        Path(options.json).write_text(json.dumps({"turns": turns, "tasks": result}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
