# SPDX-License-Identifier: BSD-3-Clause
"""Encoders as ONNX models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._functions import make_encoder
from ._options import MODES

if TYPE_CHECKING:
    import onnx

_OPSET = 17  # understood by every onnxruntime since 1.12
_IR_VERSION = 8


class _Graph:
    """A graph under construction: nodes in order, constants in the model's precision."""

    def __init__(self, onnx, dtype):
        self._onnx = onnx
        self.dtype = np.dtype(dtype)
        self.type = onnx.helper.np_dtype_to_tensor_dtype(self.dtype)
        self.nodes = []
        self.constants = []

    def constant(self, values):
        name = f"c{len(self.constants)}"
        array = np.ascontiguousarray(values, dtype=self.dtype)
        self.constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, kind, *inputs, **attributes):
        """Appends a node; inputs are names or numbers. Returns the name of its output."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        output = f"v{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(kind, names, [output], **attributes))
        return output

    def product(self, x, weights):
        """x weights', rows of x being samples."""
        return self.add("MatMul", x, np.asarray(weights).T)


def _preprocess(graph, x, model):
    steps = json.loads(model.describe_json())["transform"]
    if steps["scale"] != 1:
        x = graph.add("Div", x, steps["scale"])
    if steps["center_features"]:
        x = graph.add("Sub", x, model.feature_means[None, :])
    if steps["center_samples"]:
        x = graph.add("Sub", x, graph.add("ReduceMean", x, axes=[1], keepdims=1))
    if steps["unit_norm"]:
        norm = graph.add("ReduceL2", x, axes=[1], keepdims=1)
        # A zero sample stays zero.
        x = graph.add("Div", x, graph.add("Max", norm, np.finfo(graph.dtype).tiny))
    if model.offset.size:
        x = graph.add("Sub", x, model.offset[None, :])
    return x


def _soft_threshold(graph, v, threshold, positive):
    """S_t(v), without the sign where codes are not negative."""
    if positive:
        return graph.add("Relu", graph.add("Sub", v, threshold))
    excess = graph.add("Relu", graph.add("Sub", graph.add("Abs", v), threshold))
    return graph.add("Mul", graph.add("Sign", v), excess)


def _shrink(graph, x, v, model, encoder, tau_shift):
    """u_j = g_j S_{t_j (1 + k_j n)}(v_j), n the norm of x relative to the training mean."""
    gain, growth = (encoder[name].astype(np.float64)[None, :] for name in ("gain", "growth"))
    threshold = np.maximum(0, encoder["threshold"].astype(np.float64) + encoder["tau_slope"] * tau_shift)[None, :]
    norm = graph.add("Mul", graph.add("ReduceL2", x, axes=[1], keepdims=1), 1 / model.mean_norm)
    moved = graph.add("Add", graph.add("Mul", norm, threshold * growth), threshold)
    return graph.add("Mul", _soft_threshold(graph, v, moved, model.positive_codes), gain)


def _linear(graph, x, model, tau, eta, number, level):
    return graph.product(x, model.dual)


def _sparse(graph, x, model, tau, eta=None, number=None, level=None):
    encoder = _fitted(model, "sparse")
    return _shrink(graph, x, graph.product(x, encoder["weights"]), model, encoder, tau - model.tau)


def _corrected(graph, x, model, tau, eta, number, level):
    encoder = _fitted(model, "corrected")
    first = _sparse(graph, x, model, model.tau)
    v = graph.add("Add", graph.product(x, encoder["weights"]), graph.product(first, encoder["feedback"]))
    return _shrink(graph, x, v, model, encoder, tau - model.tau)


def _refine(graph, x, model, tau, eta, steps, level):
    """u <- S_{lambda/L}(u + (b - H u)/L), from the sparse code."""
    D, C = model.components.astype(np.float64), model.dual.astype(np.float64)
    K, d = D.shape
    step = 1 / model.refine_curvature(eta)
    gram = step * (D @ D.T / d + (eta + model.mu) / K * np.eye(K))
    linear = graph.product(x, step * (D / d + eta / K * C))
    u = _sparse(graph, x, model, tau)
    for _ in range(steps):
        moved = graph.add("Sub", graph.add("Add", u, linear), graph.product(u, gram))
        u = _soft_threshold(graph, moved, step * tau / K, model.positive_codes)
    return u


