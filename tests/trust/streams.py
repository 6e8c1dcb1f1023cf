# SPDX-License-Identifier: BSD-3-Clause
"""P19, P26: codes are written as samples are read, in memory that does not grow with them, and are always the same."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def peak_mebibytes(arguments, stdin, stdout):
    process = subprocess.Popen([*map(str, arguments)], stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss / 1024


def constant_memory(command, rows=(20000, 400000)):
    """Encoding takes no more memory for many samples than for few; of a cut input only whole rows come out."""
    failures, cases = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "x.npy", np.random.default_rng(1).standard_normal((500, 16)).astype(np.float32))
        learn = ["learn", folder / "x.npy", "-o", folder / "m", "--atoms", 32, "--max-iterations", 2, "--quiet"]
        subprocess.run([command, *map(str, learn)], check=True)
        for mode in ("linear", "sparse", "corrected", "exact"):
            peaks = []
            for n in rows:
                np.save(folder / "big.npy", np.ones((n if mode != "exact" else n // 10, 16), np.float32))
                with open(folder / "big.npy", "rb") as stdin, open(folder / "codes.npy", "wb") as stdout:
                    encode = [command, "encode", folder / "m", "-", "-o", "-", "--mode", mode, "--threads", 1]
                    code, peak = peak_mebibytes(encode, stdin, stdout)
                peaks.append(peak)
                cases += 1
                if code != 0 or np.load(folder / "codes.npy", mmap_mode="r").shape[1] != 32:
                    failures.append(f"{mode}, {n} rows: exit {code}")
            if peaks[-1] > peaks[0] + 16:
                failures.append(f"{mode}: {peaks} MiB for {rows} rows")
        whole = (folder / "big.npy").read_bytes()
        for size in (0, 5, 127, 128, 200, len(whole) // 2, len(whole) - 1):
            encode = [command, "encode", folder / "m", "-", "-o", folder / "cut.npy"]
            code = subprocess.run([*map(str, encode)], input=whole[:size], capture_output=True).returncode
            cases += 1
            if code != 3 or (folder / "cut.npy").exists():
                failures.append(f"input cut at {size}: exit {code}")
    return cases, failures


IN_PYTHON = """
import sys
import numpy as np
import dualdict
model, samples, codes, mode = sys.argv[1:]
X = np.load(samples)
np.save(codes, np.vstack([dualdict.encode(dualdict.load_model(model), X[i : i + 77], mode) for i in range(0, len(X), 77)]))
"""


def same_codes(command, package, n=60):
    """P19: a code has the same bits from a whole file, a stream, a file of one sample and from Python."""
    failures, cases = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = np.random.default_rng(1).standard_normal((2000, 16)).astype(np.float32)
        np.save(folder / "x.npy", samples)
        learn = ["learn", folder / "x.npy", "-o", folder / "m", "--atoms", 32, "--max-iterations", 2, "--quiet"]
        subprocess.run([command, *map(str, learn)], check=True)
        for mode in ("linear", "sparse", "corrected", "refine:3", "exact"):
            encode = [str(part) for part in (command, "encode", folder / "m", "--mode", mode)]
            subprocess.run([*encode, folder / "x.npy", "-o", folder / "whole.npy"], check=True)
            whole = np.load(folder / "whole.npy")
            with open(folder / "x.npy", "rb") as stdin, open(folder / "stream.npy", "wb") as stdout:
                subprocess.run([*encode, "-", "-o", "-"], stdin=stdin, stdout=stdout, check=True)
            found = [("streamed", range(len(samples)), np.load(folder / "stream.npy"))]
            for row in range(0, len(samples), len(samples) // n):
                np.save(folder / "one.npy", samples[row : row + 1])
                subprocess.run([*encode, folder / "one.npy", "-o", folder / "alone.npy"], check=True)
                found.append(("alone", [row], np.load(folder / "alone.npy")))
            if package is not None:
                files = [str(folder / name) for name in ("m", "x.npy", "python.npy")]
                environment = {**os.environ, "PYTHONPATH": str(package)}
                subprocess.run([sys.executable, "-c", IN_PYTHON, *files, mode], env=environment, check=True)
                found.append(("from Python", range(len(samples)), np.load(folder / "python.npy")))
            for how, rows, codes in found:
                for row, code in zip(rows, codes, strict=True):
                    cases += 1
                    if code.tobytes() != whole[row].tobytes():
                        failures.append(f"{mode}, {how}: sample {row}")
    return cases, failures
