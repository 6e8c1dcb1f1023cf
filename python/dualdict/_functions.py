# SPDX-License-Identifier: BSD-3-Clause
"""Learning, encoding and checking without an estimator."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _learning
from ._arrays import as_rows, as_samples, blocks_of, precision_of
from ._options import MODES, PREPROCESS, as_texts, n_threads, preprocess, seed_of
from ._ranks import Ranks
from ._record import Record

# As many samples as the library looks at when it seeks the tau of a wanted number of nonzeros.
_SPREAD = 1000


def learn(
    X: ArrayLike | str | os.PathLike[str] | list[str | os.PathLike[str]],
    n_components: int | None = None,
    tau: float | None = None,
    *,
    patches: tuple[int, int] | None = None,
    n_patches: int = 100000,
    stride: int | None = None,
    grey: bool = False,
    dict_init: ArrayLike | None = None,
    dual_init: ArrayLike | None = None,
    validation: ArrayLike | None = None,
    callback: Callable[[Record], Any] | None = None,
    verbose: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    communicator: Any = None,
    **options: Any,
) -> tuple[_core.Model, Record]:
    """Learn a dictionary and its dual.

    Minimises E = 1/d |X - D U|^2 + eta/K |U - C X|^2 + 2 tau/K sum|U| + mu/K |U|^2 over the dictionary D, the dual C
    and the codes U, with atoms and filters in the unit ball. The same data, options and `random_state` give the same
    model, bit for bit, as `dualdict learn` with `--seed`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), or path or list of paths
        float32 or float64; other arrays and sparse matrices are converted. Paths are matrix files (npy, npz, csv, IDX),
        their rows one after the other, or images and folders of them with `patches`.
    n_components : int
        Number of atoms K; by default that of `dict_init`.
    patches : (height, width), optional
        The samples are `n_patches` random patches of this size, drawn with `random_state`, in the images' colours.
    stride : int, optional
        All patches instead, so many pixels apart, row by row.
    grey : bool
        Images are read as grey ones.
    tau : float, optional
        Weight of sparsity; see also the option `nonzeros`.
    dict_init, dual_init : array of shape (n_components, n_features), optional
        Where to start. By default random samples, and the dual equal to the dictionary.
    validation : array, optional
        Unseen samples on which the ways of encoding are measured.
    callback : callable, optional
        Called with a `Record` after every iteration; a true result stops the fit.
    verbose : int
        1 shows progress on standard error, 2 also messages.
    checkpoint : path, optional
        A file that is written now and then. When it is there, a fit of the same samples and options that was killed goes
        on from it and ends with the same bits.
    communicator : mpi4py communicator, optional
        Its processes learn together, all with the same options and each from samples of its own. All return the model; rank
        0 alone fits its encoders, draws progress and writes the checkpoint. The bits are those of `mpirun dualdict learn`
        on the same shares. When one process raises, all do.
    **options
        Every option of docs/options.md by its Python name (`eta`, `max_iter`, `random_state`, ...), and the preprocessing
        that becomes part of the model: `scale` (a number, or "unit"), `center_samples`, `center_features`.

    Returns
    -------
    (Model, Record)
        The model, and how the fit ended.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, summary = dualdict.learn(X, 12, tau=0.5, random_state=1)
    >>> model.components.shape, model.dual.dtype
    ((12, 8), dtype('float32'))
    >>> summary.energy.total < summary.iterations[0].energy.total
    True
    """
    shared: dict[str, Any] = {}  # what all processes must agree on

    def work(ranks=None):
        seed = seed_of(options.get("random_state", 0))
        samples = _samples_of(X, patches, lambda: cut_of(patches, n_patches, seed, stride, grey))
        values, steps = _values_of({**options, "random_state": seed}, n_components, tau, dict_init)
        if ranks is not None:
            shared.update(as_texts(values), **steps, n_features=n_features_of(samples))
            shared.pop("n_jobs", None)
        return lambda: _learning.run(
            samples, values, steps, dict_init=dict_init, dual_init=dual_init,
            validation=None if validation is None else as_samples(validation, "validation"),
            callback=callback, verbose=verbose if ranks is None or ranks.rank == 0 else 0, checkpoint=checkpoint, ranks=ranks,
        )

    model, records, raised = work()() if communicator is None else _together(communicator, work, shared)
    if raised is not None:
        raise raised
    return model, _learning.summary_of(model, records)


def _together(communicator, work, shared):
    """The work of all processes of an mpi4py communicator; what one raises reaches all."""
    ranks = Ranks(communicator)
    try:
        run, raised = _attempt(lambda: work(ranks))
        ranks.together(raised)
        ranks.require_same(shared)
        result, raised = _attempt(run)
        ranks.together(result[2] if raised is None else raised)
        return result
    finally:
        ranks.close()


def _attempt(call):
    """(what it returns, None), or (None, what it raises)."""
    try:
        return call(), None
    except Exception as error:
        return None, error


def n_features_of(samples):
    return samples.n_features if isinstance(samples, _core.Source) else samples.shape[1]


def _samples_of(X, patches, cut):
    if is_path(X) or (isinstance(X, (list, tuple)) and len(X) > 0 and all(is_path(path) for path in X)):
        return open_files(X, cut())
    if patches is not None:
        raise ValueError("patches: are cut out of images, whose paths X must be")
    return as_samples(X)


def _values_of(options, n_components, tau, dict_init):
    """The options of the table as they are set, and the preprocessing."""
    values = dict(options)
    if n_components is None and dict_init is not None:
        n_components = np.shape(dict_init)[0]
    steps = {name: values.pop(name, default) for name, default in PREPROCESS.items()}
    values.update(
        n_components=n_components,
        tau=tau,
        n_jobs=n_threads(values.get("n_jobs")),
    )
    return values, preprocess(**steps)


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def open_files(inputs, cut):
    """The samples of one path or of several, or patches of the images there."""
    paths = [inputs] if is_path(inputs) else inputs
    return _core.Source([os.fspath(path) for path in paths], cut)


def cut_of(patches, n_patches, seed, stride, grey, n_features=0):
    """How to cut patches, in the colours that a model wants: n_features > 0 says which."""
    if patches is None:
        if stride is not None or grey:
            raise ValueError("stride, grey: need patches, which says how to cut samples out of images")
        return None
    if stride is not None and stride < 1:
        raise ValueError(f"stride: {stride} is not allowed: a whole number >= 1")
    height, width = patches
    channels = 1 if grey else n_features // (height * width) if n_features % (height * width) == 0 else 0
    return [height, width, n_patches, seed, stride or 0, channels]


def fit_dual(D: ArrayLike, X: ArrayLike, tau: float | None = None, **options: Any) -> tuple[_core.Model, Record]:
    """The dual of a dictionary made elsewhere.

    The dictionary stays as it is; its dual, the codes and the encoders are learned. Afterwards `encode` codes new samples
    with one product instead of a lasso per sample.

    Parameters
    ----------
    D : array of shape (n_components, n_features)
        An atom a row, of norm at most 1: `components_` of scikit-learn as it is, the matrix of SPAMS transposed, the
        decoder of a sparse autoencoder with rows of norm 1.
    X : array of shape (n_samples, n_features)
    tau, **options
        As in `learn`. The lambda of scikit-learn (`alpha`) and SPAMS is tau d/K with eta=0.

    Returns
    -------
    (Model, Record)

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> random = np.random.default_rng(0)
    >>> D = random.standard_normal((12, 8))
    >>> D /= np.linalg.norm(D, axis=1, keepdims=True)
    >>> model, summary = dualdict.fit_dual(D, random.standard_normal((300, 8)), tau=0.5, dtype="float64")
    >>> bool(np.allclose(model.components, D))
    True
    """
    return learn(X, tau=tau, dict_init=D, keep_dict=True, **options)


def encode(
    model: _core.Model,
    X: ArrayLike,
    mode: str | None = None,
    *,
    tau: float | None = None,
    nonzeros: float | None = None,
    eta: float | None = None,
    max_error: float | None = None,
    debias: bool | None = None,
    n_jobs: int | None = None,
    out: NDArray | None = None,
    output: str = "dense",
) -> Any:
    """The codes of samples.

    Parameters
    ----------
    model : Model
    X : array or sparse matrix of shape (n_samples, n_features)
        float32 and float64 are taken as they are, float16 and sparse rows converted a block at a time.
    mode : {modes}, optional
        From one product to the minimiser of E with its certificate; what each buys is in the model's encoding table. By
        default "greedy" for a model that was learned with `nonzeros`, "sparse" for one with `tau`.
    tau, nonzeros, eta : float, optional
        Another sparsity than that of the model: its weight, or the wanted nonzeros per code on average; eta in modes
        that take it.
    max_error : float, optional
        The sparsest code on the way of orthogonal matching pursuit with |x - D u| no larger, after the model's
        preprocessing: mode "omp:k", whose k is the most nonzeros; without a mode as many as there are features.
    debias : bool, optional
        Least squares with the dictionary on the support of each code; by default yes for codes that the l1 penalty
        shrinks ("sparse", "corrected", "refine:k", "exact").
    n_jobs : int, optional
        Threads; they change no bit of the result.
    out : array of shape (n_samples, n_components), optional
        Where to put the codes, of the dtype of X.
    output : {"dense", "csr"}
        With "csr" a `scipy.sparse.csr_matrix`, made some rows at a time: the codes are never dense as a whole.

    Returns
    -------
    array or csr_matrix of shape (n_samples, n_components), of the dtype of X

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, tau=0.5)
    >>> bool(np.allclose(dualdict.encode(model, X, "linear"), X @ model.dual.T, atol=1e-5))
    True
    >>> exact = dualdict.encode(model, X, "exact", nonzeros=3)
    >>> 2.8 < float((exact != 0).sum(axis=1).mean()) < 3.2
    True
    """
    X = as_rows(X)
    encoder = make_encoder(model, mode, tau=tau, nonzeros=nonzeros, eta=eta, max_error=max_error, debias=debias, n_jobs=n_jobs,
                           sample=X)
    if output != "dense":
        return compressed_codes(encoder, X, model.n_atoms, output, out)
    if out is None:
        out = np.empty((X.shape[0], model.n_atoms), precision_of(X))
    elif isinstance(X, np.ndarray) and np.may_share_memory(X, out):
        X = X.copy()  # codes are written while other samples are still to be read
    for rows, place in blocks_of(X):
        encoder.encode(rows, out[place])
    return out


if encode.__doc__:  # python -OO has none
    encode.__doc__ = encode.__doc__.replace("{modes}", "{" + ", ".join(f'"{row["form"]}"' for row in MODES.values()) + "}")


def compressed_codes(encoder, X, n_atoms, output="csr", out=None):
    """The codes of `as_rows(X)` as a csr_matrix."""
    if output != "csr":
        raise ValueError(f"output: {output!r} is not allowed: 'dense' or 'csr'")
    if out is not None:
        raise ValueError("out: is for dense codes; leave it out with output='csr'")
    from scipy import sparse

    parts = [sparse.csr_matrix((0, n_atoms), dtype=precision_of(X))]
    for rows, _ in blocks_of(X, always=True):
        codes = np.empty((len(rows), n_atoms), rows.dtype)
        encoder.encode(rows, codes)
        parts.append(sparse.csr_matrix(codes))
    return sparse.vstack(parts, format="csr")


def make_encoder(model, mode, *, tau, nonzeros, eta, debias, n_jobs, sample, max_error=None):
    """A ready encoder; `sample` serves to find the tau of a wanted number of nonzeros where a mode needs samples."""
    mode = mode or ("" if max_error is not None else model.default_mode)  # "": the library chooses
    if nonzeros is None:
        sample = None
    elif sample is not None:
        n = sample.shape[0]
        rows = np.arange(_SPREAD) * n // _SPREAD if n > _SPREAD else slice(None)
        sample = np.ascontiguousarray(as_samples(sample[rows]), dtype=np.float64)
    options = {
        "mode": mode, "tau": tau, "nonzeros": nonzeros, "eta": eta, "max_error": max_error,
        "debias": None if debias is None else bool(debias),
        "n_threads": n_threads(n_jobs),
    }
    return _core.Encoder(model, options, sample)


def score(
    model: _core.Model,
    X: ArrayLike,
    mode: str | None = None,
    *,
    absolute: bool = False,
    tau: float | None = None,
    nonzeros: float | None = None,
    eta: float | None = None,
    debias: bool | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """The reconstruction error of every sample, as `dualdict score` prints it.

    |x - decoded u| / |x| after the model's preprocessing, u the code of x and decoded as codes of its kind are. Samples
    unlike those that the model learned from have large ones.

    Parameters
    ----------
    absolute : bool
        |x - decoded u| instead.
    model, X, mode, tau, nonzeros, eta, debias, n_jobs
        As in `encode`.

    Returns
    -------
    array of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8))
    >>> model, _ = dualdict.learn(X, 12, tau=0.05)
    >>> errors = dualdict.score(model, X)
    >>> errors.shape, bool(errors.mean() < 0.3)
    ((300,), True)
    """
    X = as_rows(X)
    encoder = make_encoder(model, mode, tau=tau, nonzeros=nonzeros, eta=eta, debias=debias, n_jobs=n_jobs, sample=X)
    errors = np.empty(X.shape[0])
    for rows, place in blocks_of(X):
        encoder.score(rows, errors[place], not absolute)
    return errors


def encode_files(
    model: _core.Model,
    inputs: str | os.PathLike[str] | list[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    mode: str | None = None,
    *,
    patches: tuple[int, int] | None = None,
    n_patches: int = 100000,
    seed: int = 0,
    stride: int | None = None,
    grey: bool = False,
    compressed: bool = False,
    half: bool = False,
    tau: float | None = None,
    nonzeros: float | None = None,
    eta: float | None = None,
    debias: bool | None = None,
    n_jobs: int | None = None,
) -> None:
    """Codes of samples in files, in constant memory, as `dualdict encode` writes them.

    Parameters
    ----------
    inputs : path or list of paths
        Matrix files (npy, npz, csv, IDX), their rows one after the other; with `patches` images or folders of them.
    output : path
        A file of one code a row, in the precision of the model. It appears whole or not at all.
    patches : (height, width), optional
        The samples are `n_patches` random patches of this size, drawn with `seed`, grey or coloured as those that the
        model learned from.
    stride : int, optional
        All patches instead, so many pixels apart, row by row: the codes of a whole image with their places.
    grey : bool
        Images are read as grey ones.
    compressed : bool
        Write compressed rows (npz) that `scipy.sparse.load_npz` reads.
    half : bool
        Write numbers in half precision (float16).
    model, mode, tau, nonzeros, eta, debias, n_jobs
        As in `encode`.

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, _ = dualdict.learn(X, 12, tau=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(os.path.join(folder, "x.npy"), X)
    ...     dualdict.encode_files(model, os.path.join(folder, "x.npy"), os.path.join(folder, "codes.npy"))
    ...     bool((np.load(os.path.join(folder, "codes.npy")) == dualdict.encode(model, X)).all())
    True
    """
    source = open_files(inputs, cut_of(patches, n_patches, seed, stride, grey, model.n_features))
    sample = None if nonzeros is None else source.spread(_SPREAD)
    encoder = make_encoder(model, mode, tau=tau, nonzeros=nonzeros, eta=eta, debias=debias, n_jobs=n_jobs, sample=sample)
    encoder.encode_files(source, os.fspath(output), bool(compressed), bool(half))


def decode(model: _core.Model, codes: ArrayLike, mode: str | None = None, *, debias: bool | None = None) -> NDArray:
    """Samples from codes.

    Parameters
    ----------
    model : Model
    codes : array of shape (n_samples, n_components)
    mode, debias
        Those that made the codes, as in `encode`: debiased codes are decoded with the dictionary, others with the decoder
        fitted to them where the mode has one (`sparse`, `corrected`, `hard`).

    Returns
    -------
    array of shape (n_samples, n_features), of the dtype of the codes, with the model's preprocessing undone

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8))
    >>> model, _ = dualdict.learn(X, 12, tau=0.05)
    >>> restored = dualdict.decode(model, dualdict.encode(model, X))
    >>> bool(np.linalg.norm(X - restored) < 0.3 * np.linalg.norm(X))
    True
    """
    codes = as_samples(codes, "codes")
    samples = np.empty((codes.shape[0], model.n_features), codes.dtype)
    _core.decode(model, codes, samples, mode or model.default_mode, None if debias is None else bool(debias))
    return samples


def tau_max(
    X: ArrayLike,
    dictionary: ArrayLike,
    dual: ArrayLike | None = None,
    *,
    coding: float | None = None,
    eta: float | None = None,
) -> float:
    """The smallest tau with which every code is zero: max |(K/d) D'X + eta C X|.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), preprocessed as the model would
    dictionary : array of shape (n_components, n_features)
    dual : array of the same shape, optional
        By default the dictionary, with which learning starts.
    coding, eta : float, optional
        The weight of coding as in `learn`, with the same default; for the codes of a model its `eta`.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    >>> model, summary = dualdict.learn(X, 12, tau=0.5)
    >>> bool(np.isclose(dualdict.tau_max(X, model.components, model.dual, eta=model.eta), summary.tau_max, rtol=1e-5))
    True
    """
    X = as_samples(X)
    dictionary = as_samples(dictionary, "dictionary")
    dual = dictionary if dual is None else as_samples(dual, "dual")
    if dictionary.shape != dual.shape or dictionary.shape[1] != X.shape[1]:
        raise ValueError(
            f"dictionary {dictionary.shape} and dual {dual.shape}: must have one shape, "
            f"with the {X.shape[1]} features of X"
        )
    n_components, n_features = dictionary.shape
    options = as_texts({"n_components": n_components, "coding": coding, "eta": eta})
    weights = dictionary * (n_components / n_features) + _core.resolve_eta(options, n_features) * dual
    largest = 0.0
    for first in range(0, X.shape[0], 4096):
        largest = max(largest, float(np.abs(X[first:first + 4096] @ weights.T).max()))
    return largest


def load_model(path: str | os.PathLike[str]) -> _core.Model:
    """Reads a model file, made here or by the command.

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> X = np.random.default_rng(0).standard_normal((300, 8))
    >>> model, _ = dualdict.learn(X, 12, tau=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     model.save(path)
    ...     bool((dualdict.load_model(path).dual == model.dual).all())
    True
    """
    path = os.fspath(path)
    os.stat(path)  # a missing file is what Python users know it as
    return _core.Model.load(path)


def generate_images(n_images: int, size: int, seed: int = 0) -> list[NDArray[np.float32]]:
    """Images of overlapping discs, whose patches have the statistics of natural images.

    Returns
    -------
    list of arrays of shape (size, size), float32, values 0..255

    Examples
    --------
    >>> import dualdict
    >>> image, = dualdict.generate_images(1, 64)
    >>> image.shape, bool(image.min() >= 0 and image.max() <= 255)
    ((64, 64), True)
    """
    return _core.generate_images(n_images, size, seed)


def write_png(path: str | os.PathLike[str], pixels: ArrayLike) -> None:
    """Writes a grey picture; values are clamped to 0..255. `model.mosaic()` is such a picture.

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dualdict.write_png(os.path.join(folder, "noise.png"), np.random.default_rng(0).uniform(0, 255, (8, 8)))
    ...     os.listdir(folder)
    ['noise.png']
    """
    _core.write_png(os.fspath(path), np.ascontiguousarray(pixels, dtype=np.float32))


def verify(model: _core.Model, X: ArrayLike, *, n_jobs: int | None = None) -> Record:
    """Checks a model on samples with plain double-precision code that shares nothing with the learner.

    Returns
    -------
    Record
        The energy of exact codes, their duality gap, the largest norms of atoms and filters.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> X = np.random.default_rng(0).standard_normal((300, 8))
    >>> model, summary = dualdict.learn(X, 12, tau=0.5)
    >>> check = dualdict.verify(model, X)
    >>> check.max_atom_norm <= 1 + 1e-6 and abs(check.energy.total / summary.energy.total - 1) < 1e-5
    True
    """
    return Record.of(_core.verify(model, as_samples(X), n_threads(n_jobs)))
