# SPDX-License-Identifier: BSD-3-Clause
"""The three functions of learning by blocks."""

import functools
import pickle

import numpy as np
import pytest

import dualdict


def sparse_samples(n=1200, d=10, k=15):
    rng = np.random.default_rng(0)
    codes = rng.standard_normal((n, k)) * (rng.random((n, k)) < 0.15)
    return (codes @ rng.standard_normal((k, d)) + 0.01 * rng.standard_normal((n, d))).astype(np.float32)


def run(fit, blocks, pass_on=lambda fit: fit):
    codes = [None] * len(blocks)
    while not fit.is_done:
        fit, parts = pass_on(fit), []
        for i in fit.blocks:
            statistics, made = dualdict.block_statistics(fit.request(), blocks[i], i, codes[i])
            parts.append(statistics)
            codes[i] = made or codes[i]
        fit.step(functools.reduce(dualdict.add_statistics, parts))
    return fit.result()


def test_same_minimum_as_in_memory():
    X = sparse_samples()
    options = {"tau": 0.2, "eta": 0.5, "accurate_steps": True, "tol": 1e-7, "scale": 2, "center_features": True}
    _, memory = dualdict.learn(X, 15, **options)
    _, blocks = run(dualdict.BlockFit(15, 4, **options), np.array_split(X, 4))
    assert abs(blocks.energy.total / memory.energy.total - 1) < 1e-6
    assert blocks.n_iter == len(blocks.iterations)


def test_state_may_be_passed_on_and_a_block_be_empty():
    X = sparse_samples()
    blocks = [*np.array_split(X, 5), X[:0]]
    model, _ = run(dualdict.BlockFit(15, 6, nonzeros=2, random_state=3), blocks)
    other, _ = run(dualdict.BlockFit(15, 6, nonzeros=2, random_state=3), blocks, lambda fit: pickle.loads(pickle.dumps(fit)))
    assert (model.components == other.components).all() and (model.dual == other.dual).all()


def test_errors_name_the_rule():
    X = sparse_samples(60)
    fit = dualdict.BlockFit(15, 2, tau=0.2)
    statistics, codes = dualdict.block_statistics(fit.request(), X, 0)
    assert codes is None
    with pytest.raises(ValueError, match="request is for 2"):
        fit.step(statistics)
    with pytest.raises(ValueError, match="is in both"):
        dualdict.add_statistics(statistics, statistics)
    with pytest.raises(ValueError, match="truncated"):
        fit.step(statistics[:-7])
    with pytest.raises(ValueError, match="first at sample 3|NaN"):
        bad = X.copy()
        bad[3] = np.nan
        dualdict.block_statistics(fit.request(), bad, 1)
    with pytest.raises(ValueError, match="no dictionary yet"):
        fit.result()
    with pytest.raises(ValueError, match="l0"):
        dualdict.BlockFit(15, 2, penalty="l0", nonzeros=3)


def test_penalty_auto_is_l1_and_says_so():
    X = sparse_samples()
    fit = dualdict.BlockFit(15, 2, nonzeros=2)
    assert [message.startswith("penalty l1: ") for message in fit.messages] == [True]
    assert dualdict.BlockFit(15, 2, tau=0.2).messages == []
    model, _ = run(fit, np.array_split(X, 2))
    assert model.penalty == "l1"