def _hard(graph, x, model, tau, eta, number, level):
    """z = C x + c where |z| (z itself, where codes are not negative) is above the level, 0 elsewhere."""
    z = graph.add("Add", graph.product(x, model.dual), _fitted(model, "hard")["bias"][None, :])
    size = z if model.positive_codes else graph.add("Abs", z)
    return graph.add("Where", graph.add("Greater", size, level), z, 0.0)


# How each mode of the table that can be a graph is one.
_GRAPHS = {"linear": _linear, "sparse": _sparse, "corrected": _corrected, "refine": _refine, "hard": _hard}


def _fitted(model, mode):
    encoder = model.fitted_encoder(mode)
    if encoder is None:
        raise ValueError(f"mode {mode}: the model has no fitted encoder for it; use mode linear")
    return encoder


def to_onnx(
    model: _core.Model, mode: str | None = None, *, tau: float | None = None, eta: float | None = None,
    nonzeros: float | None = None,
) -> onnx.ModelProto:
    """The encoder of a model as an ONNX model, which runs wherever onnxruntime does.

    Needs the package `onnx`. The input `X` of shape (n, n_features) holds raw samples in the precision of the model, the
    preprocessing is part of the graph; the output `codes` has shape (n, n_components).

    Parameters
    ----------
    model : Model
    mode : str, optional
        A mode that is a fixed sequence of products; the others are refused with the reason. `exact` has no such form:
        refine:k comes near it. By default "sparse", or "hard" for a model of penalty "l0". The codes are those of `encode`
        with debias=False.
    tau, eta : float, optional
        As in `encode`.
    nonzeros : float, optional
        As in `encode`, for the mode "hard".

    Returns
    -------
    onnx.ModelProto

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, tau=0.5)
    >>> graph = dualdict.to_onnx(model, "refine:3")
    >>> import onnxruntime
    >>> session = onnxruntime.InferenceSession(graph.SerializeToString())
    >>> codes, = session.run(None, {"X": X})
    >>> bool(np.allclose(codes, dualdict.encode(model, X, "refine:3", debias=False), atol=1e-5))
    True
    """
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs the package onnx: pip install onnx") from None
    mode = mode or ("hard" if model.penalty == "l0" else "sparse")
    name, number = _core.check_mode(mode)
    row = MODES[name]
    if row["no_graph"]:
        raise ValueError(f"mode {mode}: {row['no_graph']}")
    if tau is not None and not row["takes_tau"]:
        raise ValueError(f"mode {mode}: its codes are not made with a tau")
    if nonzeros is not None and name != "hard":
        raise ValueError(f"nonzeros {nonzeros}: is for the mode hard; give tau")
    if eta is not None and not row["takes_eta"]:
        raise ValueError(f"eta {eta}: mode {mode} takes no other eta than the model's")
    tau = model.tau if tau is None else float(tau)
    eta = model.eta if eta is None else float(eta)
    graph = _Graph(onnx, model.dtype)
    x = _preprocess(graph, "X", model)
    level = None
    if name == "hard":
        _fitted(model, name)
        level = make_encoder(
            model, mode, tau=None, nonzeros=nonzeros, eta=None, debias=None, n_jobs=1, sample=None
        ).level
    codes = _GRAPHS[name](graph, x, model, tau, eta, number, level)
    return _finish(onnx, graph, codes, model, mode)


def _finish(onnx, graph, codes, model, mode):
    make = onnx.helper
    graph.nodes.append(make.make_node("Identity", [codes], ["codes"]))
    proto = make.make_model(
        make.make_graph(
            graph.nodes, f"dualdict {mode}",
            [make.make_tensor_value_info("X", graph.type, ["n", model.n_features])],
            [make.make_tensor_value_info("codes", graph.type, ["n", model.n_atoms])],
            graph.constants,
        ),
        opset_imports=[make.make_opsetid("", _OPSET)], ir_version=_IR_VERSION, producer_name="dualdict",
        producer_version=_core.__version__,
    )
    onnx.checker.check_model(proto)
    return proto
