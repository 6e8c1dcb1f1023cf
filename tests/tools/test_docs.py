# SPDX-License-Identifier: BSD-3-Clause
"""The documentation keeps its word: links lead somewhere, C++ shown is in an example, the layering table is the script's."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import check_layering  # noqa: E402
import draw_layering  # noqa: E402

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def lines_without_indent(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


class Docs(unittest.TestCase):
    def test_there_are_pages(self):
        self.assertIn(ROOT / "README.md", PAGES)
        self.assertGreater(len(PAGES), 5)

    def test_every_relative_link_leads_to_a_file(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_every_script_named_exists(self):
        for page in PAGES:
            for script in re.findall(r"\./(scripts/[a-z_]+)", page.read_text(encoding="utf-8")):
                self.assertTrue((ROOT / script).is_file(), f"{page.name}: {script}")

    def test_cpp_and_c_shown_are_part_of_an_example(self):
        paths = [*(ROOT / "examples").glob("*.cc"), *(ROOT / "examples" / "c").glob("*.c")]
        examples = [lines_without_indent(path.read_text(encoding="utf-8")) for path in paths]
        shown = 0
        for page in PAGES:
            for block in re.findall(r"```(?:cpp|c)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
                shown += 1
                block = lines_without_indent(block)
                self.assertTrue(any(block in example for example in examples), f"{page.name}:\n{block}")
        self.assertGreater(shown, 0)

    def test_layering_table_is_that_of_the_script(self):
        text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
        for folder, allowed in check_layering.ALLOWED.items():
            row = f"| {folder} | {', '.join(allowed)} |".replace("|  |", "| |")
            self.assertIn(row, text)

    def test_layering_picture_is_that_of_the_table(self):
        picture = (ROOT / "docs" / "layering.svg").read_text(encoding="utf-8")
        self.assertEqual(picture, draw_layering.svg(), "run: python3 scripts/draw_layering.py")


if __name__ == "__main__":
    unittest.main()
