# SPDX-License-Identifier: BSD-3-Clause
"""results.json: numbers rounded to what they are worth, keys in the order in which they were put."""
import json
import math

import numpy as np


def plain(value, digits=6):
    """Arrays, NumPy numbers and floats as JSON knows them, with so many significant digits."""
    if isinstance(value, dict):
        return {str(key): plain(entry, digits) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), digits)
    if isinstance(value, (list, tuple)):
        return [plain(entry, digits) for entry in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    return value


def is_flat(value):
    return isinstance(value, list) and all(not isinstance(entry, (list, dict)) for entry in value)


def text(value, indent=0):
    """JSON with one line for each list of plain values."""
    pad = "  " * (indent + 1)
    if isinstance(value, dict) and value:
        if indent > 0 and all(not isinstance(entry, (list, dict)) for entry in value.values()):
            return json.dumps(value)
        rows = [f"{pad}{json.dumps(key)}: {text(entry, indent + 1)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + "  " * indent + "}"
    if isinstance(value, list) and value and not is_flat(value):
        rows = [pad + text(entry, indent + 1) for entry in value]
        return "[\n" + ",\n".join(rows) + "\n" + "  " * indent + "]"
    return json.dumps(value)


def save(place, results):
    (place.out / "results.json").write_text(text(plain(results)) + "\n", encoding="utf-8")
    place.say(f"wrote {shown(place.out / 'results.json')}")


def load(place):
    file = place.out / "results.json"
    if not file.exists():
        place.skip(f"{shown(file)} is not there; run without --redraw first")
    return json.loads(file.read_text(encoding="utf-8"))


def shown(path):
    from .start import ROOT
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
