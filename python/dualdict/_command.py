# SPDX-License-Identifier: BSD-3-Clause
"""The `dualdict` command of the package: hands over to the program beside it."""

import os
import sys


def main():
    program = os.path.join(os.path.dirname(__file__), "bin", "dualdict")
    os.execv(program, ["dualdict", *sys.argv[1:]])
