# SPDX-License-Identifier: BSD-3-Clause
"""Images as arrays."""

import dualdict
import numpy as np
import pytest


@pytest.fixture(scope="module")
def pair():
    y, x = np.mgrid[:64, :64]
    clean = np.stack([128 + 70 * np.sin(x / (5 + c) + y / 9) for c in range(3)], axis=2)
    return clean, clean + 20 * np.random.default_rng(0).standard_normal(clean.shape)


@pytest.mark.parametrize("options", [{}, {"fast": True}, {"stride": 3}, {"patches": (5, 4)}])
def test_denoise_of_grey_and_colour(pair, options):
    for clean, noisy in (pair, (pair[0][..., 0], pair[1][..., 0])):
        out = dualdict.denoise(noisy, 20, **options)
        assert out.shape == clean.shape and out.dtype == np.float32
        assert np.std(out - clean) < 0.5 * 20


def test_scale_and_threads_change_little_and_nothing(pair):
    grey = pair[1][..., 1]
    out = dualdict.denoise(grey, 20)
    assert np.array_equal(dualdict.denoise(grey, 20, n_jobs=3), out)
    assert np.abs(255 * dualdict.denoise(grey / 255, 20 / 255) - out).mean() < 0.05


def test_what_is_wrong_is_named(pair):
    for image in (np.zeros(5), np.zeros((4, 4, 2)), np.zeros((0, 4))):
        with pytest.raises(ValueError, match="image"):
            dualdict.denoise(image, 1)
    with pytest.raises(ValueError, match="sigma"):
        dualdict.denoise(pair[1], -1)
    with pytest.raises(ValueError, match="NaN"):
        dualdict.denoise(np.full((20, 20), np.nan), 1)
    with pytest.raises(ValueError, match="stride"):
        dualdict.denoise(pair[1], 1, stride=0)
