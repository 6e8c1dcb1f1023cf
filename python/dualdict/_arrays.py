# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in the one form that the library reads: two dimensions, float32 or float64, C order. Copies only if it must."""

import numpy as np

# Rows of a sparse matrix that are made dense at a time.
_BLOCK = 4096


def is_sparse(X):
    """A matrix or array of scipy.sparse, which need not be installed."""
    return hasattr(X, "tocsr") and hasattr(X, "toarray")


def as_rows(X):
    """A sparse matrix by rows, or what `as_samples` makes: what `blocks_of` takes."""
    return X.tocsr() if is_sparse(X) else as_samples(X)


def blocks_of(X, always=False):
    """Yields (rows as `as_samples` makes them, their place): all at once, or some at a time of a sparse matrix, or always."""
    if not always and not is_sparse(X):
        yield X, slice(None)
        return
    for first in range(0, X.shape[0], _BLOCK):
        place = slice(first, first + _BLOCK)
        yield as_samples(X[place]), place


def precision_of(X):
    """The dtype that `as_samples` gives."""
    return np.float32 if X.dtype in (np.float16, np.float32) else np.float64


def as_samples(X, name="X"):
    """C-contiguous float32 or float64; other numbers, memory orders and kinds of arrays are converted.

    float16 becomes float32 and whole numbers float64; sparse matrices become dense; what only speaks DLPack is taken by it.
    """
    if is_sparse(X):
        X = X.toarray()
    elif not hasattr(X, "__array__") and hasattr(X, "__dlpack__"):
        X = np.from_dlpack(X)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(
            f"{name}: expected a 2D array of shape (samples, features), got {X.ndim}D; "
            "a single sample is X.reshape(1, -1)"
        )
    if np.iscomplexobj(X):
        raise ValueError(f"{name}: complex data not supported; give real numbers")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(precision_of(X))
    return np.ascontiguousarray(X)


def as_start(matrix, name):
    """A dictionary or dual to start from, float64, or None."""
    return None if matrix is None else np.ascontiguousarray(as_samples(matrix, name), dtype=np.float64)
