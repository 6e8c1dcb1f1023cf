# SPDX-License-Identifier: BSD-3-Clause
"""Writes the seeds of every fuzz target: make_corpus.py COMMAND FOLDER"""

import sys
from pathlib import Path

import seeds

command, folder = sys.argv[1], Path(sys.argv[2])
for target, files in seeds.corpus(command).items():
    (folder / target).mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(files):
        (folder / target / f"seed-{number}").write_bytes(content)
