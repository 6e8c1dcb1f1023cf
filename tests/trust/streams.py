# SPDX-License-Identifier: BSD-3-Clause
"""P19, P26: samples are coded and learned from as they are read, in memory that does not grow; codes are always the same."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from faults import tensor_hash

CUTS = (0, 5, 127, 128, 200)  # bytes of an npy file
# What a process ever held counts as the largest memory of those it starts; this one imports almost nothing.
LAUNCH = Path(__file__).resolve().parents[2] / "bench" / "peers" / "launch.py"


def peak_mebibytes(arguments, stdin, stdout):
    """The exit code and the largest memory, of at least what it takes to start it."""
    with tempfile.NamedTemporaryFile("r") as report:
        launch = [sys.executable, "-I", "-S", LAUNCH, report.name, *map(str, arguments)]
        code = subprocess.run(launch, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL).returncode
        return code, float(report.read().split()[1]) / 2**20


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
        for size in (*CUTS, len(whole) // 2, len(whole) - 1):
            encode = [command, "encode", folder / "m", "-", "-o", folder / "cut.npy"]
            code = subprocess.run([*map(str, encode)], input=whole[:size], capture_output=True).returncode
            cases += 1
            if code != 3 or (folder / "cut.npy").exists():
                failures.append(f"input cut at {size}: exit {code}")
    return cases, failures


def learning_in_constant_memory(command, rows=(20000, 400000)):
    """Learning from a stream takes no more memory for many samples than for few, from a pipe, a file and several, in any pass."""
    ways = {"a pipe": (["-"], ()), "a file, three passes": (["big.npy"], ("--passes", 3)),
            "a checkpoint": (["big.npy"], ("--checkpoint", "c", "--checkpoint-every", 1)),
            "centred features, two files": (["big.npy", "few.npy"], ("--center-features",)),
            "eta 0": (["-"], ("--eta", 0)), "float64": (["-"], ("--dtype", "float64")), "fista": (["-"], ("--solver", "fista"))}
    failures, cases = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        random = np.random.default_rng(1)
        np.save(folder / "few.npy", random.standard_normal((500, 16)).astype(np.float32))
        peaks = {way: [] for way in ways}
        for n in rows:
            np.save(folder / "big.npy", random.standard_normal((n, 16), np.float32))
            for way, (sources, more) in ways.items():
                sources = [source if source == "-" else folder / source for source in sources]
                more = [folder / "c" if word == "c" else word for word in more]
                learn = [command, "learn", *sources, "-o", folder / "m", "--atoms", 32, "--tau", 1, "--threads", 1, "--stream"]
                (folder / "c").unlink(missing_ok=True)
                with open(folder / "big.npy", "rb") as stdin:
                    code, peak = peak_mebibytes([*learn, *more], stdin, subprocess.DEVNULL)
                peaks[way].append(peak)
                cases += 1
                if code != 0:
                    failures.append(f"{way}, {n} rows: exit {code}")
        failures += [f"{way}: {found} MiB for {rows} rows" for way, found in peaks.items() if found[-1] > found[0] + 16]
    return cases, failures


def cut_streams(command, n=100):
    """Learning from a stream that is cut gives the model of its whole records, and exit 3."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = np.random.default_rng(1).standard_normal((3000, 16)).astype(np.float32)
        np.save(folder / "x.npy", samples)
        whole = (folder / "x.npy").read_bytes()
        header, record = len(whole) - samples.nbytes, 16 * 4
        learn = [command, "learn", "--atoms", 32, "--tau", 1, "--quiet", "-o", folder / "m"]
        sizes = [*CUTS, *np.random.default_rng(2).integers(header + 1, len(whole), max(1, n - len(CUTS)))]
        for size in map(int, sizes):
            n_whole = max(0, size - header) // record
            wanted = None
            if n_whole > 0:
                np.save(folder / "some.npy", samples[:n_whole])
                subprocess.run([*map(str, learn), "--stream", str(folder / "some.npy")], check=True)
                wanted = tensor_hash(folder / "m")
            (folder / "m").unlink(missing_ok=True)
            done = subprocess.run([*map(str, learn), "-", "--stream"], input=whole[:size], capture_output=True)
            found = tensor_hash(folder / "m") if (folder / "m").exists() else None
            if done.returncode != 3 or found != wanted or (n_whole > 0 and str(n_whole) not in done.stderr.decode()):
                failures.append(f"cut at {size}: exit {done.returncode}, {done.stderr[-200:]}")
    return len(sizes), failures


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
