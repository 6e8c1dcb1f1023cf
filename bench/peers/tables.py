# SPDX-License-Identifier: BSD-3-Clause
"""Markdown tables of the rows; every number comes from the JSON."""
from statistics import median

PEERS = {"spams": "SPAMS", "sklearn": "scikit-learn"}
MODES = {"linear": "`linear`, library", "blas": "cblas_sgemm (OpenBLAS)", "numpy_into": "NumPy `np.matmul(X, C.T, out=)`",
         "numpy": "NumPy `X @ C.T`", "sparse": "`sparse`", "corrected": "`corrected`",
         "linear_two_threads": "`linear`, 2 threads", "sparse_two_threads": "`sparse`, 2 threads"}

CODES_SHOWN = ("hard, l0", "greedy, l0", "greedy, l1")
NPY_TO_NPY = {"command": "`dualdict encode --mode linear --threads 1`",
              "command_all_threads": "`dualdict encode --mode linear`, all cores",
              "copy": "plain copy: read and write the same bytes",
              "copy_durable": "the same, then fsync, as the command does"}


def table(head, lines):
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows) + "\n"


def number(value, digits=3):
    return "–" if value is None else f"{value:.{digits}g}"


def learning(rows):
    lines = []
    for row in rows:
        for name, title in PEERS.items():
            if name not in row["peers"]:
                lines.append([row["title"], title, f"not available: {row['missing'][name]}", *["–"] * 6])
                continue
            end, check = row["reached"][name], row.get("check", {}).get("objective", {})
            lines.append([
                row["title"], title, row["peers"][name]["batch_size"], f"{end['objective']:.5g}",
                f"{median(row['ours']['final']):.5g}", f"{100 * end['below']:.1f} %",
                number(end["our_seconds"]) if end["our_seconds"] else "not reached",
                f"**{end['ratio']:.1f}**" if end["ratio"] else "–",
                f"{number(check.get(name), 5)} / {number(check.get('ours'), 5)}"])
    return table(["problem", "peer", "batch", "its objective at the end", "ours", "ours is lower by",
                  "ours gets there in [s]", "times less", "check: its / ours"], lines)


def stopping(row):
    lines = [[f"`--solver {solver}`", number(row["seconds"][solver], 4), runs[0]["iterations"],
              f"{runs[0]['energy']:.8g}", runs[0]["outcome"]] for solver, runs in row["runs"].items()]
    text = table(["solver", "time [s]", "iterations", "E/N", "outcome"], lines)
    if all(row["converged"].values()):
        return text + f"\nThe fast solver takes {row['ratio']:.3g} times less.\n"
    if row["converged"]["fast"]:
        return text + ("\nThe paper's algorithm ran into the time limit; the fast solver takes more than "
                       f"{row['ratio']:.3g} times less.\n")
    return text + "\nNo ratio: the fast solver ran into the time limit.\n"


def exact(row):
    lines = [[name, f"{rate:,.0f}", f"{row['gaps'][name]['median']:.1e}", f"{row['gaps'][name]['largest']:.1e}",
              f"{row['excess'][name]:.1e}", f"{row['ratio'][name]:.3g}"]
             for name, rate in row["samples_per_second"].items()]
    return table(["package", "samples/s", "relative gap, median", "largest", "objective above the optimum",
                  "dualdict is faster by"], lines)


def encoding(row):
    times = row["median"]
    lines = [[title, f"{row['n_samples'] / times[mode]:,.0f}", f"{times['linear'] / times[mode]:.3g}"]
             for mode, title in MODES.items() if mode in times]
    text = table(["what", "samples/s", "speed relative to `linear`"], lines)
    moved = row["input_bytes"] + 4 * row["n_samples"] * row["n_atoms"]
    lines = [[title, number(times[name]), f"{moved / times[name] / 1e9:.2f}", f"{times[name] / times['copy']:.3g}"]
             for name, title in NPY_TO_NPY.items() if name in times]
    text += "\n" + table(["npy to npy", "time [s]", "GB/s read and written", "time relative to the plain copy"], lines)
    single = " and ".join(f"{1e6 * times['single_' + mode]:.2f} µs (`{mode}`)" for mode in ("linear", "sparse"))
    return text + f"\nOne sample alone, {row['n_features']} features: {single}.\n"


def scaling(rows):
    """The points of all rows, each named by what varies in it."""
    lines = []
    for what in ("samples", "atoms", "features", "threads"):
        for point in (point for row in rows for point in row.get(what, ())):
            lines.append([what, f"{point['n_samples']:,.0f}", f"{point['n_features']:.0f}", f"{point['n_atoms']:.0f}",
                          f"{point['threads']:.0f}", number(point["seconds_per_iteration"]),
                          number(1e6 * point["seconds_per_iteration"] / point["n_samples"]),
                          f"{point['peak_mib']:.0f}", f"{point['over_mib']:.0f}", f"{point['encode_peak_mib']:.0f}"])
    return table(["varied", "N", "d", "K", "threads", "s/iteration", "µs/iteration/sample", "peak learning [MiB]",
                  "above X + U [MiB]", "peak encoding [MiB]"], lines)


def codes(row):
    """Error at equal mean nonzeros, a line for each problem and count."""
    lines = []
    for name, problem in row["problems"].items():
        for count in problem["counts"]:
            ours = count["ours"]
            cell = lambda point: f"{point[1]:.4f} ({number(point[0])} s)"  # noqa: E731
            best = {rate: min(curve, key=lambda point: point[1]) for rate, curve in count["autoencoder"].items()}
            lines.append([name, count["nonzeros"], cell(count["components"]),
                          *(cell(best[rate]) if rate in best else "–" for rate in ("0.001", "0.005")),
                          *(cell(ours[mode]) for mode in CODES_SHOWN)])
    return table(["samples", "nonzeros", "PCA, hard threshold", "autoencoder, rate .001", "rate .005",
                  *(f"`{mode}`" for mode in CODES_SHOWN)], lines)


def pursuit(row):
    found = row["pursuit"]
    lines = [[name, f"{rate:,.0f}", f"{100 * found['same'][name]:.2f} %" if name in found["same"] else "–"]
             for name, rate in found["rates"].items()]
    text = table(["matching pursuit", "samples a core second", "same atoms as scikit-learn's"], lines)
    if row["aksvd"]:
        curve = ", ".join(f"{error:.4f} after {number(seconds)} s" for seconds, error in row["aksvd"]["curve"])
        seconds, error = row["aksvd"]["ours"]
        text += f"\nOn its ground dictlearn's AK-SVD reaches {curve}; `dualdict learn --nonzeros` {error:.4f} after {number(seconds)} s.\n"
    return text
