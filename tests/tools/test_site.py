# SPDX-License-Identifier: BSD-3-Clause
"""The site has every page of docs/ and every header, and its check finds what it is there to find. Needs no MkDocs."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True
import check_site  # noqa: E402
import site_pages  # noqa: E402


def leaves(navigation):
    for entry in navigation:
        for value in entry.values():
            yield from leaves(value) if isinstance(value, list) else [value]


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def test_every_page_and_header_has_a_place(self):
        site_pages.main([str(self.root)])
        configuration = json.loads((self.root / "mkdocs.yml").read_text(encoding="utf-8"))
        pages = list(leaves(configuration["nav"]))
        for page in pages:
            self.assertTrue((self.root / "pages" / page).is_file(), page)
        for page in (ROOT / "docs").glob("*.md"):
            self.assertIn(f"docs/{page.name}", pages)
        for header in (ROOT / "include").rglob("*.h"):
            name = header.relative_to(ROOT / "include").as_posix().replace("/", "_").removesuffix(".h")
            self.assertIn(f"reference/{name}.md", pages)

    def problems(self, body):
        (self.root / "index.html").write_text(body, encoding="utf-8")
        (self.root / "other.html").write_text("<h1 id='here'>Other</h1>", encoding="utf-8")
        return check_site.check(self.root)[0]

    def test_accepts_links_that_lead_somewhere(self):
        self.assertEqual(self.problems("<a href='other.html#here'>a</a><a href='#'>b</a><a href='https://x.org'>c</a>"), [])

    def test_finds_a_missing_page(self):
        self.assertIn("nowhere.html leads nowhere", self.problems("<a href='nowhere.html'>a</a>")[0])

    def test_finds_a_missing_place(self):
        self.assertIn("no such place", self.problems("<a href='other.html#there'>a</a>")[0])

    def test_finds_what_is_loaded_from_elsewhere(self):
        self.assertIn("loads", self.problems("<script src='https://x.org/a.js'></script>")[0])
        self.assertIn("loads", self.problems("<link rel='stylesheet' href='//x.org/a.css'>")[0])


if __name__ == "__main__":
    unittest.main()
