# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/paper.md and the tables in the READMEs from the results that are there: python -m common.page"""
import json
import sys

from .claims import CLAIMS
from .start import ROOT
from .tables import TABLES, table

BEGIN, END = "<!-- results: written by experiments/run -->", "<!-- end of results -->"
HEAD = """# The paper, claim by claim

After this page you know which claims of the PADDLE paper (DISI-TR-2010-06) hold, on what evidence, and how to see it yourself. The
page is written by `experiments/run` from the committed results; how each experiment is done, its figures and where the paper
leaves things open is in its README.

"""
TAIL = """
"Ours" are the numbers of `experiments/NAME/results.json`, made by the command in the last column. Times are CPU seconds on a shared
machine of two AMD EPYC cores. Where the printed algorithm itself misleads (step sizes that diverge, the stopping rule, the
constraint): [docs/maths.md](maths.md).
"""


def found_of(name):
    file = ROOT / "experiments" / name / "results.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def claim_rows():
    for name, claims in CLAIMS.items():
        found = found_of(name)
        command = f"[`experiments/run {name}`](../experiments/{name}/README.md)"
        if found is None:
            yield (name, "", "not run yet", "", command)
            continue
        for claim, paper, ours, holds in claims(found):
            yield (claim, paper, ours, holds, command)


def with_table(text, content):
    """The text with what stands between the marks replaced."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n\n{content}\n\n{END}{after}"


def pages():
    """(file, text) of every page."""
    claims = table(("claim", "paper", "ours", "holds?", "command"), claim_rows())
    yield ROOT / "docs" / "paper.md", HEAD + claims + "\n" + TAIL
    for name, make in TABLES.items():
        file, found = ROOT / "experiments" / name / "README.md", found_of(name)
        if found is not None:
            yield file, with_table(file.read_text(encoding="utf-8"), make(found))


def main():
    for file, text in pages():
        file.write_text(text, encoding="utf-8")
    print("experiments: wrote docs/paper.md and the tables of the READMEs")


if __name__ == "__main__":
    sys.exit(main())
