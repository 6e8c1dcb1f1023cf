# SPDX-License-Identifier: BSD-3-Clause
"""One online pass over 1,000,000 Berkeley patches beside SPAMS: online_pass.py COMMAND IMAGES [SAMPLES] [THREADS]

12 x 12 patches, centred, divided by 125; K = 200, tau = .1, eta = 0: then E d/(2 N) is SPAMS' objective with lambda = tau d/K.
`dualdict learn --stream` makes one pass; its wall time T is that of the whole process. SPAMS (online, mode 2, batches of 512, all
threads) then gets T seconds and 3 T seconds on the same samples in memory, from K of them as the start. Both dictionaries are judged by
the same program: the mean of 1/2 |x - D u|^2 + lambda |u|_1 over 20,000 held-out patches with the codes of SPAMS' LARS.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import spams
from PIL import Image
from safetensors.numpy import load_file

SIDE, ATOMS, TAU = 12, 200, 0.1


def patches(images, n, seed):
    """Random patches of the images below a folder, the same for both programs."""
    random = np.random.default_rng(seed)
    pictures = [np.asarray(Image.open(p).convert("L"), np.float32) for p in sorted(Path(images).rglob("*.jpg"))]
    rows = np.empty((n, SIDE * SIDE), np.float32)
    for i, which in enumerate(random.integers(0, len(pictures), n)):
        picture = pictures[which]
        y = random.integers(0, picture.shape[0] - SIDE + 1)
        x = random.integers(0, picture.shape[1] - SIDE + 1)
        rows[i] = picture[y:y + SIDE, x:x + SIDE].reshape(-1)
    return (rows - rows.mean(1, keepdims=True)) / 125


def objective(atoms, samples, threshold):
    data, dictionary = np.asfortranarray(samples.T, np.float64), np.asfortranarray(atoms.T, np.float64)
    codes = spams.lasso(data, D=dictionary, lambda1=threshold, mode=2, numThreads=-1)
    rest = data - dictionary @ codes.toarray()
    return float((0.5 * (rest**2).sum() + threshold * np.abs(codes.data).sum()) / len(samples))


def spams_online(samples, seconds, threshold, n_threads):
    data = np.asfortranarray(samples.T)
    start = np.asfortranarray(data[:, :ATOMS] / np.maximum(np.linalg.norm(data[:, :ATOMS], axis=0), 1e-9))
    begin = time.monotonic()
    atoms = spams.trainDL(data, D=start, lambda1=threshold, mode=2, iter=-seconds, batchsize=512, numThreads=n_threads,
                          verbose=False)
    return atoms.T, time.monotonic() - begin


def main(command, images, n=1000000, n_threads=2):
    threshold = TAU * SIDE * SIDE / ATOMS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = patches(Path(images) / "train", n, 1)
        held_out = patches(Path(images) / "val", 20000, 2)
        np.save(folder / "x.npy", samples)
        begin = time.monotonic()
        told = subprocess.run([command, "learn", folder / "x.npy", "-o", folder / "m", "--stream", "--atoms", str(ATOMS), "--tau",
                               str(TAU), "--eta", "0", "--threads", str(n_threads), "--json", "--quiet"],
                              check=True, capture_output=True)
        seconds = time.monotonic() - begin
        atoms = load_file(folder / "m")["dictionary"]
        learning = json.loads(told.stdout)["seconds"]
    ours = objective(atoms, held_out, threshold)
    print(f"dualdict: {n} patches, {n_threads} threads, {seconds:.1f} s in all, {learning:.1f} s of them learning: {ours:.5f}")
    values = []
    for factor in (1, 3):
        atoms, took = spams_online(samples, max(1, round(factor * seconds)), threshold, n_threads)
        values.append(objective(atoms, held_out, threshold))
        print(f"SPAMS online, {factor} x that time ({took:.1f} s): {values[-1]:.5f}")
    good = ours <= values[0] and ours < values[1]
    print("no worse at the same time, better than after three times that time:", "held" if good else "NOT HELD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5])))
