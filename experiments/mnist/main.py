# SPDX-License-Identifier: BSD-3-Clause
"""Digits: the dictionary from start to convergence, how much it moves, and one digit as the sum of its atoms."""
import numpy as np

import dualdict
from common import data, figures, measures, start

NAME = "mnist"
SIDE, ETA = 28, 0.001
LATE = 20
FULL = {"samples": 50_000, "atoms": 200, "looks": [1, 4, 20], "iterations": 100, "rtol": 1e-4, "tau": 0.2}
QUICK = {"samples": 600, "atoms": 30, "looks": [1, 4], "iterations": 12, "rtol": 1e-3, "tau": 0.05}


def digits(place, n):
    """(name, digits, labels, side)."""
    if place.quick:
        images, labels = data.small_digits()
        return "digits of scikit-learn", images[:n], labels[:n], 8
    try:
        images, labels = data.mnist("train")
    except data.Missing as problem:
        place.skip(problem)
    return "MNIST", images[:n], labels[:n], SIDE


def first_dictionary(samples, n_atoms):
    """Distinct samples of norm 1, the paper's start."""
    chosen = np.random.default_rng(0).choice(len(samples), n_atoms, replace=False)
    return measures.unit(samples[chosen].astype(np.float64)).astype(np.float32)


def follow(place, samples, begin, sizes):
    """Learns with the steps of the paper and stops for a look now and then: ({iteration: D}, records, summary, model)."""
    checkpoint = place.work / "run.checkpoint"
    checkpoint.unlink(missing_ok=True)
    dictionaries, records = {0: begin}, {}
    for last in (*sizes["looks"], sizes["iterations"]):
        model, summary = dualdict.learn(samples, len(begin), sizes["tau"], eta=ETA, dict_init=begin, accurate_steps=True,
                                        tol=sizes["rtol"], max_iter=last, checkpoint=checkpoint)
        dictionaries[summary.n_iter] = model.components
        records.update({record.iteration: record for record in summary.iterations})
        place.say(f"iteration {summary.n_iter}: {summary.outcome}, {summary.nonzeros_per_code:.1f} nonzeros per code")
        if summary.outcome == "CONVERGED":
            break
    checkpoint.unlink(missing_ok=True)
    return dictionaries, [records[number] for number in sorted(records)], summary, model


def distances(first, second):
    """How far two dictionaries are from each other, atom by atom in place."""
    cosines = np.sum(measures.unit(first) * measures.unit(second), axis=1)
    return {"relative_distance": measures.relative(second, first), "mean_cosine": float(cosines.mean()),
            "median_cosine": float(np.median(cosines)), "atoms_with_cosine_above_.95": float(np.mean(cosines > 0.95))}


def sum_of_atoms(model, samples, labels):
    """The first 2 in the data: its atoms and weights, largest first."""
    digit = int(np.flatnonzero(labels == 2)[0])
    code = dualdict.encode(model, samples[digit:digit + 1], "exact")[0]
    used = np.flatnonzero(code)
    used = used[np.argsort(-np.abs(code[used]), kind="stable")]
    restored = code @ model.components
    return {"digit": digit, "atoms": used, "weights": code[used], "error": measures.relative(samples[digit], restored)}


def evaluate(place, sizes):
    source, samples, labels, side = digits(place, sizes["samples"])
    begin = first_dictionary(samples, sizes["atoms"])
    dictionaries, records, summary, model = follow(place, samples, begin, sizes)
    looks = sorted(dictionaries)
    late = LATE if LATE in dictionaries else looks[-1]
    example = sum_of_atoms(model, samples, labels)
    used = example["atoms"]
    np.savez(place.work / "pictures.npz", digit=samples[example["digit"]], atoms=model.components[used],
             restored=example["weights"] @ model.components[used], side=side,
             **{f"after_{number}": dictionaries[number] for number in looks})
    return {"data": source, "samples": len(samples), "atoms": sizes["atoms"], "tau": sizes["tau"], "eta": ETA, "side": side,
            "outcome": summary.outcome, "iterations": summary.n_iter, "nonzeros_per_code": summary.nonzeros_per_code,
            "looks": looks, "late": late, "energy": [record.energy.total for record in records],
            "change_of_dictionary": [record.dictionary_change for record in records],
            "distance_to_late": {number: distances(dictionaries[number], dictionaries[late]) for number in looks},
            "distance_to_converged": {number: distances(dictionaries[number], model.components) for number in looks},
            "example": example}


