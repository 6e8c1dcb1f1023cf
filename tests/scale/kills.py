# SPDX-License-Identifier: BSD-3-Clause
"""P24: kills of ranks at random times: kills.py COMMAND [KILLS] [JSON FILE] [--stream]

Each time 2, 3 or 4 ranks learn with a checkpoint, and one of them (or the guard that mpirun sees) gets SIGKILL at a random
moment, from the start of the job to its end. With --stream the samples are streamed in several passes, on one and two ranks. The
job must end within 10 s, not with 0, and leave no process behind; the checkpoint, if there is one, must load; and going on with as
many ranks must end bit for bit as a job that nobody killed.
"""

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

if __name__ == "__main__":
    os.environ["DUALDICT_COMMAND"] = sys.argv[1]
sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
import numpy as np  # noqa: E402
from conftest import planted, tensor_hash  # noqa: E402
from ranks import children, kill_and_wait, ranks_of, run_on, start_on  # noqa: E402

LEARN = ["--atoms", 32, "--tau", 0.1, "--threads", 1, "--quiet"]


def one_kill(folder, learn, n_ranks, longest, whole, chance):
    """What went wrong, or None; and the exit code and seconds of the killed job."""
    kept = ["--checkpoint", folder / "c", "--checkpoint-every", 0, "--resume", "-o", folder / "m"]
    process = start_on(n_ranks, *learn, *kept)
    time.sleep(chance.uniform(0.02, longest))
    pairs = ranks_of(process.pid)
    everyone = [pid for pair in pairs for pid in pair]
    if process.poll() is not None or not everyone:
        victims = children(process.pid)
        if process.poll() is not None or not victims:
            process.wait()
            return None, "ended before the kill", 0.0
        everyone = victims
    victim = chance.choice([pair[1] for pair in pairs] * 3 + [pair[0] for pair in pairs] or everyone)
    code, seconds, left = kill_and_wait(process, victim, everyone)
    if code == 0 and not (folder / "m").exists():
        return "exit 0 without a model", code, seconds
    if seconds > 10:
        return f"took {seconds:.1f} s to end", code, seconds
    if left:
        return f"left processes {left}", code, seconds
    again = run_on(n_ranks, *learn, *kept)
    if again.returncode != 0:
        return f"going on: exit {again.returncode}: {again.stderr.decode()}", code, seconds
    if tensor_hash(folder / "m") != whole:
        return "going on ended with other bits", code, seconds
    return None, code, seconds


def kill_ranks(n_kills, stream, say=lambda text: None):
    """How many kills, the failures, the exit codes of the killed jobs, and the seconds of the slowest end."""
    chance = random.Random(1)
    failures, codes, slowest, n_done = [], {}, 0.0, 0
    with tempfile.TemporaryDirectory() as name:
        data = Path(name) / "x.npy"
        np.save(data, planted(6000, 24, 32, seed=5).astype(np.float32))
        learn = ["learn", data, *LEARN, *(["--stream", "--passes", 12] if stream else ["--rtol", 0, "--max-iterations", 150])]
        choice = (1, 2) if stream else (2, 3, 4)
        whole, longest = {}, {}
        for n_ranks in choice:
            start = time.monotonic()
            model = Path(name) / f"whole-{n_ranks}"
            assert run_on(n_ranks, *learn, "-o", model).returncode == 0
            whole[n_ranks], longest[n_ranks] = tensor_hash(model), time.monotonic() - start
        while n_done < n_kills:
            n_ranks = choice[n_done % len(choice)]
            folder = Path(name) / f"kill-{n_done}-{time.monotonic_ns()}"
            folder.mkdir()
            wrong, code, seconds = one_kill(folder, learn, n_ranks, longest[n_ranks], whole[n_ranks], chance)
            if code == "ended before the kill":
                continue
            n_done += 1
            codes[code] = codes.get(code, 0) + 1
            slowest = max(slowest, seconds)
            say(f"kill {n_done}, {n_ranks} ranks: exit {code} after {seconds:.1f} s: {wrong or 'good'}")
            if wrong:
                failures.append(f"kill {n_done}, {n_ranks} ranks: {wrong}")
    return {"kills": n_done, "failures": failures, "exit_codes": codes, "slowest_end_seconds": slowest}


def main(stream, n_kills=60, path=None):
    result = kill_ranks(n_kills, stream, lambda text: print(text, flush=True))
    print(f"{result['kills']} kills, {len(result['failures'])} failures; exit codes {result['exit_codes']}; "
          f"slowest end {result['slowest_end_seconds']:.2f} s", *result["failures"], sep="\n")
    if path:
        Path(path).write_text(json.dumps(result, indent=1) + "\n")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    given = [argument for argument in sys.argv[2:] if argument != "--stream"]
    sys.exit(main("--stream" in sys.argv, int(given[0]) if given else 60, *given[1:2]))
