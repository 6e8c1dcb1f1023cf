# SPDX-License-Identifier: BSD-3-Clause
"""Streams: whole records only, in constant memory, whatever the producer does (P26)."""

import io
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import COMMAND, planted, run, run_ok, tensor_hash


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.fixture(scope="module")
def rows():
    return planted(700, 16, 24, seed=1).astype(np.float32)


def numbers(stdout):
    return [float(line) for line in stdout.split()]


def test_score_prints_one_error_a_line(model, samples, rows):
    scores = numbers(run_ok("score", model, "-", stdin=npy(rows)).stdout)
    assert len(scores) == 700
    assert all(0 <= score < 2 for score in scores)
    # The same number alone and in a batch, from raw records and from two arrays in a row.
    assert numbers(run_ok("score", model, "-", stdin=npy(rows[5:6])).stdout) == scores[5:6]
    assert numbers(run_ok("score", model, "-", "--raw", "float32", stdin=rows.tobytes()).stdout) == scores
    assert numbers(run_ok("score", model, "-", stdin=npy(rows[:300]) + npy(rows[300:])).stdout) == scores
    assert numbers(run_ok("score", model, samples).stdout)[0] < 1
    absolute = numbers(run_ok("score", model, "-", "--absolute", stdin=npy(rows)).stdout)
    assert np.allclose(absolute, scores * np.linalg.norm(rows, axis=1), rtol=1e-4)


def test_encode_writes_records_that_equal_the_file(model, rows, tmp_path):
    np.save(tmp_path / "x.npy", rows)
    run_ok("encode", model, tmp_path / "x.npy", "-o", tmp_path / "codes.npy")
    raw = run_ok("encode", model, "-", "-o", "-", "--raw", "float32", stdin=rows.tobytes()).stdout
    assert raw == np.load(tmp_path / "codes.npy").tobytes()
    assert run_ok("encode", model, "-", "-o", "-", "--stream", stdin=npy(rows)).stdout == raw


def test_verify_of_a_stream_is_that_of_the_file(model, samples):
    whole = run_ok("verify", model, samples, "--json").json()
    streamed = run_ok("verify", model, "-", "--stream", "--json", stdin=samples.read_bytes()).json()
    assert streamed["n_samples"] == whole["n_samples"]
    assert streamed["energy"]["total"] == pytest.approx(whole["energy"]["total"], rel=1e-9)


