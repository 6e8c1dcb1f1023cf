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


def start(folder, output, trace, before=()):
    never = ("--rtol", "0", "--max-iterations", "1000000")
    command = [*before, COMMAND, "learn", folder / "samples.npy", "-o", output, "--atoms", "64", "--tau", "0.05", *never]
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


ENDS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGXCPU, 152)]


@pytest.mark.parametrize("number, code", ENDS)
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


# It delays signals of a thread that waits in a call, and takes the two processor seconds before learning begins.
UNDER_THREAD_SANITIZER = pytest.mark.skipif(os.environ.get("DUALDICT_SANITIZE") == "thread", reason="delays signals")


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


def test_under_nohup_a_closed_terminal_ends_nothing(long_run, tmp_path):
    process = start(long_run, tmp_path / "m.safetensors", tmp_path / "run.jsonl", ["nohup"])
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 143


@UNDER_THREAD_SANITIZER
def test_a_limit_of_processor_time_keeps_the_work(long_run, tmp_path):
    """The kernel sends SIGXCPU every second from the soft limit on."""
    output = tmp_path / "m.safetensors"
    process = start(long_run, output, tmp_path / "run.jsonl", ["prlimit", "--cpu=2:60"])
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 152, stderr
    assert b"INTERRUPTED" in run_ok("info", output).stdout


@pytest.mark.parametrize("arguments", [["--tau", "0.1"], ["--tau", "0.1", "--checkpoint", "c", "--checkpoint-every", "0"]])
def test_a_limit_of_file_sizes_is_an_error_that_leaves_nothing(long_run, tmp_path, arguments):
    precious = tmp_path / "m.safetensors"
    precious.write_text("precious")
    command = ["prlimit", "--fsize=4096", COMMAND, "learn", long_run / "samples.npy", "-o", precious, "--atoms", "64"]
    finished = subprocess.run(
        [*map(str, command), "--max-iterations", "3", *arguments], capture_output=True, cwd=tmp_path, timeout=60
    )
    assert finished.returncode == 5, finished.stderr
    assert b"File too large" in finished.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]
    assert precious.read_text() == "precious"


@UNDER_THREAD_SANITIZER
def test_within_five_seconds_of_a_signal_the_process_ends_wherever_it_is(samples, model, tmp_path):
    """Here in a write to a pipe that nobody reads."""
    (tmp_path / "many").write_bytes(np.load(samples).tobytes() * 20)
    with open(tmp_path / "many", "rb") as many:
        process = subprocess.Popen(
            [COMMAND, "encode", str(model), "-", "-o", "-", "--raw", "float32"],
            stdin=many,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    time.sleep(0.5)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    assert 3 < time.monotonic() - asked < 7
    assert process.returncode == 130
    assert b"took too long to end" in process.stderr.read()
