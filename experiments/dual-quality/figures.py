# SPDX-License-Identifier: BSD-3-Clause
"""One figure: accuracy and code error against time, and errors at equal nonzeros beside the rivals."""
import numpy as np

from common import figures

MARKS = {"linear": "o", "sparse": "s", "corrected": "D", "refine:3": "^", "exact": "*", "D'x thresholded": "x"}
OURS = [name for name in MARKS if name != "D'x thresholded"]


def against_time(axes, fits, key):
    """A line a setting, a mark a mode; the ways of encoding in their order."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    for number, fit in enumerate(fits):
        rows = {name: row for name, row in fit["rows"].items() if row.get(key) is not None}
        line = [(rows[name]["microseconds"], rows[name][key]) for name in OURS]
        axes.plot(*zip(*line), color=figures.COLOURS[number], linewidth=0.8,
                  label=f"tau = {fit['tau']:g}, eta = {fit['eta']:g}: {fit['rows']['exact']['nonzeros']:.0f} nonzeros")
        for name, row in rows.items():
            axes.plot(row["microseconds"], row[key], MARKS[name], color=figures.COLOURS[number], markersize=6)
    axes.set(xscale="log", xlabel="microseconds of one thread for a sample")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def code_error(axes, found):
    against_time(axes, found["fits"], "code_error")
    errors = [fit["rows"]["D'x thresholded"]["code_error"] for fit in found["fits"]]
    axes.set(ylabel="code error |u - u*| / |u*|", ylim=(-0.03, 1),
             title=f"{found['name']}: distance to the exact code u*\n"
                   f"(D'x thresholded: {min(errors):.1f} to {max(errors):.1f})")
    axes.legend(loc="upper right", fontsize=7)


def mark_legend(figure, plot):
    marks = [plot.Line2D([], [], marker=mark, linestyle="", color="grey", label=name) for name, mark in MARKS.items()]
    figure.legend(handles=marks, loc="outside lower center", ncols=len(marks),
                  title="marks in the first three panels: the way of encoding")


def equal_nonzeros(axes, group, found):
    """Bars: error as coded and after least squares on the support."""
    fit = next(fit for fit in found["fits"] if (fit["tau"], fit["eta"]) == (group["tau"], group["eta"]))
    rows = {f"ours, {name}": row for name, row in fit["rows"].items() if name in ("sparse", "corrected", "exact")}
    rows["D'x thresholded"] = fit["rows"]["D'x thresholded"]
    rows.update(group["rows"])
    wanted = f"PCA, {max(1, round(group['nonzeros']))} components"
    rows[wanted] = found["baselines"][wanted]
    rows = dict(reversed(rows.items()))
    places = np.arange(len(rows))
    plain = axes.barh(places + 0.2, [row["error"] for row in rows.values()], 0.4, color=figures.COLOURS[0],
                      label="as decoded by its own decoder")
    other = axes.barh(places - 0.2, [row.get("debiased_error") or 0 for row in rows.values()], 0.4, color=figures.COLOURS[4],
                      label="least squares on the support")
    axes.bar_label(plain, [f"{row['error']:.3f}" for row in rows.values()], fontsize=7, padding=2)
    axes.bar_label(other, [f"{row['debiased_error']:.3f}" if row.get("debiased_error") else "" for row in rows.values()],
                   fontsize=7, padding=2)
    axes.set_yticks(places, [f"{name} ({row['nonzeros']:.1f})" for name, row in rows.items()], fontsize=8)
    axes.set(xlabel="reconstruction error |X - restored| / |X|, unseen samples",
             title=f"{found['name']}: near {group['nonzeros']:.1f} nonzeros (in brackets)")
    axes.set_xlim(0, 1.12 * max(max(row["error"], row.get("debiased_error") or 0) for row in rows.values()))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), fontsize=7, ncols=2, frameon=False)


def draw(place, found):
    plot = figures.plotting(place)
    if plot is None:
        return
    digits, patches = found["digits"], found["patches"]
    groups = [(group, problem) for problem in (patches, digits) for group in problem["rivals"]]
    figure, all_axes = plot.subplots(3, 2, figsize=(13, 14))
    accuracy = all_axes[0, 0]
    against_time(accuracy, [fit for fit in digits["fits"] if fit["rows"]["exact"]["accuracy"] is not None], "accuracy")
    for name, row in digits["baselines"].items():
        if row["accuracy"] is not None:
            accuracy.axhline(row["accuracy"], color="grey", linewidth=0.8, linestyle="--" if name == "pixels" else ":")
            accuracy.annotate(name, (0.99, row["accuracy"]), xycoords=("axes fraction", "data"), fontsize=7, va="bottom",
                              ha="right")
    accuracy.set(ylabel="share of unseen digits right", title=f"{digits['name']}: linear SVM on codes")
    accuracy.legend(loc="lower right", bbox_to_anchor=(1, 0.25), fontsize=7)
    code_error(all_axes[0, 1], digits)
    code_error(all_axes[1, 0], patches)
    for axes, (group, problem) in zip((all_axes[1, 1], all_axes[2, 0], all_axes[2, 1]), groups):
        equal_nonzeros(axes, group, problem)
    for axes in (all_axes[1, 1], all_axes[2, 0], all_axes[2, 1])[len(groups):]:
        axes.set_visible(False)
    mark_legend(figure, plot)
    figure.suptitle("What one product is worth: ways of encoding against time, and against rivals at equal nonzeros")
    figures.save(place, figure, "quality.png", dpi=80, colours=200)
