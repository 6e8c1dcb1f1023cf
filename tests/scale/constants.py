# SPDX-License-Identifier: BSD-3-Clause
"""The constants of the cost model in docs/scale.md: constants.py COMMAND

Processor time (which a shared machine hardly changes), one thread, K = 200, d = 144, planted samples, tau = .3, eta = 1.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_planted  # noqa: E402
import numpy as np  # noqa: E402


def processor_seconds(command, *arguments):
    process = subprocess.Popen([command, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def main(command):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        atoms = make_planted.atoms_of(144, 200)
        samples = make_planted.block(0, 40000, atoms)
        model = folder / "m"
        per_iteration = {}
        for n in (10000, 40000):
            np.save(folder / "x.npy", samples[:n])
            few, many = (processor_seconds(command, "learn", folder / "x.npy", "-o", model, "--atoms", 200, "--tau", 0.3, "--threads",
                                           1, "--rtol", 0, "--max-iterations", i, "--quiet") for i in (10, 40))
            per_iteration[n] = (many - few) / 30
        per_sample = (per_iteration[40000] - per_iteration[10000]) / 30000
        print(f"an iteration: {1e6 * per_sample:.2f} us a sample ({1 / per_sample:.0f} samples a second and core), and "
              f"{1e3 * (per_iteration[10000] - 10000 * per_sample):.1f} ms for D, C and E")
        stream = [processor_seconds(command, "learn", folder / "x.npy", "-o", model, "--atoms", 200, "--tau", 0.3, "--threads", 1,
                                    "--stream", "--passes", passes, "--quiet") for passes in (1, 3)]
        each = (stream[1] - stream[0]) / 2 / 40000
        print(f"a stream: {1e6 * each:.2f} us a sample ({1 / each:.0f} samples a second and core)")


if __name__ == "__main__":
    main(sys.argv[1])
