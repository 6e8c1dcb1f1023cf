# SPDX-License-Identifier: BSD-3-Clause
"""Patches of natural images: nonzeros, error and atoms over tau, with and without the coding term. Uses the command."""
import json

import numpy as np

import dualdict
from common import command, figures, measures, patches, start

NAME = "berkeley"
SIDE, ATOMS = 12, 200
PAPER = {"1": 6.6, "0.1": 65.9, "0.02": 139.8}
FULL = {"samples": 100_000, "taus": [1, 0.1, 0.02, 0.5, 0.2, 0.05], "rtol": 1e-4, "iterations": 500, "atoms": ATOMS}
QUICK = {"samples": 1000, "taus": [1, 0.1, 0.02], "rtol": 1e-2, "iterations": 10, "atoms": 40}


def model_file(place, tau, eta):
    return place.work / f"tau-{tau}-eta-{eta}.safetensors"


def learn(place, file, tau, eta, sizes):
    """`dualdict learn`; what it printed. A model that an earlier run left is not made again."""
    model = model_file(place, tau, eta)
    report = model.with_suffix(".json")
    if not (model.exists() and report.exists()) or place.quick:
        printed = command.call("learn", file, "-o", model, "--atoms", sizes["atoms"], "--tau", tau, "--eta", eta, "--rtol",
                               sizes["rtol"], "--max-iterations", sizes["iterations"], "--quiet", "--json")
        report.write_text(json.dumps(printed), encoding="utf-8")
    return json.loads(report.read_text(encoding="utf-8"))


def one_fit(place, file, samples, tau, eta, sizes):
    printed = learn(place, file, tau, eta, sizes)
    model = dualdict.load_model(model_file(place, tau, eta))
    some = samples[:10_000]
    debiased = dualdict.encode(model, some, "exact", debias=True) @ model.components
    squared = float(np.sum(samples.astype(np.float64) ** 2))
    return {"tau": tau, "eta": eta, "nonzeros": printed["nonzeros_per_code"],
            "error": np.sqrt(printed["energy"]["reconstruction"] * samples.shape[1] / squared),
            "debiased_error": measures.relative(some, debiased), "outcome": printed["outcome"],
            "iterations": printed["iterations"], "cpu_seconds": printed["cpu_seconds"]}


def evaluate(place, sizes):
    source, pictures = patches.images(place)
    samples = patches.draw(pictures, sizes["samples"], SIDE)
    file = place.work / "patches.npy"
    np.save(file, samples)
    pca = measures.pca_errors(samples)
    fits = []
    for eta in (1, 0):
        for tau in sizes["taus"]:
            fit = one_fit(place, file, samples, tau, eta, sizes)
            fit["pca_error"] = measures.pca_error_at(pca, fit["nonzeros"])
            fits.append(fit)
            place.say(f"eta {eta}, tau {tau}: {fit['nonzeros']:.1f} nonzeros, error {fit['error']:.3f}, "
                      f"PCA with as many {fit['pca_error']:.3f}, {fit['cpu_seconds']:.0f} s of CPU")
    return {"images": source, "samples": sizes["samples"], "features": SIDE * SIDE, "atoms": sizes["atoms"],
            "rtol": sizes["rtol"], "paper_nonzeros": PAPER, "fits": fits, "pca_errors": pca}


def draw_errors(place, plot, found):
    figure, axes = plot.subplots(figsize=(6.4, 4))
    pca = found["pca_errors"]
    axes.plot(np.arange(1, len(pca) - 1), pca[1:-1], color="black", label="PCA with as many components")
    for number, eta in enumerate((1, 0)):
        mine = sorted((fit for fit in found["fits"] if fit["eta"] == eta), key=lambda fit: -fit["tau"])
        for key, style, what in (("error", "o-", "codes as they are"),
                                 ("debiased_error", "s--", "least squares on the support")):
            axes.plot([fit["nonzeros"] for fit in mine], [fit[key] for fit in mine], style, color=figures.COLOURS[number],
                      markersize=5, fillstyle="full" if key == "error" else "none", label=f"eta = {eta}, {what}")
        for fit in mine:
            axes.annotate(f"{fit['tau']:g}", (fit["nonzeros"], fit["error"]), xytext=(4, 5), textcoords="offset points",
                          fontsize=7, color=figures.COLOURS[number])
    axes.set(xscale="log", yscale="log", xlabel="nonzeros per code, or principal components",
             ylabel="reconstruction error |X - DU| / |X|",
             title=f"Error at equal nonzeros ({found['images']}, {found['samples']:,} patches); small numbers: tau")
    axes.set_ylim(0.01, 1.1)
    axes.legend(loc="lower left")
    figures.save(place, figure, "error.png")


def draw_atoms(place, plot, found):
    shown = [fit for fit in found["fits"] if fit["eta"] == 1 and f"{fit['tau']:g}" in PAPER]
    if not all(model_file(place, fit["tau"], 1).exists() for fit in shown):
        place.say("the models are not in build/: the mosaics are left as they are")
        return
    figure, axes = plot.subplots(2, len(shown), figsize=(3.6 * len(shown), 4.6))
    for column, fit in enumerate(shown):
        model = dualdict.load_model(model_file(place, fit["tau"], 1))
        usage = np.asarray(json.loads(model.describe_json())["usage"])
        order = np.argsort(-usage, kind="stable")
        for row, (matrix, name) in enumerate(((model.components, "D"), (model.dual, "C"))):
            paper = PAPER[f"{fit['tau']:g}"]
            figures.show(axes[row, column], figures.tiles(matrix[order], SIDE, 20, down=True),
                         f"{name}, tau = {fit['tau']:g}, {fit['nonzeros']:.1f} nonzeros (paper {paper})")
    figure.suptitle("Atoms (top) and filters (bottom), eta = 1, most used first, column by column; each to its own scale")
    figures.save(place, figure, "atoms.png", colours=24)


def main():
    place, found = start.run(NAME, __doc__, evaluate, FULL, QUICK)
    plot = figures.plotting(place)
    if plot is not None:
        draw_errors(place, plot, found)
        draw_atoms(place, plot, found)


if __name__ == "__main__":
    main()
