# SPDX-License-Identifier: BSD-3-Clause
"""Which peers are here, in which version, and why one is not."""
import importlib
from importlib import metadata

from isolate import isolated

PEERS = {"spams": ("spams", "spams-bin"), "sklearn": ("sklearn", "scikit-learn"), "torch": ("torch", "torch"),
         "dictlearn": ("dictlearn", "dictlearn")}
TOOLS = ("numpy", "scipy", "matplotlib", "threadpoolctl", "pillow")
_missing = None


def _why_not(module):
    try:
        importlib.import_module(module)
        return None
    except Exception as error:  # whatever keeps a peer from loading is the answer
        return f"{type(error).__name__}: {error}"


def missing():
    """{peer: why it cannot be used}; tried once, in a process of its own."""
    global _missing
    if _missing is None:
        why = {name: isolated(_why_not, module) for name, (module, _) in PEERS.items()}
        _missing = {name: reason for name, reason in why.items() if reason}
    return _missing


def versions():
    packages = [package for name, (_, package) in PEERS.items() if name not in missing()]
    found = {}
    for package in (*packages, *TOOLS):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
