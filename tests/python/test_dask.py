# SPDX-License-Identifier: BSD-3-Clause
"""The estimator on collections of Dask, in this process; tests/scale/dask_fit.py has the clusters."""

import inspect
import pickle

import numpy as np
import pytest

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install 'dualdict[dask]'")

from sklearn.base import clone  # noqa: E402

import dualdict  # noqa: E402
from dualdict.dask import DualDictionaryLearning  # noqa: E402

rng = np.random.default_rng(0)
CODES = rng.standard_normal((1500, 15)) * (rng.random((1500, 15)) < 0.15)
X = (CODES @ rng.standard_normal((15, 10)) + 0.01 * rng.standard_normal((1500, 10))).astype(np.float32)
A = da.from_array(X, chunks=(300, 10))


def learner(**options):
    return DualDictionaryLearning(**{"n_components": 15, "tau": 0.2, "max_iter": 60, **options})


def test_as_in_memory():
    options = {"accurate_steps": True, "tol": 1e-5, "eta": 0.5}
    there = learner(**options).fit(A)
    here = dualdict.DualDictionaryLearning(15, tau=0.2, max_iter=60, **options).fit(X)
    assert abs(there.summary_.energy.total / here.summary_.energy.total - 1) < 1e-6
    assert there.n_iter_ == len(there.summary_.iterations)


def test_lazy_codes_are_those_of_memory():
    fitted = learner(dict_init=X[:15]).fit(A)
    codes = fitted.transform(A)
    assert isinstance(codes, da.Array) and codes.shape == (1500, 15) and codes.dtype == np.float32
    assert (codes.compute() == fitted.transform(X)).all()
    assert np.allclose(fitted.inverse_transform(codes).compute(), fitted.inverse_transform(fitted.transform(X)))
    assert fitted.score(A) == pytest.approx(fitted.score(X), abs=1e-9)


def test_split_features_and_the_columns_of_a_frame():
    frames = pytest.importorskip("dask.dataframe", reason="dask.dataframe is not installed")
    pandas = pytest.importorskip("pandas")
    names = [f"f{i}" for i in range(10)]
    frame = frames.from_pandas(pandas.DataFrame(X, columns=names), npartitions=5)
    fitted = learner().fit(frame)
    assert list(fitted.feature_names_in_) == names
    assert fitted.transform(frame).compute().shape == (1500, 15)
    split = learner().fit(da.from_array(X, chunks=(300, 5)))
    assert (split.components_ == learner().fit(A).components_).all()


def test_callback_stops_and_its_exception_keeps_the_work():
    stopped = learner(callback=lambda record: record.iteration == 2).fit(A)
    assert stopped.summary_.outcome == "STOPPED" and stopped.n_iter_ == 2

    def interrupt(record):
        raise KeyboardInterrupt

    for error in (KeyboardInterrupt, ZeroDivisionError):
        fitted = learner(callback=interrupt if error is KeyboardInterrupt else lambda record: 1 / 0)
        with pytest.raises(error):
            fitted.fit(A)
        assert fitted.summary_.outcome == "INTERRUPTED"
        assert fitted.transform(X).shape == (1500, 15)


def test_checkpoint_goes_on_with_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr("dualdict.dask._CHAIN", 3)
    path = tmp_path / "run.checkpoint"
    options = {"tol": 1e-7, "max_iter": 12, "accurate_steps": True}
    with pytest.warns(Warning, match="not converged"):
        whole = learner(**options).fit(A)
    with pytest.raises(KeyboardInterrupt):
        learner(checkpoint=path, callback=killed_at(8), **options).fit(A)
    assert path.exists()
    with pytest.warns(Warning, match="not converged"):
        again = learner(checkpoint=path, **options).fit(A)
    assert (again.components_ == whole.components_).all() and again.n_iter_ == 12
    with pytest.raises(ValueError, match="other parameters"):
        learner(checkpoint=path, **{**options, "tol": 1e-3}).fit(A)


def killed_at(iteration):
    def callback(record):
        if record.iteration == iteration:
            raise KeyboardInterrupt

    return callback


def test_time_limit_and_bad_samples():
    with pytest.warns(Warning, match="not converged"):
        assert learner(time_limit=1e-6).fit(A).summary_.outcome == "TIME_LIMIT"
    bad = X.copy()
    bad[700, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner().fit(da.from_array(bad, chunks=(300, 10)))


def test_partial_fit_goes_through_the_partitions():
    fitted = learner().partial_fit(A)
    blocks = dualdict.DualDictionaryLearning(15, tau=0.2).partial_fit(X)
    assert (fitted.components_ == blocks.components_).all()


def test_an_estimator_as_others():
    given = learner(encode="exact", client=None)
    assert set(given.get_params()) == set(dualdict.DualDictionaryLearning().get_params()) | {"client"}
    assert clone(given).get_params()["encode"] == "exact"
    assert "n_components" in inspect.signature(DualDictionaryLearning).parameters
    fitted = given.fit(A)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.transform(A).compute() == fitted.transform(A).compute()).all()
