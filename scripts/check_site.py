# SPDX-License-Identifier: BSD-3-Clause
"""Checks a built site: python3 scripts/check_site.py FOLDER

Every link to a page, a place on it, a script, a style or a picture leads to something, and nothing is loaded from elsewhere.
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.places |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for name in ("src",) if tag != "link" else ("href",):
            # A page may say where its canonical copy is; that loads nothing.
            if values.get(name) and values.get("rel") not in ("canonical", "prev", "next"):
                self.loaded.append(values[name])


def check(root):
    pages = {path.resolve(): Page(path) for path in root.rglob("*.html")}
    problems, n_links = [], 0
    for path, page in pages.items():
        shown = path.relative_to(root.resolve())
        for link in page.loaded:
            if "//" in link:
                problems.append(f"{shown}: loads {link}")
        for link in [*page.links, *page.loaded]:
            if "://" in link or link.startswith(("mailto:", "data:", "javascript:")):
                continue
            n_links += 1
            address, place = urldefrag(link)
            base = root.resolve() if address.startswith("/") else path.parent
            target = (base / unquote(address).lstrip("/")).resolve() if address else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                problems.append(f"{shown}: {link} leads nowhere")
            elif target in pages and unquote(place) not in pages[target].places:
                problems.append(f"{shown}: {link}: there is no such place on that page")
    return problems, len(pages), n_links


def main(arguments):
    problems, n_pages, n_links = check(Path(arguments[0]))
    for problem in problems:
        print(f"site: {problem}", file=sys.stderr)
    if problems or n_pages == 0:
        print(f"site: {len(problems)} problems on {n_pages} pages", file=sys.stderr)
        return 1
    print(f"site: {n_pages} pages, {n_links} links within, none broken, nothing loaded from elsewhere")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
