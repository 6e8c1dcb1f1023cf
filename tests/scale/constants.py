# SPDX-License-Identifier: BSD-3-Clause
"""The constants of the cost model in docs/scale.md: constants.py COMMAND [--json FILE]

Computing: processor time (which a shared machine hardly changes), one thread, K = 200, d = 144, planted samples, tau = .3, eta = 1.
The sum: the best and the median of 200 MPI_Allreduce of the message of an iteration, two ranks on this machine, through shared
memory and through TCP. Reading: 1 GB that the system holds no page of, and once more when it holds all.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import make_planted  # noqa: E402
import numpy as np  # noqa: E402

ATOMS, FEATURES = 200, 144
MESSAGE = ATOMS * (ATOMS + 1) // 2 + FEATURES * ATOMS + ATOMS + 18  # doubles

SUMS = """
#include <mpi.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> message(std::atoi(argv[1]), 1.0), seconds;
  for (int i = 0; i < 200; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, message.data(), int(message.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    seconds.push_back(MPI_Wtime() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%.9f %.9f\\n", seconds[0], seconds[100]);
  MPI_Finalize();
}
"""


def processor_seconds(command, *arguments):
    process = subprocess.Popen([command, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def computing(command, folder):
    samples = make_planted.block(0, 40000, make_planted.atoms_of(FEATURES, ATOMS))
    learn = ["--atoms", ATOMS, "--tau", 0.3, "--eta", 1, "--threads", 1, "--quiet", "-o", folder / "m"]
    data = folder / "x.npy"
    per_iteration = {}
    for n, few, many in ((1000, 20, 320), (40000, 10, 40)):
        np.save(data, samples[:n])
        less, more = (processor_seconds(command, "learn", data, *learn, "--rtol", 0, "--max-iterations", i) for i in (few, many))
        per_iteration[n] = (more - less) / (many - few)
    per_sample = (per_iteration[40000] - per_iteration[1000]) / 39000
    stream = [processor_seconds(command, "learn", data, *learn, "--stream", "--passes", n) for n in (1, 3)]
    return {"sample_microseconds": 1e6 * per_sample, "steps_milliseconds": 1e3 * (per_iteration[1000] - 1000 * per_sample),
            "stream_sample_microseconds": 1e6 * (stream[1] - stream[0]) / 2 / 40000}


def summing(folder):
    (folder / "sums.cc").write_text(SUMS)
    subprocess.run(["mpicxx", "-O2", folder / "sums.cc", "-o", folder / "sums"], check=True)
    result = {"message_bytes": 8 * MESSAGE}
    for name, extra in (("shared_memory", []), ("tcp", ["--mca", "btl", "tcp,self"])):
        out = subprocess.run(["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", *extra, "-n", "2", folder / "sums",
                              str(MESSAGE)], check=True, capture_output=True).stdout.split()
        result[name + "_best_milliseconds"], result[name + "_median_milliseconds"] = (1e3 * float(t) for t in out)
    return result


def reading(folder):
    path = folder / "gigabyte"
    block = os.urandom(1 << 24)
    with open(path, "wb") as file:
        for _ in range(64):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    result = {}
    for name in ("disk", "memory"):
        start = time.monotonic()
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
        result[name + "_gigabytes_per_second"] = 64 * len(block) / 1e9 / (time.monotonic() - start)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = {"computing": computing(options.command, folder), "summing": summing(folder), "reading": reading(folder)}
    print(json.dumps(result, indent=1))
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
