# SPDX-License-Identifier: BSD-3-Clause
"""The estimator for scikit-learn."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _learning
from ._arrays import as_start
from ._fitted import Fitted, parameter_docs, preprocessed, warn_of
from ._functions import compressed_codes, decode, load_model, make_encoder
from ._onnx import to_onnx
from ._options import MODES, PREPROCESS, TABLE, as_texts, n_threads, preprocess, seed_of
from ._record import Record
from ._report import report

if TYPE_CHECKING:
    import onnx

_FLOATS = (np.float64, np.float32)
_PLAIN = frozenset(map(np.dtype, _FLOATS))


class DualDictionaryLearning(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A sparse dictionary and its encoder.

    Finds the dictionary D (d x K), its dual C (K x d) and the codes U of the samples X (d x N) that minimise

        E = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2,    |d_i| <= 1, |c_i| <= 1

    so that `transform` costs one matrix product. The same data, parameters and `random_state` give the same model, bit
    for bit, as `dualdict learn` with `--seed`, for any number of threads.

    Parameters
    ----------
    {parameters}
    encode : str, default=None
        How `transform` encodes: "linear" (C x), "sparse" (one product, gain and threshold), "corrected" (two products),
        "refine:k" (k proximal steps more), "exact" (the minimiser), "greedy" (atom by atom while it is worth a price),
        "omp:k" (k atoms for every sample) or, after penalty="l0", "hard" (one product, one threshold) and "topk:k" (its k
        largest for every sample). What each buys is in
        `encoding_table_`. None: "greedy" after a fit with `nonzeros`, which leaves least; "sparse" after one with `tau`.
    encode_tau, encode_nonzeros, encode_eta : float, default=None
        Another sparsity for `transform` than that of the fit: its weight, or the wanted nonzeros per code on average;
        `encode_eta` for "refine:k" and "exact" only.
    debias : bool, default=None
        Least squares with the dictionary on the support of each code. None: yes in "sparse", "corrected", "refine:k" and
        "exact", whose codes the l1 penalty shrinks.
    dict_init, dual_init : array of shape (n_components, n_features), default=None
        Where to start. By default random samples, and the dual equal to the dictionary.
    scale : float or "unit", default=1.0
        Divide every value by this; "unit" divides each sample by its norm. Part of the model, as the next two.
    center_samples : bool, default=False
        Subtract from each sample the mean of its values.
    center_features : bool, default=False
        Subtract the mean of the training samples.
    verbose : int, default=0
        1 shows progress on standard error, 2 also messages.
    callback : callable, default=None
        Called with a `Record` after every iteration; a true result stops the fit.
    checkpoint : path, default=None
        A file that is written now and then. When it is there, a `fit` of the same samples and parameters that was killed
        goes on from it and ends with the same bits.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The dictionary, an atom a row.
    dual_ : array of shape (n_components, n_features)
        The encoder, a filter a row.
    n_iter_ : int
    summary_ : Record
        How the fit ended, its energy, its certificate and its iterations.
    encoding_table_ : list of Record
        Each way of encoding, measured on held-out samples.
    model_ : Model
        What `save` writes.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        Where X has names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from dualdict import DualDictionaryLearning
    >>> X = load_digits().data
    >>> learner = DualDictionaryLearning(n_components=80, nonzeros=10, scale=16, max_iter=50, tol=1e-3).fit(X)
    >>> codes = learner.transform(X)
    >>> codes.shape
    (1797, 80)
    >>> bool(learner.score(X) > 0.85)
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        tau: float | None = None,
        *,
        penalty: str = "auto",
        nonzeros: float | None = None,
        coding: float | None = None,
        eta: float | None = None,
        mu: float = 0.0,
        positive_code: bool = False,
        positive_dict: bool = False,
        tol: float = 1e-4,
        history: int = 3,
        max_iter: int = 200,
        inner_tol: float = 1e-3,
        time_limit: float = 0.0,
        solver: str = "fast",
        accurate_steps: bool = False,
        keep_dict: bool = False,
        replace_below: int = 1,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0,
        dtype: Any = "float32",
        n_jobs: int | None = None,
        max_memory: int = 0,
        encode: str | None = None,
        encode_tau: float | None = None,
        encode_nonzeros: float | None = None,
        encode_eta: float | None = None,
        debias: bool | None = None,
        dict_init: ArrayLike | None = None,
        dual_init: ArrayLike | None = None,
        scale: float | str = 1.0,
        center_samples: bool = False,
        center_features: bool = False,
        verbose: int = 0,
        callback: Callable[[Record], Any] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ):
        self.n_components = n_components
        self.tau = tau
        self.penalty = penalty
        self.nonzeros = nonzeros
        self.coding = coding
        self.eta = eta
        self.mu = mu
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.tol = tol
        self.history = history
        self.max_iter = max_iter
        self.inner_tol = inner_tol
        self.time_limit = time_limit
        self.solver = solver
        self.accurate_steps = accurate_steps
        self.keep_dict = keep_dict
        self.replace_below = replace_below
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.encode = encode
        self.encode_tau = encode_tau
        self.encode_nonzeros = encode_nonzeros
        self.encode_eta = encode_eta
        self.debias = debias
        self.dict_init = dict_init
        self.dual_init = dual_init
        self.scale = scale
        self.center_samples = center_samples
        self.center_features = center_features
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint

    def fit(self, X: ArrayLike, y: Any = None) -> DualDictionaryLearning:
        """Learn the dictionary and its dual.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Ctrl-C ends the fit and keeps what was learned so far: the estimator is fitted, KeyboardInterrupt is raised. Ways of
        encoding that were not fitted yet are replaced by "exact", with a warning. `summary_` is there even when nothing was
        learned.
        """
        X = validate_data(self, X, dtype=_FLOATS, order="C")
        _core.check_mode(self.encode or "sparse")
        model, records, raised = _learning.run(
            X, self._option_values(X.shape[1]), self._preprocess(), dict_init=self.dict_init, dual_init=self.dual_init,
            callback=self.callback, verbose=self.verbose, checkpoint=self.checkpoint,
        )
        if model is not None:
            self._set_fitted(Fitted(model, records))
            if self.encode_nonzeros is not None:
                self._encoder(sample=X)
        elif not hasattr(self, "_fitted"):
            self._nothing_yet = _learning.nothing_learned()
        if raised is not None:
            raise raised
        warn_of(self.summary_)
        return self

    def partial_fit(self, X: ArrayLike, y: Any = None) -> DualDictionaryLearning:
        """Learn from one block of samples, of any size, and be ready for the next.

        Blocks are put together to pieces of some samples per atom. Each is coded with the dictionary at hand, its sums join
        those of before, which fade, and dictionary and dual step on the sums. However the samples are cut into blocks, the
        same samples give the same bits; a block of one sample costs microseconds. Attributes and codes are those after all
        samples so far: the step with the last few is made when they are asked for. After `fit` it goes on from the
        dictionary found there: with l1, and a warning, where penalty="auto" was l0; not with penalty="l0". `n_iter_` counts
        the steps; `max_iter`, `tol` and `solver` have no part in it.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from dualdict import DualDictionaryLearning
        >>> X = np.random.default_rng(0).standard_normal((900, 8)).astype(np.float32)
        >>> learner = DualDictionaryLearning(12, tau=0.5)
        >>> for block in np.split(X, [10, 500]):
        ...     learner = learner.partial_fit(block)
        >>> learner.transform(X).shape
        (900, 12)
        """
        fitted = self.__dict__.get("_fitted")
        X = validate_data(self, X, dtype=_FLOATS, order="C", reset=fitted is None)
        if fitted is None or fitted.online is None:
            _core.check_mode(self.encode or "sparse")
            fitted = Fitted(online=self._start_online(X.shape[1], fitted))
        fitted.update(X)
        self._set_fitted(fitted)
        return self

    def transform(self, X: ArrayLike, output: str = "dense") -> Any:
        """The codes of samples, by the way of `encode`.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        output : {"dense", "csr"}, default="dense"
            With "csr" a `scipy.sparse.csr_matrix`, made some rows at a time: the codes are never dense as a whole.

        Returns
        -------
        array or csr_matrix of shape (n_samples, n_components), of the dtype of X; a sample's code does not depend on the
        others
        """
        # An array that needs no conversion goes straight to the library, which looks for NaN itself: the general checks
        # take ten times longer than coding a single sample.
        fitted = self.__dict__.get("_plain_features")
        if not (type(X) is np.ndarray and X.dtype in _PLAIN and X.ndim == 2 and X.flags.c_contiguous
                and X.shape[0] > 0 and X.shape[1] == fitted):
            check_is_fitted(self)
            X = validate_data(self, X, dtype=_FLOATS, order="C", reset=False)
        if output != "dense":
            return compressed_codes(self._encoder(sample=X), X, len(self.components_), output)
        codes = np.empty((X.shape[0], len(self.components_)), X.dtype)
        self._encoder(sample=X).encode(X, codes)
        return codes

    def inverse_transform(self, X: ArrayLike) -> NDArray:
        """Samples from codes.

        Parameters
        ----------
        X : array of shape (n_samples, n_components)
            Codes as `transform` makes them with the present `encode`.

        Returns
        -------
        array of shape (n_samples, n_features), with the preprocessing undone where the codes still know it
        """
        check_is_fitted(self)
        return decode(self.model_, np.asarray(X), self.encode, debias=self.debias)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The share of the squared norm of the preprocessed samples that their codes explain.

        1 - |x - decoded|^2 / |x|^2, summed over the samples; 1 is perfect. The errors are those of `dualdict.score` and of
        the command. Compare models at equal nonzeros per code.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=_FLOATS, order="C", reset=False)
        errors = np.empty(X.shape[0])
        self._encoder(sample=X).score(X, errors, False)
        wanted = preprocessed(X.astype(np.float64), self.model_, self.summary_.preprocess)
        total = float(np.sum(wanted**2))
        missed = float(np.sum(errors**2))
        return 1.0 - missed / total if total > 0 else float(missed == 0)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which `load`, `dualdict.load_model` and the command read."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DualDictionaryLearning:
        """An estimator with the model and the options of a model file, made here or by the command."""
        model = load_model(path)
        summary = _learning.summary_of(model)
        given = {name: value for name, value in summary.options_given.items() if name in TABLE}
        given["n_jobs"] = given["n_jobs"] or None
        steps = summary.preprocess
        estimator = cls(
            **given, dict_init=model.components if given["keep_dict"] else None,
            scale="unit" if steps.unit_norm else steps.scale, center_samples=steps.center_samples,
            center_features=steps.center_features,
        )
        estimator.n_features_in_ = model.n_features
        estimator._set_fitted(Fitted(model))
        return estimator

    def to_onnx(self, mode: str | None = None) -> onnx.ModelProto:
        """The encoder as an ONNX model that gives the codes of `transform` without least squares on their support; see
        `dualdict.to_onnx`.

        mode : str, default=None
            Another way of encoding than `encode`.
        """
        check_is_fitted(self)
        mode = mode or self.encode or self.model_.default_mode
        if self.debias:
            raise ValueError("debias: least squares on each support cannot be a graph; set debias=False")
        row = MODES[_core.check_mode(mode)[0]]
        if not row["takes_tau"]:
            return to_onnx(self.model_, mode, nonzeros=self.encode_nonzeros if row["takes_nonzeros"] else None)
        tau = self._encoder(mode).tau
        if self.encode_nonzeros is not None and tau == 0:
            raise ValueError(f"encode_nonzeros {self.encode_nonzeros}: needs thresholds below those of tau 0; give fewer")
        return to_onnx(self.model_, mode, tau=tau, eta=self.encode_eta)

    def report(self, path: str | os.PathLike[str], X: ArrayLike | None = None, *, title: str = "") -> None:
        """Writes a page that shows the model and its fit; opens in any browser, loads nothing.

        X : array of shape (n_samples, n_features), default=None
            Samples to code and show; at most 2000, evenly spread.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        report(self.model_, path, X, trace=self.summary_.iterations, title=title, feature_names=names, n_jobs=self.n_jobs)

    @property
    def components_(self) -> NDArray:
        """The dictionary, an atom a row."""
        return self._checked().components

    @property
    def dual_(self) -> NDArray:
        """The dual, a filter a row."""
        return self._checked().dual

    @property
    def n_iter_(self) -> int:
        """Outer iterations of a fit, or steps of learning from blocks."""
        return self._checked().n_iter

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    @property
    def model_(self) -> _core.Model:
        """The model, as `save` writes it."""
        return self._checked().model

    @property
    def summary_(self) -> Record:
        """How the fit ended, its energy, its certificate and its iterations."""
        fitted = self.__dict__.get("_fitted")
        if fitted is None and "_nothing_yet" in self.__dict__:
            return self._nothing_yet
        return self._checked().summary

    @property
    def encoding_table_(self) -> list[Record]:
        """Each way of encoding, measured on held-out samples."""
        return _learning.encoding_table_of(self._checked().model)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _option_values(self, n_features):
        values = {name: getattr(self, name) for name in TABLE}
        if values["n_components"] is None:
            values["n_components"] = n_features if self.dict_init is None else np.shape(self.dict_init)[0]
        values["n_jobs"] = n_threads(self.n_jobs)
        values["random_state"] = seed_of(self.random_state)
        return values

    def _preprocess(self):
        return preprocess(**{name: getattr(self, name) for name in PREPROCESS})

    def _start_online(self, n_features, fitted):
        """An online learner with these parameters, from where a fit ended if there was one."""
        values = self._option_values(n_features)
        dict_init, dual_init = self.dict_init, self.dual_init
        if fitted is not None and fitted.model.penalty == "l0" and self.penalty == "l0":
            raise ValueError("partial_fit: does not go on from a fit with penalty='l0', whose hard codes start from samples; "
                             "give all blocks to partial_fit of a learner that was not fitted")
        if fitted is not None:
            dict_init, dual_init = fitted.model.components, fitted.model.dual
            values.update(n_components=len(dict_init), penalty="l1")
            if fitted.model.penalty == "l0":
                dual_init = None  # of hard codes
                warnings.warn("partial_fit: goes on with penalty l1 from the dictionary of the fit, whose hard codes start from "
                              "samples; for l0 give all blocks to partial_fit of a learner that was not fitted",
                              UserWarning, stacklevel=3)
            else:
                values.update(tau=fitted.model.tau, nonzeros=None)
        starts = {"dict_init": as_start(dict_init, "dict_init"), "dual_init": as_start(dual_init, "dual_init")}
        return _core.OnlineLearner(as_texts(values), {**self._preprocess(), **starts})

    def _set_fitted(self, fitted):
        self._fitted = fitted
        # The width of samples that need no check of feature names.
        self._plain_features = None if hasattr(self, "feature_names_in_") else self.n_features_in_
        self._found_tau = {}

    def _checked(self):
        fitted = self.__dict__.get("_fitted")
        if fitted is None:
            # As hasattr() and check_is_fitted() expect it of an attribute that is not there.
            raise AttributeError(f"{type(self).__name__} is not fitted yet; call fit first")
        return fitted

    def _encoder(self, mode=None, sample=None):
        """The encoder of these parameters, made once. In modes that find the tau of `encode_nonzeros` on samples it is
        found when it is first wanted and kept until the next fit."""
        mode = mode or self.encode or self.model_.default_mode
        key = (mode, self.encode_tau, self.encode_nonzeros, self.encode_eta, self.debias, self.n_jobs)
        last, encoder = self._fitted.last_encoder
        if last == key:
            return encoder
        mode, tau, nonzeros, eta, debias, n_jobs = key
        search = (mode, nonzeros, eta) if nonzeros is not None and MODES[_core.check_mode(mode)[0]]["needs_sample"] else None
        if tau is None and search in self._found_tau:
            tau, nonzeros = self._found_tau[search], None
        others = {"tau": tau, "nonzeros": nonzeros, "eta": eta, "debias": debias, "n_jobs": n_jobs, "sample": sample}
        try:
            encoder = make_encoder(self.model_, mode, **others)
        except ValueError:
            if mode == "exact" or self.summary_.outcome != "INTERRUPTED":
                raise
            # The exact mode needs no encoder that a fit makes at its end; what else is wrong it says too.
            encoder = make_encoder(self.model_, "exact", **others)
            warnings.warn(f'the fit was interrupted before the encoder "{mode}" was fitted: coding by "exact"', stacklevel=3)
        if search is not None and tau is None:
            self._found_tau[search] = encoder.tau
        self._fitted.last_encoder = (key, encoder)
        return encoder


if DualDictionaryLearning.__doc__:  # python -OO has none
    DualDictionaryLearning.__doc__ = DualDictionaryLearning.__doc__.replace("{parameters}", parameter_docs())
