# SPDX-License-Identifier: BSD-3-Clause
"""Learning block after block."""

import pickle

import numpy as np
import pytest
from conftest import planted
from sklearn.base import clone

import dualdict
from dualdict import DualDictionaryLearning


@pytest.fixture(scope="module")
def many():
    return planted(6000, 16, 24, seed=2).astype(np.float32)


def energy(learner, X):
    """E per sample of the exact codes under the learner's dictionary and dual."""
    return dualdict.verify(learner.model_, X).energy.total / len(X)


def feed(learner, X, sizes, passes=3):
    for _ in range(passes):
        first = 0
        while first < len(X):
            for size in sizes:
                if first < len(X):
                    learner.partial_fit(X[first : first + size])
                first += size
    return learner


@pytest.fixture(scope="module")
def batch_energy(many):
    return energy(DualDictionaryLearning(24, tau=0.1, eta=1).fit(many), many)


@pytest.mark.parametrize("sizes, rise", [([100], 0.1), ([6000], 0.1), ([37], 0.1), ([1, 300, 20, 900], 0.2)])
def test_any_blocks_come_close_to_fit(many, batch_energy, sizes, rise):
    """Three passes in blocks against a fit that converged; a start from one sample finds a worse minimum."""
    online = feed(DualDictionaryLearning(24, tau=0.1, eta=1), many, sizes)
    assert energy(online, many) < (1 + rise) * batch_energy
    assert online._fitted.online.n_samples == 18000


def test_however_blocks_are_cut_the_bits_are_the_same(many):
    whole = DualDictionaryLearning(24, tau=0.1).partial_fit(many[:1500])
    for cuts in ([1, 2, 30, 800], list(range(1, 1500))):
        learner = DualDictionaryLearning(24, tau=0.1)
        for block in np.split(many[:1500], cuts):
            learner.partial_fit(block)
        assert np.array_equal(learner.components_, whole.components_)
        assert np.array_equal(learner.dual_, whole.dual_)
        assert learner.n_iter_ == whole.n_iter_ == -(-1500 // 256)


def test_attributes_and_transform(many):
    learner = DualDictionaryLearning(24, tau=0.1)
    assert learner.partial_fit(many[:10]) is learner
    assert learner.n_features_in_ == 16 and learner.n_iter_ == 1
    assert learner.components_.shape == (24, 16)
    before = learner.components_.copy()
    learner.partial_fit(many[10:500])
    assert learner.n_iter_ == 2 and not np.array_equal(before, learner.components_)
    assert np.array_equal(learner.model_.components, learner.components_)
    for mode in ("linear", "sparse", "corrected", "refine:2", "exact"):
        assert np.isfinite(learner.set_params(encode=mode).transform(many[:50])).all()
    assert learner.summary_.outcome == "STOPPED" and "500 samples in 2 steps" in learner.summary_.message
    with pytest.raises(ValueError, match="15 features"):
        learner.partial_fit(many[:, :15])


def test_pickled_between_blocks(many):
    whole = feed(DualDictionaryLearning(24, tau=0.1), many[:900], [300], passes=1)
    learner = DualDictionaryLearning(24, tau=0.1).partial_fit(many[:300])
    learner.transform(many[:5])
    learner = pickle.loads(pickle.dumps(learner)).partial_fit(many[300:600])
    learner = pickle.loads(pickle.dumps(learner)).partial_fit(many[600:900])
    assert np.array_equal(learner.components_, whole.components_)
    assert np.array_equal(learner.transform(many[:50]), whole.transform(many[:50]))


def test_goes_on_after_fit_and_fit_starts_anew(many):
    learner = DualDictionaryLearning(24, nonzeros=4, penalty="l1").fit(many[:2000])
    fitted, tau = energy(learner, many), learner.summary_.tau
    learner.partial_fit(many[2000:])
    assert learner.summary_.tau == tau
    assert energy(learner, many) < 1.05 * fitted
    again = learner.fit(many[:2000])
    assert np.array_equal(again.components_, clone(learner).fit(many[:2000]).components_)


def test_goes_on_with_l1_after_a_fit_of_auto_and_says_so(many):
    learner = DualDictionaryLearning(24, nonzeros=4).fit(many[:2000])
    assert learner.model_.penalty == "l0"
    fitted = np.linalg.norm(many - learner.inverse_transform(learner.transform(many)))
    with pytest.warns(UserWarning, match="partial_fit: goes on with penalty l1"):
        learner.partial_fit(many[2000:])
    assert learner.model_.penalty == "l1"
    codes = learner.transform(many)
    assert (codes != 0).sum(axis=1).mean() == pytest.approx(4, rel=0.1)
    # Codes of l1 leave a quarter more on these samples, and no more than that.
    assert np.linalg.norm(many - learner.inverse_transform(codes)) < 1.3 * fitted


def test_the_same_bits_for_any_number_of_threads(many):
    one, two = (feed(DualDictionaryLearning(24, tau=0.1, n_jobs=n), many, [700], passes=1) for n in (1, 2))
    assert np.array_equal(one.components_, two.components_)
    assert np.array_equal(one.dual_, two.dual_)


def test_refuses_what_needs_all_samples(many):
    with pytest.raises(ValueError, match="center_features"):
        DualDictionaryLearning(4, center_features=True).partial_fit(many)


def test_penalty_l0_of_blocks():
    X = planted(1500, 12, 24, seed=3)
    learners = [DualDictionaryLearning(24, penalty="l0", nonzeros=3) for _ in range(2)]
    for learner, cuts in zip(learners, ([700], [1, 300, 1499]), strict=True):
        for block in np.split(X, cuts):
            learner.partial_fit(block)
    one, other = learners
    assert np.array_equal(one.components_, other.components_)
    one = pickle.loads(pickle.dumps(one))
    assert one.model_.penalty == "l0"
    assert (one.transform(X) != 0).sum(axis=1).mean() == pytest.approx(3, rel=0.15)
    fitted = DualDictionaryLearning(24, penalty="l0", nonzeros=3).fit(X)
    error = np.linalg.norm(X - one.inverse_transform(one.transform(X)))
    # No iterations over all samples follow the D steps of blocks.
    assert error < 1.2 * np.linalg.norm(X - fitted.inverse_transform(fitted.transform(X)))
    with pytest.raises(ValueError, match="penalty='l0'"):
        fitted.partial_fit(X)
