# SPDX-License-Identifier: BSD-3-Clause
"""The estimator does what users of scikit-learn's DictionaryLearning expect of one."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from dualdict import DualDictionaryLearning
from dualdict._options import TABLE

MODES = ["linear", "sparse", "corrected", "refine:2", "exact"]
QUICK = {"tau": 0.1, "max_iter": 2, "tol": 1}  # for what does not depend on how good the dictionary is


def changed(fitted, **parameters):
    """A copy of a fitted learner that encodes in another way."""
    return copy.deepcopy(fitted).set_params(**parameters)


def test_parameters_are_those_of_the_option_table():
    signature = inspect.signature(DualDictionaryLearning).parameters
    for name, row in TABLE.items():
        default = None if row["required"] or name == "n_jobs" else row["default"]
        assert signature[name].default == default, name
        assert f"{name} : {row['rule']}" in DualDictionaryLearning.__doc__


def test_shapes_and_attributes(X, fitted):
    assert fitted.components_.shape == fitted.dual_.shape == (24, 16)
    assert fitted.n_features_in_ == 16
    assert fitted.n_iter_ == len(fitted.summary_.iterations) >= 1
    assert fitted.summary_.outcome == "CONVERGED"
    assert {row.mode for row in fitted.encoding_table_} >= {"linear", "sparse", "corrected", "exact"}
    assert np.all(np.linalg.norm(fitted.components_, axis=1) <= 1 + 1e-6)
    assert np.all(np.linalg.norm(fitted.dual_, axis=1) <= 1 + 1e-6)
    assert list(fitted.get_feature_names_out()) == [f"dualdictionarylearning{i}" for i in range(24)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", MODES)
def test_dtype_is_preserved(X, fitted, mode, dtype):
    learner = DualDictionaryLearning(24, encode=mode, **QUICK)
    codes = learner.fit_transform(X.astype(dtype))
    assert codes.dtype == dtype
    assert learner.inverse_transform(codes).dtype == dtype
    assert learner.components_.dtype == learner.dual_.dtype == np.float32


def test_the_model_has_the_precision_asked_for(X):
    learner = DualDictionaryLearning(8, dtype=np.float64, **QUICK).fit(X)
    assert learner.components_.dtype == np.float64


@pytest.mark.parametrize("mode", MODES)
def test_fit_transform_is_fit_and_transform(X, mode):
    learner = DualDictionaryLearning(24, encode=mode, **QUICK)
    assert np.array_equal(learner.fit_transform(X), clone(learner).fit(X).transform(X))


@pytest.mark.parametrize("mode", MODES)
def test_a_code_does_not_depend_on_its_batch(X, fitted, mode):
    learner = changed(fitted, encode=mode, n_jobs=2)
    codes = learner.transform(X)
    assert np.array_equal(codes[:5], np.vstack([learner.transform(X[i : i + 1]) for i in range(5)]))
    assert np.array_equal(codes[300:], learner.set_params(n_jobs=1).transform(X[300:]))


def test_memory_order_makes_no_difference(X, fitted):
    codes = fitted.transform(X)
    quick = DualDictionaryLearning(24, **QUICK).fit(X)
    padded = np.zeros((600, 40), np.float32)
    padded[:, 3:19] = X
    for other in (np.asfortranarray(X), padded[:, 3:19], X[::-1][::-1], np.repeat(X, 2, axis=0)[::2]):
        assert np.array_equal(fitted.transform(other), codes)
        assert np.array_equal(clone(quick).fit(other).components_, quick.components_)
    starts = [fitted.components_, np.asfortranarray(fitted.components_)]
    learned = [DualDictionaryLearning(dict_init=start, **QUICK).fit(X).components_ for start in starts]
    assert np.array_equal(*learned)


def test_read_only_and_memory_mapped_arrays(X, fitted, tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert not X.flags.writeable
    assert np.array_equal(fitted.transform(mapped), fitted.transform(X))
    assert np.array_equal(clone(fitted).fit(mapped).components_, fitted.components_)


def test_an_array_in_c_order_is_not_copied(X, fitted, monkeypatch):
    import dualdict._estimator as module

    seen = []

    class Spy:
        def encode(self, samples, codes):
            seen.append(samples)
            codes[:] = 0

    monkeypatch.setattr(module.DualDictionaryLearning, "_encoder", lambda self, sample: Spy())
    for samples in (X, X.astype(np.float64)):
        fitted.transform(samples)
        assert np.shares_memory(seen.pop(), samples)


@pytest.mark.parametrize("solver", ["fast", "fista"])
@pytest.mark.parametrize("positive_code", [False, True])
@pytest.mark.parametrize("positive_dict", [False, True])
def test_positivity(X, solver, positive_code, positive_dict):
    learner = DualDictionaryLearning(
        12, tau=0.1, solver=solver, positive_code=positive_code, positive_dict=positive_dict, max_iter=10, tol=1e-2
    ).fit(X)
    assert (learner.components_ >= 0).all() == positive_dict
    for mode in MODES[1:]:
        assert (learner.set_params(encode=mode).transform(X) >= 0).all() == positive_code


def test_reconstruction(X):
    learner = DualDictionaryLearning(24, tau=0.01, dtype="float64").fit(X)
    for mode in ("sparse", "corrected", "exact"):
        learner.set_params(encode=mode)
        restored = learner.inverse_transform(learner.transform(X))
        error = np.linalg.norm(X - restored) / np.linalg.norm(X)
        assert error < 0.15, mode
        assert learner.score(X) == pytest.approx(1 - error**2, abs=1e-4)


def test_linear_is_the_product_with_the_dual(X, fitted):
    learner = changed(fitted, encode="linear")
    assert np.allclose(learner.transform(X), X @ learner.dual_.T, atol=1e-5)


@pytest.mark.parametrize("weight", [{}, {"coding": 0.5}, {"eta": 1.0}, {"eta": 0.0}, {"encode_eta": 0.3}])
def test_exact_codes_are_optimal(X, weight):
    """For the eta that is given for them or for learning, otherwise for that of the model."""
    learner = DualDictionaryLearning(24, tau=0.1, dtype="float64", encode="exact", debias=False, **weight).fit(X)
    D, C, x = learner.components_, learner.dual_, X.astype(np.float64)
    eta = weight.get("encode_eta", weight.get("eta", learner.model_.eta))
    u = learner.transform(x)
    d, K = 16, 24
    gradient = (u @ D - x) @ D.T / d + eta * (u - x @ C.T) / K
    slope = 0.1 / K
    assert np.all(np.abs(gradient) <= slope * 1.01)
    active = u != 0
    assert np.abs(gradient[active] + slope * np.sign(u[active])).max() < slope * 0.01


def test_start_is_honoured(X, fitted):
    again = DualDictionaryLearning(
        tau=0.1, dict_init=fitted.components_, dual_init=fitted.dual_, max_iter=1, tol=1
    ).fit(X)
    assert again.components_.shape == (24, 16)
    assert again.summary_.energy.total <= fitted.summary_.energy.total * (1 + 1e-4)


def test_kept_dictionary_stays(X, fitted):
    kept = DualDictionaryLearning(tau=0.1, dict_init=fitted.components_, keep_dict=True).fit(X)
    assert np.array_equal(kept.components_, fitted.components_)


def test_random_state(X):
    def learn(state):
        return DualDictionaryLearning(8, tau=0.1, random_state=state, max_iter=3, tol=1).fit(X).components_

    assert np.array_equal(learn(3), learn(3))
    assert not np.array_equal(learn(3), learn(4))
    assert np.array_equal(learn(np.random.RandomState(0)), learn(np.random.RandomState(0)))
    np.random.seed(0)
    first = learn(None)
    assert not np.array_equal(first, learn(None))


def test_another_sparsity_for_codes(X, fitted):
    def nonzeros(**parameters):
        return (changed(fitted, **parameters).transform(X) != 0).sum(axis=1).mean()

    exact = DualDictionaryLearning(24, encode="exact", encode_nonzeros=3, **QUICK).fit(X)
    assert (exact.transform(X) != 0).sum(axis=1).mean() == pytest.approx(3, rel=0.02)
    assert nonzeros(encode="exact", encode_nonzeros=4) == pytest.approx(4, rel=0.02)  # after the fit, on these samples
    assert nonzeros(encode="sparse", encode_nonzeros=3) == pytest.approx(3, rel=0.2)
    assert nonzeros(encode="exact", encode_tau=0.4) < nonzeros(encode="exact")


def test_debiased_codes_decode_with_the_dictionary(X, fitted):
    plain = clone(fitted).set_params(encode="exact", tau=0.3, debias=False).fit(X)
    debiased = changed(plain, debias=True)
    assert debiased.score(X) > plain.score(X)


def test_preprocessing_is_part_of_the_model(X):
    shifted = X * 7 + 3
    learner = DualDictionaryLearning(24, tau=0.02, scale=7, center_features=True, encode="exact").fit(shifted)
    restored = learner.inverse_transform(learner.transform(shifted))
    assert np.linalg.norm(shifted - restored) < 0.2 * np.linalg.norm(shifted - shifted.mean(axis=0))
    unit = DualDictionaryLearning(24, tau=0.02, scale="unit", center_samples=True).fit(X)
    assert np.allclose(unit.transform(X), unit.transform(5 * X + 1), atol=1e-5)
    assert 0.5 < unit.score(X) <= 1


def test_set_output(X, fitted):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"pixel{i}" for i in range(16)])
    learner = DualDictionaryLearning(24, tau=0.1).set_output(transform="pandas").fit(frame)
    codes = learner.transform(frame)
    assert list(codes.columns) == list(learner.get_feature_names_out())
    assert np.array_equal(codes.to_numpy(), fitted.transform(X))
    assert list(learner.feature_names_in_) == list(frame.columns)
    with pytest.warns(UserWarning, match="feature names"):
        learner.transform(X)


@pytest.mark.parametrize("mode", MODES)
def test_pickle(X, fitted, mode):
    learner = changed(fitted, encode=mode)
    codes = learner.transform(X)  # with an encoder made ready
    again = pickle.loads(pickle.dumps(learner))
    assert np.array_equal(again.transform(X), codes)
    assert again.summary_ == learner.summary_
    assert again.get_params()["encode"] == mode


def test_grid_search_in_a_pipeline(X):
    y = (X[:, 0] > 0).astype(int)
    pipeline = make_pipeline(DualDictionaryLearning(12, max_iter=5, tol=1e-2), LogisticRegression())
    search = GridSearchCV(
        pipeline, {"dualdictionarylearning__tau": [0.05, 0.2], "dualdictionarylearning__encode": ["sparse", "linear"]},
        cv=2,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(X, y)
    assert search.best_score_ > 0.7
    alone = GridSearchCV(DualDictionaryLearning(12, max_iter=20), {"tau": [0.01, 2.0]}, cv=2).fit(X)
    assert alone.best_params_ == {"tau": 0.01}


class TestErrors:
    def test_not_fitted(self, X):
        for method in ("transform", "inverse_transform", "score"):
            with pytest.raises(NotFittedError, match="not fitted"):
                getattr(DualDictionaryLearning(4), method)(X)
        with pytest.raises(NotFittedError):
            DualDictionaryLearning(4).save("nowhere")

    def test_wrong_number_of_features(self, X, fitted):
        with pytest.raises(ValueError, match="X has 15 features, but DualDictionaryLearning is expecting 16"):
            fitted.transform(X[:, :15])
        with pytest.raises(ValueError, match="23 numbers a code, but the model has 24 atoms"):
            fitted.inverse_transform(np.zeros((2, 23)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_nan_and_infinity(self, X, fitted, bad):
        broken = X.copy()
        broken[17, 3] = bad
        with pytest.raises(ValueError, match="NaN|infinity"):
            clone(fitted).fit(broken)
        with pytest.raises(ValueError, match="17.*3|NaN|infinity"):
            fitted.transform(broken)

    def test_one_dimension(self, X, fitted):
        with pytest.raises(ValueError, match="Reshape your data|reshape"):
            fitted.transform(X[0])

    @pytest.mark.parametrize("parameters, message", [
        ({"tau": -1}, r"tau: -1 is not allowed: a number >= 0"),
        ({"tau": "much"}, r"tau: much is not allowed"),
        ({"tau": np.nan}, r"tau: nan is not allowed"),
        ({"n_components": 0}, r"n_components: 0 is not allowed: a whole number >= 1"),
        ({"n_components": 2.5}, r"n_components: 2.5 is not allowed"),
        ({"tol": 2}, r"tol: 2 is not allowed"),
        ({"max_iter": 0}, r"max_iter: 0 is not allowed"),
        ({"solver": "lars"}, r"solver: lars is not allowed: one of fast, fista"),
        ({"dtype": "int8"}, r"dtype: int8 is not allowed: one of float32, float64"),
        ({"tau": 1, "nonzeros": 2}, r"tau 1 and nonzeros 2 exclude each other"),
        ({"nonzeros": 40}, r"nonzeros: 40 is not allowed: a number > 0 and below n_components, which is 24"),
        ({"random_state": "x"}, r"random_state: 'x' is not allowed"),
        ({"n_jobs": 1.5}, r"n_jobs: 1.5 is not allowed"),
        ({"scale": 0}, r"scale: 0 is not allowed"),
        ({"scale": "zero"}, r"scale: 'zero' is not allowed"),
        ({"dict_init": np.ones((24, 15))}, r"15 features, the samples .* 16"),
        ({"keep_dict": True}, r"keep_dict: needs a dictionary to keep: give it with dict_init"),
        ({"dict_init": np.ones((24, 16)), "keep_dict": True}, r"norm 4; with keep_dict it must be at most 1"),
    ])
    def test_parameters(self, X, parameters, message):
        with pytest.raises(ValueError, match=message):
            DualDictionaryLearning(**{"n_components": 24, **parameters}).fit(X)

    def test_modes(self, X, fitted):
        for mode, message in (("best", "best"), ("refine:0", "refine:3"), ("refine", "refine")):
            with pytest.raises(ValueError, match=message):
                clone(fitted).set_params(encode=mode).fit(X)
        with pytest.raises(ValueError, match="dense"):
            changed(fitted, encode="linear", encode_tau=1.0).transform(X)

    def test_unknown_parameters(self, X):
        with pytest.raises(TypeError, match="alpha"):
            DualDictionaryLearning(4, alpha=1)
        with pytest.raises(TypeError):
            DualDictionaryLearning(4).fit(X, None, 3)

    def test_memory(self):
        with pytest.raises(MemoryError, match="max_memory"):
            DualDictionaryLearning(64, tau=0.1, max_memory=1).fit(np.ones((20000, 64), np.float32))

    def test_warnings(self, X):
        with pytest.warns(ConvergenceWarning, match="raise max_iter"):
            DualDictionaryLearning(4, tau=0.1, max_iter=1, tol=1e-9).fit(X)
        with pytest.warns(UserWarning, match="all codes are zero.*lower tau"):
            DualDictionaryLearning(4, tau=1e6).fit(X)
