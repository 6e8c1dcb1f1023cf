# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy of every way of coding, and what it costs."""
import numpy as np

from common import figures


def draw(place, found):
    plot = figures.plotting(place)
    if plot is None:
        return
    accuracy(place, plot, found)
    seconds(place, plot, found)


def accuracy(place, plot, found):
    coders = found["coders"]
    tasks = list(next(iter(coders.values()))["tasks"])
    figure, all_axes = plot.subplots(1, len(tasks), figsize=(2.9 + 2.3 * len(tasks), 3.8), sharey=True, squeeze=False)
    names = list(coders)[::-1]
    for axes, task in zip(all_axes[0], tasks):
        for row, name in enumerate(names):
            entry = coders[name]["tasks"][task]
            colour = figures.COLOURS[7] if coders[name]["what"].startswith("control") else figures.COLOURS[0]
            axes.errorbar(entry["accuracy"], row, xerr=entry["deviation"], fmt="o", color=colour, capsize=3, markersize=5)
            axes.annotate(f"{entry['accuracy']:.3f}", (entry["accuracy"], row), xytext=(0, 6), textcoords="offset points",
                          ha="center", fontsize=7)
        axes.set_title(task)
        axes.set_xlabel("accuracy")
        axes.set_ylim(-0.5, len(names) - 0.3)
    all_axes[0][0].set_yticks(np.arange(len(names)), [coders[name]["what"] for name in names])
    figure.suptitle(f"Accuracy (mean over classes) of a linear SVM, mean and deviation over {found['splits']} splits, "
                    f"{found['training_pictures_per_class']} training pictures a class")
    figures.save(place, figure, "accuracy.png")


def seconds(place, plot, found):
    coders = found["coders"]
    names = list(coders)[::-1]
    figure, axes = plot.subplots(figsize=(7.2, 3.4))
    rows = np.arange(len(names))
    parts = (("coding", [1000 * coders[name]["seconds_coding"] for name in names], figures.COLOURS[1]),
             ("pooling", [1000 * coders[name]["seconds_pooling"] for name in names], figures.COLOURS[5]))
    for number, (label, values, colour) in enumerate(parts):
        bars = axes.barh(rows + 0.2 - 0.4 * number, values, 0.4, label=label, color=colour)
        axes.bar_label(bars, [f"{value:.1f}" for value in values], padding=2, fontsize=7)
    described = 1000 * found["seconds"]["descriptors"]
    if described > 0:
        axes.axvline(described, color="black", linestyle="--", label=f"descriptors, for all alike: {described:.1f}")
    axes.set_xscale("log")
    smallest = min(value for _, values, _ in parts for value in values)
    largest = max(value for _, values, _ in parts for value in values)
    axes.set_xlim(min(1, smallest / 2), largest * 2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(rows, [coders[name]["what"] for name in names])
    axes.set_xlabel("milliseconds of one thread for a picture")
    axes.set_title(f"Time for a picture of {found['descriptors_per_picture']:.0f} descriptors, {found['atoms']} atoms")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    figures.save(place, figure, "seconds.png")
