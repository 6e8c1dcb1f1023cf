# SPDX-License-Identifier: BSD-3-Clause
"""Learning at eta = 0 from the same dictionary, for the same time: who has which objective when. The clock of a peer
starts with the samples in memory; ours reads a file, and the time for that is taken off."""
import re
from dataclasses import replace
from statistics import median

import numpy as np

import ours
import sklearn_peer
import spams_peer
from availability import missing
from isolate import isolated
from lasso import mean_objective
from settings import CHECK_SEED

PEERS = {"spams": spams_peer, "sklearn": sklearn_peer}
# What their documentation says is taken when nothing is asked for.
DEFAULT_BATCHES = {"spams": 512, "sklearn": 256}


def try_batches(peer, problem, settings, sizes, seconds):
    """The objective after so many seconds, by batch size."""
    tried = {}
    for size in sizes:
        prefix = settings.work / f"{problem.name}-{problem.tau}-probe-{size}"
        (_, path), = isolated(peer.learn, problem, seconds, size, (), prefix)
        tried[size] = ours.objective(problem, path)
    return tried


def best_batch(peer, problem, settings):
    """The batch size with the lowest objective, and what each size had after a short run. What is best early need not
    be best in the end: the two best of the short runs are run for as long as the measurement takes."""
    if len(settings.batch_sizes) == 1:
        return settings.batch_sizes[0], {}
    tried = try_batches(peer, problem, settings, settings.batch_sizes, settings.probe_seconds)
    finalists = try_batches(peer, problem, settings, sorted(tried, key=tried.get)[:2], settings.seconds)
    return min(finalists, key=finalists.get), tried


def peer_run(name, problem, settings, batch_size, repeat):
    """One run of a peer: its curve (in the first repeat) and its end, as [seconds, objective]; and its dictionary."""
    marks = settings.curve if repeat == 0 else ()
    prefix = settings.work / f"{problem.name}-{problem.tau}-{name}-{repeat}"
    points = isolated(PEERS[name].learn, problem, settings.seconds, batch_size, marks, prefix)
    curve = [[seconds, ours.objective(problem, path)] for seconds, path in points]
    return curve, points[-1][1]


def early_points(problem, settings, repeat):
    """[seconds, objective] of short runs, judged by their dictionaries as the peers are."""
    points = []
    for limit in problem.early:
        tag = f"{problem.tau}-{repeat}-{limit}"
        fit = ours.learn(problem, settings.work, tag, eta=0, time_limit=limit, rtol=1e-9, max_iterations=100000)
        stopped = re.search(r"stopped after ([0-9.e+-]+) s", fit["summary"]["message"])
        path = ours.dictionary(fit["model"], settings.work / f"{problem.name}-{tag}-ours.npy")
        points.append([float(stopped.group(1)) - fit["summary"]["reading_seconds"], ours.objective(problem, path)])
    return points


def interrupted_run(problem, settings, repeat):
    """[seconds, objective] of runs that a signal ends, and the last dictionary."""
    points = []
    for limit in (*problem.early, settings.seconds):
        tag = f"{problem.tau}-{repeat}-{limit}"
        fit = ours.learn(problem, settings.work, tag, interrupt=limit, eta=0, rtol=1e-9, max_iterations=100000)
        path = ours.dictionary(fit["model"], settings.work / f"{problem.name}-{tag}-ours.npy")
        points.append([limit - fit["summary"]["reading_seconds"], ours.objective(problem, path)])
    return points, path


def our_run(problem, settings, repeat):
    if problem.by_signal:
        return interrupted_run(problem, settings, repeat)
    tag = f"{problem.tau}-{repeat}"
    fit = ours.learn(problem, settings.work, tag, eta=0, time_limit=settings.seconds, rtol=1e-9, max_iterations=100000)
    # At eta = 0, E is the sum of 2/d times this objective, with the codes in hand: never below the exact one.
    scale = problem.n_features / 2 / problem.n_samples
    read = fit["summary"]["reading_seconds"]
    curve = [[record["seconds"] - read, scale * record["energy"]["total"]] for record in fit["iterations"]]
    path = ours.dictionary(fit["model"], settings.work / f"{problem.name}-{tag}-ours.npy")
    return sorted(early_points(problem, settings, repeat) + curve), path


def time_to_reach(curve, objective):
    return next((seconds for seconds, value in curve if value <= objective), None)


def reached(result, name):
    """How long ours took to the objective that a peer has at its end."""
    peer = result["peers"][name]
    objective = median(curve[-1][1] for curve in peer["curves"])
    seconds = median(curve[-1][0] for curve in peer["curves"])
    times = [time_to_reach(curve, objective) for curve in result["ours"]["curves"]]
    taken = median(times) if None not in times else None
    return {"objective": objective, "peer_seconds": seconds, "our_seconds": taken, "all_our_seconds": times,
            "ratio": seconds / taken if taken else None,
            "below": 1 - median(result["ours"]["final"]) / objective}


def independent_check(problem, settings, dictionaries):
    """The final dictionaries on some samples, coded by SPAMS in float64: no code of ours takes part. Drawn at random:
    MNIST alternates between two kinds of writers, and every tenth digit is all of one kind."""
    subset = settings.work / f"{problem.name}-check.npy"
    chosen = np.random.default_rng(CHECK_SEED).permutation(problem.n_samples)[:settings.n_checked]
    np.save(subset, np.load(problem.samples, mmap_mode="r")[np.sort(chosen)])
    values = {}
    for name, path in dictionaries.items():
        _, codes = isolated(spams_peer.code, subset, path, problem.threshold, None, np.float64)
        values[name] = mean_objective(subset, path, codes, problem.threshold)
    return {"columns": settings.n_checked, "objective": values}


def measure_defaults(problem, settings):
    """The peers as they come, with the batch sizes of most who use them."""
    titled = replace(problem, title=f"{problem.title}, default batches")
    return measure(titled, settings, lambda name: (DEFAULT_BATCHES[name], {}))


def measure(problem, settings, choose_batch=None):
    absent = missing()
    names = [name for name in PEERS if name not in absent]
    choose_batch = choose_batch or (lambda name: best_batch(PEERS[name], problem, settings))
    batches = {name: choose_batch(name) for name in names}
    result = {"title": problem.title, "n_samples": problem.n_samples, "n_features": problem.n_features,
              "n_atoms": problem.n_atoms, "tau": problem.tau, "seconds": settings.seconds,
              "start": ours.objective(problem, problem.start), "missing": absent,
              "n_judged": len(np.load(problem.judged, mmap_mode="r")),
              "ours": {"curves": [], "final": []},
              "peers": {name: {"batch_size": batches[name][0], "tried": batches[name][1], "curves": []}
                        for name in names}}
    dictionaries = {}
    for repeat in range(settings.repeats):
        curve, dictionaries["ours"] = our_run(problem, settings, repeat)
        result["ours"]["curves"].append(curve)
        result["ours"]["final"].append(ours.objective(problem, dictionaries["ours"]))
        for name in names:
            curve, dictionaries[name] = peer_run(name, problem, settings, batches[name][0], repeat)
            result["peers"][name]["curves"].append(curve)
    result["reached"] = {name: reached(result, name) for name in names}
    if "spams" in names:
        result["check"] = independent_check(problem, settings, dictionaries)
    return result
