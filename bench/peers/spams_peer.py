# SPDX-License-Identifier: BSD-3-Clause
"""SPAMS in float32 on one thread. Its matrices have a sample in each column."""
import time

import numpy as np


def columns(path, dtype=np.float32, n=None):
    return np.asfortranarray(np.load(path)[:n].T, dtype)


def learn(problem, seconds, batch_size, marks, prefix):
    """trainDL, one run of its own for each mark: [(seconds taken, dictionary file)]. An online run of t seconds knows
    nothing of the seconds it will get, so these are points of one curve."""
    import spams
    data, start = columns(problem.samples), columns(problem.start)
    points = []
    for mark in (*marks, seconds):
        started = time.perf_counter()
        # A negative number of iterations is how SPAMS is told seconds.
        learned = spams.trainDL(data, D=start, lambda1=problem.threshold, mode=2, iter=-mark, batchsize=batch_size,
                                numThreads=1, verbose=False)
        taken = time.perf_counter() - started
        path = f"{prefix}-{mark}.npy"
        np.save(path, np.ascontiguousarray(learned.T))
        points.append((taken, path))
    return points


def code(samples_path, dictionary_path, threshold, n=None, dtype=np.float32):
    """lasso (LARS): (seconds, codes with one sample per row)."""
    import spams
    data, atoms = columns(samples_path, dtype, n), columns(dictionary_path, dtype)
    started = time.perf_counter()
    codes = spams.lasso(data, D=atoms, lambda1=threshold, mode=2, numThreads=1)
    return time.perf_counter() - started, codes.T.toarray()


def pursue(samples_path, dictionary_path, nonzeros):
    """omp: (samples a core second, codes)."""
    import spams
    data, atoms = columns(samples_path), columns(dictionary_path)
    started = time.process_time()
    codes = spams.omp(data, D=atoms, L=nonzeros, eps=0.0, lambda1=0.0, numThreads=1)
    return data.shape[1] / (time.process_time() - started), codes.T.toarray()
