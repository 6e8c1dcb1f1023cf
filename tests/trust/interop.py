# SPDX-License-Identifier: BSD-3-Clause
"""P3: what NumPy, SciPy and the safetensors package write, we read, and the reverse, bit for bit."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse
from safetensors.numpy import load_file, save_file


class Converter:
    """The program of tests/python_interop: one process for many files."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, job, source, target):
        self.process.stdin.write(f"{job} {source} {target}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline() == "ok\n"


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def random_arrays(program, n):
    failures = []
    rng = np.random.default_rng(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        convert = Converter(program)
        for case in range(n):
            dtype = np.dtype(["<f4", "<f8", ">f4", ">f8", "u1"][case % 5])
            array = (rng.standard_normal(tuple(rng.integers(1, 30, 2))) * 100).astype(dtype)
            wanted = array.astype(np.float64 if dtype.kind == "f" and dtype.itemsize == 8 else np.float32)
            np.save(folder / "in.npy", np.asarray(array, order="CF"[case % 2]))
            good = convert("read", folder / "in.npy", folder / "out.npy")
            good = good and same(np.load(folder / "out.npy"), wanted)
            good = good and convert("csr", folder / "in.npy", folder / "out.npz")
            good = good and same(scipy.sparse.load_npz(folder / "out.npz").toarray(), wanted)
            tensors = {"a": wanted, "b": wanted[0], "c": wanted[:, :1].copy()}
            save_file(tensors, folder / "theirs", metadata={"case": str(case)})
            good = good and convert("tensors", folder / "theirs", folder / "ours")
            found = load_file(folder / "ours") if good else {}
            if not good or any(not same(found[key], tensors[key]) for key in tensors):
                failures.append(f"case {case}: {dtype} {array.shape}")
        convert.process.stdin.close()
        convert.process.wait()
    return n, failures
