# SPDX-License-Identifier: BSD-3-Clause
"""The objective of given codes, in double precision."""
import numpy as np


def mean_objective(samples_path, dictionary_path, codes, threshold):
    samples = np.load(samples_path)[:len(codes)].astype(np.float64)
    codes = np.asarray(codes, np.float64)
    residual = samples - codes @ np.load(dictionary_path).astype(np.float64)
    return float((0.5 * (residual ** 2).sum() + threshold * np.abs(codes).sum()) / len(samples))
