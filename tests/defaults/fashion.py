# SPDX-License-Identifier: BSD-3-Clause
"""Fashion-MNIST out of the npm package `fashion-mnist` (MIT): fashion.py PACKAGE FOLDER writes images.npy (bytes, 784 a row) and
labels.npy, in random order."""

import json
import pathlib
import sys
import tarfile

import numpy as np

N_CLASSES, N_PIXELS = 10, 784


def main(package, folder):
    images, labels = [], []
    with tarfile.open(package) as archive:
        for label in range(N_CLASSES):
            pictures = json.load(archive.extractfile(f"package/src/clothes/{label}.json"))["data"]
            whole = [picture for picture in pictures if len(picture) == N_PIXELS]
            print(f"class {label}: {len(whole)} pictures, {len(pictures) - len(whole)} broken ones left out")
            images.append(np.rint(np.array(whole) * (255 if np.max(whole[0]) <= 1 else 1)).astype(np.uint8))
            labels.append(np.full(len(whole), label, np.uint8))
    order = np.random.default_rng(0).permutation(sum(map(len, labels)))
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "images.npy", np.concatenate(images)[order])
    np.save(folder / "labels.npy", np.concatenate(labels)[order])


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
