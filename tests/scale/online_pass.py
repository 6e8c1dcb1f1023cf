# SPDX-License-Identifier: BSD-3-Clause
"""One online pass over 1,000,000 Berkeley patches beside learning in memory and SPAMS: online_pass.py COMMAND IMAGES
[--samples 1000000] [--batches 16,32,64,128,256,512] [--peer-seconds 259] [--json FILE]

12 x 12 patches, centred, divided by 125; K = 200, tau = .1, one thread each. `dualdict learn --stream` makes one pass with eta = 0
and one with eta = 1; `dualdict learn` with eta = 0 gets as many seconds as that pass took. With eta = 0 E d/(2 N) is SPAMS'
objective with lambda = tau d/K. SPAMS (online, mode 2) works on the same samples in memory from K of them as the start: with
every batch size for the processor time of our pass, and with the size that was best then for --peer-seconds. All dictionaries are judged by the same program: the mean of 1/2 |x - D u|^2 + lambda |u|_1
over 20,000 held-out patches with the codes of SPAMS' LARS. Seconds are those of the processor, which other work on the machine
changes least; so many batches are given to SPAMS as it works through in them.
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
THRESHOLD = TAU * SIDE * SIDE / ATOMS


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


def objective(atoms, samples):
    data, dictionary = np.asfortranarray(samples.T, np.float64), np.asfortranarray(atoms.T, np.float64)
    codes = spams.lasso(data, D=dictionary, lambda1=THRESHOLD, mode=2, numThreads=1)
    rest = data - dictionary @ codes.toarray()
    return float((0.5 * (rest**2).sum() + THRESHOLD * np.abs(codes.data).sum()) / len(samples))


class Spams:
    """Its learner on the same samples, by processor time."""

    def __init__(self, samples):
        self.data = np.asfortranarray(samples.T)
        self.start = np.asfortranarray(self.data[:, :ATOMS] / np.maximum(np.linalg.norm(self.data[:, :ATOMS], axis=0), 1e-9))

    def learn(self, batch, n_batches):
        """The dictionary after so many batches, and the seconds."""
        worked = time.process_time()
        atoms = spams.trainDL(self.data, D=self.start, lambda1=THRESHOLD, mode=2, iter=n_batches, batchsize=batch, numThreads=1,
                              verbose=False)
        return atoms.T, time.process_time() - worked

    def learn_for(self, batch, seconds):
        n_batches, took = max(2, 20000 // batch), 0.0
        while took < 0.2 * seconds:
            atoms, took = self.learn(batch, n_batches)
            if took >= 0.9 * seconds:
                return atoms, took
            rate, n_batches = n_batches / max(took, 1e-3), 4 * n_batches
        return self.learn(batch, max(1, round(rate * seconds)))


def dualdict(command, data, *more):
    """The dictionary, and of the whole process: wall and processor seconds, and what it tells."""
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "m"
        begin = time.monotonic()
        process = subprocess.Popen([command, "learn", data, "-o", model, "--atoms", str(ATOMS), "--tau", str(TAU), "--threads", "1",
                                    "--json", "--quiet", *map(str, more)], stdout=subprocess.PIPE)
        told = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return load_file(model)["dictionary"], time.monotonic() - begin, usage.ru_utime + usage.ru_stime, told


class Runs:
    def __init__(self, held_out):
        self.held_out, self.runs = held_out, []

    def add(self, who, atoms, worked, **more):
        value = objective(atoms, self.held_out)
        self.runs.append({"who": who, "objective": value, "processor_seconds": worked, **more})
        print(f"{who}: {value:.5f} after {worked:.1f} s of the processor", *(f"{k} {v:.4g}" for k, v in more.items()), flush=True)
        return value


def ours(command, data, n, runs):
    """What the passes cost a sample, their time and objective, and that of learning in memory."""
    costs = {}
    for eta in (1, 0):
        atoms, wall, worked, told = dualdict(command, data, "--stream", "--eta", eta)
        costs[eta] = 1e6 * worked / n
        value = runs.add(f"dualdict --stream, eta {eta}", atoms, worked, wall_seconds=wall, microseconds_a_sample=costs[eta],
                         learning_seconds=told["seconds"])
    atoms, wall, worked_there, _ = dualdict(command, data, "--eta", 0, "--time-limit", round(told["seconds"], 1))
    memory = runs.add("dualdict in memory, as long", atoms, worked_there, wall_seconds=wall)
    return costs, value, worked, memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("images")
    parser.add_argument("--samples", type=int, default=1000000)
    parser.add_argument("--batches", default="16,32,64,128,256,512")
    parser.add_argument("--peer-seconds", type=float, default=259)
    parser.add_argument("--json")
    options = parser.parse_args()
    samples = patches(Path(options.images) / "train", options.samples, 1)
    runs = Runs(patches(Path(options.images) / "val", 20000, 2))
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "x.npy"
        np.save(data, samples)
        costs, value, worked, memory = ours(options.command, data, options.samples, runs)
    tests = [("at most 8 us a sample with eta = 0", costs[0] <= 8), ("at most 10 us with eta = 1", costs[1] <= 10),
             ("at most 1 % above learning in memory", value <= 1.01 * memory)]
    batches = [int(batch) for batch in options.batches.split(",") if batch]
    if batches:
        peer = Spams(samples)
        found = {}
        for batch in batches:
            atoms, took = peer.learn_for(batch, worked)
            found[batch] = runs.add(f"SPAMS, batches of {batch}", atoms, took)
        best = min(found, key=found.get)
        atoms, took = peer.learn_for(best, options.peer_seconds)
        long = runs.add(f"SPAMS, batches of {best}", atoms, took)
        tests += [("no worse than SPAMS in the same time", value <= found[best]),
                  (f"no worse than SPAMS after {took:.0f} s in a tenth of them", value <= long and worked <= 0.1 * took)]
    for what, held in tests:
        print(f"{what}: {'held' if held else 'NOT HELD'}")
    if options.json:
        Path(options.json).write_text(json.dumps({"samples": options.samples, "runs": runs.runs, "tests": dict(tests)}, indent=1) + "\n")
    return 0 if all(held for _, held in tests) else 1


if __name__ == "__main__":
    sys.exit(main())
