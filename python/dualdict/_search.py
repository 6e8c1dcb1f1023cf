# SPDX-License-Identifier: BSD-3-Clause
"""Indices of codes, and search in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import as_samples
from ._functions import is_path, open_files
from ._options import n_threads
from ._record import Record


def build_index(
    model: _core.Model,
    X: ArrayLike | str | os.PathLike[str] | list[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    names: Iterable[Any] | None = None,
    mode: str | None = None,
    nonzeros: float | None = None,
    decoded: bool = False,
    append: bool = False,
    n_jobs: int | None = None,
) -> None:
    """Code rows and write an index of them, to search.

    Parameters
    ----------
    X : array of shape (n_rows, n_features), or path or list of paths
    path : path
        The index. It appears whole or not at all: what was there stays until the new one is safe on the disk.
    names : iterable, optional
        A text for each row, which hits then carry.
    mode, nonzeros
        How rows, and later queries, are coded, as in `encode`.
    decoded : bool
        Keep each row's code too, 4 bytes a nonzero, for `Searcher.search(rerank=)`.
    append : bool
        Add the rows to the index that is there, coded as its own are.
    """
    rows = open_files(X, None) if is_path(X) or isinstance(X, list) and all(map(is_path, X)) else as_samples(X)
    options = {
        "mode": mode or "", "nonzeros": nonzeros, "decoded": bool(decoded), "append": bool(append),
        "names": [str(name) for name in (() if names is None else names)], "n_threads": n_threads(n_jobs),
    }
    _core.build_index(model, rows, os.fspath(path), options)


class Searcher:
    """An index ready to be searched.

    Parameters
    ----------
    model : Model
        The one that the index was made with.
    path : path

    Attributes
    ----------
    info : Record
        `mode`, `n_rows`, `n_atoms`, `n_features`, `n_nonzeros`, `bytes`, `decoded`, `named`.

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, tau=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dualdict.build_index(model, X, os.path.join(folder, "i.ddx"), names=range(300))
    ...     hits = dualdict.Searcher(model, os.path.join(folder, "i.ddx")).search(X[:2], n_hits=3)
    >>> [found[0].name for found in hits]
    ['0', '1']
    """

    def __init__(self, model: _core.Model, path: str | os.PathLike[str], *, n_jobs: int | None = None) -> None:
        self._searcher = _core.Searcher(model, os.fspath(path), n_threads(n_jobs))
        self.info: Record = Record.of(self._searcher.info())

    def search(
        self,
        X: ArrayLike,
        n_hits: int = 10,
        score: str = "decoded",
        *,
        query_atoms: int = 0,
        rerank: int = 0,
    ) -> list[list[Record]]:
        """The rows most like each query, best first.

        Parameters
        ----------
        X : array of shape (n_queries, n_features)
        score : {"decoded", "dot", "cosine", "bm25"}
            The cosine of the query with what a row's code decodes to; the product of the codes; that over their lengths;
            or with rare atoms counting more and large weights less.
        query_atoms : int
            Of "decoded": atoms of a query that count; 0 for four times the nonzeros of a row.
        rerank : int
            Order so many of the best anew by "decoded" with all atoms; the index must have been made with `decoded`.

        Returns
        -------
        list of lists of Record
            Each with `row`, `score`, `name` (of a named index) and `atoms`: what matched, most important first, each with
            `atom`, `query` and `row`, the weights.
        """
        queries = np.ascontiguousarray(as_samples(X), dtype=np.float32)
        found = self._searcher.search(queries, score, n_hits, {"rerank": rerank, "query_atoms": query_atoms})
        return [[Record.of(hit) for hit in hits] for hits in found]
