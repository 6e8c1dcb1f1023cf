# SPDX-License-Identifier: BSD-3-Clause
"""dictlearn: approximate K-SVD with Batch-OMP, in float64, on one thread."""
import time

import numpy as np


def learn(samples_path, n_atoms, nonzeros, iterations):
    """[[core seconds, |x - xhat| / |x| of the samples it learns from]] after so many iterations, each count from the start: it keeps
    no state between calls."""
    from dictlearn import DictionaryLearning
    x = np.load(samples_path).astype(np.float64)
    start = x[np.random.default_rng(0).permutation(len(x))[:n_atoms]]
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    points = []
    for n in iterations:
        before = time.process_time()
        learner = DictionaryLearning(n_atoms, n_nonzero_coefs=nonzeros, max_iter=n, dict_init=start, random_state=0).fit(x)
        seconds = time.process_time() - before
        codes = learner.transform(x)
        points.append([seconds, float(np.linalg.norm(x - codes @ learner.components_) / np.linalg.norm(x))])
    return points
