# SPDX-License-Identifier: BSD-3-Clause
"""Sparse autoencoders in NumPy: ReLU with an l1 term, TopK, and signed BatchTopK. One product codes a sample."""
import numpy as np

from common import measures

RATE, BATCH = 1e-3, 512
KINDS = {"relu": "autoencoder, ReLU with l1", "topk": "autoencoder, TopK", "batchtopk": "autoencoder, signed BatchTopK"}


class Adam:
    def __init__(self, weights):
        self.weights, self.step = weights, 0
        self.moments = [(np.zeros_like(one), np.zeros_like(one)) for one in weights]

    def move(self, gradients, rate):
        self.step += 1
        correction = np.sqrt(1 - 0.999**self.step) / (1 - 0.9**self.step)
        for weight, gradient, (mean, square) in zip(self.weights, gradients, self.moments):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            weight -= rate * correction * mean / (np.sqrt(square) + 1e-8)


class Autoencoder:
    """codes = keep(x W' + b), restored = codes D, atoms of norm 1. `keep` is what the kinds differ in."""

    def __init__(self, kind, nonzeros, samples, n_atoms, seed=0):
        random = np.random.default_rng(seed)
        self.kind, self.nonzeros = kind, nonzeros
        chosen = samples[random.choice(len(samples), n_atoms, replace=False)]
        noise = 0.01 * random.standard_normal(chosen.shape)
        self.atoms = measures.unit(chosen + noise).astype(np.float32)
        self.filters, self.bias = self.atoms.copy(), np.zeros(n_atoms, np.float32)
        self.threshold = None       # of BatchTopK, known after training
        self.weight_l1 = 0.1 * float(np.abs(samples[:1000] @ self.atoms.T).mean())

    def kept(self, products, training):
        """Which products become codes, as 0 and 1."""
        if self.kind == "relu":
            return products > 0
        if self.kind == "topk":
            n = round(self.nonzeros)
            limits = np.partition(products, -n, axis=1)[:, -n][:, None]
            return (products >= limits) & (products > 0)
        sizes = np.abs(products)
        if not training:
            return sizes >= self.threshold
        limit = np.partition(sizes.ravel(), -round(self.nonzeros * len(products)))[-round(self.nonzeros * len(products))]
        self.threshold = limit if self.threshold is None else 0.99 * self.threshold + 0.01 * limit
        return sizes >= limit

    def code(self, samples, training=False):
        products = samples @ self.filters.T + self.bias
        return np.where(self.kept(products, training), products, 0)

    def gradients(self, samples):
        codes = self.code(samples, training=True)
        scale = 2 / len(samples)
        missed = scale * (codes @ self.atoms - samples)
        used = codes != 0
        pull = (missed @ self.atoms.T) * used
        if self.kind == "relu":
            pull += self.weight_l1 / len(samples) * used
            # The weight follows the wanted number of nonzeros.
            self.weight_l1 *= 1.003 if used.sum() > self.nonzeros * len(samples) else 1 / 1.003
        return [codes.T @ missed, pull.T @ samples, pull.sum(axis=0)]

    def train(self, samples, steps, seed=0):
        random = np.random.default_rng(seed)
        adam = Adam([self.atoms, self.filters, self.bias])
        for step in range(steps):
            batch = samples[random.integers(len(samples), size=BATCH)]
            # Warm up, hold, and fall to zero over the last third.
            rate = RATE * min(1, (step + 1) / 100, 3 * (steps - step) / steps)
            adam.move(self.gradients(batch), rate)
            self.atoms /= np.linalg.norm(self.atoms, axis=1, keepdims=True)
        return self


def debiased_error(samples, codes, atoms):
    """|X - restored| / |X| with least squares on each support."""
    missed = 0.0
    for sample, code in zip(samples.astype(np.float64), codes):
        used = atoms[code != 0].astype(np.float64).T
        weights = np.linalg.lstsq(used, sample, rcond=None)[0] if used.shape[1] else np.zeros(0)
        missed += np.sum((sample - used @ weights) ** 2)
    return float(np.sqrt(missed / np.sum(samples.astype(np.float64) ** 2)))
