# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every #include obeys the layering: python3 scripts/check_layering.py [ROOT]

The table below says which folders of src/ a folder may include, besides itself and the public headers. docs/design.md
explains it.
"""
import re
import sys
from pathlib import Path

ALLOWED = {
    "core": [],
    "io": ["core"],
    "data": ["core", "io"],
    "linalg": ["core"],
    "preprocess": ["core", "linalg"],
    "solvers": ["core", "linalg"],
    "model": ["core", "io", "linalg", "preprocess", "solvers"],
    "learn": ["core", "io", "data", "linalg", "preprocess", "solvers", "model"],
    "report": ["core", "io", "linalg", "model"],
    "verify": ["core"],
    "distributed": ["core", "io"],
}
# These see the library as any user does: public headers, and files of their own folder.
OUTSIDE = ["cli", "examples", "python"]
PUBLIC = "include/dualdict"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def find_cycle(table):
    """A list of folders that leads back to its start, or None. A folder that the table does not know is an error."""
    state = {}

    def visit(folder, path):
        if folder not in table:
            raise KeyError(f"{path[-1]} may include {folder}, which has no row in the table")
        if state.get(folder) == "done":
            return None
        if state.get(folder) == "open":
            return path[path.index(folder):] + [folder]
        state[folder] = "open"
        for other in table[folder]:
            cycle = visit(other, path + [folder])
            if cycle:
                return cycle
        state[folder] = "done"
        return None

    for folder in table:
        cycle = visit(folder, [])
        if cycle:
            return cycle
    return None


def includes(path):
    """Yields (line number, quoted, name) of every #include in a file."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1) == '"', match.group(2)


def target_folder(root, path, name):
    """What an included name belongs to: a folder of src/, "public", one of OUTSIDE, or None when it is no file of
    the project."""
    if name.startswith("dualdict/"):
        return "public"
    for base in (path.parent, root / "src", root):
        candidate = base / name
        if candidate.is_file():
            parts = candidate.resolve().relative_to(root.resolve()).parts
            if parts[0] == "src" and len(parts) > 2:
                return parts[1]
            return "public" if parts[0] == "include" else parts[0]
    return None


def broken_rule(root, path, folder, quoted, name):
    """The rule that one include breaks, in words, or None."""
    if folder == "public":
        if name.startswith("dualdict/"):
            return None
        if quoted or "/" in name or "." in name:
            return "a public header includes only standard headers and dualdict/*.h"
        return None
    target = target_folder(root, path, name)
    if target is None:
        return "a quoted include names a file of this project, from src/ or include/" if quoted else None
    if target in ("public", folder):
        return None
    if folder in OUTSIDE:
        return f"{folder}/ includes only public headers and its own files"
    if target in ALLOWED[folder]:
        return None
    return f"{folder}/ may include only: {', '.join([folder] + ALLOWED[folder] + ['public headers'])}"


def sources(root):
    """Yields (path, folder) of everything that is checked, and what is wrong with the tree itself."""
    for top, folder in [(PUBLIC, "public")] + [(name, name) for name in OUTSIDE]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc", ".in"):
                yield path, folder
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".h", ".cc"):
            parts = path.relative_to(root / "src").parts
            yield path, parts[0] if len(parts) > 1 else ""


def check(root):
    """All violations in the tree, as lines of text."""
    problems = []
    cycle = find_cycle(ALLOWED)
    if cycle:
        problems.append("the table has a cycle: " + " -> ".join(cycle))
    n_files = 0
    for path, folder in sources(root):
        n_files += 1
        shown = path.relative_to(root)
        if folder not in ALLOWED and folder not in OUTSIDE and folder != "public":
            problems.append(f"{shown}:1: src/{folder} has no row in the table of scripts/check_layering.py")
            continue
        for line, quoted, name in includes(path):
            rule = broken_rule(root, path, folder, quoted, name)
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
