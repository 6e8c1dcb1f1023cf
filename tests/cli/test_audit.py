# SPDX-License-Identifier: BSD-3-Clause
"""audit and compare against NumPy and SciPy."""

import numpy as np
import pytest
from conftest import planted, run, run_ok
from foreign_models import Foreign
from safetensors.numpy import load_file
from scipy.optimize import linear_sum_assignment


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    np.save(path, planted(400, 12, 20, seed=3).astype(np.float32))
    return path


@pytest.fixture(scope="module")
def models(rows, tmp_path_factory):
    """Two seeds, and one of other atoms."""
    folder = tmp_path_factory.mktemp("models")
    for name, atoms, seed in (("a", 20, 1), ("b", 20, 2), ("c", 14, 3)):
        run_ok("learn", rows, "-o", folder / f"{name}.safetensors", "--atoms", atoms, "--tau", 0.1, "--seed", seed,
               "--quiet")
    return [folder / f"{name}.safetensors" for name in "abc"]


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("second", [1, 2])
def test_pairs_are_the_best_assignment(models, second):
    for first, other in ((0, second), (second, 0)):
        result = run_ok("compare", models[first], models[other], "--json").json()
        for part, tensor in (("dictionary", "dictionary"), ("dual", "dual")):
            a, b = (unit(load_file(models[i])[tensor].astype(float)) for i in (first, other))
            cosines = np.abs(a @ b.T)
            i, j = linear_sum_assignment(-cosines)
            assert result[part]["mean"] == pytest.approx(cosines[i, j].mean(), abs=1e-6)
            assert result[part]["share_above_9"] == pytest.approx((cosines[i, j] > 0.9).mean(), abs=1e-9)
            smaller = cosines if len(a) <= len(b) else cosines.T
            assert result[part]["mean_largest"] == pytest.approx(smaller.max(axis=1).mean(), abs=1e-6)
        within = np.abs(unit(load_file(models[first])["dictionary"].astype(float)) @
                        unit(load_file(models[first])["dictionary"].astype(float)).T) - np.eye(len(result["pairs"]))
        assert result["within_first"] == pytest.approx(within.max(axis=1).mean(), abs=1e-6)


def test_a_model_is_itself_in_any_order_and_sign(tmp_path):
    atoms = np.random.default_rng(2).standard_normal((60, 9))
    order = np.random.default_rng(3).permutation(60)
    np.save(tmp_path / "a.npy", atoms)
    np.save(tmp_path / "b.npy", -2 * atoms[order])
    result = run_ok("compare", tmp_path / "a.npy", tmp_path / "b.npy", "--json").json()
    assert result["dictionary"]["mean"] == pytest.approx(1)
    np.testing.assert_array_equal(order[result["pairs"]], np.arange(60))


def test_hard_assignments_too(tmp_path):
    """Where greedy pairing fails: all rows like the same columns best."""
    random = np.random.default_rng(4)
    base = random.standard_normal(8)
    a, b = (unit(base + 0.3 * random.standard_normal((50, 8))) for _ in range(2))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    result = run_ok("compare", tmp_path / "a.npy", tmp_path / "b.npy", "--json").json()
    cosines = np.abs(a @ b.T)
    i, j = linear_sum_assignment(-cosines)
    assert result["dictionary"]["mean"] == pytest.approx(cosines[i, j].mean(), abs=1e-6)


def test_the_page_stands_alone(models, rows, tmp_path):
    run_ok("compare", models[0], models[1], "-o", tmp_path / "page.html")
    run_ok("audit", models[0], rows, "-o", tmp_path / "audit.html")
    for name in ("page.html", "audit.html"):
        page = (tmp_path / name).read_text()
        assert "<svg" in page and "http" not in page and "<script" not in page


def test_models_of_other_features_are_refused(models, tmp_path):
    np.save(tmp_path / "other.npy", np.eye(5))
    finished = run("compare", models[0], tmp_path / "other.npy")
    assert finished.code == 3 and "12 and 5" in finished.stderr


def unexplained(X, decoded):
    return ((X - decoded) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()


@pytest.mark.parametrize("kind", ["topk", "jumprelu", "sparsify"])
def test_the_audit_of_a_foreign_file_has_its_own_numbers(kind, rows, tmp_path):
    foreign = Foreign(kind, 7)
    folder = foreign.save(tmp_path / "sae")
    X = np.load(rows)
    codes = foreign.codes(X)
    result = run_ok("audit", folder, rows, "--json").json()
    own, refitted, greedy, exact, exact_refitted = result["rows"]
    assert own["unexplained"] == pytest.approx(unexplained(X, foreign.decoded(codes)), rel=1e-4)
    assert own["nonzeros"] == pytest.approx((codes != 0).sum(axis=1).mean(), abs=1e-6)
    assert result["dead_atoms"] == (codes != 0).any(axis=0).tolist().count(False)
    assert result["n_samples"] == 400
    atoms = unit(foreign.decoder.astype(float))
    largest = (np.abs(atoms @ atoms.T) - np.eye(20)).max(axis=1)
    assert result["mean_largest_cosine"] == pytest.approx(largest.mean(), abs=1e-5)
    # Least squares on its own atoms, and atoms chosen with care, are no worse; the exact code says how exact it is.
    assert refitted["unexplained"] <= own["unexplained"]
    assert greedy["unexplained"] < refitted["unexplained"]
    assert greedy["nonzeros"] == pytest.approx(own["nonzeros"], rel=0.05)
    assert 0 <= exact["gap"] < 1e-5
    assert exact_refitted["unexplained"] < own["unexplained"]
    assert result["lost_to_greedy"] == pytest.approx(own["unexplained"] / greedy["unexplained"])


def test_the_audit_of_an_own_model(models, rows, tmp_path):
    result = run_ok("audit", models[0], rows, "--json").json()
    run_ok("encode", models[0], rows, "-o", tmp_path / "codes.npy")
    run_ok("decode", models[0], tmp_path / "codes.npy", "-o", tmp_path / "decoded.npy")
    X = np.load(rows)
    assert result["mode"] == "sparse"
    assert result["rows"][0]["unexplained"] == pytest.approx(unexplained(X, np.load(tmp_path / "decoded.npy")), rel=1e-4)
    finished = run_ok("audit", models[0], rows)
    assert "times the variance" in finished.stdout.decode()
