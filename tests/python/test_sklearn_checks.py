# SPDX-License-Identifier: BSD-3-Clause
"""Every check that scikit-learn has for estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dualdict import DualDictionaryLearning


@parametrize_with_checks([
    DualDictionaryLearning(),
    DualDictionaryLearning(encode="exact", dtype="float64", center_samples=True),
    DualDictionaryLearning(n_components=5, tau=0.1, encode="corrected", positive_code=True, scale="unit"),
])
def test_scikit_learn_check(estimator, check):
    check(estimator)
