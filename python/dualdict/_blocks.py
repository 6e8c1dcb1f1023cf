# SPDX-License-Identifier: BSD-3-Clause
"""Learning where others hold the samples: three steps for any scheduler of tasks."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import _core, _learning
from ._arrays import as_samples, as_start
from ._options import PREPROCESS, as_texts, n_threads, preprocess, seed_of
from ._record import Record


def block_statistics(
    request: bytes, X: ArrayLike, index: int, codes: bytes | None = None, *, n_jobs: int = 1
) -> tuple[bytes, bytes | None]:
    """What a `BlockFit` asks of one block of samples.

    Parameters
    ----------
    request : bytes
        `BlockFit.request()`.
    X : array of shape (n_samples, n_features)
        The samples of the block, the same for every request; there may be none.
    index : int
        The number of the block.
    codes : bytes, optional
        What the last call for this block gave; without it codes start from zero.
    n_jobs : int
        Threads. They change no bit.

    Returns
    -------
    (bytes, bytes or None)
        The statistics, to be added to those of other blocks, and the codes, to be kept with the block (None: keep those
        that there are).
    """
    return _core.block_statistics(request, as_samples(X), index, codes or b"", n_threads(n_jobs))


def add_statistics(a: bytes, b: bytes) -> bytes:
    """The statistics of two sets of blocks as those of both. The order of additions decides the last bits."""
    return _core.add_statistics(a, b)


class BlockFit:
    """The state of a fit whose samples others hold, in blocks.

    Parameters
    ----------
    n_components : int
    n_blocks : int
        Their numbers are 0 .. n_blocks - 1.
    tau, dict_init, dual_init, **options
        As in `learn`.

    Examples
    --------
    >>> import functools, numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((600, 8)).astype(np.float32)
    >>> blocks, codes = np.split(X, 3), [None] * 3
    >>> fit = dualdict.BlockFit(12, 3, tau=0.5)
    >>> while not fit.is_done:
    ...     request, parts = fit.request(), []
    ...     for i in fit.blocks:
    ...         statistics, made = dualdict.block_statistics(request, blocks[i], i, codes[i])
    ...         parts.append(statistics)
    ...         codes[i] = made or codes[i]
    ...     record = fit.step(functools.reduce(dualdict.add_statistics, parts))
    >>> model, summary = fit.result()
    >>> summary.outcome
    'CONVERGED'
    """

    def __init__(
        self,
        n_components: int,
        n_blocks: int,
        tau: float | None = None,
        *,
        dict_init: ArrayLike | None = None,
        dual_init: ArrayLike | None = None,
        **options: Any,
    ):
        steps = {name: options.pop(name, default) for name, default in PREPROCESS.items()}
        options.update(n_components=n_components, tau=tau, n_jobs=n_threads(options.get("n_jobs")),
                       random_state=seed_of(options.get("random_state", 0)))
        others = {
            **preprocess(**steps), "dict_init": as_start(dict_init, "dict_init"), "dual_init": as_start(dual_init, "dual_init")
        }
        self._core = _core.BlockFit(as_texts(options), others, int(n_blocks))

    @property
    def is_done(self) -> bool:
        """No more steps: there is a result."""
        return self._core.is_done

    @property
    def has_dictionary(self) -> bool:
        """A first dictionary has been chosen: there can be a result."""
        return self._core.has_dictionary

    @property
    def blocks(self) -> list[int]:
        """The numbers of the blocks that the next request is for."""
        return self._core.blocks

    @property
    def run(self) -> str:
        """Options and preprocessing as JSON: what two states of one fit have in common."""
        return self._core.run_json

    @property
    def messages(self) -> list[str]:
        """What the last step had to tell; before the first step what the options had."""
        return self._core.messages

    def request(self) -> bytes:
        """For `block_statistics` of each of `blocks`."""
        return self._core.request()

    def step(self, statistics: bytes) -> Record | None:
        """Moves on with the sum of the statistics of all `blocks`. The record of the iteration, when one has ended."""
        record = self._core.step(statistics)
        return None if record is None else Record.of(record)

    def stop(self, *, interrupted: bool = False) -> None:
        """No more steps: the result is that of those so far."""
        self._core.stop(interrupted)

    def result(self) -> tuple[_core.Model, Record]:
        """The model, and how the fit ended. Energy and certificate are those of up to 8000 of the samples, drawn at random;
        the records of the iterations hold the energy of all."""
        model, records = self._core.result()
        return model, _learning.summary_of(model, records)

    def to_bytes(self) -> bytes:
        """All of the state, with version and checksum."""
        return self._core.__getstate__()

    @classmethod
    def from_bytes(cls, state: bytes) -> BlockFit:
        """A state as `to_bytes` gave it."""
        fit = cls.__new__(cls)
        fit._core = _core.BlockFit.__new__(_core.BlockFit)
        fit._core.__setstate__(state)
        return fit

    def __reduce__(self):
        return BlockFit.from_bytes, (self.to_bytes(),)
