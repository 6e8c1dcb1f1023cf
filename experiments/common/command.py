# SPDX-License-Identifier: BSD-3-Clause
"""The command `dualdict`, as a user calls it."""
import json
import os
import resource
import shutil
import subprocess

from .start import ROOT


def path():
    built = ROOT / "build" / "release" / "dualdict"
    found = os.environ.get("DUALDICT_COMMAND") or (built if built.exists() else shutil.which("dualdict"))
    if not found:
        raise FileNotFoundError("the command dualdict is not there: scripts/build release makes it, DUALDICT_COMMAND names it")
    return str(found)


def call(*arguments):
    """Runs it and returns what it printed as JSON, with the CPU seconds of all its threads, or None."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([path(), *map(str, arguments)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"dualdict {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {**json.loads(done.stdout), "cpu_seconds": spent} if "--json" in arguments else None
