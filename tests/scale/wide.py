# SPDX-License-Identifier: BSD-3-Clause
"""Wide samples: time, memory, signals and limits: wide.py COMMAND FOLDER [--only N] [--threads 2] [--gibibytes 4]

For every shape, with 64 atoms: the seconds to the model (20 iterations at most) and the largest resident memory; the seconds from
Ctrl-C to the end, at three moments, without and with --checkpoint; how far --time-limit 5 is exceeded. Samples are made in FOLDER
and removed. Every run has an address space of so many GiB. Exit 1 when a signal takes more than 5 seconds or a limit is exceeded
by more than 3.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

SHAPES = [(200, 3000), (2000, 10000), (20, 200000), (50000, 4096)]
MOMENTS = (0.2, 0.5, 0.8)  # of the time to the model
MOST_AFTER_SIGNAL, MOST_OVER_LIMIT, LIMIT = 5, 3, 5
MAKE = """
import sys
import numpy as np
path, n_samples, n_features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dice = np.random.default_rng(n_features)
atoms = dice.standard_normal((96, n_features), np.float32)
out = np.lib.format.open_memmap(path, "w+", np.float32, (n_samples, n_features))
for first in range(0, n_samples, 2000):
    n = min(2000, n_samples - first)
    codes = dice.standard_normal((n, 96), np.float32) * (dice.random((n, 96)) < 0.1)
    out[first:first + n] = codes @ atoms + 0.1 * dice.standard_normal((n, n_features), np.float32)
"""


class Shape:
    def __init__(self, options, n_samples, n_features):
        self.options = options
        self.folder = options.folder
        self.samples = self.folder / "wide.npy"
        subprocess.run([sys.executable, "-c", MAKE, self.samples, str(n_samples), str(n_features)], check=True)

    def start(self, *more):
        for name in ("wide.safetensors", "wide.ckpt"):
            (self.folder / name).unlink(missing_ok=True)
        learn = [self.options.command, "learn", self.samples, "-o", self.folder / "wide.safetensors", "--atoms", 64]
        learn += ["--nonzeros", 8, "--max-iterations", 20, "--threads", self.options.threads, "--quiet", *more]
        space = int(self.options.gibibytes * 2**30)
        return subprocess.Popen(
            [*map(str, learn)], stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)),
        )

    def end(self, process):
        """Exit code, seconds of the processor, MiB."""
        self.said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def whole(self):
        began = time.monotonic()
        code, processor, mebibytes = self.end(self.start())
        return code, time.monotonic() - began, processor, mebibytes

    def interrupted(self, after, *more):
        """Seconds from the signal to the end; None when there was nothing to interrupt any more."""
        process = self.start(*more)
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            asked = time.monotonic()
            process.send_signal(signal.SIGINT)
            code, _, _ = self.end(process)
            return (time.monotonic() - asked) if code in (0, 130) else float("inf")  # 0: it was complete in time
        process.stderr.close()
        return None

    def limited(self):
        began = time.monotonic()
        code, _, _ = self.end(self.start("--time-limit", str(LIMIT)))
        return time.monotonic() - began - LIMIT if code == 0 else float("inf")


def measure(options, n_samples, n_features):
    shape = Shape(options, n_samples, n_features)
    code, seconds, processor, mebibytes = shape.whole()
    alone, kept = [], []
    for moment in MOMENTS:
        alone.append(shape.interrupted(moment * seconds))
        kept.append(shape.interrupted(moment * seconds, "--checkpoint", str(options.folder / "wide.ckpt")))
    over = max(shape.limited(), -LIMIT)
    worst = [max((s for s in times if s is not None), default=0) for times in (alone, kept)]
    print(
        f"| {n_samples} x {n_features} | {seconds:.1f} ({processor:.1f}) | {mebibytes:.0f} | {worst[0]:.1f} | {worst[1]:.1f} "
        f"| {over:+.1f} |", flush=True,
    )
    if code != 0:
        print(f"exit {code}: {shape.said}", file=sys.stderr)
    return code == 0 and max(worst) <= MOST_AFTER_SIGNAL and over <= MOST_OVER_LIMIT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=int, help="the number of one shape, from 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gibibytes", type=float, default=4)
    options = parser.parse_args()
    print("| samples x features | s to the model (of the processors) | MiB | s after Ctrl-C | the same with --checkpoint "
          f"| s over --time-limit {LIMIT} |\n|---|---|---|---|---|---|", flush=True)
    held = True
    for number, size in enumerate(SHAPES, 1):
        if options.only in (None, number):
            held = measure(options, *size) and held
    for name in ("wide.npy", "wide.safetensors", "wide.ckpt"):
        (options.folder / name).unlink(missing_ok=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
