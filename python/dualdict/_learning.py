# SPDX-License-Identifier: BSD-3-Clause
"""One call of the learner, for the functions and the estimator alike."""

import json
import os

from . import _core
from ._options import TABLE, as_texts
from ._arrays import as_start
from ._progress import Progress
from ._record import Record


def run(X, values, preprocess, *, dict_init=None, dual_init=None, validation=None, callback=None, verbose=0,
        checkpoint=None, ranks=None):
    """Returns (model, records, raised): the records of the iterations, and what ended the fit from Python's side.

    raised is None unless there was a Ctrl-C or an exception of the callback; the model is then that of the fit so far, or
    None when there was none yet.
    """
    progress = Progress(verbose, values.get("max_iter") or TABLE["max_iter"]["default"])

    def on_iteration(record):
        record = Record.of(record)
        progress.record(record)
        return callback is not None and bool(callback(record))

    watched = callback is not None or verbose
    others = {
        **preprocess,
        "dict_init": as_start(dict_init, "dict_init"),
        "dual_init": as_start(dual_init, "dual_init"),
        "validation": validation,
        "checkpoint": "" if checkpoint is None else os.fsdecode(checkpoint),
        "ranks": ranks,
        "on_iteration": on_iteration if watched else None,
        "on_message": progress.message if verbose else None,
        "on_phase": progress.phase if verbose else None,
    }
    try:
        return _core.learn(X, as_texts(values), others)
    finally:
        progress.close()


def summary_of(model, records=()):
    """How the fit of a model ended, what it measured, and its iterations where they are known."""
    description = json.loads(model.describe_json())
    outcome = description["outcome"]
    python_name = {row["name"]: name for name, row in TABLE.items()}
    summary = {"outcome": outcome.pop("name"), **outcome}
    summary["n_iter"] = summary.pop("iterations")
    for part in ("options_given", "options_used"):
        summary[part] = {python_name.get(name, name): value for name, value in description[part].items()}
    summary["preprocess"] = description["transform"]
    summary["data"] = description["data"]
    summary["usage"] = description["usage"]
    summary["iterations"] = list(records)
    return Record.of(summary)


def nothing_learned():
    """The summary of a fit that was ended from Python's side before there was a dictionary."""
    return Record.of({
        "outcome": "INTERRUPTED", "n_iter": 0, "iterations": [],
        "message": "interrupted before learning began: there is nothing to save",
    })


def encoding_table_of(model):
    """What each mode of encoding does on held-out samples, a record a mode."""
    return Record.of(json.loads(model.describe_json())["encoding"])["rows"]
