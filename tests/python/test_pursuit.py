# SPDX-License-Identifier: BSD-3-Clause
"""Codes of orthogonal matching pursuit beside those of scikit-learn: so many atoms, or an error."""

import dualdict
import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp_gram


@pytest.fixture(scope="module")
def problem():
    random = np.random.default_rng(5)
    D = random.standard_normal((100, 36))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    codes = random.standard_normal((10000, 100)) * (random.random((10000, 100)) < 0.06)
    X = codes @ D + 0.05 * random.standard_normal((10000, 36))
    model, _ = dualdict.fit_dual(D, X[:300], tau=0.5, eta=0.0, max_iter=2, dtype="float64")
    return model, X


def peer(model, X, **keywords):
    D = model.components
    if "tol" in keywords:
        keywords["norms_squared"] = (X**2).sum(axis=1)
    return orthogonal_mp_gram(D @ D.T, D @ X.T, **keywords).T


def test_so_many_atoms(problem):
    model, X = problem
    ours = dualdict.encode(model, X, "omp:6")
    theirs = peer(model, X, n_nonzero_coefs=6)
    assert np.array_equal(ours != 0, theirs != 0)
    assert np.abs(ours - theirs).max() < 1e-5


def test_an_error(problem):
    model, X = problem
    ours = dualdict.encode(model, X, max_error=0.5)
    assert (np.linalg.norm(X - ours @ model.components, axis=1) <= 0.5 * (1 + 1e-9)).all()
    # scikit-learn takes an atom also where a sample is within the bound without any.
    small = np.linalg.norm(X, axis=1) <= 0.5
    assert small.any() and not ours[small].any()
    theirs = peer(model, X[~small], tol=0.25)
    assert np.array_equal(ours[~small] != 0, theirs != 0)
    assert np.abs(ours[~small] - theirs).max() < 1e-5
    bounded = dualdict.encode(model, X, "omp:3", max_error=0.5)
    assert (bounded != 0).sum(axis=1).max() == 3
    with pytest.raises(ValueError, match="max_error"):
        dualdict.encode(model, X, "linear", max_error=0.5)
