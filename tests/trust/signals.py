# SPDX-License-Identifier: BSD-3-Clause
"""P23: signals at random moments over ten shapes, from small ones to K = 8,192 and d = 4,000."""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from safetensors import safe_open

# samples, features, atoms, more options
SHAPES = [
    (2500, 8, 12, ()),
    (20000, 64, 256, ("--nonzeros", "6")),
    (4000, 144, 1024, ("--nonzeros", "8")),
    (3000, 512, 8192, ("--tau", ".2")),
    (300, 4000, 32, ("--nonzeros", "6")),
    (3000, 4000, 64, ("--nonzeros", "6")),
    (20, 60000, 16, ("--nonzeros", "4", "--dtype", "float64")),
    (20000, 100, 200, ("--nonzeros", "8", "--stream")),
    (1000, 200, 400, ("--tau", ".2", "--solver", "fista")),
    (5000, 784, 100, ("--nonzeros", "10", "--eta", ".1")),
]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]
MOST_SECONDS = 5.5  # 5, and what the system takes to start and end a process
LONGEST_WAIT = 8.0  # before the signal
LONGEST_STEP = 180  # of a run that goes on
STEPS = ("stream.pass", "stream.n_read", "fading.step")
OLD = b"an older model"


def make(path, n_samples, n_features):
    dice = np.random.default_rng(n_features)
    atoms = dice.standard_normal((40, n_features))
    codes = dice.standard_normal((n_samples, 40)) * (dice.random((n_samples, 40)) < 0.15)
    np.save(path, (codes @ atoms / 4).astype(np.float32))


def position(checkpoint):
    """How far the run is that a checkpoint was written by; larger is further."""
    with safe_open(checkpoint, "numpy") as file:
        names = set(file.keys())
        counts = [int(file.get_tensor(name)[0]) for name in STEPS if name in names]
        return (file.get_slice("iterations").get_shape()[0], *counts)


def goes_on(learn, checkpoint):
    """What is wrong with a checkpoint that is there, or None: a run with --resume takes at least one step more and saves it."""
    if not checkpoint.exists():
        return None  # the earlier one: there was none
    before = position(checkpoint)
    run = subprocess.Popen([*learn, "--resume", "--checkpoint-every", "0"], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + LONGEST_STEP
    while run.poll() is None and position(checkpoint) == before and time.monotonic() < end:
        time.sleep(0.05)
    if run.poll() is None:
        run.kill()
    _, said = run.communicate()
    if run.returncode == 0:  # what was there was the last step
        return None
    if run.returncode != -signal.SIGKILL:
        return f"going on: exit {run.returncode}: {said[-200:]}"
    after = position(checkpoint)
    return None if after > before else f"going on: from step {before} to {after} in {LONGEST_STEP} s"


def one(command, folder, dice, number):
    """What went wrong with one signal, or None."""
    n_samples, n_features, n_atoms, more = SHAPES[number % len(SHAPES)]
    samples = folder / f"{n_samples}x{n_features}.npy"
    if not samples.exists():
        make(samples, n_samples, n_features)
    model, checkpoint = folder / "m.safetensors", folder / "c"
    checkpoint.unlink(missing_ok=True)
    learn = [command, "learn", samples, "-o", model, "--atoms", n_atoms, "--rtol", 0, "--max-iterations", 1000, "--quiet", *more]
    learn = [*map(str, [*learn, "--checkpoint", checkpoint])]
    model.write_bytes(OLD)
    wanted = SIGNALS[number // len(SHAPES) % len(SIGNALS)]
    every = ["--checkpoint-every", str(dice.choice([0, 1, 60]))]
    process = subprocess.Popen([*learn, *every], stderr=subprocess.PIPE, text=True)
    time.sleep(dice.uniform(0.05, 1) ** 2 * LONGEST_WAIT)
    asked = time.monotonic()
    process.send_signal(wanted)
    _, said = process.communicate(timeout=120)
    seconds = time.monotonic() - asked
    name = f"{wanted.name} to {n_samples} x {n_features}, {n_atoms} atoms"
    # Before the command listens a signal ends it as any other program.
    if process.returncode not in (0, 128 + wanted, -wanted) or seconds > MOST_SECONDS:
        return f"{name}: exit {process.returncode} after {seconds:.1f} s: {said[-200:]}"
    if model.read_bytes() != OLD and subprocess.run([command, "info", model], capture_output=True).returncode != 0:
        return f"{name}: the model is neither the old one nor a valid one"
    problem = goes_on(learn, checkpoint)
    return problem and f"{name}: {problem}"


def over_shapes(command, n, first=0):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # children of nohup ignore it otherwise, as is right
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + n):
            failure = one(command, Path(folder), random.Random(number), number)
            if failure:
                failures.append(f"{number}: {failure}")
    return n, failures


if __name__ == "__main__":  # a part of them: signals.py COMMAND FIRST COUNT
    cases, found = over_shapes(sys.argv[1], int(sys.argv[3]), int(sys.argv[2]))
    print("\n".join([*found, f"{cases} signals, {len(found)} failures"]))
    sys.exit(1 if found else 0)
