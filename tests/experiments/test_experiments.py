# SPDX-License-Identifier: BSD-3-Clause
"""experiments/run all --quick, piece by piece, and what is committed of the full runs."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
FIGURES = {
    "synthetic-pca": ["convergence.png"],
    "tight-frame": ["frame.png", "cosines.png"],
    "berkeley": ["error.png", "atoms.png"],
    "mnist": ["dictionaries.png", "change.png", "digit.png"],
    "caltech": ["accuracy.png", "seconds.png"],
    "dual-quality": ["quality.png"],
}


def run(name, folder):
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(EXPERIMENTS), environment.get("PYTHONPATH", "")])
    environment["DUALDICT_OFFLINE"] = "1"
    command = [sys.executable, EXPERIMENTS / name / "main.py", "--quick", "--out", folder, "--work", folder / "work"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "results.json").read_text()), done.stdout


@pytest.fixture(scope="module", params=FIGURES)
def quick(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    found, said = run(request.param, folder)
    return request.param, folder, found, said


def test_quick_form_gives_numbers_and_figures(quick):
    name, folder, found, said = quick
    if importlib.util.find_spec("matplotlib") is None:
        assert "matplotlib is not there" in said
    else:
        assert sorted(path.name for path in (folder / "figures").iterdir()) == sorted(FIGURES[name])
    CHECKS[name](found)


def check_pca(found):
    assert found["accurate_steps"][0]["iterations_to_angle"] < 20
    assert found["default_steps"]["iterations_to_angle"] is None


def check_frame(found):
    assert found["median_found"] >= 35
    assert found["runs"][0]["dual_distance"] < 1e-2


def check_berkeley(found):
    with_coding = [fit for fit in found["fits"] if fit["eta"] == 1]
    nonzeros = [fit["nonzeros"] for fit in with_coding]
    assert nonzeros == sorted(nonzeros)
    assert all(fit["debiased_error"] <= fit["error"] * 1.05 for fit in found["fits"])


def check_mnist(found):
    assert found["energy"] == sorted(found["energy"], reverse=True)
    assert found["distance_to_converged"]["1"]["mean_cosine"] < found["distance_to_converged"]["4"]["mean_cosine"] <= 1
    assert 0 < found["example"]["error"] < 1


def check_caltech(found):
    chance = 1 / len(found["classes"])
    for name in ("exact", "linear", "sparse", "corrected"):
        (task,) = found["coders"][name]["tasks"].values()
        assert task["accuracy"] > 1.5 * chance, name


def check_quality(found):
    for problem in (found["patches"], found["digits"]):
        for fit in problem["fits"]:
            rows = fit["rows"]
            assert rows["exact"]["code_error"] == 0
            assert rows["corrected"]["code_error"] < rows["linear"]["code_error"]
        (group,) = problem["rivals"]
        # Whatever the kind, an autoencoder has about the nonzeros that it was asked for.
        assert group["rows"]["autoencoder, signed BatchTopK"]["nonzeros"] == pytest.approx(group["nonzeros"], rel=0.5)


CHECKS = {"synthetic-pca": check_pca, "tight-frame": check_frame, "berkeley": check_berkeley, "mnist": check_mnist,
          "caltech": check_caltech, "dual-quality": check_quality}


def test_pages_say_what_the_results_say(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    from common import page
    for file, text in page.pages():
        assert file.read_text(encoding="utf-8") == text, f"{file.name} is old: experiments/run writes it"


@pytest.mark.parametrize("name", FIGURES)
def test_results_of_the_full_form_are_committed(name):
    folder = EXPERIMENTS / name
    if not (folder / "results.json").exists():
        pytest.skip(f"experiments/run {name} was not run yet; docs/paper.md says so")
    text = (folder / "results.json").read_text()
    assert json.loads(text)
    assert not any(place in text for place in (str(EXPERIMENTS), "/home/", "/tmp/"))
    for figure in FIGURES[name]:
        assert (folder / "figures" / figure).stat().st_size < 150_000, figure
    assert (folder / "README.md").read_text().startswith("# ")
