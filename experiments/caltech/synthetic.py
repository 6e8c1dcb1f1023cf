# SPDX-License-Identifier: BSD-3-Clause
"""Made-up classes for --quick: pictures of gratings that differ in their angle, or descriptors without any picture."""
import numpy as np

import descriptors

ANGLES = {"fallen": 0.0, "rising": 0.8, "standing": 1.6}
SIZE = 96


def picture(random, angle):
    rows, columns = np.mgrid[:SIZE, :SIZE]
    turned = angle + 0.2 * random.standard_normal()
    wave = np.sin((np.cos(turned) * rows + np.sin(turned) * columns) * random.uniform(0.3, 0.6) + random.uniform(0, 6))
    return np.clip(128 + 60 * wave + 30 * random.standard_normal((SIZE, SIZE)), 0, 255).astype(np.uint8)


def write_folder(folder, n):
    """Class folders with n pictures each."""
    import cv2
    random = np.random.default_rng(0)
    for name, angle in ANGLES.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(n):
            cv2.imwrite(str(folder / name / f"{number:03d}.png"), picture(random, angle))
    return folder


def pictures(n, per_picture=40):
    """Descriptors of n pictures a class: sparse sums of words, of which each class has its own favourites."""
    random = np.random.default_rng(0)
    words = random.gamma(0.3, size=(60, 128))
    raws, labels = [], []
    for label in range(len(ANGLES)):
        likes = np.full(60, 1.0)
        likes[label * 20:label * 20 + 20] = 6
        for _ in range(n):
            chosen = random.choice(60, (per_picture, 3), p=likes / likes.sum())
            mixed = words[chosen].sum(axis=1)
            raws.append(np.clip(mixed / np.linalg.norm(mixed, axis=1, keepdims=True) * 512, 0, 255).astype(np.uint8))
            labels.append(label)
    places = np.tile(random.uniform(size=(per_picture, 2)), (len(raws), 1)).astype(np.float32)
    counts = np.full(len(raws), per_picture)
    return descriptors.Pictures(np.array(labels), list(ANGLES), counts, np.concatenate(raws), places, 0.0)