@pytest.mark.parametrize("command", ["score", "encode", "learn"])
def test_a_stream_that_is_cut_gives_its_whole_records_and_exit_3(model, rows, tmp_path, command):
    whole = npy(rows)
    record = 16 * 4
    for size in [0, 5, 100, 128 + 10 * record, 128 + 10 * record + 7, len(whole) - 1]:
        if command == "learn":
            arguments = ["learn", "-", "--stream", "-o", tmp_path / "m", "--atoms", 8, "--tau", 0.1, "--quiet"]
        else:
            arguments = [command, model, "-", "--stream", *(["-o", "-"] if command == "encode" else [])]
        finished = run(*arguments, stdin=whole[:size])
        assert finished.code == 3, (size, finished.stderr)
        assert "standard input" in finished.stderr
        n_whole = max(0, (size - 128) // record)
        if command == "score":
            assert len(finished.stdout.split()) == n_whole
        elif command == "encode":
            assert len(finished.stdout) == n_whole * 24 * 4
        elif n_whole == 0:
            assert not (tmp_path / "m").exists()
        else:
            assert json.loads(run_ok("info", tmp_path / "m", "--json").stdout)["data"]["n_samples"] == n_whole
            os.remove(tmp_path / "m")


def test_half_a_raw_record_and_a_changed_dimension_are_refused(model, rows, tmp_path):
    half = run("score", model, "-", "--raw", "float32", stdin=rows[:3].tobytes() + b"12345")
    assert half.code == 3 and len(half.stdout.split()) == 3 and "sample 3" in half.stderr
    changed = run("score", model, "-", stdin=npy(rows[:4]) + npy(rows[:4, :12].copy()))
    assert changed.code == 3 and len(changed.stdout.split()) == 4
    assert "12 features" in changed.stderr and "16" in changed.stderr
    learn = run("learn", "-", "--stream", "-o", tmp_path / "m", "--atoms", 8, "--tau", 0.1, "--quiet",
                stdin=npy(rows) + npy(rows[:, :12].copy()))
    assert learn.code == 3 and "12 features" in learn.stderr and (tmp_path / "m").exists()
    assert run("score", model, "-", "--raw", "float32:12", stdin=b"").code == 2
    assert run("score", model, "-", stdin=npy(rows[:4, :12].copy())).code == 3


def test_a_stalled_producer_gets_its_scores_and_a_signal_ends_the_wait(model, rows):
    process = subprocess.Popen([COMMAND, "score", model, "-", "--raw", "float32"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    process.stdin.write(rows[:2].tobytes() + rows[2:3].tobytes()[:10])
    process.stdin.flush()
    assert [float(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    learn = subprocess.Popen([COMMAND, "learn", "-", "--raw", "float32:16", "-o", "/dev/null/nowhere", "--atoms", "4"],
                             stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert learn.wait(timeout=60) == 5


def test_learning_from_a_stream_ends_with_a_signal_or_the_time_and_keeps_the_work(rows, tmp_path):
    arguments = [COMMAND, "learn", "-", "--raw", "float32:16", "--atoms", "16", "--tau", ".1", "--quiet"]
    for extra, code in [([], 130), (["--time-limit", "1"], 0)]:
        process = subprocess.Popen([*arguments, *extra, "-o", tmp_path / "m"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(np.tile(rows, (4, 1)).tobytes())
        process.stdin.flush()
        time.sleep(0.5)
        if code == 130:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == code, process.stderr.read()
        run_ok("info", tmp_path / "m")
        os.remove(tmp_path / "m")


def test_learning_from_files_and_images_as_streams(rows, tmp_path):
    np.save(tmp_path / "a.npy", rows[:500])
    np.save(tmp_path / "b.npy", rows[500:])
    learn = ["--atoms", 16, "--tau", 0.1, "--stream", "--quiet", "--json"]
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    once = run_ok("learn", *files, "-o", tmp_path / "once", *learn).json()
    twice = run_ok("learn", *files, "-o", tmp_path / "twice", *learn, "--passes", 4).json()
    assert twice["energy"]["total"] < once["energy"]["total"]
    piped = run_ok("learn", "-", "-o", tmp_path / "piped", *learn, stdin=npy(rows)).json()
    assert tensor_hash(tmp_path / "piped") == tensor_hash(tmp_path / "once"), piped
    run_ok("generate", "-o", tmp_path / "images", "--images", 3, "--size", 48)
    patches = [tmp_path / "images", "--patches", "6x6", "--samples", 900, "--center-samples", "--threads"]
    for n in (1, 2):
        run_ok("learn", *patches, n, "-o", tmp_path / f"p{n}", *learn)
    assert tensor_hash(tmp_path / "p1") == tensor_hash(tmp_path / "p2")


def test_what_cannot_be_streamed_is_refused(rows, tmp_path):
    np.save(tmp_path / "a.npy", rows)
    learn = ["learn", tmp_path / "a.npy", "-o", tmp_path / "m", "--atoms", 4]
    assert run(*learn, "--passes", 2).code == 2
    centred = run("learn", "-", "--stream", "--center-features", "-o", tmp_path / "m", "--atoms", 4, stdin=npy(rows))
    assert centred.code == 2 and "once only" in centred.stderr
    assert run("learn", "-", tmp_path / "a.npy", "--stream", "-o", tmp_path / "m", "--atoms", 4).code == 2


def test_a_stream_that_is_killed_goes_on_to_the_same_bits(tmp_path):
    np.save(tmp_path / "x.npy", planted(4000, 16, 24, seed=3).astype(np.float32))
    learn = ["learn", tmp_path / "x.npy", "--atoms", 16, "--tau", 0.1, "--stream", "--passes", 30, "--quiet"]
    start = time.monotonic()
    run_ok(*learn, "-o", tmp_path / "whole")
    longest = time.monotonic() - start
    kept = ["--checkpoint", tmp_path / "c", "--checkpoint-every", 0, "--resume", "-o", tmp_path / "m"]
    for part in (0.15, 0.3, 0.45):
        process = subprocess.Popen([COMMAND, *map(str, [*learn, *kept])])
        time.sleep(part * longest)
        process.kill()
        process.wait()
    run_ok(*learn, *kept)
    assert tensor_hash(tmp_path / "m") == tensor_hash(tmp_path / "whole")


def test_a_checkpoint_of_another_stream_is_refused(rows, tmp_path):
    learn = ["learn", "--atoms", 8, "--tau", 0.1, "--stream", "--quiet", "--checkpoint", tmp_path / "c", "-o", tmp_path / "m"]
    run_ok(*learn, "-", stdin=npy(rows))
    assert run(*learn, "-", stdin=npy(rows)).code == 2  # without --resume it is not touched
    other = run(*learn, "--resume", "-", stdin=npy(rows[::-1].copy()))
    assert other.code == 3 and "begins with other samples" in other.stderr
    run_ok(*learn, "--resume", "-", stdin=npy(rows))


def test_features_are_centred_in_a_pass_of_their_own(rows, tmp_path):
    np.save(tmp_path / "x.npy", rows + np.arange(16, dtype=np.float32))
    learn = ["learn", tmp_path / "x.npy", "--atoms", 8, "--tau", 0.1, "--center-features", "--quiet"]
    run_ok(*learn, "-o", tmp_path / "streamed", "--stream")
    run_ok(*learn, "-o", tmp_path / "memory")
    from safetensors.numpy import load_file
    means = [load_file(tmp_path / name)["transform.feature_means"] for name in ("streamed", "memory")]
    assert np.allclose(*means, rtol=1e-12)
