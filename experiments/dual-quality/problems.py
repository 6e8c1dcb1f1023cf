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


def digits(place):
    """(name, images, labels, unseen images, their labels)."""
    if place.quick:
        images, labels = data.small_digits()
        return "digits (scikit-learn)", images[:1200], labels[:1200], images[1200:], labels[1200:]
    try:
        return "digits (MNIST)", *data.mnist("train"), *data.mnist("t10k")
    except data.Missing as problem:
        place.skip(problem)


def digit_problem(place, sizes):
    name, images, labels, unseen, unseen_labels = digits(place)
    n, m = sizes["digits"], sizes["unseen_digits"]
    return Problem(name, images[:n], unseen[:m], labels[:n], unseen_labels[:m], sizes["digit_taus"], sizes["digit_etas"])
