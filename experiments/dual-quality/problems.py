# SPDX-License-Identifier: BSD-3-Clause
"""The samples: patches to reconstruct, digits to reconstruct and to classify."""
import dataclasses

import numpy as np

from common import data, patches


@dataclasses.dataclass
class Problem:
    name: str
    training: np.ndarray
    unseen: np.ndarray
    labels: np.ndarray | None = None         # of the training samples
    unseen_labels: np.ndarray | None = None
    taus: tuple = ()
    etas: tuple = ()


def patch_problem(place, sizes):
    source, pictures = patches.images(place)
    samples = patches.draw(pictures, sizes["patches"] + sizes["unseen"], 12)
    return Problem(f"patches ({source})", samples[:sizes["patches"]], samples[sizes["patches"]:], taus=sizes["patch_taus"],
                   etas=sizes["patch_etas"])


def digit_problem(place, sizes):
    try:
        images, labels = data.mnist("train")
        unseen, unseen_labels = data.mnist("t10k")
        name = "digits (MNIST)"
    except data.Missing as problem:
        if not place.quick:
            place.skip(problem)
        from sklearn.datasets import load_digits
        place.say("no MNIST: the 8 x 8 digits of scikit-learn take its place")
        small = load_digits()
        images, labels = (small.data[:1200] / 16).astype(np.float32), small.target[:1200]
        unseen, unseen_labels = (small.data[1200:] / 16).astype(np.float32), small.target[1200:]
        name = "digits (scikit-learn)"
    n, m = sizes["digits"], sizes["unseen_digits"]
    return Problem(name, images[:n], unseen[:m], labels[:n], unseen_labels[:m], sizes["digit_taus"], sizes["digit_etas"])
