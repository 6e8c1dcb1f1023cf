# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn on one thread, in float64: in float32 its stopping test lies below rounding, most codes run to the limit
of iterations, and it is three times slower."""
import time
import warnings

import numpy as np

from settings import BATCH_SEED


def rows(path, n=None):
    # What the codes reach is measured; its warnings, one for a code, would only cost time.
    warnings.simplefilter("ignore")
    return np.load(path)[:n].astype(np.float64)


def learn(problem, seconds, batch_size, marks, prefix):
    """MiniBatchDictionaryLearning, a batch at a time: [(seconds taken, dictionary file)]. Keeping a dictionary is not
    timed."""
    from sklearn.decomposition import MiniBatchDictionaryLearning
    data, start = rows(problem.samples), rows(problem.start)
    learner = MiniBatchDictionaryLearning(problem.n_atoms, alpha=problem.threshold, fit_algorithm="cd", n_jobs=1,
                                          batch_size=batch_size, dict_init=start, random_state=BATCH_SEED)
    random = np.random.default_rng(BATCH_SEED)
    order, points, taken = [], [], 0.0
    ends = [*marks, seconds]
    while ends:
        started = time.perf_counter()
        if len(order) < batch_size:
            order = random.permutation(len(data))
        batch, order = order[:batch_size], order[batch_size:]
        learner.partial_fit(data[batch])
        taken += time.perf_counter() - started
        while ends and taken >= ends[0]:
            path = f"{prefix}-{ends.pop(0)}.npy"
            np.save(path, learner.components_.astype(np.float32))
            points.append((taken, path))
    return points


def code(samples_path, dictionary_path, threshold, algorithm, n=None):
    """sparse_encode: (seconds, codes)."""
    from sklearn.decomposition import sparse_encode
    data, atoms = rows(samples_path, n), rows(dictionary_path)
    started = time.perf_counter()
    codes = sparse_encode(data, atoms, algorithm=algorithm, alpha=threshold, n_jobs=1)
    return time.perf_counter() - started, codes


def code_to(samples_path, dictionary_path, threshold, tolerance, n=None):
    """Lasso, whose tolerance can be set (sparse_encode has 1e-8 built in): (seconds, codes)."""
    from sklearn.linear_model import Lasso
    data, atoms = rows(samples_path, n), rows(dictionary_path)
    started = time.perf_counter()
    lasso = Lasso(threshold / data.shape[1], fit_intercept=False, precompute=atoms @ atoms.T, tol=tolerance,
                  max_iter=10000)
    codes = lasso.fit(atoms.T, data.T, check_input=False).coef_
    return time.perf_counter() - started, codes


def pursue(samples_path, dictionary_path, nonzeros):
    """orthogonal_mp_gram: (samples a core second, codes)."""
    from sklearn.linear_model import orthogonal_mp_gram
    data, atoms = rows(samples_path), rows(dictionary_path)
    started = time.process_time()
    codes = orthogonal_mp_gram(atoms @ atoms.T, atoms @ data.T, n_nonzero_coefs=nonzeros, copy_Xy=False).T
    return len(data) / (time.process_time() - started), codes
