# SPDX-License-Identifier: BSD-3-Clause
"""The report page and the picture of a model in a notebook."""

import base64
import json
import re

import numpy as np
import pandas
import pytest

import dualdict
from dualdict import DualDictionaryLearning


def document(path):
    """What the page knows."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="report">(.*?)</script>', text).group(1))


def test_the_estimator_brings_its_curves_and_the_samples(fitted, X, tmp_path):
    fitted.report(tmp_path / "page.html", X, title="mine")
    page = document(tmp_path / "page.html")
    assert page["title"] == "mine"
    assert len(page["trace"]["total"]) == fitted.n_iter_
    assert page["trace"]["total"][-1] == pytest.approx(fitted.summary_.iterations[-1].energy.total, rel=1e-12)
    assert page["data"]["n_coded"] == len(X)
    exact = dualdict.encode(fitted.model_, X, "exact")
    assert page["data"]["usage"] == np.count_nonzero(exact, axis=0).tolist()


def test_a_model_alone_will_do(fitted, tmp_path):
    fitted.model_.report(str(tmp_path / "page.html"))
    page = document(tmp_path / "page.html")
    assert page["trace"] is None and page["data"] is None
    assert page["model"]["shape"]["n_atoms"] == fitted.model_.n_atoms


def test_names_come_from_a_data_frame(tmp_path, X):
    frame = pandas.DataFrame(X[:200], columns=[f"feature <{i}>" for i in range(X.shape[1])]).set_index(pandas.RangeIndex(7, 207))
    learner = DualDictionaryLearning(8, tau=0.5, max_iter=3, tol=1).fit(frame)
    learner.report(tmp_path / "page.html", frame)
    page = document(tmp_path / "page.html")
    assert page["feature_names"][3] == "feature <3>"
    assert page["data"]["gallery"]["names"][0] == "7"
    assert "<3>" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_does_not_fit_is_refused(fitted, X, tmp_path):
    with pytest.raises(ValueError, match="feature names"):
        fitted.model_.report(tmp_path / "page.html", feature_names=["one"])
    with pytest.raises((ValueError, OSError), match="features"):
        fitted.model_.report(tmp_path / "page.html", X[:, :3].copy())
    assert not (tmp_path / "page.html").exists()


def test_a_notebook_shows_a_picture_and_numbers(fitted):
    text = fitted.model_._repr_html_()
    picture = base64.b64decode(re.search(r'base64,([^"]*)"', text).group(1))
    assert picture.startswith(b"\x89PNG")
    assert f"{fitted.model_.n_atoms} atoms" in text
    assert "<script" not in text
    assert len(text) < 500_000
