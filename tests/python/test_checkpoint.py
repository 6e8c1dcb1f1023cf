# SPDX-License-Identifier: BSD-3-Clause
"""A fit that was cut short goes on from its checkpoint and ends with the same bits."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import dualdict
from dualdict import DualDictionaryLearning


def test_goes_on_with_the_same_bits(X, fitted, tmp_path):
    path = tmp_path / "run.checkpoint"
    with pytest.warns(ConvergenceWarning):
        DualDictionaryLearning(24, tau=0.1, max_iter=5, checkpoint=path).fit(X)
    assert path.exists()
    learner = DualDictionaryLearning(24, tau=0.1, checkpoint=str(path)).fit(X)
    assert np.array_equal(learner.components_, fitted.components_)
    assert np.array_equal(learner.dual_, fitted.dual_)
    assert learner.n_iter_ == fitted.n_iter_
    model, _ = dualdict.learn(X, 24, tau=0.1, checkpoint=tmp_path / "other.checkpoint")
    assert np.array_equal(model.components, fitted.components_)


def test_after_an_exception(X, fitted, tmp_path):
    path = tmp_path / "run.checkpoint"

    def fail(record):
        if record.iteration == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DualDictionaryLearning(24, tau=0.1, checkpoint=path, callback=fail).fit(X)
    assert path.exists()
    learner = DualDictionaryLearning(24, tau=0.1, checkpoint=path).fit(X)
    assert np.array_equal(learner.components_, fitted.components_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_refuses_that_of_another_fit(X, tmp_path):
    path = tmp_path / "run.checkpoint"
    DualDictionaryLearning(24, tau=0.1, checkpoint=path, max_iter=2).fit(X)
    with pytest.raises(ValueError, match="run.checkpoint"):
        DualDictionaryLearning(24, tau=0.2, checkpoint=path).fit(X)
    with pytest.raises(ValueError, match="run.checkpoint"):
        DualDictionaryLearning(24, tau=0.1, checkpoint=path).fit(X[::-1])
