# SPDX-License-Identifier: BSD-3-Clause
"""Samples that are sums of three elements of a tight frame: does learning find the frame?"""
import numpy as np

import dualdict
from common import figures, measures, start

NAME = "tight-frame"
SIDE, ELEMENTS, PARTS, NOISE = 5, 50, 3, 0.02
FEATURES = SIDE * SIDE
ETA, TAU = 1.0, 0.5
FOUND = 0.99
FULL = {"samples": 10_000, "seeds": 5, "starts": 5, "rtol": 1e-5, "iterations": 1000}
QUICK = {"samples": 2000, "seeds": 1, "starts": 2, "rtol": 1e-3, "iterations": 60}


def tight_frame(random):
    """50 vectors of norm 1 with A A' = 2 I: from random ones, by making A A' and the norms right in turn."""
    frame = random.uniform(size=(ELEMENTS, FEATURES)) - 0.5
    for _ in range(5000):
        left, _, right = np.linalg.svd(frame, full_matrices=False)
        frame = measures.unit(np.sqrt(ELEMENTS / FEATURES) * left @ right)
        if np.abs(frame.T @ frame - ELEMENTS / FEATURES * np.eye(FEATURES)).max() < 1e-12:
            break
    return frame


def make_samples(random, frame, n):
    """Each sample: three different elements with weights uniform in (-1, 1), and noise."""
    codes = np.zeros((n, ELEMENTS))
    for row in codes:
        row[random.choice(ELEMENTS, PARTS, replace=False)] = random.uniform(-1, 1, PARTS)
    return codes @ frame + NOISE * random.standard_normal((n, FEATURES))


def dual_of(frame, samples, rtol):
    """The true frame with the best dual it can have under the same objective."""
    model, _ = dualdict.fit_dual(frame, samples, tau=TAU, eta=ETA, dtype="float64", tol=rtol, max_iter=500)
    return model


def code_error(model, samples):
    """|X - D U| / |X| of the exact codes."""
    codes = dualdict.encode(model, samples, "exact")
    return measures.relative(samples, codes @ model.components)


def dual_error(model, samples):
    """|X - D C X| / |X|: the error of the paper's figures."""
    return measures.relative(samples, samples @ model.dual.T @ model.components)


def learn(samples, frame, sizes):
    """From several random starts, the one that ends with the lowest E, which needs no truth to be known; and all of them."""
    best, starts = None, []
    for start_seed in range(sizes["starts"]):
        model, summary = dualdict.learn(samples, ELEMENTS, TAU, eta=ETA, dtype="float64", tol=sizes["rtol"],
                                        max_iter=sizes["iterations"], accurate_steps=True, random_state=start_seed)
        cosines, _ = measures.matched_cosines(frame, model.components)
        starts.append({"energy": summary.energy.total, "found": int((cosines > FOUND).sum())})
        if best is None or summary.energy.total < best[1].energy.total:
            best = model, summary
    return *best, starts


def one_seed(seed, sizes):
    random = np.random.default_rng(seed)
    frame = tight_frame(random)
    samples = make_samples(random, frame, sizes["samples"])
    model, summary, starts = learn(samples, frame, sizes)
    cosines, order = measures.matched_cosines(frame, model.components)
    true = dual_of(frame, samples, sizes["rtol"])
    found = {"seed": seed, "outcome": summary.outcome, "iterations": summary.n_iter, "starts": starts,
             "found": int((cosines > FOUND).sum()), "cosines": np.sort(cosines)[::-1],
             "nonzeros_per_code": summary.nonzeros_per_code,
             "dual_distance": measures.dual_distance(model.components, model.dual),
             "dual_norm": float(np.linalg.norm(model.dual, axis=1).mean()),
             "dual_error": dual_error(model, samples), "dual_error_of_true_frame": dual_error(true, samples),
             "dual_error_of_transposed_frame": measures.relative(samples, samples @ frame.T @ frame),
             "code_error": code_error(model, samples), "code_error_of_true_frame": code_error(true, samples)}
    signs = np.sign(np.sum(frame * model.components[order], axis=1, keepdims=True))
    drawn = {"frame": frame, "dictionary": signs * model.components[order], "dual": signs * model.dual[order]}
    return found, drawn


def evaluate(place, sizes):
    runs = []
    for seed in range(sizes["seeds"]):
        run, drawn = one_seed(seed, sizes)
        runs.append(run)
        if seed == 0:
            pictures = {name: np.round(rows, 4) for name, rows in drawn.items()}
        place.say(f"seed {seed}: {run['found']} of {ELEMENTS} elements with |cosine| > {FOUND}")
    all_starts = [start["found"] for run in runs for start in run["starts"]]
    return {"samples": sizes["samples"], "elements": ELEMENTS, "parts": PARTS, "noise": NOISE, "eta": ETA, "tau": TAU,
            "median_found": float(np.median([run["found"] for run in runs])),
            "median_found_from_one_start": float(np.median(all_starts)), "runs": runs, "pictures_of_seed_0": pictures}


def draw(place, found):
    plot = figures.plotting(place)
    if plot is None:
        return
    figure, axes = plot.subplots(3, 1, figsize=(8.6, 3.5))
    run = found["runs"][0]
    titles = {"frame": "the true frame", "dictionary": f"D, matched to it: {run['found']} of 50 with |cosine| > .99",
              "dual": f"C', mean of 1 - |cosine| to D: {run['dual_distance']:.1e}"}
    for one, (name, title) in zip(axes, titles.items()):
        figures.show(one, figures.tiles(found["pictures_of_seed_0"][name], SIDE, 25), title)
    figure.suptitle("50 elements as 5 x 5 images: white is positive, black negative, each to its own scale (seed 0)")
    figures.save(place, figure, "frame.png")
    figure, axes = plot.subplots(figsize=(5.4, 3.4))
    for run in found["runs"]:
        axes.plot(np.arange(1, ELEMENTS + 1), run["cosines"], label=f"seed {run['seed']}: {run['found']} found")
    axes.axhline(FOUND, color="black", linestyle="--", label="counted as found: above .99")
    axes.set(xlabel="element of the frame, best first", ylabel="|cosine| to the atom matched to it",
             title="How well the frame is recovered")
    axes.legend(loc="lower left")
    figures.save(place, figure, "cosines.png")


def main():
    place, found = start.run(NAME, __doc__, evaluate, FULL, QUICK)
    draw(place, found)


if __name__ == "__main__":
    main()
