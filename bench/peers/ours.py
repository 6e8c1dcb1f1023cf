# SPDX-License-Identifier: BSD-3-Clause
"""The command and the timing programs of this repository, each run as a process of its own."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from settings import PROGRAMS

LAUNCHER = Path(__file__).with_name("launch.py")


INTERRUPTED = 130


def run(arguments, expected=0):
    """Runs a program to its end: (standard output, wall seconds, peak memory in bytes)."""
    arguments = [str(argument) for argument in arguments]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as report:
        launched = [sys.executable, "-I", "-S", LAUNCHER, report.name, *arguments]
        process = subprocess.run(launched, stdout=subprocess.PIPE, text=True, check=False)
        if process.returncode != expected:
            raise RuntimeError(f"exit code {process.returncode}: {' '.join(arguments)}")
        seconds, memory = report.read().split()
    return process.stdout, float(seconds), int(memory)


def program(name, *arguments):
    """A timing program; it prints one JSON object."""
    return json.loads(run([PROGRAMS / f"bench_{name}", *arguments])[0])


def command(*arguments):
    return run([PROGRAMS / "dualdict", *arguments])


def learn(problem, work, tag, interrupt=None, **options):
    """One fit from the problem's first dictionary; `options` are flags without dashes. `interrupt`: the seconds after
    which it gets a Ctrl-C; the model is then what it had by that time."""
    model, trace = work / f"{problem.name}-{tag}.safetensors", work / f"{problem.name}-{tag}.jsonl"
    flags = {"atoms": problem.n_atoms, "tau": problem.tau, "threads": 1, "init": problem.start, "trace": trace}
    flags.update(options)
    given = [text for name, value in flags.items() for text in ("--" + name.replace("_", "-"), value)]
    trace.unlink(missing_ok=True)
    arguments = [PROGRAMS / "dualdict", "learn", problem.samples, "-o", model, "--json", "--quiet", *given]
    if interrupt:
        stop = [shutil.which("timeout"), "--preserve-status", "--signal=INT", interrupt]
        output, seconds, memory = run([*stop, *arguments], expected=INTERRUPTED)
    else:
        output, seconds, memory = run(arguments)
    # A run that was stopped before its first reported iteration leaves no trace.
    text = trace.read_text(encoding="utf-8") if trace.exists() else ""
    iterations = [json.loads(line) for line in text.splitlines()]
    return {"model": model, "summary": json.loads(output), "iterations": iterations, "wall_seconds": seconds,
            "peak_bytes": memory}


def dictionary(model, path):
    """Writes the D of a model as npy, one atom per row."""
    np.save(path, load_file(model)["dictionary"].astype(np.float32))
    return path


def objective(problem, dictionary_path):
    """Mean of 1/2|x - Du|^2 + lambda|u|_1 over the judged samples at the exact codes; not timed, so on all cores."""
    return program("objective_of", problem.judged, dictionary_path, problem.tau, 0)["objective"]
