# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every #include obeys the layering: python3 scripts/check_layering.py [ROOT]

The table below says which parts of src/ a part may include, besides itself and the public headers. A part is a folder,
or a room of a folder ("io/bytes"); a folder with rooms may have files of its own beside them. Naming another folder
allows its rooms too; in a row of its own rooms a folder stands for the files beside them. docs/design.md explains it.
"""
import re
import sys
from pathlib import Path

# What learning stands on.
BELOW_LEARN = ["core", "io/bytes", "io/tensors", "data", "linalg", "preprocess", "solvers", "model"]

ALLOWED = {
    "core": [],
    "core/options": ["core"],
    "io/bytes": ["core"],
    "io/zip": ["core", "io/bytes"],
    "io/image": ["core", "io/bytes"],
    "io/tensors": ["core", "io/bytes"],
    "io/matrix": ["core", "io/bytes", "io/zip"],
    "data": ["core", "io/bytes", "io/image", "io/matrix"],
    "linalg": ["core"],
    "preprocess": ["core", "linalg"],
    "solvers": ["core", "linalg"],
    "model": ["core", "io/bytes", "io/tensors", "linalg", "preprocess", "solvers"],
    "exchange": ["core", "io/bytes", "io/tensors", "linalg", "model"],
    "audit": ["core", "linalg"],
    "search": ["core", "io/bytes", "linalg", "model"],
    "images": ["core", "data", "io/image", "linalg", "solvers"],
    "learn/ranks": BELOW_LEARN,
    "learn/samples": BELOW_LEARN + ["learn/ranks"],
    "learn/fit": BELOW_LEARN + ["learn/ranks", "learn/samples"],
    "learn/saved": BELOW_LEARN + ["learn/ranks", "learn/samples", "learn/fit"],
    "learn/blocks": BELOW_LEARN + ["learn/ranks", "learn/samples", "learn/fit", "learn/saved", "learn"],
    "learn": BELOW_LEARN + ["learn/ranks", "learn/samples", "learn/fit", "learn/saved"],
    "report": ["core", "io/bytes", "linalg", "model"],
    "verify": ["core"],
    "capi": [],
    "distributed": ["core"],
}
# These see the library as any user does: public headers, and files of their own folder.
OUTSIDE = ["cli", "examples", "python"]
PUBLIC = "include"
# The public header for C, and what it may include beside ours.
C_HEADER = "dualdict.h"
C_STANDARD = ["stddef.h"]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def rows_of(table, part, name):
    """The rows that `name` stands for in the row of `part`. A name that the table does not know is an error."""
    own = name == part.split("/")[0]
    rows = [row for row in table if row == name or (not own and row.startswith(name + "/"))]
    if not rows:
        raise KeyError(f"{part} may include {name}, which has no row in the table")
    return rows


def find_cycle(table):
    """A list of parts that leads back to its start, or None."""
    state = {}

    def visit(part, path):
        if state.get(part) == "done":
            return None
        if state.get(part) == "open":
            return path[path.index(part):] + [part]
        state[part] = "open"
        for name in table[part]:
            for other in rows_of(table, part, name):
                cycle = visit(other, path + [part])
                if cycle:
                    return cycle
        state[part] = "done"
        return None

    for part in table:
        cycle = visit(part, [])
        if cycle:
            return cycle
    return None


def includes(path):
    """Yields (line number, quoted, name) of every #include in a file."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1) == '"', match.group(2)


def part_of(path, root):
    """The part that a file of src/ belongs to: "io/bytes", "linalg", or "" for a file in src/ itself. What lies deeper
    than a room, and a folder below one without rooms, as linalg/kernels, belongs to the row above it."""
    folders = path.relative_to(root / "src").parts[:-1][:2]
    room = "/".join(folders)
    return room if room in ALLOWED or len(folders) < 2 or has_rooms(folders[0]) else folders[0]


def has_rooms(folder):
    return any(row.startswith(folder + "/") for row in ALLOWED)


def target_part(root, path, name):
    """What an included name belongs to: a part of src/, "public", one of OUTSIDE, or None when it is no file of the
    project."""
    if name.startswith("dualdict/") or name == C_HEADER:
        return "public"
    for base in (path.parent, root / "src", root):
        candidate = (base / name).resolve()
        if candidate.is_file():
            parts = candidate.relative_to(root.resolve()).parts
            if parts[0] == "src" and len(parts) > 2:
                return part_of(candidate, root.resolve())
            return "public" if parts[0] == "include" else parts[0]
    return None


def broken_rule(root, path, part, quoted, name):
    """The rule that one include breaks, in words, or None."""
    if part == "public":
        if name.startswith("dualdict/") or (path == root / PUBLIC / C_HEADER and name in C_STANDARD):
            return None
        if quoted or "/" in name or "." in name:
            return "a public header includes only standard headers and dualdict/*.h"
        return None
    target = target_part(root, path, name)
    if target is None:
        return "a quoted include names a file of this project, from src/ or include/" if quoted else None
    if target in ("public", part):
        return None
    if part in OUTSIDE:
        return f"{part}/ includes only public headers and its own files"
    if any(target in rows_of(ALLOWED, part, name) for name in ALLOWED[part]):
        return None
    return f"{part}/ may include only: {', '.join([part] + ALLOWED[part] + ['public headers'])}"


def sources(root):
    """Yields (path, part) of everything that is checked, and what is wrong with the tree itself."""
    for top, part in [(PUBLIC, "public")] + [(name, name) for name in OUTSIDE]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc", ".in"):
                yield path, part
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cc"):
            yield path, part_of(path, root)


def check(root):
    """All violations in the tree, as lines of text."""
    problems = []
    cycle = find_cycle(ALLOWED)
    if cycle:
        problems.append("the table has a cycle: " + " -> ".join(cycle))
    n_files = 0
    for path, part in sources(root):
        n_files += 1
        shown = path.relative_to(root)
        if part not in ALLOWED and part not in OUTSIDE and part != "public":
            problems.append(f"{shown}:1: src/{part} has no row in the table of scripts/check_layering.py")
            continue
        for line, quoted, name in includes(path):
            rule = broken_rule(root, path, part, quoted, name)
            if rule:
                problems.append(f'{shown}:{line}: includes "{name}"; rule: {rule}')
    return problems, n_files


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    problems, n_files = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems or n_files == 0:
        print(f"layering: {len(problems)} violations in {n_files} files", file=sys.stderr)
        return 1
    print(f"layering: {n_files} files obey the table")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
