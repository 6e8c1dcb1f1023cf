# SPDX-License-Identifier: BSD-3-Clause
"""The estimator on collections of Dask: `pip install 'dualdict[dask]'`.

A fit is plain tasks: a pass over the partitions, a tree of additions, and a step in the process that called. Only D, C and
sums travel; codes stay with their partition and are made again when a worker is lost.
"""

from __future__ import annotations

import inspect
import os
import time
from typing import Any

import dask
import dask.array as da
import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arrays import as_samples
from ._blocks import BlockFit, add_statistics, block_statistics
from ._estimator import DualDictionaryLearning as _InMemory
from ._fitted import Fitted, preprocessed, warn_of
from ._learning import nothing_learned
from ._options import PREPROCESS, TABLE
from ._progress import Progress

__all__ = ["DualDictionaryLearning"]

# After so many steps codes start from zero: what is remembered to make lost ones again stays short. A checkpoint is written
# there, and so needs no codes.
_CHAIN = 24
# So long a fit waits for a cluster without workers, or without a scheduler.
_PATIENCE_SECONDS = 20.0
# So often an answer may fail without a fault of its task.
_MOST_FAILURES = 20
# Samples are kept in the memory of the cluster when they take less of it than this.
_KEPT_SHARE = 0.4


def _answer(request, block, index, codes, n_threads):
    return block_statistics(request, block, index, codes, n_jobs=n_threads)


def _same(value):
    return value


class _CallbackError(Exception):
    """What the callback raised is its cause: the work so far is kept."""


