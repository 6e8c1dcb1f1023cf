# SPDX-License-Identifier: BSD-3-Clause
"""Images as input: patches with their places, colours, and what is left out."""

import numpy as np
import pytest
from conftest import run, run_ok
from safetensors.numpy import load_file

USAGE, INPUT = 2, 3


def write_ppm(path, image):
    """A PGM or PPM file of an array of bytes."""
    kind = "P5" if image.ndim == 2 else "P6"
    path.write_bytes(f"{kind} {image.shape[1]} {image.shape[0]} 255\n".encode() + image.astype(np.uint8).tobytes())
    return path


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    random = np.random.default_rng(3)
    smooth = np.cumsum(np.cumsum(random.standard_normal((24, 30, 3)), axis=0), axis=1)
    image = np.clip(128 + 3 * smooth, 0, 255).astype(np.uint8)
    return image, write_ppm(tmp_path_factory.mktemp("picture") / "photo.ppm", image)


@pytest.fixture(scope="module")
def models(picture, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    made = {}
    for name, more in (("colour", []), ("grey", ["--grey"])):
        made[name] = folder / f"{name}.safetensors"
        run_ok("learn", picture[1], "-o", made[name], "--atoms", 12, "--patches", "4x3", "--samples", 400, "--center-samples",
               "--tau", 0.5, "--max-iterations", 3, "--quiet", *more)
    return made


def test_every_patch_is_coded_in_its_place(picture, models, tmp_path):
    image, file = picture
    windows = np.lib.stride_tricks.sliding_window_view(image, (4, 3), axis=(0, 1)).transpose(0, 1, 3, 4, 2)
    np.save(tmp_path / "patches.npy", windows.reshape(-1, 36).astype(np.float32))
    run_ok("encode", models["colour"], tmp_path / "patches.npy", "-o", tmp_path / "expected.npy")
    run_ok("encode", models["colour"], file, "-o", tmp_path / "map.npy", "--patches", "4x3", "--stride", 1)
    codes = np.load(tmp_path / "map.npy")
    assert codes.shape == (21 * 28, 12)
    assert np.array_equal(codes, np.load(tmp_path / "expected.npy"))
    run_ok("encode", models["colour"], file, "-o", tmp_path / "coarse.npy", "--patches", "4x3", "--stride", 5)
    # Rows 0, 5, ..., 20 and columns 0, 5, ..., 25 and the last, 27.
    rows, columns = [0, 5, 10, 15, 20], [0, 5, 10, 15, 20, 25, 27]
    assert np.array_equal(np.load(tmp_path / "coarse.npy"), codes.reshape(21, 28, 12)[np.ix_(rows, columns)].reshape(-1, 12))


def test_a_model_says_which_colours_it_wants(picture, models, tmp_path):
    for model in models.values():
        run_ok("encode", model, picture[1], "-o", tmp_path / "u.npy", "--patches", "4x3", "--stride", 2)
        run_ok("verify", model, picture[1], "--patches", "4x3", "--samples", 50)
    finished = run("encode", models["colour"], picture[1], "-o", tmp_path / "u.npy", "--patches", "4x3", "--grey")
    assert finished.code == INPUT and "samples of 12 features" in finished.stderr


def test_score_of_every_patch(picture, models):
    lines = run_ok("score", models["colour"], picture[1], "--patches", "4x3", "--stride", 1).stdout.split()
    assert len(lines) == 21 * 28


def test_learning_tells_what_it_used(picture, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    write_ppm(folder / "a.ppm", picture[0])
    write_ppm(folder / "b.pgm", picture[0][..., 0])
    write_ppm(folder / "small.pgm", picture[0][:3, :3, 0])
    (folder / "broken.png").write_bytes(b"no image")
    finished = run_ok("learn", folder, "-o", tmp_path / "m", "--atoms", 4, "--patches", "4x4", "--samples", 100, "--tau", 0.5)
    for part in ("2 images in colour are used", "1 of them", "2 files skipped", "broken.png", "small.pgm: 3 x 3 pixels"):
        assert part in finished.stderr, finished.stderr


@pytest.mark.parametrize("flags, word", [(["--stride", 2], "--stride"), (["--grey"], "--grey")])
def test_flags_of_patches_need_patches(samples, model, tmp_path, flags, word):
    finished = run("encode", model, samples, "-o", tmp_path / "u.npy", *flags)
    assert finished.code == USAGE and word in finished.stderr and "--patches" in finished.stderr


def test_codes_to_an_error(samples, model, tmp_path):
    run_ok("encode", model, samples, "-o", tmp_path / "u.npy", "--max-error", 0.3)
    run_ok("encode", model, samples, "-o", tmp_path / "two.npy", "--max-error", 0.3, "--mode", "omp:2")
    codes, two = np.load(tmp_path / "u.npy"), np.load(tmp_path / "two.npy")
    rest = np.load(samples) - codes @ load_file(model)["dictionary"]
    met = np.linalg.norm(rest, axis=1) <= 0.3 * (1 + 1e-6)
    assert (met | ((codes != 0).sum(axis=1) == rest.shape[1])).all() and met.mean() > 0.9
    assert (two != 0).sum(axis=1).max() == 2
    finished = run("encode", model, samples, "-o", tmp_path / "u.npy", "--max-error", 0.3, "--mode", "linear")
    assert finished.code == USAGE and "max_error" in finished.stderr and "omp:k" in finished.stderr
