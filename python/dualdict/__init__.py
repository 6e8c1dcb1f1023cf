# SPDX-License-Identifier: BSD-3-Clause
"""Sparse dictionaries that come with their encoder.

Learning minimises, over the dictionary D, its dual C and the codes U of the samples X (d features, K atoms),

    E = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2,    |d_i| <= 1, |c_i| <= 1

so that new samples are coded by a matrix product instead of an optimisation per sample.

>>> import numpy as np
>>> import dualdict
>>> X = np.random.default_rng(0).standard_normal((500, 16)).astype(np.float32)
>>> model, summary = dualdict.learn(X, n_components=24, tau=0.5)
>>> summary.outcome
'CONVERGED'
>>> dualdict.encode(model, X[:3]).shape
(3, 24)
"""

import importlib
from typing import TYPE_CHECKING

from ._core import Model, __version__  # type: ignore[attr-defined]
from ._exchange import audit, compare, export_model, import_model
from ._blocks import BlockFit, add_statistics, block_statistics
from ._functions import (
    decode, encode, encode_files, fit_dual, generate_images, learn, load_model, score, tau_max, verify, write_png,
)
from ._images import denoise, estimate_noise, read_image
from ._onnx import to_onnx
from ._record import Record
from ._search import Searcher, build_index

if TYPE_CHECKING:
    from ._estimator import DualDictionaryLearning
    from ._patch_coder import PatchCoder

__all__ = [
    "BlockFit",
    "DualDictionaryLearning",
    "Model",
    "PatchCoder",
    "Record",
    "Searcher",
    "__version__",
    "add_statistics",
    "audit",
    "block_statistics",
    "build_index",
    "compare",
    "decode",
    "denoise",
    "encode",
    "encode_files",
    "estimate_noise",
    "export_model",
    "fit_dual",
    "generate_images",
    "import_model",
    "learn",
    "load_model",
    "read_image",
    "score",
    "tau_max",
    "to_onnx",
    "verify",
    "write_png",
]


# scikit-learn takes most of a second to import: only who asks for what needs it waits for it.
_WITH_SKLEARN = {"DualDictionaryLearning": "_estimator", "PatchCoder": "_patch_coder"}


def __getattr__(name):
    if name in _WITH_SKLEARN:
        try:
            return getattr(importlib.import_module(f".{_WITH_SKLEARN[name]}", __name__), name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != "sklearn":
                raise
            raise ImportError(
                f"{name} needs scikit-learn, which is not installed: pip install 'dualdict[sklearn]'; "
                "the functions of dualdict do without it"
            ) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
