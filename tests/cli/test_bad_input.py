# SPDX-License-Identifier: BSD-3-Clause
"""Every mistake ends with its exit code and one line that names the thing, its value and the rule."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND, planted, run

USAGE, INPUT, WRITE = 2, 3, 5


def refused(finished, code, *parts):
    assert finished.code == code, finished.stderr
    assert finished.stdout == b""
    assert finished.stderr.startswith("dualdict: error: ")
    assert finished.stderr.count("\n") == 1, finished.stderr
    for part in parts:
        assert str(part) in finished.stderr


@pytest.fixture
def folder(tmp_path):
    """An empty folder for outputs that must stay empty."""
    out = tmp_path / "out"
    out.mkdir()
    yield out
    assert list(out.iterdir()) == [], "something half-written remains"


def learn(data, folder, *more):
    return run("learn", data, "-o", folder / "model.safetensors", "--atoms", 5, "--tau", 0.1, *more)


def test_missing_file(folder, tmp_path):
    refused(learn(tmp_path / "nowhere.npy", folder), INPUT, "nowhere.npy")


def test_truncated_npy(folder, tmp_path):
    path = tmp_path / "short.npy"
    np.save(path, np.ones((50, 8)))
    whole = path.read_bytes()
    for length in (3, 9, 60, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused(learn(path, folder), INPUT, "short.npy")


def test_object_npy(folder, tmp_path):
    path = tmp_path / "objects.npy"
    np.save(path, np.array([[{}, 1], [2, 3]], dtype=object), allow_pickle=True)
    refused(learn(path, folder), INPUT, "objects.npy", "O")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_at_a_named_position(folder, tmp_path, dtype, value):
    data = planted(40, 8, 5, seed=2).astype(dtype)
    data[17, 3] = value
    path = tmp_path / "holes.npy"
    np.save(path, data)
    refused(learn(path, folder), INPUT, "holes.npy", "17", "3")


def test_nan_when_encoding(folder, model, samples, tmp_path):
    data = np.load(samples)
    data[599, 2] = np.nan
    path = tmp_path / "holes.npy"
    np.save(path, data)
    refused(run("encode", model, path, "-o", folder / "codes.npy"), INPUT, "holes.npy", "599", "2", "NaN")


@pytest.mark.parametrize(
    "option, value, rule",
    [
        ("--atoms", "0", ">= 1"),
        ("--atoms", "2.5", "a whole number"),
        ("--tau", "-1", "a number >= 0"),
        ("--tau", "nan", "a number >= 0"),
        ("--eta", "inf", "a number >= 0"),
        ("--rtol", "1x", "a number >= 0"),
        ("--max-iterations", "0", ">= 1"),
        ("--solver", "lars", "one of fast, fista"),
        ("--dtype", "float16", "one of float32, float64"),
        ("--scale", "-3", "a number > 0"),
        ("--patches", "12", "12x12"),
        ("--stride", "0", "1"),
    ],
)
def test_option_out_of_range(folder, samples, option, value, rule):
    finished = run("learn", samples, "-o", folder / "m.safetensors", "--atoms", 5, option, value)
    if option == "--atoms":
        finished = run("learn", samples, "-o", folder / "m.safetensors", option, value)
    refused(finished, USAGE, option, value, rule)


def test_rules_between_options(folder, samples):
    output = folder / "m.safetensors"
    refused(run("learn", samples, "-o", output), USAGE, "--atoms")
    refused(run("learn", samples, "-o", output, "--atoms", 5, "--nonzeros", 5), USAGE, "--nonzeros: 5", "--atoms")
    refused(run("learn", samples, "-o", output, "--atoms", 5, "--nonzeros", 2, "--tau", 1), USAGE, "--tau", "--nonzeros")


def test_unknown_option_and_command(folder, samples):
    refused(learn(samples, folder, "--atmos", 3), USAGE, "--atmos", "did you mean --atoms")
    refused(learn(samples, folder, "--zzzzzzzz"), USAGE, "--zzzzzzzz")
    refused(run("lern", samples), USAGE, "lern", "did you mean learn")
    refused(run(), USAGE, "learn")


def test_missing_output_folder(samples, tmp_path):
    refused(learn(samples, tmp_path / "nowhere"), WRITE, "nowhere")
    refused(learn(samples, samples), WRITE, "samples.npy")


def test_unwritable_output_folder(samples):
    refused(learn(samples, Path("/proc")), WRITE, "/proc/model.safetensors")


def test_output_is_a_folder(samples, tmp_path):
    refused(run("learn", samples, "-o", tmp_path, "--atoms", 5), WRITE, tmp_path)


def test_an_output_that_is_also_an_input_is_refused(model, samples, tmp_path):
    data, link = tmp_path / "data.npy", tmp_path / "link.npy"
    data.write_bytes(samples.read_bytes())
    link.symlink_to(data)
    mine = tmp_path / "mine.safetensors"
    mine.write_bytes(model.read_bytes())
    before = (data.read_bytes(), mine.read_bytes())
    for output in (data, link):
        refused(run("learn", data, "-o", output, "--atoms", 5), USAGE, "-o", output, "input")
        refused(run("encode", mine, data, "-o", output), USAGE, "-o", output, "input")
        refused(run("decode", mine, data, "-o", output), USAGE, "-o", output, "input")
    refused(run("learn", data, "-o", tmp_path / "m", "--atoms", 5, "--trace", data), USAGE, "--trace", data, "input")
    refused(run("encode", mine, data, "-o", mine), USAGE, "-o", mine)
    refused(run("mosaic", mine, "-o", mine), USAGE, "-o", mine)
    assert (data.read_bytes(), mine.read_bytes()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.npy", "link.npy", "mine.safetensors"]


def test_full_standard_output(model):
    with open("/dev/full", "wb") as full:
        finished = subprocess.run([COMMAND, "info", str(model)], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert finished.returncode == WRITE
    assert b"standard output" in finished.stderr


def test_samples_of_another_width(folder, model, tmp_path):
    path = tmp_path / "narrow.npy"
    np.save(path, np.ones((4, 7)))
    refused(run("encode", model, path, "-o", folder / "codes.npy"), INPUT, "narrow.npy", "7", "16")
    refused(run("decode", model, path, "-o", folder / "x.npy"), INPUT, "narrow.npy", "7", "24")


def test_damaged_model(folder, model, samples, tmp_path):
    path = tmp_path / "damaged.safetensors"
    damaged = bytearray(model.read_bytes())
    damaged[-5] ^= 1
    path.write_bytes(damaged)
    refused(run("info", path), INPUT, "damaged.safetensors")
    refused(run("verify", path, samples), INPUT, "damaged.safetensors")
    refused(run("encode", path, samples, "-o", folder / "codes.npy"), INPUT, "damaged.safetensors")


def test_a_failed_run_keeps_the_old_files(samples, tmp_path):
    output, trace = tmp_path / "m.safetensors", tmp_path / "run.jsonl"
    output.write_text("precious")
    trace.write_text("precious")
    for data in (tmp_path / "nowhere.npy", tmp_path):
        assert run("learn", data, "-o", output, "--atoms", 5, "--trace", trace).code == INPUT
        assert output.read_text() == "precious"
        assert trace.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.safetensors", "run.jsonl"]
