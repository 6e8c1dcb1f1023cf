# SPDX-License-Identifier: BSD-3-Clause
"""Draws the layering as docs/layering.svg: python3 scripts/draw_layering.py [OUTPUT]

A box for every row of the table of check_layering.py, below all boxes that it may include. Lines lead to what it names
itself; what it also reaches through another box has no line.
"""
import sys
from pathlib import Path

from check_layering import ALLOWED, OUTSIDE, rows_of

PUBLIC = "public headers"
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 128, 30, 14, 44, 16


def graph():
    """What each box may include, the front ends and the public headers among them."""
    edges = {part: {row for name in names for row in rows_of(ALLOWED, part, name)} for part, names in ALLOWED.items()}
    edges = {part: rows - {part} for part, rows in edges.items()}
    edges[PUBLIC] = {part for part in ALLOWED if not any(part in rows for rows in edges.values())}
    for part in OUTSIDE:
        edges[part] = {PUBLIC}
    return edges


def levels_of(edges):
    """The longest way from a box to one that includes nothing; what only the public headers show lies beside the last."""
    known = {}

    def level(part):
        if part not in known:
            known[part] = 1 + max((level(other) for other in edges[part]), default=-1)
        return known[part]

    for part in edges:
        level(part)
    return {part: known[PUBLIC] - 1 if part in edges[PUBLIC] else known[part] for part in edges}


def without_shortcuts(edges):
    """The edges that no longer way replaces."""
    def reached(part):
        return edges[part].union(*(reached(other) for other in edges[part]))

    return {part: {other for other in others if not any(other in reached(via) for via in others - {other})}
            for part, others in edges.items()}


def places_of(edges):
    """The middle of each box: a row a level, in each row near what a box includes."""
    levels = levels_of(edges)
    widest = max(sum(1 for part in levels if levels[part] == row) for row in levels.values())
    total = widest * (WIDTH + GAP_X) - GAP_X
    places = {}
    for row in range(max(levels.values()) + 1):
        def wish(part):
            below = [places[other][0] for other in edges[part] if other in places]
            return (sum(below) / len(below) if below else total / 2, part)

        boxes = sorted((part for part in edges if levels[part] == row), key=wish)
        left = MARGIN + (total - len(boxes) * (WIDTH + GAP_X) + GAP_X) / 2
        for i, part in enumerate(boxes):
            places[part] = (left + i * (WIDTH + GAP_X) + WIDTH / 2, MARGIN + row * (HEIGHT + GAP_Y) + HEIGHT / 2)
    return places, total + 2 * MARGIN, 2 * MARGIN + (max(levels.values()) + 1) * (HEIGHT + GAP_Y) - GAP_Y


def svg():
    edges = graph()
    lines = without_shortcuts(edges)
    places, width, height = places_of(edges)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
            'font-size="13" text-anchor="middle">',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>']
    for part in sorted(lines):
        x, y = places[part]
        for other in sorted(lines[part]):
            to_x, to_y = places[other]
            text.append(f'<path d="M{x:.0f} {y - HEIGHT / 2:.0f}C{x:.0f} {y - HEIGHT:.0f} {to_x:.0f} {to_y + HEIGHT:.0f} '
                        f'{to_x:.0f} {to_y + HEIGHT / 2:.0f}" fill="none" stroke="#789"/>')
    for part in sorted(places):
        x, y = places[part]
        fill = "#e8eef4" if part in ALLOWED else "#f4ecd8"
        text.append(f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
                    f'fill="{fill}" stroke="#456"/><text x="{x:.0f}" y="{y + 4.5:.1f}">{part}</text>')
    return "\n".join([*text, "</svg>", ""])


if __name__ == "__main__":
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "docs" / "layering.svg"
    output.write_text(svg(), encoding="utf-8")
