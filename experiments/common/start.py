# SPDX-License-Identifier: BSD-3-Clause
"""The arguments that every experiment takes, and where it may write."""
import argparse
import dataclasses
import pathlib
import sys

from common import results

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What an experiment says when it cannot do its work: ctest and `experiments/run` know it as "skipped".
SKIPPED = 77


@dataclasses.dataclass(frozen=True)
class Place:
    """Where one experiment reads and writes."""
    name: str
    quick: bool
    redraw: bool
    out: pathlib.Path   # results.json and figures/
    work: pathlib.Path  # models, descriptors and other large files, which may be deleted

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def skip(self, text):
        self.say(f"SKIPPED: {text}")
        sys.exit(SKIPPED)

    def figure(self, name):
        folder = self.out / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def parser(name, description):
    arguments = argparse.ArgumentParser(prog=f"experiments/run {name}", description=description)
    arguments.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works; written under build/")
    arguments.add_argument("--redraw", action="store_true", help="only the figures again, from the results that are there")
    arguments.add_argument("--out", type=pathlib.Path, help="folder for results.json and figures/")
    arguments.add_argument("--work", type=pathlib.Path, help="folder for models and other large files")
    return arguments


def place(name, arguments):
    base = ROOT / "build" / "experiments"
    out = arguments.out or (base / "quick" / name if arguments.quick else ROOT / "experiments" / name)
    work = arguments.work or (base / ("quick" if arguments.quick else "work") / name)
    out.mkdir(parents=True, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    return Place(name, arguments.quick, arguments.redraw, out, work)


def run(name, description, evaluate, full, quick):
    """(place, results): those of a new run of evaluate(place, sizes), or with --redraw those that are there."""
    here = place(name, parser(name, description).parse_args())
    if not here.redraw:
        results.save(here, evaluate(here, quick if here.quick else full))
    return here, results.load(here)
