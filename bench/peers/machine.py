# SPDX-License-Identifier: BSD-3-Clause
"""The machine, the versions and the command behind the numbers."""
import os
import platform
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from availability import missing, versions
from settings import ROOT


def processor():
    """The model as the kernel names it, and the widest vector instructions it has."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"model name\s*:\s*(.+)", text)
    flags = re.search(r"flags\s*:\s*(.+)", text)
    known = ("avx512f", "avx2", "sse4_1")
    vectors = next((flag for flag in known if flags and flag in flags[1].split()), "unknown")
    return (name[1].strip() if name else platform.processor() or platform.machine()), vectors


def lines(*command):
    """What a command prints; none when it is not there or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return []


def first_line(*command):
    return next(iter(lines(*command)), "unknown")


def commit():
    """What the code is. Results of rows that were kept before this one are no change of it."""
    results = (":!bench/results", ":!docs/benchmarks.md")
    changed = lines("git", "status", "--porcelain", "--untracked-files=no", "--", ".", *results)
    return first_line("git", "rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def describe():
    name, vectors = processor()
    return {"processor": name, "vectors": vectors, "cores": os.cpu_count(), "cores_used": len(os.sched_getaffinity(0)),
            "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
            "system": platform.system() + " " + platform.release(), "compiler": first_line("g++", "--version"),
            "commit": commit(), "python": platform.python_version(),
            "versions": versions(), "missing": missing(), "load_at_start": os.getloadavg()[0],
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "command": " ".join(["bench/peers/run", *sys.argv[1:]])}


def file_name(machine):
    """amd-epyc-2-cores"""
    words = re.sub(r"[^a-z0-9]+", "-", machine["processor"].lower()).strip("-")
    return f"{words}-{machine['cores']}-cores"
