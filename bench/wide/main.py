# SPDX-License-Identifier: BSD-3-Clause
"""The table of learners with thousands of atoms: one row after another into a file of results."""
import argparse
import json
import multiprocessing
import pathlib
import sys

import numpy as np
import ours
import peers

N_LEARN, NONZEROS, PASSES = 70000, 32, 6
HERE = pathlib.Path(__file__).resolve().parents[2]
WORK = HERE / "build" / "wide-work"


def split(path):
    """Float32 rows to learn from and to test on."""
    rows = np.load(path, mmap_mode="r")
    return np.asarray(rows[:N_LEARN], np.float32), np.asarray(rows[N_LEARN:], np.float32)


def rows_of(programs):
    """Name and function of every row."""
    rows = {}
    for n_atoms in (1024, 4096, 16384):
        rows[f"dualdict-{n_atoms}"] = (ours.learned, (programs, n_atoms, NONZEROS))
        rows[f"dictionary-{n_atoms}"] = (ours.dictionary, (programs, n_atoms, NONZEROS, PASSES))
        rows[f"samples-{n_atoms}"] = (ours.dictionary, (programs, n_atoms, NONZEROS, 0))
        for kind in ("topk", "batchtopk"):
            for rate in (1e-3, 5e-3):
                for seconds in (60, 180):
                    rows[f"{kind}-{n_atoms}-{rate:g}-{seconds}s"] = (
                        peers.autoencoder, (kind, n_atoms, NONZEROS, rate, seconds))
        rows[f"sklearn-{n_atoms}"] = (peers.minibatch, (n_atoms, NONZEROS))
    return rows


def measure(function, arguments, path, work, answer):
    learn, test = split(path)
    answer.put(function(learn, test, work, *arguments))


def in_own_process(function, arguments, path, work):
    """A row's peak of memory is its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=measure, args=(function, arguments, path, work, answer))
    process.start()
    while process.is_alive() and answer.empty():
        process.join(0.5)
    row = None if answer.empty() else answer.get()
    process.join()
    return row


def show(results):
    print("| row | mode | FVU | nonzeros | us a sample | core s to learn | peak MB | unused on test |")
    print("|---|---|---|---|---|---|---|---|")
    for name, row in results.items():
        for mode in row["modes"]:
            print(f"| {name} | {mode['mode']} | {mode['fvu']:.4f} | {mode['nonzeros']:.1f} | {mode['microseconds']:.0f} "
                  f"| {row['seconds']:.1f} | {row['peak_mb']:.0f} | {mode['unused']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=pathlib.Path, help="npy, unit rows: the first 70,000 learn, the rest test")
    parser.add_argument("rows", nargs="*", help="names, or beginnings of names; all by default")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "bench" / "results" / "wide.json")
    parser.add_argument("--programs", type=pathlib.Path, default=HERE / "build" / "release")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    rows = rows_of(str(options.programs.resolve()))
    chosen = [name for name in rows if not options.rows or any(name.startswith(one) for one in options.rows)]
    if options.list:
        print("\n".join(chosen))
        return
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    WORK.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        if name in results:
            continue
        print(f"wide: {name}", file=sys.stderr)
        row = in_own_process(*rows[name], str(options.vectors), str(WORK))
        if row is None:
            print(f"wide: {name} could not be measured", file=sys.stderr)
            continue
        results[name] = row
        options.results.write_text(json.dumps(results, indent=1) + "\n")
    show({name: results[name] for name in chosen if name in results})


if __name__ == "__main__":
    main()
