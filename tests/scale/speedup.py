# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks with one thread against one rank: speedup.py COMMAND [SAMPLES] [REPEATS]

Times the outer iterations alone, by the trace: the same samples, options and number of iterations. Wants a quiet machine of
two cores. Prints the ratio of each pair of runs, one after the other.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_planted  # noqa: E402
import numpy as np  # noqa: E402

ITERATIONS = 20


def seconds_of(command, n_ranks, data, folder):
    trace = folder / f"trace-{n_ranks}.jsonl"
    trace.unlink(missing_ok=True)
    launch = [] if n_ranks == 1 else ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "core", "-n",
                                      str(n_ranks)]
    subprocess.run([*launch, command, "learn", data, "-o", folder / "m", "--atoms", "200", "--tau", ".3", "--threads", "1",
                    "--rtol", "0", "--max-iterations", str(ITERATIONS), "--trace", trace, "--quiet"], check=True)
    times = [json.loads(line)["seconds"] for line in trace.read_text().splitlines()]
    return times[-1] - times[0]


def main(command, n_samples=100000, repeats=3):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        atoms = make_planted.atoms_of(144, 200)
        data = folder / "x.npy"
        np.save(data, make_planted.block(0, n_samples, atoms))
        ratios = []
        for _ in range(repeats):
            one, two = (seconds_of(command, n, data, folder) for n in (1, 2))
            ratios.append(one / two)
            print(f"{ITERATIONS - 1} iterations: one rank {one:.2f} s, two ranks {two:.2f} s, ratio {one / two:.2f}")
    print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.2f} (at least 1.7) on {os.cpu_count()} cores")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
