# SPDX-License-Identifier: BSD-3-Clause
"""The estimator's transform beside the bare product of NumPy, in one run.

OPENBLAS_NUM_THREADS=1 python bench/python/encode.py --jobs 1

Prints, for 100,000 x 144 float32 and 200 atoms, the best and the median of alternating rounds, their ratio (above 1: transform is
faster than X @ C.T), and what a single row costs in microseconds.
"""

import argparse
import statistics
import time
import warnings

import numpy as np

from dualdict import DualDictionaryLearning


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=None, help="n_jobs of transform; default all cores")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    X = np.random.default_rng(0).standard_normal((100_000, 144)).astype(np.float32)
    learner = DualDictionaryLearning(200, tau=1, max_iter=3, encode="linear", n_jobs=arguments.jobs).fit(X[:3000])
    filters = np.ascontiguousarray(learner.dual_)
    ours, numpy = [], []
    for _ in range(arguments.rounds):
        ours.append(seconds(lambda: learner.transform(X)))
        numpy.append(seconds(lambda: X @ filters.T))
    for name, pick in (("best", min), ("median", statistics.median)):
        print(f"{name}: transform {pick(ours):.4f} s, X @ C.T {pick(numpy):.4f} s, ratio {pick(numpy) / pick(ours):.2f}")
    row = X[:1]
    for mode in ("linear", "sparse", "corrected", "refine:1", "exact"):
        learner.set_params(encode=mode).transform(row)
        best = min(seconds(lambda: [learner.transform(row) for _ in range(100)]) for _ in range(20)) / 100
        print(f"a single row, {mode}: {best * 1e6:.1f} us")


if __name__ == "__main__":
    main()
