# SPDX-License-Identifier: BSD-3-Clause
"""What is written has the name of what it is, what is unknown is not zero, and odd files and streams do no harm."""

import json
import os
import signal
import stat
import subprocess
import time

import numpy as np
import pytest
import scipy.sparse
from conftest import COMMAND, planted, run, run_ok

USAGE, INPUT, WRITE = 2, 3, 5


def refused(finished, code, *parts):
    assert finished.code == code, finished.stderr
    assert finished.stderr.count("\n") == 1, finished.stderr
    for part in parts:
        assert part in finished.stderr


@pytest.fixture
def learn(tmp_path):
    def call(data, *more):
        return run("learn", data, "-o", tmp_path / "m", "--atoms", 3, "--tau", 0.1, "--max-iterations", 2, *more)

    return call


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("factor, more", [(1e-300, []), (1e-160, []), (1.0, ["--scale", "1e308"])])
def test_samples_that_vanish_are_refused(learn, tmp_path, dtype, factor, more):
    np.save(tmp_path / "x.npy", planted(50, 6, 4, seed=6) * factor)
    finished = learn(tmp_path / "x.npy", "--dtype", dtype, *more)
    refused(finished, INPUT, "--scale")
    assert not (tmp_path / "m").exists()


def test_samples_that_are_zero_are_not(learn, tmp_path):
    np.save(tmp_path / "zero.npy", np.zeros((50, 6)))
    np.save(tmp_path / "constant.npy", np.full((50, 6), 7.25))
    assert "every sample is zero" in learn(tmp_path / "zero.npy").stderr
    assert learn(tmp_path / "constant.npy", "--center-samples").code == 0


@pytest.mark.parametrize(
    "command, name, word",
    [("encode", "u.csv", "npy"), ("encode", "u.npz", "--sparse"), ("encode", "u.NPZ", "--sparse"), ("decode", "x.csv", "npy"),
     ("learn", "m.npy", "safetensors"), ("mosaic", "a.jpg", "png"), ("report", "r.csv", "html")],
)
def test_a_name_that_belongs_to_another_format_is_refused(samples, model, tmp_path, command, name, word):
    inputs = {"encode": [model, samples], "decode": [model, samples], "learn": [samples, "--atoms", 3]}.get(command, [model])
    refused(run(command, *inputs, "-o", tmp_path / name), USAGE, name, word)
    assert list(tmp_path.iterdir()) == []


def test_sparse_codes_are_not_called_npy(samples, model, tmp_path):
    refused(run("encode", model, samples, "-o", tmp_path / "u.npy", "--sparse"), USAGE, "npz")
    run_ok("encode", model, samples, "-o", tmp_path / "u.npz", "--sparse")
    run_ok("encode", model, samples, "-o", tmp_path / "codes")


