# SPDX-License-Identifier: BSD-3-Clause
"""P20 to P25, P30, P32: kills, failing calls, full disks, failing allocations, signals, locks."""

import hashlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

# What a save asks of the system, and what it asks before and after.
SAVE_CALLS = ["openat", "write", "fsync", "close", "renameat2", "unlink", "flock", "fcntl", "fchmod"]
ERRORS = {"write": ("ENOSPC", "EIO"), "fsync": ("EIO", "ENOSPC"), "renameat2": ("EIO", "ENOSPC"), "close": ("EIO",)}
ERRORS |= {"openat": ("ENOSPC", "EMFILE"), "fchmod": ("EIO",), "flock": ("ENOLCK",), "fcntl": ("EMFILE",)}
# Ways to learn: of samples in memory, and of a stream.
IN_MEMORY = [(), ("--solver", "fista"), ("--dtype", "float64"), ("--solver", "fista", "--dtype", "float64", "--eta", 0)]
A_STREAM = ("--stream", "--passes", 3)
STREAMS = [("--stream", "--passes", 25, *more) for more in [*IN_MEMORY, ("--center-features",)]]


def missing(tool):
    return None if shutil.which(tool) else f"{tool} is not installed"


def tensor_hash(path):
    digest = hashlib.sha256()
    for name, tensor in sorted(load_file(path).items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode() + np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


class Workplace:
    """A folder with samples, an old model, and the model of an undisturbed run."""

    def __init__(self, command, folder, rows=300, iterations=5, more=()):
        self.command = str(command)
        self.folder = Path(folder)
        atoms = np.random.default_rng(1).standard_normal((12, 8))
        codes = np.random.default_rng(2).standard_normal((rows, 12)) * (np.random.default_rng(3).random((rows, 12)) < 0.2)
        np.save(self.folder / "x.npy", (codes @ atoms).astype(np.float32))
        self.learn = ["learn", self.folder / "x.npy", "--atoms", 12, "--tau", 0.1, "--rtol", 0, "--threads", 1]
        self.learn += ["--max-iterations", iterations, "--quiet", *more]
        self.run("-o", self.folder / "whole")
        self.hash = tensor_hash(self.folder / "whole")
        self.model = self.folder / "out" / "m"
        self.checkpoint = self.folder / "out" / "c"
        self.old = b"an older model"
        self.reset()

    def reset(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        self.model.write_bytes(self.old)

    def arguments(self, *more):
        return [self.command, *map(str, self.learn), *map(str, more)]

    def run(self, *more, **keywords):
        return subprocess.run(self.arguments(*more), capture_output=True, timeout=300, **keywords)

    def resume(self):
        return ("-o", self.model, "--checkpoint", self.checkpoint, "--checkpoint-every", 0, "--resume")

    def strace(self, inject, *more):
        command = ["strace", "-f", "-q", "-o", "/dev/null", "-e", f"inject={inject}", *self.arguments(*more)]
        return subprocess.run(command, capture_output=True, timeout=300)

    def count_calls(self, *more):
        log = self.folder / "strace.log"
        subprocess.run(
            ["strace", "-f", "-q", "-o", log, "-e", "trace=" + ",".join(SAVE_CALLS), *self.arguments(*more)],
            check=True,
            capture_output=True,
        )
        names = re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE)
        return {call: names.count(call) for call in SAVE_CALLS}

    def leftovers(self):
        """Files that nobody asked for, locks apart: a killed process cannot remove its own."""
        return [p.name for p in (self.folder / "out").iterdir() if p.name not in ("m", "c") and not p.name.endswith(".lock")]


@contextmanager
def workplace(command, **keywords):
    with tempfile.TemporaryDirectory() as folder:
        yield Workplace(command, folder, **keywords)


def kill_at_every_call(command, stride=1, more=()):
    """P20: killed at every system call of every save, a run goes on and ends with the same tensors."""
    failures, cases = [], 0
    with workplace(command, more=more) as place:
        calls = place.count_calls(*place.resume())
        points = [(call, n) for call in SAVE_CALLS for n in range(1, calls[call] + 1)]
        for call, n in points[::stride]:
            place.reset()
            place.strace(f"{call}:signal=KILL:when={n}", *place.resume())
            # What is there is whole: the old model or the new one.
            if place.model.read_bytes() != place.old and tensor_hash(place.model) != place.hash:
                failures.append(f"{call} {n}: the model is neither the old nor the new one")
            finished = place.run(*place.resume())
            cases += 1
            if finished.returncode != 0 or tensor_hash(place.model) != place.hash or place.leftovers():
                failures.append(f"{call} {n}: exit {finished.returncode}, {place.leftovers()}, {finished.stderr[-200:]}")
    return cases, failures


def kill_at_random(command, n, ways=IN_MEMORY):
    """P20: kill -9 at random moments, again and again, of both solvers and precisions."""
    failures, cases = [], 0
    dice = random.Random(20)
    for number, more in enumerate(ways):
        with workplace(command, rows=2500, iterations=40, more=more) as place:
            began = time.monotonic()
            place.run("-o", place.folder / "whole")
            whole_seconds = time.monotonic() - began
            wanted = n * (number + 1) // len(ways)
            while cases < wanted:
                place.reset()
                for _ in range(5):
                    process = subprocess.Popen(place.arguments(*place.resume()), stderr=subprocess.DEVNULL)
                    time.sleep(dice.uniform(0, 0.8) * whole_seconds)
                    cases += process.poll() is None
                    process.kill()
                    process.wait()
                finished = place.run(*place.resume())
                if finished.returncode != 0 or tensor_hash(place.model) != place.hash or place.leftovers():
                    failures.append(f"{more}: exit {finished.returncode}, {place.leftovers()}")
    return cases, failures


def fail_every_call(command, stride=1, checkpoint=False):
    """P21: an error of any call of a save: exit 0 with a whole model, or another with the old one intact.

    With checkpoints, also: the run goes on from the last good one and ends with the same tensors.
    """
    failures, cases = [], 0
    with workplace(command, iterations=2) as place:
        outputs = place.resume() if checkpoint else ("-o", place.model)
        calls = place.count_calls(*outputs)
        points = [(c, e, n) for c, errors in ERRORS.items() for e in errors for n in range(1, calls[c] + 1)]
        for call, error, n in points[::stride]:
            place.reset()
            finished = place.strace(f"{call}:error={error}:when={n}", *outputs)
            cases += 1
            content = place.model.read_bytes()
            # Calls before main belong to the loader, which ends with 127.
            good = (
                tensor_hash(place.model) == place.hash
                if finished.returncode == 0
                else content == place.old and finished.returncode in (3, 5, 6, 127)
            )
            if checkpoint and finished.returncode != 0:
                good = good and place.run(*outputs).returncode == 0 and tensor_hash(place.model) == place.hash
            if not good or place.leftovers():
                failures.append(f"{call} {n} {error}: exit {finished.returncode}, {place.leftovers()}")
    return cases, failures


def full_disk(command, pages):
    """P21: a disk of so many pages is full while an existing model is replaced: exit 5, the old model readable."""
    failures, cases = [], 0
    with workplace(command, iterations=2) as place:
        disk = place.folder / "disk"
        disk.mkdir()
        for n in pages:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4096 * n}", "tmpfs", disk], capture_output=True)
            if mounted.returncode != 0:
                return 0, [f"skipped: no tmpfs can be mounted here: {mounted.stderr.decode().strip()}"]
            try:
                model = disk / "m"
                old = (place.folder / "whole").read_bytes()
                try:
                    model.write_bytes(old)
                except OSError:
                    old = None
                    model.unlink()
                before = sorted(p.name for p in disk.iterdir())
                finished = place.run("-o", model)
                cases += 1
                after = sorted(p.name for p in disk.iterdir())
                if finished.returncode == 5:
                    good = after == before and (old is None or model.read_bytes() == old)
                    good = good and (old is None or subprocess.run([command, "info", model], capture_output=True).returncode == 0)
                else:
                    good = finished.returncode == 0 and tensor_hash(model) == place.hash
                if not good:
                    failures.append(f"{n} pages: exit {finished.returncode}, {before} -> {after}")
            finally:
                subprocess.run(["umount", disk], check=True)
        finished = place.run("-o", "/dev/full")
        cases += 1
        if finished.returncode != 5:
            failures.append(f"/dev/full: exit {finished.returncode}")
    return cases, failures


