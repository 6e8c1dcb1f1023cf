# SPDX-License-Identifier: BSD-3-Clause
"""Lays out the pages of the site and its configuration: python3 scripts/site_pages.py FOLDER

README and docs/ are taken as they are, in the same folders, so that their links hold; what they link to beside pages is
copied beside them. The reference is made here: a page for each public header, and one for the Python package.
"""
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")

GUIDE = ["quickstart", "images", "glossary", "coming_from", "python", "c", "report", "vectors", "scale"]
BACKGROUND = ["maths", "paper", "benchmarks", "promises", "formats", "options"]
INSIDE = ["design", "dependencies", "release"]


def title_of(text):
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def copy_page(name, pages):
    """A page and all that it links to. Returns its title."""
    text = (ROOT / name).read_text(encoding="utf-8")
    target = pages / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    for link in LINK.findall(text):
        source = ((ROOT / name).parent / link).resolve()
        if "://" in link or not source.is_relative_to(ROOT) or not source.is_file():
            continue
        linked = source.relative_to(ROOT)
        if (pages / linked).exists():
            continue
        if source.suffix == ".md":
            copy_page(linked.as_posix(), pages)
        else:
            (pages / linked).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, pages / linked)
    return title_of(text)


def header_page(path, pages):
    """A header as a page: what it says first, then itself."""
    name = path.relative_to(ROOT / "include").as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    first = []
    for line in lines[1:]:
        if not line.startswith("//"):
            break
        first.append(line[2:].strip())
    code = "\n".join(lines[1 + len(first):]).strip()
    language = "c" if name == "dualdict.h" else "cpp"
    page = pages / "reference" / (name.replace("/", "_").removesuffix(".h") + ".md")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# {name}\n\n{' '.join(first)}\n\n```{language}\n{code}\n```\n", encoding="utf-8")
    return {name: page.relative_to(pages).as_posix()}


def python_page(pages):
    names = re.findall(r'^    "(\w+)",$', (ROOT / "python/dualdict/__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    # What is compiled has no source to read.
    entries = "\n".join(f"::: dualdict.{name}\n" for name in names if name not in ("Model", "__version__"))
    page = pages / "reference" / "python.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# The Python package\n\nMade from the docstrings. The guide is [Python](../docs/python.md);\n"
                    f"`help(dualdict.Model)` shows what a model has.\n\n{entries}",
                    encoding="utf-8")
    return {"Python": page.relative_to(pages).as_posix()}


def navigation(pages):
    def chapter(names):
        return [{copy_page(f"docs/{name}.md", pages): f"docs/{name}.md"} for name in names]

    known = {*GUIDE, *BACKGROUND, *INSIDE}
    unknown = {path.stem for path in (ROOT / "docs").glob("*.md")} - known
    if unknown:
        sys.exit(f"site: pages of docs/ without a place in scripts/site_pages.py: {', '.join(sorted(unknown))}")
    copy_page("README.md", pages)
    headers = sorted((ROOT / "include").rglob("*.h"), key=lambda path: (len(path.parts), path.name))
    return [
        {"Start": "README.md"},
        {"Guide": chapter(GUIDE)},
        {"Reference": [python_page(pages), *(header_page(path, pages) for path in headers)]},
        {"Background": chapter(BACKGROUND)},
        {"Project": chapter(INSIDE) + [{copy_page(name, pages): name}
                                       for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
                                                    "THIRD_PARTY_NOTICES.md")]},
    ]


def configuration(pages):
    python = {"paths": [str(ROOT / "python")],
              "options": {"show_source": False, "show_root_heading": True, "docstring_style": "numpy",
                          "show_symbol_type_heading": True, "members_order": "source"}}
    return {
        "site_name": "dualdict",
        "site_description": "Sparse dictionaries that come with their encoder",
        "docs_dir": str(pages),
        "use_directory_urls": False,  # all but the search also works from a folder, without a server
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs", "content.code.copy", "search.highlight"],
                  "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default"},
                              {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}]},
        "plugins": ["search", {"mkdocstrings": {"handlers": {"python": python}}}],
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}},
                                "pymdownx.highlight", "pymdownx.superfences"],
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
        "nav": navigation(pages),
    }


def main(arguments):
    folder = Path(arguments[0]).resolve()
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    # JSON is YAML too.
    (folder / "mkdocs.yml").write_text(json.dumps(configuration(pages), indent=2), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
