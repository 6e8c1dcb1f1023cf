# SPDX-License-Identifier: BSD-3-Clause
"""Exact codes at eta = 0 are scikit-learn's Lasso on the same columns.

With eta = 0 a code minimises 1/2 |x - D u|^2 + (tau d/K) |u|_1; scikit-learn's Lasso divides the square by d:
alpha = tau/K.
"""

import os
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.linear_model import Lasso

N_SAMPLES, N_FEATURES, N_ATOMS = 60, 16, 24


def run(*arguments):
    command = [os.environ["DUALDICT_COMMAND"], *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stderr


def objective(samples, dictionary, codes, tau):
    residual = samples - codes @ dictionary
    return (residual**2).sum() / N_FEATURES + 2 * tau / N_ATOMS * np.abs(codes).sum()


@pytest.fixture(scope="module")
def samples():
    random = np.random.default_rng(5)
    atoms = random.standard_normal((N_ATOMS, N_FEATURES))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = random.standard_normal((N_SAMPLES, N_ATOMS)) * (random.random((N_SAMPLES, N_ATOMS)) < 0.15)
    return codes @ atoms + 0.05 * random.standard_normal((N_SAMPLES, N_FEATURES))


@pytest.mark.parametrize("learned_eta", [0, 1])
@pytest.mark.parametrize("tau", [0.5, 0.05])
@pytest.mark.parametrize("positive", [False, True])
def test_exact_codes_are_the_lasso(tmp_path, samples, learned_eta, tau, positive):
    np.save(tmp_path / "x.npy", samples)
    model = tmp_path / "model.safetensors"
    flags = ["--positive-codes"] if positive else []
    run("learn", tmp_path / "x.npy", "-o", model, "--atoms", N_ATOMS, "--tau", 0.1, "--eta", learned_eta,
        "--dtype", "float64", "--max-iterations", 10, *flags)
    run("encode", model, tmp_path / "x.npy", "-o", tmp_path / "codes.npy", "--mode", "exact", "--eta", 0, "--tau", tau,
        "--no-debias")
    ours = np.load(tmp_path / "codes.npy")
    dictionary = load_file(model)["dictionary"].astype(np.float64)
    assert dictionary.shape == (N_ATOMS, N_FEATURES)

    lasso = Lasso(alpha=tau / N_ATOMS, fit_intercept=False, tol=1e-12, max_iter=1_000_000, positive=positive)
    theirs = np.array([lasso.fit(dictionary.T, x).coef_ for x in samples])
    best = objective(samples, dictionary, theirs, tau)
    assert np.count_nonzero(theirs) > N_SAMPLES
    assert objective(samples, dictionary, ours, tau) == pytest.approx(best, rel=2e-6)
    assert np.abs(ours - theirs).max() <= 5e-3 * np.abs(theirs).max()
    assert not positive or ours.min() >= 0
