# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the one form that the library reads: two dimensions, float32 or float64, C order. Copies only if it must."""

import numpy as np


def as_samples(X, name="X"):
    """C-contiguous float32 or float64; whole numbers and other memory orders are converted."""
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(
            f"{name}: expected a 2D array of shape (samples, features), got {X.ndim}D; "
            "a single sample is X.reshape(1, -1)"
        )
    if np.iscomplexobj(X):
        raise ValueError(f"{name}: complex data not supported; give real numbers")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return np.ascontiguousarray(X)


def as_start(matrix, name):
    """A dictionary or dual to start from, float64, or None."""
    return None if matrix is None else np.ascontiguousarray(as_samples(matrix, name), dtype=np.float64)
