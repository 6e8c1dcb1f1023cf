# SPDX-License-Identifier: BSD-3-Clause
"""P20 on real data: kill -9 of learning MNIST at random moments: kill_digits.py COMMAND [KILLS]

Needs DUALDICT_DATA. Each run is killed once and then resumed; its tensors have the sha256 of the undisturbed run.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
from faults import tensor_hash  # noqa: E402


def kill_digits(command, kills, say=lambda text: None):
    data = os.environ.get("DUALDICT_DATA", "")
    digits = Path(data, "mnist", "train-images-idx3-ubyte.gz")
    if not data or not digits.exists():
        return 0, ["skipped: DUALDICT_DATA names no folder with mnist/train-images-idx3-ubyte.gz"]
    failures, cases = [], 0
    dice = random.Random(200)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learn = [command, "learn", digits, "--scale", 255, "--atoms", 200, "--tau", 0.2, "--eta", 0.001, "--quiet"]
        began = time.monotonic()
        subprocess.run([*map(str, learn), "-o", str(folder / "whole")], check=True)
        whole_seconds = time.monotonic() - began
        wanted = tensor_hash(folder / "whole")
        say(f"undisturbed: {whole_seconds:.0f} s, tensors {wanted}")
        while cases < kills:
            for path in folder.glob("m*"):
                path.unlink()
            outputs = ["-o", folder / "m", "--checkpoint", folder / "m.checkpoint", "--checkpoint-every", 1, "--resume"]
            process = subprocess.Popen([*map(str, learn + outputs)])
            moment = dice.uniform(0, 1) * whole_seconds
            time.sleep(moment)
            process.kill()
            if process.wait() != -signal.SIGKILL:
                continue  # it had ended before
            cases += 1
            kept = (folder / "m.checkpoint").exists()
            code = subprocess.run([*map(str, learn + outputs)]).returncode
            found = tensor_hash(folder / "m") if code == 0 else "none"
            say(f"killed after {moment:.1f} s, {'a' if kept else 'no'} checkpoint; resumed: exit {code}, tensors {found}")
            if found != wanted:
                failures.append(f"killed after {moment:.1f} s: exit {code}, tensors {found} instead of {wanted}")
    return cases, failures


if __name__ == "__main__":
    n_kills = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    n_cases, failed = kill_digits(Path(sys.argv[1]).resolve(), n_kills, lambda text: print(text, flush=True))
    print(f"{n_cases} kills, {len(failed)} failures", *failed, sep="\n")
    sys.exit(1 if failed or n_cases == 0 else 0)
