# SPDX-License-Identifier: BSD-3-Clause
"""learn(communicator=) of mpi4py beside mpirun of the command: mpi_fit.py COMMAND

The same bits on 1, 2 and 3 ranks, and every error of one rank reaches all. Needs mpi4py, mpirun and the package on
PYTHONPATH. Ends with exit code 1 when a promise does not hold.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]
RANK = '''
import sys
import numpy as np
from mpi4py import MPI
import dualdict

comm, what, folder = MPI.COMM_WORLD, sys.argv[1], sys.argv[2]
X = np.load(folder + "/x.npy")
n, rank, size = len(X), comm.Get_rank(), comm.Get_size()
mine = X[n * rank // size:n * (rank + 1) // size]
last = rank == size - 1
def callback(record):
    if what == "callback" and last and record.iteration == 2:
        raise ZeroDivisionError("in the callback")
    return False
if what == "samples" and last:
    mine = mine[:, :5]
if what == "nan" and last:
    mine = mine.copy()
    mine[1, 1] = np.nan
options = {"tol": -1} if what == "options" and last else {}
try:
    model, summary = dualdict.learn(mine, 24, tau=0.1, max_iter=8, n_jobs=1, callback=callback, communicator=comm, **options)
    if rank == 0:
        model.save(folder + "/python.safetensors")
    print("learned", rank, flush=True)
except Exception as error:
    print("raised", rank, type(error).__name__, flush=True)
'''


def planted(n, d, k):
    rng = np.random.default_rng(0)
    codes = rng.standard_normal((n, k)) * (rng.random((n, k)) < 0.1)
    return (codes @ rng.standard_normal((k, d))).astype(np.float32)


def main():
    command = sys.argv[1]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", planted(3000, 16, 24))
        script = Path(folder) / "rank.py"
        script.write_text(RANK, encoding="utf-8")
        for n_ranks in (1, 2, 3):
            launch = [*MPIRUN, str(n_ranks)]
            subprocess.run([*launch, command, "learn", f"{folder}/x.npy", "-o", f"{folder}/command.safetensors", "--atoms", "24",
                            "--tau", "0.1", "--threads", "1", "--max-iterations", "8", "--quiet"], check=True)
            subprocess.run([*launch, sys.executable, script, "learn", folder], check=True, timeout=120, stdout=subprocess.DEVNULL)
            import dualdict

            ours, theirs = (dualdict.load_model(f"{folder}/{name}.safetensors") for name in ("python", "command"))
            equal = (ours.components == theirs.components).all() and (ours.dual == theirs.dual).all()
            print(f"{n_ranks} ranks: {'the bits of the command' if equal else 'OTHER BITS'}")
            good = good and bool(equal)
        for what in ("samples", "nan", "options", "callback"):
            done = subprocess.run([*MPIRUN, "3", sys.executable, script, what, folder], timeout=120, capture_output=True, text=True)
            n_raised = done.stdout.count("raised")
            print(f"{what} wrong on one of 3 ranks: {n_raised} raised")
            good = good and n_raised == 3
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
