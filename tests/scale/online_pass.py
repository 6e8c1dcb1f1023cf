# SPDX-License-Identifier: BSD-3-Clause
"""One online pass over 1,000,000 Berkeley patches beside SPAMS: online_pass.py COMMAND IMAGES
[--samples 1000000] [--threads 1] [--json FILE]

12 x 12 patches, centred, divided by 125; K = 200, tau = .1, eta = 0: then E d/(2 N) is SPAMS' objective with lambda = tau d/K.
`dualdict learn --stream` makes one pass; its wall time T is that of the whole process. SPAMS (online, mode 2, batches of 512, as
many threads) then gets T seconds and 3 T seconds on the same samples in memory, from K of them as the start. Both dictionaries are judged by
the same program: the mean of 1/2 |x - D u|^2 + lambda |u|_1 over 20,000 held-out patches with the codes of SPAMS' LARS.
"""

import argparse
import json
import os
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
    begin, worked = time.monotonic(), time.process_time()
    atoms = spams.trainDL(data, D=start, lambda1=threshold, mode=2, iter=-seconds, batchsize=512, numThreads=n_threads,
                          verbose=False)
    return atoms.T, time.monotonic() - begin, time.process_time() - worked


def dualdict_stream(command, samples, n_threads):
    """The dictionary after one pass, the seconds of the process, those of its learning, and its processor time."""
    with tempfile.TemporaryDirectory() as name:
        data, model = Path(name) / "x.npy", Path(name) / "m"
        np.save(data, samples)
        begin = time.monotonic()
        process = subprocess.Popen([command, "learn", data, "-o", model, "--stream", "--atoms", str(ATOMS), "--tau", str(TAU), "--eta",
                                    "0", "--threads", str(n_threads), "--json", "--quiet"], stdout=subprocess.PIPE)
        told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        assert process.returncode == 0
        return load_file(model)["dictionary"], seconds, json.loads(told)["seconds"], usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("images")
    parser.add_argument("--samples", type=int, default=1000000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    threshold = TAU * SIDE * SIDE / ATOMS
    samples = patches(Path(options.images) / "train", options.samples, 1)
    held_out = patches(Path(options.images) / "val", 20000, 2)
    runs = []

    def add(who, value, seconds, worked):
        runs.append({"who": who, "objective": value, "wall_seconds": seconds, "processor_seconds": worked})
        print(f"{who}: {value:.5f} after {seconds:.1f} s ({worked:.1f} s of the processor)", flush=True)

    atoms, seconds, learning, worked = dualdict_stream(options.command, samples, options.threads)
    add("dualdict", objective(atoms, held_out, threshold), seconds, worked)
    for factor in (1, 3):
        atoms, took, worked = spams_online(samples, max(1, round(factor * seconds)), threshold, options.threads)
        add(f"SPAMS online, {factor} x that time", objective(atoms, held_out, threshold), took, worked)
    ours, same, thrice = (run["objective"] for run in runs)
    good = ours <= same and ours < thrice
    if options.json:
        result = {"samples": options.samples, "threads": options.threads, "learning_seconds": learning, "runs": runs}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    print("no worse at the same time, better than after three times that time:", "held" if good else "NOT HELD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
