# SPDX-License-Identifier: BSD-3-Clause
"""Learning on Ray: an actor holds each block and its codes, sums are added in a tree of tasks."""

import numpy as np
import ray

import dualdict

N_BLOCKS = 4


@ray.remote
class Holder:
    def __init__(self, index):  # each reads or makes its own
        rng = np.random.default_rng(index)
        codes = rng.standard_normal((500, 24)) * (rng.random((500, 24)) < 0.1)
        self.index, self.codes = index, None
        self.rows = codes @ np.random.default_rng(99).standard_normal((24, 16))

    def answer(self, request):
        statistics, codes = dualdict.block_statistics(request, self.rows, self.index, self.codes)
        self.codes = codes or self.codes
        return statistics


add = ray.remote(dualdict.add_statistics)
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
holders = [Holder.options(num_cpus=0.25).remote(i) for i in range(N_BLOCKS)]
fit = dualdict.BlockFit(24, N_BLOCKS, penalty="l1", nonzeros=2)
while not fit.is_done:
    request = ray.put(fit.request())
    parts = [holders[i].answer.remote(request) for i in fit.blocks]
    while len(parts) > 1:
        parts = [add.remote(*parts[i:i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    fit.step(ray.get(parts[0]))
model, summary = fit.result()
print(summary.outcome, summary.n_iter, "iterations, E", summary.iterations[-1].energy.total)
ray.shutdown()