def draw_dictionaries(place, plot, found, kept):
    looks = [number for number in (0, 1, 4, found["looks"][-1]) if number in found["looks"]]
    titles = {0: "start: random digits", 1: "after 1 iteration", 4: "after 4 iterations",
              found["looks"][-1]: f"at the end, {found['looks'][-1]} iterations"}
    figure, axes = plot.subplots(1, len(looks), figsize=(3.1 * len(looks), 3.5))
    shown = 100 if found["atoms"] >= 100 else found["atoms"]
    for one, number in zip(axes, looks):
        figures.show(one, figures.tiles(kept[f"after_{number}"][:shown], found["side"], 10), titles[number])
    figure.suptitle(f"The first {shown} of {found['atoms']} atoms, {found['data']}, grey is zero, each to its own scale")
    figures.save(place, figure, "dictionaries.png", colours=24)


def draw_change(place, plot, found):
    figure, (left, right) = plot.subplots(1, 2, figsize=(9, 3.4))
    change = found["change_of_dictionary"]
    left.plot(np.arange(1, len(change) + 1), change)
    left.axvline(found["late"], color="black", linestyle=":", label="20: \"full convergence\" of the paper")
    left.set(xscale="log", yscale="log", xlabel="iteration", ylabel="|D now - D before| / |D before|",
             title="How much D moves in one iteration")
    left.legend()
    energy = np.asarray(found["energy"]) / found["samples"]
    right.plot(np.arange(1, len(energy) + 1), energy, color=figures.COLOURS[1])
    right.axvline(found["late"], color="black", linestyle=":")
    right.set(xscale="log", xlabel="iteration", ylabel="E per digit", title="The objective")
    figure.suptitle(f"{found['data']}, {found['samples']:,} digits, {found['atoms']} atoms, tau = {found['tau']:g}, "
                    f"eta = {ETA:g}")
    figures.save(place, figure, "change.png")


def draw_example(place, plot, found, kept):
    side, weights = found["side"], np.asarray(found["example"]["weights"])
    n = len(weights)
    figure = plot.figure(figsize=(9.5, 3.2))
    grid = figure.add_gridspec(2, n + 4, hspace=0.1)
    first, last = figure.add_subplot(grid[:, :2]), figure.add_subplot(grid[:, -2:])
    figures.show(first, kept["digit"].reshape(side, side), "the digit")
    figures.show(last, kept["restored"].reshape(side, side), f"their sum\n(error {found['example']['error']:.2f})")
    scale = np.abs(weights).max()
    largest = np.abs(kept["atoms"]).max()
    for number, weight in enumerate(weights):
        atom = kept["atoms"][number].reshape(side, side)
        figures.show(figure.add_subplot(grid[0, 2 + number]), atom, "", (-largest, largest))
        figures.show(figure.add_subplot(grid[1, 2 + number]), atom * weight / scale, f"{weight:.2f}", (-largest, largest))
        figure.axes[-1].title.set_fontsize(7)
    figure.suptitle(f"One digit as the sum of {n} of {found['atoms']} atoms. Above: the atoms; below: the same times their "
                    "weights (numbers); grey is zero")
    figures.save(place, figure, "digit.png", colours=32)


def main():
    place, found = start.run(NAME, __doc__, evaluate, FULL, QUICK)
    plot = figures.plotting(place)
    if plot is None:
        return
    draw_change(place, plot, found)
    pictures = place.work / "pictures.npz"
    if not pictures.exists():
        place.say("the dictionaries are not in build/: their pictures are left as they are")
        return
    with np.load(pictures) as kept:
        draw_dictionaries(place, plot, found, kept)
        draw_example(place, plot, found, kept)


if __name__ == "__main__":
    main()
