# SPDX-License-Identifier: BSD-3-Clause
"""The objective of given codes and how far they can be from the optimum, in double precision."""
import numpy as np


def mean_objective(samples_path, dictionary_path, codes, threshold):
    samples = np.load(samples_path)[:len(codes)].astype(np.float64)
    codes = np.asarray(codes, np.float64)
    residual = samples - codes @ np.load(dictionary_path).astype(np.float64)
    return float((0.5 * (residual ** 2).sum() + threshold * np.abs(codes).sum()) / len(samples))


def relative_gaps(samples_path, dictionary_path, codes, threshold):
    """Of each code that is not of a zero sample: its duality gap relative to its objective, an upper bound of how much
    lower the objective could be. The dual point is the residual, shrunk until it is feasible."""
    samples = np.load(samples_path)[:len(codes)].astype(np.float64)
    atoms = np.load(dictionary_path).astype(np.float64)
    codes = np.asarray(codes, np.float64)
    residual = samples - codes @ atoms
    objective = 0.5 * (residual ** 2).sum(1) + threshold * np.abs(codes).sum(1)
    largest = np.abs(residual @ atoms.T).max(1)
    dual = residual * np.minimum(1, threshold / np.maximum(largest, threshold))[:, None]
    gaps = objective - (samples * dual).sum(1) + 0.5 * (dual ** 2).sum(1)
    return gaps[objective > 0] / objective[objective > 0]
