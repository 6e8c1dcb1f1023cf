# SPDX-License-Identifier: BSD-3-Clause
"""dualdict with defaults only, on one thread."""
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

N_TEST = 4000  # rows that are coded: codes are dense here


def quality(test, mean, decoded, codes):
    left = float(((test - decoded) ** 2).sum()) / float(((test - mean) ** 2).sum())
    return {"fvu": left, "nonzeros": float((codes != 0).sum(1).mean()),
            "unused": int((~(codes != 0).any(0)).sum())}


def measure_mode(model, mode, test, mean):
    import dualdict

    began = time.process_time()
    codes = dualdict.encode(model, test, mode=mode, n_jobs=1)
    seconds = time.process_time() - began
    row = {"mode": mode, "microseconds": 1e6 * seconds / len(test)}
    return row | quality(test, mean, dualdict.decode(model, codes, mode=mode), codes)


def learned(learn, test, work, programs, n_atoms, nonzeros):
    sys.path.insert(0, os.path.join(programs, "python"))
    import dualdict

    data, path = os.path.join(work, "learn.npy"), os.path.join(work, f"{n_atoms}.safetensors")
    np.save(data, learn)
    subprocess.run([os.path.join(programs, "dualdict"), "learn", data, "-o", path, "--penalty", "l0", "--atoms",
                    str(n_atoms), "--nonzeros", str(nonzeros), "--threads", "1"], check=True)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    model = dualdict.load_model(path)
    mean = learn.mean(0)
    modes = [measure_mode(model, mode, test[:N_TEST], mean) for mode in ("hard", "greedy", f"omp:{nonzeros}")]
    return {"seconds": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024, "modes": modes}


def dictionary(learn, test, work, programs, n_atoms, nonzeros, passes):
    """D for greedy codes alone; without passes what nobody learned, samples as atoms: the row to beat."""
    paths = [os.path.join(work, name) for name in ("learn.npy", "test.npy")]
    np.save(paths[0], learn)
    np.save(paths[1], test[:N_TEST])
    program = os.path.join(programs, "bench", "wide", "bench_wide_dictionary")
    arguments = [program, *paths, str(n_atoms), str(nonzeros), str(passes)]
    row = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": row.pop("learning_seconds"), "peak_mb": usage.ru_maxrss / 1024,
            "modes": [{"mode": "greedy", "unused": None} | row]}
