# SPDX-License-Identifier: BSD-3-Clause
"""A killed run goes on from its checkpoint; two runs do not write one file; a failed run leaves old files alone."""

import json
import os
import random
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, planted, run, run_ok, tensor_hash

NEVER_CONVERGES = ("--rtol", "0", "--max-iterations", "60")


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    folder = tmp_path_factory.mktemp("problem")
    np.save(folder / "samples.npy", planted(3000, 16, 32, seed=5).astype(np.float32))
    return folder / "samples.npy"


def learn(samples, output, *more):
    return ["learn", samples, "-o", output, "--atoms", 32, "--tau", 0.05, "--quiet", *NEVER_CONVERGES, *more]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def start(*arguments):
    return subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def learn_l0(samples, output, *more):
    return ["learn", samples, "-o", output, "--atoms", 32, "--penalty", "l0", "--nonzeros", 3, "--quiet", *more]


@pytest.mark.parametrize(
    "begin, more",
    [
        (learn, ()),
        (learn, ("--solver", "fista", "--dtype", "float64")),
        (learn_l0, ()),
        (learn_l0, ("--stream", "--passes", "2")),
    ],
    ids=["fast", "fista", "l0", "l0-stream"],
)
def test_kill_and_resume_until_done_gives_the_same_tensors(problem, tmp_path, begin, more):
    began = time.monotonic()
    run_ok(*begin(problem, tmp_path / "whole", *more))
    whole_seconds = time.monotonic() - began
    resume = begin(problem, tmp_path / "m", *more, "--checkpoint", tmp_path / "c", "--checkpoint-every", 0, "--resume")
    dice = random.Random(1)
    kills = 0
    for _ in range(6):
        process = start(*resume)
        try:
            process.communicate(timeout=dice.uniform(0.1, 0.9) * whole_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert kills > 0
    run_ok(*resume)
    assert tensor_hash(tmp_path / "m") == tensor_hash(tmp_path / "whole")
    # A kill may leave the small file of a lock, and nothing else.
    assert [name for name in files(tmp_path) if not name.endswith(".lock")] == ["c", "m", "whole"]


def test_a_signal_writes_the_checkpoint_within_seconds(problem, tmp_path):
    endless = ["--rtol", 0, "--max-iterations", 1000000, "--checkpoint", tmp_path / "c", "--checkpoint-every", 1000]
    base = ["learn", problem, "-o", tmp_path / "m", "--atoms", 32, "--tau", 0.05, "--trace", tmp_path / "t", *endless]
    process = start(*base)
    while not (tmp_path / "t").exists():
        assert process.poll() is None
        time.sleep(0.01)
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=30)
    assert time.monotonic() - asked < 5
    assert process.returncode == 143, stderr
    n = (tmp_path / "t").read_text().count("\n")
    assert files(tmp_path) == ["c", "m", "t"]
    base[base.index(1000000)] = n + 3
    base[base.index(tmp_path / "m")] = tmp_path / "m2"
    run_ok(*base, "--resume")
    lines = [json.loads(line)["iteration"] for line in (tmp_path / "t").read_text().splitlines()]
    assert lines == list(range(1, n + 4)), "the trace of the resumed run holds all iterations"


def test_an_old_checkpoint_is_not_overwritten_by_mistake(problem, tmp_path):
    (tmp_path / "c").write_text("precious")
    finished = run(*learn(problem, tmp_path / "m", "--checkpoint", tmp_path / "c"))
    assert finished.code == 2 and "--resume" in finished.stderr
    finished = run(*learn(problem, tmp_path / "m", "--checkpoint", tmp_path / "c", "--resume"))
    assert finished.code == 3
    assert (tmp_path / "c").read_text() == "precious"
    assert run(*learn(problem, tmp_path / "m", "--resume")).code == 2


def test_a_second_run_on_the_same_output_is_refused(problem, tmp_path):
    endless = ("--rtol", 0, "--max-iterations", 1000000)
    first = start("learn", problem, "-o", tmp_path / "m", "--atoms", 32, *endless, "--trace", tmp_path / "t")
    while not (tmp_path / "t").exists():
        assert first.poll() is None
        time.sleep(0.01)
    (tmp_path / "m").write_text("an older model")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "m")
    for more in (("-o", tmp_path / "m"), ("-o", link), ("-o", tmp_path / "x", "--trace", tmp_path / "t")):
        finished = run("learn", problem, "--atoms", 4, *more)
        assert finished.code == 5 and "another run" in finished.stderr, finished.stderr
    run_ok("learn", problem, "-o", tmp_path / "other", "--atoms", 4, "--max-iterations", 2)
    first.kill()
    first.communicate()
    run_ok("learn", problem, "-o", tmp_path / "m", "--atoms", 4, "--max-iterations", 2)
    names = [name for name in files(tmp_path) if not name.endswith(".lock")]
    assert names == ["link", "m", "other", "t"]


def test_outputs_need_names_of_their_own(problem, tmp_path):
    for more in (("--trace", tmp_path / "m"), ("--checkpoint", tmp_path / "m"), ("--checkpoint", problem)):
        finished = run(*learn(problem, tmp_path / "m", *more))
        assert finished.code == 2 and "not allowed" in finished.stderr, finished.stderr


def test_a_failed_run_leaves_the_old_trace_and_model(problem, tmp_path):
    (tmp_path / "t").write_text("old trace")
    (tmp_path / "m").write_text("old model")
    os.mkdir(tmp_path / "folder")
    # The checkpoint cannot be written: its folder goes away while the run goes on.
    base = learn(problem, tmp_path / "m", "--trace", tmp_path / "t", "--checkpoint", tmp_path / "folder" / "c")
    process = start(*base, "--checkpoint-every", 1000)
    deadline = time.monotonic() + 30
    while not (tmp_path / "t.dualdict-part").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    for path in (tmp_path / "folder").iterdir():
        path.unlink()
    os.rmdir(tmp_path / "folder")
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 5, stderr
    assert (tmp_path / "t").read_text() == "old trace"
    assert (tmp_path / "m").read_text() == "old model"
    assert files(tmp_path) == ["m", "t"]


def test_a_good_run_replaces_the_old_trace(problem, tmp_path):
    (tmp_path / "t").write_text("old trace")
    run_ok(*learn(problem, tmp_path / "m", "--trace", tmp_path / "t"))
    assert len((tmp_path / "t").read_text().splitlines()) == 60
    assert files(tmp_path) == ["m", "t"]


def test_what_a_killed_save_left_is_removed(problem, tmp_path):
    run_ok(*learn(problem, tmp_path / "m"))
    process = subprocess.run(
        ["strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL", COMMAND]
        + [str(part) for part in learn(problem, tmp_path / "m")],
        capture_output=True,
    ) if os.path.exists("/usr/bin/strace") else None
    if process is None:
        pytest.skip("strace is not installed: no kill can be put inside a save")
    assert any(name.endswith(".tmp") for name in files(tmp_path))
    run_ok(*learn(problem, tmp_path / "m"))
    assert files(tmp_path) == ["m"]
