# SPDX-License-Identifier: BSD-3-Clause
"""Fourteen settings, measured and planted, on which the rule for the defaults was found: samples to learn from, others, atoms,
wanted nonzeros, and what the rule reached there (errors |X - X^| / |X| of codes with as many nonzeros on the others)."""

import functools
import gzip
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass
from collections.abc import Callable

import numpy as np

from dualdict._functions import cut_of, open_files
from data_sets import planted

# Of the rule: exact, sparse and corrected codes with least squares on the support, and matching pursuit with one price for all.
COLUMNS = ("exact", "l0", "sparse", "corrected")


@dataclass(frozen=True)
class RealSet:
    name: str
    n_atoms: int
    nonzeros: int
    rule: tuple  # in the order of COLUMNS
    load: Callable  # (data folder, command) -> samples to learn from, samples unseen


def split(x, n_unseen, seed=0):
    order = np.random.default_rng(seed).permutation(len(x))
    x = np.asarray(x, np.float32)[order]
    return x[n_unseen:], x[:n_unseen]


def sklearn_digits(data, command):
    from sklearn.datasets import load_digits
    return split(load_digits().data, 450)


def cancer(data, command):
    from sklearn.datasets import load_breast_cancer
    x = load_breast_cancer().data
    return split((x - x.mean(0)) / x.std(0), 140)


def planted_set(d, n_atoms, nonzeros, noise, unit):
    def load(data, command):
        x = planted(np.random.default_rng([7, d]), 10000, d, n_atoms, nonzeros, noise * np.sqrt(nonzeros))
        if unit:
            x /= np.linalg.norm(x, axis=1, keepdims=True)
        return split(x, 2500)
    return load


def patches(folder, side, n, seed):
    """Random patches of the pictures there, each less its mean."""
    x = np.asarray(open_files(str(folder), cut_of((side, side), n, seed, None, False)).spread(n), np.float32) / 125
    return x - x.mean(axis=1, keepdims=True)


def leaves(data, command):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "generate", "-o", folder, "--seed", "1"], check=True, capture_output=True)
        return split(patches(pathlib.Path(folder), 8, 10000, 1), 2500)


@functools.cache
def berkeley(data, command):
    return patches(data / "bsds/train", 12, 10000, 1), patches(data / "bsds/val", 12, 2500, 2)


@functools.cache
def images(file):
    with gzip.open(file) as stream:
        stream.read(16)
        return np.frombuffer(stream.read(), np.uint8).reshape(-1, 784).astype(np.float32) / 255


def mnist(data, command):
    x = images(data / "mnist/train-images-idx3-ubyte.gz")
    return x[:8000], x[45000:47500]


def fashion(data, command):
    x = np.load(data / "fashion/images.npy", mmap_mode="r")
    return np.asarray(x[:8000], np.float32) / 255, np.asarray(x[45000:47500], np.float32) / 255


def embeddings(data, command):
    x = planted(np.random.default_rng(11), 10000, 384, 512, 32, 0.3 * np.sqrt(32))
    return split(x / np.linalg.norm(x, axis=1, keepdims=True), 2500)


def sentences(data, command):
    x = np.load(data / "sentences/glosses.npy", mmap_mode="r")
    return np.asarray(x[:9000], np.float32), np.asarray(x[70000:72000], np.float32)


SETS = [
    RealSet("digits K=16", 16, 3, (.321, .305, .324, .318), sklearn_digits),
    RealSet("digits K=100", 100, 6, (.198, .165, .220, .206), sklearn_digits),
    RealSet("cancer", 16, 3, (.365, .304, .369, .343), cancer),
    RealSet("planted 32", 96, 4, (.124, .104, .272, .177), planted_set(32, 96, 4, .1, False)),
    RealSet("planted 256", 64, 6, (.330, .325, .331, .330), planted_set(256, 64, 6, .3, True)),
    RealSet("leaves", 128, 5, (.270, .200, .300, .260), leaves),
    RealSet("Berkeley 7", 200, 7, (.395, .348, .440, .397), berkeley),
    RealSet("Berkeley 20", 200, 20, (.223, .186, .262, .229), berkeley),
    RealSet("Berkeley 69", 200, 69, (.051, .044, .077, .069), berkeley),
    RealSet("MNIST K=16", 16, 3, (.552, .542, .553, .549), mnist),
    RealSet("MNIST K=200", 200, 13, (.333, .295, .333, .320), mnist),
    RealSet("Fashion", 200, 13, (.238, .219, .233, .227), fashion),
    RealSet("embeddings", 512, 32, (.316, .287, .321, .314), embeddings),
    RealSet("sentences", 512, 32, (.493, .446, .515, .488), sentences),
]
