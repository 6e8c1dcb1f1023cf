# SPDX-License-Identifier: BSD-3-Clause
"""What `learn` says it needs against what it takes: memory.py COMMAND [--only N]

Twelve shapes, most of them wide. The prediction is that of the refusal under --max-memory 1; what is taken is the largest
resident memory of a run of two iterations, without that of `dualdict --help`. Exit 1 when a prediction is too small or more than
1.5 times too large.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# samples, features, atoms, precision, more options
SHAPES = [
    (200, 3000, 64, "float32", ()),
    (500, 5000, 16, "float32", ()),
    (2000, 10000, 64, "float32", ()),
    (20, 200000, 64, "float32", ()),
    (20, 200000, 4, "float64", ()),
    (1000, 2000, 200, "float64", ()),
    (3000, 1500, 64, "float32", ()),
    (6000, 1024, 256, "float32", ()),
    (10000, 784, 200, "float32", ("--checkpoint",)),
    (20000, 144, 400, "float32", ()),
    (2000, 512, 2048, "float32", ()),
    (4000, 2048, 64, "float32", ("--stream",)),
]
MOST = 1.5


def make(path, n_samples, n_features):
    """Sparse combinations of random atoms, in a process of its own: what a process ever held counts for its children."""
    import numpy as np  # only here: it would make this process larger than what it measures

    dice = np.random.default_rng(n_features)
    atoms = dice.standard_normal((32, n_features), np.float32)
    codes = dice.standard_normal((n_samples, 32), np.float32) * (dice.random((n_samples, 32)) < 0.2)
    np.save(path, codes @ atoms)


def peak_mebibytes(*command):
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command}: exit {process.returncode}: {said}")
    return usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", type=Path)
    parser.add_argument("--only", type=int, help="the number of one shape, from 1")
    parser.add_argument("--make", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        make(options.make[0], int(options.make[1]), int(options.make[2]))
        return 0
    base = peak_mebibytes(options.command, "--help")
    print("| samples x features, atoms | predicted MiB | taken MiB | ratio |\n|---|---|---|---|", flush=True)
    bad = 0
    for number, (n_samples, n_features, n_atoms, dtype, more) in enumerate(SHAPES, 1):
        if options.only not in (None, number):
            continue
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "x.npy"
            subprocess.run([sys.executable, __file__, options.command, "--make", data, str(n_samples), str(n_features)], check=True)
            learn = [options.command, "learn", data, "-o", Path(folder) / "m", "--atoms", n_atoms, "--dtype", dtype, "--threads", 2]
            learn += ["--nonzeros", min(8, n_atoms // 2), "--max-iterations", 2, "--quiet", *more]
            if "--checkpoint" in more:
                learn += [Path(folder) / "c"]
            refused = subprocess.run([*map(str, learn), "--max-memory", "1"], capture_output=True, text=True)
            predicted = float(re.search(r"needs up to (\d+) MiB", refused.stderr)[1])
            taken = peak_mebibytes(*learn) - base
        ratio = predicted / taken
        bad += not 1 <= ratio <= MOST
        what = " ".join([dtype, *more])
        print(f"| {n_samples} x {n_features}, {n_atoms} ({what}) | {predicted:.0f} | {taken:.0f} | {ratio:.2f} |", flush=True)
    print(f"{bad} outside of 1 to {MOST}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
