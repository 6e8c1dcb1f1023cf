# SPDX-License-Identifier: BSD-3-Clause
"""Objective against time, and growth with the number of samples, as PNG files beside the JSON."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LABELS = {"spams": "SPAMS trainDL", "sklearn": "scikit-learn MiniBatchDictionaryLearning"}
COLOURS = {"ours": "tab:blue", "spams": "tab:red", "sklearn": "tab:orange"}


def draw_learning(axes, row):
    for number, curve in enumerate(row["ours"]["curves"]):
        axes.plot(*zip(*curve), color=COLOURS["ours"], alpha=1 if number == 0 else .4,
                  label="dualdict" if number == 0 else None)
    for name, peer in row["peers"].items():
        axes.plot(*zip(*peer["curves"][0]), "o-", color=COLOURS[name], markersize=4,
                  label=f"{LABELS[name]}, batch {peer['batch_size']}")
        for curve in peer["curves"][1:]:
            axes.plot(*curve[-1], "o", color=COLOURS[name], markersize=4, alpha=.4)
    ends = [curve[-1][1] for peer in row["peers"].values() for curve in peer["curves"]]
    ends += [value for curve in row["ours"]["curves"] for _, value in curve[-1:]]
    low, high = min(ends), max([*ends, row["start"]])
    # The first seconds fall from far above; what is compared lies near the ends, and all of these are shown.
    margin = .04 * (high - low)
    axes.set_ylim(low - margin, max(low + .7 * (high - low), max(ends) + margin))
    axes.set_xscale("log")
    axes.set_xlabel("time of learning, one thread [s]")
    axes.set_ylabel(r"mean of $\frac{1}{2}|x-Du|^2 + \lambda|u|_1$")
    axes.set_title(f"{row['title']}: d = {row['n_features']}, K = {row['n_atoms']}, N = {row['n_samples']:,}", fontsize=10)
    axes.grid(alpha=.3, which="both")
    axes.legend(fontsize=8)


def learning_figure(rows, path):
    figure, all_axes = plt.subplots((len(rows) + 1) // 2, min(2, len(rows)), squeeze=False,
                                    figsize=(6.5 * min(2, len(rows)), 4.2 * ((len(rows) + 1) // 2)))
    for axes, row in zip(all_axes.flat, rows):
        draw_learning(axes, row)
    for axes in list(all_axes.flat)[len(rows):]:
        axes.axis("off")
    finish(figure, "Objective against time from the same dictionary, eta = 0", path)


def scaling_figure(row, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2))
    n = [point["n_samples"] for point in row["samples"]]
    left.loglog(n, [point["seconds_per_iteration"] for point in row["samples"]], "o-", label="learning, one iteration")
    left.loglog(n, [point["encode_seconds"] for point in row["samples"]], "s-", label="encode --mode linear, npy to npy")
    left.set_ylabel("time, one thread [s]")
    right.loglog(n, [point["peak_mib"] for point in row["samples"]], "o-", label="learning")
    right.loglog(n, [point["samples_mib"] + point["codes_mib"] for point in row["samples"]], "k--", label="X and U alone")
    right.loglog(n, [point["encode_peak_mib"] for point in row["samples"]], "s-", label="encoding")
    right.set_ylabel("peak memory [MiB]")
    for axes in (left, right):
        axes.set_xlabel("number of samples N")
        axes.grid(alpha=.3, which="both")
        axes.legend(fontsize=8)
    first = row["samples"][0]
    finish(figure, f"Growth with N: d = {first['n_features']:.0f}, K = {first['n_atoms']:.0f}, eta = 0, tau = .1", path)


def draw_codes(axes, name, count):
    for rate, curve in count["autoencoder"].items():
        axes.plot([point[0] for point in curve], [point[1] for point in curve], "o-", markersize=4,
                  label=f"autoencoder, rate {rate}")
    for mode, point in count["ours"].items():
        axes.plot(*point, "s", label=f"dualdict {mode}")
    axes.plot(*count["components"], "k^", label="PCA, hard threshold")
    axes.set_xscale("log")
    axes.set_xlabel("core seconds of learning")
    axes.set_ylabel("error")
    axes.set_title(f"{name}, {count['nonzeros']} nonzeros", fontsize=10)
    axes.grid(alpha=.3, which="both")
    axes.legend(fontsize=7)


def codes_figure(row, path):
    counts = [(name, count) for name, problem in row["problems"].items() for count in problem["counts"]]
    figure, all_axes = plt.subplots((len(counts) + 1) // 2, min(2, len(counts)), squeeze=False,
                                    figsize=(6.5 * min(2, len(counts)), 4.2 * ((len(counts) + 1) // 2)))
    for axes in all_axes.flat[len(counts):]:
        axes.axis("off")
    for axes, (name, count) in zip(all_axes.flat, counts):
        draw_codes(axes, name, count)
    finish(figure, "Error at equal mean nonzeros against core seconds", path)


def finish(figure, title, path):
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw(rows, json_path):
    """{name: PNG file} of what can be drawn."""
    figures = {}
    learned = [row for name, row in rows.items() if name.startswith("learn-")]
    if learned:
        figures["learning"] = json_path.with_name(json_path.stem + "-learning.png")
        learning_figure(learned, figures["learning"])
    if "codes" in rows and rows["codes"]["problems"]:
        figures["codes"] = json_path.with_name(json_path.stem + "-codes.png")
        codes_figure(rows["codes"], figures["codes"])
    if "scaling" in rows:
        figures["scaling"] = json_path.with_name(json_path.stem + "-scaling.png")
        scaling_figure(rows["scaling"], figures["scaling"])
    return figures
