# SPDX-License-Identifier: BSD-3-Clause
"""Runs the rows asked for, keeps each as soon as it is done, and writes tables, plots and the page from what is kept."""
import argparse
import json
import time

import codes
import encoding
import exact
import learning
import machine
import page
import plots
import scaling
import stopping
from availability import missing
from problems import digit_problem, patch_problem, wide_problem
from settings import make_settings

ROWS = {
    "learn-tau1": lambda settings: learning.measure(patch_problem(settings, tau=1), settings),
    "learn-tau.1": lambda settings: learning.measure(patch_problem(settings, tau=.1), settings),
    "learn-tau.02": lambda settings: learning.measure(patch_problem(settings, tau=.02), settings),
    "learn-tau.1-defaults": lambda settings: learning.measure_defaults(patch_problem(settings, tau=.1), settings),
    "learn-tau.02-defaults": lambda settings: learning.measure_defaults(patch_problem(settings, tau=.02), settings),
    "learn-mnist": lambda settings: learning.measure(digit_problem(settings), settings),
    "learn-wide": lambda settings: learning.measure(wide_problem(settings), settings),
    "stopping": stopping.measure,
    "exact": exact.measure,
    "encoding": encoding.measure,
    "codes": codes.measure,
    "scaling": scaling.measure,
    "threads": scaling.measure_threads,
}


def parse():
    parser = argparse.ArgumentParser(prog="bench/peers/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few minutes: proves that everything works")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW",
                        help="only these, the others stay as they were: " + ", ".join(ROWS))
    parser.add_argument("--repeats", type=int, help="of every measurement; default 3, quick 1")
    return parser.parse_args()


def say(text):
    print(f"peers: {text}", flush=True)


def load(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": {}}


def save(path, results):
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    partial.rename(path)


def main():
    arguments = parse()
    settings = make_settings(arguments.quick, arguments.repeats)
    here = machine.describe()
    for name, why in missing().items():
        say(f"{name} is not available and is left out: {why}")
    path = settings.results / f"{machine.file_name(here)}.json"
    results = load(path)
    failed = False
    for name in arguments.rows:
        started = time.perf_counter()
        say(f"{name} ...")
        try:
            row = ROWS[name](settings)
        except Exception as error:  # the other rows still count
            say(f"{name} failed: {type(error).__name__}: {error}")
            failed = True
            continue
        results["rows"][name] = {**row, "repeats": settings.repeats, "machine": here}
        save(path, results)
        say(f"{name} took {time.perf_counter() - started:.0f} s")
    figures = plots.draw(results["rows"], path)
    page.write(results["rows"], path, figures, settings)
    say(f"numbers in {path}, page in {settings.page}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
