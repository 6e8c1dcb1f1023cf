# SPDX-License-Identifier: BSD-3-Clause
"""Codes as compressed rows, and in half precision."""

import numpy as np
import pytest
import scipy.sparse

import dualdict


@pytest.fixture(scope="module")
def fitted():
    X = np.random.default_rng(0).standard_normal((5000, 8)).astype(np.float32)
    return dualdict.DualDictionaryLearning(12, tau=0.5, random_state=0).fit(X), X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compressed_codes_are_the_dense_ones(fitted, dtype):
    estimator, X = fitted
    X = X.astype(dtype)
    for dense, compressed in [
        (estimator.transform(X), estimator.transform(X, output="csr")),
        (dualdict.encode(estimator.model_, X), dualdict.encode(estimator.model_, X, output="csr")),
        (dualdict.encode(estimator.model_, X), dualdict.encode(estimator.model_, scipy.sparse.csr_matrix(X), output="csr")),
    ]:
        assert scipy.sparse.isspmatrix_csr(compressed) and compressed.dtype == dtype
        assert compressed.nnz == np.count_nonzero(dense)
        np.testing.assert_array_equal(compressed.toarray(), dense)


def test_another_output_is_refused(fitted):
    estimator, X = fitted
    with pytest.raises(ValueError, match="'coo'"):
        estimator.transform(X, output="coo")
    with pytest.raises(ValueError, match="out: is for dense"):
        dualdict.encode(estimator.model_, X, output="csr", out=np.empty((len(X), 12), np.float32))


def test_files_in_half_precision(fitted, tmp_path):
    estimator, X = fitted
    np.save(tmp_path / "x.npy", X.astype(np.float16))
    dualdict.encode_files(estimator.model_, tmp_path / "x.npy", tmp_path / "codes.npz", compressed=True, half=True)
    codes = scipy.sparse.load_npz(tmp_path / "codes.npz")
    expected = dualdict.encode(estimator.model_, X.astype(np.float16)).astype(np.float16)
    assert codes.dtype == np.float16
    np.testing.assert_array_equal(codes.astype(np.float32).toarray(), expected.astype(np.float32))
