# SPDX-License-Identifier: BSD-3-Clause
"""Python and the command: the same bits from the same data and options, and each reads the other's files."""

import json
import os
import subprocess

import numpy as np
import pytest
from safetensors.numpy import load_file

import dualdict
from dualdict import DualDictionaryLearning
from dualdict._options import MODES

COMMAND = os.environ.get("DUALDICT_COMMAND", "dualdict")


def run(*arguments):
    finished = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, timeout=120)
    assert finished.returncode == 0, finished.stderr.decode()
    return finished.stdout


@pytest.fixture(scope="module")
def samples(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, X)
    return path


def assert_same_tensors(one, other):
    one, other = load_file(one), load_file(other)
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("flags, parameters", [
    ([], {}),
    (["--tau", ".1", "--seed", "5"], {"tau": 0.1, "random_state": 5}),
    (["--nonzeros", "4", "--threads", "1", "--eta", ".3"], {"nonzeros": 4, "n_jobs": 2, "eta": 0.3}),
    (["--tau", ".1", "--dtype", "float64", "--solver", "fista", "--max-iterations", "20"],
     {"tau": 0.1, "dtype": "float64", "solver": "fista", "max_iter": 20}),
    (["--tau", ".1", "--scale", "3", "--center-features", "--center-samples", "--positive-codes", "--mu", ".1"],
     {"tau": 0.1, "scale": 3, "center_features": True, "center_samples": True, "positive_code": True, "mu": 0.1}),
    (["--tau", ".1", "--scale", "unit", "--positive-dictionary", "--eta", "0"],
     {"tau": 0.1, "scale": "unit", "positive_dict": True, "eta": 0}),
])
def test_the_same_model(X, samples, tmp_path, flags, parameters):
    run("learn", samples, "-o", tmp_path / "command.st", "--atoms", 24, "--quiet", *flags)
    learner = DualDictionaryLearning(24, **parameters).fit(X)
    learner.save(tmp_path / "python.st")
    assert_same_tensors(tmp_path / "command.st", tmp_path / "python.st")
    assert np.array_equal(learner.components_, dualdict.load_model(tmp_path / "command.st").components)
    model, summary = dualdict.learn(X, 24, **parameters)
    model.save(tmp_path / "function.st")
    assert_same_tensors(tmp_path / "function.st", tmp_path / "python.st")
    assert summary.energy == learner.summary_.energy


def test_the_same_model_from_double_samples(X, tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.float64) / 3)
    run("learn", tmp_path / "x.npy", "-o", tmp_path / "command.st", "--atoms", 24, "--quiet")
    DualDictionaryLearning(24).fit(X.astype(np.float64) / 3).save(tmp_path / "python.st")
    assert_same_tensors(tmp_path / "command.st", tmp_path / "python.st")


ALL_MODES = [f"{name}:{row['usual_number']}" if row["number"] else name for name, row in MODES.items()]
OF_L1 = [mode for mode in ALL_MODES if not mode.startswith(("hard", "topk"))]  # these need an encoder of penalty l0


def test_help_and_completion_know_every_mode():
    words = run("completion", "bash").decode()
    for command in ("encode", "decode", "score"):
        text = " ".join(run(command, "--help").decode().split())
        for row in MODES.values():
            assert f"{row['form']}, {row['help']}" in text
    for mode in ALL_MODES:
        assert mode in words.split("--mode) values='")[1].split("'")[0].split()


@pytest.mark.parametrize("mode", OF_L1)
def test_the_same_errors(X, fitted, samples, tmp_path, mode):
    fitted.save(tmp_path / "model.st")
    printed = run("score", tmp_path / "model.st", samples, "--mode", mode).decode().split()
    errors = dualdict.score(fitted.model_, X, mode)
    assert np.array_equal(np.array(printed, dtype=float), errors)
    absolute = dualdict.score(fitted.model_, X, mode, absolute=True)
    learner = DualDictionaryLearning.load(tmp_path / "model.st").set_params(encode=mode)
    total = np.sum(np.float64(X) ** 2)
    assert learner.score(X) == pytest.approx(1 - np.sum(absolute**2) / total, rel=1e-12)


@pytest.mark.parametrize("mode", OF_L1)
def test_the_same_codes(X, fitted, samples, tmp_path, mode):
    fitted.save(tmp_path / "model.st")
    run("encode", tmp_path / "model.st", samples, "-o", tmp_path / "codes.npy", "--mode", mode)
    codes = np.load(tmp_path / "codes.npy")
    assert np.array_equal(dualdict.encode(fitted.model_, X, mode), codes)
    run("decode", tmp_path / "model.st", tmp_path / "codes.npy", "-o", tmp_path / "back.npy", "--mode", mode)
    assert np.array_equal(dualdict.decode(fitted.model_, codes, mode), np.load(tmp_path / "back.npy"))


def test_the_same_tau_for_wanted_nonzeros(X, fitted, samples, tmp_path):
    fitted.save(tmp_path / "model.st")
    run("encode", tmp_path / "model.st", samples, "-o", tmp_path / "codes.npy", "--mode", "exact", "--nonzeros", 3,
        "--debias")
    codes = dualdict.encode(fitted.model_, X, "exact", nonzeros=3, debias=True)
    assert np.array_equal(codes, np.load(tmp_path / "codes.npy"))


def test_load_gives_the_estimator_back(X, fitted, tmp_path):
    fitted.save(tmp_path / "model.st")
    again = DualDictionaryLearning.load(tmp_path / "model.st")
    assert np.array_equal(again.transform(X), fitted.transform(X))
    assert again.get_params() == fitted.get_params()
    assert again.summary_.energy == fitted.summary_.energy
    assert again.encoding_table_ == fitted.encoding_table_
    assert again.n_iter_ == fitted.n_iter_


def test_loads_what_the_command_learned(X, samples, tmp_path):
    run("learn", samples, "-o", tmp_path / "model.st", "--atoms", 10, "--scale", "unit", "--nonzeros", 3, "--quiet")
    learner = DualDictionaryLearning.load(tmp_path / "model.st")
    assert learner.get_params()["scale"] == "unit" and learner.get_params()["nonzeros"] == 3
    assert np.array_equal(learner.fit(X).components_, dualdict.load_model(tmp_path / "model.st").components)


def test_the_command_verifies_what_python_learned(X, fitted, samples, tmp_path):
    fitted.save(tmp_path / "model.st")
    told = json.loads(run("verify", tmp_path / "model.st", samples, "--json"))
    assert told["energy"]["total"] == pytest.approx(fitted.summary_.energy.total, rel=1e-6)
    told.pop("checksum_ok")
    assert dualdict.verify(fitted.model_, X) == told


def test_a_missing_or_damaged_file_is_named(X, fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.st"):
        dualdict.load_model(tmp_path / "nowhere.st")
    fitted.save(tmp_path / "model.st")
    damaged = bytearray((tmp_path / "model.st").read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "model.st").write_bytes(damaged)
    with pytest.raises(ValueError, match="model.st.*checksum"):
        dualdict.load_model(tmp_path / "model.st")
    with pytest.raises(OSError, match="no_folder"):
        fitted.save(tmp_path / "no_folder" / "model.st")
