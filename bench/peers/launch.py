# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and writes its wall seconds and peak memory: launch.py REPORT PROGRAM [ARGUMENT...]

Linux counts into a program's peak what the process that started it had used by then. This one imports almost nothing, so
that the floor is a few MiB and not the arrays of the benchmark."""
import os
import sys
import time

report, *command = sys.argv[1:]
started = time.perf_counter()
child = os.posix_spawn(command[0], command, os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - started
with open(report, "w", encoding="utf-8") as file:
    file.write(f"{seconds} {usage.ru_maxrss * 1024}")
sys.exit(min(abs(os.waitstatus_to_exitcode(status)), 255))
