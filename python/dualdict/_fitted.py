# SPDX-License-Identifier: BSD-3-Clause
"""What stands behind the estimator: what a fit left, and what is said about it."""

import pickle
import textwrap
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _learning
from ._options import TABLE


class Fitted:
    """What a fit left: the model, or an online learner that makes one when it is asked for, and the encoder last used.

    Encoders hold threads: a copy or pickle has none and makes its own.
    """

    def __init__(self, model=None, records=(), online=None):
        self._model = model
        self._records = records
        self._summary = None
        self._arrays = {}
        self.online = online
        self.last_encoder = (None, None)  # what was asked for, the encoder; one assignment, so that threads may share it

    def __reduce__(self):
        return Fitted, (self._model, self._records, self.online)

    def __deepcopy__(self, memo):
        online = None if self.online is None else pickle.loads(pickle.dumps(self.online))
        return Fitted(self._model, self._records, online)

    def update(self, X):
        self.online.update(X)
        self._model = self._summary = None
        self._arrays = {}
        self.last_encoder = (None, None)

    @property
    def components(self):
        return self._array("components")

    @property
    def dual(self):
        return self._array("dual")

    @property
    def n_iter(self):
        return self.summary.n_iter if self.online is None else self.online.n_updates

    def _array(self, name):
        if name not in self._arrays:
            self._arrays[name] = getattr(self.model if self.online is None else self.online, name)
        return self._arrays[name]

    @property
    def model(self):
        if self._model is None:
            self._model = self.online.model()
        return self._model

    @property
    def summary(self):
        if self._summary is None:
            self._summary = _learning.summary_of(self.model, self._records)
        return self._summary


def preprocessed(X, model, steps):
    """X, float64, as the model's preprocessing leaves it; in place."""
    X /= steps.scale
    if steps.center_features:
        X -= model.feature_means
    if steps.center_samples:
        X -= X.mean(axis=1, keepdims=True)
    if steps.unit_norm:
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        X /= np.where(norms > 0, norms, 1.0)
    return X


def warn_of(summary):
    """Warns of a fit that ended early or in nothing, at the line that called fit()."""
    if summary.outcome in ("ITERATION_LIMIT", "TIME_LIMIT"):
        text = f"not converged: {summary.message}; raise max_iter or time_limit, or loosen tol"
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    elif summary.outcome == "TRIVIAL" and summary.tau > 0:
        text = (
            f"all codes are zero: {summary.message}; lower tau below tau_max = {summary.tau_max:.6g}, or give nonzeros"
        )
        warnings.warn(text, UserWarning, stacklevel=3)


def parameter_docs():
    """The parameters of the option table in the form of a docstring."""
    notes = {
        "n_components": " By default the number of features.",
        "n_jobs": " None is OMP_NUM_THREADS, if set, and else all; -1 is all.",
        "random_state": " None and generators draw a seed, as everywhere in scikit-learn.",
    }
    lines = []
    for name, row in TABLE.items():
        default = None if row["required"] or name == "n_jobs" else row["default"]
        help_text = row["help"][0].upper() + row["help"][1:] + "." + notes.get(name, "")
        lines.append(f"{name} : {row['rule']}, default={default!r}")
        lines += textwrap.wrap(help_text, 112, initial_indent="    ", subsequent_indent="    ")
    return "\n    ".join(lines)
