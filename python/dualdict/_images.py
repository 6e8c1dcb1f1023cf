# SPDX-License-Identifier: BSD-3-Clause
"""Images: read, and cleaned of noise."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._options import n_threads


def _rows(image):
    """Rows of pixels, the channels of a pixel beside each other, and how many these are."""
    image = np.asarray(image)
    if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] not in (1, 3)) or image.size == 0:
        raise ValueError(f"image: shape {image.shape} is not allowed: (height, width) or (height, width, 3)")
    rows = np.ascontiguousarray(image.reshape(len(image), -1), dtype=np.float32)
    return rows, 1 if image.ndim == 2 else image.shape[2]


def denoise(
    image: ArrayLike,
    sigma: float | None = None,
    *,
    model: _core.Model | None = None,
    patches: tuple[int, int] | None = None,
    stride: int | None = None,
    fast: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
) -> NDArray[np.float32]:
    """An image without its noise, as `dualdict denoise` writes it.

    Patches are coded over orthonormal bases that the noisy image itself teaches, and their overlaps averaged; with this
    estimate as a pilot twice again.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, 3)
        Values on any scale, 0 to 255 say.
    sigma : float, optional
        The standard deviation of its noise, white and alike in all channels, on that scale; default `estimate_noise`.
    model : Model, optional
        Its dictionary instead, learned from patches with `center_samples=True`.
    patches : (height, width), optional
        Default (8, 8), of colour images (6, 6), of a model its own.
    stride : int, optional
        Pixels from one patch to the next; default 1, and 2 for `fast`.
    fast : bool
        Fewer patches, bases and passes: a tenth of the time, a little more noise.
    seed : int
        Of the patches to learn from.
    n_jobs : int, optional
        Threads; they change no bit of the result.

    Returns
    -------
    float32 array of the shape of `image`

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> y, x = np.mgrid[:64, :64]
    >>> clean = 128 + 70 * np.sin(x / 5 + y / 9)
    >>> noisy = clean + 20 * np.random.default_rng(0).standard_normal(clean.shape)
    >>> bool(np.std(dualdict.denoise(noisy, 20) - clean) < 0.5 * 20)
    True
    """
    rows, channels = _rows(image)
    height, width = patches or (0, 0)
    if stride is not None and stride < 1:
        raise ValueError(f"stride: {stride} is not allowed: a whole number >= 1")
    options = {
        "sigma": None if sigma is None else float(sigma), "height": height, "width": width, "stride": stride or 0,
        "fast": bool(fast), "seed": int(seed), "n_threads": n_threads(n_jobs),
    }
    return _core.denoise(rows, channels, options, model)[0].reshape(np.shape(image))


def estimate_noise(image: ArrayLike) -> float:
    """The standard deviation of the white noise in an image, from the eigenvalues of the covariance of its patches.

    Fine texture that is everywhere counts as noise.

    Examples
    --------
    >>> import numpy as np, dualdict
    >>> y, x = np.mgrid[:64, :64]
    >>> clean = 128 + 70 * np.sin(x / 5 + y / 9)
    >>> noisy = clean + 20 * np.random.default_rng(0).standard_normal(clean.shape)
    >>> 18 < dualdict.estimate_noise(noisy) < 23
    True
    """
    return _core.estimate_noise(*_rows(image))


def read_image(path: str | os.PathLike[str], grey: bool = False) -> NDArray[np.float32]:
    """A PNG, JPEG, PGM or PPM file as values 0 to 255, of shape (height, width) or (height, width, 3).

    Examples
    --------
    >>> import numpy as np, dualdict, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dualdict.write_png(os.path.join(folder, "a.png"), np.full((4, 5), 7.0))
    ...     dualdict.read_image(os.path.join(folder, "a.png")).shape
    (4, 5)
    """
    pixels, channels = _core.read_image(os.fspath(path), bool(grey))
    return pixels if channels == 1 else pixels.reshape(len(pixels), -1, channels)
