# SPDX-License-Identifier: BSD-3-Clause
"""Tables of results.json for the README of an experiment."""


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def synthetic_pca(found):
    rows = [(run["seed"], run["iterations_to_angle"] or "not reached", f"{run['points'][-1]['angle']:.1e}",
             number(run["points"][-1]["error"], 5), number(run["optimal_error"], 5),
             number(run["points"][-1]["dual_distance"], 4))
            for run in found["accurate_steps"]]
    last = found["accurate_steps"][0]["points"][-1]["iteration"]
    return table(("seed", "iterations to an angle below 1e-7", f"angle after {last}", f"error after {last}", "optimum (PCA)",
                  f"distance of C to D' after {last}"), rows)


def tight_frame(found):
    rows = [(run["seed"], run["found"], ", ".join(f"{start['found']}" for start in run["starts"]),
             f"{run['dual_distance']:.1e}", number(run["dual_norm"], 2), number(run["dual_error"], 4),
             number(run["dual_error_of_true_frame"], 4), number(run["code_error"], 4),
             number(run["code_error_of_true_frame"], 4), f"{run['outcome']}, {run['iterations']}") for run in found["runs"]]
    return table(("seed", "found of 50", "found from each start", "C to D'", "mean norm of filters", "error by D C x",
                  "of the true frame", "error by exact codes", "of the true frame", "outcome, iterations"), rows)


def berkeley(found):
    rows = [(fit["eta"], f"{fit['tau']:g}", number(fit["nonzeros"], 1),
             found["paper_nonzeros"].get(f"{fit['tau']:g}", "") if fit["eta"] == 1 else "", number(fit["error"]),
             number(fit["debiased_error"]), number(fit["pca_error"]), f"{fit['outcome']}, {fit['iterations']}",
             number(fit["cpu_seconds"], 0)) for fit in found["fits"]]
    return table(("eta", "tau", "nonzeros", "paper", "error", "least squares on the support", "PCA with as many",
                  "outcome, iterations", "CPU seconds"), rows)


def mnist(found):
    rows = [(look, number(entry["relative_distance"]), number(entry["mean_cosine"]), number(entry["median_cosine"]),
             f"{100 * entry['atoms_with_cosine_above_.95']:.0f} %") for look, entry in found["distance_to_late"].items()]
    return table(("D after", f"relative distance to D after {found['late']}", "mean cosine of atoms", "median",
                  "atoms above .95"), rows)


def caltech(found):
    tasks = list(next(iter(found["coders"].values()))["tasks"])
    rows = []
    for entry in found["coders"].values():
        cells = [f"{entry['tasks'][task]['accuracy']:.3f} +- {entry['tasks'][task]['deviation']:.3f}" for task in tasks]
        times = [number(1000 * entry[key], 1) if key in entry else "" for key in ("seconds_coding", "seconds_pooling")]
        rows.append((entry["what"], *cells, number(entry["nonzeros"], 1), *times))
    first = tasks[0]
    costs = [(entry["what"], number(entry["tasks"][first]["accuracy_at_other_costs"]["1"]),
              number(entry["tasks"][first]["accuracy"]), number(entry["tasks"][first]["accuracy_at_other_costs"]["100"]),
              *(number(entry["tasks"][task]["share"]) for task in tasks)) for entry in found["coders"].values()]
    other = table(("codes", f"{first}: C = 1", "C = 10", "C = 100", *(f"of all pictures: {task}" for task in tasks)), costs)
    described = f"\n\n{other}\n\nDescriptors take {1000 * found['seconds']['descriptors']:.1f} ms a picture, for all alike."
    return table(("codes", *tasks, "nonzeros", "coding, ms a picture", "pooling, ms"), rows) + described


def dual_quality(found):
    parts = []
    head = ("tau", "eta", "code", "code error", "error", "least squares on the support", "nonzeros", "support overlap",
            "accuracy", "microseconds")
    for problem in (found["patches"], found["digits"]):
        rows = []
        for fit in problem["fits"]:
            rows += [(f"{fit['tau']:g}", f"{fit['eta']:g}", name, *cells(row)) for name, row in fit["rows"].items()]
        for group in problem["rivals"]:
            rows += [("", "", name, *cells(row)) for name, row in group["rows"].items()]
        rows += [("", "", name, *cells(row)) for name, row in problem["baselines"].items()]
        sizes = f"{problem['name']}, {problem['training']:,} to learn from, {problem['unseen']:,} unseen:"
        parts.append(f"{sizes}\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def cells(row):
    return (number(row.get("code_error")), number(row["error"]), number(row.get("debiased_error")),
            number(row["nonzeros"], 1), number(row.get("support_overlap"), 2), number(row["accuracy"]), number(row["microseconds"], 1))


TABLES = {"synthetic-pca": synthetic_pca, "tight-frame": tight_frame, "berkeley": berkeley, "mnist": mnist,
          "caltech": caltech, "dual-quality": dual_quality}
