# SPDX-License-Identifier: BSD-3-Clause
"""Denoising beside others: PSNR and processor seconds of one thread on grey images with white noise.

    PYTHONPATH=build/release/python python bench/denoise/main.py FOLDER --images 20 --sigma 10 25 50

Peers that are installed take part (bm3d, spams, scikit-image); each is told sigma. SPAMS learns 256 atoms from the noisy
patches and codes to an error of 1.1 d sigma^2, by orthogonal matching pursuit. The images are every n-th of the folder.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import dualdict  # noqa: E402

SIDE = 8


def ours(noisy, sigma):
    return dualdict.denoise(noisy, sigma, n_jobs=1)


def ours_fast(noisy, sigma):
    return dualdict.denoise(noisy, sigma, fast=True, n_jobs=1)


def ours_estimated(noisy, sigma):
    return dualdict.denoise(noisy, n_jobs=1)


def bm3d(noisy, sigma):
    import bm3d as package
    return package.bm3d(noisy, sigma)


def nlm(noisy, sigma):
    from skimage.restoration import denoise_nl_means
    return denoise_nl_means(noisy, h=0.8 * sigma, sigma=sigma, patch_size=5, patch_distance=6, fast_mode=True)


def spams(noisy, sigma):
    import spams as package
    windows = np.lib.stride_tricks.sliding_window_view(noisy, (SIDE, SIDE))
    rows, columns = windows.shape[:2]
    samples = windows.reshape(-1, SIDE * SIDE)
    means = samples.mean(axis=1, keepdims=True)
    samples = np.asfortranarray((samples - means).T)
    atoms = package.trainDL(np.asfortranarray(samples / 255), K=256, lambda1=1.2 * sigma / 255, mode=2, iter=150,
                            batchsize=256, numThreads=1, verbose=False)
    codes = package.omp(samples, np.asfortranarray(atoms), eps=1.1 * SIDE * SIDE * sigma**2, numThreads=1)
    found = (codes.T @ atoms.T + means).reshape(rows, columns, SIDE, SIDE)
    total, count = np.zeros(noisy.shape), np.zeros(noisy.shape)
    for y in range(SIDE):
        for x in range(SIDE):
            total[y : y + rows, x : x + columns] += found[:, :, y, x]
            count[y : y + rows, x : x + columns] += 1
    return total / count


METHODS = {"dualdict": (ours, None), "dualdict, sigma estimated": (ours_estimated, None), "dualdict --fast": (ours_fast, None),
           "SPAMS": (spams, "spams"), "NLM": (nlm, "skimage"), "BM3D": (bm3d, "bm3d")}


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((a - b) ** 2))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--images", type=int, default=20)
    arguments.add_argument("--sigma", type=float, nargs="+", default=[10, 25, 50])
    arguments.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    given = arguments.parse_args()
    files = sorted(given.folder.iterdir())
    files = files[:: max(1, len(files) // given.images)][: given.images]
    for sigma in given.sigma:
        for name in given.methods:
            method, package = METHODS[name]
            if package is not None and importlib.util.find_spec(package) is None:
                print(f"{name}: {package} is not installed: left out")
                continue
            found, seconds = [], 0.0
            for i, file in enumerate(files):
                clean = dualdict.read_image(file, grey=True).astype(float)
                noisy = clean + sigma * np.random.default_rng(i).standard_normal(clean.shape)
                start = time.process_time()
                found.append(psnr(clean, method(noisy, sigma)))
                seconds += time.process_time() - start
            print(json.dumps({"sigma": sigma, "method": name, "images": len(files), "psnr": round(float(np.mean(found)), 3),
                              "seconds": round(seconds / len(files), 2)}), flush=True)


if __name__ == "__main__":
    main()
