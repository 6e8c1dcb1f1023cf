# SPDX-License-Identifier: BSD-3-Clause
"""The page that shows the plots and the tables; written from the JSON, never by hand."""
import json
import os

import tables

INTRO = """# Benchmarks

After this page you know how fast dualdict is beside other packages, on which machine, and how to measure it on yours.
This page is written by `bench/peers/run` from [{name}]({json}); nothing in it is typed by hand. What was not measured on that machine
is shown from another one, and says so.

Every comparison is made in one run: the same samples, the same first dictionary, the same objective, one thread each unless
said, repeats in turn (ours, then each peer, then again) and medians.
"""
LEARNING = """## Learning

Mean of 1/2|x − Du|² + λ|u|₁ over all samples (of the planted ones over 10,000) at the exact codes, λ = τd/K, after {seconds:g} s of each package; η = 0. Peers run with the
batch size that was best in trials that are not counted, or, where the row says so, with the one of their documentation. "Gets there in" is when our objective, with the codes in hand and so never
flattered, first is at or below the peer's at its end; as for the peers, the clock starts when the samples are in memory. "Check": the final dictionaries on {columns} random samples, coded by SPAMS
in float64.
"""
STOPPING = """## Learning with the dual, to the stopping rule

η = 1, τ = .1, N = {n:,}, H = 3, rtol 10⁻⁴, one thread.
"""
EXACT = """## Exact coding

{n:,} Berkeley patches with a given dictionary, cold, τ = {tau}, {nonzeros:.0f} nonzeros per code; dualdict stops each code at a relative
duality gap of {gap:g}, measured in float32. The gaps shown are measured in float64 from the codes. LARS has no tolerance to set, and
`sparse_encode` has one of 10⁻⁸ built in: both do more than is asked here, so scikit-learn's `Lasso`, whose tolerance can be
set, is there too. The optimum is that of SPAMS in float64, where it is there.
"""
ENCODING = """## Encoding

{n:,} samples of {d} features, {k} atoms.
"""
CODES = """## Codes with few nonzeros

|x − x̂| / |x| on samples of other images at exactly the wanted mean count, which moves the common threshold or price and uses no labels, and the core
seconds of learning. The autoencoder (signed BatchTopK, PyTorch) trained {seconds} s, each from its start; its best is shown, all are in the plot.
Ours is the command, with `--penalty`. Matching pursuit codes {n:,} patches with {nonzeros} atoms each, 200 patches being the atoms.
dictlearn's ground is 10,000 patches with 10 atoms each, the error that of those samples.
"""
SCALING = """## Growth

{iterations} iterations of learning at η = 0, τ = .1; the time is their mean. Peak memory is that of the whole command.
"""


def machine_lines(rows):
    """One paragraph for each machine state (date, commit, command) behind the rows."""
    states = {}
    for name, row in rows.items():
        machine = row["machine"]
        versions = ", ".join(f"{package} {version}" for package, version in machine["versions"].items())
        absent = "".join(f" Not available: {peer} ({why})." for peer, why in machine["missing"].items())
        text = (f"{machine['processor']} ({machine['vectors']}), {machine['cores']} cores, {machine['memory_gib']} GiB, "
                f"{machine['system']}; {machine['compiler']}; commit {machine['commit']}; Python {machine['python']}, "
                f"{versions}.{absent} Load {machine['load_at_start']:.2f} at the start. {machine['date']}, "
                f"`{machine['command']}`, {row['repeats']} repeats")
        states.setdefault(text, []).append(name)
    return "## Machine\n\n" + "".join(f"- {', '.join(names)}: {text}.\n" for text, names in states.items())


def link(target, page):
    return os.path.relpath(target, page.parent)


def other_results(json_path):
    """The files of other machines beside this one."""
    return sorted(path for path in json_path.parent.glob("*-cores.json")
                  if path != json_path and not path.name.startswith("scale-"))


def other_machines(json_path, page):
    """What was measured elsewhere and is kept beside this file."""
    others = other_results(json_path)
    if not others:
        return ""
    return "Kept from other machines: " + ", ".join(f"[{path.name}]({link(path, page)})" for path in others) + ".\n"


def with_rows_of_others(rows, json_path):
    """The rows, and those that are missing as the newest measurement on another machine has them; these have its name
    as "elsewhere"."""
    newest = {}
    for path in other_results(json_path):
        for name, row in json.loads(path.read_text(encoding="utf-8"))["rows"].items():
            if name not in newest or row["machine"]["date"] > newest[name]["machine"]["date"]:
                newest[name] = {**row, "elsewhere": row["machine"]["processor"]}
                if "title" in row:
                    newest[name]["title"] += f" ({row['machine']['processor']})"
    return {**newest, **rows}


def origin(row):
    return f"Measured on another machine: {row['elsewhere']}.\n" if "elsewhere" in row else ""


def write(own_rows, json_path, figures, settings):
    rows = with_rows_of_others(own_rows, json_path)
    show = lambda name, title: f"![{title}]({link(figures[name], settings.page)})\n"  # noqa: E731
    parts = [INTRO.format(name=json_path.name, json=link(json_path, settings.page))]
    learned = [row for name, row in rows.items() if name.startswith("learn-")]
    if learned:
        columns = max(row.get("check", {}).get("columns", 0) for row in learned)
        parts += [LEARNING.format(seconds=learned[0]["seconds"], columns=columns),
                  show("learning", "Objective against time") if "learning" in figures else "", tables.learning(learned)]
    if "stopping" in rows:
        parts += [STOPPING.format(n=rows["stopping"]["n_samples"]), origin(rows["stopping"]), tables.stopping(rows["stopping"])]
    if "exact" in rows:
        row = rows["exact"]
        parts += [EXACT.format(n=row["n_samples"], tau=row["tau"], nonzeros=row["nonzeros"], gap=row["gap"]), origin(row),
                  tables.exact(row)]
    if "encoding" in rows:
        row = rows["encoding"]
        parts += [ENCODING.format(n=row["n_samples"], d=row["n_features"], k=row["n_atoms"]), origin(row),
                  tables.encoding(row)]
    if "codes" in rows:
        row = rows["codes"]
        parts += [CODES.format(seconds=" and ".join(f"{second:g}" for second in row["seconds"]), n=row["pursuit"]["n_samples"],
                               nonzeros=row["pursuit"]["nonzeros"]), origin(row),
                  show("codes", "Error against core seconds") if "codes" in figures else "", tables.codes(row),
                  tables.pursuit(row)]
    grown = [rows[name] for name in ("scaling", "threads") if name in rows]
    if grown:
        parts += [SCALING.format(iterations=grown[0]["iterations"]), origin(grown[0])]
        if "scaling" in figures:
            parts.append(show("scaling", "Time and memory against the number of samples"))
        parts.append(tables.scaling(grown))
    parts.append(machine_lines(rows))
    parts.append(other_machines(json_path, settings.page))
    settings.page.write_text("\n".join(part for part in parts if part), encoding="utf-8")
