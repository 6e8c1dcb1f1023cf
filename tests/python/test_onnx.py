# SPDX-License-Identifier: BSD-3-Clause
"""The exported graph, run by onnxruntime, gives the codes of transform."""

import numpy as np
import onnxruntime
import pytest
from conftest import planted

import dualdict
from dualdict import DualDictionaryLearning


def run(graph, X):
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    (codes,) = session.run(None, {"X": X})
    return codes


SETTINGS = {
    "plain": {},
    "float64": {"dtype": "float64"},
    "positive": {"positive_code": True},
    "preprocessed": {"scale": 3.0, "center_features": True, "center_samples": True},
    "unit norm": {"scale": "unit"},
    "with mu, without eta": {"eta": 0.0, "mu": 0.5},
}


@pytest.fixture(scope="module", params=SETTINGS, ids=SETTINGS.keys())
def learner(request, X):
    return DualDictionaryLearning(24, tau=0.1, debias=False, **SETTINGS[request.param]).fit(X)


@pytest.mark.parametrize("mode", ["linear", "sparse", "corrected", "refine:1", "refine:5"])
def test_equals_transform(X, learner, mode):
    samples = np.vstack([X, np.zeros((1, 16))]).astype(learner.components_.dtype)
    codes = learner.set_params(encode=mode).transform(samples)
    found = run(learner.to_onnx(), samples)
    assert found.dtype == codes.dtype and found.shape == codes.shape
    assert np.abs(found - codes).max() <= 1e-5
    assert np.array_equal(run(learner.to_onnx(mode), samples[:1]).shape, (1, 24))


@pytest.mark.parametrize("mode", ["sparse", "corrected", "refine:3"])
def test_another_sparsity(X, fitted, mode):
    for other in ({"encode_tau": 0.4}, {"encode_nonzeros": 4}, {"encode_tau": 0.4, "encode_eta": 0.2}):
        if "encode_eta" in other and mode != "refine:3":
            continue
        learner = DualDictionaryLearning(24, tau=0.1, encode=mode, debias=False, **other).fit(X)
        assert np.abs(run(learner.to_onnx(), X) - learner.transform(X)).max() <= 1e-5


@pytest.mark.parametrize("positive", [False, True])
def test_hard_codes(X, positive):
    learner = DualDictionaryLearning(
        24, penalty="l0", nonzeros=3, encode="hard", positive_code=positive, scale=2.0, center_samples=True
    ).fit(X)
    for nonzeros in (None, 5):
        learner.set_params(encode_nonzeros=nonzeros)
        found, codes = run(learner.to_onnx(), X), learner.transform(X)
        # A number at the threshold may fall on either side of it.
        assert ((found != 0) != (codes != 0)).mean() < 1e-3
        both = (found != 0) & (codes != 0)
        assert both.any() and np.abs((found - codes)[both]).max() <= 1e-5
    with pytest.raises(ValueError, match="mode greedy.*hard"):
        learner.to_onnx("greedy")


def test_many_atoms():
    """Above 400 atoms the step of refine:k is a bound, not an eigenvalue: the graph has the same one."""
    X = planted(600, 20, 30, seed=3).astype(np.float32)
    learner = DualDictionaryLearning(450, tau=0.5, max_iter=2, tol=1, encode="refine:4", dtype="float64", debias=False).fit(X)
    X = X.astype(np.float64)
    assert np.abs(run(learner.to_onnx(), X) - learner.transform(X)).max() <= 1e-10


def test_refuses_what_is_no_graph(X, fitted):
    with pytest.raises(ValueError, match="mode exact.*refine"):
        dualdict.to_onnx(fitted.model_, "exact")
    with pytest.raises(ValueError, match="debias"):
        DualDictionaryLearning(24, tau=0.1, debias=True).fit(X).to_onnx()
    with pytest.raises(ValueError, match="best"):
        dualdict.to_onnx(fitted.model_, "best")
    with pytest.raises(ValueError, match="a tau"):
        dualdict.to_onnx(fitted.model_, "linear", tau=1.0)
    with pytest.raises(ValueError, match="eta"):
        dualdict.to_onnx(fitted.model_, "sparse", eta=1.0)
