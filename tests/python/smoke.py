# SPDX-License-Identifier: BSD-3-Clause
"""What an installed wheel must do with NumPy alone: python smoke.py. Needs no pytest, so that any environment can run it."""

import os
import subprocess
import sys
import sysconfig
import tempfile

import numpy as np


def main():
    sys.modules["sklearn"] = None  # as where it is not installed
    import dualdict

    X = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    model, summary = dualdict.learn(X, 12, tau=0.5, max_iter=20)
    codes = dualdict.encode(model, X)
    assert codes.shape == (300, 12) and codes.dtype == np.float32 and np.count_nonzero(codes) > 0
    assert dualdict.decode(model, codes).shape == X.shape and summary.n_iter <= 20
    assert dualdict.score(model, X).shape == (300,)
    try:
        _ = dualdict.DualDictionaryLearning
    except ImportError as error:
        assert "pip install 'dualdict[sklearn]'" in str(error), error
    else:
        raise AssertionError("an estimator without scikit-learn")

    command = os.environ.get("DUALDICT_COMMAND") or os.path.join(sysconfig.get_path("scripts"), "dualdict")
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "X.npy"), X)
        model.save(os.path.join(folder, "model.safetensors"))
        by_command = os.path.join(folder, "codes.npy")
        subprocess.run([command, "encode", os.path.join(folder, "model.safetensors"), os.path.join(folder, "X.npy"), "-o",
                        by_command], check=True)
        assert np.load(by_command).tobytes() == codes.tobytes()
    print(f"dualdict {dualdict.__version__} works with NumPy alone on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
