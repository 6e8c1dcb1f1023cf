# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C keeps the work."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, planted, run, run_ok
from safetensors.numpy import load_file


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    """A run that would not end by itself in the time of the test."""
    folder = tmp_path_factory.mktemp("long")
    np.save(folder / "samples.npy", planted(4000, 32, 64, seed=3).astype(np.float32))
    return folder


def start(folder, output, trace):
    never = ("--rtol", "0", "--max-iterations", "1000000")
    command = [COMMAND, "learn", folder / "samples.npy", "-o", output, "--atoms", "64", "--tau", "0.05", *never]
    process = subprocess.Popen(
        [*map(str, command), "--trace", str(trace), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 120
    while not trace.exists() or trace.read_text().count("\n") < 2:
        assert process.poll() is None, process.stderr.read()
        if time.monotonic() > deadline:
            process.kill()  # it would never end
            pytest.fail("no iteration in two minutes")
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_learning_with_the_model_written(long_run, tmp_path, number, code):
    output = tmp_path / "m.safetensors"
    process = start(long_run, output, tmp_path / "run.jsonl")
    asked = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert time.monotonic() - asked < 30
    assert process.returncode == code, stderr
    assert b'"INTERRUPTED"' in stdout
    assert load_file(output)["dictionary"].shape == (64, 32)
    assert b"INTERRUPTED" in run_ok("info", output).stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.safetensors", "run.jsonl"]


@pytest.mark.skipif(os.environ.get("DUALDICT_SANITIZE", "") != "", reason="minutes of learning, and no time to keep to")
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_encoders_are_fitted_leaves_them_out(tmp_path, number, code):
    """With so many atoms the encoders take far longer than the seconds that are left after a signal."""
    samples, output = tmp_path / "samples.npy", tmp_path / "m.safetensors"
    np.save(samples, planted(6000, 24, 64, seed=4).astype(np.float32))
    command = [COMMAND, "learn", samples, "-o", output, "--atoms", "3000", "--tau", "20", "--eta", "0", "--threads", "1"]
    process = subprocess.Popen(
        [*map(str, command), "--max-iterations", "1", "--progress", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while b"fitting the encoders" not in process.stderr.readline():
        assert process.poll() is None, "ended before the encoders were fitted"
    asked = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=600)
    assert time.monotonic() - asked < 5
    assert process.returncode == code, stderr
    assert b'"INTERRUPTED"' in stdout
    assert load_file(output)["dual"].shape == (3000, 24)
    np.save(tmp_path / "few.npy", np.load(samples)[:10])
    run_ok("encode", output, tmp_path / "few.npy", "-o", tmp_path / "codes.npy", "--mode", "exact")
    refused = run("encode", output, tmp_path / "few.npy", "-o", tmp_path / "codes.npy", "--mode", "corrected")
    assert refused.code == 3
    assert "no fitted encoder" in refused.stderr


def test_a_second_signal_ends_at_once_and_keeps_the_old_file(long_run, tmp_path):
    output = tmp_path / "m.safetensors"
    output.write_text("precious")
    process = start(long_run, output, tmp_path / "run.jsonl")
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=10)
    # Both are pending when the process goes on; the kernel delivers them in either order.
    assert process.returncode in (130, 143)
    assert output.read_text() == "precious"
