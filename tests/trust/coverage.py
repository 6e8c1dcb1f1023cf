# SPDX-License-Identifier: BSD-3-Clause
"""P34: the share of lines that the tests run: coverage.py BUILD, where scripts/coverage has run them

Prints the files with the most lines left out, then a table. Exit 1 when a share is below what is promised.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKPOINT = {"checkpoint.cc", "fit_file.cc", "code_tensors.cc", "model_file.cc", "parse_description.cc"}


def lines_of(build):
    """How often each line of our sources ran: {file: {line: count}}."""
    found = {}
    files = [str(path) for path in sorted(build.rglob("*.gcda"))]
    for first in range(0, len(files), 50):
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", *files[first : first + 50]], capture_output=True, text=True, cwd=build
        )
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"] if text.startswith("{") else []:
                path = Path(build, file["file"]).resolve()
                if not path.is_relative_to(ROOT):
                    continue
                lines = found.setdefault(str(path.relative_to(ROOT)), {})
                for line in file["lines"]:
                    lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
    return {name: lines for name, lines in found.items() if name.split("/")[0] in ("src", "cli", "include")}


def share(files):
    counts = [count for lines in files.values() for count in lines.values()]
    return 100 * sum(count > 0 for count in counts) / len(counts), len(counts)


def main():
    files = lines_of(Path(sys.argv[1]).resolve())
    left_out = {name: sorted(n for n, count in lines.items() if count == 0) for name, lines in files.items()}
    for name in sorted(left_out, key=lambda key: -len(left_out[key]))[:25]:
        print(f"{name}: {len(left_out[name])} of {len(files[name])} lines: {left_out[name][:30]}")
    kept = {name: lines for name, lines in files.items() if name.startswith("src/io/") or Path(name).name in CHECKPOINT}
    good = True
    for what, some, wanted in (("readers, writers, checkpoint", kept, 95), ("the whole", files, 90)):
        percent, n = share(some)
        good = good and percent >= wanted
        print(f"| P34 | lines run by the tests: {what} | {n} lines, {percent:.1f} % | {wanted} % |")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
