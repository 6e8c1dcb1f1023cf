# SPDX-License-Identifier: BSD-3-Clause
"""Exact coding with a given dictionary, cold, and how near to the optimum each package's codes come."""
from statistics import median

import numpy as np

import ours
import sklearn_peer
import spams_peer
from availability import missing
from isolate import isolated
from lasso import mean_objective, relative_gaps
from problems import patch_problem

GAP = 1e-4


def our_codes(settings, samples, dictionary, tau, threads):
    path = settings.work / "codes.npy"
    seconds = ours.program("exact_speed", samples, dictionary, tau, GAP, threads, path)["seconds"]
    return seconds, np.load(path)


def contestants(problem, settings, samples, dictionary):
    """{name: function that codes and says (seconds, codes)}. The slow ones get fewer samples."""
    given, few = (samples, dictionary, problem.threshold), settings.n_coded_slowly
    found = {"dualdict": lambda: our_codes(settings, samples, dictionary, problem.tau, 1),
             "dualdict, 2 threads": lambda: our_codes(settings, samples, dictionary, problem.tau, 2)}
    if "spams" not in missing():
        found["SPAMS lasso (LARS)"] = lambda: isolated(spams_peer.code, *given)
    if "sklearn" not in missing():
        for tolerance in (1e-4, 1e-5):
            found[f"scikit-learn Lasso, tol = {tolerance:g}"] = (
                lambda tolerance=tolerance: isolated(sklearn_peer.code_to, *given, tolerance, 5 * few))
        found["scikit-learn sparse_encode, lasso_cd"] = lambda: isolated(sklearn_peer.code, *given, "lasso_cd", 5 * few)
        found["scikit-learn sparse_encode, lasso_lars"] = lambda: isolated(sklearn_peer.code, *given, "lasso_lars", few)
    return found


def reference_codes(settings, problem, samples, dictionary):
    """The best codes at hand: SPAMS in float64, or ours to a hundredth of the gap."""
    if "spams" not in missing():
        return isolated(spams_peer.code, samples, dictionary, problem.threshold, None, np.float64)[1]
    path = settings.work / "reference.npy"
    ours.program("exact_speed", samples, dictionary, problem.tau, GAP / 100, 1, path)
    return np.load(path)


def measure(settings):
    problem = patch_problem(settings)
    samples = settings.work / "coded.npy"
    np.save(samples, np.load(problem.samples, mmap_mode="r")[:settings.n_coded])
    fit = ours.learn(problem, settings.work, "given", eta=0, time_limit=settings.probe_seconds, rtol=1e-9,
                     max_iterations=100000)
    dictionary = ours.dictionary(fit["model"], settings.work / "given.npy")
    best = reference_codes(settings, problem, samples, dictionary)
    rates, excess, gaps = {}, {}, {}
    for _ in range(settings.repeats):
        for name, code in contestants(problem, settings, samples, dictionary).items():
            seconds, codes = code()
            rates.setdefault(name, []).append(len(codes) / seconds)
            optimum = mean_objective(samples, dictionary, best[:len(codes)], problem.threshold)
            excess[name] = mean_objective(samples, dictionary, codes, problem.threshold) / optimum - 1
            each = relative_gaps(samples, dictionary, codes, problem.threshold)
            gaps[name] = {"median": float(np.median(each)), "largest": float(each.max())}
    rate = {name: median(values) for name, values in rates.items()}
    return {"n_samples": settings.n_coded, "tau": problem.tau, "gap": GAP, "missing": missing(),
            "nonzeros": float((best != 0).sum(1).mean()), "rates": rates, "samples_per_second": rate, "excess": excess,
            "gaps": gaps,
            "ratio": {name: rate["dualdict"] / value for name, value in rate.items()}}
