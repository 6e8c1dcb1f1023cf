# SPDX-License-Identifier: BSD-3-Clause
"""Codes of the patches of images as a transformer: feature maps, or maps pooled over a pyramid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._functions import learn, make_encoder
from ._options import seed_of

_POOLING = ("none", "max", "sum")
_BLOCK = 8192  # patches that are coded at a time


def _as_images(images):
    """A list of float32 images with channels last, all of one number of channels."""
    found = [np.asarray(image, dtype=np.float32) for image in images]
    if not found:
        raise ValueError("images: there are none; give an array (n, height, width[, channels]) or a list of images")
    found = [image[..., None] if image.ndim == 2 else image for image in found]
    for i, image in enumerate(found):
        if image.ndim != 3 or image.shape[2] != found[0].shape[2]:
            raise ValueError(f"images: number {i} has shape {image.shape}, the first {found[0].shape}: each must be "
                             "(height, width) or (height, width, channels), with as many channels")
    return found


class PatchCoder(TransformerMixin, BaseEstimator):
    """Learns a dictionary of patches, and turns images into the codes of their patches.

    Parameters
    ----------
    n_components : int
        Atoms.
    patch_size : (height, width)
    stride : int
        Pixels from one patch to the next.
    pooling : {"none", "max", "sum"}
        "none": maps of shape (rows, columns, n_components). "max", "sum": of the magnitudes of the codes in each cell of a
        pyramid, one row of n_components * sum(level**2) features an image; the maps are never stored.
    levels : tuple of int
        Cells of the pyramid along each side.
    tau, nonzeros : float, optional
        As in `learn`.
    mode : str, optional
        As in `encode`.
    n_patches : int
        Random patches to learn from.
    scale : float
        Patches, less their mean, are divided by it.
    random_state, n_jobs, max_iter
        As in `learn`.

    Attributes
    ----------
    model_ : Model
    summary_ : Record

    Examples
    --------
    >>> import dualdict
    >>> images = dualdict.generate_images(4, 32)
    >>> coder = dualdict.PatchCoder(16, patch_size=(6, 6), n_patches=2000, pooling="max", max_iter=5)
    >>> coder.fit_transform(images).shape
    (4, 336)
    >>> coder.set_params(pooling="none", stride=2).transform(images).shape
    (4, 14, 14, 16)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        patch_size: tuple[int, int] = (8, 8),
        stride: int = 1,
        pooling: str = "none",
        levels: tuple[int, ...] = (1, 2, 4),
        tau: float | None = None,
        nonzeros: float | None = None,
        mode: str | None = None,
        n_patches: int = 100000,
        scale: float = 125.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        max_iter: int = 200,
    ) -> None:
        self.n_components = n_components
        self.patch_size = patch_size
        self.stride = stride
        self.pooling = pooling
        self.levels = levels
        self.tau = tau
        self.nonzeros = nonzeros
        self.mode = mode
        self.n_patches = n_patches
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> PatchCoder:
        """Learns from random patches of the images: an array (n, height, width[, channels]) or a list of images."""
        self._check()
        images = [image for image in _as_images(X) if self._has_patches(image)]
        if not images:
            raise ValueError(f"images: none is as large as patch_size={self.patch_size}")
        seed = seed_of(self.random_state)
        self.model_, self.summary_ = learn(
            self._draw(images, np.random.default_rng(seed)), self.n_components, tau=self.tau, nonzeros=self.nonzeros,
            scale=self.scale, center_samples=True, random_state=seed, n_jobs=self.n_jobs, max_iter=self.max_iter,
        )
        self.n_channels_ = images[0].shape[2]
        return self

    def transform(self, X: Any) -> NDArray[np.float32] | list[NDArray[np.float32]]:
        """The maps of the images, as a list where their sizes differ, or their pooled features."""
        check_is_fitted(self, "model_")
        self._check()
        images = _as_images(X)
        if images[0].shape[2] != self.n_channels_:
            raise ValueError(f"images: {images[0].shape[2]} channels, but the model learned from {self.n_channels_}")
        for i, image in enumerate(images):
            if not self._has_patches(image):
                raise ValueError(f"images: number {i} has {image.shape[0]} x {image.shape[1]} pixels, fewer than "
                                 f"patch_size={self.patch_size}")
        encoder = make_encoder(self.model_, self.mode, tau=None, nonzeros=None, eta=None, debias=None,
                               n_jobs=self.n_jobs, sample=None)
        found = [self._map_of(image, encoder) if self.pooling == "none" else self._pooled(image, encoder)
                 for image in images]
        return np.stack(found) if len({one.shape for one in found}) == 1 else found

    def _check(self):
        if self.pooling not in _POOLING:
            raise ValueError(f"pooling: {self.pooling!r} is not allowed: one of {', '.join(_POOLING)}")
        for name, values in (("patch_size", self.patch_size), ("stride", (self.stride,)), ("levels", self.levels)):
            if len(values) == 0 or any(int(value) != value or value < 1 for value in values):
                raise ValueError(f"{name}: {getattr(self, name)} is not allowed: whole numbers >= 1")

    def _has_patches(self, image):
        return image.shape[0] >= self.patch_size[0] and image.shape[1] >= self.patch_size[1]

    def _draw(self, images, random):
        height, width = self.patch_size
        patches = np.empty((self.n_patches, height * width * images[0].shape[2]), np.float32)
        for patch in patches:
            image = images[random.integers(len(images))]
            y, x = random.integers(image.shape[0] - height + 1), random.integers(image.shape[1] - width + 1)
            patch[:] = image[y : y + height, x : x + width].ravel()
        return patches

    def _code_rows(self, image, encoder):
        """Yields the first row of some rows of patches, and their codes: (rows, columns, n_components)."""
        windows = np.lib.stride_tricks.sliding_window_view(image, self.patch_size, axis=(0, 1))
        windows = windows[:: self.stride, :: self.stride].transpose(0, 1, 3, 4, 2)
        n_rows, n_columns = windows.shape[:2]
        at_once = max(1, _BLOCK // n_columns)
        for first in range(0, n_rows, at_once):
            rows = windows[first : first + at_once]
            patches = np.ascontiguousarray(rows.reshape(len(rows) * n_columns, -1))
            codes = np.empty((len(patches), self.model_.n_atoms), np.float32)
            encoder.encode(patches, codes)
            yield first, n_rows, codes.reshape(len(rows), n_columns, -1)

    def _map_of(self, image, encoder):
        return np.concatenate([codes for _, _, codes in self._code_rows(image, encoder)])

    def _pooled(self, image, encoder):
        """Each level's cells, row by row, one level after the other."""
        join = np.maximum if self.pooling == "max" else np.add
        cells = [np.zeros((level, level, self.model_.n_atoms), np.float32) for level in self.levels]
        for first, n_rows, codes in self._code_rows(image, encoder):
            np.abs(codes, out=codes)
            n_columns = codes.shape[1]
            for level, cell in zip(self.levels, cells):
                columns = np.arange(n_columns) * level // n_columns
                for row, of_row in enumerate(codes):
                    join.at(cell[(first + row) * level // n_rows], columns, of_row)
        return np.concatenate([cell.ravel() for cell in cells])