class _Partitions:
    """The partitions of an array, the codes that stay with them, and how to ask them."""

    def __init__(self, X, client, n_threads):
        self.client = client
        self.blocks = list(X.to_delayed().ravel())
        if client is not None and self._fits_in_cluster(X):
            self.blocks = client.persist(self.blocks)
        self.codes = [None] * len(self.blocks)
        self.n_threads = n_threads

    def _fits_in_cluster(self, X):
        limits = [worker.get("memory_limit") or 0 for worker in _workers_of(self.client).values()]
        return not np.isnan(X.nbytes) and X.nbytes < _KEPT_SHARE * sum(limits)

    def forget_codes(self):
        self.codes = [None] * len(self.blocks)

    def ask(self, request, indices):
        """The sum of what the partitions answer. The tree of additions depends on their number alone."""
        shared = dask.delayed(_same, pure=False)(request)
        answers = [
            dask.delayed(_answer, nout=2, pure=False)(shared, self.blocks[i], i, self.codes[i], self.n_threads) for i in indices
        ]
        parts = [statistics for statistics, _ in answers]
        while len(parts) > 1:
            add = dask.delayed(add_statistics, pure=False)
            parts = [add(*parts[i:i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
        if self.client is None:
            total, *codes = dask.persist(parts[0], *(codes for _, codes in answers))
            value = total.compute()
        else:
            total, *codes = self.client.persist([parts[0], *(codes for _, codes in answers)])
            value = _wait(self.client, total)
        for i, made in zip(indices, codes):
            self.codes[i] = made
        return value


def _workers_of(client):
    try:
        return client.scheduler_info(n_workers=-1)["workers"]
    except TypeError:  # before 2025.4 it told of all
        return client.scheduler_info()["workers"]


def _wait(client, delayed):
    """The value of a persisted task. Raises what the task raised, and TimeoutError when there is nobody left to make it."""
    from distributed import futures_of

    future, = futures_of([delayed])
    seen = time.monotonic()
    failures = 0
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass
        except Exception:
            # What the task raised; all else is the connection's, which dies with a worker now and then and comes back.
            failures += 1
            if future.status == "error" or failures > _MOST_FAILURES:
                raise
            time.sleep(0.5)
        if future.status in ("cancelled", "lost"):
            raise RuntimeError("the cluster has lost the fit: the connection to its scheduler ended")
        if client.status == "running":
            try:
                if _workers_of(client):
                    seen = time.monotonic()
            except OSError:
                pass  # the scheduler does not answer: it may come back
        if time.monotonic() - seen > _PATIENCE_SECONDS:
            raise TimeoutError(
                f"the cluster has had no worker for {_PATIENCE_SECONDS:.0f} s; start workers and fit again"
                " (with checkpoint= it goes on from there)"
            )


def _client_of(client):
    """The client given, the one of this process, or None for the tasks of Dask in this process."""
    if client is not None:
        return client
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None


def _as_array(X):
    """A dask array whose chunks hold whole samples."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array()
    if not isinstance(X, da.Array):
        rows = as_samples(X)
        X = da.from_array(rows, chunks=(len(rows), rows.shape[1]))
    if X.ndim != 2:
        raise ValueError(f"X: expected a 2D array of shape (samples, features), got {X.ndim}D")
    return X.rechunk({1: -1}) if X.numblocks[1] > 1 else X


def _is_dask(X):
    return isinstance(X, da.Array) or hasattr(X, "to_dask_array")


def _encode_block(X, estimator):
    return estimator.transform(as_samples(X)) if len(X) else np.empty((0, estimator._n_features_out), X.dtype)


def _decode_block(codes, estimator):
    return estimator.inverse_transform(as_samples(codes)) if len(codes) else np.empty(
        (0, estimator.n_features_in_), codes.dtype)


def _score_block(X, estimator):
    """Squared error and squared norm of the samples."""
    if len(X) == 0:
        return np.zeros((1, 2))
    X = as_samples(X)
    errors = np.empty(len(X))
    estimator._encoder(sample=X).score(X, errors, False)
    wanted = preprocessed(X.astype(np.float64), estimator.model_, estimator.summary_.preprocess)
    return np.array([[np.sum(errors**2), np.sum(wanted**2)]])


class DualDictionaryLearning(_InMemory):
    """`dualdict.DualDictionaryLearning` for arrays and data frames of Dask.

    The bits of the result depend on data, parameters and the partitioning alone, not on workers, their number or their
    deaths. The warm-up goes through whole partitions in random order: the minimum is another than that of a fit in memory,
    about as low; with accurate_steps=True, which has no warm-up, it is the same.

    penalty="auto" is l1 here, also with `nonzeros`: samples in blocks of others are not learned from with l0.

    Parameters
    ----------
    client : distributed.Client, default=None
        None: that of this process, or, where there is none, threads of this process.
    n_components, tau, **parameters
        As of `dualdict.DualDictionaryLearning`. `n_jobs` is the threads of one task (None: 1). `checkpoint` is written after
        every {chain} steps.

    Examples
    --------
    >>> import dask.array as da
    >>> from dualdict.dask import DualDictionaryLearning
    >>> X = da.random.default_rng(0).standard_normal((2000, 8), chunks=(500, 8))
    >>> learner = DualDictionaryLearning(12, tau=0.5, max_iter=300).fit(X)
    >>> learner.transform(X)
    dask.array<_encode_block, shape=(2000, 12), dtype=float64, chunksize=(500, 12), chunktype=numpy.ndarray>
    """

    def __init__(self, n_components: int | None = None, tau: float | None = None, *, client: Any = None, **parameters: Any):
        super().__init__(n_components, tau, **parameters)
        self.client = client

    def __getstate__(self):
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self):
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()}, client=client)

    def fit(self, X: Any, y: Any = None) -> DualDictionaryLearning:
        """Learn the dictionary and its dual.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), or dask data frame
            Its chunks of rows are the partitions. What fits in the memory of the cluster stays there; else every pass reads
            it again. Anything else is one partition.
        y : ignored

        Returns
        -------
        self

        Ctrl-C ends the fit and keeps what was learned so far, as in memory.
        """
        _core.check_mode(self.encode or "sparse")
        self._remember_features(X)
        array = _as_array(X)
        partitions = _Partitions(array, _client_of(self.client), 1 if self.n_jobs is None else self.n_jobs)
        fit = self._first_state(array.shape[1], len(partitions.blocks))
        raised = self._run(fit, partitions)
        if fit.has_dictionary:
            model, summary = fit.result()
            self._set_fitted(Fitted(model, summary.iterations))
            if self.encode_nonzeros is not None and raised is None:
                self._encoder(sample=as_samples(array[:1000].compute()))
        elif "_fitted" not in self.__dict__:
            self._nothing_yet = nothing_learned()
        if raised is not None:
            raise raised
        warn_of(self.summary_)
        return self

    def _remember_features(self, X):
        names = getattr(X, "columns", None)
        self.__dict__.pop("feature_names_in_", None)
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.asarray(names, dtype=object)
        self.n_features_in_ = X.shape[1] if names is None else len(names)

    def _first_state(self, n_features, n_blocks):
        """A new fit, or that of the checkpoint."""
        values = {name: value for name, value in self._option_values(n_features).items() if value is not None}
        values["n_jobs"] = 1 if self.n_jobs is None else self.n_jobs
        steps = {name: getattr(self, name) for name in PREPROCESS}
        fit = BlockFit(n_blocks=n_blocks, dict_init=self.dict_init, dual_init=self.dual_init, **values, **steps)
        if self.checkpoint is None or not os.path.exists(self.checkpoint):
            return fit
        with open(self.checkpoint, "rb") as file:
            kept = BlockFit.from_bytes(file.read())
        if kept.run != fit.run:
            raise ValueError(
                f"checkpoint: {os.fsdecode(self.checkpoint)!r} is that of a fit with other parameters; "
                "give those again, or remove the file to start anew"
            )
        return kept

    def _tell(self, fit, progress):
        for message in fit.messages if self.verbose else ():
            progress.message(message)

    def _run(self, fit, partitions):
        """Steps until the fit has ended; what ended it from outside, or None."""
        progress = Progress(self.verbose, self.max_iter or TABLE["max_iter"]["default"])
        steps = 0
        try:
            self._tell(fit, progress)
            while not fit.is_done:
                record = fit.step(partitions.ask(fit.request(), fit.blocks))
                steps += 1
                self._tell(fit, progress)
                if steps % _CHAIN == 0 and not fit.is_done:
                    partitions.forget_codes()
                    self._write_checkpoint(fit)
                if record is not None and self._wants_stop(record, progress):
                    fit.stop()
        except (KeyboardInterrupt, _CallbackError) as error:
            fit.stop(interrupted=True)
            return error.__cause__ or error
        finally:
            progress.close()
        return None

    def _wants_stop(self, record, progress):
        progress.record(record)
        try:
            return self.callback is not None and self.callback(record)
        except Exception as error:
            raise _CallbackError from error

    def _write_checkpoint(self, fit):
        if self.checkpoint is None:
            return
        path = os.fsdecode(self.checkpoint)
        with open(path + ".new", "wb") as file:
            file.write(fit.to_bytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)

    def partial_fit(self, X: Any, y: Any = None) -> DualDictionaryLearning:
        """Learn from the partitions one after the other, as `dualdict.DualDictionaryLearning.partial_fit` does from blocks."""
        if not _is_dask(X):
            return super().partial_fit(X)
        for block in _as_array(X).to_delayed().ravel():
            rows = block.compute()
            if len(rows):
                super().partial_fit(rows)
        return self

    def transform(self, X: Any, output: str = "dense") -> Any:
        """The codes of samples: of a collection of Dask an array of Dask, whose partitions are coded when they are asked for."""
        if not _is_dask(X):
            return super().transform(X, output)
        if output != "dense":
            raise ValueError(f"output: {output!r} is not allowed for a collection of Dask: its codes are a dense array")
        return self._map(_encode_block, X, self._n_features_out)

    def inverse_transform(self, X: Any) -> Any:
        """Samples from codes, lazily as `transform`."""
        if not _is_dask(X):
            return super().inverse_transform(X)
        return self._map(_decode_block, X, self.model_.n_features)

    def score(self, X: Any, y: Any = None) -> float:
        """As `dualdict.DualDictionaryLearning.score`, over all partitions."""
        if not _is_dask(X):
            return super().score(X)
        missed, total = self._map(_score_block, X, 2, rows=1, dtype=np.float64).compute().sum(axis=0)
        return float(1.0 - missed / total) if total > 0 else float(missed == 0)

    def _map(self, function, X, width, rows=None, dtype=None):
        check_is_fitted(self)
        X = _as_array(X)
        dtype = dtype or (X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
        chunks = (X.chunks[0] if rows is None else (rows,) * X.numblocks[0], (width,))
        return X.map_blocks(function, self._plain(), dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))

    def _plain(self):
        """The fitted estimator without Dask, for the tasks."""
        plain = _InMemory.__new__(_InMemory)
        plain.__dict__.update({name: value for name, value in self.__dict__.items() if name not in ("client", "callback")})
        plain.callback = None
        plain._plain_features = plain.n_features_in_  # partitions are plain arrays
        plain.__dict__.pop("feature_names_in_", None)
        plain.n_jobs = 1 if self.n_jobs is None else self.n_jobs
        return plain


def _signature():
    """That of the parameters by name: scikit-learn reads them there."""
    ours = inspect.signature(DualDictionaryLearning.__init__).parameters
    theirs = inspect.signature(_InMemory.__init__).parameters
    return inspect.Signature([*theirs.values(), ours["client"]])


DualDictionaryLearning.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
if DualDictionaryLearning.__doc__:
    DualDictionaryLearning.__doc__ = DualDictionaryLearning.__doc__.replace("{chain}", str(_CHAIN))
