# SPDX-License-Identifier: BSD-3-Clause
"""Noise out of image files, folders and arrays."""

import numpy as np
import pytest
from conftest import run, run_ok
from test_images import write_ppm

USAGE, INPUT, WRITE = 2, 3, 5


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    """A clean picture of smooth stripes, and a file of it with noise of sigma 20."""
    y, x = np.mgrid[:72, :80]
    clean = np.stack([128 + 70 * np.sin(x / (5 + c) + y / 9) for c in range(3)], axis=2)
    dirty = np.clip(clean + 20 * np.random.default_rng(1).standard_normal(clean.shape), 0, 255)
    folder = tmp_path_factory.mktemp("noisy")
    write_ppm(folder / "colour.ppm", dirty)
    write_ppm(folder / "grey.pgm", dirty[..., 0])
    np.save(folder / "grey.npy", dirty[..., 0].astype(np.float32))
    np.save(folder / "colour.npy", dirty.astype(np.float32))
    return clean, dirty, folder


def rms(a, b):
    return np.sqrt(np.mean((a - b) ** 2))


@pytest.mark.parametrize("more", [[], ["--fast"], ["--stride", 3], ["--patches", "5x7"]])
def test_an_array_comes_out_cleaner(noisy, tmp_path, more):
    clean, dirty, folder = noisy
    finished = run_ok("denoise", folder / "grey.npy", "-o", tmp_path / "out.npy", *more)
    out = np.load(tmp_path / "out.npy")
    assert out.shape == (72, 80) and rms(out, clean[..., 0]) < 0.5 * rms(dirty[..., 0], clean[..., 0])
    assert "sigma" in finished.stderr and "estimated" in finished.stderr


def test_folders_and_several_files(noisy, tmp_path):
    folder = noisy[2]
    run_ok("denoise", folder, "-o", tmp_path / "a", "--sigma", 20, "--fast", "--quiet")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["colour.png", "grey.png"]
    run_ok("denoise", folder / "colour.npy", folder / "grey.pgm", "-o", tmp_path / "b", "--sigma", 20, "--fast")
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["colour.png", "grey.png"]
    assert run("denoise", folder / "grey.npy", folder / "grey.pgm", "-o", tmp_path / "b").code == USAGE


def test_colour_stays_colour_and_grey_is_asked_for(noisy, tmp_path):
    folder = noisy[2]
    for name, more in (("c.png", []), ("g.png", ["--grey"])):
        run_ok("denoise", folder / "colour.ppm", "-o", tmp_path / name, "--sigma", 20, "--fast", *more)
    # The colour type of the header: 2 is RGB, 0 is grey.
    assert (tmp_path / "c.png").read_bytes()[25] == 2 and (tmp_path / "g.png").read_bytes()[25] == 0


def test_with_a_model(noisy, tmp_path):
    clean, dirty, folder = noisy
    write_ppm(tmp_path / "clean.pgm", clean[..., 0])
    run_ok("learn", tmp_path / "clean.pgm", "-o", tmp_path / "m.st", "--patches", "6x6", "--stride", 1, "--center-samples",
           "--atoms", 40, "--tau", 5, "--max-iterations", 5, "--quiet")
    run_ok("denoise", folder / "grey.npy", "-o", tmp_path / "out.npy", "--model", tmp_path / "m.st", "--sigma", 20)
    assert rms(np.load(tmp_path / "out.npy"), clean[..., 0]) < 0.5 * rms(dirty[..., 0], clean[..., 0])
    run_ok("learn", tmp_path / "clean.pgm", "-o", tmp_path / "n.st", "--patches", "6x6", "--atoms", 4, "--tau", 5, "--quiet")
    finished = run("denoise", folder / "grey.npy", "-o", tmp_path / "out.npy", "--model", tmp_path / "n.st")
    assert finished.code == USAGE and "--center-samples" in finished.stderr


@pytest.mark.parametrize("arguments, code, word", [
    (["--sigma", "-1"], USAGE, "--sigma"), (["--sigma", "much"], USAGE, "--sigma"), (["--stride", 9], USAGE, "--stride"),
    (["--patches", "100x8"], INPUT, "--patches"), (["-o", "out.jpg"], USAGE, "png"), (["-o", "no/where.png"], WRITE, "no"),
    (["--model", "missing.st"], INPUT, "missing.st"),
])
def test_what_is_wrong_is_named(noisy, tmp_path, monkeypatch, arguments, code, word):
    monkeypatch.chdir(tmp_path)
    output = [] if "-o" in arguments else ["-o", "out.png"]
    finished = run("denoise", noisy[2] / "grey.pgm", *output, *arguments)
    assert finished.code == code and word in finished.stderr, finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_images(noisy, tmp_path):
    np.save(tmp_path / "holes.npy", np.full((20, 20), np.nan))
    assert run("denoise", tmp_path / "holes.npy", "-o", tmp_path / "out.png").code == INPUT
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "bad.png").write_bytes(b"no image")
    assert run("denoise", folder / "bad.png", "-o", tmp_path / "out.png").code == INPUT
    assert run("denoise", folder, "-o", tmp_path / "out").code == INPUT
    write_ppm(folder / "good.pgm", noisy[1][..., 0])
    finished = run_ok("denoise", folder, "-o", tmp_path / "out", "--fast")
    assert "skipped" in finished.stderr and "bad.png" in finished.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.png"]
