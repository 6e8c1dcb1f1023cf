# SPDX-License-Identifier: BSD-3-Clause
"""Ways to code a descriptor, each a function from samples (n, 128) to codes (n, K)."""
import numpy as np

import dualdict

# Of 1/2 |x - D u|^2 + lambda |u|_1, as in ScSPM. With 1024 atoms and 128 features this is tau = 1.2.
LAMBDA, ETA = 0.15, 1.0
# The order in which results are shown: name, what it is.
CODERS = {
    "exact": "D: the minimiser of E (exact)",
    "linear": "C: one product (linear)",
    "sparse": "one product and a threshold (sparse)",
    "spams": "D: l1 coder of SPAMS",
    "corrected": "two products (corrected)",
    "random": "control: random Gaussian rows",
    "threshold": "control: D'x thresholded",
    "words": "control: bag of words",
}


def tau(n_atoms, n_features):
    return LAMBDA * n_atoms / n_features


def threshold_for(products, nonzeros):
    """The threshold that leaves so many of the products per sample on average."""
    return float(np.quantile(np.abs(products), 1 - nonzeros / products.shape[1]))


class Coders:
    """Made of a model; some samples serve to set the threshold of a control and to choose words."""

    def __init__(self, model, some, threads):
        self.model, self.threads = model, threads
        self.atoms = np.ascontiguousarray(model.components)
        random = np.random.default_rng(0)
        # As many rows as atoms, of norm 1 as filters may have.
        rows = random.standard_normal(self.atoms.shape).astype(np.float32)
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        # Words: descriptors taken at random, as many as atoms, and the nearest wins.
        self.words = some[random.choice(len(some), len(self.atoms), replace=False)]
        few = some[:2000]
        self.nonzeros = float((dualdict.encode(model, few, "exact", n_jobs=threads) != 0).sum(axis=1).mean())
        self.threshold = threshold_for(few @ self.atoms.T, self.nonzeros)

    def code(self, name, samples, out=None):
        if name in ("exact", "linear", "sparse", "corrected"):
            return dualdict.encode(self.model, samples, name, n_jobs=self.threads, out=out)
        return getattr(self, f"code_{name}")(samples)

    def code_spams(self, samples):
        import spams
        # The same dictionary and lambda, without the coding term.
        codes = spams.lasso(np.asfortranarray(samples.T), D=np.asfortranarray(self.atoms.T), lambda1=LAMBDA, mode=2,
                            numThreads=self.threads)
        return np.ascontiguousarray(codes.toarray().T, np.float32)

    def code_threshold(self, samples):
        products = samples @ self.atoms.T
        return np.sign(products) * np.maximum(np.abs(products) - self.threshold, 0)

    def code_words(self, samples):
        nearest = np.argmax(samples @ self.words.T - 0.5 * np.sum(self.words**2, axis=1), axis=1)
        codes = np.zeros((len(samples), len(self.words)), np.float32)
        codes[np.arange(len(samples)), nearest] = 1
        return codes

    def code_random(self, samples):
        return samples @ self.rows.T
