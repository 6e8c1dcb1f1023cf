# SPDX-License-Identifier: BSD-3-Clause
"""Forty data sets, eight kinds by five shapes, each with as many atoms and nonzeros as a user might ask for."""

import numpy as np

# (features, atoms, wanted nonzeros): K/d from a twentieth to twenty.
SHAPES = [(2, 40, 1), (8, 64, 2), (64, 100, 6), (256, 64, 6), (1000, 50, 4)]
KINDS = ["planted", "unit norm", "bytes", "centred", "mixed scales", "sparse", "low rank", "heavy tails"]
N_LEARNED, N_UNSEEN = 2000, 1000


def planted(random, n, d, n_atoms, nonzeros, noise=0.1):
    atoms = random.standard_normal((n_atoms, d))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    scores = random.random((n, n_atoms)).argsort(axis=1) < nonzeros
    return (random.standard_normal((n, n_atoms)) * scores) @ atoms + noise * random.standard_normal((n, d)) / np.sqrt(d)


def make(kind, d, n_atoms, nonzeros, seed):
    """Samples to learn from, and others."""
    random = np.random.default_rng([KINDS.index(kind), d, seed])
    n = N_LEARNED + N_UNSEEN
    x = planted(random, n, d, n_atoms, nonzeros)
    if kind == "unit norm":
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    elif kind == "bytes":
        x = np.clip(128 + 60 * x / x.std(), 0, 255).round()
    elif kind == "centred":
        x = x - x.mean(axis=1, keepdims=True) if d > 2 else x - x.mean(axis=0)
    elif kind == "mixed scales":
        x *= 10.0 ** random.uniform(-1, 1, d)
    elif kind == "sparse":
        x = random.exponential(1, (n, d)) * (random.random((n, d)) < max(0.1, 1 / d))
        x[~x.any(axis=1), 0] = 1
    elif kind == "low rank":
        rank = max(1, d // 8)
        x = random.standard_normal((n, rank)) @ random.standard_normal((rank, d)) + 0.05 * random.standard_normal((n, d))
    elif kind == "heavy tails":
        x *= random.standard_t(3, (n, 1))
    return x[:N_LEARNED].astype(np.float32), x[N_LEARNED:].astype(np.float32)
