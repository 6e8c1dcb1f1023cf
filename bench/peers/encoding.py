# SPDX-License-Identifier: BSD-3-Clause
"""Encoding by one product: the library beside BLAS and NumPy, the command beside a plain copy."""
import os
import time
from statistics import median

import numpy as np
from safetensors.numpy import load_file

import ours
from isolate import isolated
from problems import patch_problem

BLOCK = 1 << 20
TURNS = 5  # inside each repeat


def numpy_product(samples_path, model):
    """{what: seconds} of X @ C.T, with a new result and into one that is there already."""
    data, dual = np.load(samples_path), load_file(model)["dual"].astype(np.float32)
    out = data @ dual.T
    times = {"numpy": [], "numpy_into": []}
    for _ in range(TURNS):
        started = time.perf_counter()
        data @ dual.T
        times["numpy"].append(time.perf_counter() - started)
        started = time.perf_counter()
        np.matmul(data, dual.T, out=out)
        times["numpy_into"].append(time.perf_counter() - started)
    return times


def plain_copy(source, target, n_written, durable):
    """Seconds to read all of `source` and to write n_written bytes, with nothing between."""
    started = time.perf_counter()
    buffer = bytearray(BLOCK)
    with open(source, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass
    with open(target, "wb", buffering=0) as file:
        for first in range(0, n_written, BLOCK):
            file.write(memoryview(buffer)[:min(BLOCK, n_written - first)])
        if durable:
            os.fsync(file.fileno())
    return time.perf_counter() - started


def command_times(problem, model, settings):
    codes, copy = settings.work / "linear.npy", settings.work / "copy.bin"
    encode = ("encode", model, problem.samples, "-o", codes, "--mode", "linear", "--threads")
    _, seconds, memory = ours.command(*encode, 1)
    _, seconds_all, memory_all = ours.command(*encode, 0)
    size = codes.stat().st_size
    return {"command": seconds, "command_all_threads": seconds_all,
            "copy": plain_copy(problem.samples, copy, size, False),
            "copy_durable": plain_copy(problem.samples, copy, size, True),
            "command_peak_bytes": memory, "command_all_threads_peak_bytes": memory_all}


def collect(times, new):
    for name, values in new.items():
        times.setdefault(name, []).extend(values if isinstance(values, list) else [values])


def measure(settings):
    problem = patch_problem(settings)
    model = ours.learn(problem, settings.work, "encoder", eta=1, time_limit=settings.probe_seconds)["model"]
    times = {}
    for _ in range(settings.repeats):
        collect(times, ours.program("encode_speed", model, problem.samples, TURNS, 1))
        collect(times, isolated(numpy_product, problem.samples, model))
        two = ours.program("encode_speed", model, problem.samples, TURNS, 2)
        collect(times, {"linear_two_threads": two["linear"], "sparse_two_threads": two["sparse"]})
        collect(times, command_times(problem, model, settings))
    return {"n_samples": problem.n_samples, "n_features": problem.n_features, "n_atoms": problem.n_atoms,
            "input_bytes": problem.samples.stat().st_size, "times": times,
            "median": {name: median(values) for name, values in times.items()}}
