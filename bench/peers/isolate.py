# SPDX-License-Identifier: BSD-3-Clause
"""Runs a function in a fresh process: a peer that crashes or keeps memory harms nobody else."""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def isolated(function, *arguments):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()
