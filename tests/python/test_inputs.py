# SPDX-License-Identifier: BSD-3-Clause
"""Samples as others have them: sparse matrices, float16, DLPack, files."""

import json

import numpy as np
import pytest
import scipy.sparse
from test_command import run

import dualdict


@pytest.fixture(scope="module")
def sparse():
    return scipy.sparse.random(9000, 12, density=0.3, format="csr", dtype=np.float32, random_state=np.random.default_rng(2))


@pytest.fixture(scope="module")
def model(sparse):
    return dualdict.learn(sparse, 16, tau=0.05, max_iter=5)[0]


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_have_the_codes_of_dense_ones(model, sparse, form, dtype):
    X = getattr(scipy.sparse, form)(sparse.astype(dtype))
    for mode, options in [("sparse", {}), ("exact", {"nonzeros": 3})]:
        codes = dualdict.encode(model, X, mode, **options)
        assert codes.dtype == dtype
        assert np.array_equal(codes, dualdict.encode(model, X.toarray(), mode, **options))
    assert np.array_equal(dualdict.score(model, X), dualdict.score(model, X.toarray()))


def test_learning_from_sparse_rows_is_learning_from_dense_ones(model, sparse):
    dense, _ = dualdict.learn(sparse.toarray(), 16, tau=0.05, max_iter=5)
    assert np.array_equal(model.components, dense.components)


def test_a_nan_in_sparse_rows_is_named(model, sparse):
    bad = sparse.copy()
    bad.data[7] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        dualdict.encode(model, bad)


def test_float16_becomes_float32(model, sparse):
    half = sparse.toarray()[:100].astype(np.float16)
    codes = dualdict.encode(model, half)
    assert codes.dtype == np.float32
    assert np.array_equal(codes, dualdict.encode(model, half.astype(np.float32)))


class OnlyDLPack:
    """A tensor of another library, which NumPy cannot take by any other way."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(model, sparse):
    X = sparse.toarray()[:50]
    assert np.array_equal(dualdict.encode(model, OnlyDLPack(X)), dualdict.encode(model, X))


def test_learning_from_files(tmp_path, sparse):
    X = sparse.toarray()[:1000]
    np.save(tmp_path / "a.npy", X[:600])
    np.save(tmp_path / "b.npy", X[600:])
    ours, _ = dualdict.learn([tmp_path / "a.npy", tmp_path / "b.npy"], 10, tau=0.05, max_iter=5)
    theirs, _ = dualdict.learn(X, 10, tau=0.05, max_iter=5)
    assert np.array_equal(ours.components, theirs.components) and np.array_equal(ours.dual, theirs.dual)
    with pytest.raises(ValueError, match="nothing.npy"):
        dualdict.learn(tmp_path / "nothing.npy", 10)
    with pytest.raises(ValueError, match="patches"):
        dualdict.learn(X, 10, patches=(4, 4))


def test_learning_from_patches(tmp_path):
    dualdict.write_png(tmp_path / "leaves.png", dualdict.generate_images(1, 64)[0])
    model, summary = dualdict.learn(tmp_path, 8, patches=(4, 5), n_patches=500, scale=125, tau=0.1, max_iter=3)
    assert model.n_features == 20 and summary.data.n_samples == 500


def test_a_model_says_what_it_is(model):
    assert repr(model) == "Model(16 atoms of 12 features, float32, encoders fitted: sparse, corrected, greedy)"


def test_score_as_json_has_the_numbers_of_the_lines(model, sparse, tmp_path):
    model.save(tmp_path / "m.safetensors")
    np.save(tmp_path / "x.npy", sparse.toarray()[:300])
    arguments = ("score", tmp_path / "m.safetensors", tmp_path / "x.npy")
    document = json.loads(run(*arguments, "--json"))
    lines = [float(line) for line in run(*arguments).split()]
    assert document["errors"] == lines and document["n_samples"] == 300
    assert document["mean"] == pytest.approx(np.mean(lines)) and document["worst"] == max(lines)
    assert document["mode"] == "sparse" and document["relative"] is True


def test_patches_of_an_image_in_their_places(tmp_path):
    image = dualdict.generate_images(1, 32)[0]
    dualdict.write_png(tmp_path / "leaves.png", image)
    model, _ = dualdict.learn(tmp_path, 8, patches=(4, 5), stride=3, scale=125, tau=0.1, max_iter=3)
    dualdict.encode_files(model, tmp_path / "leaves.png", tmp_path / "map.npy", patches=(4, 5), stride=1)
    windows = np.lib.stride_tricks.sliding_window_view(np.round(image), (4, 5)).reshape(-1, 20)
    codes = dualdict.encode(model, np.ascontiguousarray(windows, dtype=np.float32))
    assert np.array_equal(np.load(tmp_path / "map.npy"), codes)
    with pytest.raises(ValueError, match="stride"):
        dualdict.encode_files(model, tmp_path / "leaves.png", tmp_path / "map.npy", patches=(4, 5), stride=0)
    with pytest.raises(ValueError, match="patches"):
        dualdict.learn(tmp_path, 8, stride=1)
