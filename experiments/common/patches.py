# SPDX-License-Identifier: BSD-3-Clause
"""Patches of images, prepared as in the paper."""
import numpy as np

import dualdict
from . import data


def images(place):
    """(name, grey images): the Berkeley set, or overlapping discs for --quick."""
    if place.quick:
        return "overlapping discs", dualdict.generate_images(4, 96)
    from PIL import Image
    try:
        files = sorted(data.berkeley_folder().glob("*.jpg"))
    except data.Missing as problem:
        place.skip(problem)
    return "Berkeley", [np.asarray(Image.open(file).convert("L"), np.float32) for file in files]


def draw(pictures, n, side, seed=0):
    """n random patches: the mean of the image away, divided by 125, the mean of the patch away."""
    random = np.random.default_rng(seed)
    which = random.integers(len(pictures), size=n)
    samples = np.empty((n, side * side), np.float32)
    for number, picture in enumerate(pictures):
        windows = np.lib.stride_tricks.sliding_window_view((picture - picture.mean()) / 125, (side, side))
        chosen = np.flatnonzero(which == number)
        rows = random.integers(windows.shape[0], size=chosen.size)
        columns = random.integers(windows.shape[1], size=chosen.size)
        samples[chosen] = windows[rows, columns].reshape(chosen.size, -1)
    return samples - samples.mean(axis=1, keepdims=True)
