# SPDX-License-Identifier: BSD-3-Clause
"""What a full and a quick run differ in, and where things are."""
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "bench"
# One for each purpose: with a common one the samples of the check would be those that a peer learns from first.
SEED, START_SEED, BATCH_SEED, CHECK_SEED = 1, 2, 3, 4


@dataclass(frozen=True)
class Settings:
    quick: bool
    repeats: int
    seconds: float  # of learning, each package
    curve: tuple  # seconds at which the peers' dictionaries are kept, besides the end
    early: tuple  # seconds of short runs of ours: its first iterations, on few of the samples, are not reported
    probe_seconds: float  # of each batch size that is tried; the two best get the full time
    batch_sizes: tuple
    n_patches: int
    n_digits: int
    wide: tuple  # samples, features, atoms
    n_judged: int  # of the wide samples, whose exact codes take minutes
    early_wide: tuple
    n_coded: int  # samples coded exactly
    n_coded_slowly: int  # by a peer that would take minutes
    n_checked: int  # columns of the independent check
    stopping_limit: float  # seconds that each solver may take to the stopping rule
    scaling_samples: tuple
    scaling_atoms: tuple
    scaling_sides: tuple
    scaling_iterations: int
    n_codes: int  # samples that codes with few nonzeros are learned from
    n_counts: int  # of nonzeros, of each problem
    codes_seconds: tuple  # core seconds of each training of the autoencoder
    n_pursued: int  # samples coded by matching pursuit
    aksvd_iterations: tuple

    @property
    def work(self):
        """Data, models and traces; made again when missing."""
        return made(ROOT / "build" / "peers-work" / ("quick" if self.quick else "full"))

    @property
    def results(self):
        """A quick run proves that everything works; its numbers are not kept in the repository."""
        return made(self.work / "results" if self.quick else ROOT / "bench" / "results")

    @property
    def page(self):
        return self.results / "benchmarks.md" if self.quick else ROOT / "docs" / "benchmarks.md"


FULL = dict(repeats=3, seconds=60, curve=(2, 5, 10, 20, 40), early=(0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.5, 3, 4),
            probe_seconds=10, batch_sizes=(8, 16, 32, 64, 128, 256, 512), n_patches=100_000,
            n_digits=50_000, wide=(200_000, 512, 4096), n_judged=10_000, early_wide=(3, 6, 12, 24), n_coded=20_000,
            n_coded_slowly=1_000, n_checked=4_000, stopping_limit=3600, scaling_samples=(10_000, 100_000, 1_000_000),
            scaling_atoms=(100, 200, 400), scaling_sides=(8, 12, 16), scaling_iterations=10,
            n_codes=90_000, n_counts=3, codes_seconds=(4, 12, 35), n_pursued=20_000, aksvd_iterations=(1, 3, 10, 30))
QUICK = dict(repeats=1, seconds=3, curve=(1,), early=(1,), probe_seconds=1, batch_sizes=(128,),
             n_patches=5_000, n_digits=5_000, wide=(5_000, 64, 256), n_judged=1_000, early_wide=(1,),
             n_coded=1_000, n_coded_slowly=50, n_checked=200, stopping_limit=3, scaling_samples=(1_000, 5_000), scaling_atoms=(100,),
             scaling_sides=(8,), scaling_iterations=3, n_codes=5_000, n_counts=1, codes_seconds=(1,), n_pursued=1_000,
             aksvd_iterations=(1,))


def make_settings(quick, repeats=None):
    values = dict(QUICK if quick else FULL)
    if repeats:
        values["repeats"] = repeats
    return Settings(quick=quick, **values)


def made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def data_folder(name):
    """A folder below DUALDICT_DATA, or an error that says what to do."""
    root = os.environ.get("DUALDICT_DATA")
    if not root or not (Path(root) / name).is_dir():
        raise FileNotFoundError(f"no {name} below DUALDICT_DATA={root}: set it to a folder that has bsds/train and mnist")
    return Path(root) / name
