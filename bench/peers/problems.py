# SPDX-License-Identifier: BSD-3-Clause
"""A problem: samples and a first dictionary in files that every package reads, and the weight of sparsity."""
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import samples
from settings import START_SEED


@dataclass(frozen=True)
class Problem:
    name: str
    title: str
    samples: Path  # N x d
    start: Path  # K x d, random samples of unit norm
    n_samples: int
    n_features: int
    n_atoms: int
    tau: float
    judged: Path  # the samples that dictionaries are judged on: all, or some where all would take too long
    early: tuple  # seconds of our short runs
    by_signal: bool = False  # ours is stopped by a signal: a step takes seconds, and coding all samples at the end minutes

    @property
    def threshold(self):
        """lambda of 1/2|x - Du|^2 + lambda|u|_1."""
        return self.tau * self.n_features / self.n_atoms


def kept(path, make):
    """The file, made when it is not there yet; never half a file."""
    if not path.exists():
        partial = path.with_suffix(".partial.npy")
        np.save(partial, make())
        partial.rename(path)
    return path


def random_samples(path, n_atoms):
    """n_atoms different samples that are not zero, of norm one."""
    all_samples = np.load(path, mmap_mode="r")
    order = np.random.default_rng(START_SEED).permutation(len(all_samples))
    chosen = np.array(all_samples[np.sort(order[:2 * n_atoms])], np.float64)
    norms = np.linalg.norm(chosen, axis=1)
    good = np.flatnonzero(norms > 1e-3 * norms.max())[:n_atoms]
    if len(good) < n_atoms:
        raise ValueError(f"{path}: {len(good)} of {2 * n_atoms} samples are not zero; {n_atoms} atoms need more samples")
    return (chosen[good] / norms[good, None]).astype(np.float32)


def _problem(settings, name, title, make, n_atoms, tau):
    path = kept(settings.work / f"{name}.npy", make)
    start = kept(settings.work / f"{name}-start-{n_atoms}.npy", lambda: random_samples(path, n_atoms))
    n, d = np.load(path, mmap_mode="r").shape
    return Problem(name, title, path, start, n, d, n_atoms, tau, path, settings.early)


def patch_problem(settings, tau=.1, n=None, n_atoms=200, side=12):
    n = n or settings.n_patches
    return _problem(settings, f"bsds-{n}-{side}", f"Berkeley patches, tau = {tau}", lambda: samples.patches(n, side),
                    n_atoms, tau)


def digit_problem(settings, tau=.1):
    n = settings.n_digits
    return _problem(settings, f"mnist-{n}", f"MNIST, tau = {tau}", lambda: samples.digits(n), 200, tau)


def wide_problem(settings, tau=.4):
    n, d, n_atoms = settings.wide
    problem = _problem(settings, f"wide-{n}-{d}-{n_atoms}", f"planted, tau = {tau}",
                       lambda: samples.wide(n, d, n_atoms), n_atoms, tau)
    # They are drawn independently, so that the first are as good as any.
    judged = kept(settings.work / f"{problem.name}-judged-{settings.n_judged}.npy",
                  lambda: np.load(problem.samples, mmap_mode="r")[:settings.n_judged])
    return replace(problem, judged=judged, early=settings.early_wide, by_signal=True)
