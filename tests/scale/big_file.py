# SPDX-License-Identifier: BSD-3-Clause
"""Learning from a file larger than what may be held: big_file.py COMMAND FOLDER [--gigabytes 20] [--pairs 3] [--seconds 20]
[--whole] [--ranks] [--keep] [--json FILE]

Makes planted samples in FOLDER, 20 GB and the first 1 GB of them, and removes both afterwards (--keep: they stay, and are used
again). Then so many pairs of `learn --stream`, each of so many seconds: over the small file, which the system holds in memory,
and over the large one, none of whose pages it holds. Reports samples a second of both and the largest resident memory.
--whole: one pass over the whole large file too. --ranks: the large file with one rank and with two, in turn, one thread each.
Where other work keeps the two cores from being free, the ratio by wall time says little; beside it stands the one by processor
time, which two cores that are free would reach at least: what ranks burn while they wait for each other counts against it.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

OPTIONS = ["--atoms", "200", "--tau", ".3", "--eta", "1", "--stream", "--json", "--quiet"]


def learn(command, source, model, *extra, launch=()):
    start = time.monotonic()
    process = subprocess.Popen([*launch, command, "learn", source, "-o", model, *OPTIONS, *extra], stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result = json.loads(out)
    n = result["n_samples"]
    return {"exit": process.returncode, "samples": n, "seconds": round(result["seconds"], 2),
            "samples_per_second": round(n / result["seconds"]), "peak_mebibytes": round(usage.ru_maxrss / 1024),
            "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
            "wall_seconds": round(time.monotonic() - start, 2)}


def make(path, gigabytes):
    if not os.path.exists(path):
        start = time.monotonic()
        # In a process of its own: what this one ever held would count as the largest memory of its children.
        maker = Path(__file__).parent / "make_planted.py"
        subprocess.run([sys.executable, maker, path, str(gigabytes)], check=True)
        print(f"made in {time.monotonic() - start:.0f} s", flush=True)


def remember(path):
    """Its pages are in memory."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def forget(path):
    """Its pages are on the disk only."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def ranks(command, big, model, limit):
    """The best of three turns of each: other work on the machine can only make them slower."""
    two = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]
    runs = [[learn(command, big, model, *limit, "--threads", "1", launch=launch) for launch in ((), two)] for _ in range(3)]
    best = [max(run[i]["samples_per_second"] for run in runs) for i in range(2)]
    worked = [max(run[i]["samples"] / run[i]["processor_seconds"] for run in runs) for i in range(2)]
    found = {"runs": runs, "ratio": best[1] / best[0], "ratio_by_processor_time": 2 * worked[1] / worked[0],
             "peak_mebibytes": max(run["peak_mebibytes"] for pair in runs for run in pair)}
    print(f"two ranks: {found['ratio']:.2f} times the samples a second of one, by processor time "
          f"{found['ratio_by_processor_time']:.2f} (at least 1.8), peak {found['peak_mebibytes']} MiB a rank (at most 300)", flush=True)
    return found


def measure(command, big, small, model, options):
    runs = []
    limit = ["--time-limit", str(options.seconds)]
    for _ in range(options.pairs):
        remember(small)
        memory = learn(command, small, model, *limit)
        forget(big)
        file = learn(command, big, model, *limit)
        runs.append({"from_memory": memory, "from_file": file,
                     "ratio": round(file["samples_per_second"] / memory["samples_per_second"], 3)})
        print(json.dumps(runs[-1]), flush=True)
    result = {"gigabytes": os.path.getsize(big) / 1e9, "runs": runs}
    if options.ranks:
        result["ranks"] = ranks(command, big, model, limit)
    if options.whole:
        forget(big)
        result["whole"] = learn(command, big, model)
        print("the whole file:", json.dumps(result["whole"]), flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("folder")
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    big, small, model = (os.path.join(options.folder, name) for name in ("big.npy", "small.npy", "model.safetensors"))
    try:
        make(small, 1.0)
        make(big, options.gigabytes)
        result = measure(options.command, big, small, model, options)
    finally:
        for path in [model] if options.keep else [big, small, model]:
            if os.path.exists(path):
                os.remove(path)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    files = [run["from_file"] for run in result["runs"]] + ([result["whole"]] if options.whole else [])
    of_ranks = result.get("ranks")
    peak = max([run["peak_mebibytes"] for run in files] + ([of_ranks["peak_mebibytes"]] if of_ranks else []), default=0)
    ratios = sorted(run["ratio"] for run in result["runs"])
    middle = ratios[len(ratios) // 2] if ratios else None
    good = peak <= 1024 and (middle is None or middle >= 0.8)
    if of_ranks:
        good = good and of_ranks["peak_mebibytes"] <= 300 and max(of_ranks["ratio"], of_ranks["ratio_by_processor_time"]) >= 1.8
    print(f"peak {peak} MiB (at most 1024), speed {middle} of that from memory (median; at least 0.8):",
          "held" if good else "NOT HELD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