def fail_every_allocation(command, library, stride=1, rest=False):
    """P22: any failing allocation is exit 6, or is done without; the old model stays.

    Whatever the stride, the last ones, those of the save, are all among the cases.
    """
    failures, cases = [], 0
    with workplace(command, rows=40, iterations=2) as place:
        counts = place.folder / "counts"
        preload = {**os.environ, "LD_PRELOAD": str(library)}
        place.run("-o", place.model, env={**preload, "DUALDICT_COUNT_ALLOCATIONS": str(counts)})
        total = int(counts.read_text())
        for n in sorted({*range(1, total + 1, stride), *range(total - 11, total + 1)}):
            place.reset()
            env = {**preload, "DUALDICT_FAIL_ALLOCATION": str(n), **({"DUALDICT_FAIL_REST": "1"} if rest else {})}
            finished = place.run("-o", place.model, env=env)
            cases += 1
            if finished.returncode == 0:
                good = tensor_hash(place.model) == place.hash
            else:
                good = finished.returncode == 6 and place.model.read_bytes() == place.old
            if not good or place.leftovers():
                failures.append(f"allocation {n} of {total}: exit {finished.returncode}: {finished.stderr[-200:]}")
    return cases, failures


def limited_address_space(command, mebibytes):
    """P22: under any limit of the address space a run ends well or with exit 6 and the old model intact."""
    failures, cases = [], 0
    with workplace(command, rows=20000, iterations=2) as place:
        for limit in mebibytes:
            place.reset()
            limits = (limit << 20, limit << 20)
            finished = place.run("-o", place.model,
                                 preexec_fn=lambda limits=limits: resource.setrlimit(resource.RLIMIT_AS, limits))
            cases += 1
            # Below the size of the program itself the loader ends it, with 127.
            good = finished.returncode in (6, 127) and place.model.read_bytes() == place.old
            good = good or (finished.returncode == 0 and tensor_hash(place.model) == place.hash)
            if not good:
                failures.append(f"{limit} MiB: exit {finished.returncode}: {finished.stderr[-200:]}")
    return cases, failures


