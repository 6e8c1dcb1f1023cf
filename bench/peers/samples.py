# SPDX-License-Identifier: BSD-3-Clause
"""The samples: Berkeley patches, MNIST digits, a planted wide problem. Rows are samples, float32."""
import gzip

import numpy as np
from PIL import Image

from settings import SEED, data_folder


def patches(n, side, part="all"):
    """Random patches of grey images, divided by 125, each with mean zero: of all images, of every fifth ("test") or of the
    others ("learn")."""
    files = sorted(data_folder("bsds/train").glob("*.jpg"))
    if part != "all":
        files = [file for place, file in enumerate(files) if (place % 5 == 0) == (part == "test")]
    if not files:
        raise FileNotFoundError("bsds/train has no .jpg images")
    random = np.random.default_rng(SEED)
    which = random.integers(len(files), size=n)
    samples = np.empty((n, side * side), np.float32)
    for number, file in enumerate(files):
        image = np.asarray(Image.open(file).convert("L"), np.float32) / 125
        windows = np.lib.stride_tricks.sliding_window_view(image, (side, side))
        chosen = np.flatnonzero(which == number)
        rows = random.integers(windows.shape[0], size=chosen.size)
        columns = random.integers(windows.shape[1], size=chosen.size)
        samples[chosen] = windows[rows, columns].reshape(chosen.size, -1)
    samples -= samples.mean(axis=1, keepdims=True)
    return samples


def digits(n):
    """The first n training digits of MNIST, values 0..1."""
    folder = data_folder("mnist")
    plain, packed = folder / "train-images-idx3-ubyte", folder / "train-images-idx3-ubyte.gz"
    content = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    header = 16
    pixels = np.frombuffer(content, np.uint8, offset=header).reshape(-1, 784)
    return pixels[:n].astype(np.float32) / 255


def wide(n, d, n_atoms, nonzeros=10, noise=0.3):
    """Unit vectors: sums of a few hidden atoms, and noise of this norm relative to the signal's."""
    random = np.random.default_rng(SEED)
    atoms = random.standard_normal((n_atoms, d), np.float32)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    samples = np.empty((n, d), np.float32)
    for first in range(0, n, 5000):
        count = min(5000, n - first)
        used = random.integers(n_atoms, size=(count, nonzeros))
        weights = random.standard_normal((count, nonzeros), np.float32)
        signal = np.einsum("ik,ikd->id", weights, atoms[used])
        signal /= np.linalg.norm(signal, axis=1, keepdims=True)
        block = signal + noise / np.sqrt(d) * random.standard_normal((count, d), np.float32)
        samples[first:first + count] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return samples
