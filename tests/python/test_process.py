# SPDX-License-Identifier: BSD-3-Clause
"""The package as a guest in a Python process: threads, forks, callbacks, other libraries."""

import copy
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import types

import numpy as np
import pytest
from joblib import Parallel, delayed

import dualdict
from dualdict import DualDictionaryLearning

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class TestCallbacks:
    def test_records_and_stop(self, X):
        seen = []

        def stop_after_three(record):
            seen.append(record)
            return record.iteration == 3

        learner = DualDictionaryLearning(24, tau=0.1, callback=stop_after_three, tol=0).fit(X)
        assert learner.summary_.outcome == "STOPPED" and learner.n_iter_ == 3
        assert [record.iteration for record in seen] == [1, 2, 3]
        assert seen == learner.summary_.iterations
        assert seen[2].energy.total < seen[0].energy.total

    def test_runs_on_the_callers_thread_and_changes_no_bit(self, X, fitted):
        threads = set()
        learner = DualDictionaryLearning(24, tau=0.1, callback=lambda _: threads.add(threading.get_ident())).fit(X)
        assert threads == {threading.get_ident()}
        assert np.array_equal(learner.components_, fitted.components_)

    def test_an_exception_comes_out(self, X):
        def fail(record):
            raise RuntimeError(f"no more after {record.iteration}")

        with pytest.raises(RuntimeError, match="no more after 1"):
            DualDictionaryLearning(24, tau=0.1, callback=fail).fit(X)

    def test_progress(self, X, capfd):
        DualDictionaryLearning(24, tau=0.1, max_iter=3, verbose=1).fit(X)
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == 3 and lines[0].startswith("iteration 1 of at most 3")
        DualDictionaryLearning(24, max_iter=3, verbose=2).fit(X)
        assert "tau and nonzeros choose another" in capfd.readouterr().err
        DualDictionaryLearning(24, tau=0.1, max_iter=3).fit(X)
        assert capfd.readouterr().err == ""

    def test_progress_in_a_notebook_is_one_line_renewed(self, X, monkeypatch, capfd):
        shown, renewed = [], []
        shell = types.ModuleType("IPython")
        shell.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
        display = types.ModuleType("IPython.display")
        handle = types.SimpleNamespace(update=lambda text, raw: renewed.append(text["text/plain"]))
        display.display = lambda text, raw, display_id: shown.append(text["text/plain"]) or handle
        monkeypatch.setitem(sys.modules, "IPython", shell)
        monkeypatch.setitem(sys.modules, "IPython.display", display)
        DualDictionaryLearning(24, tau=0.1, max_iter=3, verbose=1).fit(X)
        assert len(shown) == 1 and len(renewed) == 2 and renewed[-1].startswith("iteration 3")
        assert capfd.readouterr().err == ""


class TestThreads:
    def test_one_estimator_serves_many_threads(self, X, fitted):
        wanted = {mode: dualdict.encode(fitted.model_, X, mode) for mode in ("linear", "sparse", "corrected")}
        learner = copy.deepcopy(fitted)
        wrong = []

        def work(mode):
            for _ in range(50):
                if not np.array_equal(dualdict.encode(learner.model_, X, mode), wanted[mode]):
                    wrong.append(mode)
                if not np.array_equal(learner.transform(X), wanted["sparse"]):
                    wrong.append("transform")

        threads = [threading.Thread(target=work, args=(mode,)) for mode in wanted for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


class TestForks:
    def test_a_forked_worker_encodes_and_fits(self, X, fitted):
        fitted.set_params(n_jobs=2)
        wanted = fitted.transform(X)  # threads are running when the fork comes

        def work(queue):
            fit = DualDictionaryLearning(24, tau=0.1, n_jobs=2).fit(X)
            queue.put((fitted.transform(X), fit.components_))

        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        worker = context.Process(target=work, args=(queue,))
        worker.start()
        codes, components = queue.get(timeout=60)
        worker.join(60)
        fitted.set_params(n_jobs=None)
        assert worker.exitcode == 0
        assert np.array_equal(codes, wanted) and np.array_equal(components, fitted.components_)

    @pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
    def test_joblib(self, X, fitted, backend):
        parts = np.array_split(X, 4)
        codes = Parallel(n_jobs=2, backend=backend)(delayed(fitted.transform)(part) for part in parts)
        assert np.array_equal(np.vstack(codes), fitted.transform(X))
        learned = Parallel(n_jobs=2, backend=backend)(
            delayed(DualDictionaryLearning(24, tau=0.1).fit)(X) for _ in range(2)
        )
        assert all(np.array_equal(learner.components_, fitted.components_) for learner in learned)

    def test_workers_of_joblib_do_not_take_every_core(self, monkeypatch):
        from dualdict._options import n_threads

        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        assert n_threads(None) == 1 and n_threads(-1) == 0 and n_threads(3) == 3
        monkeypatch.delenv("OMP_NUM_THREADS")
        assert n_threads(None) == 0
        assert n_threads(-2) == max(1, len(os.sched_getaffinity(0)) - 1)


def test_leaves_threads_and_floating_point_alone():
    """Beside NumPy and scikit-learn: thread counts, rounding and subnormal numbers are what they were."""
    code = textwrap.dedent("""
        import ctypes, numpy as np, sklearn, threadpoolctl
        from sklearn.cluster import KMeans
        libm = ctypes.CDLL("libm.so.6")

        def state():
            pools = sorted((p["filepath"], p["num_threads"]) for p in threadpoolctl.threadpool_info())
            tiny = float(np.float64(5e-324) * np.float64(1.0)), float(np.float32(1e-45) + np.float32(0))
            return pools, tiny, libm.fegetround(), np.geterr()

        KMeans(2).fit(np.eye(5))  # loads the OpenMP of scikit-learn
        before = state()
        import dualdict
        assert state() == before
        X = np.random.default_rng(0).standard_normal((500, 16)).astype(np.float32)
        learner = dualdict.DualDictionaryLearning(24, tau=.5, n_jobs=2).fit(X)
        learner.transform(X)
        assert state() == before, (state(), before)
        assert before[1] == (5e-324, float(np.float32(1e-45)))
    """)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
