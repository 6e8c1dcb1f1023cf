# SPDX-License-Identifier: BSD-3-Clause
"""Images to maps of codes, and to pooled features."""

import pickle

import dualdict
import numpy as np
import pytest
from sklearn.base import clone


@pytest.fixture(scope="module")
def images():
    return dualdict.generate_images(3, 24)


@pytest.fixture(scope="module")
def coder(images):
    return dualdict.PatchCoder(10, patch_size=(5, 4), n_patches=800, tau=0.1, max_iter=4).fit(images)


def test_maps_are_the_codes_of_patches_in_their_places(coder, images):
    maps = coder.transform(images)
    assert maps.shape == (3, 20, 21, 10)
    windows = np.lib.stride_tricks.sliding_window_view(images[1], (5, 4)).reshape(-1, 20)
    assert np.array_equal(maps[1].reshape(-1, 10), dualdict.encode(coder.model_, np.ascontiguousarray(windows)))
    coarse = clone(coder).set_params(stride=3)
    coarse.model_, coarse.n_channels_ = coder.model_, 1
    assert np.array_equal(coarse.transform(images), maps[:, ::3, ::3])


@pytest.mark.parametrize("pooling, join", [("max", np.max), ("sum", np.sum)])
def test_pools_are_those_of_the_maps(coder, images, pooling, join):
    maps = np.abs(coder.transform(images))
    pooled = clone(coder).set_params(pooling=pooling, levels=(1, 2))
    pooled.model_, pooled.n_channels_ = coder.model_, 1
    found = pooled.transform(images)
    assert found.shape == (3, 50)
    # 20 rows are 10 and 10, 21 columns 11 and 10.
    cells = [maps, maps[:, :10, :11], maps[:, :10, 11:], maps[:, 10:, :11], maps[:, 10:, 11:]]
    expected = np.concatenate([join(cell, axis=(1, 2)) for cell in cells], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_colour_sizes_that_differ_and_pickles(images):
    colour = [np.stack([image, image, image], axis=2)[: 24 - 4 * i] for i, image in enumerate(images)]
    coder = dualdict.PatchCoder(6, patch_size=(4, 4), n_patches=300, tau=0.1, max_iter=2).fit(colour)
    maps = pickle.loads(pickle.dumps(coder)).transform(colour)
    assert [one.shape for one in maps] == [(21, 21, 6), (17, 21, 6), (13, 21, 6)]
    assert coder.set_params(pooling="max").transform(colour).shape == (3, 6 * 21)


@pytest.mark.parametrize("change, word", [({"pooling": "mean"}, "pooling"), ({"stride": 0}, "stride"),
                                          ({"patch_size": (30, 4)}, "patch_size"),
                                          ({"levels": ()}, "levels")])
def test_what_is_wrong_is_named(coder, images, change, word):
    with pytest.raises(ValueError, match=word):
        clone(coder).set_params(**change).fit(images)
    with pytest.raises(ValueError, match="channels"):
        coder.transform(np.zeros((2, 9, 9, 3)))
    with pytest.raises(ValueError, match="images"):
        coder.transform([])
