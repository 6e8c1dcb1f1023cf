# SPDX-License-Identifier: BSD-3-Clause
"""Every example runs, in a folder of its own, and leaves its pictures; the documentation shows what runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))
LEAVES = {
    "digits": ["digits.png", "digits.safetensors"],
    "embeddings": ["codes.png", "embeddings.onnx"],
    "patches": ["patches.png", "denoised.png"],
}


def test_every_example_is_known():
    assert [path.stem for path in EXAMPLES] == sorted(LEAVES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 80
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    for name in LEAVES[path.stem]:
        assert (tmp_path / name).stat().st_size > 500, name
    for value in re.findall(r"(?:sparse|corrected|exact): ([0-9.]+) dB", done.stdout):
        assert float(value) > float(re.search(r"noisy: ([0-9.]+) dB", done.stdout)[1])


def test_python_shown_in_the_documentation_runs(tmp_path):
    import numpy as np
    import scipy.sparse

    import dualdict

    X = np.random.default_rng(0).standard_normal((200, 8))
    model, _ = dualdict.learn(X, 10, tau=0.5, max_iter=5)
    model.save(tmp_path / "model.safetensors")
    np.save(tmp_path / "codes.npy", dualdict.encode(model, X))
    scipy.sparse.save_npz(tmp_path / "codes.npz", scipy.sparse.csr_matrix(dualdict.encode(model, X)))
    shown = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        # The blocks of a page are one session, in a folder with the files that they speak of.
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        shown += len(blocks)
        if blocks:
            done = subprocess.run(
                [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True, timeout=240
            )
            assert done.returncode == 0, f"{page.name}: {done.stderr}"
    assert shown > 3
