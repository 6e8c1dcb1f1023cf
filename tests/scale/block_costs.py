# SPDX-License-Identifier: BSD-3-Clause
"""What the messages of learning by blocks cost: block_costs.py, with the package on PYTHONPATH.

Prints the bytes of a request and of the statistics of an iteration with K = 200 and d = 144, and the processor time of an
answer with one sample, an addition and a step.
"""
import time

import numpy as np

import dualdict


def milliseconds(call, repeats):
    began = time.process_time()
    for _ in range(repeats):
        call()
    return 1000 * (time.process_time() - began) / repeats


def main():
    X = np.random.default_rng(0).standard_normal((2000, 144)).astype(np.float32)
    blocks = np.split(X, 2)
    fit = dualdict.BlockFit(200, 2, tau=0.3)

    def answers():
        request = fit.request()
        return request, [dualdict.block_statistics(request, blocks[i], i)[0] for i in range(2)]

    for _ in range(2):  # the survey, and an iteration that counts who uses the atoms
        fit.step(dualdict.add_statistics(*answers()[1]))
    request, parts = answers()
    print(f"request {len(request):,} bytes, statistics {len(parts[0]):,} bytes")
    print(f"answer with one sample {milliseconds(lambda: dualdict.block_statistics(request, X[:1], 0), 20):.1f} ms, "
          f"addition {milliseconds(lambda: dualdict.add_statistics(*parts), 50):.1f} ms, "
          f"step {milliseconds(lambda: fit.step(dualdict.add_statistics(*parts)), 1):.1f} ms")


if __name__ == "__main__":
    main()
