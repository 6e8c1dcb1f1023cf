# SPDX-License-Identifier: BSD-3-Clause
"""Runs the long forms of the promises and prints the table:
main.py BUILD [--fuzz BUILD] [--only P20,P21] [--targets npy,png] [--divide n]

--targets names the readers that P1 fuzzes. --divide n runs about one case of n. Exit 1 when anything failed.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
import faults  # noqa: E402
import hostile  # noqa: E402
import interop  # noqa: E402
import job_ranks  # noqa: E402
import kill_digits  # noqa: E402
import signals  # noqa: E402
import streams  # noqa: E402

EXECUTIONS = 1_000_000
NEWER_SCHEMAS = "ModelFile.RefusesOtherFormatsAndNewerSchemas"
POSITIONS = [(row, column) for row in range(12) for column in range(3)]


def numbers(build, promise, divide):
    done = subprocess.run([build / "trust_numbers", promise, str(divide)], capture_output=True, text=True)
    counted = re.search(r"(\d+) (\d+)$", done.stdout.strip())
    if not counted:
        return 0, [done.stderr[-300:] or f"exit {done.returncode}"]
    failures = [line for line in done.stderr.splitlines() if line.startswith("failed")]
    return int(counted[1]), failures or (["exit"] if done.returncode else [])


def fuzz(build, corpus, executions, only):
    """P1: every target, or those in `only`, so many executions."""
    if build is None:
        return 0, ["skipped: no --fuzz build"]
    targets = sorted(path.name for path in corpus.iterdir() if not only or path.name in only)
    cases, failures = 0, []
    for target in targets:
        grown = build / "grown" / target
        grown.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [build / "fuzz_readers", f"-runs={executions}", "-max_len=8192", "-timeout=10", "-rss_limit_mb=2048"]
            + ["-print_final_stats=1", f"-artifact_prefix={build}/finding-{target}-", grown, corpus / target],
            env={**os.environ, "DUALDICT_FUZZ_TARGET": target},
            capture_output=True,
            text=True,
            errors="replace",
        )
        ran = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
        cases += int(ran[1]) if ran else 0
        if done.returncode != 0 or not ran:
            failures.append(f"{target}: {done.stderr[-300:]}")
    return cases, failures


def unit_tests(build, *names):
    """Tests of the ordinary suite, by filters of their names: they are the cases."""
    cases, failures = 0, []
    for name in names:
        done = subprocess.run([build / "unit_tests", f"--gtest_filter={name}"], capture_output=True, text=True)
        counted = re.search(r"\[=+\] (\d+) tests? from .* ran", done.stdout)
        cases += int(counted[1]) if counted else 0
        if done.returncode != 0:
            failures.append(f"{name}: exit {done.returncode}")
    return cases, failures


def rows(build, fuzz_build, targets, divide):
    command = build / "dualdict"
    library = build / "libfail_allocation.so"
    many = lambda n: max(1, n // divide)  # noqa: E731
    convert = build / "interop_convert"
    corpus = build / "tests" / "fuzz" / "corpus"
    package = build / "python" if (build / "python" / "dualdict").exists() else None
    return [
        ("P1", "any bytes: a result or an error", lambda: fuzz(fuzz_build, corpus, many(EXECUTIONS), targets)),
        ("P2", "hostile files get their verdict", lambda: hostile.hostile_set(command, divide)),
        ("P2", "endless files and pipes", lambda: hostile.endless_and_piped(command)),
        ("P3", "arrays and tensors of others, both ways", lambda: interop.random_arrays(convert, many(1000))),
        ("P4", "files cut while they are read", lambda: hostile.cut_while_read(command, many(200))),
        ("P5", "every flipped bit and every cut is found", lambda: numbers(build, "P5", divide)),
        ("P5", "the same by the command", lambda: hostile.flipped_bits(command, many(1000), many(100))),
        ("P7", "NaN and Inf are refused with their place", lambda: hostile.non_finite(command, POSITIONS[::divide])),
        ("P8", "zero, constant, equal, single samples", lambda: unit_tests(build, "Corners.*", "CodeEdge/*:CodeGap.*")),
        ("P9", "every legal corner", lambda: numbers(build, "P9", divide)),
        ("P10", "no step of 200 random fits raises E", lambda: numbers(build, "P10", divide)),
        ("P11", "atoms and filters of 200 saved models in the ball", lambda: numbers(build, "P11", divide)),
        ("P12", "gaps of random problems bound what is missing", lambda: numbers(build, "P12", divide)),
        ("P12", "verify agrees with random fits", lambda: numbers(build, "P12-verify", divide)),
        ("P13", "scaling by powers of two", lambda: numbers(build, "P13", divide)),
        ("P14", "magnitudes 1e-30 to 1e30", lambda: numbers(build, "P14", divide)),
        ("P15", "ill-conditioned: no false CONVERGED", lambda: numbers(build, "P15", divide)),
        ("P17", "the same bits for any thread count", lambda: numbers(build, "P17", divide)),
        ("P18", "ranks agree, in memory", lambda: job_ranks.agree(command, many(64))),
        ("P18", "ranks agree, a stream", lambda: job_ranks.agree(command, many(64), stream=True)),
        ("P19", "the same code in any batch", lambda: numbers(build, "P19", divide)),
        ("P19", "the same code streamed, alone, from Python", lambda: streams.same_codes(command, package, many(60))),
        ("P20", "killed at every call of a save", lambda: faults.kill_at_every_call(command, divide)),
        ("P20", "killed at random moments", lambda: faults.kill_at_random(command, many(200))),
        ("P20", "a stream, killed at every call of a save",
         lambda: faults.kill_at_every_call(command, divide, faults.A_STREAM)),
        ("P20", "a stream, killed at random moments", lambda: faults.kill_at_random(command, many(200), faults.STREAMS)),
        ("P20", "killed at random moments, MNIST", lambda: kill_digits.kill_digits(command, many(10))),
        ("P21", "every call of a save fails", lambda: faults.fail_every_call(command, divide)),
        ("P21", "every call of a save fails, checkpoints too", lambda: faults.fail_every_call(command, divide, True)),
        ("P21", "full disks of 1 to 64 pages", lambda: faults.full_disk(command, range(1, 65, divide))),
        ("P22", "every allocation fails", lambda: faults.fail_every_allocation(command, library, divide)),
        ("P22", "all fail from there on", lambda: faults.fail_every_allocation(command, library, 10 * divide, True)),
        ("P22", "limited address space", lambda: faults.limited_address_space(command, range(8, 400, 8 * divide))),
        ("P23", "signals, and going on to the same bits", lambda: faults.signals(command, many(60))),
        ("P23", "signals over ten shapes", lambda: signals.over_shapes(command, many(200))),
        ("P24", "kills of ranks", lambda: job_ranks.kills(command, many(60))),
        ("P24", "kills of ranks, a stream", lambda: job_ranks.kills(command, many(60), stream=True)),
        ("P25", "four runs on one output", lambda: faults.two_runs(command, many(50))),
        ("P26", "streams in constant memory", lambda: streams.constant_memory(command)),
        ("P26", "learning from streams in constant memory", lambda: streams.learning_in_constant_memory(command)),
        ("P26", "streams that are cut, learned from", lambda: streams.cut_streams(command, many(100))),
        ("P27", "encoding from eight threads", lambda: numbers(build, "P27", divide)),
        ("P30, P32", "writes stay in place; no sockets", lambda: faults.writes_and_sockets(command)),
        ("P35", "older models load, newer are refused", lambda: unit_tests(build, "Golden.*", NEWER_SCHEMAS)),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--fuzz", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default="", help="readers to fuzz: npy,png,...; all when not given")
    parser.add_argument("--divide", type=int, default=1)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    fuzz_build = arguments.fuzz.resolve() if arguments.fuzz else None
    only = set(filter(None, arguments.only.split(",")))
    print(f"{time.strftime('%Y-%m-%d')}, one case of {arguments.divide}\n")
    print("| promise | what is done | cases | failures | seconds |\n|---|---|---|---|---|", flush=True)
    failed = False
    targets = set(filter(None, arguments.targets.split(",")))
    for promise, what, run in rows(build, fuzz_build, targets, arguments.divide):
        if only and not only & set(promise.split(", ")):
            continue
        began = time.monotonic()
        try:
            cases, failures = run()
        except Exception as error:  # a form that breaks is a failure, and the others still run
            cases, failures = 0, [f"the form itself broke: {error!r}"]
        seconds = time.monotonic() - began
        skipped = bool(failures) and failures[0].startswith("skipped")
        shown = failures[0] if skipped else str(len(failures))
        print(f"| {promise} | {what} | {cases} | {shown} | {seconds:.0f} |", flush=True)
        for failure in failures[:10]:
            print(f"{promise}: {failure}", file=sys.stderr, flush=True)
        failed = failed or (bool(failures) and not skipped)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
