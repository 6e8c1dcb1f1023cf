# SPDX-License-Identifier: BSD-3-Clause
"""Learning with the dual, eta = 1, to the stopping rule: the fast solver against the paper's algorithm."""
from statistics import median

import ours
from problems import patch_problem

PATIENCE = 12  # times as long as the fast solver takes: what is slower than that is not waited for


def one(problem, settings, solver, repeat, limit):
    fit = ours.learn(problem, settings.work, f"{solver}-{repeat}", eta=1, solver=solver, rtol=1e-4, history=3,
                     max_iterations=100000, time_limit=limit)
    summary = fit["summary"]
    return {"seconds": fit["iterations"][-1]["seconds"], "energy": summary["energy"]["total"] / problem.n_samples,
            "iterations": summary["iterations"], "outcome": summary["outcome"]}


def measure(settings):
    problem = patch_problem(settings)
    runs = {"fast": [], "fista": []}
    for repeat in range(settings.repeats):
        runs["fast"].append(one(problem, settings, "fast", repeat, settings.stopping_limit))
        # The paper's algorithm gives the same bits each time: once is enough.
        if repeat == 0:
            limit = min(settings.stopping_limit, PATIENCE * runs["fast"][0]["seconds"])
            runs["fista"].append(one(problem, settings, "fista", repeat, limit))
    seconds = {solver: median(run["seconds"] for run in all_runs) for solver, all_runs in runs.items()}
    ended = {solver: all_runs[0]["outcome"] == "CONVERGED" for solver, all_runs in runs.items()}
    return {"n_samples": problem.n_samples, "runs": runs, "seconds": seconds, "converged": ended,
            "ratio": seconds["fista"] / seconds["fast"],
            "energy": {solver: all_runs[0]["energy"] for solver, all_runs in runs.items()}}
