# SPDX-License-Identifier: BSD-3-Clause
"""The same command under the mpirun of the machine. What needs no launcher is tested with ranks as threads
(tests/learn/ranks_test.cc); the sixty kills are in tests/scale."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND, planted, run_ok, tensor_hash
from ranks import MPI_PART, MPIRUN, kill_and_wait, ranks_of, run_on, start_on

pytestmark = pytest.mark.skipif(MPIRUN is None or not MPI_PART.exists(), reason="no mpirun, or built without MPI")

LEARN = ["--atoms", 24, "--tau", 0.1, "--threads", 1, "--rtol", 0, "--quiet"]


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks") / "samples.npy"
    np.save(path, planted(3000, 16, 24, seed=2).astype(np.float32))
    return path


def energy_on(n_ranks, big, folder, *extra):
    finished = run_on(n_ranks, "learn", big, "-o", folder / f"{n_ranks}.safetensors", *LEARN, "--json", *extra)
    assert finished.returncode == 0, finished.stderr.decode()
    return json.loads(finished.stdout)["energy"]["total"]


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("float64", 1e-10)])
def test_one_to_four_ranks_agree(big, tmp_path, dtype, tolerance):
    options = ["--max-iterations", 20, "--dtype", dtype]
    one = run_ok("learn", big, "-o", tmp_path / "alone.safetensors", *LEARN, "--json", *options).json()
    for n_ranks in [1, 2, 3, 4] if dtype == "float64" else [2]:
        total = energy_on(n_ranks, big, tmp_path, *options)
        assert abs(total / one["energy"]["total"] - 1) <= tolerance, n_ranks
    assert one["outcome"] == "ITERATION_LIMIT"


def test_files_of_their_own_and_an_error_on_one_rank(big, tmp_path):
    samples = np.load(big)
    np.save(tmp_path / "shard-0.npy", samples[:1000])
    np.save(tmp_path / "shard-1.npy", samples[1000:])
    arguments = ["learn", tmp_path / "shard-{rank}.npy", "-o", tmp_path / "m", *LEARN, "--max-iterations", 3]
    assert run_on(2, *arguments).returncode == 0
    before = (tmp_path / "m").read_bytes()
    failed = run_on(3, *arguments)
    assert failed.returncode == 3
    assert b"shard-2.npy" in failed.stderr
    assert (tmp_path / "m").read_bytes() == before
    assert run_on(2, "encode", tmp_path / "m", big, "-o", tmp_path / "codes.npy").returncode == 2


def test_a_killed_rank_ends_the_job_and_the_checkpoint_goes_on(big, tmp_path):
    learn = ["learn", big, *LEARN, "--max-iterations", 60]
    assert run_on(2, *learn, "-o", tmp_path / "whole").returncode == 0
    kept = ["--checkpoint", tmp_path / "c", "--checkpoint-every", 0, "--resume", "-o", tmp_path / "m"]
    process = start_on(2, *learn, *kept)
    deadline = time.monotonic() + 60
    while not (tmp_path / "c").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    pairs = ranks_of(process.pid)
    assert len(pairs) == 2, pairs
    code, seconds, left = kill_and_wait(process, pairs[1][1], [pid for pair in pairs for pid in pair])
    assert code == 7, process.stderr.read().decode()
    assert seconds < 10 and not left
    assert not (tmp_path / "m").exists()
    shutil.copytree(tmp_path, tmp_path / "copy", ignore=shutil.ignore_patterns("copy"))
    again = run_on(2, *learn, *kept, "--json")
    assert again.returncode == 0
    assert tensor_hash(tmp_path / "m") == tensor_hash(tmp_path / "whole")
    # The checkpoint of two ranks is good for one as well.
    alone = run_ok(*learn, "--checkpoint", tmp_path / "copy" / "c", "--resume", "-o", tmp_path / "alone", "--json").json()
    assert alone["n_samples"] == 3000 and alone["iterations"] == 60
    assert alone["energy"]["total"] == pytest.approx(json.loads(again.stdout)["energy"]["total"], rel=1e-4)


def test_the_command_works_without_the_mpi_part(big, tmp_path):
    folder = Path(COMMAND).parent
    shutil.copy(COMMAND, tmp_path / "dualdict")
    for library in folder.glob("libdualdict.so*"):
        shutil.copy(library, tmp_path / library.name)
    learn = [tmp_path / "dualdict", "learn", big, "-o", tmp_path / "m", *map(str, LEARN), "--max-iterations", "2"]
    assert subprocess.run(learn).returncode == 0
    launched = subprocess.run(learn, env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}, capture_output=True)
    assert launched.returncode == 2
    assert b"libdualdict_mpi.so" in launched.stderr


def test_ranks_share_a_stream(big, tmp_path):
    options = ["--stream", "--center-features"]
    learn = [option for option in LEARN if option not in ("--rtol", 0)]
    one = run_ok("learn", big, "-o", tmp_path / "one", *learn, "--json", *options).json()
    for n_ranks in (2, 3):
        finished = run_on(n_ranks, "learn", big, "-o", tmp_path / "m", *learn, "--json", *options)
        assert finished.returncode == 0, finished.stderr.decode()
        many = json.loads(finished.stdout)
        assert many["n_samples"] == one["n_samples"] == 3000
        assert abs(many["energy"]["total"] / one["energy"]["total"] - 1) < 1e-5
    refused = run_on(2, "learn", tmp_path / "{rank}.npy", "-o", tmp_path / "m", *learn, "--stream")
    assert refused.returncode == 2 and b"{rank}" in refused.stderr


def test_penalty_l0_on_two_ranks(big, tmp_path):
    l0 = ["--atoms", 24, "--penalty", "l0", "--nonzeros", 3, "--threads", 1, "--quiet", "--json"]
    for more in ([], ["--stream"]):
        one = run_ok("learn", big, "-o", tmp_path / "one", *l0, *more).json()
        finished = run_on(2, "learn", big, "-o", tmp_path / "two", *l0, *more)
        assert finished.returncode == 0, finished.stderr.decode()
        two = json.loads(finished.stdout)
        assert two["nonzeros_per_code"] == pytest.approx(3, rel=0.1)
        assert two["energy"]["total"] == pytest.approx(one["energy"]["total"], rel=0.05)
        first = tensor_hash(tmp_path / "two")
        assert run_on(2, "learn", big, "-o", tmp_path / "two", *l0, *more).returncode == 0
        assert tensor_hash(tmp_path / "two") == first
