# SPDX-License-Identifier: BSD-3-Clause
"""The report page, and the small picture of a model in a notebook."""

from __future__ import annotations

import base64
import html
import json
import os
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core
from ._arrays import as_samples
from ._options import n_threads


def report(
    model: _core.Model,
    path: str | os.PathLike[str],
    X: Any = None,
    *,
    trace: Any = (),
    title: str = "",
    feature_names: Sequence[str] | None = None,
    sample_names: Iterable[Any] | None = None,
    labels: Iterable[Any] | None = None,
    n_jobs: int | None = None,
) -> None:
    """Writes a page that shows the model, one HTML file that loads nothing: `Model.report`."""
    # A DataFrame knows its names.
    if feature_names is None and hasattr(X, "columns"):
        feature_names = [str(name) for name in X.columns]
    if sample_names is None and hasattr(X, "columns") and hasattr(X, "index"):
        sample_names = X.index
    records = list(trace.get("iterations", ()) if isinstance(trace, dict) else trace)
    words = {
        "title": title,
        "feature_names": [] if feature_names is None else [str(name) for name in feature_names],
        "sample_names": [] if sample_names is None else [str(name) for name in sample_names],
        "sample_labels": [] if labels is None else [str(label) for label in labels],
    }
    samples = None if X is None else as_samples(X)
    _core.write_report(model, os.fspath(path), samples, records, words, n_threads(n_jobs))


def _png(pixels):
    """The bytes of a grey PNG."""
    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.clip(0, 255).round().astype("uint8"))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def repr_html(model: _core.Model) -> str:
    """A mosaic of atoms and filters with a line of numbers, for notebooks."""
    description = json.loads(model.describe_json())
    outcome = description["outcome"]
    picture = base64.b64encode(_png(model.mosaic(zoom=1))).decode("ascii")
    text = (
        f"{model.n_atoms} atoms of {model.n_features} features and their dual, from {description['data']['n_samples']} "
        f"samples; {outcome['name']} after {outcome['iterations']} iterations, E = {outcome['energy']['total']:.4g}, "
        f"{outcome['nonzeros_per_code']:.3g} nonzeros per code, duality gap {outcome['duality_gap']:.2g}, "
        + ("dead atoms not counted" if outcome["dead_atoms"] is None else f"{outcome['dead_atoms']} dead atoms")
    )
    return (
        f'<figure style="margin:0"><img alt="Left the atoms, right the filters, most used first" '
        f'style="max-width:100%;image-rendering:pixelated" src="data:image/png;base64,{picture}">'
        f'<figcaption style="font-size:90%">{html.escape(text)}</figcaption></figure>'
    )
