# SPDX-License-Identifier: BSD-3-Clause
"""How time and memory grow with the number of samples, atoms, features and threads."""
from statistics import median

import ours
from problems import patch_problem

MIB = 1 << 20


def per_iteration(records):
    """Without reading, warming up and the first iteration, in which every code is made from nothing."""
    return (records[-1]["seconds"] - records[0]["seconds"]) / (len(records) - 1)


def fit(settings, threads=1, **shape):
    """A fixed number of iterations at eta = 0, tau = .1, and encoding with the result."""
    problem = patch_problem(settings, **shape)
    learned = ours.learn(problem, settings.work, f"scaling-{problem.n_atoms}-{threads}", eta=0, rtol=1e-9, threads=threads,
                         max_iterations=settings.scaling_iterations)
    _, seconds, memory = ours.command("encode", learned["model"], problem.samples, "-o", settings.work / "scaling.npy",
                                      "--mode", "linear", "--threads", threads)
    samples = 4 * problem.n_samples * problem.n_features / MIB
    codes = 4 * problem.n_samples * problem.n_atoms / MIB
    return {"n_samples": problem.n_samples, "n_features": problem.n_features, "n_atoms": problem.n_atoms,
            "threads": threads, "seconds_per_iteration": per_iteration(learned["iterations"]),
            "peak_mib": learned["peak_bytes"] / MIB, "samples_mib": samples, "codes_mib": codes,
            "over_mib": learned["peak_bytes"] / MIB - samples - codes,
            "encode_seconds": seconds, "encode_peak_mib": memory / MIB}


def medians(runs):
    return {key: median(run[key] for run in runs) for key in runs[0]}


def repeated(settings, **shape):
    return medians([fit(settings, **shape) for _ in range(settings.repeats)])


def measure(settings):
    return {"iterations": settings.scaling_iterations,
            "samples": [repeated(settings, n=n) for n in settings.scaling_samples],
            "atoms": [repeated(settings, n_atoms=k) for k in settings.scaling_atoms],
            "features": [repeated(settings, side=side) for side in settings.scaling_sides]}


def measure_threads(settings):
    """In turn, so that a change of the machine's speed meets both."""
    runs = {1: [], 2: []}
    for _ in range(settings.repeats):
        for threads, done in runs.items():
            done.append(fit(settings, threads=threads))
    return {"iterations": settings.scaling_iterations,
            "threads": [medians(done) for done in runs.values()]}