def signals(command, n):
    """P23: a signal ends a run within 5 s with a checkpoint from which it goes on; a second one ends it at once."""
    failures = []
    dice = random.Random(23)
    with workplace(command, rows=2500, iterations=40) as place:
        for number in range(n):
            place.reset()
            process = subprocess.Popen(place.arguments(*place.resume()), stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0.05, 0.6))
            asked = time.monotonic()
            wanted = dice.choice([signal.SIGINT, signal.SIGTERM])
            second = number % 3 == 2
            process.send_signal(wanted)
            if second:
                process.send_signal(wanted)
            code = process.wait(timeout=60)
            seconds = time.monotonic() - asked
            # Before the command listens a signal ends it as any other program.
            expected = (0, 128 + wanted, -wanted)
            if code not in expected or seconds > 5:
                failures.append(f"{wanted}: exit {code} after {seconds:.1f} s")
            finished = place.run(*place.resume())
            if finished.returncode != 0 or tensor_hash(place.model) != place.hash:
                failures.append(f"{wanted}: going on gives exit {finished.returncode}: {finished.stderr[-200:]}")
    return n, failures


def two_runs(command, n):
    """P25: of runs that start together on one output, exactly one writes it."""
    failures = []
    with workplace(command, rows=2500, iterations=30) as place:
        for _ in range(n):
            place.reset()
            runs = [subprocess.Popen(place.arguments("-o", place.model), stderr=subprocess.DEVNULL) for _ in range(4)]
            codes = sorted(run.wait() for run in runs)
            if codes != [0, 5, 5, 5] or tensor_hash(place.model) != place.hash or place.leftovers():
                failures.append(f"exits {codes}, {place.leftovers()}")
    return n, failures


WRITING = re.compile(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)')
CHANGING = re.compile(r'(?:rename|renameat2?|unlink|unlinkat|mkdir|mkdirat|creat)\(.*?"([^"]+)"')


def every_command(place):
    """The arguments of every command, and the folders that each may write to."""
    out = place.folder / "out"
    model, samples = place.folder / "whole", place.folder / "x.npy"
    (place.folder / "pictures").mkdir(exist_ok=True)
    pictures = place.folder / "pictures"
    return [
        ([*place.learn, "-o", out / "m", "--trace", out / "t", "--checkpoint", out / "c"], [out]),
        (["generate", "-o", pictures, "--images", 2, "--size", 64], [pictures]),
        (["learn", pictures, "-o", out / "p", "--atoms", 4, "--patches", "4x4", "--samples", 500], [out]),
        (["encode", model, samples, "-o", out / "codes.npy"], [out]),
        (["encode", model, samples, "-o", out / "codes.npz", "--sparse"], [out]),
        (["encode", model, samples, "-o", "-"], []),
        (["decode", model, out / "codes.npy", "-o", out / "back.npy"], [out]),
        (["info", model, "--json"], []),
        (["verify", model, samples], []),
        (["mosaic", model, "-o", out / "atoms.png"], [out]),
        (["options"], []),
        (["completion", "bash"], []),
        (["manual"], []),
        (["--help"], []),
    ]


def writes_and_sockets(command):
    """P30, P32: no command writes outside of the folders it was pointed at, and none opens a socket."""
    failures, cases = [], 0
    with workplace(command) as place:
        log = place.folder / "strace.log"
        for arguments, allowed in every_command(place):
            trace = ["strace", "-f", "-q", "-o", log, "-e", "trace=%file,socket,connect,creat"]
            done = subprocess.run([*map(str, trace), place.command, *map(str, arguments)], capture_output=True)
            text = "\n".join(line for line in log.read_text().splitlines() if " = -1 " not in line)
            touched = WRITING.findall(text) + CHANGING.findall(text)
            strange = [
                path
                for path in touched
                if path not in ("/dev/null", "/dev/tty")
                and not any(Path(place.folder, path).resolve().is_relative_to(folder) for folder in allowed)
            ]
            cases += 1
            if done.returncode != 0 or strange or re.search(r"\b(socket|connect)\(", text):
                failures.append(f"{arguments[0]}: exit {done.returncode}, touched {strange}")
    return cases, failures
