# SPDX-License-Identifier: BSD-3-Clause
"""Signals and other threads go on while the library works."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import planted

from dualdict import DualDictionaryLearning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def slow_fit():
    """Samples and a learner that takes far longer than a test may."""
    X = planted(4000, 64, 64, seed=5).astype(np.float32)
    return X, DualDictionaryLearning(64, tau=0.1, tol=0, max_iter=1000000)


class TestSignals:
    def test_ctrl_c_ends_the_fit_and_keeps_the_work(self):
        X, learner = slow_fit()
        learner.set_params(time_limit=60)
        # Who runs the tests in the background has had Ctrl-C ignored.
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X)
        signal.signal(signal.SIGINT, old)
        assert time.perf_counter() - start < 10
        assert learner.summary_.outcome == "INTERRUPTED"
        assert np.isfinite(learner.transform(X[:10])).all()

    def test_ctrl_c_before_there_is_a_dictionary_leaves_a_summary(self, monkeypatch):
        X, learner = slow_fit()
        monkeypatch.setattr("dualdict._core.learn", lambda *_: (None, [], KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X)
        assert learner.summary_.outcome == "INTERRUPTED" and learner.summary_.n_iter == 0
        with pytest.raises(AttributeError, match="not fitted"):
            _ = learner.model_

    def test_a_way_of_encoding_that_was_not_fitted_is_replaced(self):
        X = planted(60000, 32, 64, seed=8).astype(np.float32)
        learner = DualDictionaryLearning(400, tau=0.01, n_jobs=1, verbose=0)
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            learner.fit(X)
        signal.signal(signal.SIGINT, old)
        learner.set_params(encode="corrected")
        if "corrected" in [row.mode for row in learner.encoding_table_]:
            pytest.skip("fitted in time")
        with pytest.warns(UserWarning, match="interrupted before"):
            codes = learner.transform(X[:20])
        np.testing.assert_array_equal(codes, learner.set_params(encode="exact").transform(X[:20]))

    def test_other_handlers_run_meanwhile(self):
        X, learner = slow_fit()
        learner.set_params(time_limit=0.6)
        called = []
        old = signal.signal(signal.SIGALRM, lambda *_: called.append(time.perf_counter()))
        try:
            start = time.perf_counter()
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            learner.fit(X)
        finally:
            signal.signal(signal.SIGALRM, old)
        assert len(called) == 1 and called[0] - start < 1.0


def test_the_interpreter_goes_on_during_a_fit_and_an_encoding():
    X, learner = slow_fit()
    learner.set_params(time_limit=0.6, n_jobs=1)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    learner.fit(X)
    during_fit = len(ticks)
    learner.set_params(encode="exact").transform(np.repeat(X, 5, axis=0))
    during_encoding = len(ticks) - during_fit
    done.set()
    ticker.join()
    assert during_fit > 20 and during_encoding > 5


def test_verbose_says_what_is_being_done(monkeypatch, capsys):
    monkeypatch.setattr("dualdict._progress.FIRST_SECONDS", 0.01)
    monkeypatch.setattr("dualdict._progress.SECONDS", 0.01)
    X = np.random.default_rng(0).standard_normal((3000, 40)).astype(np.float32)
    DualDictionaryLearning(300, nonzeros=5, verbose=1, max_iter=2).fit(X)
    said = capsys.readouterr().err.splitlines()
    counted = ("of 20 trials, ", "of 3000 samples, ")  # of what is long enough to be seen
    assert any(of in line and line.endswith(" s") for line in said for of in counted), said
    assert any("modes, " in line for line in said), said
    DualDictionaryLearning(300, nonzeros=5, max_iter=1).fit(X)
    assert capsys.readouterr().err == ""
