# SPDX-License-Identifier: BSD-3-Clause
"""Models of other programs, what an encoder loses, and how alike two dictionaries are."""

from __future__ import annotations

import os

from numpy.typing import ArrayLike

from . import _core
from ._arrays import as_samples
from ._options import n_threads
from ._record import Record


def import_model(path: str | os.PathLike[str]) -> _core.Model:
    """A model file, or what another program wrote.

    Known by its content: a folder of SAELens, of EleutherAI's sparsify or of sentence-transformers' SparseAutoEncoder, or a
    plain dictionary (npy, or safetensors with one matrix). The codes of the model's default mode and what they decode to
    are those of the other program, up to rounding.

    Raises
    ------
    ValueError
        When the file is damaged, or computes what no mode does; the message says what it would cost to leave that out.
    """
    return _core.load_any(os.fspath(path))


def export_model(
    model: _core.Model,
    path: str | os.PathLike[str],
    format: str,
    mode: str | None = None,
    *,
    split_signs: bool = False,
) -> None:
    """Write a model for another program.

    Parameters
    ----------
    path : path
        The folder to write, or with format "dictionary" a file, npy or safetensors.
    format : {"saelens", "sparsify", "sentence-transformers", "dictionary"}
    mode : str, optional
        The mode of encoding that the file is to hold, "hard", "topk:k" or "sparse"; by default the model's own.
    split_signs : bool
        Two atoms of each, one for either sign: exact, where the other program's codes are never negative.

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, penalty="l0", nonzeros=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dualdict.export_model(model, os.path.join(folder, "sae"), "saelens", "hard", split_signs=True)
    ...     split = dualdict.import_model(os.path.join(folder, "sae"))
    >>> u = dualdict.encode(split, X)
    >>> bool(np.allclose(u[:, :12] - u[:, 12:], dualdict.encode(model, X, "hard"), atol=1e-5))
    True
    """
    _core.export_model(model, os.fspath(path), format, mode or "", bool(split_signs))


def audit(
    model: _core.Model, X: ArrayLike, mode: str | None = None, *, most_samples: int = 2000, n_jobs: int | None = None
) -> Record:
    """What a model's own encoder loses against greedy and exact codes of the same dictionary.

    Returns
    -------
    Record
        `rows`, each with code, nonzeros, unexplained, explained, microseconds and gap (of the exact codes: their largest
        relative duality gap); `lost_to_greedy`, `lost_to_exact`, `dead_atoms`, `mean_largest_cosine`, `largest_cosine`.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, penalty="l0", nonzeros=3)
    >>> result = dualdict.audit(model, X)
    >>> result.rows[0].code, result.lost_to_greedy > 1
    ('hard (own)', True)
    """
    return Record.of(_core.audit(model, as_samples(X), mode or "", most_samples, n_threads(n_jobs)))


def compare(first: _core.Model, second: _core.Model, *, n_jobs: int | None = None) -> Record:
    """How alike two dictionaries are, with atoms paired one to one so that the sum of |cosine| is largest.

    Returns
    -------
    Record
        `dictionary` and `dual`, each with `mean` (PW-MCC), `share_above_9` and `mean_largest` (MMCS); `dual_on_pairs`, of
        the filters of the paired atoms; `within_first` and `within_second`, mean largest |cosine| of an atom with another
        of its model; `pairs`, the partner of each atom of the first, or -1.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, tau=0.5)
    >>> same = dualdict.compare(model, model)
    >>> round(same.dictionary.mean, 6), same.pairs == list(range(12))
    (1.0, True)
    """
    return Record.of(_core.compare(first, second, n_threads(n_jobs)))
