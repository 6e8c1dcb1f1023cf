# SPDX-License-Identifier: BSD-3-Clause
"""P18, P24: several ranks under mpirun, of samples in memory and of a stream."""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from faults import tensor_hash

FOLDERS = [Path(__file__).resolve().parent.parent / folder for folder in ("cli", "scale")]
AGREE = {"float32": 1e-5, "float64": 1e-10}  # relative, of E after 20 iterations or as many passes
STEPS = 20


def jobs(command):
    """What starts and kills jobs: made for one command, which the environment names; or None where there is no MPI."""
    os.environ["DUALDICT_COMMAND"] = str(command)
    for folder in FOLDERS:
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    import kills as killing
    import ranks

    return (killing, ranks) if ranks.MPIRUN and ranks.MPI_PART.exists() else None


def agree(command, n, stream=False):
    """P18: the same bits for the same number of ranks, and nearly the same E for any. n runs, 8 of every fit."""
    found = jobs(command)
    if found is None:
        return 0, ["skipped: there is no mpirun, or no part for MPI"]
    _, ranks = found
    failures, cases = [], 0
    steps = ["--stream", "--passes", STEPS] if stream else ["--rtol", 0, "--max-iterations", STEPS]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(max(1, n // 8)):
            dtype, eta = ("float32", "float64")[number % 2], (0, 1)[number // 2 % 2]
            np.save(folder / "x.npy", np.random.default_rng(number).laplace(size=(1500 + 97 * number, 12)))
            learn = ["learn", folder / "x.npy", "-o", folder / "m", "--atoms", 16, "--tau", 1, "--eta", eta, "--dtype", dtype,
                     "--seed", number, "--threads", 1, "--quiet", "--json", *steps]
            energies = {}
            for n_ranks in (1, 2, 3, 4):
                hashes = set()
                for _ in range(2):
                    done = ranks.run_on(n_ranks, *learn)
                    cases += 1
                    if done.returncode != 0:
                        failures.append(f"{learn[2:]}, {n_ranks} ranks: exit {done.returncode}: {done.stderr[-200:]}")
                        continue
                    hashes.add(tensor_hash(folder / "m"))
                    energies[n_ranks] = json.loads(done.stdout)["energy"]["total"]
                if len(hashes) > 1:
                    failures.append(f"{dtype}, eta {eta}, seed {number}, {n_ranks} ranks: other bits the second time")
            worst = max((abs(energy / energies[1] - 1) for energy in energies.values()), default=1.0)
            if not worst <= AGREE[dtype]:
                failures.append(f"{dtype}, eta {eta}, seed {number}: E differs by {worst:.2g}: {energies}")
    return cases, failures


def kills(command, n, stream=False):
    """P24: ranks killed at random times."""
    found = jobs(command)
    if found is None:
        return 0, ["skipped: there is no mpirun, or no part for MPI"]
    killing, _ = found
    result = killing.kill_ranks(n, stream)
    return result["kills"], result["failures"]
