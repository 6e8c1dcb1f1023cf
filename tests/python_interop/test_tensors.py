# SPDX-License-Identifier: BSD-3-Clause
"""The safetensors package reads what we write, and we read what it writes."""

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file


def random_tensors(rng):
    tensors = {}
    for index in range(rng.integers(0, 6)):
        shape = tuple(rng.integers(0, 6, rng.integers(0, 4)))
        dtype = [np.float32, np.float64][rng.integers(2)]
        tensors[f"{rng.integers(1000)}.tensor{index}"] = np.asarray(rng.standard_normal(shape), dtype=dtype)
    return tensors


def test_round_trip_through_both(convert, tmp_path):
    rng = np.random.default_rng(0)
    for case in range(100):
        tensors = random_tensors(rng)
        metadata = {f"key {i}": "value \u00e9 \" \\ \n" * i for i in range(case % 3)}
        save_file(tensors, tmp_path / "theirs", metadata=metadata or None)
        convert("tensors", tmp_path / "theirs", tmp_path / "ours")
        found = load_file(tmp_path / "ours")
        assert found.keys() == tensors.keys()
        for name, tensor in tensors.items():
            assert found[name].dtype == tensor.dtype
            assert found[name].shape == tensor.shape
            assert found[name].tobytes() == tensor.tobytes()
        with safe_open(tmp_path / "ours", framework="numpy") as file:
            assert (file.metadata() or {}) == metadata


def test_other_types_are_refused_by_name(run_once, tmp_path):
    save_file({"numbers": np.arange(3, dtype=np.int16)}, tmp_path / "theirs")
    result = run_once("tensors", tmp_path / "theirs", tmp_path / "ours")
    assert result.returncode == 1
    assert b"'numbers'" in result.stderr and b"'I16'" in result.stderr
