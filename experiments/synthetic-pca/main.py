# SPDX-License-Identifier: BSD-3-Clause
"""Fewer atoms than features and no sparsity: D must become the principal components and C the transpose of D."""
import numpy as np

import dualdict
from common import figures, measures, start

NAME = "synthetic-pca"
FEATURES, ATOMS, NOISE, MU = 25, 15, 0.02, 1e-5
WANTED_ANGLE = 1e-7
FULL = {"samples": 10_000, "seeds": 5, "iterations": [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19, 20, 25, 50, 100]}
QUICK = {"samples": 1000, "seeds": 1, "iterations": [1, 6, 12, 18, 19]}


def make_samples(seed, n):
    """Normal sums of 15 vectors with elements uniform in (0, 1), and noise."""
    random = np.random.default_rng(seed)
    basis = measures.unit(random.uniform(size=(ATOMS, FEATURES)))
    return random.standard_normal((n, ATOMS)) @ basis + NOISE * random.standard_normal((n, FEATURES))


def measure(samples, principal, model):
    return {"angle": measures.largest_angle(principal, model.components),
            "error": measures.relative(samples, samples @ model.dual.T @ model.components),
            "dual_distance": measures.dual_distance(model.components, model.dual)}


def curve(place, seed, sizes, **options):
    """One run, looked at after each of the iterations: a checkpoint carries it from one look to the next."""
    samples = make_samples(seed, sizes["samples"])
    principal = measures.pca_basis(samples, ATOMS)
    checkpoint = place.work / "run.checkpoint"
    checkpoint.unlink(missing_ok=True)
    points = []
    for iteration in sizes["iterations"]:
        model, _ = dualdict.learn(samples, ATOMS, 0.0, eta=1, mu=MU, dtype="float64", tol=0, max_iter=iteration,
                                  checkpoint=checkpoint, random_state=seed, **options)
        points.append({"iteration": iteration, **measure(samples, principal, model)})
    checkpoint.unlink(missing_ok=True)
    best = {"error": measures.relative(samples, samples @ principal.T @ principal)}
    reached = [point["iteration"] for point in points if point["angle"] < WANTED_ANGLE]
    return {"seed": seed, "optimal_error": best["error"], "iterations_to_angle": reached[0] if reached else None,
            "points": points}


def evaluate(place, sizes):
    runs = []
    for seed in range(sizes["seeds"]):
        runs.append(curve(place, seed, sizes, accurate_steps=True, inner_tol=1e-14))
        place.say(f"seed {seed}: angle below {WANTED_ANGLE} after {runs[-1]['iterations_to_angle']} iterations")
    cheap = curve(place, 0, sizes)
    return {"samples": sizes["samples"], "features": FEATURES, "atoms": ATOMS, "noise": NOISE, "mu": MU, "eta": 1, "tau": 0,
            "accurate_steps": runs, "default_steps": cheap}


def draw(place, found):
    plot = figures.plotting(place)
    if plot is None:
        return
    run = found["accurate_steps"][0]
    at = [point["iteration"] for point in run["points"]]
    figure, (left, right) = plot.subplots(1, 2, figsize=(9, 3.6))
    left.plot(at, [point["error"] for point in run["points"]], label="reconstruction error |X - DCX| / |X|")
    left.axhline(run["optimal_error"], color="black", linestyle="-.",
                 label=f"optimum: {found['atoms']} principal components")
    left.plot(at, [point["dual_distance"] for point in run["points"]], "--", color=figures.COLOURS[1],
              label="distance of C to D', mean of 1 - |cosine|")
    left.set(xscale="log", yscale="log", xlabel="iteration", ylabel="error, distance (no unit)",
             title="Error and distance of the dual (seed 0)")
    left.legend()
    for number, run in enumerate(found["accurate_steps"]):
        right.plot(at, [point["angle"] for point in run["points"]], color=figures.COLOURS[0], alpha=0.8,
                   label="accurate steps, one line a seed" if number == 0 else None)
    cheap = found["default_steps"]["points"]
    right.plot([point["iteration"] for point in cheap], [point["angle"] for point in cheap], color=figures.COLOURS[3],
               linestyle=":", label="default: cheap steps until E hardly falls")
    right.axhline(WANTED_ANGLE, color="black", linestyle="--", label="the paper: below 1e-7")
    right.set(xscale="log", yscale="log", xlabel="iteration", ylabel="largest principal angle (radians)",
              title="Angle between D and the principal components")
    right.legend(loc="lower left", fontsize=7)
    figure.suptitle(f"d = {found['features']}, K = {found['atoms']}, N = {found['samples']:,}, eta = 1, tau = 0, "
                    f"mu = {MU:g}")
    figures.save(place, figure, "convergence.png")


def main():
    place, found = start.run(NAME, __doc__, evaluate, FULL, QUICK)
    draw(place, found)


if __name__ == "__main__":
    main()
