# SPDX-License-Identifier: BSD-3-Clause
"""Spark and Ray, where they are installed: both go through the same blocks, and end with the same E."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cluster"


@pytest.mark.parametrize("package", ["pyspark", "ray"])
def test_example(package):
    path = EXAMPLES / f"learn_on_{package.removeprefix('py')}.py"
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=400, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(r"CONVERGED \d+ iterations, E [0-9.]+", done.stdout), done.stdout
