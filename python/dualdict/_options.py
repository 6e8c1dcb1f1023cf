# SPDX-License-Identifier: BSD-3-Clause
"""From Python values to the option table, which the C++ library holds: names, rules and defaults are stated there."""

import os

import numpy as np

from . import _core

TABLE = {row["python_name"]: row for row in _core.option_table()}

# The ways of encoding, by name.
MODES = {row["name"]: row for row in _core.mode_table()}

# What learning takes beside the table, with its defaults. `scale` is a number, or "unit" for samples of norm 1.
PREPROCESS = {"scale": 1.0, "center_samples": False, "center_features": False}


def as_text(name, value):
    """A value in the form that the option table reads; it checks type and range."""
    if name == "dtype":
        try:
            return np.dtype(value).name
        except TypeError:
            return str(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        whole = isinstance(TABLE[name]["default"], int) and float(value).is_integer()
        return str(int(value)) if whole else repr(float(value))
    return str(value)


def as_texts(values):
    """{Python name: text} of the values that are set; None means the default."""
    for name in values:
        if name not in TABLE:
            raise TypeError(f"{name}: is no option of learning; these are: {', '.join(TABLE)}")
    return {name: as_text(name, value) for name, value in values.items() if value is not None}


def n_threads(n_jobs):
    """Threads for an n_jobs as scikit-learn means it, 0 for all that this process may use.

    None is OMP_NUM_THREADS when that is set, as joblib sets it for its workers, and else all; -1 is all, -2 all but one.
    """
    if n_jobs is None:
        wanted = os.environ.get("OMP_NUM_THREADS", "")
        return int(wanted) if wanted.isdecimal() else 0
    if isinstance(n_jobs, (bool, np.bool_)) or not isinstance(n_jobs, (int, np.integer)):
        raise ValueError(f"n_jobs: {n_jobs!r} is not allowed: a whole number, -1 for all cores, or None")
    if n_jobs < -1:
        return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))
    return max(0, int(n_jobs))


def preprocess(scale=1.0, center_samples=False, center_features=False):
    """The preprocessing that becomes part of the model, in the form that _core.learn takes."""
    unit = isinstance(scale, str)
    if unit and scale != "unit":
        raise ValueError(f"scale: {scale!r} is not allowed: 'unit' or a number > 0")
    if not unit and not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale: {scale!r} is not allowed: 'unit' or a number > 0")
    return {
        "scale": 1.0 if unit else float(scale),
        "unit_norm": unit,
        "center_samples": bool(center_samples),
        "center_features": bool(center_features),
    }


def seed_of(random_state):
    """An int as it is, so that it means what --seed means; anything else gives a seed as scikit-learn would draw it."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, (bool, np.bool_)):
        return int(random_state)
    if random_state is None:
        return int(np.random.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    raise ValueError(
        f"random_state: {random_state!r} is not allowed: a whole number >= 0, None, a RandomState or a Generator"
    )
