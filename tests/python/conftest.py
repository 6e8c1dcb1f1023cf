# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package share."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips one of its checks

import numpy as np
import pytest


def planted(n_samples, n_features, n_atoms, seed):
    """Sparse combinations of random unit atoms, with a little noise."""
    random = np.random.default_rng(seed)
    atoms = random.standard_normal((n_atoms, n_features))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = random.standard_normal((n_samples, n_atoms)) * (random.random((n_samples, n_atoms)) < 0.15)
    return codes @ atoms + 0.01 * random.standard_normal((n_samples, n_features))


@pytest.fixture(scope="session")
def X():
    samples = planted(600, 16, 24, seed=1).astype(np.float32)
    samples.setflags(write=False)
    return samples


@pytest.fixture(scope="session")
def fitted(X):
    from dualdict import DualDictionaryLearning

    return DualDictionaryLearning(24, tau=0.1).fit(X)
