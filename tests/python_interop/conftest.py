# SPDX-License-Identifier: BSD-3-Clause
"""Drives the test program that runs our readers and writers."""

import os
import subprocess

import pytest

PROGRAM = os.environ["DUALDICT_CONVERT"]


class Converter:
    """One process for many jobs, so that random cases stay cheap."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, job, source, target):
        self.process.stdin.write(f"{job} {source} {target}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n", (job, source)
        return target

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


@pytest.fixture(scope="session")
def convert():
    converter = Converter()
    yield converter
    converter.close()


@pytest.fixture(scope="session")
def run_once():
    """One job in its own process, with standard input and output as bytes."""

    def run(*arguments, stdin=b""):
        return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, check=False)

    return run
