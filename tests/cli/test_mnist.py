# SPDX-License-Identifier: BSD-3-Clause
"""The main job on real digits; needs DUALDICT_DATA.

DUALDICT_DIGITS=50000 takes as many as scripts/demo, which is the main job."""

import gzip
import os
import pathlib

import numpy as np
import pytest
from conftest import run_ok
from safetensors.numpy import load_file

DIGITS = int(os.environ.get("DUALDICT_DIGITS", 10000))
SECONDS = 120  # what a user with two cores may have to wait at most


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """The first training digits as an npy file."""
    folder = os.environ.get("DUALDICT_DATA")
    packed = pathlib.Path(folder or "", "mnist", "train-images-idx3-ubyte.gz")
    if not folder or not packed.exists():
        pytest.skip("DUALDICT_DATA does not name a folder with mnist/train-images-idx3-ubyte.gz")
    pixels = np.frombuffer(gzip.decompress(packed.read_bytes()), np.uint8, offset=16)
    path = tmp_path_factory.mktemp("mnist") / "digits.npy"
    np.save(path, pixels.reshape(-1, 28, 28)[:DIGITS])
    return path


def test_learning_ends_converged_with_a_certificate_in_time(digits, tmp_path):
    model = tmp_path / "digits.safetensors"
    weights = ["--atoms", 200, "--tau", 0.2, "--eta", 0.001, "--scale", 255]
    summary = run_ok("learn", digits, "-o", model, *weights, "--json").json()
    assert summary["outcome"] == "CONVERGED"
    assert summary["seconds"] < SECONDS
    assert 0 <= summary["duality_gap"] < 1e-4
    assert summary["max_kkt_residual"] < 1e-3
    assert 11 < summary["nonzeros_per_code"] < 15
    assert summary["dead_atoms"] == 0
    tensors = load_file(model)
    assert tensors["dictionary"].shape == tensors["dual"].shape == (200, 784)
    for name in ("dictionary", "dual"):
        assert np.linalg.norm(tensors[name].astype(np.float64), axis=1).max() <= 1
