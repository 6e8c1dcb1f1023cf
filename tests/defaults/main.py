# SPDX-License-Identifier: BSD-3-Clause
"""What the defaults give on forty data sets, held out: `main.py COMMAND [--only KIND] [--penalty l1|l0]`.

On each: the codes of the best mode at the wanted nonzeros are not worse than principal components with one hard threshold by
more than 2 %, nonzeros are as asked (5 % of what was learned from, 10 % unseen), no mode explodes, nothing ends in an error.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from data_sets import KINDS, SHAPES, make

MODES_L1 = ("sparse", "corrected", "exact", "greedy")
MODES_L0 = ("hard", "greedy")


def run(command, *arguments):
    finished = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    if finished.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: exit code {finished.returncode}: {finished.stderr}")
    return finished.stdout


def judge(rows, penalty, wanted, learned):
    """What is wrong, in words; and the best mode's error relative to that of the components."""
    faults = []
    if learned["outcome"] == "TRIVIAL":
        faults.append("TRIVIAL")
    if penalty == "l1" and abs(learned["nonzeros_per_code"] / wanted - 1) > 0.05:
        faults.append(f"{learned['nonzeros_per_code']:.2f} nonzeros learned for {wanted}")
    ratios = {}
    for mode in MODES_L0 if penalty == "l0" else MODES_L1:
        row = rows[mode]
        error = min(row["reconstruction_error"], row["debiased_reconstruction_error"])
        ratios[mode] = error / row["pca_error"] if row["pca_error"] > 0 else 1.0
        if abs(row["nonzeros"] / wanted - 1) > 0.1:
            faults.append(f"{mode}: {row['nonzeros']:.2f} nonzeros for {wanted}")
        if row["reconstruction_error"] > 1.01 * row["dictionary_reconstruction_error"]:
            faults.append(f"{mode}: decoder {row['reconstruction_error']:.3f}, D {row['dictionary_reconstruction_error']:.3f}")
    best = min(ratios, key=ratios.get)
    if ratios[best] > 1.02:
        faults.append(f"{best}: {ratios[best]:.3f} of the components' error")
    if penalty == "l0" and ratios["hard"] > 1.005:
        faults.append(f"hard: {ratios['hard']:.3f} of the components' error")
    return faults, best, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--shapes", type=int, default=len(SHAPES), help="the first so many")
    parser.add_argument("--penalty", choices=("auto", "l1", "l0"), default="auto")
    arguments = parser.parse_args()
    penalty = "l1" if arguments.penalty == "l1" else "l0"  # nonzeros are given: auto is l0
    n_bad = n = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind in [arguments.only] if arguments.only else KINDS:
            for d, n_atoms, nonzeros in SHAPES[: arguments.shapes]:
                for name, x in zip(("learn", "unseen"), make(kind, d, n_atoms, nonzeros, 0)):
                    np.save(folder / f"{name}.npy", x)
                learned = json.loads(run(
                    arguments.command, "learn", folder / "learn.npy", "-o", folder / "model", "--atoms", n_atoms,
                    "--nonzeros", nonzeros, "--validation", folder / "unseen.npy", "--json", "--quiet",
                    "--penalty", arguments.penalty))
                rows = {row["mode"]: row for row in learned["encoding"]["rows"]}
                faults, best, ratios = judge(rows, penalty, nonzeros, learned)
                n += 1
                n_bad += bool(faults)
                shown = " ".join(f"{mode} {ratio:.3f}" for mode, ratio in ratios.items())
                print(f"{kind:13} {d:5} {n_atoms:4} {nonzeros:2}  {learned['outcome']:15} {shown}  {'; '.join(faults)}",
                      flush=True)
    print(f"{n - n_bad} of {n} data sets are as they should be")
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
