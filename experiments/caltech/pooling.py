# SPDX-License-Identifier: BSD-3-Clause
"""The spatial pyramid: the largest |code| of every atom over the picture, its quarters and its sixteenths."""
import numpy as np

LEVELS = (1, 2, 4)


def cells(places, level):
    """The cell of each place in a level x level grid."""
    index = np.minimum((places * level).astype(int), level - 1)
    return index[:, 1] * level + index[:, 0]


def unit(pooled):
    norm = np.linalg.norm(pooled)
    return pooled / norm if norm > 0 else pooled


def pool(codes, places):
    """(21 K,) of unit norm."""
    magnitudes = np.abs(codes)
    n_atoms = codes.shape[1]
    finest = LEVELS[-1]
    parts = np.zeros((finest * finest, n_atoms), codes.dtype)
    where = cells(places, finest)
    order = np.argsort(where, kind="stable")
    present, first = np.unique(where[order], return_index=True)
    parts[present] = np.maximum.reduceat(magnitudes[order], first, axis=0)
    # A coarser cell is the maximum of four finer ones.
    levels = [parts]
    while len(levels[0]) > 1:
        side = int(np.sqrt(len(levels[0]))) // 2
        levels.insert(0, levels[0].reshape(side, 2, side, 2, n_atoms).max(axis=(1, 3)).reshape(side * side, n_atoms))
    return unit(np.concatenate([level.ravel() for level in levels]))


def pool_counts(codes, places):
    """The same with sums instead of maxima, as a bag of words counts."""
    pooled = []
    for level in LEVELS:
        inside = np.zeros((level * level, len(codes)), codes.dtype)
        inside[cells(places, level), np.arange(len(codes))] = 1
        pooled.append((inside @ codes).ravel())
    return unit(np.concatenate(pooled))
