# SPDX-License-Identifier: BSD-3-Clause
"""Distances between dictionaries, subspaces and samples. Atoms and filters are rows."""
import numpy as np
from scipy.optimize import linear_sum_assignment


def orthonormal(rows):
    """An orthonormal basis, in columns, of the span of the rows."""
    return np.linalg.qr(np.asarray(rows, np.float64).T)[0]


def largest_angle(first, second):
    """The largest principal angle between two spans, by its sine: the arccosine has a floor of 1e-8."""
    first, second = orthonormal(first), orthonormal(second)
    residual = second - first @ (first.T @ second)
    return float(np.arcsin(min(1.0, np.linalg.norm(residual, 2))))


def unit(rows):
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


def dual_distance(atoms, filters):
    """The paper's distance of C to D': the mean of 1 - |cosine| of each atom and its filter."""
    return float(np.mean(1 - np.abs(np.sum(unit(atoms) * unit(filters), axis=1))))


def matched_cosines(truth, atoms):
    """|cosine| of each true atom and the atom matched to it, one to one, up to sign; and the matching."""
    cosines = np.abs(unit(truth) @ unit(atoms).T)
    rows, columns = linear_sum_assignment(-cosines)
    return cosines[rows, columns], columns


def relative(samples, restored):
    """|X - restored| / |X|."""
    return float(np.linalg.norm(samples - restored) / np.linalg.norm(samples))


def pca_basis(samples, n):
    """The first n principal directions in rows. The mean is not taken away: D U has none either."""
    samples = np.asarray(samples, np.float64)
    _, vectors = np.linalg.eigh(samples.T @ samples)
    return vectors[:, ::-1][:, :n].T


def pca_errors(samples):
    """|X - its projection| / |X| for 0, 1, ..., d principal directions."""
    samples = np.asarray(samples, np.float64)
    values = np.maximum(np.linalg.eigvalsh(samples.T @ samples)[::-1], 0)
    left = values.sum() - np.concatenate([[0], np.cumsum(values)])
    return np.sqrt(np.maximum(left, 0) / values.sum())


def pca_error_at(errors, n):
    """The same for a mean number of components that is not whole."""
    return float(np.interp(n, np.arange(len(errors)), errors))
