# SPDX-License-Identifier: BSD-3-Clause
"""Figures of one look, small enough to commit."""
import importlib.util

import numpy as np

# Colours that differ for the colour-blind too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
DPI = 110


def plotting(place):
    """matplotlib's pyplot, or None with a word about what is left out."""
    if importlib.util.find_spec("matplotlib") is None:
        place.say("matplotlib is not there: the figures are left out")
        return None
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"font.size": 9, "axes.titlesize": 10, "axes.grid": True, "grid.alpha": 0.3,
                            "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "legend.fontsize": 8,
                            "axes.spines.top": False, "axes.spines.right": False, "figure.constrained_layout.use": True})
    return pyplot


def save(place, figure, name, dpi=DPI, colours=None):
    """Writes figures/NAME without the date or version of the program. Few colours make grey mosaics small."""
    from PIL import Image
    path = place.figure(name)
    figure.savefig(path, dpi=dpi, metadata={"Software": None})
    with Image.open(path) as picture:
        flat = picture.convert("RGB")
    if colours is not None:
        flat = flat.quantize(colours, dither=Image.Dither.NONE)
    flat.save(path, optimize=True)
    from matplotlib import pyplot
    pyplot.close(figure)


def tiles(rows, side, columns, down=False, gap=1):
    """Rows as small pictures with blue lines between them: each is scaled to its own largest magnitude, zero is grey.

    down: fill column by column, as the paper does."""
    rows = np.asarray(rows, np.float64)
    lines = -(-len(rows) // columns)
    picture = np.full((lines * (side + gap) + gap, columns * (side + gap) + gap), np.nan)
    for number, row in enumerate(rows):
        line, column = (number % lines, number // lines) if down else divmod(number, columns)
        largest = np.abs(row).max()
        tile = (row / (2 * largest) if largest > 0 else row).reshape(side, side) + 0.5
        top, left = gap + line * (side + gap), gap + column * (side + gap)
        picture[top:top + side, left:left + side] = tile
    return picture


def show(axes, picture, title, limits=(0, 1)):
    import matplotlib
    shades = matplotlib.colormaps["gray"].with_extremes(bad="#9cc3e6")
    axes.imshow(picture, cmap=shades, vmin=limits[0], vmax=limits[1], interpolation="nearest")
    axes.set_title(title)
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
