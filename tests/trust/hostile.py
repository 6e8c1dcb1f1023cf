# SPDX-License-Identifier: BSD-3-Clause
"""P2, P4, P5, P7: what is read from files."""

import functools
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
import hostile_files  # noqa: E402
import seeds  # noqa: E402



def limited(n_bytes):
    """Of util-linux; cheaper than a function that Python runs between fork and exec."""
    return ["prlimit", f"--as={n_bytes}", "--core=0"]


@functools.cache
def own_size(command):
    """The address space that the command needs for itself, to a MiB."""
    low, high = 0, 512
    while high - low > 1:
        middle = (low + high) // 2
        started = subprocess.run([*limited(middle << 20), command, "--version"], capture_output=True).returncode == 0
        low, high = (low, middle) if started else (middle, high)
    return high << 20


def promised_size(command, n_bytes):
    """What reading so many bytes may take: 64 MiB and twice the file."""
    return own_size(command) + (64 << 20) + 2 * n_bytes


def read_with(command, how, path, folder):
    """Runs the command that reads a file; returns exit code, message and seconds of processor time."""
    if how == "model":
        arguments = ["info", path]
    else:
        arguments = ["learn", path, "-o", f"{folder}/out", "--atoms", 1, "--max-iterations", 1, "--threads", 1]
        arguments += ["--patches", "1x1", "--samples", 9] if how == "image" else []
    # Learning takes more than reading; images are bounded by their pixels.
    limit = promised_size(command, path.stat().st_size) if how == "model" else 512 << 20
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    finished = subprocess.run([*limited(limit), command, *map(str, arguments)], capture_output=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return finished.returncode, finished.stderr.decode(errors="replace"), seconds


def hostile_set(command, truncation_stride=1):
    """P2: every file gets its verdict, within a second and 512 MiB, a model within 64 MiB and twice its size."""
    failures = []
    cases = hostile_files.all_cases(command, truncation_stride)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for case in cases:
            path.write_bytes(case.content)
            code, message, seconds = read_with(command, case.how, path, folder)
            named = code == 0 or str(path) in message
            if code != case.code or case.word not in message or not named or seconds > 1:
                failures.append(f"{case.name}: exit {code} after {seconds:.2f} s: {message[-200:]}")
    return len(cases), failures


def endless_and_piped(command):
    """P2: what cannot be a file of ours is refused by its first bytes; a pipe takes what a file may take."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "m"
        model.write_bytes(seeds.made_by(command))
        learn = ["-o", f"{folder}/out", "--atoms", "1", "--max-iterations", "1"]
        for arguments in (
            ["info", "/dev/zero"],
            ["info", "/dev/urandom"],
            ["learn", "/dev/zero", *learn],
            ["learn", "/dev/zero", *learn, "--patches", "1x1"],
            ["encode", model, "/dev/zero", "-o", f"{folder}/u"],
            ["report", model, "--trace", "/dev/zero", "-o", f"{folder}/page"],
        ):
            limit = limited(promised_size(command, 0))
            finished = subprocess.run([*limit, command, *arguments], capture_output=True, timeout=60)
            if finished.returncode != 3:
                failures.append(f"{arguments}: exit {finished.returncode}: {finished.stderr[-200:]}")
        large = hostile_files.model_with(command, model.read_bytes(), hostile_files.add_tensor(60_000_000))
        limit = limited(promised_size(command, len(large)))
        finished = subprocess.run([*limit, command, "info", "/dev/stdin"], input=large, capture_output=True, timeout=60)
        if finished.returncode != 0:
            failures.append(f"a model of 60 MB in a pipe: exit {finished.returncode}: {finished.stderr[-200:]}")
    return 7, failures


def cut_while_read(command, n):
    """P4: a file cut short while it is read gives exit 3, not a signal; or 0 when it was read before."""
    failures = []
    dice = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        whole = seeds.npy(np.ones((200000, 16), np.float32))
        for _ in range(n):
            path.write_bytes(whole)
            delay = dice.uniform(0, 0.15)

            def cut(delay=delay):
                time.sleep(delay)
                os.truncate(path, 4096)

            cutter = threading.Thread(target=cut)
            cutter.start()
            arguments = ["learn", path, "-o", f"{folder}/m", "--atoms", "2", "--max-iterations", "1", "--tau", "1"]
            code = subprocess.run([command, *map(str, arguments)], capture_output=True, timeout=60).returncode
            cutter.join()
            if code not in (0, 3):
                failures.append(f"cut after {delay:.3f} s: exit {code}")
    return n, failures


def flipped_bits(command, n_flips, n_cuts):
    """P5: every flipped bit and every cut of a model or checkpoint is found."""
    failures = []
    dice = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        samples = Path(folder) / "x.npy"
        samples.write_bytes(seeds.npy(seeds.matrix()))
        resume = ["learn", samples, "-o", f"{folder}/m", "--atoms", 4, "--nonzeros", 2, "--max-iterations", 3]
        resume += ["--center-features", "--checkpoint", path, "--resume", "--threads", 1]
        files = [(seeds.made_by(command), ["info", path]), (seeds.made_by(command, checkpoint=True), resume)]
        for content, arguments in files:
            damages = [("flip", dice.randrange(8 * len(content))) for _ in range(n_flips // 2)]
            damages += [("cut", dice.randrange(len(content))) for _ in range(n_cuts // 2)]
            for kind, at in damages:
                damaged = bytearray(content)
                if kind == "flip":
                    damaged[at // 8] ^= 1 << at % 8
                else:
                    del damaged[at:]
                path.write_bytes(damaged)
                code = subprocess.run([command, *map(str, arguments)], capture_output=True, timeout=60).returncode
                if code != 3:
                    failures.append(f"{arguments[0]}: {kind} at {at}: exit {code}")
    return 2 * (n_flips // 2 + n_cuts // 2), failures


def non_finite(command, positions):
    """P7: NaN and Inf are refused with their count and first position, from every reader in both precisions."""
    failures = []
    cases = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for dtype in (np.float32, np.float64):
            for bad in (np.nan, np.inf, -np.inf):
                for position in positions:
                    array = seeds.matrix(dtype)
                    array[position] = bad
                    array[11, 2] = bad
                    count = 2 if position != (11, 2) else 1
                    csv = "\n".join(",".join(map(str, row)) for row in array).encode()
                    big = {np.float32: (0x0D, ">f4"), np.float64: (0x0E, ">f8")}[dtype]
                    for content in (
                        seeds.npy(array),
                        seeds.npy(np.asfortranarray(array)),
                        seeds.npz(X=array),
                        seeds.npz(compressed=True, X=array),
                        csv,
                        seeds.idx((12, 3), big[0], array.astype(big[1]).tobytes()),
                    ):
                        path.write_bytes(content)
                        code, message, _ = read_with(command, "matrix", path, folder)
                        cases += 1
                        where = f"row {position[0]}, column {position[1]}"
                        if code != 3 or where not in message or f"{count} value" not in message:
                            failures.append(f"{dtype.__name__} {bad} at {position}: exit {code}: {message}")
    return cases, failures
