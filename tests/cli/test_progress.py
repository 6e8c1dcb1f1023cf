# SPDX-License-Identifier: BSD-3-Clause
"""Something is said within two seconds and then every few, and a time limit holds for all that learning does."""

import json
import resource
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from conftest import COMMAND, planted, run_ok

SLOW = pytest.mark.skipif(os.environ.get("DUALDICT_SANITIZE", "") != "", reason="no time to keep to")


@pytest.fixture(scope="module")
def samples_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("progress") / "x.npy"
    np.save(path, planted(6000, 48, 300, seed=5).astype(np.float32))
    return path


def lines_with_times(samples_file, output, seconds, *more):
    """What learning says on a standard error that is a file or a pipe: (seconds since the start, line)."""
    command = [COMMAND, "learn", samples_file, "-o", output, "--atoms", "1200", "--rtol", "0", *more]
    began = time.monotonic()
    process = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(seconds, process.send_signal, [signal.SIGTERM])
    timer.start()
    said = [(time.monotonic() - began, line.rstrip()) for line in process.stderr]
    process.wait()
    timer.cancel()
    return said


@SLOW
def test_in_a_log_something_is_said_within_two_seconds_and_then_every_few(samples_file, tmp_path):
    said = lines_with_times(samples_file, tmp_path / "m", 9, "--nonzeros", "5")
    times = [when for when, _ in said]
    assert times[0] < 4, said  # 2, and what a busy machine takes to start
    gaps = [after - before for before, after in zip(times, times[1:])]
    assert max(gaps) < 7, said
    assert any(" of " in line and line.endswith(" s") for _, line in said[:2]), said
    assert not any("\r" in line or "\x1b" in line for _, line in said)


@SLOW
def test_quiet_says_nothing(samples_file, tmp_path):
    assert lines_with_times(samples_file, tmp_path / "m", 3, "--nonzeros", "5", "--quiet") == []


@SLOW
def test_the_limit_of_time_is_that_of_the_command(samples_file, tmp_path):
    """Of the encoders and of measuring too: with so many atoms these alone take twenty seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    learn = ("learn", samples_file, "-o", tmp_path / "m", "--atoms", 3000, "--tau", 0.05, "--time-limit", 2, "--json")
    learned = run_ok(*learn, "--threads", 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Of the processor, which says the same on a busy machine; by the wall it is 2 + 3 on one that does nothing else.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2 + 8
    assert learned.json()["outcome"] == "TIME_LIMIT"
    run_ok("encode", tmp_path / "m", samples_file, "-o", tmp_path / "u.npy", "--mode", "linear")


def test_the_trace_says_that_tau_moves(samples, tmp_path):
    trace = tmp_path / "run.jsonl"
    run_ok("learn", samples, "-o", tmp_path / "m", "--atoms", 8, "--nonzeros", 2, "--trace", trace, "--max-iterations", 20)
    records = [json.loads(line) for line in trace.read_text().splitlines()]
    moved = [after["tau"] != before["tau"] for before, after in zip(records, records[1:])]
    assert [record["tau_moved"] for record in records] == [False, *moved]
