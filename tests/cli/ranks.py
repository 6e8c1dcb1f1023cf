# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command on several ranks with the mpirun of the machine."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from conftest import COMMAND

MPIRUN = shutil.which("mpirun")
MPI_PART = Path(COMMAND).parent / "libdualdict_mpi.so"


def command_on(n_ranks, *arguments):
    return [MPIRUN, "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", str(n_ranks), COMMAND,
            *map(str, arguments)]


def run_on(n_ranks, *arguments):
    return subprocess.run(command_on(n_ranks, *arguments), capture_output=True, timeout=300)


def start_on(n_ranks, *arguments):
    return subprocess.Popen(command_on(n_ranks, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def children(pid):
    """The processes whose parent is `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return sorted(found)


def ranks_of(mpirun):
    """[(guard, rank)] of a job: mpirun starts a guard for every rank, and the guard the rank itself."""
    pairs = []
    for guard in children(mpirun):
        pairs += [(guard, rank) for rank in children(guard)]
    return pairs


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill_and_wait(process, victim, others, limit=10.0):
    """Kills one process of a job. Returns the exit code, the seconds until the job had ended, and who is left."""
    os.kill(victim, signal.SIGKILL)
    start = time.monotonic()
    try:
        process.wait(timeout=6 * limit)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    seconds = time.monotonic() - start
    while any(map(is_running, others)) and time.monotonic() - start < limit:
        time.sleep(0.05)
    return process.returncode, seconds, [pid for pid in others if is_running(pid)]
