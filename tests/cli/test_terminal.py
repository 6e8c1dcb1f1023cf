# SPDX-License-Identifier: BSD-3-Clause
"""Text of others, in models and names, cannot move the cursor, turn the writing or end a line."""

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND, planted, run

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("fuzz", "trust")]
from hostile_files import model_with  # noqa: E402

HOSTILE = "a\x1b[2J\x1b]0;title\x07b\r\nc\x08\x7f\u009b31m\u202eabc\u2066\u2028\u200f\ttab \u00e9\u4e2d"
RAW_BYTES = b"name\x9b31m\xff\x1b[31m\xc0\x9b"


def expect_harmless(output):
    """UTF-8 without anything that a terminal obeys, line ends apart."""
    text = output.decode()
    bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") and c != "\n"}
    assert not bad, text


@pytest.fixture(scope="module")
def hostile_model(model, tmp_path_factory):
    def change(text):
        description = json.loads(text)
        description["data"]["name"] = description["version"] = HOSTILE
        description["outcome"]["message"] = description["outcome"]["advice"] = HOSTILE
        for row in description["encoding"]["rows"]:
            row["mode"] += HOSTILE
        return json.dumps(description)

    path = tmp_path_factory.mktemp("hostile") / "model.safetensors"
    path.write_bytes(model_with(COMMAND, Path(model).read_bytes(), change_description=change))
    return path


def test_info_shows_the_text_of_a_model_as_characters(hostile_model):
    finished = run("info", hostile_model)
    assert finished.code == 0, finished.stderr
    expect_harmless(finished.stdout)
    text = finished.stdout.decode()
    assert r"\x1b[2J" in text and "\u00e9\u4e2d" in text
    assert r"b\x0d\x0ac" in text, "a line end within a name ends no line"


def test_json_stays_json(hostile_model):
    finished = run("info", hostile_model, "--json")
    expect_harmless(finished.stdout)
    assert finished.json()["data"]["name"] == HOSTILE


def run_bytes(arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, timeout=60)


@pytest.fixture
def named(model, tmp_path):
    """A folder, a model in it and samples, all with names that are no text."""
    folder = os.path.join(os.fsencode(tmp_path), RAW_BYTES)
    os.mkdir(folder)
    model_path, data_path = os.path.join(folder, b"m"), os.path.join(folder, b"x.npy")
    shutil.copy(model, model_path)
    with open(data_path, "wb") as file:
        np.save(file, planted(40, 16, 8, seed=5).astype(np.float32))
    return tuple(map(os.fsdecode, (folder, model_path, data_path)))


def test_names_of_files_are_shown_as_characters(named):
    folder, model, data = named
    out = os.path.join(folder, "out")
    learn = ["learn", data, "-o", out, "--atoms", 3, "--tau", 0.1, "--max-iterations", 2]
    for arguments, code in (
        (learn, 0),
        ([*learn, "--json"], 0),
        ([*learn, "--progress"], 0),
        (["info", out], 0),
        (["info", out, "--json"], 0),
        (["verify", model, data], 0),
        (["info", data], 3),
        (["encode", model, folder, "-o", out], 3),
        (["encode", model, data, "-o", folder], 5),
        (["learn", data, "-o", out, "--" + os.fsdecode(RAW_BYTES)], 2),
        (["learn", data, "-o", out, "--atoms", os.fsdecode(RAW_BYTES)], 2),
        ([os.fsdecode(RAW_BYTES)], 2),
    ):
        finished = run_bytes(arguments)
        assert finished.returncode == code, finished.stderr
        expect_harmless(finished.stdout)
        expect_harmless(finished.stderr)


def test_a_command_to_copy_names_the_same_file(named):
    folder, _, data = named
    out = os.path.join(folder, "it's")
    learned = run_bytes(["learn", data, "-o", out, "--atoms", 3, "--tau", 0.1, "--max-iterations", 2])
    line = next(line for line in learned.stderr.decode().splitlines() if line.startswith("  dualdict info "))
    shown = subprocess.run(["bash", "-c", line.replace("dualdict", COMMAND, 1)], capture_output=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
