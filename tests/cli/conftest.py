# SPDX-License-Identifier: BSD-3-Clause
"""Runs the built command, whose path is in DUALDICT_COMMAND, on small problems."""

import hashlib
import json
import os
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

COMMAND = os.environ["DUALDICT_COMMAND"]


class Finished:
    """What a run of the command left: exit code, stdout as bytes, stderr as text."""

    def __init__(self, process):
        self.code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr.decode(errors="replace")

    def json(self):
        return json.loads(self.stdout)


def run(*arguments, stdin=None, env=None):
    command = [COMMAND, *map(str, arguments)]
    return Finished(
        subprocess.run(command, input=stdin, capture_output=True, timeout=120, env={**os.environ, **(env or {})})
    )


def run_ok(*arguments, **keywords):
    finished = run(*arguments, **keywords)
    assert finished.code == 0, f"{arguments}: exit {finished.code}: {finished.stderr}"
    return finished


def planted(n_samples, n_features, n_atoms, seed):
    """Sparse combinations of random unit atoms, with a little noise."""
    random = np.random.default_rng(seed)
    atoms = random.standard_normal((n_atoms, n_features))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = random.standard_normal((n_samples, n_atoms)) * (random.random((n_samples, n_atoms)) < 0.15)
    return codes @ atoms + 0.01 * random.standard_normal((n_samples, n_features))


def tensor_hash(path):
    """The sha256 of every tensor, provenance apart."""
    digest = hashlib.sha256()
    for name, tensor in sorted(load_file(path).items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


@pytest.fixture(scope="session")
def samples(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "samples.npy"
    np.save(path, planted(600, 16, 24, seed=1).astype(np.float32))
    return path


@pytest.fixture(scope="session")
def model(samples, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    run_ok("learn", samples, "-o", path, "--atoms", 24, "--tau", 0.1, "--quiet")
    return path
