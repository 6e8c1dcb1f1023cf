# SPDX-License-Identifier: BSD-3-Clause
"""Learning with the dual, eta = 1, to the stopping rule: the fast solver against the paper's algorithm."""
from statistics import median

import ours
from problems import patch_problem


def one(problem, settings, solver, repeat):
    fit = ours.learn(problem, settings.work, f"{solver}-{repeat}", eta=1, solver=solver, rtol=1e-4, history=3,
                     max_iterations=100000, time_limit=settings.stopping_limit)
    summary = fit["summary"]
    return {"seconds": fit["iterations"][-1]["seconds"], "energy": summary["energy"]["total"] / problem.n_samples,
            "iterations": summary["iterations"], "outcome": summary["outcome"]}


def measure(settings):
    problem = patch_problem(settings)
    runs = {"fast": [], "fista": []}
    for repeat in range(settings.repeats):
        runs["fast"].append(one(problem, settings, "fast", repeat))
        # The paper's algorithm takes minutes and gives the same bits each time: once is enough.
        if repeat == 0:
            runs["fista"].append(one(problem, settings, "fista", repeat))
    seconds = {solver: median(run["seconds"] for run in all_runs) for solver, all_runs in runs.items()}
    ended = {solver: all_runs[0]["outcome"] == "CONVERGED" for solver, all_runs in runs.items()}
    return {"n_samples": problem.n_samples, "runs": runs, "seconds": seconds, "converged": ended,
            "ratio": seconds["fista"] / seconds["fast"],
            "energy": {solver: all_runs[0]["energy"] for solver, all_runs in runs.items()}}
