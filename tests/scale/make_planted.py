# SPDX-License-Identifier: BSD-3-Clause
"""Writes planted samples as one npy of any size, block by block: make_planted.py FILE GIGABYTES [FEATURES ATOMS]

Sparse combinations (8 of the atoms) of random unit atoms with a little noise, float32. The first 16 blocks of 2^16 samples are
drawn so; each later block is one of them with every sample multiplied by a random number between -1.5 and 1.5, because drawing
20 GB would take half an hour.
"""

import sys

import numpy as np

BLOCK = 1 << 16
DRAWN = 16


def atoms_of(n_features, n_atoms):
    atoms = np.random.default_rng(0).standard_normal((n_atoms, n_features)).astype(np.float32)
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def block(number, n, atoms, nonzeros=8):
    random = np.random.default_rng(1 + number)
    chosen = random.integers(0, len(atoms), (n, nonzeros))
    weights = random.standard_normal((n, nonzeros), dtype=np.float32)
    samples = np.float32(0.02) * random.standard_normal((n, atoms.shape[1]), dtype=np.float32)
    for i in range(nonzeros):
        samples += weights[:, i, None] * atoms[chosen[:, i]]
    return samples


def main(path, gigabytes, n_features=144, n_atoms=200):
    atoms = atoms_of(n_features, n_atoms)
    n = int(gigabytes * 1e9 / (4 * n_features))
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (n, n_features)})
        drawn = []
        for number, first in enumerate(range(0, n, BLOCK)):
            if number < DRAWN:
                drawn.append(block(number, min(BLOCK, n - first), atoms))
                rows = drawn[-1]
            else:
                factors = np.random.default_rng(-1 - number & 0xffffffff).uniform(-1.5, 1.5, (BLOCK, 1))
                rows = (drawn[number % DRAWN] * factors.astype(np.float32))[:n - first]
            file.write(rows.tobytes())
    print(f"{path}: {n} samples of {n_features} features")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:5]))
