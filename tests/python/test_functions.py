# SPDX-License-Identifier: BSD-3-Clause
"""The functions for those who want no estimator."""

import doctest
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.decomposition import DictionaryLearning, sparse_encode
from sklearn.linear_model import orthogonal_mp

from conftest import planted

import dualdict
from dualdict._options import MODES


@pytest.mark.parametrize("module", ["", "._record", "._search", "._exchange", "._functions", "._onnx", "._estimator"])
def test_examples_of_the_documentation(module):
    result = doctest.testmod(importlib.import_module(f"dualdict{module}"))
    assert result.attempted > 0 and result.failed == 0


def test_every_public_name_is_documented():
    for name in dualdict.__all__:
        if name != "__version__":
            assert getattr(dualdict, name).__doc__, name


def test_import_is_quick_and_leaves_scikit_learn_alone():
    code = (
        "import time, sys; start = time.perf_counter(); import dualdict; seconds = time.perf_counter() - start;"
        "assert 'sklearn' not in sys.modules; assert seconds < 1, seconds; assert dualdict.DualDictionaryLearning"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_learn_with_validation_samples(X):
    model, summary = dualdict.learn(X[:500], 24, tau=0.1, validation=X[500:])
    assert summary.outcome == "CONVERGED"
    assert summary.data.n_samples == 500
    assert summary.options_used.tol == 1e-4 and summary.options_given.nonzeros is None
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()
    assert pickle.loads(pickle.dumps(summary)) == summary


def test_learn_names_unknown_options(X):
    with pytest.raises(TypeError, match="alpha: is no option of learning; these are: n_components"):
        dualdict.learn(X, 4, alpha=1)
    with pytest.raises(ValueError, match="n_components: .* not allowed"):
        dualdict.learn(X)


@pytest.mark.parametrize("bad, message", [
    (np.zeros(16), "2D array"),
    (np.zeros((3, 15)), "15 features, but the model has 16"),
    (np.full((3, 16), np.nan), "NaN"),
    (np.zeros((3, 16), complex), "complex"),
])
def test_encode_refuses(fitted, bad, message):
    with pytest.raises(ValueError, match=message):
        dualdict.encode(fitted.model_, bad)


def test_encode_into_a_given_array(X, fitted):
    out = np.empty((600, 24), np.float32)
    assert dualdict.encode(fitted.model_, X, out=out) is out
    assert np.array_equal(out, fitted.transform(X))
    with pytest.raises(ValueError, match="codes: 599 x 24"):
        dualdict.encode(fitted.model_, X, out=out[:599])


def test_whole_numbers_are_samples_too(fitted):
    pixels = np.random.default_rng(0).integers(0, 3, (50, 16), dtype=np.uint8)
    assert np.array_equal(dualdict.encode(fitted.model_, pixels), dualdict.encode(fitted.model_, pixels.astype(float)))


def test_dual_of_a_scikit_learn_dictionary(X):
    K, d, alpha = 20, 16, 0.05
    sklearn = DictionaryLearning(K, alpha=alpha, max_iter=3, random_state=0).fit(X[:300])
    model, summary = dualdict.fit_dual(
        sklearn.components_, X, tau=alpha * K / d, eta=0, dtype="float64"
    )
    assert np.allclose(model.components, sklearn.components_, atol=1e-6)
    lasso = sparse_encode(X.astype(float), model.components, algorithm="lasso_cd", alpha=alpha, max_iter=10000)
    exact = dualdict.encode(model, X.astype(float), "exact", debias=False)
    assert np.linalg.norm(exact - lasso) < 0.02 * np.linalg.norm(lasso)
    errors = {row.mode: row.code_error for row in dualdict._learning.encoding_table_of(model)}
    assert errors["corrected"] < errors["sparse"] < errors["linear"]


def test_dual_of_a_spams_dictionary(X, fitted):
    spams = np.asfortranarray(fitted.components_.T)  # SPAMS has an atom a column
    model, _ = dualdict.fit_dual(spams.T, X, tau=0.1)
    assert np.array_equal(model.components, fitted.components_)


def test_tau_max_silences_every_code(X, fitted):
    model = fitted.model_
    largest = dualdict.tau_max(X, model.components, model.dual, eta=model.eta)
    assert largest == pytest.approx(fitted.summary_.tau_max, rel=1e-5)
    assert not dualdict.encode(model, X, "exact", tau=largest * 1.001).any()
    assert dualdict.encode(model, X, "exact", tau=largest * 0.98).any()
    with pytest.raises(ValueError, match="one shape"):
        dualdict.tau_max(X, model.components[:, :3])


def test_tau_max_weighs_coding_as_learning_does(X, fitted):
    D, C = fitted.components_.astype(np.float64), fitted.dual_.astype(np.float64)
    K, d = D.shape
    for weight, w in ({}, 0.03), ({"coding": 0.5}, 0.5), ({"eta": 2}, 2 * d / K), ({"eta": 0}, 0):
        expected = np.abs(X @ (D + w * C).T).max() * K / d
        assert dualdict.tau_max(X, D, C, **weight) == pytest.approx(expected, rel=1e-5), weight
    with pytest.raises(ValueError, match="coding 0.5 and eta 2 exclude each other"):
        dualdict.tau_max(X, D, C, coding=0.5, eta=2)
    with pytest.raises(ValueError, match="eta: -1 is not allowed"):
        dualdict.tau_max(X, D, C, eta=-1)


def test_records_are_dicts_with_attributes():
    record = dualdict.Record.of({"a": [{"b": 1}]})
    assert record.a[0].b == 1 and record == {"a": [{"b": 1}]}
    with pytest.raises(AttributeError, match="it has a"):
        _ = record.c


def test_the_table_of_modes_is_walked(X, tmp_path):
    """Every mode of the library's table: the command, Python, its graph or the refusal, and the docs."""
    models = {"l1": dualdict.learn(X, 24, tau=0.1)[0], "l0": dualdict.learn(X, 24, nonzeros=3, penalty="l0")[0]}
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    for name, row in MODES.items():
        mode = f"{name}:{row['usual_number']}" if row["number"] else name
        assert row["form"] in dualdict.encode.__doc__
        line = next(line for line in readme.splitlines() if line.startswith(f"| `{row['form']}`"))
        assert row["cost"] in line and row["help"] in line
        model = models["l0" if name in ("hard", "topk") else "l1"]
        codes = dualdict.encode(model, X, mode)
        assert np.isfinite(codes).all() and codes.any()
        assert ((codes == 0).any()) == row["sparse"]
        if row["no_graph"]:
            with pytest.raises(ValueError, match=f"mode {mode}"):
                dualdict.to_onnx(model, mode)
        else:
            assert dualdict.to_onnx(model, mode).graph.node
        if not row["takes_eta"]:
            with pytest.raises(ValueError, match="eta"):
                dualdict.encode(model, X, mode, eta=0.5)


def test_score_is_the_error_of_every_sample(X):
    model, _ = dualdict.learn(X, 24, tau=0.1, center_samples=True)
    for mode in ("linear", "sparse", "exact"):
        for debias in (False, True):
            codes = dualdict.encode(model, X, mode, debias=debias)
            rest = (X - X.mean(axis=1, keepdims=True)) - dualdict.decode(model, codes, mode, debias=debias)
            errors = dualdict.score(model, X, mode, debias=debias, absolute=True)
            assert np.allclose(errors, np.linalg.norm(rest, axis=1), rtol=1e-3, atol=1e-5)
            relative = dualdict.score(model, X, mode, debias=debias)
            assert np.allclose(relative * np.linalg.norm(X - X.mean(axis=1, keepdims=True), axis=1), errors, rtol=1e-3)


def test_files_are_coded_as_arrays(X, tmp_path):
    model, _ = dualdict.learn(X, 24, tau=0.1)
    np.save(tmp_path / "a.npy", X[:400])
    np.save(tmp_path / "b.npy", X[400:])
    dualdict.encode_files(model, [tmp_path / "a.npy", tmp_path / "b.npy"], tmp_path / "codes.npy", "corrected")
    assert np.array_equal(np.load(tmp_path / "codes.npy"), dualdict.encode(model, X, "corrected"))
    dualdict.encode_files(model, tmp_path / "a.npy", tmp_path / "codes.npz", "exact", nonzeros=3, compressed=True)
    found = scipy.sparse.load_npz(tmp_path / "codes.npz").toarray()
    assert np.array_equal(found, dualdict.encode(model, X[:400], "exact", nonzeros=3))
    bad = X[:300].copy()
    bad[290, 3] = np.nan
    np.save(tmp_path / "bad.npy", bad)
    with pytest.raises(ValueError, match="row 290, column 3"):
        dualdict.encode_files(model, tmp_path / "bad.npy", tmp_path / "codes.npy")
    assert np.load(tmp_path / "codes.npy").shape == (600, 24)


def test_penalty_l0(X):
    unseen = X[400:]
    model, summary = dualdict.learn(X[:400], 24, nonzeros=3, penalty="l0")
    assert model.penalty == "l0" and model.default_mode == "greedy"
    assert summary.energy.l0 > 0 and summary.energy.l1 == 0
    errors = {}
    for mode in (None, "hard", "greedy", "omp:3"):
        codes = dualdict.encode(model, unseen, mode)
        assert (codes != 0).sum(axis=1).mean() == pytest.approx(3, rel=0.15)
        rest = unseen - dualdict.decode(model, codes, mode)
        assert np.allclose(np.linalg.norm(rest, axis=1), dualdict.score(model, unseen, mode, absolute=True), atol=1e-4)
        errors[mode] = np.linalg.norm(rest)
    assert errors[None] == errors["greedy"] < errors["hard"]
    z = (unseen - model.offset) @ model.dual.T + model.fitted_encoder("hard")["bias"]
    hard = dualdict.encode(model, unseen, "hard")
    assert np.allclose(hard, np.where(hard != 0, z, 0), atol=1e-5)
    assert np.abs(z[hard == 0]).max() <= np.abs(z[hard != 0]).min() + 1e-5
    assert (dualdict.encode(model, unseen, nonzeros=5) != 0).sum(axis=1).mean() == pytest.approx(5, rel=0.15)
    checked = dualdict.verify(model, X[:400])
    assert checked.energy.l0 == pytest.approx(summary.energy.l0, rel=1e-2)
    assert checked.energy.reconstruction == pytest.approx(summary.energy.reconstruction, rel=1e-2)
    with pytest.raises(ValueError, match="give tau or nonzeros"):
        dualdict.encode(model, unseen, "exact")
    with pytest.raises(ValueError, match="nonzeros"):
        dualdict.learn(X, 24, penalty="l0")


def test_matching_pursuit_is_that_of_scikit_learn(X):
    model, _ = dualdict.learn(X, 24, tau=0.1, dtype="float64")
    samples, atoms = X.astype(np.float64), model.components
    norms = np.linalg.norm(atoms, axis=1)
    for nonzeros in (1, 3, 10):
        theirs = orthogonal_mp((atoms / norms[:, None]).T, samples.T, n_nonzero_coefs=nonzeros).T / norms
        assert np.abs(dualdict.encode(model, samples, f"omp:{nonzeros}") - theirs).max() < 1e-8


def test_codes_may_be_put_where_the_samples_are():
    """Every code is that of the samples as they were before the first one was written."""
    X = planted(3000, 16, 16, seed=12).astype(np.float32)
    model, _ = dualdict.learn(X, 16, tau=0.1, max_iter=3)
    wanted = dualdict.encode(model, X, "linear")
    for shift in (0, 1, 700):
        memory = np.concatenate([X, np.zeros((shift, 16), np.float32)])
        assert dualdict.encode(model, memory[:3000], "linear", out=memory[shift:]) is not None
        np.testing.assert_array_equal(memory[shift:], wanted)


def test_a_checkpoint_may_be_named_by_bytes(tmp_path):
    X = planted(300, 8, 8, seed=13)
    name = os.fsencode(tmp_path / "x")
    dualdict.learn(X, 8, tau=0.1, max_iter=2, checkpoint=name)
    assert os.path.exists(name)


def test_nothing_is_said_of_leaks_at_the_end():
    """What the interpreter never gets to destroy, because a cycle with a frame holds it."""
    code = (
        "import numpy as np, dualdict, sys\n"
        "model, _ = dualdict.learn(np.random.default_rng(0).standard_normal((50, 4)), 4, tau=.1, max_iter=1)\n"
        "class Keep: pass\n"
        "sys.modules['keep'] = keep = Keep(); keep.model = model; import ctypes\n"
        "ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))\n"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert finished.returncode == 0 and finished.stderr == ""
