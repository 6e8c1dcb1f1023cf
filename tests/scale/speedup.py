# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks with one thread against one rank: speedup.py COMMAND [--samples 100000] [--repeats 3] [--json FILE]

Times the outer iterations alone, by the trace: the same samples, options and number of iterations. Wants a quiet machine of
two cores. Prints the ratio of each pair of runs, one after the other, and in the end that of the sums over the iterations of each
one's fastest time: iteration 7 is the same work in every run, and other work on the machine can only make it slower.
"""

import argparse
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


def iterations_of(command, n_ranks, data, folder):
    """The seconds of every outer iteration but the first."""
    trace = folder / f"trace-{n_ranks}.jsonl"
    trace.unlink(missing_ok=True)
    launch = [] if n_ranks == 1 else ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "core", "-n",
                                      str(n_ranks)]
    subprocess.run([*launch, command, "learn", data, "-o", folder / "m", "--atoms", "200", "--tau", ".3", "--eta", "1", "--threads", "1",
                    "--rtol", "0", "--max-iterations", str(ITERATIONS), "--trace", trace, "--quiet"], check=True)
    times = [json.loads(line)["seconds"] for line in trace.read_text().splitlines()]
    return [after - before for before, after in zip(times, times[1:])]


def fastest(runs):
    return sum(min(times) for times in zip(*runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--samples", type=int, default=100000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    runs = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "x.npy"
        np.save(data, make_planted.block(0, options.samples, make_planted.atoms_of(144, 200)))
        for _ in range(options.repeats):
            for n_ranks, times in runs.items():
                times.append(iterations_of(options.command, n_ranks, data, folder))
            one, two = (sum(times[-1]) for times in runs.values())
            print(f"{ITERATIONS - 1} iterations: one rank {one:.2f} s, two ranks {two:.2f} s, ratio {one / two:.2f}", flush=True)
    one, two = (fastest(times) for times in runs.values())
    if options.json:
        result = {"samples": options.samples, "iterations": ITERATIONS - 1, "one_rank_seconds": [sum(t) for t in runs[1]],
                  "two_ranks_seconds": [sum(t) for t in runs[2]], "fastest_seconds": [one, two], "ratio_of_fastest": one / two}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    print(f"each iteration at its fastest: one rank {one:.2f} s, two ranks {two:.2f} s, ratio {one / two:.2f} (at least 1.7) on "
          f"{os.cpu_count()} cores:", "held" if one / two >= 1.7 else "NOT HELD")
    return 0 if one / two >= 1.7 else 1


if __name__ == "__main__":
    sys.exit(main())
