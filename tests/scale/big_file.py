# SPDX-License-Identifier: BSD-3-Clause
"""Learning from a file larger than what may be held: big_file.py COMMAND FOLDER [GIGABYTES] [SECONDS]

Makes GIGABYTES (20) of planted samples in FOLDER, learns one pass over them with --stream (or SECONDS of it with a time
limit), and reports the largest resident memory and the samples a second. Beside it the same learner from memory: the first
500 MB, read into memory before the clock starts, through the same online steps. Removes the file afterwards.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import make_planted  # noqa: E402

OPTIONS = ["--atoms", "200", "--tau", ".3", "--eta", "1", "--stream", "--json", "--quiet"]


def learn(command, source, model, *extra, stdin=None):
    start = time.monotonic()
    process = subprocess.Popen([command, "learn", source, "-o", model, *OPTIONS, *extra], stdin=stdin,
                               stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result = json.loads(out)
    return {"exit": process.returncode, "samples": result["n_samples"], "seconds": round(result["seconds"], 2),
            "samples_per_second": round(result["n_samples"] / result["seconds"]),
            "peak_mebibytes": round(usage.ru_maxrss / 1024), "wall_seconds": round(time.monotonic() - start, 2)}


def main(command, folder, gigabytes=20.0, seconds=0.0):
    big, small = os.path.join(folder, "big.npy"), os.path.join(folder, "small.npy")
    model = os.path.join(folder, "model.safetensors")
    try:
        make_planted.main(small, 0.5)
        np.load(small).sum()  # its pages are in memory now
        from_memory = learn(command, small, model)
        start = time.monotonic()
        make_planted.main(big, gigabytes)
        print(f"made in {time.monotonic() - start:.0f} s")
        # Written pages must not be served from memory.
        with open(big, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        limit = ["--time-limit", str(seconds)] if seconds > 0 else []
        from_file = learn(command, big, model, *limit)
    finally:
        for path in (big, small, model):
            if os.path.exists(path):
                os.remove(path)
    print("from memory:", json.dumps(from_memory))
    print("from file:  ", json.dumps(from_file))
    ratio = from_file["samples_per_second"] / from_memory["samples_per_second"]
    good = from_file["peak_mebibytes"] <= 1024 and ratio >= 0.8
    print(f"peak {from_file['peak_mebibytes']} MiB (at most 1024), speed {ratio:.3f} of that from memory (at least 0.8):",
          "held" if good else "NOT HELD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:5])))