def test_what_looks_like_an_index_is_named(learn, tmp_path):
    table = tmp_path / "x.csv"
    rows = planted(30, 5, 4, seed=7)
    table.write_text(",a,b,c,d,e\n" + "".join(f"{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(rows)))
    said = learn(table).stderr
    assert "line 1 is a header and was skipped" in said
    assert "column 1 counts the rows" in said and "index=False" in said
    assert "column 1" not in learn(table, "--quiet").stderr
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    said = learn(table).stderr
    assert "header" not in said and "column 1" not in said


def test_sparse_matrices_that_are_not_csr_are_named(learn, tmp_path):
    matrix = scipy.sparse.random(40, 6, 0.5, random_state=1)
    for kind in ("coo", "csc", "bsr", "dia"):
        scipy.sparse.save_npz(tmp_path / "x.npz", matrix.asformat(kind))
        refused(learn(tmp_path / "x.npz"), INPUT, "not in CSR form", "tocsr")


@pytest.mark.parametrize("command", ["score", "verify", "encode"])
@pytest.mark.parametrize("piped", [False, True])
def test_raw_does_not_code_the_header_of_an_npy_file(samples, model, command, piped):
    more = ["-o", "-"] if command == "encode" else []
    name, stdin = ("-", samples.read_bytes()) if piped else (samples, None)
    finished = run(command, model, name, "--raw", "float32", *more, stdin=stdin)
    assert finished.code == INPUT
    assert "--raw" in finished.stderr and "npy" in finished.stderr
    assert finished.stdout == b""


def test_atoms_that_nobody_counted_are_not_called_dead(tmp_path):
    samples, output = tmp_path / "x.npy", tmp_path / "m.safetensors"
    np.save(samples, planted(60000, 32, 64, seed=8).astype(np.float32))
    process = subprocess.Popen(
        [COMMAND, "learn", samples, "-o", output, "--atoms", "400", "--tau", "0.01", "--progress", "--threads", "1"],
        stderr=subprocess.PIPE,
    )
    while b"warm" not in (line := process.stderr.readline()):
        assert process.poll() is None and b" E " not in line, "an iteration ended before the signal"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    description = run_ok("info", output, "--json").json()
    assert description["outcome"]["iterations"] == 0
    assert description["outcome"]["dead_atoms"] is None and description["usage"] == []
    assert b"not measured" in run_ok("info", output).stdout


def test_closed_streams_are_not_taken_for_files(samples, tmp_path):
    """The first file that is opened would get the number of a stream that is closed, and what is printed would go to it."""
    output = tmp_path / "m.safetensors"
    arguments = f"learn {samples} -o {output} --atoms 3 --tau 0.1 --max-iterations 1"
    for closed, more, code in ((">&-", "--json", WRITE), ("2>&-", "", 0), ("<&-", "", 0), ("<&- >&- 2>&-", "--quiet", 0)):
        output.unlink(missing_ok=True)
        finished = subprocess.run(["bash", "-c", f"{COMMAND} {arguments} {more} {closed}"], capture_output=True, timeout=60)
        assert finished.returncode == code, finished.stderr
        assert [path.name for path in tmp_path.iterdir()] == ([output.name] if code == 0 else [])
    refused(run("info", "/dev/stdin"), INPUT)


def lock_of(output, samples):
    """The name of the lock file, which lives as long as the run."""
    process = subprocess.Popen(
        [COMMAND, "learn", samples, "-o", output, "--atoms", "16", "--tau", "0.01", "--rtol", "0", "--max-iterations", "1000000"],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while not (found := list(output.parent.glob(".dualdict-*.lock"))) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    found[0].unlink()
    return found[0]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_lock_that_is_no_file_is_refused(samples, tmp_path, kind):
    lock = lock_of(tmp_path / "m", samples)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    if kind == "link":
        lock.symlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(lock)
    else:
        lock.mkdir()
    refused(run("learn", samples, "-o", tmp_path / "m", "--atoms", 3, "--tau", 0.1), WRITE, "lock", lock.name)
    assert victim.read_text() == "precious"


def test_a_link_to_a_file_that_is_not_there_yet_stays_a_link(samples, model, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "codes.npy"
    link.symlink_to("elsewhere/real.npy")
    run_ok("encode", model, samples, "-o", link)
    assert link.is_symlink()
    assert stat.S_ISREG(os.lstat(tmp_path / "elsewhere" / "real.npy").st_mode)
    link.unlink()
    link.symlink_to("nowhere/real.npy")
    refused(run("encode", model, samples, "-o", link), WRITE, "nowhere")


def test_a_mosaic_to_standard_output(model, tmp_path):
    picture = run_ok("mosaic", model, "-o", "-").stdout
    run_ok("mosaic", model, "-o", tmp_path / "a.png")
    assert picture == (tmp_path / "a.png").read_bytes()


def test_standard_input_cannot_be_gone_through_twice(samples, tmp_path):
    finished = run("learn", "-", "--stream", "--passes", 2, "-o", tmp_path / "m", "--atoms", 3, stdin=samples.read_bytes())
    refused(finished, USAGE, "--passes", "once")


def test_how_often_without_where(learn, samples):
    refused(learn(samples, "--checkpoint-every", 5), USAGE, "--checkpoint-every", "--checkpoint FILE")


@pytest.mark.parametrize("text", ["0x10", "1'000", "1_000", "+5", " 5", "5 ", "1e1", "", "five", "-1", "99999999999999999999"])
def test_numbers_are_read_the_same_everywhere(samples, model, tmp_path, text):
    for arguments in (
        ["learn", samples, "-o", tmp_path / "m", "--atoms", text],
        ["learn", samples, "-o", tmp_path / "m", "--atoms", 3, "--stream", "--passes", text],
        ["mosaic", model, "-o", tmp_path / "a.png", "--zoom", text],
        ["generate", "-o", tmp_path / "g", "--images", text],
    ):
        refused(run(*arguments), USAGE, f"{arguments[-2]}: ", "a whole number >= 1")
    assert list(tmp_path.iterdir()) == []


def test_seconds_are_read_as_other_numbers(learn, samples, tmp_path):
    for text in ("0x1", "1s", "nan", "inf", "-1", "+1"):
        refused(learn(samples, "--checkpoint", tmp_path / "c", "--checkpoint-every", text), USAGE, "a number >= 0")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_cannot_be_opened_is_found_before_the_work(samples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("closed")
    os.chmod(folder, 0o333)  # files can be made in it, it cannot be flushed
    for path in folder.parents:
        if path.stat().st_mode & 0o001 == 0 and str(path).startswith("/tmp/"):
            os.chmod(path, path.stat().st_mode | 0o011)
    finished = subprocess.run(
        [COMMAND, "learn", "/dev/stdin", "-o", folder / "m", "--atoms", "3", "--tau", "0.1"],
        capture_output=True, timeout=60, user=65534, group=65534, extra_groups=[], stdin=subprocess.DEVNULL,
    )
    assert finished.returncode == WRITE, finished.stderr
    assert b"cannot be opened" in finished.stderr
    assert json.dumps(sorted(os.listdir(folder))) == "[]"
